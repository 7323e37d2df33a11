"""The commands for data: `lm-eval-sea data check` and `lm-eval-sea data fetch`."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from lm_eval_sea.catalogue import SUITE
from lm_eval_sea.catalogue.task_list import TASKS_FOLDER, UnknownNameError, read_tasks
from lm_eval_sea.commands.declaration import declare, fail, show_help
from lm_eval_sea.results.visible_text import visible


def _add_tasks(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--tasks",
        metavar="NAMES",
        default="*",
        help="tasks, groups, tags or globs of their names, with commas between (default: all tasks)",
    )


def add_data(commands: argparse._SubParsersAction) -> None:
    """Declares the command."""
    parser = declare(
        commands,
        "data",
        "Check or download the data of tasks, before a long job.",
        """examples:
  lm-eval-sea data check --tasks sea_sailcompass
  lm-eval-sea data fetch --tasks sea_belebele_to_ppl,sea_xcopa_to_ppl
  lm-eval-sea data fetch --tasks sea_sailcompass --to mirror""",
    )
    parser.set_defaults(run=show_help(parser))
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
occur, answers that their passage lacks, and rows that stand in the prompt as exemplars. Of SEA-HELM, whose published rows
change, only rows that cannot be scored are faults.

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

    from lm_eval_sea.data.check import check_data, distinct_data, render, token_counter, without_absent_folders
    from lm_eval_sea.tasks._shared.hub_files import DataError

    disable_progress_bar()  # one a split; ours counts files
    try:
        count = token_counter(arguments.tokenizer) if arguments.tokenizer else None
    except DataError as error:
        return fail(error, 2)
    tasks, absent = without_absent_folders(tasks)
    with tqdm(distinct_data(tasks), desc="data files", unit="file") as progress:
        reports = [check_data(task, count) for task in progress]
    print(visible("\n".join(map(render, reports))))
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
    from lm_eval_sea.data.fetch import fetch_to_cache, fetch_to_mirror, not_on_hub
    from lm_eval_sea.tasks._shared.hub_files import DataError

    try:
        fetched = fetch_to_mirror(tasks, arguments.to) if arguments.to else fetch_to_cache(tasks)
    except DataError as error:
        return fail(error, 1)
    print("\n".join(fetched))
    for rows in not_on_hub(tasks):
        print(f"not on the hub, see tasks/sea_helm/README.md: {rows}")
    start = f"cd {shlex.quote(str(arguments.to))} &&" if arguments.to else "HF_HUB_OFFLINE=1"
    names = SUITE if arguments.tasks == "*" else shlex.quote(arguments.tasks)
    print("Without a network now works, with a model on this machine:")
    print(f"  {start} lm_eval --model hf --model_args pretrained=MODEL --include_path {TASKS_FOLDER} --tasks {names}")
    return 0
