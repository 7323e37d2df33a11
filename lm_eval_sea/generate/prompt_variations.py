"""Tasks that ask the same in other words, or with other exemplars: how much of a score is the prompt's (Mizrahi et al. 2024).

    p2, p3    instructions in other words, from the key `paraphrases` of a book; the plain task has the first wording
    e1, e2 …  the five exemplars of the book in a random order, by seed, so that the first ones, which are shown, are others

Only the tasks of the suite have them, in the language of the data and, for paraphrases, in English.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lm_eval_sea.catalogue import SUITE
from lm_eval_sea.generate.generated_files import Content, GeneratedFiles
from lm_eval_sea.generate.prompt_books import BookError, entry, read_book
from lm_eval_sea.generate.task_yaml import Quoted, render

PARAPHRASES = 2  # of each book that has any


class PromptVariations:
    """The files that are made of those of the plain tasks."""

    def __init__(self, files: Mapping[str, str], prompts: Path, exemplar_seeds: int) -> None:
        """Looks up names.

        Args:
            files: the generated files of all plain tasks, path below the tasks folder → content.
            prompts: folder of prompt books.
            exemplar_seeds: how many draws of exemplars are wanted.
        """
        self._files = GeneratedFiles(files)
        self._prompts = prompts
        self._seeds = exemplar_seeds
        self._books: dict[str, dict[str, Any]] = {}

    def files(self) -> dict[str, str]:
        """Path below the tasks folder → content."""
        return {path: render("prompts", path, content) for path, content in self._contents()}

    def _contents(self) -> Iterator[tuple[str, Content]]:
        for member in self._files.members(SUITE):
            for task in filter(self._files.__contains__, (member, f"{member}_enprompt")):
                for number, text in enumerate(self._paraphrases(task), start=2):
                    yield self._variation(task, f"p{number}", {"description": Quoted(f"{text}\n\n")})
            for seed in range(1, self._seeds + 1):
                yield self._variation(member, f"e{seed}", {"fewshot_config": self._drawn(member, seed)})

    def _paraphrases(self, task: str) -> list[str]:
        """The other wordings of a task's instruction.

        Raises:
            BookError: if a book has another number than `PARAPHRASES`, or none for one of its directions of translation.
        """
        metadata = self._files.read(task)["metadata"]
        data_set, language = metadata["dataset"], metadata["prompt_language"]
        if data_set not in self._books:
            self._books[data_set] = read_book(self._prompts, data_set)["languages"]
        texts = self._books[data_set][language].get("paraphrases", [])
        if texts and "source_language" in metadata:  # translation
            direction = f"{metadata['source_language']}_{metadata['answer_language']}"
            texts = entry(texts, direction, f"{data_set}: {language}: paraphrases")
        if texts and (len(texts) != PARAPHRASES or not all(texts)):
            raise BookError(f"{data_set}: {language}: 'paraphrases' has {len(texts)} texts; expected {PARAPHRASES}")
        return texts

    def _drawn(self, task: str, seed: int) -> Content:
        config = self._files.read_path(self._files.included(task)[-1])["fewshot_config"]
        samples = config["samples"]
        return config | {"samples": random.Random(f"{seed} {task}").sample(samples, len(samples))}

    def _variation(self, task: str, prompt: str, own: Content) -> tuple[str, Content]:
        path, metadata = self._files.path(task), self._files.read(task)["metadata"]
        return (
            path.replace("/", f"/{prompt}/", 1),
            {
                "task": f"{task}_{prompt}",
                "include": [path],
                "tag": [f"sea_setting_{prompt}"],
                **own,
                "metadata": metadata | {"setting": prompt, "provenance": metadata["provenance"]},
            },
        )
