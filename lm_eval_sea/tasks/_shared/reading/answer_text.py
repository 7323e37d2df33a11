"""Reading the answer from generated text. Pure functions, no I/O.

The answer is the first line that has text. The tasks do not stop generation at a line break, because one may come before the
answer. They stop where the model begins another question (`generation_kwargs.until` in their YAML), and what follows the answer's
line is cut off here. With exemplars in the prompt this costs a few tokens: an empty line and the next question's first word.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from bisect import bisect_left
from difflib import SequenceMatcher
from functools import cache, lru_cache
from typing import TYPE_CHECKING


if TYPE_CHECKING:
    from collections.abc import Sequence


from ..facts import TASKS_FOLDER, read_yaml
from ..unicode_text import normal_form


# Stops after a label or a sentence: also Chinese ones, U+104A and U+104B of Burmese, U+17D4 and U+17D6 of Khmer.
STOPS = ".,:;!。、\u104a\u104b\u17d4\u17d6"
TRIM = " \t_`\"'“”‘’«»「」*<>[]{}|"  # marks around an answer
STOPS_OF_SCRIPTS = ("\u3002", "\u104b", "\u17d4")  # full stops of Chinese, Burmese and Khmer, which have no other use
# Markdown around a cue.
_MARKUP = r"[\s*_#>]*"
# The marks that may end a cue: a colon; the Khmer one and the sign often typed for it; the doubled stop of Burmese.
COLON = r"(?:[:：\u17d6\u17c8]|\u104b\s*\u104b)"
_DASH = r"[-–—]"  # ends a cue only before a space, because it may be a minus or join two words
_CLOSING_QUOTES = "\"'”’»」』`"
# The words that say what X stands for. Thai and Lao have no comma before them.
_WHERE = r"(?:,[^\n]*?\s(?-i:X)(?!\w)|\s+(?=[\u0e00-\u0eff])[^\n]*?\s(?-i:X)\s*(?:คือ|แทน|เป็น|ແມ່ນ|ຄື))"
PLACEHOLDER = r"(?:\$[A-Z]{2,}|ANSWER|SUMMARY|TRANSLATION)"
# Of a text that describes an answer: fewest letters, fewest if it begins with X, most characters.
_FEWEST_LETTERS, _FEWEST_OF_X, _LONGEST_PLACE = 14, 4, 200
_EMPTY_LINES = re.compile(r"\n(?:[^\S\n]*\n){2,}")
# Abbreviated titles as long as words, whose stop ends no sentence.
TITLES = "(?:Engr|Prof|Capt|Atty|Arch)"
SENTENCE_STOP = re.compile(r"\n|[.!?](?=\s)|[\u3002\u104b\u17d4]")
# Nikhahit, perhaps with a tone mark before or after it, and aa: Thai and Lao am, which Unicode does not compose in NFC.
_TWO_PART_AM = (
    (re.compile("([\u0e48-\u0e4b]?)\u0e4d([\u0e48-\u0e4b]?)\u0e32"), "\\1\\2\u0e33"),
    (re.compile("([\u0ec8-\u0ecb]?)\u0ecd([\u0ec8-\u0ecb]?)\u0eb2"), "\\1\\2\u0eb3"),
)
# What `composed` may turn into one character: a vowel in two parts, or a letter with its marks.
_CLUSTER = re.compile(
    "[\u0e48-\u0e4b]?\u0e4d[\u0e48-\u0e4b]?\u0e32|[\u0ec8-\u0ecb]?\u0ecd[\u0ec8-\u0ecb]?\u0eb2|\u0e40+|\u0ec0+"
    "|.[\u0300-\u036f\u0bbe\u0bd7\u102e]*",
    re.DOTALL,
)


def composed(text: str) -> str:
    """The text in Unicode NFC, with one form of the Thai and Lao vowels that can be typed in two parts and look alike.

    These are am (nikhahit and aa) and ae (e twice). Several empty lines become one: some models write nothing else.
    """
    text = _EMPTY_LINES.sub("\n\n", normal_form("NFC", text))
    for two_parts, one in _TWO_PART_AM:
        text = two_parts.sub(one, text)
    return text.replace("\u0e40\u0e40", "\u0e41").replace("\u0ec0\u0ec0", "\u0ec1")


def uncomposed(text: str, answer: str) -> str:
    """The part of an answer whose `composed` form is `text`; `text` itself if there is none."""
    if text in answer:
        return text
    clusters = _CLUSTER.findall(answer)
    ends = [0, *itertools.accumulate(len(composed(cluster)) for cluster in clusters)]
    begin = composed(answer).find(text)
    first, last = bisect_left(ends, begin), bisect_left(ends, begin + len(text))
    written = "".join(clusters[first:last])
    return written if begin >= 0 and composed(written) == text else text


@lru_cache(maxsize=256)  # options and tags are compared with every part of an answer
def plain(text: str) -> str:
    """The text for comparison, without differences that do not change an answer.

    Full-width letters, digits of other scripts and vowels in two parts get their usual form. Invisible characters, asterisks
    (bold type) and a space before the Thai or Lao sign of repetition are removed. Line breaks stay; other white space becomes one
    space.
    """
    text = composed(normal_form("NFKC", text))
    kept = (character for character in text if unicodedata.category(character) != "Cf" and character != "*")
    text = "".join(str(unicodedata.decimal(character, character)) for character in kept)
    return re.sub(r" (?=[ๆໆ])", "", "\n".join(" ".join(line.split()) for line in text.splitlines()))


def answer_lines(generated: str, cues: Sequence[str]) -> list[str]:
    """The lines that have text, in Unicode NFC, without spaces at their ends.

    Answer cues ("คำตอบ:") that the model repeats before its answer are cut off, also in bold, on a line of their own, or with
    another mark at the end: `:`, `៖` or `-`.
    """
    text = _without_blank_start(normal_form("NFC", generated))
    pattern = "|".join(f"{_MARKUP}{cue_pattern(cue)}[*_]*" for cue in cues)
    while pattern and (match := re.match(pattern, text, re.IGNORECASE)):
        text = _without_blank_start(text[match.end() :])
    return [line.strip() for line in text.splitlines() if line.strip()]


def answer_text(generated: str, cues: Sequence[str]) -> str:
    """The first of the `answer_lines`; empty if there is none."""
    return next(iter(answer_lines(generated, cues)), "")


def cue_pattern(cue: str, spellings: Sequence[str] = (), remark: str = "") -> str:
    """The regular expression for an answer cue or tag with any mark at its end, perhaps in bold, for text in Unicode NFC.

    `spellings` are other spellings of its words, without the mark. `remark` is a regular expression for what may come before the
    mark.
    """
    cue = composed(cue)
    words = words_of_cue(cue)
    forms = "|".join(re.escape(composed(form)) for form in dict.fromkeys((words, *spellings)))
    for whole, parts in (("\u0e33", "\u0e4d\u0e32"), ("\u0eb3", "\u0ecd\u0eb2")):
        forms = forms.replace(whole, f"(?:{whole}|{parts})")
    if words == cue:
        # without a mark a cue may be the beginning of the answer's first word
        return rf"(?:{forms})[*_]*(?!\w)"
    dash = _DASH if cue.endswith(("-", "–", "—")) else rf"{_DASH}(?=[\s*_]|$)"
    return rf"(?:{forms})[*_]*[^\S\n]*{remark}(?:{COLON}|{dash})"


def words_of_cue(cue: str) -> str:
    """An answer cue or tag without the mark at its end."""
    return cue.rstrip(":：\u17d6\u17c8-–— ")


def without_asked_form(text: str, tags: Sequence[str]) -> str:
    """The text without sentences that repeat the form of the prompt: 'Reply only in the form "Answer: X", where …'.

    The form is an answer tag of the prompt, X, and then a closing quotation mark or what X stands for. Or it is a tag and a
    placeholder, alone on a line above others: "Answer: $ANSWER".
    """
    for tag in tags:
        cue = re.compile(cue_pattern(composed(tag)), re.IGNORECASE)
        text = re.sub(rf"(?m)^(?i:{cue.pattern})[\s*_]*{PLACEHOLDER}[*_.]*\n+(?=.*\S)", "", text)
        form = re.compile(
            rf"{cue.pattern}[\s*_]*(?-i:X)(?:[*_.]*\s*[{_CLOSING_QUOTES}](?![A-Za-z])|{_WHERE})",
            re.IGNORECASE,
        )
        kept, end = [], 0
        for match in form.finditer(text):
            before = [stop.end() for stop in SENTENCE_STOP.finditer(text, end, match.start())]
            kept.append(text[end : before[-1] if before else end])
            # Thai sentences have no full stop, so the next tag ends one, too
            again = cue.search(text, match.end())
            behind = SENTENCE_STOP.search(text, match.end(), again.start() if again else len(text))
            end = behind.end() if behind else again.start() if again else len(text)
        text = "".join(kept) + text[end:]
    return text


def describes_answer(text: str, language: str) -> bool:
    """Whether a text is all or part of what the prompt says about X in "Answer: X": "a short phrase from the text"."""
    said = _letters(text) if len(text) <= _LONGEST_PLACE else ""
    fewest = _FEWEST_OF_X if re.match("X(?![A-Za-z])", text) else _FEWEST_LETTERS
    forms = _asked_forms(language) if len(said) + len(re.findall("[\u4e00-\u9fff]", said)) >= fewest else ()
    parts = (SequenceMatcher(None, said, form, autojunk=False).get_matching_blocks() for form in forms)
    return any(sum(part.size for part in own if part.size > 2) >= 0.9 * len(said) for own in parts)


@cache
def _asked_forms(language: str) -> list[str]:
    """The sentences in a language that tell chat models how to answer, as `_letters` returns them."""
    path = TASKS_FOLDER / "chat_answers" / f"{language}.yml"
    forms = read_yaml(path).values() if path.is_file() else ()
    return [_letters(form.format(tag="", labels="")) for form in forms if "{tag}" in str(form)]


def _letters(text: str) -> str:
    """The letters and vowel signs of a text in lower case, without spaces and punctuation."""
    return "".join(character for character in plain(text).casefold() if unicodedata.category(character)[0] in "LM")


def _without_blank_start(text: str) -> str:
    start = 0
    while start < len(text) and is_invisible(text[start]):
        start += 1
    return text[start:]


def is_invisible(character: str) -> bool:
    """Whether a character is a space, a joiner or a control character."""
    return character.isspace() or unicodedata.category(character) in ("Cf", "Cc")
