"""What one line of an answer says about the options: which it states, judges or merely names. Pure functions, no I/O."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from .answer_patterns import any_word, at_end, begins_clause, has_word, is_end, is_reason, predicate_of, whole_word
from .answer_text import COLON, STOPS, TRIM, plain
from .option_labels import CLOSING, LONGEST_PHRASE, LONGEST_VERDICT, OPENING, Choices, folded, is_small_letter, own_text
from .statements import lead_in, statement_spans


_BULLET = re.compile(r"\A\s*(?:[-•●▪‣–—*+]|\d{1,2}[.)](?=\s+\S)|[→⇒➡✓✔✅✗✘❌☑✖]|=+>)\s+")
_BEHIND_LABEL = re.compile(
    rf"\s*[{re.escape(CLOSING)}*]*(?:[.:,;)!?\u3002\uff1a\uff0c\u3001\u104a\u104b\u17d4\u17d6\]]|[-–—]|\(|\Z)"
)
# The end of a sentence or a clause, but not the stop in a number or after an abbreviation or a label at the beginning of a line.
SENTENCE_END = re.compile(
    r"(?<!^\w)(?<![\s(]\w)(?<!\.[^\W\d_])(?<![\s(][க-ஹ][\u0bbe-\u0bcc])(?<![\s(]எ[\u0b80-\u0bff]\u0bcd)(?<![\s(](?:Dr|Ir|Mt|St))"
    r"(?:[.!?](?=\s)|;|[\u3002\uff1b\u104b\u17d4])\s*|(?:(?<=ครับ)|(?<=ค่ะ))\s+"
)
CLAUSE_END = re.compile(r"[.!?;\u3002\uff1b\u104b\u17d4](?:\s|$)|[\u3002\u104b\u17d4]|[,،]\s|[，,]|\n")
# The mark before a verdict at the end of a sentence about an option: "the road was fine, so wrong", "… → wrong", "… (wrong)".
_VERDICT_BEGIN = re.compile(r"[,，]\s*|\s[-–—→⇒]+\s|[(（]|[.\u3002\u104b\u17d4]\s*")
_SHOULD_NOT = re.compile("ไม่ควร|ບໍ່ຄວນ|មិនគួរ")  # "should choose" leads to a label
_LAST_CLAUSE = re.compile(r"[,\u104a][^,\u104a]*\Z")
_LONGEST_CONDITION = 60
_MARK = re.compile(r"\A\s*(?:(?P<right>[✓✔✅☑])|(?P<wrong>[✗✘❌✖×]))\s*")
_MARK_BEHIND = re.compile(r"\s(?:(?P<right>[✓✔✅☑])|(?P<wrong>[✗✘❌✖×]))\s*\Z")
# The quoted "not" of a question that asks which option is not true.
_QUOTED_DENIAL = re.compile(r"[\"“'‘]\S{1,12}[\"”'’]")
_QUOTED_QUESTION = re.compile(r"[\"“][^\"“”\n]{8,200}[?？][\"”]")  # in "the answer to the question "…?" is no"
_LONGEST_TURN, _FEW_LETTERS = 40, 10
_ANSWERS = ("answer", "right", "left")  # the words that make a sentence with a label a statement
# Languages that put a denial after the denied words.
DENIES_BEHIND = frozenset({"my", "ta"})


class Evidence(NamedTuple):
    kind: str  # "stated", "conditional", "right", "wrong", or "bare": the label alone or before a text
    position: int


def evidence_of(line: str, choices: Choices) -> list[Evidence]:
    """What one line says about the options, in the order of its words."""
    line = _QUOTED_QUESTION.sub("", _without_all_labels(_row(line), choices))
    if (marked := _marked(line, choices)) is not None:
        return [marked]
    line = line if _begins_with_label(line, choices) else _BULLET.sub("", line)
    if found := _corrected(line, choices) or _compared(line, choices):
        return found
    spots = _stated_in(line, choices)
    ends = [0, *(match.end() for match in SENTENCE_END.finditer(line)), len(line)]
    for start, end in pairwise(ends):
        if not any(start <= spot < end for spot, _ in spots):
            spots += [(start, evidence) for evidence in _of_sentence(line, start, end, choices)]
    if all(evidence.kind == "wrong" for _, evidence in spots):
        final = _stated_text(line, choices)
        final = _final_label(line, choices) if final is None else final
        denied = {evidence.position for _, evidence in spots}
        spots += [] if final is None or final in denied else [(len(line), Evidence("stated", final))]
    return [evidence for _, evidence in sorted(spots, key=lambda spot: spot[0])]


def _without_all_labels(line: str, choices: Choices) -> str:
    """A line without all letters in a row, which choose none: "so that I can choose between A, B, C or D"."""
    if not choices.are_letters or len(choices.options) < 3:
        return line
    *others, last = map(re.escape, choices.labels)
    joined = any_word("either", choices.language).pattern
    return re.sub(rf"\b{', ?'.join(others)},? ?(?:{joined}) ?{last}\b", "", line)


def _marked(line: str, choices: Choices) -> Evidence | None:
    """What a tick or a cross at either end of a line says about the option next to it."""
    for mark in filter(None, (_MARK.match(line), _MARK_BEHIND.search(line))):
        rest = line[mark.end() :] if mark.start() == 0 else line[: mark.start()]
        if (judged := _leading(_BULLET.sub("", rest), choices)) is not None:
            return Evidence("right" if mark["right"] else "wrong", judged.position)
    return None


def _stated_in(line: str, choices: Choices) -> list[tuple[int, Evidence]]:
    """The places where words in a line lead to a label, and what they say about it. Joined labels ("A or B") do not count."""
    spots: list[tuple[int, Evidence]] = []
    joined_until, texts = 0, _texts_with_labels(line, choices)
    for said in _statements(line, choices):
        if any(start <= said.start and said.end <= end for start, end in texts):
            continue
        if joined := joined_end(said.rest, said.position, choices):
            joined_until = len(line) - len(said.rest) + joined
        if said.end > joined_until and (evidence := _stated(said, choices)) is not None:
            spots.append((said.start, evidence))
    return spots


def _of_sentence(line: str, start: int, end: int, choices: Choices) -> list[Evidence]:
    """What a sentence says about the option at its beginning, or at the beginning of a later clause."""
    sentence = line[start:end]
    # the stop after a label at the beginning of a line does not end a sentence
    evidence = (None if start else _leading(line, choices)) or _leading(sentence, choices)
    if evidence is None or (start and evidence.kind == "bare"):
        evidence = None if evidence else _behind_comma(sentence, choices) or _of_text(sentence, choices)
        return [evidence] if evidence else []
    last = _LAST_CLAUSE.search(line, start, end) if evidence.kind == "wrong" else None
    other = _behind_comma(last[0], choices) if last else None  # "C is wrong, D is right"
    return [other, evidence] if other else [evidence]


def _of_text(sentence: str, choices: Choices) -> Evidence | None:
    """What a sentence says about the option whose text it begins with: "Bandung is the right answer, because …"."""
    language, said = choices.language, sentence.strip(TRIM)
    own = sorted(((own_text(option).casefold(), place) for place, option in enumerate(choices.options)), reverse=True)
    lead = lead_in(language).match(said)
    for words in ("", lead[0] if lead else "") if choices.are_letters else ():
        text = said[len(words) :].lstrip(OPENING)
        option, position = next((each for each in own if each[0] and text.casefold().startswith(each[0])), ("", 0))
        behind = text[len(option) :].lstrip(CLOSING)[:LONGEST_PHRASE]
        predicate = predicate_of(behind, language)
        ends = is_end(behind, language) or is_reason(behind, language)
        if option and ends and has_word(predicate, language, "answer", "left"):
            return Evidence("stated", position)
        is_short = len(CLAUSE_END.split(behind, maxsplit=1)[0]) < LONGEST_VERDICT or has_word(words, language, "option")
        clause = CLAUSE_END.split(behind, maxsplit=1)[0].rstrip(TRIM + STOPS + CLOSING)
        ends = any(words.end() == len(clause) for words in any_word("right", language).finditer(clause))
        is_whole = option and re.match(whole_word(re.escape(option)), text, re.IGNORECASE)
        judged = _of_predicate(behind, position, choices) if is_whole and is_short and ends else None
        if judged and judged.kind == "right":
            return judged
    return None


def forced_choice(text: str, choices: Choices) -> int | None:
    """The option after "if I had to choose", if no other label follows; else None."""
    language, found = choices.language, None
    for words in any_word("forced", language).finditer(text):
        begin = re.compile(r"[\s,，:：\u104a]*").match(text, words.end())
        lead = lead_in(language).match(text, begin.end() if begin else words.end())
        found = choices.patterns.named.match(text, lead.end()) if lead else None
        found = found or (choices.patterns.named.match(text, begin.end()) if begin else None)
    if found is None or is_small_letter(found["label"]):
        return None
    position = choices.position_of(found["label"])
    return position if set(choices.named_in(text, found.end())) <= {position} else None


def _texts_with_labels(line: str, choices: Choices) -> list[tuple[int, int]]:
    """The places in a line of option texts that themselves name a label: "A is right"."""
    named = [plain(option) for option in choices.options if choices.named_in(option)]
    return [match.span() for text in named for match in re.finditer(re.escape(text), line, re.IGNORECASE)]


def _row(line: str) -> str:
    """A row of a table as a line of text."""
    if not line.strip().startswith("|"):
        return line
    return " - ".join(cell.strip() for cell in line.strip().strip("|").split("|") if cell.strip(" -:"))


def _corrected(line: str, choices: Choices) -> list[Evidence]:
    """What a line says in the form "not A but C" or "C, not A"."""
    language = choices.language
    denies, but = any_word("denies", language), any_word("but", language)
    found = []
    for first, second in pairwise(choices.patterns.named.finditer(line)):
        between, clause = (
            line[first.end() : second.start()].strip(" ,"),
            any_word("so", language).split(CLAUSE_END.split(line[: first.start()])[-1][-LONGEST_PHRASE:])[-1],
        )
        turns = [turn.start() for turn in but.finditer(between) if "" in _with_and_without_lead(between[turn.end() :], language)]
        denied = any(_ends_with_denial(text, language) for text in _with_and_without_lead(clause, language))
        if turns and (0 in turns if language in DENIES_BEHIND else denied and turns[0] < _LONGEST_TURN):
            found.append(second)
        elif (
            not is_small_letter(first["label"])
            and any(map(denies.fullmatch, _with_and_without_lead(between, language)))
            and not any_word("wrong", language).search(clause)
        ):
            found.append(first)
    return [Evidence("stated", choices.position_of(label["label"])) for label in found]


def _compared(line: str, choices: Choices) -> list[Evidence]:
    """What a line says that compares two options: "B is better than C", "C is less likely than B"."""
    if not any_word("than", choices.language).search(line):
        return []
    found: list[tuple[int, int]] = []  # the option that fits better and the other one
    for sentence in SENTENCE_END.split(line):
        clauses = (
            [sentence] if len({place for _, place in _latin_labels(sentence, choices)}) < 3 else re.split(r"[,，]", sentence)
        )
        found += [pair for pair in (_better_and_other(clause, choices) for clause in clauses) if pair]
    # not of "A is better than B, but the best is C"
    return [Evidence("stated", found[-1][0])] if found and _latin_labels(line, choices)[-1][1] in found[-1] else []


def _better_and_other(clause: str, choices: Choices) -> tuple[int, int] | None:
    """The two options of a clause that compares them, the better one first."""
    language, labels = choices.language, _latin_labels(clause, choices)
    if len({place for _, place in labels}) != 2 or any_word("condition", language).search(clause) or "?" in clause:
        return None
    measures = {place for label, place in labels if _is_measure(label, language)}
    others = {place for _, place in labels} - measures
    better, less = (any_word(place, language).search(clause) for place in ("better", "less"))
    if len(measures) != 1 or not (better or less):
        return None
    if less or better is None:
        return measures.pop(), others.pop()
    denied = _ends_with_denial(clause[: better.start()], language)
    denied |= language in DENIES_BEHIND and any_word("wrong", language).search(clause, better.end()) is not None
    return None if denied else (others.pop(), measures.pop())


def _latin_labels(text: str, choices: Choices) -> list[tuple[re.Match[str], int]]:
    """The labels of a text and their positions. If it has Latin ones, only those: a Burmese letter is also a particle."""
    labels = list(choices.patterns.label.finditer(text))
    labels = [label for label in labels if label[0].isascii()] or labels
    return [(label, choices.position_of(label[0])) for label in labels]


def _is_measure(label: re.Match[str], language: str) -> bool:
    """Whether a label is the second part of a comparison: "than B", "than option B"."""
    before, behind = label.string[: label.start()].rstrip(" (\"'“"), label.string[label.end() :]
    if language in DENIES_BEHIND:
        return re.match(rf"\W{{0,3}}(?:{any_word('than', language).pattern})", behind) is not None
    option = at_end("option", before, language)
    return at_end("than", before[: option.start()].rstrip() if option else before, language) is not None


def _with_and_without_lead(text: str, language: str) -> tuple[str, str]:
    """The text with and without words at its end that lead to an answer, because they may be part of a denial."""
    ends = [words.start() for words in lead_in(language).finditer(text + " ") if words.end() >= len(text)]
    return text.strip(" ,"), text[: ends[0]].strip(" ,") if ends else text.strip(" ,")


class _Statement(NamedTuple):
    """Words that lead to an answer, the label after them, and the text around both."""

    start: int
    end: int
    lead: str
    label: str
    position: int  # of the label's option
    before: str
    behind: str
    rest: str  # what follows the text of the option, or the label if there is no text


def _statement(line: str, start: int, lead: str, label: re.Match[str], written: str, choices: Choices) -> _Statement:
    position, behind = choices.position_of(written), line[label.end() :]
    rest = _without_own_text(behind, position, choices)
    return _Statement(start, label.end(), lead, written, position, line[:start], behind, rest)


def _statements(line: str, choices: Choices) -> list[_Statement]:
    """The statements of a line. Words that lead to a label are found first, which avoids quadratic time."""
    found = [(words, choices.patterns.named.match(line, words.end())) for words in lead_in(choices.language).finditer(line)]
    return [_statement(line, words.start(), words[0], label, label["label"], choices) for words, label in found if label]


def _stated(said: _Statement, choices: Choices) -> Evidence | None:
    """What a statement says about its label: that it is the answer, or is not; None if it says neither."""
    language, lead = choices.language, said.lead
    names_option = any_word("option", language).match(lead) and not any_word("answer", language).match(lead)
    if not said.before.strip(TRIM) and said.behind[:1] in tuple(".:)") and names_option:
        # "Option B. The text says …", unless that is the text of another option
        is_own = choices.by_text(said.behind) in (None, said.position)
        return _leading(said.label + said.behind, choices) if is_own else None
    if _is_article(said, language):
        return None
    if _is_denied(said, choices):
        return Evidence("wrong", said.position)
    kind = _certainty(said, choices)
    if kind is None or not _concludes(said, choices):
        verdict = said.rest if said.rest == said.behind else said.rest.lstrip(CLOSING + ", ")
        is_right = kind and has_word(lead, language, "option") and _is_judged_right(verdict, language)
        return Evidence("right", said.position) if is_right and not _is_listed(said, choices) else None
    return Evidence(kind, said.position)


def _is_article(said: _Statement, language: str) -> bool:
    """Whether an "a" is an article and not a label. A text may also break off after an article."""
    if said.label != "a" or said.rest != said.behind or is_reason(said.behind[:LONGEST_PHRASE], language):
        return False
    breaks_off = re.search(r"\b(?:is|be|choose|pick|select|with|ti)\b[^:]*\Z", said.lead, re.IGNORECASE)
    return bool(re.match(r"\s+[a-z]", said.behind) or (breaks_off and not said.behind.strip()))


def _is_denied(said: _Statement, choices: Choices) -> bool:
    """Whether a label is denied by the words before it, or by the clause after it up to the next label."""
    language = choices.language
    clause = "" if is_reason(said.rest[:LONGEST_PHRASE], language) else CLAUSE_END.split(said.rest, maxsplit=1)[0]
    clause = any_word("yet", language).split(clause)[0]
    if other := choices.patterns.label.search(clause):
        clause = _without_denial_of_next(clause[: other.start()], language)
    # in "C is not, so A" the denial ends a clause
    results = any_word("so", language).match(said.lead) and begins_clause(said.before, language)
    should_not = _SHOULD_NOT.search(said.before[-4:] + said.lead[:6]) is not None
    return has_word(clause, language, "wrong") or should_not or (not results and _ends_with_denial(said.before, language))


def _certainty(said: _Statement, choices: Choices) -> str | None:
    """The kind "stated", or "conditional" if a label is under a condition or in brackets; None if it is asked or supposed."""
    language, condition = choices.language, any_word("condition", choices.language)
    sentence = SENTENCE_END.split(said.before)[-1]
    asks = said.behind.lstrip(CLOSING + " ").startswith("?")
    if asks or condition.search(CLAUSE_END.split(sentence)[-1][-_LONGEST_CONDITION:]):
        return None
    is_beside = said.before.rstrip().endswith(("(", "（", "[")) and has_word(said.lead, language, "option")
    # a condition applies to the first label after it, and so does "at first"
    labels = [label.end() for label in choices.patterns.label.finditer(sentence)]
    if is_supposed(sentence[labels[-1] if labels else 0 :] + said.lead, language):
        return None
    depends = condition.search(sentence[labels[-1] :]) if labels else condition.match(sentence.strip(TRIM))
    return "conditional" if depends or (is_beside and not has_word(said.lead, language, *_ANSWERS)) else "stated"


def is_supposed(text: str, language: str) -> bool:
    """Whether a text ends with a first impression ("at first it seems"), and no further clause, "but" or "so" follows."""
    thought = any_word("supposed", language).search(text)
    rest = text[thought.end() :].lstrip(" ,，") if thought else ""
    return thought is not None and not (CLAUSE_END.search(rest) or has_word(rest, language, "so", "yet"))


def _is_listed(said: _Statement, choices: Choices) -> bool:
    """Whether a text breaks off after a label, with another label before it: "Option A is … Option B is … Option C"."""
    if said.rest.strip() or has_word(said.lead, choices.language, *_ANSWERS, "so"):
        return False
    return not has_word(said.before, choices.language, "condition") and bool(choices.named_in(said.before))


def _concludes(said: _Statement, choices: Choices) -> bool:
    """Whether a statement ends after its label, or continues only with a reason or by weighing another option."""
    language, lead, behind, rest = choices.language, said.lead, said.behind, said.rest
    if _is_listed(said, choices):
        return False
    answers, option = has_word(lead, language, *_ANSWERS), has_word(lead, language, "option")
    says_end, reasons = len(rest) < LONGEST_PHRASE and is_end(rest, language), is_reason(rest[:LONGEST_PHRASE], language)
    begins = not said.before.strip(TRIM) or said.before.rstrip()[-1] in STOPS + "?-–—,"
    if (says_end or reasons) and (begins or answers or option or (says_end and has_word(lead, language, "lead", "so"))):
        return True
    if begins and has_word(lead, language, "so") and has_word(predicate_of(rest[:LONGEST_PHRASE], language), language, "answer"):
        return True  # "So no is the answer to the question whether …"
    goes_on = option or said.before.rstrip().endswith(",") or has_word(rest, language, "corrects")
    follows = begins and not goes_on and rest == behind and re.match(rf"[{re.escape(CLOSING)}]*\.\s(?!\S\.)", rest)
    turns = "?" in rest or has_word(rest, language, "yet", "unsure", *(("right",) if choices.named_in(rest) else ()))
    if follows and not turns and _is_surely_label(said.label, choices) and choices.by_text(rest) in (None, said.position):
        return True  # "I think B. The passage says …"
    weighs = re.match(rf"[,，\s]*(?:{any_word('though', language).pattern})", rest, re.IGNORECASE)
    if begins and weighs and has_word(lead, language, *_ANSWERS, "so", "lead"):
        return True  # "Probably B, although A is possible, too"
    first, subject = SENTENCE_END.split(rest, maxsplit=1)[0], SENTENCE_END.split(said.before)[-1]
    # "The more likely effect is option B. The passage says …", not "The first to check for the more likely effect is …"
    judges = option and not turns and not any_word("option", language).match(lead) and not has_word(subject, language, "wrong")
    judges = judges and has_word(CLAUSE_END.split(subject)[-1][:LONGEST_VERDICT], language, "right", "better")
    says = answers or first.strip(TRIM + STOPS + CLOSING) != "" or judges
    if says and len(first) < LONGEST_PHRASE and rest[len(first) :][:1] != "?" and is_end(first, language):
        return True
    if re.search(rf"{COLON}\s*\Z", lead) and first != rest and not first.strip():
        return True  # "Category: crime. Although …"
    if (
        not answers
        and begins
        and re.match(r"[.:,;]\s|\s[-–—]\s|[，\u3002\u104b\u17d4]", behind)
        and _is_surely_label(said.label, choices)
    ):
        # "It is clear that B. The passage says so."
        return not (
            choices.named_in(rest)
            or has_word(rest, language, "corrects", "errs", "unsure", "yet", "wrong")
            or re.match(r"\.\s\S\.", rest)
            or "?" in rest
        )
    return answers and (_BEHIND_LABEL.match(behind) is not None or rest != behind or _is_surely_label(said.label, choices))


def _without_denial_of_next(text: str, language: str) -> str:
    """The text without a denial at its end, which belongs to the following words."""
    if language in DENIES_BEHIND:
        return text
    bare = text.rstrip(" (\"'“")
    denial = at_end("denies", bare, language)
    return bare[: denial.start()] if denial else text


def _is_judged_right(text: str, language: str) -> bool:
    """Whether the first clause of a text says that something is right, without a question or a restriction."""
    clause = CLAUSE_END.split(text, maxsplit=1)[0]
    right, condition = (any_word(place, language).search(clause) for place in ("right", "condition"))
    return right is not None and condition is None and text[len(clause) : len(clause) + 1] != "?"


def _is_surely_label(written: str, choices: Choices) -> bool:
    """Whether a label cannot be another word. "A" may begin the text of an option, and lower-case letters may be words."""
    return written.isupper() and not (written == "A" and any(folded(option).startswith("a ") for option in choices.options))


def _ends_with_denial(text: str, language: str) -> bool:
    """Whether the last words of a text deny what follows: "It is not the case that", "tidak mungkin"."""
    return at_end("denies", text[-40:].rstrip(" \"'“("), language) is not None


def _leading(line: str, choices: Choices) -> Evidence | None:
    """What a line says about the label at its beginning; None if it begins with none or says nothing about it."""
    language = choices.language
    exact = choices.patterns.leading.match(line) or choices.patterns.alone.match(line)
    found = exact or choices.patterns.small.match(line)
    if found is None:
        return None
    position, behind = choices.position_of(found["label"]), line[found.end() :]
    marked = bool(found["mark"] or (found["close"] and found["close"][-1] not in ("项", "項")))
    rest = _without_own_text(behind, position, choices)
    own = rest != behind
    if own and _begins_with_label(rest, choices):
        return None  # the list of the options
    if not own and (exact is None or joined_end(line[found.end("close") :], position, choices)):
        return None
    if not choices.are_letters and re.match(r"\s*[,\u104a]", behind):
        return Evidence("bare", position)  # "No, they did not."
    reasons = is_reason(behind[:LONGEST_PHRASE], language)
    if not (marked or own or reasons or is_end(behind[:LONGEST_PHRASE], language)):
        return _of_predicate(behind, position, choices)
    if own and is_reason(rest[:LONGEST_PHRASE], language) and not predicate_of(rest[:LONGEST_PHRASE], language):
        return Evidence("bare", position)  # "B – It does not dry, because …"
    if len(rest) < LONGEST_PHRASE and is_end(rest, language):
        says_more = rest.strip(TRIM + STOPS + CLOSING) != ""
        return Evidence("stated" if says_more else "bare", position)
    judged = rest.strip(TRIM + STOPS + CLOSING + "-–—(→=>") if own else behind
    head = re.split(r"[.!?;\u3002\u104b\u17d4]\s", judged, maxsplit=1)[0]
    if other := choices.patterns.label.search(head):
        if not (marked or reasons) or (found["mark"] == "-" and behind[:1].strip()):
            return None  # it is about two options
        head = _without_denial_of_next(head[: other.start()], language)
    is_sentence = found["mark"] == "." and not choices.are_letters  # "Negative. Not one good word in it."
    return Evidence("bare" if is_sentence else _verdict(head, choices, own=own), position)


def _of_predicate(text: str, position: int, choices: Choices) -> Evidence | None:
    """What the words directly after a label say about it: "B is wrong", "B fits best"."""
    clause = CLAUSE_END.split(text, maxsplit=1)[0]
    if has_word(clause, choices.language, "wrong"):
        return Evidence("wrong", position)
    is_right = _is_judged_right(text, choices.language) and not choices.named_in(clause)
    return Evidence("right", position) if is_right else None


def _verdict(head: str, choices: Choices, *, own: bool) -> str:
    """How a sentence after a label judges it: at its beginning or end, or anywhere if the option's `own` text comes before."""
    last = [clause for clause in _VERDICT_BEGIN.split(head) if clause.strip(TRIM + STOPS + CLOSING)][-1:]
    if not (own or _is_verdict(head, choices)) and last and len(last[0]) < LONGEST_VERDICT and _is_verdict(last[0], choices):
        head = last[0]
    judges = own or _is_verdict(head, choices)
    return next((kind for kind in ("wrong", "right") if judges and has_word(head, choices.language, kind)), "bare")


def _behind_comma(sentence: str, choices: Choices) -> Evidence | None:
    """What a sentence says about a label at the beginning of a later clause: "Of these options, B is the best"."""
    sentence = sentence[: 2 * LONGEST_PHRASE]
    for comma in re.finditer(r"[,\u104a]\s*", sentence):
        clause = sentence[comma.end() :]
        if joint := re.match(rf"(?:{any_word('joined', choices.language).pattern})\s+", clause, re.IGNORECASE):
            clause = clause[joint.end() :]  # ", and C fits best"
        words = lead_in(choices.language).match(clause)
        evidence = _leading(clause[words.end() :] if words else clause, choices)
        if evidence is not None and evidence.kind in ("stated", "right"):
            depends = any_word("condition", choices.language).search(sentence[: comma.start()])
            return evidence._replace(kind="conditional") if depends else evidence
    return None


def _stated_text(line: str, choices: Choices) -> int | None:
    """The option whose text is stated as the answer without its label."""
    statements = statement_spans(line, choices.language, "left")
    if not statements:
        return None
    start, end = statements[-1]
    said, words = folded(line[start:]), len(folded(line[start:end])) + 4
    # the first word of an option may also be one that leads to an answer: "ang"
    own = [folded(option) for option in choices.options]
    found = [
        (len(text), position, place.end())
        for position, text in enumerate(own)
        if text and (place := re.search(whole_word(re.escape(text)), said)) and place.start() <= words
    ]
    if not found:
        return None
    _, position, behind = max(found)
    others = (text for text in own if text and text not in own[position])
    return None if any(text in said[behind:] for text in others) else position


def _is_verdict(text: str, choices: Choices) -> bool:
    """Whether a text is short and begins with a word that judges."""
    text = text.strip(TRIM + STOPS + "-–—(")
    language = choices.language
    return (
        len(text) <= 120
        and bool(any_word("wrong", language).match(text) or any_word("right", language).match(text))
        and not any(folded(option).startswith(folded(text)) for option in choices.options)
    )


def _final_label(line: str, choices: Choices) -> int | None:
    """The only label of a line that ends with it or with words that choose it: "What fits best is B.", "So B I choose"."""
    language, sentence = choices.language, ([each for each in SENTENCE_END.split(line) if each.strip(TRIM)] or [""])[-1]
    texts, named = _texts_with_labels(sentence, choices), choices.patterns.label.finditer(sentence)
    labels = [label for label in named if not any(start <= label.start() < end for start, end in texts)]
    if len(labels) != 1:
        return None
    found = _statements(sentence, choices)
    behind = sentence[labels[0].end() :]
    # "Because it rained, B is right."
    if not found and (
        has_word(behind, language, "answer") or (has_word(behind, language, "right") and is_reason(sentence, language))
    ):
        found = [_statement(sentence, labels[0].start(), "", labels[0], labels[0][0], choices)]
    if not found or is_small_letter(found[-1].label):
        return None
    said = found[-1]
    if len(said.rest) >= LONGEST_PHRASE or not is_end(said.rest, language):
        return None
    denied = has_word(_QUOTED_DENIAL.sub("", said.before), language, "wrong", "condition")
    return None if denied or has_word(said.lead, language, "option") else said.position


def _without_own_text(rest: str, position: int, choices: Choices) -> str:
    """`rest`, the text after a label, without the option's own text at its beginning, perhaps after "that is"."""
    trimmed = rest.lstrip(OPENING + CLOSING + STOPS + " -–—")
    own = own_text(choices.options[position])
    words = lead_in(choices.language).match(trimmed)
    for text in (trimmed, trimmed[words.end() :].lstrip(OPENING) if words else ""):
        if own and text.casefold().startswith(own.casefold()):
            return text[len(own) :]
        if len(text) > _FEW_LETTERS and own.casefold().startswith(text.casefold()):
            return ""  # it breaks off
    return rest


def joined_end(rest: str, position: int, choices: Choices) -> int:
    """The end of another option's label in `rest` that is joined to the label before `rest`; 0 if there is none.

    "Or", "and", a comma or a slash join labels; if labels are words, so does a space.
    """
    joined = _joined(rest, 0, choices)
    return joined.end() if joined is not None and choices.position_of(joined["label"]) != position else 0


def _joined(text: str, start: int, choices: Choices) -> re.Match[str] | None:
    """The label after a joint such as "or", perhaps with words such as "option" between them."""
    joint = choices.patterns.joint.match(text, start)
    if joint is None:
        return None
    words = lead_in(choices.language).match(text, joint.end())
    label = choices.patterns.other
    return (words and label.match(text, words.end())) or label.match(text, joint.end())


def _begins_with_label(line: str, choices: Choices) -> bool:
    found = choices.patterns.leading.match(line)
    return found is not None and (found["mark"] in tuple(".:)") or line[found.end() :].strip() == "")
