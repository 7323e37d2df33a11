"""Reading the text that a chat model answers with: a span, a translation, a summary. Pure functions, no I/O.

What stands behind the last answer tag counts; without a tag the text without the lines that introduce it or comment on it, and
without code fence, quotation marks and markup around it. Sentences that repeat the form that the prompt asks for are left out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .answer_patterns import is_end, spellings, up_to_reason, without_ending
from .answer_text import COLON, STOPS, composed, cue_pattern, without_asked_form, words_of_cue
from .conclusions import any_tag, any_word, statement_spans, without_another_question
from .frames import boxed, fenced, json_answer, tagged, unfenced, without_emphasis, without_latex


if TYPE_CHECKING:
    from collections.abc import Sequence


_QUOTES = {'"': '"', "“": "”", "‘": "’", "«": "»", "「": "」", "'": "'", "`": "`", "„": "“", "『": "』", "[": "]"}
# What stands before the colon of a label: "Translation:", "The translation is:".
_LABEL = re.compile(rf"[^\n:：\"“「]{{1,60}}?(?:{COLON}|[-–](?=\s|\Z)|(?=[\"“「]))\s*")
# The same in one word of Thai or Lao: "แปลได้ว่า …".
_SAYS = re.compile(r"[^\s:]{1,40}(?:ว่า|ວ່າ)\s+")
# How a line ends that introduces what follows: the dash is a Burmese custom.
_INTRODUCES = re.compile(rf"(?:{COLON}|[!]|-)\s*\Z")
_LONGEST_INTRODUCTION = 160
_HEADING = re.compile(r"\s*(?:#{1,6}\s+(?P<marked>\S.*)|(?:\*\*|__)(?P<bold>[^*_\n]{1,60})(?:\*\*|__))\s*\Z")
# A text in quotation marks, and what is said of it.
_QUOTED = re.compile(r"[\"“«「](?P<text>[^\"“”«»「」]+)[\"”»」]\s*(?P<said>[^\"“”«»「」]{1,60})")
# The end of a sentence behind a whole word or a number, not behind an abbreviation.
_SENTENCE_END = re.compile(r"(?<=[^\W_]{4})[.!?]\s+(?=\D)|(?<=\d)[.!?]\s+(?=\D)|(?<=[)\"”])[.!?]\s+|[\u3002\u104b\u17d4]\s*")
# A sentence in brackets behind a span.
_REMARK = re.compile(r"(?<=\S)\s+\((?:[^\s()]+\s+){3,}[^\s()]+\)\s*\Z")
_RULE = re.compile(r"-{3,}|\*{3,}|={3,}|_{3,}")
_LIST_MARK = re.compile(r"\A(?:[-*•]\s+|\d{1,2}[.)]\s+)")


def read_final_text(answer: str, language: str, tags: Sequence[str] = ()) -> str:
    """The text that an answer gives, on as many lines as it has; empty if it gives none.

    Args:
        answer: what the model wrote, without its thought.
        language: code of the language of the instruction; English prefaces are known in all.
        tags: the words that ask for the answer in the prompt, such as "Terjemahan:".
    """
    names = tuple(map(words_of_cue, tags))
    for frame in (json_answer(answer, (*names, "translation", "summary", "text")), tagged(answer, names)):
        if frame is not None:
            return _unquoted(frame.strip())
    # the form that the prompt asks for stands in quotation marks, which models repeat
    answer = without_another_question(composed(answer), tags, language)
    text = _unquoted(without_asked_form(_without_fence(answer), tags).strip())
    if re.fullmatch(rf"{any_tag(tags)}[\s*_\[<]*(?:X|ANSWER)?[\s*_\]>.]*", text, re.IGNORECASE):
        return ""
    behind = behind_last_tag(text, tags)
    text = text if behind is None else behind
    lines = [line.strip() for line in without_emphasis(text).splitlines()]
    if behind is None or not lines[0]:
        lines = [line.strip() for line in without_emphasis(_without_headings(text, language)).splitlines()]
        text = "\n".join(_without_notes(_without_preface(lines, language), language)).strip()
        return _unquoted(text if "\n" in text else _LIST_MARK.sub("", text) or text)
    # what begins behind the tag is the text, whatever it begins with
    return _unquoted("\n".join(_without_notes(lines, language)).strip())


def read_span(answer: str, language: str, tags: Sequence[str] = ()) -> str:
    """A short answer: the first line of the text, without the words that lead to it ("The answer is …") or give a reason for it.

    Args:
        answer: as above.
        language: code of the language whose words are known, beside English ones.
        tags: as above.
    """
    if (box := boxed(answer)) is not None:
        return _unquoted(box)
    is_formula = "\\" in answer or answer.count("$") > 1
    text = read_final_text(without_latex(answer) if is_formula else answer, language, tags)
    lines = [line for line in text.splitlines() if line.strip()] or [""]
    line = lines[1] if len(lines) > 1 and re.search(rf"{COLON}\Z", lines[0].rstrip()) else lines[0]
    is_tagged = behind_last_tag(without_asked_form(composed(answer), tags), tags) is not None
    if not is_tagged and (framed := _framed_phrase(answer, line)):
        return _unquoted(framed)
    # behind the tag the same words are part of the span, unless it begins with them
    ends = [end for begin, end in statement_spans(line, language) if not (is_tagged and begin)]
    if ends and line[ends[0] :].strip():
        # of several statements the last corrects the others
        line = line[next(end for end in reversed(ends) if line[end:].strip()) :]
        line = without_ending(up_to_reason(_SENTENCE_END.split(line, maxsplit=1)[0], language), language)
    elif is_tagged:
        line = without_ending(line, language)
    if not is_tagged:
        line = _REMARK.sub("", line)
    return _unquoted(line.strip().rstrip(STOPS + " ") if len(line) < 200 else line.strip())


def _framed_phrase(answer: str, line: str) -> str:
    """The only phrase of a sentence that is in bold type or quotation marks: "It ended **in 1975**."; empty without one."""
    first = next((own for own in answer.splitlines() if without_emphasis(own).strip() == line.strip()), answer)
    for pattern in (r"\*\*([^*\n]+)\*\*", r"[\"“«「]([^\"“”«»「」\n]+)[\"”»」]"):
        found = re.findall(pattern, first)
        if len(found) == 1 and len(found[0]) < len(line) and not re.search(rf"(?:{COLON}|[-–—])\Z", found[0].rstrip()):
            return str(found[0]).strip().rstrip(STOPS)
    return ""


def behind_last_tag(text: str, tags: Sequence[str]) -> str | None:
    """What stands behind the last answer tag that begins a line or sentence and has text behind it; None without one."""
    found = [
        match.end()
        for tag in tags
        for match in re.finditer(
            rf"(?:\A|[\n.!?:>。])[ \t>#*_]*{cue_pattern(tag, spellings(words_of_cue(tag)))}", text, re.IGNORECASE
        )
        if text[match.end() :].strip(" *_`\n\t")
    ]
    return text[max(found) :] if found else None


def _without_fence(answer: str) -> str:
    """The content of the code fence that holds the text, or the whole text."""
    fences = fenced(answer)
    return fences[0] if len(fences) == 1 and fences[0].strip() else unfenced(answer)


def _without_headings(text: str, language: str) -> str:
    """The text without headings above it: those of Markdown, and lines in bold type that name what was asked for."""
    lines = text.splitlines()
    while any(line.strip() for line in lines[1:]):
        found = _HEADING.match(lines[0]) if lines[0].strip() else None
        names = found is not None and (found["marked"] or any_word("work", language).search(found["bold"]))
        if lines[0].strip() and (not names or lines[0].strip(" *_")[-1] in STOPS + "?"):
            break
        lines = lines[1:]
    return "\n".join(lines)


def _without_preface(lines: list[str], language: str) -> list[str]:
    """The lines without those before the text that only introduce it or repeat its source, and without a label before it."""
    source, tongue = any_word("source", language), any_word("tongue", language)
    several = (
        re.match(rf"\w+\s1\b[^:：]{{0,40}}{COLON}", lines[0]) is not None and _is_option(lines[0], language) if lines else False
    )
    while len(lines) > 1 and any(lines[1:]):
        heading = re.fullmatch(
            rf"(?:(?:{any_word('work', language).pattern}|{tongue.pattern})\s*)+", lines[0].strip(" *"), re.IGNORECASE
        )
        introduces = _introduces(lines[0], language)
        is_english = language == "en" and tongue.match(lines[0])
        labelled = [line for line in lines[1:] if _LABEL.match(line)]
        repeats = _LABEL.match(lines[0]) and (
            (source.match(lines[0]) and not is_english and any(_label(line, language) for line in labelled))
            or (
                tongue.match(lines[0])
                and any(tongue.match(line) and (language == "en" or not source.match(line)) for line in labelled)
            )
        )
        if lines[0] and not (heading or introduces or repeats):
            break
        several = several or _is_option(lines[0], language)
        lines = lines[1:]
    if several:
        # of alternatives the first counts
        first = re.sub(rf"\A(?:[-*•]\s+|\d{{1,2}}[.)]\s+)?(?:\w+ \d[^:：]{{0,40}}{COLON}\s*)?", "", lines[0])
        rest = [line for line in lines[1:] if line]
        lines = [first or (rest[0] if rest else "")]
    if lines and (quoted := _QUOTED.fullmatch(lines[0])) and any_word("work", language).search(quoted["said"]):
        return [quoted["text"], *lines[1:]]
    label = _label(lines[0], language) if lines else None
    return [lines[0][label:], *lines[1:]] if label is not None and lines[0][label:] else lines


def _is_option(line: str, language: str) -> bool:
    return any_word("option", language).search(line) is not None


def _introduces(line: str, language: str) -> bool:
    """Whether a line only introduces what follows: "Sure, here it is:", "The article can be summarised as follows"."""
    bare = line.rstrip(STOPS + " ")
    follows = any(is_end(bare[match.end() :], language) for match in any_word("follows", language).finditer(bare))
    if not (follows or _INTRODUCES.search(line)):
        return False
    if any_word("preface", language).match(line):
        return True
    names = any(any_word(place, language).search(line) for place in ("work", "rendered", "answer"))
    return names and not line.rstrip().endswith("!") and len(line) <= _LONGEST_INTRODUCTION and not re.search(r"[.?]\s", line)


def _label(line: str, language: str) -> int | None:
    """Where the label ends that begins a line: a word for what was asked, few words around it, a colon; None without one."""
    work = any_word("work", language)
    if work.match(line) and (says := _SAYS.match(line)):
        return says.end()
    found = _LABEL.match(line)
    if found is None:
        return None
    named = work.search(found[0])
    if any_word("rendered", language).search(found[0]):
        return found.end()
    if named is None or (not any_word("preface", language).match(line) and len(found[0][: named.start()].split()) > 2):
        return None
    return found.end()


def _without_notes(lines: list[str], language: str) -> list[str]:
    """The lines up to the first that comments on the text: behind a word such as "Note", in brackets, or behind a rule."""
    note = any_word("note", language)
    for number, line in enumerate(lines):
        if not number or not any(lines[:number]):
            continue
        bracketed = line[:1] in "([（【" and line[-1:] in ")]）】" and line != ""
        bare = line.lstrip("([（【*_ ")
        ends = not any(lines[number + 1 :]) and bare[-1:] in ("!", "！", "?")
        if note.match(bare) and (not lines[number - 1] or bracketed or ends or _LABEL.match(bare)):
            return lines[:number]
        if _RULE.fullmatch(line) or (bracketed and not lines[number - 1] and not any(lines[number + 1 :])):
            return lines[:number]
    return lines


def _unquoted(text: str) -> str:
    """The text without the marks that stand around all of it."""
    text = text.strip()
    while len(text) > 1 and _QUOTES.get(text[0]) == text[-1] and text.count(text[0]) == (2 if text[0] == text[-1] else 1):
        text = text[1:-1].strip()
    return text
