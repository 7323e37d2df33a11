"""Which run of a task counts, where one model was run on it several times."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lm_eval_sea.results.run_settings import differing_settings

if TYPE_CHECKING:
    from lm_eval_sea.results.run_files import Run


def without_superseded(runs: list[Run], notes: list[str]) -> list[Run]:
    """The runs, each with those tasks only of which no better run of the same model exists; a run that keeps none is left out.

    The run with more rows of the task counts; of two with equally many the newer.

    Args:
        runs: by model and date.
        notes: gets a line for what is left out and why, and in what the runs differ.
    """
    best: dict[tuple[str, str], Run] = {}
    for run in runs:
        for name in run.tasks:
            other = best.get((run.model, name))
            if other is None or _rank(run, name) >= _rank(other, name):
                best[run.model, name] = run
    kept = []
    for run in runs:
        for winner in {id(best[run.model, name]): best[run.model, name] for name in run.tasks}.values():
            names = [name for name in run.tasks if winner is not run and best[run.model, name] is winner]
            more = [name for name in names if (winner.tasks[name].rows or 0) > (run.tasks[name].rows or 0)]
            for group, why in ((more, _more_rows(run, winner, more)), ([n for n in names if n not in more], "is newer")):
                if group:
                    differing = differing_settings(run, winner, group)
                    made = f"; not made alike ({'; '.join(differing)})" if differing else ""
                    left_out = f"{run.model}: {', '.join(group)} of {run.date} left out"
                    notes.append(f"{left_out}, for the run of {winner.date} {why}{made}")
        tasks = {name: task for name, task in run.tasks.items() if best[run.model, name] is run}
        if tasks or not run.tasks:
            kept.append(replace(run, tasks=tasks))
    return kept


def _rank(run: Run, name: str) -> tuple[int, object]:
    return run.tasks[name].rows or 0, run.date


def _more_rows(run: Run, winner: Run, names: list[str]) -> str:
    counts = {(winner.tasks[name].rows, run.tasks[name].rows) for name in names}
    if len(counts) != 1:
        return "has more rows"
    more, fewer = counts.pop()
    return f"has more rows ({more} instead of {'an unknown number' if fewer is None else fewer})"


def kept_apart(runs: list[Run]) -> list[Run]:
    """The runs, each with its date in the name of its model where the model has several, so that all stay."""
    several = {run.model for run in runs if sum(other.model == run.model for other in runs) > 1}
    named: list[Run] = []
    for run in runs:
        name = f"{run.model} ({run.date.isoformat(sep=' ', timespec='seconds')})" if run.model in several else run.model
        alike = sum(other.model == name or other.model.startswith(f"{name} #") for other in named)
        named.append(replace(run, model=f"{name} #{alike + 1}" if alike else name))
    return named
