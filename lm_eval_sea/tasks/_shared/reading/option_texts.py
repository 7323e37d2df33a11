"""Which option an answer names by the option's text, without its letter. Pure functions, no I/O."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from .answer_patterns import any_word, begins_clause, has_word, is_end, is_reason, whole_word
from .answer_phrases import WRITTEN_TOGETHER
from .answer_text import COLON, STOPS, TRIM
from .option_evidence import CLAUSE_END, DENIES_BEHIND, SENTENCE_END, is_supposed, joined_end
from .option_labels import CLOSING, LONGEST_JOINT, LONGEST_PHRASE, LONGEST_VERDICT, OPENING, Choices, own_text
from .statements import lead_in


if TYPE_CHECKING:
    from collections.abc import Sequence


_SHORTEST_TEXT = 2


def of_texts(lines: Sequence[str], choices: Choices) -> int | None:
    """The option whose text is all lines or the first one, or the only option that the first or the last sentence names."""
    texts = [choices.by_text(line) for line in lines]
    if texts[0] is not None and not any(text not in (None, texts[0]) for text in texts):
        return texts[0]
    if choices.are_letters or has_denial(choices):
        # "not" in a sentence is not a label, but alone after a question it is
        _, asked, answered = " ".join(lines).rpartition("?")
        return choices.by_text(answered) if asked else None
    sentences = sentences_of(lines)
    if not sentences:
        return None  # nothing but stops
    if any_word("condition", choices.language).match(sentences[-1].strip(TRIM)) and len(under_condition(lines, choices)) > 1:
        return None  # "if he is a farmer, it is entailment; if not, it is neutral"
    so = any_word("so", choices.language)
    results = [each for each in sentences if (word := so.search(each)) and begins_clause(each[: word.start()], choices.language)]
    if results and (position := only_text_named(results[-1:], choices)) is not None:
        return position
    found = [(only_text_named([sentence], choices), sentence) for sentence in (sentences[0], sentences[-1])]
    named = {position for position, _ in found if position is not None}
    turns = [any_word("yet", choices.language).search(sentence) is not None for sentence in sentences]
    if len(named) > 1 and any(turns[:-1]) and not turns[-1]:
        return found[-1][0]  # "it looks true, but …. Verdict: false."
    if len(named) > 1:  # the sentence that states its option counts
        says = any_word("lead", choices.language)
        named = {position for position, sentence in found if position is not None and says.search(sentence)}
    return named.pop() if len(named) == 1 else None


def text_behind_so(line: str, choices: Choices) -> int | None:
    """The only option whose text soon follows the last "so" or "that leaves" of a line, or ends it after "is".

    None if something after that is denied.
    """
    language = choices.language
    # no label that is a word follows "only": "positive, with only one negative remark"
    places = ("so", "left", "but") if choices.are_letters else ("so", "but")
    ends = [match.end() for place in places for match in any_word(place, language).finditer(line)]
    rest = line[max(ends) :] if ends else ""
    named = _texts_in(rest, choices)
    if has_word(rest, language, "condition") or "?" in rest or not named:
        return None
    letters = choices.patterns.label.finditer(rest) if choices.are_letters else ()
    if any(joined_end(rest[letter.end() :], choices.position_of(letter[0]), choices) for letter in letters):
        return None  # "both B and C"
    if len({position for _, position in named}) != 1 or has_word(rest, language, "wrong"):
        position = only_text_named([rest], choices)  # "so copper it is, not iron"
        return position if len(named) > 1 and named[0][0].start() < LONGEST_VERDICT and named[0][1] == position else None
    spot, position = named[-1]
    leads = [lead.end() for lead in lead_in(language).finditer(rest, 0, spot.start())][-1:]
    between = [rest[end : spot.start()].strip(TRIM + OPENING) for end in leads]
    is_led = between == [""] or any(map(any_word("articles", language).fullmatch, between))
    is_told = is_led and is_end(rest[spot.end() :], language)  # "so what the passage describes is a sonnet"
    return position if is_told or named[0][0].start() < LONGEST_VERDICT else None


def only_text_named(lines: Sequence[str], choices: Choices) -> int | None:
    """The only option whose text the lines name and do not deny: "not Surabaya but Bandung"."""
    language = choices.language
    if not _are_wordy(choices, _SHORTEST_TEXT):
        return None
    named: set[int] = set()
    denied: set[int] = set()
    for sentence in map(str.casefold, sentences_of(lines)):
        spots = _texts_in(sentence, choices)
        ends = [0, *(spot.end() for spot, _ in spots)]
        starts = [*(spot.start() for spot, _ in spots[1:]), len(sentence)]
        was_denied = False
        for (spot, position), end, start in zip(spots, ends, starts, strict=False):
            before, behind = sentence[end : spot.start()], sentence[spot.end() : start]
            clause = CLAUSE_END.split(before)[-1]
            joined = not choices.are_letters and joined_end(sentence[spot.end() :], position, choices)
            if any_word("condition", language).search(clause) or "?" in behind or (joined and not was_denied):
                return None
            joins = end and len(before) < LONGEST_JOINT and not re.search(r"[-–—→:]", before)
            turns = any_word("but", language).search(before) or (not choices.are_letters and lead_in(language).search(before))
            follows = was_denied and joins and not turns
            excepts = end and not (was_denied or choices.are_letters or has_word(before, language, "yet"))
            excepts = excepts and has_word(before, language, "left")
            was_denied = bool(follows or excepts) or is_supposed(before, language)
            was_denied |= _is_denied(clause, behind, language, last=start == len(sentence))
            (denied if was_denied else named).add(position)
    left = named - denied
    return left.pop() if len(left) == 1 else None


def text_beside_letters(lines: Sequence[str], wrong: set[int], choices: Choices) -> int | None:
    """The only option whose text is named or follows "is", if the letters in the text do not contradict it.

    `wrong` are the options that were judged wrong.
    """
    denies = any_word("wrong", choices.language)
    own, _ = _any_option(choices.options)  # "Vitamin C" names no letter
    named = [(re.findall(r"\b[A-Z]\b", own.sub("", each)), denies.search(each) is not None) for each in sentences_of(lines)]
    letters = [(choices.labels.index(letter), denied) for each, denied in named for letter in each if letter in choices.labels]
    position = only_text_named(lines, choices)
    if position is not None and ({other for other, _ in letters} - {position} <= wrong or letters[-1][0] == position):
        return position
    position = text_behind_copula(lines, choices)
    return position if {other for other, denied in letters if not denied} <= {position} else None


def text_behind_copula(lines: Sequence[str], choices: Choices) -> int | None:
    """The option after "is" in the first or the last sentence, if only a stop or a reason follows: "It is copper".

    None if another sentence says the same about another option.
    """
    language = choices.language
    if not _are_wordy(choices, _SHORTEST_TEXT + (language not in WRITTEN_TOGETHER)):
        return None  # a short word of Latin letters may be another word
    sentences = [sentence.casefold() for sentence in sentences_of(lines)]
    stated: list[tuple[int, int]] = []  # the number of the sentence, the position of the option
    for number, sentence in enumerate(sentences):
        if len(sentence) > 2 * LONGEST_PHRASE or "?" in sentence or any_word("condition", language).search(sentence):
            continue
        leads = [lead.end() for lead in lead_in(language).finditer(sentence)]
        spots = _texts_in(sentence, choices)
        ends = [-LONGEST_PHRASE, *(spot.end() for spot, _ in spots)]
        for (spot, position), end in zip(spots if choices.are_letters else spots[:1], ends, strict=False):
            if spot.start() - end < LONGEST_JOINT:
                continue  # "neutral or negative"
            before, rest = sentence[: spot.start()].rstrip(TRIM + OPENING), sentence[spot.end() :].lstrip(CLOSING)
            behind = rest.lstrip(TRIM + CLOSING)[:LONGEST_PHRASE]
            turns = not choices.are_letters and any_word("yet", language).match(behind) is not None
            # in Thai and Lao a space ends a clause
            turns |= rest[:1] == " " and language in ("th", "lo") and not any_word("joined", language).match(behind)
            denied = has_word(CLAUSE_END.split(before)[-1], language, "wrong") or is_supposed(before, language)
            is_led = any(len(before) <= end <= spot.start() for end in leads)
            is_led |= language in DENIES_BEHIND and behind.strip(TRIM + STOPS) != ""  # there "is" follows the option
            if is_led and not denied and (turns or is_end(behind, language) or is_reason(behind, language)):
                stated.append((number, position))
    numbers, positions = {number for number, _ in stated}, {position for _, position in stated}
    return positions.pop() if len(positions) == 1 and numbers & {0, len(sentences) - 1} else None


def under_condition(lines: Sequence[str], choices: Choices) -> set[int]:
    """The options whose labels are in sentences with a condition."""
    sentences = filter(any_word("condition", choices.language).search, sentences_of(lines))
    return {position for sentence in sentences for position in choices.named_in(sentence)}


def only_pair(lines: Sequence[str], choices: Choices) -> int | None:
    """The only option whose text comes with its letter, "Bandung (A)", or whose letter is alone after a colon."""
    found, lines = dict[int, bool](), sentences_of(lines)
    option = any_word("option", choices.language).pattern
    for position, (label, text) in enumerate(zip(choices.labels, choices.options, strict=True)):
        own = own_text(text)
        pair = rf"{_any_text(own)}[{re.escape(CLOSING)}]?\s*[(（\[]\s*(?:(?:{option})\s*)?{re.escape(label)}\s*[)）\]]"
        headed = rf"\A[^\W\d]\S{{1,20}}\s*{COLON}\s*{re.escape(label)}(?=[.。]|\s*\Z)"
        if own and (told := [each for each in lines if re.search(pair, each, re.IGNORECASE) or re.search(headed, each)]):
            found[position] = has_word(told[-1], choices.language, "wrong")
    return next((position for position, denied in found.items() if len(found) == 1 and not denied), None)


def has_denial(choices: Choices) -> bool:
    """Whether one of the labels is a word that denies: "no"."""
    return any(any_word("denies", choices.language).fullmatch(label) for label in choices.labels)


def _are_wordy(choices: Choices, length: int) -> bool:
    """Whether labels are words, or each option has at least `length` characters and a letter, or is a fraction or a time."""
    texts = () if not choices.are_letters else map(own_text, choices.options)
    return all(len(own) >= length and re.search(r"[^\W\d]|\d[/:]\d", own) for own in texts)


def _texts_in(text: str, choices: Choices) -> list[tuple[re.Match[str], int]]:
    """The places of option texts, or labels that are words, in a text, and the positions of the options.

    Longer option texts are found first. Single characters other than digits are left out; nothing is found if two options have
    the same text.
    """
    if not choices.are_letters:
        return [(spot, choices.position_of(spot[0])) for spot in choices.patterns.label.finditer(text)]
    pattern, positions = _any_option(choices.options)
    return [(spot, positions[(spot.lastindex or 1) - 1]) for spot in pattern.finditer(text)]


def options_in(text: str, choices: Choices) -> set[int]:
    """The options whose texts, or labels that are words, a text has."""
    return {position for _, position in _texts_in(text, choices)}


@lru_cache(maxsize=16)  # every sentence of an answer needs it
def _any_option(options: tuple[str, ...]) -> tuple[re.Pattern[str], list[int]]:
    """The pattern for any of the texts, with a group for each, and the position of each group's option."""
    own = {own_text(option).casefold(): position for position, option in enumerate(options)}
    texts = sorted((text for text in own if len(text) >= _SHORTEST_TEXT or text.isdecimal()), key=len, reverse=True)
    if len(own) < len(options):
        texts = []
    pattern = "|".join(f"({_any_text(text)})" for text in texts) or r"(?!)"
    return re.compile(pattern, re.IGNORECASE), [own[text] for text in texts]


def _any_text(text: str) -> str:
    """The pattern for a text, as whole words if its script has spaces. A number may touch the word that it belongs to."""
    if text.isdecimal():
        return rf"(?<![A-Za-z\d-])(?<!\d[.,]){text}(?![A-Za-z\d]|[.,]\d)"
    written = re.sub(r"(?<=\d)(?=[^\W\d_])", r"\\s?", re.escape(text)).replace("\\.\\ ", r"\.\s?")
    written = re.sub(r"\bd?ia\b", "d?ia", written)  # Indonesian and Malay "he"
    return whole_word(written) if re.fullmatch(r"[\u0000-\u024f\u1e00-\u1eff]+", text) else written


def _is_denied(before: str, behind: str, language: str, *, last: bool) -> bool:
    """Whether the words around the text of an option deny it.

    These are the clause before it, and what follows it up to the next option or, after the `last`, to the end of the sentence.
    """
    wrong = any_word("wrong", language)
    if language in DENIES_BEHIND and wrong.search(CLAUSE_END.split(behind.lstrip(" ,"), maxsplit=1)[0]):
        return True
    if any_word("wrong", "en" if language in DENIES_BEHIND else language).search(before[-LONGEST_VERDICT:]):
        return True
    # the last words before the next option may deny that one
    verdict = behind[:LONGEST_VERDICT].lstrip(CLOSING + STOPS + " -–—=→:(")
    return wrong.match(verdict) is not None and (last or len(behind) > LONGEST_JOINT)


def sentences_of(lines: Sequence[str]) -> list[str]:
    return [sentence for line in lines for sentence in SENTENCE_END.split(line) if sentence.strip(TRIM)]
