"""The whole suite as one request: on the samples, and on four rows of every real set."""

import logging
import os

import pytest

from lm_eval_sea.results.facts import facts_of

from .evaluation import evaluate
from .planted_model import PlantedModel

pytestmark = pytest.mark.slow

SUITE = "sea_sailcompass"
DATA_SETS = {
    *("xquad", "tydiqa", "flores", "thaisum", "indosum", "xlsum", "m3exam", "xcopa", "belebele", "xnli", "indonli"),
    *("wisesight", "indolem", "vsmec"),
}


@pytest.fixture
def folder(request):
    """Real rows where there are some."""
    return request.getfixturevalue("hub_mirror" if "SEA_HUB_MIRROR" in os.environ else "samples")


def test_results_are_complete_and_nothing_is_warned_of(folder, tiny_model, caplog):
    model = PlantedModel(lambda context, ending: -len(ending) / 3, lambda prompt: " 26", max_length=32768)
    with caplog.at_level(logging.WARNING, "lm_eval_sea"):
        results = evaluate(folder, SUITE, model, metadata={"pretrained": str(tiny_model)}, limit=4)
    warned = [record.getMessage() for record in caplog.records if record.name == "lm_eval_sea"]
    assert [message for message in warned if not message.endswith("Scores on it stand for these rows only.")] == []
    assert {config["metadata"]["dataset"] for config in results["configs"].values()} == DATA_SETS
    assert results["group_subtasks"][SUITE] == [
        f"{SUITE}_{task}" for task in ("qa", "mt", "ts", "exam", "cr", "mrc", "nli", "sa")
    ]
    for name, config in results["configs"].items():
        facts = facts_of(config["metadata"])
        assert f"{facts.headline_metric},none" in results["results"][name], name
        # the groups of the data set and of the task have the headline too
        group = f"{SUITE}_{facts.task}"
        assert f"{facts.headline_metric},none" in results["results"][group], group
        rows = len(results["samples"][name])
        assert 1 <= rows <= 4
        assert results["n-samples"][name]["effective"] == rows


def test_the_score_of_a_task_is_the_mean_of_its_leaf_tasks(samples):
    """Languages weigh the same, however many rows they have; one of four Vietnamese answers is right."""
    model = PlantedModel(generation=lambda prompt: " tre")
    results = evaluate(samples, f"{SUITE}_qa", model)["results"]
    for metric in ("exact_match,none", "f1,none", "contains,none"):
        leaves = [results[name][metric] for name in ("sea_xquad_th", "sea_xquad_vi", "sea_tydiqa_id")]
        assert results[f"{SUITE}_qa"][metric] == pytest.approx(sum(leaves) / 3)
    assert results["sea_xquad_vi"]["exact_match,none"] == 0.25
