"""The commands that show or export the results of runs: `show`, `report` and `export`."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

from lm_eval_sea.commands.command import RUNS, Command, argument, fail, folder_to_write, place, print_notes, switch, whole_number
from lm_eval_sea.install_hint import install_extra
from lm_eval_sea.results.visible_text import counted, csv_text


def _name(text: str) -> tuple[Path, str]:
    path, _, label = text.partition("=")
    if not path or not label.strip():
        raise argparse.ArgumentTypeError(f"{text!r} should be PATH=LABEL, such as results/org__model=base")
    if not place(path).exists():
        raise argparse.ArgumentTypeError(f"there is no file or folder {path!r}")
    return place(path).resolve(), label.strip()


def _model(text: str) -> str:
    if not re.fullmatch(r"[\w.-]*\w[\w.-]*/[\w.-]*\w[\w.-]*", text):  # it becomes two folders
        raise argparse.ArgumentTypeError(f"{text!r} should be ORGANISATION/NAME, such as my-lab/my-model")
    return text


def _show(arguments: argparse.Namespace) -> int:
    from lm_eval_sea.results.read import read
    from lm_eval_sea.results.table import comparison_notes, records_of, table_of

    runs = read(*arguments.runs).best()
    if arguments.json:
        print(json.dumps(records_of(runs), ensure_ascii=False, indent=1))
    elif arguments.csv:
        print(csv_text(records_of(runs)), end="")
    else:
        print(table_of(runs))
    if arguments.json or arguments.csv:
        print_notes([*comparison_notes(runs), *runs.notes])
    return 0


def _report(arguments: argparse.Namespace) -> int:
    if arguments.languages:
        return _languages(arguments)
    from lm_eval_sea.results.read import read

    try:
        from lm_eval_sea.report.write import write_report
    except ModuleNotFoundError as error:
        return fail(ModuleNotFoundError(f"a report needs {error.name}: {install_extra('report')}"), 2)
    written = write_report(
        read(*arguments.runs, names=dict(arguments.name or [])),
        arguments.out,
        shown_rows=arguments.rows,
        all_runs=bool(arguments.all_runs),
        steps=bool(arguments.steps),
        published=bool(arguments.published),
        weigh=arguments.weigh or "task",
        paper=bool(arguments.latex),
    )
    print_notes(written.notes)
    print(f"{written.page}: {written.many}, {counted(written.rows, 'logged row')}")
    return 0


def _languages(arguments: argparse.Namespace) -> int:
    from lm_eval_sea.report.languages.summary import summary
    from lm_eval_sea.report.languages.tables import load_comparisons, write_tables
    from lm_eval_sea.results.read import read

    comparisons, notes = load_comparisons(read(*arguments.runs).best(), arguments.metric)
    written = write_tables(comparisons, arguments.out, notes)
    for name in ("differences", "consistency", "errors"):
        if rows := written.get(arguments.out / f"{name}.csv"):
            print(summary(rows, name), end="\n\n")
    print("\n".join(f"{path}: {counted(len(rows), 'row')}" for path, rows in written.items()))
    print_notes(notes)
    return 0


def _every_eval_ever(arguments: argparse.Namespace) -> int:
    from lm_eval_sea.catalogue.whole_files import write_whole
    from lm_eval_sea.report.export.every_eval_ever import records
    from lm_eval_sea.results.read import read

    made, notes = records(read(*arguments.runs).best(), arguments.model)
    for path, record in made.items():
        file = arguments.out / path
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, json.dumps(record, ensure_ascii=False, indent=2, allow_nan=False) + "\n")
        print(f"{file}: {counted(len(record['evaluation_results']), 'score')}")
    written = {arguments.out / path for path in made}
    if earlier := sorted({other for file in written for other in file.parent.glob("*.json")} - written):
        notes.append(f"{len(earlier)} records of earlier exports stay ({earlier[0]}); remove those that the new ones replace")
    print_notes(notes)
    return 0


def _oellm_task_groups(arguments: argparse.Namespace) -> int:
    from lm_eval_sea.catalogue.task_list import read_tasks
    from lm_eval_sea.report.export.oellm import task_groups

    print(task_groups(read_tasks()), end="")
    return 0


SHOW = Command(
    name="show",
    summary="Print the scores of runs, one line per task",
    about="""
Each line has the rows evaluated, the headline metric, the score with a 95 % interval, and the score of guessing, all in
per cent. Groups with a mean follow, with an interval if all rows were logged. Two models are compared in a sentence, by their
means of normalised scores over the tasks that both ran. If a model ran a task several times, one run counts: one of all
rows, else the one with more rows, then the newest.""",
    examples="""
lm-eval-sea show results
lm-eval-sea show results/org__a results/org__b
lm-eval-sea show results --csv > scores.csv
lm-eval-sea show results/org__model/results_2026-01-02T03-04-05.json""",
    exits="0, or 2 if there is nothing to show",
    arguments=[RUNS],
    modes={
        "": [],
        "--json": [switch("--json", "print a record for each score, unrounded")],
        "--csv": [switch("--csv", "print the same records as CSV")],
    },
    run=_show,
)

_ROWS = "rows of each task on the page of samples (default: 50, or 12,000 in all)"

REPORT = Command(
    name="report",
    summary="Make a page, figures and tables of runs; with --languages, compare languages",
    about="""
Reads what lm_eval wrote below --output_path, for any number of models and runs. Writes report.html, pages/ and samples/
(they need no network), report.md, figures/*.png and tables/*.csv. Without samples (--log_samples) there are only scores.
If a model ran a task several times, one run counts: one of all rows, else the one with more rows, then the newest.

--languages compares a model's answers to the same questions in several languages (Belebele, Cross-MMLU, Cross-LogiQA).
It needs samples, also of English, and compares only runs with the same number of exemplars. It writes:
  questions.csv           each question: right (1) or wrong (0) per language
  differences.csv         each language and English: accuracies and their paired difference with an interval
  consistency.csv         share of questions with the same answer in several languages, and AC3, as in SeaEval
  errors.csv              two languages: share of questions wrong in both, and what independent errors would give
  rank_correlations.csv   how similarly two settings of a model rank the languages
docs/languages.md explains them.""",
    examples="""
lm-eval-sea report results --out report
lm-eval-sea report results/model_a results/model_b --out comparison --rows 200
lm-eval-sea report results --name results/org__model_a=base --name results/org__model_b=tuned --out comparison
lm-eval-sea report results --published --out report    with the numbers published for the same models
lm-eval-sea report results --latex --out paper         also tables/*.tex, figures/*.svg and *.pdf
lm-eval-sea report results --steps --out curve         checkpoints, with the step in their names: org/model-step1000, …

lm-eval-sea run … --tasks sea_belebele_all_to_ppl,sea_crossmmlu_to_ppl --output_path results --log_samples
lm-eval-sea report results --languages --out languages
lm-eval-sea report results --languages --metric acc --out languages_acc""",
    exits="0, or 2 if there is nothing to report on, runs cannot be compared or a library is missing",
    arguments=[RUNS, argument("--out", metavar="DIR", type=folder_to_write, required=True, help="folder to make or complete")],
    modes={
        "": [
            argument("--rows", metavar="N", type=whole_number(0), help=_ROWS),
            argument("--name", metavar="PATH=LABEL", type=_name, action="append", help="name for the model of the runs in PATH"),
            switch("--all-runs", "keep several runs of a model apart"),
            switch("--steps", "the models are checkpoints: draw a curve over their steps"),
            switch("--latex", "also write tables as LaTeX, and figures as SVG and PDF"),
            argument("--weigh", choices=["task", "competency"], help="what has equal weight in means of tasks (default: task)"),
            switch("--published", "show the numbers published for the same models and tasks"),
        ],
        "--languages": [
            switch("--languages", "compare languages on the questions of a parallel test"),
            argument("--metric", metavar="NAME", help="metric that decides what is right (default: the headline of each task)"),
        ],
    },
    writes=True,
    run=_report,
)

_EEE = """
lm-eval-sea export every-eval-ever results --out eee
lm-eval-sea export every-eval-ever results/my_model --model my-lab/my-model --out eee"""
_ROOT = "root of a datastore to make or complete"
_MODEL_ID = "the model's id (default: its hub name, or local/FOLDER)"
_OELLM = "lm-eval-sea export oellm-task-groups > task-groups.yaml"

EXPORT = Command(
    name="export",
    summary="Write results or task lists in the formats of other projects",
    examples=f"{_EEE}\n{_OELLM}",
    subcommands=[
        Command(
            name="every-eval-ever",
            summary="Write runs as records of Every Eval Ever",
            about="""
One file per run, DIR/data/lm-eval-sea/DEVELOPER/MODEL/UUID.json, with all metrics of the pack's tasks; no rows. The
package every-eval-ever (Python 3.12 or later) checks them: every_eval_ever validate 'DIR/data/*/*/*/*.json'""",
            examples=_EEE,
            exits="0, or 2 if there is nothing to export",
            arguments=[
                RUNS,
                argument("--out", metavar="DIR", type=folder_to_write, required=True, help=_ROOT),
                argument("--model", metavar="ORGANISATION/NAME", type=_model, help=_MODEL_ID),
            ],
            writes=True,
            run=_every_eval_ever,
        ),
        Command(
            name="oellm-task-groups",
            summary="Print the suites as task groups of oellm-eval",
            about="A task-groups.yaml with a group per suite and per language, such as sea_lite and sea_language_th.",
            examples=_OELLM,
            run=_oellm_task_groups,
        ),
    ],
)
