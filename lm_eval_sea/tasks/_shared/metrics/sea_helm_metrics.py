"""The metrics of SEA-HELM's written answers by name: what each needs of a row, and a signature of how it is computed."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING

import sacrebleu

from .generation_metrics import METRICS as COMMON, Metric
from .overlap import f1_of_words
from .sea_helm_rouge import sea_helm_rouge_l, signature as sea_helm_rouge_signature
from .words import SEGMENTERS, segment, word_signature


if TYPE_CHECKING:
    from collections.abc import Sequence


def answer_f1(answer: str, references: Sequence[str], language: str) -> float:
    """Token F1 as SEA-HELM computes it, 0 to 1: lower case, without ASCII punctuation, words between spaces.

    The best over all references counts (Rajpurkar et al. 2016). In a language without spaces between words, the text is first
    split into words, and only the first reference counts.
    """
    if language in SEGMENTERS:
        references = references[:1]
    return max(f1_of_words(_tokens(answer, language), _tokens(reference, language)) for reference in references)


def _tokens(text: str, language: str) -> list[str]:
    if language in SEGMENTERS:
        text = " ".join(segment(text, language))
    return text.lower().translate(str.maketrans("", "", string.punctuation)).split()


def _f1_signature(language: str) -> str:
    which = "first" if language in SEGMENTERS else "best"
    return f"refs:{which}|case:lc|punct:no-ascii|{word_signature(language)}"


def _chrf_signature(language: str) -> str:
    return f"nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:{sacrebleu.__version__}"


_ROUGE_L = Metric(
    lambda answer, references, language: sea_helm_rouge_l(answer, references[0], language), sea_helm_rouge_signature
)
METRICS = {
    "f1": Metric(answer_f1, _f1_signature),
    "rougeL": _ROUGE_L,
    "rougeL_words": COMMON["rougeL"],
    "chrf++": Metric(lambda answer, references, language: (references[0], answer), _chrf_signature),  # the texts as they stand
    "null_rate": COMMON["null_rate"],
}
# Headline metric → the same on SEA-HELM's scale from 0 to 100. For translation that needs a judge (MetricX), so there is none.
NORMALISED = {
    "f1": Metric(lambda *arguments: 100 * answer_f1(*arguments), _f1_signature),
    "rougeL": _ROUGE_L,
}
