"""Scores on draws of rows: how far a mean over tasks would be another on other rows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np

from lm_eval_sea.results.bootstrap import DRAWS, cluster_weights
from lm_eval_sea.results.logged_rows import LoggedRows

_AGREE = 1e-6


def score_draws(
    key: tuple[str, str], data_set: str, score: float, stderr: float | None, logged: LoggedRows | None
) -> np.ndarray | None:
    """The score of a task on each draw of rows by cluster, as far as its uncertainty is known.

    Where the rows do not tell the score, the draws are normal with its standard error.

    Args:
        key: model and task, which are the seed of normal draws.
        data_set: within which equal clusters are the same; see `task_metadata.data_set_of`.
        score: in per cent of the best possible one.
        stderr: likewise; None: not known.
        logged: the rows; None: none were logged.

    Returns:
        (draws,), shares of the best possible score; None where nothing tells the uncertainty.
    """
    if logged is not None and logged.statistics is not None and abs(logged.statistics.of_all_rows - score / 100) < _AGREE:
        return logged.statistics.of_draws(cluster_weights(data_set, logged.clusters))
    if stderr is None:
        return None
    seed = hashlib.sha256("\0".join(key).encode(errors="replace")).digest()
    normal = np.random.default_rng(int.from_bytes(seed[:8], "big")).standard_normal(DRAWS)
    return (score + stderr * normal) / 100


def mean_draws(draws: Iterable[np.ndarray | None]) -> np.ndarray | None:
    """The plain mean over tasks on each draw; None, if it is not known of one."""
    found = list(draws)
    known = [array for array in found if array is not None]
    return np.mean(known, axis=0) if found and len(known) == len(found) else None
