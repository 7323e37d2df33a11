"""Which rows the page shows: of runs of one task those that all of them have, as far as there are enough."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

_NUMBER = re.compile(rb'"doc_id":\s*(\d{1,18})\b')


def number_of(doc_id: Any, place: int) -> int:
    """The number of a row: `doc_id`, or its place in the file where that is no number."""
    return doc_id if isinstance(doc_id, int) and not isinstance(doc_id, bool) else place


def row_numbers(samples: Path) -> set[int]:
    """The numbers of the rows of a file, without reading the rows; empty for a file that cannot be opened."""
    try:
        with samples.open("rb") as lines:
            return {int(found[1]) if (found := _NUMBER.search(line)) else place for place, line in enumerate(lines)}
    except OSError:
        return set()


def chosen_numbers(own: Collection[int], runs: Sequence[Collection[int]], count: int) -> set[int]:
    """The rows of one run to show: first those that most runs have, and of equally many evenly spaced ones.

    Runs of the same rows show the same ones, and a run of 900 rows those of a run of 100.

    Args:
        own: the numbers of its rows.
        runs: those of all runs of the task, this one too.
        count: how many to show at most.
    """
    held = Counter(number for numbers in runs for number in numbers)
    chosen: list[int] = []
    for times in sorted({held[number] for number in own}, reverse=True):
        group = sorted(number for number in own if held[number] == times)
        if free := count - len(chosen):
            chosen += group[:: -(-len(group) // free)]
    return set(chosen)
