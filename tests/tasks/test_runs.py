"""The plain `lm_eval` command on the pack: alone in a folder, in one and two processes, with small and large batches."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .evaluation import TASKS, evaluate

CPU = {"dtype": "float32", "device": "cpu"}


def results_of(output: Path) -> tuple[dict, dict]:
    """The results and, by task, the logged samples that a run left in its `--output_path`."""
    (file,) = output.rglob("results_*.json")
    samples = {
        path.name.removeprefix("samples_").rsplit("_", 1)[0]: sorted(
            map(json.loads, path.read_text(encoding="utf-8").splitlines()), key=lambda sample: sample["doc_id"]
        )
        for path in output.rglob("samples_*.jsonl")
    }
    return json.loads(file.read_text(encoding="utf-8")), samples


def scores(results: dict) -> dict:
    return {
        (task, metric): value
        for task, metrics in results["results"].items()
        for metric, value in metrics.items()
        if metric.endswith(",none")
    }


LAUNCH_TWO = [
    "-m", "accelerate.commands.launch", "--cpu", "--num_processes", "2", "--num_machines", "1", "--mixed_precision", "no",
    "--dynamo_backend", "no", "--main_process_port", "0",
]  # fmt: skip
TASK_NAMES = "sea_belebele_th_litilo_ppl,sea_m3exam_th_to_ppl,sea_xcopa_id_litilo_gen,sea_wisesight_th,sea_indonli_id"


def test_the_folder_alone_works_and_two_processes_agree_with_one(tmp_path, tiny_model, samples):
    """The copied folder, where importing this package fails; three rows a task, so that the processes get unequal shares.

    Macro-F1 and batch calibration need the rows of all processes.
    """
    tasks = Path(shutil.copytree(TASKS, tmp_path / "elsewhere" / "tasks", ignore=shutil.ignore_patterns("__pycache__")))
    shadow = tmp_path / "shadow" / "lm_eval_sea.py"
    shadow.parent.mkdir()
    shadow.write_text("raise ImportError('the tasks folder must not need this package')\n", encoding="utf-8")
    outputs = {}
    for processes in (1, 2):
        output = tmp_path / f"out{processes}"
        launch = LAUNCH_TWO if processes == 2 else []
        subprocess.run(
            [sys.executable, *launch, "-m", "lm_eval", "--model", "hf", "--model_args", f"pretrained={tiny_model},dtype=float32",
             "--include_path", tasks, "--tasks", TASK_NAMES, "--device", "cpu", "--limit", "3", "--output_path", output,
             "--log_samples"],
            cwd=samples, env=os.environ | {"PYTHONPATH": str(shadow.parent)}, check=True, capture_output=True, timeout=300,
        )  # fmt: skip
        outputs[processes] = results_of(output)
    (one, one_samples), (two, two_samples) = outputs[1], outputs[2]
    assert scores(one) == scores(two)
    assert scores(one)["sea_wisesight_th", "acc_bc,none"] is not None
    assert one_samples.keys() == two_samples.keys() == set(TASK_NAMES.split(","))
    for task, rows in one_samples.items():
        assert len(rows) == 3
        assert [row["doc"]["predictions"] for row in rows] == [row["doc"]["predictions"] for row in two_samples[task]]
    assert "elsewhere" in one["configs"]["sea_m3exam_th_to_ppl"]["metadata"]["config_source"]


@pytest.mark.parametrize("task", ["sea_xnli_th", "sea_indonli_id_enprompt", "sea_wisesight_th", "sea_indolem_id", "sea_vsmec_vi"])
def test_real_classification_rows(task, tiny_model, hub_mirror):
    """A tiny random model on real rows; what can be checked without knowing the answers."""
    results = evaluate(hub_mirror, task, "hf", model_args={"pretrained": str(tiny_model), **CPU}, limit=6, batch_size=8)
    rows = [sample["doc"] for sample in results["samples"][task]]
    labels = len(results["configs"][task]["doc_to_choice"])
    assert len(rows) == 6
    assert len({tuple(row["q"]) for row in rows}) == 1, "fixed exemplars have one content-free prior"
    for row in rows:
        assert sum(row["p"]) == pytest.approx(1)
        assert sum(row["q"]) == pytest.approx(1)
        assert len(row["p"]) == len(row["q"]) == len(row["option_scores"]) == labels
        ratios = [p / q for p, q in zip(row["p"], row["q"], strict=True)]
        assert row["predictions"]["acc_cc"] == ratios.index(max(ratios))
    found = scores(results)
    for metric in ("acc", "acc_cc", "acc_pmi"):
        share = sum(row["predictions"][metric] == row["gold"] for row in rows) / len(rows)
        assert found[task, f"{metric},none"] == pytest.approx(share)


def test_generated_answers_of_two_processes_agree_with_those_of_one(tmp_path, tiny_model, samples):
    """Only lm-eval's bootstrap of bleu and chrf++ depends on the order of the rows."""
    tasks = "sea_flores_en_th,sea_tydiqa_id,sea_thaisum_th"
    outputs = {}
    for processes in (1, 2):
        output = tmp_path / f"out{processes}"
        launch = LAUNCH_TWO if processes == 2 else []
        subprocess.run(
            [sys.executable, *launch, "-m", "lm_eval", "--model", "hf", "--model_args", f"pretrained={tiny_model},dtype=float32",
             "--include_path", TASKS, "--tasks", tasks, "--device", "cpu", "--limit", "3", "--output_path", output,
             "--log_samples", "--gen_kwargs", "max_gen_toks=30"],
            cwd=samples, env=os.environ | {"DISABLE_MULTIPROC": "1"}, check=True, capture_output=True, timeout=300,
        )  # fmt: skip
        outputs[processes] = results_of(output)
    (one, one_samples), (two, two_samples) = outputs[1], outputs[2]
    bootstrapped = ("bleu_stderr,none", "chrf++_stderr,none")
    found, other = (
        {key: value for key, value in scores(results).items() if key[1] not in bootstrapped} for results in (one, two)
    )
    assert found == pytest.approx(other, abs=1e-12)
    for metric in ("bleu,none", "chrf++,none", "bleu_th,none", "bleu_th_stderr,none"):
        assert found["sea_flores_en_th", metric] == other["sea_flores_en_th", metric]
    assert found["sea_flores_en_th", "chrf++,none"] > 0
    for task, rows in one_samples.items():
        assert [row["doc"]["answer"] for row in rows] == [row["doc"]["answer"] for row in two_samples[task]]
    assert one["configs"]["sea_tydiqa_id"]["generation_kwargs"]["max_gen_toks"] == 30


def test_batch_size_changes_nothing(tiny_model, samples):
    tasks = ["sea_belebele_vi_tito_ppl", "sea_m3exam_jv_litilo_ppl"]
    runs = [evaluate(samples, tasks, "hf", model_args={"pretrained": str(tiny_model), **CPU}, batch_size=size) for size in (1, 8)]
    assert scores(runs[0]) == scores(runs[1])
    for task in tasks:
        for one, eight in zip(runs[0]["samples"][task], runs[1]["samples"][task], strict=True):
            for score, other in zip(one["doc"]["option_scores"], eight["doc"]["option_scores"], strict=True):
                assert score["loglikelihood"] == pytest.approx(other["loglikelihood"], abs=1e-5)
                assert score["log_perplexity"] == pytest.approx(other["log_perplexity"], abs=1e-5)


def test_cached_requests_never_meet_another_tokenizer(tmp_path, tiny_model, tiny_model_bos, samples, monkeypatch):
    """lm-eval's key knows only the task's name; the requests of a tokenizer with and without BOS differ."""
    monkeypatch.setattr("lm_eval.caching.cache.PATH", str(tmp_path))
    for model in (tiny_model, tiny_model_bos, tiny_model):
        arguments = {"pretrained": str(model), **CPU}
        plain = evaluate(samples, "sea_xcopa_vi_to_ppl", "hf", model_args=arguments)
        cached = evaluate(samples, "sea_xcopa_vi_to_ppl", "hf", model_args=arguments, cache_requests=True)
        assert [sample["doc"] for sample in cached["samples"]["sea_xcopa_vi_to_ppl"]] == [
            sample["doc"] for sample in plain["samples"]["sea_xcopa_vi_to_ppl"]
        ]
    assert len(list(tmp_path.glob("*.pickle"))) == 2


def test_chosen_samples_are_scored_as_in_the_whole_run(tmp_path, tiny_model, samples, monkeypatch):
    monkeypatch.setattr("lm_eval.caching.cache.PATH", str(tmp_path))
    arguments = {"pretrained": str(tiny_model), **CPU}
    whole = evaluate(samples, "sea_xcopa_vi_to_ppl", "hf", model_args=arguments, cache_requests=True)
    chosen = evaluate(
        samples, "sea_xcopa_vi_to_ppl", "hf", model_args=arguments, cache_requests=True, samples={"sea_xcopa_vi_to_ppl": [1, 3]}
    )
    expected = [whole["samples"]["sea_xcopa_vi_to_ppl"][index]["doc"] for index in (1, 3)]
    assert [sample["doc"] for sample in chosen["samples"]["sea_xcopa_vi_to_ppl"]] == expected


CHAT_TEMPLATE = (
    "{% for message in messages %}<{{ message['role'] }}>{{ message['content'] }}</s>{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)


@pytest.mark.parametrize("multiturn", [True, False])
def test_chat_template(tmp_path, tiny_model_bos, samples, multiturn):
    """Answers follow the template's end without a blank; the prompts of the calibration are made in the template too."""
    model = Path(shutil.copytree(tiny_model_bos, tmp_path / "chat"))
    (model / "chat_template.jinja").write_text(CHAT_TEMPLATE, encoding="utf-8")
    tasks = ["sea_xcopa_vi_to_ppl", "sea_wisesight_th", "sea_m3exam_vi_litilo_gen"]
    results = evaluate(
        samples,
        tasks,
        "hf",
        model_args={"pretrained": str(model), **CPU},
        apply_chat_template=True,
        fewshot_as_multiturn=multiturn,
        limit=2,
    )
    (xcopa, _) = results["samples"]["sea_xcopa_vi_to_ppl"]
    assert xcopa["arguments"][0][0].endswith("Trả lời:</s><assistant>")
    assert xcopa["arguments"][0][1] == xcopa["doc"]["options"][0]
    assert all(score["log_perplexity"] > 0 for score in xcopa["doc"]["option_scores"])
    (wisesight, _) = results["samples"]["sea_wisesight_th"]
    free = [context for context, _ in wisesight["arguments"] if context.endswith("ข้อความ: N/A\nคำตอบ:</s><assistant>")]
    assert len(free) == 3
    assert all("null_rate,none" in results["results"][task] for task in tasks[2:])
