"""Which part of a worked solution counts, and whether it breaks off before its result. Pure functions, no I/O."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING

from .answer_patterns import WORD, any_word, at_end, has_word
from .answer_phrases import ANSWER_TAGS, WRITTEN_TOGETHER
from .answer_tags import tag_spans
from .answer_text import COLON, STOPS, STOPS_OF_SCRIPTS
from .frames import unfenced, without_emphasis
from .number_words import CURRENCY_SIGNS, only_number_in_words
from .other_questions import question_label, without_another_question
from .statements import statement_spans
from .surroundings import LIST_MARK
from .written_numbers import DIGITS, NUMBER, SENTENCE_END, prepared


if TYPE_CHECKING:
    from collections.abc import Sequence


OPERATION = re.compile(rf"(?:{NUMBER.pattern}\s*[×x*+÷/−-]\s*)+(?=[^\d\s]{{0,3}}\d){NUMBER.pattern}")
_OPEN_END = re.compile(rf"(?:[=+×*/÷−⇔⇒→-]|(?<![^\W\d_])x|(?<!\d)(?<!\d\s)(?:[{CURRENCY_SIGNS}]|(?<![^\W\d_])R[pM]))\Z")
# "5. Given so far: 15 + 25" without a result.
_OPEN_SUM = re.compile(rf"{COLON}\s*(?:[^\d\s=]{{0,4}}\s*)?{OPERATION.pattern}\Z")
_CUT_NUMBER = re.compile(r"\d,\s*\Z")
# "x - 2 = 2 × 5" and "x = 40 - y" have no result.
EQUATION = re.compile(rf"(?:=|≈|→|⇒)\s*(?:[^\d\s=+\-−]{{0,4}}\s*)?({DIGITS})(?!\d|[.,]\d|\s*[×*÷]\s*\d|\s*[-+−]\s*[A-Za-z]\b)")
_FEWEST_WORDS = 6  # fewer may be a remark without a stop
_LONGEST_PROBLEM, _MOST_PROBLEMS = 600, 50


@dataclass(frozen=True)
class Worked:
    """A worked solution without further problems that the model made up."""

    text: str  # as `prepared` returns it
    concluded: str  # the text without offers and checks after the result
    marked: str  # the same with its markup; empty if another problem follows, because bold type may be the answer to that
    tagged: list[int]  # the ends of answer tags in `text`
    stated: list[int]  # the ends of statements of the answer in `concluded`
    is_cut: bool
    language: str

    @property
    def behind_tag(self) -> str:
        return self.text[self.tagged[-1] :] if self.tagged else ""


def worked_solution(answer: str, tags: Sequence[str], language: str, finished: bool | None) -> Worked:
    whole = prepared(without_emphasis(unfenced(answer)), language)
    text = _without_another_problem(without_another_question(whole, (*tags, *ANSWER_TAGS), language), language)
    marked = _without_offer(answer, language) if text == whole else ""
    above = _without_check(marked, language)
    is_cut = finished is False and text == whole
    if is_cut:  # the number of its last sentence may lack digits
        text = text[: max([text.rfind("\n") + 1, *(stop.end() for stop in SENTENCE_END.finditer(text))])]
    concluded = _without_check(_without_offer(text, language), language)
    checks = [check.span() for check in any_word("check", language).finditer(text)]
    tagged = [end for begin, end in tag_spans(text, tags) if not any(start <= begin < stop for start, stop in checks)]
    stated = [end for _, end in statement_spans(concluded, language)]
    return Worked(text, concluded, above if "**" in above else marked, tagged, stated, is_cut, language)


def _without_another_problem(text: str, language: str) -> str:
    """The text up to another problem that the model made up: after a result and an empty line, "Question: …".

    Such a problem has its own numbers and none of those above it. Without a result above it, the text above may only repeat what
    the real problem gives. The real question has at most one number, or no answer of its own.
    """
    for problem in islice(_other_problem(language).finditer(text), _MOST_PROBLEMS):
        above = text[: problem.start()].rstrip()
        numbers = _numbers_of(above)
        asked, posed = (_numbers_of(problem[part] or "") for part in ("asked", "posed"))
        # a chain of questions may lead to the result
        goes_on = re.match(question_label(language), above, re.IGNORECASE) is not None
        is_counted = re.search(r"\d", problem["label"]) and _behind_so(above, language)
        further = is_counted or any_word("further", language).search(problem["label"])
        goes_on |= not further and not _last_numbers(above).isdisjoint(_numbers_of(text[problem.end("asked") :]))
        is_new = asked and asked.isdisjoint(numbers) and not goes_on and has_result(above.rpartition("\n\n")[2], language)
        if re.search(r"\d[^\n:：]*\Z", above) and (is_new or (len(posed) > 1 and posed.isdisjoint(numbers))):
            return above
    return text


@cache
def _other_problem(language: str) -> re.Pattern[str]:
    """The label of a question below an empty line. `asked` is its first line or sentence, `posed` all up to an answer's label."""
    solution = rf"\n[\s>#*_]*(?:{any_word('answer', language).pattern})\s*{COLON}"
    further = rf"[\s>#*_]*(?:(?:{any_word('further', language).pattern})\s)?"
    asked = r"(?=\s*(?P<asked>[^\n?？]*))"
    return re.compile(
        rf"\n\s*\n(?P<label>{further}{question_label(language)}){asked}(?=(?P<posed>[\s\S]{{0,{_LONGEST_PROBLEM}}}?){solution})?",
        re.IGNORECASE,
    )


def _numbers_of(text: str) -> set[str]:
    return {number.strip(" \n+-−") for number in NUMBER.findall(text)}


def _last_numbers(text: str) -> set[str]:
    """The numbers of the last line that has any; if it has an "=", only those after the last one."""
    line = next((line for line in reversed(text.splitlines()) if re.search(r"\d", line)), "")
    return _numbers_of(line.rpartition("=")[2])


def has_result(paragraph: str, language: str) -> bool:
    """Whether a paragraph is a number, or has an equation or a number after "so"."""
    is_number, equation = NUMBER.fullmatch(paragraph.strip()), EQUATION.search(paragraph)
    return bool(is_number or equation) or _behind_so(paragraph, language)


def _behind_so(text: str, language: str) -> bool:
    """Whether a number follows "so"."""
    return any(re.search(r"\d", text[match.end() :]) for match in any_word("so", language).finditer(text))


def _without_offer(text: str, language: str) -> str:
    """The text without a last paragraph that only asks, or speaks to the user without a number, if a number comes before."""
    before, _, last = text.rstrip().rpartition("\n\n")
    asks = last.rstrip("* ")[-1:] in ("?", "？") and not EQUATION.search(last)
    speaks, denies = (any_word(place, language).search(last) for place in ("speaks", "wrong"))
    offers = speaks and not denies and not re.search(r"\d", last)
    if not (asks or offers) or statement_spans(last, language) or not re.search(r"\d", before):
        return text
    told = last[: max((stop.end() for stop in SENTENCE_END.finditer(last.rstrip("* ?？"))), default=0)]
    posed = re.match(question_label(language), last, re.IGNORECASE)
    tells = re.search(r"\d", told) and not posed and not has_word(told, language, "speaks", "farewell")
    return f"{before}\n\n{told}" if tells else before


def _without_check(text: str, language: str) -> str:
    """The text without a check of its result, up to a paragraph that concludes or to the end."""
    for check in any_word("check", language).finditer(text):
        before = re.sub(r"[(\[](?:\w+ ){0,2}\Z", "", text[: check.start()]).rstrip(" *_([")
        line = re.search(r"(?<=\n)[^\n.!?\d:：]{1,25}\Z", before)  # such as "Let us" of "Let us check:"
        before = before[: line.start()] if line and not any_word("corrects", language).search(line[0]) else before
        if before[-1:] in STOPS + "\n" and re.search(r"\d", before):
            last = re.search(r"\n\s*\n(?P<said>[^\n]*\d[^\n]*)\s*\Z", text[check.end() :])
            concludes = last and any(
                any_word(place, language).match(last["said"].lstrip(" *_#")) for place in ("so", "lead", "answer")
            )
            return before.rstrip("\n") + (last[0] if last and concludes else "")
    above, _, ending = text.rstrip().rpartition("\n")
    ticks = rf"[\s.,，!(]*(?:{any_word('right', language).pattern})[^\d\n]{{0,8}}\Z"
    checked = re.search(EQUATION.pattern + ticks, ending, re.IGNORECASE)  # "2 × 9 + 3 = 21. Correct!"
    return above if checked and _numbers_of(checked[1]) <= _numbers_of(above) and not re.search("[✓✔✅]", above) else text


def breaks_off(worked: Worked) -> bool:
    """Whether a solution breaks off before its result."""
    bare = worked.concluded.rstrip(" ,:")
    if _OPEN_END.search(bare) or (_OPEN_SUM.search(bare) and not worked.tagged):
        return True
    return not worked.is_cut and (_CUT_NUMBER.search(worked.concluded) is not None or _lacks_result(bare, worked.language))


def _lacks_result(text: str, language: str) -> bool:
    """Whether a text breaks off after "so", or the words after it in the last sentence have no number."""
    begin = max([stop.start() + 1 for stop in SENTENCE_END.finditer(text)] + [text.rfind("\n") + 1])
    results = list(any_word("so", language).finditer(text, begin))
    if not results:
        return False
    # "72 clips in total" ends with such a word, too
    opens = language in WRITTEN_TOGETHER or text[: results[-1].start()].rstrip(" *_")[-1:] in ("", "\n", *STOPS)
    has_number = re.search(r"\d", text[begin:]) or only_number_in_words(text[begin:], language) is not None
    return (results[-1].end() == len(text) and opens) or not has_number


def breaks_off_unstated(worked: Worked) -> bool:
    """Whether a solution that states no result breaks off within a step."""
    text, language = worked.concluded, worked.language
    if _breaks_off_in_list(text, language) or at_end("unfinished", text.rstrip(" ,:")[-30:], language):
        return True
    return text.rstrip().endswith((",", ":", "：")) or _breaks_off_behind(text)


def _breaks_off_behind(text: str) -> bool:
    """Whether the sentences of the last line end with stops, but the words after the last one have neither number nor stop."""
    *sentences, last = SENTENCE_END.split(text.rstrip().rpartition("\n")[2])
    words = last.split()
    return bool(sentences) and len(words) >= _FEWEST_WORDS and not re.search(rf"\d|[^{WORD}\s]\Z", last)


def _breaks_off_in_list(text: str, language: str) -> bool:
    """Whether the last line is a list item without a result, and without the number or the stop that other items have."""
    items = [line.strip() for line in text.splitlines() if LIST_MARK.match(line.strip())]
    ends = [item.endswith(STOPS_OF_SCRIPTS) for item in items]
    numbers = [re.search(r"\d", LIST_MARK.sub("", item)) is not None for item in items]
    lacks_number = all(numbers[:-1]) and len(items) > 1 and not numbers[-1] and items[-1][-1] not in STOPS
    if not items or not text.rstrip().endswith(items[-1]) or not (lacks_number or (any(ends) and not ends[-1])):
        return False
    return not (EQUATION.search(items[-1]) or has_word(items[-1], language, "so", "answer", "left"))
