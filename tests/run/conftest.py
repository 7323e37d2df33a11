"""What runs leave on disk, and a tokenizer."""

import contextlib
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from transformers import AutoTokenizer

from lm_eval_sea.run.answer_cache import FOLDER

from ..models.toy_server import Answer

TASK_ON_SERVER = "sea_belebele_en_chat"
USAGE = {"prompt_tokens": 90, "completion_tokens": 30, "completion_tokens_details": {"reasoning_tokens": 20}}
THINKING = Answer([("reasoning", "Hm, B."), ("content", "Answer: B")], usage=USAGE)


@pytest.fixture
def tokenizer(tiny_model):
    return AutoTokenizer.from_pretrained(tiny_model)


def written(output: Path) -> dict[str, Any]:
    """The content of the only results file below a folder."""
    [path] = output.rglob("results_*.json")
    return json.loads(path.read_text(encoding="utf-8"))


def logged(output: Path, task: str = "") -> list[dict[str, Any]]:
    """The rows of the only samples file below a folder, or of that of a task."""
    [path] = output.rglob(f"samples_{task}*.jsonl")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def answers_kept(output: Path, mode: str = "ro") -> int:
    """The number of answers on disk. In mode "rw", SQLite first rolls back a write that a kill interrupted."""
    count = 0
    for path in (output / FOLDER).glob("answers_*.db"):
        with (
            contextlib.suppress(sqlite3.Error),
            contextlib.closing(sqlite3.connect(f"file:{path}?mode={mode}", uri=True)) as database,
        ):
            count += database.execute('SELECT count(*) FROM "unnamed"').fetchone()[0]  # at first there is no table
    return count


def run_on_server(toy, output, *arguments, task=TASK_ON_SERVER, model_args=""):
    """The arguments of a run with logged samples on a `toy_server`."""
    return [
        "run", "--model", "chat-api", "--model_args", f"model=toy,base_url={toy.base_url}{model_args}", "--tasks", task,
        "--output_path", str(output), "--log_samples", *arguments,
    ]  # fmt: skip
