"""Reading the text that a chat model answers with: a span, a translation, a summary. Pure functions, no I/O.

The last frame or answer tag counts; without one the text without the lines that introduce it or comment on it, and
without code fence, quotation marks and markup around it. Sentences that repeat the form that the prompt asks for are left out.
"""

from __future__ import annotations

import re
from itertools import islice, pairwise, zip_longest
from typing import TYPE_CHECKING

from .answer_patterns import is_end, up_to_reason, without_ending
from .answer_phrases import ANSWER_TAGS, PHRASES
from .answer_text import COLON, STOPS, composed, without_asked_form, words_of_cue
from .conclusions import (
    any_tag,
    any_word,
    at_end,
    bounded,
    counted_options,
    has_word,
    lead_in,
    ordinal,
    question_label,
    statement_spans,
    tag_spans,
    task_words,
    without_another_question,
)
from .frames import last_frame, unfenced, without_emphasis, without_latex
from .refusal import is_refusal


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
_HEADING = re.compile(r"\s*(?:#{1,6}\s+\S.*|(?:\*\*|__)[^*_\n]{1,60}(?:\*\*|__))\s*\Z")
# A text in quotation marks, and what is said of it.
_QUOTED = re.compile(r"[\"“«「](?P<text>[^\"“”«»「」]+)[\"”»」]\s*(?P<said>[^\"“”«»「」]{1,60})")
# What a paragraph quotes.
_SAID = re.compile(r"[\"“«「]([^\"“”«»「」\n]{2,60})[\"”»」]")
# The end of a sentence behind a whole word or a number, not behind an abbreviation.
_SENTENCE_END = re.compile(r"(?<=[^\W_]{4})[.!?]\s+(?=\D)|(?<=\d)[.!?]\s+(?=\D)|(?<=[)\"”])[.!?]\s+|[\u3002\u104b\u17d4]\s*")
# A sentence in brackets behind a span.
_REMARK = re.compile(r"(?<=\S)\s+\((?:[^\s()]+\s+){3,}[^\s()]+\)\s*\Z")
_BRACKETS = re.compile(r"\s*[(（\[](?P<said>[^()（）\[\]]{3,400})[)）\]]\s*\Z")
_TABLE = re.compile(r"(?m)^[ \t]*\|[^\n]+\|[ \t]*\n[ \t]*\|[ \t:|-]+\|[ \t]*(?:\n[ \t]*\|[^\n]*)+")
# The colon of a time, "11:00", ends no label.
_LABELLED = re.compile(
    rf"(?P<label>[^\W\d][^\n:：.!?\u3002\u104b\u17d4\u17d6]{{0,40}})(?:{COLON}(?!\d\d)|-(?=\s|\Z))(?P<rest>.*)"
)
_MOST_LETTERS_BESIDE = 4  # of an article or a preposition
_MOST_WORDS_OF_PLACE, _MOST_WORDS_WITHOUT_TONES = 10, 7
_MOST_LINES_BEFORE = 20  # an introduction has no more
_LONGEST_LABEL, _LONGEST_LEAD, _LONGEST_REMARK, _LONGEST_REQUEST, _LONGEST_SOURCE = 60, 15, 80, 300, 5_000
_SCRIPTS = {
    "th": "[\u0e00-\u0e7f]",
    "lo": "[\u0e80-\u0eff]",
    "km": "[\u1780-\u17ff]",
    "my": "[\u1000-\u109f]",
    "ta": "[\u0b80-\u0bff]",
    "zh": "[\u4e00-\u9fff]",
}
# Words of English that Latin-written languages of the region lack.
_ENGLISH = frozenset(
    "a about after and are as be been between by during every for from had has have here his i in into is it its not of that"  # noqa: SIM905
    " the their these they this to two was were which who will with you your".split()
)
_ENGLISH_SENTENCE = re.compile(
    r"(?:The|A|An) (?:\S+ ){1,4}?(?:who|that|which|where|when|of|in) [^.?!]+ (?:is|was|are|were) (?P<said>\S+(?: \S+){0,5}?)[.]?"
)
# "According to the passage, …"; and what a clause behind its answer adds.
_SOURCE = re.compile(
    r"(?P<source>[^,，\u104a.?!\n]{1,60}?)(?:[,，\u104a]\s*|(?<=[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff])\s+)(?P<said>[^\n]+)"
)
_ADDED = re.compile(r",\s+[^\W\d_A-Z]\S*(?:\s[^\s,]+){2,}\Z|，.*\Z")
_MOST_WORDS_NAMED = 8
# "damaged by" in "it was damaged by floods"
_DONE = re.compile(r"\A\w+ed (?:at|by|from|in|near|on) ")
# A question with lettered options behind an empty line.
_QUIZ = re.compile(r"(?<=\S)\n\s*\n[^\n]*[?？:：]\s*\n\s*\(?A[.)]\s[^\n]+\n\s*\(?B[.)]\s")
# A line of a glossary.
_GLOSS = re.compile(r"(?:[-*•]\s+)?[^=\n]{1,60}\s=\s\S")
# The same behind a tag, where a name in capitals or in another script is part of the span.
_TAGGED_REMARK = re.compile(
    r"(?<=\S)(?:\s*[(（](?:[^\s()A-Z]\S*\s+[^()]*|[\u0b80-\u17ff\u4e00-\u9fff][^()（）]{9,})[)）]|\s[–—]\s+[^\W\dA-Z]\S*(?:\s+\S+){4,})[\s.]*\Z"
)
_RULE = re.compile(r"-{3,}|\*{3,}|={3,}|_{3,}")
_LIST_MARK = re.compile(r"\A(?:[-*•]\s+|\(?(?:\d{1,2}|[a-e])[.)\u104b\u17d4]\s+)")
# An item of a list that says at its end what kind of text it is: "(formal)".
_VERSION_ITEM = re.compile(
    r"\A\d{1,2}[.)\u104b\u17d4]\s+(?:(?P<text>.*\S)\s*[(（][^()（）]{2,40}[)）]\s*\Z|[(（][^()（）]{2,40}[)）]\s+\S)"
)


def read_final_text(answer: str, language: str, tags: Sequence[str] = (), target: str = "") -> str:
    """The text that an answer gives, on as many lines as it has; empty if it gives none.

    Args:
        answer: what the model wrote, without its thought.
        language: code of the language of the instruction; English prefaces are known in all.
        tags: the words that ask for the answer in the prompt, such as "Terjemahan:".
        target: code of the language of the text: paragraphs before and behind it in another one are remarks; empty if unknown.
    """
    if (frame := _frame(answer, language, tags)) is not None:
        return frame
    # the form that the prompt asks for stands in quotation marks, which models repeat
    answer = _QUIZ.split(without_another_question(composed(answer), tags, language), maxsplit=1)[0]
    answer = _corrected(answer, language)
    if _is_place(behind_last_tag(answer, tags, language) or answer, language):
        return ""
    text = _unquoted(without_asked_form(unfenced(answer), tags).strip())
    if re.fullmatch(rf"{any_tag(tags)}[\s*_\[<]*(?:X|ANSWER)?[\s*_\]>.]*", text, re.IGNORECASE):
        return ""
    text = re.sub(r"(?m)^【([^】\n]{1,20})】[ \t]*", r"\1：", text)
    text = _above_another_text(_without_table(text), tags, language)
    text = _behind_result(_first_round(text, tags, language, target), tags, language)
    text = _first_version(text, language)
    behind = behind_last_tag(text, tags, language)
    text = _behind_rendered(text, language) if behind is None else text
    if behind is None and any_word("requests", language).search(text[:_LONGEST_REQUEST]):
        return ""
    if behind is None and task_words(language).search(text) and re.fullmatch(r"(?:[^\s.?!？][^.?!？\n]*[?？]\s*){2,}", text):
        return ""  # questions to the user
    text = text if behind is None else behind
    while repeated := re.match(any_tag(tags), text, re.IGNORECASE):
        text = text[repeated.end() :].lstrip()
    text = _up_to_heading(text, language)
    lines = [line.strip() for line in without_emphasis(text).splitlines()] or [""]
    if behind is None or not lines[0]:
        lines = [line.strip() for line in without_emphasis(_without_headings(text)).splitlines()] or [""]
        lines = _without_preface(_without_other_languages(lines, target), language)
    # what begins behind the tag is the text, whatever it begins with
    text = "\n".join(_without_notes(_without_other_languages(lines, target), language)).strip()
    text = re.sub(r"\A([^\n]+)(?:\n\n\1)+\Z", r"\1", text)  # a paragraph that repeats itself
    if _is_place(text, language) or not re.search(r"\w", text) or (target and _is_foreign(text, target)):
        return ""  # of a foreign text: the source again
    if (remark := _BRACKETS.search(text)) and _is_remark(remark["said"], text[: remark.start()], language, target):
        text = text[: remark.start()]
    if (quoted := _QUOTED.fullmatch(text)) and (
        is_end(quoted["said"], language) or any_word("work", language).search(quoted["said"])
    ):
        return quoted["text"].strip()  # behind it stands a polite particle, or "is the translation"
    return _unquoted(text if behind is not None or "\n" in text else _LIST_MARK.sub("", text) or text)


def _frame(answer: str, language: str, tags: Sequence[str]) -> str | None:
    frame = last_frame(answer, tags, language, ("translation", "summary", "text"))
    return None if frame is None else _unquoted(composed(frame))


def _behind_rendered(text: str, language: str) -> str:
    """What follows "This sentence means" at the beginning of a text, without a colon; else the text."""
    words = re.match(rf"(?P<what>[^\n:：]{{1,25}}?)(?:{any_word('rendered', language).pattern})\s+(?=\S)", text, re.IGNORECASE)
    if words is None or re.match(rf"[^\n]{{0,20}}?{COLON}", text[words.end() :]):
        return text
    names = has_word(words["what"], language, "source", "asks")
    return text[words.end() :] if names else text


def _is_place(text: str, language: str) -> bool:
    """Whether a text is the place where one should be: "[translation]", "[words of the passage]", "your answer"."""
    text = text.strip(" *_\n")
    named = [
        words
        for words in (task_words(language), any_word("source", language), any_word("answer", language))
        if words.search(text)
    ]
    if re.fullmatch(r"\[[^\[\]:：]*\]|<[^<>:：]*>", text) and len(text.split()) <= _MOST_WORDS_OF_PLACE:
        return bool(named)
    speaks = any_word("speaks", language)
    if len(text) > _LONGEST_LABEL or not speaks.search(text):
        return False
    return any(len(re.findall(r"\w", speaks.sub("", words.sub("", text)))) <= _MOST_LETTERS_BESIDE for words in named)


def _corrected(text: str, language: str) -> str:
    """What stands behind a paragraph that takes back the one before it and introduces another: "Sorry, it should be:"."""
    for line in re.finditer(rf"(?<=\n\n)[ \t*_]*(?P<said>[^\n]{{1,{_LONGEST_INTRODUCTION}}}){COLON}[ \t*_]*(?=\n)", text):
        names = has_word(line["said"], language, "answer", "right", "work")
        if names and any_word("corrects", language).match(line["said"]) and text[line.end() :].strip():
            return text[line.end() :]
    return text


def read_span(answer: str, language: str, tags: Sequence[str] = (), target: str = "") -> str:
    """A short answer: the first line of the text, without the words that lead to it ("The answer is …") or give a reason for it.

    Args:
        answer: as above.
        language: code of the language whose words are known, beside English ones.
        tags: as above.
        target: code of the language of the passage, in which an answer may say that it is not there.
    """
    frame = _frame(answer, language, tags)
    answer = answer if frame is None else frame
    answer = _above_a_question(without_another_question(composed(answer), tags, language), tags, language)
    if len(answer) <= _LONGEST_REQUEST and any(is_refusal(answer, code) for code in PHRASES):
        return ""  # in whatever language
    said = behind_last_tag(answer, (*tags, *ANSWER_TAGS), language) or answer
    if _is_place(said, language):
        return ""
    if said == answer and (_is_passage(answer, language) or _repeats(answer) or _retells(answer, language)):
        return ""
    answer, is_formula = re.sub(r"\AA:\s+", "", _behind_echo(answer)), "\\" in answer or answer.count("$") > 1
    text = read_final_text(without_latex(answer) if is_formula else answer, language, tags)
    lines = [line for line in text.splitlines() if line.strip()] or [""]
    first = _SENTENCE_END.split(answer.strip(), maxsplit=1)[0]
    asks = answer.strip()[len(first) : len(first) + 1] == "?" or first.endswith("?")
    if asks and "\n" not in first and any_word("speaks", language).search(first):
        return ""  # it asks back
    leads = any(not lines[0][match.end() :].strip() for match in lead_in(language).finditer(lines[0]))
    line = lines[1] if len(lines) > 1 and leads else lines[0]
    is_tagged = behind_last_tag(without_asked_form(composed(answer), tags), tags, language) is not None
    line = re.sub(r"[\"“][^\"”\n]{1,200}[?？][\"”]\s*", "", line) or line  # the question
    if (restated := _restated(text if is_tagged else answer, language)) is not None:
        line, is_tagged = restated, True
    if not is_tagged and (said := _english_answer(line, language)):
        return said
    if framed := _framed_phrase(answer, line):
        begins = re.match(rf"{re.escape(framed)}\s*[,(–—-]", line) is not None
        states = max((begin for begin, _ in statement_spans(line, language)), default=0)
        # a phrase before the statement may quote the question
        if begins if is_tagged else line.find(framed) + len(framed) > states:
            return _unquoted(framed)
    if not is_tagged and _is_absent(first.partition("\n\n")[0], answer, language):
        return ""
    rest = answer.strip()[len(first) + 1 :].strip()
    if not is_tagged and not rest and not statement_spans(line, language) and (said := _named_by_sentence(line, language)):
        return said
    if not is_tagged and (other := re.match(any_tag(ANSWER_TAGS), line, re.IGNORECASE)) and line[other.end() :].strip():
        line = line[other.end() :]  # the tag of another language
    if (words := lead_in(language).match(line)) and re.search(rf"{COLON}\s*\Z", words[0]) and line[words.end() :].strip():
        line = line[words.end() :]
    # behind the tag the same words are part of the span, unless it begins with them
    ends = [end for begin, end in statement_spans(line, language) if not (is_tagged and begin)]
    if ends and line[ends[0] :].strip():
        # of several statements the last corrects the others
        line = line[next(end for end in reversed(ends) if line[end:].strip()) :]
        line = without_ending(up_to_reason(_SENTENCE_END.split(line, maxsplit=1)[0], language), language)
        line = _without_denied(line, language)
    elif is_tagged:
        # a short phrase was asked for: a second sentence says something of it
        line = without_ending(_SENTENCE_END.split(_TAGGED_REMARK.sub("", line), maxsplit=1)[0], language)
    elif len(sentences := [sentence for sentence in _SENTENCE_END.split(line) if sentence.strip()]) == 2:
        line = sentences[0] if any_word("note", language).match(sentences[1]) else line
    line = (_TAGGED_REMARK if is_tagged else _REMARK).sub("", line)
    line = _without_polite_particle(line, language)
    span = _unquoted(line.strip().rstrip(STOPS + " "))
    breaks_off = at_end("unfinished", span, language) is not None and text.endswith(span)
    is_none = any(_is_absent(span, answer, code) for code in filter(None, (language, target)))
    # "A or B, it is unclear"
    weighs = any_word("undecided", language).search(answer) and any_word("joined", language).search(span)
    return "" if is_none or breaks_off or weighs else span


def _is_passage(answer: str, language: str) -> bool:
    """Whether an answer repeats the question, perhaps below the passage, behind their labels, and no more."""
    lines = [line.strip() for line in answer.splitlines() if line.strip()]
    label = re.compile(question_label(language), re.IGNORECASE)
    return bool(lines) and lines[-1][-1] in "?？" and all(map(label.match, (lines[0], lines[-1])))


def _repeats(answer: str) -> bool:
    """Whether an answer ends with a question that it asks over and over, the last time perhaps in part: the prompt's."""
    found = re.search(r"(?P<asked>[^?？\n]{10,}[?？])\s*(?P=asked)\s*(?P<cut>[^?？]*)\Z", answer)
    return found is not None and found["asked"].strip().startswith(found["cut"].strip())


def _retells(answer: str, language: str) -> bool:
    """Whether an answer of several sentences states nothing and breaks off in the last one: it retells the passage."""
    text = without_emphasis(answer).strip()
    several = len(list(islice(_SENTENCE_END.finditer(text), 2))) > 1
    ends = text[-1:] in STOPS + "?" + "".join(_QUOTES.values()) + ")"
    return several and not ends and not statement_spans(text, language)


def _english_answer(line: str, language: str) -> str:
    """What an English sentence of another language's answer says: "Rizal" of "The man who wrote it is Rizal."; else empty."""
    found = _ENGLISH_SENTENCE.fullmatch(line.strip()) if _is_foreign(line, language) else None
    return _DONE.sub("", found["said"].rstrip(".")) if found and language != "en" else ""


def _named_by_sentence(line: str, language: str) -> str:
    """What a sentence names that begins with its source: "1911" of "According to the passage, it opened in 1911."; else empty.

    It stands behind the only verb that equates, or else behind the only preposition: of several, each may stand before it.
    """
    if (found := _SOURCE.match(line.strip())) is None:
        return ""
    said = _ADDED.sub("", found["said"])
    for words in (PHRASES[code] for code in (language, "en") if code in PHRASES):
        if not words.asks or not re.search(bounded(words.asks), found["source"], re.IGNORECASE):
            continue
        for links in filter(None, (words.equates, words.relates)):
            ends = [match.end() for match in re.finditer(bounded(links), said, re.IGNORECASE)]
            if ends:
                named = re.sub(rf"\s(?:{words.closes or '(?!)'})\Z", "", said[ends[0] :].strip().rstrip(STOPS)).strip()
                return named if len(ends) == 1 and 0 < len(named.split()) <= _MOST_WORDS_NAMED else ""
    return ""


def _without_denied(line: str, language: str) -> str:
    """A line without what it denies: "Bohol, not Argao", "not 1953 but 1957"."""
    denies, but = (any_word(place, language).pattern for place in ("denies", "but"))
    line = re.sub(rf"\A(?:{denies})\s[^,]{{1,60}}?\s(?:{but})\s+", "", line, flags=re.IGNORECASE)
    return re.sub(rf"(?<=\S),\s+(?:{denies})\s[\s\S]*\Z", "", line, flags=re.IGNORECASE)


def _without_polite_particle(line: str, language: str) -> str:
    return re.sub(rf"(?<=\S)\s*(?:{any_word('polite', language).pattern})[\s.]*\Z", "", line, flags=re.IGNORECASE)


def _above_a_question(answer: str, tags: Sequence[str], language: str) -> str:
    """The first line, where it is an answer and no heading, and another question follows an empty line, with an answer tag."""
    first, _, rest = answer.strip().partition("\n\n")
    asks = re.match(rf"{question_label(language)}[\s\S]*?{any_tag((*tags, *ANSWER_TAGS))}", rest, re.IGNORECASE)
    heads = has_word(first, language, "asks", "source", "working", "answer", "preface")
    is_phrase = re.fullmatch(r"[^\n:：]{0,60}\w|[^\n:：]{0,40}\d[^\n:：]{0,40}", first)
    return first if asks and is_phrase and not heads and first[0] != "#" else answer


def _behind_echo(answer: str) -> str:
    """The answer without a question on its first line, which repeats the prompt's."""
    first, _, rest = answer.strip().partition("\n")
    return rest if first.rstrip(" *_")[-1:] in ("?", "？") and rest.strip() else answer


def _restated(answer: str, language: str) -> str | None:
    """What stands behind the last words that state an answer, end with a colon, and begin a line or a sentence behind others."""
    text = without_emphasis(answer)
    ends = [
        end
        for begin, end in statement_spans(text, language)
        if re.search(rf"{COLON}\s*\Z", text[:end])
        and re.search(r"[\n.!?\u3002\u104b\u17d4]\s*\Z", text[:begin])
        and text[end:].strip()
    ]
    return text[ends[-1] :].strip().splitlines()[0] if ends else None


def _is_absent(span: str, answer: str, language: str) -> bool:
    """Whether a span says that the passage has no answer: "The passage does not mention it", or "none" where the rest says so."""
    absent = any_word("absent", language)
    if absent.search(span):
        return True
    if not any_word("wrong", language).match(span):
        return False
    return any_word("asks", language).search(span) is not None or absent.search(answer) is not None


def _framed_phrase(answer: str, line: str) -> str:
    """The only phrase of a sentence that is in bold type or quotation marks: "It ended **in 1975**."; empty without one."""
    first = next((own for own in answer.splitlines() if without_emphasis(own).strip() == line.strip()), answer)
    for pattern in (r"\*\*([^*\n]+)\*\*", r"[\"“«「]([^\"“”«»「」\n]+)[\"”»」]"):
        found = re.findall(pattern, first)
        if len(found) == 1 and len(found[0]) < len(line) and not re.search(rf"(?:{COLON}|[-–—?？])\Z", found[0].rstrip()):
            return str(found[0]).strip().rstrip(STOPS)
    return ""


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
    is_cut = len(last.strip()) > _LONGEST_LEAD and last.strip()[-1] not in STOPS + "?"
    is_cut |= at_end("unfinished", last.strip(), language) is not None
    return before if is_cut and before.startswith(last.strip()) else last


def _behind_result(text: str, tags: Sequence[str], language: str) -> str:
    """What follows the last label that names the best or final text, or the only one that names the text behind other lines."""
    lines, task = text.splitlines(), task_words(language)
    named = [(number, name) for number, line in enumerate(lines) if (name := _named(line))]
    heads = [head for head in named if task.search(head[1][0])]
    listed = sum(_LIST_MARK.match(line.strip()) is not None for line in lines) > 1
    best = [head for head in (named if listed else heads) if any_word("best", language).search(head[1][0])]
    own = {"translation", "summary", *(composed(words_of_cue(tag)).casefold() for tag in tags)}
    naming = [head for head in heads if any_word("work", language).search(head[1][0])]  # not "let us translate"
    if not best and len(naming) == 1 and naming[0][0] and naming[0][1][0] in own:
        best = naming
    if listed and language in PHRASES and all(any_word("tongue", language).fullmatch(name) for _, (name, _) in named):
        best = [head for head in named if re.fullmatch(PHRASES[language].work, head[1][0])]  # "- Indonesian: … - Sundanese: …"
    found = "\n".join([best[-1][1][1], *lines[best[-1][0] + 1 :]]).strip() if best else ""
    return found or text


def _without_table(text: str) -> str:
    """The text with the columns of a table of Markdown as labelled lines."""
    found = _TABLE.search(text)
    if found is None:
        return text
    rows = [[cell.strip() for cell in row.strip().strip("|").split("|")] for row in found[0].strip().splitlines()]
    columns = zip_longest(*(row for row in (rows[0], *rows[2:]) if any(row)), fillvalue="")
    lines = [f"{name}: " + "\n".join(cells) for name, *cells in columns]
    return text[: found.start()] + "\n".join(lines) + "\n" + text[found.end() :]


def _named(line: str) -> tuple[str, str] | None:
    """The label of a line or of a heading, without stops and emphasis, and what stands behind it; None without one."""
    bare = re.sub(r"\A[^\w\s(\"“«'-]+\s+", "", _LIST_MARK.sub("", without_emphasis(line).strip()))
    if found := _LABELLED.match(bare):
        return found["label"].strip(" *_").casefold(), found["rest"].strip()
    return (bare.casefold(), "") if _HEADING.match(line) else None


def _above_another_text(text: str, tags: Sequence[str], language: str) -> str:
    """The paragraphs above another source and its answer, which the model made up, where they are no introduction."""
    again = re.search(rf"\n\s*\n(?={question_label(language)}[\s\S]{{0,{_LONGEST_SOURCE}}}?{any_tag(tags)})", text, re.IGNORECASE)
    above = text[: again.start()].strip() if again else ""
    rendered = any_word("rendered", language).search(above)
    says = rendered and len(above) - rendered.end() > _LONGEST_LEAD and not re.search(rf"{COLON}\Z", above)
    introduces = (
        any_word("preface", language).match(above)
        or not says
        and any(words.search(above) for words in (task_words(language), any_word("work", language), any_word("answer", language)))
    )
    return text if introduces or len(above) < _LONGEST_LABEL or (above[-1] not in STOPS and not says) else above


def _first_round(text: str, tags: Sequence[str], language: str, target: str) -> str:
    """The text up to where its labels begin anew: "Article: … Summary: … Article: …" is another question, made up.

    Where the label of the target is the first, the other language begins the next round.
    """
    lines = text.splitlines(keepends=True)
    tag_words = {words_of_cue(composed(tag)).casefold() for tag in tags}
    seen: list[tuple[int, str]] = []  # the lines and names of labels
    own = PHRASES[target].work if target in PHRASES else "(?!)"
    for number, line in enumerate(lines):
        name = _named(line)
        if name is None or re.search(r"\d\Z", name[0]) or name[0] in tag_words:
            continue
        # the names of people who speak begin anew, too
        is_of_prompt = has_word(name[0], language, "source", "work", "tongue", "asks", "answer")
        if is_of_prompt and seen and seen[-1][1] != name[0] and any(name[0] == before for _, before in seen):
            begins = name[0] == seen[0][1] and re.fullmatch(own, name[0]) and any_word("tongue", language).fullmatch(seen[1][1])
            return "".join(lines[: seen[1][0] if begins else number])
        seen.append((number, name[0]))
    return text


def _first_version(text: str, language: str) -> str:
    """The first of several texts that labels such as "Version 1:" or "Literal:" set apart, or a list that a remark weighs."""
    lines, version = text.splitlines(), any_word("version", language)
    heads = [
        (number, name)
        for number, line in enumerate(lines)
        if (name := _named(line)) is not None
        and (version.search(name[0]) or counted_options(language).match(name[0]))
        and not any_word("source", language).match(name[0])
    ]
    if len({name for _, (name, _) in heads}) > 1:
        for (begin, (_, rest)), (end, _) in pairwise(heads):
            if first := "\n".join([rest, *lines[begin + 1 : end]]).strip():
                return first
    items = [number for number, line in enumerate(lines) if _LIST_MARK.match(line.strip())]
    kinds = [_VERSION_ITEM.match(lines[number].strip()) for number in items]
    if len(kinds) > 1 and all(kinds[1:]):
        return (kinds[0] and kinds[0]["text"]) or _LIST_MARK.sub("", lines[items[0]].strip())
    before = [line for line in lines[: items[0]] if line.strip()] if len(items) > 1 else ["none"]
    remarks = lines[items[-1] + 1 :] if all(_INTRODUCES.search(line) for line in before) else []
    chosen = _chosen(remarks, language)
    if 0 < chosen <= len(items):
        end = items[chosen] if chosen < len(items) else items[-1] + 1
        return _LIST_MARK.sub("", "\n".join(lines[items[chosen - 1] : end]).strip())
    introduced = len(before) == 1 and _INTRODUCES.search(before[0]) and has_word(before[0], language, "version")
    if introduced or any(any_word("option", language).search(line) for line in remarks):
        return _LIST_MARK.sub("", lines[items[0]].strip())
    return text


def _chosen(remarks: Sequence[str], language: str) -> int:
    """Which of several texts remarks choose, counted from 1: "I'd go with the second one"; 0 if they choose none."""
    for remark in remarks:
        for lead in lead_in(language).finditer(remark):
            place = ordinal(language).match(remark, lead.end())
            if place is not None:
                return next(int(name[1:]) for name, written in place.groupdict().items() if written)
    return 0


def _without_other_languages(lines: list[str], target: str) -> list[str]:
    """The lines without those at the beginning and the end that are in another script, or in English, than the text is."""
    own = [number for number, line in enumerate(lines) if re.search(r"[^\W\d_]", line) and not _is_foreign(line, target)]
    if not target or not own:
        return lines
    end = own[-1] + 1
    # a last line of the text may be a name in another script
    return [*lines[own[0] : end], *([] if any(_is_foreign(line, target) for line in lines[end:]) else lines[end:])]


def _is_foreign(text: str, target: str) -> bool:
    """Whether a text of several words is in another script than a language is written in, or in English where that is another."""
    words = re.findall(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff'’]+", text)
    if own := _SCRIPTS.get(target):
        return len(words) > 1 and re.search(own, text) is None
    if not words:
        return re.search("|".join(_SCRIPTS.values()), text) is not None
    if target == "vi" and len(words) > _MOST_WORDS_WITHOUT_TONES and text.isascii():
        return True
    english = [word.casefold() for word in words if word.casefold() in _ENGLISH]
    return target != "en" and len(words) > 2 and len(set(english)) > 1 and 3 * len(english) >= len(words)


def _is_remark(said: str, text: str, language: str, target: str) -> bool:
    """Whether what stands in brackets behind a text comments on it, or is it in another language."""
    if any(any_word(place, language).match(said) for place in ("note", "version", "joined")):
        return True
    return bool(target) and text.rstrip()[-1:] in tuple(".!?\u3002\u104b\u17d4") and _is_foreign(said, target)


def _without_headings(text: str) -> str:
    """The text without headings of Markdown above it."""
    return re.sub(r"\A(?:[ \t]*(?:#{1,6}[ \t]+\S[^\n]*)?\n)+(?=\s*\S)", "", text)


def _up_to_heading(text: str, language: str) -> str:
    """The text up to a second heading of Markdown, where the first one names what was asked for."""
    marks = list(re.finditer(r"(?m)^[ \t]*#{1,6}[ \t]+(.*)$", text))
    names = len(marks) > 1 and not text[: marks[0].start()].strip() and any_word("work", language).search(marks[0][1])
    return text[: marks[1].start()] if names and text[marks[0].end() : marks[1].start()].strip() else text


def _without_preface(lines: list[str], language: str) -> list[str]:
    """The lines without those before the text that only introduce it or repeat its source, and without a label before it."""
    for _ in range(_MOST_LINES_BEFORE):
        if not any(lines[1:]):
            break
        introduces = any_word("work", language).fullmatch(lines[0]) is not None or _introduces(lines[0], language)
        introduces = introduces or (
            not lines[1]
            and len(lines[0]) <= _LONGEST_REMARK
            and (task_words(language).search(lines[0]) or any_word("preface", language).match(lines[0]))
            and not _LABEL.match(lines[0])
        )
        source = any_word("source" if language != "en" else "tongue", language)
        is_source = _LABEL.match(lines[0]) and source.match(lines[0])
        if lines[0] and not introduces and not (is_source and any(_label(line, language) for line in lines[1:])):
            break
        lines = lines[1:]
    label = _label(lines[0], language)
    return [lines[0][label:] or lines[0], *lines[1:]]


def _introduces(line: str, language: str) -> bool:
    """Whether a line only introduces what follows: "Sure, here it is:", "The article can be summarised as follows"."""
    bare = line.rstrip(STOPS + " ")
    follows = any(is_end(bare[match.end() :], language) for match in any_word("follows", language).finditer(bare))
    if not (follows or _INTRODUCES.search(line)):
        return False
    if re.search(rf"{COLON}\s*\Z", line):
        return len(line) <= _LONGEST_REQUEST
    names = has_word(line, language, "work", "rendered", "answer")
    return names and not line.rstrip().endswith("!") and len(line) <= _LONGEST_INTRODUCTION and not re.search(r"[.?]\s", line)


def _label(line: str, language: str) -> int | None:
    """Where the label ends that begins a line: a word for what was asked, few words around it, a colon; None without one."""
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


def _without_notes(lines: list[str], language: str) -> list[str]:
    """The lines up to the first that comments on the text: behind a word such as "Note", in brackets, or behind a rule."""
    note = any_word("note", language)
    with_text = [number for number, line in enumerate(lines) if line] or [0]
    for number, line in enumerate(lines):
        if number <= with_text[0]:
            continue
        is_last = number >= with_text[-1]
        bracketed = line[:1] in tuple("([（【") and line[-1] in ")]）】"
        bare = line.lstrip("([（【*_ ")
        if note.match(bare) and (not lines[number - 1] or is_last or _LABEL.match(bare)):
            return lines[:number]
        if _GLOSS.match(line):
            return lines[:number]
        if not lines[number - 1] and any(quoted in " ".join(lines[:number]) for quoted in _SAID.findall(line)):
            return lines[:number]
        if not lines[number - 1] and line and _is_apart(line, lines[:number], language, last=is_last):
            return lines[:number]
        if (label := _LABELLED.match(line)) and any(
            any_word(place, language).fullmatch(label["label"].strip()) for place in ("asks", "source")
        ):
            return lines[:number]
        if _RULE.fullmatch(line) or (bracketed and is_last):
            return lines[:number]
    return lines


def _is_apart(line: str, text: Sequence[str], language: str, *, last: bool) -> bool:
    """Whether a paragraph behind a text is not part of it.

    It has a label, or calls the text by its name, where the text does not; or it speaks to the user, or is a last question.
    """
    if (label := _LABELLED.match(line)) and len(label["label"].split()) <= 4 and not any(map(_LABELLED.match, text)):
        return True
    for said in (task_words(language), any_word("speaks", language)):
        if said.search(line) and not any(map(said.search, text)):
            return True
    return last and line[-1:] in "?？!！" and not any(before[-1:] in ("?", "？", "!", "！") for before in text)


def _unquoted(text: str) -> str:
    """The text without the marks that stand around all of it."""
    text = text.strip()
    while len(text) > 1 and _QUOTES.get(text[0]) == text[-1] and text.count(text[0]) == (2 if text[0] == text[-1] else 1):
        text = text[1:-1].strip()
    return text
