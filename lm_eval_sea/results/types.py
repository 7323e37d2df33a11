"""Numbers and other values of results, their digests, and the errors of reading them."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any, TypeGuard, TypeVar

from lm_eval_sea.catalogue import Refusal

_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value")


class ResultsError(Refusal, ValueError):
    """Results cannot be used; one line that says what is wrong and how to fix it."""


@dataclass(frozen=True)
class Score:
    """One number of a task or group."""

    value: float
    stderr: float | None  # as lm-eval reports it; None where it reports none


def is_number(value: Any) -> TypeGuard[float]:
    """Whether a value of a file is a finite number."""
    try:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:  # a whole number beyond all floats
        return False


def is_whole(value: Any) -> TypeGuard[int]:
    """Whether a value of a file is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def count_of(value: Any) -> int | None:
    """A number of rows or exemplars in a file; None if it is something else, or no float holds it exactly."""
    return value if is_whole(value) and 0 <= value < 2**53 else None


def mapping_of(value: Any) -> dict[str, Any]:
    """A mapping in a file; empty where something else stands."""
    return value if isinstance(value, dict) else {}


def list_of(value: Any) -> list[Any]:
    """A list in a file; empty where something else stands."""
    return value if isinstance(value, list) else []


def grouped(pairs: Iterable[tuple[_Key, _Value]]) -> dict[_Key, list[_Value]]:
    """Key → its values, both in the order of the pairs."""
    found: dict[_Key, list[_Value]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def disagreeing(pairs: Iterable[tuple[_Key, tuple[Any, _Value]]]) -> dict[_Key, dict[Any, list[_Value]]]:
    """The keys with more than one value, from pairs of key and (value, member): key → value → its members."""
    return {key: by_value for key, members in grouped(pairs).items() if len(by_value := grouped(members)) > 1}


def digest_of(content: Any, length: int = 64) -> str:
    """A digest of any content, the first of 64 hexadecimal digits; what JSON does not know counts as its text."""
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()[:length]
