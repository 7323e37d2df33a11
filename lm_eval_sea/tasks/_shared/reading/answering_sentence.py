"""The phrase that answers a question in a sentence that takes the question up. A pure function, no I/O."""

from __future__ import annotations

import re
from itertools import groupby

from ..metrics.words import segment, words
from .answer_text import STOPS, TRIM


# Fewest words of a sentence that are the question's, and most that are neither these nor in the phrase: "it is", "in the year".
_FEWEST_ASKED, _MOST_JOINING = 3, 3
_SHORTEST = 2  # characters
_GLOSS = re.compile(r"(?<=\S)\s*[(（][^()（）]+[)）]\Z")


def phrase_of_passage(said: str, question: str, passage: str, language: str) -> str:
    """The phrase of a passage in an answer that takes up the question: "César Pelli" of "They were designed by César Pelli".

    It is what the sentence has before or behind the question's words, if that stands in the passage, perhaps without a few words
    at its ends. The answer stays as it is if it stands in the passage itself, takes up fewer than three words of the question,
    has many words of its own, or has such a phrase on both sides. A gloss in brackets is cut off: "45 héktar (hectares)".
    """
    known = _joined(passage)
    if _joined(said) in known:
        return said
    if (gloss := _GLOSS.search(said)) and _joined(said[: gloss.start()]) in known:
        return said[: gloss.start()]
    asked = set(words(question, language))
    places = list[tuple[int, int]]()
    for word in segment(said, language):
        begin = said.find(word, places[-1][1] if places else 0)
        places.append((begin, begin + len(word)))
    is_asked = [not asked.isdisjoint(words(said[begin:end], language)) for begin, end in places]
    if sum(is_asked) < _FEWEST_ASKED or any(begin < 0 for begin, _ in places):
        return said
    own = len(places) - sum(is_asked)
    runs = [(taken, list(group)) for taken, group in groupby(range(len(places)), key=is_asked.__getitem__)]
    ends = [[places[number] for number in run] for taken, run in (runs[0], runs[-1]) if not taken]
    found = [_in_passage(said, run, known, _MOST_JOINING - own + len(run)) for run in ends]
    phrases = list(filter(None, found))
    return phrases[0] if len(phrases) == 1 else said


def _in_passage(said: str, places: list[tuple[int, int]], passage: str, most_left_out: int) -> str:
    """The longest phrase in some words of an answer that the passage has, with so many words left out at most; or empty."""
    for left_out in range(min(most_left_out + 1, len(places))):
        for first in range(left_out + 1):
            last = len(places) - 1 - left_out + first
            phrase = said[places[first][0] : places[last][1]].strip(STOPS + TRIM)
            if len(phrase) >= _SHORTEST and _joined(phrase) in passage:
                return phrase
    return ""


def _joined(text: str) -> str:
    """A text for finding phrases in it, without case, spaces and the stop at the end."""
    return "".join(text.split()).strip(STOPS + TRIM).casefold()
