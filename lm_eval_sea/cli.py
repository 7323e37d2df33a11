"""The command `lm-eval-sea`.

A command is a function `add_…` of `lm_eval_sea.commands` that declares its arguments and a function that runs it and returns the
exit status; `COMMANDS` lists the former. The work is done elsewhere, in modules that a command imports when it runs, so that
`--help` and `path` need none of the heavy libraries.
"""

from __future__ import annotations

import argparse
import os
import sys

from lm_eval_sea import __version__
from lm_eval_sea.commands import run_command
from lm_eval_sea.commands.data_commands import add_data
from lm_eval_sea.commands.declaration import fail, show_help
from lm_eval_sea.commands.export_command import add_export
from lm_eval_sea.commands.judge_command import add_judge
from lm_eval_sea.commands.metricx_command import add_metricx
from lm_eval_sea.commands.official_command import add_official
from lm_eval_sea.commands.parallel_commands import add_belebele, add_compare_languages
from lm_eval_sea.commands.report_command import add_report
from lm_eval_sea.commands.run_command import add_run
from lm_eval_sea.commands.score_command import add_score
from lm_eval_sea.commands.show_command import add_show
from lm_eval_sea.commands.sweep_command import add_sweep
from lm_eval_sea.commands.task_commands import add_ls, add_path
from lm_eval_sea.commands.tasks_command import add_tasks
from lm_eval_sea.commands.upstream_command import add_upstream

COMMANDS = (
    add_run,
    add_sweep,
    add_path,
    add_ls,
    add_data,
    add_report,
    add_score,
    add_compare_languages,
    add_belebele,
    add_tasks,
    add_official,
    add_judge,
    add_metricx,
    add_show,
    add_export,
    add_upstream,
)


def main(argv: list[str] | None = None) -> int:
    """Runs the command line.

    Args:
        argv: the arguments; by default those of the process.

    Returns:
        The exit status.
    """
    parser = argparse.ArgumentParser(
        prog="lm-eval-sea",
        description="Evaluates language models on Southeast Asian languages with lm-evaluation-harness.",
        epilog="""examples:
  lm-eval-sea ls belebele_th                                what there is
  lm-eval-sea data check --tasks sea_belebele_th_to_ppl     is the data whole?
  lm-eval-sea run --model hf --model_args pretrained=MODEL --tasks sea_belebele_th_to_ppl

`lm-eval-sea COMMAND --help` explains a command.""",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"lm-eval-sea {__version__}")
    parser.set_defaults(run=show_help(parser))
    commands = parser.add_subparsers(metavar="COMMAND")
    for add in COMMANDS:
        add(commands)
    argv = sys.argv[1:] if argv is None else argv
    try:
        if argv[:1] == [run_command.NAME]:
            return run_command.run(argv[1:])
        arguments = parser.parse_args(argv)
        status = arguments.run(arguments)
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return fail(InterruptedError("interrupted"), 130)
    except BrokenPipeError:  # `lm-eval-sea ls | head` has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


if __name__ == "__main__":
    sys.exit(main())
