"""The command `lm-eval-sea run`, whose arguments are lm-eval's."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from lm_eval_sea.commands.declaration import fail
from lm_eval_sea.interruption import terminated_as_interrupted

NAME = "run"


def add_run(commands: argparse._SubParsersAction) -> None:
    """Declares the command for the list of commands; `run` takes its arguments as they are."""
    commands.add_parser(NAME, help="Evaluate a model: `lm_eval run` with these tasks and a faster backend.", add_help=False)


def run(argv: Sequence[str]) -> int:
    """Runs the command.

    Args:
        argv: the arguments behind its name.
    """
    try:
        with terminated_as_interrupted():
            return _run(argv)
    except KeyboardInterrupt:  # before or after what the run says of itself
        return fail(InterruptedError("interrupted; the same command begins anew"), 130)


def _run(argv: Sequence[str]) -> int:
    from lm_eval_sea.run.output_folder import ResultsNotWrittenError
    from lm_eval_sea.run.request import RunError
    from lm_eval_sea.run.run import InterruptedRunError
    from lm_eval_sea.run.run import run as run_lm_eval

    try:
        run_lm_eval(argv)
    except RunError as error:
        return fail(error, 2)
    except ResultsNotWrittenError as error:
        return fail(error, 1)
    except InterruptedRunError as error:
        print(file=sys.stderr)  # ends the line of the progress bar
        return fail(error, 130)
    return 0
