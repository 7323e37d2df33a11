"""Replaces attributes of an object or a class for a while, where lm-eval or transformers takes no argument for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def replaced(owner: object, **others: Any) -> Iterator[None]:
    """Inside, attributes have other values. Afterwards they are as before: those that `owner` inherits or lacks are deleted."""
    before = {name: vars(owner)[name] for name in others if name in vars(owner)}
    try:
        for name, value in others.items():
            setattr(owner, name, value)
        yield
    finally:
        for name in others:
            if name in before:
                setattr(owner, name, before[name])
            else:
                delattr(owner, name)
