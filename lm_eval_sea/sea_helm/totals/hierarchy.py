"""From tasks to totals: task → competency → language → Southeast Asia, level by level. Pure functions, no I/O."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from lm_eval_sea.results.types import grouped

# The languages over which SEA-HELM averages Southeast Asia, if they are present.
PUBLISHED_LANGUAGES = ("id", "vi", "th", "ta", "tl", "ms", "my")


class Place(NamedTuple):
    """A node of the hierarchy; the fields below its level are empty."""

    language: str = ""  # empty for the averages over languages
    competency: str = ""
    group: str = ""  # a task that is the mean of others, such as "translations"
    task: str = ""

    @property
    def parents(self) -> tuple[Place, ...]:
        """The nodes above this one, the nearest first, without the averages over languages."""
        above = [Place(self.language, self.competency, self.group), Place(self.language, self.competency), Place(self.language)]
        return tuple(dict.fromkeys(place for place in above if place != self))


# The averages over languages.
SEA = Place(group="SEA")
ALL = Place(group="all languages")


def aggregate(draws: Mapping[Place, np.ndarray]) -> dict[Place, np.ndarray]:
    """The draws, (draws,), of all levels: unweighted means, draw by draw, of the level below (SEA-HELM's score calculations).

    A competency is the mean of its groups and of its tasks outside groups, a language of its competencies; `SEA` is the mean of
    those of `PUBLISHED_LANGUAGES` that are there, `ALL` of all languages.
    """
    groups = _means(draws, {place: Place(*place[:3]) for place in draws if place.group})
    units = groups | {place: value for place, value in draws.items() if not place.group}
    competencies = _means(units, {place: Place(*place[:2]) for place in units})
    languages = _means(competencies, {place: Place(place.language) for place in competencies})
    published = {place: SEA for place in languages if place.language in PUBLISHED_LANGUAGES}
    averages = _means(languages, published) | _means(languages, dict.fromkeys(languages, ALL))
    return averages | languages | competencies | groups | dict(draws)


def _means(values: Mapping[Place, np.ndarray], parent: Mapping[Place, Place]) -> dict[Place, np.ndarray]:
    members = grouped((above, values[place]) for place, above in parent.items())
    return {above: np.mean(below, axis=0) for above, below in members.items()}


def incomplete(missing: Iterable[Place]) -> set[Place]:
    """The nodes above missing tasks, which are incomplete without them."""
    missing = list(missing)
    above = {parent for place in missing for parent in place.parents}
    if missing:
        above.add(ALL)
    if any(place.language in PUBLISHED_LANGUAGES for place in missing):
        above.add(SEA)
    return above
