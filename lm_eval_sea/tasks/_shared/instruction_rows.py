"""Published rows of SEA-IFEval → processed rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .instruction_checkers import is_scored, read_arguments

Row = dict[str, Any]


def process_instructions(splits: Mapping[str, Sequence[Row]]) -> Callable[[Row], Row]:
    """Rows with a prompt and the instruction that it gives.

    A published row has `prompts` (a list of one), `kwargs` (the same, with the arguments of all kinds of instructions, most of them
    empty) and in `metadata` its `language` and, as `subcategory`, the kind of its instruction. A processed row has the arguments
    that are needed.
    """
    return _process_row


def _process_row(published: Row) -> Row:
    metadata = published["metadata"]
    instruction, language = metadata["subcategory"], metadata["language"]
    for column in ("prompts", "kwargs"):
        if len(published[column]) != 1:
            raise ValueError(f"field {column!r} has {len(published[column])} entries; expected one")
    kwargs = published["kwargs"][0] or {}
    arguments = read_arguments(instruction, kwargs, language) if is_scored(instruction, language) else {}
    return {
        "id": str(published["id"]),
        "prompt": published["prompts"][0]["text"],
        "instruction_ids": [instruction],
        "kwargs": [arguments],
        "label": None,
    }
