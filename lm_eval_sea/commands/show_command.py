"""The command `lm-eval-sea show`."""

from __future__ import annotations

import argparse

from lm_eval_sea.commands.declaration import add_runs, declare, fail


def add_show(commands: argparse._SubParsersAction) -> None:
    """Declares the command."""
    parser = declare(
        commands,
        "show",
        "Print the scores of runs, one line per task.",
        """One line per task: rows evaluated, headline metric, score with a 95 % interval, what guessing scores. All in per
cent. Groups with a mean of their own follow; it has an interval if all rows were logged. Of several runs of a task by
one model the one with more rows counts, then the newer.

examples:
  lm-eval-sea show results
  lm-eval-sea show results/org__model/results_2026-01-02T03-04-05.json

Exit status: 0, or 2 if there is nothing to show.""",
    )
    add_runs(parser)
    parser.set_defaults(run=_show)


def _show(arguments: argparse.Namespace) -> int:
    from lm_eval_sea.results.run_files import RunFilesError
    from lm_eval_sea.results.summary import summary_of_files

    try:
        print(summary_of_files(arguments.runs))
    except RunFilesError as error:
        return fail(error, 2)
    return 0
