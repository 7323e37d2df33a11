"""The numbers of a report, each computed once and when it is first asked for."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import pandas as pd

from lm_eval_sea.report import differences, means, ranks, scores
from lm_eval_sea.report.frames import Frames
from lm_eval_sea.report.means import Mean
from lm_eval_sea.report.suite import Suite
from lm_eval_sea.tasks._shared.metrics.normalisation import normalised_score


class Analysis:
    """Frames of runs with what several sections make of them."""

    def __init__(self, frames: Frames, suite: Suite) -> None:
        self.frames = frames
        self.suite = suite

    @cached_property
    def models(self) -> list[str]:
        """The models by name."""
        return sorted(self.frames.tasks.model.unique())

    @cached_property
    def _scored(self) -> tuple[pd.DataFrame, list[str]]:
        return scores.headline_scores(self.frames)

    @property
    def headline(self) -> pd.DataFrame:
        """See `scores.headline_scores`."""
        return self._scored[0]

    @property
    def score_notes(self) -> list[str]:
        """Notes on scores that contradict themselves."""
        return self._scored[1]

    @cached_property
    def native(self) -> pd.DataFrame:
        """The headline scores with prompts in the language of the data."""
        return self.headline[self.headline.prompt_language != "en"]

    @cached_property
    def draws(self) -> dict[tuple[str, str], np.ndarray]:
        """(model, task) → its normalised score on each draw of rows, (draws,), as far as its uncertainty is known.

        See `rows.score_draws`.
        """
        found = {}
        for row in self.headline.to_dict("records"):
            key = (row["model"], row["task"])
            shares = self.frames.of[key].draws(row["model"])
            if shares is None:
                continue
            normalised = normalised_score(shares, row["chance"] / 100)
            found[key] = np.maximum(normalised, 0) if row["suite"] == scores.SEA_HELM else normalised
        return found

    @cached_property
    def means(self) -> dict[str, dict[str, Mean]]:
        """See `means.suite_means`."""
        return means.suite_means(self.headline, self.suite.members, self.models, self.draws)

    def means_of_parts(self) -> list[tuple[dict[str, str], dict[str, dict[str, Mean]]]]:
        """`means` of the suite and of what each filter of the page leaves of it."""
        rest = [(keys, means.suite_means(self.headline, part, self.models, self.draws)) for keys, part in self.suite.parts()[1:]]
        return [({}, self.means), *rest]

    def common_means_of_parts(self) -> pd.DataFrame:
        """`means.common_means` of the suite and of what each filter of the page leaves of it, with the columns of the filters."""
        parts = self.suite.parts() if len(self.models) > 1 else [({}, self.suite.members)]
        found = [means.common_means(self.headline, part, self.draws).assign(**keys, only="".join(keys)) for keys, part in parts]
        return pd.concat([table for table in found if len(table)] or found[:1], ignore_index=True)

    @cached_property
    def differences(self) -> pd.DataFrame:
        """See `differences.differences_table`."""
        return differences.differences_table(self.frames)

    @cached_property
    def ranks(self) -> dict[tuple[str, str], ranks.Rank]:
        """See `ranks.rank_classes`."""
        return ranks.rank_classes(self.headline, self.differences)
