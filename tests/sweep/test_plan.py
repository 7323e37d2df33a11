"""Plans that cannot be carried out are refused before anything runs, with a line for each fault."""

import json

import pytest

from lm_eval_sea.commands.cli import main
from lm_eval_sea.sweep.plan import PlanError, Resources, read_plan
from lm_eval_sea.sweep.preflight import load_wanted
from tests.model_folder import model_folder
from tests.sweep.plans import write_plan


def faults(path):
    with pytest.raises(PlanError) as error:
        read_plan(path)
    return [line.strip() for line in str(error.value).split("\n")]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"modles": []}, "unknown key 'modles'; expected some of backend, detect, limit"),
        ({"models": None}, "models: expected a list"),
        ({"models": [{"name": "a"}]}, "models, entry 1: expected model_args"),
        ({"models": [{"model_args": {"pretrained": "x/m"}}, {"model_args": {"pretrained": "y/m"}}]}, "2 models are called m"),
        ({"models": [{"name": "../a", "model_args": {"pretrained": "m"}}]}, "name '../a' cannot be a folder"),
        ({"models": [{"name": "report", "model_args": {"pretrained": "m"}}]}, "name 'report' cannot be a folder"),
        ({"tasks": ["sea_a", "sea_a"]}, "two jobs with the same output: tasks has sea_a more than once"),
        ({"output": None}, "output: expected a text"),
        ({"num_fewshot": [1, 1]}, "num_fewshot: expected different whole numbers"),
        ({"num_fewshot": True}, "num_fewshot: expected different whole numbers"),
        ({"seeds": -1}, "seeds: expected different whole numbers"),
        ({"limit": 0}, "limit: expected a number above 0"),
        ({"limit": 5, "detect": 5}, "limit and detect both choose how many rows are run"),
        ({"resources": {"gpu": 1}}, "resources: unknown key 'gpu'"),
        ({"resources": {"gpus": "all"}}, "resources: gpus: expected a number"),
        ({"run": {"output_path": "x"}}, "run: output_path is set by the sweep itself; leave it out"),
    ],
)
def test_what_a_plan_may_not_say(tmp_path, changes, message):
    found = faults(write_plan(tmp_path / "plan.yaml", **changes))
    assert len(found) == 1
    assert message in found[0]


def test_every_fault_has_a_line(tmp_path):
    assert len(faults(write_plan(tmp_path / "plan.yaml", modles=[], limit=0, tasks=None))) == 3


@pytest.mark.parametrize("text", ["a: [", "- 1", "", "\0", "a: 2024-13-45", "[" * 5000])
def test_what_is_no_plan(tmp_path, text):
    (tmp_path / "plan.yaml").write_text(text)
    assert len(faults(tmp_path / "plan.yaml")) == 1
    assert len(faults(tmp_path / "none.yaml")) == 1


def test_a_key_that_is_there_twice(tmp_path):
    path = write_plan(tmp_path / "plan.yaml")
    path.write_text(path.read_text() + "tasks: [sea_xnli_th]\n")
    [fault] = faults(path)
    assert "'tasks' is there twice" in fault


def test_a_model_overrides_what_the_plan_says_for_all(tmp_path):
    entry = {"model_args": {"pretrained": "org/m"}, "backend": "vllm", "run": {"batch_size": "auto"}}
    path = write_plan(tmp_path / "plan.yaml", models=[entry], resources={"gpus": 2}, num_fewshot=3)
    plan = read_plan(path)
    [model] = plan.models
    assert (model.name, model.backend, model.run) == ("m", "vllm", {"device": "cpu", "batch_size": "auto"})
    assert (plan.resources, plan.num_fewshot, plan.seeds) == (Resources(gpus=2), [3], [None])


@pytest.mark.slow
def test_what_is_refused_before_a_job(tmp_path, samples, monkeypatch, capsys):
    monkeypatch.chdir(samples)
    for name in "ab":
        model_folder(tmp_path / name)

    def refusal(**changes):
        assert main(["sweep", str(write_plan(tmp_path / "plan.yaml", **changes)), "--engine", "local"]) == 2
        assert not (tmp_path / "out" / "a").exists(), "a job began"
        return capsys.readouterr().err.rpartition("lm-eval-sea: ")[2].strip()

    missing = [{"name": "a", "model_args": {"pretrained": str(tmp_path / "nothing")}}]
    assert refusal(models=missing).startswith(f"a: there is no folder {tmp_path / 'nothing'}")
    assert refusal(tasks=["sea_xcopa_xx"]).startswith("no task, group or tag 'sea_xcopa_xx'")
    assert "the prompt file of sea_xcopa_th_to_ppl has 5 exemplars" in refusal(num_fewshot=9)
    assert refusal(resources={"gpus": 1000}).startswith("resources: no machine has 1000 GPUs")
    assert "unrecognized arguments: --colour red" in refusal(run={"colour": "red"})
    assert "unrecognized arguments: --limi 1" in refusal(run={"limi": 1}), "a beginning of a flag that a plan may not set"
    assert refusal(run={"batch_size": "four"}).startswith("a: run: --batch_size four: expected ")
    assert "seeds: the model's generation config says nothing of sampling" in refusal(seeds=[1, 2])
    assert refusal(backend="nonsense").startswith("a: there is no backend 'nonsense'; there are ")
    gone = tmp_path / "gone"
    assert refusal(run={"metadata": {"tokenizer": str(gone)}}).startswith(
        f"a: run: metadata: tokenizer '{gone}' cannot be loaded"
    )
    assert "has no chat template; leave the flag out" in refusal(run={"apply_chat_template": True})
    (tmp_path / "file").touch()
    assert refusal(output=str(tmp_path / "file" / "out")).startswith(
        f"output {tmp_path / 'file' / 'out'}: results cannot be written there (Not a directory)"
    )
    assert main(["sweep", str(tmp_path / "plan.yaml"), "--engine", "local", "--dry-run"]) == 2, "which makes no folder"
    assert refusal(run={"device": "cuda:700"}).startswith("a: run: device cuda:700: no machine has 701 GPUs")
    (tmp_path / "a" / "model.safetensors").unlink()
    assert refusal().startswith(f"a: the folder {tmp_path / 'a'} has no weights")
    (tmp_path / "a" / "model.safetensors").touch()
    (tmp_path / "a" / "tokenizer.json").write_text(json.dumps({}))
    assert refusal().startswith(f"a: the tokenizer of {tmp_path / 'a'} cannot be loaded")


def test_missing_data_is_named_without_a_flag_that_a_sweep_lacks(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PlanError) as error:
        load_wanted(read_plan(write_plan(tmp_path / "plan.yaml")))
    assert str(error.value).endswith("to fetch: lm-eval-sea data fetch --tasks sea_xcopa_th_to_ppl")
