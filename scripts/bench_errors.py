#!/usr/bin/env python3
"""Measures the standard errors of scores over all rows: CPU seconds, and the ratio to scoring every resample again.

Rows are made with a fixed seed. For the ratio 20 rows are scored again for each of 1,000 resamples; by chance it varies by 3 %.

Example:
    python scripts/bench_errors.py
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

from lm_eval_sea.tasks._shared.metrics import classification_metrics, overlap
from lm_eval_sea.tasks._shared.metrics.classification_metrics import Choice, Evidence


def pairs(rng: random.Random, count: int) -> list[tuple[str, str]]:
    """References of 25 words, and answers that lack some of them."""
    references = [[f"w{rng.randrange(500)}" for _ in range(25)] for _ in range(count)]
    return [(" ".join(row), " ".join(word for word in row if rng.random() < 0.8)) for row in references]


def ngrams(rng: random.Random, count: int) -> list[Any]:
    """The n-grams of such rows."""
    return [overlap.ngram_counts(answer.split(), reference.split()) for reference, answer in pairs(rng, count)]


def choices(rng: random.Random, count: int) -> list[Choice]:
    """Right and chosen labels, of three."""
    return [Choice(gold := rng.randrange(3), rng.choice([gold, 0, 1]), 3) for _ in range(count)]


def evidence(rng: random.Random, count: int) -> list[Evidence]:
    """Right labels and log-likelihoods of three labels."""
    return [
        Evidence(gold := rng.randrange(3), [rng.gauss(2.0 * (each == gold), 2) - 9 for each in range(3)]) for _ in range(count)
    ]


SCORES: dict[str, tuple[Callable[..., list[Any]], Callable[..., float], Callable[..., float]]] = {
    "bleu": (pairs, overlap.corpus_bleu, overlap.corpus_bleu_stderr),
    "chrf++": (pairs, overlap.corpus_chrf, overlap.corpus_chrf_stderr),
    "bleu_th": (ngrams, overlap.bleu_of_counts, overlap.bleu_of_counts_stderr),
    "macro-F1": (choices, classification_metrics.macro_f1, classification_metrics.macro_f1_stderr),
    "acc_bc": (
        evidence,
        classification_metrics.batch_calibrated_accuracy,
        classification_metrics.batch_calibrated_accuracy_stderr,
    ),
    "f1_bc": (
        evidence,
        classification_metrics.batch_calibrated_macro_f1,
        classification_metrics.batch_calibrated_macro_f1_stderr,
    ),
}


def scored_again(score: Callable[..., float], rows: Sequence[Any], rng: random.Random) -> float:
    """The error by its definition."""
    return statistics.stdev(score(rng.choices(rows, k=len(rows))) for _ in range(1000))


def main() -> None:
    """Prints a table."""
    print("| score | CPU s for 1,000 rows | error ÷ that of scoring 1,000 resamples again |\n|---|---:|---:|")
    for name, (make, score, error) in SCORES.items():
        rows = make(random.Random(1), 1000)
        start = time.process_time()
        error(rows)
        seconds = time.process_time() - start
        few = make(random.Random(2), 20)
        print(f"| `{name}` | {seconds:.2f} | {error(few) / scored_again(score, few, random.Random(3)):.3f} |", flush=True)


if __name__ == "__main__":
    main()
