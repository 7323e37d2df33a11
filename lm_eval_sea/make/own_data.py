"""Tasks for a user's own rows: reads `data_set.yml` and `prompts/<language>.yml` in a folder and makes task files for it.

The tasks include the templates of this installation by absolute path, so `--include_path` needs only that folder.
"""

from __future__ import annotations

import fnmatch
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lm_eval_sea.catalogue.data_sets import FILE, DataSet, Language, RecordError, data_sets, read_data_set
from lm_eval_sea.catalogue.kinds import JUDGED
from lm_eval_sea.catalogue.names import did_you_mean, language_names, languages_like
from lm_eval_sea.catalogue.task_files import GROUP, names_in_files, read_task_file, tags
from lm_eval_sea.catalogue.task_index import function_at
from lm_eval_sea.catalogue.task_list import TaskRecord, record_of
from lm_eval_sea.make.chat import CHOSEN
from lm_eval_sea.make.files import generated, groups, leaves
from lm_eval_sea.make.leaf import Content, Prompted, exemplars, read
from lm_eval_sea.make.prompt_files import PromptFileError
from lm_eval_sea.make.settings import reworded, wordings
from lm_eval_sea.make.task_yaml import HEADER, Function, to_yaml
from lm_eval_sea.tasks._shared.facts import EXEMPLAR_SPLIT, SEA_HELM, TASKS_FOLDER, digest_of_file
from lm_eval_sea.tasks._shared.published.json_rows import ENDINGS
from lm_eval_sea.tasks._shared.published.table_rows import DELIMITERS

if TYPE_CHECKING:
    from lm_eval_sea.tasks._shared.sources import Source

# Keys of `data_set.yml` that affect only the pack's own tasks.
_OF_THE_PACK = (
    *("second_turns", "parallel", "running_texts", "rows_as", "main_variant", "judged_as"),  # of the data set
    *("process_asis", "expect", "code", "sailcompass_evaluator"),  # of a language
)


def own_tasks(folder: Path, wanted: Collection[str]) -> dict[str, Content]:
    """The tasks and groups of a user's own data set whose names match one of the wanted names or globs: name → content.

    The folder has `data_set.yml` and `prompts/`, and its name is the data set's. Raises `RecordError` or `PromptFileError` for
    faults in them.
    """
    folder = folder.resolve()
    path = folder / FILE
    data_set = read_data_set(path)
    if data_set.name.casefold() in (*data_sets(), SEA_HELM) or not data_set.name.isalnum():
        raise RecordError(f"{folder}: the folder's name is that of the data set: use letters and digits, and no name of the pack")
    if data_set.kind == JUDGED:
        raise RecordError(f"{path}: 'kind' is {JUDGED!r}, which only the pack's own data sets can be")
    for language in data_set.languages.values():
        _refuse_keys(path, data_set, language)
        _refuse_names(path, language)
        _refuse_function(path, language)
    prompted = read(data_set, folder.parent)
    _refuse_unused_prompts(prompted)
    made = {content["task"]: _in_one_file(prompted, content) for content in _with_wordings(prompted)}
    tasks = set(made)
    made |= {group["group"]: group for _, group in groups(data_set) if len(group["task"]) > 1 and tasks.issuperset(group["task"])}
    if taken := sorted(made.keys() & {*tags(), *names_in_files(GROUP)}):
        raise RecordError(
            f"{folder}: {taken[0]} is a name of the pack; rename the folder, because its name is that of the data set"
        )
    for content in made.values():
        _refuse_unread_labels(prompted, content["metadata"])
    chosen = {name for pattern in wanted for name in fnmatch.filter(made, pattern)}
    return {name: content for name, content in made.items() if name in chosen}


def _with_wordings(prompted: Prompted) -> Iterator[Content]:
    """The tasks of a data set, and the plain ones in the other wordings of their instruction."""
    for _, content in leaves(prompted):
        yield content
        if "setting" not in content["metadata"]:
            for number, _ in enumerate(wordings(prompted, content), start=2):
                yield reworded(prompted, content, number)


def _refuse_keys(path: Path, data_set: DataSet, language: Language) -> None:
    """Refuses the keys of `_OF_THE_PACK`."""
    for record in (data_set, language):
        if given := [key for key in _OF_THE_PACK if getattr(record, key, None)]:
            raise RecordError(f"{path}: {given[0]!r} is only for the pack's own data sets; leave it out")


def _refuse_unused_prompts(prompted: Prompted) -> None:
    """Refuses keys of prompt files that no task shows."""
    kind, languages = prompted.of.kind, prompted.of.languages.values()
    unused = {"translate", "parallel_exemplars", "format"}
    unused |= {key for key, of in {"tasks": "translation", "labels": "classification"}.items() if of != kind}
    unused |= set() if "question" in prompted.of.fields else {"questions"}
    for language in sorted(prompted.prompts.keys() & {"en", *(data.prompts for data in languages)}):
        words, where = prompted.words(language), prompted.where(language)
        if given := [key for key in words if key in unused]:
            raise PromptFileError(f"{where}: {given[0]!r} has no effect on these tasks of kind {kind!r}; leave it out")
        if "questions" in words and kind in CHOSEN and "question" in (prompted.of.content_fields or prompted.of.fields):
            others = ", ".join(field for field in prompted.of.fields if field != "question")
            raise PromptFileError(
                f"{where}: 'questions' has sentences for {{question}}; data_set.yml needs content_fields: [{others}]"
            )
        if "exemplars" in words and language not in [data.prompts for data in languages if EXEMPLAR_SPLIT not in data.splits]:
            advice = "tasks show those of the rows, or of the prompt file in the language of the rows"
            raise PromptFileError(f"{where}: 'exemplars' has no effect; {advice}")


def _refuse_function(path: Path, language: Language) -> None:
    """Refuses a function for rows that is not there, or whose file cannot be run."""
    if not language.process:
        return
    where = f"{path}: languages: {language.language}: 'process' is {language.process!r}"
    if not (file := path.with_name("utils.py")).is_file():
        raise RecordError(f"{where}, and {file} is not there; write the function there, or leave it out for `columns`")
    from lm_eval_sea.tasks._shared.hub_files import first_line  # imports `huggingface_hub`

    try:
        function_at(f"{path.parent}/utils.{language.process}")
    except Exception as error:  # any can come from the user's code
        raise RecordError(f"{where}; {file} does not give it ({first_line(error)})") from error


def _refuse_names(path: Path, language: Language) -> None:
    """Refuses a source or file that cannot hold rows, a split that no task reads, and a malformed language code."""
    where = f"{path}: languages: {language.language}"
    if not re.fullmatch(r"[./].*|[\w.-]+/[\w.-]+", language.source):
        raise RecordError(f"{where}: 'source' is {language.source!r}; expected OWNER/NAME of the hub, or a folder such as ./rows")
    others = "" if language.source[0] in "./" else "; name other files of the hub by config and splits"
    for named in language.files.values():
        for file in [named] if isinstance(named, str) else named:
            if Path(file).suffix.lower() not in (known := (*ENDINGS, *DELIMITERS)):
                said = f"{where}: 'files' names {file!r}; expected a file whose name ends in"
                raise RecordError(f"{said} {', '.join(known)}{others}")
    for key, used in {"files": ("test",), "splits": ("test", EXEMPLAR_SPLIT)}.items():
        unused = [split for split in getattr(language, key) if split not in used]
        if unused and not language.process:
            raise RecordError(f"{where}: {key!r} has {unused[0]!r}, which no task reads; expected {' and '.join(used)}")
    if language.splits.get("test") == language.splits.get(EXEMPLAR_SPLIT) is not None:
        raise RecordError(
            f"{where}: 'splits' has the same rows as test and as {EXEMPLAR_SPLIT}, so prompts would show the answers"
        )
    if not re.fullmatch(r"[A-Za-z]+(-[A-Za-z\d]+)*", language.language):  # names of tasks have _ between their parts
        raise RecordError(f"{path}: 'languages' has {language.language!r}; expected a code such as th or zh-TW")


def _refuse_unread_labels(prompted: Prompted, task: Mapping[str, Any]) -> None:
    """Refuses label words that cannot be recognised in a chat model's answer."""
    words, where = task.get("label_words", ()), prompted.where(task.get("prompt_language", ""))
    if not words:
        return
    from lm_eval_sea.tasks._shared.chat.scores import score_chat_label  # imports `datasets`

    alike = Counter(map(str.casefold, words))
    for position, word in enumerate(words):
        if alike[word.casefold()] > 1:
            raise PromptFileError(f"{where}: labels: {word!r} and another word differ only in capitals, which answers may change")
        row = {"gold": position, "scoring": dict(task)}
        if not all(score_chat_label(dict(row), [said])["exact_match"] for said in (word, f"{task['answer_tag']} {word}")):
            raise PromptFileError(f"{where}: labels: {word!r} cannot be read from a chat model's answer; expected words")


def own_files(tasks: Mapping[str, Content]) -> dict[str, str]:
    """The files of tasks and groups: name → content."""
    return {f"{name}.yaml": HEADER + to_yaml(content) for name, content in tasks.items()}


def notes_on(tasks: Mapping[str, Content]) -> list[str]:
    """What is wrong or unexpected in the languages and in rows on this machine; no rows are fetched from the hub."""
    from lm_eval_sea.catalogue.check import check_data, distinct_data, remarks  # imports `datasets`

    made = records(tasks)
    here = [task for task in distinct_data(made) if task.source.is_made_by_user or task.source.local_state()]
    lines = [(task.source, line) for task in here for line in remarks(check_data(task))]
    languages: dict[Source, set[str]] = defaultdict(set)
    for task in made:
        languages[task.source].add(task.metadata["language"])
    notes = [
        f"{language!r} is no language of the pack{did_you_mean(languages_like(language))}; answers are split into words at spaces"
        for language in sorted(set().union(*languages.values()) - language_names().keys())
    ]
    for path in {task.path for task in made}:
        known = {"en", *(data.prompts for data in read_data_set(path).languages.values())}
        files = sorted(file for file in path.parent.glob("prompts/*.yml") if file.stem not in known)
        notes += [f"{file}: makes no task; no language of data_set.yml has its prompts there" for file in files]
    same = [(rows.describe(), " and ".join(sorted(of))) for rows, of in languages.items() if len(of) > 1]
    notes += [f"{rows}: {of} have the same rows; expected other rows for each language" for rows, of in same]
    notes += [line if rows.repository in line else f"{rows.describe()}: {line}" for rows, line in lines]
    return list(dict.fromkeys(notes))


def records(tasks: Mapping[str, Content]) -> list[TaskRecord]:
    """The tasks as the catalogue's records."""
    made = []
    for name, content in tasks.items():
        if "group" not in content:
            path = Path(next(iter(content["metadata"]["data_set"])))
            process = content.get("dataset_kwargs", {}).get("process")
            of_rows = {"dataset_kwargs": {"process": f"{path.parent}/{process}"}} if process else {}
            made.append(record_of(name, path, read_task_file(content["include"]) | content | of_rows))
    return made


def no_longer_made(files: Collection[str], folder: Path) -> list[str]:
    """Files that `own_files` made earlier and no longer makes: for a removed language, or for the data set that was copied."""
    marks = (f"{HEADER}group:", "\n  data_set:")  # files of tasks on demand, which may be there too, have neither
    made = [name for name, text in generated(folder, "*.yaml").items() if any(mark in text for mark in marks)]
    return [name for name in made if name not in files]


def _in_one_file(prompted: Prompted, content: Content) -> Content:
    """A task with the function and exemplars that the pack's tasks include from other files; only the template is included."""
    language = prompted.of.languages[content["metadata"]["language"]]
    process = {"dataset_kwargs": {"process": Function(f"utils.{language.process}")}} if language.process else {}
    has_exemplars = bool(prompted.words(language.prompts).get("exemplars"))
    if EXEMPLAR_SPLIT in language.splits:  # the rows' own
        examples: Content = {}
    else:
        examples = exemplars(prompted, language.prompts) if has_exemplars else {"num_fewshot": 0}
    folder = prompted.of.path.parent
    prompts = {content["metadata"]["prompt_language"], *([language.prompts] if has_exemplars else [])}
    made_of = [prompted.of.path, *(folder / "prompts" / f"{each}.yml" for each in sorted(prompts))]
    return {
        **content,
        "include": str(TASKS_FOLDER / content["include"][0]),
        **process,
        **examples,
        "metadata": content["metadata"] | {"data_set": {str(path): digest_of_file(path) for path in made_of}, "provenance": {}},
    }
