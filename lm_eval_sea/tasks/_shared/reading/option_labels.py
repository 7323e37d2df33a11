"""The ways in which answers write labels and texts of options, and patterns that find them. Pure functions, no I/O."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from .answer_patterns import WORD_BEGIN, WORD_END, any_word, is_end, known_languages, script_letters, spellings
from .answer_phrases import LABEL_WORDS, PHRASES, WRITTEN_TOGETHER
from .answer_text import STOPS, TRIM, plain


if TYPE_CHECKING:
    from collections.abc import Sequence


LONGEST_PHRASE = 300  # longer text after a label cannot be a phrase that may follow it
LONGEST_VERDICT, LONGEST_JOINT = 30, 20
OPENING, CLOSING = "([{\"'“‘«`【「<", ")]}\"'”’»`】」>"
# Languages with similar words for labels.
_COGNATE = ("id", "su", "ms", "tl", "ceb")


class Choices(NamedTuple):
    """The options of a question."""

    labels: tuple[str, ...]  # letters, digits or words, in the order of the options
    options: tuple[str, ...]  # the texts of the options; the labels themselves if these are words
    language: str  # code of the language of the answers
    tags: tuple[str, ...] = ()  # the words that ask for the answer in the prompt, such as "Jawaban:"

    @property
    def are_letters(self) -> bool:
        """Whether the labels are letters or digits, and not words."""
        return all(len(label) == 1 for label in self.labels)

    @property
    def patterns(self) -> Patterns:
        letters = script_letters(self.language)[: len(self.labels)]
        texts = {folded(option) for option in self.options}
        return _compile(self.labels, self.language, native=texts.isdisjoint(letters))

    def position_of(self, written: str) -> int:
        """The position of the option whose label is written like this."""
        return self.patterns.forms[written.casefold()]

    def named_in(self, text: str, start: int = 0) -> list[int]:
        """The positions of the options whose labels a text names, in the order of the text."""
        return [self.position_of(label[0]) for label in self.patterns.label.finditer(text, start)]

    def by_text(self, text: str) -> int | None:
        """The only option whose text is the whole `text`, perhaps with its label or polite words: "A fishing village (B)"."""
        whole, own = folded(text), [folded(option) for option in self.options]
        said = {whole, folded(re.sub(r"\s*\(\s*\w\s*\)[.\s]*\Z", "", text))} - {""}
        found = [position for position, option in enumerate(own) if option in said]
        if not found:
            begins = [each for each in own if each and whole.startswith(each) and len(whole) - len(each) < LONGEST_PHRASE]
            begins = [each for each in begins if is_end(whole[len(each) :], self.language)]
            found = [position for position, option in enumerate(own) if begins and option == max(begins, key=len)]
        if not found and not self.are_letters:  # "olah raga"
            found = [position for position, option in enumerate(own) if option == re.sub(r"[\s-]", "", whole)]
        return found[0] if len(found) == 1 else None


def is_small_letter(label: str) -> bool:
    """Whether a label is a lower-case letter, which may be a word: "a"."""
    return len(label) == 1 and label.islower()


class Patterns(NamedTuple):
    """The patterns of labels in a language. They do not depend on the options, which change from row to row."""

    forms: dict[str, int]  # each way a label is written, in lower case → the position of its option
    label: re.Pattern[str]  # a label in its own case, anywhere
    leading: re.Pattern[str]  # a label at the beginning, with the mark between it and the text of its option
    small: re.Pattern[str]  # the same in any case, always with a mark
    alone: re.Pattern[str]  # only a label
    named: re.Pattern[str]  # a label in any case, in brackets or not
    joint: re.Pattern[str]  # "or", "and", a comma or a slash between two labels; a space if labels are words
    other: re.Pattern[str]  # the label after a joint


@lru_cache(maxsize=256)
def _compile(labels: tuple[str, ...], language: str, *, native: bool) -> Patterns:
    """The patterns. With `native`, letters of the language's script are labels, too; no option may be such a letter."""
    forms = _forms(labels, language, native=native)
    single = all(len(label) == 1 for label in labels)
    case = 0 if single else re.IGNORECASE
    label, glued = _any_label(forms, language), _any_label(forms, language, glued=True)
    named = f"(?P<label>{label})"
    opening, closing = rf"[{re.escape(OPENING)}\s]*", rf"[{re.escape(CLOSING)}]*(?:[选選]?[项項])?"
    mark = r"(?P<mark>[.:)\uff1a\u17d6\u3001]"
    joints = any_word("joined", language).pattern + ("" if single else r"|(?<=\s)")
    longer = "|".join(re.escape(form) for form in forms if len(form) > 1 and language in WRITTEN_TOGETHER)
    other = f"(?P<label>{glued}|{longer})" if longer else f"(?P<label>{glued})"
    return Patterns(
        forms={form.casefold(): position for form, position in forms.items()},
        label=re.compile(label, case),
        leading=re.compile(rf"{opening}{named}(?P<close>{closing}){mark}|\s*[-–—=]|\s*\()?", case),
        small=re.compile(rf"{opening}{named}(?P<close>{closing}){mark})", re.IGNORECASE),
        alone=re.compile(rf"{opening}{named}(?P<close>{closing})(?P<mark>[.:)])?\s*\Z", re.IGNORECASE),
        named=re.compile(rf"{opening}(?P<label>{glued}){closing}", re.IGNORECASE),
        joint=re.compile(rf"{closing}\.?\s*(?:,\s*(?:{joints})|[,/&、\u104a]|{joints})\s*", re.IGNORECASE),
        other=re.compile(rf"{opening}{other}", re.IGNORECASE),
    )


def _forms(labels: Sequence[str], language: str, *, native: bool) -> dict[str, int]:
    """Each way to write a label → the position of its option."""
    words = [{plain(form) for form in _spellings(label, language)} for label in labels]
    forms = {form: place for place, own in enumerate(words) for form in own if sum(form in other for other in words) == 1}
    forms |= {plain(label): position for position, label in enumerate(labels)}
    if all(len(label) == 1 for label in labels):
        others = "ABCDEFGHIJ" if labels[0].isdecimal() else script_letters(language) if native else ""
        for position, other in enumerate(others[: len(labels)]):
            forms.setdefault(other, position)
    return forms


def _spellings(label: str, language: str) -> set[str]:
    """The ways to write a label that is a word: for "science/technology", also "science and technology" or one of the two."""
    found = {label, *spellings(label), *_other_words(label, language)}
    first, _, second = label.partition("/")
    if second:
        known = [PHRASES[code] for code in known_languages(language)]
        words = [word for each in known for word in each.joined.split("|")]
        joints = ("/", " / ", *words, *(f" {word} " for word in words))
        found |= {first, second, *(f"{first}{joint}{second}" for joint in joints)}
    # Sundanese and Javanese are often written without the accent
    return found | {form.replace("é", "e") for form in found}


def _other_words(label: str, language: str) -> set[str]:
    """Other names of a label that is a word, in all languages that are read."""
    said = [
        {word for code in (*known_languages(language), *_COGNATE) if code in words for word in words[code].split("|")}
        for words in LABEL_WORDS.values()
    ]
    found = [words for words in said if label.casefold() in words]
    return found[0] if len(found) == 1 else set()


def _any_label(forms: dict[str, int], language: str, *, glued: bool = False) -> str:
    """Any label as a whole word. A Latin label may touch letters of another script, and a Tamil one may have an ending.

    With `glued`, other words may touch its beginning in languages without spaces between words.
    """
    before = "" if glued and language in WRITTEN_TOGETHER else WORD_BEGIN
    after = rf"(?=யா[னக])|{WORD_END}" if language == "ta" else WORD_END
    latin = r"(?-i:[A-Za-z\d\u00c0-\u024f\u1e00-\u1eff])"
    # One group for each kind of boundary. Their order tries a longer form before a shorter one that begins it.
    together, bounded, in_latin = list[str](), list[str](), list[str]()
    for form in sorted(forms, key=len, reverse=True):
        is_glued = "\u4e00" <= form[0] <= "\u9fff" or (len(form) > 2 and language in WRITTEN_TOGETHER)
        (in_latin if form.isascii() else together if is_glued else bounded).append(re.escape(form))
    groups = (
        "|".join(together),
        f"{before}(?:{'|'.join(bounded)})(?:{after})" if bounded else "",
        f"(?<!{latin})(?:{'|'.join(in_latin)})(?!{latin})" if in_latin else "",
    )
    return "|".join(filter(None, groups))


@lru_cache(maxsize=256)
def folded(text: str) -> str:
    """Plain text in lower case, without marks around it or brackets around short numbers. The minus of a number stays."""
    line = re.sub(r"\((\d{1,2})\)", r"\1", " ".join(plain(text).casefold().split()))
    line = re.sub(r"(?<=\.) (?=\d)", "", line).strip(OPENING + CLOSING + STOPS + " *_")
    return line if re.match(r"-\d", line) else line.strip(OPENING + CLOSING + STOPS + " *_-–—")


def own_text(option: str) -> str:
    """The text of an option as answers write it: without quotation marks and stops."""
    return plain(option).strip(TRIM + STOPS)
