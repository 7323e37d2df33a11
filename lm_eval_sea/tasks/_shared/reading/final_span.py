"""Reading the short answer that a chat model gives to a question about a passage. Pure functions, no I/O."""

from __future__ import annotations

import re
from itertools import islice, takewhile
from typing import TYPE_CHECKING, NamedTuple

from .answer_patterns import (
    WORD,
    any_word,
    at_end,
    bounded,
    has_word,
    is_reason,
    lead_in_pieces,
    subject_of,
    up_to_reason,
    without_ending,
)
from .answer_phrases import ANSWER_TAGS, PHRASES, WRITTEN_TOGETHER
from .answer_tags import any_tag, behind_last_tag
from .answer_text import COLON, SENTENCE_STOP, STOPS, TITLES, TRIM, composed, without_asked_form
from .final_text import framed_text, promises_of, read_final_text
from .frames import QUOTED, QUOTES, SINGLE_QUOTED, unquoted, without_emphasis, without_latex
from .other_questions import question_label, without_another_question, without_repetition
from .prefaces_and_notes import LONGEST_REQUEST, is_foreign
from .refusal import is_refusal
from .statements import lead_in, statement_spans
from .surroundings import LIST_MARK, without_marks


if TYPE_CHECKING:
    from collections.abc import Sequence


# The end of a sentence after a whole word or a number, not after an abbreviation.
_SENTENCE_END = re.compile(
    rf"(?<=[^\W_]{{4}})(?<!\b{TITLES})[.!?]\s+(?=\D)"
    r"|(?<=[\u0b80-\u17ff])[.!?]\s+(?=[A-Z][a-z]+ )|(?<=\d)[.!?]\s+(?=\D)"
    r"|(?<=[)\"”])[.!?]\s+|[\u3002\u104b\u17d4]\s*"
)
# A sentence in brackets after a span.
_REMARK = re.compile(r"(?<=\S)\s+\((?:[^\s()]+\s+){3,}[^\s()]+\)\s*\Z")
# The same after a tag, where a name in capitals or in another script is part of the span.
_TAGGED_REMARK = re.compile(
    r"(?<=\S)(?:\s*[(（](?:[^\s()A-Z]\S*\s+[^()]*|[\u0b80-\u17ff\u4e00-\u9fff][^()（）]{9,}|(?:[^\s()]+\s+){3,}[^()]*[.!?])[)）]|\s[–—]\s+[^\W\dA-Z]\S*(?:\s+\S+){4,})[\s.]*\Z"
)
# What a dash adds to a short phrase: "Kartini — who founded …".
_AFTERTHOUGHT = re.compile(r"\A(?P<said>(?:\S+ ){0,4}\S+)\s[–—]\s[^\W\dA-Z]\S*(?:\s+\S+){4,}\Z")
_ENGLISH_SENTENCE = re.compile(
    r"(?:The|A|An) (?:\S+ ){1,4}?(?:who|that|which|where|when|of|in) [^.?!]+ (?:is|was|are|were) (?P<said>\S+(?: \S+){0,5}?)[.]?"
)
# "damaged by" in "it was damaged by floods"
_DONE = re.compile(r"\A\w+ed (?:at|by|from|in|near|on) ")
# "According to the passage, …", and what a clause adds after its answer.
_SOURCE = re.compile(
    r"(?P<source>[^,，\u104a.?!\n]{1,60}?)(?:[,，\u104a]\s*|(?<=[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff])\s+)(?P<said>[^\n]+)"
)
_ADDED = re.compile(r",\s+[^\W\d_A-Z]\S*(?:\s[^\s,]+){2,}\Z|，.*\Z")
_FIRST_SENTENCE = re.compile(r"\s*\n\s*|(?<=[.!\u2026\u3002\u104b\u17d4])\s+")
_MOST_WORDS_NAMED = 8
_LONGEST_EXCLAMATION, _LONGEST_REGRET = 8, 60  # before the words that take an answer back, and up to their end
_LONGEST_POINTING = 60
_LEAST_SUBJECT = 8  # characters
_MOST_WORDS_DESCRIBED, _LEAST_CLAUSE, _MOST_WORDS_OF_SOURCE = 5, 2, 3
# Particles that make the words before "is" a clause and not a phrase.
_BURMESE_CLAUSE = re.compile(r"(?:သည်|မှာ|က|ကို|ခြင်း|သော|ပြီး|မ)(?=\s|\Z)")
_LEAST_SENTENCE = 40  # characters
# "(Aedes mosquito)" after words of another script
_GLOSS = re.compile(
    r"(?P<said>[^()（）]*[\u0b80-\u17ff\u4e00-\u9fff][^()（）]*?)\s*[(（][A-Za-z][^()（）\u0b80-\u17ff\u4e00-\u9fff]*[)）]"
)
_PLACE = re.compile(r"<([^<>/\n]+)>")  # how a prompt may mark the place of the answer
_BOLD = re.compile(r"\*\*([^*\n]+)\*\*")
_LONGEST_SYLLABLE, _STUTTERED = 12, 10


class _Said(NamedTuple):
    """What an answer to a question about a passage says, and where."""

    answer: str  # without another question and without repetitions of the prompt
    text: str  # the answer without introductions and comments
    line: str  # the line of the text that answers
    is_tagged: bool  # whether it follows an answer tag, or "the answer is:" on a line of its own
    language: str


def read_span(answer: str, language: str, tags: Sequence[str] = (), target: str = "") -> str:
    """A short answer: the first line of the text without words that lead to it ("The answer is …") or give a reason.

    `target` is the language of the passage; an answer may use it to say that the passage has no answer.
    """
    frame = framed_text(answer, language, tags)
    answer = composed(answer if frame is None else frame)
    answer = re.sub(r"(?m)^>.*[.!?。\u104b\u17d4]\W*\n+(?=[^\n>])", "", answer)  # a quoted sentence is evidence
    answer = _above_a_question(without_another_question(answer, tags, language), tags, language)
    if _repeats(answer):
        return ""
    answer = _without_loop(without_repetition(answer))
    behind = behind_last_tag(answer, (*tags, *ANSWER_TAGS), language) or answer
    if behind != answer and (instead := _instead(behind, language)) is not None:
        return read_span(instead, language, (), target)
    if _gives_none(answer, behind, language):
        return ""
    said = _said(_without_citation(re.sub(r"\AA:\s+", "", _behind_echo(answer)), language), language, tags)
    if said is None:
        return ""
    whole = _framed_behind_tag(said, behind) if said.is_tagged else _whole_phrase(said)
    if whole is not None:
        return whole
    stated = _stated(said)
    if stated is None:
        stated = (_equated(said.line, language) or _behind_tag(said)) if said.is_tagged else _bare(said)
    span = _trimmed(stated, said)
    if span == "X" and re.search(r"\bX\b", said.answer.partition("X")[2]):
        return ""  # the form from the prompt, which says what X is
    return "" if _breaks_off(span, said) or _says_nothing(span, said, target) else span


def _instead(behind: str, language: str) -> str | None:
    """The last sentence of text that follows a tagged answer and takes it back: "Wait, I was wrong: …".

    This text follows on the same line or is a paragraph. None if it gives no other answer, because it says the same or declines.
    """
    first, below = (*_FIRST_SENTENCE.split(behind.strip(), maxsplit=1), "")[:2]
    found = [word for place in ("corrects", "errs") for word in any_word(place, language).finditer(below[:_LONGEST_REGRET])]
    if not first or "\n" in below or not found or found[0].start() > _LONGEST_EXCLAMATION:
        return None
    sentences = [
        part.strip(" ,:，") for part in SENTENCE_STOP.split(below[max(word.end() for word in found) :]) if part.strip(TRIM)
    ]
    last = sentences[-1] if sentences else ""
    is_other = last and first.strip(TRIM + STOPS).casefold() not in last.casefold()
    return last if is_other and not is_refusal(below, language) and not has_word(below, language, "absent") else None


def _gives_none(answer: str, behind: str, language: str) -> bool:
    """Whether an answer declines in any language, or, without a tag, asks for the passage or repeats it or the question."""
    is_short = len(answer) <= LONGEST_REQUEST
    if is_short and any(is_refusal(answer, code) for code in PHRASES):
        return True
    begs = is_short and has_word(answer, language, "begs", "unclear")
    none = begs or _is_passage(answer, language) or _retells(answer, language) or _finds_none(answer, language)
    return behind == answer and (none or _promises(answer, language))


def _said(answer: str, language: str, tags: Sequence[str]) -> _Said | None:
    """What an answer says; None if it is a question to the user."""
    is_formula = "\\" in answer or answer.count("$") > 1
    text = read_final_text(without_latex(answer) if is_formula else answer, language, tags)
    if _asks_back(without_emphasis(answer).strip(), language):
        return None
    is_tagged = behind_last_tag(without_asked_form(composed(answer), tags), tags, language) is not None
    lines = [line for line in text.splitlines() if line.strip()] or [""]
    items = [LIST_MARK.sub("", item).strip() for item in lines if LIST_MARK.match(item)]
    is_listed = is_tagged or re.match(rf"[^\n]{{1,{_LONGEST_POINTING}}}{COLON}\s*\n", answer) is not None
    is_list = is_listed and len(items) == len(lines) - (not LIST_MARK.match(lines[0])) > 1
    line = ", ".join(items) if is_list else _line_of(lines, language)
    restated = _restated(text if is_tagged else answer, language)
    if not is_tagged and restated is None:
        restated = subject_of(line, language) or _stated_at_last(answer, language)
    return _Said(answer, text, restated or line, is_tagged or bool(restated), language)


def _asks_back(answer: str, language: str) -> bool:
    """Whether an answer begins with a question to the user, or ends with one after a sentence about the passage."""
    sentences = _SENTENCE_END.split(answer)
    first, last = sentences[0], sentences[-1]
    begins = answer[len(first) : len(first) + 1] == "?" or first.endswith(("?", "လား", "လဲ"))
    if begins and "\n" not in first:
        return has_word(first, language, "speaks")
    ends = len(sentences) == 2 and "\n" not in answer and answer[-1:] in ("?", "？") and len(first) >= _LEAST_SENTENCE
    return ends and has_word(last, language, "speaks") and has_word(last, language, "asks") and has_word(first, language, "asks")


def _line_of(lines: Sequence[str], language: str) -> str:
    """The line that answers: the first, or one that it leads to. A quoted question, a citation and a bullet are cut off."""
    leads = len(lines) > 1 and any(not lines[0][match.end() :].strip() for match in lead_in(language).finditer(lines[0]))
    line = lines[1] if leads else lines[0]
    line = re.sub(r"[\"“][^\"”\n]{1,200}[?？][\"”]\s*", "", line) or line
    line = _without_citation(without_marks(line), language)
    return line if any(map(LIST_MARK.match, lines[1:])) else LIST_MARK.sub("", line)


def _framed_behind_tag(said: _Said, behind: str) -> str | None:
    """The only phrase in bold type or quotation marks after a tag, if it begins or ends what is said; else None."""
    if (first := QUOTED.match(said.line)) and is_reason(said.line[first.end() :].lstrip("， "), said.language):
        return first[1].strip()  # the reason may quote others
    phrase = _framed_phrase(re.sub(r"\A[*_]+\s+", "", behind), said.line, said.language)
    begins = re.match(rf"{re.escape(phrase)}\s*[,(–—-]", said.line) is not None
    # it may be in the middle of a sentence, but not of a name
    is_sentence = re.search(rf"\*\*{re.escape(phrase)}\*\*(?!\s+[A-Z])", behind) is not None and said.line[-1:] in STOPS
    return unquoted(phrase) if phrase and (begins or is_sentence or _ends_sentence(phrase, said.line)) else None


def _whole_phrase(said: _Said) -> str | None:
    """The phrase of an answer without a tag that is the span as it is; empty if the answer says that there is none."""

    language, line = said.language, said.line
    if phrase := _english_answer(line, language) or _bold_at_last(said.answer, language):
        return phrase
    statements, phrase = statement_spans(line, language), _framed_phrase(said.answer, line, language)
    # a phrase before the statement may be from the question
    if phrase and line.find(phrase) + len(phrase) > max((begin for begin, _ in statements), default=0):
        return unquoted(phrase)
    first = _first_sentence(said.answer)
    if _is_absent(first.partition("\n\n")[0], said.answer, language):
        return ""
    is_all = not re.sub(r"\A[(（][^()（）]*[)）]\Z", "", said.answer.strip()[len(first) + 1 :].strip())
    return line if is_all and not statements and named_by_sentence(line, language) else None


def _stated(said: _Said) -> str | None:
    """What the line states as the answer; None if it states nothing.

    After a tag, the words of a statement are part of the span, unless the line begins with them.
    """
    language, line = said.language, _behind_label(said)
    statements = [span for span in statement_spans(line, language) if not _is_part_of_phrase(line, *span, language)]
    ends = [end for begin, end in statements if not (said.is_tagged and begin)]
    if not ends or not line[ends[0] :].strip():
        return None
    # of several statements the last corrects the others
    line = line[next(end for end in reversed(ends) if line[end:].strip()) :]
    line = without_ending(up_to_reason(_first_sentence(line), language), language)
    return without_denied(line, language)


def _behind_tag(said: _Said) -> str:
    """The first sentence of a line after a tag. A second one comments on the span."""
    return without_ending(_first_sentence(_TAGGED_REMARK.sub("", _behind_label(said))), said.language)


def _bare(said: _Said) -> str:
    """A line without a tag, and without a last sentence that is a note."""
    line = _behind_label(said)
    sentences = [sentence for sentence in _SENTENCE_END.split(line) if sentence.strip()]
    return sentences[0] if len(sentences) == 2 and any_word("note", said.language).match(sentences[1]) else line


def _behind_label(said: _Said) -> str:
    """A line without a tag of another language, and without words with a colon that lead to an answer."""
    line = said.line
    if not said.is_tagged and (other := re.match(any_tag(ANSWER_TAGS), line, re.IGNORECASE)):
        line = line[other.end() :] if line[other.end() :].strip() else line
    words = lead_in(said.language).match(line)
    return line[words.end() :] if words and re.search(rf"{COLON}\s*\Z", words[0]) and line[words.end() :].strip() else line


def _trimmed(line: str, said: _Said) -> str:
    """A line without a remark after it, "it is" before it, polite particles, stops and quotation marks."""
    line = _AFTERTHOUGHT.sub(r"\g<said>", (_TAGGED_REMARK if said.is_tagged else _REMARK).sub("", line))
    line = _without_source(_without_clause(line, said.language), said.language)
    polite = any_word("polite", said.language).pattern
    line = _without_pointer(re.sub(rf"(?<=\S)\s*(?:{polite})[\s.]*\Z", "", line, flags=re.IGNORECASE), said.language)
    return unquoted(_PLACE.sub(r"\1", line.strip().rstrip(STOPS + " ")))


def without_gloss(span: str) -> str:
    """A short answer in another script, without its name in Latin letters in brackets after it."""
    found = _GLOSS.fullmatch(span)
    return found["said"] if found else span


def _breaks_off(span: str, said: _Said) -> bool:
    """Whether a span ends the text with a word that cannot end a sentence, and is no name: "dolar AS"."""
    last = at_end("unfinished", span, said.language)
    return last is not None and not (last[0].isupper() and not span.isupper()) and said.text.endswith(span)


def _says_nothing(span: str, said: _Said, target: str) -> bool:
    """Whether a span says that there is no answer, leaves two ("A or B, it is unclear"), or only repeats a syllable."""
    if _stutters(span) or any(_is_absent(span, said.answer, code) for code in filter(None, (said.language, target))):
        return True
    return has_word(said.answer, said.language, "undecided") and has_word(span, said.language, "joined")


def _stutters(span: str) -> bool:
    """Whether a span ends with many repetitions of a syllable without digits."""
    ends = (span[-size:] for size in range(1, _LONGEST_SYLLABLE + 1))
    return any(span.endswith(end * _STUTTERED) and not re.search(r"\d", end) for end in ends if end)


def _first_sentence(text: str) -> str:
    return _SENTENCE_END.split(text.strip(), maxsplit=1)[0]


def _is_part_of_phrase(line: str, begin: int, end: int, language: str) -> bool:
    """Whether a word that could lead to an answer is part of it: "Chọn lọc tự nhiên" (selection), "การเลือกตั้ง" (election)."""
    words = line[begin:end]
    if not re.fullmatch(rf"[{WORD}]+\s?", words) or any_word("equates", language).search(words):
        return False
    goes_on = not words[-1].isspace() or words.isascii() or language == "vi"
    return goes_on and re.search(rf"(?:\A|[{WORD}])\Z", line[:begin]) is not None


def _is_passage(answer: str, language: str) -> bool:
    """Whether an answer only repeats the question with its label, perhaps with the passage before it."""
    lines = [line.strip() for line in answer.splitlines() if line.strip()]
    label = re.compile(question_label(language), re.IGNORECASE)
    if len(lines) > 1 and all(map(label.match, lines[:-1])):
        return bool(re.fullmatch(any_tag(ANSWER_TAGS), lines[-1], re.IGNORECASE) or label.match(lines[-1]))
    if len(lines) == 1 and len(sentences := _SENTENCE_END.split(lines[0])) > 1:
        return all(map(label.match, (sentences[0], sentences[-1])))
    return bool(lines) and lines[-1][-1] in "?？" and all(map(label.match, (lines[0], lines[-1])))


def _repeats(answer: str) -> bool:
    """Whether an answer ends with repetitions of the prompt's question; the last one may be cut."""
    *asked, cut = re.split("(?<=[?？])", answer)
    last = asked[-1].strip() if len(asked) > 1 else ""
    return len(last) > 10 and "\n" not in last and asked[-2].endswith(last) and last.startswith(cut.strip())


def _without_loop(answer: str) -> str:
    """The first of several sentences, if the second begins with all of it, and all others with the same words."""
    first, *others = _SENTENCE_END.split(answer)
    is_loop = len(others) > 1 and len(first) > _STUTTERED and others[0].startswith(first)
    return first + "." if is_loop and all(other.startswith(first[:_STUTTERED]) for other in others) else answer


def _promises(answer: str, language: str) -> bool:
    """Whether an answer is only a sentence that says what comes next: "I will read the text and answer the question"."""
    said = _first_sentence(answer)
    words = max(promises_of(said, language), key=re.Match.end, default=None)
    is_all = said.rstrip(STOPS) == answer.strip().rstrip(STOPS) and not re.search(rf"{COLON}|[\d\n*\"“«「]", said)
    return bool(words and is_all and has_word(said, language, "asks") and not re.search("[,，\u104a]", said[words.end() :]))


def _finds_none(answer: str, language: str) -> bool:
    """Whether an answer that begins with a sentence about passage or question says in one of its last two that it finds none.

    A note does not count.
    """
    first, *others = _SENTENCE_END.split(without_emphasis(answer).strip())
    own = takewhile(lambda sentence: not any_word("note", language).match(sentence), others)
    return has_word(first, language, "asks") and any(has_word(last, language, "absent", "undecided") for last in [*own][-2:])


def _retells(answer: str, language: str) -> bool:
    """Whether an answer retells the passage: several sentences that state nothing, the last of which breaks off."""
    text = re.sub(r"(?m)^\s*\d+[.)]\s+", "", without_emphasis(answer)).strip()  # numbers of a list end no sentence
    several = len(list(islice(_SENTENCE_END.finditer(text), 2))) > 1
    ends = text[-1:] in STOPS + "?" + "".join(QUOTES.values()) + ")"
    return several and not ends and not statement_spans(text, language)


def _english_answer(line: str, language: str) -> str:
    """The name in an English sentence, if the answer's language is another: "Rizal" of "The man who wrote it is Rizal."."""
    found = _ENGLISH_SENTENCE.fullmatch(line.strip()) if is_foreign(line, language) else None
    return _DONE.sub("", found["said"].rstrip(".")) if found else ""


def named_by_sentence(line: str, language: str) -> str:
    """The name in a sentence that begins with its source: "1911" of "According to the passage, it opened in 1911."; else empty.

    It follows the only verb that equates, or else the only preposition. With several it is unclear which.
    """
    if (found := _SOURCE.match(line.strip())) is None:
        return _equated(line, language)
    said = _ADDED.sub("", found["said"])
    purpose = re.match(any_word("purposes", language).pattern, said, re.IGNORECASE)
    if purpose and "," not in found["said"] and any_word("asks", language).search(found["source"]):
        return said.strip().rstrip(STOPS)
    for words in (PHRASES[code] for code in (language, "en") if code in PHRASES):
        if not words.asks or not re.search(bounded(words.asks), found["source"], re.IGNORECASE):
            continue
        for links in filter(None, (words.equates, words.relates)):
            ends = [match.end() for match in re.finditer(bounded(links), said, re.IGNORECASE)]
            if ends:
                named = re.sub(rf"\s(?:{words.closes or '(?!)'})\Z", "", said[ends[0] :].strip().rstrip(STOPS)).strip()
                return named if len(ends) == 1 and 0 < len(named.split()) <= _MOST_WORDS_NAMED else ""
    return _equated(line, language)


def _equated(line: str, language: str) -> str:
    """What a whole sentence equates with its subject by its only verb: "Ulan Bator" of "The capital is Ulan Bator."; or empty."""
    words, said = PHRASES.get(language), line.strip()
    # the Burmese verb also means "in"; a line that begins in lower case is a phrase
    if not words or not words.equates or language == "my" or said[:1].islower() or re.search(r"[,;()，；（）]", said):
        return ""
    links = list(re.finditer(bounded(words.equates), said, re.IGNORECASE))
    if len(links) != 1 or links[0].start() < (_LEAST_SUBJECT if said.isascii() else _LEAST_SUBJECT // 2):
        return ""
    named = said[links[0].end() :]
    # Thai and Lao sentences have no stop, but may have a space after the verb
    is_sentence = said[-1:] in STOPS or (language in ("th", "lo") and named[:1] == " ")
    return named.strip().rstrip(STOPS) if is_sentence and len(named.split()) <= _MOST_WORDS_NAMED else ""


def _without_clause(line: str, language: str) -> str:
    """A short phrase without a last clause that describes it or names its source: "…, who founded it", "…, as the text says"."""
    said, comma, clause = line.partition(", ")
    describes = any_word("relative", language).match(clause) and len(clause.split()) > _LEAST_CLAUSE
    names = has_word(clause, language, "asks") and len(clause.split()) <= _MOST_WORDS_OF_SOURCE
    is_source = has_word(said, language, "asks")  # "According to the text, …"
    is_last = "," not in clause and len(said.split()) <= _MOST_WORDS_DESCRIBED and not (said[:1].islower() or is_source)
    return said if comma and is_last and (describes or names) else line


def _without_source(line: str, language: str) -> str:
    """A phrase without words that lead to it: "According to the text, Cebu", "The passage says Cebu", "is in the text: Cebu"."""
    words = re.match(rf"(?:{lead_in_pieces(language)})\s*(?P<comma>[,，\u104a])?\s*", line, re.IGNORECASE)
    leads = words and (words["comma"] or language in WRITTEN_TOGETHER) and has_word(words[0], language, "asks", "source")
    found = words if leads else re.match(rf"(?:{any_word('cites', language).pattern})[\s,，]*", line, re.IGNORECASE)
    found = found or re.match(rf"(?=[^:]{{0,40}}(?:{any_word('asks', language).pattern}))[^:\d]{{1,40}}{COLON}\s*", line)
    rest = line[found.end() :] if found and not named_by_sentence(line, language) else ""
    is_phrase = 0 < len(rest) < _LONGEST_POINTING and len(rest.split()) <= _MOST_WORDS_DESCRIBED
    return rest if is_phrase and not has_word(line, language, "absent", "wrong") else line


def without_denied(line: str, language: str) -> str:
    """A line without what it denies: "Bohol, not Argao", "not 1953 but 1957"."""
    denies, but = (any_word(place, language).pattern for place in ("denies", "but"))
    line = re.sub(rf"\A(?:{denies})\s[^,]{{1,60}}?\s(?:{but})\s+", "", line, flags=re.IGNORECASE)
    return re.sub(rf"(?<=\S)[,，]\s*(?:(?:{but})\s*)?(?:{denies})[\s\S]*\Z", "", line, flags=re.IGNORECASE)


def _without_citation(text: str, language: str) -> str:
    """A text up to a sentence of the same line about the answer: "Tin. The passage says …", "Tin. This is the right answer …"."""
    blank, stop = r"(?<=\S)[^\S\n]+(?=[\u0e00-\u0eff])", r"(?:(?<!\n\d)[.!?](?=\s)|[\u3002\u104b\u17d4])[^\S\n]*"
    for end in re.finditer(blank if language in ("th", "lo") else stop, text):
        if cited := any_word("cites", language).match(text, end.end()):
            return text if statement_spans(text[cited.end() :], language) else text[: end.start()]
    return text


def _without_pointer(line: str, language: str) -> str:
    """A short sentence without its "it is": "It was 1911.", "X ဖြစ်သည်"."""
    said = line.strip().rstrip(STOPS + " ")
    if len(said) > _LONGEST_POINTING or re.search(r"[,;.]\s|[，；]", said):
        return line
    closes = PHRASES[language].closes if language in PHRASES else ""
    ending = re.search(rf"\s*(?:{closes or '(?!)'})\Z", said)
    end = ending.start() if ending and not _BURMESE_CLAUSE.search(said, 0, ending.start()) else len(said)
    begins = any_word("pointer", language).match(said)
    begin = begins.end() if begins else 0
    return said[begin:end].strip() or line if begin or end < len(said) else line


def _above_a_question(answer: str, tags: Sequence[str], language: str) -> str:
    """The first line, if it is not a heading, and another question with an answer tag follows below an empty line."""
    first, _, rest = answer.strip().partition("\n\n")
    asks = re.match(rf"{question_label(language)}[\s\S]*?{any_tag((*tags, *ANSWER_TAGS))}", rest, re.IGNORECASE)
    heads = has_word(first, language, "asks", "source", "working", "answer", "preface")
    is_phrase = re.fullmatch(r"[^\n:：]{0,60}\w|[^\n:：]{0,40}\d[^\n:：]{0,40}", first)
    return first if asks and is_phrase and not heads and first[0] != "#" else answer


def _behind_echo(answer: str) -> str:
    """The answer without a first line that repeats the prompt's question."""
    first, _, rest = answer.strip().partition("\n")
    return rest if first.rstrip(" *_")[-1:] in ("?", "？") and rest.strip() else answer


def _restated(answer: str, language: str) -> str | None:
    """What follows the last statement of an answer that ends with a colon and begins a later line or sentence."""
    text = without_emphasis(answer)
    ends = [
        end
        for begin, end in statement_spans(text, language)
        if re.search(rf"{COLON}\s*\Z", text[:end])
        and re.search(r"[\n.!?\u3002\u104b\u17d4]\s*\Z", text[:begin])
        and text[end:].strip()
    ]
    return text[ends[-1] :].strip().splitlines()[0] if ends else None


def _stated_at_last(answer: str, language: str) -> str:
    """What the last line states at its beginning ("So it is 1911"), if the first of several lines is a sentence; else empty.

    A line that begins with "so" counts whole if it states nothing, and neither does the first.
    """
    text = without_emphasis(answer).strip()
    first, last = text.partition("\n")[0], text.rpartition("\n")[2].strip()
    if first == text or (len(first) < _LEAST_SENTENCE and first[-1:] not in STOPS + "：。"):
        return ""
    if concluded := any_word("so", language).match(last):
        last = without_gloss(last[concluded.end() :].lstrip(",， ").rstrip(STOPS)) + "."
        if named := _equated(last[:1].upper() + last[1:], language):
            return named
        if not statement_spans(first, language):
            return last
    begin, end = next(iter(statement_spans(last, language)), (1, 0))
    said = subject_of(last, language) or ("" if begin else last[end:].strip())
    return "" if any_word("source", language).search(said) or len(said.split()) > _MOST_WORDS_NAMED else said


def _is_absent(span: str, answer: str, language: str) -> bool:
    """Whether a span says that the passage has no answer: "The passage does not mention it", or "none" if the rest says so."""
    absent = any_word("absent", language)
    if absent.search(span):
        return True
    if not any_word("wrong", language).match(span):
        return False
    return any_word("asks", language).search(span) is not None or absent.search(answer) is not None


def _bold_at_last(answer: str, language: str) -> str:
    """The only phrase in bold type, if the last of several paragraphs is a sentence that concludes with it; else empty."""
    before, _, last = answer.strip().rpartition("\n\n")
    phrases = _BOLD.findall(answer)
    leads = rf"[^\n.!?]{{1,{_LONGEST_POINTING}}}[^\n.!?:]"
    if phrases and re.fullmatch(rf"{leads}\n+\*\*{re.escape(phrases[0])}\*\*[.]?", answer.strip()):
        return str(phrases[0])  # on the line below
    if len(phrases) != 1 or not before or "\n" in last or f"**{phrases[0]}**" not in last or re.search(COLON, phrases[0]):
        return ""
    concludes = re.match("[=⇒→]", last) or has_word(last, language, "so", "asks", "answer")
    concludes = concludes and not has_word(last, language, "absent", "wrong")
    return str(phrases[0]) if concludes and _ends_sentence(phrases[0], without_emphasis(last)) else ""


def _ends_sentence(phrase: str, line: str) -> bool:
    """Whether a phrase begins or ends a longer sentence: "It rose in **late May**"."""
    before, found, behind = line.partition(phrase)
    return bool(found) and not (before.strip() and behind.strip(STOPS + " "))


def _framed_phrase(answer: str, line: str, language: str) -> str:
    """The only phrase of a sentence in bold type or quotation marks: "It ended **in 1975**."; else empty.

    Quotation marks inside a phrase that is not a sentence do not count: hợp đồng "xây dựng thiết kế".
    """
    first = next((own for own in answer.splitlines() if line.strip() in without_emphasis(own)), answer)
    for pattern in (_BOLD, QUOTED, SINGLE_QUOTED):
        found = [phrase.strip() for phrase in pattern.findall(first)]
        phrases = [phrase for phrase in found if not re.search(rf"(?:{COLON}|[-–—?？])\Z", phrase)]
        later = pattern is not _BOLD and phrases and _is_evidence(phrases[0], line, language)
        is_sentence = pattern is _BOLD or line.rstrip()[-1:] in STOPS or len(line) > _LONGEST_POINTING
        is_sentence = is_sentence or has_word(line, language, "equates", "pointer")
        if len(phrases) == 1 and len(phrases[0]) < len(line) and not later and is_sentence:
            return str(phrases[0]).rstrip(STOPS)
    return ""


def _is_evidence(quotation: str, line: str, language: str) -> bool:
    """Whether a quotation is in a later sentence than the first, or a conclusion follows it."""
    before, _, behind = line.partition(quotation)
    concludes = any_word("so", language).match(behind.lstrip("\"'”’» ."))
    return (_SENTENCE_END.search(before) or concludes) is not None
