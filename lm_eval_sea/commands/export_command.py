"""The command `lm-eval-sea export`: results and task lists in the formats of other projects."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from lm_eval_sea.commands.declaration import add_runs, declare, fail, print_notes, show_help

EXAMPLES = """examples:
  lm-eval-sea export every-eval-ever results --out eee
  lm-eval-sea export every-eval-ever results/my_model --model my-lab/my-model --out eee
  lm-eval-sea export oellm-task-groups > task-groups.yaml"""


def add_export(commands: argparse._SubParsersAction) -> None:
    """Declares `export` and what is below it."""
    parser = declare(commands, "export", "Write results or task lists in the formats of other projects.", EXAMPLES)
    parser.set_defaults(run=show_help(parser))
    formats = parser.add_subparsers(metavar="FORMAT")
    command = declare(
        formats,
        "every-eval-ever",
        "Write runs as records of Every Eval Ever.",
        f"""One file per run, DIR/data/lm-eval-sea/DEVELOPER/MODEL/UUID.json, with all metrics of the pack's tasks. Rows are not
exported.
With the package every-eval-ever (Python 3.12 or later): every_eval_ever validate 'DIR/data/*/*/*/*.json' checks them.

{EXAMPLES}

Exit status: 0, or 2 if there is nothing to export.""",
    )
    add_runs(command)
    command.add_argument(
        "--out", metavar="DIR", type=Path, required=True, help="the root of a datastore: folder to make or complete"
    )
    command.add_argument(
        "--model", metavar="ORGANISATION/NAME", type=_model, help="id of the model (default: its hub name, or local/FOLDER)"
    )
    command.set_defaults(run=_every_eval_ever)
    command = declare(
        formats,
        "oellm-task-groups",
        "Print the suites as task groups of oellm-eval.",
        f"""A task-groups.yaml with a group per suite and per language, such as sea_lite and sea_language_th.

{EXAMPLES}""",
    )
    command.set_defaults(run=_oellm_task_groups)


def _model(text: str) -> str:
    if text.count("/") != 1 or not all(part.strip() for part in text.split("/")):
        raise argparse.ArgumentTypeError(f"{text!r} should be ORGANISATION/NAME, such as my-lab/my-model")
    return text


def _every_eval_ever(arguments: argparse.Namespace) -> int:
    from lm_eval_sea.exchange.every_eval_ever import ExportError, records
    from lm_eval_sea.results.run_files import RunFilesError

    try:
        made, notes = records(arguments.runs, arguments.model)
        for path, record in made.items():
            file = arguments.out / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(record, ensure_ascii=False, indent=2, allow_nan=False) + "\n", encoding="utf-8")
            print(f"{file}: {len(record['evaluation_results'])} scores")
    except (RunFilesError, ExportError, OSError) as error:
        return fail(error, 2)
    print_notes(notes)
    return 0


def _oellm_task_groups(arguments: argparse.Namespace) -> int:
    from lm_eval_sea.catalogue.task_list import read_tasks
    from lm_eval_sea.exchange.oellm import task_groups

    print(task_groups(read_tasks()), end="")
    return 0
