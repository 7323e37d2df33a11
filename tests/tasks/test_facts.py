"""What is known of a task from few lines of metadata: the rest stands in the data set's `data_set.yml`, and results have it."""

import pytest
import yaml
from lm_eval.tasks._yaml_loader import load_yaml

from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.tasks._shared.facts import TASKS_FOLDER, facts, read_yaml

NEUTRAL = {"content_free_inputs": ["N/A", "", "[MASK]"]}
XNLI = {
    "task": "nli", "data_source": "sail/Sailcompass_data", "data_files": {"test": "data/xnli/th_xnli_test.jsonl"}, "rows": 5010,
    "chance": 0.3333, "headline_metric": "acc_bc", "content_fields": ["premise", "hypothesis"],
    "labels": ["neutral", "entailment", "contradiction"], **NEUTRAL,
}  # fmt: skip


# Task → some of what is known of it.
SOME = {
    "sea_xnli_th": XNLI,
    "sea_flores_en_th": {"answer_language": "th", "rows": 1012},
    "sea_xquad_vi": {"sailcompass_evaluator": "AnsEvaluator", "answer_language": "vi", "chance": 0.0},
    "sea_m3exam_th_litilo_gen": {"sailcompass_evaluator": "M3examThEvaluator", "headline_metric": "exact_match"},
    "sea_belebele_th_parallel_litilo_gen": {"parallel": True, "headline_metric": "exact_match"},
    "sea_xcopa_id_litilo_ppl": {"content_fields": ["premise"], **NEUTRAL},
    "sea_smsa_id": {"data_on_hub": False, "data_config": "smsa", "data_splits": {"test": "test"}, "rows": 500},
    "sea_helm_tl_kalahi_ppl": {"sea_helm_task": "kalahi-mc", "pillar": "sea_culture"},
    "sea_helm_my_belebele_mcqa": {"labels": ["က", "ခ", "ဂ", "ဃ"], "item_metric": "correct"},
    "sea_helm_id_summarization": {"headline_metric": "rougeL", "item_metric": "rougeL"},  # SEA-HELM's own, not `rougeL_words`
    "sea_helm_th_mt_bench_turn_2": {"first_turn_task": "sea_helm_th_mt_bench_turn_1"},
    "sea_helm_th_mt_bench_turn_1": {"suite": "sea_helm_first_turns"},
}


def metadata_of(task: str) -> dict:
    """What the task's own file says."""
    return load_yaml(read_tasks().tasks[task].path, resolve_func=False)["metadata"] | {"provenance": {}}


@pytest.mark.parametrize("task", SOME)
def test_some_facts_of_a_task(task):
    known = facts(metadata_of(task))
    assert {key: known[key] for key in SOME[task]} == SOME[task]


def test_metadata_come_before_data_set_yml_and_stand_alone_where_they_state_rows():
    own = metadata_of("sea_xnli_th")
    assert "chance" not in own and facts(own | {"chance": 0.5})["chance"] == 0.5
    assert facts(own | {"rows": 3}) == own | {"rows": 3}
    results = facts(own | {"provenance": {"rows": 3, "chance": 0.4}})
    assert (results["rows"], results["chance"], "data_source" in results) == (3, 0.4, False)
    assert facts({"version": 1}) == {"version": 1}


def test_every_file_of_words_is_the_same_without_libyaml():
    """PyYAML reads with libyaml where it was built with it, and libyaml takes more than PyYAML does."""
    files = {path: path.read_text(encoding="utf-8") for path in (TASKS_FOLDER / "_shared").rglob("*.yml")}
    assert len(files) > 15
    assert [path for path, text in files.items() if yaml.load(text, yaml.SafeLoader) != read_yaml(path)] == []
