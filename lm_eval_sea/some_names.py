"""A list of names for one line."""

from collections.abc import Sequence

_SHOWN = 4


def some_names(names: Sequence[str]) -> str:
    """The first names, and how many more there are: "a, b, c, d and 3 more"."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
