"""What an answer to a question copies from the passage. Pure functions, no I/O."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..metrics.target_language import letters_by_script
from .answer_patterns import any_word
from .answer_text import COLON, STOPS, TITLES
from .parsed_sentence import Sentence, in_passage, may_answer, parsed
from .prefaces_and_notes import is_foreign


if TYPE_CHECKING:
    from collections.abc import Iterator


# The end of a sentence, not of an abbreviation.
SENTENCES = rf"(?<=[^\s.]{{3}}[.!?])(?<!\b{TITLES}\.)(?<!\s[\u0b80-\u0bff]{{3}}\.)\s+|(?<=[\u3002\u104b\u17d4])\s*"
LONGEST_SENTENCE = 500  # characters
_MOST_WORDS, _LONGEST_TAG = 8, 20  # words of a phrase, characters
_SHORTEST_COPY = 4  # characters; Chinese phrases and numbers may be shorter


def copied_phrase(said: str, answer: str, question: str, passage: str, language: str) -> str:
    """What was read from an answer or, if the passage does not have it, the words that the answer copies from the passage.

    Words of the question at their ends are cut off. Of several runs of words, the last counts that has more than two thirds as
    many characters as the longest, without words of the question. What was read stays if a sentence has two such runs, if it is
    only copied words, words of the question and another number, or if it is a phrase behind a tag. The result is empty if it only
    speaks of the passage.
    """
    sentences = re.split(rf"{SENTENCES}|\n", answer[:LONGEST_SENTENCE].strip())
    is_tagged = re.match(rf"[^\n]{{1,{_LONGEST_TAG}}}{COLON}\W{{0,4}}{re.escape(said)}\W*(?:\n|\Z)", answer.strip())
    is_whole = len(sentences) == 1 or len(answer) <= len(said) + _LONGEST_TAG or is_tagged
    read = parsed(said, question, passage, language)
    if in_passage(said, passage):
        if all(read.is_asked) or may_answer(read, 0, len(read.places) - 1):
            return said
    elif is_whole and is_phrase(read) and not re.search(rf"[(（][^()（）]*{re.escape(said)}", answer):
        return said
    parts = [list(copied_runs(parsed(sentence, question, passage, language))) for sentence in sentences]
    most = max((size for part in parts for _, size in part), default=0)
    if not most and any_word("asks", language).search(said):
        return ""  # it speaks of the passage, and has none of its words
    *_, last = [], *(long for part in parts if (long := [text for text, size in part if 3 * size > 2 * most]))
    copied = last[0] if len(last) == 1 else said
    # what would be lost: a number ("15 April"), or nothing but words of the question in another form
    own = [copied] if copied in said else [text for part in parts for text, _ in part]
    rest = re.sub("|".join([r"[(（][^()（）]*[)）]", *map(re.escape, own)]), "", said)
    others = parsed(rest, question, passage, language).is_asked
    return said if all(re.search(r"\d", text) for text in (copied, rest)) or (rest != said and others and all(others)) else copied


def is_phrase(sentence: Sentence) -> bool:
    """Whether it is short, and no sentence about the question or of another language: "eighteen metres"."""
    said, few = sentence.said, sentence.asked < 2 * sentence.unit
    is_marked = re.search(rf"{COLON}|[→\"“|(（\n]", said) or len(letters_by_script(said)) > 1
    is_short = len(sentence.words) <= _MOST_WORDS * sentence.unit
    return few and is_short and not is_marked and not is_foreign(said, sentence.language)


def copied_runs(sentence: Sentence) -> Iterator[tuple[str, int]]:
    """The longest runs of words that the passage has and that may answer, without words of the question at their ends.

    Each comes with its number of characters, without those of words of the question.
    """
    begin, end = 0, len(sentence.places)
    while begin < end:
        stop = begin + 1  # a single syllable may be too short for `in_passage`
        while stop < end and in_passage(sentence.text(begin, stop), sentence.passage):
            stop += 1
        is_copied = stop > begin + 1 or in_passage(sentence.text(begin, begin), sentence.passage)
        own = [number for number in range(begin, stop) if is_copied and not sentence.is_asked[number]]
        if own and may_answer(sentence, begin, stop - 1):
            asked = {*sentence.before, *sentence.behind}
            size = sum(len(word) for word in sentence.words[begin:stop] if word not in asked)
            text = sentence.text(own[0], own[-1])
            if size >= _SHORTEST_COPY or re.search("[\u4e00-\u9fff]", text) or (sentence.counts and re.search(r"\d", text)):
                yield text, size
        begin = stop


def nearest_sentence(said: str, question: str, passage: str, language: str) -> str:
    """The first sentence that takes up the question, the one that concludes, or that with most words of passage and question.

    The first one counts if it is a phrase of the passage: "In 1957. It was built in 1883."
    """
    parts = [part for part in re.split(SENTENCES, said) if part.strip()]
    if len(parts) < 2:
        return said
    sentences = [parsed(part.rstrip(STOPS), question, passage, language) for part in parts]
    concludes = any_word("so", language).match(parts[-1])
    if concludes and sentences[-1].takes_up:
        return sentences[-1].said
    if in_passage(sentences[0].said, passage) and is_phrase(sentences[0]):
        return sentences[0].said
    copied = [max((size for _, size in copied_runs(sentence)), default=0) for sentence in sentences]
    full = [sentence for sentence, size in zip(sentences, copied, strict=True) if sentence.takes_up and size]
    if full and not all(full[0].is_asked):
        return full[0].said  # further ones quote the passage
    if not any(copied):
        return said
    if concludes and copied[-1]:
        return sentences[-1].said
    sizes = [size and size + 2 * _size_of_asked(sentence) for sentence, size in zip(sentences, copied, strict=True)]
    return sentences[sizes.index(max(sizes))].said


def _size_of_asked(sentence: Sentence) -> int:
    """How many characters the question's words have."""
    return sum(len(word) for word, is_asked in zip(sentence.words, sentence.is_asked, strict=True) if is_asked)
