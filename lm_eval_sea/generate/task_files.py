"""What the generated task files hold: from the catalogue and a prompt book to the content of each file.

`parallel_files.py` adds the further settings of a data set that has the same rows in many languages.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from lm_eval_sea.generate.prompt_books import EXEMPLARS, BookError, as_row, entry, is_english_prompt, read_book
from lm_eval_sea.generate.suite_files import averages
from lm_eval_sea.generate.task_kinds import GENERATED, KINDS, LETTER_TOKENS, Variant, directions
from lm_eval_sea.generate.task_yaml import Function, Quoted, render

Content = dict[str, Any]  # of a YAML file; what it includes by paths below the tasks folder

NAMES_OF_A_FOLDER = 10  # of languages or directions; with more, a folder with all their files has too many for a person to read
PUBLISHED_EXEMPLARS = "examples"  # the split, where a data set has one
PACK = Path(__file__).resolve().parents[1]
TASKS = PACK / "tasks"


def labels_of(data_set: str) -> tuple[str, ...]:
    """The labels of a classification task in the order of their numbers, from the data set's utils.py."""
    spec = importlib.util.spec_from_file_location(f"{data_set}_utils", TASKS / data_set / "utils.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.LABELS


def question_block(book: dict[str, Any], fields: list[str], variant: Variant, where: str) -> str:
    """The Jinja template of a question up to and with the cue.

    Args:
        book: the words of one prompt language.
        fields: the columns to show, in order.
        variant: what of the options is shown.
        where: the place to name in an error.
    """
    words = entry(book, "words", where)
    lines = []
    for field in fields:
        value = f"{{{{{field}}}}}"
        if field == "question" and "questions" in book:  # the column holds a key; the book has the sentence for it
            value = f"{{{{ {json.dumps(book['questions'], ensure_ascii=False)}[question] }}}}"
        lines.append(f"{entry(words, field, f'{where}: words')} {value}")
    block = "\n".join(lines)
    if variant.shown:
        letter = "{{letters[loop.index0]}}. " if variant.lettered else ""
        block += f"{{% for option in options %}}\n{letter}{{{{option}}}}{{% endfor %}}"
    return f"{block}\n{entry(book, 'cue', where)}"


def greedy(field_words: list[str], max_new_tokens: int) -> Content:
    """Greedy generation that ends where the model begins another question, with one of the words of its fields.

    A bare line break would also stop at one before the answer.
    """
    until = [Quoted(f"\n{word}") for word in field_words]
    return {"until": until, "do_sample": False, "temperature": 0.0, "max_gen_toks": max_new_tokens}


def place_of_rows(data: dict[str, Any]) -> dict[str, Any]:
    """The keys of the metadata that say where a language's rows are: files of a repository, or a configuration of it."""
    place = {"data_files": data["files"]} if "files" in data else {"data_config": data["config"], "data_splits": data["splits"]}
    on_hub = {} if data.get("on_hub", True) else {"data_on_hub": False}
    checkout = {"data_checkout": data["checkout"]} if "checkout" in data else {}
    return {"data_source": data["source"]} | place | on_hub | checkout


class Prompt(NamedTuple):
    """What one task says in one prompt language."""

    language: str  # of the words
    instruction: str
    block: str  # template of a question
    cue: str
    field_words: list[str]  # each begins a line of a question
    answer_language: str
    answer: str | None = None  # the column of the answer, where it is not the template's


class DataSet:
    """One data set: its record in the catalogue and its prompt book, and the files they make."""

    def __init__(self, name: str, catalogue: dict[str, Any], prompts: Path) -> None:
        """Reads the book of the data set."""
        self.name, self.record = name, catalogue["data_sets"][name]
        self.content_free_inputs = catalogue["content_free_inputs"]
        self.book = read_book(prompts, name)
        self.where = f"{name}.yaml" if (prompts / f"{name}.yaml").exists() else name
        self.kind = self.record["kind"]
        self.labels = labels_of(name) if self.kind == "classification" else ()
        self.variants = KINDS[self.kind]
        pairs = [pair for language in self.record["languages"] for pair in directions(self.record, language)]
        self._is_wide = "" in self.variants and len(pairs) > NAMES_OF_A_FOLDER

    def _words(self, prompt_language: str) -> dict[str, Any]:
        return entry(entry(self.book, "languages", self.where), prompt_language, self.where)

    def _book_version(self, language: str) -> Any:
        """A book of one file has one version; of several, each has its own."""
        where = f"{self.where}: {language}"
        return self.book.get("version") or entry(self._words(language), "version", where)

    def _prompt_languages(self, language: str) -> list[str]:
        """The language itself, if there is a book in it, and English."""
        return list(dict.fromkeys((self.record["languages"][language].get("book", language), "en")))

    def files(self) -> dict[str, str]:
        """Path below the tasks folder → content."""
        return {path: render(f"prompts/{self.where}", path, content) for path, content in self._contents()}

    def _contents(self) -> Iterator[tuple[str, Content]]:
        for process in self._processes():
            yield self._rows_path(process), {"dataset_kwargs": {"process": Function(f"utils.{process}")}}
        for language, data in self.record["languages"].items():
            if self._book_of(language) == language:
                yield self._exemplars_path(language), self._exemplars(language)
            yield from self._leaves(language, data)
        for enprompt in (False, True):
            for variant in self.variants:
                yield self._group(variant, enprompt)

    def _book_of(self, language: str) -> str:
        return self.record["languages"][language].get("book", language)

    def _process_of(self, data: dict[str, Any]) -> str:
        return data.get("process", self.record.get("process"))

    def _processes(self) -> list[str]:
        """The functions of the data set's utils.py that process its rows; none where another data set's do."""
        if "rows_as" in self.record:
            return []
        records = self.record["languages"].values()
        named = [self._process_of(data) for data in records] + [data.get("process_asis") for data in records]
        return list(dict.fromkeys(filter(None, named)))

    def _rows_path(self, process: str) -> str:
        """The file that names the function which processes the rows; lm-eval looks for it beside that file only."""
        return f"{self.record.get('rows_as', self.name)}/_{process.removeprefix('process_')}_yaml"

    def _path(self, *parts: str) -> str:
        """The path of a leaf or group: the parts that are not empty, with folders between the first ones."""
        return "/".join((self.name, *filter(None, parts))) + ".yaml"

    def _leaf_path(self, pair: str, variant: str, enprompt: bool) -> str:
        """sea_xnli_th_enprompt → xnli/th_enprompt.yaml; sea_xcopa_th_to_ppl → xcopa/th/to_ppl.yaml.

        With many languages and one variant, sea_sib200_th_enprompt → sib200/enprompt/th.yaml.
        """
        if enprompt and self._is_wide:
            return self._path("enprompt", pair)
        suffix = "_enprompt" if enprompt else ""
        return self._path(pair, variant + suffix) if variant else self._path(pair + suffix)

    def _exemplars_path(self, language: str) -> str:
        if self._is_wide:
            return f"{self.name}/exemplars/_{language}_yaml"
        has_folder = "" not in self.variants
        return f"{self.name}/{language}/_exemplars_yaml" if has_folder else f"{self.name}/_{language}_exemplars_yaml"

    def _exemplars(self, language: str, key: str = "exemplars") -> Content:
        where = f"{self.where}: {language}"
        exemplars = entry(self._words(language), key, where)
        if len(exemplars) != EXEMPLARS:
            raise BookError(f"{where}: {len(exemplars)} {key}; expected {EXEMPLARS}")
        letters = self.record.get("letters", {}).get(language, "ABCDE")
        samples = [
            as_row(exemplar, self.record, self.labels, letters, f"{where}: exemplar {number}")
            for number, exemplar in enumerate(exemplars, start=1)
        ]
        return {"fewshot_config": {"sampler": "first_n", "samples": samples}}

    def _leaves(self, language: str, data: dict[str, Any]) -> Iterator[tuple[str, Content]]:
        for pair in directions(self.record, language):
            for prompt_language in self._prompt_languages(language):
                for variant in self.variants:
                    path = self._leaf_path(pair, variant, is_english_prompt(prompt_language, language))
                    leaf = self._leaf(language, pair, data, prompt_language, variant)
                    yield path, leaf
                    if "process_asis" in data:
                        yield path.replace("/", "/asis/", 1), self._as_is(leaf, data["process_asis"])

    def _prompt(self, pair: str, prompt_language: str, variant: Variant) -> Prompt:
        book, where = self._words(prompt_language), f"{self.where}: {prompt_language}"
        if self.kind == "translation":
            return self._translation_prompt(pair, book, prompt_language, where)
        return Prompt(
            language=prompt_language,
            instruction=entry(book, "instruction", where),
            block=question_block(book, self.record["fields"], variant, where),
            cue=book["cue"],
            field_words=[book["words"][field] for field in self.record["fields"]],
            answer_language=pair,
        )

    def _translation_prompt(self, pair: str, book: dict[str, Any], prompt_language: str, where: str) -> Prompt:
        source, target = pair.split("_")
        words = [entry(entry(book, "words", where), language, f"{where}: words") for language in (source, target)]
        pivot, translation = self.record["fields"]
        columns = [pivot if language == self.record.get("pivot", "en") else translation for language in (source, target)]
        return Prompt(
            language=prompt_language,
            instruction=entry(entry(book, "instructions", where), pair, f"{where}: instructions"),
            block=f"{words[0]} {{{{{columns[0]}}}}}\n{words[1]}",
            cue=words[1],
            field_words=words[:1],
            answer_language=target,
            answer=columns[1],
        )

    def _answers(self, prompt: Prompt, variant: Variant) -> dict[str, Any]:
        """The keys that say which answers there are to choose from, or how the answer is generated."""
        if self.kind == "classification":
            where = f"{self.where}: {prompt.language}"
            words = entry(self._words(prompt.language), "labels", where)
            return {"doc_to_choice": [entry(words, label, f"{where}: labels") for label in self.labels]}
        if self.kind in GENERATED:
            limits = entry(self.record, "max_new_tokens", f"data_sets.yaml: {self.name}")
            return ({"doc_to_target": prompt.answer} if prompt.answer else {}) | {
                "generation_kwargs": greedy(
                    prompt.field_words, entry(limits, prompt.answer_language, f"data_sets.yaml: {self.name}: max_new_tokens")
                )
            }
        if variant.template == "letter_generation_yaml":
            return {"generation_kwargs": greedy(prompt.field_words, LETTER_TOKENS)}
        return {"doc_to_choice": variant.answer}

    def _extra_metadata(self, prompt: Prompt, pair: str, variant: Variant) -> dict[str, Any]:
        """What the content-free prompts of a calibrated task are made from; for a generated answer its language."""
        if self.kind in GENERATED:
            source = {"source_language": pair.split("_")[0]} if self.kind == "translation" else {}
            return source | {"answer_language": prompt.answer_language}
        if variant.template not in ("classification_yaml", "letter_ranking_yaml"):
            return {}
        keyed = "questions" in self._words(prompt.language)
        fields = [field for field in self.record["fields"] if not (field == "question" and keyed)]
        return {"content_free_inputs": self.content_free_inputs, "content_fields": fields}

    def _evaluator(self, language: str, variant: Variant) -> dict[str, str]:
        """What SailCompass scores the generated answer with; nothing where it does not."""
        generated = self.kind == "qa" or variant.template == "letter_generation_yaml"
        if not generated or language not in self.record.get("suite_languages", self.record["languages"]):
            return {}
        record = self.record | self.record["languages"][language]
        return {"sailcompass_evaluator": record["sailcompass_evaluator"]} if "sailcompass_evaluator" in record else {}

    def _name(self, language: str, variant: str, enprompt: bool) -> str:
        """The name of a task, or of a group if `language` is empty."""
        parts = ["sea", self.name, language, variant, "enprompt" if enprompt else ""]
        return "_".join(filter(None, parts))

    def _leaf(self, language: str, pair: str, data: dict[str, Any], prompt_language: str, variant: str) -> Content:
        kind = self.variants[variant]
        prompt = self._prompt(pair, prompt_language, kind)
        native = not is_english_prompt(prompt_language, language)
        published = PUBLISHED_EXEMPLARS in data.get("splits", ())
        exemplars = {"fewshot_split": PUBLISHED_EXEMPLARS, "fewshot_config": {"sampler": "first_n"}} if published else {}
        tags = [language, self.kind, self.record["task"], f"variant_{variant}" if variant else ""]
        tags.append("prompt_native" if native else "prompt_en")
        return {
            "task": self._name(pair, variant, not native),
            "include": [
                f"_shared/{kind.template}",
                self._rows_path(self._process_of(data)),
                *([] if published else [self._exemplars_path(self._book_of(language))]),
            ],
            "tag": list(dict.fromkeys(f"sea_{tag}" for tag in tags if tag)),
            "description": Quoted(prompt.instruction + "\n\n"),
            "doc_to_text": prompt.block,
            **self._answers(prompt, kind),
            **exemplars,
            "metadata": {
                "version": self.record["version"],
                "dataset": self.name,
                "language": language,
                "task": self.record["task"],
                "variant": variant or self.kind,
                "prompt_language": prompt_language,
                "prompt_book_version": self._book_version(prompt_language),
                "answer_cue": prompt.cue,
                **place_of_rows(data),
                "rows": data["rows"],
                "chance": data["chance"],
                "headline_metric": kind.headline,
                **self._extra_metadata(prompt, pair, kind),
                **self._evaluator(language, kind),
                **({"parallel": True} if self.record.get("same_questions") else {}),
                "provenance": {},
            },
        }

    def _as_is(self, leaf: Content, process: str) -> Content:
        """The same task on the rows as they were published; under a tag of its own, for it is not another data set."""
        template, _, exemplars = leaf["include"]
        return leaf | {
            "task": f"{leaf['task']}_asis",
            "include": [template, self._rows_path(process), exemplars],
            "tag": ["sea_asis"],
            "metadata": leaf["metadata"] | {"as_published": True},
        }

    def _group(self, variant: str, enprompt: bool) -> tuple[str, Content]:
        languages = self.record.get("suite_languages", self.record["languages"])
        prompted = [
            each for each in languages if (each != "en" if enprompt else not is_english_prompt(self._book_of(each), each))
        ]
        pairs = [pair for language in prompted for pair in directions(self.record, language)]
        members = [self._name(pair, variant, enprompt) for pair in pairs]
        return self._group_of(self._name("", variant, enprompt), members, self.variants[variant].aggregated)

    def _group_of(self, name: str, members: list[str], metrics: tuple[str, ...]) -> tuple[str, Content]:
        """The path and the content of a group: the unweighted mean of its members."""
        file = name.removeprefix(f"sea_{self.name}").removeprefix("_") or self.name
        return self._path("groups", file), {
            "group": name,
            "task": members,
            "aggregate_metric_list": averages(metrics),
            "metadata": {"version": self.record["version"]},
        }
