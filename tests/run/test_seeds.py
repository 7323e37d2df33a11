"""`run --seeds`."""

import argparse
import json
import shutil
from pathlib import Path

import pytest

from lm_eval_sea.commands.cli import main
from lm_eval_sea.results.read import read
from lm_eval_sea.run.request import RunError
from lm_eval_sea.run.seeds import mark_complete, runs_of
from lm_eval_sea.sea_helm import judge
from tests.processes import run_of
from tests.run.conftest import logged, run_on_server, written

from ..models.toy_server import DROP, serve, text


@pytest.fixture
def model(tmp_path):
    """A folder with a generation config that samples."""
    folder = tmp_path / "model"
    folder.mkdir()
    config = {"do_sample": True, "temperature": 0.6, "top_p": 0.9, "eos_token_id": 2, "max_new_tokens": 7}
    (folder / "generation_config.json").write_text(json.dumps(config))
    return {"pretrained": str(folder)}


def arguments(model, output, /, **more):
    given = {"model": "hf", "model_args": model, "output_path": str(output), "gen_kwargs": None, "metadata": None}
    return argparse.Namespace(**given | more)


@pytest.mark.parametrize("change", [{"tasks": ["sea_a", "sea_b"]}, {"limit": 10}, {"gen_kwargs": {"temperature": 1.0}}, "model"])
def test_seeds_with_complete_results_of_the_same_request_are_skipped(change, model, tmp_path):
    """A different request is run."""
    given = arguments(model, tmp_path / "out", tasks=["sea_a"], limit=None, batch_size="1")
    begun = list(runs_of(given, 2, None))
    assert [(run.output_path, run.seed) for run, _ in begun] == [
        (str(tmp_path / "out" / f"seed_{seed}"), [seed] * 4) for seed in (1, 2)
    ]
    for _, mark in begun:
        mark.parent.mkdir(parents=True)
        (mark.parent / "results_2026-01-01.json").write_text("{}")
    assert seeds_left(given) == [1, 2], "nothing says that the results are of this request"
    for run, mark in begun:
        mark_complete(run, mark)
    given.batch_size, given.model_args = "8", model | {"num_concurrent": 2, "timeout": 900}
    assert seeds_left(given) == []
    if change == "model":  # another checkpoint in the same folder
        Path(model["pretrained"], "weights").write_text("new")
    else:
        vars(given).update(change)
    assert seeds_left(given) == [1, 2]


def seeds_left(given):
    return [run.seed[0] for run, _ in runs_of(given, 2, None)]


def test_vllm_gets_the_seed(model, tmp_path):
    given = arguments(model, tmp_path / "out", tasks=["sea_a"], model="vllm")
    assert [run.model_args["seed"] for run, _ in runs_of(given, 2, None)] == [1, 2]
    assert "seed" not in given.model_args


def test_sampling_model_leaves_the_settings_to_the_server(in_samples, tmp_path):
    """Only a seed and the user's settings are sent, and the results say so. Both seeds count as one model."""
    with serve(lambda *_: text("Answer: B")) as toy:
        sampled = ["--limit", "2", "--sampling", "model", "--seeds", "2"]
        assert main(run_on_server(toy, tmp_path / "all", *sampled, model_args=",thinking=off")) == 0
        assert len({body["seed"] for body in toy.requests}) == len(toy.requests) == 4
        assert not any(body.keys() & {"temperature", "top_p"} for body in toy.requests)
        assert written(tmp_path / "all/seed_1")["config"]["gen_kwargs"] == {"do_sample": True, "temperature": None, "seed": 1000}
        assert any("the mean over the seeds 1, 2" in note for note in read(tmp_path / "all").best().notes)
        more = ["--limit", "1", "--sampling", "model", "--gen_kwargs", "temperature=0.6"]
        assert main(run_on_server(toy, tmp_path / "named", *more, model_args=",thinking=off")) == 0
        assert toy.requests[-1]["temperature"] == 0.6


def test_a_seed_is_complete_once_all_its_requests_are_answered(in_samples, tmp_path):
    """Also where no answer is kept: the whole seed is then asked again."""
    with serve(lambda body, number: DROP if number == 1 else text("Answer: B")) as toy:
        more = ["--limit", "2", "--seeds", "1", "--gen_kwargs", "do_sample=True,temperature=0.6", "--no-resume"]
        given = run_on_server(toy, tmp_path, *more, model_args=",thinking=off,num_concurrent=1,max_retries=0")
        for asked in (2, 4, 4):
            assert main(given) == 0
            assert len(toy.requests) == asked


@pytest.mark.slow
def test_two_seeds_of_a_sampling_model_and_their_totals(tiny_model, in_samples, tmp_path, capsys):
    model = shutil.copytree(tiny_model, tmp_path / "model")
    stated = {"do_sample": True, "temperature": 0.8, "top_k": 20}
    (model / "generation_config.json").write_text(json.dumps(stated | {"max_new_tokens": 7}))  # its limit is not used
    limits = {"sea_helm_id_sentiment": 32, "sea_helm_id_global_mmlu_lite": 16}
    output = tmp_path / "results"
    more = ["--batch_size", 8, "--seeds", 2, "--thinking_tokens", 5, "--output_path", output, "--log_samples"]
    command = run_of(f"{model},max_length=2048", ",".join(limits), *more)

    def answers(seed):
        return [row["resps"] for task in limits for row in logged(output / f"seed_{seed}", task)]

    assert main(command) == 0
    assert sorted(path.name for path in output.iterdir()) == ["seed_1", "seed_2"]
    for seed in (1, 2):
        content = written(output / f"seed_{seed}")
        assert content["config"]["random_seed"] == content["config"]["torch_seed"] == seed
        for task, limit in limits.items():
            expected = stated | {"max_gen_toks": limit + 5}
            assert expected.items() <= content["configs"][task]["generation_kwargs"].items()
    first, second = answers(1), answers(2)
    assert first != second

    for path in (output / "seed_2").rglob("*_20*.json*"):  # interrupted before its results
        path.unlink()
    capsys.readouterr()
    assert main(command) == 0
    assert "seed 1: results of this request are already in" in capsys.readouterr().out
    assert answers(2) == second

    assert main(["score", str(output), "--out", str(tmp_path / "totals.json")]) == 0
    capsys.readouterr()
    totals = json.loads((tmp_path / "totals.json").read_text(encoding="utf-8"))
    assert {line["task"]: line["runs"] for line in totals["detailed"] if line["runs"]} == {"sentiment": 2, "global_mmlu_lite": 2}


def test_second_turns_follow_the_first_turns_of_their_seed(model, tmp_path):
    first = tmp_path / "first"
    given = arguments(model, tmp_path / "second", tasks=["sea_a"], metadata={"first_turn": str(first), "x": 1})
    first.mkdir()
    assert [run.metadata["first_turn"] for run, _ in runs_of(given, 2, None)] == [str(first)] * 2, "one run, for all seeds"
    (first / "seed_1").mkdir()
    with pytest.raises(RunError, match=r"--seeds 3: .*first lacks seed_2, seed_3; run the first turns with --seeds 3 there"):
        list(runs_of(given, 3, None))
    (first / "seed_2").mkdir()
    found = [run.metadata for run, _ in runs_of(given, 2, None)]
    assert found == [{"first_turn": str(first / f"seed_{seed}"), "x": 1} for seed in (1, 2)]


@pytest.mark.slow
def test_a_judge_reads_conversations_of_two_seeds_in_one_folder(tiny_model, in_samples, tmp_path):
    """As in docs/sea_helm.md, the second run writes into the folder of the first and takes its answers seed by seed."""
    output, task = tmp_path / "results", "sea_helm_id_mt_bench_judge_turn"
    sampled = ["--gen_kwargs", "do_sample=True,temperature=0.9,max_gen_toks=8", "--seeds", 2]
    sampled += ["--output_path", output, "--log_samples"]
    assert main(run_of(f"{tiny_model},max_length=2048", "sea_helm_judged_id", *sampled)) == 0
    assert main(run_of(f"{tiny_model},max_length=2048", f"{task}_2", *sampled, "--metadata", f"first_turn={output}")) == 0
    answers = []
    for seed in ("seed_1", "seed_2"):
        said = [row["doc"]["answer"] for row in logged(output / seed, f"{task}_1")]
        assert said == [row["doc"]["answers"][0] for row in logged(output / seed, f"{task}_2")]
        answers.append(said)
    assert answers[0] != answers[1]
    jobs = judge.jobs_of(read(output).by_seed().tasks, None, [])
    assert sorted((job.task.name, job.task.run.seed) for job in jobs) == [
        (name, seed) for name in ("sea_helm_id_lindsea_syntax_judge", f"{task}_2") for seed in (1, 2)
    ]
