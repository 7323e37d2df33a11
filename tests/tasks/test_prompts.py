"""What the model sees, to the letter."""

import json

import pytest
import yaml
from lm_eval.tasks import TaskManager

from .evaluation import TASKS
from .prompt_texts import CATALOGUE, FOLDER, ROOT, prompt_files


@pytest.mark.parametrize("data_set", CATALOGUE["data_sets"])
def test_prompts_are_as_stored(data_set):
    files = prompt_files(data_set)
    assert set(FOLDER.glob(f"{data_set}/*.txt")) <= files.keys()
    for path, text in files.items():
        assert path.read_text(encoding="utf-8") == text, path.name


def _load(task: str):
    manager = TaskManager(include_path=str(TASKS), include_defaults=False)
    return manager.load(task)["tasks"][task]


@pytest.mark.parametrize("shots", range(6))
@pytest.mark.parametrize("language", ["id", "th", "my", "zh"])
def test_layout_from_the_book_by_hand(language, shots, samples, monkeypatch):
    """INSTRUCTION, blank line, then exemplar after exemplar with a blank line between, then the row up to the cue."""
    book = yaml.safe_load((ROOT / f"lm_eval_sea/prompts/belebele/{language}.yaml").read_text(encoding="utf-8"))
    file = samples / CATALOGUE["data_sets"]["belebele"]["languages"][language]["source"]
    row = json.loads(
        (file / CATALOGUE["data_sets"]["belebele"]["languages"][language]["files"]["test"]).open(encoding="utf-8").readline()
    )
    words, cue = book["words"], book["cue"]
    blocks = [book["instruction"]]
    for exemplar in book["exemplars"][:shots]:
        answer = exemplar["options"][exemplar["gold"]]
        blocks.append(f"{words['passage']} {exemplar['passage']}\n{words['question']} {exemplar['question']}\n{cue} {answer}")
    blocks.append(f"{words['passage']} {row['flores_passage']}\n{words['question']} {row['question']}\n{cue}")
    monkeypatch.chdir(samples)
    task = _load(f"sea_belebele_{language}_to_ppl")
    task.set_config("num_fewshot", shots)
    assert task.fewshot_context(task.test_docs()[0], shots) == "\n\n".join(blocks)


def test_chat_template_gets_messages_without_edge_blanks(samples, monkeypatch):
    monkeypatch.chdir(samples)
    task = _load("sea_xcopa_vi_litilo_ppl")
    task.set_config("num_fewshot", 1)
    seen = []
    task.fewshot_context(
        task.test_docs()[0],
        1,
        apply_chat_template=True,
        fewshot_as_multiturn=True,
        chat_template=lambda messages, **options: seen.extend(messages) or "",
    )
    assert [message["role"] for message in seen] == ["system", "user", "assistant", "user"]
    assert seen[2]["content"] == "B"
    assert all(message["content"] == message["content"].strip() for message in seen)
