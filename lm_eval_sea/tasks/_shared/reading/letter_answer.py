"""Reading the answer letter (or digit) from generated text, strictly. Pure functions, no I/O."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .answer_patterns import is_end, is_reason, script_letters, whole_word, without_lead_in
from .answer_text import STOPS, answer_lines, plain


if TYPE_CHECKING:
    from collections.abc import Sequence


# Marks around a label or a whole answer.
_OPENING, _CLOSING = "([{\"'“‘«`【「", ")]}\"'”’»`】」"
_WRAPPING = " _`\"'“”‘’«»「」"
# Marks between a label and the text of its option, or at the end of a sentence.
_SEPARATORS = STOPS + ")"


def extract_letter(text: str, letters: Sequence[str], options: Sequence[str], *, language: str, cue: str = "") -> int | None:
    """Position of the answer in `letters`, or None if the text does not begin with an answer.

    Only the first line with text counts. It may have
    - a label alone ("B", "(b)", "**B**", "B.") or with the text of its own option ("B. …", "B – …", "B (…)", also cut off);
    - before it, on the same line or one above, the cue and words of the language that lead to an answer (`answer_phrases.py`):
      "The correct answer is option (B)";
    - after it, words that end an answer, or a reason without another label: "B is correct", "B, because the passage says so".

    Instead of a letter there may be the letter of the same position in the script of the language; instead of a digit, the digit
    in another script or the Latin letter of the same position.

    A label is not an answer if it is part of a word or a number ("Bandung", "3,5", "A.M."), or if anything else follows ("A dog",
    "A. or B.", "Option B is wrong", "1. First, …"). There is also no answer if two options are on the line, or if the next line
    reads as another option.

    `letters` are the labels of `options`: letters or digits, of any script. `cue` is that of the prompt: "คำตอบ:".
    """
    lines, letters = answer_lines(plain(text), [plain(cue)] if cue else []), [*map(plain, letters)]
    forms = [_forms(position, letters, options, language) for position in range(len(letters))]
    # the words that lead to an answer may be on a line of their own
    answers = [answer for line in lines if (answer := _without_lead_in(line, language))]
    read = [_read(answer, forms, options, language) for answer in answers[:2]]
    return read[0] if read and set(read[1:]) <= {read[0], None} else None


def _without_lead_in(line: str, language: str) -> str:
    """A line without words that lead to an answer, and without marks at its ends."""
    return without_lead_in(line.lstrip("#> ").strip(_WRAPPING), language).strip(_WRAPPING)


def _forms(position: int, letters: Sequence[str], options: Sequence[str], language: str) -> list[str]:
    """The ways to write a label. Those that are the text of an option are left out, because the answer may be that text."""
    label = letters[position]
    others = "ABCDE" if label.isdecimal() else script_letters(language)
    texts = {_folded(option) for option in options}
    return [label, *(other for other in others[position : position + 1] if _folded(other) not in texts and other not in letters)]


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
        # a label is a whole word; a dash may directly follow letters of other scripts, as in the Burmese "က-"
        dash = r"[-–—](?=\s)" if match[1].isascii() else r"[-–—]"
        if not match[2] and not re.match(rf"\s|\(|{dash}", rest):
            continue
        rest = re.sub(rf"\A\s*(?:{dash})?\s*", "", rest)
        if _is_other_text(rest, position, options):
            return None
        return position if not rest or _is_own_text(rest, options[position], others, language) else None
    return None


def _is_other_text(rest: str, position: int, options: Sequence[str]) -> bool:
    """Whether `rest` is the whole text of another option, even if the texts begin alike."""
    text, own = _bare(rest), _bare(options[position])
    return text not in ("", own) and text in {_bare(option) for option in options}


def _is_own_text(rest: str, option: str, others: Sequence[str], language: str) -> bool:
    """Whether `rest` is the text of the option or its beginning, with no other label after it."""
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
    """Whether the words after a label are or begin the text of an option, or begin with it: "B. Because of the rain"."""
    text = _bare(rest)
    return any(text.startswith(own) or own.startswith(text) for own in filter(None, map(_bare, options)))


def _names(text: str, forms: Sequence[str], flags: int = 0) -> bool:
    """Whether a text has one of the labels as a word. By default case matters, because "a" is a word."""
    return re.search(whole_word(_any(forms)), text, flags) is not None


def _any(forms: Sequence[str]) -> str:
    return "|".join(map(re.escape, forms))


def _folded(text: str) -> str:
    """The text on one line, with case folded."""
    return " ".join(plain(text).casefold().split())


def _bare(text: str) -> str:
    """The folded text without marks around it."""
    return _folded(text).strip(_OPENING + _CLOSING + _SEPARATORS + " ")
