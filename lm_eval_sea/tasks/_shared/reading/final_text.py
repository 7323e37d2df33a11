"""Reading the text that a chat model answers with: a translation, a summary. Pure functions, no I/O.

The text in the last frame or after the last answer tag counts; without one, the whole answer. Lines that introduce the text or
comment on it, a code fence, quotation marks and markup around it, and sentences that repeat the form of the prompt are cut off.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .answer_patterns import any_word, at_end, has_word, is_end, task_words
from .answer_tags import LONGEST_LEAD, any_tag, behind_last_tag, tag_pattern
from .answer_text import COLON, PLACEHOLDER, SENTENCE_STOP, STOPS, composed, without_asked_form
from .frames import QUOTED, QUOTES, begins_object, last_frame, unfenced, unquoted, without_emphasis
from .other_questions import without_another_question, without_repetition
from .prefaces_and_notes import (
    INTRODUCES,
    LABELLED,
    LONGEST_INTRODUCTION,
    LONGEST_LABEL,
    LONGEST_REQUEST,
    begins_with_source,
    is_foreign,
    text_alone,
)
from .several_texts import corrected, of_target, one_of_several
from .surroundings import BULLET, LIST_MARK, without_marks


if TYPE_CHECKING:
    from collections.abc import Sequence


# A text in quotation marks, and a remark on it.
_QUOTED_ALONE = re.compile(rf"{QUOTED.pattern}\s*(?P<said>[^\"“”«»「」]{{1,60}})")
# A question with lettered options below an empty line.
_QUIZ = re.compile(r"(?<=\S)\n\s*\n[^\n]*[?？:：]\s*\n\s*\(?A[.)]\s[^\n]+\n\s*\(?B[.)]\s")
# A line in bold type: the first, or the first below an answer tag.
_BOLD = r"[ \t]*(?:\*\*|__)(?P<title>[^*_\n]{1,120})(?:\*\*|__)[ \t]*"
_BOLD_LINE = re.compile(rf"(?m)^{_BOLD}$")
_TITLE = re.compile(rf"\A\s*(?:[^\n]{{1,40}}{COLON}[*_]*[ \t]*\n\s*)?(?P<line>{_BOLD}\n\s*)(?=\S)")
_ENDS_OF_SENTENCES = ".!?:：\u3002\u104b\u17d4\u17d6"
_THINKS = re.compile(
    r"(?:Alright|Hmm|OK|Okay),? (?:let me (?:read|see|think)|let's (?:read|see|think)|so the user|the user)\b", re.IGNORECASE
)
_ENDS = STOPS + '?"”»」)'  # ends of a text that does not break off
_MOST_LETTERS_BESIDE = 4  # as many as an article or a preposition has
_MOST_WORDS_OF_PLACE = 10


def read_final_text(answer: str, language: str, tags: Sequence[str] = (), target: str = "") -> str:
    """The text that an answer (without its thought) gives, with all its lines; empty if it gives none.

    `language` is that of the instruction; English prefaces are read in every language. `target` is the language of the text, if
    known: paragraphs in another language before or after the text are remarks.
    """
    if (frame := framed_text(answer, language, tags)) is not None:
        return frame
    if begins_object(answer):
        return ""
    answer = _QUIZ.split(without_another_question(composed(answer), tags, language), maxsplit=1)[0]
    answer = of_target(corrected(answer, language), language, target)
    if is_place(behind_last_tag(answer, tags, language) or answer, language):
        return ""
    shown = unfenced(answer).strip()
    kept = without_asked_form(shown, tags).strip()  # before quotation marks are cut off: the form may have some
    if _is_of_prompt(kept, shown, language, tags):
        return ""
    kept = without_repetition(kept)
    text = re.sub(r"(?m)^【([^】\n]{1,20})】[ \t]*", r"\1：", unquoted(kept))
    begins = behind_last_tag(text, tags, language) or text
    if _asks_which(text, language):
        return ""
    text = one_of_several(text, tags, language, target)
    behind = behind_last_tag(text, tags, language)
    text = _behind_rendered(text, language) if behind is None else _behind_repeated_tags(behind, tags)
    if _asks_user(text, language, is_tagged=behind is not None) or (behind is None and _promises(text, language)):
        return ""
    text = text_alone(text, language, target, is_tagged=behind is not None)
    text = without_repetition(text)
    is_first = text in begins.partition("\n")[0]  # then it is the text, whatever it begins with
    if _is_none(text, language, target) or (not is_first and any_word("note", language).match(text)):
        return ""  # or only a note is left
    quoted = _QUOTED_ALONE.fullmatch(text)
    if quoted and (is_end(quoted["said"], language) or has_word(quoted["said"], language, "work")):
        return quoted[1].strip()  # a polite particle or "is the translation" follows
    paragraph = None if is_first else re.match(rf"{QUOTED.pattern}\n\n(?![^\n]*[\"“«「])", text)
    if paragraph:
        return paragraph[1].strip()  # a remark follows
    return _bare(text, is_tagged=behind is not None)


def _is_of_prompt(kept: str, shown: str, language: str, tags: Sequence[str]) -> bool:
    """Whether an answer, `shown`, only repeats the prompt or thinks about it. `kept` is the answer without the prompt's form."""
    if re.fullmatch(rf"(?:{any_tag(tags)}|(?=X|ANSWER))[\s*_\[<]*(?:X|ANSWER)?[\s*_\]>.]*", unquoted(kept), re.IGNORECASE):
        return True
    if tags and re.search(rf"[\"“«](?:{'|'.join(map(tag_pattern, tags))})[\"”»][\s.]*\Z", kept, re.IGNORECASE):
        return True  # … and write it after "Summary:".
    if behind_last_tag(kept, tags, language) is not None:
        return False
    ends_with_form = kept != shown and shown.startswith(kept)
    return ends_with_form or any_word("thinks", language).match(shown) is not None or _is_copy(kept, language)


def _asks_user(text: str, language: str, *, is_tagged: bool) -> bool:
    """Whether a text has only questions about the task, or asks for the text; after a tag, for "the text to translate"."""
    if is_tagged:
        names = len(text) <= LONGEST_REQUEST and task_words(language).search(text)
        return bool(names) and has_word(text, language, "requests")
    questions = task_words(language).search(text) and re.fullmatch(r"(?:[^\s.?!？][^.?!？\n]*[?？]\s*){2,}", text)
    return bool(questions) or has_word(text[:LONGEST_REQUEST], language, "requests", "begs")


def _asks_which(text: str, language: str) -> bool:
    """Whether a last line asks which of several labelled versions, or items of a list, is wanted."""
    *above, last = text.rstrip().splitlines() or [""]
    found = [LABELLED.match(line.strip(" *_#•-")) for line in above]
    versions = {label["label"] for label in found if label and has_word(label["label"], language, "version")}
    items = sum(LIST_MARK.match(line.strip()) is not None for line in above)
    return max(len(versions), items) > 1 and last[-1:] in ("?", "？") and has_word(last, language, "unclear")


def promises_of(text: str, language: str) -> list[re.Match[str]]:
    """The words at the beginning of a text that say what comes next; "Sure!" alone does not."""
    found = any_word("greeting", language).finditer(text[:LONGEST_INTRODUCTION])
    near = [words for words in found if words.start() <= LONGEST_LEAD and words[0][-1] not in STOPS + "，！"]
    return [words for words in near if len(words[0]) >= LONGEST_LEAD or not any_word("preface", language).match(words[0])]


def _promises(text: str, language: str) -> bool:
    """Whether a text does little more than say what comes next ("Sure! I will translate it"), or breaks off in an analysis."""
    quoted, _, last = text.rstrip().rpartition("\n\n")
    if quoted[-1:] in tuple(QUOTES.values()) and not has_word(last, language, "further") and _promises(last, language):
        return True  # below the text that is to be translated
    line = text.strip().rstrip(STOPS + " ")
    if "\n" not in line and at_end("follows", line, language) and task_words(language).search(line):
        return True  # "I summarise it as follows"
    breaks_off = text.rstrip()[-1:] not in _ENDS
    for words in promises_of(text, language):
        stop = SENTENCE_STOP.search(text, words.end())
        said, rest = text[words.start() : stop and stop.end()], text[stop.end() :] if stop else ""
        if task_words(language).search(said) or (breaks_off and has_word(said, language, "asks", "source")):
            names = task_words(language).search(rest) or has_word(rest, language, "asks", "source", "speaks")
            is_cut = breaks_off and not (language in ("th", "lo") and rest.strip())  # their sentences have no stop
            return is_cut or len(rest) <= len(said) or bool(names)
    return False


def _behind_repeated_tags(text: str, tags: Sequence[str]) -> str:
    """What follows a tag, without the same tag again and without "X =", the form of the prompt."""
    while repeated := re.match(any_tag(tags), text, re.IGNORECASE):
        text = text[repeated.end() :].lstrip()
    return re.sub(r"\A\s*X\s*[=:]\s*(?=\S)", "", text)


def _is_none(text: str, language: str, target: str) -> bool:
    """Whether a text is no answer: a placeholder, punctuation, only labels or a glossary, or the source in its own language."""
    if is_place(text, language) or not re.search(r"\w", text) or (target and is_foreign(text, target)):
        return True
    if all(re.match(rf"(?:{BULLET.pattern})?{QUOTED.pattern}\s*{COLON}", line) for line in text.splitlines()):
        return True  # only words of the source with what they mean
    # the Khmer sign that is typed for a colon also ends words
    return all(re.search(rf"(?!\u17c8){COLON}\s*\Z", line) for line in text.splitlines() if line.strip())


def read_summary(answer: str, language: str, tags: Sequence[str] = (), target: str = "") -> str:
    """Like `read_final_text`, for a summary: a title in bold type above it and "in one sentence," are cut off."""
    title = _TITLE.search(answer)
    rest = answer[title.end() :] if title else ""
    is_title = title and len(rest) > len(title["title"]) and title["title"].rstrip()[-1] not in _ENDS_OF_SENTENCES
    if title and is_title and not _BOLD_LINE.search(rest) and not any_word("note", language).match(rest.lstrip("([（*_ ")):
        answer = answer[: title.start("line")] + rest
    if _analysis_breaks_off(answer, language):
        return ""
    if found := read_final_text(_concluded(answer, language), language, tags, target):
        lead = rf"(?:{any_word('shortly', language).pattern})(?: [^\s,，.:：]+)?(?:[,，\u104a]|(?<=[\u0e00-\u0eff])\s)\s*(?=\S)"
        return re.sub(rf"\A{lead}", "", found, flags=re.IGNORECASE)
    other = read_final_text(answer, language, tags)
    return "" if task_words(language).search(other) else other  # "Write a one-sentence summary in Thai."


def _concluded(text: str, language: str) -> str:
    """The last paragraph behind "in short", if before it there are only words about "this article" or a list; else the text."""
    before, _, last = text.strip().rpartition("\n\n")
    so, work = (any_word(place, language).pattern for place in ("so", "work"))
    ends = rf"(?:[^\w\n]*{COLON}|[,，]|(?<=[\u0e00-\u0eff\u1000-\u17ff])\s)[^\S\n]*(?=[^\s*•-])"
    leads = re.match(rf"(?:(?:{so})[,，]?\s*)?(?:{work}){ends}", last, re.IGNORECASE)
    head, *items = [line for line in before.splitlines() if line.strip()] or [""]
    is_list = INTRODUCES.search(head) and items and all(map(LIST_MARK.match, items))
    return last[leads.end() :] if leads and (is_list or begins_with_source(before, language)) else text


def _analysis_breaks_off(answer: str, language: str) -> bool:
    """Whether the last item of a list breaks off that is about the article, as the line above it says."""
    head, *items = [line for line in without_emphasis(answer).splitlines() if line.strip()] or [""]
    is_about = has_word(head, language, "asks", "source") and not INTRODUCES.search(head)
    is_list = len(items) > 1 and all(map(LIST_MARK.match, items)) and items[0].rstrip()[-1:] in _ENDS_OF_SENTENCES
    return is_about and is_list and items[-1].rstrip()[-1:] not in _ENDS_OF_SENTENCES


def _is_copy(text: str, language: str) -> bool:
    """Whether a text without an answer tag copies the prompt: "Text: …" that breaks off, or an instruction that repeats."""
    label, whole = LABELLED.match(text), text.rstrip()[-1:] in _ENDS
    names = label and any(any_word(place, language).fullmatch(label["label"].strip()) for place in ("asks", "source"))
    sentences = [sentence.strip() for sentence in SENTENCE_STOP.split(text) if sentence.strip()]
    again = len(sentences) > 1 and len(set(sentences)) == 1 and task_words(language).search(text)
    breaks_off = not whole and (_THINKS.match(text) or (names and "\n" not in text.strip()))
    return bool(breaks_off or again)


def framed_text(answer: str, language: str, tags: Sequence[str]) -> str | None:
    frame = last_frame(answer, tags, language, ("translation", "summary", "text"))
    return None if frame is None else _bare(without_emphasis(composed(frame)), is_tagged=True)


def _bare(text: str, *, is_tagged: bool) -> str:
    """A text without the marks around it, including a bullet. The number of a list item is cut off, too, but not after a tag."""
    text = without_marks(text)
    item = BULLET if is_tagged else LIST_MARK
    return unquoted(text if "\n" in text else item.sub("", text) or text)


def _behind_rendered(text: str, language: str) -> str:
    """The text without "This sentence means" at its beginning, if no colon follows."""
    pair = re.match(
        rf"[^\n\"“]{{0,{LONGEST_LABEL}}}{QUOTED.pattern}(?P<said>[^\n\"“”]{{1,{LONGEST_LABEL}}}){QUOTED.pattern}\s*\Z", text
    )
    if pair and (task_words(language).search(pair["said"]) or any_word("rendered", language).search(pair["said"])):
        return pair[3]
    words = re.match(rf"(?P<what>[^\n:：]{{1,25}}?)(?:{any_word('rendered', language).pattern})\s+(?=\S)", text, re.IGNORECASE)
    if words is None or re.match(rf"[^\n]{{0,20}}?{COLON}", text[words.end() :]):
        return text
    names = has_word(words["what"], language, "source", "asks")
    return text[words.end() :] if names else text


def is_place(text: str, language: str) -> bool:
    """Whether a text is a placeholder: "[translation]", "[words of the passage]", "your answer"."""
    text = text.strip(" *_\n")
    if text.startswith("ANSWER") or re.fullmatch(PLACEHOLDER, text):
        return True
    named = [
        words
        for words in (task_words(language), any_word("source", language), any_word("answer", language))
        if words.search(text)
    ]
    if re.fullmatch(r"\[[^\[\]:：]*\]|<[^<>:：]*>|\{[^{}:：]*\}", text) and len(text.split()) <= _MOST_WORDS_OF_PLACE:
        return bool(named) or has_word(text, language, "asks")
    speaks = any_word("speaks", language)
    if len(text) > LONGEST_LABEL or re.search(r"\d", text) or not speaks.search(text):
        return False
    return any(len(re.findall(r"\w", speaks.sub("", words.sub("", text)))) <= _MOST_LETTERS_BESIDE for words in named)
