"""Reading which option a chat model chose from an answer of any length. Pure functions, no I/O.

The text may reason, list the options, judge them one by one, correct itself. What counts, in this order:

1. an answer that the text frames: JSON, a LaTeX box, a tag of XML, the last answer tag of the prompt;
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
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from .answer_patterns import WORD, is_end, is_reason
from .answer_text import COLON, STOPS, plain, words_of_cue
from .conclusions import (
    any_word,
    counted_options,
    lead_in,
    statement_spans,
    tag_pattern,
    without_another_question,
)
from .frames import boxed, json_answer, tagged, unfenced, without_emphasis, without_latex
from .option_labels import CLOSING, OPENING, Choices, are_letters, folded, is_small_letter, patterns, position_of
from .refusal import is_refusal


if TYPE_CHECKING:
    from collections.abc import Sequence


_TRIM = " \t_`\"'“”‘’«»「」*<>[]{}|"
_BULLET = re.compile(r"\A\s*(?:[-•●▪‣–—*+]|\d{1,2}[.)](?=\s+\S)|[→⇒✓✔✅✗✘❌☑✖])\s+")
_BEHIND_LABEL = re.compile(
    rf"\s*[{re.escape(CLOSING)}*]*(?:[.:,;)!?\u3002\uff1a\uff0c\u3001\u104a\u104b\u17d4\u17d6\]]|[-–—]|\(|\Z)"
)
# The end of a sentence, or of a clause; not the stop of a number or of the label that begins a line.
_SENTENCE_END = re.compile(r"(?<!^\w)(?<!\s\w)(?<!\(\w)(?:[.!?](?=\s)|;|[\u3002\uff1b\u104b\u17d4])\s*|(?:(?<=ครับ)|(?<=ค่ะ))\s+")
_CLAUSE_END = re.compile(r"[.!?;\u3002\uff1b\u104b\u17d4](?:\s|$)|[\u3002\u104b\u17d4]|[,،]\s|[，,]|\n")
# Of longer answers the lines at the beginning and at the end are read.
_MOST_LINES = 150
# Of longer text behind a label it is not asked whether it is a phrase that may stand there.
_LONGEST_PHRASE = 300
# What a verdict stands behind at the end of what is said of an option: "the road was fine, so wrong", "… → wrong", "… (wrong)".
_VERDICT_BEGIN = re.compile(r"[,，]\s*|\s[-–—→⇒]+\s|[(（]|[.\u3002\u104b\u17d4]\s*")
_LONGEST_VERDICT, _LONGEST_CONDITION = 30, 60
# Small pictures, but not those that judge.
_PICTURE = re.compile("[\U0001f000-\U0001faff\u2600-\u26ff\u2728\u2764\ufe0f]+")
_MARK = re.compile(r"\A\s*(?:(?P<right>[✓✔✅☑])|(?P<wrong>[✗✘❌✖×]))\s*")
_MARK_BEHIND = re.compile(r"\s(?:(?P<right>[✓✔✅☑])|(?P<wrong>[✗✘❌✖×]))\s*\Z")
# Particles that end a sentence in Thai, which has no stop.
_POLITE_END = re.compile(r"\s?(?:ครับ|ค่ะ)(?:\s|\Z)")
_SHORTEST_TEXT, _LONGEST_JOINT, _LONGEST_TURN, _SHORT_LINE = 2, 20, 40, 100
# Languages whose denial stands behind what it denies.
_DENIES_BEHIND = frozenset({"my", "ta"})
_PLACEHOLDERS = {"answer", "answers", "letter", "option", "x", "...", "…", "[answer]"}


def read_choice(answer: str, choices: Choices) -> int | None:
    """Position of the chosen option, or None where the answer cannot be read.

    Args:
        answer: what the model wrote, without its thought.
        choices: what the prompt offered.
    """
    names = tuple(map(words_of_cue, choices.tags))
    if (value := json_answer(answer, names)) is not None:
        return _framed(value, choices)
    for frame in (boxed(answer), tagged(answer, names)):
        if frame is not None and (found := _framed(frame, choices)) is not None:
            return found
    text = plain(without_emphasis(without_latex(unfenced(answer))))
    text = without_another_question(_PICTURE.sub("", text), choices.tags, choices.language)
    text = _first_answer(_without_list(_with_labels(text, choices), choices), choices)
    behind = _behind_last_tag(text, choices.tags)
    if _differ(text, choices):
        return None
    if behind is not None:
        lines = [line for line in behind.splitlines() if line.strip(_TRIM)] or [""]
        echoes = lines[0].strip(_TRIM + STOPS).casefold() in _PLACEHOLDERS
        line = lines[1] if echoes and len(lines) > 1 else lines[0]
        if (found := _framed(line, choices)) is not None:
            return _taken_back(behind.partition(line)[2], choices, found)
        if (named := patterns(choices).named.match(line)) and _joined_end(
            line[named.end() :], position_of(named["label"], choices), choices
        ):
            return None  # "A or B"
        if echoes:
            text = text[: len(text) - len(behind)]
    found = _concluded(text, choices, declines=is_refusal(answer, choices.language))
    sentences = [sentence for sentence in _SENTENCE_END.split(text) if sentence.strip(_TRIM)]
    if len(sentences) > 1 and is_refusal(sentences[-1], choices.language):
        return None  # "… so C, but E is right, too. I cannot choose one."
    return _in_bold(answer, choices) if found is None else found


def _first_answer(text: str, choices: Choices) -> str:
    """The first line, where it is nothing but an answer and the next one begins another question; else the text."""
    first, _, rest = text.strip().partition("\n")
    again = re.match(rf"\s*(?:{any_word('asks', choices.language).pattern})[^\S\n]*\d*[^\S\n]*{COLON}", rest, re.IGNORECASE)
    is_answer = again and (patterns(choices).alone.match(first) or _by_text(first, choices) is not None)
    return first if is_answer else text


def _in_bold(answer: str, choices: Choices) -> int | None:
    """The only option that is in bold type, its label or its text, where nothing denies it: "Hence **C**", in any language."""
    named: set[int] = set()
    for span in re.finditer(r"\*\*([^*\n]{1,80})\*\*", answer[-10 * _LONGEST_PHRASE :]):
        text = plain(span[1])
        alone = patterns(choices).alone.match(text)
        position = position_of(alone["label"], choices) if alone else _by_text(text, choices)
        if position is None:
            continue
        before = span.string[: span.start()].splitlines()[-1:]
        if before and any_word("wrong", choices.language).search(before[0][-_LONGEST_VERDICT:]):
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


def _taken_back(rest: str, choices: Choices, found: int) -> int:
    """The option that the text behind an answer puts in its place: "Correction: … so the right answer is A"; else the answer."""
    corrects = any_word("corrects", choices.language).search(rest)
    if corrects and (corrected := _concluded(rest[corrects.end() :], choices)) is not None:
        return corrected
    answer, right = (any_word(place, choices.language) for place in ("answer", "right"))
    for line in reversed(rest.splitlines()[:_MOST_LINES]):
        for match in reversed(_statements(line, choices)):
            evidence = _stated(line, match, choices) if answer.search(match.lead) and right.search(match.lead) else None
            if evidence is not None and evidence.kind == "stated":
                return evidence.position
    return found


def _without_list(text: str, choices: Choices) -> str:
    """The text without lists of all options on one line, which repeat the question: "A. Yes B. No"."""
    own, folded = [plain(option).strip(_TRIM + STOPS) for option in choices.options], text.casefold()
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


def _behind_last_tag(text: str, tags: Sequence[str]) -> str | None:
    """What stands behind the last answer tag that has something behind it; None without one."""
    patterns = [tag_pattern(tag) for tag in tags]
    patterns += [rf"(?m:^\s*{re.escape(words_of_cue(plain(tag)))}\s*$)" for tag in tags]  # the tag as a heading
    found = [match for pattern in patterns for match in re.finditer(pattern, text, re.IGNORECASE)]
    behind = [text[match.end() :] for match in sorted(found, key=lambda match: match.end())]
    return next((rest for rest in reversed(behind) if rest.strip(_TRIM)), None)


def _framed(text: str, choices: Choices) -> int | None:
    """The option that a short text names which is the answer by its place."""
    line = next((line for line in plain(without_emphasis(without_latex(text))).splitlines() if line.strip(_TRIM)), "")
    if len(folded(line)) > 1 and (position := _by_text(line, choices)) is not None:
        return position
    counts = re.fullmatch(r"[1-9]", line.strip(_TRIM + STOPS + CLOSING + OPENING))
    if counts and are_letters(choices) and not any(re.search(r"\d", each) for each in (*choices.labels, *choices.options)):
        return int(counts[0]) - 1 if int(counts[0]) <= len(choices.labels) else None
    evidence = _of_line(line, choices)
    for kind in ("stated", "conditional", "right", "bare"):
        if named := [found.position for found in evidence if found.kind == kind]:
            return named[-1] if len(set(named)) == 1 or kind == "stated" else None
    return _by_text(line, choices)


class _Evidence(NamedTuple):
    kind: str  # "stated", "conditional", "right", "wrong", or "bare": the label alone or before a text
    position: int


def _concluded(text: str, choices: Choices, *, declines: bool = False) -> int | None:
    """The option that a text concludes with; where it begins with a refusal only a statement counts: "I cannot" names none."""
    lines = [line for line in text.splitlines() if line.strip(_TRIM)]
    lines = lines[:_MOST_LINES] + lines[_MOST_LINES:][-_MOST_LINES:]
    if len(lines) == 1 and len(folded(lines[0])) > 1 and (position := _by_text(lines[0], choices)) is not None:
        return position
    found = [(number, evidence) for number, line in enumerate(lines) for evidence in _of_line(line, choices)]
    if stated := [evidence.position for _, evidence in found if evidence.kind == "stated"]:
        return stated[-1]
    if declines:
        return None
    if conditional := {evidence.position for _, evidence in found if evidence.kind == "conditional"}:
        conditional |= _conditional(lines, choices)
        return conditional.pop() if len(conditional) == 1 else None
    wrong = {evidence.position for _, evidence in found if evidence.kind == "wrong"}
    if (
        lines
        and are_letters(choices)
        and (concluded := _text_behind_so(lines[-1], choices)) is not None
        and concluded not in wrong
    ):
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
        # the question again, cut in its options
        if number and not position and lines[number - 1].rstrip(_TRIM).endswith("?"):
            return None
        return position if number == 0 or bare[-1][0] == len(lines) - 1 or len(lines) <= 3 else None
    if len(listed) > 1:
        # the options again, and behind them one of them
        last_number, last = bare[-1]
        repeated = [position for _, position in bare].count(last) > 1
        return last if repeated and last_number == len(lines) - 1 and last not in wrong else None
    position = _of_texts(lines, choices) if lines else None
    if position is None and are_letters(choices):
        position = _only_pair(lines, choices)
    if position is None and are_letters(choices) and _is_whole(lines[-1] if lines else "", choices.language):
        position = _only_text_named(lines, choices)
        # what the letters say besides may not contradict it
        letters = {
            choices.labels.index(label) for line in lines for label in re.findall(r"\b[A-Z]\b", line) if label in choices.labels
        }
        position = position if position in letters or letters <= wrong else None
    return None if position in wrong else position


def _text_behind_so(line: str, choices: Choices) -> int | None:
    """The only option whose text follows the last "so" or "that leaves" of a line, which denies nothing behind it."""
    language = choices.language
    ends = [match.end() for place in ("so", "left", "but") for match in any_word(place, language).finditer(line)]
    rest = line[max(ends) :] if ends else ""
    if any(any_word(place, language).search(rest) for place in ("wrong", "condition")) or "?" in rest:
        return None
    texts = [plain(option).strip(_TRIM + STOPS) for option in choices.options]
    places = [re.search(_any_text(text), rest, re.IGNORECASE) if len(text) >= _SHORTEST_TEXT else None for text in texts]
    found = [position for position, place in enumerate(places) if place is not None]
    found = [position for position in found if not any(texts[position] in texts[other] for other in found if other != position)]
    first = places[found[0]] if len(found) == 1 else None
    return found[0] if first is not None and first.start() < _LONGEST_VERDICT else None


def _conditional(lines: Sequence[str], choices: Choices) -> set[int]:
    """The options whose labels stand in sentences with a condition."""
    condition, label = any_word("condition", choices.language), patterns(choices).label
    sentences = [sentence for line in lines for sentence in _SENTENCE_END.split(line) if condition.search(sentence)]
    return {position_of(found[0], choices) for sentence in sentences for found in label.finditer(sentence)}


def _only_pair(lines: Sequence[str], choices: Choices) -> int | None:
    """The only option whose text and letter stand together, "Bandung (A)", or whose letter stands alone behind a colon."""
    found = set()
    option = any_word("option", choices.language).pattern
    for position, (label, text) in enumerate(zip(choices.labels, choices.options, strict=True)):
        own = plain(text).strip(_TRIM + STOPS)
        pair = rf"{_any_text(own)}\s*[(（\[]\s*(?:(?:{option})\s*)?{re.escape(label)}\s*[)）\]]"
        headed = rf"\A[^\W\d]\S{{1,20}}\s*{COLON}\s*{re.escape(label)}(?=[.。]|\s*\Z)"
        if own and any(re.search(pair, line, re.IGNORECASE) or re.search(headed, line) for line in lines):
            found.add(position)
    return found.pop() if len(found) == 1 else None


def _is_whole(line: str, language: str) -> bool:
    """Whether a text does not break off: its last line ends with a stop, is short, or its script has no stops."""
    return language in ("th", "lo") or len(line) < _SHORT_LINE or line.rstrip(_TRIM + CLOSING)[-1:] in STOPS + "?"


def _of_texts(lines: Sequence[str], choices: Choices) -> int | None:
    """The option whose text the lines or the first of them are, or that alone the first or the last sentence names."""
    if (position := _by_text(" ".join(lines), choices)) is not None:
        return position
    texts = [_by_text(line, choices) for line in lines]
    if texts[0] is not None and not any(text not in (None, texts[0]) for text in texts):
        return texts[0]
    denies = any_word("denies", choices.language)
    if are_letters(choices) or any(denies.fullmatch(label) for label in choices.labels):
        return None  # "not" in a sentence is no label
    sentences = [sentence for line in lines for sentence in _SENTENCE_END.split(line) if sentence.strip(_TRIM)]
    found = [(_only_text_named([sentence], choices), sentence) for sentence in (sentences[0], sentences[-1])]
    named = {position for position, _ in found if position is not None}
    if len(named) > 1:  # the one of the sentence that says what it names
        says = any_word("lead", choices.language)
        named = {position for position, sentence in found if position is not None and says.search(sentence)}
    return named.pop() if len(named) == 1 else None


def _only_text_named(lines: Sequence[str], choices: Choices) -> int | None:
    """The only option whose text the lines name and do not deny: "not Surabaya but Bandung"."""
    language = choices.language
    if are_letters(choices):
        own = {plain(option).strip(_TRIM + STOPS).casefold(): position for position, option in enumerate(choices.options)}
        if len(own) < len(choices.options) or any(len(text) < _SHORTEST_TEXT or not re.search(r"[^\W\d]", text) for text in own):
            return None
        pattern = re.compile("|".join(_any_text(text) for text in sorted(own, key=len, reverse=True)))
    else:
        own, pattern = patterns(choices).forms, patterns(choices).label
    named: set[int] = set()
    denied: set[int] = set()
    for sentence in (sentence for line in lines for sentence in _SENTENCE_END.split(line.casefold())):
        spots = list(pattern.finditer(sentence))
        ends = [0, *(spot.end() for spot in spots)]
        starts = [*(spot.start() for spot in spots[1:]), len(sentence)]
        was_denied = False
        for spot, end, start in zip(spots, ends, starts, strict=False):
            before, behind = sentence[end : spot.start()], sentence[spot.end() : start]
            clause = _CLAUSE_END.split(before)[-1]
            joined = not are_letters(choices) and _joined_end(sentence[spot.end() :], own[spot[0]], choices)
            if any_word("condition", language).search(clause) or "?" in behind or (joined and not was_denied):
                return None
            joins = end and len(before) < _LONGEST_JOINT and not re.search(r"[-–—→:]", before)
            turns = any_word("but", language).search(before) or (not are_letters(choices) and lead_in(language).search(before))
            follows = was_denied and joins and not turns
            was_denied = bool(follows) or _is_denied(clause, behind, language, last=start == len(sentence))
            (denied if was_denied else named).add(own[spot[0]])
    left = named - denied
    return left.pop() if len(left) == 1 else None


def _any_text(text: str) -> str:
    """A text as whole words, where its script has blanks between words."""
    return (
        rf"(?<![{WORD}]){re.escape(text)}(?![{WORD}])"
        if re.fullmatch(r"[\u0000-\u024f\u1e00-\u1eff]+", text)
        else re.escape(text)
    )


def _is_denied(before: str, behind: str, language: str, *, last: bool) -> bool:
    """Whether the words close to the text of an option deny it.

    Args:
        before: the clause up to it.
        behind: what follows it, up to the next one or to the end of the sentence.
        language: of the answer.
        last: whether no other one follows it.
    """
    wrong = any_word("wrong", language)
    if language in _DENIES_BEHIND and wrong.search(_CLAUSE_END.split(behind.lstrip(" ,"), maxsplit=1)[0]):
        return True
    if any_word("wrong", "en" if language in _DENIES_BEHIND else language).search(before[-_LONGEST_VERDICT:]):
        return True
    # the last words before the next option may deny that one
    verdict = behind[:_LONGEST_VERDICT].lstrip(CLOSING + STOPS + " -–—=→:(")
    return wrong.match(verdict) is not None and (last or len(behind) > _LONGEST_JOINT)


def _of_line(line: str, choices: Choices) -> list[_Evidence]:
    """What one line says of the options, in its order."""
    line = _row(line)
    for mark in filter(None, (_MARK.match(line), _MARK_BEHIND.search(line))):
        rest = line[mark.end() :] if mark.start() == 0 else line[: mark.start()]
        if (judged := _leading(_BULLET.sub("", rest), choices)) is not None:
            return [_Evidence("right" if mark["right"] else "wrong", judged.position)]
    line = _BULLET.sub("", line) if not _begins_with_label(line, choices) else line
    if found := _corrected(line, choices):
        return found
    spots: list[tuple[int, _Evidence]] = []
    joined_until = 0
    texts = _texts_with_labels(line, choices)
    statements = _statements(line, choices)
    for match in statements:
        if any(start <= match.start and match.end <= end for start, end in texts):
            continue
        position = position_of(match.label, choices)
        rest = _without_own_text(line[match.end :], position, choices)
        if joined := _joined_end(rest, position, choices):
            joined_until = len(line) - len(rest) + joined
        if match.end > joined_until and (evidence := _stated(line, match, choices)) is not None:
            spots.append((match.start, evidence))
    ends = [0, *(match.end() for match in _SENTENCE_END.finditer(line)), len(line)]
    for start, end in pairwise(ends):
        if any(start <= spot < end for spot, _ in spots):
            continue
        if denied := _denied_together(line[start:end], choices):
            spots += [(start, _Evidence("wrong", position)) for position in denied]
            continue
        # the stop behind the label that begins a line does not end a sentence
        evidence = (None if start else _leading(line, choices)) or _leading(line[start:end], choices)
        if evidence is None:
            evidence = _behind_comma(line[start:end], choices)
        elif start and evidence.kind == "bare":
            evidence = None
        if evidence is not None:
            spots.append((start, evidence))
    if all(evidence.kind == "wrong" for _, evidence in spots):
        final = _stated_text(line, choices)
        final = _final_label(line, choices) if final is None else final
        spots += [] if final is None else [(len(line), _Evidence("stated", final))]
    return [evidence for _, evidence in sorted(spots, key=lambda spot: spot[0])]


def _texts_with_labels(line: str, choices: Choices) -> list[tuple[int, int]]:
    """Where in a line the texts of options stand that themselves name a label: "A is right"."""
    named = [plain(option) for option in choices.options if patterns(choices).label.search(option)]
    return [match.span() for text in named for match in re.finditer(re.escape(text), line, re.IGNORECASE)]


def _row(line: str) -> str:
    """A row of a table as a line of text."""
    if not line.strip().startswith("|"):
        return line
    return " - ".join(cell.strip() for cell in line.strip().strip("|").split("|") if cell.strip(" -:"))


def _corrected(line: str, choices: Choices) -> list[_Evidence]:
    """What a line says in the form "not A but C" or "C, not A"."""
    language = choices.language
    denies, but = any_word("denies", language), any_word("but", language)
    found = []
    for first, second in pairwise(patterns(choices).named.finditer(line)):
        between, clause = line[first.end() : second.start()].strip(" ,"), _CLAUSE_END.split(line[: first.start()])[-1]
        turns = [turn.start() for turn in but.finditer(between) if "" in _with_and_without_lead(between[turn.end() :], language)]
        denied = any(_ends_with_denial(text, language) for text in _with_and_without_lead(clause, language))
        if turns and (0 in turns if language in _DENIES_BEHIND else denied and turns[0] < _LONGEST_TURN):
            found.append(second)
        elif (
            not is_small_letter(first["label"])
            and any(map(denies.fullmatch, _with_and_without_lead(between, language)))
            and not any_word("wrong", language).search(clause)
        ):
            found.append(first)
    return [_Evidence("stated", position_of(label["label"], choices)) for label in found]


def _with_and_without_lead(text: str, language: str) -> tuple[str, str]:
    """The text with and without the words at its end that lead to an answer, for these may be part of a denial."""
    ends = [words.start() for words in lead_in(language).finditer(text + " ") if words.end() >= len(text)]
    return text.strip(" ,"), text[: ends[0]].strip(" ,") if ends else text.strip(" ,")


class _Statement(NamedTuple):
    """Words that lead to an answer, and a label behind them."""

    start: int
    end: int
    lead: str
    label: str


def _statements(line: str, choices: Choices) -> list[_Statement]:
    """The statements of a line. Their words are looked for first, so that the time does not grow with their number squared."""
    found = [(words, patterns(choices).named.match(line, words.end())) for words in lead_in(choices.language).finditer(line)]
    return [_Statement(words.start(), label.end(), words[0], label["label"]) for words, label in found if label is not None]


def _stated(line: str, match: _Statement, choices: Choices) -> _Evidence | None:
    """What a statement with a label says: the label is the answer, or is denied; None if it says neither."""
    language = choices.language
    position, behind, before = position_of(match.label, choices), line[match.end :], line[: match.start]
    # a text that breaks off in an article is no answer
    if (
        match.label == "a"
        and not behind.strip()
        and re.search(r"\b(?:is|be|choose|pick|select|with|ti)\b[^:]*\Z", match.lead, re.IGNORECASE)
    ):
        return None
    rest = _without_own_text(behind, position, choices)
    if not before.strip(_TRIM) and behind[:1] in tuple(".:)") and any_word("option", language).match(match.lead):
        return _leading(line[match.end - len(match.label) :], choices)  # "Option B. The text says …"
    # an article
    if (
        match.label == "a"
        and rest == behind
        and re.match(r"\s+[a-z]", behind)
        and not is_reason(behind[:_LONGEST_PHRASE], language)
    ):
        return None
    reasons = is_reason(rest[:_LONGEST_PHRASE], language)
    clause = "" if reasons else any_word("yet", language).split(_CLAUSE_END.split(rest, maxsplit=1)[0])[0]
    if other := patterns(choices).label.search(clause):
        clause = _without_denial_of_next(clause[: other.start()], language)
    if any_word("wrong", language).search(clause) or _ends_with_denial(before, language):
        return _Evidence("wrong", position)
    if behind.lstrip(CLOSING + " ").startswith("?"):
        return None
    sentence = _SENTENCE_END.split(before)[-1]
    condition = any_word("condition", language)
    if condition.search(_CLAUSE_END.split(sentence)[-1][-_LONGEST_CONDITION:]):
        return None
    answers = any(any_word(place, language).search(match.lead) for place in ("answer", "right", "left"))
    beside = not answers and before.rstrip().endswith(("(", "（", "[")) and any_word("option", language).search(match.lead)
    # a condition goes with the first label behind it
    labels = [label.end() for label in patterns(choices).label.finditer(sentence)]
    conditional = condition.search(sentence[labels[-1] :]) if labels else condition.match(sentence.strip(_TRIM))
    concludes = answers or any_word("so", language).search(match.lead)
    if not concludes and not rest.strip() and not condition.search(before) and patterns(choices).label.search(before):
        return None  # "Option A is … Option B is … Option C", which breaks off
    kind = "conditional" if beside or conditional else "stated"
    says_end = (len(rest) < _LONGEST_PHRASE and is_end(rest, language)) or _POLITE_END.match(rest) is not None
    ends = says_end or reasons
    says_more = rest.strip(_TRIM + STOPS + CLOSING) != ""
    is_word = reasons and not are_letters(choices) and not any_word("wrong", language).search(_CLAUSE_END.split(before)[-1])
    begins = is_word or not before.strip(_TRIM) or before.rstrip()[-1] in STOPS + "?-–—,"
    if ends and (begins or (says_end and (says_more or any_word("lead", language).search(match.lead)))):
        return _Evidence(kind, position)
    first = _SENTENCE_END.split(rest, maxsplit=1)[0]
    says = first.strip(_TRIM + STOPS + CLOSING) != "" or (answers and rest[len(first) :].strip() != "")
    if says and len(first) < _LONGEST_PHRASE and rest[len(first) :][:1] != "?" and is_end(first, language):
        return _Evidence(kind, position)
    right = any_word("right", language)
    if (answers or any_word("option", language).search(match.lead)) and (
        ends
        or (answers and _BEHIND_LABEL.match(behind))
        or (answers and rest != behind)
        or right.match(clause.strip(" -–—:"))
        or (right.search(clause) and any_word("answer", language).search(clause))
        or (answers and _is_surely_label(match.label, choices))
    ):
        return _Evidence(kind, position)
    if any_word("option", language).search(match.lead) and _is_judged_right(rest, language):
        return _Evidence("right", position)
    return None


def _without_denial_of_next(text: str, language: str) -> str:
    """The text without a denial at its end, which belongs to what follows it."""
    if language in _DENIES_BEHIND:
        return text
    bare = text.rstrip(" (\"'“")
    return next(
        (bare[: match.start()] for match in any_word("denies", language).finditer(bare) if match.end() == len(bare)), text
    )


def _is_judged_right(text: str, language: str) -> bool:
    """Whether the first clause of a text says that something is right, and neither asks nor restricts it."""
    clause = _CLAUSE_END.split(text, maxsplit=1)[0]
    right, condition = (any_word(place, language).search(clause) for place in ("right", "condition"))
    return right is not None and condition is None and text[len(clause) : len(clause) + 1] != "?"


def _is_surely_label(written: str, choices: Choices) -> bool:
    """Whether a label is no word whatever follows: "A" may begin the text of an option, and lower-case letters are words."""
    return written.isupper() and not (written == "A" and any(folded(option).startswith("a ") for option in choices.options))


def _ends_with_denial(text: str, language: str) -> bool:
    """Whether the last words of a text deny what follows: "It is not the case that", "tidak mungkin"."""
    tail = text[-40:].rstrip(" \"'“(")
    return any(match.end() == len(tail) for match in any_word("denies", language).finditer(tail))


def _leading(line: str, choices: Choices) -> _Evidence | None:
    """What a line says that begins with a label."""
    language = choices.language
    exact = patterns(choices).leading.match(line) or patterns(choices).alone.match(line)
    found = exact or patterns(choices).small.match(line)
    if found is None:
        return None
    position, behind = position_of(found["label"], choices), line[found.end() :]
    noun = found["close"][-1:] in ("项", "項")
    marked = bool(found["mark"] or (found["close"] and not noun))
    rest = _without_own_text(behind, position, choices)
    own = rest != behind
    if exact is None and not own:
        return None
    if own and _begins_with_label(rest, choices):
        return None  # the list of the options
    if not own and _joined_end(line[found.end("close") :], position, choices):
        return None
    goes_on = not marked and not is_end(behind[:_LONGEST_PHRASE], language)
    if not are_letters(choices) and re.match(r"\s*[,\u104a]", behind):
        return _Evidence("bare", position)  # "No, they did not."
    if goes_on and not noun and re.match(rf"[{WORD}]", behind):
        return None
    if goes_on and not own and not is_reason(behind[:_LONGEST_PHRASE], language):
        first = _CLAUSE_END.split(behind, maxsplit=1)[0]
        if any_word("wrong", language).search(first):
            return _Evidence("wrong", position)
        if _is_judged_right(behind, language):
            return _Evidence("right" if not any_word("answer", language).search(first) else "stated", position)
        return None
    if len(rest) < _LONGEST_PHRASE and is_end(rest, language):
        says_more = rest.strip(_TRIM + STOPS + CLOSING) != ""
        return _Evidence("stated" if says_more else "bare", position)
    clause = rest.strip(_TRIM + STOPS + CLOSING + "-–—(→=>") if own else ""
    judged = clause or ("" if own else behind)
    head = re.split(r"[.!?;\u3002\u104b\u17d4]\s", judged, maxsplit=1)[0]
    if other := patterns(choices).label.search(head):
        if (not marked and not is_reason(behind[:_LONGEST_PHRASE], language)) or (found["mark"] == "-" and behind[:1].strip()):
            return None  # what it says of two
        head = _without_denial_of_next(head[: other.start()], language)
    last = [clause for clause in _VERDICT_BEGIN.split(head) if clause.strip(_TRIM + STOPS + CLOSING)][-1:]
    if not (own or _is_verdict(head, choices)) and last and len(last[0]) < _LONGEST_VERDICT and _is_verdict(last[0], choices):
        head = last[0]
    is_sentence = found["mark"] == "." and not are_letters(choices)  # "Negative. Not one good word in it."
    if not is_sentence and (own or _is_verdict(head, choices)):
        if any_word("wrong", language).search(head):
            return _Evidence("wrong", position)
        if any_word("right", language).search(head):
            return _Evidence("right", position)
    return _Evidence("bare", position)


def _denied_together(sentence: str, choices: Choices) -> list[int]:
    """The options that the beginning of a sentence joins and denies: "A, B and C are wrong"; none if it does not."""
    words = lead_in(choices.language).match(sentence)
    label = patterns(choices).named.match(sentence, words.end() if words else 0)
    found: list[int] = []
    end = 0
    while label is not None and (found or not is_small_letter(label["label"])):
        found.append(position_of(label["label"], choices))
        end = label.end()
        label = _joined(sentence, end, choices)
    clause = _CLAUSE_END.split(sentence[end:], maxsplit=1)[0]
    if len(found) < 2 or patterns(choices).label.search(clause):
        return []
    return found if any_word("wrong", choices.language).search(clause) else []


def _behind_comma(sentence: str, choices: Choices) -> _Evidence | None:
    """What a sentence says of the label that begins one of its later clauses: "Of these options, B is the best"."""
    sentence = sentence[: 2 * _LONGEST_PHRASE]
    for comma in re.finditer(r"[,\u104a]\s*", sentence):
        clause = sentence[comma.end() :]
        words = lead_in(choices.language).match(clause)
        evidence = _leading(clause[words.end() :] if words else clause, choices)
        if evidence is not None and evidence.kind in ("stated", "right"):
            depends = any_word("condition", choices.language).search(sentence[: comma.start()])
            return evidence._replace(kind="conditional") if depends else evidence
    return None


def _stated_text(line: str, choices: Choices) -> int | None:
    """The option whose text a statement of the answer gives without a label."""
    statements = statement_spans(line, choices.language, "left")
    if not statements:
        return None
    start, end = statements[-1]
    said, words = folded(line[start:]), len(folded(line[start:end])) + 4
    # the first words of an option may also lead to an answer: "ang"
    own = [folded(option) for option in choices.options]
    found = [
        (len(text), position, place.end())
        for position, text in enumerate(own)
        if text and (place := re.search(rf"(?<![{WORD}]){re.escape(text)}(?![{WORD}])", said)) and place.start() <= words
    ]
    if not found:
        return None
    _, position, behind = max(found)
    others = (text for text in own if text and text not in own[position])
    return None if any(text in said[behind:] for text in others) else position


def _is_verdict(text: str, choices: Choices) -> bool:
    """Whether a text is short and begins with a word that judges."""
    text = text.strip(_TRIM + STOPS + "-–—(")
    language = choices.language
    return (
        len(text) <= 120
        and bool(any_word("wrong", language).match(text) or any_word("right", language).match(text))
        and not any(folded(option).startswith(folded(text)) for option in choices.options)
    )


def _final_label(line: str, choices: Choices) -> int | None:
    """The only label of a line that ends with words that lead to it, or with its choice: "What fits best is B.", "As for me, B I
    choose".
    """
    sentence = [sentence for sentence in _SENTENCE_END.split(line) if sentence.strip(_TRIM)][-1:]
    texts = _texts_with_labels(sentence[0], choices) if sentence else []
    labels = [
        label
        for label in (patterns(choices).label.finditer(sentence[0]) if sentence else ())
        if not any(start <= label.start() < end for start, end in texts)
    ]
    if len(labels) != 1:
        return None
    found = _statements(sentence[0], choices)
    if not found and any_word("answer", choices.language).search(sentence[0], labels[0].end()):
        found = [_Statement(labels[0].start(), labels[0].end(), "", labels[0][0])]
    if not found:
        return None
    label = found[-1].label
    rest = _without_own_text(sentence[0][found[-1].end :], position_of(label, choices), choices)
    if is_small_letter(label) or len(rest) >= _LONGEST_PHRASE or not is_end(rest, choices.language):
        return None
    before = sentence[0][: found[-1].start]
    denied = any_word("wrong", choices.language).search(before) or any_word("condition", choices.language).search(before)
    return None if denied or any_word("option", choices.language).search(found[-1].lead) else position_of(label, choices)


def _by_text(text: str, choices: Choices) -> int | None:
    """The only option whose text the whole text is, perhaps with its label or polite words behind it: "A fishing village (B)"."""
    said = {folded(text), folded(re.sub(r"\s*\(\s*\w\s*\)[.\s]*\Z", "", text))} - {""}
    own = [folded(option) for option in choices.options]
    found = [position for position, option in enumerate(own) if option in said]
    if not found:
        whole = folded(text)
        ends = [option for option in own if option and whole.startswith(option) and len(whole) - len(option) < _LONGEST_PHRASE]
        ends = [option for option in ends if is_end(whole[len(option) :], choices.language)]
        found = [position for position, option in enumerate(own) if ends and option == max(ends, key=len)]
    return found[0] if len(found) == 1 else None


def _without_own_text(rest: str, position: int, choices: Choices) -> str:
    """What follows the text of the option behind its label, or behind "that is"; the whole of it if that text is not there."""
    trimmed = rest.lstrip(OPENING + CLOSING + STOPS + " -–—")
    own = plain(choices.options[position]).strip(_TRIM + STOPS)
    words = lead_in(choices.language).match(trimmed)
    for text in (trimmed, trimmed[words.end() :].lstrip(OPENING) if words else ""):
        if own and text.casefold().startswith(own.casefold()):
            return text[len(own) :]
    return rest


def _joined_end(rest: str, position: int, choices: Choices) -> int:
    """Where another label ends that is joined at once by "or", "and", a comma, a slash, for words a blank; 0 if none is."""
    joined = _joined(rest, 0, choices)
    return joined.end() if joined is not None and position_of(joined["label"], choices) != position else 0


def _joined(text: str, start: int, choices: Choices) -> re.Match[str] | None:
    """The label that a joint leads to, perhaps with words such as "option" between them."""
    joint = patterns(choices).joint.match(text, start)
    if joint is None:
        return None
    words = lead_in(choices.language).match(text, joint.end())
    label = patterns(choices).other
    return (words and label.match(text, words.end())) or label.match(text, joint.end())


def _begins_with_label(line: str, choices: Choices) -> bool:
    found = patterns(choices).leading.match(line)
    return found is not None and (found["mark"] in tuple(".:)") or line[found.end() :].strip() == "")
