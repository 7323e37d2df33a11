"""The plain `lm_eval` command on the pack, alone in a folder, and in two processes; the whole suite as one request."""

import json
import os
import shutil
import socket
from pathlib import Path

import pytest
import torch
from accelerate.state import AcceleratorState
from lm_eval.models.huggingface import HFLM
from torch import distributed, multiprocessing

from lm_eval_sea.models import SharedPrefixLM
from lm_eval_sea.results.facts import facts_of
from tests.conftest import modules_of_tasks
from tests.processes import run

from ..models.conftest import LOGLIKELIHOOD_ROUNDING
from ..run.conftest import written
from .evaluation import TASKS, all_scores, evaluate, on_cpu, read_json_lines, scores
from .planted_model import PlantedModel

pytestmark = pytest.mark.slow


TASK_NAMES = (  # one of a kind
    *("sea_belebele_th_litilo_ppl", "sea_xcopa_id_litilo_gen", "sea_wisesight_th", "sea_flores_en_th", "sea_xquad_vi"),
    *("sea_helm_id_sentiment", "sea_helm_id_sentiment_ppl"),
)


def test_the_folder_alone_works(tmp_path, tiny_model, samples):
    """The plain command on the copied folder, where importing this package fails.

    `lm_eval run --config`: the tasks know the model's tokenizer without `--model_args` on the command line.
    """
    tasks = Path(shutil.copytree(TASKS, tmp_path / "elsewhere" / "tasks", ignore=shutil.ignore_patterns("__pycache__")))
    shadow = tmp_path / "shadow" / "lm_eval_sea.py"
    shadow.parent.mkdir()
    shadow.write_text("raise ImportError('the tasks folder must not need this package')\n", encoding="utf-8")
    config, output = tmp_path / "run.yaml", tmp_path / "out"
    config.write_text(
        f"model: hf\nmodel_args: {{pretrained: {tiny_model}, dtype: float32}}\ninclude_path: {tasks}\n"
        f"tasks: [{', '.join(TASK_NAMES)}]\ndevice: cpu\nlimit: 3\noutput_path: {output}\nlog_samples: true\n"
        "gen_kwargs: {max_gen_toks: 4}\n",
        encoding="utf-8",
    )
    process = run("lm_eval", "run", "--config", config, cwd=samples, PYTHONPATH=str(shadow.parent))
    assert process.returncode == 0, process.stderr
    results, logged = written(output), {path.name: read_json_lines(path) for path in output.rglob("samples_*.jsonl")}
    rows_of = {name.removeprefix("samples_").rsplit("_", 1)[0]: len(rows) for name, rows in logged.items()}
    assert rows_of == dict.fromkeys(TASK_NAMES, 3)
    assert "elsewhere" in results["configs"]["sea_belebele_th_litilo_ppl"]["metadata"]["config_source"]
    assert scores(results, "sea_belebele_th_litilo_ppl")["acc_ppl"] in (0, pytest.approx(1 / 3), pytest.approx(2 / 3), 1)


class Ranked:
    """Makes a model one of several ranks, as lm-eval does where there are several GPUs, and `accelerate launch` here does not."""

    rank = property(lambda self: distributed.get_rank())
    world_size = property(lambda self: distributed.get_world_size())
    gathered: tuple[dict[str, int], ...] = ()  # of each call that brings the rows of a rank home, their number by task

    def gather_object(self, obj, dst=0):
        self.gathered = (*self.gathered, {task: len(rows) for task, rows in obj.items()})
        return super().gather_object(obj, dst)


LIMITS = {"limit": 3, "bootstrap_iters": 100, "gen_kwargs": {"max_gen_toks": 4}}
BACKENDS = {"hf": HFLM, "hf-shared-prefix": SharedPrefixLM}


def summary(results, **more):
    """Scores and predictions as JSON has them, and whatever else is said of a run."""
    found = {f"{task} {metric}": value for (task, metric), value in all_scores(results).items()}
    predictions = {
        task: sorted((row["doc_id"], repr((row["doc"].get("predictions"), row["doc"].get("answer")))) for row in rows)
        for task, rows in results["samples"].items()
    }
    return json.loads(json.dumps({"scores": found, "predictions": predictions, **more}, default=str))


def run_rank(rank, port, backend, tasks, folder, model, output):
    """What one of two processes does, the first of which writes the summary."""
    where = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": 2}
    os.environ |= {"ACCELERATE_USE_CPU": "true", **{name: str(value) for name, value in where.items()}}
    torch.set_num_threads(1)
    AcceleratorState._reset_state(reset_partial_state=True)  # an earlier test's, of one process
    lm = type("RankedLM", (Ranked, BACKENDS[backend]), {})(**on_cpu(model))
    results = evaluate(folder, tasks, lm, metadata={"pretrained": str(model)}, **LIMITS)
    shares = [None, None]
    distributed.all_gather_object(shares, [lm.gathered[0][task] for task in tasks] if lm.gathered else [])
    if rank == 0:
        output.write_text(json.dumps(summary(results, rows_of_ranks=list(zip(*shares, strict=True)))), encoding="utf-8")
    distributed.destroy_process_group()


@pytest.mark.parametrize(
    ("backend", "rounding"), [("hf", {"rel": 1e-12}), ("hf-shared-prefix", {"rel": LOGLIKELIHOOD_ROUNDING, "abs": 1e-6})]
)
def test_two_processes_agree_with_one_of_hf(backend, rounding, tmp_path, tiny_model, samples):
    """Three rows a task, so that the processes get unequal shares. Macro-F1 and batch calibration need the rows of both.

    With shared prefixes each process plans, and checks itself, on its share of all requests, and scores its own rows.
    """
    names = ("belebele_th_to_ppl", "m3exam_th_litilo_ppl", "wisesight_th", "flores_en_th", "helm_id_sentiment")
    model, tasks = HFLM(**on_cpu(tiny_model)), [f"sea_{name}" for name in names]
    one = summary(evaluate(samples, tasks, model, metadata={"pretrained": str(tiny_model)}, **LIMITS))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        given = (free.getsockname()[1], backend, tasks, samples, tiny_model, tmp_path / "two.json")
    multiprocessing.start_processes(run_rank, given, nprocs=2, start_method="fork")  # which need not import all libraries anew
    two = json.loads((tmp_path / "two.json").read_text(encoding="utf-8"))
    assert two["rows_of_ranks"] == [[2, 1]] * len(tasks)
    for metric, value in one["scores"].items():
        # sums of other numbers than 0 and 1 depend on their order
        is_sum = "bits_per_byte" in metric and isinstance(value, float)
        assert two["scores"][metric] == (pytest.approx(value, **rounding) if is_sum else value), metric
    assert one["predictions"] == two["predictions"]


@pytest.mark.parametrize("retrained", [False, True])
def test_cached_requests_never_meet_another_tokenizer(retrained, tmp_path, tiny_model, tiny_model_bos, samples, monkeypatch):
    """lm-eval's key knows only the task's name; with and without BOS, in folders of their own or one after the other in one."""
    monkeypatch.setattr("lm_eval.caching.cache.PATH", str(tmp_path / "cache"))
    task, seen = "sea_xcopa_vi_to_ppl", []
    for model in (tiny_model, tiny_model_bos, tiny_model):
        place = model
        if retrained:
            shutil.rmtree(tmp_path / "model", ignore_errors=True)
            place = shutil.copytree(model, tmp_path / "model")
            for module in modules_of_tasks("tokenization"):
                module._load.cache_clear()  # what another process would not remember
        cached = evaluate(samples, task, "hf", model_args=on_cpu(place), cache_requests=True)
        plain = evaluate(samples, task, "hf", model_args=on_cpu(model))
        docs = [sample["doc"] for sample in plain["samples"][task]]
        assert [sample["doc"] for sample in cached["samples"][task]] == docs
        seen.append(docs)
    assert seen[0] == seen[2] != seen[1]
    assert len(list((tmp_path / "cache").glob("*.pickle"))) == 2
    chosen = evaluate(samples, task, "hf", model_args=on_cpu(place), cache_requests=True, samples={task: [1, 3]})
    assert [sample["doc"] for sample in chosen["samples"][task]] == [docs[1], docs[3]]


SUITE = "sea_sailcompass"
DATA_SETS = {
    *("xquad", "tydiqa", "flores", "thaisum", "indosum", "xlsum", "m3exam", "xcopa", "belebele", "xnli", "indonli"),
    *("wisesight", "indolem", "vsmec"),
}


@pytest.fixture
def folder(request):
    """Real rows where there are some."""
    return request.getfixturevalue("hub_mirror" if "SEA_HUB_MIRROR" in os.environ else "samples")


def test_results_are_complete_and_nothing_is_warned_of(folder, tiny_model, caplog):
    model = PlantedModel(lambda context, ending: -len(ending) / 3, lambda prompt: " 26", max_length=32768)
    results = evaluate(folder, SUITE, model, metadata={"pretrained": str(tiny_model)}, limit=4)
    warned = [record.getMessage() for record in caplog.records if record.name == "lm_eval_sea"]
    assert [message for message in warned if not message.endswith("Scores on it stand for these rows only.")] == []
    assert {config["metadata"]["dataset"] for config in results["configs"].values()} == DATA_SETS
    groups = [f"{SUITE}_{task}" for task in ("qa", "mt", "ts", "exam", "cr", "mrc", "nli", "sa")]
    assert results["group_subtasks"][SUITE] == groups
    for name, config in results["configs"].items():
        facts = facts_of(config["metadata"])
        for place in (name, f"{SUITE}_{facts.task}"):  # the groups of the data set and of the task have the headline too
            assert f"{facts.headline_metric},none" in results["results"][place], place
        rows = len(results["samples"][name])
        assert 1 <= rows <= 4
        assert results["n-samples"][name]["effective"] == rows


def test_the_score_of_a_task_is_the_mean_of_its_leaf_tasks(samples):
    """Languages weigh the same, however many rows they have; one of four Vietnamese answers is right."""
    results = evaluate(samples, f"{SUITE}_qa", PlantedModel(generation=lambda prompt: " tre"))["results"]
    for metric in ("exact_match,none", "f1,none", "contains,none"):
        leaves = [results[name][metric] for name in ("sea_xquad_th", "sea_xquad_vi", "sea_tydiqa_id")]
        assert results[f"{SUITE}_qa"][metric] == pytest.approx(sum(leaves) / 3)
    assert results["sea_xquad_vi"]["exact_match,none"] == 0.25
