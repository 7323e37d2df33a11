"""The command `lm-eval-sea`.

A command imports what it needs when it runs, so `--help` and `path` load no heavy library.
"""

from __future__ import annotations

import argparse
import importlib.util
import io
import os
import sys
from collections.abc import Sequence

from lm_eval_sea import __version__
from lm_eval_sea.catalogue.names import meant
from lm_eval_sea.commands.command import Command, fail, fail_unexpectedly
from lm_eval_sea.commands.data import DATA, LS, PATH
from lm_eval_sea.commands.make import MAKE
from lm_eval_sea.commands.results import EXPORT, REPORT, SHOW
from lm_eval_sea.commands.score import SCORE
from lm_eval_sea.commands.sweep import SWEEP
from lm_eval_sea.run.interruption import terminated_as_interrupted
from lm_eval_sea.run.output_streams import DISK_IS_FULL
from lm_eval_sea.run.request import DEBUG, RunError

RUN = Command(
    name="run",
    summary="Evaluate a model: `lm_eval run` with these tasks and a faster backend",
    examples="lm-eval-sea run --help",
)
COMMANDS = (RUN, SWEEP, LS, PATH, DATA, MAKE, SHOW, REPORT, SCORE, EXPORT)

# Commands of earlier releases → their replacements. The next release drops this table.
MOVED = {
    ("tasks",): "`lm-eval-sea make`",
    ("official",): "`lm-eval-sea make --official CHECKOUT --out TASKS`",
    ("belebele",): "`lm-eval-sea make --translated RUN… --out belebele_translated`",
    ("compare-languages",): "`lm-eval-sea report RUN… --languages --out DIR`",
    ("judge",): "`lm-eval-sea score RUN… --judge NAME --base_url URL`",
    ("metricx",): "`lm-eval-sea score RUN… --metricx NAME`",
    ("score", "sea-helm"): "`lm-eval-sea score RUN…`",
    ("upstream",): "the folder upstream/ of the repository",
}


def main(argv: list[str] | None = None) -> int:
    """Runs the command line `argv` (default: that of the process) and returns the exit status."""
    argv = sys.argv[1:] if argv is None else argv
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # the shell has closed it: `lm-eval-sea run … >&-`
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 (as long as the process)
    if isinstance(sys.stdout, io.TextIOWrapper):  # shows escapes for characters that the terminal lacks
        sys.stdout.reconfigure(errors="backslashreplace")
    for old, new in MOVED.items():
        if tuple(argv[: len(old)]) == old:
            return fail(f"`lm-eval-sea {' '.join(old)}` is now {new}", 2)
    try:
        os.getcwd()
    except OSError as error:  # without a current folder, libraries end the process
        return fail(f"the current folder is gone or cannot be read ({error.strerror}); change to another one", 2)
    try:
        try:
            status = _run(argv[1:]) if argv[:1] == [RUN.name] else _run_parsed(argv)  # the options of `run` are lm-eval's
        except SystemExit:  # from the parser, after it has printed help
            sys.stdout.flush()
            raise
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return fail("interrupted", 130)
    except BrokenPipeError:  # `lm-eval-sea ls | head` has read enough
        _drop_output()
        return 0
    except Exception as error:
        if isinstance(error, ImportError) and (said := _hides_lm_eval()):
            return fail(said, 2)
        if isinstance(error, OSError) and error.errno in DISK_IS_FULL and error.filename is None:
            _drop_output()
            return fail(f"the output cannot be written ({error.strerror})", 1)
        return fail_unexpectedly(error, debug=DEBUG in argv)


def _hides_lm_eval() -> str:
    """What to do if a folder without code, such as that of setup.py, hides lm-eval's checkout; empty if none does."""
    found = importlib.util.find_spec("lm_eval")
    if found is None or found.origin is not None:
        return ""
    folder = next(iter(found.submodule_search_locations or ()), "")
    mend = "if it is of this pack, install the pack with --editable, too: pip install --editable CHECKOUT"
    return f"the folder {folder} hides an lm-eval that is installed with --editable; {mend}"


def _drop_output() -> None:
    """Sends the rest of the output to the null device, because Python would fail again when it flushes it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run_parsed(argv: Sequence[str]) -> int:
    arguments, unknown = parser().parse_known_args(argv)
    if unknown:
        return fail(f"unrecognized arguments: {' '.join(unknown)}{meant(unknown[0], arguments.flags, 1)}", 2)
    return arguments.run(arguments) or 0  # printing the help returns None


def _run(argv: Sequence[str]) -> int:
    try:
        with terminated_as_interrupted():
            from lm_eval_sea.run.run import run

            run(argv)
    except RunError as error:
        return fail(error, error.status)
    except KeyboardInterrupt:  # before or after the part that has its own message
        return fail("interrupted; the same command starts from the beginning", 130)
    return 0


def parser() -> argparse.ArgumentParser:
    """Builds the parser of the whole command line."""
    made = argparse.ArgumentParser(
        prog="lm-eval-sea",
        description="Evaluates language models on Southeast Asian languages with lm-evaluation-harness.",
        epilog="""examples:
  lm-eval-sea ls belebele_th                                list matching tasks
  lm-eval-sea data check --tasks sea_belebele_th_to_ppl     check the data files
  lm-eval-sea run --model hf --model_args pretrained=MODEL --tasks sea_belebele_th_to_ppl

`lm-eval-sea COMMAND --help` explains a command.""",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--version", action="version", version=f"lm-eval-sea {__version__}")
    made.set_defaults(run=lambda _: made.print_help(), flags=())
    commands = made.add_subparsers(metavar="COMMAND")
    for command in COMMANDS:
        command.add_to(commands)
    return made
