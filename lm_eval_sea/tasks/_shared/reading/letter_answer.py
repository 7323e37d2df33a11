"""Reading the answer letter (or digit) from generated text, strictly. Pure functions, no I/O."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .answer_patterns import WORD, is_end, is_reason, script_letters, without_lead_in
from .answer_text import STOPS, answer_lines, plain


if TYPE_CHECKING:
    from collections.abc import Sequence


# Marks that people put around a label or a whole answer.
_OPENING, _CLOSING = "([{\"'“‘«`【「", ")]}\"'”’»`】」"
_WRAPPING = " _`\"'“”‘’«»「」"
# What stands between a label and the text of its option, or ends a sentence.
_SEPARATORS = STOPS + ")"


def extract_letter(text: str, letters: Sequence[str], options: Sequence[str], *, language: str, cue: str = "") -> int | None:
    """Position of the answer in `letters`, or None if the text does not begin with an answer.

    Only the first line with text counts. Accepted is a label alone ("B", "(b)", "**B**", "B."), and one that the text of its own
    option follows ("B. …", "B – …", "B (…)", also if it breaks off), each also behind the answer's cue and the words of the
    language that lead to an answer, on the same line or on one before, and before words that end one or begin a reason without
    another label (`answer_phrases.py`): "The correct answer is option (B)", "B is correct", "B, because the passage says so".
    A letter may be the one of its position in the script of the language, a digit that of any script, or the Latin letter of its
    position.

    A label that is part of a word or a number ("Bandung", "3,5", "A.M."), or that anything else follows ("A dog", "A. or B.",
    "Option B is wrong", "1. First, …"), is no answer; nor are two options on the line, nor one if the next line reads as another.

    `letters` are upper-case Latin letters or Arabic digits, the labels of `options`; `cue` is that of the prompt: "คำตอบ:".
    """
    lines = answer_lines(plain(text), [plain(cue)] if cue else [])
    forms = [_forms(position, letters, options, language) for position in range(len(letters))]
    # what leads to an answer may have a line of its own
    answers = [answer for line in lines if (answer := _without_lead_in(line, language))]
    read = [_read(answer, forms, options, language) for answer in answers[:2]]
    return read[0] if read and set(read[1:]) <= {read[0], None} else None


def _without_lead_in(line: str, language: str) -> str:
    """A line without what leads to an answer, and without marks at its ends."""
    return without_lead_in(line.lstrip("#> ").strip(_WRAPPING), language).strip(_WRAPPING)


def _forms(position: int, letters: Sequence[str], options: Sequence[str], language: str) -> list[str]:
    """The ways a label is written: itself, and others that are not the text of an option, for that might be meant."""
    label = letters[position]
    others = "ABCDE" if label.isdecimal() else script_letters(language)
    texts = {_folded(option) for option in options}
    return [label, *(other for other in others[position : position + 1] if _folded(other) not in texts)]


def _read(line: str, forms: Sequence[Sequence[str]], options: Sequence[str], language: str) -> int | None:
    """Position of the option that a line names."""
    for position, own in enumerate(forms):
        match = re.match(rf"[{re.escape(_OPENING)}]*({_any(own)})([{re.escape(_CLOSING + _SEPARATORS)}]*)", line, re.IGNORECASE)
        if not match:
            continue
        rest = line[match.end() :]
        if _is_other_text(rest, position, options):
            return None
        if is_end(rest, language):
            return position
        others = [form for index, group in enumerate(forms) if index != position for form in group]
        # "a" before a reason is a word: in Ilocano "Ti umno a gapu ta …"
        if match[1] != "a" and is_reason(rest, language) and not _may_be_option(rest, options):
            return None if _names(rest, others) else position
        # a label is a word of its own; to letters of other scripts a dash may stand close, as in the Burmese "က-"
        dash = r"[-–—](?=\s)" if match[1].isascii() else r"[-–—]"
        if not match[2] and not re.match(rf"\s|\(|{dash}", rest):
            continue
        rest = re.sub(rf"\A\s*(?:{dash})?\s*", "", rest)
        if _is_other_text(rest, position, options):
            return None
        return position if not rest or _is_own_text(rest, options[position], others, language) else None
    return None


def _is_other_text(rest: str, position: int, options: Sequence[str]) -> bool:
    """Whether the whole text of another option follows, even if the texts begin alike."""
    text, own = _bare(rest), _bare(options[position])
    return text not in ("", own) and text in {_bare(option) for option in options}


def _is_own_text(rest: str, option: str, others: Sequence[str], language: str) -> bool:
    """Whether the text of the option follows its label, or its beginning up to the end, and no other label behind it."""
    own = _bare(option)
    text = _folded(rest).lstrip(_OPENING + " ")
    if _bare(text) in map(str.casefold, others) or not own:
        return False
    if own.startswith(_bare(text)):
        return True
    if not text.startswith(own):
        return False
    behind = text[len(own) :]
    if is_end(behind, language):
        return True
    if _names(behind, others, re.IGNORECASE):
        return False
    return re.match(rf"\s*[{re.escape(_SEPARATORS + _CLOSING)}([–—-]", behind) is not None


def _may_be_option(rest: str, options: Sequence[str]) -> bool:
    """Whether what follows a label is or begins the text of an option, or the other way round: "B. Because of the rain"."""
    text = _bare(rest)
    return any(text.startswith(own) or own.startswith(text) for own in filter(None, map(_bare, options)))


def _names(text: str, forms: Sequence[str], flags: int = 0) -> bool:
    """Whether one of the labels stands in a text as a word; by default in its own case, for "a" is a word."""
    return re.search(rf"(?<![{WORD}])(?:{_any(forms)})(?![{WORD}])", text, flags) is not None


def _any(forms: Sequence[str]) -> str:
    return "|".join(map(re.escape, forms))


def _folded(text: str) -> str:
    """The text on one line without differences of case."""
    return " ".join(plain(text).casefold().split())


def _bare(text: str) -> str:
    """The folded text without marks around it."""
    return _folded(text).strip(_OPENING + _CLOSING + _SEPARATORS + " ")
