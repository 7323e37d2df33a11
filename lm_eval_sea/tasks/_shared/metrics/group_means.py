"""Means of group means with standard errors, as aggregations of lm-eval: balanced accuracy, accuracy over linguistic phenomena.

lm-eval writes the standard error of a metric `x` that is not its own as `x_stderr`, so each function has a twin.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from .normalisation import normalised_score


class Outcome(NamedTuple):
    """Whether the answer to one row is right."""

    group: str  # the right label, or the linguistic phenomenon
    correct: float  # 0 or 1
    chance: float  # share of right answers by guessing


def _by_group(rows: Sequence[Outcome]) -> list[list[float]]:
    groups = defaultdict(list)
    for group, correct, _ in rows:
        groups[group].append(correct)
    return [groups[group] for group in sorted(groups)]


def mean_of_groups(rows: Sequence[Outcome]) -> float:
    """The share of right answers in each group, averaged over the groups without weights, 0 to 1.

    With right labels as groups, this is balanced accuracy, the mean recall of the labels that occur (as in scikit-learn). With
    phenomena, it is LINDSEA's accuracy (Leong et al. 2023).
    """
    groups = _by_group(rows)
    return math.fsum(math.fsum(group) / len(group) for group in groups) / len(groups)


def mean_of_groups_stderr(rows: Sequence[Outcome]) -> float:
    """Standard error of `mean_of_groups`: √(Σ_g s_g² / n_g) / G.

    This is the error of a stratified mean: the shares of the G groups are independent, each with the variance of a mean. s² is
    the sample variance with n − 1, but at least that of the same answers with one more right and one more wrong answer.
    Otherwise a label with one or two rows, or with only right answers, would seem certain.
    """
    groups = _by_group(rows)
    return math.sqrt(math.fsum(_variance_of_mean(group) for group in groups)) / len(groups)


def _variance_of_mean(values: Sequence[float]) -> float:
    count, total = len(values), math.fsum(values)
    if not count:
        return 0.0
    share, mean = (total + 1) / (count + 2), total / count
    sample = math.fsum((value - mean) ** 2 for value in values) / (count - 1) if count > 1 else 0.0
    return max(sample, share * (1 - share)) / count


def normalised(rows: Sequence[Outcome]) -> float:
    """`mean_of_groups` on the scale of `normalised_score`. Scores below chance are 0, as in SEA-HELM."""
    return max(normalised_score(mean_of_groups(rows), rows[0][2]), 0.0)


def normalised_stderr(rows: Sequence[Outcome]) -> float:
    """Standard error of `normalised` on its scale, as if scores below chance were not set to 0."""
    return 100 * mean_of_groups_stderr(rows) / (1 - rows[0][2])


Score = Callable[[Sequence[Outcome]], float]


def share_in_group(group: str) -> tuple[Score, Score]:
    """Functions for the share of right answers in one group and its standard error, which are NaN and 0 if it has no row."""

    def share(rows: Sequence[Outcome]) -> float:
        values = [row[1] for row in rows if row[0] == group]
        return math.fsum(values) / len(values) if values else math.nan

    return share, lambda rows: math.sqrt(_variance_of_mean([row[1] for row in rows if row[0] == group]))


share_in_scalar_implicatures, share_in_scalar_implicatures_stderr = share_in_group("scalar_implicatures")
share_in_presuppositions, share_in_presuppositions_stderr = share_in_group("presuppositions")
share_in_NPIs_and_negation, share_in_NPIs_and_negation_stderr = share_in_group("NPIs_and_negation")
share_in_argument_structure, share_in_argument_structure_stderr = share_in_group("argument_structure")
share_in_filler_gap_dependencies, share_in_filler_gap_dependencies_stderr = share_in_group("filler-gap_dependencies")
share_in_morphology, share_in_morphology_stderr = share_in_group("morphology")
