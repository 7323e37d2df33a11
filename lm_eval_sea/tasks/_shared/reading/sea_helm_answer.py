"""Reads answers in two ways: as SEA-HELM does, and strictly. Pure functions, no I/O.

As published (SEA-HELM v1.1: `f1_acc_metric.py`, `seahelm_metric.py`, `minimal_pairs.py`, `question_answering.py`), any label
after the first answer tag counts, even as the beginning of a word: "Jawaban: Akhirnya B" is A, and so is an echoed
"Jawaban: ANSWER". Read strictly, only a whole label after the last tag counts.
"""

from __future__ import annotations

import re
import string
from typing import TYPE_CHECKING

from ..unicode_text import normal_form
from .answer_patterns import is_end, is_reason, script_letters, spellings, without_lead_in
from .answer_text import STOPS, cue_pattern, plain


if TYPE_CHECKING:
    from collections.abc import Sequence


_MARKUP = " \t\r\n\f\v\u200b\ufeff*_`\"'“”‘’«»()[]{}<>#"
# Marks between a letter and the text of its option. A dash may directly follow a letter that is not Latin, as in "က-".
_OPTION_MARK = re.compile(r"[*_`]*[.:)]|\s*\(|\s+[-–—]\s|(?<![A-Za-z])[-–—]|[-–—]\s")


def published_label(text: str, tag: str, labels: Sequence[str], *, lindsea: bool = False) -> str | None:
    r"""The label that SEA-HELM reads, or None.

    The pattern is TAG [\s*]* (l1|l2|…)+ in any case: the first match and its last repetition count. Without a match, the whole
    text may be a label: stripped of white space, lower-cased, then stripped of ASCII punctuation, spaces and line feeds.

    Labels are tried in the given order. The published order is that of a set, which may change from run to run. With `lindsea`
    the pattern is that of LINDSEA (minimal pairs, pragmatics): (…)* instead of (…)+, and case matters. Then the first tag decides
    even if no label follows.
    """
    # SEA-HELM does not escape labels, but its labels have no special characters.
    pattern = rf"{re.escape(tag)}[\s\*]*({'|'.join(map(re.escape, labels))})"
    if match := re.search(pattern + "*", text) if lindsea else re.search(pattern + "+", text, re.IGNORECASE):
        return _look_up(match[1] or "", labels)
    return _look_up(" ".join(text.strip().lower().strip(string.punctuation + " \n").split()), labels)


def _look_up(text: str, labels: Sequence[str]) -> str | None:
    return next((label for label in labels if label.lower() == text.lower()), None)


def strict_label(text: str, tag: str, labels: Sequence[str], language: str) -> str | None:
    """The whole label after the last answer tag, or the label that is the whole text if there is no tag; else None.

    Words of the language that lead to an answer or end one (`answer_phrases.py`) may come before and after it: "Jawaban: adalah
    **B**.", "คำตอบคือ แง่บวก ครับ". Markdown, quotation marks, brackets, stops, case and the spelling of a word do not matter.
    Instead of a letter there may be the letter of the same position in the script of the language. The text of the option may
    follow ("B. …", "B) …", "B - …", "B (…)") if it has no other label. If the next line is another label, there is no answer.
    """
    behind = _last(text, tag)
    lines = plain(text if behind is None else behind).splitlines()
    if behind is None:
        lines = [" ".join(lines)]
    answers = [answer for line in lines if (answer := _without_lead_in(line, language))]
    read = [_label_of(answer, labels, language) for answer in answers[:2]]
    return read[0] if read and set(read[1:]) <= {read[0], None} else None


def _label_of(line: str, labels: Sequence[str], language: str) -> str | None:
    """The label that a line names."""
    forms = _forms(labels, language)
    for form, label in forms:
        rest = line[len(form) :]
        # next to a Latin letter, a letter of another script is a word
        others = [other for other, its_label in forms if its_label != label and other.isascii() == form.isascii()]
        if line[: len(form)].casefold() != form.casefold() or _has_label(rest, others):
            continue
        if is_end(rest, language) or is_reason(rest, language) or (len(form) == 1 and _OPTION_MARK.match(line, len(form))):
            return label
    return None


def _without_lead_in(line: str, language: str) -> str:
    """A line without words that lead to an answer, and without marks at its ends."""
    return without_lead_in(line.strip(_MARKUP + STOPS), language).strip(_MARKUP + STOPS)


def _forms(labels: Sequence[str], language: str) -> list[tuple[str, str]]:
    """Each way to write a label, and the label. The longest come first, because one may begin with another."""
    forms = {plain(spelling): label for label in labels for spelling in spellings(label)}
    if list(labels) == list(string.ascii_uppercase[: len(labels)]):
        forms |= dict(zip(script_letters(language), labels, strict=False))
    return sorted(forms.items(), key=lambda item: len(item[0]), reverse=True)


def _has_label(text: str, forms: Sequence[str]) -> bool:
    """Whether a text has a label as a word. The case of letters matters, because "a" is an English word."""
    words = re.split(rf"[\s{re.escape(_MARKUP + STOPS)}]+", text)
    return not {_folded(word) for word in words}.isdisjoint(map(_folded, forms))


def _folded(word: str) -> str:
    return word if len(word) == 1 else word.casefold()


def published_text(text: str, tag: str) -> str:
    """The first line with text after the first answer tag; the whole text if there is no tag."""
    match = re.search(rf"{re.escape(tag)}[\s\r\n`*]*(.*)", text)
    return (match[1] if match else text).strip()


def strict_text(text: str, tag: str) -> str:
    """The first line with text after the last answer tag, without Markdown at its ends; empty if there is no tag."""
    behind = _last(text, tag)
    lines = [line.strip(" \t`*") for line in (behind or "").splitlines()]
    return next((line for line in lines if line), "")


def _last(text: str, tag: str) -> str | None:
    """What follows the last tag with any mark at its end, in Unicode NFC; None if there is no tag."""
    text = normal_form("NFC", text)
    pattern = cue_pattern(tag, spellings(tag.rstrip(string.punctuation + STOPS + " ")))
    found = list(re.finditer(pattern, text, re.IGNORECASE))
    return text[found[-1].end() :] if found else None
