"""Answers to the same rows under several seeds, as one score over rows and draws. Pure functions, no I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean

import numpy as np

from lm_eval_sea.results.row_statistics import mean_of_draws
from lm_eval_sea.results.rows import Rows
from lm_eval_sea.results.types import Score


def mean_scores(draws: Sequence[Mapping[str, Score]]) -> dict[str, Score]:
    """The mean over the draws of each metric that all have, without an error."""
    common = [name for name in draws[-1] if all(name in scores for scores in draws)]
    return {name: Score(fmean(scores[name].value for scores in draws), None) for name in common}


def pooled(draws: Sequence[Rows | None]) -> Rows | None:
    """The rows of the last draw with the mean over all draws in place of each score; None unless all have the same rows.

    The spread of these means over rows has the part of the rows and that of the draws (Miller 2024, arXiv:2411.00640).
    A score that all rows make together, such as chrF++, is that of the answers of all draws.
    """
    known = [rows for rows in draws if rows is not None]
    last = known[-1] if known else None
    if last is None or len(known) < len(draws) or any(rows.fingerprint != last.fingerprint for rows in known):
        return None
    means = np.mean([rows.frame.score.to_numpy(dtype=float) for rows in known], axis=0)
    statistics = mean_of_draws([rows.statistics for rows in known])
    return replace(last, frame=last.frame.assign(score=means), statistics=statistics, evidence=(), draws=known)
