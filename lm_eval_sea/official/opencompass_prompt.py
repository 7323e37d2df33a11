"""What a base model is shown by OpenCompass: turns joined by line breaks, places filled by plain replacement.

OpenCompass (001e77f): `LMTemplateParser.parse_template` without a meta template, `PromptList.format`, `safe_format`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_PLACE = re.compile(r"\{(\w+)\}")
_JINJA_MARKS = re.compile(r"\{\{|\{%|\{#")


def fill(text: str, row: Mapping[str, Any]) -> str:
    """The text with `{column}` replaced by the row's value, column after column in the row's order.

    Braces around anything else stay as they are. A value that itself has `{column}` of a later column is filled again.
    """
    for column, value in row.items():
        text = text.replace(f"{{{column}}}", str(value))
    return text


def prompt(turns: Sequence[str], row: Mapping[str, Any]) -> str:
    """The text a base model gets: the filled turns, joined by line breaks."""
    return "\n".join(fill(turn, row) for turn in turns)


def places(text: str, columns: Iterable[str]) -> list[str]:
    """The columns among `columns` that a text has a place for, in the order of the text."""
    known = set(columns)
    return [name for name in _PLACE.findall(text) if name in known]


def as_jinja(text: str, columns: Iterable[str]) -> str:
    """A Jinja template that renders a row to what `fill` makes of it, unless a value has a place of its own.

    Args:
        text: with places `{column}`.
        columns: of the rows; braces around other names are text.
    """
    known = set(columns)
    parts, end = [], 0
    for match in _PLACE.finditer(text):
        if match[1] in known:
            parts += [_literal(text[end : match.start()]), f"{{{{{match[1]}}}}}"]
            end = match.end()
    return "".join([*parts, _literal(text[end:])])


def _literal(text: str) -> str:
    # a brace right before a place would make Jinja see three
    return f"{{% raw %}}{text}{{% endraw %}}" if _JINJA_MARKS.search(text) or text.endswith("{") else text
