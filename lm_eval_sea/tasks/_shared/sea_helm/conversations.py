"""Answers of SEA-HELM that a judge scores after the run, and the second turn of a conversation.

lm-eval has no second turns, so a conversation is two tasks. The second task reads the samples of the first and puts its answers
before the user's second message. The judge reads the samples of the second task.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..facts import facts
from ..hub_files import DataError
from ..lm_eval_private import template
from ..prompted_answers import behind_thought
from ..rows import load_rows


if TYPE_CHECKING:
    from collections.abc import Sequence

    import datasets


def score_judged_answer(doc: dict[str, Any], results: Sequence[str]) -> dict[str, float]:
    """Whether there is an answer. Writes the answer without its thought into `doc`, for a judge."""
    text, rates = behind_thought(doc, results[0])
    doc["answer"] = text.strip()
    return {"null_rate": float(not doc["answer"])} | rates


def load_judged_rows(*, turn_text: str = "", **arguments: Any) -> dict[str, datasets.Dataset]:
    """The rows, with `turns` in the form that the model sees.

    `turn_text` is the Jinja template of the user's message; empty if the row is the message. Other arguments, and errors, are
    those of `rows.load_rows`.
    """
    rows = load_rows(**arguments)
    if not turn_text:
        return rows
    said = [[template(turn_text).render(row).strip()] for row in rows["test"]]
    return rows | {"test": rows["test"].remove_columns("turns").add_column("turns", said)}


def load_second_turns(*, first_turn: str = "", **arguments: Any) -> dict[str, datasets.Dataset]:
    """The rows with the answers to the first turn in `answers`.

    `first_turn`, from the user's `--metadata`, is the file of their samples, or a folder into which lm-eval wrote it. Other
    arguments are those of `rows.load_rows`. The fact `first_turn_task` is the task whose samples have the answers. Raises
    `DataError` if the samples are missing, are of several runs, or are of other rows.
    """
    first_turn_task = facts(arguments)["first_turn_task"]
    file = samples_file(first_turn_task, first_turn)
    rows = load_rows(**arguments)
    said = {sample["doc"]["id"]: sample["doc"] for sample in map(json.loads, file.read_text(encoding="utf-8").splitlines())}
    answers = []
    for row in rows["test"]:
        first = said.get(row["id"])
        if first is None or not isinstance(first.get("answer"), str) or first["turns"] != row["turns"]:
            raise DataError(f"{file} has no first answer to row {row['id']}; run {first_turn_task} again, without --limit")
        answers.append([first["answer"]])
    return rows | {"test": rows["test"].add_column("answers", answers)}


def samples_file(task: str, place: str) -> Path:
    """The one samples file of a task; a DataError if there is none, or more than one."""
    how = f"run {task} with --log_samples --output_path FOLDER, then this task with --metadata first_turn=FOLDER"
    if not place:
        raise DataError(f"the answers to the first turn are needed: {how}")
    found = [Path(place)] if Path(place).is_file() else sorted(Path(place).glob(f"**/samples_{task}_*.jsonl"))
    if not found:
        raise DataError(f"{place} has no samples of {task}: {how}")
    if len(found) > 1:  # such as of a run that asked again for failed requests
        raise DataError(f"{place} has {len(found)} samples of {task}: move away those of other runs, or give first_turn=FILE")
    return found[0]
