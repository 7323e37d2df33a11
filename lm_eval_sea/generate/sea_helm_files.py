"""What the generated task files of SEA-HELM hold: from sea_helm.yaml and the books in prompts/sea_helm to each file's content."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from lm_eval_sea.catalogue import read_data_sets, read_sea_helm
from lm_eval_sea.generate.prompt_books import BookError, entry, read_book
from lm_eval_sea.generate.task_yaml import Function, render

FOLDER = "sea_helm"
SPLITS = {"test": "eval", "examples": "examples"}

_FIELD = re.compile(r"{(\w+)}")
_PLACE = re.compile(r"{{(\w+)}}")
_SLUG = re.compile(r"\W+")


class Kind(NamedTuple):
    """How a kind of task answers and is scored."""

    template: str  # in tasks/_shared
    headline: str
    item: str | None  # the metric of a row that SEA-HELM's totals are computed from; None if it needs a judge
    has_cue: bool  # whether the answer stands behind a cue
    text: str = ""  # Jinja of the row where no book has it


KINDS = {
    "labels": Kind("sea_helm_labels_yaml", "balanced_acc", "correct", True),
    "phenomena": Kind("sea_helm_phenomena_yaml", "phenomena_acc", "correct", True),
    "minimal_pairs": Kind("sea_helm_minimal_pairs_yaml", "phenomena_acc", "correct", True),
    "qa": Kind("sea_helm_qa_yaml", "f1", "f1", True),
    "summarization": Kind("sea_helm_summarization_yaml", "rougeL", "rougeL", True),
    "translation": Kind("sea_helm_translation_yaml", "chrf++", None, True),
    "instructions": Kind("instruction_following_yaml", "pass", "pass", False, "{{prompt}}"),
    "criteria": Kind("sea_helm_judged_yaml", "null_rate", None, False),
    "first_turn": Kind("sea_helm_judged_yaml", "null_rate", None, False, "{{turns[0]}}"),
    "second_turn": Kind("sea_helm_second_turn_yaml", "null_rate", None, False, "{{turns[1]}}"),
}
# What `suite` says in the metadata of a task whose answers are only the beginning of what is judged: totals pass it over.
FIRST_TURNS = "sea_helm_first_turns"


class Prompt(NamedTuple):
    """What a task says."""

    cue: str
    preamble: str
    template: str  # Jinja
    version: Any  # of the book; None without one


def read_prompt(book: dict[str, Any], name: str, has_cue: bool, optional: list[str], where: str) -> Prompt:
    """The prompt of a task from the book of a language.

    Args:
        book: of a language.
        name: of the task's entry.
        has_cue: whether the answer stands behind a cue; else the entry needs no instruction and has no format.
        optional: fields that a row may lack; the lines with them are then left out.
        where: the place to name in an error.
    """
    words = entry(entry(book, "tasks", where), name, where)
    if not has_cue:
        template = "".join(_jinja_line(line, optional) for line in entry(words, "template", f"{where}: {name}").splitlines())
        return Prompt("", words.get("instruction", ""), template.rstrip("\n"), entry(book, "version", where))
    cue = words.get("cue") or entry(book, "cue", where)
    where = f"{where}: {name}"
    form = entry(words, "format", where)
    if "{cue}" not in form or "ANSWER" not in form:
        raise BookError(f"{where}: 'format' lacks {{cue}} or the word ANSWER")
    preamble = f"{entry(words, 'instruction', where)}\n\n{form}".replace("{cue}", cue)
    lines = [_jinja_line(line, optional) for line in entry(words, "template", where).splitlines()]
    return Prompt(cue, preamble, "".join(lines).rstrip("\n"), entry(book, "version", where))


def _jinja_line(line: str, optional: list[str]) -> str:
    text = _FIELD.sub(r"{{\1}}", line) + "\n"
    lacking = [field for field in _FIELD.findall(line) if field in optional]
    return f"{{% if {' and '.join(lacking)} %}}{text}{{% endif %}}" if lacking else text


class Task:
    """One task in one language: its records in the catalogue and its prompt, and the files they make."""

    def __init__(self, name: str, language: str, catalogue: dict[str, Any], book: dict[str, Any], common: dict[str, Any]) -> None:
        """Joins what the catalogue says of the task and of its language."""
        record = catalogue["tasks"].get(name) or catalogue["judged"][name]
        self.language, self.task = language, name
        self.record = {key: value for key, value in record.items() if key != "languages"} | record["languages"][language]
        self.kind = KINDS[self.record["kind"]]
        self.version, self.common, self.is_unjudged = catalogue["version"], common, name in catalogue["tasks"]
        self.labels: list[str] = self.record.get("labels", [])
        book_name, optional = self.record.get("book", name), self.record.get("optional_fields", [])
        self.prompt = Prompt("", "", self.kind.text, None)
        if not self.kind.text:
            self.prompt = read_prompt(book, book_name, self.kind.has_cue, optional, f"{FOLDER}/{language}.yaml")
        self.name = f"sea_helm_{language}_{name}"
        self._check_prompt(f"{FOLDER}/{language}.yaml: {book_name}")

    @property
    def suite(self) -> str:
        """What the totals know the task by."""
        return FIRST_TURNS if self.record["kind"] == "first_turn" else FOLDER

    def _check_prompt(self, where: str) -> None:
        for field in self.record["content_fields"]:
            if f"{{{{{field}}}}}" not in self.prompt.template:
                raise BookError(f"{where}: 'template' lacks {{{field}}}")
        for label in self.labels:
            if label not in self.prompt.preamble:
                raise BookError(f"{where}: 'format' does not name the label {label!r}")

    def leaves(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Path and content of the task's files: generation, and ranking where there are labels."""
        path = f"{FOLDER}/{self.language}/{self.task}"
        yield f"{path}.yaml", self.generation()
        if self.labels:
            yield f"{path}_ppl.yaml", self._ranking()

    def generation(self) -> dict[str, Any]:
        """Content of the file of the task that generates."""
        record = self.record
        tags = ["sea_helm", f"sea_helm_{record['pillar']}", f"sea_helm_{_SLUG.sub('_', record['competency'])}"]
        return {
            "task": self.name,
            "include": [f"_shared/{self.kind.template}", *self._rows()],
            "tag": [*dict.fromkeys(tags), *self._common_tags()] if self.is_unjudged else ["sea_helm_judged"],
            **self._texts(),
            "generation_kwargs": {
                "until": [],
                "do_sample": False,
                "temperature": 0.0,
                "max_gen_toks": entry(record, "max_new_tokens", f"sea_helm.yaml: {self.task}"),
            },
            "metadata": self._metadata(record["kind"], self.kind.headline) | {"item_metric": self.kind.item},
        }

    def _ranking(self) -> dict[str, Any]:
        metadata = self._metadata("ppl", "balanced_acc_cc") | {
            "item_metric": None,
            "answer_cue": self.prompt.cue,
            "content_free_inputs": self.common["content_free_inputs"],
            "content_fields": self.record["content_fields"],
        }
        own_choices = self.record.get("own_choices", False)
        return {
            "task": f"{self.name}_ppl",
            "include": [f"_shared/sea_helm_{'choice_' if own_choices else ''}ranking_yaml", *self._rows()],
            "tag": ["sea_helm_ppl", *self._common_tags()],
            **self._texts(),
            "gen_prefix": self.prompt.cue,
            "doc_to_choice": "choices" if own_choices else self.labels,
            "metadata": metadata,
        }

    def _common_tags(self) -> list[str]:
        return [f"sea_{self.language}", "sea_prompt_native"]

    def _rows(self) -> list[str]:
        """The file that names the function which processes the rows; none where the template names it."""
        return [rows_path(self.record["process"])] if "process" in self.record else []

    def _data(self) -> dict[str, Any]:
        """Where the rows are, for the metadata."""
        record = self.record
        config = record.get("config", "{language}").format(language=self.language)
        splits = record.get("splits", SPLITS)
        source = {"data_source": record["source"]}
        files = {
            split: f"{record['folder']}/{file.format(language=self.language)}" for split, file in record.get("files", {}).items()
        }
        if not record.get("on_hub", True):
            return source | {"data_files": files, "data_on_hub": False}
        source |= {"data_config": config, "data_splits": splits}
        source |= {"data_checkout": {"folder": record["checkout"], "files": files}} if "checkout" in record else {}
        return source | ({"data_source_also": record["also"]} if "also" in record else {})

    def _texts(self) -> dict[str, Any]:
        shots = {} if self.record.get("exemplars", True) else {"num_fewshot": 0}
        return {**shots, "description": self.prompt.preamble, "doc_to_text": self.prompt.template}

    def _metadata(self, variant: str, headline: str) -> dict[str, Any]:
        record = self.record
        chance = record.get("chance", 1 / len(self.labels) if self.labels else 0.0)
        needed = {
            "version": self.version,
            "suite": self.suite,
            "dataset": FOLDER,
            "language": self.language,
            "task": self.task,
            "variant": variant,
            "sea_helm_task": record["key"],
            "pillar": record["pillar"],
            "competency": record["competency"],
            "score_group": record.get("score_group"),
            "prompt_language": self.language,
            "prompt_book_version": self.prompt.version,
            "answer_tag": self.prompt.cue,
            **self._data(),
            "rows": record["rows"],
            "chance": chance,
            "headline_metric": headline,
        }
        shown = _PLACE.findall(self.prompt.template)
        needed["fields"] = [field for field in dict.fromkeys(shown) if field not in record.get("optional_fields", [])]
        needed["fields"] += [record["exemplars_by"]] if "exemplars_by" in record else []
        if self.labels:
            needed["labels"] = self.labels
        elif self.kind.has_cue:
            needed["answer_language"] = record.get("answer_language", self.language)
        if record["kind"] == "criteria":
            needed["turn_text"] = self.prompt.template
        if "first_turn" in record:
            needed["first_turn_task"] = f"sea_helm_{self.language}_{record['first_turn']}"
        return needed | {key: record[key] for key in ("phenomena", "exemplars_by") if key in record} | {"provenance": {}}


def sea_helm_files(prompts: Path) -> dict[str, str]:
    """Path below the tasks folder → content.

    Args:
        prompts: folder of the prompt books.

    Raises:
        BookError: if a book is missing or lacks something.
    """
    catalogue, common, books = read_sea_helm(), read_data_sets(), read_book(prompts, FOLDER)["languages"]
    files: dict[str, str] = {}
    for language in catalogue["languages"]:
        if language not in books:
            raise BookError(f"{prompts / FOLDER / language}.yaml: no prompt book of SEA-HELM for language {language!r}")
        book = books[language]
        records = catalogue["tasks"] | catalogue["judged"]
        names = [name for name, record in records.items() if language in record["languages"]]
        tasks = [Task(name, language, catalogue, book, common) for name in names]
        for file, content in [leaf for task in tasks for leaf in task.leaves()]:
            files[file] = render(f"prompts/{FOLDER}/{language}.yaml", file, content)
        for content in _groups(language, tasks, catalogue):
            name = content["group"].removeprefix(f"{FOLDER}_{language}").removeprefix("_") or language
            file = f"{FOLDER}/{language}/groups/{name}.yaml"
            files[file] = render("catalogue/sea_helm.yaml", file, content)
    records = (*catalogue["tasks"].values(), *catalogue["judged"].values())
    for process in {record["process"]: None for record in records if "process" in record}:
        content = {"dataset_kwargs": {"process": Function(f"utils.{process}")}}
        files[rows_path(process)] = render("catalogue/sea_helm.yaml", rows_path(process), content)
    return files


def rows_path(process: str) -> str:
    """The file that names the function which processes the rows; lm-eval looks for it beside that file only."""
    return f"{FOLDER}/_{process.removeprefix('process_')}_yaml"


def _groups(language: str, tasks: list[Task], catalogue: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The groups of a language: its suites, what is in none of them, and what a judge scores.

    They have no averages: SEA-HELM's totals are no plain means, and are computed from the samples. What is only the second turn
    of a conversation is in no group, for it needs the first one's answers; nor is what a judge scores for no suite any more.
    """
    metadata = {"metadata": {"version": catalogue["version"]}}
    plain = [task for task in tasks if task.is_unjudged]
    rest, whole = plain, f"{FOLDER}_{language}"
    for suite in catalogue["suites"].values():
        wanted = set(suite["languages"].get(language, []))
        members = [task for task in plain if wanted & {task.record["key"], task.record.get("score_group")}]
        rest = [task for task in rest if task not in members]
        name = suite["group"].format(language=language)
        if members and name != whole:
            yield {"group": name, "task": [task.name for task in members], **metadata}
        elif members:
            yield from _by_pillar(name, members, catalogue, metadata)
    if language not in catalogue["suites"]["seahelm"]["languages"]:
        yield from _by_pillar(whole, rest, catalogue, metadata)
    elif rest:
        yield {"group": f"{FOLDER}_extra_{language}", "task": [task.name for task in rest], **metadata}
    in_suites = {key for suite in catalogue["suites"].values() for keys in suite["languages"].values() for key in keys}
    answers = [task for task in tasks if not task.is_unjudged and "first_turn" not in task.record]
    if judged := [task.name for task in answers if task.record["key"] in in_suites]:
        yield {"group": f"{FOLDER}_judged_{language}", "task": judged, **metadata}


def _by_pillar(name: str, tasks: list[Task], catalogue: dict[str, Any], metadata: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A group, and below it those of its pillars."""
    pillars = {
        f"{name}_{pillar}": [task.name for task in tasks if task.record["pillar"] == pillar] for pillar in catalogue["pillars"]
    }
    pillars = {pillar: names for pillar, names in pillars.items() if names}
    yield {"group": name, "task": list(pillars), **metadata}
    for pillar, names in pillars.items():
        yield {"group": pillar, "task": names, **metadata}
