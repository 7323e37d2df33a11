"""What a user sees while jobs run: one line that is kept up to date, and a line for each job that failed."""

from __future__ import annotations

import time
from types import TracebackType

from tqdm import tqdm

from lm_eval_sea.results.visible_text import one_line
from lm_eval_sea.sweep.completeness import LOG, read_mark
from lm_eval_sea.sweep.job_process import Outcome
from lm_eval_sea.sweep.jobs import Job


class Progress:
    """Counts jobs and tokens; tqdm estimates the time that is left."""

    def __init__(self, complete: int, total: int, failed: dict[Job, Outcome]) -> None:
        """Begins to count.

        Args:
            complete: jobs that were so before.
            total: all jobs.
            failed: gets those that fail.
        """
        self._bar = tqdm(total=total, initial=complete, desc="jobs", unit="job", dynamic_ncols=True)
        self._running: set[str] = set()
        self._tokens = 0
        self._begin = time.monotonic()
        self._failed = failed

    def __enter__(self) -> Progress:
        """Shows the line."""
        self._show()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Ends the line."""
        self._bar.close()

    def started(self, job: Job) -> None:
        """A job has begun."""
        self._running.add(str(job.folder))
        self._show()

    def ended(self, job: Job, outcome: Outcome) -> None:
        """A job has ended, well or not."""
        self._running.discard(str(job.folder))
        mark = read_mark(job.folder, job.digest)
        if outcome.status or mark is None:
            self._failed[job] = outcome
            self._bar.write(f"failed: {job.folder}: {one_line(outcome.last_line)} (log: {job.folder / LOG})")
        else:
            self._tokens += mark.get("tokens") or 0
        self._bar.update()
        self._show()

    def _show(self) -> None:
        shown: dict[str, int | str] = {"running": len(self._running), "failed": len(self._failed)}
        if self._tokens:  # of the jobs that are done
            shown["tokens/s"] = f"{self._tokens / (time.monotonic() - self._begin):,.0f}"
        self._bar.set_postfix(shown)
