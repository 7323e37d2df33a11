"""The content of a task file, made from `data_set.yml` and prompt files. It does not repeat the facts of `data_set.yml`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from lm_eval_sea.catalogue.data_sets import DataSet
from lm_eval_sea.catalogue.kinds import JUDGED, KINDS, LETTER_TOKENS, Variant, hidden_fields, recommended_variant
from lm_eval_sea.make.prompt_files import (
    EXEMPLARS,
    PromptFileError,
    as_row,
    entry,
    line_starts,
    of_task,
    place,
    read_prompts,
    refuse_other_fields,
    row_template,
)
from lm_eval_sea.make.task_yaml import OneLine, Quoted
from lm_eval_sea.tasks._shared.columns import LETTERS
from lm_eval_sea.tasks._shared.facts import EXEMPLAR_SPLIT, GENERATED, TASKS_FOLDER, is_english_prompt, name_of

Content = dict[str, Any]  # of a YAML file; paths under `include` are below the tasks folder

FULL_WIDTH_COLON = "："  # Chinese has no space after it


@dataclass(frozen=True)
class Prompted:
    """A data set with its prompts."""

    of: DataSet
    prompts: Mapping[str, Mapping[str, Any]]  # language → keys of the prompt file

    def words(self, language: str) -> Mapping[str, Any]:
        """The keys of the prompt file of a language."""
        return dict(entry(self.prompts, language, f"{self.of.name}/prompts"))

    def where(self, language: str) -> str:
        """The prompt file of a language, as errors name it."""
        return place(self.of.name, language)

    def version(self, language: str) -> Any:
        """The version of a prompt file."""
        return entry(self.words(language), "version", self.where(language))

    def who(self, language: str, variant: str, prompt_language: str, version: float | None = None) -> Content:
        """The metadata that identify a task; its version is that of the data set unless it has its own."""
        return {
            "version": version or self.of.version,
            "dataset": self.of.name,
            "language": language,
            "variant": variant,
            "prompt_language": prompt_language,
        }


def read(data_set: DataSet, prompts: Path = TASKS_FOLDER) -> Prompted:
    """A data set with its prompts, from a folder laid out like the tasks folder."""
    found = {} if data_set.kind == JUDGED else read_prompts(prompts, data_set.name)
    return Prompted(data_set, found)


def group_of(name: str, members: Iterable[str], version: float, metrics: Iterable[str] = ()) -> Content:
    """A group: the unweighted mean of its leaf tasks by metric, if there are metrics."""
    means = [{"metric": metric, "aggregation": "mean", "weight_by_size": False} for metric in metrics]
    averaged = {"aggregate_metric_list": means} if means else {}
    return {"group": name, "task": list(members), **averaged, "metadata": {"version": version}}


def greedy(starts: list[str], max_new_tokens: int) -> Content:
    """Greedy decoding that stops where the model begins another question: at a line break followed by one of `starts`.

    A line break alone is no stop sequence, because the model may write one before its answer.
    """
    until = [Quoted(f"\n{start}") for start in starts]
    return {"until": until, "do_sample": False, "temperature": 0.0, "max_gen_toks": max_new_tokens}


def second_turn(prompted: Prompted, language: str) -> Content:
    """The task that continues from the answers to a judged task; it is separate because lm-eval has no second turn."""
    first = leaf(prompted, language, language, "")
    return first | {
        "task": f"{first['task']}_turn_2",
        "include": ["_shared/sea_helm_second_turn_yaml", *first["include"][1:]],
        "tag": ["sea_judged_turn_2"],
        "description": "",
        "doc_to_text": "{{turns[1]}}",
        "metadata": first["metadata"] | {"variant": "second_turn", "answer_tag": ""},
    }


def rows_path(folder: str, process: str) -> str:
    """The file that names the function for processing rows. lm-eval looks for the function only beside this file."""
    name = "rows" if process == "process_row" else process.removeprefix("process_")
    return f"{folder}/_{name}_yaml"


class Shown(NamedTuple):
    """What a task of a language, or of a direction of translation, shows."""

    words: Mapping[str, Any]  # keys of the prompt file, or of its part for the direction
    where: str  # the place that errors name
    fields: Sequence[str]  # columns of a row
    answer: str  # the column of a generated answer
    said: Mapping[str, str]  # metadata of a translation: its two languages


def shown_of(prompted: Prompted, of: str, prompt_language: str) -> Shown:
    """What a task shows for a language, or a direction such as "en_th", in the words of a prompt language."""
    data_set, words, where = prompted.of, prompted.words(prompt_language), prompted.where(prompt_language)
    hidden: Sequence[str] = hidden_fields(data_set.kind)
    if data_set.kind == "translation":
        words, where = of_task(words, of, where), f"{where}: {of}"
        source, target = of.split("_")
        shown, answer = data_set.fields if source == data_set.pivot else reversed(data_set.fields)
        hidden = [answer]
        found = Shown(words, where, [shown], answer, {"source_language": source, "answer_language": target})
    else:
        found = Shown(words, where, data_set.fields, KINDS[data_set.kind][recommended_variant(data_set.kind)].answer, {})
    if data_set.columns:
        refuse_other_fields(words, [column for column in data_set.columns if column not in hidden], hidden, where)
    return found


def label_words(prompted: Prompted, words: Mapping[str, Any], where: str) -> list[str]:
    """The words for the labels of a classification task, in the order of their numbers."""
    named = entry(words, "labels", where)
    found = {label: entry(named, label, f"{where}: labels").strip() for label in prompted.of.labels}
    if unknown := [label for label in named if label not in found]:
        raise PromptFileError(f"{where}: labels: data_set.yml has no label {unknown[0]!r}; it has {', '.join(found)}")
    if repeated := [label for label, word in found.items() if list(found.values()).count(word) > 1]:
        raise PromptFileError(f"{where}: labels: {' and '.join(map(repr, repeated))} have the same word")
    return list(found.values())


def answer_limit(data_set: DataSet, of: str) -> int:
    """The token limit of a generated answer, in the language or direction `of`."""
    return int(entry(data_set.max_new_tokens, of.split("_")[-1], f"{data_set.name}/data_set.yml: max_new_tokens"))


def leaf(prompted: Prompted, language: str, prompt_language: str, variant: str, direction: str = "") -> Content:
    """The task of a data set in a language.

    `variant` is empty if the kind has only one; `direction`, such as "en_th", replaces the language in the names of translations.
    """
    data_set, of = prompted.of, direction or language
    data, kind = data_set.languages[language], KINDS[data_set.kind][variant]
    who = prompted.who(language, variant or data_set.kind, prompt_language)
    include = [f"_shared/{kind.template}", *([rows_path(data_set.rows_folder, data.process)] if data.process else [])]
    if data_set.kind == JUDGED:
        return {
            "task": name_of(data_set.name, language),
            "include": include,
            "tag": ["sea_judged"],
            "generation_kwargs": greedy([], answer_limit(data_set, language)),
            "metadata": {**who, "prompt_book_version": None, "provenance": {}},
        }
    shown = shown_of(prompted, of, prompt_language)
    words, where = shown.words, shown.where
    row, cue = row_template(words, shown.fields, where), entry(words, "cue", where)
    instruction = entry(words, "instruction", where)
    answers = _answers(prompted, of, kind, shown)
    english = is_english_prompt(prompt_language, language)
    words_in = "prompt_en" if english else "prompt_native"
    tags = [language, data_set.kind, data_set.task, variant and f"variant_{variant}", words_in]
    published = EXEMPLAR_SPLIT in data.splits
    if published:
        answers |= {"fewshot_split": EXEMPLAR_SPLIT, "fewshot_config": OneLine({"sampler": "first_n"})}
    content = {
        "task": name_of(data_set.name, of, variant, english=english),
        "include": include,
        "tag": list(dict.fromkeys(f"sea_{tag}" for tag in tags if tag)),
        "description": Quoted(f"{instruction}\n\n"),
        "doc_to_text": with_options(row, cue, kind),
        **({"target_delimiter": Quoted("")} if cue.endswith(FULL_WIDTH_COLON) else {}),
        **answers,
        "metadata": {
            **who,
            "prompt_book_version": prompted.version(prompt_language),
            "answer_cue": cue,
            **shown.said,
            "provenance": {},
        },
    }
    return content if published else with_exemplars(prompted, content, language)


def _answers(prompted: Prompted, of: str, variant: Variant, shown: Shown) -> Content:
    """The options that are ranked, or how an answer is generated."""
    if prompted.of.kind == "classification":
        return {"doc_to_choice": label_words(prompted, shown.words, shown.where)}
    if prompted.of.kind in GENERATED:
        reference = {"doc_to_target": shown.answer} if shown.said else {}
        return {**reference, "generation_kwargs": greedy(line_starts(shown.words), answer_limit(prompted.of, of))}
    if variant.template == "letter_generation_yaml":
        return {"generation_kwargs": greedy(line_starts(shown.words), LETTER_TOKENS)}
    return {"doc_to_choice": variant.answer}


def with_options(row: str, cue: str, variant: Variant) -> str:
    """The Jinja template of a question: the row, the options if the variant shows them, and the cue."""
    if variant.shown:
        letter = "{{letters[loop.index0]}}. " if variant.lettered else ""
        row += f"{{% for option in options %}}\n{letter}{{{{option}}}}{{% endfor %}}"
    return f"{row}\n{cue}"


def with_exemplars(prompted: Prompted, content: Content, language: str) -> Content:
    """Adds the exemplars of a language. Tasks of a parallel data set state it, because it may not be that of the rows."""
    data_set = prompted.of
    of = data_set.languages[language].prompts
    content = content | {"include": [*content["include"][:2], exemplars_path(data_set, of)]}
    if data_set.parallel:
        said = {"exemplar_language": of, "exemplar_book_version": prompted.version(of), "provenance": {}}
        content["metadata"] = {key: value for key, value in content["metadata"].items() if key != "provenance"} | said
        if of != content["metadata"]["language"] and "sea_exemplars_en" not in content["tag"]:
            content["tag"] = [*content["tag"], "sea_exemplars_en"]
    return content


def exemplars_path(data_set: DataSet, language: str, key: str = "exemplars") -> str:
    """The file of a language's exemplars."""
    return f"{data_set.name}/{key}/_{language}_yaml"


def exemplars(prompted: Prompted, language: str, key: str = "exemplars") -> Content:
    """The content of the file of a language's exemplars."""
    data_set, where = prompted.of, prompted.where(language)
    found = entry(prompted.words(language), key, where)
    if len(found) != EXEMPLARS:
        raise PromptFileError(f"{where}: {len(found)} {key}; expected {EXEMPLARS}")
    letters = data_set.letters.get(language, LETTERS)
    samples = [
        as_row(exemplar, data_set, letters, f"{where}: exemplar {number}") for number, exemplar in enumerate(found, start=1)
    ]
    return {"fewshot_config": {"sampler": "first_n", "samples": samples}}
