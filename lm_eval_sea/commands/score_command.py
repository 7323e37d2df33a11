"""The command `lm-eval-sea score sea-helm`."""

from __future__ import annotations

import argparse
from pathlib import Path

from lm_eval_sea.commands.declaration import add_runs, declare, fail, show_help

ENDINGS = (".json", ".csv", ".txt")
METHODS = ("2026-08", "2026-06", "corrected")
SUITES = ("seahelm", "batayan", "sea_safeguard")

EXAMPLES = """examples:
  lm-eval-sea score sea-helm results/seed-1
  lm-eval-sea score sea-helm results/seed-* --out totals.json
  lm-eval-sea score sea-helm results --method corrected --out totals.csv"""

HELP = f"""From the samples of one run or several (seeds) of ONE model, task by task:

  2026-08     as SEA-HELM aggregates since 5 August 2026. A question's score is its mean over the runs; 2,000 replicates draw the
              questions anew. A task is multiple choice if it has fewer different right answers than half its questions: questions
              are then drawn within each right answer, and the score is the mean over right answers, normalised with 1 / number of
              right answers. Otherwise it is the mean. The score is the mean of the replicates, the interval their 2.5th and
              97.5th percentiles.
  2026-06     as SEA-HELM's aggregation notebook did before: 30 draws, in each of which every row takes its score from a run drawn
              at random; multiple choice if some right answer occurs twice. The published error is that of the mean of the 30
              draws: 0 for one run, and smaller with more draws.
  corrected   the kind of a task and its chance level come from the task; LINDSEA is the mean of its phenomena, pragmatics pooled
              over its two tasks; nothing missing counts as 0; the score is that of the rows as they are, and for the interval
              passages are drawn whole, with the runs.

By the two methods of SEA-HELM LINDSEA is scored without its phenomena, and a task that was run but left no rows counts as 0
(which is then said). Then unweighted means: group (translations, pragmatics, thai_exam), competency, language, all languages.
Only tasks of the suite enter a mean; the others are listed with their scores. What was not run, or needs a judge model, is
listed and marks every mean above it incomplete (*).

{EXAMPLES}

Exit status: 0, 1 if the runs cannot be scored, 2 for a wrong command line."""


def add_score(commands: argparse._SubParsersAction) -> None:
    """Declares `score` and below it `sea-helm`."""
    parser = declare(commands, "score", "Make the totals of a benchmark from the samples of runs.", EXAMPLES)
    parser.set_defaults(run=show_help(parser))
    benchmarks = parser.add_subparsers(metavar="BENCHMARK")
    command = declare(benchmarks, "sea-helm", "SEA-HELM's totals: task, competency, language, Southeast Asia.", HELP)
    add_runs(command)
    command.add_argument("--method", choices=METHODS, default=METHODS[0], help=f"default: {METHODS[0]}")
    command.add_argument("--suite", choices=SUITES, default=SUITES[0], help=f"whose tasks make the means; default: {SUITES[0]}")
    command.add_argument("--out", metavar="FILE", type=_out, help=f"also write the totals: {', '.join(ENDINGS)}")
    command.set_defaults(run=_score)


def _out(text: str) -> Path:
    path = Path(text)
    if path.suffix not in ENDINGS:
        raise argparse.ArgumentTypeError(f"{text!r} should end in one of {', '.join(ENDINGS)}")
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {str(path.parent)!r}")
    return path


def _score(arguments: argparse.Namespace) -> int:
    from lm_eval_sea.results.run_files import RunFilesError, find_runs
    from lm_eval_sea.sea_helm.totals.evidence import EvidenceError, gather
    from lm_eval_sea.sea_helm.totals.suite import judges, read_suite
    from lm_eval_sea.sea_helm.totals.totals import compute
    from lm_eval_sea.sea_helm.totals.views import as_text, write

    try:
        runs, notes = find_runs(arguments.runs, seeds=True)
        evidence = gather(runs)
    except (RunFilesError, EvidenceError) as error:
        return fail(error, 1)
    evidence.notes[:0] = notes
    totals = compute(evidence, read_suite(arguments.suite), judges(), arguments.method)
    print(as_text(totals), end="")
    if arguments.out:
        try:
            write(totals, arguments.out)
        except OSError as error:
            return fail(error, 1)
    return 0
