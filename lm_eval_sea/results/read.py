"""Reads what lm-eval writes: `results_<date>.json` of a run and `samples_<task>_<date>.jsonl` of its tasks. Nothing else does.

If `--output_path` is a file `<name>.json`, the results are in `<name>_<date>.json`.

Files are often incomplete: notes say what is left out, one line each, and the rest is read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from lm_eval_sea.results.choice import Runs
from lm_eval_sea.results.facts import facts_of
from lm_eval_sea.results.rows import NO_FILTER, Samples, parse
from lm_eval_sea.results.runs import GroupRun, Run, TaskRun
from lm_eval_sea.results.secrets import masked_results
from lm_eval_sea.results.settings import LIMITS, Settings, settings_of
from lm_eval_sea.results.types import ResultsError, Score, count_of, is_number, is_whole, list_of, mapping_of
from lm_eval_sea.results.visible_text import encodable, one_line

_STAMP = r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?"
_SAMPLES_NAME = re.compile(rf"samples_.+_{_STAMP}\.jsonl")
_DATED_NAME = re.compile(rf".*_({_STAMP})\.jsonl?")
_SCORES_NAME = re.compile(rf"(?:judged|metricx)_(?P<samples>.+_{_STAMP})\.json")
REPLACED = "replaced"  # a sweep's folder for results that it replaced, each below its request's digest
MARK, LOCK = "job.json", "lock"  # a sweep's files in the folder of a job, above that of results: of a complete one, of any
_OF_REQUEST = re.compile(r"[0-9a-f]{16}")
_PACKED_NAME = re.compile(r"(?:results|samples)_.*\.json.*\.gz")
_LARGEST = 2**29  # bytes of a results file; lm-eval writes a few millions for a thousand tasks
_BESIDE_CONFIG = ("chat_template_sha", "system_instruction_sha")  # settings that lm-eval writes beside `config`
_ONE_VALUE = ("model", "model_sha", "model_revision", "model_dtype", "batch_size", "limit", *_BESIDE_CONFIG)
_JSON = (str, bool, int, float, list, dict)
_GIVE_A_FOLDER = "give the folder of lm-eval's --output_path"


def read(*paths: Path | str, names: Mapping[Path, str] | None = None) -> Runs:
    """The runs in folders, at any depth, and in single files. Samples belong to the results beside them of the same date.

    `names` maps a folder or file to the name of the model of its runs; runs with one name are of one model. Raises `ResultsError`
    if a path does not exist or nothing is found.
    """
    names = names or {}
    notes: list[str] = []
    try:
        results_files, samples_files = _files([Path(path) for path in paths], notes)
    except OSError as error:
        raise ResultsError(f"{error.filename}: cannot be read ({error.strerror})") from error
    contents = {path: content for path in results_files if (content := _results_in(path, notes)) is not None}
    logged: dict[tuple[Path, datetime], dict[str, Path]] = {}  # folder and date → task → file
    for path in samples_files:
        if (date := _date_in(path)) is None:
            notes.append(f"{path}: left out, because its name has no valid date")
        else:
            task = path.stem.removeprefix("samples_").rpartition("_")[0]
            logged.setdefault((path.parent, date), {})[_plain_name(task)] = path
    found, models = [], []
    for path, content in contents.items():
        date = _date_in(path)
        found.append(_run_of(content, path, names, logged.pop((path.parent, date), {}) if date else {}, notes))
        models.append((path.parent, found[-1].runs[0].model))
    for (folder, date), samples in logged.items():  # samples without results
        beside = {model for place, model in models if place == folder}
        model = beside.pop() if len(beside) == 1 else _name_of(min(samples.values()), folder.name, names)
        notes.append(f"{folder}: samples of {date} without a results file; taken for those of {model}")
        run = Run(model, date, folder, Settings(), has_results=False)
        found.append(Runs([run], [_task(run, name, {}, "", [], rows) for name, rows in samples.items()], [], []))
    if not found:
        first = f"; {notes[0]}" if notes else ""
        raise ResultsError(f"no results_*.json and no samples_*.jsonl in {', '.join(map(str, paths))}{first}; {_GIVE_A_FOLDER}")
    found.sort(key=lambda one: (one.runs[0].model, one.runs[0].date))
    return Runs(
        [run for one in found for run in one.runs],
        [task for one in found for task in one.tasks],
        [group for one in found for group in one.groups],
        notes,
    ).told_apart()


def of_results(results: Mapping[str, Any]) -> Runs:
    """The run that `lm_eval.simple_evaluate` returns, with its `samples`, if any, as rows."""
    notes: list[str] = []
    logged = {_plain_name(name): rows for name, rows in mapping_of(results.get("samples")).items() if isinstance(rows, list)}
    return replace(_run_of(results, None, {}, logged, notes), notes=notes)


def _name_of(path: Path, model: str, names: Mapping[Path, str]) -> str:
    """The name of a model: the one given for the innermost folder of the file, if any."""
    given = [(len(place.parts), name) for place, name in names.items() if path.is_relative_to(place.resolve())]
    return max(given)[1] if given else str(encodable(model))


def _name_in_plan(path: Path) -> str:
    """What `Run.planned` says, from the folders of a sweep's job: MODEL/SUITE/SETTING; empty for results of another command."""
    job = path.parent.parent
    exemplars = re.match(r"(\d+)_shot", job.name)
    name = job.parent.parent.name + (f", {exemplars[1]} exemplars" if exemplars else "")
    return str(encodable(name)) if any((job / file).is_file() for file in (MARK, LOCK)) else ""


def _files(paths: Sequence[Path], notes: list[str]) -> tuple[list[Path], list[Path]]:
    """The files of results and of samples, each once; notes say which folders and compressed files are left out."""
    results: list[Path] = []
    samples: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = _files_in(path, notes)
            results += filter(may_be_results, inside)
            samples += (file for file in inside if _SAMPLES_NAME.fullmatch(file.name))
            if packed := [file.name for file in inside if _PACKED_NAME.fullmatch(file.name)]:
                notes.append(f"{path}: {len(packed)} compressed files left out, the first {packed[0]}; gunzip them")
        elif not path.is_file():
            raise ResultsError(f"{path}: no such file or folder; {_GIVE_A_FOLDER}")
        elif _SAMPLES_NAME.fullmatch(path.name):
            samples.append(path)
        else:
            results.append(dated := _dated(path))
            match = _DATED_NAME.fullmatch(dated.name)
            samples += sorted(dated.parent.glob(f"samples_*_{match[1]}.jsonl")) if match else []
    return _each_once(results), _each_once(samples)


def _each_once(paths: Iterable[Path]) -> list[Path]:
    return list({path.resolve(): _dated(path) for path in paths if path.is_file()}.values())


def _dated(path: Path) -> Path:
    """The path whose name has the date: in the hub's cache that is the link, elsewhere it may be its target."""
    return path.parent.resolve() / path.name if _DATED_NAME.fullmatch(path.name) else path.resolve()


def _files_in(folder: Path, notes: list[str]) -> list[Path]:
    """The files in a folder at any depth, without those that a sweep set aside."""

    def note(error: OSError) -> None:
        notes.append(f"{error.filename}: left out, because it cannot be read ({error.strerror})")

    found: list[Path] = []
    for place, folders, names in os.walk(folder, onerror=note):
        found += (Path(place, name) for name in names)
        if os.path.basename(place) == REPLACED and Path(place) != folder and any(map(_OF_REQUEST.fullmatch, folders)):
            folders[:] = [name for name in folders if not _OF_REQUEST.fullmatch(name)]
            notes.append(f"{place}: left out, because a sweep replaced these results; name the folder to read them")
    return sorted(found)


def may_be_results(path: Path) -> bool:
    """Whether a file is named like results. So are scores of a judge or a metric model, but these lie beside their samples."""
    if scores := _SCORES_NAME.fullmatch(path.name):
        return not path.with_name(f"samples_{scores['samples']}.jsonl").exists()
    return path.suffix == ".json" and (path.name.startswith("results_") or _DATED_NAME.fullmatch(path.name) is not None)


def _plain_name(name: str) -> str:
    """The name of a task on one line, without the groups that lm-eval 0.5 puts before it: "group::task"."""
    return one_line(name.rpartition("::")[2] or name)


def _date_in(path: Path) -> datetime | None:
    """The date in the name of a file; None without a valid one."""
    match = _DATED_NAME.fullmatch(path.name)
    day, _, time = match[1].partition("T") if match else ("", "", "")
    try:
        return datetime.fromisoformat(f"{day}T{time.replace('-', ':')}")
    except ValueError:
        return None


def content_of(path: Path) -> dict[str, Any]:
    """A results file as lm-eval wrote it, without secrets: plain `lm_eval` writes keys and tokens as they were given.

    Raises `OSError`, `ValueError` or `RecursionError` if it cannot be read as JSON, or is not lm-eval's.
    """
    if path.stat().st_size > _LARGEST:
        raise ValueError(f"{path.stat().st_size / 1e9:.0f} GB")
    content = parse(path.read_bytes())
    if not isinstance(content, dict) or not isinstance(content.get("results"), dict):
        raise ValueError("it has no results of lm-eval")
    return masked_results(content)


def _results_in(path: Path, notes: list[str]) -> dict[str, Any] | None:
    try:
        return content_of(path)
    except (OSError, ValueError, RecursionError) as error:
        notes.append(f"{path}: left out, because it cannot be read as results of lm-eval ({error})")
        return None


def _run_of(
    content: Mapping[str, Any], path: Path | None, names: Mapping[Path, str], logged: Mapping[str, Samples], notes: list[str]
) -> Runs:
    """The run in a results file, or in what lm-eval returns; `logged` has the rows of tasks."""
    configs, subtasks, where = mapping_of(content.get("configs")), mapping_of(content.get("group_subtasks")), path or "results"
    config = mapping_of(content.get("config"))
    arguments = mapping_of(config.get("model_args"))
    config = _checked(config | {key: content[key] for key in _BESIDE_CONFIG if key in content}, where, notes)
    named = content.get("model_name") or arguments.get("pretrained") or arguments.get("model")
    model = str(named or (path.parent.name if path else "model"))
    model = model.rstrip("/") or model  # shells complete a folder's name with a slash
    settings = settings_of(config, {name: content.get(f"{name}_version") for name in ("lm_eval", "transformers")})
    model += settings.in_name
    seed = arguments.get("seed", config.get("torch_seed"))  # vLLM and servers draw with a seed of their own
    run = Run(
        model=_name_of(path, model, names) if path else model,
        date=(_date_in(path) if path else None) or _from_seconds(content.get("date")),
        place=path,
        settings=settings,
        seed=seed if is_whole(seed) else None,
        batch_size=config.get("batch_size"),
        recorded=model,
        planned=_name_in_plan(path) if path else "",
        multiturn=turns if isinstance(turns := content.get("fewshot_as_multiturn"), bool) else None,
        started=float(content["date"]) if is_number(content.get("date")) else None,
        is_reread="answers_of" in config,
    )
    results = {name: mapping_of(content["results"][name]) for name in content["results"]}
    of_groups = {name for name in results if name not in configs and subtasks.get(name)}
    members = {
        _plain_name(name): [_plain_name(each) for each in list_of(inner) if isinstance(each, str)]
        for name, inner in subtasks.items()
    }
    groups = [
        GroupRun(run, name, numbers, _leaves(members, name))
        for name in results
        if name in of_groups and (numbers := _scores(results[name], where, notes))
    ]
    asked = {_plain_name(name): name for name in results if name not in of_groups}
    asked |= {name: name for name in logged if name not in (*asked, *of_groups)}  # known by their rows alone
    tasks = [_task(run, name, content, where, notes, logged.get(plain)) for plain, name in asked.items()]
    return Runs([run], tasks, groups, [])


def _leaves(members: Mapping[str, Sequence[str]], group: str) -> list[str]:
    names = [_plain_name(group)]
    for name in names:  # grows while it is read
        names += [inner for inner in dict.fromkeys(members.get(name, ())) if inner not in names]
    return [name for name in names if not members.get(name)]


def _from_seconds(seconds: Any) -> datetime:
    try:
        return datetime.fromtimestamp(seconds if is_number(seconds) else 0)
    except (ValueError, OverflowError, OSError):  # no such year
        return datetime.fromtimestamp(0)


def _checked(config: dict[str, Any], where: Path | str, notes: list[str]) -> dict[str, Any]:
    """The settings of a run, without those that are neither text nor number although runs are compared by them."""
    given = {name: config[name] for name in _ONE_VALUE if config.get(name) is not None}
    # In memory there are other objects, such as torch's dtypes; lm-eval writes their names.
    given = {name: value if isinstance(value, _JSON) else str(value) for name, value in given.items()}
    broken = [name for name, value in given.items() if not isinstance(value, str) and not is_number(value)]
    notes += [f"{where}: the setting {name} is left out, because it is neither text nor number" for name in broken]
    return {name: value for name, value in (config | given).items() if name not in broken}


def _share(of_run: Mapping[str, Any], of: str, name: str) -> float | None:
    """A share of a task's rows that the run's settings state; None if they do not."""
    share = mapping_of(of_run.get(of)).get(name)
    return share if is_number(share) else None


def _task(
    run: Run, name: str, content: Mapping[str, Any], where: Path | str, notes: list[str], samples: Samples | None
) -> TaskRun:
    parts = ("results", "configs", "versions", "n-shot", "n-samples")
    scores, config, version, shots, counts = (mapping_of(content.get(part)).get(name) for part in parts)
    config, counts, of_run, plain = mapping_of(config), mapping_of(counts), mapping_of(content.get("config")), _plain_name(name)
    facts = facts_of(mapping_of(config.get("metadata")), plain)
    noted = [f"{plain}: its settings are not in the files; those of the installed pack are used"] * facts.assumed
    limits = mapping_of(config.get("generation_kwargs"))
    heeded, *others = LIMITS
    if unheeded := [f"{limit}={limits[limit]}" for limit in others if limit in limits and heeded in limits]:
        noted.append(f"{plain}: {', '.join(unheeded)} had no effect: lm-eval uses the task's own {heeded}={limits[heeded]}")
    return TaskRun(
        run=run,
        name=plain,
        version=None if version is None else str(version),
        facts=facts,
        config=config,
        scores=_scores(mapping_of(scores), f"{where}, {name}", notes),
        num_fewshot=count_of(shots),
        rows=count_of(counts.get("effective")),
        rows_total=count_of(counts.get("original")),
        cut_prompts=_share(of_run, "cut_prompts", name),
        cut_documents=_share(of_run, "cut_documents", name),
        samples=samples,
        notes=noted,
    )


def _scores(numbers: Mapping[str, Any], where: Path | str, notes: list[str]) -> dict[str, Score]:
    """The entries "metric,filter" with the entries "metric_stderr,filter" beside them."""
    scores = {}
    for key, value in numbers.items():
        name, comma, filter_name = key.rpartition(",")
        if not comma or name.endswith("_stderr"):
            continue
        if not is_number(value):
            notes.append(f"{where}: {name} is not a number ({value}), and is left out")
            continue
        stderr = numbers.get(f"{name}_stderr,{filter_name}")
        scores[name if filter_name == NO_FILTER else key] = Score(value, stderr if is_number(stderr) else None)
    return scores
