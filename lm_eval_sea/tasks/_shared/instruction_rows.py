"""Published rows of SEA-IFEval → processed rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .metrics.instruction_checkers import is_scored, read_arguments

Row = dict[str, Any]


def process_instructions(splits: Mapping[str, Sequence[Row]]) -> Callable[[Row], list[Row]]:
    """Rows with a prompt and the instruction that it gives; none where SEA-HELM does not score it in this language.

    A published row has `prompts` (a list of one), `kwargs` (the same, with the arguments of all kinds of instructions, most of
    them empty) and in `metadata` its `language` and, as `subcategory`, the kind of its instruction. A processed row has the
    arguments that are needed.
    """
    return _process_row


def _process_row(published: Row) -> list[Row]:
    metadata = published["metadata"]
    instruction, language = metadata["subcategory"], metadata["language"]
    for column in ("prompts", "kwargs"):
        if len(published[column]) != 1:
            raise ValueError(f"field {column!r} has {len(published[column])} entries; expected one")
    if not is_scored(instruction, language):
        return []
    return [
        {
            "id": str(published["id"]),
            "prompt": published["prompts"][0]["text"].strip(),
            "instruction_ids": [instruction],
            "kwargs": [read_arguments(instruction, published["kwargs"][0] or {}, language)],
            "label": None,
        }
    ]
