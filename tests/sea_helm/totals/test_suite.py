"""The suites of SEA-HELM, and its totals from real output of lm-eval."""

import json
import re

import pytest
import yaml

from lm_eval_sea.catalogue.sea_helm import sea_helm
from lm_eval_sea.catalogue.suites import read_totals
from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.commands.cli import main
from lm_eval_sea.commands.score import ENDINGS, METHODS, SUITES
from lm_eval_sea.results.facts import facts_of
from lm_eval_sea.sea_helm.totals import methods
from lm_eval_sea.sea_helm.totals.evidence import NATIVE_MAXIMUM, place_of
from lm_eval_sea.sea_helm.totals.suite import read_suite
from lm_eval_sea.sea_helm.totals.views import WRITERS

from ..official import checkout


def test_suites_are_those_of_sea_helm():
    folder = checkout("seahelm_tasks/task_config.yaml")
    official = yaml.safe_load((folder / "seahelm_tasks/task_config.yaml").read_text(encoding="utf-8"))
    for name, suite in read_totals().items():
        assert {language: set(tasks) for language, tasks in suite["languages"].items()} == {
            language: {task.removesuffix("-logprobs") for task in tasks} for language, tasks in official[name].items()
        }
    skipped = yaml.safe_load((folder / "seahelm_tasks/constants.yaml").read_text(encoding="utf-8"))["base_models_skip_tasks"]
    for name in ("seahelm", "seahelm_logprobs"):
        tasks = {task.removesuffix("-logprobs") for of_language in official[name].values() for task in of_language}
        assert read_suite(name).base_skips <= set(skipped) and not set(skipped) & tasks - read_suite(name).base_skips


def test_what_the_suite_has_is_where_the_tasks_say():
    known = [facts_of(task.metadata) for task in read_tasks().tasks.values()]
    for name in SUITES:
        suite = read_suite(name)
        of_tasks = {place[0::3]: place for facts in known if (place := place_of(facts, ranked=suite.ranked))}
        for place in suite.places:
            assert of_tasks.get((place.language, place.task), place) == place


def test_what_lm_eval_does_not_score_has_a_judge():
    known = sea_helm()
    assert known.judges[known.judge_of["translation-en-xx"]].startswith("lm-eval-sea score RESULTS --metricx ")
    assert known.judges[known.judge_of["kalahi-judge"]].startswith("lm-eval-sea score RESULTS --judge ")
    scored = [facts for task in read_tasks().tasks.values() if place_of(facts := facts_of(task.metadata))]
    assert {facts.sea_helm_task for facts in scored if not facts.item_metric} <= set(known.judge_of)
    assert {facts.item_metric for facts in scored} <= {*NATIVE_MAXIMUM, ""}


def test_the_command_offers_what_there_is():
    """It names methods, suites and formats itself, so that its help needs none of the libraries behind them."""
    assert {*METHODS, methods.RANKED} == set(methods.METHODS) and set(SUITES) == set(read_totals())
    assert (METHODS[0], SUITES[0]) == ("2026-08", "seahelm")  # the defaults
    assert set(ENDINGS) == set(WRITERS)


TASKS = ",".join(f"sea_helm_id_{name}" for name in ["nli", "nli_ppl", "qa", "lindsea_syntax", "ifeval", "translation_en_xx"])


@pytest.mark.slow
def test_totals_of_a_real_run(tiny_model, in_samples, tmp_path, capsys):
    model = ["--model", "hf", "--model_args", f"pretrained={tiny_model},max_length=1024", "--device", "cpu"]
    runs = str(tmp_path / "runs")
    options = ["--gen_kwargs", "max_gen_toks=8", "--log_samples", "--output_path", runs]
    assert main(["run", *model, "--tasks", TASKS, *options]) == 0
    capsys.readouterr()
    assert main(["score", runs, "--out", str(tmp_path / "totals.json")]) == 0
    shown = capsys.readouterr().out
    content = json.loads((tmp_path / "totals.json").read_text())
    tasks = {line["task"]: line for line in content["detailed"] if line["task"]}
    assert {"nli", "qa", "mp-r", "if-eval"} <= {task for task, line in tasks.items() if line["score"] is not None}
    assert (content["method"], content["suite"], content["suite_version"]) == ("2026-08", "seahelm", "v1.2.1")
    assert tasks["translation-en-xx"]["score"] is None and tasks["translation-en-xx"]["metric"] == "chrf++"
    assert all(0 <= line["score"] <= 100 for line in tasks.values() if line["score"] is not None)
    assert re.search(r"id\s+nlr\s+nli", shown)
    assert (
        "not scored yet, needs a judge model: id syntax-criteria, id mt-bench-judge; run them, then "
        "lm-eval-sea score RESULTS --judge" in shown
    )
    assert "not scored yet, needs the metric model MetricX-24: id translation-en-xx; lm-eval-sea score RESULTS --metricx" in shown
    assert main(["score", runs, "--suite", "seahelm_logprobs", "--out", str(tmp_path / "ranked.json")]) == 0
    tasks = {line["task"]: line for line in json.loads((tmp_path / "ranked.json").read_text())["detailed"]}
    assert tasks["nli"]["metric"] == "gold_probability"
    assert tasks["nli"]["score"] == pytest.approx(tasks["nli"]["metric_value"])
    assert tasks["mp-r"]["score"] is None  # its labels were written
