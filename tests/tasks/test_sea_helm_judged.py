"""SEA-HELM's judged tasks: two turns as two tasks, and samples that `lm-eval-sea score --judge` reads."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.models.generated_text import GeneratedText
from lm_eval_sea.results.facts import facts_of
from lm_eval_sea.sea_helm.judge_questions import own_rubric
from lm_eval_sea.sea_helm.judge_rows import conversation
from lm_eval_sea.sea_helm.totals.evidence import place_of
from lm_eval_sea.tasks.sea_helm.utils import process_compared_conversations, process_criteria

from ..sea_helm.planted_answers import write_run
from .evaluation import evaluate
from .planted_model import PlantedModel


def log(folder, name, results):
    write_run(folder, name, results["configs"][name]["metadata"], results["samples"][name])


def run_turn(samples, name, answer, **metadata):
    return evaluate(samples, name, PlantedModel(generation=lambda prompt: answer), metadata={"tokenizer": "none", **metadata})


@pytest.mark.slow
@pytest.mark.parametrize(("task", "kind"), [("mt_bench_judge", "mt-bench-judge"), ("mt_bench", "mt-bench")])
def test_the_second_turn_follows_the_answers_of_the_first(samples, tmp_path, task, kind):
    first, second = f"sea_helm_id_{task}_turn_1", f"sea_helm_id_{task}_turn_2"
    log(tmp_path / "org__model", first, run_turn(samples, first, "<think>hm</think>Mari minum teh."))
    results = run_turn(samples, second, "Ayo ngeteh!", first_turn=str(tmp_path))
    assert {results["results"][second][f"{rate}_rate,none"] for rate in ("null", "cut", "failure")} == {0}
    for row in results["samples"][second]:
        prompt = row["arguments"][0][0]
        assert prompt == f"{row['doc']['turns'][0]}\n\nMari minum teh.\n\n{row['doc']['turns'][1]}\n\n"
        read = conversation(row)
        assert read.answers == ("Mari minum teh.", "Ayo ngeteh!")
        questions = own_rubric(kind).questions(read)
        assert len(questions) == (len(read.criteria) or 4)
        assert any("Ayo ngeteh!" in message["content"] for question in questions for message in question.messages)
    places = [place_of(facts_of(read_tasks().tasks[name].metadata)) for name in (first, second)]
    assert places[0] is None and places[1].task == kind


@pytest.mark.slow
def test_a_judge_leaves_out_what_follows_a_first_turn_without_an_answer(samples, tmp_path):
    first, second = (f"sea_helm_id_mt_bench_judge_turn_{turn}" for turn in (1, 2))
    answers = {"failed": GeneratedText("", failure="no reply"), "cut": "<think>Mari minum", "there": "Teh."}
    for folder, answer in answers.items():
        log(tmp_path / folder, first, run_turn(samples, first, answer))
        rows = run_turn(samples, second, "Ayo ngeteh!", first_turn=str(tmp_path / folder))["samples"][second]
        assert {conversation(row).is_answered(1) for row in rows} == {folder == "there"}


@pytest.mark.slow
def test_a_second_turn_without_the_first_says_what_to_do(samples, tmp_path):
    first, second = "sea_helm_th_mt_bench_judge_turn_1", "sea_helm_th_mt_bench_judge_turn_2"
    with pytest.raises(ValueError, match=rf"run {first} with --log_samples .* --metadata first_turn=FOLDER") as raised:
        run_turn(samples, second, "x")
    assert len(str(raised.value).splitlines()) == 1
    with pytest.raises(ValueError, match="has no samples of"):
        run_turn(samples, second, "x", first_turn=str(tmp_path))
    results = run_turn(samples, first, "ก")
    for folder in ("one", "two"):
        log(tmp_path / folder, first, results)
    with pytest.raises(ValueError, match=r"has 2 samples of .*: move away those of other runs, or give first_turn=FILE"):
        run_turn(samples, second, "x", first_turn=str(tmp_path))
    assert run_turn(samples, second, "x", first_turn=str(tmp_path / "one"))["samples"][second]
    results["samples"][first] = results["samples"][first][:1]
    log(tmp_path / "one", first, results)
    with pytest.raises(ValueError, match=r"no first answer to row sample-2; run .* without --limit"):
        run_turn(samples, second, "x", first_turn=str(tmp_path / "one"))


@pytest.mark.parametrize(
    ("name", "kind"), [("sea_helm_tl_kalahi_judge", "kalahi-judge"), ("sea_helm_id_lindsea_syntax_judge", "syntax-criteria")]
)
def test_questions_with_one_turn(samples, name, kind):
    results = run_turn(samples, name, "<think>…</think> Bunga dipetik Adik.\n")
    for row in results["samples"][name]:
        assert row["doc"]["text"] in row["arguments"][0][0]
        read = conversation(row)
        assert read.answers == ("Bunga dipetik Adik.",)
        assert len(own_rubric(kind).questions(read)) == len(row["doc"]["criteria"]) > 0
    assert place_of(facts_of(read_tasks().tasks[name].metadata)).task == kind


@given(st.text(), st.text())
def test_criteria_get_the_texts_of_the_row_and_nothing_else(text, other):
    """As str.format fills them, where it can; text that it cannot fill stays."""
    criteria = [{"criterion": "{text} {{a}} {b} {text.x}"}, {"criterion": other}]
    row = process_criteria({"test": []})({"prompts": [{"text": f"x{text}"}], "criteria": criteria})
    assert row["criteria"][0]["criterion"] == f"x{text} {{a}} {{b}} {{text.x}}"
    with contextlib.suppress(ValueError, KeyError, IndexError, AttributeError):
        expected = other.format(text=f"x{text}")
        assert {"!", ":", "."} & set(other) or row["criteria"][1]["criterion"] == expected


def test_rows_that_lack_what_they_are_compared_with_are_faults():
    published = {"prompts": [{"text": "a"}, {"text": "b"}], "baselines": {"gpt-3.5-turbo-0125": ["x", "y"]}, "question_id": 1}
    with pytest.raises(ValueError, match=r"no answers of gpt-4.1-2025-04-14 to compare with, only of gpt-3.5-turbo-0125"):
        process_compared_conversations({"test": []})(published)
