"""Reading which option a chat model chose from an answer of any length. Pure functions, no I/O.

The text may reason, list the options, judge them one by one, or correct itself. This counts, in this order:

1. what is framed, by JSON, a LaTeX box or an XML element, or follows the answer tag of the prompt: the last of these;
2. the last statement of the answer: "so the answer is B", "not A but C", "I choose (B)", with a letter or an option's text,
   or what an arrow on the last line points at;
3. what stands below the last heading such as "Conclusion:", read in the same way; the only option that is judged right;
4. the only option alone on a line, with or without its text, or the first line if a reason follows it;
5. the text of one option, alone or on the first line;
6. if labels are words, the only one that the first or the last sentence names;
7. if options are dates, numbers of statements or formulae, the one that the answer concludes with;
8. the only option whose text comes with its letter, or whose text is named at all and not denied.

If the options differ only in a number, the number that the answer concludes with counts instead of 6 to 8, unless all are words.

Before all this, words that number the options ("the second option") become letters, and another question that the model makes up
and answers is cut off. A correction after a framed answer replaces it.

If none of these finds an option, there is no answer: nothing is guessed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from .answer_patterns import WORD_BEGIN, any_word, at_end, has_word, whole_word
from .answer_phrases import ANSWER_TAGS, LABEL_WORDS
from .answer_tags import tag_pattern, tag_spans
from .answer_text import COLON, SENTENCE_STOP, STOPS, STOPS_OF_SCRIPTS, TRIM, plain
from .counted_options import counted_options, with_letters
from .frames import begins_object, last_frame, unfenced, values_of_object, with_plain_powers, without_emphasis, without_latex
from .option_evidence import CLAUSE_END, Evidence, evidence_of, forced_choice, joined_end
from .option_labels import CLOSING, LONGEST_JOINT, LONGEST_PHRASE, LONGEST_VERDICT, OPENING, Choices, folded, own_text
from .option_texts import (
    has_denial,
    of_texts,
    only_pair,
    only_text_named,
    options_in,
    sentences_of,
    text_behind_copula,
    text_behind_so,
    text_beside_letters,
    under_condition,
)
from .option_values import amounts_of, of_amounts, of_formulae, of_numbers
from .other_questions import question_line, without_another_question
from .refusal import is_refusal
from .statements import admission, statement_spans


if TYPE_CHECKING:
    from collections.abc import Sequence


# Of longer answers only the first and last lines are read, and of longer lines only the two ends.
_MOST_LINES, _LONGEST_END = 150, 2_000
_FEW_CHARACTERS, _LONGEST_THIS, _SHORT_LINE, _SHORTEST_PART = 6, 30, 100, 4
_BRACKETED = re.compile(r"\s*\([^()]*\)")
_LIST_MARK = re.compile(r"\A[\s|>•●▪*+–-]*(?:\(?(?:\d{1,2}|[A-Za-z])[.):]\s*)?")
_GLOSS = rf"\s*\((?:{'|'.join(words['en'] for words in LABEL_WORDS.values())})\)(?=\W*(?:\n|\Z))"  # "patojaiah (contradiction)"
_NOTE = re.compile(r"\(.*\)[.。]?")
# "this option", but not "the other options"
_THIS = re.compile(r"\b(?:this|ini|iki|ieu|này|ito(?:ng)?|kini|daytoy)\b|นี้|ນີ້|នេះ|இந்த|ဤ|ဒီ|[这這此]", re.IGNORECASE)
# A line above a list of options that poses a question: "The next one: who wrote it?"
_POSED = re.compile(r"\n(?=[^\n]*(?:[:：?？…]|\.\.|__))[^\n]+(?<![:：])\n+(?=[>_(-]*A[.)])")
_ARROW = re.compile(r"(?:[→⇒➡]|(?<![-=])[-=]+>)\s*")
_ITEM = re.compile(r"\s*[-•●▪‣–—*+]\s")
# Emoji, but not those that judge.
_PICTURE = re.compile("[\U0001f000-\U0001faff\u2600-\u26ff\u2728\u2764\ufe0f]+")


def read_choice(answer: str, choices: Choices, *, finished: bool | None = None) -> int | None:
    """The position of the option that an answer (without its thought) chooses; None if it cannot be read.

    `finished` says whether the model ended the answer, if that is known. If the token limit cut the answer, only its
    beginning and its statements count: other options may have followed.
    """
    if (exact := _exactly(answer, choices)) is not None:
        return exact
    answer = with_plain_powers(answer)
    choices = choices._replace(options=tuple(with_plain_powers(without_latex(option)) for option in choices.options))
    frame = last_frame(answer, choices.tags, choices.language)
    if frame is not None and (found := _framed(frame, choices)) is not None:
        return found
    if frame is not None and begins_object(answer) and unfenced(answer).rstrip().endswith("}"):
        return read_choice(frame, choices, finished=finished)  # what else the object says does not answer
    values = [value for value in map(plain, values_of_object(answer)) if frame is None]
    if len(only := {position for value in values if (position := _alone(value, choices)) is not None}) == 1:
        return only.pop()  # under an unknown key
    whole = _plain(answer, choices)
    text = without_another_question(whole, (*choices.tags, *ANSWER_TAGS), choices.language)
    if (first := _ranked_first(text, choices)) is not None:
        return first
    is_cut = (finished is False or _breaks_off(whole, choices)) and text == whole
    text = _above_another_question(_without_list(with_letters(text, choices), choices), choices)
    text = _without_tagged_list(text, choices)
    tagged = tag_spans(text, choices.tags)
    behind = text[tagged[-1][1] :] if tagged else None
    if not is_cut and (chosen := forced_choice(text if behind is None else behind, choices)) is not None:
        return chosen
    if _differ(text, choices):
        return None
    if behind is not None:
        line = next((line for line in behind.splitlines() if line.strip(TRIM)), "")
        rest, several = behind.partition(line)[2] if line else "", _gives_several(line, choices)
        if not several and (found := _framed(line, choices)) is not None:
            return _taken_back(line, rest, choices, found, is_cut=is_cut)
        if several or _joins_labels(line, choices):
            return _concluded(rest, choices, declines=True, is_cut=is_cut)  # only a statement such as "Final choice: B" counts
    tagged = tag_spans(text, (*choices.tags, *ANSWER_TAGS))
    found = _by_part(text[tagged[-1][1] :].partition("\n")[0], choices) if tagged else None
    if found is None:
        found = _concluded(text, choices, declines=is_refusal(answer, choices.language), is_cut=is_cut)
    if (altered := _altered(text, choices)) is not None:
        found = altered
    if _leaves_open(text, choices):
        return None
    return _in_bold(answer, choices) if found is None and not is_cut else found


def _exactly(answer: str, choices: Choices) -> int | None:
    """The only label that is the whole answer, letter for letter, perhaps after the prompt's tag; labels have to be words."""
    if choices.labels != choices.options:
        return None
    whole = answer.strip()
    said = {whole, *(whole.removeprefix(tag).strip() for tag in choices.tags)}
    found = [position for position, label in enumerate(choices.labels) if label.strip() in said]
    return found[0] if len(found) == 1 else None


def _breaks_off(text: str, choices: Choices) -> bool:
    """Whether a long text ends with a word that cannot end a sentence and is not a label, perhaps with "option" after it."""
    option = at_end("option", text.rstrip(), choices.language)
    last = at_end("unfinished", text[: option.start() if option else None].rstrip(), choices.language)
    return last is not None and len(text) > _SHORT_LINE and not choices.named_in(text, last.start())


def _plain(answer: str, choices: Choices) -> str:
    """An answer without markup, with a space before polite words, which Thai writes directly after a label."""
    text = plain(without_emphasis(without_latex(unfenced(answer))))
    if not choices.are_letters:
        text = re.sub(rf"({choices.patterns.label.pattern}){_GLOSS}", r"\1", text, flags=re.IGNORECASE)
        text = re.sub(rf"(?<=\S)(?=(?:{any_word('polite', choices.language).pattern})(?:\s|\Z))", " ", text)
    return _PICTURE.sub("", text)


def _by_part(line: str, choices: Choices) -> int | None:
    """The only option whose text has the whole line as its beginning or end: "Agung" for "Mount Agung", not for "not Agung"."""
    said, texts = folded(line), [folded(option) for option in choices.options]
    part, found = whole_word(re.escape(said)), [own for own in texts if said in own]
    if len(found) != 1 or not choices.are_letters or len(said) < _SHORTEST_PART:
        return None
    is_told = re.search(rf"\A{part}|{part}\Z", found[0]) and not has_word(found[0], choices.language, "wrong", "denies")
    return texts.index(found[0]) if is_told else None


def _joins_labels(line: str, choices: Choices) -> bool:
    """Whether a line begins with two labels: "A or B"."""
    label = choices.patterns.named.match(line)
    return label is not None and joined_end(line[label.end() :], choices.position_of(label["label"]), choices) > 0


def _gives_several(line: str, choices: Choices) -> bool:
    """Whether a line has only labels ("A B C D"), or joins two that have remarks in brackets: "A (1953) or D (1993)"."""
    named = [choices.patterns.forms.get(word.casefold()) for word in re.findall(r"[^\W_]+|<", line)]
    bare = _BRACKETED.sub("", line, count=1)
    label = choices.patterns.named.match(bare)
    joins = bare != line and label and any_word("joined", choices.language).match(bare[label.end() :].lstrip())
    if label and choices.by_text(bare[label.end() :].strip(TRIM)) == choices.position_of(label["label"]):
        return False  # the text of an option may be a letter
    return (None not in named and len(set(named)) > 1) or (bool(joins) and _joins_labels(bare, choices))


def _leaves_open(text: str, choices: Choices) -> bool:
    """Whether the last of several sentences declines, asks after "A or B may be right", or says that one cannot tell.

    Doubt counts only if the text names several options, and "it cannot be determined" only if it also states none.
    """
    language, sentences = choices.language, sentences_of([text])
    answers, last = has_word(text, language, "answer"), "".join(sentences[-1:])
    states = answers or has_word("".join(sentences[:-1]), language, "so")
    several = len(set(choices.named_in(text))) > 1 or (not states and len(options_in(last, choices)) > 1)
    before, *doubted = any_word("unsure", language).split(text)
    if choices.are_letters and options_in(SENTENCE_STOP.split(before)[-1], choices):
        doubted = []  # "Notes from the Dead House, whose date is not certain"
    if doubted and not SENTENCE_STOP.search(doubted[-1].strip(TRIM + STOPS)) and len(set(choices.named_in(doubted[-1]))) != 1:
        return several
    asks = text.rstrip(TRIM)[-1:] in ("?", "？")
    if not sentences:
        return False
    if has_word(last, language, "unclear") and (asks or not choices.named_in(last)):  # "Which would you like?"
        return several
    if len(sentences) < 2:
        return False
    if is_refusal(last, language):
        return True
    weighed = [each[: 2 * LONGEST_PHRASE] for each in sentences[1:-1] if asks]
    weighed = [each for each in weighed if has_word(each, language, "right") and not has_word(each, language, "wrong")]
    if any(_joins_labels(each[label.start() :], choices) for each in weighed for label in choices.patterns.named.finditer(each)):
        return True
    is_of_one = choices.are_letters and len(set(choices.named_in(last))) == 1  # "B is right. In A one cannot tell the direction."
    return several and not answers and not is_of_one and has_word(last, language, "undecided")


def _above_another_question(text: str, choices: Choices) -> str:
    """The part above a question that the model made up, if that part is an answer; else the whole text.

    Either the part is nothing but a label, or the question has its own options or an answer.
    """
    asked = question_line(choices.language).search(text)
    tagged = tag_spans(text, ANSWER_TAGS)
    posed = _POSED.search(text, 0, tagged[-1][0]) if tagged else None
    for begin in filter(None, (asked, posed)):
        above = text[: begin.start()].strip()
        if begin is asked and choices.patterns.alone.match(above):
            return above
        listed = _listed_options(text[begin.end() :], choices)
        is_other = len(listed) > 1 and not listed.issuperset(map(folded, choices.options))
        is_other |= begin is asked and bool(_headed(text[begin.start() :], choices))
        if is_other and read_choice(above, choices) is not None:
            return above
    return text


def _headed(text: str, choices: Choices) -> set[int]:
    """The options whose labels, which are words, are on lines with any heading: "Category: sports"."""
    lines = (re.match(rf"[^\n:：]{{2,30}}?{COLON}", line) for line in text.splitlines())
    return {position for line in lines if line and (position := choices.by_text(line.string[line.end() :])) is not None}


def _listed_options(text: str, choices: Choices) -> set[str]:
    """The texts after letters, on lines of their own or on one; none if the labels are words."""
    lines = re.split(r"\n|[ ;,](?=\(?[A-J][.)])", text) if choices.are_letters else []
    items = [(choices.patterns.small.match(line), line) for line in lines]
    return {folded(line[label.end() :]) for label, line in items if label}


def _in_bold(answer: str, choices: Choices) -> int | None:
    """The only option whose label or text is in bold type and not denied: "Hence **C**", in any language."""
    named: set[int] = set()
    for span in re.finditer(r"\*\*([^*\n]{1,80})\*\*", answer[-10 * LONGEST_PHRASE :]):
        if (position := _alone(plain(span[1]), choices)) is None:
            continue
        before = "".join(span.string[: span.start()].splitlines()[-1:])
        if any_word("wrong", choices.language).search(before[-LONGEST_VERDICT:]):
            return None
        named.add(position)
    return named.pop() if len(named) == 1 else None


def _alone(text: str, choices: Choices) -> int | None:
    """The option whose label or text is the whole text."""
    alone = choices.patterns.alone.match(text)
    return choices.position_of(alone["label"]) if alone else choices.by_text(text)


def _ranked_first(text: str, choices: Choices) -> int | None:
    """The option of the first line if the lines rank the options: "1st choice: B", "2nd choice: A"; None for any other text.

    All options in their own order are a copy of the question, not a ranking.
    """
    lines = [line for line in text.splitlines() if line.strip(TRIM)]
    counted = [counted_options(choices.language).match(line.strip(TRIM)) for line in lines]
    ranks = [int(name[1]) for found in counted if found for name, written in found.groupdict().items() if written]
    if len(lines) < 2 or ranks != list(range(1, len(lines) + 1)):
        return None
    found = [
        _alone(line.strip(TRIM)[head.end() :].lstrip(" :：-–—"), choices)
        for line, head in zip(lines, counted, strict=True)
        if head
    ]
    return None if None in found or found == list(range(len(choices.options))) else found[0]


def _differ(text: str, choices: Choices) -> bool:
    """Whether one line has answer tags with different labels and nothing else between them: "Answer: B Answer: C".

    Also whether each option has a tag of its own, one line below the other.
    """
    tags = "|".join(map(tag_pattern, choices.tags)) or "(?!)"
    label = choices.patterns.named.pattern
    pairs = re.finditer(
        rf"(?:{tags})[^\S\n]*{label}[^\S\n]*(?=(?:{tags})[^\S\n]*{label.replace('P<label>', 'P<other>')})", text, re.IGNORECASE
    )
    if any(choices.position_of(pair["label"]) != choices.position_of(pair["other"]) for pair in pairs):
        return True
    number = len(choices.options)
    tagged = [re.match(rf"\s*(?:{tags})", line, re.IGNORECASE) for line in text.splitlines() if line.strip(TRIM)][-number:]
    found = {_alone(tag.string[tag.end() :], choices) for tag in tagged if tag}
    return number > 1 and found == set(range(number))


def _taken_back(line: str, rest: str, choices: Choices, found: int, *, is_cut: bool) -> int | None:
    """The option that counts if `rest`, the text after an answer, may correct it.

    A correction is "Correction: … so it is A", or a last line "The right answer: A". Without one the answer itself counts. None
    if the text was cut before the correction names an option, or admits an error and names none.
    """
    text, language = line + rest, choices.language
    turn, error, corrected = any_word("corrects", language).search(text), admission(text, language), _altered(text, choices)
    if corrected is None and (begin := turn.end() if turn else error) is not None:
        corrected = _concluded(text[begin:], choices, declines=turn is None, is_cut=False)
    corrected = _right_at_last(rest, choices) if corrected is None else corrected
    if corrected is not None:
        return corrected
    return None if (turn and is_cut) or error is not None or _leaves_open(text, choices) else found


def _altered(text: str, choices: Choices) -> int | None:
    """The option after the last words for "I change my answer to"."""
    found = list(any_word("alters", choices.language).finditer(text))
    return _framed(text[found[-1].end() :].lstrip(" :："), choices) if found else None


def _right_at_last(text: str, choices: Choices) -> int | None:
    """The option of a last line that begins with words for "the right answer is"."""
    line = "".join(text.strip().splitlines()[-1:]).lstrip(TRIM)
    begin, end = next(iter(statement_spans(line, choices.language)), (0, 0))
    is_right = not begin and any_word("right", choices.language).search(line[:end])
    return _framed(line[end:], choices) if is_right else None


def _without_list(text: str, choices: Choices) -> str:
    """The text without a list of all options on one line, which repeats the question: "A. Yes B. No"."""
    own, folded = [own_text(option) for option in choices.options], text.casefold()
    # each row needs its own pattern, and few answers need it
    if not choices.are_letters or not all(option and option.casefold() in folded for option in own):
        return text
    forms = choices.patterns.forms
    # limited numbers, because otherwise a long run of characters takes quadratic time
    blanks, opening = r"[^\S\n]{0,4}", rf"[{re.escape(OPENING)}]{{0,4}}"
    item = "|".join(
        rf"{opening}(?:{'|'.join(re.escape(form) for form, place in forms.items() if place == position)})"
        rf"[{re.escape(CLOSING)}.:\uff1a]{{0,4}}{blanks}{opening}{re.escape(option)}[{re.escape(CLOSING + STOPS)}]{{0,4}}"
        for position, option in enumerate(own)
    )
    others = rf"(?:{blanks}[,;/|]?{blanks}(?:{item})){{{len(own) - 1}}}"
    return re.sub(rf"{WORD_BEGIN}(?:{item}){others}", "\n", text, flags=re.IGNORECASE)


def _without_tagged_list(text: str, choices: Choices) -> str:
    """The text without an answer tag and all options after it, one on each line and nothing else."""
    longest = max(map(len, choices.options)) + LONGEST_PHRASE
    for begin, end in tag_spans(text, choices.tags):
        lines = list(islice(re.finditer(r"\S[^\n]*", text[end:]), len(choices.options)))
        if any(len(line[0]) > longest for line in lines):
            continue
        labels = [choices.patterns.small.match(line[0]) if choices.are_letters else None for line in lines]
        items = [choices.by_text(line[0][label.end() if label else 0 :]) for line, label in zip(lines, labels, strict=True)]
        if items == list(range(len(choices.options))):
            return text[:begin] + text[end + lines[-1].end() :]
    return text


def _framed(text: str, choices: Choices) -> int | None:
    """The option in a short text whose place makes it the answer, perhaps in the form of the prompt: "X = B"."""
    line = next((line for line in plain(without_emphasis(without_latex(text))).splitlines() if line.strip(TRIM)), "")
    if len(folded(line)) > 1 and (position := choices.by_text(line)) is not None:
        return position
    line = re.sub(r"\A\s*X\s*=\s*", "", line)
    counts = re.fullmatch(r"[1-9]", line.strip(TRIM + STOPS + CLOSING + OPENING))
    if counts and choices.are_letters and not any(re.search(r"\d", each) for each in (*choices.labels, *choices.options)):
        return int(counts[0]) - 1 if int(counts[0]) <= len(choices.labels) else None
    evidence = evidence_of(line, choices)
    for kind in ("stated", "conditional", "right", "bare"):
        if named := [found.position for found in evidence if found.kind == kind]:
            return named[-1] if len(set(named)) == 1 or kind == "stated" else None
    return choices.by_text(line)


@dataclass(frozen=True)
class _Said:
    """The lines of an answer, and what each says about the options."""

    lines: list[str]
    evidence: list[tuple[int, Evidence]]  # with the number of its line

    def of(self, kind: str) -> list[tuple[int, int]]:
        """The lines that give one kind of evidence, and the positions of the options."""
        return [(number, evidence.position) for number, evidence in self.evidence if evidence.kind == kind]

    def options(self, kind: str) -> set[int]:
        return {position for _, position in self.of(kind)}


def _said(lines: list[str], choices: Choices) -> _Said:
    """What each line says about the options.

    Below an option and a heading such as "Why the others are wrong:", options alone on lines are wrong. Above all options, "The
    wrong statement is:" answers a question that asks for it. A list of options below a heading states none.
    """
    found = [(number, evidence) for number, line in enumerate(lines) for evidence in evidence_of(line, choices)]
    heads = (number for number, line in enumerate(lines) if _heads(line) and has_word(line, choices.language, "wrong"))
    first = next((number for number in heads if found and found[0][0] < number), len(lines))
    bare = [(number, each) for number, each in found if each.kind == "bare"]
    tops = [number for number, each in bare if each.position == 0 and number < first]
    begins = {0} if tops and any(each.position == 1 and tops[0] < number < first for number, each in found) else set()
    following = {number - 1: each.position for number, each in bare if not _says_more(lines[number], each.position, choices)}
    listed = {each for number, each in bare if each.position in begins or following.get(number, each.position) != each.position}
    kinds = {
        (number, each): "wrong" if number > first else _kind(lines, number, choices, listed=each in listed)
        for number, each in bare
    }
    return _Said(lines, [(number, each._replace(kind=kinds.get((number, each), each.kind))) for number, each in found])


def _kind(lines: list[str], number: int, choices: Choices, *, listed: bool) -> str:
    """What the lines around an option alone on a line make of it: "The correct answer is:", "This option is incorrect"."""
    above, below = lines[number - 1] if number else "", "".join(lines[number + 1 : number + 2])
    if choices.are_letters and _denies_this(CLAUSE_END.split(below)[0], choices):
        return "wrong"
    return "stated" if not listed and _introduces(above, choices) else "bare"


def _introduces(line: str, choices: Choices) -> bool:
    """Whether a line introduces the answer, "The most likely cause is:", and not a list of options."""
    language = choices.language
    others = any_word("answer", language).sub("", line)  # an option's word may be part of an answer's: "câu trả lời"
    names = has_word(line, language, "right") or (others != line and not has_word(line, language, "option"))
    return _heads(line) and names and not has_word(others, language, "option")


def _denies_this(clause: str, choices: Choices) -> bool:
    """Whether a clause begins by denying the option above: "This option is incorrect", not "This option is right, for no …"."""
    head = clause[:_LONGEST_THIS]
    counted, right, wrong = (any_word(place, choices.language) for place in ("counted", "right", "wrong"))
    denials = list(wrong.finditer(head))
    if len(denials) != 1 or right.search(head, 0, denials[0].start()):  # "is not wrong"
        return False
    return bool(counted.search(head) and _THIS.search(head)) and not choices.named_in(clause)


def _heads(line: str) -> bool:
    return re.search(rf"{COLON}\Z", line.rstrip(TRIM)) is not None


def _concluded(text: str, choices: Choices, *, declines: bool, is_cut: bool) -> int | None:
    """The option that a text concludes with.

    If it begins with a refusal, only a statement counts: "I cannot" names no option. If it was cut, its first line counts, too.
    """
    ends = [[line[:_LONGEST_END], line[-_LONGEST_END:]] if len(line) > 2 * _LONGEST_END else [line] for line in text.splitlines()]
    lines = [line for own in ends for line in own if line.strip(TRIM)]
    lines = lines[:_MOST_LINES] + lines[_MOST_LINES:][-_MOST_LINES:]
    if len(lines) == 1 and len(folded(lines[0])) > 1 and (position := choices.by_text(lines[0])) is not None:
        return position
    said = _said(lines, choices)
    stated = [position for number, position in said.of("stated") if not (is_cut and _is_step(lines, number, choices))]
    if not is_cut and (pointed := _pointed_at(said, choices)) is not None:
        return pointed
    if stated:  # a cut answer that states option after option does not choose
        return None if is_cut and len(set(stated)) > 2 else stated[-1]
    if declines or not lines:
        return None
    if is_cut:
        return _begun_with(said, choices)
    if (below := _below_heading(lines, choices)) and (
        concluded := _concluded(below, choices, declines=False, is_cut=False)
    ) is not None:
        return concluded
    if conditional := said.options("conditional"):
        conditional |= under_condition(lines, choices)
        return conditional.pop() if len(conditional) == 1 else None
    wrong = said.options("wrong")
    concluded = None if amounts_of(choices) else text_behind_so(lines[-1], choices)
    if concluded is not None and (concluded not in wrong or len(wrong) == len(choices.options)):
        return concluded
    if right := said.options("right") - wrong:
        return right.pop() if len(right) == 1 else None
    named = said.options("bare") or {position for line in lines for position in choices.named_in(line)}
    if len(named - wrong) == 1 and len(choices.options) > 2 and len(named | wrong) == len(choices.options):
        return (named - wrong).pop()  # the only one that is not denied
    position = _listed(said, choices) if said.options("bare") else _unlabelled(lines, wrong, choices)
    position = _below_list(lines, choices) if position is None else position
    return None if position in wrong else position


def _pointed_at(said: _Said, choices: Choices) -> int | None:
    """The option behind the arrow of a last line, if no other line ends so: "→ B", "the west → B"; a note may be below it."""
    longest = max(map(len, choices.options)) + LONGEST_JOINT
    parts = [(number, _ARROW.split(line)) for number, line in enumerate(said.lines)]
    ends = [(number, " ".join(before), behind) for number, (*before, behind) in parts if before and len(behind) < longest]
    found = [(number, before, position) for number, before, end in ends if (position := _framed(end, choices)) is not None]
    if len(found) != 1:
        return None
    [(number, before, position)] = found
    if said.of("stated") and choices.by_text(before) == position:
        return None  # it only says which letter an option has, below another answer
    others = {*choices.named_in(before), *options_in(before, choices)} - {position}
    is_last = all(_NOTE.fullmatch(line.strip(TRIM)) for line in said.lines[number + 1 :])
    is_stated = number in dict(said.of("stated")) or has_word(before, choices.language, "wrong", "condition")
    return position if is_last and not others and not is_stated else None


def _below_heading(lines: Sequence[str], choices: Choices) -> str:
    """What stands below the last heading such as "Conclusion:" after other lines; empty if there is none."""
    heading = re.compile(rf"(?:{any_word('lead', choices.language).pattern})\s*{COLON}", re.IGNORECASE)
    for number in range(len(lines) - 1, 0, -1):
        if found := heading.match(lines[number].lstrip(TRIM)):
            return "\n".join([lines[number].lstrip(TRIM)[found.end() :], *lines[number + 1 :]]).strip()
    return ""


def _below_list(lines: Sequence[str], choices: Choices) -> int | None:
    """The only option whose text is named below a list of all options, one at the beginning of each line, and not denied."""
    missing = {own_text(option).casefold() for option in choices.options} if choices.are_letters else set()
    for number, line in enumerate(lines if missing else ()):
        said = _LIST_MARK.sub("", line).casefold()
        missing -= {max((text for text in missing if said.startswith(text)), key=len, default="")}
        if not missing:
            position = only_text_named(lines[number + 1 :], choices)
            return position if {position}.issuperset(choices.named_in("\n".join(lines[number + 1 :]))) else None
    return None


def _begun_with(said: _Said, choices: Choices) -> int | None:
    """The option on the first line of a cut answer, perhaps below an introduction, if others are wrong."""
    begins = [position for number, position in said.of("bare") if number == 0]
    if begins and len({evidence.position for _, evidence in said.evidence if evidence.kind != "wrong"}) == 1:
        return begins[0]
    return choices.by_text(said.lines[0])


def _listed(said: _Said, choices: Choices) -> int | None:
    """The only option alone on a line, at the beginning or the end; after a list, the option that the end repeats or names."""
    wrong, last = said.options("wrong"), len(said.lines) - 1
    bare = [each for each in said.of("bare") if each[1] not in wrong]
    positions = [position for _, position in bare]
    if not bare:
        return None
    if len(set(positions)) > 1:
        if bare[-1][0] == last:
            lists = positions[-1] and (last - 1, positions[-1] - 1) in bare  # the options once more, cut
            return positions[-1] if positions.count(positions[-1]) > 1 and not lists else None
        is_below = all(_says_more(said.lines[number], position, choices) for number, position in bare)
        found = of_texts(said.lines[-1:], choices) if is_below else None
        judges = is_below and has_word(said.lines[-1], choices.language, "right", "better", "answer")
        return text_behind_copula(said.lines[-1:], choices) if judges and found is None else found
    number, position = bare[0]
    if number and not position and _lists(said.lines[number - 1], said.lines[number], choices):
        return None
    return position if number == 0 or bare[-1][0] == last or last < 3 else None


def _unlabelled(lines: Sequence[str], wrong: set[int], choices: Choices) -> int | None:
    """The option that lines without labels name by its value or its text."""
    if amounts := amounts_of(choices):
        position = of_amounts("\n".join(lines), amounts, choices)  # other numbers in the text may belong to options, too
        position = of_numbers(lines, choices) if position is None else position
        if position is not None or any(re.search(r"\d", text) for text in (*lines, *choices.options)):
            return position
        position = of_texts(lines, choices)
        position = text_beside_letters(lines, wrong, choices) if position is None else position
        return None if position is None or amounts[position] == 1 else position  # "one" may also mean "somebody"
    position = of_texts(lines, choices)
    if position is None and choices.are_letters:
        readings = (read(lines, choices) for read in (of_numbers, of_formulae, only_pair))
        position = next((each for each in readings if each is not None), None)
    if position is None and not choices.are_letters and len(headed := _headed("\n".join(lines), choices)) == 1:
        return headed.pop()
    if position is not None or all(re.search(r"\d", option) for option in choices.options):
        return position
    if choices.are_letters and _is_whole(lines, choices.language):
        return text_beside_letters(lines, wrong, choices)
    # even a text that breaks off may state an option
    return None if has_denial(choices) else text_behind_copula(lines, choices)


def _is_step(lines: Sequence[str], number: int, choices: Choices) -> bool:
    """Whether a line below the first is a list item that may label a part of the text: "- The last phrase is negative"."""
    is_item = number > 0 and not choices.are_letters and _ITEM.match(lines[number])
    return bool(is_item) and not has_word(lines[number], choices.language, "answer", "lead", "so")


def _lists(before: str, line: str, choices: Choices) -> bool:
    """Whether a line about the first option, below the question or "each option:", begins a list that breaks off."""
    before = before.rstrip(TRIM)
    heads = re.search(rf"(?:{any_word('option', choices.language).pattern})\s*{COLON}\Z", before, re.IGNORECASE)
    names = has_word(before, choices.language, "answer", "right")
    is_list = heads and heads.start() > LONGEST_JOINT and not names and _says_more(line, 0, choices)
    return before.endswith("?") or bool(is_list)


def _says_more(line: str, position: int, choices: Choices) -> bool:
    """Whether a line has words beside the label and the text of an option."""
    return len(folded(line)) > len(folded(choices.options[position])) + _FEW_CHARACTERS


def _is_whole(lines: Sequence[str], language: str) -> bool:
    """Whether a text does not break off: its last line ends with a stop like those above it, is short, or has no stops."""
    *above, last = [line.rstrip(TRIM + CLOSING)[-1:] for line in lines] or [""]
    stops = any(end in STOPS_OF_SCRIPTS for end in above)
    return language in ("th", "lo") or (len(lines[-1]) < _SHORT_LINE and not stops) or last in STOPS + "?"
