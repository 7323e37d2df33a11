"""The command `lm-eval-sea`: what the pack has, and the data it needs.

A command is a function `_add_…` that declares its arguments and a function that runs it and returns the exit status;
`COMMANDS` lists the former, those of other modules among them. The work is done elsewhere, in modules that a command imports
when it runs, so that `--help` and `path` need none of the heavy libraries.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

from lm_eval_sea.command import declare, fail
from lm_eval_sea.parallel_commands import add_belebele, add_compare_languages
from lm_eval_sea.task_list import TASKS_FOLDER, UnknownNameError, read_tasks, table


def _add_tasks(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--tasks",
        metavar="NAMES",
        default="*",
        help="tasks, groups, tags or globs of their names, with commas between (default: all tasks)",
    )


def _add_path(commands: argparse._SubParsersAction) -> None:
    parser = declare(
        commands,
        "path",
        "Print the folder of the tasks, for lm-eval's --include_path.",
        """examples:
  lm_eval --model hf --model_args pretrained=MODEL --include_path "$(lm-eval-sea path)" --tasks sea_belebele_to_ppl
  lm_eval ls tasks --include_path "$(lm-eval-sea path)\"""",
    )
    parser.set_defaults(run=_path)


def _path(arguments: argparse.Namespace) -> int:
    print(TASKS_FOLDER)
    return 0


def _add_ls(commands: argparse._SubParsersAction) -> None:
    parser = declare(
        commands,
        "ls",
        "List the tasks: language, data set, variant, rows, headline metric, source.",
        """examples:
  lm-eval-sea ls                        all tasks
  lm-eval-sea ls xcopa_th               names with this part
  lm-eval-sea ls 'sea_*_th_to_ppl'      names that match a glob (in quotes, or the shell takes it)
  lm-eval-sea ls sea_variant_tito_ppl   the tasks of a group or tag

Groups and tags whose names match are listed below the tasks; each can be given to lm_eval --tasks.
Exit status: 0, or 1 if nothing matches.""",
    )
    parser.add_argument("pattern", metavar="PATTERN", nargs="?", default="*", help="part of a name, or a glob")
    parser.set_defaults(run=_ls)


def _ls(arguments: argparse.Namespace) -> int:
    try:
        tasks, groups, tags = read_tasks().search(arguments.pattern)
    except UnknownNameError as error:
        return fail(error, 1)
    if tasks:
        print(table(tasks))
    for kind, names in (("groups", groups), ("tags", tags)):
        if names:
            print(f"{kind}: {' '.join(names)}")
    return 0


def _add_data(commands: argparse._SubParsersAction) -> None:
    parser = declare(
        commands,
        "data",
        "Check or download the data of tasks, before a long job.",
        """examples:
  lm-eval-sea data check --tasks sea_sailcompass
  lm-eval-sea data fetch --tasks sea_belebele_to_ppl,sea_xcopa_to_ppl
  lm-eval-sea data fetch --tasks sea_sailcompass --to mirror""",
    )
    parser.set_defaults(run=_helper(parser))
    subcommands = parser.add_subparsers(metavar="COMMAND")
    _add_data_check(subcommands)
    _add_data_fetch(subcommands)


def _add_data_check(commands: argparse._SubParsersAction) -> None:
    parser = declare(
        commands,
        "check",
        "Load the data files of tasks and report what is wrong with them.",
        """Rows come from a folder OWNER/NAME under the current one, or else from the hub or its cache, as in a run. Reported are:
rows found and expected, columns, right answers by position, rows with identical options (ties: the first one counts),
repeated rows, references of generated texts that are longer than an answer may be, and as faults: a number of rows that
differs, rows that cannot be scored (missing column, empty text, option or reference, label out of range), labels that never
occur, answers that their passage lacks, and rows that stand in the prompt as exemplars.

examples:
  lm-eval-sea data check
  lm-eval-sea data check --tasks sea_xcopa_th_to_ppl,'sea_m3exam_*'
  cd mirror && lm-eval-sea data check --tasks sea_sailcompass
  lm-eval-sea data check --tasks sea_ts --tokenizer MODEL

Exit status: 0 without faults, 1 with faults, 2 for unknown names or a tokenizer that cannot be loaded.""",
    )
    _add_tasks(parser)
    parser.add_argument(
        "--tokenizer", metavar="NAME", help="model or folder, to measure references in its tokens (default: in words)"
    )
    parser.set_defaults(run=_data_check)


def _data_check(arguments: argparse.Namespace) -> int:
    try:
        tasks = read_tasks().select(arguments.tasks.split(","))
    except UnknownNameError as error:
        return fail(error, 2)
    from datasets.utils.logging import disable_progress_bar
    from tqdm import tqdm

    from lm_eval_sea.data_check import check_data, distinct_data, render, token_counter, without_absent_folders
    from lm_eval_sea.tasks._shared.data import DataError

    disable_progress_bar()  # one a split; ours counts files
    try:
        count = token_counter(arguments.tokenizer) if arguments.tokenizer else None
    except DataError as error:
        return fail(error, 2)
    tasks, absent = without_absent_folders(tasks)
    reports = [check_data(task, count) for task in tqdm(distinct_data(tasks), desc="data files", unit="file")]
    print("\n".join(map(render, reports)))
    for folder in absent:
        print(f"none     {folder}: not in the current folder; its tasks are not checked (you make it yourself)")
    faulty = sum(bool(report.faults) for report in reports)
    print(f"{len(reports)} data files checked, {faulty} with faults")
    return 1 if faulty else 0


def _add_data_fetch(commands: argparse._SubParsersAction) -> None:
    parser = declare(
        commands,
        "fetch",
        "Download the data files of tasks, for a machine without a network.",
        """Without --to the files go to the hub's cache ($HF_HOME, by default ~/.cache/huggingface); with it, to a folder that is
laid out like the hub and can be copied anywhere. A model has to be there too, of course.

examples:
  lm-eval-sea data fetch --tasks sea_belebele_to_ppl
  HF_HUB_OFFLINE=1 lm_eval … --tasks sea_belebele_to_ppl

  lm-eval-sea data fetch --tasks sea_belebele_to_ppl --to mirror
  cd mirror && lm_eval … --tasks sea_belebele_to_ppl

Exit status: 0, 1 if a file cannot be had, 2 for unknown names.""",
    )
    _add_tasks(parser)
    parser.add_argument("--to", metavar="DIR", type=Path, help="folder to make or complete (default: the hub's cache)")
    parser.set_defaults(run=_data_fetch)


def _data_fetch(arguments: argparse.Namespace) -> int:
    try:
        tasks = read_tasks().select(arguments.tasks.split(","))
    except UnknownNameError as error:
        return fail(error, 2)
    from lm_eval_sea.data_fetch import fetch_to_cache, fetch_to_mirror
    from lm_eval_sea.tasks._shared.data import DataError

    try:
        fetched = fetch_to_mirror(tasks, arguments.to) if arguments.to else fetch_to_cache(tasks)
    except DataError as error:
        return fail(error, 1)
    print("\n".join(repository.describe() for repository in fetched))
    start = f"cd {shlex.quote(str(arguments.to))} &&" if arguments.to else "HF_HUB_OFFLINE=1"
    names = "sea_sailcompass" if arguments.tasks == "*" else shlex.quote(arguments.tasks)
    print("Without a network now works, with a model on this machine:")
    print(f"  {start} lm_eval --model hf --model_args pretrained=MODEL --include_path {TASKS_FOLDER} --tasks {names}")
    return 0


def _add_run(commands: argparse._SubParsersAction) -> None:
    # Its arguments are lm-eval's; `main` hands them on without reading them.
    commands.add_parser("run", help="Evaluate a model: `lm_eval run` with these tasks and a faster backend.", add_help=False)


def _run(argv: list[str]) -> int:
    from lm_eval_sea.run import RunError, run

    try:
        run(argv)
    except RunError as error:
        return fail(error, 2)
    return 0


COMMANDS = (_add_run, _add_path, _add_ls, _add_data, add_compare_languages, add_belebele)


def _helper(parser: argparse.ArgumentParser) -> Callable[[argparse.Namespace], int]:
    """What a command does that was called without one of its subcommands."""

    def show_help(arguments: argparse.Namespace) -> int:
        parser.print_help()
        return 0

    return show_help


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
    parser.set_defaults(run=_helper(parser))
    commands = parser.add_subparsers(metavar="COMMAND")
    for add in COMMANDS:
        add(commands)
    argv = sys.argv[1:] if argv is None else argv
    if argv[:1] == ["run"]:
        return _run(argv[1:])
    arguments = parser.parse_args(argv)
    try:
        status = arguments.run(arguments)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # `lm-eval-sea ls | head` has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


if __name__ == "__main__":
    sys.exit(main())
