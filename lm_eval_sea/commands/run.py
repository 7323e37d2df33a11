"""The command `lm-eval-sea run`, whose arguments are lm-eval's."""

from __future__ import annotations

from collections.abc import Sequence

from lm_eval_sea.commands.command import Command, fail
from lm_eval_sea.run.interruption import terminated_as_interrupted
from lm_eval_sea.run.request import RunError


def run(argv: Sequence[str]) -> int:
    """Runs the command with the arguments behind its name; returns the exit status."""
    try:
        with terminated_as_interrupted():
            from lm_eval_sea.run.run import run as run_lm_eval

            run_lm_eval(argv)
    except RunError as error:
        return fail(error, error.status)
    except KeyboardInterrupt:  # before or after what the run says of itself
        return fail("interrupted; the same command begins anew", 130)
    return 0


RUN = Command(
    name="run",
    summary="Evaluate a model: `lm_eval run` with these tasks and a faster backend",
    examples="lm-eval-sea run --help",
)
