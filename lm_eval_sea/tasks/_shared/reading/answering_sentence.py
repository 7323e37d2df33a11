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
    that join the two. The answer stays as it is if it stands in the passage itself, takes up fewer than three words of the
    question, has many words of its own, or has such a phrase on both sides. A gloss is cut off: "45 héktar (hectares)".
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
    runs = [(taken, list(group)) for taken, group in groupby(range(len(places)), key=is_asked.__getitem__)]
    left = _MOST_JOINING - (len(places) - sum(is_asked))  # words that may join, beside those of the phrase
    found = set[str]()
    for is_last, (taken, run) in ((False, runs[0]), (True, runs[-1])):
        for joining in range(0 if taken else min(left + len(run) + 1, len(run))):
            phrase = run[joining:] if is_last else run[: len(run) - joining]
            text = said[places[phrase[0]][0] : places[phrase[-1]][1]].strip(STOPS + TRIM)
            if len(text) >= _SHORTEST and _joined(text) in known:
                found.add(text)
                break
    return found.pop() if len(found) == 1 else said


def _joined(text: str) -> str:
    """A text for finding phrases in it, without case, spaces and the stop at the end."""
    return "".join(text.split()).strip(STOPS + TRIM).casefold()
