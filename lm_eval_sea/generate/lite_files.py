"""The lite tasks, which have a fixed part of the rows, and the groups of one language."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Any

from lm_eval_sea.catalogue import LITE_SUITE, SUITE, read_lite
from lm_eval_sea.generate.generated_files import Content, GeneratedFiles
from lm_eval_sea.generate.suite_files import is_collected, plain_tasks
from lm_eval_sea.generate.task_yaml import render

HELM = "sea_helm_"
LITE_HELM = "sea_helm_lite_"
SOURCE = "catalogue/lite"


def lite_name(task: str) -> str:
    """The name of the lite task of a task."""
    return f"{task}_lite"


def language_group(language: str) -> str:
    """The group of what a plain run of a language should have."""
    return f"sea_language_{language}"


def reading_task(tasks: Container[str], language: str) -> str | None:
    """Belebele in the recommended variant; some languages have prompts in English only."""
    names = (f"sea_belebele_{language}_to_ppl{ending}" for ending in ("", "_enprompt"))
    return next((name for name in names if name in tasks), None)


class LiteFiles:
    """The files that are made of those of the whole tasks."""

    def __init__(self, files: Mapping[str, str], catalogue: dict[str, Any]) -> None:
        """Looks up names.

        Args:
            files: all other generated files, path below the tasks folder → content.
            catalogue: of the data sets.
        """
        self.languages = catalogue["languages"]
        self._more = self._outside_suite(catalogue)
        self._files = GeneratedFiles(files)
        self._chosen = {task: (choice, digest) for choice in read_lite()["choices"] for task, digest in choice["tasks"].items()}

    @staticmethod
    def _outside_suite(catalogue: dict[str, Any]) -> dict[str, list[str]]:
        """Language → its tasks of the data sets outside SailCompass."""
        found: dict[str, list[str]] = {}
        for name, record in catalogue["data_sets"].items():
            for language, tasks in plain_tasks(name, record).items():
                if name not in catalogue["suite"] and is_collected(name, language, catalogue):
                    found.setdefault(language, []).extend(tasks)
        return found

    def files(self) -> dict[str, str]:
        """Path below the tasks folder → content."""
        return {
            path: render(SOURCE, path, content) for path, content in (*self._leaves(), *self._suites(), *self._of_languages())
        }

    def _lite(self, tasks: list[str]) -> list[str]:
        return [lite_name(task) for task in tasks if task in self._chosen]

    def _leaves(self) -> Iterator[tuple[str, Content]]:
        for task, (choice, digest) in self._chosen.items():
            path, whole = self._files.path(task), self._files.read(task)
            metadata = whole["metadata"]
            provenance = metadata.pop("provenance")
            own = {
                "rows": len(choice["ids"].split()),
                "setting": "lite",
                "subset": {"of": choice["of"], "sha256": digest, "ids": choice["ids"]},
                "provenance": provenance,
            }
            yield (
                path.replace("/", "/lite/", 1),
                {
                    "task": lite_name(task),
                    "include": [path],
                    "tag": ["sea_setting_lite"],
                    "metadata": metadata | own,
                },
            )

    def _suites(self) -> Iterator[tuple[str, Content]]:
        whole = self._files.read(SUITE)
        version = {"metadata": whole["metadata"]}
        names = {group: group.replace(SUITE, LITE_SUITE) for group in whole["task"]}
        yield "sailcompass/lite.yaml", {"group": LITE_SUITE, "task": list(names.values())} | version
        for group, name in names.items():
            averages = {"aggregate_metric_list": self._files.read(group)["aggregate_metric_list"]}
            yield (
                f"sailcompass/{name.removeprefix('sea_')}.yaml",
                {"group": name, "task": self._lite(self._files.members(group))} | averages | version,
            )
        for language in self.languages:
            if (name := f"{HELM}{language}") in self._files:
                version = {"metadata": self._files.read(name)["metadata"]}
                members = self._lite(self._files.members(name))
                yield (
                    f"sea_helm/{language}/groups/lite_{language}.yaml",
                    {"group": f"{LITE_HELM}{language}", "task": members} | version,
                )

    def _of_languages(self) -> Iterator[tuple[str, Content]]:
        """What a plain run of a language should have.

        That is its tasks of SailCompass, to and from it; Belebele; the other data sets; SEA-HELM's suite.
        """
        version = {"metadata": self._files.read(SUITE)["metadata"]}
        members = self._files.members(SUITE)
        of_suite = {name: self._files.read(name)["metadata"]["language"] for name in members}
        for language in self.languages:
            tasks = [name for name in members if of_suite[name] == language]
            reading = reading_task(self._files, language)
            tasks += [reading] if reading is not None and reading not in tasks else []
            tasks += self._more.get(language, [])
            helm = [language] if f"{HELM}{language}" in self._files else []
            if not tasks and not helm:
                continue
            yield (
                f"language/{language}.yaml",
                {"group": language_group(language), "task": [*tasks, *(f"{HELM}{each}" for each in helm)]} | version,
            )
            yield (
                f"language/lite/{language}_lite.yaml",
                {
                    "group": lite_name(language_group(language)),
                    "task": [*self._lite(tasks), *(f"{LITE_HELM}{each}" for each in helm)],
                }
                | version,
            )
