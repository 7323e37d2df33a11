"""Runs as records of Every Eval Ever."""

import json
import re
import shutil

import pytest

from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.commands.cli import main
from lm_eval_sea.report.export.every_eval_ever import model_id, records
from lm_eval_sea.results.read import read
from lm_eval_sea.results.row_statistics import scale_of, statistics_of
from lm_eval_sea.results.table import table_of
from lm_eval_sea.results.types import ResultsError
from tests.report.planted import CHRF, NO_SAMPLES, RANKED, TO_THAI, plant
from tests.results.lm_eval_output import NEW, OLD, toy, write_run


def exported(out):
    return {path.relative_to(out).as_posix(): json.loads(path.read_text(encoding="utf-8")) for path in out.rglob("*.json")}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return plant(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def of_a(runs, tmp_path_factory):
    """What is exported of the first model."""
    folder = tmp_path_factory.mktemp("eee")
    assert main(["export", "every-eval-ever", str(runs), "--out", str(folder)]) == 0
    [record] = [record for record in exported(folder).values() if record["model_info"]["id"] == "org/a"]
    return {entry["evaluation_result_id"]: entry for entry in record["evaluation_results"]}


def test_a_model_in_a_folder_is_exported(runs, tmp_path):
    """By its last folder or as asked, the same run as the same file, at the time that the results say, not the file's name."""
    folder, out = tmp_path / "runs", tmp_path / "out"
    shutil.copytree(runs / "org__a", folder)
    [path] = folder.glob("results_*.json")
    content = json.loads(path.read_text()) | {"model_name": "/data/checkpoints/my_model", "date": 1234567890.25}
    content["config"] |= {"model_args": {"pretrained": "/data/checkpoints/my_model"}, "thinking": "on"}
    path.write_text(json.dumps(content))
    for model in ([], [], ["--model", "my-lab/mine"]):
        assert main(["export", "every-eval-ever", str(folder), *model, "--out", str(out)]) == 0
    found = exported(out)
    assert {record["model_info"]["id"] for record in found.values()} == {"local/my_model", "my-lab/mine"}
    for name, record in found.items():
        assert re.fullmatch(rf"data/lm-eval-sea/{record['model_info']['id']}/[0-9a-f-]{{36}}\.json", name)
        details = [entry["generation_config"]["additional_details"] for entry in record["evaluation_results"]]
        assert {detail["thinking"] for detail in details} == {"on"}, "the model's id does not say it"
        assert record["evaluation_timestamp"] == "1234567890" and "/data/checkpoints" not in json.dumps(record)
    assert len(found) == 2
    # by the package's own validator; without warnings, which keep a record out of the datastore
    reason = "needs every-eval-ever and Python 3.12: pip install 'lm-eval-sea[export]'"
    core = pytest.importorskip("every_eval_ever.validator.validation_core", reason=reason)
    for name in found:
        report = core.validate_file(out / name, repo_path=name, run_semantic_checks=True)
        assert (report.valid, report.errors, report.warnings) == (True, [], [])


def test_what_converters_of_plain_results_lose_is_there(of_a):
    catalogue = read_tasks().tasks[RANKED].metadata
    found = of_a[f"{RANKED}/acc_ppl"]
    assert found["source_data"]["hf_repo"] == catalogue["data_source"]
    assert found["source_data"]["dataset_name"] == "Belebele (th)"
    metric = found["metric_config"]
    assert metric["additional_details"] == {"headline": "true", "chance": "0.25"}
    assert (metric["min_score"], metric["max_score"], metric["lower_is_better"]) == (0, 1, False)
    assert found["score_details"]["score"] == pytest.approx(4 / 6)
    assert "clustered" in found["score_details"]["uncertainty"]["standard_error"]["method"]
    translated = of_a[f"{TO_THAI}/chrf++"]
    assert translated["score_details"]["score"] == CHRF["org/a"][TO_THAI]
    assert (translated["metric_config"]["max_score"], translated["metric_config"]["metric_unit"]) == (100, "points")
    reported = of_a[f"{NO_SAMPLES}/exact_match"]["score_details"]["uncertainty"]["standard_error"]
    assert reported["value"] == pytest.approx(0.05) and "lm-eval" in reported["method"]


@pytest.mark.parametrize(
    ("metric", "entry", "method"),
    [("exact_match", float, "clustered"), ("chrf++", lambda n: ["a b c", "a b c" * n], "jackknife")],
)
def test_an_error_is_called_what_it_is_and_a_score_that_its_rows_contradict_says_so(tmp_path, metric, entry, method):
    """Also where lm-eval reports another error."""
    entries = [entry(n % 2) for n in range(20)]
    task = toy(entries, metric, value=scale_of(metric) * statistics_of(metric, entries).of_all_rows)
    task["scores"] |= {f"{metric}_stderr,none": 0.01}
    write_run(tmp_path, {"sea_toy": task, "sea_x": toy([1.0, 0.0] * 6, value=0.9)})
    [record] = records(read(tmp_path).best())[0].values()
    found = {result["evaluation_result_id"].split("/")[0]: result for result in record["evaluation_results"]}
    assert method in found["sea_toy"]["score_details"]["uncertainty"]["standard_error"]["method"]
    said = found["sea_x"]["metric_config"]["additional_details"]["contradiction"]
    assert said == "the results say 90.00, the 12 logged rows 50.00"


def test_intervals_are_those_that_show_prints(of_a, runs):
    lines = table_of(read(runs / "org__a").best()).splitlines()
    matches = filter(None, (re.match(r"(sea_\w+) .* \[([\d.]+), ([\d.]+)\]", line) for line in lines))
    printed = {match[1]: (float(match[2]), float(match[3])) for match in matches}
    assert len(printed) > 3
    for key, entry in of_a.items():
        task, metric = key.split("/")
        interval = entry["score_details"].get("uncertainty", {}).get("confidence_interval")
        if interval is not None:
            scale = {"bleu": 1, "chrf++": 1}.get(metric, 100)
            assert (interval["lower"] * scale, interval["upper"] * scale) == pytest.approx(printed.pop(task), abs=0.051)
    assert not printed


def test_runs_of_one_model_have_ids_of_their_own_and_bits_are_no_share(tmp_path):
    for name, stamp in (("sea_xcopa_id_to_ppl", OLD), ("sea_xcopa_th_to_ppl", NEW)):
        scores = {"acc_ppl,none": 0.5, "bits_per_byte,none": 0.8}
        metadata = dict(read_tasks().tasks[name].metadata)
        write_run(tmp_path / "runs", {name: {"scores": scores, "metadata": metadata}}, stamp)
    made, notes = records(read(tmp_path / "runs").best())
    assert len({record["evaluation_id"] for record in made.values()}) == 2
    metrics = [result["metric_config"]["metric_name"] for record in made.values() for result in record["evaluation_results"]]
    assert metrics == ["acc_ppl", "acc_ppl"]
    assert any("bits per byte have no best score" in note for note in notes)


def test_ids_of_models(runs, tmp_path, capsys):
    names = {
        "sail/Sailor2-1B": "sail/Sailor2-1B",
        "/a/b/c": "local/c",
        "./c": "local/c",
        "gpt2": "local/gpt2",
        "org/a\nb": "org/a b",
    }
    assert {name: model_id(name) for name in names} == names
    with pytest.raises(ResultsError, match="--model ORGANISATION/NAME"):
        model_id("a:b")
    assert main(["export", "every-eval-ever", str(runs), "--model", "a/b", "--out", str(tmp_path / "out")]) == 2
    assert "the runs are of 2: org/a, org/b" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
