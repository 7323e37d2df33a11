"""Reading the answer from what a model wrote, as SEA-HELM does it and strictly. Pure functions, no I/O.

As published (SEA-HELM v1.1: `f1_acc_metric.py`, `seahelm_metric.py`, `minimal_pairs.py`, `question_answering.py`), the first
answer tag counts, and whatever label stands behind it, also as the beginning of a word: "Jawaban: Akhirnya B" is A, and so is an
echoed "Jawaban: ANSWER". Strictly the last tag counts, and behind it a whole label.
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
# What stands between a letter and the text of its option. A dash may stand close to a letter that is not Latin, as in "က-".
_OPTION_MARK = re.compile(r"[*_`]*[.:)]|\s*\(|\s+[-–—]\s|(?<![A-Za-z])[-–—]|[-–—]\s")


def published_label(text: str, tag: str, labels: Sequence[str], *, lindsea: bool = False) -> str | None:
    r"""The label that SEA-HELM reads, or None.

    The pattern is TAG [\s*]* (l1|l2|…)+, whatever the case: first match, last repetition. Without a match the whole text is
    looked up among the labels: without blanks of any kind at its ends, lower-cased, then without ASCII punctuation, spaces and
    line feeds at its ends.

    The labels are tried in their order; the published order is that of a set, and may change from run to run. With `lindsea` it
    is as LINDSEA does it, minimal pairs and pragmatics: (…)* instead of (…)+, and case matters. The first tag then decides even
    if no label follows.
    """
    # Labels are not escaped when published; those of the benchmark have no special characters.
    pattern = rf"{re.escape(tag)}[\s\*]*({'|'.join(map(re.escape, labels))})"
    if match := re.search(pattern + "*", text) if lindsea else re.search(pattern + "+", text, re.IGNORECASE):
        return _look_up(match[1] or "", labels)
    return _look_up(" ".join(text.strip().lower().strip(string.punctuation + " \n").split()), labels)


def _look_up(text: str, labels: Sequence[str]) -> str | None:
    return next((label for label in labels if label.lower() == text.lower()), None)


def strict_label(text: str, tag: str, labels: Sequence[str], language: str) -> str | None:
    """The whole label behind the last answer tag, or that is the whole text if there is no tag; else None.

    The words of the language that lead to an answer may stand before it and words that end one behind it
    (`answer_phrases.py`): "Jawaban: adalah **B**.", "คำตอบคือ แง่บวก ครับ". Markdown, quotation marks and brackets do not count,
    nor do stops, case and other spellings of the same word. A letter may be that of its position in the script of the language,
    and may be followed by the text of its option ("B. …", "B) …", "B - …", "B (…)") if no other label stands there. If the next
    line is another label, there is none.
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
        # beside a Latin letter one of another script is a word
        others = [other for other, its_label in forms if its_label != label and other.isascii() == form.isascii()]
        if line[: len(form)].casefold() != form.casefold() or _has_label(rest, others):
            continue
        if is_end(rest, language) or is_reason(rest, language) or (len(form) == 1 and _OPTION_MARK.match(line, len(form))):
            return label
    return None


def _without_lead_in(line: str, language: str) -> str:
    """A line without what leads to an answer, and without marks at its ends."""
    return without_lead_in(line.strip(_MARKUP + STOPS), language).strip(_MARKUP + STOPS)


def _forms(labels: Sequence[str], language: str) -> list[tuple[str, str]]:
    """Each way a label is written, and the label; the longest first, for one may begin with another."""
    forms = {plain(spelling): label for label in labels for spelling in spellings(label)}
    if list(labels) == list(string.ascii_uppercase[: len(labels)]):
        forms |= dict(zip(script_letters(language), labels, strict=False))
    return sorted(forms.items(), key=lambda item: len(item[0]), reverse=True)


def _has_label(text: str, forms: Sequence[str]) -> bool:
    """Whether a label stands in a text as a word; a letter in its own case, for "a" is a word of English."""
    words = re.split(rf"[\s{re.escape(_MARKUP + STOPS)}]+", text)
    return not {_folded(word) for word in words}.isdisjoint(map(_folded, forms))


def _folded(word: str) -> str:
    return word if len(word) == 1 else word.casefold()


def published_text(text: str, tag: str) -> str:
    """The first line with text behind the first answer tag; without a tag the whole text."""
    match = re.search(rf"{re.escape(tag)}[\s\r\n`*]*(.*)", text)
    return (match[1] if match else text).strip()


def strict_text(text: str, tag: str) -> str:
    """The first line with text behind the last answer tag, without marks of Markdown at its ends; without a tag nothing."""
    behind = _last(text, tag)
    lines = [line.strip(" \t`*") for line in (behind or "").splitlines()]
    return next((line for line in lines if line), "")


def _last(text: str, tag: str) -> str | None:
    """What stands behind the last tag, whichever mark ends it, in Unicode NFC; None without a tag."""
    text = normal_form("NFC", text)
    pattern = cue_pattern(tag, spellings(tag.rstrip(string.punctuation + STOPS + " ")))
    found = list(re.finditer(pattern, text, re.IGNORECASE))
    return text[found[-1].end() :] if found else None
