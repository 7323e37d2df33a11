"""A sentence that may answer a question: its words, and which of them the question has. Pure functions, no I/O."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby, pairwise, takewhile
from typing import TYPE_CHECKING, NamedTuple

from ..metrics.words import normalise, stands_in
from .answer_patterns import any_word, at_end
from .answer_text import STOPS, TRIM
from .number_words import begins_number
from .question_words import PREFIXING, UNSEGMENTED, normal_words, pattern, places_of_words, taken_up, words_beside


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


KINDS = ("why", "when", "where", "who")
_MARKED = (*KINDS, "how")
BEHIND = {"my", "ta"}  # here the word that marks a phrase comes after it
BLANKLESS = {"km", "lo", "my", "th", "zh"}
COMMA = r"(?:,(?!\d)|[，、\u104a])"
LEAST_SHARE = 0.75  # of the question's words, which a sentence has that takes it up
_FRONTED = {"en", *PREFIXING}  # the question word comes first, wherever the phrase that answers would stand
_MOST_JOINING = 3  # words between a phrase and those of the question: "in the year"
_SHORTEST, _ENDING = 2, 3  # characters
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
_normal = lru_cache(normalise)  # the same passage is searched many times


class Piece(NamedTuple):
    """Words of a sentence that the question does not have, up to a word that begins another piece."""

    begin: int  # number of its first word, the mark included
    first: int
    last: int
    kind: str  # what its mark says: "where" for "in Ipoh"; empty without one
    mark: str


class Sentence(NamedTuple):
    said: str
    passage: str
    language: str
    places: list[tuple[int, int]]  # of its words
    words: list[str]  # normalised
    is_asked: list[bool]  # whether a word is one of the question's
    asked: int  # how many words are, with those that only join two others
    kind: str  # of the question; empty if it asks for something else than `KINDS`
    counts: bool  # whether it asks for a number
    asking: str  # the question word
    before: list[str]  # the question's words before it, and after it
    behind: list[str]

    @property
    def others(self) -> int:
        """How many words the question has beside its question word."""
        return len(self.before) + len(self.behind)

    @property
    def takes_up(self) -> bool:
        return self.asked >= max(2, LEAST_SHARE * self.others)

    def text(self, first: int, last: int) -> str:
        text = self.said[self.places[first][0] : self.places[last][1]].strip(STOPS + TRIM + "，")
        return text if re.search(r"[()（）]", text[1:-1]) else text.strip("()（）")

    def pattern(self, name: str) -> re.Pattern[str]:
        return pattern(name, self.language)

    def asked_in(self, text: str) -> list[bool]:
        """Whether each word of a text is one of the question's."""
        return taken_up(normal_words(text, self.language), [*self.before, "", *self.behind], self.language)

    def fits(self, piece: Piece) -> int:
        """How well it fits the place of the question word: 2 if the words before are the same, plus 1 if those after are."""
        width = 2 if self.language in UNSEGMENTED else 1
        in_place = bool(self.before) or self.language not in _FRONTED
        before = in_place and self.words[max(piece.begin - width, 0) : piece.begin] == self.before[-width:]
        before |= not self.before and self.is_named_by(piece.begin - 1)
        return 2 * before + (self.words[piece.last + 1 : piece.last + 1 + width] == self.behind[:width])

    def is_named_by(self, number: int) -> bool:
        """Whether a word is the noun after the question word, "magazine" for "Which magazine …?", or a verb such as "named"."""
        others = (self.pattern("copula"), self.pattern("article"))
        nouns = [word for word in self.behind if not any(other.fullmatch(word) for other in others)]
        return number >= 0 and taken_up(self.words[number : number + 1], nouns[:1], self.language) == [True]

    def asked_beside(self, piece: Piece) -> int:
        """How many of the question's words stand directly before and after it."""
        before, behind = self.is_asked[: piece.begin][::-1], self.is_asked[piece.last + 1 :]
        return sum(len(list(takewhile(bool, words))) for words in (before, behind))

    def asks_by(self, mark: str) -> bool:
        """Whether the question has the mark of a piece beside its question word: "from where"."""
        if self.language in BEHIND:
            return self.asking.endswith(mark[-_ENDING:]) if self.language == "ta" else mark in self.behind[:1]
        return mark in (*self.before[-3:], *self.behind[-1:], *self.asking.casefold().split()[:-1])

    @property
    def unit(self) -> int:
        return UNSEGMENTED.get(self.language, 1)

    @property
    def gaps(self) -> list[tuple[int, int]]:
        """First and last word of each run of words that the question does not have, without a Burmese mark at its beginning."""
        runs = [(taken, list(run)) for taken, run in groupby(range(len(self.places)), key=self.is_asked.__getitem__)]
        gaps = [part for taken, run in runs if not taken for part in self.clauses(run[0], run[-1])]
        return [(first + (self.language == "my" and 0 < first < last and self.is_mark(first)), last) for first, last in gaps]

    def clauses(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """First and last word of the parts between commas. A list, a description and words of the passage stay whole."""
        is_list = any_word("joined", self.language).search(self.text(first, last))
        for number in range(first, last if self.kind != "who" and not is_list else first):
            has_comma = re.search(COMMA, self.said[self.places[number][1] - 1 : self.places[number + 1][0] + 1])
            if has_comma and not in_passage(self.text(number, number + 1), self.passage):
                yield first, number
                first = number + 1
        yield first, last

    def is_mark(self, number: int) -> bool:
        """Whether a word marks a person, a place, a time or a cause beside it."""
        return any(self.pattern(f"before_{kind}").fullmatch(self.said, *self.places[number]) for kind in KINDS)

    def without_joint(self, text: str, *, begins: bool = True) -> str:
        """A phrase without a word that joins it to one of the question's before it, and without one that cannot end it.

        `begins` says whether such a word is before it. A word in capitals is a part of a name: "Nghệ An".
        """
        words = self.pattern("joins")
        joint = words.match(text) or (self.pattern("that").match(text) if self.language in UNSEGMENTED else None)
        ends = re.search(rf"\s(?:{words.pattern})\Z", text, re.IGNORECASE) or at_end("unfinished", text, self.language)
        end = ends.start() if ends and ends[0].strip()[:1] == ends[0].strip()[:1].lower() else None
        return text[joint.end() if joint and begins else 0 : end].strip(STOPS + TRIM + '"”')

    def standing(self, first: int, last: int) -> str:
        """The words that the passage has, without a few that join them to the question's words; empty if it does not have them.

        Never left out are a number and one of two things that are joined. If the rest has no capitals, it is at least half.
        """
        joined = any_word("joined", self.language)
        for without in range(min(_MOST_JOINING * self.unit + 1, last - first + 1)):
            for behind in range(without + 1):
                begin, end = first + without - behind, last - behind
                cut = (self.text(first, begin - 1) if begin > first else "") + (self.text(end + 1, last) if behind else "")
                text = self.text(begin, end)
                if re.search(r"\d", cut) or joined.search(cut) or joined.match(text) or not in_passage(text, self.passage):
                    continue
                kept = end - begin + 1 - (self.language == "vi")  # whose words mostly have two syllables
                if without <= kept or not text[begin == 0 :].islower():
                    return self.without_joint(text, begins=first > 0) if first > 0 or last < len(self.places) - 1 else text
        return ""


def parsed(said: str, question: str, passage: str, language: str) -> Sentence:
    """The sentence, compared with a question; `passage` is what the question is about."""
    found = {kind: match for kind in (*KINDS, "amount", "what") if (match := pattern(kind, language).search(question))}
    kind = min(found, key=lambda kind: found[kind].start(), default="")  # of those that begin first, the first in this order
    before, behind = words_beside(question, found.get(kind), language)
    asking, places = found[kind][0] if found else "", places_of_words(said, language)
    words = normal_words(said, language)
    taken = _asked(said, places, words, [*before, "", *behind], language)
    is_asked, marked = _without_joints(words, taken, language), kind if kind in KINDS else ""
    return Sentence(
        said, passage, language, places, words, is_asked, sum(taken), marked, kind == "amount", asking, before, behind
    )


def _asked(said: str, places: Sequence[tuple[int, int]], words: Sequence[str], asked: Sequence[str], language: str) -> list[bool]:
    """Whether each word is one of the question's, or the pronoun that stands for its subject."""
    is_asked = taken_up(words, asked, language)
    for number, ((last, _), (begin, _)) in enumerate(pairwise(places)):  # "Town" goes on a name that begins with "George"
        is_asked[number + 1] &= is_asked[number] or not (said[last].isupper() and said[begin].isupper())
    # the subject comes first, in Tagalog after the verb
    subjects = (pattern("pronoun", language).match(said, begin) for begin, _ in places[: 1 + (language == "tl")])
    subject = next(filter(None, subjects), None)
    if subject:
        own = (subject.start() <= begin < subject.end() for begin, _ in places)
        is_asked = [taken or stands for taken, stands in zip(is_asked, own, strict=True)]
    return is_asked


def _without_joints(words: Sequence[str], is_asked: Sequence[bool], language: str) -> list[bool]:
    """Whether each word is one of the question's, without those that join two others: "of" in "the Bank of China"."""
    found, joints = list(is_asked), (pattern("joins", language), any_word("unfinished", language))
    for number, word in enumerate(words[1:-1], 1):
        is_joint = any(joint.fullmatch(word) for joint in joints) and not pattern("copula", language).fullmatch(word)
        found[number] &= found[number - 1] or found[number + 1] or not is_joint
    return found


def pieces(sentence: Sentence) -> list[Piece]:
    """The words between those of the question, cut before words that mark a person, a place, a time or a cause."""
    cut = _cut_behind if sentence.language in BEHIND else _cut_before
    return [piece for first, last in sentence.gaps for piece in cut(sentence, first, last)]


def _cut_before(sentence: Sentence, first: int, last: int) -> Iterator[Piece]:
    # a mark may be the last of the question's words before the gap
    marks = {number: mark for number in range(max(first - 3, 0), last + 1) if (mark := mark_at(sentence, number))}
    before = [number for number, (behind, *_) in marks.items() if number < first == behind]
    starts = [*before[:1], *(number for number in marks if number >= first)]
    starts = [number for number in starts if not any(other < number < marks[other][0] for other in starts)]
    reasons = {marks[number][0] for number in starts if sentence.kind == "why" and "why" in marks[number][1]}
    starts = [number for number in starts if number not in reasons]  # "because after …"
    times = {number for number in starts if marks[number][1] == {"when"}}
    # a date stays whole: "on Monday, 3 June"
    starts = [after for before, after in pairwise([-1, *starts]) if before not in times or marks[after][1:] != ({"when"}, "")]
    if not starts or starts[0] > first:
        yield Piece(first, first, (starts or [last + 1])[0] - 1, "", "")
    for number, following in pairwise([*starts, last + 1]):
        behind, kinds, word = marks[number]
        if behind < following:
            piece = Piece(number, behind, following - 1, "", word)
            yield piece._replace(kind=_kind(sentence, piece, kinds))


def mark_at(sentence: Sentence, number: int) -> tuple[int, set[str], str] | None:
    """The number of the word after a mark, the kinds that it may mark, and its text; None if no mark begins at a word."""
    begin = sentence.places[number][0]
    behind = {end: following for following, (_, end) in enumerate(sentence.places, 1)}
    found = {
        kind: match.end()
        for kind in (_MARKED if sentence.kind else KINDS)
        if (match := sentence.pattern(f"before_{kind}").match(sentence.said, begin))
    }
    if found:
        end = max(found.values())
        kinds = {kind for kind in found if found[kind] == end}
        # in Thai, a mark and the next word may be one word
        return (behind[end], kinds, normalise(sentence.said[begin:end])) if end in behind else (number, kinds, "")
    return (number, {"when"}, "") if sentence.pattern("times").match(sentence.said, begin) else None


def _kind(sentence: Sentence, piece: Piece, kinds: set[str]) -> str:
    """Which of several kinds a mark stands for: "when" before a time, "why" before a purpose if asked why, or the question's."""
    if kinds & {"when", "where"} and is_time(sentence, piece):
        return "when"
    if sentence.kind == "why" and any_word("purposes", sentence.language).match(sentence.said, sentence.places[piece.begin][0]):
        return "why"
    return sentence.kind if sentence.kind in kinds else next(kind for kind in ("where", *_MARKED) if kind in kinds)


def is_time(sentence: Sentence, piece: Piece) -> bool:
    text = sentence.text(piece.begin, piece.last)
    starts = (begin for begin, _ in sentence.places[piece.begin : piece.last + 1])  # "wan", day, is no part of "Savannakhet"
    has_time = any(sentence.pattern("time").match(sentence.said, start) for start in starts)
    return has_time or (sentence.pattern("times").match(text) or _YEAR.search(text)) is not None


def _cut_behind(sentence: Sentence, first: int, last: int) -> Iterator[Piece]:
    """A Burmese mark is the word after a phrase, a Tamil one the ending of its last word."""
    is_ending = sentence.language == "ta"
    begin = first
    for number in range(first, last + 1):
        place = number + (not is_ending)
        mark = sentence.text(place, place) if place < len(sentence.places) else ""
        found = {kind: sentence.pattern(f"before_{kind}") for kind in KINDS}
        kinds = {kind for kind, pattern in found.items() if (pattern.search if is_ending else pattern.fullmatch)(mark)}
        if (kinds or number == last) and begin <= number:
            piece = Piece(begin, begin, number, "", mark)
            piece = piece._replace(kind=_kind(sentence, piece, kinds) if kinds else "")
            following = sentence.text(place + 1, place + 1) if is_ending and number < last else ""
            if not (kinds and following.endswith(mark[-_ENDING:])):  # "temple-at gate-at"
                yield piece
                begin = place + 1


def may_answer(sentence: Sentence, first: int, last: int) -> bool:
    """Whether words are not denied, no part of a longer name or number, and a number or no time if the question asks for that.

    A mark alone answers nothing: "because of".
    """
    before, behind = sentence.said[: sentence.places[first][0]].rstrip(), sentence.said[sentence.places[last][1] :]
    if at_end("denies", before, sentence.language) or re.match(r"\s?[A-Z\d]", behind):
        return False
    own = [number for number in range(first, last + 1) if not sentence.is_asked[number]] or [first]
    names = ("article", "joins", *(f"before_{kind}" for kind in _MARKED))
    if any(sentence.pattern(name).fullmatch(sentence.text(own[0], own[-1])) for name in names):
        return False
    if sentence.counts:
        starts = (sentence.places[number][0] for number in range(first, last + 1))
        return any(begins_number(sentence.said, start, sentence.language) for start in starts)
    return sentence.kind not in ("who", "where") or not is_time(sentence, Piece(first, first, last, "", ""))


def in_passage(phrase: str, passage: str) -> bool:
    """Whether a passage has a phrase in whole words after `normalise`. A Tamil noun may have a case ending there."""
    wanted = _normal(phrase.strip(STOPS + TRIM))
    if len(wanted) < _SHORTEST:
        return False
    there = _normal(passage)
    if stands_in(wanted, there):
        return True
    if not "\u0b80" <= wanted[-1] <= "\u0bff":
        return False
    stem = re.escape(wanted.removesuffix("\u0bcd"))  # a vowel sign takes the place of the dot
    return re.search(rf"(?<!\S){stem}(?<=[\u0b80-\u0bff]{{3}})[\u0b80-\u0bff]{{1,6}}(?!\S)", there) is not None
