"""Cuts off what a model adds below its answer: repetitions, and further questions that it makes up and answers.

Pure functions, no I/O.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING

from .answer_patterns import any_word, has_word
from .answer_phrases import ANSWER_TAGS
from .answer_tags import any_tag, tag_spans
from .answer_text import COLON, STOPS
from .statements import statement_spans


if TYPE_CHECKING:
    from collections.abc import Sequence


# A line that begins with a label.
_ROW = re.compile(rf"\n[\s>#*_]*([^\W\d][^\n:：\d]{{0,30}}){COLON}")
# Words that number questions, besides those for "question".
_NUMBERED = r"câu|bài|no|q|ข้อ(?:ที่)?"

# A shorter passage may be repeated by chance, or in a list.
_LEAST_REPEATED = 20
_LONGEST_PHRASE = 60
_MOST_QUESTIONS = 30
_MARKS = " *_`\n\t"
# The label of a question, in any language, that begins a line, or a sentence after another.
_QUESTION = re.compile(
    r"(?:\n|[.!。\u104b\u17d4])(?P<label>[\s>#*_-]{0,20}"  # limited, because otherwise many empty lines take quadratic time
    r"(?:(?:next|another|susunod na|sunod nga|sumaruno a|அடுத்த|နောက်(?:ထပ်)?)\s?)?"
    r"(?:human|user|questions?|q|problem|exercise|(?:your )?task|instructions?"
    r"|pertanyaan|soal(?:an)?|câu hỏi|bài (?:tiếp|toán|tập)|คำถาม|โจทย์|问题"
    r"|題目|题目|問題|下一题|tanong|pitakon(?:an)?|pananya|patarosan|မေးခွန်း|ပုစ္ဆာ|សំណួរ|លំហាត់|ຄຳຖາມ|ໂຈດ|கேள்வி|கணக்கு|pangutana|saludsod"
    r"|pakiana|ข้อ(?:ต่อ|ถัด)ไป|ຂໍ້(?:ຕໍ່|ຖັດ)ໄປ)"
    rf"(?:(?:\s[^\n:：.!?\d]{{0,15}})?[\s*_]*{COLON}|\s\d{{1,2}}[ \t*_]*(?=\n)))",
    re.IGNORECASE,
)


def without_repetition(text: str) -> str:
    """The first of the equal passages that a text consists of; the last of them may be cut. A text of two equal lines stays."""
    text = text.rstrip()
    line = re.match(r"[^\n]+\n\s*", text)  # may be shorter
    for begin in (text.find(text[:_LEAST_REPEATED], _LEAST_REPEATED), line.end() if line else 0):
        least = 2 * begin + (1 if re.search(r"[^\n]\n\Z", text[:begin]) else -2)  # blanks may come between two passages
        if begin > 0 and len(text) >= least and text.startswith(text[begin:]):
            return text[:begin].rstrip()
    return text


def without_another_question(text: str, tags: Sequence[str], language: str) -> str:
    """The text up to another question that the model made up and answered. Such a question begins with

    - a line "Question: …" or "Source: …" between two answer tags, or below an answer on the first line and an empty line;
    - a line "Question 2: …" between two answer tags;
    - a line with any label between two answer tags, if the same label comes again between the next two;
    - a label "Question:" or "Your task:" anywhere between two answers, above further questions, or as a heading.
    """
    if begins := _answer_above_a_question(language).match(text):
        return text[: begins.end("answer")]
    labels = list(islice(_QUESTION.finditer(text), _MOST_QUESTIONS))
    for label in labels:
        above, below = text[: label.start("label")], text[label.end() :]
        answered = "?" in below or "？" in below or _answers(below, ANSWER_TAGS, language)
        if answered and _tells(above, tags, language, several=label is not labels[-1] or "#" in label["label"]):
            return above
    spans = [match.span() for match in re.finditer(any_tag(tags), text, re.IGNORECASE)]
    rows = [list(_ROW.finditer(text, end, begin)) for (_, end), (begin, _) in pairwise(spans)]
    for number, ((_, end), (_, following)) in enumerate(pairwise(spans)):
        asked = _labelled_question(language).search(text, end, following) or _numbered_question(text, end, following, language)
        asked = asked or _other_source(language).search(text, end, following)
        again = {row[1] for row in chain(*rows[number + 1 : number + 2])}
        asked = asked or next((row for row in rows[number] if row[1] in again), None)
        if asked is not None and text[end : asked.start()].strip(_MARKS):
            return text[: asked.start()]
    return text


def above_other_question(text: str, question: str) -> str:
    """The text above a label and another question than `question`: "Question: Who wrote it? Answer: …"."""
    for label in islice(_QUESTION.finditer(text), _MOST_QUESTIONS):
        asked, above = text[label.end() :].strip(_MARKS).partition("\n")[0], text[: label.start("label")]
        is_other = asked.rstrip(_MARKS)[-1:] in ("?", "？") and asked.strip(_MARKS).casefold() not in question.casefold()
        if is_other and above.strip(_MARKS) and tag_spans(text[label.end() :], ANSWER_TAGS):
            return above
    return text


def _answers(text: str, tags: Sequence[str], language: str) -> bool:
    """Whether words follow an answer tag, a statement or "so"."""
    so = (match.span() for match in any_word("so", language).finditer(text))
    return any(text[end:].strip(_MARKS) for _, end in (*tag_spans(text, tags), *statement_spans(text, language), *so))


def _tells(text: str, tags: Sequence[str], language: str, *, several: bool) -> bool:
    """Whether a text above a question gives an answer.

    Above several questions, or one with a heading, a phrase or whole sentences are enough.
    """
    said = text.strip(_MARKS)
    if _answers(said, tags, language):
        return True
    if (
        not (said and several)
        or re.search(rf"{COLON}\Z", said)
        or has_word(said, language, "asks", "source", "preface", "working")
    ):
        return False
    return said[-1] in STOPS or (len(said) <= _LONGEST_PHRASE and not re.search(rf"{COLON}|[?？]\Z", said))


def _numbered_question(text: str, begin: int, end: int, language: str) -> re.Match[str] | None:
    """A line "Câu 2:" or "Soal 2", or any heading "Exercise 2", between two places, if the text has no line "Câu 1:"."""
    found = _second_question(language).search(text, begin, end)
    return found if found and not re.search(rf"{found['word']} 1\b", text) else None


@cache
def _second_question(language: str) -> re.Pattern[str]:
    words = rf"{any_word('asks', language).pattern}|{_NUMBERED}"
    heading = r"(?<=\n\n)(?=[^\W\d]+ 2\n\n)"  # without its marks
    word = rf"(?:{heading}|(?=(?:{words}) ?2))(?P<word>[^\n\d:：]{{1,20}}?)"
    return re.compile(rf"\n[\s>#*_]*{word} ?2[.*_]*[ \t]*(?:{COLON}|(?=\n))", re.IGNORECASE)


@cache
def _other_source(language: str) -> re.Pattern[str]:
    """The name of a language as the label of a line: "English: …"."""
    return re.compile(rf"\n[\s>#*_]*(?:{any_word('tongue', language).pattern})[*_]*{COLON}", re.IGNORECASE)


@cache
def question_label(language: str) -> str:
    """The regular expression for a label such as "Question:", "Question 2:" or "Soal salajengna:", with marks before it."""
    words = "|".join([*(any_word(place, language).pattern for place in ("asks", "source")), "instruksi|instructions?"])
    return rf"[\s>#*_【]*(?:{words})(?:】|[^\n:：.!?\d]{{0,15}}[\s*_\d]*(?:{COLON}|-(?=\s)))"


@cache
def _labelled_question(language: str) -> re.Pattern[str]:
    return re.compile(rf"\n{question_label(language)}", re.IGNORECASE)


@cache
def question_line(language: str) -> re.Pattern[str]:
    """The label of a question at the beginning of a line, also "Câu 2:"."""
    numbered = rf"\n[\s>#*_]*(?:{_NUMBERED}) ?\d+[*_]*\s*{COLON}"
    return re.compile(rf"{_labelled_question(language).pattern}|{numbered}", re.IGNORECASE)


@cache
def _answer_above_a_question(language: str) -> re.Pattern[str]:
    """A first line that states an answer, an empty line, and the label of a question or any word with a number: "Câu 2:".

    The number 1 is left out, because it may begin the steps that lead to the answer.
    """
    stated = "|".join(any_word(place, language).pattern for place in ("answer", "option"))
    answer = rf"\s*[>#*_]*(?:{stated})[^\n:\d]{{0,30}}{COLON}(?P<answer>[^\n]{{1,60}})"
    return re.compile(rf"{answer}\n\s*\n(?=[^\W\d_]+ (?!1\D)\d+{COLON}|{question_label(language)})", re.IGNORECASE)
