"""What is known of a task from few lines of metadata: the rest stands in the data set's `data_set.yml`, and results have it."""

import pytest
import yaml

from lm_eval_sea.tasks._shared.facts import TASKS_FOLDER, facts, read_yaml
from lm_eval_sea.tasks._shared.rows import load_rows

NEUTRAL = {"content_free_inputs": ["N/A", "", "[MASK]"]}
XNLI = {
    "task": "nli", "data_source": "sail/Sailcompass_data", "data_files": {"test": "data/xnli/th_xnli_test.jsonl"}, "rows": 5010,
    "chance": 0.3333, "headline_metric": "acc_bc", "content_fields": ["premise", "hypothesis"],
    "labels": ["neutral", "entailment", "contradiction"], **NEUTRAL,
}  # fmt: skip


def who(dataset, language, variant, **more):
    return {"dataset": dataset, "language": language, "variant": variant, "prompt_language": language, "provenance": {}, **more}


@pytest.mark.parametrize(
    ("metadata", "some"),
    [
        (who("xnli", "th", "classification"), XNLI),
        (who("flores", "th", "translation", source_language="en", answer_language="th"), {"answer_language": "th", "rows": 1012}),
        (who("xquad", "vi", "qa"), {"sailcompass_evaluator": "AnsEvaluator", "answer_language": "vi", "chance": 0.0}),
        (who("m3exam", "th", "litilo_gen"), {"sailcompass_evaluator": "M3examThEvaluator", "headline_metric": "exact_match"}),
        (who("belebele", "th", "litilo_gen", setting="parallel"), {"parallel": True, "headline_metric": "exact_match"}),
        (who("xcopa", "id", "litilo_ppl"), {"content_fields": ["premise"], **NEUTRAL}),
        (
            who("smsa", "id", "classification"),
            {"data_on_hub": False, "data_config": "smsa", "data_splits": {"test": "test"}, "rows": 500},
        ),
        (
            who("sea_helm", "tl", "ppl", task="kalahi", answer_tag="Sagot:"),
            {"sea_helm_task": "kalahi-mc", "pillar": "sea_culture", "data_splits": {"test": "eval", "examples": "examples"}},
        ),
        (who("sea_helm", "my", "labels", task="belebele_mcqa"), {"labels": ["က", "ခ", "ဂ", "ဃ"], "item_metric": "correct"}),
        (who("sea_helm", "th", "second_turn", task="mt_bench_turn_2"), {"first_turn_task": "sea_helm_th_mt_bench_turn_1"}),
        (who("sea_helm", "th", "first_turn", task="mt_bench_turn_1"), {"suite": "sea_helm_first_turns"}),
    ],
)  # fmt: skip
def test_some_facts_of_a_task(metadata, some):
    known = facts(metadata)
    assert {key: known[key] for key in some} == some


def test_what_metadata_says_itself_goes_before_and_what_states_its_rows_is_whole():
    assert facts(who("xnli", "th", "classification", chance=0.5))["chance"] == 0.5
    whole = who("xnli", "th", "classification", rows=3)
    assert facts(whole) == whole
    results = who("xnli", "th", "classification") | {"provenance": {"rows": 3, "chance": 0.4}}
    assert (facts(results)["rows"], facts(results)["chance"], "data_source" in facts(results)) == (3, 0.4, False)
    assert facts({"version": 1}) == {"version": 1}


def test_the_loader_finds_the_rows_and_tells_the_results(hub_mirror_of_samples):
    metadata = who("xnli", "th", "classification")
    rows = load_rows(process=lambda splits: lambda row: {"premise": row["sentence1"], "gold": 0}, **metadata)
    known = metadata["provenance"]
    assert len(rows["test"]) > 0 and known["data_sha256"]
    assert {key: known[key] for key in XNLI} == XNLI


@pytest.fixture
def hub_mirror_of_samples(samples, monkeypatch):
    monkeypatch.chdir(samples)


def test_every_file_of_words_is_the_same_without_libyaml():
    """PyYAML reads with libyaml where it was built with it, and libyaml takes more than PyYAML does."""
    files = sorted((TASKS_FOLDER / "_shared").rglob("*.yml"))
    assert len(files) > 15
    for path in files:
        assert yaml.load(path.read_text(encoding="utf-8"), yaml.SafeLoader) == read_yaml(path), path
