"""Makes all task files from `data_set.yml`, prompt files and lists, compares them with those on disk, and writes them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from lm_eval_sea.catalogue import Refusal
from lm_eval_sea.catalogue.data_sets import DataSet, data_sets
from lm_eval_sea.catalogue.kinds import CHAT_METRICS, JUDGED, KINDS, recommended_variant
from lm_eval_sea.catalogue.names import lite_name
from lm_eval_sea.catalogue.sea_helm import sea_helm as sea_helm_tasks
from lm_eval_sea.catalogue.suites import read_lite, read_suites
from lm_eval_sea.catalogue.whole_files import remove_left_beside, write_whole
from lm_eval_sea.make import chat, leaf, sea_helm, settings
from lm_eval_sea.make.leaf import Content, Prompted, group_of
from lm_eval_sea.make.prompt_files import read_prompts
from lm_eval_sea.make.task_yaml import MARK, Function, OneLine, render
from lm_eval_sea.tasks._shared.facts import EXEMPLAR_SPLIT, SEA_HELM, TASKS_FOLDER, is_english_prompt, name_of

NAMES_OF_A_FOLDER = 10  # languages or directions; with more, the tasks with English prompts get a folder of their own


def generate(prompts: Path) -> dict[str, str]:
    """All generated files, path below the tasks folder → content; `prompts` is a folder laid out like the tasks folder."""
    contents: dict[str, Content] = {}
    for data_set in data_sets().values():
        contents |= files_of(leaf.read(data_set, prompts))
    contents |= _sea_helm_files(read_prompts(prompts, SEA_HELM))
    contents |= dict(_suites())
    contents |= dict(_lite(contents))
    return {path: render(path, content) for path, content in contents.items()}


def files_of(prompted: Prompted) -> dict[str, Content]:
    """The files of a data set: path below the tasks folder → content."""
    tasks = dict(leaves(prompted))
    names = {content["task"] for content in tasks.values()}
    whole = {path: group for path, group in groups(prompted.of) if names.issuperset(group["task"])}
    return {**dict(_fragments(prompted)), **tasks, **whole}


def leaves(prompted: Prompted) -> Iterator[tuple[str, Content]]:
    """The tasks of a data set that are files, with their paths."""
    data_set = prompted.of
    pairs = [pair for language in data_set.languages for pair in data_set.pairs(language)]
    variants = KINDS[data_set.kind]
    is_wide = "" in variants and len(pairs) > NAMES_OF_A_FOLDER
    for language, data in data_set.languages.items():
        for prompt_language in prompt_languages(prompted, language):
            enprompt = "_enprompt" if is_english_prompt(prompt_language, language) else ""
            for pair in data_set.pairs(language):
                for variant in variants:
                    parts = (pair, variant + enprompt) if variant else (pair + enprompt,)
                    path = _path(data_set, *(("enprompt", pair) if enprompt and is_wide else parts))
                    content = leaf.leaf(prompted, language, prompt_language, variant, pair)
                    yield path, content
                    if data.process_asis:
                        yield path.replace("/", "/asis/", 1), settings.as_is(prompted, content, data.process_asis)
            for pair in data_set.pairs(language):
                if chat.has_chat(prompted, pair, prompt_language):
                    yield _path(data_set, "chat", pair + enprompt), chat.chat_leaf(prompted, language, pair, prompt_language)
        if data_set.second_turns:
            yield _path(data_set, f"{language}_turn_2"), leaf.second_turn(prompted, language)
        if data_set.parallel:
            for variant in settings.PARALLEL_VARIANTS if data.prompts == language else ():
                yield _path(data_set, "parallel", variant, language), settings.parallel(prompted, language, variant)
            for variant in settings.ENGLISH_EXEMPLAR_VARIANTS:
                yield _path(data_set, "enshots", variant, language), settings.english_exemplars(prompted, language, variant)


def prompt_languages(prompted: Prompted, language: str) -> list[str]:
    """The prompt languages of a language's tasks: its own, then English if it has a prompt file; only its own where judged."""
    own = prompted.of.languages[language].prompts
    return [language] if prompted.of.kind == JUDGED else list(dict.fromkeys([own, *({"en"} & prompted.prompts.keys())]))


def _path(data_set: DataSet, *parts: str) -> str:
    return "/".join((data_set.name, *parts)) + ".yaml"


def _fragments(prompted: Prompted) -> Iterator[tuple[str, Content]]:
    """The files that several tasks include: the functions that process rows, and the exemplars of a language."""
    data_set = prompted.of
    sharing = [other for other in data_sets().values() if other.rows_as == data_set.name]
    languages = [data for each in (data_set, *sharing) for data in each.languages.values()]
    processes = [name for data in languages for name in (data.process, data.process_asis) if name]
    processes += ["process_pairs", "process_texts"] if data_set.parallel else []
    processes += [name for key in ("process", "english") if (name := (data_set.running_texts or {}).get(key))]
    for process in () if data_set.rows_as else dict.fromkeys(processes):
        yield leaf.rows_path(data_set.name, process), {"dataset_kwargs": {"process": Function(f"utils.{process}")}}
    for language, data in data_set.languages.items():
        has_own = data_set.kind != JUDGED and EXEMPLAR_SPLIT not in data.splits
        for key in ("exemplars", "parallel_exemplars") if data_set.parallel else ("exemplars",):
            if has_own and data.prompts == language:
                yield leaf.exemplars_path(data_set, language, key), leaf.exemplars(prompted, language, key)


def groups(data_set: DataSet) -> Iterator[tuple[str, Content]]:
    """The groups over the languages of a data set."""
    name = data_set.name
    if data_set.kind == JUDGED:
        for turn in ("", "turn_2") if data_set.second_turns else ("",):
            yield _group(data_set, name_of(name, "", turn), [name_of(name, each, turn) for each in data_set.languages], ())
        return
    for english in (False, True):
        languages = [each for each in data_set.suite_languages or data_set.languages if _has(data_set, each, english=english)]
        pairs = [pair for language in languages for pair in data_set.pairs(language)]
        for variant, aggregated in _aggregated(data_set.kind).items():
            members = [name_of(name, pair, variant, english=english) for pair in pairs]
            if len(members) < (2 if variant else 1):
                continue  # a group of a single task is useless
            yield _group(data_set, name_of(name, "", variant, english=english), members, aggregated)
    if data_set.parallel:
        yield from _groups_of_all(data_set)


def _aggregated(kind: str) -> dict[str, tuple[str, ...]]:
    return {variant: own.aggregated for variant, own in KINDS[kind].items()} | {"chat": CHAT_METRICS[kind]}


def _has(data_set: DataSet, language: str, *, english: bool = False) -> bool:
    """Whether a language has prompts of its own; if `english`, whether it can also have English ones, as all but `en` can."""
    return language != "en" if english else not is_english_prompt(data_set.languages[language].prompts, language)


def _groups_of_all(data_set: DataSet) -> Iterator[tuple[str, Content]]:
    """The groups over all languages. For a language without prompts of its own, the task with English prompts is the member."""
    name, languages, variants = data_set.name, data_set.languages, _aggregated(data_set.kind)
    for english in (False, True):
        for variant, aggregated in variants.items():
            members = [
                name_of(name, each, variant, english=each != "en" and (english or not _has(data_set, each))) for each in languages
            ]
            yield _group(data_set, name_of(name, "all", variant, english=english), members, aggregated)
    with_prompts = [each for each in languages if languages[each].prompts == each]
    for setting, of, names in (
        ("parallel", settings.PARALLEL_VARIANTS, with_prompts),
        ("enshots", settings.ENGLISH_EXEMPLAR_VARIANTS, languages),
    ):
        for variant in of:
            members = [name_of(name, each, f"{setting}_{variant}") for each in names]
            group = name_of(name, "all", f"{setting}_{variant}")
            yield _group(data_set, group, members, variants[variant])


def _group(data_set: DataSet, name: str, members: list[str], metrics: Iterable[str]) -> tuple[str, Content]:
    file = name.removeprefix(f"sea_{data_set.name}").removeprefix("_") or data_set.name
    return _path(data_set, "groups", file), group_of(name, members, data_set.version, metrics)


def _sea_helm_files(prompts: Mapping[str, Any]) -> dict[str, Content]:
    found: dict[str, Content] = {}
    for language in sea_helm_tasks().languages:
        for name, task in sea_helm_tasks().of_language(language).items():
            found[f"{SEA_HELM}/{language}/{name}.yaml"] = sea_helm.leaf(prompts, task)
            if task.labels:
                found[f"{SEA_HELM}/{language}/{name}_ppl.yaml"] = sea_helm.leaf(prompts, task, ranked=True)
        for content in sea_helm.groups(language):
            file = content["group"].removeprefix(f"{SEA_HELM}_{language}").removeprefix("_") or language
            found[f"{SEA_HELM}/{language}/groups/{file}.yaml"] = content
    for process in dict.fromkeys(task.process for task in sea_helm_tasks().each if task.process):
        found[leaf.rows_path(SEA_HELM, process)] = {"dataset_kwargs": {"process": Function(f"utils.{process}")}}
    return found


def english_prompts_missing(prompts: Path) -> list[str]:
    """One line for each data set without an English prompt file, whose `_enprompt` tasks are therefore not made."""
    named = {name: prompts / name / "prompts" / "en.yml" for name, data_set in data_sets().items() if data_set.kind != JUDGED}
    return [f"{path}: missing, so no sea_{name}_…_enprompt task is made" for name, path in named.items() if not path.is_file()]


def _suites() -> Iterator[tuple[str, Content]]:
    """The groups that `suites.yml` lists, in a folder per family."""
    for name, suite in read_suites().items():
        metrics = KINDS[suite.kind][recommended_variant(suite.kind)].aggregated if suite.kind else ()
        family = "sea_helm_lite" if name.startswith("sea_helm_lite") else "_".join(name.split("_")[:2])
        if family == "sea_language":
            part = name.rpartition("_")[2]
            family += f"/{part}" if part in ("lite", "chat") else "/whole"
        yield f"suites/{family}/{name}.yaml", group_of(name, suite.tasks, suite.version, metrics)


def _lite(contents: Mapping[str, Content]) -> Iterator[tuple[str, Content]]:
    """The tasks on a fixed part of the rows, which `lite.yml` names."""
    paths = {content["task"]: path for path, content in contents.items() if isinstance(content.get("task"), str)}
    for task in read_lite()["tasks"]:
        path = paths[task]
        yield (
            path.replace("/", "/lite/", 1),
            {
                "task": lite_name(task),
                "include": [path],
                "tag": ["sea_setting_lite"],
                "metadata": OneLine(contents[path]["metadata"] | {"setting": "lite"}),
            },
        )


def generated(folder: Path, pattern: str = "**/*yaml") -> dict[str, str]:
    """The generated files below a folder that match a pattern: path → content."""
    found = {path: path.read_text(encoding="utf-8", errors="replace") for path in sorted(folder.glob(pattern)) if path.is_file()}
    return {path.relative_to(folder).as_posix(): text for path, text in found.items() if text.startswith(MARK)}


def no_longer_made(files: Mapping[str, str], folder: Path) -> list[str]:
    """The generated files on disk that `files` lacks, in the same subfolders; tasks on demand and a user's own lie elsewhere."""
    folders = {path.partition("/")[0] for path in files}
    return [path for path in generated(folder) if path not in files and path.partition("/")[0] in folders]


def differences(files: Mapping[str, str], folder: Path, superfluous: Iterable[str]) -> list[str]:
    """What is wrong with the files on disk, one line each."""
    lines = [f"{path}: this file is no longer made" for path in superfluous]
    for path, content in sorted(files.items()):
        if not (folder / path).is_file():
            lines.append(f"{path}: missing")
        elif (folder / path).read_text(encoding="utf-8") != content:
            lines.append(f"{path}: differs from what its prompts make")
    return lines


class FolderError(Refusal, ValueError):
    """A folder that cannot be written to without loss; the message is one line."""


def replace(files: Mapping[str, str | bytes], folder: Path, superfluous: Iterable[str]) -> None:
    """Like `write_files`, but raises `FolderError` before it overwrites a file that was not generated and has other content."""
    for path, content in files.items():
        there = folder / path
        new = content if isinstance(content, bytes) else content.encode()
        if there.is_file() and not (old := there.read_bytes()).startswith(MARK.encode()) and old != new:
            advice = "move it away, or name another folder"
            raise FolderError(f"{there} has other content, which would be lost; nothing was written; {advice}")
    write_files(files, folder, superfluous)


def by_hand() -> dict[str, bytes]:
    """The handwritten files of the tasks folder except prompts, hidden files and caches: path below it → content."""
    paths = {path.relative_to(TASKS_FOLDER): path for path in TASKS_FOLDER.rglob("*") if path.is_file()}
    left_out = re.compile(r"prompts|__pycache__|\..*")
    kept = {below: path for below, path in paths.items() if not any(map(left_out.fullmatch, below.parts))}
    made = generated(TASKS_FOLDER)
    return {below.as_posix(): path.read_bytes() for below, path in kept.items() if below.as_posix() not in made}


def write_files(files: Mapping[str, str | bytes], folder: Path, superfluous: Iterable[str]) -> None:
    """Writes files below a folder, each whole or not at all, and removes the superfluous ones.

    Raises `FolderError` if one cannot be written.
    """
    done = "nothing was written"
    try:
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            write_whole(folder / path, content)
            done = "some files may be new"
        for path in superfluous:
            (folder / path).unlink(missing_ok=True)  # another call may have removed it
        remove_left_beside({folder / path for path in files})
    except OSError as error:
        advice = "make room there, or name another folder"
        raise FolderError(f"{folder} cannot be written ({error.strerror}); {done}; {advice}") from error
