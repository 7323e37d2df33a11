#!/usr/bin/env python3
"""Keeps leaderboard/ and docs/results.md: adds results of a model, checks all, and writes the page.

leaderboard/ORGANISATION__MODEL/ has the files that lm-eval wrote, without samples, because rows belong to the data sets, and
without paths of your machine. A model that was run from a folder gets the name that you give it, and an `about.yaml` beside its
results says where to get it.

Needs what reports need: pip install '.[report]'.

Examples:
    python scripts/leaderboard.py add results/mine --model org/model        copy, check, write the page
    python scripts/leaderboard.py add results/mine --model org/model --source "where to get it" --revision "its version"
    python scripts/leaderboard.py check     exit status 1 if something is wrong, or the page is not up to date
    python scripts/leaderboard.py write     the page alone
"""

from __future__ import annotations

import argparse
import functools
import io
import json
import re
import shlex
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import yaml
from written import table

from lm_eval_sea.catalogue.task_list import TaskRecord, UnknownNameError, read_tasks
from lm_eval_sea.catalogue.whole_files import write_whole
from lm_eval_sea.make import on_demand
from lm_eval_sea.report.chart import Chart, Line, Mark, Panel, draw
from lm_eval_sea.report.markdown import escaped
from lm_eval_sea.report.means import models_table, scopes_table
from lm_eval_sea.report.overview import scores_section
from lm_eval_sea.report.scores import Scores, scores_of
from lm_eval_sea.report.tables import MISSING, Table, written
from lm_eval_sea.results.answers import unread_text
from lm_eval_sea.results.differing_settings import under_one_name, words_of_prompt
from lm_eval_sea.results.read import content_of, read
from lm_eval_sea.results.row_statistics import beyond_scale
from lm_eval_sea.results.runs import Run, TaskRun
from lm_eval_sea.results.table import uneven_notes, unlike_notes
from lm_eval_sea.results.types import ResultsError, grouped
from lm_eval_sea.results.visible_text import some_names, with_texts
from lm_eval_sea.run.model_files import reads_folders
from lm_eval_sea.tasks._shared.facts import SEA_HELM
from lm_eval_sea.tasks._shared.reading.thought import asks_for_thought

ROOT = Path(__file__).resolve().parents[1]
FOLDER, PAGE, FIGURE = ROOT / "leaderboard", ROOT / "docs" / "results.md", ROOT / "docs" / "results.svg"
LARGEST = 2_000_000  # bytes of a results file: sea_sailcompass has some 700,000
SEA_HELM_FEWSHOT = 5  # exemplars that SEA-HELM shows base models
ABOUT = "about.yaml"
ABOUT_KEYS = ("model", "source", "revision")
PACKAGE = "lm_eval_sea"
START, END = "<!-- written by scripts/leaderboard.py -->\n", "<!-- end -->\n"
NOTHING = "No results have been added yet.\n"
LOCAL = ("/", ".", "~", "\\")


def findings(folders: Iterable[Path]) -> list[str]:
    """What is wrong with the results in these folders, one line each."""
    digests: dict[str, dict[str, str]] = defaultdict(dict)  # task → digest of its rows → the first folder with it
    folders = list(folders)
    lines = [line for folder in folders for line in _of_folder(folder, digests)]
    called = grouped((str(about(folder).get("model", folder.name.replace("__", "/", 1))), folder.name) for folder in folders)
    lines += [f"{model}: has the folders {' and '.join(sorted(of))}; expected one" for model, of in called.items() if len(of) > 1]
    unequal = {name: list(found.values()) for name, found in digests.items() if len(found) > 1}
    return lines + [f"{name} was run on different rows in {' and '.join(found)}" for name, found in unequal.items()]


def about(folder: Path) -> dict[str, str]:
    """The content of a folder's `about.yaml`, for a model that was run from a folder; empty if there is none."""
    path = folder / ABOUT
    content = yaml.safe_load(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return content if isinstance(content, dict) else {}


def _of_folder(folder: Path, digests: dict[str, dict[str, str]]) -> Iterator[str]:
    yield from (f"{path}: rows belong to the data sets; leave samples out" for path in sorted(folder.rglob("samples_*")))
    for path in sorted(folder.rglob("*")):
        if path == folder / ABOUT:
            lacking = [key for key in ABOUT_KEYS if not about(folder).get(key)]
            yield from (f"{path}: lacks {key!r}; expected {', '.join(ABOUT_KEYS)}" for key in lacking)
        elif path.is_file() and not path.name.startswith("samples_"):
            if not (path.name.startswith("results_") and path.suffix == ".json"):
                yield f"{path}: no results file of lm-eval; leave it out"
            elif path.stat().st_size > LARGEST:
                yield f"{path}: {path.stat().st_size:,} bytes; expected at most {LARGEST:,}, without samples"
    runs = read(folder, names={folder.resolve(): str(about(folder).get("model"))} if about(folder) else {})
    yield from under_one_name(runs.tasks)
    for run in runs.runs:
        yield from _of_run(run, folder)
        for task in runs.of_run(run):
            yield from (f"{run.place}, {task.name}: {line}" for line in _of_task(task))
            digests[task.name].setdefault(task.facts.data_sha256, str(run.place))


def _of_run(run: Run, folder: Path) -> Iterator[str]:
    if run.settings.limit is not None:
        yield f"{run.place}: made with --limit {run.settings.limit}; run it without, or run sea_lite"
    for option, value in (("gen_kwargs", run.settings.generation), ("system_instruction", run.settings.system_instruction)):
        if value is not None:
            yield f"{run.place}: made with --{option} {value}; run it without"
    if about(folder):
        return
    if made := run.settings.adapter_or_quantisation:
        yield f"{run.place}: made with {made}, which is another model; say which with --source and --revision"
    name = run.model
    if name.startswith(LOCAL) or name.count("/") != 1:
        yield f"{run.place}: the model is called {name!r}; expected its name on the hub, ORGANISATION/MODEL, or an {ABOUT}"
    elif folder.name != name.replace("/", "__"):
        yield f"{run.place}: results of {name} belong in {name.replace('/', '__')}"
    if not run.settings.revision:
        yield f"{run.place}: the revision of the model is not recorded; give it in --model_args revision=…"


@functools.cache
def known_task(name: str) -> TaskRecord | None:
    """The task of that name, of a file or made on demand; None if there is none."""
    try:
        return next((task for task in on_demand.select([name]) if task.name == name), None)
    except UnknownNameError:
        return None


def _of_task(task: TaskRun) -> Iterator[str]:
    known = known_task(task.name)
    if known is None:
        yield "no task of this pack; leave it out"
        return
    if task.facts.version != known.metadata["version"] and not (older_readers(task) or is_read_alike(task)):
        yield f"version {task.facts.version} of the task; the pack has {known.metadata['version']}: run it again"
    if task.facts.prompt_book_version != known.metadata["prompt_book_version"]:
        yield f"version {task.facts.prompt_book_version} of the prompts; the pack has another: run it again"
    shown, own = (words_of_prompt(config, task.num_fewshot) for config in (task.config, known.config))
    if edited := [key for key in {**own, **shown} if own.get(key) != shown.get(key)]:
        yield f"other words in the prompt than the pack's ({', '.join(edited)}): run the pack's own task"
    if known.metadata["rows"] is not None and task.rows != known.metadata["rows"]:
        yield f"{task.rows} rows; expected {known.metadata['rows']}"
    headline = task.facts.headline_metric
    if headline not in task.scores:
        yield f"no {headline}, its headline metric; run it with a tokenizer"
    elif beyond := beyond_scale(headline, task.scores[headline].value):
        yield beyond
    asked = {known.num_fewshot, SEA_HELM_FEWSHOT if task.facts.suite == SEA_HELM else known.num_fewshot}
    if task.num_fewshot not in (None, *asked):
        yield f"{task.num_fewshot} exemplars; expected {' or '.join(map(str, sorted(asked)))}: run it without --num_fewshot"
    whole = {} if known.may_change else known.metadata.get("tested", {})
    found, expected = task.facts.data_sha256, known.metadata.get("subset", {}).get("sha256") or whole.get("rows")
    if not found:
        yield "the digest of its rows is not recorded; run it with this version of the pack"
    elif expected and found != expected:
        yield f"made on other rows (sha256 {found:.12}…; expected {expected:.12}…)"


def older_readers(task: TaskRun) -> str:
    """The version of the readers that a chat task's answers were read with, where the pack has a newer one; else empty.

    Answers are not kept, so they cannot be read again; the page says so.
    """
    own, _, asked = str(task.facts.version).partition(".")
    known = known_task(task.name)
    newest, _, asked_now = str(known.metadata["version"] if known else task.facts.version).partition(".")
    return own if str(task.facts.variant).startswith("chat") and asked == asked_now and int(own) < int(newest) else ""


def is_read_alike(task: TaskRun) -> bool:
    """Whether a score of SEA-HELM 1.3 or XQuAD 1.2 would be the same in the next version.

    XQuAD's versions differ in `contains` alone. SEA-HELM's differ in how thoughts are removed: the score is the same where labels
    are ranked, or if a local model was not told to think and its chat template has no thoughts.
    """
    known, settings, place = known_task(task.name), task.run.settings, task.run.place
    versions = [str(task.facts.version), str(known.metadata["version"] if known else "")]
    if task.facts.dataset == "xquad" and versions == ["1.2", "1.3"]:
        return task.facts.headline_metric != "contains"
    if task.facts.suite != SEA_HELM or versions != ["1.3", "1.4"] or place is None:
        return False
    if task.config.get("output_type") != "generate_until":
        return True
    template = content_of(place).get("chat_template") or ""
    thinks = settings.thinking == "on" or settings.effort or asks_for_thought(str(template)) is not None
    return reads_folders(str(settings.backend)) and not thinks


def without_paths(content: Any, names: dict[str, str]) -> Any:
    """A value of a results file with names in place of absolute paths; `names` states the names of some paths."""

    def named(text: str) -> str:
        if not Path(text).is_absolute() or "\n" in text:
            return text
        parts = Path(text).parts
        return names.get(text) or ("/".join(parts[parts.index(PACKAGE) :]) if PACKAGE in parts else parts[-1])

    return with_texts(content, named)


def add(results: Path, model: str, origin: dict[str, str]) -> dict[Path, bytes | None]:
    """Copies the files of a folder of results; returns path → content before, None for a new file.

    `origin` has `source` and `revision` of a model that was not loaded from the hub.
    """
    target = FOLDER / model.replace("/", "__")
    written = dict[Path, bytes | None]()

    def write(name: str, text: str) -> None:
        written[target / name] = (target / name).read_bytes() if (target / name).exists() else None
        write_whole(target / name, text)

    for path in sorted({run.place for run in read(results).runs if run.place and run.has_results}):
        content = content_of(path)
        content["config"]["use_cache"] = None  # the run's cache of answers, which is a path
        loaded = content["config"]["model_args"]
        pretrained = loaded.get("pretrained", "") if isinstance(loaded, dict) else ""
        cleaned = without_paths(content, {pretrained: model})
        target.mkdir(parents=True, exist_ok=True)
        write(path.name, json.dumps(cleaned, indent=2, ensure_ascii=False) + "\n")
    if origin:
        write(ABOUT, yaml.safe_dump({"model": model, **origin}, sort_keys=False, allow_unicode=True))
    return written


def page(scores: Scores) -> str:
    """Markdown: means by suite and language, notes on what was not asked alike, and every score with a link to its command."""
    means = scores.means
    notes = [*unlike_notes(scores.of.values()), *uneven_notes({name: of.values() for name, of in means.by_model.items()})]
    notes += [f"{name}: {text}" for name, of in means.by_model.items() if (text := unread_text([task] for task in of.values()))]
    suites = scopes_table(means, "suite", "Suites", "")
    apart = [scope.title for scope in means.scopes if scope.kind != "competency" and not means.compares(scope)]
    if apart:
        notes.append(f"no mean of {some_names(apart)}, for no two models share half of the tasks that either was run on")
    every = next(table for table in scores_section(scores).tables if table.name == "scores_by_model")
    runs = sorted({task.run.place: task.run for task in scores.of.values()}.values(), key=lambda run: str(run.place))
    alike = grouped((_command(run), run) for run in runs)  # a command without its tasks → its runs
    numbers = {run.place: number for number, of in enumerate(alike.values(), 1) for run in of}
    return "\n".join(
        [
            "## Means\n",
            "![Means with 95 % intervals; the table below has the same](results.svg)\n",
            _means(models_table(means), suites, list(means.order), apart),
            *(f"- {escaped(note)}" for note in notes),
            *[""] * bool(notes),
            "## Scores\n",
            _scores(every, scores, numbers),
            "## Commands\n",
            *(f"### Run {number}\n\n{start} --tasks {_tasks(of)}`\n" for number, (start, of) in enumerate(alike.items(), 1)),
            "",
        ]
    )


def _means(overall: Table, suites: Table, models: Sequence[str], left_out: Collection[str]) -> str:
    """One line for each suite and language, one column for each model."""
    rows = []
    for means in (suites, overall):
        records = {str(record["model"]): record for record in means.frame.to_dict("records")}
        for column in (column for column in means.columns[1:] if column.title not in left_out):
            title = f"`{column.title}`" if means is suites else column.title
            rows.append([title, *(written(column, records[model]) for model in models)])
    return table(["", *map(escaped, models)], rows)


def _scores(every: Table, scores: Scores, numbers: dict[Path | None, int]) -> str:
    """One line for each task with a score. Scores link to their commands; there is no language column, as names have it."""
    columns = [column for column in every.columns if column.title != "language"]
    rows = []
    for record in every.frame.to_dict("records"):
        cells, has_score = [], False
        for column in columns:
            text = escaped(written(column, record))
            task = scores.of.get((column.title, str(record["task"])))
            if task is not None and text != MISSING:
                readers, has_score = older_readers(task), True
                text = f"[{text}](#run-{numbers[task.run.place]})" + (f"<sup>r{readers}</sup>" if readers else "")
            cells.append(text)
        rows += [cells] * has_score
    return table([escaped(column.title) for column in columns], rows)


def _command(run: Run) -> str:
    """The command of a run up to its tasks, with its day and release of lm-eval."""
    content = content_of(run.place) if run.place else {}
    config, arguments = content["config"], content["config"]["model_args"]
    given = ",".join(f"{name}={value}" for name, value in arguments.items()) if isinstance(arguments, dict) else str(arguments)
    # lm-eval does not record --num_fewshot
    shown = content["n-shot"].items()
    asked = {count for name, count in shown if (known := known_task(name)) is not None and count != known.num_fewshot}
    parts = ["lm-eval-sea", "run", "--model", str(config["model"]), "--model_args", given]
    parts += ["--batch_size", str(config["batch_size"])] if config.get("batch_size") else []
    parts += ["--apply_chat_template"] if content.get("chat_template") else []
    # true by default under a chat template
    parts += ["--fewshot_as_multiturn", "false"] if content.get("chat_template") and run.multiturn is False else []
    parts += ["--system_instruction", content["system_instruction"]] if content.get("system_instruction") else []
    parts += [part for count in sorted(asked) for part in ("--num_fewshot", str(count))]
    parts += ["--thinking", str(config["thinking"])] if config.get("thinking") in ("on", "off") else []
    for name, value in (config.get("gen_kwargs") or {}).items():
        parts += ["--gen_kwargs", f"{name}={value}"]
    return f"{run.date:%Y-%m-%d}, lm-eval {run.settings.lm_eval}: `{shlex.join(parts)}"


def _tasks(runs: Iterable[Run]) -> str:
    """The tasks of these runs; for a run of exactly the tasks of a group, the group's name."""
    names: list[str] = []
    for content in (content_of(run.place) for run in runs if run.place):
        tasks = set(content["results"]) - set(content["group_subtasks"])
        groups = (group for group, members in read_tasks().groups.items() if set(members) == tasks and len(tasks) > 1)
        found = next(groups, None)
        names += [found] if found else sorted(tasks)
    return ",".join(names)


def figure(scores: Scores) -> bytes:
    """The means by suite and language as SVG, one line each."""
    means = scores.means
    lines = []
    for scope in means.scopes:
        marks = [
            Mark(mean.value, mean.low, mean.high, series=model)
            for model in means.order
            if (mean := means.values.get((scope.kind, scope.name, model))) is not None and scope.kind != "competency"
        ]
        if marks and means.compares(scope):
            lines.append(Line(scope.title, [Mark(0.0), *marks]))
    values = [end for line in lines for mark in line.marks for end in (mark.value, mark.low, mark.high) if end is not None]
    scale = (min(0.0, *values), max(50.0, *values))
    panel = Panel("", lines, scale, "mean of normalised scores: 0 is chance, 100 is perfect")
    buffer = io.BytesIO()
    with matplotlib.rc_context({"text.parse_math": False, "svg.hashsalt": "results", "svg.fonttype": "none"}):
        draw(Chart([panel], means.order)).savefig(buffer, format="svg", metadata={"Date": None})
    return buffer.getvalue()


def read_leaderboard(folders: Sequence[Path]) -> Scores | None:
    """The scores of all models; None if there are none yet."""
    names = {folder.resolve(): str(about(folder)["model"]) for folder in folders if about(folder)}
    return scores_of(read(*folders, names=names).best()) if folders else None


def text_of_page(scores: Scores | None) -> str:
    """The whole page: what a person wrote, and between the marks what `page` makes."""
    head, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
    return head + START + "\n" + (page(scores) if scores else NOTHING) + "\n" + END + rest.partition(END)[2]


def _model(text: str) -> str:
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no ORGANISATION/MODEL of letters, digits, '.', '-' and '_'")
    return text


def main() -> int:
    """Runs the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True, metavar="{add,check,write}")
    adding = commands.add_parser("add", help="add results of a model")
    adding.add_argument("results", type=Path, help="a folder of results")
    adding.add_argument("--model", type=_model, required=True, help="ORGANISATION/MODEL")
    adding.add_argument("--source", help="where to get the model, if it was run from a folder")
    adding.add_argument("--revision", help="the version of the model there")
    commands.add_parser("check", help="check all results and the page")
    commands.add_parser("write", help="write the page")
    arguments = parser.parse_args()
    try:
        added: dict[Path, bytes | None] = {}
        if arguments.command == "add":
            origin = {key: value for key in ("source", "revision") if (value := getattr(arguments, key))}
            added = add(arguments.results, arguments.model, origin)
        folders = sorted(path for path in FOLDER.glob("*") if path.is_dir())
        try:
            lines = findings(folders)
        except (ResultsError, OSError, yaml.YAMLError) as error:
            lines = [" ".join(str(error).split())]
        if lines:
            for path, before in added.items():
                path.unlink() if before is None else path.write_bytes(before)
            print("\n".join([*lines, *(["nothing was added"] if added else [])]))
            return 1
        print("\n".join(map(str, added)))
        scores = read_leaderboard(folders)
        after = text_of_page(scores)
        if arguments.command == "check":
            current = after == PAGE.read_text(encoding="utf-8")
            print(f"{len(folders)} models: nothing wrong" if current else f"{PAGE}: run python scripts/leaderboard.py write")
            return int(not current)
        write_whole(PAGE, after)
        if scores is not None:
            FIGURE.write_bytes(figure(scores))
    except (ResultsError, OSError) as error:
        print(f"leaderboard.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
