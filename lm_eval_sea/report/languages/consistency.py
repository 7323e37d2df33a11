"""Whether a model gives the same answer in several languages, right or wrong. Pure functions, no I/O.

Definitions of SeaEval (Wang et al. 2024, https://arxiv.org/abs/2309.04766; in its repository
src/dataset_src/eval_methods/cross_lingual_assessment.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Mapping
from math import comb
from typing import NamedTuple

from lm_eval_sea.report.languages.comparison import Answers
from lm_eval_sea.results.uncertainty import estimate

FEWEST_LANGUAGES = 2


class Consistency(NamedTuple):
    """The answers to the questions that were asked in all languages. Shares are 0 to 1."""

    of: int  # number of languages, L
    questions: int
    accuracy: float  # mean over the languages
    languages: int  # s, 2 to L: how many languages are compared at a time
    consistency: float  # M_s
    low: float | None  # of its 95 % interval, clustered by passage
    high: float | None
    ac3: float


def same_answer(answers: Collection[Hashable | None], languages: int) -> float:
    """Of all choices of s from the L answers to a question, the share in which all s are equal, 0 to 1.

    The mean over questions is M_s = Σ over choices of s languages, Σ over questions, [all s answers are equal] / (C(L, s) ·
    questions). An answer that a of the L languages have is in all of C(a, s) choices, so that no choice has to be looked at.

    Args:
        answers: in the L languages; None, where no answer could be read, equals nothing.
        languages: s, 1 to L.
    """
    counts = Counter(answer for answer in answers if answer is not None)
    return sum(comb(count, languages) for count in counts.values()) / comb(len(answers), languages)


def ac3(accuracy: float, consistency: float) -> float:
    """Harmonic mean of accuracy and consistency, all 0 to 1; 0 where both are 0."""
    return 2 * accuracy * consistency / (accuracy + consistency) if accuracy + consistency else 0.0


def consistencies(answers: Mapping[str, Answers], *, every: bool = True) -> Iterator[Consistency]:
    """For s = 2 to the number of languages, on the questions that were asked in all; none where it is not known what was chosen.

    Args:
        answers: by language.
        every: whether for every s, or only for 2 and all languages.
    """
    if len(answers) < FEWEST_LANGUAGES:
        return
    given = list(answers.values())
    common = [question for question in given[0].chosen if all(question in each.chosen for each in given)]
    if not common:
        return
    chosen = [[each.chosen[question] for each in given] for question in common]
    clusters = [given[0].clusters.get(question, question) for question in common]
    accuracy = sum(each.right[question] for each in given for question in common) / (len(given) * len(common))
    sizes = range(FEWEST_LANGUAGES, len(given) + 1)
    for size in sizes if every else dict.fromkeys((sizes[0], sizes[-1])):
        share = estimate([same_answer(each, size) for each in chosen], clusters)
        yield Consistency(len(given), len(common), accuracy, size, share.mean, share.low, share.high, ac3(accuracy, share.mean))
