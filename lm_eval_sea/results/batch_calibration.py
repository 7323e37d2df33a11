"""The choices of batch calibration, which depend on all rows of a task, so that lm-eval cannot log them row by row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lm_eval_sea.results.run_files import is_number
from lm_eval_sea.tasks._shared.metrics.classification_metrics import Evidence, batch_calibrated_choices

METRIC = "acc_bc"
_MOST = 2.0**53  # nats; sums of numbers near the end of all floats are none


def with_choices(rows: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Logged rows, in which `acc_bc` is 0 or 1 and stands among the predictions, as that of other metrics.

    lm-eval logs what the metric is made of: the right label and the log-likelihoods of all labels. Rows without that are handed
    on as they are. Memory holds all rows from the first one that has it.

    Args:
        rows: of one task, with the columns `acc_bc` and `doc`; without the former nothing is done.

    Yields:
        The rows, in their order.
    """
    waiting: list[Mapping[str, Any]] = []
    for row in rows:
        if not waiting and _evidence(row.get(METRIC)) is None:
            yield row
        else:
            waiting.append(row)
    evidence = [_evidence(row.get(METRIC)) for row in waiting]
    found = [entry for entry in evidence if entry is not None]
    # Biases are means over the rows: with another number of labels in some, or with a row that says nothing, there are none.
    if len(found) < len(waiting) or len({len(entry.loglikelihoods) for entry in found}) > 1:
        yield from waiting
        return
    for row, choice in zip(waiting, batch_calibrated_choices(found), strict=True):
        doc = row["doc"] if isinstance(row.get("doc"), dict) else {}
        predictions = doc["predictions"] if isinstance(doc.get("predictions"), dict) else {}
        yield {
            **row,
            METRIC: float(choice.gold == choice.chosen),
            "doc": doc | {"predictions": predictions | {METRIC: choice.chosen}},
        }


def _evidence(logged: Any) -> Evidence | None:
    """What batch calibration needs of a row, if it is that."""
    if not isinstance(logged, list | tuple) or len(logged) != 2:
        return None
    gold, loglikelihoods = logged
    if not isinstance(loglikelihoods, list | tuple) or len(loglikelihoods) < 2:
        return None
    if not all((is_number(value) and abs(value) < _MOST) or value == float("-inf") for value in loglikelihoods):
        return None
    known = isinstance(gold, int) and not isinstance(gold, bool) and 0 <= gold < len(loglikelihoods)
    return Evidence(gold, list(loglikelihoods)) if known else None
