"""Where what chat models write states an answer, counts an option or asks another question. Pure functions, no I/O."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from .answer_patterns import WORD, known_languages, lead_in_pieces, spellings
from .answer_phrases import ANSWER_TAGS, FINAL_TAGS, PHRASES, Phrases
from .answer_text import COLON, SENTENCE_STOP, STOPS, cue_pattern, plain, words_of_cue


if TYPE_CHECKING:
    from collections.abc import Sequence


# What may stand between two words that lead to an answer, and before the answer; a dash before a digit is a minus.
JOINT = rf"[\])】]?\s*(?:{COLON}|[,\u104a]|[-–—=]+(?!\d)>?|→)?\s*"

_REMARK = r"(?:\([^()\n]{1,40}\)[*_]*[^\S\n]*)?"
_TEXT = re.compile(r"[^ *_`\n\t]")
LONGEST_LEAD = 15  # of what is no text yet
# What questions are counted with, beside words for "question".
_NUMBERED = r"câu|bài|no|q|ข้อ(?:ที่)?"


@lru_cache(maxsize=1024)
def any_word(place: str, language: str) -> re.Pattern[str]:
    """Any of the words of one field of `Phrases`, in the languages that are read in one."""
    return re.compile(_alternatives(place, language), re.IGNORECASE)


def has_word(text: str, language: str, *places: str) -> bool:
    """Whether a text has any of the words of some fields of `Phrases`."""
    return any(any_word(place, language).search(text) for place in places)


@cache
def task_words(language: str) -> re.Pattern[str]:
    """The stems of "translate" and "summarise", also within a word. They speak about a text, and hardly ever stand in it."""
    return re.compile("|".join(PHRASES[code].task for code in known_languages(language) if PHRASES[code].task), re.IGNORECASE)


def at_end(place: str, text: str, language: str) -> re.Match[str] | None:
    """The word of one field of `Phrases` that a text ends with."""
    return next((match for match in any_word(place, language).finditer(text) if match.end() == len(text)), None)


def begins_clause(before: str, language: str) -> bool:
    """Whether a clause begins behind a text: "so" may also mean "become" or "should". Thai and Lao set blanks between clauses."""
    stops = ("", "\n", "，", "；", *STOPS)
    return before.rstrip(" \t*_([–—-")[-1:] in stops or (language in ("th", "lo") and before[-1:] == " ")


def admission(text: str, language: str) -> int | None:
    """Where the last words end that begin a sentence, perhaps behind "wait", and admit an error: "I was wrong"; None without."""
    found = None
    for words in any_word("errs", language).finditer(text):
        sentence = SENTENCE_STOP.split(text[: words.start()].replace("…", "\n"))[-1]
        if not re.search(r"\w{4}|[A-Z\d]", any_word("corrects", language).sub("", sentence)):
            found = words.end()
    return found


def _alternatives(place: str, language: str) -> str:
    words = [getattr(PHRASES[code], place) for code in known_languages(language)]
    return "|".join(map(bounded, filter(None, words))) or r"(?!)"


def bounded(words: str) -> str:
    """A regular expression of words: whole ones in the Latin script; other scripts may write them together."""
    return rf"(?<![{WORD}])(?:{words})(?![{WORD}])" if re.search(r"(?<!\\)[a-zđ]", words) else f"(?:{words})"


@cache
def lead_in(language: str) -> re.Pattern[str]:
    """The words that lead to an answer, anywhere in a line, and what stands between them and it."""
    return re.compile(
        rf"(?:(?:{lead_in_pieces(language)}|{'|'.join(_alternatives(place, language) for place in ('lead', 'left', 'answer'))})"
        rf"{JOINT}){{1,12}}",
        re.IGNORECASE,
    )


def statement_spans(text: str, language: str, *further: str) -> list[tuple[int, int]]:
    """Where in a text words state an answer: "the answer is", "the right option is", "so right is"; also words of more fields."""
    places = [any_word(place, language) for place in ("answer", *further)]
    option, right, so = (any_word(place, language) for place in ("option", "right", "so"))
    return [
        match.span()
        for match in lead_in(language).finditer(text)
        if any(place.search(match[0]) for place in places)
        or (right.search(match[0]) and (option.search(match[0]) or so.search(match[0])))
    ]


def without_another_question(text: str, tags: Sequence[str], language: str) -> str:
    """The text up to another question that the model made up and answered, too.

    That is a line "Question: …" or "Source: …" between two answer tags, or below an empty line and an answer on the first line; a
    line "Question 2: …" between two tags; or a second round of the labels that the text itself has: "Label: … Text: … Label: …".
    """
    for pattern in (_answer_above_a_question(language), _second_round(language)):
        if begins := pattern.match(text):
            return text[: begins.end("answer")]
    ends = [match.end() for match in re.finditer(any_tag(tags), text, re.IGNORECASE)]
    for end, following in pairwise(ends):
        asked = _labelled_question(language).search(text, end, following) or _numbered_question(text, end, following, language)
        if asked is not None and text[end : asked.start()].strip(" *_`\n\t"):
            return text[: asked.start()]
    return text


def _numbered_question(text: str, begin: int, end: int, language: str) -> re.Match[str] | None:
    """A line such as "Câu 2:" or "Soal 2" between two places of a text that has no line "Câu 1:"."""
    found = _second_question(language).search(text, begin, end)
    return found if found and not re.search(rf"{found['word']} 1\b", text) else None


@cache
def _second_question(language: str) -> re.Pattern[str]:
    words = rf"{any_word('asks', language).pattern}|{_NUMBERED}"
    return re.compile(rf"\n[\s>#*_]*(?P<word>{words}) ?2[.*_]*[ \t]*(?:{COLON}|(?=\n))", re.IGNORECASE)


@cache
def question_label(language: str) -> str:
    """The regular expression of a label such as "Question:", "Question 2:" or "Soal salajengna:", and of marks before it."""
    words = "|".join([*(any_word(place, language).pattern for place in ("asks", "source")), "instruksi|instructions?"])
    return rf"[\s>#*_]*(?:{words})[^\n:：.!?\d]{{0,15}}[\s*_\d]*(?:{COLON}|-(?=\s))"


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

    A word with the number 1 may begin the steps that lead to the answer.
    """
    stated = "|".join(any_word(place, language).pattern for place in ("answer", "option"))
    answer = rf"\s*[>#*_]*(?:{stated})[^\n:\d]{{0,30}}{COLON}(?P<answer>[^\n]{{1,60}})"
    return re.compile(rf"{answer}\n\s*\n(?=[^\W\d_]+ (?!1\D)\d+{COLON}|{question_label(language)})", re.IGNORECASE)


@cache
def _second_round(language: str) -> re.Pattern[str]:
    """An answer behind a label on the first line, an empty line, the label of a question, and the first label again."""
    return re.compile(
        rf"\s*[>#*_]*(?P<label>[^\n:：]{{1,30}}){COLON}(?P<answer>[^\n=]{{1,60}})\n\s*\n{question_label(language)}"
        rf"(?=[\s\S]*?\n[\s>#*_]*(?P=label){COLON})",
        re.IGNORECASE,
    )


def any_tag(tags: Sequence[str]) -> str:
    """The regular expression of an answer tag at the beginning of a line."""
    return rf"(?:\A|\n)[\s>#*_]*(?:{'|'.join(map(tag_pattern, tags)) or '(?!)'})"


def tag_spans(text: str, tags: Sequence[str], before: str = "") -> list[tuple[int, int]]:
    """Where the answer tags stand that have text behind them, also as a heading on a line of its own without a mark.

    `before` is a regular expression of what has to stand before one, and is part of it. Marks of a heading may stand before a tag
    of an answer; below those of a translation or a summary further headings belong to it.
    """
    forms = []
    for tag in tags:
        words = words_of_cue(plain(tag))
        marks = r"[\s#*_]*" if f"{words}:" in ANSWER_TAGS else r"\s*"
        forms += [before + tag_pattern(tag), rf"(?m:^{marks}{re.escape(words)}{marks}$)"]
    found = (match.span() for form in forms for match in re.finditer(form, text, re.IGNORECASE))
    return sorted({span for span in found if _TEXT.search(text, span[1])})


def behind_last_tag(text: str, tags: Sequence[str], language: str) -> str | None:
    """What stands behind the last answer tag that begins a line or sentence and has text behind it; None without one.

    The tag may follow a word such as "so".
    """
    begin = rf"(?:\A|[\n.!?:>。\u104b\u17d4])[ \t>#*_]*(?:(?:{any_word('so', language).pattern})[ \t,]*)?"
    found = tag_spans(text, tags, begin)
    if not found:
        return None
    last = text[found[-1][1] :]
    # one that repeats itself is cut in the last round
    before = text[found[-2][1] : found[-1][0] + 1].strip() if len(found) > 1 else ""
    is_cut = len(last.strip()) > LONGEST_LEAD and last.strip()[-1] not in STOPS + "?"
    is_cut |= at_end("unfinished", last.strip(), language) is not None
    return before if is_cut and before.startswith(last.strip()) else last


def tag_pattern(tag: str) -> str:
    """The regular expression of an answer tag in any of its spellings, perhaps with a remark: "Final answer (in one word):"."""
    words = words_of_cue(tag)
    final = FINAL_TAGS.get(words.casefold())
    return cue_pattern(plain(tag), (*spellings(words), *([final] if final else [])), _REMARK)


def _counting(known: Sequence[Phrases], place: int) -> tuple[list[str], list[str]]:
    """The regular expressions of words for "second" and for "two", where the place is 1."""
    ordinals = [bounded(word.ordinals[place]) for word in known if word.ordinals]
    return ordinals, [bounded(word.cardinals[place]) for word in known if word.cardinals]


@cache
def ordinal(language: str) -> re.Pattern[str]:
    """The words for "first" to "fifth", perhaps behind an article; the group that matches, `p1` to `p5`, says which."""
    return re.compile(rf"(?:\w{{1,4}}\s+)?{_ordinals(language)}", re.IGNORECASE)


def _ordinals(language: str) -> str:
    known = [PHRASES[code] for code in known_languages(language)]
    words = ["|".join(ordinals + cardinals) for ordinals, cardinals in (_counting(known, place) for place in range(5))]
    return f"(?:{'|'.join(f'(?P<p{number}>{own})' for number, own in enumerate(words, 1))})"


@cache
def counted_options(language: str) -> re.Pattern[str]:
    """Words that count an option: "the second option", "option 2", "第二个选项".

    The group that matches, `b1` to `b5` or `f1` to `f5`, says which.
    """
    known = [PHRASES[code] for code in known_languages(language)]
    option = "|".join(bounded(word.counted or word.option) for word in known)
    between = "|".join(bounded(word.between) for word in known if word.between)
    joint = rf"\s*(?:(?:{between})\s*){{0,2}}"
    before, behind = [], []
    for place in range(5):
        ordinals, cardinals = _counting(known, place)
        digit = rf"(?<![\d.,]){place + 1}(?![\d.,/:]*\d)"
        before.append(rf"(?P<b{place + 1}>{'|'.join(ordinals)})")
        behind.append(rf"(?P<f{place + 1}>{'|'.join([*ordinals, *cardinals, digit])})")
    return re.compile(rf"(?:{option}){joint}(?:{'|'.join(behind)})|(?:{'|'.join(before)}){joint}(?:{option})", re.IGNORECASE)


@cache
def last_option(language: str) -> re.Pattern[str]:
    """Words that count the last option, "the last option", "the last one", perhaps behind an article."""
    known = [PHRASES[code] for code in known_languages(language)]
    option = "|".join(bounded(word.counted or word.option) for word in known)
    between = "|".join(bounded(word.between) for word in known if word.between)
    joint, last = rf"\s*(?:(?:{between})\s*)?", any_word("last", language).pattern
    return re.compile(rf"(?:{option}){joint}(?:{last})|(?:\bthe\s)?(?:{last}){joint}(?:{option}|\bone\b)", re.IGNORECASE)


@cache
def uncounted_option(language: str) -> re.Pattern[str]:
    """A word that counts an option that is not named, at the end of a clause: "the second one".

    The group that matches, `p1` to `p5`, says which.
    """
    ends = r"(?:\s*(?:one|个|個|项))?(?=\s*(?:[.,;!，。；\u104b\u17d4]|\Z|\n))"
    which = any_word("which", language).pattern
    return re.compile(rf"(?:(?P<which>{which})\s*)?{_ordinals(language)}{ends}", re.IGNORECASE)
