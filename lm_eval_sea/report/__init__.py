"""The report: from runs of lm-eval to tables, figures and a page.

frames = lm_eval_sea.report.load(["results"])
frames.samples.groupby(["model", "task"]).score.mean()
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lm_eval_sea.report.frames import Frames


def load(paths: Iterable[Path | str]) -> Frames:
    """Runs of lm-eval as tidy pandas frames: `runs`, `tasks`, `metrics` and `samples`.

    Args:
        paths: folders that lm-eval wrote, or files of them.

    Raises:
        RunFilesError: if there is nothing to read.
    """
    from lm_eval_sea.report import frames  # pandas, which the command line does without until it reports

    return frames.load(paths)
