"""Missing data, and results that cannot be written; other refusals are in `tests/robustness/mistakes.yml`."""

import errno
import json
import os
import resource
import shutil

import pytest
import torch
from huggingface_hub import constants
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from transformers import PreTrainedTokenizerFast

from lm_eval_sea.commands.cli import main
from lm_eval_sea.run import output_folder
from lm_eval_sea.run.chat_template import load_tokenizer
from lm_eval_sea.run.model_check import check_batch_size, warn_of_other_tokens
from lm_eval_sea.run.model_files import check_files
from lm_eval_sea.run.output_folder import check_space, save
from lm_eval_sea.run.request import RunError, in_one_line, what_failed
from lm_eval_sea.run.task_loading import RunTasks
from lm_eval_sea.run.task_loading import load_tasks as load_those_here
from tests.make.test_own_data import plant_questions
from tests.processes import run, run_of
from tests.run.conftest import logged, written


def test_vllm_refuses_gguf_files():
    """The package vllm need not be installed."""
    for given in ({"pretrained": "m/q4.gguf"}, {"pretrained": "m", "gguf_file": "q4.gguf"}):
        with pytest.raises(RunError, match=r"--model vllm cannot read GGUF files; use hf-shared-prefix with pretrained=FOLDER"):
            check_files("vllm", given)


def test_only_a_missing_package_has_an_install_command():
    """A package that is too old, too new or broken has none."""
    assert in_one_line(ModuleNotFoundError("No module named 'peft'", name="peft")) == "needs the package peft: pip install peft"
    for error in (ImportError("cannot import name 'Role'", name="hub.api"), ModuleNotFoundError("No module", name="hub.api")):
        assert in_one_line(error) == str(error)


def test_a_config_file_in_another_encoding_than_the_locale(tmp_path, monkeypatch, capsys):
    """lm-eval would open it in that encoding, as on Windows, and the model would see other letters."""
    monkeypatch.setattr("locale.getpreferredencoding", lambda *_: "cp874")
    path = tmp_path / "run.yaml"
    path.write_text("tasks: [sea_xcopa_th_to_ppl]\nsystem_instruction: ตอบเป็นภาษาไทย\n", encoding="utf-8")
    assert main(["run", "--config", str(path)]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith(f"lm-eval-sea: --config {path}: ") and line.endswith(
        " the locale reads them as cp874; set PYTHONUTF8=1"
    )


def test_a_tokenizer_of_another_model_is_reported(tiny_model, tokenizer, tmp_path, caplog):
    """A tokenizer with one more token still counts as the model's."""
    words = WordLevel({"kota": 0, "ini": 1}, unk_token="kota")
    PreTrainedTokenizerFast(tokenizer_object=Tokenizer(words)).save_pretrained(tmp_path / "another")
    tokenizer.add_tokens("<one more>")
    tokenizer.save_pretrained(tmp_path / "own")
    for name in ("own", "another"):
        warn_of_other_tokens("hf", {"pretrained": str(tiny_model), "tokenizer": str(tmp_path / name)})
    (message,) = caplog.messages
    assert message.startswith(f"tokenizer={tmp_path / 'another'} has 0 of the model's own {len(tokenizer) - 1} tokens")


@pytest.mark.slow
def test_missing_data_is_reported_with_the_fetch_command(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command = ["run", "--model", "hf", "--model_args", "pretrained=no/such-model", "--tasks"]
    assert main([*command, "sea_xcopa_th_to_ppl,sea_xcopa_th_tito_ppl,sea_belebele_vi_to_ppl"]) == 2
    text = capsys.readouterr().err.rpartition("lm-eval-sea: ")[2].strip()
    first, second, fetch, skip = text.split("\n  ")
    assert first.startswith("sea_xcopa_th_to_ppl, sea_xcopa_th_tito_ppl: cannot get data/xcopa/th_test.jsonl of sail/")
    assert second.startswith("sea_belebele_vi_to_ppl: cannot get data/belebele/vie_Latn.jsonl")
    assert fetch == "to fetch: lm-eval-sea data fetch --tasks sea_xcopa_th_to_ppl,sea_xcopa_th_tito_ppl,sea_belebele_vi_to_ppl"
    assert skip.endswith("--skip_missing")


@pytest.mark.parametrize(
    ("change", "cause", "mend"),
    [
        (lambda lines: [lines[0], lines[1].replace(": 1}", ': "Z"}')], ", row 1: field 'gold' is 'Z'; ", ", row 1 (the first"),
        (lambda lines: [lines[0], lines[0][:9]], ", row 1: no JSON", ", row 1 (the first"),
        (lambda lines: [], " has no rows; ", ""),
    ],
)
def test_local_rows_that_cannot_be_scored_must_be_fixed(tmp_path, change, cause, mend):
    """The line names the fault, not a download."""
    path = tmp_path / "own" / "rows.jsonl"
    rows = [json.dumps({"q": f"{number} + 1", "a": "หนึ่ง", "b": "สอง", "answer": number}) for number in (0, 1)]
    plant_questions(path.parent, "\n".join(change(rows)), path.name)
    assert main(["make", str(path.parent)]) == 0
    wanted = ["sea_own_th_to_ppl"]
    with pytest.raises(RunError) as error:
        load_those_here(RunTasks(wanted, [str(tmp_path / "own")]), wanted, skip_missing=False)
    said, advice = str(error.value).split("\n  ")
    assert said.startswith(f"sea_own_th_to_ppl: {path}{cause}")
    assert advice.startswith(f"to fix: {path}{mend}")


def test_skip_missing_leaves_out_what_lacks_rows_or_exemplars(tmp_path, samples, tiny_model, monkeypatch, capsys):
    """A folder like the hub's may have the tested rows of a data set without the split that its exemplars come from.

    A group that lacks a task is left out, too: its mean would be another's.
    """
    monkeypatch.chdir(tmp_path)
    shutil.copytree(samples / "sail", tmp_path / "sail")
    folder = tmp_path / "indonlp/nusatranslation_senti"
    folder.mkdir(parents=True)
    shutil.copy(samples / "nusa-writes/data/nusa_kalimat-senti-bew-test.csv", folder / "test.csv")
    (folder / "README.md").write_text(
        "---\nconfigs:\n- config_name: bew\n  data_files: [{split: test, path: test.csv}]\n---\n", encoding="utf-8"
    )
    command = run_of(tiny_model, "sea_nusasentiment_bew,sea_xcopa_to_ppl", "--limit", 2)
    assert main(command) == 2
    said = "sea_nusasentiment_bew shows 3 exemplars, but its rows come with none; add the missing ones, leave the task out, or "
    assert f"{said}choose --num_fewshot 0\n" in capsys.readouterr().err
    assert main([*command, "--skip_missing"]) == 0
    table = capsys.readouterr().out
    assert "\nleft out: sea_nusasentiment_bew: the exemplars are missing\n" in table
    assert "\nsea_xcopa_to_ppl " in table and "\nsea_nusasentiment_bew " not in table
    (tmp_path / "sail/Sailcompass_data/data/xcopa/id_test.jsonl").unlink()
    assert main([*command, "--skip_missing", "--num_fewshot", "0"]) == 0
    table = capsys.readouterr().out
    assert "\nleft out: sea_xcopa_id_to_ppl: the folder sail/Sailcompass_data has no data/xcopa/id_test.jsonl" in table
    shown = [line.split()[0] for line in table.splitlines() if line.startswith("sea_")]
    assert shown == ["sea_nusasentiment_bew", "sea_xcopa_th_to_ppl", "sea_xcopa_vi_to_ppl"]


def test_a_disk_without_room_for_the_samples(tmp_path, load_tasks, monkeypatch):
    tasks = load_tasks("sea_xcopa_th_to_ppl")
    check_space(str(tmp_path), tasks, None)
    full = output_folder.shutil.disk_usage(tmp_path)._replace(free=1000)
    monkeypatch.setattr(output_folder.shutil, "disk_usage", lambda _: full)
    with pytest.raises(RunError, match="the samples take about 0 MB, and 0 MB are free"):
        check_space(str(tmp_path), tasks, None)
    full_cache = what_failed(OSError(errno.ENOSPC, "No space left on device"))  # the error names no file
    assert full_cache.endswith("No space left on device for temporary files or caches (TMPDIR and HF_HOME name their folders)")


def into_a_file(output):
    """Replaces the folder of the results by a file."""
    output.rmdir()
    output.write_text("a file")


def no_long_files(output):
    """Limits files of this process to 700 bytes."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (700, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "fault"), [("results", into_a_file), ("results", no_long_files), ("results/a.json", no_long_files)]
)
def test_results_that_cannot_be_written_are_saved_elsewhere(name, fault, tmp_path, tiny_model, in_samples, monkeypatch, capsys):
    """No half-written file stays, because `show` would take half the rows for a run."""
    from lm_eval.loggers import EvaluationTracker

    output, elsewhere, limits = tmp_path / name, tmp_path / "tmp", resource.getrlimit(resource.RLIMIT_FSIZE)
    elsewhere.mkdir()
    monkeypatch.setattr(output_folder.tempfile, "tempdir", str(elsewhere))
    save_aggregated = EvaluationTracker.save_results_aggregated

    def save_after_the_fault(tracker, *args, **kwargs):
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        if tracker.output_path == str(output):
            fault(output)
        return save_aggregated(tracker, *args, **kwargs)

    monkeypatch.setattr(EvaluationTracker, "save_results_aggregated", save_after_the_fault)
    try:
        assert main(run_of(tiny_model, "sea_xcopa_th_to_ppl", "--output_path", output, "--log_samples", "--no-resume")) == 1
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    last = capsys.readouterr().err.strip().split("\n")[-1]
    assert last.startswith(f"lm-eval-sea: the results could not be written to {output}; they are in {elsewhere}")
    assert not [path for path in (tmp_path / "results").rglob("*") if path.is_file()]
    assert "acc_ppl,none" in written(elsewhere)["results"]["sea_xcopa_th_to_ppl"]
    rows = logged(elsewhere)
    assert len(rows) == 4 and set(rows[0]["arguments"]["gen_args_0"]) == {"arg_0", "arg_1"}, "as lm-eval writes them"


def test_results_that_cannot_be_written_anywhere(tmp_path, monkeypatch):
    """The line says where the answers are kept."""
    from lm_eval.loggers import EvaluationTracker

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    monkeypatch.setattr(output_folder.tempfile, "tempdir", str(tmp_path))
    try:
        no_long_files(tmp_path)
        with pytest.raises(RunError, match=rf"^the results .* nor all of them to {tmp_path}/.*; 44 answers are kept$"):
            save(
                EvaluationTracker(output_path=str(tmp_path)), {"results": {"t": "x" * 1000}}, None, lambda: "44 answers are kept"
            )
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.parametrize("closed", ["model", "model/model.safetensors"])
def test_a_model_that_may_not_be_read(closed, tiny_model, tmp_path, no_rights):
    shutil.copytree(tiny_model, tmp_path / "model")
    no_rights(tmp_path / closed)
    with pytest.raises(RunError, match=rf"^--model_args: {tmp_path}/model/.* cannot be read \(Permission denied\)$"):
        check_files("hf", {"pretrained": str(tmp_path / "model")})


def test_a_hub_that_cannot_be_reached_is_asked_once(monkeypatch, caplog):
    """The hub's library would wait half a minute for each file of each model."""
    waits = []
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr("time.sleep", waits.append)
    for model in ("owner/first", "owner/second"):
        check_files("hf", {"pretrained": model})
        assert load_tokenizer({"pretrained": model}) is None
    (line,) = [text for text in caplog.messages if "the hub cannot be reached" in text]
    assert line.endswith("this command reads only its cache") and sum(waits) < 5


@pytest.mark.slow
def test_results_that_cannot_be_pushed_are_kept_locally(tmp_path, tiny_model, samples):
    to_hub = ["--hf_hub_log_args", "hub_results_org=x,push_results_to_hub=True,push_samples_to_hub=True"]
    given = run_of(tiny_model, "sea_xcopa_th_to_ppl", "--output_path", tmp_path, "--log_samples", *to_hub)
    process = run("lm_eval_sea", *given, cwd=samples, HF_TOKEN="hf_x", HF_HUB_OFFLINE="1")
    assert process.returncode == 1
    last = process.stderr.strip().split("\n")[-1]
    assert last.startswith(f"lm-eval-sea: the results are in {tmp_path}, but could not be pushed to the hub (")
    assert "acc_ppl,none" in written(tmp_path)["results"]["sea_xcopa_th_to_ppl"]


@pytest.mark.slow
def test_answers_as_long_as_the_window(in_samples, tiny_model, capsys):
    """The run is refused before its rankings begin."""
    asked = ["--limit", "2", "--gen_kwargs", "max_gen_toks=64"]
    assert main(run_of(f"{tiny_model},max_length=64", "sea_indolem_id,sea_tydiqa_id", *asked)) == 2
    said = capsys.readouterr().err.strip().split("\n")[-1]
    why = "sea_tydiqa_id: answers of up to 64 tokens leave no room for a prompt in the model's window of 64;"
    assert said.startswith(f"lm-eval-sea: {why}")


@pytest.mark.slow
def test_max_new_tokens_limits_answers_too(in_samples, tiny_model, tmp_path):
    """The task has its own limit, as `max_gen_toks`."""
    asked = ["--limit", 2, "--gen_kwargs", "max_new_tokens=3", "--output_path", tmp_path, "--log_samples"]
    assert main(run_of(tiny_model, "sea_xnli_vi_chat", *asked)) == 0
    assert [row["doc"]["tokens"]["answer"] for row in logged(tmp_path)] == [3, 3]


@pytest.mark.slow
def test_predict_only_logs_answers_without_scores(in_samples, tiny_model, tmp_path, capsys):
    assert main(run_of(tiny_model, "sea_xcopa_th_to_ppl", "--limit", 2, "--predict_only", "--output_path", tmp_path)) == 0
    last = capsys.readouterr().out.strip().splitlines()[-1]
    assert last == f"--predict_only: the answers are in {tmp_path}, and nothing is scored"


@pytest.mark.slow
def test_prompts_that_do_not_fit_the_window_are_reported(in_samples, tiny_model, tokenizer, tmp_path, capsys, caplog):
    """Of ranked and generated answers, before the first answer and below the table."""
    window, names = 926, "sea_belebele_th_to_ppl,sea_tydiqa_id,sea_flores_en_th,sea_xlsum_vi"
    asked = ["--gen_kwargs", "max_gen_toks=8", "--use_cache", tmp_path / "kept" / "answers"]
    assert main(run_of(f"{tiny_model},max_length={window}", names, *asked)) == 0
    assert "do not fit the model's window, and their beginning is cut off: sea_belebele_th_to_ppl, sea_tydiqa_id" in caplog.text
    capsys.readouterr()
    asked += ["--output_path", tmp_path, "--log_samples"]  # now all answers come from the cache
    assert main(run_of(f"{tiny_model},max_length={window}", names, *asked)) == 0
    prompts = [row["arguments"]["gen_args_0"]["arg_0"] for row in logged(tmp_path, "sea_tydiqa_id")]
    cut = [len(tokenizer(prompt).input_ids) > window - 8 for prompt in prompts]
    assert 0 < sum(cut) < len(cut)
    shown = " ".join(capsys.readouterr().out.split())
    assert f"sea_tydiqa_id: {100 * sum(cut) / len(cut):.1f} % of the prompts did not fit the model's window" in shown
    assert "sea_belebele_th_to_ppl: 100.0 % of the prompts did not fit" in shown
    assert "sea_xlsum_vi: 100.0 % of the documents were cut at their end to fit the model's window" in shown


def test_the_largest_batch_is_not_searched_on_a_cpu(monkeypatch):
    """On a CPU, lm-eval's `hf` gets no error that would make it halve the batch."""
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: False)
    for searches in (("hf", "auto", 16), ("hf", 8, None), ("hf-shared-prefix", "auto", None)):
        check_batch_size(*searches)
    with pytest.raises(RunError, match="--batch_size auto: without an accelerator"):
        check_batch_size("hf", "auto", None)


def test_chosen_rows_keep_their_numbers(tiny_model, in_samples, load_tasks, tmp_path):
    """lm-eval asks them in the order of the task, and would number them as they are given.

    It makes the name of a folder of a model's whole path, which may be too long for one; a letter of Thai has three bytes.
    """
    task, place = "sea_xcopa_vi_to_ppl", tmp_path / ("ไทย" * 25) / ("แบบจำลอง" * 10)
    shutil.copytree(tiny_model, place)
    rows = ["--samples", json.dumps({task: [3, 0, 2]}), "--output_path", tmp_path / "results", "--log_samples"]
    assert main(run_of(place, task, *rows)) == 0
    [folder] = (tmp_path / "results").iterdir()
    assert len(os.fsencode(folder.name)) <= 255
    results, ids = written(folder), [row["id"] for row in load_tasks(task)[task].test_docs()]
    assert (results["model_name"], results["n-samples"][task]["effective"]) == (str(place), 3)
    assert {row["doc_id"]: row["doc"]["id"] for row in logged(folder)} == {number: ids[number] for number in (0, 2, 3)}
