"""The tasks of SEA-HELM as `tasks/sea_helm/data_set.yml` describes them, read and checked once. That file explains the keys."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

from lm_eval_sea.catalogue.data_sets import FILE, ORIGINS, RecordError, key_faults
from lm_eval_sea.tasks._shared.facts import SEA_HELM, SEA_HELM_SCORES, TASKS_FOLDER, read_yaml, sea_helm_record


@dataclass(frozen=True)
class Origin:
    """Where the rows of a task in some languages come from."""

    set: str
    languages: Sequence[str]
    origin: str  # see `data_sets.ORIGINS`
    licence: str | None  # None: none is stated


@dataclass(frozen=True)
class SeaHelmTask:
    """A task in one language."""

    name: str
    language: str
    is_judged: bool  # by a judge after the run, so that lm-eval has no score of it
    title: str
    key: str
    pillar: str
    competency: str
    kind: str
    source: str
    max_new_tokens: int
    rows: int | None
    content_fields: Sequence[str] = ()
    fields: Sequence[str] = ()
    optional_fields: Sequence[str] = ()
    score_group: str = ""
    tests: str = ""
    gated: bool | None = None
    sets: Sequence[Origin] = ()
    on_hub: bool = True
    folder: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    config: str = ""
    splits: Mapping[str, str] = field(default_factory=dict)
    checkout: str = ""
    also: Sequence[str] = ()
    process: str = ""
    prompt: str = ""  # the task whose prompt it has, if not its own
    labels: Sequence[str] = ()
    phenomena: Sequence[str] = ()
    own_choices: bool = False
    answer_language: str = ""
    chance: float | None = None
    exemplars: bool = True
    exemplars_by: str = ""
    judge: str = ""
    first_turn: str = ""  # the task whose answers a second turn continues from

    @property
    def has_ranked_twin(self) -> bool:
        """Whether a second task ranks its labels instead of letting the model generate one."""
        return bool(self.labels) or self.own_choices

    def is_among(self, keys: Iterable[str]) -> bool:
        """Whether a list of SEA-HELM's names contains its own or that of its group."""
        return not {self.key, self.score_group}.isdisjoint(keys)


@dataclass(frozen=True)
class SeaHelm:
    """All tasks of SEA-HELM."""

    version: float
    pillars: Mapping[str, str]  # name → title
    languages: Mapping[str, str]  # likewise
    judges: Mapping[str, str]  # what scores answers that lm-eval does not score → the command for it; RESULTS: the runs
    tasks: Mapping[str, Mapping[str, SeaHelmTask]]  # name → language → task; judged ones last

    def of_language(self, language: str) -> dict[str, SeaHelmTask]:
        """The tasks of a language by name."""
        return {name: languages[language] for name, languages in self.tasks.items() if language in languages}

    @property
    def each(self) -> list[SeaHelmTask]:
        """Each task once, in the first of its languages."""
        return [next(iter(languages.values())) for languages in self.tasks.values()]

    @property
    def judge_of(self) -> dict[str, str]:
        """The tasks that lm-eval does not score, by SEA-HELM's names → what scores them, a key of `judges`."""
        return {task.key: task.judge for task in self.each if task.judge}


_GIVEN = [each for each in fields(SeaHelmTask) if each.name not in ("name", "language", "is_judged")]
_KNOWN = {each.name for each in _GIVEN}
_NEEDED = [each.name for each in _GIVEN if each.default is MISSING and each.default_factory is MISSING]


def read_sea_helm(path: Path) -> SeaHelm:
    """Reads a `data_set.yml` of SEA-HELM."""
    record = read_yaml(path)
    tasks: dict[str, dict[str, SeaHelmTask]] = {}
    for name, of_task in (record["tasks"] | record["judged"]).items():
        for language in of_task["languages"]:
            merged = sea_helm_record(record, name, language)
            if fault := next(_faults(merged, record), None):
                raise RecordError(f"{path}: {name}: {language}: {fault}")
            sets = [Origin(**each) for each in merged.pop("sets", ())]
            made = SeaHelmTask(name=name, language=language, is_judged=name in record["judged"], sets=sets, **merged)
            tasks.setdefault(name, {})[language] = made
    return SeaHelm(record["version"], record["pillars"], record["languages"], record["judges"], tasks)


def _faults(merged: Mapping[str, Any], record: Mapping[str, Any]) -> Iterator[str]:
    yield from key_faults("", merged, _KNOWN, _NEEDED)
    for key, known in (("kind", SEA_HELM_SCORES), ("pillar", record["pillars"]), ("judge", record["judges"])):
        if merged.get(key, next(iter(known))) not in known:
            yield f"{key!r} is {merged[key]!r}; expected one of {', '.join(known)}"
    for each in merged.get("sets", ()):
        if each["origin"] not in ORIGINS:
            yield f"'sets': 'origin' is {each['origin']!r}; expected one of {', '.join(ORIGINS)}"


@functools.cache
def sea_helm() -> SeaHelm:
    """The tasks of SEA-HELM that the pack has."""
    return read_sea_helm(TASKS_FOLDER / SEA_HELM / FILE)
