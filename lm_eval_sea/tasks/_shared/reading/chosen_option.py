"""Reading which option a chat model chose from an answer of any length. Pure functions, no I/O.

The text may reason, list the options, judge them one by one, correct itself. What counts, in this order:

1. what is framed, by JSON, a LaTeX box or an element of XML, or stands behind the answer tag of the prompt: the last of these;
2. the last statement of the answer: "so the answer is B", "not A but C", "I choose (B)", with a letter or an option's text;
3. the only option that is judged right: "B. …: correct";
4. the only option that stands alone on a line, with or without its text, or the first line where a reason follows it;
5. the text of one option, alone or on the first line;
6. of labels that are words, the only one that the first or the last sentence names;
7. the only option whose text stands with its letter, or whose text is named at all and not denied.

Before that, words that count the options ("the second option") become letters, and another question that the model makes up and
answers is cut off. A correction behind a framed answer takes its place.

What none of these reads is no answer: it is never guessed.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from .answer_patterns import WORD, is_end, is_reason
from .answer_phrases import ANSWER_TAGS, WRITTEN_TOGETHER
from .answer_text import COLON, STOPS, STOPS_OF_SCRIPTS, TRIM, plain
from .conclusions import (
    any_word,
    begins_clause,
    counted_options,
    lead_in,
    question_line,
    tag_pattern,
    tag_spans,
    without_another_question,
)
from .frames import last_frame, unfenced, without_emphasis, without_latex
from .option_evidence import (
    CLAUSE_END,
    DENIES_BEHIND,
    LONGEST_PHRASE,
    LONGEST_VERDICT,
    SENTENCE_END,
    by_text,
    evidence_of,
    joined_end,
    own_text,
)
from .option_labels import CLOSING, OPENING, Choices, are_letters, folded, patterns, position_of
from .refusal import is_refusal


if TYPE_CHECKING:
    from collections.abc import Sequence


# Of longer answers the lines at the beginning and at the end are read, and of longer lines their two ends.
_MOST_LINES, _LONGEST_END = 150, 2_000
_SHORTEST_TEXT, _FEW_CHARACTERS, _LONGEST_JOINT, _SHORT_LINE = 2, 6, 20, 100
# Small pictures, but not those that judge.
_PICTURE = re.compile("[\U0001f000-\U0001faff\u2600-\u26ff\u2728\u2764\ufe0f]+")
_PLACEHOLDERS = {"answer", "answers", "letter", "option", "x", "...", "…", "[answer]"}


def read_choice(answer: str, choices: Choices, *, finished: bool | None = None) -> int | None:
    """Position of the chosen option, or None where the answer cannot be read.

    Args:
        answer: what the model wrote, without its thought.
        choices: what the prompt offered.
        finished: whether the model ended the answer; None where that is not known. In one that the limit of tokens cut, only what
            it begins with and what it states count: other options may have followed.
    """
    frame = last_frame(answer, choices.tags, choices.language)
    if frame is not None and (found := _framed(frame, choices)) is not None:
        return found
    text = plain(without_emphasis(without_latex(unfenced(answer))))
    whole = _PICTURE.sub("", text)
    text = without_another_question(whole, (*choices.tags, *ANSWER_TAGS), choices.language)
    is_cut = finished is False and text == whole
    text = _above_another_question(_without_list(_with_labels(text, choices), choices), choices)
    tagged = tag_spans(text, choices.tags)
    behind = text[tagged[-1][1] :] if tagged else None
    if _differ(text, choices):
        return None
    if behind is not None:
        lines = [line for line in behind.splitlines() if line.strip(TRIM)] or [""]
        echoes = lines[0].strip(TRIM + STOPS).casefold() in _PLACEHOLDERS
        line = lines[1] if echoes and len(lines) > 1 else lines[0]
        if (found := _framed(line, choices)) is not None:
            return _taken_back(line, behind.partition(line)[2], choices, found)
        if (named := patterns(choices).named.match(line)) and joined_end(
            line[named.end() :], position_of(named["label"], choices), choices
        ):
            return None  # "A or B"
        if echoes:
            text = text[: len(text) - len(behind)]
    found = _concluded(text, choices, declines=is_refusal(answer, choices.language), is_cut=is_cut)
    sentences = _sentences([text])
    if len(sentences) > 1 and (is_refusal(sentences[-1], choices.language) or _leaves_open(text, sentences, choices)):
        return None  # "… so C, but E is right, too. I cannot choose one."
    return _in_bold(answer, choices) if found is None and not is_cut else found


def _leaves_open(text: str, sentences: Sequence[str], choices: Choices) -> bool:
    """Whether a text ends with a question behind "either A or B may be right", or says that one cannot tell.

    The latter counts where it names several options and states none.
    """
    language = choices.language
    asks = text.rstrip(TRIM)[-1:] in ("?", "？") and any_word("speaks", language).search(sentences[-1])
    right, wrong = (any_word(place, language) for place in ("right", "wrong"))
    weighed = [each[: 2 * LONGEST_PHRASE] for each in sentences[1:-1] if asks and right.search(each) and not wrong.search(each)]
    if any(
        joined_end(sentence[label.end() :], position_of(label["label"], choices), choices)
        for sentence in weighed
        for label in patterns(choices).named.finditer(sentence)
    ):
        return True
    if not any_word("undecided", language).search(sentences[-1]) or any_word("answer", language).search(text):
        return False
    return len({position_of(label[0], choices) for label in patterns(choices).label.finditer(text)}) > 1


def _above_another_question(text: str, choices: Choices) -> str:
    """What stands above a question that the model made up, where it is an answer; else the text.

    Either it is nothing but an answer, or the question has options of its own.
    """
    asked = question_line(choices.language).search(text)
    above = text[: asked.start()].strip() if asked else ""
    if not asked or not above:
        return text
    if "\n" not in above and (patterns(choices).alone.match(above) or by_text(above, choices) is not None):
        return above
    if (
        not are_letters(choices)
        and read_choice(above, choices) is not None
        and _is_answered_again(text[asked.start() :], choices)
    ):
        return above
    posed = _listed_options(text[asked.end() :], choices)
    is_other = len(posed) > 1 and not posed.issuperset(map(folded, choices.options))
    return above if is_other and read_choice(above, choices) is not None else text


def _is_answered_again(text: str, choices: Choices) -> bool:
    """Whether a line of a text is a label of its own and one of the labels that are words: "Category: sports"."""
    lines = (re.match(rf"[^\n:：]{{2,30}}?{COLON}", line) for line in text.splitlines())
    return any(line and by_text(line.string[line.end() :], choices) is not None for line in lines)


def _listed_options(text: str, choices: Choices) -> set[str]:
    """The texts behind letters that begin lines; none of choices that are words."""
    items = [(patterns(choices).small.match(line), line) for line in text.splitlines()] if are_letters(choices) else []
    return {folded(line[label.end() :]) for label, line in items if label}


def _in_bold(answer: str, choices: Choices) -> int | None:
    """The only option that is in bold type, its label or its text, where nothing denies it: "Hence **C**", in any language."""
    named: set[int] = set()
    for span in re.finditer(r"\*\*([^*\n]{1,80})\*\*", answer[-10 * LONGEST_PHRASE :]):
        text = plain(span[1])
        alone = patterns(choices).alone.match(text)
        position = position_of(alone["label"], choices) if alone else by_text(text, choices)
        if position is None:
            continue
        before = "".join(span.string[: span.start()].splitlines()[-1:])
        so = [
            match
            for match in any_word("so", choices.language).finditer(before)
            if begins_clause(before[: match.start()], choices.language)
        ]
        begin = so[-1].end() if so else 0
        if any_word("wrong", choices.language).search(before[begin:][-LONGEST_VERDICT:]):
            return None
        named.add(position)
    return named.pop() if len(named) == 1 else None


def _with_labels(text: str, choices: Choices) -> str:
    """The text with letters in the places of words and digits that count the options: "option B" for "the second option"."""
    if not are_letters(choices) or any(label.isdigit() for label in choices.labels):
        return text
    numbers = {number for option in choices.options for number in re.findall(r"\d+", option)}

    def lettered(found: re.Match[str]) -> str:
        name, written = next((name, written) for name, written in found.groupdict().items() if written)
        position = int(name[1]) - 1
        if position >= len(choices.labels) or written in numbers:
            return found[0]
        noun = any_word("option", choices.language).search(found[0])
        return f"{noun[0] if noun else found[0].replace(written, '', 1).strip()} {choices.labels[position]}"

    return counted_options(choices.language).sub(lettered, text)


def _differ(text: str, choices: Choices) -> bool:
    """Whether one line has answer tags with different labels, and nothing else between them: "Answer: B Answer: C"."""
    tags = "|".join(map(tag_pattern, choices.tags)) or "(?!)"
    label = patterns(choices).named.pattern
    pairs = re.finditer(
        rf"(?:{tags})[^\S\n]*{label}[^\S\n]*(?=(?:{tags})[^\S\n]*{label.replace('P<label>', 'P<other>')})", text, re.IGNORECASE
    )
    return any(position_of(pair["label"], choices) != position_of(pair["other"], choices) for pair in pairs)


def _taken_back(line: str, rest: str, choices: Choices, found: int) -> int:
    """The option that the text behind an answer, on its line or below, puts in its place: "Correction: … so it is A".

    The answer itself where nothing takes it back.
    """
    corrects = any_word("corrects", choices.language)
    turns = [turn.end() for turn in corrects.finditer(line) if begins_clause(line[: turn.start()], choices.language)]
    turns += [len(line) + turn.end() for turn in corrects.finditer(rest)]
    corrected = _concluded((line + rest)[turns[0] :], choices, declines=False, is_cut=False) if turns else None
    return found if corrected is None else corrected


def _without_list(text: str, choices: Choices) -> str:
    """The text without lists of all options on one line, which repeat the question: "A. Yes B. No"."""
    own, folded = [own_text(option) for option in choices.options], text.casefold()
    # the pattern is another for each row, and few answers need it
    if not are_letters(choices) or not all(option and option.casefold() in folded for option in own):
        return text
    forms = patterns(choices).forms
    # few characters in a row, so that the time does not grow with their number squared
    blanks, opening = r"[^\S\n]{0,4}", rf"[{re.escape(OPENING)}]{{0,4}}"
    item = "|".join(
        rf"{opening}(?:{'|'.join(re.escape(form) for form, place in forms.items() if place == position)})"
        rf"[{re.escape(CLOSING)}.:\uff1a]{{0,4}}{blanks}{opening}{re.escape(option)}[{re.escape(CLOSING + STOPS)}]{{0,4}}"
        for position, option in enumerate(own)
    )
    others = rf"(?:{blanks}[,;/|]?{blanks}(?:{item})){{{len(own) - 1}}}"
    return re.sub(rf"(?<![{WORD}])(?:{item}){others}", "\n", text, flags=re.IGNORECASE)


def _framed(text: str, choices: Choices) -> int | None:
    """The option that a short text names which is the answer by its place."""
    line = next((line for line in plain(without_emphasis(without_latex(text))).splitlines() if line.strip(TRIM)), "")
    if len(folded(line)) > 1 and (position := by_text(line, choices)) is not None:
        return position
    counts = re.fullmatch(r"[1-9]", line.strip(TRIM + STOPS + CLOSING + OPENING))
    if counts and are_letters(choices) and not any(re.search(r"\d", each) for each in (*choices.labels, *choices.options)):
        return int(counts[0]) - 1 if int(counts[0]) <= len(choices.labels) else None
    numbers = [re.match(r"\d+(?:[.,]\d+)*", folded(option)) for option in choices.options]
    same = [position for position, number in enumerate(numbers) if number and number[0] == folded(line)]
    if same and are_letters(choices):
        return same[0] if len(same) == 1 else None  # without the unit of the option
    evidence = evidence_of(line, choices)
    for kind in ("stated", "conditional", "right", "bare"):
        if named := [found.position for found in evidence if found.kind == kind]:
            return named[-1] if len(set(named)) == 1 or kind == "stated" else None
    return by_text(line, choices)


def _concluded(text: str, choices: Choices, *, declines: bool, is_cut: bool) -> int | None:
    """The option that a text concludes with.

    Where it begins with a refusal only a statement counts: "I cannot" names none. Where it was cut its first line counts, too.
    """
    ends = [[line[:_LONGEST_END], line[-_LONGEST_END:]] if len(line) > 2 * _LONGEST_END else [line] for line in text.splitlines()]
    lines = [line for own in ends for line in own if line.strip(TRIM)]
    lines = lines[:_MOST_LINES] + lines[_MOST_LINES:][-_MOST_LINES:]
    if len(lines) == 1 and len(folded(lines[0])) > 1 and (position := by_text(lines[0], choices)) is not None:
        return position
    found = [(number, evidence) for number, line in enumerate(lines) for evidence in evidence_of(line, choices)]
    if stated := [evidence.position for _, evidence in found if evidence.kind == "stated"]:
        # one that states option after option, until it is cut, does not choose
        return None if is_cut and len(set(stated)) > 2 else stated[-1]
    if declines:
        return None
    if is_cut:
        begins = [evidence.position for number, evidence in found if evidence.kind == "bare" and number == 0]
        is_listed = len({evidence.position for _, evidence in found}) > 1
        return (begins[0] if begins and not is_listed else by_text(lines[0], choices)) if lines else None
    if conditional := {evidence.position for _, evidence in found if evidence.kind == "conditional"}:
        conditional |= _conditional(lines, choices)
        return conditional.pop() if len(conditional) == 1 else None
    wrong = {evidence.position for _, evidence in found if evidence.kind == "wrong"}
    if lines and (concluded := _text_behind_so(lines[-1], choices)) is not None and concluded not in wrong:
        return concluded
    right = {evidence.position for _, evidence in found if evidence.kind == "right"} - wrong
    if len(right) == 1:
        return right.pop()
    bare = [(number, evidence.position) for number, evidence in found if evidence.kind == "bare"]
    listed = {position for _, position in bare}
    if right:
        return None
    # the only one that is not denied
    named = {position_of(label[0], choices) for line in lines for label in patterns(choices).label.finditer(line)}
    left = (listed or named) - wrong
    if len(left) == 1 and len(choices.options) > 2 and len(left | wrong) == len(choices.options):
        return left.pop()
    if len(listed) == 1 and not listed & wrong:
        number, position = bare[0]
        if number and not position and _lists(lines[number - 1], lines[number], choices):
            return None
        return position if number == 0 or bare[-1][0] == len(lines) - 1 or len(lines) <= 3 else None
    if len(listed) > 1:
        judged = [(number, evidence.position) for number, evidence in found if evidence.kind in ("bare", "wrong")]
        if bare[0][0] == 0 and judged[0] == bare[0] and _judges_others(lines, judged, choices):
            return bare[0][1]
        # the options again, and behind them one of them
        last_number, last = bare[-1]
        repeated = [position for _, position in bare].count(last) > 1
        return last if repeated and last_number == len(lines) - 1 and last not in wrong else None
    position = _of_texts(lines, choices) if lines else None
    if position is None and are_letters(choices):
        position = _only_pair(lines, choices)
    if position is None and lines:
        if are_letters(choices) and _is_whole(lines, choices.language):
            position = _text_beside_letters(lines, wrong, choices)
        elif not _has_denial(choices):  # a text that breaks off may state an option all the same
            position = _text_behind_copula(lines, choices)
    return None if position in wrong else position


def _judges_others(lines: Sequence[str], judged: Sequence[tuple[int, int]], choices: Choices) -> bool:
    """Whether something is said of every other option below the one that an answer begins with: "C. …", and then A, B and D.

    `judged` are the lines and positions of the options.
    """
    positions = [position for _, position in judged]
    says_more = all(_says_more(lines[number], position, choices) for number, position in judged[1:])
    return len(judged) > 2 and says_more and positions != sorted(positions) == list(range(len(choices.options)))


def _lists(before: str, line: str, choices: Choices) -> bool:
    """Whether a line about the first option begins a list that breaks off: below the question, or below "each option:"."""
    before = before.rstrip(TRIM)
    heads = re.search(rf"(?:{any_word('option', choices.language).pattern})\s*{COLON}\Z", before, re.IGNORECASE)
    names = any(any_word(place, choices.language).search(before) for place in ("answer", "right"))
    is_list = heads and heads.start() > _LONGEST_JOINT and not names and _says_more(line, 0, choices)
    return before.endswith("?") or bool(is_list)


def _says_more(line: str, position: int, choices: Choices) -> bool:
    """Whether a line has words beside the label and the text of an option."""
    return len(folded(line)) > len(folded(choices.options[position])) + _FEW_CHARACTERS


def _text_behind_so(line: str, choices: Choices) -> int | None:
    """The only option whose text follows the last "so" or "that leaves" of a line, which denies nothing behind it."""
    language = choices.language
    ends = [match.end() for place in ("so", "left", "but") for match in any_word(place, language).finditer(line)]
    rest = line[max(ends) :] if ends else ""
    named = _texts_in(rest, choices)
    end = named[0][0].end() if named else 0
    clause = CLAUSE_END.search(rest, end)
    if clause and any_word("wrong", language).match(rest, clause.end()):
        rest = rest[: clause.start()]  # what denies the others is not asked
    if any(any_word(place, language).search(rest) for place in ("wrong", "condition")) or "?" in rest:
        return None
    named = [(spot, position) for spot, position in named if spot.end() <= len(rest)]
    return named[0][1] if len({position for _, position in named}) == 1 and named[0][0].start() < LONGEST_VERDICT else None


def _conditional(lines: Sequence[str], choices: Choices) -> set[int]:
    """The options whose labels stand in sentences with a condition."""
    condition, label = any_word("condition", choices.language), patterns(choices).label
    sentences = filter(condition.search, _sentences(lines))
    return {position_of(found[0], choices) for sentence in sentences for found in label.finditer(sentence)}


def _only_pair(lines: Sequence[str], choices: Choices) -> int | None:
    """The only option whose text and letter stand together, "Bandung (A)", or whose letter stands alone behind a colon."""
    found = set()
    option = any_word("option", choices.language).pattern
    for position, (label, text) in enumerate(zip(choices.labels, choices.options, strict=True)):
        own = own_text(text)
        pair = rf"{_any_text(own)}[{re.escape(CLOSING)}]?\s*[(（\[]\s*(?:(?:{option})\s*)?{re.escape(label)}\s*[)）\]]"
        headed = rf"\A[^\W\d]\S{{1,20}}\s*{COLON}\s*{re.escape(label)}(?=[.。]|\s*\Z)"
        if own and any(re.search(pair, line, re.IGNORECASE) or re.search(headed, line) for line in lines):
            found.add(position)
    return found.pop() if len(found) == 1 else None


def _is_whole(lines: Sequence[str], language: str) -> bool:
    """Whether a text does not break off: its last line ends with a stop, as those above it do, or is short, or has no stops."""
    *above, last = [line.rstrip(TRIM + CLOSING)[-1:] for line in lines] or [""]
    stops = any(end in STOPS_OF_SCRIPTS for end in above)
    return language in ("th", "lo") or (len(lines[-1]) < _SHORT_LINE and not stops) or last in STOPS + "?"


def _of_texts(lines: Sequence[str], choices: Choices) -> int | None:
    """The option whose text the lines or the first of them are, or that alone the first or the last sentence names."""
    if (position := by_text(" ".join(lines), choices)) is not None:
        return position
    texts = [by_text(line, choices) for line in lines]
    if texts[0] is not None and not any(text not in (None, texts[0]) for text in texts):
        return texts[0]
    if are_letters(choices) or _has_denial(choices):
        # "not" in a sentence is no label, but alone behind a question it is
        _, asked, answered = " ".join(lines).rpartition("?")
        return by_text(answered, choices) if asked and not are_letters(choices) else None
    sentences = _sentences(lines)
    if not sentences:
        return None  # nothing but stops
    if any_word("condition", choices.language).match(sentences[-1].strip(TRIM)) and len(_conditional(lines, choices)) > 1:
        return None  # "if he is a farmer, it is entailment; if not, it is neutral"
    so = any_word("so", choices.language)
    results = [each for each in sentences if (word := so.search(each)) and begins_clause(each[: word.start()], choices.language)]
    if results and (position := _only_text_named(results[-1:], choices)) is not None:
        return position
    found = [(_only_text_named([sentence], choices), sentence) for sentence in (sentences[0], sentences[-1])]
    named = {position for position, _ in found if position is not None}
    turns = [any_word("yet", choices.language).search(sentence) is not None for sentence in sentences]
    if len(named) > 1 and any(turns[:-1]) and not turns[-1]:
        return found[-1][0]  # "it looks true, but …. Verdict: false."
    if len(named) > 1:  # the one of the sentence that says what it names
        says = any_word("lead", choices.language)
        named = {position for position, sentence in found if position is not None and says.search(sentence)}
    return named.pop() if len(named) == 1 else None


def _sentences(lines: Sequence[str]) -> list[str]:
    return [sentence for line in lines for sentence in SENTENCE_END.split(line) if sentence.strip(TRIM)]


def _has_denial(choices: Choices) -> bool:
    """Whether one of the labels is a word that denies: "no"."""
    return any(any_word("denies", choices.language).fullmatch(label) for label in choices.labels)


def _only_text_named(lines: Sequence[str], choices: Choices) -> int | None:
    """The only option whose text the lines name and do not deny: "not Surabaya but Bandung"."""
    language = choices.language
    if are_letters(choices) and not all(_is_wordy(option, _SHORTEST_TEXT) for option in choices.options):
        return None
    named: set[int] = set()
    denied: set[int] = set()
    for sentence in map(str.casefold, _sentences(lines)):
        spots = _texts_in(sentence, choices)
        ends = [0, *(spot.end() for spot, _ in spots)]
        starts = [*(spot.start() for spot, _ in spots[1:]), len(sentence)]
        was_denied = False
        for (spot, position), end, start in zip(spots, ends, starts, strict=False):
            before, behind = sentence[end : spot.start()], sentence[spot.end() : start]
            clause = CLAUSE_END.split(before)[-1]
            joined = not are_letters(choices) and joined_end(sentence[spot.end() :], position, choices)
            if any_word("condition", language).search(clause) or "?" in behind or (joined and not was_denied):
                return None
            joins = end and len(before) < _LONGEST_JOINT and not re.search(r"[-–—→:]", before)
            turns = any_word("but", language).search(before) or (not are_letters(choices) and lead_in(language).search(before))
            follows = was_denied and joins and not turns
            was_denied = bool(follows) or _is_denied(clause, behind, language, last=start == len(sentence))
            (denied if was_denied else named).add(position)
    left = named - denied
    return left.pop() if len(left) == 1 else None


def _text_beside_letters(lines: Sequence[str], wrong: set[int], choices: Choices) -> int | None:
    """The only option whose text is named, or what "is" leads to, where the letters in the text do not contradict it.

    `wrong` are the options that were judged wrong.
    """
    denies = any_word("wrong", choices.language)
    named = [(re.findall(r"\b[A-Z]\b", sentence), denies.search(sentence) is not None) for sentence in _sentences(lines)]
    letters = [(choices.labels.index(letter), denied) for each, denied in named for letter in each if letter in choices.labels]
    position = _only_text_named(lines, choices)
    if position is not None and ({other for other, _ in letters} - {position} <= wrong or letters[-1][0] == position):
        return position
    position = _text_behind_copula(lines, choices)
    return position if {other for other, denied in letters if not denied} <= {position} else None


def _text_behind_copula(lines: Sequence[str], choices: Choices) -> int | None:
    """The option that "is" leads to in the first or the last sentence, with only a stop or a reason behind it: "It is copper".

    None where another sentence says the same of another option.
    """
    language = choices.language
    # a short word of Latin letters may be another word
    shortest = _SHORTEST_TEXT + (choices.language not in WRITTEN_TOGETHER)
    if are_letters(choices) and not all(_is_wordy(option, shortest) for option in choices.options):
        return None
    sentences = [sentence.casefold() for sentence in _sentences(lines)]
    stated: list[tuple[int, int]] = []  # the number of the sentence, the position of the option
    for number, sentence in enumerate(sentences):
        if len(sentence) > 2 * LONGEST_PHRASE or "?" in sentence or any_word("condition", language).search(sentence):
            continue
        leads = [lead.end() for lead in lead_in(language).finditer(sentence)]
        spots = _texts_in(sentence, choices)
        ends = [-LONGEST_PHRASE, *(spot.end() for spot, _ in spots)]
        for (spot, position), end in zip(spots if are_letters(choices) else spots[:1], ends, strict=False):
            if spot.start() - end < _LONGEST_JOINT:
                continue  # "neutral or negative"
            before, behind = sentence[: spot.start()].rstrip(TRIM + OPENING), sentence[spot.end() :].lstrip(TRIM + CLOSING)
            behind = behind[:LONGEST_PHRASE]
            turns = not are_letters(choices) and any_word("yet", language).match(behind)
            denied = any_word("wrong", language).search(CLAUSE_END.split(before)[-1])
            is_led = any(len(before) <= end <= spot.start() for end in leads)
            is_led |= language in DENIES_BEHIND and behind.strip(TRIM + STOPS) != ""  # "is" stands behind it
            if is_led and not denied and (turns or is_end(behind, language) or is_reason(behind, language)):
                stated.append((number, position))
    numbers, positions = {number for number, _ in stated}, {position for _, position in stated}
    return positions.pop() if len(positions) == 1 and numbers & {0, len(sentences) - 1} else None


def _is_wordy(text: str, length: int) -> bool:
    """Whether a text has a letter, and so many characters."""
    own = own_text(text)
    return len(own) >= length and re.search(r"[^\W\d]", own) is not None


def _texts_in(text: str, choices: Choices) -> list[tuple[re.Match[str], int]]:
    """Where a text has that of an option, or a label that is a word, and the position of the option; longer texts go first.

    Single characters but digits are left out, and all where options have the same text.
    """
    if not are_letters(choices):
        return [(spot, position_of(spot[0], choices)) for spot in patterns(choices).label.finditer(text)]
    pattern, positions = _any_option(choices.options)
    return [(spot, positions[(spot.lastindex or 1) - 1]) for spot in pattern.finditer(text)]


@lru_cache(maxsize=16)  # an answer is looked at sentence by sentence
def _any_option(options: tuple[str, ...]) -> tuple[re.Pattern[str], list[int]]:
    """The pattern of any of the texts, a group for each, and the position of the option of each group."""
    own = {own_text(option).casefold(): position for position, option in enumerate(options)}
    texts = sorted((text for text in own if len(text) >= _SHORTEST_TEXT or text.isdecimal()), key=len, reverse=True)
    if len(own) < len(options):
        texts = []
    pattern = "|".join(f"({_any_text(text)})" for text in texts) or r"(?!)"
    return re.compile(pattern, re.IGNORECASE), [own[text] for text in texts]


def _any_text(text: str) -> str:
    """A text as whole words, where its script has blanks between words. A number may have none before the word it counts."""
    if text.isdecimal():
        return rf"(?<![A-Za-z\d])(?<!\d[.,]){text}(?![A-Za-z\d]|[.,]\d)"
    written = re.sub(r"(?<=\d)(?=[^\W\d_])", r"\\s?", re.escape(text))
    return rf"(?<![{WORD}]){written}(?![{WORD}])" if re.fullmatch(r"[\u0000-\u024f\u1e00-\u1eff]+", text) else written


def _is_denied(before: str, behind: str, language: str, *, last: bool) -> bool:
    """Whether the words close to the text of an option deny it.

    Args:
        before: the clause up to it.
        behind: what follows it, up to the next one or to the end of the sentence.
        language: of the answer.
        last: whether no other one follows it.
    """
    wrong = any_word("wrong", language)
    if language in DENIES_BEHIND and wrong.search(CLAUSE_END.split(behind.lstrip(" ,"), maxsplit=1)[0]):
        return True
    if any_word("wrong", "en" if language in DENIES_BEHIND else language).search(before[-LONGEST_VERDICT:]):
        return True
    # the last words before the next option may deny that one
    verdict = behind[:LONGEST_VERDICT].lstrip(CLOSING + STOPS + " -–—=→:(")
    return wrong.match(verdict) is not None and (last or len(behind) > _LONGEST_JOINT)
