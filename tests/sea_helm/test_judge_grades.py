"""SeaBench: conversations of two turns, whose answers a judge grades from 1 to 10 beside reference answers."""

import json
import re

import pytest

from lm_eval_sea.commands.cli import main
from lm_eval_sea.run.answer_cache import digest_of_weights
from lm_eval_sea.sea_helm.judge_questions import own_rubric
from lm_eval_sea.sea_helm.judge_rows import conversation
from tests.model_folder import model_folder
from tests.processes import run_of
from tests.results.lm_eval_output import changed
from tests.tasks.evaluation import evaluate, read_json_lines
from tests.tasks.planted_model import PlantedModel
from tests.tasks.test_rows import _utils

from .planted_answers import write_run
from .test_judge import CHEATS, judge, judged, own_tag, parrot

FIRST = "sea_seabench_id"
SECOND = f"{FIRST}_turn_2"


def write_second(folder, results, rows=None):
    """Writes the run of the second turn, or one of its task with these rows."""
    return write_run(folder / "second", SECOND, results["configs"][SECOND]["metadata"], rows or results["samples"][SECOND])


@pytest.fixture
def runs(samples, tmp_path):
    """Both turns of the sample rows: folder of the first run, and the results of the second."""
    first = evaluate(samples, FIRST, PlantedModel(generation=lambda prompt: "<think>hm</think> Satu."))
    folder = write_run(tmp_path / "first", FIRST, first["configs"][FIRST]["metadata"], first["samples"][FIRST]).parent
    model = PlantedModel(generation=lambda prompt: "Dua.")
    second = evaluate(samples, SECOND, model, metadata={"first_turn": str(folder)})
    return folder, second


def test_the_second_turn_goes_on_from_the_answers_and_the_judge_sees_one_reference(runs):
    _, second = runs
    for sample in second["samples"][f"{FIRST}_turn_2"]:
        (said, asked), prompt = sample["doc"]["turns"], sample["arguments"][0][0]
        assert re.fullmatch(f"{re.escape(said)}\\s+Satu\\.\\s+{re.escape(asked)}\\s*", prompt)
        row = conversation(sample)
        assert row.answers == ("Satu.", "Dua.")
        questions = own_rubric("seabench").questions(row)
        assert [question.part for question in questions] == [(0, 0), (1, 1)]
        for turn, question in enumerate(questions):
            text = question.messages[1]["content"]
            assert f"reference]\n{row.references[turn]}\n[" in text and row.references[1 - turn] not in text
            assert f"answer]\n{row.answers[turn]}\n[" in text
            assert (asked in text) == (turn == 1)


def test_the_score_is_ten_times_the_mean_grade_and_first_turns_are_passed_over(runs, tmp_path, capsys):
    samples = write_second(tmp_path, runs[1])

    def verdict(body):
        is_first = "answer]\nSatu." in body["messages"][1]["content"]
        return f"<{own_tag(body)}>{4 if is_first else 9}</{own_tag(body)}>"

    judge(tmp_path, verdict=verdict)
    output = capsys.readouterr().out
    assert f"{SECOND}: 65.00 of 100, 95\u00a0% interval [" in output and "not comparable with the paper's numbers" in output
    assert f"{FIRST}:" not in output
    assert json.loads(judged(samples).read_text())["categories"] == {"life": pytest.approx(0.65), "math": pytest.approx(0.65)}


@pytest.mark.parametrize(
    ("called", "weights", "said"),
    [
        ("org/model", None, "are of org/model; run sea_seabench_id with this model"),
        ("org/model", "0", "are of org/model; "),
        ("own", "0", "are of other weights under this name; "),
        ("own", None, None),
        ("moved", "own", None),
    ],
)
def test_the_first_answers_are_those_of_the_model_of_the_second_turn(runs, in_samples, tmp_path, capsys, called, weights, said):
    model = model_folder(tmp_path / "model")
    digest = digest_of_weights({"pretrained": str(model)}) if weights == "own" else weights
    with changed(runs[0]) as content:
        content["model_name"] = str(model) if called == "own" else called
        content["config"] = {"model": "hf", "weights_digest": digest}
    assert main(run_of(model, f"{FIRST}_turn_2", "--metadata", f"first_turn={runs[0]}")) != 0
    assert (said or "the model cannot be loaded") in (line := capsys.readouterr().err.splitlines()[-1])
    assert (f"{FIRST}_turn_2: the first answers, in {runs[0]}/samples_{FIRST}_" in line) == bool(said)


def test_so_they_are_if_output_path_was_a_file(runs, in_samples, tmp_path, capsys):
    """`--output_path answers.json`: lm-eval adds the date to that name."""
    [results] = runs[0].glob("results_*.json")
    results.rename(results.with_name(results.name.replace("results", "answers")))
    assert main(run_of(model_folder(tmp_path / "model"), SECOND, "--metadata", f"first_turn={runs[0]}")) != 0
    assert "are of org/model; " in capsys.readouterr().err.splitlines()[-1]


def test_an_answer_cannot_write_its_grade(runs, tmp_path):
    (row, *_) = runs[1]["samples"][SECOND]
    rows = [row | {"doc": row["doc"] | {"answer": cheat}, "doc_id": number} for number, cheat in enumerate(CHEATS)]
    samples = write_second(tmp_path, runs[1], rows)
    judge(tmp_path, verdict=lambda body: parrot(body, "1"))
    assert set(json.loads(judged(samples).read_text())["verdicts"]) == {"1"}


def test_real_rows(hub_mirror):
    published, utils = read_json_lines(hub_mirror / "SeaLLMs/SeaBench/public-questions.jsonl"), _utils("seabench")
    for language, name in (("id", "indonesian"), ("th", "thai"), ("vi", "vietnamese")):
        process = getattr(utils, f"process_{name}")({})
        rows = [row for line in published if (row := process(line))]
        assert len(rows) == 100
        assert {row["id"].partition("-")[0] for row in rows} == {language}
        counts = [sum(row["category"] == category for row in rows) for category in {row["category"] for row in rows}]
        assert counts == [10] * 10
        assert all(len(row["turns"]) == len(row["references"]) == 2 and all(row["turns"] + row["references"]) for row in rows)
