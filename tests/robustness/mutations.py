"""Hypothesis strategies for files of lm-eval with a fault in them."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

DEEP = "[" * 5000 + "]" * 5000
JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([0, -1, 1.5, 2**63, 10**400, 1e308, -1e308, 0.5, 55.0, float("nan"), float("inf"), float("-inf")]),
    st.sampled_from(["", "x", "\x1b[31mred", "a\u202eb", "\ud800", "=1+1", "../../x", "NaN", "9999-99-99", "x" * 5000]),
    st.sampled_from(["<zz onerror=zz()>", '"><zz>', "</script><zz>", "\\input{zz}", "[zz](javascript:zz)"]),
    st.sampled_from([[], {}, [[]], [None], [1], {"a": {}}, {"a": 1}, ["a", 1], {"": ""}, [{"loglikelihood": "x"}], [[1, 2], 3]]),
    st.integers(-5, 5),
)


def places(value: Any, path: tuple = ()) -> Iterator[tuple[tuple, Any]]:
    """The path of each entry of a JSON value, with the mapping or list that holds it."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in items:
        yield (*path, key), value
        yield from places(entry, (*path, key))


@st.composite
def mutated(draw: Any, value: Any) -> Any:
    """The value with one to three entries replaced, removed or renamed."""
    changed = copy.deepcopy(value)
    for _ in range(draw(st.integers(1, 3))):
        if not (found := list(places(changed))):
            break
        (*_, last), holder = found[draw(st.integers(0, len(found) - 1))]
        action = draw(st.sampled_from(["replace", "replace", "remove", "rename"]))
        if action == "replace":
            holder[last] = copy.deepcopy(draw(JUNK))  # hypothesis hands out the same object twice
        else:
            entry = holder.pop(last)
            if action == "rename" and isinstance(holder, dict):
                holder[draw(st.sampled_from(["", "\x1b[0m", "x\u202e", "acc,none"]))] = entry
    return changed


@st.composite
def replaced_everywhere(draw: Any, content: Any) -> Any:
    """Results or samples with one entry replaced in all tasks, or in all rows."""
    changed, value = copy.deepcopy(content), draw(JUNK)
    tasks = set(content["configs"]) if isinstance(content, dict) else set()
    alike: dict[tuple, list[tuple[Any, Any]]] = {}  # the path without the task or row → its holders and keys
    for path, holder in places(changed):
        shape = tuple(0 if isinstance(key, int) else "task" if key in tasks else key for key in path)
        alike.setdefault(shape, []).append((holder, path[-1]))
    for holder, key in draw(st.sampled_from(list(alike.values()))):
        holder[key] = copy.deepcopy(value)
    return changed


@st.composite
def mutated_bytes(draw: Any, text: str) -> bytes:
    """The text cut, with inserted bytes, or with an array of 5,000 levels."""
    data = text.encode()
    place = draw(st.integers(0, len(data)))
    action = draw(st.sampled_from(["cut", "insert", "deep", "flip"]))
    if action == "cut":
        return data[:place]
    if action == "flip":
        return data[:place] + bytes([draw(st.integers(0, 255))]) + data[place + 1 :]
    return data[:place] + (DEEP.encode() if action == "deep" else draw(st.binary(max_size=8))) + data[place:]


@st.composite
def broken_files(draw: Any, files: dict[str, str]) -> dict[str, bytes]:
    """Files by name, of which one is broken."""
    broken = draw(st.sampled_from(sorted(files)))
    made = {name: text.encode() for name, text in files.items()}
    change = draw(st.sampled_from([mutated, replaced_everywhere, mutated_bytes]))
    if change is mutated_bytes:
        made[broken] = draw(mutated_bytes(files[broken]))
    elif broken.endswith(".json"):
        made[broken] = json.dumps(draw(change(json.loads(files[broken])))).encode()
    else:
        rows = draw(change([json.loads(line) for line in files[broken].splitlines()]))
        made[broken] = "".join(json.dumps(row) + "\n" for row in rows).encode()
    return made
