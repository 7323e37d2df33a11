"""The command `lm-eval-sea score sea-helm`."""

from __future__ import annotations

import argparse
from pathlib import Path

from lm_eval_sea.commands.declaration import add_runs, declare, fail, show_help

ENDINGS = (".json", ".csv", ".txt")

EXAMPLES = """examples:
  lm-eval-sea score sea-helm results/seed-1
  lm-eval-sea score sea-helm results/seed-* --out totals.json
  lm-eval-sea score sea-helm results --method corrected --out totals.csv"""

HELP = f"""From the samples of one run or several (seeds) of ONE model, task by task:

  published   as SEA-HELM's aggregation notebook, which makes the leaderboard: for each of 30 draws every row takes its score from
              a run drawn at random; a task is multiple choice if some right answer occurs twice, and then scored by balanced
              accuracy, normalised with 1 / number of different right answers; otherwise by the mean. Where SEA-HELM's documents
              and its code disagree, this follows the code: LINDSEA is scored without its phenomena, a generated text with two
              equal references counts as multiple choice, the average over Southeast Asia takes in Malay and Burmese, and a
              task that was run but left no rows counts as 0 (which is then said).
  corrected   the same levels and draws, but the kind of a task and its chance level come from the task; LINDSEA is the mean of
              its phenomena, pragmatics pooled over its two tasks, as SEA-HELM's own metrics do; nothing missing counts as 0.

Then unweighted means: group (translations, pragmatics, thai_exam), competency, language, all languages. What was not run, or
needs a judge model, is listed and marks every mean above it incomplete (*).

Two standard errors: the published one is that of the mean of the 30 draws, so it is 0 for one run; the other draws questions
(clustered by passage) and runs anew, and tells how far the score may be from that on other questions of the same kind.

{EXAMPLES}

Exit status: 0, 1 if the runs cannot be scored, 2 for a wrong command line."""


def add_score(commands: argparse._SubParsersAction) -> None:
    """Declares `score` and below it `sea-helm`."""
    parser = declare(commands, "score", "Make the totals of a benchmark from the samples of runs.", EXAMPLES)
    parser.set_defaults(run=show_help(parser))
    benchmarks = parser.add_subparsers(metavar="BENCHMARK")
    command = declare(benchmarks, "sea-helm", "SEA-HELM's totals: task, competency, language, Southeast Asia.", HELP)
    add_runs(command)
    command.add_argument("--method", choices=("published", "corrected"), default="published", help="default: published")
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
    from lm_eval_sea.sea_helm.totals.suite import expected_tasks, unavailable_tasks
    from lm_eval_sea.sea_helm.totals.totals import compute
    from lm_eval_sea.sea_helm.totals.views import as_text, write

    try:
        runs, notes = find_runs(arguments.runs, seeds=True)
        evidence = gather(runs)
    except (RunFilesError, EvidenceError) as error:
        return fail(error, 1)
    evidence.notes[:0] = notes
    totals = compute(evidence, expected_tasks(), unavailable_tasks(), arguments.method)
    print(as_text(totals), end="")
    if arguments.out:
        write(totals, arguments.out)
    return 0
