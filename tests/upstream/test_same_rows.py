"""The table of docs/tasks.md on lm-eval's own tasks: which of their rows are the pack's."""

import re
from collections import Counter

import pytest
from datasets import load_dataset
from lm_eval.tasks import TaskManager
from lm_eval.tasks._yaml_loader import load_yaml

from tests.conftest import ROOT
from tests.tasks.evaluation import TASKS

ROW = re.compile(r"^\| `(\w+)` \| ([\d,]+) \| `(sea_\w+)` \| ([\d,]+) \| ([\d,]+) \| ", re.MULTILINE)
PARTS = {"global_mmlu_id": "_stem", "global_mmlu_zh": "_stem", "global_mmlu_en": "_stem"}  # groups by subject of one file


def content(kind: str, row: dict, published: bool) -> tuple[str, ...]:
    """Texts and right answer of a row, without blanks, quotation marks and byte-order marks."""
    if kind == "xquad":
        answers = row["answers"]
        found = [row["context" if published else "passage"], row["question"], (answers["text"] if published else answers)[0]]
    elif kind == "belebele":
        options = [row[f"mc_answer{place}"] for place in range(1, 5)] if published else row["options"]
        gold = int(row["correct_answer_num"]) - 1 if published else row["gold"]
        found = [row["flores_passage" if published else "passage"], row["question"], *options, gold]
    elif kind in ("xcopa", "copal"):
        options = [row["choice1"], row["choice2"]] if published else row["options"]
        found = [row["premise"], row["question"], *options, row["label" if published else "gold"]]
    elif kind == "mgsm":
        found = [row["question"], row["answer_number" if published else "solution"]]
    elif kind == "global":
        options = [row[f"option_{letter}"] for letter in "abcd"] if published else row["options"]
        found = [row["question"], *options, "ABCD".index(row["answer"]) if published else row["gold"]]
    else:
        found = [row["premise"], row["hypothesis"], row["label" if published else "gold"]]
    return tuple(re.sub(r"[\s\"“”'‘’\u200b\ufeff]", "", str(part)) for part in found)


@pytest.mark.slow
def test_the_table_counts_the_rows(in_hub_mirror):
    own = TaskManager()
    pack = TaskManager(include_path=str(TASKS), include_defaults=False, metadata={"tokenizer": "none"})
    table = ROW.findall((ROOT / "docs" / "tasks.md").read_text(encoding="utf-8"))
    assert len(table) == 18
    for theirs, rows_there, ours, rows_here, rows_in_both in table:
        config = load_yaml(own.task_index[theirs + PARTS.get(theirs, "")].yaml_path, resolve_func=False)
        # the hub redirects the old name
        place = config["dataset_path"].replace("CohereForAI/", "CohereLabs/")
        published = load_dataset(place, config["dataset_name"], split=config.get("test_split") or config["validation_split"])
        processed = pack.load(ours)["tasks"][ours].eval_docs
        kind = theirs.split("_")[0]
        both = Counter(content(kind, row, True) for row in published) & Counter(content(kind, row, False) for row in processed)
        counted = [f"{number:,}" for number in (len(published), len(processed), both.total())]
        assert counted == [rows_there, rows_here, rows_in_both], (theirs, ours)
