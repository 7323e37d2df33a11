"""The metrics of generated answers by name: what each needs of a row, and a signature of how it is computed."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

import sacrebleu

from ..reading.number_answer import read_number
from ..unicode_text import normal_form
from . import qa_metrics, sailcompass_scores
from .overlap import NgramCounts, ngram_counts, rouge_l
from .target_language import TOLD_APART, is_off_target, target_signature
from .words import SEGMENTERS, WITHOUT_BLANKS, segment, word_signature, words


if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Metric(NamedTuple):
    """How a metric is computed."""

    of_row: Callable[[str, Sequence[str], str], Any]  # answer, references, language of the answer → what is aggregated
    signature: Callable[[str], str]  # language of the answer → how the number is computed, in the style of sacreBLEU
    as_generated: bool = False  # whether it is computed from the whole generated text, and not from the line of the answer


def _plain(text: str) -> str:
    return normal_form("NFC", text).lower()


def _pair(answer: str, references: Sequence[str], language: str) -> tuple[str, str]:
    """Reference and answer, in the form of lm-eval's corpus metrics."""
    return _plain(references[0]), _plain(answer)


def _sailcompass_pair(generated: str, references: Sequence[str], language: str) -> tuple[str, str]:
    return sailcompass_scores.text_pair(generated, references[0])


def _word_ngrams(answer: str, references: Sequence[str], language: str) -> NgramCounts:
    return ngram_counts(segment(_plain(answer), language), segment(_plain(references[0]), language))


def _rouge_l(answer: str, references: Sequence[str], language: str) -> float:
    return 100 * rouge_l(words(answer, language), words(references[0], language))


_NORMALISED = "case:lc|norm:nfc|punct:edges|digits:ascii"


def _word_score_signature(language: str) -> str:
    return f"refs:best|{_NORMALISED}|{word_signature(language)}"


def _contains_signature(language: str) -> str:
    return f"refs:best|{_NORMALISED}|in:clusters" if language in WITHOUT_BLANKS else _word_score_signature(language)


def _exact_match_signature(language: str) -> str:
    return f"refs:best|{_NORMALISED}|blanks:{'no' if language in SEGMENTERS else 'one'}"


def _bleu_signature(words: str) -> str:
    return f"nrefs:1|case:lc|norm:nfc|eff:no|{words}|smooth:exp|version:{sacrebleu.__version__}"


def _chrf_signature(language: str) -> str:
    return f"nrefs:1|case:lc|norm:nfc|eff:yes|nc:6|nw:2|space:no|version:{sacrebleu.__version__}"


def _rouge_signature(language: str) -> str:
    return f"nrefs:1|{_NORMALISED}|lcs:f1|{word_signature(language)}"


def _sailcompass_metric(name: str) -> Metric:
    signature = sailcompass_scores.signatures("TextGenEvaluator")[name]
    return Metric(_sailcompass_pair, lambda language: signature, as_generated=True)


def _number_metric(counts: Callable[[Decimal | None, str], bool]) -> Metric:
    def of_row(generated: str, references: Sequence[str], language: str) -> float:
        return float(counts(read_number(generated, language), references[0]))

    return Metric(of_row, lambda language: "behind:answer-is|else:last|digits:ascii", as_generated=True)


METRICS = {
    "exact_match": Metric(qa_metrics.exact_match, _exact_match_signature),
    "f1": Metric(qa_metrics.token_f1, _word_score_signature),
    "contains": Metric(qa_metrics.contains, _contains_signature),
    "bleu": Metric(_pair, lambda language: _bleu_signature("tok:13a")),
    "chrf++": Metric(_pair, _chrf_signature),
    "bleu_sailcompass": _sailcompass_metric("bleu_sailcompass"),
    "chrf_sailcompass": _sailcompass_metric("chrf_sailcompass"),
    "bleu_th": Metric(_word_ngrams, lambda language: _bleu_signature(word_signature(language))),
    "rougeL": Metric(_rouge_l, _rouge_signature),
    "exact_number": _number_metric(lambda number, reference: number == Decimal(reference)),
    "no_number_rate": _number_metric(lambda number, reference: number is None),
    "null_rate": Metric(lambda answer, references, language: float(not answer), lambda language: "empty:line"),
    "off_target_rate": Metric(lambda answer, references, language: float(is_off_target(answer, language)), target_signature),
}
# Metrics that exist only for some languages of the answer.
ONLY = {"bleu_th": {"th"}, "off_target_rate": TOLD_APART}
_STDERR = "_stderr"


def metrics_for(names: Sequence[str], language: str) -> dict[str, Metric]:
    """The metrics among `names` that exist for a language. `x_stderr` is computed from the same values as `x`."""
    bases = {name: name.removesuffix(_STDERR) for name in names}
    return {name: METRICS[base] for name, base in bases.items() if base not in ONLY or language in ONLY[base]}


def signatures(names: Sequence[str], language: str) -> dict[str, str]:
    """Signatures of the metrics among `names` that exist for a language."""
    return {
        name: metric.signature(language) for name, metric in metrics_for(names, language).items() if not name.endswith(_STDERR)
    }
