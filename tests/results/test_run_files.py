"""What is found in folders of lm-eval's output, whole and broken."""

import json
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea.results.run_files import RunFilesError, find_runs, read_samples

from .lm_eval_output import NEW, OLD, row, write_results, write_samples


def test_a_whole_run(tmp_path):
    scores = {
        "acc,none": 0.5,
        "acc_stderr,none": 0.1,
        "f1,strict": 0.25,
        "f1_stderr,strict": "N/A",
        "f1_stderr_stderr,none": "N/A",
    }
    path = write_results(tmp_path / "model", OLD, {"toy_th": scores})
    samples = write_samples(tmp_path / "model", "toy_th", OLD, [row(doc_id=0)])
    [run], notes = find_runs([tmp_path])
    assert notes == []
    assert (run.model, run.results, run.date) == ("org/model", path, datetime(2026, 1, 2, 3, 4, 5, 6))
    assert run.config["model"] == "hf" and run.versions == {"lm_eval": "0.4.13"}
    task = run.tasks["toy_th"]
    assert (task.version, task.metadata["dataset"], task.num_fewshot) == ("1.0", "toy", 3)
    assert (task.rows, task.rows_total, task.samples) == (2, 10, samples)
    metrics = {name: (metric.value, metric.stderr, metric.filter) for name, metric in task.metrics.items()}
    assert metrics == {"acc": (0.5, 0.1, "none"), "f1,strict": (0.25, None, "strict")}
    # the same by the names of the files, each named twice
    assert find_runs([path, path, samples, tmp_path]) == ([run], [])
    assert find_runs([path]) == ([run], [])


def test_groups_are_no_tasks(tmp_path):
    path = write_results(tmp_path, OLD, {"toy_th": {"acc,none": 1}})
    content = json.loads(path.read_text())
    content["results"]["toy"] = {"acc,none": 1}
    content["group_subtasks"] = {"toy": ["toy_th"]}
    path.write_text(json.dumps(content))
    [run], _ = find_runs([tmp_path])
    assert list(run.tasks) == ["toy_th"]


def test_tasks_of_a_group_have_the_same_name_in_both_versions_of_lm_eval(tmp_path):
    """lm-eval 0.5 writes "group::task"; groups themselves stand among the results in both."""
    scores = {"toy::toy_th": {"acc,none": 0.5}, "toy": {"acc,none": 0.5}}
    configs = {"toy::toy_th": {"metadata": {"dataset": "toy"}}}
    path = write_results(tmp_path, OLD, scores, configs=configs, group_subtasks={"toy": ["toy::toy_th"]})
    samples = write_samples(tmp_path, "toy::toy_th", OLD, [row(doc_id=0)])
    [run], notes = find_runs([path])
    [task] = run.tasks.values()
    assert (task.name, task.metadata, task.rows, task.samples, notes) == ("toy_th", {"dataset": "toy"}, 2, samples, [])
    assert run.tasks.keys() == {"toy_th"} and run.groups["toy"]["acc"].value == 0.5


def test_the_run_with_more_rows_counts_then_the_newer(tmp_path):
    def run_of(folder, stamp, rows):
        counts = {"n-samples": {"toy_th": {"original": 900, "effective": rows}}}
        write_results(tmp_path / folder, stamp, {"toy_th": {"acc,none": rows / 1000}}, **counts)

    run_of("a", OLD, 900)
    run_of("b", NEW, 40)
    [run], notes = find_runs([tmp_path])
    assert run.tasks["toy_th"].rows == 900
    assert [note for note in notes if "has more rows (900 instead of 40)" in note]
    run_of("c", NEW, 900)
    [run], _ = find_runs([tmp_path])
    assert run.folder.name == "c"
    runs, _ = find_runs([tmp_path], all_runs=True)
    assert len({run.model for run in runs}) == len(runs) == 3  # two of them are of the same second


def test_names_of_models(tmp_path):
    write_results(tmp_path / "a" / "x", OLD, {"toy_th": {"acc,none": 1}})
    write_results(tmp_path / "a" / "y", NEW, {"toy_vi": {"acc,none": 1}})
    runs, _ = find_runs([tmp_path], names={tmp_path / "a": "all", tmp_path / "a" / "y": "inner"})
    assert {run.model: list(run.tasks) for run in runs} == {"all": ["toy_th"], "inner": ["toy_vi"]}


def test_results_without_samples(tmp_path):
    path = write_results(tmp_path, OLD, {"toy_th": {"acc,none": 1}})
    [run], notes = find_runs([tmp_path])
    assert run.tasks["toy_th"].samples is None
    assert notes == [f"{path}: no samples of 1 tasks (toy_th); --log_samples writes them"]


def test_samples_without_results(tmp_path):
    samples = write_samples(tmp_path / "org__model", "toy_th", OLD, [row(doc_id=0)])
    [run], [note] = find_runs([tmp_path])
    assert (run.model, run.results, run.tasks["toy_th"].samples, run.tasks["toy_th"].metrics) == ("org__model", None, samples, {})
    assert "without a results file" in note
    # beside another run the folder's model is known
    write_results(tmp_path / "org__model", NEW, {"other": {"acc,none": 1}})
    runs, _ = find_runs([tmp_path])
    assert [run.model for run in runs] == ["org/model"] * 2


def test_the_newest_run_of_a_task_wins(tmp_path):
    write_results(tmp_path / "a", OLD, {"toy_th": {"acc,none": 0}, "toy_vi": {"acc,none": 0}})
    write_results(tmp_path / "b", NEW, {"toy_th": {"acc,none": 1}})
    write_results(tmp_path / "c", OLD, {"toy_th": {"acc,none": 0.5}}, model="other")
    runs, notes = find_runs([tmp_path])
    assert [(run.model, name, task.metrics["acc"].value) for run in runs for name, task in run.tasks.items()] == [
        ("org/model", "toy_vi", 0),
        ("org/model", "toy_th", 1),
        ("other", "toy_th", 0.5),
    ]
    assert [note for note in notes if "left out" in note] == [
        "org/model: toy_th of 2026-01-02 03:04:05.000006 left out, for the run of 2026-02-02 03:04:05 is newer"
    ]


def test_the_run_that_is_left_out_says_in_what_it_differs(tmp_path):
    def config(**arguments):
        return {"config": {"model": "hf", "model_args": {"pretrained": "org/model", **arguments}}}

    scores = {"toy_th": {"acc,none": 0}, "toy_vi": {"acc,none": 0}}
    write_results(tmp_path / "a", OLD, scores, **config(dtype="float16", batch_size=4), chat_template_sha="c0ffee")
    shots = {"n-shot": {"toy_th": 0, "toy_vi": 3}}
    write_results(tmp_path / "b", NEW, scores, **config(dtype="bfloat16", peft="org/adapter"), **shots)
    [note] = [note for note in find_runs([tmp_path])[1] if "left out" in note]
    assert note.split("; ", 1)[1] == (
        "not made alike (dtype: float16, kept bfloat16; arguments: none recorded, kept peft=org/adapter; "
        "chat template: c0ffee, kept none recorded; exemplars: 3, kept 0)"
    )


def test_nothing_to_read_is_one_line(tmp_path):
    for paths in ([tmp_path], [tmp_path / "absent"]):
        with pytest.raises(RunFilesError) as error:
            find_runs(paths)
        assert "\n" not in str(error.value) and "--output_path" in str(error.value)


def test_files_that_are_no_results_are_named(tmp_path):
    write_results(tmp_path, OLD, {"toy_th": {"acc,none": 1}})
    (tmp_path / "results_cut.json").write_text('{"results": {')
    (tmp_path / "results_other.json").write_text("[1]")
    runs, notes = find_runs([tmp_path])
    assert len(runs) == 1
    assert ["results_cut.json" in note or "results_other.json" in note for note in notes] == [True, True, False]


def test_a_number_that_is_none_is_no_score(tmp_path):
    write_results(tmp_path, OLD, {"toy_th": {"acc,none": float("nan"), "f1,none": 1, "f1_stderr,none": float("nan")}})
    [run], notes = find_runs([tmp_path])
    assert {name: metric.stderr for name, metric in run.tasks["toy_th"].metrics.items()} == {"f1": None}
    assert any("acc is not a number" in note for note in notes)


def test_columns_of_samples(tmp_path):
    path = write_samples(tmp_path, "toy", OLD, [row(doc_id=0, acc=1.0, doc={"gold": 2, "text": "ข้าว"}), row(doc_id=1, doc=None)])
    notes = []
    assert list(read_samples(path, ["doc_id", "acc", "doc.gold", "doc.text"], notes)) == [
        {"doc_id": 0, "acc": 1.0, "doc.gold": 2, "doc.text": "ข้าว"},
        {"doc_id": 1, "acc": None, "doc.gold": None, "doc.text": None},
    ]
    assert notes == []


@given(cut=st.integers(1, 30))
def test_a_cut_last_line_is_left_out_and_said(tmp_path_factory, cut):
    whole = (row(doc_id=0, text="ข้าวผัด") + row(doc_id=1, text="ខ្មែរ")).encode().rstrip(b"\n")
    path = tmp_path_factory.mktemp("cut") / f"samples_toy_{OLD}.jsonl"
    path.write_bytes(whole[:-cut])
    notes = []
    rows = list(read_samples(path, ["doc_id"], notes))
    if cut < len(row(doc_id=1, text="ខ្មែរ").encode()) - 1:
        assert rows == [{"doc_id": 0}]
        assert len(notes) == 1 and "line 2 cannot be read" in notes[0]


def test_the_logarithm_of_zero_is_read(tmp_path):
    path = write_samples(tmp_path, "toy", OLD, [row(doc_id=0, resps=[[float("-inf"), False]])])
    assert list(read_samples(path, ["resps"], [])) == [{"resps": [[float("-inf"), False]]}]


@pytest.mark.parametrize("value", [["x"], {"a": 1}, True, float("nan"), 10**400], ids=["list", "mapping", "true", "nan", "vast"])
def test_a_setting_of_another_kind_is_left_out_and_named(value, tmp_path):
    config = {"model": value, "limit": value, "model_args": {"pretrained": "org/model", "revision": value}}
    path = write_results(tmp_path, OLD, {"toy_th": {"acc,none": 0.5}}, config=config, chat_template_sha=value)
    [run], notes = find_runs([tmp_path])
    for name in ("model", "limit", "chat_template_sha"):
        assert name not in run.config
        assert f"{path}: the setting {name} is no text and no number, and left out" in notes
    assert run.tasks["toy_th"].metrics["acc"].value == 0.5
