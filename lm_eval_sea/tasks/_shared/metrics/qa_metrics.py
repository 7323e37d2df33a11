"""Scores of a short answer, 0 to 1: the best over all its references. Pure functions, no I/O."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .overlap import f1_of_words
from .words import SEGMENTERS, WITHOUT_BLANKS, normalise, stands_in, words


if TYPE_CHECKING:
    from collections.abc import Sequence


def exact_match(answer: str, references: Sequence[str], language: str) -> float:
    """1 if the normalised answer is a normalised reference.

    In a language without spaces between words, spaces do not count: "26เมตร" is "26 เมตร".
    """
    return float(any(_comparable(answer, language) == _comparable(reference, language) for reference in references))


def token_f1(answer: str, references: Sequence[str], language: str) -> float:
    """Harmonic mean of precision and recall over words, each counted as often as it occurs (Rajpurkar et al. 2016, SQuAD)."""
    return max(f1_of_words(words(answer, language), words(reference, language)) for reference in references)


def contains(answer: str, references: Sequence[str], language: str) -> float:
    """1 if a reference occurs in the answer: a wordy model may know it, too."""
    return float(any(_occurs(reference, answer, language) for reference in references))


def contains_weighted(answer: str, references: Sequence[str], votes: Sequence[int], language: str) -> float:
    """The votes of the most popular reference in the answer, divided by those of the most popular reference; 0 if there is none.

    `references` are people's answers, `votes` how many people gave each.
    """
    found = [count for reference, count in zip(references, votes, strict=True) if _occurs(reference, answer, language)]
    return max(found, default=0) / max(votes)


def _comparable(text: str, language: str) -> str:
    text = normalise(text)
    return text.replace(" ", "") if language in SEGMENTERS else text


def _occurs(reference: str, answer: str, language: str) -> bool:
    if language in WITHOUT_BLANKS:
        # A segmenter may end words of the answer elsewhere than those of the reference. But 5 does not occur in 2553.
        is_equal = _comparable(reference, language) == _comparable(answer, language)
        return is_equal or stands_in(normalise(reference), normalise(answer))
    wanted, there = words(reference, language), words(answer, language)
    return any(there[start : start + len(wanted)] == wanted for start in range(len(there) - len(wanted) + 1))
