"""The commands that show the tasks and their data: `ls`, `path` and `data`."""

from __future__ import annotations

import argparse
import fnmatch
import itertools
import shlex
import sys

from lm_eval_sea.catalogue.data_sets import data_sets
from lm_eval_sea.catalogue.lm_eval_tasks import listed as listed_of_lm_eval
from lm_eval_sea.catalogue.origins import coverage_of
from lm_eval_sea.catalogue.overview import overview
from lm_eval_sea.catalogue.suites import SUITE
from lm_eval_sea.catalogue.task_list import glob_of, read_tasks, table
from lm_eval_sea.commands.command import Command, argument, fail, folder_to_write, place, print_notes
from lm_eval_sea.make import on_demand
from lm_eval_sea.make.own_data import own_tasks, records
from lm_eval_sea.results.visible_text import visible
from lm_eval_sea.tasks._shared.facts import TASKS_FOLDER

_NAMES = "tasks, groups, tags or globs, separated by commas (default: all tasks)"
_TO = "folder to make or complete (default: the hub's cache)"
_TASKS = argument("--tasks", metavar="NAMES", default="*", help=_NAMES)


def _path(arguments: argparse.Namespace) -> int:
    print(TASKS_FOLDER)
    return 0


def _ls(arguments: argparse.Namespace) -> int:
    if arguments.coverage is not None:
        try:
            print(coverage_of(arguments.coverage))
        except ValueError as error:
            return fail(error, 1)
        return 0
    if own := arguments.include_path:
        if not (named := own_tasks(own, [glob_of(arguments.pattern or "*")])):
            return fail(f"{own} makes no task {arguments.pattern}", 1)
        print(table(records(named)), *(f"group: {name}" for name, content in named.items() if "group" in content), sep="\n")
        return 0
    listed = read_tasks()
    if arguments.pattern is None:
        print(overview(listed))
        return 0
    glob = glob_of(arguments.pattern)
    made = fnmatch.filter(on_demand.listed(), glob) or on_demand.names_on_demand(arguments.pattern)
    of_others = fnmatch.filter([name for name, *_ in listed_of_lm_eval()], glob)
    tasks, groups, tags = listed.search(arguments.pattern)
    if not any((tasks, groups, tags, made, of_others)):
        return fail(listed.unknown(arguments.pattern), 1)
    if tasks:
        print(table(tasks))
    for kind, names in (("made on demand", made), ("groups", groups), ("tags", tags), ("of lm-eval", of_others)):
        if names:
            print(f"{kind}: {' '.join(names)}")
    return 0


def _data_check(arguments: argparse.Namespace) -> int:
    wanted, own = arguments.tasks.split(","), arguments.include_path
    tasks = records(own_tasks(own, wanted)) if own else on_demand.select(wanted)
    if not tasks:
        return fail(f"{own} makes no task {arguments.tasks}", 2)
    from datasets.utils.logging import disable_progress_bar
    from tqdm import tqdm

    from lm_eval_sea.catalogue.check import check_data, distinct_data, render, token_counter, without_absent_folders
    from lm_eval_sea.catalogue.fetch import mixed_mirrors

    disable_progress_bar()  # it has one bar per split; ours counts files
    count = token_counter(arguments.tokenizer) if arguments.tokenizer else None
    tasks, absent = (tasks, []) if own else without_absent_folders(tasks)
    with tqdm(distinct_data(tasks), desc="data files", unit="file") as progress:
        reports = [check_data(task, count) for task in progress]
    print(visible("\n".join(map(render, reports))))
    print_notes(mixed_mirrors(task.source.repository for task in tasks))
    for folder in absent:
        print(f"none     {folder}: not in the current folder; its tasks are not checked (you make this folder yourself)")
    faulty = sum(bool(report.faults) for report in reports)
    print(f"{len(reports)} data files checked, {faulty} with faults")
    return 1 if faulty else 0


def _data_fetch(arguments: argparse.Namespace) -> int:
    tasks = on_demand.select(arguments.tasks.split(","))
    from lm_eval_sea.catalogue.fetch import fetch_to_cache, fetch_to_mirror
    from lm_eval_sea.tasks._shared.hub_files import DataError

    try:
        fetched = fetch_to_mirror(tasks, arguments.to) if arguments.to else fetch_to_cache(tasks)
    except DataError as error:
        return fail(error, 1)
    print("\n".join(fetched))
    for rows in dict.fromkeys(task.source.describe() for task in tasks if not task.source.on_hub):
        print(f"not on the hub, see tasks/sea_helm/README.md: {rows}")
    start = f"cd {shlex.quote(str(arguments.to))} &&" if arguments.to else "HF_HUB_OFFLINE=1"
    names = SUITE if arguments.tasks == "*" else shlex.quote(arguments.tasks)
    print("This now works without a network, with a model on this machine:")
    print(f"  {start} lm_eval --model hf --model_args pretrained=MODEL --include_path {TASKS_FOLDER} --tasks {names}")
    return 0


def _data_premium(arguments: argparse.Namespace) -> int:
    from lm_eval_sea.catalogue.check import token_counter
    from lm_eval_sea.run.premium import ENGLISH, PASSAGES, SENTENCES, premium_of
    from lm_eval_sea.tasks._shared.hub_files import DataError

    known = sorted(set(data_sets()[PASSAGES].languages) - {ENGLISH})
    languages = arguments.languages.split(",") if arguments.languages else known
    if unknown := [language for language in languages if language not in known]:
        return fail(f"no parallel texts in {', '.join(unknown)}; there are {', '.join(known)}", 2)
    lines, lacking = ["language,data_set,texts,tokens,tokens_english,premium,low,high"], []
    count = token_counter(arguments.tokenizer)
    for language, data_set in itertools.product(languages, (PASSAGES, SENTENCES)):
        try:
            found = premium_of(language, data_set, count)
        except DataError as error:
            lacking.append(f"{language}: {error}")
            continue
        if found is not None:
            ratio = found.ratio
            cells = [language, data_set, ratio.rows, found.tokens, found.tokens_english, ratio.mean, ratio.low, ratio.high]
            lines.append(",".join("" if cell is None else str(cell) for cell in cells))
    print("\n".join(lines))
    print("".join(f"{line}\n" for line in lacking), end="", file=sys.stderr)
    return 1 if lacking else 0


PATH = Command(
    name="path",
    summary="Print the folder of the tasks, for lm-eval's --include_path",
    examples="""
lm_eval --model hf --model_args pretrained=MODEL --include_path "$(lm-eval-sea path)" --tasks sea_belebele_to_ppl
lm_eval ls tasks --include_path "$(lm-eval-sea path)\"""",
    run=_path,
)

LS = Command(
    name="ls",
    summary="Show an overview, or the tasks that match a pattern",
    about="""
Each task has a line with language, data set, variant, rows, headline metric and source. Below them are matching groups
and tags, and lm-eval's own tasks that `run --language` takes. You can pass any of these names to lm_eval --tasks.""",
    examples="""
lm-eval-sea ls                        suites, languages, data sets, variants
lm-eval-sea ls '*'                    all tasks
lm-eval-sea ls xcopa_th               names that contain this
lm-eval-sea ls 'sea_*_th_to_ppl'      names that match a glob (quote it, or the shell expands it)
lm-eval-sea ls sea_variant_tito_ppl   the tasks of a group or tag
lm-eval-sea ls --coverage th          the data sets in Thai, with rows, origin and licence
lm-eval-sea ls --include_path myrows  the tasks of your own data set""",
    exits="0, or 1 if nothing matches",
    arguments=[
        argument("pattern", metavar="PATTERN", nargs="?", help="part of a name, or a glob"),
        argument("--coverage", metavar="LANGUAGE", help="the data sets in a language, such as th"),
        argument("--include_path", metavar="DIR", type=place, help="your own data set, whose tasks are listed instead"),
    ],
    run=_ls,
)

_CHECK = Command(
    name="check",
    summary="Load the data files of tasks and report what is wrong with them",
    about="""
Rows come from a folder OWNER/NAME in the current one, or else from the hub or its cache, as in a run. For each file the
report has the rows found and expected, columns, right answers by position, rows with identical options (the first one
counts), repeated rows, texts in another encoding, and references longer than an answer may be. Faults are an unexpected
number of rows, rows that cannot be scored (missing column, empty text, option or reference, label out of range) or are in
another language, labels that never occur, answers that are not in their passage, and rows that are also exemplars.
SEA-HELM's published rows change, so there only rows that cannot be scored or are in another language are faults.""",
    examples="""
lm-eval-sea data check
lm-eval-sea data check --tasks sea_xcopa_th_to_ppl,'sea_m3exam_*'
cd mirror && lm-eval-sea data check --tasks sea_sailcompass
lm-eval-sea data check --tasks sea_ts --tokenizer MODEL
lm-eval-sea data check --include_path chiangmai""",
    exits="0 without faults, 1 with faults, 2 for unknown names or a tokenizer that cannot be loaded",
    arguments=[
        _TASKS,
        argument("--include_path", metavar="DIR", type=place, help="your own data set, whose tasks are checked instead"),
        argument("--tokenizer", metavar="NAME", help="model or folder, to measure references in its tokens (default: in words)"),
    ],
    run=_data_check,
)

_FETCH = Command(
    name="fetch",
    summary="Download the data files of tasks, for a machine without a network",
    about="""
Without --to the files go to the hub's cache ($HF_HOME, by default ~/.cache/huggingface). With it they go to a folder that
is laid out like the hub and can be copied anywhere; its .cache folders have the commits of the files, by which `data check`
notes a mixture. Copy a model, too.""",
    examples="""
lm-eval-sea data fetch --tasks sea_belebele_to_ppl
HF_HUB_OFFLINE=1 lm_eval … --tasks sea_belebele_to_ppl

lm-eval-sea data fetch --tasks sea_belebele_to_ppl --to mirror
cd mirror && lm_eval … --tasks sea_belebele_to_ppl""",
    exits="0, 1 if a file is not available, 2 for unknown names",
    arguments=[_TASKS, argument("--to", metavar="DIR", type=folder_to_write, help=_TO)],
    run=_data_fetch,
)

_PREMIUM = Command(
    name="premium",
    summary="Count a model's tokens for the same texts in each language, relative to English",
    about="""
Prints CSV: tokens of Belebele's passages and of FLORES' sentences in a language and in English, their ratio (the premium
of the language), and its 95 % interval over the texts. It needs a tokenizer and no model. Texts come from a folder
OWNER/NAME in the current one, or else from the hub or its cache.""",
    examples="""
lm-eval-sea data premium --tokenizer MODEL
lm-eval-sea data premium --tokenizer MODEL --languages th,my > premium.csv""",
    exits="0, 1 if the texts of a language are not available, 2 for an unknown language or a tokenizer that cannot be loaded",
    arguments=[
        argument("--tokenizer", metavar="NAME", required=True, help="model or folder"),
        argument("--languages", metavar="CODES", help="separated by commas (default: all that Belebele has)"),
    ],
    run=_data_premium,
)

DATA = Command(
    name="data",
    summary="Check or download the data of tasks before a long job, or count its tokens",
    examples="""
lm-eval-sea data check --tasks sea_sailcompass
lm-eval-sea data fetch --tasks sea_belebele_to_ppl,sea_xcopa_to_ppl
lm-eval-sea data fetch --tasks sea_sailcompass --to mirror
lm-eval-sea data premium --tokenizer MODEL""",
    subcommands=[_CHECK, _FETCH, _PREMIUM],
)
