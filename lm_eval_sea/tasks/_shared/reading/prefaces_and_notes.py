"""Cuts off what comes before and after a chat model's text: introductions, labels, headings, notes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..metrics.target_language import SCRIPTS, letters_by_script
from .answer_patterns import WORD, any_word, has_word, is_end, task_words
from .answer_text import COLON, STOPS
from .frames import QUOTED, QUOTES, unquoted, without_emphasis
from .statements import statement_spans
from .surroundings import RULE


if TYPE_CHECKING:
    from collections.abc import Sequence


# A label with its colon: "Translation:", "The translation is:".
_LABEL = re.compile(rf"[^\n:：\"“「]{{1,60}}?(?:{COLON}|[-–](?=\s|\Z)|(?=[\"“「]))\s*")
# The same in one word of Thai or Lao: "แปลได้ว่า …".
_SAYS = re.compile(r"[^\s:]{1,40}(?:ว่า|ວ່າ)\s+")
# The end of a line that introduces what follows. The dash is a Burmese custom.
INTRODUCES = re.compile(rf"(?:{COLON}|[!]|-)\s*\Z")
# The colon of a time, "11:00", does not end a label.
LABELLED = re.compile(rf"(?P<label>[^\W\d][^\n:：.!?\u3002\u104b\u17d4\u17d6]{{0,40}})(?:{COLON}(?!\d\d)|-(?=\s|\Z))(?P<rest>.*)")
_HEADINGS = re.compile(r"\A(?:[ \t]*(?:#{1,6}[ \t]+\S[^\n]*)?\n)+(?=\s*\S)")  # of Markdown, above a text
# A heading in bold type below a paragraph, and above a list.
_OVER_LIST = re.compile(
    r"(?<=[^\s:：])[^\S\n]*\n\s*\n\*\*[^*\n]{1,40}[^*\n.!?\u3002\u104b\u17d4]\*\*[^\S\n]*\n+(?=[ \t]*(?:[-*•]|\d+[.)])\s)"
)
# A line of a glossary.
_GLOSS = re.compile(r"(?:[-*•]\s+)?(?P<word>[^=\n]{1,60}?)\s(?P<link>[=–→-])\s\S")
_BRACKETS = re.compile(r"(?<!\s)\s*[(（\[](?P<said>[^()（）\[\]]{3,400})[)）\]]\s*\Z")
LONGEST_LABEL, LONGEST_INTRODUCTION, _LONGEST_REMARK, LONGEST_REQUEST = 60, 160, 80, 300
_MOST_LINES_BEFORE = 20  # an introduction has no more
_MOST_WORDS_WITHOUT_TONES, _LONGEST_WORD = 7, 30
_SCRIPTS = SCRIPTS | {"zh": "CJK"}
# English words that no regional language in the Latin script has.
_ENGLISH = frozenset(
    "a about after and are as be been between by during every for from had has have here his i in into is it its not of that"  # noqa: SIM905
    " the their these they this to two was were which who will with you your".split()
)


def text_alone(text: str, language: str, target: str, *, is_tagged: bool) -> str:
    """A text without introductions and comments. Nothing on the line of an answer tag is an introduction."""
    text = _up_to_heading(text, language)
    if not is_tagged or not text.partition("\n")[0].strip(" *_"):
        text = _HEADINGS.sub("", text)
        lines = _without_other_languages(_lines(text), target)
        begun, lines = lines[0], _without_preface(lines, language)
        if lines[0] != begun and _is_quoted_with_gloss(lines):
            return unquoted(lines[0])
    else:
        lines = _lines(text)
    lines = _without_notes(_without_other_languages(lines, target), language)
    if target and not is_foreign(" ".join(lines), target):
        lines = _without_other_languages(lines, target)  # such as a transliteration above the notes
    text = "\n".join(lines).strip()
    remark = _BRACKETS.search(text)
    return text[: remark.start()] if remark and _is_remark(remark["said"], text[: remark.start()], language, target) else text


def _lines(text: str) -> list[str]:
    return [line.strip() for line in without_emphasis(text).splitlines()] or [""]


def _without_preface(lines: list[str], language: str) -> list[str]:
    """The lines without a label, and without first lines that only introduce the text or repeat its source."""
    for _ in range(_MOST_LINES_BEFORE):
        if not any(lines[1:]) or (lines[0] and not _stands_before(lines[0], lines[1:], language)):
            break
        lines = lines[1:]
    label = _label(lines[0], language)
    return [lines[0][label:] or lines[0], *lines[1:]]


def _stands_before(line: str, text: Sequence[str], language: str) -> bool:
    """Whether a line is a preface of the text below it, or its source if the text has a label, too."""
    if any_word("work", language).fullmatch(line) or _introduces(line, language):
        return True
    if _LABEL.match(line):
        source = any_word("source" if language != "en" else "tongue", language)
        return source.match(line) is not None and any(_label(below, language) for below in text)
    if text[0] or len(line) > _LONGEST_REMARK:
        return False
    states = any(line[end:].strip(STOPS + " ") for _, end in statement_spans(line, language))  # "Sure! The answer is 1911."
    return task_words(language).search(line) is not None or (any_word("preface", language).match(line) is not None and not states)


def _introduces(line: str, language: str) -> bool:
    """Whether a line only introduces what follows: "Sure, here it is:", "The article can be summarised as follows"."""
    bare = line.rstrip(STOPS + " ")
    follows = any(is_end(bare[match.end() :], language) for match in any_word("follows", language).finditer(bare))
    if not (follows or INTRODUCES.search(line)):
        return False
    if re.search(rf"{COLON}\s*\Z", line):
        return len(line) <= LONGEST_REQUEST
    names = has_word(line, language, "work", "rendered", "answer")
    return names and not line.rstrip().endswith("!") and len(line) <= LONGEST_INTRODUCTION and not re.search(r"[.?]\s", line)


def _label(line: str, language: str) -> int | None:
    """The end of a label at the beginning of a line: a word for what was asked, few others, a colon; None if there is none."""
    work = any_word("work", language)
    found = (work.match(line) and _SAYS.match(line)) or _LABEL.match(line)
    if found is None:
        return None
    named = work.search(found[0])
    if any_word("rendered", language).search(found[0]) or any_word("answer", language).fullmatch(found[0].rstrip(" :：\u17d6-")):
        return found.end()
    if named is None or (not any_word("preface", language).match(line) and len(found[0][: named.start()].split()) > 2):
        return None
    return found.end()


def _is_quoted_with_gloss(lines: Sequence[str]) -> bool:
    """Whether the whole first line is in quotation marks, and each later paragraph explains a word: '"Mill" is a factory.'."""
    quoted = lines[0][:1] in QUOTES and lines[0][0] != "[" and unquoted(lines[0]) != lines[0].strip()
    glosses = [line for line in lines[1:] if line]
    words = [QUOTED.search(line) for line in glosses]
    return quoted and bool(glosses) and all(word and len(word[1]) < _LONGEST_WORD and word[1][-1] not in STOPS for word in words)


def _up_to_heading(text: str, language: str) -> str:
    """The text up to a second Markdown heading, if the first names what was asked for, or up to one in bold type over a list."""
    if (over_list := _OVER_LIST.search(text)) and re.search(r"\w", text[: over_list.start()]):
        text = text[: over_list.start()]
    marks = list(re.finditer(r"(?m)^[ \t]*#{1,6}[ \t]+(.*)$", text))
    names = len(marks) > 1 and not text[: marks[0].start()].strip() and any_word("work", language).search(marks[0][1])
    return text[: marks[1].start()] if names and text[marks[0].end() : marks[1].start()].strip() else text


def _without_notes(lines: list[str], language: str) -> list[str]:
    """The lines up to the first that comments on the text: after a word such as "Note", in brackets, or below a rule."""
    note = any_word("note", language)
    with_text = [number for number, line in enumerate(lines) if line] or [0]
    for number, line in enumerate(lines):
        if number <= with_text[0]:
            continue
        is_last = number >= with_text[-1]
        bracketed = line[:1] in tuple("([（【") and line[-1] in ")]）】"
        bare = line.lstrip("([（【*_ ")
        begins = not lines[number - 1]
        is_note = bool(note.match(bare) and (begins or is_last or _LABEL.match(bare)))
        label = LABELLED.match(bare)
        is_source = label is not None and any_word("source", language).fullmatch(label["label"].strip()) is not None
        is_note = is_note or (is_source and not any(map(LABELLED.match, lines[:number])))
        quotes = begins and any(quoted in " ".join(lines[:number]) for quoted in QUOTED.findall(line))
        apart = begins and line and _is_apart(line, lines[:number], language, last=is_last)
        if is_note or quotes or apart or _is_gloss(line, lines[:number]) or RULE.fullmatch(line) or (bracketed and is_last):
            return lines[:number]
    return lines


def _is_gloss(line: str, text: Sequence[str]) -> bool:
    """Whether a line explains a word: "mill = a factory", or "- mill - a factory" if the text has the word."""
    gloss = _GLOSS.match(line)
    return gloss is not None and (gloss["link"] == "=" or any(gloss["word"] in before for before in text))


def _is_apart(line: str, text: Sequence[str], language: str, *, last: bool) -> bool:
    """Whether a paragraph after a text is not part of it.

    It has a label, names the task ("translation"), speaks to the user or begins with words such as "this article", while the text
    does not; or it is the `last`, and a question or an exclamation, while no line of the text is one.
    """
    if (label := LABELLED.match(line.lstrip("-*• "))) and len(label["label"].split()) <= 4 and not any(map(LABELLED.match, text)):
        return True
    for said in (task_words(language), any_word("speaks", language)):
        if said.search(line) and not any(map(said.search, text)):
            return True
    if begins_with_source(line, language) and not any(map(any_word("asks", language).search, text)):
        return True
    return last and line[-1:] in "?？!！" and not any(before[-1:] in ("?", "？", "!", "！") for before in text)


def begins_with_source(text: str, language: str) -> bool:
    """Whether a text begins with words such as "this article"."""
    return re.match(rf"(?:\S+\s|\S\S)?(?:{any_word('asks', language).pattern})", text, re.IGNORECASE) is not None


def _is_remark(said: str, text: str, language: str, target: str) -> bool:
    """Whether the words in brackets after a text are a comment, or the same text in another language."""
    if any(any_word(place, language).match(said) for place in ("note", "version", "joined")):
        return True
    # "18 words", not "24 km. (15 miles)"
    counts = re.fullmatch(r"\D{0,15}\d+\s?[^\W\d]\D{1,15}", said) and re.search(rf"(?:[{WORD}]{{3}}|\d/\d)\W{{1,2}}\s*\Z", text)
    translates = target and is_foreign(said, target, most_words_each=5)
    is_whole = text.rstrip(' "”»')[-1:] in tuple(".!?\u3002\u104b\u17d4")
    return bool(is_whole and (counts or translates)) or bool(translates and target in _SCRIPTS and len(said.split()) > 4)


def _without_other_languages(lines: list[str], target: str) -> list[str]:
    """The lines without first and last ones in another script than the target's, or in English if that is not the target."""
    others = {script for code, script in _SCRIPTS.items() if target in _SCRIPTS and code != target}
    foreign = [is_foreign(line, target) or set(letters_by_script(line)) <= others for line in lines]
    own = [number for number, is_other in enumerate(foreign) if not is_other]
    if not target or not own:
        return lines
    end = own[-1] + 1
    # the last line of the text may be a name in another script
    return [*lines[own[0] : end], *([] if any(is_foreign(line, target) for line in lines[end:]) else lines[end:])]


def is_foreign(text: str, target: str, most_words_each: int = 3) -> bool:
    """Whether a text of several words is in another script than the target's, or in English if that is not the target.

    It is English if one in `most_words_each` words, and two different ones, are English words that no regional language has.
    """
    words = re.findall(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff'’]+", text)
    if own := _SCRIPTS.get(target):
        return len(words) > 1 and not letters_by_script(text)[own]
    if not words:
        return not letters_by_script(text).keys().isdisjoint(_SCRIPTS.values())
    if target == "vi" and len(words) > _MOST_WORDS_WITHOUT_TONES and text.isascii():
        return True
    english = [word.casefold() for word in words if word.casefold() in _ENGLISH]
    return target != "en" and len(words) > 2 and len(set(english)) > 1 and most_words_each * len(english) >= len(words)
