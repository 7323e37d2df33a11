"""Finds the phrase that answers a question in a sentence that repeats words of the question. Pure functions, no I/O."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING

from .added_clauses import leaves_two, without_addition, without_frame, without_insertion
from .answer_patterns import any_word
from .answer_text import STOPS, TRIM
from .copied_phrase import LONGEST_SENTENCE, SENTENCES, nearest_sentence
from .final_span import without_denied
from .number_words import begins_number, joins_fraction
from .parsed_sentence import (
    BEHIND,
    BLANKLESS,
    COMMA,
    KINDS,
    LEAST_SHARE,
    Piece,
    Sentence,
    in_passage,
    is_time,
    mark_at,
    may_answer,
    parsed,
    pieces,
)


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


_FEWEST_ASKED = 3  # words of the question in a sentence that has no others
_LEAST_SHARE_OF_AMOUNT = 0.5  # of the question's words in a sentence whose number counts
_LEAST_SHARE_OF_SENTENCE = 0.6  # of its words that are the question's, in a sentence of the passage
_LEAST_COPY = 0.6  # share of a passage; two or more copied sentences that long answer nothing
# "Which", in languages whose names end with what they name, and characters of that.
_WHICH, _LONGEST_NOUN = {"哪", "မည်သည့်", "ဘယ်", "အဘယ်"}, 12
_WHAT = {"gì", "cái gì"}  # asks for no noun before it
_MOST_LISTED = 8  # a longer list may take a pattern very long
_LONGEST_TITLE = 4  # words before a name, as in "sân bay quốc tế"
_QUOTED = re.compile(r"[\"“«「]([^\"”»」]+)[\"”»」]")
_GLOSS = re.compile(r"(?<=\S)\s*[(（]([^()（）]+)[)）]")
_LAST_GLOSS = re.compile(r"\A([^()（）]*\S)\s+[(（][^()（）]+[)）]\Z")
_AFTER_DATE = re.compile(r"(?<=\d),[^,\d]+\Z")  # "1755, after the treaty"
_APPOSITION = re.compile(r"([^,]+),\s*([^,]*[^,\s]),?")  # "Kelvin Tan, the owner's nephew"


def phrase_of_passage(said: str, question: str, passage: str, language: str) -> str:
    """The phrase that answers in a sentence that repeats the question: "César Pelli" in "They were designed by César Pelli".

    The kind of question selects it: "where" takes what follows "in" unless that is a time, "how many" takes the number.
    Otherwise it is what follows "namely", or what stands beside the question's words. Of several phrases, the one counts that
    fits the place of the question word, or stands beside most of these words. The passage tells which words belong to it. A gloss
    in brackets does not, nor does "year" before a date, where nine of ten published references are without it.

    A sentence of the passage stays as it is if it repeats few of the question's words. If no phrase is found, only what the
    passage lacks around a phrase is cut off: a gloss ("45 héktar (hectares)"), a title, a description. The result is empty if the
    answer copies the passage, gives two answers to choose from, or breaks off before it answers.
    """
    is_copied = in_passage(said, passage)
    if is_copied and len(said) > _LEAST_COPY * len(passage) and len(re.split(SENTENCES, said.rstrip(STOPS))) > 2:
        return ""
    if len(said) > LONGEST_SENTENCE:
        return said
    if not is_copied:
        listed = _list_of_passage(said, passage)
        if listed and not parsed(said, question, passage, language).asked:
            return listed
        quoted = _QUOTED.match(said)
        if quoted and in_passage(quoted[1], passage) and not in_passage(quoted[1], question):
            return quoted[1]  # the words around it are not in the passage
        said = nearest_sentence(said, question, passage, language)
        said = _GLOSS.sub(lambda gloss: gloss[0] if in_passage(gloss[1], passage) else "", said)
    framed = without_insertion(without_frame(said, question, language), question, passage, language)
    sentence = without_addition(parsed(framed if is_copied else without_denied(framed, language), question, passage, language))
    if _answers_nothing(sentence, said, question):
        return ""
    phrase = _of_copy(sentence, said) if is_copied else _of_own_words(sentence, said, framed)
    return phrase if phrase == said else _with_noun_of_name(_LAST_GLOSS.sub(r"\1", phrase), sentence)


def _list_of_passage(said: str, passage: str) -> str:
    """What is said if it is a list of phrases of the passage: as the passage joins them, if it does; empty for anything else."""
    parts = [part.strip() for part in re.split(COMMA, said)]
    if not 1 < len(parts) <= _MOST_LISTED or not all(in_passage(part, passage) for part in parts):
        return ""
    joined = re.search(r"(?:[,、]\s*|\s+)?(?:\w{1,5}\s*)?".join(map(re.escape, parts)), passage, re.IGNORECASE)
    return joined[0] if joined else said


def _answers_nothing(sentence: Sentence, said: str, question: str) -> bool:
    """Whether it gives two answers, or breaks off before it answers: it has only words of a question that does not give two."""
    if (sentence.counts or sentence.kind in ("when", "where", "who")) and leaves_two(said, sentence.passage, sentence.language):
        return True
    takes_up = sentence.asked >= max(_FEWEST_ASKED * sentence.unit, LEAST_SHARE * sentence.others)
    return all(sentence.is_asked) and takes_up and any_word("either", sentence.language).search(question) is None


def _of_copy(sentence: Sentence, said: str) -> str:
    """The phrase that answers in words of the passage; all these words if they are no sentence about the question."""
    is_reason = sentence.kind == "why" and sentence.asked > 1
    has_reason = is_reason and any(piece.kind == "why" and piece.begin for piece in pieces(sentence))
    is_about = sentence.takes_up or _is_mostly_asked(sentence) or has_reason
    is_amount = is_about or sentence.asked >= _LEAST_SHARE_OF_AMOUNT * sentence.others
    if is_amount and (number := _number_asked(sentence)):
        return number
    if not (is_about and (sentence.kind or not sentence.takes_up)) and not _is_sentence(sentence, said):
        return said
    found = _of_kind(sentence) if is_about else ""
    if found is None and sentence.asked > 1:
        found = _at_place(sentence)
    return found or _core(said, sentence)


def _of_own_words(sentence: Sentence, said: str, framed: str) -> str:
    """The phrase that answers in a sentence that the passage does not have. `framed` is `said` without its source."""
    answers = sentence.asked > 0
    if (answers or not sentence.others) and (number := _number_asked(sentence)):
        return number
    found = _of_kind(sentence) if answers else ""
    named = _named_at_end(sentence) if answers else ""
    # "is now owned by Mei Ling", "is because of rain", "is Bath in Somerset"
    if named and (not found or named.endswith(found) != (sentence.kind in ("who", "why"))):
        return named
    if found is None and sentence.asked > 1:
        found = _at_place(sentence)
    return found or _core(framed if sentence.language == "my" and sentence.asked < 2 else said, sentence)


def _of_kind(sentence: Sentence) -> str | None:
    """The phrase whose mark fits the kind of question, empty if it is no answer; None if no mark fits."""
    cut = pieces(sentence)
    marked = [piece for piece in cut if piece.mark and (piece.kind or sentence.language != "ta")]
    own = [piece for piece in marked if sentence.asks_by(piece.mark)]  # "from where": not "to"
    own = own or [piece for piece in cut if piece.kind and piece.kind == sentence.kind]
    in_place = not sentence.kind and sentence.language not in BEHIND
    if not own or (in_place and any(sentence.fits(Piece(first, first, last, "", "")) > 1 for first, last in sentence.gaps)):
        return None
    within = sentence.pattern("within")
    begins = {piece.begin for piece in own}
    parts = [
        piece
        for piece in cut
        if piece.begin in begins or (piece.kind == sentence.kind == "where" and within.fullmatch(piece.mark))
    ]
    own = [piece for piece in _joined_in_passage(sentence, parts) if piece.begin in begins]
    times = [piece for piece in cut if is_time(sentence, piece)] if sentence.kind == "when" else []
    if times and not (own := [piece for piece in own if piece in times]):
        return None
    if sentence.kind == "why" and sentence.language not in BEHIND:
        own = [_up_to_effect(sentence, own[0])]
    found = _standing(sentence, own)
    if sentence.kind == "why":
        found = [(piece, text) for piece, text in found if not sentence.pattern("time").search(text)]
    if sentence.language not in BEHIND:  # in other words than the passage
        others = [piece for piece in own if piece not in dict(found) and may_answer(sentence, piece.begin, piece.last)]
        texts = ((piece, sentence.text(piece.first, piece.last)) for piece in others)
        found += [(piece, text) for piece, text in texts if text and not _is_cut(sentence, text)]
    if sentence.kind == "when":
        found = [(piece, _AFTER_DATE.sub("", text)) for piece, text in found]
    found = _without_apposition(sentence, found)
    return _best(sentence, [(piece, text) for piece, text in found if not sentence.pattern("article").fullmatch(text)])


def _without_apposition(sentence: Sentence, found: Sequence[tuple[Piece, str]]) -> list[tuple[Piece, str]]:
    """Persons without what describes them before or behind a comma; a list of persons stays."""
    joined = any_word("joined", sentence.language)

    def named(text: str) -> str:
        parts = None if joined.search(text) else _APPOSITION.fullmatch(text)
        if parts is None:
            return text
        return parts[2] if parts[1][0].islower() and parts[2][0].isupper() else parts[1]

    return [(piece, named(text)) for piece, text in found] if sentence.kind == "who" else list(found)


def _is_cut(sentence: Sentence, text: str) -> bool:
    """Whether a phrase ends with a part of a word of the passage: the token limit may have cut it."""
    if sentence.language in BLANKLESS:
        return False
    last = re.escape(text.rsplit(maxsplit=1)[-1])
    return re.search(rf"\b{last}\b", sentence.passage) is None and re.search(rf"\b{last}\w", sentence.passage) is not None


def _up_to_effect(sentence: Sentence, reason: Piece) -> Piece:
    """A reason with all that follows, up to "so" or, if it comes first, the question's words: "because of rain, the bridge …"."""
    pause = rf"(?:{COMMA}|\s)" if sentence.language in BLANKLESS else COMMA
    so = re.compile(rf"{pause}\s*(?:{any_word('so', sentence.language).pattern})", re.IGNORECASE)
    ends = so.search(sentence.said, sentence.places[reason.begin][0])
    kept = sum(begin < ends.start() for begin, _ in sentence.places) if ends else len(sentence.places)
    while reason.begin == 0 and kept > reason.last + 1 and sentence.is_asked[kept - 1]:
        kept -= 1
    return reason._replace(last=kept - 1)


def _joined_in_passage(sentence: Sentence, cut: Sequence[Piece]) -> list[Piece]:
    """The pieces. Two neighbours become one if the passage has them together: "a marsh near Lyon in the west"."""
    joined: list[Piece] = []
    for piece in cut:
        last = joined[-1] if joined else None
        if last and last.last + 1 == piece.begin and in_passage(sentence.text(last.first, piece.last), sentence.passage):
            joined[-1] = last._replace(last=piece.last)
        else:
            joined.append(piece)
    return joined


def _at_place(sentence: Sentence) -> str:
    """The phrase at an end of the sentence, else between the question's words; empty if there is none."""
    cut, end = pieces(sentence), len(sentence.places) - 1
    found = [each for gap in sentence.gaps for each in _in_gap(sentence, *gap, cut)]
    if sentence.language == "ta":  # whose last word is the verb
        found = [(piece, text) for piece, text in found if piece.first < end] or found
    is_of_kind = [is_time(sentence, piece) == (sentence.kind == "when") for piece, _ in found]
    if sentence.kind in ("", "when") and any(is_of_kind):
        found = [each for each, is_right in zip(found, is_of_kind, strict=True) if is_right]
    found = _without_apposition(sentence, found)
    beside = [(piece, text) for piece, text in found if sentence.asked_beside(piece)]
    at_ends = [(piece, text) for piece, text in beside if piece.begin == 0 or piece.last == end or sentence.fits(piece) > 1]
    return _best(sentence, at_ends or found)


def _in_gap(sentence: Sentence, first: int, last: int, cut: Sequence[Piece]) -> list[tuple[Piece, str]]:
    """The phrases between two of the question's words: all that stands there, else what is described, else the pieces."""
    inside = [piece for piece in cut if first <= piece.first <= last]
    own = [piece for piece in inside if piece.kind in ("", sentence.kind)]
    whole = _whole_gap(sentence, first, last)
    if not sentence.kind and len(inside) > 1:
        is_dated = inside[-1].kind == "when" and re.search(r"\d", sentence.text(inside[-1].first, inside[-1].last))
        if is_dated and whole and sentence.fits(whole[0]) > 1:
            whole = [whole[0]._replace(last=inside[-1].begin - 1)]
        if not in_passage(sentence.text(first, last), sentence.passage):
            whole, own = [], [piece for piece in inside if piece.kind != "when"]
    further = [piece.begin for piece in inside[1:] if piece.kind in ("when", "how", "why")] if sentence.kind == "who" else []
    if further and not inside[0].kind:
        whole, own = [each._replace(last=further[0] - 1) for each in whole], inside[:1]
    is_first_alone = len(own) > 1 and 0 < first == own[0].last == own[1].begin - 1
    if is_first_alone and sentence.text(first, first).islower():
        own = own[1:]  # without "made" in "made from flour"
    describes = [number for number in range(first + 1, last) if sentence.pattern("describes").fullmatch(sentence.words[number])]
    described = [each._replace(last=describes[0] - 1) for each in whole if describes and describes[0] > each.first]
    return _standing(sentence, whole) or _standing(sentence, described) or _standing(sentence, own)


def _whole_gap(sentence: Sentence, first: int, last: int) -> list[Piece]:
    """All words of a gap but a mark at its end, and one such as "by" at its beginning if the kind of question is not known."""
    if sentence.language in BEHIND:
        return [Piece(first, first, last, "", "")]
    last -= sentence.is_mark(last)
    mark = None if sentence.kind else mark_at(sentence, first)
    begin = mark[0] if mark and mark[2] and "why" not in mark[1] else first
    return [Piece(first, begin, last, "", "")] if begin <= last else []


def _standing(sentence: Sentence, cut: Iterable[Piece]) -> list[tuple[Piece, str]]:
    """The pieces that the passage has, each with its words there. A single word of the question is none, unless it is a name."""
    own = [piece for piece in cut if not sentence.counts or may_answer(sentence, piece.first, piece.last)]
    found = [(piece, text) for piece in own if (text := sentence.standing(piece.first, piece.last))]
    return [(piece, text) for piece, text in found if not (text.islower() and all(sentence.asked_in(text)) and " " not in text)]


def _best(sentence: Sentence, found: Sequence[tuple[Piece, str]]) -> str:
    """The phrase that fits best in the place of the question word, or else stands beside most of its words; else the longest."""
    ranks = [
        (
            sentence.kind != "who" or not text.islower(),  # "Budi" before "the person who"
            sentence.fits(piece),
            sentence.asked_beside(piece),
            in_passage(text, sentence.passage),
            len(text),
            text,
        )
        for piece, text in found
    ]
    text = max(ranks)[-1] if ranks else ""
    return _with_noun(sentence, text) if text and sentence.asking in _WHICH else text


def _with_noun(sentence: Sentence, text: str) -> str:
    """A phrase with the noun that the question names, if the passage has the two together: "Xiamen University"."""
    begin = sentence.said.find(text)
    longest = sentence.said[begin : begin + len(text) + _LONGEST_NOUN]
    if sentence.language == "zh":  # mostly of two syllables, after one that counts things
        nouns = ["".join(sentence.behind[place : place + size]) for place in (1, 0) for size in (2, 1)]
    else:
        marks = "|".join(["ကို", *(sentence.pattern(f"before_{kind}").pattern for kind in KINDS)])
        nouns = ["".join(takewhile(lambda word: not re.fullmatch(marks, word), sentence.behind))]
    ends = (longest.find(noun, len(text)) + len(noun) for noun in nouns if noun and noun in longest[len(text) :])
    return next((longest[:end] for end in ends if in_passage(longest[:end], sentence.passage)), text)


def _with_noun_of_name(phrase: str, sentence: Sentence) -> str:
    """A phrase with the noun before it that the question asks for, if the passage writes it as part of a name: "Lake Toba"."""
    begin = next(
        (number for number in range(len(sentence.places)) if sentence.said.startswith(phrase, sentence.places[number][0])), 0
    )
    is_which = not (sentence.kind or sentence.counts or sentence.asking in _WHAT)
    for size in range(min(_LONGEST_TITLE, begin) if is_which else 0, 0, -1):
        if sentence.words[begin - size : begin] in (sentence.before[-size:], sentence.behind[:size]):
            name = sentence.said[sentence.places[begin - size][0] : sentence.places[begin][0]] + phrase
            there = re.search(rf"[^\s.!?:]\s+({re.escape(name)})", sentence.passage, re.IGNORECASE)
            if there and there[1][0].isupper():
                return name
    return phrase


def _number_asked(sentence: Sentence) -> str:
    """The number of a sentence with what follows it, if the question asks for one; of several that of `_counted`.

    Words of the question ("37 kiosks"), "about" and "more than" are no part of it, as in most published references. Empty if
    there is none, or if the text begins with a number: that is an amount with its unit, not a sentence.
    """
    if not sentence.counts:
        return ""
    said, starts = sentence.said, [begin for begin, _ in sentence.places]
    numbers = [place for place, begin in enumerate(starts) if begins_number(said, begin, sentence.language)]
    both = re.compile("|".join(any_word(place, sentence.language).pattern for place in ("to", "joined")), re.IGNORECASE)
    between = {place: sentence.text(place - 1, place - 1) for place in numbers if place - 2 in numbers}
    joined = {place for place, word in between.items() if both.fullmatch(word) or joins_fraction(word, sentence.language)}
    firsts = [place for place in numbers if place - 1 not in numbers and place not in joined]
    firsts = [place for place in firsts if not re.search(r"\d[.,]\Z", said[: starts[place]])]
    cut = pieces(sentence)
    found = [(first, piece) for piece in cut for first in firsts if piece.first <= first <= piece.last]
    if 0 in numbers or not found:
        return ""
    first, piece = _counted(sentence, found)
    end = max([piece.last, *(each.last for each in cut if joined & set(range(each.first, each.last + 1)))])
    end = _end_of_amount(sentence, first, end, numbers, max(joined & set(range(first, end + 1)), default=first))
    texts = (sentence.without_joint(sentence.text(first, last)) for last in range(end, first - 1, -1))
    digit = re.compile(r"\d(?!\d)").match(said, starts[first])  # too short for `in_passage`
    return next((text for text in texts if (digit and text == digit[0]) or in_passage(text, sentence.passage)), "")


def _end_of_amount(sentence: Sentence, first: int, end: int, numbers: Sequence[int], last: int) -> int:
    """The last word of an amount, at most `end`. `first` is the word of its first number, `last` that of the end of a range.

    The amount ends before "and", and before a word that joins it to what is counted: "37.6 billion of its funds".
    """
    places = sentence.places
    further = any_word("joined", sentence.language).search(sentence.said, places[last][0], places[end][1])
    further = further or re.compile(rf"{COMMA}\s").search(sentence.said, places[last][0], places[end][1])
    while further and end > first and places[end][1] > further.start():
        end -= 1
    if sentence.language in BLANKLESS:
        return end
    joins = any_word("unfinished", sentence.language)
    ends = [place for place in range(first + 1, end) if joins.fullmatch(sentence.words[place]) and place + 1 not in numbers]
    return ends[0] - 1 if ends else end


def _counted(sentence: Sentence, found: Sequence[tuple[int, Piece]]) -> tuple[int, Piece]:
    """Of several numbers one that is no time, and stands nearest to what the question counts, or beside most of its words.

    It counts the word after "how many", or part of the question word: "2 metres wide". A number of the same clause is nearer.
    """
    found = [(first, piece) for first, piece in found if piece.kind != "when"] or found
    measured = {*sentence.behind[:1], *sentence.asking.casefold().split()[1:]}
    copula = sentence.pattern("copula")
    nouns = [number for number, word in enumerate(sentence.words) if sentence.is_named_by(number) and not copula.fullmatch(word)]
    places = [number for number, word in enumerate(sentence.words) if word in measured] + nouns

    def rank(each: tuple[int, Piece]) -> tuple[tuple[int, int], int]:
        first, piece = each
        ways = (sorted((first, place)) for place in places)
        nearest = min(((len(re.findall(COMMA, sentence.text(*way))), way[1] - way[0]) for way in ways), default=(0, 0))
        return (-nearest[0], -nearest[1]), sentence.asked_beside(piece._replace(begin=first, last=first))

    return max(found, key=rank)


def _named_at_end(sentence: Sentence) -> str:
    """What follows the last verb that equates ("namely"), if the passage has it; else empty. A time is no part of a person."""
    links = any_word("equates", sentence.language).finditer(sentence.said)
    begin = max((link.end() for link in links), default=len(sentence.said))
    times = (sentence.places[piece.begin][0] for piece in pieces(sentence) if sentence.kind == "who" and piece.kind == "when")
    end = next((time for time in times if time > begin), None)
    rest = sentence.said[begin:end]
    texts = (text.strip(STOPS + TRIM + "，") for text in (rest, re.split(COMMA, rest.lstrip(" ,，"), maxsplit=1)[0]))
    return next((text for text in texts if text and not all(sentence.asked_in(text)) and in_passage(text, sentence.passage)), "")


def _core(said: str, sentence: Sentence) -> str:
    """A phrase without the words around it that the passage lacks; the phrase itself if the passage lacks the rest, too.

    Such words are a title, a mark ("in 1974") and a description ("Anna, the owner's niece").
    """
    if in_passage(said, sentence.passage):
        return said
    marks = (*re.finditer(rf"{COMMA}|[(（](?=[^()（）]*[)）])", said), *sentence.pattern("describes").finditer(said))
    joined = any_word("joined", sentence.language)
    for head in (said, *(said[: mark.start()] for mark in marks if not joined.search(said, mark.start()))):
        for text in (head, *_without_leading(head, sentence)):
            if in_passage(text, sentence.passage) and not _lacks_number(text, said):
                return text.strip(STOPS + TRIM)
    return said


def _without_leading(said: str, sentence: Sentence) -> Iterator[str]:
    """A phrase without its title, and without the mark of the kind that the question asks for."""
    names = [f"before_{sentence.kind}", "titles"] if sentence.kind else ["titles"]
    for words in (*map(sentence.pattern, names), *([sentence.pattern("time")] if sentence.kind == "when" else [])):
        if found := re.match(rf"(?:{words.pattern})[.]?\s*", said, re.IGNORECASE):
            said = said[found.end() :]
            yield said


def _lacks_number(phrase: str, said: str) -> bool:
    """Whether a phrase has a number, and the rest of the answer another one: "15" of "April 15, 1945"."""
    return all(re.search(r"\d", text) for text in (phrase, said.replace(phrase, "", 1)))


def _is_mostly_asked(sentence: Sentence) -> bool:
    """Whether most words of a sentence with a verb such as "is" are the question's: those that are not, answer it."""
    asked, links = sentence.asked, map(sentence.pattern("copula").fullmatch, sentence.words)
    return asked > _FEWEST_ASKED * sentence.unit and asked >= _LEAST_SHARE_OF_SENTENCE * len(sentence.words) and any(links)


def _is_sentence(sentence: Sentence, said: str) -> bool:
    """Whether words of a passage begin a sentence of it; in Thai and Lao, whether they follow a space."""
    stop = r"\s" if sentence.language in ("th", "lo") else r"(?:[.!?\u3002\u104b\u17d4]|\n)\s*"
    return re.search(rf"(?:\A|{stop}){re.escape(said)}", sentence.passage, re.IGNORECASE) is not None
