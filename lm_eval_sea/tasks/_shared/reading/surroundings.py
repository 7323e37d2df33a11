"""Cuts off what surrounds a chat model's whole answer: marks, a greeting, a farewell, repetition. Pure functions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .answer_patterns import any_word, task_words
from .answer_text import COLON, is_invisible
from .statements import statement_spans


if TYPE_CHECKING:
    from collections.abc import Sequence


# The mark of a list item; then that of any list, also a numbered one.
BULLET = re.compile(r"\A[-*•→]\s+(?=\S)")
LIST_MARK = re.compile(r"\A(?:[-*•→]|\(?(?:\d{1,2}|[a-e])[.)\u104b\u17d4])\s+")
# A horizontal rule in Markdown.
RULE = re.compile(r"(?m)^[ \t]*(?:-{3,}|\*{3,}|={3,}|_{3,})[ \t]*$")
_FENCE = re.compile(r"```[\w+-]*[ \t]*\n(?P<inside>(?:(?!```)[\s\S])+)```")
# Elements whose names say nothing about what they hold.
_NAMES = "p|div|body|response|output|reply|text"
_ELEMENT = re.compile(rf"<(?P<name>{_NAMES})>(?P<inside>[\s\S]*)</(?P=name)>", re.IGNORECASE)
_FIRST_TAG, _LAST_TAG = re.compile(rf"<({_NAMES})>", re.IGNORECASE), re.compile(rf"</({_NAMES})>\Z", re.IGNORECASE)
_LONGEST_TAG = 12
_QUOTE_MARK = re.compile(r"^[ \t]*>[ \t]?", re.MULTILINE)
_LINE_END = re.compile(r"\r\n?|[\v\f\x85\u2028\u2029]|<br ?/?>[ \t]*\n?", re.IGNORECASE)
_BLANK = re.compile(r"[^\S\n\t ]")  # spaces of another width, or without a break
# Emoji and their modifiers. Signs such as ° and ✓ may be part of an answer.
_PICTURE = re.compile(r"[\U0001f000-\U0001faff\u2600-\u2712\u2728-\u27bf\u2b00-\u2bff\ufe0f]")
_LONGEST_GREETING, _LONGEST_FAREWELL = 160, 300
_LONGEST_PARTING = 100
_MOST_PARAGRAPHS = 3  # of a greeting or a farewell
_MOST_MARKS = 4  # nested
_LINE = re.compile(r"\S[^\n]*")
SENTENCE = re.compile(r"\S[^\n]*?(?:[.!?](?=\s)|[\u3002\u104b\u17d4]|(?=\n)|\Z)")  # or a line
_LEAST_CUT = 20  # characters of a beginning that hardly comes twice by chance
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\u104b\u17d4\uff01])\s*")
# Most characters of a line that is only an answer tag; fewest of a sentence that gives a reason or a conclusion.
_LONGEST_HEADING, _LEAST_SENTENCE = 30, 50
_HEADING = re.compile(rf"[^:：\u17d6]+{COLON}[\s*_]*")
# A first line, or its beginning, that announces an answer. A letter may follow on the same line.
_ANNOUNCES = re.compile(rf"(?P<said>[^\n:：\u17d6]{{1,160}}){COLON}[*_]*(?P<end>[^\S\n]*\n|\s)\s*(?=\S)")
_LABEL = re.compile(rf"\A[\s*_#]*(?:Output|Response|Reply){COLON}[\s*_]*(?=\S)", re.IGNORECASE)


def without_surroundings(text: str, language: str) -> str:
    """The text without what surrounds it, and with only one kind of line end and space.

    Cut off are invisible characters, emoji and rules at its ends, a code fence, an element such as <p>, the marks of a quotation,
    a first line such as "Sure! Here is my answer:", and last paragraphs such as "I hope this helps!". A text that is
    repeated is kept once.
    """
    text = without_marks(_BLANK.sub(" ", _LINE_END.sub("\n", text)))
    text = without_marks(_without_introduction(text, language))
    for _ in range(_MOST_PARAGRAPHS):
        before, text = text, without_marks(_without_farewell(text, language))
        if text == before:
            break
    return _once(text)


def without_greeting(text: str, language: str, options: Sequence[str] = ()) -> str:
    """The text without first paragraphs that only greet or say what comes next: "Great question! Let's think step by step.".

    A paragraph that names any of the `options` stays, because it may be the answer.
    """
    for _ in range(_MOST_PARAGRAPHS):
        first, _, rest = text.partition("\n\n")
        bare = first.strip(" *_#")
        greets = any_word("greeting", language).match(bare) and len(first) <= _LONGEST_GREETING
        letter = r"(?<![^\W_])[A-H](?![^\W_])" if options else "(?!)"
        names = any(option.casefold() in bare.casefold() for option in options)
        tells = names or re.search(rf"[\n\d\"“«「:：]|{letter}", bare) or statement_spans(bare, language)
        is_all = not rest.strip() or any_word("note", language).match(rest.lstrip(" \n([（*_"))
        if not greets or tells or is_all:
            return text
        text = rest.lstrip("\n")
    return text


def without_marks(text: str) -> str:
    """The text without marks around the whole of it."""
    for _ in range(_MOST_MARKS):
        before, text = text, _bare(text)
        for whole in (_FENCE, _ELEMENT):
            text = found["inside"].strip() if (found := whole.fullmatch(text)) else text
        text = _without_tag_alone(text)
        lines = [line for line in text.splitlines() if line.strip()]
        text = _QUOTE_MARK.sub("", text) if lines and all(map(_QUOTE_MARK.match, lines)) else text
        if text == before:
            return text
    return _bare(text)


def _without_tag_alone(text: str) -> str:
    """The text without an unpaired tag at its beginning or end: the other tag was cut off, or came before the thought."""
    first, last = _FIRST_TAG.match(text), _LAST_TAG.search(text[-_LONGEST_TAG:])
    if first and f"</{first[1].lower()}>" not in text.lower():
        return text[first.end() :].lstrip()
    if last and f"<{last[1].lower()}>" not in text.lower():
        return text.removesuffix(last[0]).rstrip()
    return text


def _bare(text: str) -> str:
    """The text without rules, emoji, spaces and invisible characters at its ends."""
    lines = text.splitlines()
    kept = [number for number, line in enumerate(lines) if not (RULE.fullmatch(line) or all(map(_is_bare, line)))]
    text = "\n".join(lines[kept[0] : kept[-1] + 1]) if kept else ""
    begin, end = 0, len(text)
    while begin < end and _is_bare(text[begin]):
        begin += 1
    while end > begin and _is_bare(text[end - 1]):
        end -= 1
    return text[begin:end]


def _is_bare(character: str) -> bool:
    return is_invisible(character) or _PICTURE.match(character) is not None


def _without_introduction(text: str, language: str) -> str:
    """The text without a first line, or its beginning, that only announces an answer: "Here is the answer: B".

    The heading "Answer:" is cut off only if a sentence or a calculation follows below it. A line that names a translation or a
    summary stays, because it tells `final_text` where the text begins.
    """
    text = _LABEL.sub("", text)
    first, _, rest = text.partition("\n")
    below, _, more = rest.strip().partition("\n")
    answers = any_word("answer", language)
    is_heading = len(first) <= _LONGEST_HEADING and _HEADING.fullmatch(first) and answers.search(first)
    if is_heading and (len(below) >= _LEAST_SENTENCE or re.search(r"=\s*\S*\d", more)):
        return rest.lstrip()
    if (found := _ANNOUNCES.match(text)) is None:
        return text
    clauses = re.split(r"(?<=[,，!.])\s", found["said"].strip(" *_#"))
    names_answer = answers.search(clauses[-1])
    if not any(map(any_word("preface", language).match, clauses)):
        return text
    if not names_answer and (task_words(language).search(found["said"]) or any_word("work", language).search(found["said"])):
        return text
    return text[found.end() :] if found["end"].strip(" ") or names_answer else text


def _without_farewell(text: str, language: str) -> str:
    """The text without last paragraphs that only offer more, thank or wish well, or are a note below a rule."""
    before, _, last = text.rstrip().rpartition("\n\n")
    is_below_rule = any(RULE.fullmatch(line) for line in (last.partition("\n")[0], before.rstrip().rpartition("\n")[2]))
    bare = _bare(last).strip(" *_#>(")
    words = any_word("note" if is_below_rule else "farewell", language)
    leaves = words.match(bare) and len(last) <= _LONGEST_FAREWELL and not re.search(r"\d|\n", bare)
    if before.strip() and leaves and not statement_spans(bare, language):
        return before
    *sentences, last = _SENTENCE.split(text.rstrip()[-_LONGEST_FAREWELL:])
    speaks_of_it = any_word("answer", language).search(last) or task_words(language).search(last)
    leaves = any_word("farewell", language).match(last) and speaks_of_it and not re.search(r"\d", last)
    leaves = leaves or (any_word("parting", language).match(last) and len(last) <= _LONGEST_PARTING)
    return text.rstrip().removesuffix(last).rstrip() if leaves and "".join(sentences).strip() else text


def without_restart(text: str, part: re.Pattern[str] = _LINE) -> str:
    """The text without its end if that starts over and breaks off: its last line (or `part`) begins like an earlier one.

    The last line is long, or the same lines come before both.
    """
    parts = [found for found in part.finditer(text) if re.search(r"\w", found[0])]
    said = [found[0].strip() for found in parts]
    for number in reversed(range(len(said) - 1)):
        if said[number].startswith(said[-1]) and said[number] != said[-1] and said[-1][-1] not in ".!?\u3002\u104b\u17d4":
            same = 0
            while same < number and said[number - 1 - same].endswith(said[-2 - same]):
                same += 1
            if same or len(said[-1]) >= _LEAST_CUT:
                return text[: parts[-1 - same].start()].rstrip()
    return text


def _once(text: str) -> str:
    """The text once, if it is repeated."""
    lines = [line.strip() for line in text.splitlines()]
    with_text = [number for number, line in enumerate(lines) if line]
    said = [lines[number] for number in with_text]
    for size in range(1, len(said) // 2 + 1):
        if len(said) % size == 0 and said == said[:size] * (len(said) // size):
            return "\n".join(lines[: with_text[size - 1] + 1])
    return text
