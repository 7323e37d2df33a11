"""The task files of a data set that has the same rows in every language: its further settings.

Beside the tasks in one language (`task_files.py`), each language has:

    chat          zero-shot instruction for chat models; the letter is read from what they write
    parallel      exemplars that are translations of each other in all languages, so that languages can be compared on equal ones
    enshots       English words and exemplars before rows of the language
    X-en, en-X    passage in the first language, question and options in the second, in whose language the prompt is
    to_en         the model translates every text of the rows into English
    translated    the rows as such translations, from files that the user makes
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lm_eval_sea.generate.prompt_books import BookError, entry
from lm_eval_sea.generate.task_files import Content, DataSet, greedy
from lm_eval_sea.generate.task_kinds import CHAT, KINDS
from lm_eval_sea.generate.task_yaml import Quoted

PAIR_VARIANTS = ("to_ppl", "litilo_ppl", "litilo_gen")
ENGLISH_EXEMPLAR_VARIANTS = ("litilo_ppl", "to_ppl")
ENGLISH_EXEMPLARS = 5  # as in the paper
PARALLEL_VARIANTS = ("to_ppl", "litilo_ppl", "litilo_gen")
TRANSLATED_VARIANTS = ("to_ppl", "litilo_ppl", "litilo_gen")


class ParallelDataSet(DataSet):
    """A data set with the key `parallel` in the catalogue."""

    def __init__(self, name: str, catalogue: dict[str, Any], prompts: Path, pairs: list[str]) -> None:
        """Reads the book of the data set.

        Args:
            name: of the data set.
            catalogue: all of it.
            prompts: folder of prompt books.
            pairs: language pairs that get tasks besides those with English, such as "th-vi".

        Raises:
            BookError: for a pair of languages that the data set does not have.
        """
        super().__init__(name, catalogue, prompts)
        self.names = catalogue["languages"]
        self.parallel = self.record["parallel"]
        self.languages = self.record["languages"]
        others = [language for language in self.languages if language != "en"]
        self.pairs = [pair for language in others for pair in (f"{language}-en", f"en-{language}")]
        for pair in pairs:
            first, _, second = pair.partition("-")
            if first == second or not {first, second} <= set(self.languages):
                raise BookError(f"{name}: no pair {pair!r}; expected X-Y with two of {', '.join(self.languages)}")
        self.pairs = list(dict.fromkeys([*self.pairs, *pairs]))

    def _contents(self) -> Iterator[tuple[str, Content]]:
        yield from super()._contents()
        yield from self._further_leaves()
        yield from self._all_groups()

    def _processes(self) -> list[str]:
        return [*super()._processes(), "process_pairs", "process_texts"]

    def _file(self, language: str) -> str:
        return self.parallel["path"].format(code=self.languages[language]["code"])

    def _leaf(self, language: str, pair: str, data: dict[str, Any], prompt_language: str, variant: str) -> Content:
        """A task in one language; says which book the exemplars are from."""
        leaf = super()._leaf(language, pair, data, prompt_language, variant)
        return self._with_exemplars_of(self._book_of(language), leaf, foreign=self._book_of(language) != language)

    def _with_exemplars_of(self, book: str, leaf: Content, *, foreign: bool) -> Content:
        said = {"parallel": True, "exemplar_language": book, "exemplar_book_version": self._book_version(book)}
        tags = [*leaf["tag"], "sea_exemplars_en"] if foreign else leaf["tag"]
        include = [*leaf["include"][:2], self._exemplars_path(book)]
        return leaf | {"include": include, "tag": tags, "metadata": leaf["metadata"] | said}

    def _further_leaves(self) -> Iterator[tuple[str, Content]]:
        for language in self.languages:
            for prompt_language in self._prompt_languages(language):
                enprompt = "_enprompt" if prompt_language != language else ""
                yield self._path("chat", language + enprompt), self._chat(language, prompt_language)
            if self._book_of(language) == language:
                yield self._parallel_exemplars_path(language), self._exemplars(language, "parallel_exemplars")
                for variant in PARALLEL_VARIANTS:
                    yield self._path("parallel", variant, language), self._parallel(language, variant)
            for variant in ENGLISH_EXEMPLAR_VARIANTS:
                yield self._path("enshots", variant, language), self._english_exemplars(language, variant)
            if language != "en":
                yield self._path("to_en", language), self._to_english(language)
                yield self._path("translated", "chat", language), self._of_translations(language, self._chat("en", "en"), "chat")
                for variant in TRANSLATED_VARIANTS:
                    leaf = self._of_translations(language, self._english_leaf(variant), variant)
                    yield self._path("translated", variant, language), leaf
        for pair in self.pairs:
            for variant in PAIR_VARIANTS:
                leaf = self._pair(pair, variant)
                enprompt = "_enprompt" if leaf["task"].endswith("_enprompt") else ""
                yield self._path("pairs", variant, pair + enprompt), leaf

    def _english_leaf(self, variant: str) -> Content:
        return self._leaf("en", "en", self.languages["en"], "en", variant)

    @staticmethod
    def _in_setting(leaf: Content, setting: str, task: str, **metadata: Any) -> Content:
        """The leaf under another name, on other rows and under the tag of its setting alone: it is not a task in one language."""
        inherited = {key: value for key, value in leaf["metadata"].items() if key != "sailcompass_evaluator"}
        return leaf | {
            "task": task,
            "tag": [f"sea_setting_{setting}"],
            "metadata": inherited | {"setting": setting} | metadata,
        }

    def _chat(self, language: str, prompt_language: str) -> Content:
        """The instruction stands in the user's message, for not all chat templates know a system message."""
        book = self._words(prompt_language)
        leaf = super()._leaf(language, language, self.languages[language], prompt_language, "litilo_gen")
        instruction = entry(book, "chat_instruction", f"{self.where}: {prompt_language}")
        own = {
            "doc_to_text": f"{instruction}\n\n{leaf['doc_to_text'].removesuffix(book['cue']).rstrip()}",
            "num_fewshot": 0,
            "generation_kwargs": greedy([book["words"][self.record["fields"][0]]], self.parallel["chat_max_new_tokens"]),
        }
        metadata = leaf.pop("metadata")
        del leaf["description"]
        name = self._name(language, "chat", prompt_language != language)
        leaf |= own | {"metadata": metadata | {"parallel": True}}
        return self._in_setting(leaf, "chat", name, variant="chat")

    def _english_exemplars(self, language: str, variant: str) -> Content:
        """All English but the row. Letters are ranked by their probability, as in the paper."""
        leaf = self._leaf(language, language, self.languages[language], "en", variant)
        name = "_".join(("sea", self.name, language, "enshots", variant))
        headline = "acc" if variant == "litilo_ppl" else leaf["metadata"]["headline_metric"]
        leaf = self._in_setting(leaf, "enshots", name, headline_metric=headline)
        return self._with_exemplars_of("en", leaf, foreign=language != "en") | {"num_fewshot": ENGLISH_EXEMPLARS}

    def _parallel_exemplars_path(self, language: str) -> str:
        return f"{self.name}/parallel/exemplars/_{language}_yaml"

    def _parallel(self, language: str, variant: str) -> Content:
        leaf = self._leaf(language, language, self.languages[language], language, variant)
        include = [*leaf["include"][:2], self._parallel_exemplars_path(language)]
        name = "_".join(("sea", self.name, language, "parallel", variant))
        return self._in_setting(leaf | {"include": include}, "parallel", name)

    def _pair(self, pair: str, variant: str) -> Content:
        """Instruction, words and exemplars are those of the question's language."""
        passages, questions = pair.split("-")
        leaf = self._leaf(questions, pair, self.languages[questions], self._book_of(questions), variant)
        files = {"test": self._file(passages), "questions": self._file(questions)}
        languages = {"language": pair, "passage_language": passages, "question_language": questions}
        source = {"data_source": self.parallel["source"], "data_files": files}
        leaf = self._in_setting(leaf, "pair", leaf["task"], **source, **languages)
        return self._with_rows(leaf, "process_pairs")

    def _with_rows(self, leaf: Content, process: str) -> Content:
        template, _, *exemplars = leaf["include"]
        return leaf | {"include": [template, self._rows_path(process), *exemplars]}

    def _of_translations(self, language: str, leaf: Content, variant: str) -> Content:
        name = "_".join(("sea", self.name, language, "translated", variant))
        source = {"data_source": self.parallel["translated"], "data_files": {"test": self._file(language)}}
        return self._in_setting(leaf, "translated", name, language=language, **source)

    def _to_english(self, language: str) -> Content:
        """The form of the translation tasks: a line with the text, a line for its translation; zero-shot."""
        where, book = f"{self.where}: en", self._words("en")
        kind = KINDS["translation"][""]
        source_word, cue = f"{self.names[language]}:", f"{self.names['en']}:"
        instruction = entry(book, "translate_instruction", where).format(language=self.names[language])
        return {
            "task": "_".join(("sea", self.name, language, "to_en")),
            "include": ["_shared/text_translation_yaml", self._rows_path("process_texts")],
            "tag": ["sea_setting_to_en"],
            "description": Quoted(instruction + "\n\n"),
            "doc_to_text": f"{source_word} {{{{text}}}}\n{cue}",
            "generation_kwargs": greedy([source_word], self.parallel["max_new_tokens"]),
            "metadata": {
                "version": self.record["version"],
                "dataset": self.name,
                "language": language,
                "task": "mt",
                "variant": "to_en",
                "prompt_language": "en",
                "prompt_book_version": self._book_version("en"),
                "answer_cue": cue,
                "data_source": self.parallel["source"],
                "data_files": {"test": self._file(language), "english": self._file("en")},
                "rows": self.parallel["texts"],
                "chance": 0.0,
                "headline_metric": kind.headline,
                "setting": "to_en",
                "source_language": language,
                "answer_language": "en",
                "provenance": {},
            },
        }

    def _all_groups(self) -> Iterator[tuple[str, Content]]:
        """The groups over all languages. Where there is no book in a language, its task with the English book is the member."""
        for enprompt in (False, True):
            for variant, kind in {**self.variants, "chat": CHAT}.items():
                members = [
                    self._name(language, variant, language != "en" and (enprompt or self._book_of(language) == "en"))
                    for language in self.languages
                ]
                yield self._group_of(self._name("all", variant, enprompt), members, kind.aggregated)
        with_book = [language for language in self.languages if self._book_of(language) == language]
        for variant in PARALLEL_VARIANTS:
            members = ["_".join(("sea", self.name, language, "parallel", variant)) for language in with_book]
            yield self._group_of(f"sea_{self.name}_all_parallel_{variant}", members, self.variants[variant].aggregated)
        for variant in ENGLISH_EXEMPLAR_VARIANTS:
            members = ["_".join(("sea", self.name, language, "enshots", variant)) for language in self.languages]
            yield self._group_of(f"sea_{self.name}_all_enshots_{variant}", members, self.variants[variant].aggregated)
