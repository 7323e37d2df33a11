"""Files as lm-eval writes them with something wrong in one place, as hypothesis strategies."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import strategies as st

DEEP = "[" * 5000 + "]" * 5000
JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([0, -1, 2**63, 10**400, 1e308, -1e308, 0.5, 55.0, float("nan"), float("inf"), float("-inf")]),
    st.sampled_from(["", "\x1b[31mred", "a\u202eb", "\ud800", "=1+1", "../../x", "NaN", "9999-99-99", "x" * 500]),
    st.sampled_from([[], {}, [[]], [None], {"a": {}}, ["a", 1], {"": ""}, [{"loglikelihood": "x"}], [[1, 2], 3]]),
    st.integers(-5, 5),
)


def places(value: Any, path: tuple = ()) -> list[tuple]:
    """The paths of all entries of a JSON value."""
    found = [path] if path else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in items:
        found += places(entry, (*path, key))
    return found


@st.composite
def mutated(draw: Any, value: Any) -> Any:
    """The value with one to three entries replaced, removed or renamed."""
    changed = copy.deepcopy(value)
    for _ in range(draw(st.integers(1, 3))):
        paths = places(changed)
        if not paths:
            break
        *above, last = draw(st.sampled_from(paths))
        holder = changed
        for key in above:
            holder = holder[key]
        action = draw(st.sampled_from(["replace", "replace", "remove", "rename"]))
        if action == "replace":
            holder[last] = copy.deepcopy(draw(JUNK))  # hypothesis hands out the same object twice
        else:
            entry = holder.pop(last)
            if action == "rename" and isinstance(holder, dict):
                holder[draw(st.sampled_from(["", "\x1b[0m", "x\u202e", "acc,none"]))] = entry
    return changed


@st.composite
def mutated_bytes(draw: Any, text: str) -> bytes:
    """The text cut, with bytes put in, or with an array of 5,000 levels in it."""
    data = text.encode()
    place = draw(st.integers(0, len(data)))
    action = draw(st.sampled_from(["cut", "insert", "deep", "flip"]))
    if action == "cut":
        return data[:place]
    if action == "flip":
        return data[:place] + bytes([draw(st.integers(0, 255))]) + data[place + 1 :]
    return data[:place] + (DEEP.encode() if action == "deep" else draw(st.binary(max_size=8))) + data[place:]


def as_json(value: Any) -> str:
    """JSON as Python writes it, lone surrogates as escapes."""
    return json.dumps(value)
