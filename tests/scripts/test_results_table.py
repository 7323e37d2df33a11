"""The check of contributed results, and the table made of them."""

import json

import add_results
import pytest
from check_results import findings
from results_table import tables

from lm_eval_sea.catalogue.task_list import read_tasks
from tests.results.lm_eval_output import write_run

TASK = "sea_xcopa_id_to_ppl_lite"


@pytest.fixture
def results(tmp_path):
    """Writes what lm-eval writes of a run; the keywords change it."""
    facts = read_tasks().tasks[TASK].metadata

    def write(model="org/a", folder=None, score=0.6, rows=100, limit=None, sha=None, samples=False, about=None, **metadata):
        place = tmp_path / (folder or model.replace("/", "__"))
        provenance = {"data_sha256": sha or facts["subset"]["sha256"], "pack_version": "0.3.0"}
        task = {
            "scores": {"acc_ppl,none": score, "acc_ppl_stderr,none": 0.05},
            "metadata": {**facts, "provenance": provenance} | metadata,
        }
        config = {"model": "hf", "model_args": {"pretrained": model}, "limit": limit, "model_sha": "abc"}
        counts = {TASK: {"original": rows, "effective": rows}}
        parts = {"group_subtasks": {}, "versions": {TASK: facts["version"]}, "n-samples": counts, "config": config, "date": 1.0}
        logged = {"rows": [{}]} if samples else {}
        write_run(place, {TASK: task | logged}, "2026-11-22T03-00-00.000000", model=model, **parts)
        if about is not None:
            (place / "about.yaml").write_text(about, encoding="utf-8")
        return place

    return write


def test_results_are_added_without_samples_and_paths(results, tmp_path, monkeypatch):
    """A run of a folder on somebody's machine becomes a sound entry with the name that is given."""
    mine = results(model=str(tmp_path / "models" / "a"), folder="mine", samples=True)
    [path] = mine.glob("results_*.json")
    content = json.loads(path.read_text(encoding="utf-8"))
    content["config"]["use_cache"] = str(tmp_path / "unfinished")
    content["config_source"] = f"{tmp_path}/lm_eval_sea/tasks/xcopa/lite/id.yaml"
    path.write_text(json.dumps(content), encoding="utf-8")
    assert findings([mine]) != []
    monkeypatch.setattr(add_results, "FOLDER", tmp_path / "leaderboard")
    written = add_results.add(mine, "org/a-tuned", {"source": "the package a", "revision": "1.0"})
    assert sorted(file.name for file in written) == ["about.yaml", path.name]
    assert findings([tmp_path / "leaderboard" / "org__a-tuned"]) == []
    [added] = (tmp_path / "leaderboard").rglob("results_*.json")
    text = added.read_text(encoding="utf-8")
    assert str(tmp_path) not in text and json.loads(text)["config_source"] == "lm_eval_sea/tasks/xcopa/lite/id.yaml"
    assert json.loads(text)["results"] == content["results"] and json.loads(text)["model_name"] == "org/a-tuned"


def test_sound_results_pass(results):
    assert findings([results()]) == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"limit": 10}, "made with --limit 10"),
        ({"rows": 90}, "90 rows; expected 100"),
        ({"version": 0.9}, "version 0.9 of the task"),
        ({"prompt_book_version": 0}, "version 0 of the prompts"),
        ({"sha": "0" * 64}, "made on other rows"),
        ({"model": "/home/me/model", "folder": "model"}, "expected its name on the hub"),
        ({"folder": "elsewhere"}, "results of org/a belong in org__a"),
        ({"samples": True}, "leave samples out"),
        ({"about": "model: mine\n"}, "lacks 'source'"),
    ],
)
def test_what_is_wrong_is_said(results, changes, expected):
    assert any(expected in line for line in findings([results(**changes)]))


def test_a_model_from_a_folder_says_what_it_is(results):
    place = results(model="/home/me/model", folder="mine", about="model: mine, 4 bits\nsource: a package\nrevision: '1'\n")
    assert findings([place]) == []
    assert "| task | metric | chance | mine, 4 bits |" in tables([place])


def test_the_table_has_scores_with_intervals_and_no_mean_of_a_part(results):
    pytest.importorskip("pandas", reason="needs pandas: pip install 'lm-eval-sea[report]'")
    text = tables([results("org/a", score=0.6), results("org/b", score=0.4)])
    line = next(line for line in text.splitlines() if TASK in line)
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert cells[:3] == [f"`{TASK}`", "acc_ppl", "50.0"]
    assert cells[3].startswith("60.0 [") and cells[4].startswith("40.0 [")
    assert "(1 of 27 tasks)" in text


def test_without_results_the_page_says_so():
    assert tables([]) == "No results have been added yet.\n"
