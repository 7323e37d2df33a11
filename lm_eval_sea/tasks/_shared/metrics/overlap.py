"""Overlap of a text with a reference: corpus BLEU and chrF++, F1 of words, ROUGE-L. Pure functions, no I/O."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import sacrebleu
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from .classification_metrics import spread_over_resamples


if TYPE_CHECKING:
    from collections.abc import Sequence


ORDERS = 4  # of n-grams, in BLEU


class NgramCounts(NamedTuple):
    """What corpus BLEU needs of one row."""

    correct: list[int]  # n-grams of the answer that the reference has, by n from 1
    total: list[int]  # n-grams of the answer
    answer_words: int
    reference_words: int


def ngram_counts(answer: Sequence[str], reference: Sequence[str]) -> NgramCounts:
    """Counts the n-grams of up to four words, as sacreBLEU does. No word may contain a space."""
    # the effective order changes the score of the sentence, which is not used, but not the counts
    score = BLEU(tokenize="none", effective_order=True).sentence_score(" ".join(answer), [" ".join(reference)])
    return NgramCounts(list(score.counts), list(score.totals), score.sys_len, score.ref_len)


def bleu_of_counts(rows: Sequence[NgramCounts]) -> float:
    """Corpus BLEU, 0 to 100: sacreBLEU's, with exponential smoothing (Papineni et al. 2002; Chen and Cherry 2014)."""
    return bleu_of_sums(counts_of_ngrams(rows).sum(axis=0))


def counts_of_ngrams(rows: Sequence[NgramCounts]) -> np.ndarray:
    """The counts of rows, (rows, 10): correct n-grams by n, n-grams by n, words of the answer, words of the reference."""
    return np.array([[*correct, *total, answer, reference] for correct, total, answer, reference in rows], dtype=float)


def bleu_of_sums(sums: np.ndarray) -> float:
    """`bleu_of_counts` from sums of counts, (10,)."""
    *counts, answer_words, reference_words = map(round, sums.tolist())
    correct, total = counts[:ORDERS], counts[ORDERS:]
    return BLEU.compute_bleu(correct, total, sys_len=answer_words, ref_len=reference_words, smooth_method="exp").score


def bleu_of_counts_stderr(rows: Sequence[NgramCounts]) -> float:
    """Bootstrap standard error of `bleu_of_counts`."""
    counts = counts_of_ngrams(sorted(rows))
    return spread_over_resamples(lambda places: bleu_of_sums(counts[places].sum(axis=0)), len(rows))


def corpus_bleu(pairs: Sequence[tuple[str, str]]) -> float:
    """Corpus BLEU, 0 to 100, of pairs of reference and answer: sacreBLEU's with its defaults."""
    references, answers = zip(*pairs, strict=True)
    return sacrebleu.corpus_bleu(answers, [references]).score


def corpus_chrf(pairs: Sequence[tuple[str, str]]) -> float:
    """Corpus chrF++, 0 to 100, of pairs of reference and answer: sacreBLEU's chrF with words up to 2 (Popović 2017)."""
    references, answers = zip(*pairs, strict=True)
    return sacrebleu.corpus_chrf(answers, [references], word_order=2).score


def corpus_bleu_stderr(pairs: Sequence[tuple[str, str]]) -> float:
    """Bootstrap standard error of `corpus_bleu`."""
    return _corpus_stderr(BLEU(), pairs)


def corpus_chrf_stderr(pairs: Sequence[tuple[str, str]]) -> float:
    """Bootstrap standard error of `corpus_chrf`."""
    return _corpus_stderr(CHRF(word_order=2), pairs)


def _corpus_stderr(metric: BLEU | CHRF, pairs: Sequence[tuple[str, str]]) -> float:
    """Standard deviation of a corpus score over 1000 seeded resamples of the rows; 0 for fewer than two rows.

    The texts are counted once, and a resample adds up the counts of its rows (Koehn 2004). The order of rows makes no difference.
    """
    counts = corpus_counts(metric, sorted((reference, answer) for reference, answer in pairs))
    return spread_over_resamples(lambda places: score_of_counts(metric, counts[places].sum(axis=0)), len(counts))


# These functions of sacreBLEU's own bootstrap have no public names.
def corpus_counts(metric: BLEU | CHRF, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
    """The counts of a corpus score, (rows, counts), from pairs of reference and answer. Counts of rows add up."""
    references, answers = ([pair[place] for pair in pairs] for place in (0, 1))
    return np.array(metric._extract_corpus_statistics(answers, [references]), dtype=float)


def score_of_counts(metric: BLEU | CHRF, sums: np.ndarray) -> float:
    """The corpus score, 0 to 100, from sums of counts, (counts,)."""
    return float(metric._compute_score_from_stats(sums.tolist()).score)


def f1_of_words(answer: Sequence[str], reference: Sequence[str]) -> float:
    """Harmonic mean of precision and recall over words, each counted as often as it occurs, 0 to 1 (Rajpurkar et al. 2016)."""
    shared = sum((Counter(answer) & Counter(reference)).values())
    return 2 * shared / (len(answer) + len(reference)) if shared else 0.0


def rouge_l(answer: Sequence[str], reference: Sequence[str]) -> float:
    """ROUGE-L (Lin 2004): F1 of the longest common subsequence of words, 0 to 1."""
    common = longest_common_subsequence(answer, reference)
    return 2 * common / (len(answer) + len(reference)) if common else 0.0


def longest_common_subsequence(first: Sequence[str], second: Sequence[str]) -> int:
    """Length of the longest sequence of words that both have in this order, not necessarily side by side."""
    lengths = [0] * (len(second) + 1)  # of the words of `first` so far and each beginning of `second`
    for word in first:
        diagonal = 0
        for position, other in enumerate(second, start=1):
            above = lengths[position]
            lengths[position] = diagonal + 1 if word == other else max(above, lengths[position - 1])
            diagonal = above
    return lengths[-1]
