"""The phrase that answers a question in a sentence that takes the question up. A pure function, no I/O."""

from __future__ import annotations

import re
from collections import Counter
from itertools import groupby

from ..metrics.words import normalise, segment, stands_in, words
from .answer_text import STOPS, TRIM


# Fewest words of a sentence that are the question's, and most that are neither these nor in the phrase: "it is", "in the year".
_FEWEST_ASKED, _MOST_JOINING = 3, 3
_SHORTEST = 2  # characters
_GLOSS = re.compile(r"(?<=\S)\s*[(（][^()（）]+[)）]\Z")


def phrase_of_passage(said: str, question: str, passage: str, language: str) -> str:
    """The phrase of a passage in an answer that takes up the question: "César Pelli" of "They were designed by César Pelli".

    It is what the sentence has before or behind the question's words, else between them, if that stands in the passage, perhaps
    without a few words that join the two. The answer stays as it is if it stands in the passage itself, takes up fewer than three
    words of the question, has many words of its own, or several such phrases. A gloss is cut off: "45 héktar (hectares)".
    """
    if _stands_in(said, passage):
        return said
    if (gloss := _GLOSS.search(said)) and _stands_in(said[: gloss.start()], passage):
        return said[: gloss.start()]
    places = list[tuple[int, int]]()
    for word in segment(said, language):
        begin = said.find(word, places[-1][1] if places else 0)
        places.append((begin, begin + len(word)))
    is_asked = _taken_up([normalise(said[begin:end]) for begin, end in places], words(question, language))
    if sum(is_asked) < _FEWEST_ASKED or any(begin < 0 for begin, _ in places):
        return said
    left = _MOST_JOINING - (len(places) - sum(is_asked))  # words that may join, beside those of the phrase
    at_ends, between = set[str](), set[str]()
    for taken, group in groupby(range(len(places)), key=is_asked.__getitem__):
        run = list(group)
        for joining in range(0 if taken else min(left + len(run) + 1, len(run))):
            phrase = run[joining:] if run[0] else run[: len(run) - joining]
            text = said[places[phrase[0]][0] : places[phrase[-1]][1]].strip(STOPS + TRIM)
            if _stands_in(text, passage):
                (between if run[0] and run[-1] < len(places) - 1 else at_ends).add(text)
                break
    found = at_ends or between
    return found.pop() if len(found) == 1 else said


def _taken_up(said: list[str], asked: list[str]) -> list[bool]:
    """Whether each word is one of the question's, which counts as often as the question has it: the phrase may have it again."""
    left = Counter(asked)
    found = []
    for word in said:
        found.append(left[word] > 0)
        left[word] -= 1
    return found


def _stands_in(phrase: str, passage: str) -> bool:
    """Whether a passage has a phrase in whole words, whatever its case, spaces and the stop at its end."""
    wanted, there = (" ".join(text.split()).casefold() for text in (phrase.strip(STOPS + TRIM), passage))
    return len(wanted) >= _SHORTEST and stands_in(wanted, there)
