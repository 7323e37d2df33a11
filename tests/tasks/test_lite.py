"""Lite tasks: a fixed part of the rows, listed by id."""

import subprocess
import sys

import pytest

from lm_eval_sea.catalogue.suites import read_lite, sailcompass
from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.results.facts import facts_of
from lm_eval_sea.sea_helm.totals.evidence import place_of
from lm_eval_sea.tasks._shared.hub_files import DataError
from lm_eval_sea.tasks._shared.rows import load_rows
from tests.conftest import ROOT

from .evaluation import write_json_lines

ROWS = [{"id": f"r{number}", "text": f"text {number}", "gold": number % 2} for number in range(30)]
CHOSEN = ["r29", "r3", "r17"]
LISTED = read_tasks()


def test_the_named_rows_are_those_that_are_evaluated(tmp_path, monkeypatch, caplog):
    """A missing row is an error that names it; other rows under the same ids are warned of."""
    monkeypatch.chdir(tmp_path)

    def load(rows, **subset):
        write_json_lines(tmp_path / "me" / "rows" / "test.jsonl", rows)
        provenance, subset = {}, {"of": 30, "ids": " ".join(CHOSEN)} | subset
        where = {"data_source": "me/rows", "data_files": {"test": "test.jsonl"}, "subset": subset}
        loaded = load_rows(process=lambda splits: dict, provenance=provenance, rows=3, **where)
        return list(loaded["test"]), provenance["data_sha256"]

    rows, digest = load(ROWS)
    assert sorted(row["id"] for row in rows) == sorted(CHOSEN)
    assert all(row["text"] == f"text {row['id'][1:]}" for row in rows)
    with pytest.raises(DataError, match=r"me/rows/test.jsonl lacks 1 of the 3 rows of this subset \(id r17\); it has 29 rows"):
        load([row for row in ROWS if row["id"] != "r17"])
    assert load([*ROWS, {"id": "new", "text": "one more", "gold": 0}], sha256=digest)[1] == digest
    assert not caplog.records
    changed = [row | {"text": "corrected"} if row["id"] == "r3" else row for row in ROWS]
    assert load(changed, sha256=digest)[1] != digest
    assert ["the rows of this subset are not those" in message for message in caplog.messages] == [True]


def test_every_task_of_sailcompass_and_sea_helm_has_a_lite_task_or_a_reason():
    missing = read_lite()["missing"]
    assert set(missing) <= set(LISTED.tasks) and not {f"{name}_lite" for name in missing} & set(LISTED.tasks)
    assert set(LISTED.groups["sea_lite"]) == {f"{name}_lite" for name in LISTED.groups["sea_sailcompass"]}
    for group, members in LISTED.groups.items():
        if group.startswith("sea_sailcompass_") and not group.endswith("_chat"):
            lite = group.replace("sea_sailcompass", "sea_lite")
            assert set(LISTED.groups[lite]) == {f"{name}_lite" for name in members}
        if group.startswith("sea_helm_lite_"):
            whole = set(LISTED.groups[group.replace("_lite", "")])
            assert set(members) == {f"{name}_lite" for name in whole - set(missing)}


def test_lite_tasks_ask_and_score_as_the_whole_ones():
    lite = LISTED.tags["sea_setting_lite"]
    assert len(lite) > 100
    own = {"rows", "setting", "subset", "provenance"}
    for name in lite:
        one, whole = LISTED.tasks[name], LISTED.tasks[name.removesuffix("_lite")]
        assert {key: one.metadata[key] for key in one.metadata.keys() - own} == {
            key: whole.metadata[key] for key in whole.metadata.keys() - own
        }
        assert (one.source, one.process, one.exemplars) == (whole.source, whole.process, whole.exemplars)
        ids = one.metadata["subset"]["ids"].split()
        assert one.metadata["rows"] == len(ids) == len(set(ids)) == min(100, one.metadata["subset"]["of"])
        assert max(map(len, ids)) < 200  # addresses of passages; no texts
        assert place_of(facts_of(one.metadata)) is None


def test_lite_tasks_refuse_the_hand_written_rows(load_tasks):
    with pytest.raises(ValueError, match="Run the task without `_lite`"):  # the tasks have a class of this name of their own
        load_tasks("sea_xcopa_vi_to_ppl_lite")


@pytest.mark.slow
def test_the_catalogue_is_what_the_script_chooses(hub_mirror):
    command = [sys.executable, "scripts/choose_lite_rows.py", "--data", str(hub_mirror), "--check", "--data_sets"]
    command += [data_set.name for data_set in sailcompass()]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
