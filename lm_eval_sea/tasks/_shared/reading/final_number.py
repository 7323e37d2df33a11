"""Reading the number that a chat model concludes with. Pure functions, no I/O.

A framed number counts before a stated one, a stated one before the result of the last equation, and the last of each kind counts.
Of an answer that the limit of tokens cut only framed and stated numbers count: its last equation is a step.
Numbers are read as the language writes them: "1.234,5" is Indonesian for what is "1,234.5" in English.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING

from .answer_patterns import WORD, is_reason, subject_of
from .answer_phrases import ANSWER_TAGS, WRITTEN_TOGETHER
from .answer_text import COLON, STOPS, STOPS_OF_SCRIPTS, TRIM, plain
from .conclusions import (
    admission,
    any_word,
    at_end,
    begins_clause,
    has_word,
    question_label,
    statement_spans,
    tag_spans,
    without_another_question,
)
from .frames import last_frame, unfenced, without_emphasis
from .number_words import number_in_words, only_number_in_words, with_digits
from .surroundings import BULLET, RULE
from .written_numbers import DIGITS, NUMBER, SENTENCE_END, in_digits, parse_number, prepared


if TYPE_CHECKING:
    from collections.abc import Sequence


_OPERATION = re.compile(rf"(?:{NUMBER.pattern}\s*[×x*+÷/−-]\s*)+(?=[^\d\s]{{0,3}}\d){NUMBER.pattern}")
# Of an answer that repeats itself without end the last statements are read.
_MOST_STATEMENTS = 50
_LONGEST_CLAUSE, _LONGEST_PROBLEM = 500, 600
_FEWEST_WORDS = 6  # fewer may be a remark without its stop
_STEP = re.compile(r"\S{2,20}\s?\d+\s*[:：]")
_OPEN_END = re.compile(r"(?:[=+×*/÷−⇔⇒→-]|(?<![^\W\d_])x|(?<!\d)(?<!\d\s)(?:[₱$€£¥₫฿]|(?<![^\W\d_])R[pM]))\Z")
# "5. Given so far: 15 + 25" without a result.
_OPEN_SUM = re.compile(rf"{COLON}\s*(?:[^\d\s=]{{0,4}}\s*)?{_OPERATION.pattern}\Z")
_CUT_NUMBER = re.compile(r"\d,\s*\Z")
# A sentence that is nothing but a label, a number and its unit: "Ducks left: 20 birds".
_LABELLED = re.compile(rf"(?P<label>[^\d=:：]{{2,80}}){COLON}\s*(?P<number>{DIGITS})[^\d=]{{0,30}}")
_BRACKETED = re.compile(r"\([^()]*\)")
_LIST_ITEM = re.compile(r"\d{1,2}[.)\u104b\u17d4]\s")
_FINAL = re.compile(r"(?m)^\s*####\s*(\S.*)$")  # as the data of grade-school mathematics ends an answer
_EQUATION = re.compile(rf"(?:=|≈|→|⇒)\s*(?:[^\d\s=+\-−]{{0,4}}\s*)?({DIGITS})")


def read_final_number(answer: str, language: str, tags: Sequence[str] = (), *, finished: bool | None = None) -> Decimal | None:
    """The number that an answer of any length concludes with; None where it gives none or several.

    Numbers are read as the `language` writes them; `finished` says whether the model ended the answer, if that is known.
    """
    answer = BULLET.sub("", RULE.sub("", answer).lstrip())  # of a list with one item, no minus
    if (words := number_in_words(plain(answer).strip(TRIM + STOPS), language)) is not None and finished is not False:
        return Decimal(words)
    if final := _FINAL.findall(answer):
        again = re.search(rf"(?m)^\s*####[^\n]*\n\s*\n{question_label(language)}", answer, re.IGNORECASE)
        label = again[0].rpartition("\n")[2] if again else ""
        if again and not re.search(r"\d", label) and not any_word("further", language).search(label):
            final = _FINAL.findall(answer[: again.end()])
        answer = final[-1]
    frame = last_frame(answer, tags, language)
    if frame is not None and (found := _result(prepared(frame, language), language)) is not None:
        return found
    whole = prepared(without_emphasis(unfenced(answer)), language)
    text = _of_own_problem(whole, tags, language)
    marked = _without_offer(answer, language) if text == whole else ""  # what is in bold type may answer the other question
    above = _without_check(marked, language)
    marked = above if "**" in above else marked
    is_cut = finished is False and text == whole
    text = _without_last_sentence(text) if is_cut else text  # its number may lack digits
    concluded = _without_check(_without_offer(text, language), language)
    bare = concluded.rstrip(" ,:")
    opens = _OPEN_END.search(bare) or (_OPEN_SUM.search(bare) and not tag_spans(text, tags))
    if opens or (not is_cut and (_CUT_NUMBER.search(concluded) or _lacks_result(bare, language))):
        return None  # it breaks off before the result
    checks = [check.span() for check in any_word("check", language).finditer(text)]
    tagged_ends = [end for begin, end in tag_spans(text, tags) if not any(start <= begin < stop for start, stop in checks)]
    behind_tag = text[tagged_ends[-1] :] if tagged_ends else ""
    if _gives_several(behind_tag, language) or re.match(rf"\s*\n{question_label(language)}", behind_tag, re.IGNORECASE):
        return None  # several numbers, or nothing but another question
    if (error := admission(behind_tag, language)) is not None and not re.search(r"\d", behind_tag[error:]):
        return None
    stated_ends = [end for _, end in statement_spans(concluded, language)]
    if stated_ends and not tagged_ends and _is_range(concluded[stated_ends[-1] :], language):
        return None
    if (found := _behind_statements(text, tagged_ends, language, tagged=True)) is not None:
        later = [end for end in stated_ends if end > tagged_ends[-1] and "\n" not in concluded[end:].strip()]
        worked_out = _behind_statements(concluded, later, language, tagged=False)
        return found if worked_out is None else worked_out  # the working behind the tag came to another result
    if not tagged_ends and (undecided := _undecided(concluded, language)) is not None:
        stated = {_behind_statements(concluded, [end], language, tagged=False) for end in stated_ends if end < undecided} - {None}
        return stated.pop() if len(stated) == 1 and not any_word("condition", language).search(concluded) else None
    if (found := _behind_statements(concluded, stated_ends, language, tagged=False)) is not None:
        return None if _depends(concluded, stated_ends, language) else found
    if _breaks_off_in_list(concluded, language) or at_end("unfinished", bare[-30:], language):
        return None
    if concluded.rstrip().endswith((",", ":", "：")) or _breaks_off_behind(concluded):
        return None
    if is_cut:
        return None  # a step
    if behind_tag.strip(TRIM + STOPS) and not re.search(r"\d", behind_tag):
        return _of_words(behind_tag.strip().partition("\n")[0], language)  # or an answer that cannot be read
    subject = subject_of(SENTENCE_END.split(concluded.strip(), maxsplit=1)[0], language)
    if len(values := _values(subject, language)) == 1:
        return values.pop()
    if (found := _given_first(concluded, marked, language)) is not None:
        return found
    if (found := _in_bold(marked, language, last=True)) is not None:
        return found
    if not re.search(r"\d", concluded):
        return _of_words(_last_sentence(concluded.replace("\n", ". ")), language)
    found = _of_last_result(concluded, language)
    return _of_last_lines(concluded, marked, language) if found is None else found


def _of_words(sentence: str, language: str) -> Decimal | None:
    """The only number in words of a sentence that denies nothing."""
    words = None if any_word("wrong", language).search(sentence) else only_number_in_words(sentence, language)
    return None if words is None else Decimal(words)


def _of_own_problem(text: str, tags: Sequence[str], language: str) -> str:
    return _without_another_problem(without_another_question(text, (*tags, *ANSWER_TAGS), language), language)


def _without_another_problem(text: str, language: str) -> str:
    """The text up to another problem that the model made up: a result, an empty line, "Question: …".

    Such a problem has numbers of its own, and none of those above it. Where no result stands above, the text may be what was
    given, and its question has at most one number, or no answer of its own.
    """
    for problem in islice(_other_problem(language).finditer(text), _MOST_STATEMENTS):
        above = text[: problem.start()].rstrip()
        numbers = _numbers_of(above)
        asked, posed = (_numbers_of(problem[part] or "") for part in ("asked", "posed"))
        goes_on = (
            re.match(question_label(language), above, re.IGNORECASE) is not None
        )  # question after question leads to the result
        is_counted = re.search(r"\d", problem["label"]) and _behind_so(above, language)
        further = is_counted or any_word("further", language).search(problem["label"])
        goes_on |= not further and not _last_numbers(above).isdisjoint(_numbers_of(text[problem.end("asked") :]))
        is_new = asked and asked.isdisjoint(numbers) and not goes_on and _has_result(above.rpartition("\n\n")[2], language)
        if re.search(r"\d[^\n:：]*\Z", above) and (is_new or (len(posed) > 1 and posed.isdisjoint(numbers))):
            return above
    return text


def _undecided(text: str, language: str) -> int | None:
    """Where a text says that there is no answer, or not enough to tell, and gives no result behind it; None if it does not."""
    last = max(any_word("undecided", language).finditer(text), key=re.Match.start, default=None)
    if last is None:
        return None
    rest = text[last.end() :]
    names = any_word("answer", language).search(SENTENCE_END.split(rest[:30], maxsplit=1)[0])
    has_statement = any(re.search(r"\d", rest[end:]) for _, end in statement_spans(rest, language))
    return last.start() if names or not (_has_result(rest, language) or has_statement) else None


def _depends(text: str, ends: Sequence[int], language: str) -> bool:
    """Whether the last two statements of a text stand behind "if", a line each, and give different numbers."""
    lines = [(text[text.rfind("\n", 0, end) + 1 : end], text[end:].partition("\n")[0]) for end in ends[-2:]]
    condition = any_word("condition", language)
    if len(lines) < 2 or not all(condition.match(re.sub(r"\A[\s\d.)*•-]+", "", before)) for before, _ in lines):
        return False
    first, second = (_values(behind, language) for _, behind in lines)
    return first != second


def _has_result(paragraph: str, language: str) -> bool:
    """Whether a paragraph is a number, or has an equation, or a number behind "so"."""
    is_number, equation = NUMBER.fullmatch(paragraph.strip()), _EQUATION.search(paragraph)
    return bool(is_number or equation) or _behind_so(paragraph, language)


def _behind_so(text: str, language: str) -> bool:
    """Whether a number stands behind "so"."""
    return any(re.search(r"\d", text[match.end() :]) for match in any_word("so", language).finditer(text))


@cache
def _other_problem(language: str) -> re.Pattern[str]:
    """The label of a question below an empty line; `asked` is its first line or sentence, `posed` all up to an answer's label."""
    solution = rf"\n[\s>#*_]*(?:{any_word('answer', language).pattern})\s*{COLON}"
    further = rf"[\s>#*_]*(?:(?:{any_word('further', language).pattern})\s)?"
    asked = r"(?=\s*(?P<asked>[^\n?？]*))"
    return re.compile(
        rf"\n\s*\n(?P<label>{further}{question_label(language)}){asked}(?=(?P<posed>[\s\S]{{0,{_LONGEST_PROBLEM}}}?){solution})?",
        re.IGNORECASE,
    )


def _without_offer(text: str, language: str) -> str:
    """The text without a last paragraph that only asks, or speaks to the user without a number, where a number stands before."""
    before, _, last = text.rstrip().rpartition("\n\n")
    asks = last.rstrip("* ")[-1:] in ("?", "？") and not _EQUATION.search(last)
    speaks, denies = (any_word(place, language).search(last) for place in ("speaks", "wrong"))
    offers = speaks and not denies and not re.search(r"\d", last)
    return before if (asks or offers) and not statement_spans(last, language) and re.search(r"\d", before) else text


def _given_first(text: str, answer: str, language: str) -> Decimal | None:
    """The only number of the first sentence, where a reason follows it, or of the first paragraph, where the working does.

    Where what follows has results, the number has to be one of them, or its line in bold type in the answer with its markup.
    """
    first, *behind = SENTENCE_END.split(text.strip(), maxsplit=1)
    rest = "".join(behind)
    if not (behind and is_reason(rest.lstrip(), language)):
        first, _, rest = text.strip().partition("\n\n")
        if "\n" in first or not any_word("working", language).match(rest.lstrip(" \n")):
            return None
    numbers = _values(_BRACKETED.sub("", first), language)
    if len(numbers) != 1:
        return None
    results = {parse_number(number, language) for number in _EQUATION.findall(rest)}
    clauses = [rest[match.end() :].split("\n", 1)[0] for match in any_word("so", language).finditer(rest)]
    results |= {number for number in (_result(clause, language) for clause in clauses) if number is not None}
    return numbers.pop() if not results or numbers <= results or re.match(r"\s*\*\*", answer) else None


def _numbers_of(text: str) -> set[str]:
    return {number.strip(" \n+-−") for number in NUMBER.findall(text)}


def _last_numbers(text: str) -> set[str]:
    """The numbers of a text's last line with any, behind its last "=" if there is one."""
    line = next((line for line in reversed(text.splitlines()) if re.search(r"\d", line)), "")
    return _numbers_of(line.rpartition("=")[2])


def _values(text: str, language: str) -> set[Decimal]:
    return {parse_number(number, language) for number in NUMBER.findall(text)}


def _behind_statements(text: str, ends: Sequence[int], language: str, *, tagged: bool) -> Decimal | None:
    """The number behind the last tag or statement that gives one, or the number that corrects it."""
    for end in reversed(ends[-_MOST_STATEMENTS:]):
        clause, _, rest = text[end:].lstrip().partition("\n")
        things = tagged or re.search(rf"{COLON}\s*\Z", text[:end]) is not None
        if (found := _result(in_digits(clause[:_LONGEST_CLAUSE], language, things=things), language)) is not None:
            if (number := NUMBER.search(clause)) and admission(clause[number.end() :], language) is not None:
                rest = f"{clause[number.end() :]}\n{rest}"  # "Answer: 5 … no, wrong, so it is 7"
            words = any_word("corrects", language).finditer(rest)
            corrects = next((word for word in words if begins_clause(rest[: word.start()], language)), None)
            altered = max(any_word("alters", language).finditer(rest), key=re.Match.start, default=corrects)
            instead = rest[altered.end() :].lstrip(" :：") if altered else ""
            first = instead.split("\n", 1)[0]
            corrected = None if any_word("so", language).search(first) else _result(first, language)
            corrected = read_final_number(instead, language) if corrected is None else corrected
            return found if corrected is None else corrected
    return None


def _last_sentence(text: str) -> str:
    return next((part.strip() for part in reversed(SENTENCE_END.split(text)) if part.strip(TRIM)), "")


def _in_bold(answer: str, language: str, *, last: bool) -> Decimal | None:
    """The only number in bold type on the last line; with `last` if no other stands behind it and its sentence denies nothing."""
    line = next((line for line in reversed(unfenced(answer).splitlines()) if line.strip()), "")
    spans = [span for span in re.finditer(r"\*\*([^*]+)\*\*", line) if re.search(r"\d", plain(span[1]))]
    is_remark = any_word("note", language).match(line.lstrip("([*_ ")) or any_word("wrong", language).search(_last_sentence(line))
    if not spans or (last and (is_remark or re.search(r"\d", plain(line[spans[-1].end() :])))):
        return None
    texts = [prepared(span[1], language) for span in spans]
    named = set().union(*(_values(text, language) for text in texts))
    results = [parse_number(number, language) for number in _EQUATION.findall(prepared(answer, language))]
    found = {results[-1]} if results and results[-1] in named else {_result(text, language) for text in texts}
    return found.pop() if len(found) == 1 else None


def _of_last_lines(text: str, answer: str, language: str) -> Decimal | None:
    """The number that the last line of a text gives: behind a label, as the result of an equation, alone, or alone in bold type.

    The text is prepared; the answer has its markup.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    while len(lines) > 1 and any_word("note", language).match(lines[-1].lstrip("([ ")):
        lines.pop()
    if len(lines) > 1 and not _EQUATION.search(lines[-1]):
        stopped, stops = (line.rstrip().endswith(STOPS_OF_SCRIPTS) for line in lines[-2:])
        if _STEP.match(lines[-1]) or (stopped and not stops):
            return None  # it breaks off in a step
    ending = _last_sentence(lines[-1])
    labelled = _LABELLED.fullmatch(ending)
    if labelled and has_word(labelled["label"], language, "left", "so", "answer"):
        return parse_number(labelled["number"], language)
    for line in reversed(lines[-2:]):
        if equations := list(_EQUATION.finditer(line)):
            result = parse_number(equations[-1][1], language)
            behind = " ".join(SENTENCE_END.split(line[equations[-1].start(1) :])[1:])
            further = _values(behind, language)
            return result if not further or result in further else None  # a later sentence goes on from the result
    if not re.search(r"\d", ending) and any_word("wrong", language).search(ending):
        return None  # "… so the number of girls cannot be told"
    # a number in words beside one in digits is one of several, too
    written = with_digits(lines[-1], language) if re.search(r"\d", lines[-1]) else ""
    numbers = _values(written, language)
    if len(numbers) > 1:
        numbers = _values(_BRACKETED.sub("", lines[-1]), language) or numbers
    if len(numbers) > 1 and any_word("so", language).search(ending):
        numbers = _values(ending, language)
    if len(numbers) > 1 and len(repeated := re.findall(r"[^\W\d]\s?\((\d+)[^\W\d]{0,2}\)", lines[-1])) == 1:
        return parse_number(repeated[0], language)  # "seven (7) apples"
    return numbers.pop() if len(numbers) == 1 else _in_bold(answer, language, last=False)


def _without_denied(sentence: str, language: str) -> str:
    """A sentence without the clause at its end that denies another number: "50, not 52.5"."""
    for denial in any_word("denies", language).finditer(sentence):
        before = sentence[: denial.start()].rstrip(" (,")
        if re.search(r"\d", before) and re.match(r"\s*[^\d\n]{0,4}\d", sentence[denial.end() :]):
            return before
    return sentence


def _without_last_sentence(text: str) -> str:
    """The text up to its last line break or end of a sentence."""
    ends = [stop.end() for stop in SENTENCE_END.finditer(text)]
    return text[: max([text.rfind("\n") + 1, *ends])]


def _lacks_result(text: str, language: str) -> bool:
    """Whether a text breaks off behind "so", or behind words without a number that follow it in the last sentence."""
    begin = max([stop.start() + 1 for stop in SENTENCE_END.finditer(text)] + [text.rfind("\n") + 1])
    results = list(any_word("so", language).finditer(text, begin))
    if not results:
        return False
    # "72 clips in total" ends with such a word, too
    opens = language in WRITTEN_TOGETHER or text[: results[-1].start()].rstrip(" *_")[-1:] in ("", "\n", *STOPS)
    has_number = re.search(r"\d", text[begin:]) or only_number_in_words(text[begin:], language) is not None
    return (results[-1].end() == len(text) and opens) or not has_number


def _without_check(text: str, language: str) -> str:
    """The text without what goes over a result again: up to a paragraph that concludes, or to the end."""
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
    return text


def _breaks_off_behind(text: str) -> bool:
    """Whether a last line of sentences that end with stops goes on with words without a number and without a stop."""
    *sentences, last = SENTENCE_END.split(text.rstrip().rpartition("\n")[2])
    words = last.split()
    return bool(sentences) and len(words) >= _FEWEST_WORDS and not re.search(r"\d|[^\w\s]\Z", last)


def _breaks_off_in_list(text: str, language: str) -> bool:
    """Whether the last line is an item of a list that lacks the stop of its script, which the items above have, and a result."""
    items = [line.strip() for line in text.splitlines() if _LIST_ITEM.match(line.strip())]
    ends = [item.endswith(STOPS_OF_SCRIPTS) for item in items]
    if not items or ends[-1] or not any(ends) or not text.rstrip().endswith(items[-1]):
        return False
    results = [any_word(place, language).search(items[-1]) for place in ("so", "answer", "left")]
    return not (_EQUATION.search(items[-1]) or any(results))


def _of_last_result(text: str, language: str) -> Decimal | None:
    """The number that the last clause behind "so" or "therefore" gives, if one alone or the result of an equation."""
    clauses = [text[match.end() :] for match in any_word("so", language).finditer(text)]
    for clause in reversed(clauses[-_MOST_STATEMENTS:]):
        line = clause.lstrip(" ,").split("\n", 1)[0][:_LONGEST_CLAUSE]
        sentence = SENTENCE_END.split(line, maxsplit=1)[0]
        later = clause[clause.index(sentence) + len(sentence) :]
        leaves = any_word("left", language).search(later)
        left = _values(later[leaves.end() :], language) if leaves else set()
        if _EQUATION.search(later) or (left and left.isdisjoint(_values(sentence, language))):
            return None  # it goes on
        sentence = _without_denied(in_digits(sentence, language), language)
        if equations := _EQUATION.findall(sentence):
            return parse_number(equations[-1], language)
        if numbers := _values(_BRACKETED.sub("", sentence), language):
            behind = sentence[list(NUMBER.finditer(sentence))[-1].end() :]
            numbers |= _values(with_digits(behind, language), language)  # "of the 75 marbles forty-two are left"
            return numbers.pop() if len(numbers) == 1 else None
        if clause is clauses[-1] and (words := only_number_in_words(sentence, language)) is not None:
            return Decimal(words)
    return None


def _result(clause: str, language: str) -> Decimal | None:
    """The number behind the last "=" of a clause, else the one that it gives; None if it gives several."""
    sentence = SENTENCE_END.split(clause, maxsplit=1)[0]
    if fraction := re.fullmatch(r"(\d{1,3})/(2|4|5|8|10|20|25|50|100)(?![\d/])\D*", sentence.strip()):
        return Decimal(fraction[1]) / Decimal(fraction[2])
    if equations := _EQUATION.findall(sentence):
        return parse_number(equations[-1], language)
    if sum_ := _OPERATION.match(sentence.strip("( ")):
        sentence = sentence.strip("( ")[sum_.end() :]
    found = list(NUMBER.finditer(sentence))
    if not found:
        return None
    if len(found) > 1:
        between = sentence[found[0].end() : found[1].start()]
        if re.fullmatch(r"\s*(?:[-–—:]|to)\s*", between):  # a range, or a time
            return None
        if any_word("denies", language).search(sentence[: found[0].start()]):
            return parse_number(found[1][0], language)
        if _gives_several(sentence, language):
            return None
    return parse_number(found[0][0], language)


def _gives_several(clause: str, language: str) -> bool:
    """Whether a clause joins two different numbers at its beginning: "45 or 54"."""
    first, second, *_ = [*NUMBER.finditer(clause.lstrip().partition("\n")[0]), None, None]
    if first is None or second is None:
        return False
    between = second.string[first.end() : second.start()].strip(" ,$₱€£")
    is_joined = any_word("joined", language).fullmatch(between) or re.fullmatch(
        rf"[{WORD}]{{0,12}}?\s?(?:{any_word('to', language).pattern})", between, re.IGNORECASE
    )
    return is_joined is not None and parse_number(first[0], language) != parse_number(second[0], language)


def _is_range(text: str, language: str) -> bool:
    """Whether a text gives several numbers at its beginning, such as a range, and no number behind them."""
    return _gives_several(text, language) and len(NUMBER.findall(text)) == 2
