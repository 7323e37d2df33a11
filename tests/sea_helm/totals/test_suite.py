"""What SEA-HELM consists of, and its totals from real output of lm-eval."""

import argparse
import json
import re

from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.commands.score_command import ENDINGS, add_score
from lm_eval_sea.sea_helm.totals.evidence import place_of
from lm_eval_sea.sea_helm.totals.hierarchy import Place
from lm_eval_sea.sea_helm.totals.suite import expected_tasks, unavailable_tasks
from lm_eval_sea.sea_helm.totals.task_score import METHODS
from lm_eval_sea.sea_helm.totals.views import WRITERS


def test_expected_are_the_generating_tasks_of_the_pack():
    places = [place for task in read_tasks().tasks.values() if (place := place_of(task.metadata))]
    assert sorted(places) == sorted(expected_tasks())


def test_what_needs_a_judge_is_unavailable():
    unavailable = unavailable_tasks()
    assert unavailable[Place("id", "nlg", "translations", "translation-en-xx")] == "the metric model MetricX-24"
    assert unavailable[Place("tl", "cultural", "", "kalahi-judge")] == "a judge model"
    without_rows = [task.metadata for task in read_tasks().tasks.values() if place_of(task.metadata)]
    assert {place_of(facts) for facts in without_rows if facts["item_metric"] is None} <= set(unavailable)


def test_the_command_offers_what_there_is():
    """It names methods and formats itself, so that its help needs none of the libraries behind them."""
    parser = argparse.ArgumentParser()
    add_score(parser.add_subparsers())
    for method in METHODS:
        assert parser.parse_args(["score", "sea-helm", "runs", "--method", method]).method == method
    assert set(ENDINGS) == set(WRITERS)


TASKS = "sea_helm_id_nli,sea_helm_id_qa,sea_helm_id_lindsea_syntax,sea_helm_id_ifeval,sea_helm_id_translation_en_xx"


def test_totals_of_a_real_run(tiny_model, samples, run_python, tmp_path):
    model = f"pretrained={tiny_model},max_length=1024"
    options = ["--gen_kwargs", "max_gen_toks=8", "--log_samples", "--output_path", tmp_path / "runs"]
    ran = run_python("lm_eval_sea.cli", "run", "--model", "hf", "--model_args", model, "--tasks", TASKS, *options, cwd=samples)
    assert ran.returncode == 0, ran.stderr
    scored = run_python("lm_eval_sea.cli", "score", "sea-helm", tmp_path / "runs", "--out", tmp_path / "totals.json")
    assert scored.returncode == 0, scored.stderr
    content = json.loads((tmp_path / "totals.json").read_text())
    tasks = {line["task"]: line for line in content["detailed"] if line["task"]}
    assert {"nli", "qa", "mp-r", "if-eval"} <= {task for task, line in tasks.items() if line["score"] is not None}
    assert tasks["translation-en-xx"]["score"] is None and tasks["translation-en-xx"]["metric"] == "chrf++"
    assert all(0 <= line["score"] <= 100 for line in tasks.values() if line["score"] is not None)
    assert re.search(r"id\s+nlr\s+nli", scored.stdout)
    assert "missing, for a judge model: id mt-bench-judge" in scored.stdout


def test_a_mistake_is_one_line(run_python, tmp_path):
    failed = run_python("lm_eval_sea.cli", "score", "sea-helm", tmp_path)
    assert failed.returncode == 1 and len(failed.stderr.splitlines()) == 1
    failed = run_python("lm_eval_sea.cli", "score", "sea-helm", tmp_path, "--out", "x.xls")
    assert failed.returncode == 2 and "should end in one of .json, .csv, .txt" in failed.stderr
