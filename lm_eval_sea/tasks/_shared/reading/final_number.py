"""Reading the number that a chat model concludes with. Pure functions, no I/O.

A framed number counts first, then a stated one, then the result of the last equation. The last of each kind counts. If the token
limit cut the answer, only framed and stated numbers count, because its last equation is only a step. Numbers are read as the
language writes them: Indonesian "1.234,5" is English "1,234.5".
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

from .answer_patterns import WORD, any_word, begins_clause, has_word, is_reason, subject_of
from .answer_text import COLON, SENTENCE_STOP, STOPS, STOPS_OF_SCRIPTS, TRIM, plain
from .frames import last_frame, unfenced
from .number_words import number_in_words, only_number_in_words, with_digits
from .other_questions import question_label
from .statements import admission, statement_spans
from .surroundings import BULLET, RULE, SENTENCE, without_restart
from .worked_solution import EQUATION, OPERATION, Worked, breaks_off, breaks_off_unstated, has_result, worked_solution
from .written_numbers import NUMBER, SENTENCE_END, in_digits, parse_number, prepared


if TYPE_CHECKING:
    from collections.abc import Sequence


# If an answer repeats itself without end, only its last statements are read.
_MOST_STATEMENTS = 50
_LONGEST_CLAUSE = 500
_STEP = re.compile(r"\S{2,20}\s?\d+\s*[:：]")
_SHARE = re.compile(r"\s?[\d.]+(?:\s?%[^\d,;=]{1,20}\d|[^\d,;=]{1,20}[\d.]+\s?%)")  # "40% of 40", or Chinese "40的40%"
_BRACKETED = re.compile(r"\([^()]*\)")
_FINAL = re.compile(r"(?m)^[^\S\n]*####\s*(\S.*)$")  # ends an answer in GSM8K


def read_final_number(answer: str, language: str, tags: Sequence[str] = (), *, finished: bool | None = None) -> Decimal | None:
    """The number that an answer of any length concludes with; None if it gives none or several.

    Numbers are read as the `language` writes them; `finished` says whether the model ended the answer, if that is known.
    """
    answer = BULLET.sub("", RULE.sub("", answer).lstrip())  # the dash of a list with one item is not a minus
    kept = without_restart(answer, SENTENCE)
    answer = kept if has_result(kept, language) or statement_spans(kept, language) else answer
    if (words := number_in_words(plain(answer).strip(TRIM + STOPS), language)) is not None and finished is not False:
        return Decimal(words)
    answer = _behind_hashes(answer, language)
    frame = last_frame(answer, tags, language)
    if frame is not None:
        found = None
        if frame != answer and len(NUMBER.findall(frame)) > 1 and SENTENCE_STOP.search(frame.strip(TRIM + STOPS)):
            found = read_final_number(frame, language, (), finished=finished)  # a solution of several sentences
        if (found := _result(prepared(frame, language), language) if found is None else found) is not None:
            return found
    worked = worked_solution(answer, tags, language, finished)
    if breaks_off(worked) or _says_none(worked):
        return None
    if (found := _behind_statements(worked.text, worked.tagged, language, tagged=True)) is not None:
        concluded, last = worked.concluded, worked.tagged[-1]
        later = [end for end in worked.stated if end > last and "\n" not in concluded[end:].strip()]
        worked_out = _behind_statements(concluded, later, language, tagged=False)
        behind = concluded[later[-1] :] if later else ""
        repeats = [parse_number(number, language) for number in NUMBER.findall(behind)][-1:] == [found]
        repeats = repeats and not has_word(behind, language, "denies")
        return found if worked_out is None or repeats else worked_out  # the working after the tag came to another result
    if not worked.tagged and (undecided := _undecided(worked.concluded, language)) is not None:
        return _stated_before(undecided, worked)
    if (found := _behind_statements(worked.concluded, worked.stated, language, tagged=False)) is not None:
        return None if _depends(worked.concluded, worked.stated, language) else found
    return None if worked.is_cut or breaks_off_unstated(worked) else _unstated(worked)


def _behind_hashes(answer: str, language: str) -> str:
    """What follows the last "####", the mark of GSM8K, that does not belong to another question."""
    if not (final := _FINAL.findall(answer)):
        return answer
    again = re.search(rf"(?m)^[^\S\n]*####[^\n]*\n\s*\n{question_label(language)}", answer, re.IGNORECASE)
    label = again[0].rpartition("\n")[2] if again else ""
    if again and not re.search(r"\d", label) and not has_word(label, language, "further"):
        final = _FINAL.findall(answer[: again.end()])
    return str(final[-1])


def _says_none(worked: Worked) -> bool:
    """Whether several numbers or only another question follow the tag, the answer is taken back, or a range is stated."""
    behind, language = worked.behind_tag, worked.language
    if _gives_several(behind, language) or re.match(rf"\s*\n{question_label(language)}", behind, re.IGNORECASE):
        return True
    if (error := admission(behind, language)) is not None and not re.search(r"\d", behind[error:]):
        return True
    stated = worked.concluded[worked.stated[-1] :] if worked.stated and not worked.tagged else ""
    return _gives_several(stated, language) and len(NUMBER.findall(stated)) == 2


def _stated_before(place: int, worked: Worked) -> Decimal | None:
    """The only number that a solution states, without a condition, before the place where it says that there is none."""
    ends = [end for end in worked.stated if end < place]
    stated = {_behind_statements(worked.concluded, [end], worked.language, tagged=False) for end in ends} - {None}
    return stated.pop() if len(stated) == 1 and not has_word(worked.concluded, worked.language, "condition") else None


def _unstated(worked: Worked) -> Decimal | None:
    """The number of a solution that states no result: in its first sentence, in bold type, after "so", on its last lines."""
    text, language, behind = worked.concluded, worked.language, worked.behind_tag
    asked, _, rest = text.replace("？", "?").partition("?")
    *before, question = SENTENCE_END.split(asked)
    asks_back = re.search(r"\d", question) and not re.search(r"\d", "".join(before)) and len(rest) > len(question) / 2
    if asks_back and re.search(rf"[{WORD}]", rest) and not (re.search(r"[=\d]", rest) or EQUATION.search(asked)):
        return _of_words(rest, language)
    if behind.strip(TRIM + STOPS) and not re.search(r"\d", behind):
        return _of_words(behind.strip().partition("\n")[0], language)  # the tag decides, even if no number in words follows it
    subject = subject_of(SENTENCE_END.split(text.strip(), maxsplit=1)[0], language)
    if len(values := _values(subject, language)) == 1:
        return values.pop()
    if (found := _given_first(text, worked.marked, language)) is not None:
        return found
    if (found := _in_bold(worked.marked, language, last=True)) is not None:
        return found
    if not re.search(r"\d", text):
        return _of_words(_last_sentence(text.replace("\n", ". ")), language)
    if _leaves_several(text, language):
        return None
    found = _of_last_result(text, language)
    return _of_last_lines(text, worked.marked, language) if found is None else found


def _leaves_several(text: str, language: str) -> bool:
    """Whether the last clause after "so" joins two numbers, and none follows: "so each gets 6 or 7"."""
    *_, last = [None, *any_word("so", language).finditer(text)]
    clause = SENTENCE_END.split(text[last.end() :], maxsplit=1) if last else [""]
    return _gives_several(clause[0], language) and not re.search(r"\d", "".join(clause[1:]))


def _of_words(sentence: str, language: str) -> Decimal | None:
    """The only number in words in a sentence that denies nothing."""
    words = None if any_word("wrong", language).search(sentence) else only_number_in_words(sentence, language)
    return None if words is None else Decimal(words)


def _undecided(text: str, language: str) -> int | None:
    """The place where a text says that there is no answer, or asks for what is missing, if no result follows; else None."""
    inquiries = list(any_word("inquires", language).finditer(text))[-1:]
    inquiries = [each for each in inquiries if not _offers(each, language)]
    last = max([*any_word("undecided", language).finditer(text), *inquiries], key=re.Match.start, default=None)
    if last is None:
        return None
    rest = text[last.end() :]
    names = any_word("answer", language).search(SENTENCE_END.split(rest[:30], maxsplit=1)[0])
    has_statement = any(re.search(r"\d", rest[end:]) for _, end in statement_spans(rest, language))
    return last.start() if names or not (has_result(rest, language) or has_statement) else None


def _offers(asks: re.Match[str], language: str) -> bool:
    """Whether "please tell me" stands below a result or in a sentence with "if": "If you want more, please tell me"."""
    above, below = asks.string[: asks.start()], asks.string[asks.end() :]
    sentence = f"{SENTENCE_STOP.split(above)[-1]} {SENTENCE_STOP.split(below, maxsplit=1)[0]}"
    return has_result(above, language) or has_word(sentence, language, "condition", "farewell")


def _depends(text: str, ends: Sequence[int], language: str) -> bool:
    """Whether the last two statements of a text are on lines with "if" and give different numbers."""
    lines = [(text[text.rfind("\n", 0, end) + 1 : end], text[end:].partition("\n")[0]) for end in ends[-2:]]
    condition = any_word("condition", language)
    if len(lines) < 2 or not all(condition.match(re.sub(r"\A[\s\d.)*•-]+", "", before)) for before, _ in lines):
        return False
    first, second = (_values(behind, language) for _, behind in lines)
    return first != second


def _given_first(text: str, answer: str, language: str) -> Decimal | None:
    """The only number of the first sentence if a reason or the working follows, or of the first paragraph if the working follows.

    If what follows has results, the number has to be one of them or their sum, or its line has to be in bold type in the original
    answer. Within a sentence the reason has to have this result alone: "There are 14, because 20 - 6 = 14".
    """
    stop, working = SENTENCE_END.search(text := text.strip()), any_word("working", language)
    first, rest = (text[: stop.start()], text[stop.start() + 1 :]) if stop else (text, "")
    gaps = (gap.start() for gap in re.finditer(r"[\s，]", first) if is_reason(first[gap.end() :], language))
    claim = first[: next(gaps, len(first))]
    heading = rf"\W*(?:{working.pattern})[^\n\d:：]{{0,15}}{COLON}"
    if is_within := claim != first and "\n" not in first and len(_values(claim, language)) == 1:
        first, rest = claim, text.removeprefix(claim)
    elif not (is_reason(rest.lstrip(), language) or re.match(heading, rest, re.IGNORECASE)):
        first, _, rest = text.partition("\n\n")
        if "\n" in first or not working.match(rest.lstrip(" \n")):
            return None
    numbers = _values(_BRACKETED.sub("", first), language)
    if len(numbers) != 1:
        return None
    equated = [parse_number(number, language) for number in EQUATION.findall(rest)]
    results = {*equated, *({sum(equated)} - _values(rest, language) if equated else ())}  # of a list, their sum
    clauses = [rest[match.end() :].split("\n", 1)[0] for match in any_word("so", language).finditer(rest)]
    results |= {number for number in (_result(clause, language) for clause in clauses) if number is not None}
    is_given = set(equated) == numbers if is_within else not results or numbers <= results or re.match(r"\s*\*\*", answer)
    return numbers.pop() if is_given else None


def _values(text: str, language: str) -> set[Decimal]:
    return {parse_number(number, language) for number in NUMBER.findall(text)}


def _behind_statements(text: str, ends: Sequence[int], language: str, *, tagged: bool) -> Decimal | None:
    """The number after the last tag or statement that has one, or the number that corrects it."""
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
    """The only number in bold type on the last line.

    With `last`, no other number may follow it and its sentence may deny nothing.
    """
    line = next((line for line in reversed(unfenced(answer).splitlines()) if line.strip()), "")
    spans = [span for span in re.finditer(r"\*\*([^*]+)\*\*", line) if re.search(r"\d", plain(span[1]))]
    is_remark = any_word("note", language).match(line.lstrip("([*_ ")) or any_word("wrong", language).search(_last_sentence(line))
    if not spans or (last and (is_remark or re.search(r"\d", plain(line[spans[-1].end() :])))):
        return None
    texts = [prepared(span[1], language) for span in spans]
    named = set().union(*(_values(text, language) for text in texts))
    results = [parse_number(number, language) for number in EQUATION.findall(prepared(answer, language))]
    found = {results[-1]} if results and results[-1] in named else {_result(text, language) for text in texts}
    return found.pop() if len(found) == 1 else None


def _of_last_lines(text: str, answer: str, language: str) -> Decimal | None:
    """The number on the last line of a text: after a label, the result of an equation, alone, or alone in bold type.

    The text is prepared; the answer has its markup.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    while len(lines) > 1 and any_word("note", language).match(lines[-1].lstrip("([ ")):
        lines.pop()
    if len(lines) > 1 and not EQUATION.search(lines[-1]):
        stopped, stops = (line.rstrip().endswith(STOPS_OF_SCRIPTS) for line in lines[-2:])
        if _STEP.match(lines[-1]) or (stopped and not stops):
            return None  # it breaks off within a step
    ending = _last_sentence(lines[-1])
    if (found := _repeated(lines, language)) is not None:
        return found
    for line in reversed(lines[-2:]):
        if equations := list(EQUATION.finditer(line)):
            if re.fullmatch(r"\s*(\S+)\s*=\s*\1\s*", line):
                return None  # "40 = 40": the working went in a circle
            if (combined := _combined(line, language)) is not None:
                return combined
            result = parse_number(equations[-1][1], language)
            behind = " ".join(SENTENCE_END.split(line[equations[-1].start(1) :])[1:])
            further = _values(behind, language)
            ends = line == lines[-1] or not _goes_on("\n".join(lines), lines[-1], language)
            return result if ends and (not further or result in further) else None  # a later sentence continues the calculation
    if not re.search(r"\d", ending) and any_word("wrong", language).search(ending):
        return None  # "… so the number of girls cannot be told"
    # a number in words counts beside one in digits
    written = with_digits(lines[-1], language) if re.search(r"\d", lines[-1]) else ""
    numbers = _values(written, language)
    if len(numbers) > 1 and len(repeated := re.findall(r"[^\W\d]\s?\((\d+)[^\W\d]{0,2}\)", lines[-1])) == 1:
        return parse_number(repeated[0], language)  # "seven (7) apples"
    if len(numbers) > 1:
        numbers = _values(_BRACKETED.sub("", lines[-1]), language) or numbers
    if len(numbers) > 1 and any_word("so", language).search(ending):
        numbers = _values(ending, language)
    found = _computed(ending, language)
    return numbers.pop() if len(numbers) == 1 else _in_bold(answer, language, last=False) if found is None else found


def _repeated(lines: Sequence[str], language: str) -> Decimal | None:
    """The result of an equation above that the last line names; None if it names none.

    The last result counts, also beside numbers of the problem and in other units ("0.25 liters (250 ml)"); any other if it is the
    only number of the line, after "is" or as a percentage.
    """
    results = [parse_number(number, language) for number in EQUATION.findall("\n".join(lines[:-1]))]
    if not results or any(pattern.search(lines[-1]) for pattern in (EQUATION, OPERATION)):
        return None
    said = any_word("either", language).split(_BRACKETED.sub("", lines[-1]), maxsplit=1)[0]
    numbers = [parse_number(number, language) for number in NUMBER.findall(said)]
    if not numbers:
        return None
    *others, number = numbers
    if number == results[-1] and {*others} <= _values("\n".join(lines[:-1]), language) - {*results}:
        return number
    named = re.search(rf"(?:{any_word('equates', language).pattern})\s*{NUMBER.pattern}\D{{0,15}}\Z", lines[-1], re.IGNORECASE)
    is_only = _values(lines[-1], language) == {number}
    return number if is_only and (number / 100 in results or (named and number in results)) else None


def _computed(sentence: str, language: str) -> Decimal | None:
    """The last of three numbers of a sentence if it is the sum, the product or the share of the others: "3 at 150 cost 450"."""
    numbers = [parse_number(number, language) for number in NUMBER.findall(_BRACKETED.sub("", sentence))]
    if len(numbers) != 3 or len(set(numbers)) != 3 or "|" in sentence or has_word(sentence, language, "either"):
        return None
    first, second, last = numbers
    return last if last in ({first * second / 100} if "%" in sentence else {first + second, first * second}) else None


def _goes_on(text: str, below: str, language: str) -> bool:
    """Whether the last lines of a text have new numbers, apart from lines that conclude, deny or are notes."""
    lines = [line for line in below.splitlines() if not has_word(line, language, "so", "wrong", "note")]
    return not _values(" ".join(lines), language) <= _values(text.removesuffix(below), language)


def _without_denied(sentence: str, language: str) -> str:
    """A sentence without a last clause that denies another number: "50, not 52.5"."""
    for denial in any_word("denies", language).finditer(sentence):
        before = sentence[: denial.start()].rstrip(" (,")
        if re.search(r"\d", before) and re.match(r"\s*[^\d\n]{0,4}\d", sentence[denial.end() :]):
            return before
    return sentence


def _of_last_result(text: str, language: str) -> Decimal | None:
    """The number of the last clause after "so" or "therefore", if it is the only one or the result of an equation."""
    clauses = [text[match.end() :] for match in any_word("so", language).finditer(text)]
    for clause in reversed(clauses[-_MOST_STATEMENTS:]):
        line = clause.lstrip(" ,").split("\n", 1)[0][:_LONGEST_CLAUSE]
        sentence = SENTENCE_END.split(line, maxsplit=1)[0]
        later = clause[clause.index(sentence) + len(sentence) :]
        leaves = any_word("left", language).search(later)
        left = _values(later[leaves.end() :], language) if leaves else set()
        if EQUATION.search(later) or (left and left.isdisjoint(_values(sentence, language))):
            return None  # it goes on
        sentence = _without_denied(in_digits(sentence, language), language)
        if equations := EQUATION.findall(sentence):
            combined = _combined(sentence, language)
            found = parse_number(equations[-1], language) if combined is None else combined
            return None if _goes_on(text, later.partition("\n")[2], language) else found
        if numbers := _values(_BRACKETED.sub("", sentence), language):
            behind = sentence[list(NUMBER.finditer(sentence))[-1].end() :]
            numbers |= _values(with_digits(behind, language), language)  # "of the 75 marbles forty-two are left"
            parts = any_word("equates", language).split(sentence) if len(numbers) > 1 else []
            if len(parts) == 2 and re.match(r"\D{0,15}\d", parts[1]):
                numbers = _values(parts[1], language)  # "so in 2023 the price is 40"
            return numbers.pop() if len(numbers) == 1 else None
        if clause is clauses[-1] and (words := only_number_in_words(sentence, language)) is not None:
            return Decimal(words)
    return None


def _combined(text: str, language: str) -> Decimal | None:
    """The new number at the end of a text, if it combines results of equations, or the last one and a number of a later sentence.

    Examples are "3 × 18 = 54 plus 2 × 9 = 18, giving 72" and "3 × 20 = 60. She pays 100, and gets 40 back.", but not
    "100 - 40 = 60, because 40 of the 100 are sold".
    """
    results = [found for found in EQUATION.finditer(text) if not re.match(r"\s*[-+−]\s*\d", text[found.end() :])]
    if not results:
        return None
    *others, result = (parse_number(found[1], language) for found in results)
    rest = _BRACKETED.sub("", text[results[-1].start(1) :])
    behind = list(NUMBER.finditer(rest))[1:]
    if not 0 < len(behind) < 3 or has_word(rest, language, "denies"):
        return None
    *given, last = (parse_number(number[0], language) for number in behind)
    known = _values(text[: results[-1].end()], language)
    if result in given or last in map(abs, known):  # in the latter, "- 40" may be read as a negative number
        return None
    given = given if SENTENCE_END.search(rest[: behind[-1].start()]) else []
    combined = {value for other in (*others, *given) for value in (result + other, other - result, result * other)}
    combined |= {result - other for other in others}  # but "60 pens, 20 red and 40 blue" takes the result apart
    return last if last in combined else None


def _result(clause: str, language: str) -> Decimal | None:
    """The number after the last "=" of a clause, else its only number; None if it gives several."""
    sentence = SENTENCE_END.split(clause, maxsplit=1)[0]
    if fraction := re.fullmatch(r"(\d{1,3})/(2|4|5|8|10|20|25|50|100)(?![\d/])\D*", sentence.strip()):
        return Decimal(fraction[1]) / Decimal(fraction[2])
    if equations := EQUATION.findall(sentence):
        return parse_number(equations[-1], language)
    if sum_ := OPERATION.match(sentence.strip("( ")):
        sentence = sentence.strip("( ")[sum_.end() :]
    found = list(NUMBER.finditer(sentence))
    if not found:
        return None
    is_share = len(found) == 3 and _SHARE.match(sentence, found[0].start())
    if is_share and has_word(sentence[found[1].end() : found[2].start()], language, "equates"):
        return parse_number(found[2][0], language)
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
    joints = rf"{any_word('joined', language).pattern}|[{WORD}]{{0,12}}?\s?(?:{any_word('to', language).pattern})"
    is_joined = re.fullmatch(joints, between, re.IGNORECASE)
    return is_joined is not None and parse_number(first[0], language) != parse_number(second[0], language)
