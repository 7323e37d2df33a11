"""Digests of rows. They tell whether two files have the same rows, and if not, which parts are the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any


Row = Mapping[str, Any]

_ANSWERS = ("gold", "label", "answers", "solution", "summary")
_SHORT = 12  # characters of the digest of a part
_NOTHING = "other texts in the same number of rows"
_SAME = {
    "sorted": "the same rows in another order",
    "asked": "the same questions, with other right answers",
    "answers": "the same right answers, with other texts",
}


def digest_of_rows(rows: Sequence[Row], exemplars: Sequence[Row]) -> str:
    """The SHA-256 of processed rows and published exemplars."""
    text = json.dumps([rows, exemplars] if exemplars else rows, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def digests_of(rows: Sequence[Row]) -> dict[str, str]:
    """The beginnings of the SHA-256 of parts of the rows in their published order, for comparing them with another file's.

    `sorted`: the rows in any order; `asked`: the rows without the right answers; `answers`: only the right answers.
    """
    bare = [{key: value for key, value in row.items() if key not in ("id", "cluster")} for row in rows]
    asked = [{key: value for key, value in row.items() if key not in _ANSWERS} for row in bare]
    answers = [{key: value for key, value in row.items() if key in _ANSWERS} for row in bare]
    in_any_order = sorted(json.dumps(row, ensure_ascii=False, sort_keys=True) for row in bare)
    parts: dict[str, Sequence[Any]] = {"sorted": in_any_order, "asked": asked, "answers": answers if any(answers) else []}
    return {name: digest_of_rows(part, [])[:_SHORT] for name, part in parts.items() if part}


def difference_from_tested(rows: Sequence[Row], sha256: str, tested: Mapping[str, str]) -> str | None:
    """Which part is the same as in the rows that the pack was tested with; None if all is the same, or `tested` is empty.

    The number of rows is the same. `rows` are in their published order, and `sha256` is their `digest_of_rows`. `tested` has the
    digests of the tested rows: their `digest_of_rows` under `rows`, and their `digests_of`.
    """
    if not tested or tested["rows"] == sha256:
        return None
    found = digests_of(rows)
    return next((said for name, said in _SAME.items() if name in found and tested.get(name) == found[name]), _NOTHING)
