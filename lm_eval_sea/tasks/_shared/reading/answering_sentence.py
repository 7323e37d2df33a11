"""Finds the phrase that answers a question in a sentence that repeats words of the question. A pure function, no I/O."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby, pairwise, takewhile
from typing import TYPE_CHECKING, NamedTuple

from ..metrics.target_language import letters_by_script
from ..metrics.words import normalise, stands_in
from .answer_patterns import any_word, at_end
from .answer_text import COLON, STOPS, TRIM
from .final_span import without_denied
from .number_words import begins_number
from .prefaces_and_notes import is_foreign
from .question_words import PREFIXING, UNSEGMENTED, normal_words, pattern, places_of_words, taken_up, words_beside


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


_KINDS = ("why", "when", "where", "who")
_MARKED = (*_KINDS, "how")
# Fewest words of the question before a clause that is cut off, and most words that join a phrase to these: "in the year".
_FEWEST_ASKED, _MOST_JOINING = 3, 3
_FEWEST_ADDED = 3  # words of a clause that "and" adds, with this word
_SHORTEST, _ENDING, _LONGEST = 2, 3, 500  # characters
# A sentence takes up the question if it repeats at least this share of its words.
_LEAST_SHARE, _LEAST_SHARE_OF_AMOUNT = 0.75, 0.5  # the latter if it asks for a number
_LONGEST_SOURCE = 60
_normal = lru_cache(normalise)  # the same passage is searched many times
_BLANKLESS = {"km", "lo", "my", "th", "zh"}
_SYLLABLES_OF_WORD = 3  # about, in languages that are compared by syllables
_BEHIND = {"my", "ta"}  # here the word that marks a phrase comes after it
# "Which", in languages whose names end with what they name, and characters of that.
_WHICH, _LONGEST_NOUN = {"哪", "မည်သည့်", "ဘယ်", "အဘယ်"}, 12
_FRONTED = {"en", *PREFIXING}  # the question word comes first, wherever the phrase that answers would stand
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
_COMMA = "[,，、\u104a]"
_SENTENCE = r"(?<=[^\s.]{4})(?<!\bProf)(?<!\bEngr)(?<!\bCapt)(?<!\bAtty)[.!?](?=\s)|[\u3002\u104b\u17d4]"  # not the stop of an abbreviation
_SENTENCES = r"(?<=[^\s.]{3}[.!?])(?<!\bProf\.)(?<!\bEngr\.)(?<!\bCapt\.)(?<!\bAtty\.)\s+|(?<=[\u3002\u104b\u17d4])\s*"
_MOST_WORDS, _LONGEST_TAG = 8, 20  # words of a phrase, characters
_SHORTEST_COPY = 4  # characters; Chinese phrases may be shorter
_LEAST_COPY = 0.6  # share of a passage; two or more copied sentences that long answer nothing
_QUOTED = re.compile(r"[\"“«「]([^\"”»」]+)[\"”»」]")
_AFTER_DATE = re.compile(r"(?<=\d),[^,\d]+\Z")  # "1755, after the treaty"
_APPOSITION = re.compile(r"\A([^,]+),[^,]+,?\Z")  # "Kelvin Tan, the owner's nephew"


class _Piece(NamedTuple):
    """Words of a sentence that the question does not have, up to a word that begins another piece."""

    begin: int  # number of its first word, the mark included
    first: int
    last: int
    kind: str  # what its mark says: "where" for "in Ipoh"; empty without one
    mark: str


class _Sentence(NamedTuple):
    said: str
    passage: str
    language: str
    places: list[tuple[int, int]]  # of its words
    words: list[str]  # normalised
    is_asked: list[bool]  # whether a word is one of the question's
    kind: str  # of the question; empty if it asks for something else than `_KINDS`
    counts: bool  # whether it asks for a number
    asking: str  # the question word
    before: list[str]  # the question's words before it, and after it
    behind: list[str]

    def text(self, first: int, last: int) -> str:
        text = self.said[self.places[first][0] : self.places[last][1]].strip(STOPS + TRIM + "，")
        return text if re.search(r"[()（）]", text[1:-1]) else text.strip("()（）")

    def pattern(self, name: str) -> re.Pattern[str]:
        return pattern(name, self.language)

    def asked_in(self, text: str) -> list[bool]:
        """Whether each word of a text is one of the question's."""
        return taken_up(normal_words(text, self.language), [*self.before, "", *self.behind], self.language)

    def fits(self, piece: _Piece) -> int:
        """How well it fits the place of the question word: 2 if the words before are the same, plus 1 if those after are."""
        width = 2 if self.language in UNSEGMENTED else 1
        in_place = bool(self.before) or self.language not in _FRONTED
        before = in_place and self.words[max(piece.begin - width, 0) : piece.begin] == self.before[-width:]
        before |= not self.before and self.is_named_by(piece.begin - 1)
        return 2 * before + (self.words[piece.last + 1 : piece.last + 1 + width] == self.behind[:width])

    def is_named_by(self, number: int) -> bool:
        """Whether a word is the noun after the question word: "magazine" for "Which magazine …?"."""
        others = (self.pattern("copula"), self.pattern("article"))
        nouns = [word for word in self.behind if not any(other.fullmatch(word) for other in others)]
        return number >= 0 and taken_up(self.words[number : number + 1], nouns[:1], self.language) == [True]

    def asked_beside(self, piece: _Piece) -> int:
        """How many of the question's words stand directly before and after it."""
        before, behind = self.is_asked[: piece.begin][::-1], self.is_asked[piece.last + 1 :]
        return sum(len(list(takewhile(bool, words))) for words in (before, behind))

    def asks_by(self, mark: str) -> bool:
        """Whether the question has the mark of a piece beside its question word: "from where"."""
        if self.language in _BEHIND:
            return self.asking.endswith(mark[-_ENDING:]) if self.language == "ta" else mark in self.behind[:1]
        return mark in (*self.before[-2:], *self.behind[-1:], *self.asking.casefold().split()[:-1])

    @property
    def unit(self) -> int:
        return _SYLLABLES_OF_WORD if self.language in UNSEGMENTED else 1

    @property
    def gaps(self) -> list[tuple[int, int]]:
        """First and last word of each run of words that the question does not have, without a Burmese mark at its beginning."""
        runs = [(taken, list(run)) for taken, run in groupby(range(len(self.places)), key=self.is_asked.__getitem__)]
        gaps = [part for taken, run in runs if not taken for part in self.clauses(run[0], run[-1])]
        return [(first + (self.language == "my" and 0 < first < last and self.is_mark(first)), last) for first, last in gaps]

    def clauses(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """First and last word of the parts between commas. It is no part if the passage has the comma between the same words."""
        for number in range(first, last):
            has_comma = re.search(_COMMA, self.said[self.places[number][1] - 1 : self.places[number + 1][0]])
            if has_comma and not _in_passage(self.text(max(number - 1, first), number + 1), self.passage):
                yield first, number
                first = number + 1
        yield first, last

    def is_mark(self, number: int) -> bool:
        """Whether a word marks a person, a place, a time or a cause beside it."""
        return any(self.pattern(f"before_{kind}").fullmatch(self.text(number, number)) for kind in _KINDS)

    def without_joint(self, text: str) -> str:
        """A phrase after one of the question's words without a word that joins the two, or one that cannot end it."""
        words = self.pattern("joins")
        begins = words.match(text) or (self.pattern("that").match(text) if self.language in UNSEGMENTED else None)
        ends = re.search(rf"\s(?:{words.pattern})\Z", text, re.IGNORECASE)
        ends = ends or at_end("unfinished", text, self.language)
        return text[begins.end() if begins else 0 : ends.start() if ends else None].strip(STOPS + TRIM + '"”')

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
                if re.search(r"\d", cut) or joined.search(cut) or joined.match(text) or not _in_passage(text, self.passage):
                    continue
                kept = end - begin + 1 - (self.language == "vi")  # whose words mostly have two syllables
                if without <= kept or not text[begin == 0 :].islower():
                    return self.without_joint(text) if first else text
        return ""


def phrase_of_passage(said: str, question: str, passage: str, language: str) -> str:
    """The passage's phrase in an answer that repeats the question: "César Pelli" in "They were designed by César Pelli".

    The answer may have a few more words that join the phrase to the question's. The kind of question selects it: "where" takes
    what follows "in" unless that is a time, "how many" takes the number. Otherwise it is what follows "namely", or what stands
    beside the question's words. The answer stays as it is if it has several such phrases, or if it is a sentence of the passage
    and repeats few of the question's words. Then only what the passage lacks around a phrase is cut off: a gloss ("45 héktar
    (hectares)"), a title, a description. The result is empty if the answer copies the passage, gives two answers to choose from,
    or breaks off before it answers.
    """
    is_copied = _in_passage(said, passage)
    if is_copied and len(said) > _LEAST_COPY * len(passage) and len(re.findall(_SENTENCE, said.rstrip(STOPS))) > 1:
        return ""
    if len(said) > _LONGEST:
        return said
    if not is_copied:
        quoted = _QUOTED.match(said)
        if quoted and _in_passage(quoted[1], passage) and not _in_passage(quoted[1], question):
            return quoted[1]  # the words around it are not in the passage
        said = _nearest_sentence(said, question, passage, language)
    framed = _without_frame(said, question, language)
    sentence = _without_addition(_parsed(framed if is_copied else without_denied(framed, language), question, passage, language))
    asked, others = sum(sentence.is_asked), len(sentence.before) + len(sentence.behind)
    takes_up = asked >= max(2, _LEAST_SHARE * others)
    if (sentence.counts or sentence.kind in ("when", "where", "who")) and _leaves_two(said, passage, language):
        return ""
    gives_two = any_word("either", language).search(question)  # then the answer is among the question's words
    if all(sentence.is_asked) and asked >= max(_FEWEST_ASKED * sentence.unit, _LEAST_SHARE * others) and not gives_two:
        return ""  # it breaks off
    answers = takes_up if is_copied else asked > 0
    if (answers or asked >= _LEAST_SHARE_OF_AMOUNT * others) and (number := _number_asked(sentence)):
        return number
    if is_copied and not takes_up and not _is_sentence(sentence, said):
        return said
    found = _of_kind(sentence) if answers else ""
    if answers and not is_copied and (named := _named_at_end(sentence)):
        within = bool(found) and named.endswith(found)
        if not found or within != (sentence.kind == "who"):  # "is now owned by Mei Ling", "is Bath in Somerset"
            return named
    if found is None and asked > 1:
        found = _at_place(sentence)
    return found or _core(said, sentence)


def copied_phrase(said: str, answer: str, question: str, passage: str, language: str) -> str:
    """What was read from an answer or, if the passage does not have it, the words that the answer copies from the passage.

    Words of the question at their ends are cut off. Of several runs of words, the last counts that has more than two thirds as
    many characters as the longest, without words of the question. What was read stays if a sentence has two such runs, or if it
    is only copied words, words of the question and another number. The result is empty if it only speaks of the passage.
    """
    sentences = re.split(rf"{_SENTENCES}|\n", answer[:_LONGEST].strip())
    is_whole = len(sentences) == 1 or len(answer) <= len(said) + _LONGEST_TAG
    read = _parsed(said, question, passage, language)
    if _in_passage(said, passage):
        if all(read.is_asked) or _may_answer(read, 0, len(read.places) - 1):
            return said
    elif is_whole and _is_phrase(read) and not re.search(rf"[(（][^()（）]*{re.escape(said)}", answer):
        return said
    parts = [list(_copied(_parsed(sentence, question, passage, language))) for sentence in sentences]
    most = max((size for part in parts for _, size in part), default=0)
    if not most and any_word("asks", language).search(said):
        return ""  # it speaks of the passage, and has none of its words
    *_, last = [], *(long for part in parts if (long := [text for text, size in part if 3 * size > 2 * most]))
    copied = last[0] if len(last) == 1 else said
    # what would be lost: a number ("15 April"), or nothing but words of the question in another form
    own = [copied] if copied in said else [text for part in parts for text, _ in part]
    rest = re.sub("|".join([r"[(（][^()（）]*[)）]", *map(re.escape, own)]), "", said)
    others = _parsed(rest, question, passage, language).is_asked
    return said if all(re.search(r"\d", text) for text in (copied, rest)) or (rest != said and others and all(others)) else copied


def _is_phrase(sentence: _Sentence) -> bool:
    """Whether it is short, and no sentence about the question or of another language: "eighteen metres"."""
    said, few = sentence.said, sum(sentence.is_asked) < 2 * sentence.unit
    is_marked = re.search(rf"{COLON}|[→\"“|(（\n]", said) or len(letters_by_script(said)) > 1
    is_short = len(sentence.words) <= _MOST_WORDS * sentence.unit
    return few and is_short and not is_marked and not is_foreign(said, sentence.language)


def _copied(sentence: _Sentence) -> Iterator[tuple[str, int]]:
    """The longest runs of words that the passage has and that may answer, without words of the question at their ends.

    Each comes with its number of characters, without those of words of the question.
    """
    begin, end = 0, len(sentence.places)
    while begin < end:
        stop = begin
        while stop < end and _in_passage(sentence.text(begin, stop), sentence.passage):
            stop += 1
        own = [number for number in range(begin, stop) if not sentence.is_asked[number]]
        if own and _may_answer(sentence, begin, stop - 1):
            asked = {*sentence.before, *sentence.behind}
            size = sum(len(word) for word in sentence.words[begin:stop] if word not in asked)
            if size >= _SHORTEST_COPY or re.search("[\u4e00-\u9fff]", sentence.text(own[0], own[-1])):
                yield sentence.text(own[0], own[-1]), size
        begin = max(stop, begin + 1)


def _may_answer(sentence: _Sentence, first: int, last: int) -> bool:
    """Whether words are not denied, no part of a longer name or number, and a number or no time if the question asks for that.

    A mark alone answers nothing: "because of".
    """
    before, behind = sentence.said[: sentence.places[first][0]].rstrip(), sentence.said[sentence.places[last][1] :]
    if at_end("denies", before, sentence.language) or re.match(r"\s?[A-Z\d]", behind):
        return False
    own = [number for number in range(first, last + 1) if not sentence.is_asked[number]] or [first]
    if any(sentence.pattern(f"before_{kind}").fullmatch(sentence.text(own[0], own[-1])) for kind in _KINDS):
        return False
    if sentence.counts:
        starts = (sentence.places[number][0] for number in range(first, last + 1))
        return any(begins_number(sentence.said, start, sentence.language) for start in starts)
    return sentence.kind not in ("who", "where") or not _is_time(sentence, _Piece(first, first, last, "", ""))


def _nearest_sentence(said: str, question: str, passage: str, language: str) -> str:
    """The only sentence that takes up the question, the one that concludes, or that with most words of passage and question.

    The first one counts if it is a phrase of the passage: "In 1957. It was built in 1883."
    """
    sentences = [part for part in re.split(_SENTENCES, said) if part.strip()]
    first = _parsed(sentences[0].rstrip(STOPS) if sentences else "", question, passage, language)
    if len(sentences) > 1 and _in_passage(first.said, passage) and _is_phrase(first):
        return first.said
    sizes, full = [], []
    for sentence in (_parsed(part, question, passage, language) for part in sentences):
        copied = max((size for _, size in _copied(sentence)), default=0)
        asked = sum(len(word) for word, is_asked in zip(sentence.words, sentence.is_asked, strict=True) if is_asked)
        sizes.append(copied and copied + asked)
        if sum(sentence.is_asked) >= max(2, _LEAST_SHARE * (len(sentence.before) + len(sentence.behind))):
            full.append(sentence.said)
    if len(full) == 1 < len(sentences) and not all(_parsed(full[0], question, passage, language).is_asked):
        return full[0].rstrip(STOPS)
    if len(sentences) < 2 or not any(sizes):
        return said
    concludes = sizes[-1] and any_word("so", language).match(sentences[-1])
    return sentences[-1 if concludes else sizes.index(max(sizes))].rstrip(STOPS)


def _leaves_two(said: str, passage: str, language: str) -> bool:
    """Whether an answer is "A or B", and the passage has A and B, but not "A or B"."""
    either = any_word("either", language).search(said)
    if either is None:
        return False
    first, second = said[: either.start()], re.split(rf"{_COMMA}|[(（;；]|[.!?]\s", said[either.end() :], maxsplit=1)[0]
    return (
        not _in_passage(f"{first}{either[0]}{second}", passage) and _in_passage(first, passage) and _in_passage(second, passage)
    )


def _lacks_number(phrase: str, said: str) -> bool:
    """Whether a phrase has a number, and the rest of the answer another one: "15" of "April 15, 1945"."""
    return all(re.search(r"\d", text) for text in (phrase, said.replace(phrase, "", 1)))


def _core(said: str, sentence: _Sentence) -> str:
    """A phrase without the words around it that the passage lacks; the phrase itself if the passage lacks the rest, too.

    Such words are a title, a mark ("in 1974") and a description ("Anna, the owner's niece").
    """
    if _in_passage(said, sentence.passage):
        return said
    marks = (*re.finditer(rf"{_COMMA}|[(（](?=[^()（）]*[)）])", said), *sentence.pattern("describes").finditer(said))
    joined = any_word("joined", sentence.language)
    for head in (said, *(said[: mark.start()] for mark in marks if not joined.search(said, mark.start()))):
        for text in (head, *_without_leading(head, sentence)):
            if _in_passage(text, sentence.passage) and not _lacks_number(text, said):
                return text.strip(STOPS + TRIM)
    return said


def _without_leading(said: str, sentence: _Sentence) -> Iterator[str]:
    """A phrase without its title, and without the mark of the kind that the question asks for."""
    names = [f"before_{sentence.kind}", "titles"] if sentence.kind else ["titles"]
    for words in (*map(sentence.pattern, names), *([sentence.pattern("time")] if sentence.kind == "when" else [])):
        if found := re.match(rf"(?:{words.pattern})[.]?\s*", said, re.IGNORECASE):
            said = said[found.end() :]
            yield said


def _parsed(said: str, question: str, passage: str, language: str) -> _Sentence:
    found = {kind: match for kind in (*_KINDS, "amount", "what") if (match := pattern(kind, language).search(question))}
    kind = min(found, key=lambda kind: found[kind].start(), default="")  # of those that begin first, the first in this order
    before, behind = words_beside(question, found.get(kind), language)
    asking, places = found[kind][0] if found else "", places_of_words(said, language)
    words = normal_words(said, language)
    is_asked = taken_up(words, [*before, "", *behind], language)
    for number, ((last, _), (begin, _)) in enumerate(pairwise(places)):  # "Town" goes on a name that begins with "George"
        is_asked[number + 1] &= is_asked[number] or not (said[last].isupper() and said[begin].isupper())
    joints, copula = (pattern("joins", language), any_word("unfinished", language)), pattern("copula", language)
    for number in range(1, len(words) - 1):  # "of" in "the Bank of China"
        is_joint = any(joint.fullmatch(words[number]) for joint in joints) and not copula.fullmatch(words[number])
        is_asked[number] &= is_asked[number - 1] or is_asked[number + 1] or not is_joint
    # the subject comes first, in Tagalog after the verb
    subjects = (pattern("pronoun", language).match(said, begin) for begin, _ in places[: 1 + (language == "tl")])
    subject = next(filter(None, subjects), None)
    if subject:
        own = (subject.start() <= begin < subject.end() for begin, _ in places)
        is_asked = [taken or stands for taken, stands in zip(is_asked, own, strict=True)]
    marked = kind if kind in _KINDS else ""
    return _Sentence(said, passage, language, places, words, is_asked, marked, kind == "amount", asking, before, behind)


def _without_addition(sentence: _Sentence) -> _Sentence:
    """A sentence without what a further clause adds.

    Such a clause begins with a word like "while". Or it has none of the question's words, is no list, and the passage does not
    have it there.
    """
    adds, joined = sentence.pattern("adds"), any_word("joined", sentence.language)
    begins = rf"{_COMMA}|[;；]|\s(?=(?:{adds.pattern}|{joined.pattern}))"
    for mark in re.finditer(begins, sentence.said, re.IGNORECASE):
        head, rest = sentence.said[: mark.start()], sentence.said[mark.start() :]
        kept = sum(begin < mark.start() for begin, _ in sentence.places)
        around = f"{head.split()[-1]}{rest}" if head.split() else rest
        clause = rest.lstrip(",，、\u104a;； ")
        around_joint = sentence.text(kept - 1, min(kept + sentence.unit, len(sentence.places) - 1)) if kept else ""
        is_list = re.match(rf"\S+\s(?:[A-Z]|(?i:{sentence.pattern('time').pattern}))", clause)
        is_list = is_list or _in_passage(around_joint, sentence.passage)
        if sentence.kind and (own := sentence.pattern(f"before_{sentence.kind}")).search(clause) and not own.search(head):
            continue  # "the reason why …, is because …"
        describes = re.match(_COMMA, rest) and sentence.pattern("describes").match(clause)
        is_other = (
            (sentence.kind != "when" and adds.match(clause))
            or describes
            or (
                not any(sentence.is_asked[kept:])
                and (
                    joined.search(rest) is None
                    or (joined.match(clause) and len(sentence.places) - kept > _FEWEST_ADDED * sentence.unit and not is_list)
                )
                and (any_word("denies", sentence.language).match(clause) or not _in_passage(around, sentence.passage))
            )
        )
        if sum(sentence.is_asked[:kept]) >= _FEWEST_ASKED * sentence.unit and is_other and not all(sentence.is_asked[:kept]):
            places, words, is_asked = sentence.places[:kept], sentence.words[:kept], sentence.is_asked[:kept]
            return sentence._replace(said=head, places=places, words=words, is_asked=is_asked)
    return sentence


def _is_sentence(sentence: _Sentence, said: str) -> bool:
    """Whether words of a passage begin a sentence of it; in Thai and Lao, whether they follow a space."""
    stop = r"\s" if sentence.language in ("th", "lo") else r"(?:[.!?\u3002\u104b\u17d4]|\n)\s*"
    return re.search(rf"(?:\A|{stop}){re.escape(said)}", sentence.passage, re.IGNORECASE) is not None


def _without_frame(said: str, question: str, language: str) -> str:
    """A sentence without its source, "According to Captain Dara, …", and a closing verb; unchanged if the question names one."""
    source = pattern("source", language)
    if source.search(question):
        return said
    comma = rf"(?:{_COMMA}\s*|\s)" if language in _BLANKLESS else rf"(?:{_COMMA}| thì )\s*"
    if language in _BEHIND:
        found = re.match(rf".{{1,{_LONGEST_SOURCE}}}?(?:{source.pattern}){comma}", said)
    else:
        found = re.match(rf"(?:\w{{1,5}},\s+)?(?:{source.pattern}).{{1,{_LONGEST_SOURCE}}}?{comma}", said, re.IGNORECASE)
    if found is None:
        words = any_word("asks", language).pattern
        found = re.match(
            rf"[^,\d]{{0,25}}?(?:{words})[^,\d]{{0,40}}?(?:{pattern('that', language).pattern})\s*", said, re.IGNORECASE
        )
    said = (said[found.end() :] if found else said).rstrip(STOPS)
    closes = pattern("closes", language).pattern
    return re.sub(rf"(?<=\S)\s*(?:{closes})\Z", "", said.rstrip(STOPS)) if closes != "(?:(?!))" else said


def _number_asked(sentence: _Sentence) -> str:
    """The only number of a sentence, or the only one that is no time, with what follows it, if the question asks for a number.

    Words of the question ("37 kiosks"), "about" and "more than" are no part of it, as in most published references. Empty if
    there is none, or if the text begins with a number: that is an amount with its unit, not a sentence.
    """
    if not sentence.counts:
        return ""
    said, starts = sentence.said, [begin for begin, _ in sentence.places]
    numbers = [place for place, begin in enumerate(starts) if begins_number(said, begin, sentence.language)]
    if 0 in numbers:
        return ""
    both = re.compile("|".join(any_word(place, sentence.language).pattern for place in ("to", "joined")), re.IGNORECASE)
    joined = {place for place in numbers if place - 2 in numbers and both.fullmatch(sentence.text(place - 1, place - 1))}
    firsts = [place for place in numbers if place - 1 not in numbers and place not in joined]
    firsts = [place for place in firsts if not re.search(r"\d[.,]\Z", said[: starts[place]])]
    pieces = _pieces(sentence)
    found = [(first, piece) for piece in pieces for first in firsts if piece.first <= first <= piece.last]
    found = [(first, piece) for first, piece in found if piece.kind != "when"] or found
    if len(found) > 1:  # "30 workers" for "How many workers …?"
        units = sentence.behind[:1]
        counted = [(first, piece) for first, piece in found if units and sentence.words[first + 1 : first + 2] == units]
        beside = [(first, piece) for first, piece in found if any(sentence.is_asked[max(first - 1, 0) : first + 2])]
        found = counted or beside or found
    if not found:
        return ""
    first, (_, _, end, *_) = found[0]
    end = max([end, *(piece.last for piece in pieces if joined & set(range(piece.first, piece.last + 1)))])
    begin = starts[max(joined & set(range(first, end + 1)), default=first)]
    joined_to = any_word("joined", sentence.language).search(said, begin, sentence.places[end][1])
    while joined_to and end > first and sentence.places[end][1] > joined_to.start():
        end -= 1
    texts = (sentence.without_joint(sentence.text(first, last)) for last in range(end, first - 1, -1))
    return next((text for text in texts if text.isdigit() or _in_passage(text, sentence.passage)), "")


def _named_at_end(sentence: _Sentence) -> str:
    """What follows the last verb that equates ("namely"), if the passage has it; else empty."""
    ends = [link.end() for link in any_word("equates", sentence.language).finditer(sentence.said)]
    named = sentence.said[ends[-1] :].strip(STOPS + TRIM + "，") if ends else ""
    return named if named and not all(sentence.asked_in(named)) and _in_passage(named, sentence.passage) else ""


def _of_kind(sentence: _Sentence) -> str | None:
    """The phrase whose mark fits the kind of question, empty if it is no answer; None if no mark fits."""
    pieces = _pieces(sentence)
    own = [piece for piece in pieces if piece.mark and sentence.asks_by(piece.mark)]  # "from where": not "to"
    own = own or [piece for piece in pieces if piece.kind and piece.kind == sentence.kind]
    if not own:
        return None
    own = _joined_in_passage(sentence, own)
    times = [piece for piece in pieces if _is_time(sentence, piece)] if sentence.kind == "when" else []
    if times and not (own := [piece for piece in own if piece in times]):
        return None
    if sentence.kind == "why" and sentence.language not in _BEHIND:
        pause = rf"(?:{_COMMA}|\s)" if sentence.language in _BLANKLESS else _COMMA
        effect = re.compile(rf"{pause}\s*(?:{any_word('so', sentence.language).pattern})", re.IGNORECASE)
        ends = effect.search(sentence.said, sentence.places[own[0].begin][0])
        kept = sum(begin < ends.start() for begin, _ in sentence.places) if ends else len(sentence.places)
        own = [own[0]._replace(last=kept - 1)]
    found = _standing(sentence, own)
    if sentence.kind == "why":
        found = [(piece, text) for piece, text in found if not sentence.pattern("time").search(text)]
    if sentence.language not in _BEHIND:  # in other words than the passage
        others = [piece for piece in own if piece not in dict(found) and _may_answer(sentence, piece.begin, piece.last)]
        found += [(piece, sentence.text(piece.first, piece.last)) for piece in others]
    if sentence.kind == "when":
        found = [(piece, _AFTER_DATE.sub("", text)) for piece, text in found]
    return _best(sentence, found)


def _joined_in_passage(sentence: _Sentence, pieces: Sequence[_Piece]) -> list[_Piece]:
    """The pieces. Two neighbours become one if the passage has them together: "a marsh near Lyon in the west"."""
    joined: list[_Piece] = []
    for piece in pieces:
        last = joined[-1] if joined else None
        if last and last.last + 1 == piece.begin and _in_passage(sentence.text(last.first, piece.last), sentence.passage):
            joined[-1] = last._replace(last=piece.last)
        else:
            joined.append(piece)
    return joined


def _best(sentence: _Sentence, found: Sequence[tuple[_Piece, str]]) -> str:
    """The phrase that fits best in the place of the question word, or else stands beside most of its words; else the longest."""
    ranks = [
        (sentence.fits(piece), sentence.asked_beside(piece), _in_passage(text, sentence.passage), len(text), text)
        for piece, text in found
    ]
    text = max(ranks)[-1] if ranks else ""
    return _with_noun(sentence, text) if text and sentence.asking in _WHICH else text


def _with_noun(sentence: _Sentence, text: str) -> str:
    """A phrase with the noun that the question names, if the passage has the two together: "Xiamen University"."""
    begin = sentence.said.find(text)
    longest = sentence.said[begin : begin + len(text) + _LONGEST_NOUN]
    nouns = ["".join(sentence.behind[place : place + size]) for place in (0, 1) for size in (4, 3, 2, 1)]
    ends = (longest.find(noun, len(text)) + len(noun) for noun in nouns if noun in longest[len(text) :])
    return next((longest[:end] for end in ends if _in_passage(longest[:end], sentence.passage)), text)


def _at_place(sentence: _Sentence) -> str:
    """The phrase at an end of the sentence, else between the question's words; empty if there is none."""
    pieces, end = _pieces(sentence), len(sentence.places) - 1
    found = list[tuple[_Piece, str]]()
    for first, last in sentence.gaps:
        inside = [piece for piece in pieces if first <= piece.first <= last]
        own = [piece for piece in inside if piece.kind in ("", sentence.kind)]
        is_marked = sentence.language not in _BEHIND and sentence.is_mark(last)
        mark = None if sentence.kind or sentence.language in _BEHIND else _mark_at(sentence, first)
        begin = mark[0] if mark and mark[2] and "why" not in mark[1] else first  # "by" before a company
        whole = [_Piece(first, begin, last - is_marked, "", "")] if begin <= last - is_marked else []
        if len(inside) > 1 and inside[-1].kind == "when" and not sentence.kind and whole and sentence.fits(whole[0]) > 1:
            whole = [whole[0]._replace(last=inside[-1].begin - 1)]
        if not sentence.kind and len(inside) > 1 and not _in_passage(sentence.text(first, last), sentence.passage):
            whole, own = [], [piece for piece in inside if piece.kind != "when"]
        if sentence.kind == "who" and len(inside) > 1 and not inside[0].kind:
            whole, own = [], inside[:1]
        is_verb = (
            len(own) > 1 and 0 < first == own[0].last and sentence.text(first, first).islower() and own[1].begin == first + 1
        )
        own = own[is_verb:]  # "made" in "made from flour"
        described = [
            number for number in range(first + 1, last) if sentence.pattern("describes").fullmatch(sentence.words[number])
        ]
        named = [each._replace(last=described[0] - 1) for each in whole[:1] if described and described[0] > each.first]
        found += _standing(sentence, whole) or _standing(sentence, named) or _standing(sentence, own)
    if sentence.kind == "when":
        found = [(piece, text) for piece, text in found if _is_time(sentence, piece)] or found
    if sentence.kind == "who":
        found = [(piece, _APPOSITION.sub(r"\1", text)) for piece, text in found]
    if not sentence.kind:
        found = [(piece, text) for piece, text in found if not _is_time(sentence, piece)] or found
    beside = [(piece, text) for piece, text in found if sentence.asked_beside(piece)]
    at_ends = [(piece, text) for piece, text in beside if piece.begin == 0 or piece.last == end or sentence.fits(piece) > 1]
    return _best(sentence, at_ends or found)


def _standing(sentence: _Sentence, pieces: Iterable[_Piece]) -> list[tuple[_Piece, str]]:
    """The pieces that the passage has, each with its words there, without those that only repeat words of the question."""
    pieces = [piece for piece in pieces if not sentence.counts or _may_answer(sentence, piece.first, piece.last)]
    found = [(piece, text) for piece in pieces if (text := sentence.standing(piece.first, piece.last))]
    return [(piece, text) for piece, text in found if not all(sentence.asked_in(text))]


def _pieces(sentence: _Sentence) -> list[_Piece]:
    """The words between those of the question, cut before words that mark a person, a place, a time or a cause."""
    cut = _cut_behind if sentence.language in _BEHIND else _cut_before
    return [piece for first, last in sentence.gaps for piece in cut(sentence, first, last)]


def _cut_before(sentence: _Sentence, first: int, last: int) -> Iterator[_Piece]:
    # a mark may be the last of the question's words before the gap
    marks = {number: mark for number in range(max(first - 3, 0), last + 1) if (mark := _mark_at(sentence, number))}
    before = [number for number, (behind, *_) in marks.items() if number < first == behind]
    starts = [*before[:1], *(number for number in marks if number >= first)]
    starts = [number for number in starts if not any(other < number < marks[other][0] for other in starts)]
    times = {number for number in starts if marks[number][1] == {"when"}}
    # a date stays whole: "on Monday, 3 June"
    starts = [after for before, after in pairwise([-1, *starts]) if before not in times or marks[after][1:] != ({"when"}, "")]
    if not starts or starts[0] > first:
        yield _Piece(first, first, (starts or [last + 1])[0] - 1, "", "")
    for number, following in pairwise([*starts, last + 1]):
        behind, kinds, word = marks[number]
        if behind < following:
            piece = _Piece(number, behind, following - 1, "", word)
            yield piece._replace(kind=_kind(sentence, piece, kinds))


def _mark_at(sentence: _Sentence, number: int) -> tuple[int, set[str], str] | None:
    """The number of the word after a mark, the kinds that it may mark, and its text; None if no mark begins at a word."""
    begin = sentence.places[number][0]
    behind = {end: following for following, (_, end) in enumerate(sentence.places, 1)}
    found = {
        kind: match.end()
        for kind in (_MARKED if sentence.kind else _KINDS)
        if (match := sentence.pattern(f"before_{kind}").match(sentence.said, begin))
    }
    if found:
        end = max(found.values())
        kinds = {kind for kind in found if found[kind] == end}
        # in Thai, a mark and the next word may be one word
        return (behind[end], kinds, normalise(sentence.said[begin:end])) if end in behind else (number, kinds, "")
    return (number, {"when"}, "") if sentence.pattern("times").match(sentence.said, begin) else None


def _kind(sentence: _Sentence, piece: _Piece, kinds: set[str]) -> str:
    """Which of several kinds a mark stands for: "when" before a time, "why" before a purpose if asked why, or the question's."""
    if kinds & {"when", "where"} and _is_time(sentence, piece):
        return "when"
    if sentence.kind == "why" and any_word("purposes", sentence.language).match(sentence.said, sentence.places[piece.begin][0]):
        return "why"
    return sentence.kind if sentence.kind in kinds else next(kind for kind in ("where", *_MARKED) if kind in kinds)


def _is_time(sentence: _Sentence, piece: _Piece) -> bool:
    text = sentence.text(piece.begin, piece.last)
    return (sentence.pattern("time").search(text) or sentence.pattern("times").match(text) or _YEAR.search(text)) is not None


def _cut_behind(sentence: _Sentence, first: int, last: int) -> Iterator[_Piece]:
    """A Burmese mark is the word after a phrase, a Tamil one the ending of its last word."""
    is_ending = sentence.language == "ta"
    begin = first
    for number in range(first, last + 1):
        place = number + (not is_ending)
        mark = sentence.text(place, place) if place < len(sentence.places) else ""
        found = {kind: sentence.pattern(f"before_{kind}") for kind in _KINDS}
        kinds = {kind for kind, pattern in found.items() if (pattern.search if is_ending else pattern.fullmatch)(mark)}
        if (kinds or number == last) and begin <= number:
            piece = _Piece(begin, begin, number, "", mark)
            piece = piece._replace(kind=_kind(sentence, piece, kinds) if kinds else "")
            following = sentence.text(place + 1, place + 1) if is_ending and number < last else ""
            if not (kinds and following.endswith(mark[-_ENDING:])):  # "temple-at gate-at"
                yield piece
                begin = place + 1


def _in_passage(phrase: str, passage: str) -> bool:
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
