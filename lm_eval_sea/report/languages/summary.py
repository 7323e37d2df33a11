"""What `lm-eval-sea report --languages` prints for each condition: languages and English, consistency, shared errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from lm_eval_sea.catalogue.task_list import aligned
from lm_eval_sea.report.languages.tables import Condition
from lm_eval_sea.report.tables import FEW, number
from lm_eval_sea.results.uncertainty import FEWEST_CLUSTERS
from lm_eval_sea.results.visible_text import one_line

_HEADS = {
    "differences": ("language", "questions", "accuracy", "English", "difference [95 %]", "p, corrected"),
    "consistency": ("languages", "questions", "accuracy", "same answer [95 %]", "AC3"),
    "errors": ("languages", "questions", "wrong in both", "by chance", "excess [95 %]", "p, corrected"),
}
_MOST_PAIRS = 10  # printed per condition


def summary(rows: Sequence[Mapping[str, Any]], of: str = "differences") -> str:
    """The rows of one of the files in `_HEADS` as aligned columns, by condition, in per cent and percentage points.

    Consistency is shown for two, three and all languages, errors for the pairs with the most excess.
    """
    blocks = []
    for _, group in groupby(rows, key=lambda row: tuple(row[name] for name in Condition._fields)):
        own = list(group)
        if of == "consistency":
            own = [row for row in own if row["languages"] in (2, 3, row["of"])]
        elif of == "errors":
            own = sorted(own, key=lambda row: -row["excess"])[:_MOST_PAIRS]
        blocks.append("\n".join([_title(own[0]), *aligned([_HEADS[of], *(_cells(row, of) for row in own)])]))
    return "\n\n".join(blocks)


def _title(row: Mapping[str, Any]) -> str:
    shots = f", {row['num_fewshot']} exemplars" if row["num_fewshot"] else ""
    prompt = "English prompt" if row["prompt"] == "en" else "prompt in the language"
    condition = f"{row['setting']} {row['variant']}, {prompt}{shots}, {row['metric']}"
    return one_line(f"{row['model']}: {row['data_set']}, {condition}; in per cent")


def _cells(row: Mapping[str, Any], of: str) -> tuple[str, ...]:
    def share(name: str) -> str:
        return f"{100 * row[name]:.1f}"

    questions = f"{row['questions']:,}"
    if of == "consistency":
        interval = "" if row["low"] is None else f" [{share('low')}, {share('high')}]"
        interval += FEW if row["few"] else ""
        return (f"{row['languages']} of {row['of']}", questions, share("accuracy"), share("consistency") + interval, share("ac3"))
    names = ("accuracy", "accuracy_en") if of == "differences" else ("wrong_in_both", "by_chance")
    languages = str(row["language"]) if of == "differences" else f"{row['first']}, {row['second']}"
    interval = "too few passages" if row["passages"] < FEWEST_CLUSTERS else ""
    if row["low"] is not None:
        interval = f"[{100 * row['low']:+.1f}, {100 * row['high']:+.1f}]"
    points = f"{100 * row['difference' if of == 'differences' else 'excess']:+.1f} {interval}".rstrip()
    p_value = "–" if row["p_holm"] is None else number("p", row["p_holm"])
    return (one_line(languages), questions, *map(share, names), points, p_value)
