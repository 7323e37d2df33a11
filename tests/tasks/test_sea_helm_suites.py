"""SEA-HELM's suites as groups, and the tasks whose rows a checkout of its repository has."""

import pytest

from lm_eval_sea.catalogue.check import check_data
from lm_eval_sea.catalogue.sea_helm import sea_helm
from lm_eval_sea.catalogue.suites import read_totals
from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.sea_helm.totals.suite import read_suite
from lm_eval_sea.tasks._shared.hub_files import DataError

from ..sea_helm.official import checkout
from .evaluation import evaluate
from .planted_model import PlantedModel

PACK = read_tasks()


@pytest.mark.parametrize("suite", ["seahelm", "seahelm_logprobs", "batayan", "sea_safeguard"])
def test_the_group_of_a_language_is_its_suite_without_what_a_judge_scores(suite):
    record, places = read_totals()[suite], read_suite(suite).places
    judged = {task.key for task in sea_helm().each if task.is_judged}
    for language in record["languages"]:
        expected = {place.task for place in places if place.language == language} - judged
        found = [PACK.tasks[name].metadata["sea_helm_task"] for name in PACK.groups[record["group"].format(language=language)]]
        assert sorted(found) == sorted(expected)


def test_every_task_that_generates_is_in_a_group():
    suites = ("sea_helm_", "sea_batayan", "sea_safeguard")
    in_groups = {name for group, names in PACK.groups.items() if group.startswith(suites) for name in names}
    assert set(PACK.tags["sea_helm"]) <= in_groups
    second = {name for name in PACK.tags["sea_helm_judged"] if name.endswith("_turn_2")}
    assert not second & in_groups
    in_none = set(PACK.tags["sea_helm_judged"]) - in_groups - second
    assert {PACK.tasks[name].metadata["sea_helm_task"] for name in in_none} == {"mt-bench"}  # no suite has it any more
    assert PACK.groups["sea_helm_judged_id"] == ["sea_helm_id_mt_bench_judge_turn_1", "sea_helm_id_lindsea_syntax_judge"]


def test_safeguard_tasks_end_to_end(samples):
    """A model that calls everything harmful is right about half of the labels."""
    names = PACK.groups["sea_safeguard_id"]
    results = evaluate(samples, names, PlantedModel(generation=lambda prompt: "Jawaban: Berbahaya"))
    for name in names:
        assert results["results"][name]["balanced_acc,none"] == 0.5
        assert results["results"][name]["normalised,none"] == 0.0
    rows = results["samples"]["sea_helm_id_safeguard_general_response"]
    assert [row["doc"]["label"] for row in rows] == ["Aman", "Aman", "Berbahaya"]
    assert all(row["doc"]["response_text"] in row["arguments"][0][0] for row in rows)


@pytest.mark.slow
def test_rows_of_a_checkout_and_of_the_hub(tmp_path, monkeypatch, hub_mirror):
    """Of the exams and the paraphrases as many rows as the catalogue says; a checkout has each letter right in a quarter."""
    (tmp_path / "SEA-HELM").symlink_to(hub_mirror / "sea-helm-checkout")
    exams = {language: f"sea_helm_{language}_global_mmlu_lite" for language in ("en", "id", "my", "vi", "tl", "ms")}
    for folder, names in (
        (tmp_path, [*exams.values(), "sea_helm_tl_paraphrase", "sea_helm_my_paraphrase"]),
        (hub_mirror, [exams[language] for language in ("en", "id", "my")]),
    ):
        monkeypatch.chdir(folder)
        for name in names:
            report = check_data(PACK.tasks[name])
            assert (report.faults, report.found) == ([], 400), name
            of_checkout = folder == tmp_path and name in exams.values()
            assert not of_checkout or set(report.golds.values()) == {100}, name


def test_safeguard_rows_of_a_checkout(tmp_path, monkeypatch):
    (tmp_path / "SEA-HELM").symlink_to(checkout("seahelm_tasks/safety/safeguard/general/data"))
    monkeypatch.chdir(tmp_path)
    names = [name for group, names in PACK.groups.items() if group.startswith("sea_safeguard_") for name in names]
    assert len(names) == 39
    for name in names:
        report = check_data(PACK.tasks[name])
        assert (report.faults, report.found) == ([], PACK.tasks[name].metadata["rows"]), name


def test_rows_that_the_hub_has_too_come_from_the_checkout_first(tmp_path, monkeypatch, samples):
    """A folder OWNER/NAME goes before the checkout; with neither, offline, both are named, or a checkout that is missing."""
    source = PACK.tasks["sea_helm_id_global_mmlu_lite"].source
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match="CohereLabs/Global-MMLU-Lite.*The repository SEA-HELM has these rows, too; clone it"):
        source.load()
    (fault,) = check_data(PACK.tasks["sea_helm_vi_global_mmlu_lite"]).faults
    assert "SEA-HELM" in fault and "README" in fault and len(fault.splitlines()) == 1
    folder = tmp_path / "SEA-HELM" / "seahelm_tasks" / "knowledge" / "global_mmlu_lite"
    folder.mkdir(parents=True)
    theirs = samples / "SEA-HELM" / "seahelm_tasks" / "knowledge" / "global_mmlu_lite"
    for split in ("test", "dev"):
        (folder / f"global_mmlu_lite_id_{split}.jsonl").write_bytes((theirs / f"global_mmlu_lite_ms_{split}.jsonl").read_bytes())
    splits, revision = source.load()
    assert "prompts" in splits["test"][0] and revision == "local folder"
    (tmp_path / "CohereLabs").symlink_to(samples / "CohereLabs")
    splits, _ = source.load()
    assert "option_a" in splits["test"].column_names
