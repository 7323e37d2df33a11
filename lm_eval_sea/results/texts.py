"""How well a model foresees texts that are translations of each other: bits per byte, and bits beside English.

A byte holds more of an English text than of a Thai one, so bits per byte compare models in one language. The bits of a whole text
compare languages, too, as its translations say the same (Cotterell et al. 2018, "Are All Languages Equally Hard to
Language-Model?", arXiv:1806.03743):

    Σ_i bits_i(language) / Σ_i bits_i(English)
"""

from __future__ import annotations

import math
from typing import NamedTuple

from lm_eval_sea.results.runs import TaskRun
from lm_eval_sea.results.types import is_number
from lm_eval_sea.results.uncertainty import Estimate, ratio_of_sums

_METRIC = "bits_per_byte"


class Text(NamedTuple):
    """What a model made of a text."""

    bits: float
    size: int  # bytes of UTF-8


def texts_of(task: TaskRun) -> dict[str, Text]:
    """The texts of a task by their ids; empty where the rows were not logged, or do not say their log-likelihood."""
    rows = task.logged_by(_METRIC, _METRIC)
    if rows is None:
        return {}
    told = zip(rows.frame.id, rows.frame[_METRIC], strict=True)
    return {
        name: Text(-pair[0] / math.log(2), pair[1])
        for name, pair in told
        if isinstance(pair, list) and len(pair) == 2 and all(map(is_number, pair)) and pair[1] > 0
    }


def bits_per_byte(texts: dict[str, Text]) -> Estimate:
    """Σ bits / Σ bytes with its interval over texts; see `ratio_of_sums`."""
    return ratio_of_sums([(text.bits, text.size) for text in texts.values()])


def bits_beside(texts: dict[str, Text], english: dict[str, Text]) -> Estimate | None:
    """The bits of texts for each one of the same texts in English; None if no text is there in both, or English has no bits."""
    pairs = [(text.bits, english[name].bits) for name, text in texts.items() if name in english]
    return ratio_of_sums(pairs) if sum(bits for _, bits in pairs) > 0 else None
