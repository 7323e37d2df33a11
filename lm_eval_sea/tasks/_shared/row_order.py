"""The order in which rows are evaluated, so that the first rows (`--limit 100`) are a fair sample. Pure, no I/O."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


SEED = "lm_eval_sea"
# Up to this many rows are always run whole, and keep the order of their file, which is easier to follow.
FEW_ROWS = 20


def _drawn(row: Mapping[str, Any]) -> str:
    """A key that puts rows into a random order. It depends only on the row's id and SEED, so it is the same in every language."""
    return hashlib.sha256(f"{SEED} {row['id']} 0".encode()).hexdigest()  # without the 0, runs and lite tasks would get other rows


def fair_order(rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Positions of the rows in an order in which the first n, for any n, have the same mix of labels and passages as all.

    Published files are often sorted: the first 295 of IndoLEM's 1,002 rows are positive. So the rows of each label (`gold`, or
    the position of the right option) are put into a random order, fixed by the rows' ids, in which a passage (`cluster`) comes a
    second time only when all have come once. Then the labels are dealt in proportion: the row of rank r of the n rows of its
    label stands at (r + 1/2) / n.

    Up to FEW_ROWS rows keep their order. Rows have an `id` of their own, `cluster` and, if there are labels, `gold`.
    """
    if len(rows) <= FEW_ROWS:
        return list(range(len(rows)))
    by_label: dict[Any, list[tuple[str, int]]] = defaultdict(list)
    for position, row in enumerate(rows):
        by_label[row.get("gold")].append((_drawn(row), position))
    placed: list[tuple[float, str, int]] = []
    for drawn in by_label.values():
        seen: Counter[str] = Counter()
        ranked = []
        for key, position in sorted(drawn):
            cluster = rows[position]["cluster"]
            ranked.append((seen[cluster], key, position))
            seen[cluster] += 1
        placed += [((rank + 0.5) / len(ranked), key, position) for rank, (_, key, position) in enumerate(sorted(ranked))]
    return [position for _, _, position in sorted(placed)]
