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
from tests.results.lm_eval_output import NEW, OLD, changed, toy, write_run


def exported(out):
    return {path.relative_to(out).as_posix(): json.loads(path.read_text(encoding="utf-8")) for path in out.rglob("*.json")}


def of_model(out, model):
    [record] = [record for record in exported(out).values() if record["model_info"]["id"] == model]
    return {entry["evaluation_result_id"]: entry for entry in record["evaluation_results"]}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return plant(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def out(runs, tmp_path_factory):
    folder = tmp_path_factory.mktemp("eee")
    assert main(["export", "every-eval-ever", str(runs), "--out", str(folder)]) == 0
    return folder


def test_a_model_in_a_folder_is_exported(runs, tmp_path):
    """By its last folder or as asked, the same run as the same file, at the time that the results say, not the file's name."""
    folder, out = tmp_path / "runs", tmp_path / "out"
    shutil.copytree(runs / "org__a", folder)
    with changed(folder) as content:
        content |= {"model_name": "/data/checkpoints/my_model", "date": 1234567890.25}
        content["config"] |= {"model_args": {"pretrained": "/data/checkpoints/my_model"}, "thinking": "on"}
    for model in ([], [], ["--model", "my-lab/mine"]):
        assert main(["export", "every-eval-ever", str(folder), *model, "--out", str(out)]) == 0
    found = exported(out)
    ids = {record["model_info"]["id"] for record in found.values()}
    assert ids == {"local/my_model (thinking on)", "my-lab/mine (thinking on)"}
    for name, record in found.items():
        assert re.fullmatch(rf"data/lm-eval-sea/{re.escape(record['model_info']['id'])}/[0-9a-f-]{{36}}\.json", name)
        assert record["evaluation_timestamp"] == "1234567890" and "/data/checkpoints" not in json.dumps(record)
    assert len(found) == 2
    # by the package's own validator; without warnings, which keep a record out of the datastore
    reason = "needs every-eval-ever and Python 3.12: pip install 'lm-eval-sea[export]'"
    core = pytest.importorskip("every_eval_ever.validator.validation_core", reason=reason)
    for name in found:
        report = core.validate_file(out / name, repo_path=name, run_semantic_checks=True)
        assert (report.valid, report.errors, report.warnings) == (True, [], [])


def test_what_converters_of_plain_results_lose_is_there(out):
    catalogue = read_tasks().tasks[RANKED].metadata
    found = of_model(out, "org/a")[f"{RANKED}/acc_ppl"]
    assert found["source_data"]["hf_repo"] == catalogue["data_source"]
    assert found["source_data"]["dataset_name"] == "Belebele (th)"
    metric = found["metric_config"]
    assert metric["additional_details"] == {"headline": "true", "chance": "0.25"}
    assert (metric["min_score"], metric["max_score"], metric["lower_is_better"]) == (0, 1, False)
    assert found["score_details"]["score"] == pytest.approx(4 / 6)
    assert "clustered" in found["score_details"]["uncertainty"]["standard_error"]["method"]
    translated = of_model(out, "org/a")[f"{TO_THAI}/chrf++"]
    assert translated["score_details"]["score"] == CHRF["org/a"][TO_THAI]
    assert (translated["metric_config"]["max_score"], translated["metric_config"]["metric_unit"]) == (100, "points")
    reported = of_model(out, "org/a")[f"{NO_SAMPLES}/exact_match"]["score_details"]["uncertainty"]["standard_error"]
    assert reported["value"] == pytest.approx(0.05) and "lm-eval" in reported["method"]


@pytest.mark.parametrize(
    ("metric", "entry", "method"),
    [("exact_match", float, "clustered"), ("chrf++", lambda n: ["a b c", "a b c" * n], "jackknife")],
)
def test_the_method_of_a_standard_error_is_named_also_where_lm_eval_reports_another(tmp_path, metric, entry, method):
    entries = [entry(n % 2) for n in range(20)]
    task = toy(entries, metric, value=scale_of(metric) * statistics_of(metric, entries).of_all_rows)
    task["scores"] |= {f"{metric}_stderr,none": 0.01}
    write_run(tmp_path, {"sea_toy": task})
    [record] = records(read(tmp_path).best())[0].values()
    [result] = record["evaluation_results"]
    assert method in result["score_details"]["uncertainty"]["standard_error"]["method"]


def test_intervals_are_those_that_show_prints(out, runs):
    printed = {}
    for line in table_of(read(runs / "org__a").best()).splitlines():
        if match := re.match(r"(sea_\w+) .* \[([\d.]+), ([\d.]+)\]", line):
            printed[match[1]] = (float(match[2]), float(match[3]))
    assert len(printed) > 3
    scales = {"bleu": 1, "chrf++": 1}
    for key, entry in of_model(out, "org/a").items():
        task, metric = key.split("/")
        interval = entry["score_details"].get("uncertainty", {}).get("confidence_interval")
        if interval is not None:
            scale = scales.get(metric, 100)
            assert (interval["lower"] * scale, interval["upper"] * scale) == pytest.approx(printed.pop(task), abs=0.051)
    assert not printed


def test_a_score_that_its_rows_contradict_says_so(tmp_path, capsys):
    write_run(tmp_path / "runs", {"sea_x": toy([1.0, 0.0] * 6, value=0.9)})
    assert main(["export", "every-eval-ever", str(tmp_path / "runs"), "--out", str(tmp_path / "out")]) == 0
    said = "the results say 90.00, the 12 logged rows 50.00"
    assert f"sea_x: {said}" in capsys.readouterr().err
    [result] = of_model(tmp_path / "out", "org/model").values()
    assert result["metric_config"]["additional_details"]["contradiction"] == said


def test_what_is_left_out_is_named_once(tmp_path, capsys):
    """Tasks of other packs, tests of contamination, and the bits of all tasks."""
    tasks = {name: toy([1.0, 0.0] * 6) for name in ("sea_a", "sea_b")}
    for task in tasks.values():
        task["scores"] |= {"bits_per_byte,none": 1.5, "bits_per_byte_of_rows,none": 1.5}
    tasks |= {"sea_x_th_order": toy([1.0, 0.0] * 6, setting="order"), "arc": toy([1.0, 0.0] * 6) | {"metadata": {"version": 1.0}}}
    place = write_run(tmp_path / "runs", tasks)
    assert main(["export", "every-eval-ever", str(tmp_path / "runs"), "--out", str(tmp_path / "out")]) == 0
    assert set(of_model(tmp_path / "out", "org/model")) == {"sea_a/acc", "sea_b/acc"}
    assert capsys.readouterr().err.splitlines() == [
        f"note: {place}: sea_x_th_order, arc: left out, because they have no score of this pack",
        f"note: {place}: bits per byte have no best score and are left out",
    ]


@pytest.mark.parametrize(
    ("name", "given"), [("org/" + 5000 * "m", []), ("/x/" + 300 * "m", []), ("org/" + 130 * "é", []), ("a/b", ["a/" + 256 * "b"])]
)
def test_an_id_too_long_for_a_folder_is_one_short_line(tmp_path, capsys, name, given):
    """One of as many bytes as a folder's name can have is none."""
    write_run(tmp_path / "runs", {"sea_x": toy([1.0, 0.0] * 6)}, model=name)
    export = ["export", "every-eval-ever", str(tmp_path / "runs"), "--out", str(tmp_path / "out")]
    assert main([*export, *(["--model", *given] if given else [])]) == 2
    said = capsys.readouterr().err
    assert "is too long for a folder" in said and "; give a shorter one with --model ORGANISATION/NAME\n" in said
    assert len(said) < 250 and not (tmp_path / "out").exists()
    assert main([*export, "--model", "a/" + 255 * "b"]) == 0


def test_ids_of_models():
    names = {"sail/Sailor2-1B": "sail/Sailor2-1B", "/a/b/c": "local/c", "./c": "local/c"}
    names |= {"gpt2": "local/gpt2", "org/a\nb": "org/a b"}
    assert {name: model_id(name) for name in names} == names
    with pytest.raises(ResultsError, match="--model ORGANISATION/NAME"):
        model_id("a:b")


@pytest.mark.parametrize(
    ("given", "ids"),
    [
        ({"revision": "step1000"}, {"org/a", "org/a (revision step1000)"}),
        ({"revision": "refs/pr/1"}, {"org/a", "org/a (revision refs-pr-1)"}),
        ({"enable_thinking": False}, {"org/a", "org/a (thinking off)"}),
        ({"load_in_4bit": True}, {"org/a", "org/a (load_in_4bit True)"}),
        ({"peft": "org/x"}, {"org/a", "org/a (peft org-x)"}),
    ],
)
def test_checkpoints_and_modes_of_a_model_have_ids_of_their_own(tmp_path, given, ids):
    """As they are models of their own in reports."""
    for name, stamp, arguments in (("sea_a", OLD, {}), ("sea_b", NEW, given)):
        config = {"model": "hf", "model_args": {"pretrained": "org/a", **arguments}}
        write_run(tmp_path, {name: toy([1.0, 0.0] * 6)}, stamp, model="org/a", config=config)
    for model in (None, "org/a"):
        made, _ = records(read(tmp_path).best(), model)
        assert {record["model_info"]["id"] for record in made.values()} == ids
        assert len(made) == len({record["evaluation_id"] for record in made.values()}) == 2


def test_records_of_earlier_exports_are_said_to_stay(tmp_path, capsys):
    for right, said in ((0.0, False), (1.0, True), (1.0, True)):
        write_run(tmp_path / "runs", {"sea_a": toy([1.0, right] * 6)})
        assert main(["export", "every-eval-ever", str(tmp_path / "runs"), "--out", str(tmp_path / "out")]) == 0
        assert ("note: 1 records of earlier exports stay" in "".join(capsys.readouterr())) == said


def test_a_judged_task_has_no_headline(tmp_path):
    """Its score comes from a judge; who averages headlines must not take the share of unread answers for one."""
    judged = dict(read_tasks().tasks["sea_helm_id_mt_bench_judge_turn_1"].metadata)
    write_run(tmp_path, {"toy": toy([1.0, 0.0]), "judged": toy([0.0, 0.0], "null_rate", **judged)})
    [record] = records(read(tmp_path).best())[0].values()
    said = {
        each["metric_config"]["metric_name"]: each["metric_config"]["additional_details"] for each in record["evaluation_results"]
    }
    assert {name: details["headline"] for name, details in said.items()} == {"acc": "true", "null_rate": "false"}
