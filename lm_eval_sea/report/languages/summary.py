"""What `lm-eval-sea report --languages` prints: languages beside English, consistency, errors that two share; by condition."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any

from lm_eval_sea.results.uncertainty import FEWEST_CLUSTERS
from lm_eval_sea.results.visible_text import one_line

_HEAD = ("language", "questions", "accuracy", "English", "difference [95 %]", "p, corrected")
_CONSISTENCY_HEAD = ("languages", "questions", "accuracy", "same answer [95 %]", "AC3")
_ERRORS_HEAD = ("languages", "questions", "wrong in both", "by chance", "excess [95 %]", "p, corrected")
_MOST_PAIRS = 10  # printed of a condition
_CONDITION = ("model", "data_set", "setting", "variant", "prompt", "num_fewshot", "metric")


def summary(differences: Sequence[Mapping[str, Any]]) -> str:
    """Lines of aligned columns, in per cent and percentage points.

    Args:
        differences: the rows of differences.csv.
    """
    return _blocks(differences, _HEAD, _cells)


def consistency_summary(consistency: Sequence[Mapping[str, Any]]) -> str:
    """The same of consistency.csv, for two, three and all languages.

    Args:
        consistency: the rows of consistency.csv.
    """
    shown = [row for row in consistency if row["languages"] in (2, 3, row["of"])]
    return _blocks(shown, _CONSISTENCY_HEAD, _consistency_cells)


def errors_summary(errors: Sequence[Mapping[str, Any]]) -> str:
    """The same of errors.csv, for the pairs of languages with the largest excess.

    Args:
        errors: the rows of errors.csv.
    """
    shown = []
    for _, group in groupby(errors, key=lambda row: tuple(row[name] for name in _CONDITION)):
        shown += sorted(group, key=lambda row: -row["excess"])[:_MOST_PAIRS]
    return _blocks(shown, _ERRORS_HEAD, _error_cells)


def _blocks(table_rows: Sequence[Mapping[str, Any]], head: Sequence[str], cells_of: Callable[..., tuple[str, ...]]) -> str:
    blocks = []
    for _, group in groupby(table_rows, key=lambda row: tuple(row[name] for name in _CONDITION)):
        rows = list(group)
        table = [head, *(cells_of(row) for row in rows)]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = [
            "  ".join(
                cell.rjust(width) if place else cell.ljust(width)
                for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
            )
            for cells in table
        ]
        blocks.append("\n".join([_title(rows[0]), *(line.rstrip() for line in lines)]))
    return "\n\n".join(blocks)


def _title(row: Mapping[str, Any]) -> str:
    shots = f", {row['num_fewshot']} exemplars" if row["num_fewshot"] else ""
    prompt = "English prompt" if row["prompt"] == "en" else "prompt in the language"
    condition = f"{row['setting']} {row['variant']}, {prompt}{shots}, {row['metric']}"
    return one_line(f"{row['model']}: {row['data_set']}, {condition}; in per cent")


def _error_cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    shares = (f"{100 * row[name]:.1f}" for name in ("wrong_in_both", "by_chance"))
    languages = one_line(f"{row['first']}, {row['second']}")
    return (languages, f"{row['questions']:,}", *shares, _points(row, "excess"), _p_value(row))


def _points(row: Mapping[str, Any], name: str) -> str:
    interval = "too few passages" if row["passages"] < FEWEST_CLUSTERS else ""
    if row["low"] is not None:
        interval = f"[{100 * row['low']:+.1f}, {100 * row['high']:+.1f}]"
    return f"{100 * row[name]:+.1f} {interval}".rstrip()


def _p_value(row: Mapping[str, Any]) -> str:
    return "–" if row["p_holm"] is None else "< 0.001" if row["p_holm"] < 0.001 else f"{row['p_holm']:.3f}"


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    shares = (f"{100 * row[name]:.1f}" for name in ("accuracy", "accuracy_en"))
    return (one_line(str(row["language"])), f"{row['questions']:,}", *shares, _points(row, "difference"), _p_value(row))


def _consistency_cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    accuracy, same, both = (f"{100 * row[name]:.1f}" for name in ("accuracy", "consistency", "ac3"))
    interval = "" if row["low"] is None else f" [{100 * row['low']:.1f}, {100 * row['high']:.1f}]"
    return (f"{row['languages']} of {row['of']}", f"{row['questions']:,}", accuracy, same + interval, both)
