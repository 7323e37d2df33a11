"""SEA-HELM's summaries: which ROUGE-L is the benchmark's, and that totals use it."""

import pytest
from rouge_score.rouge_scorer import RougeScorer

from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.tasks._shared.sea_helm.scores import score_sea_helm_summary

from .test_sea_helm_metrics import Tokens
from .test_sea_helm_rouge import restated_score

NAMES = ("rougeL", "normalised", "rougeL_words")


def scored(answer, reference, language, tag):
    doc = {"label": reference, "scoring": {"answer_tag": tag, "answer_language": language}}
    return score_sea_helm_summary(doc, [answer])


def test_the_benchmarks_score_stands_under_its_name_and_ours_under_another():
    reference, answer = "Harga-harga naik 25rb.", "harga naik 25 rb"
    found = scored(f"Rangkuman: {answer}", reference, "id", "Rangkuman:")
    assert found["rougeL"] == found["normalised"] == pytest.approx(restated_score(answer, reference, "id"), abs=1e-9)
    ours = RougeScorer(["rougeL"], tokenizer=Tokens("id")).score(reference, answer)["rougeL"].fmeasure
    assert found["rougeL_words"] == pytest.approx(100 * ours)
    assert found["rougeL"] > found["rougeL_words"] > 0


def test_strict_scores_read_the_last_tag():
    found = scored("Rangkuman: air surut\n\nRangkuman: banjir melanda kota", "banjir melanda kota", "id", "Rangkuman:")
    assert [found[name] for name in NAMES] == [0.0, 0.0, 0.0]
    assert [found[f"{name}_strict"] for name in NAMES] == [pytest.approx(100.0)] * 3


def test_totals_are_computed_from_the_benchmarks_score():
    summaries = [task for task in read_tasks().tasks.values() if task.metadata.get("sea_helm_task") == "abssum"]
    tasks = [task for task in summaries if "subset" not in task.metadata]
    assert len(tasks) == 6
    assert {(task.metadata["headline_metric"], task.metadata["item_metric"]) for task in tasks} == {("rougeL", "rougeL")}
