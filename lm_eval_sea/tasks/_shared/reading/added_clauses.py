"""Cuts off what stands around the clause of a sentence that answers: its source, and further clauses. Pure functions, no I/O."""

from __future__ import annotations

import re

from .answer_patterns import any_word
from .answer_text import STOPS
from .parsed_sentence import BEHIND, BLANKLESS, COMMA, Sentence, in_passage, mark_at, parsed
from .question_words import pattern


_FEWEST_ASKED = 3  # words of the question before a clause that is cut off
_FEWEST_ADDED = 3  # words of a clause that "and" adds, with this word
_LONGEST_SOURCE = 60  # characters
_FEW = r"[^,\d]{0,30}?"  # characters around "the text" in "the text says that"


def without_frame(said: str, question: str, language: str) -> str:
    """A sentence without its source, "According to Captain Dara, …", and a closing verb; unchanged if the question names one."""
    source = pattern("source", language)
    if source.search(question):
        return said
    comma = rf"(?:{COMMA}\s*|\s)" if language in BLANKLESS else rf"(?:{COMMA}| thì )\s*"
    if language in BEHIND:
        found = re.match(rf".{{1,{_LONGEST_SOURCE}}}?(?:{source.pattern}){comma}", said)
    else:
        found = re.match(rf"(?:\w{{1,5}},\s+)?(?:{source.pattern}).{{1,{_LONGEST_SOURCE}}}?{comma}", said, re.IGNORECASE)
    if found is None:
        text, that = any_word("asks", language).pattern, pattern("that", language).pattern
        found = re.match(rf"{_FEW}(?:{text}){_FEW}(?:{that})\s*", said, re.IGNORECASE)
    said = (said[found.end() :] if found else said).rstrip(STOPS)
    closes = pattern("closes", language).pattern
    return re.sub(rf"(?<=\S)\s*(?:{closes})\Z", "", said.rstrip(STOPS)) if closes != "(?:(?!))" else said


def without_addition(sentence: Sentence) -> Sentence:
    """A sentence without what a further clause adds, if the rest has words of the question and others."""
    joined = any_word("joined", sentence.language)
    further = f"{sentence.pattern('adds').pattern}|{joined.pattern}"
    if sentence.language in BLANKLESS:  # which write no comma before a clause
        further += f"|{sentence.pattern('describes').pattern}"
    begins = rf"{COMMA}(?!(?<=\d,)\s\d)|[;；]|\s(?={further})"  # not in "18 April, 1877"
    for mark in re.finditer(begins, sentence.said, re.IGNORECASE):
        kept = sum(begin < mark.start() for begin, _ in sentence.places)
        is_asked = sentence.is_asked[:kept]
        if sum(is_asked) >= _FEWEST_ASKED * sentence.unit and not all(is_asked) and _adds(sentence, mark.start(), kept):
            places, words = sentence.places[:kept], sentence.words[:kept]
            return sentence._replace(said=sentence.said[: mark.start()], places=places, words=words, is_asked=is_asked)
    return sentence


def without_insertion(said: str, question: str, passage: str, language: str) -> str:
    """A sentence without what describes its first phrase, if the rest takes up the question: "Mas Asih, his son, was chosen"."""
    describes, stop = pattern("describes", language).pattern, r"\s" if language in BLANKLESS else rf"{COMMA}\s"
    found = re.match(rf"([^,，]+?)(?:{COMMA}\s|\s(?={describes}))([^,，]+?){stop}(.+)", said, re.IGNORECASE)
    if found is None:
        return said
    phrase, own, rest = (parsed(part, question, passage, language) for part in found.groups())
    begin = next((begin for (begin, _), is_asked in zip(rest.places, rest.is_asked, strict=True) if is_asked), None)
    is_list = any_word("joined", language).search(rest.said[:begin])
    is_described = phrase.kind == "who" or re.match(describes, own.said, re.IGNORECASE)
    is_named = not phrase.asked and mark_at(phrase, 0) is None and in_passage(phrase.said, passage)
    return f"{phrase.said} {rest.said}" if rest.takes_up and is_described and is_named and not is_list else said


def _adds(sentence: Sentence, begin: int, kept: int) -> bool:
    """Whether what begins at a place, after `kept` words, is a clause that adds something.

    It begins with a word like "while", or describes what is before it. Or it has none of the question's words, is no list, and
    the passage does not have it there. It does not if it alone has the mark of what is asked: "the reason why …, is because …".
    """
    head, rest = sentence.said[:begin], sentence.said[begin:]
    clause = rest.lstrip(",，、\u104a;； ")
    if sentence.kind and (own := sentence.pattern(f"before_{sentence.kind}")).search(clause) and not own.search(head):
        return False
    if sentence.kind != "when" and sentence.pattern("adds").match(clause):
        return True
    around = f"{head.split()[-1]}{rest}" if head.split() else rest
    goes_on = sentence.language in BLANKLESS and sum(sentence.is_asked[kept:]) < max(2, sentence.unit)
    if sentence.pattern("describes").match(clause) and (goes_on or re.match(COMMA, rest)):
        return bool(sentence.kind) or not in_passage(around, sentence.passage)
    if any(sentence.is_asked[kept:]) or not _is_clause(sentence, rest, clause, kept):
        return False
    return any_word("denies", sentence.language).match(clause) is not None or not in_passage(around, sentence.passage)


def _is_clause(sentence: Sentence, rest: str, clause: str, kept: int) -> bool:
    """Whether words after a comma or before "and" are no part of a list."""
    joined = any_word("joined", sentence.language)
    if joined.search(rest) is None:
        return True
    if not joined.match(clause) or len(sentence.places) - kept <= _FEWEST_ADDED * sentence.unit:
        return False
    around = sentence.text(kept - 1, min(kept + sentence.unit, len(sentence.places) - 1)) if kept else ""
    names = re.match(rf"\S+\s(?:[A-Z]|(?i:{sentence.pattern('time').pattern}))", clause)
    return names is None and not in_passage(around, sentence.passage)


def leaves_two(said: str, passage: str, language: str) -> bool:
    """Whether an answer is "A or B", and the passage has A and B, but not "A or B"."""
    either = any_word("either", language).search(said)
    if either is None:
        return False
    first, second = said[: either.start()], re.split(rf"{COMMA}|[(（;；]|[.!?]\s", said[either.end() :], maxsplit=1)[0]
    return not in_passage(f"{first}{either[0]}{second}", passage) and in_passage(first, passage) and in_passage(second, passage)
