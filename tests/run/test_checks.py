"""What is said before a model is loaded, and what becomes of results that cannot be written."""

import json
import os
import re
import shutil

import pytest

from lm_eval_sea.commands.cli import main
from lm_eval_sea.run import output_folder
from lm_eval_sea.run.model_check import check_folders
from lm_eval_sea.run.output_folder import check_space, probe
from lm_eval_sea.run.request import RunError, check_request, check_samples
from lm_eval_sea.run.task_loading import RunTasks, load_tasks
from tests.model_folder import model_folder
from tests.run.conftest import written


def test_names_of_other_packs_are_left_to_lm_eval():
    check_request(["arc_easy"], 25, None)


def test_an_output_path_is_made(tmp_path):
    probe(str(tmp_path / "a" / "b"))
    assert list((tmp_path / "a" / "b").iterdir()) == []
    probe(str(tmp_path / "c" / "name.json"))
    assert list((tmp_path / "c").iterdir()) == []


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        ({}, "expected"),
        ("rows.json", "'rows.json': expected"),
        ({"sea_other": [0]}, "names 'sea_other', which is no task of this run"),
        ({"sea_a": []}, "has no rows for sea_a"),
        ({"sea_a": [0, -1]}, "has row -1 of sea_a; expected numbers from 0 to 3"),
        ({"sea_a": [4]}, "has row 4 of sea_a"),
        ({"sea_a": [True]}, "has row True"),
        ({"sea_a": [1.0]}, "has row 1.0"),
        ({"sea_a": [1, 2, 1]}, "has a row of sea_a twice"),
        *((samples, "--samples") for samples in ([], None, 5, {"sea_a": {"0": 1}}, {"sea_a": 0}, {"sea_a": [0], "sea_c": [0]})),
        *(({"sea_a": [row]}, "--samples has row") for row in ("0", None, [0], 10**30, float("nan"))),
    ],
)
def test_samples_that_would_evaluate_other_rows(samples, message):
    with pytest.raises(RunError, match=re.escape(message)) as caught:
        check_samples(samples, {"sea_a": 4})
    assert "\n" not in str(caught.value)


def test_samples_that_are_fine():
    check_samples({"sea_a": [3, 0]}, {"sea_a": 4, "sea_b": 2})


@pytest.mark.slow
def test_missing_data_is_named_with_the_command_that_fetches_it(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command = ["run", "--model", "hf", "--model_args", "pretrained=no/such-model", "--tasks"]
    assert main([*command, "sea_xcopa_th_to_ppl,sea_xcopa_th_tito_ppl,sea_belebele_vi_to_ppl"]) == 2
    text = capsys.readouterr().err.rpartition("lm-eval-sea: ")[2].strip()
    first, second, fetch, skip = text.split("\n  ")
    assert first.startswith("sea_xcopa_th_to_ppl, sea_xcopa_th_tito_ppl: cannot get data/xcopa/th_test.jsonl of sail/")
    assert second.startswith("sea_belebele_vi_to_ppl: cannot get data/belebele/vie_Latn.jsonl")
    assert fetch == "to fetch: lm-eval-sea data fetch --tasks sea_xcopa_th_to_ppl,sea_xcopa_th_tito_ppl,sea_belebele_vi_to_ppl"
    assert skip.endswith("--skip_missing")


@pytest.fixture
def thai_and_vietnamese(tmp_path, samples, monkeypatch):
    """A folder with XCOPA's rows in two of three languages is the current one."""
    folder = tmp_path / "sail" / "Sailcompass_data" / "data" / "xcopa"
    folder.mkdir(parents=True)
    for language in ("th", "vi"):
        name = f"{language}_test.jsonl"
        (folder / name).write_bytes((samples / "sail" / "Sailcompass_data" / "data" / "xcopa" / name).read_bytes())
    monkeypatch.chdir(tmp_path)


def test_skip_missing_goes_on_with_the_tasks_that_have_rows(thai_and_vietnamese):
    manager = RunTasks(["sea_xcopa_to_ppl"])
    wanted, tasks, left_out = load_tasks(manager, ["sea_xcopa_to_ppl"], skip_missing=True)
    assert wanted == list(tasks) == ["sea_xcopa_th_to_ppl", "sea_xcopa_vi_to_ppl"], "not the group, whose mean would be another's"
    assert len(left_out) == 1
    assert left_out[0].startswith("sea_xcopa_id_to_ppl: the folder sail/Sailcompass_data has no data/xcopa/id_test.jsonl")
    assert manager.load(wanted)["tasks"] is tasks, "loaded once"


def test_skip_missing_keeps_groups_that_lack_nothing(samples, monkeypatch):
    monkeypatch.chdir(samples)
    manager = RunTasks(["sea_xcopa_to_ppl"])
    wanted, tasks, left_out = load_tasks(manager, ["sea_xcopa_to_ppl"], skip_missing=True)
    assert (wanted, len(tasks), left_out) == (["sea_xcopa_to_ppl"], 3, [])


def test_a_disk_without_room_for_the_samples(tmp_path, samples, monkeypatch):
    monkeypatch.chdir(samples)
    manager = RunTasks(["sea_xcopa_to_ppl"])
    _, tasks, _ = load_tasks(manager, ["sea_xcopa_th_to_ppl"], skip_missing=False)
    check_space(str(tmp_path), tasks, None)
    full = output_folder.shutil.disk_usage(tmp_path)._replace(free=1000)
    monkeypatch.setattr(output_folder.shutil, "disk_usage", lambda _: full)
    with pytest.raises(RunError, match="the samples take about 0 MB, and 0 MB are free"):
        check_space(str(tmp_path), tasks, None)


@pytest.mark.slow
def test_results_that_cannot_be_written_after_all_are_saved_elsewhere(tmp_path, tiny_model, samples, monkeypatch, capsys):
    """The folder turns into a file while the model works."""
    from lm_eval.loggers import EvaluationTracker

    output, elsewhere = tmp_path / "results", tmp_path / "tmp"
    elsewhere.mkdir()
    monkeypatch.chdir(samples)
    monkeypatch.setattr(output_folder.tempfile, "tempdir", str(elsewhere))
    save = EvaluationTracker.save_results_aggregated

    def break_then_save(tracker, *args, **kwargs):
        if output.is_dir():
            output.rmdir()
            output.write_text("a file")
        return save(tracker, *args, **kwargs)

    monkeypatch.setattr(EvaluationTracker, "save_results_aggregated", break_then_save)
    status = main(
        ["run", "--model", "hf", "--model_args", f"pretrained={tiny_model}", "--device", "cpu", "--tasks", "sea_xcopa_th_to_ppl",
         "--output_path", str(output), "--log_samples", "--no-resume"]
    )  # fmt: skip
    assert status == 1
    last = capsys.readouterr().err.strip().split("\n")[-1]
    assert last.startswith(f"lm-eval-sea: the results could not be written to {output}; they are in {elsewhere}")
    assert "acc_ppl,none" in written(elsewhere)["results"]["sea_xcopa_th_to_ppl"]
    [rows] = elsewhere.rglob("samples_*.jsonl")
    [row, *_] = map(json.loads, rows.read_text(encoding="utf-8").splitlines())
    assert set(row["arguments"]["gen_args_0"]) == {"arg_0", "arg_1"}, "as lm-eval writes them"


def test_gated_sets_are_named_with_their_page():
    from lm_eval_sea.run.task_loading import _advice
    from lm_eval_sea.tasks._shared.hub_files import DataError

    error = DataError("cannot get data/x.jsonl of owner/gated-set: ask for access on the repository's page, then log in")
    advice = _advice({"sea_a": error}, can_skip=False)
    assert any("/datasets/owner/gated-set, then `hf auth login` or HF_TOKEN" in line for line in advice)


ONE_ROW = ["--tasks", "sea_xcopa_th_to_ppl", "--limit", "1", "--model", "hf", "--device", "cpu"]


def test_a_folder_that_lacks_weights(refusal, tmp_path, monkeypatch):
    """Before the data, of which there is none."""
    monkeypatch.chdir(tmp_path)
    folder = model_folder(tmp_path / "m", weights=None)
    model = [*ONE_ROW, "--model_args", f"pretrained={folder}"]
    assert refusal(*model).startswith(f"the folder {folder} has no weights (*.safetensors, ")
    (folder / "model-1.safetensors").touch()
    index = {"weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    assert refusal(*model).startswith(f"the folder {folder} has no model-2.safetensors, which model.safe")
    gone = tmp_path / "gone"
    assert refusal(*model[:-1], f"pretrained={gone}").startswith(f"there is no folder {gone} (pretrained; ")


@pytest.mark.parametrize("argument", ["peft", "lora_local_path", "delta"])
def test_an_adapter_that_is_not_there(argument, tmp_path):
    gone, empty = tmp_path / "gone", tmp_path / "empty"
    empty.mkdir()
    model_args = {"pretrained": str(model_folder(tmp_path / "m"))}
    with pytest.raises(RunError, match=rf"there is no folder {gone} \({argument}; "):
        check_folders("vllm", model_args | {argument: str(gone)})
    with pytest.raises(RunError, match=rf"the folder {empty} has no \w+\.json; {argument} names no such model"):
        check_folders("vllm", model_args | {argument: str(empty)})


def test_a_revision_of_a_folder(tmp_path):
    """A repository of the hub beside the folder has the revision."""
    model_args = {"pretrained": str(model_folder(tmp_path / "m")), "revision": "step1000"}
    with pytest.raises(RunError, match=rf"revision=step1000: the folder {tmp_path / 'm'} has no revisions"):
        check_folders("hf", model_args)
    check_folders("hf", model_args | {"revision": "main"})
    check_folders("hf", model_args | {"peft": "owner/adapter"})


def test_another_tokenizer_is_refused_before_the_model(refusal, tmp_path, samples, monkeypatch):
    """The weights are none, which loading them would say first."""
    monkeypatch.chdir(samples)
    folder, other = model_folder(tmp_path / "m"), model_folder(tmp_path / "other", text="กรุงเทพฯ เป็นเมืองหลวง")
    for name, why in (
        (tmp_path / "gone", "cannot be loaded"),
        (other, f"encodes text otherwise than the model's own, '{folder}'"),
    ):
        said = refusal(*ONE_ROW, "--model_args", f"pretrained={folder}", "--metadata", f"tokenizer={name}")
        assert said.startswith(f"metadata: tokenizer '{name}' {why}")


def test_what_a_backend_raises_when_it_loads_is_one_line(refusal, tmp_path, samples, monkeypatch):
    monkeypatch.chdir(samples)
    said = refusal(*ONE_ROW, "--model_args", f"pretrained={model_folder(tmp_path / 'm')}")
    assert said.startswith("the model cannot be loaded (SafetensorError: ")
    assert said.endswith("); --debug shows where")


@pytest.mark.slow
def test_answers_that_fill_the_window(samples, tiny_model, refusal, monkeypatch):
    """Said before the rankings of the same run."""
    monkeypatch.chdir(samples)
    asked = ["--model", "hf", "--device", "cpu", "--tasks", "sea_indolem_id,sea_tydiqa_id", "--limit", "2"]
    said = refusal(*asked, "--model_args", f"pretrained={tiny_model},max_length=64", "--gen_kwargs", "max_gen_toks=64")
    assert said.startswith("sea_tydiqa_id: answers of up to 64 tokens leave no room for a prompt in the model's window of 64;")


@pytest.mark.slow
def test_a_model_with_a_name_that_no_file_system_takes(tiny_model, samples, tmp_path, monkeypatch):
    """lm-eval makes the name of a folder of a model's whole path; a letter of Thai has three bytes."""
    place = tmp_path / ("ไทย" * 25) / ("แบบจำลอง" * 10)
    shutil.copytree(tiny_model, place)
    monkeypatch.chdir(samples)
    model = ["--model", "hf", "--model_args", f"pretrained={place}", "--device", "cpu"]
    output = ["--output_path", str(tmp_path / "results"), "--log_samples"]
    assert main(["run", *model, "--tasks", "sea_xcopa_vi_to_ppl", "--limit", "1", *output]) == 0
    [folder] = (tmp_path / "results").iterdir()
    assert len(os.fsencode(folder.name)) <= 255
    assert written(folder)["model_name"] == str(place)
