"""Reading the answer from what a model wrote, as SEA-HELM does it and strictly. Pure functions, no I/O.

As published (SEA-HELM v1.1: `f1_acc_metric.py`, `seahelm_metric.py`, `minimal_pairs.py`, `question_answering.py`), the first
answer tag counts, and whatever label stands behind it, also as the beginning of a word: "Jawaban: Akhirnya B" is A, and so is an
echoed "Jawaban: ANSWER". Strictly the last tag counts, and behind it a whole label.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Sequence

# What begins and ends the thoughts of reasoning models.
THINKING_MARKERS = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<reasoning>", "</reasoning>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
)

_MARKUP = " \t\r\n\f\v\u200b\ufeff*_`\"'“”‘’«»()[]{}<>#"
_STOPS = ".,:;!?。၊။៖។"


def without_thinking(text: str) -> str:
    """What follows the last thinking block; of a block that does not end (the limit of tokens cut it) nothing is left."""
    for _, end in THINKING_MARKERS:
        text = text.rpartition(end)[2]
    for begin, _ in THINKING_MARKERS:
        text = text.partition(begin)[0]
    return text


def published_label(text: str, tag: str, labels: Sequence[str], *, minimal_pairs: bool = False) -> str | None:
    """The label that SEA-HELM reads, or None.

    The pattern is TAG [\\s*]* (l1|l2|…)+, whatever the case: first match, last repetition. Without a match the whole text,
    lower-cased and without ASCII punctuation at its ends, is looked up among the labels.

    Args:
        text: what the model wrote, without its thoughts.
        tag: the answer tag, such as "Jawaban:".
        labels: in the order in which they are tried; the published order is that of a set, and may change from run to run.
        minimal_pairs: as LINDSEA does it: (…)* instead of (…)+, and case matters. The first tag then decides even if no label
            follows.
    """
    # Labels are not escaped when published; those of the benchmark have no special characters.
    pattern = rf"{re.escape(tag)}[\s\*]*({'|'.join(map(re.escape, labels))})"
    if match := re.search(pattern + "*", text) if minimal_pairs else re.search(pattern + "+", text, re.IGNORECASE):
        return _look_up(match[1] or "", labels)
    return _look_up(" ".join(text.lower().strip(string.punctuation + string.whitespace).split()), labels)


def _look_up(text: str, labels: Sequence[str]) -> str | None:
    return next((label for label in labels if label.lower() == text.lower()), None)


def strict_label(text: str, tag: str, labels: Sequence[str]) -> str | None:
    """The whole label behind the last answer tag, or that is the whole text if there is no tag; else None.

    Markdown, quotation marks and brackets around it do not count, nor does punctuation behind it. A letter may be followed by
    the text of its option ("B. …", "B: …", "B) …") if no other label stands there.

    Args:
        text: what the model wrote, without its thoughts.
        tag: the answer tag.
        labels: all labels.
    """
    line = strict_text(text, tag) if _last(text, tag) is not None else _composed(text)
    line = line.strip(_MARKUP + _STOPS)
    for label in sorted(map(_composed, labels), key=len, reverse=True):
        if line[: len(label)].casefold() != label.casefold():
            continue
        rest = line[len(label) :]
        if not rest or (len(label) == 1 and _is_option_text(rest, labels)):
            return next(original for original in labels if _composed(original) == label)
    return None


def _is_option_text(rest: str, labels: Sequence[str]) -> bool:
    """Whether the text behind a letter begins like its option's, and has no label as a word."""
    if not re.match(r"[*_`]*[.:)]", rest):
        return False
    words = re.split(rf"[\s{re.escape(_MARKUP + _STOPS)}]+", rest)
    return not set(words) & set(map(_composed, labels))


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
    """What stands behind the last tag, in Unicode NFC; None without a tag."""
    found = list(re.finditer(re.escape(_composed(tag)), _composed(text), re.IGNORECASE))
    return _composed(text)[found[-1].end() :] if found else None


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)
