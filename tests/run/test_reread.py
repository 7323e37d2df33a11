"""`score --reread` writes what the run itself would have written."""

import json

import pytest

from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.commands.cli import main
from tests.run.conftest import THINKING, USAGE, run_on_server, written

from ..models.toy_server import DROP, Answer, serve, text
from ..results.lm_eval_output import write_run

TASKS = [
    "sea_m3exam_chat", "sea_wisesight_th_chat_enprompt", "sea_mgsm_th_chat", "sea_flores_id_en_chat", "sea_xquad_th_chat",
    "sea_thaisum_th_chat",
]  # fmt: skip
LEFT = {"config", "task_hashes", "total_evaluation_time_seconds"}
REPLIES = [
    THINKING,
    Answer([("reasoning", "Hm, "), ("reasoning", "so")], finish="length", usage=USAGE),
    text("<think>It is 7, or A.</think>คำตอบ: **B. 12**"),
    text("<think>It is", finish="length"),
    Answer([("reasoning", "B"), ("content", "Answer: B")], usage=USAGE),
    Answer([("reasoning", "Hm."), ("content", "<think>So.</think>Answer: B")], usage=USAGE),
    text("Sure! Here it is:\n\n```\nThe rain came late.\n```\nLet me know!"),
    text("I'm sorry, but I can't help with that."),
    text("ผลลัพธ์คือ 3 + 4 = 7"),
    text("Answer: neutral \ud83d\ude00", finish="length"),
    DROP,
]


@pytest.fixture(scope="module")
def run(samples, tmp_path_factory):
    """The folder of a run on a server that gives all these replies, with one exemplar per question."""
    output = tmp_path_factory.mktemp("run")
    with pytest.MonkeyPatch.context() as patch, serve(lambda body, number: REPLIES[number % len(REPLIES)]) as toy:
        patch.chdir(samples)
        given = ["--limit", "3", "--num_fewshot", "1", "--apply_chat_template", "--fewshot_as_multiturn", "True"]
        alone = ",num_concurrent=1,max_retries=0"
        assert main(run_on_server(toy, output, *given, task=",".join(TASKS), model_args=alone)) == 0
    return output


def rows_of(folder):
    """Task → its logged rows."""
    found = {}
    for path in folder.rglob("samples_*.jsonl"):
        found[path.name.rpartition("_")[0]] = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return found


def copy(folder, to, change_row=lambda row: row, change=lambda results: results):
    """Copies the files of a run with changes."""
    to.mkdir()
    for path in folder.rglob("samples_*.jsonl"):
        rows = [change_row(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
        (to / path.name).write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    for path in folder.rglob("results_*.json"):
        (to / path.name).write_text(json.dumps(change(json.loads(path.read_text(encoding="utf-8")))), encoding="utf-8")
    return to


def reread(folder, to):
    return main(["score", str(folder), "--reread", str(to)])


def misread(row):
    """A row as another version might have logged it."""
    scores = {name: 0.5 for name in row["metrics"] if isinstance(row.get(name), float)}
    return row | {"doc": row["doc"] | {"answer": "?", "predictions": {}}} | scores


def misscored(results):
    for numbers in results["results"].values():
        numbers |= {name: 0.123 for name, value in numbers.items() if isinstance(value, float)}
    return results


@pytest.mark.slow
def test_scores_and_rows_equal_those_of_the_run(run, in_samples, tmp_path, capsys):
    old = copy(run, tmp_path / "old", misread, misscored)
    assert reread(old, tmp_path / "new") == 0
    made, expected = written(tmp_path / "new"), written(run)
    assert {key for key in expected if made[key] != expected[key]} <= LEFT
    assert made["config"] == expected["config"] | {"answers_of": next(old.glob("results_*")).name}
    assert made["task_hashes"] == expected["task_hashes"]
    assert rows_of(tmp_path / "new") == rows_of(run) and len(rows_of(run)) == 8
    states = {row["doc"]["state"] for rows in rows_of(run).values() for row in rows}
    assert states == {"no thought", "closed", "cut", "failed"}
    shown = capsys.readouterr().out
    assert "sea_m3exam_th_chat" in shown and "left out" not in shown


@pytest.mark.slow
@pytest.mark.parametrize("name", ["../elsewhere", "..", "{}/elsewhere", 5, "a\0b", "a\ud800b"])
def test_a_model_name_that_is_a_path(name, run, in_samples, tmp_path):
    """Nothing is written outside the folder."""
    name = name.format(tmp_path) if isinstance(name, str) else name
    old = copy(run, tmp_path / "old", change=lambda results: results | {"model_name_sanitized": name})
    assert reread(old, tmp_path / "new") == 0
    assert written(tmp_path / "new") and {path.name for path in tmp_path.iterdir()} == {"old", "new"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lost", "why"), [("results_*", "there is no results file"), ("samples_*", "they are not chat tasks with logged answers")]
)
def test_a_run_without_results_or_samples(lost, why, run, in_samples, tmp_path, capsys):
    for path in copy(run, tmp_path / "old").glob(lost):
        path.unlink()
    assert reread(tmp_path / "old", tmp_path / "new") == 1
    said = " ".join(capsys.readouterr().err.split())
    assert "no answers can be read again" in said and f"left out, because {why}" in said
    assert not list((tmp_path / "new").rglob("*.json"))


def other_passage(row):
    """A row that has changed in the data set since."""
    return row | {"doc": {key: value + "!" if key == "question" else value for key, value in row["doc"].items()}}


def other_words(row):
    """A row that was asked in other words."""
    asked = row["arguments"]["gen_args_0"]
    messages = json.loads(asked["arg_0"][0])
    messages[-1]["content"] = messages[-1]["content"].partition("\n")[2]
    return row | {"arguments": {"gen_args_0": asked | {"arg_0": [json.dumps(messages)]}}}


def other_exemplars(results):
    for config in results["configs"].values():
        config["fewshot_config"] = {"sampler": "first_n", "samples": []}
    return results


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change_row", "change", "why"),
    [
        (other_passage, lambda results: results, "row 0 of the data set has changed"),
        (lambda row: row | {"doc_id": 10**6}, lambda results: results, "1 rows are logged, and the results are of 3"),
        (lambda row: row | {"resps": []}, lambda results: results, "row 0 is not as lm-eval logs it"),
        (lambda row: row | {"arguments": []}, lambda results: results, "row 0 is not as lm-eval logs it"),
        (other_words, lambda results: results, "what it asks has changed (row 0)"),
        (lambda row: row, other_exemplars, "its exemplars have changed"),
    ],
)
def test_tasks_whose_prompts_have_changed_are_left_out(change_row, change, why, run, in_samples, tmp_path, capsys):
    reread(copy(run, tmp_path / "old", change_row, change), tmp_path / "new")
    told = capsys.readouterr()
    assert f"sea_xquad_th_chat left out, because {why}; run it again" in " ".join((told.out + told.err).split())


@pytest.mark.slow
def test_a_run_without_metadata_of_its_tasks(run, in_samples, tmp_path):
    """The installed pack has it."""

    def change(results):
        return results | {"configs": {name: config | {"metadata": None} for name, config in results["configs"].items()}}

    assert reread(copy(run, tmp_path / "old", change=change), tmp_path / "new") == 0
    assert rows_of(tmp_path / "new") == rows_of(run)


def test_other_tasks_with_the_same_columns_are_left_out(tmp_path, capsys):
    metadata = read_tasks().tasks["sea_helm_id_sentiment"].metadata
    scores = {f"{name},none": 0.0 for name in ("balanced_acc", "null_rate", "cut_rate")}
    rows = [{"doc_id": 0, "doc": {"state": "no thought"}, "resps": [["A"]]}]
    write_run(tmp_path / "old", {"sea_helm_id_sentiment": {"scores": scores, "metadata": metadata, "rows": rows}})
    assert reread(tmp_path / "old", tmp_path / "new") == 1
    assert "they are not chat tasks with logged answers: sea_helm_id_sentiment" in " ".join(capsys.readouterr().err.split())
