"""Valid and invalid plans; keys and values that are refused are in `tests/robustness/mistakes.yml`."""

import math
import re
import shutil

import pytest

from lm_eval_sea.commands.cli import main
from lm_eval_sea.run.request import RunError
from lm_eval_sea.sweep.plan import PlanError, Resources, read_plan
from lm_eval_sea.sweep.preflight import check_models, load_wanted
from tests.sweep.plans import write_plan


def faults(path):
    with pytest.raises(PlanError) as error:
        read_plan(path)
    return str(error.value).split("\n")


TWICE = "output: a\ntasks: [sea_xcopa_th_to_ppl]\ntasks: [sea_xnli_th]\n"


@pytest.mark.parametrize("text", ["a: [", "- 1", "", "\0", "a: 2024-13-45", "[" * 1000, None, TWICE])
def test_files_that_are_not_plans(tmp_path, text):
    """No YAML, no mapping, no file, or a key that occurs twice."""
    if text is not None:
        (tmp_path / "plan.yaml").write_text(text)
    [fault] = faults(tmp_path / "plan.yaml")
    assert ("'tasks' is there twice" in fault) == (text == TWICE)


def test_every_fault_has_its_line(tmp_path):
    assert len(faults(write_plan(tmp_path / "plan.yaml", modles=[], limit=0, tasks=None))) == 3


def test_a_model_overrides_what_the_plan_says_for_all(tmp_path):
    entry = {"model_args": {"pretrained": "org/m"}, "backend": "vllm", "run": {"batch_size": "auto"}}
    plan = read_plan(write_plan(tmp_path / "plan.yaml", models=[entry], resources={"gpus": 2}, num_fewshot=3))
    [model] = plan.models
    assert (model.name, model.backend, model.run) == ("m", "vllm", {"device": "cpu", "batch_size": "auto"})
    assert (plan.resources, plan.num_fewshot, plan.seeds) == (Resources(gpus=2), [3], [None])


def test_a_tilde_is_the_home_of_the_user(tmp_path, monkeypatch):
    """No shell expands it in a plan. A folder named ~ is dangerous, because `rm -r ~` would remove the home."""
    monkeypatch.setenv("HOME", str(tmp_path))
    assert read_plan(write_plan(tmp_path / "plan.yaml", output="~/results")).output == tmp_path / "results"


def test_windows_is_refused_before_anything_is_loaded(tmp_path, monkeypatch, capsys):
    monkeypatch.delattr("os.killpg")
    assert main(["sweep", str(write_plan(tmp_path / "plan.yaml"))]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("lm-eval-sea: sweep does not run on Windows itself; start it in WSL")


def test_exemplars_are_turns_unless_the_plan_says_otherwise(models, sweep_here, tmp_path):
    """As in lm-eval. This template shows only the last question and would drop them."""
    forgetful = shutil.copytree(models / "a", tmp_path / "forgetful")
    (forgetful / "chat_template.jinja").write_text("{{ messages[-1].content }}")
    for run, status in (({}, 2), ({"fewshot_as_multiturn": True}, 2), ({"fewshot_as_multiturn": False}, 0)):
        plan = write_plan(
            tmp_path / "plan.yaml", models=[{"model_args": {"pretrained": str(forgetful)}}], tasks=["sea_xcopa_th_to_ppl"],
            num_fewshot=2, run={"device": "cpu", "apply_chat_template": True, **run},
        )  # fmt: skip
        assert sweep_here(plan, "--engine", "local", "--dry-run")[0] == status, run


def test_tokens_and_characters_are_not_added(models, sweep_here, tmp_path):
    """The tokenizer of one server is known, that of the other is not."""
    of_server = {"model": "m", "base_url": "http://localhost:1/v1/completions"}
    tokenizers = ({"tokenizer": str(models / "a")}, {"tokenizer_backend": None})
    servers = [{"name": name, "model_args": of_server | own} for name, own in zip("ab", tokenizers, strict=True)]
    plan = write_plan(tmp_path / "plan.yaml", backend="local-completions", models=servers, run=None)
    status, out = sweep_here(plan, "--engine", "local", "--dry-run")
    told = re.findall(r"^  local-completions: 1 job, .*: about [\d,]+ (\w+) to read$", out, re.MULTILINE)
    assert (status, told) == (0, ["characters", "tokens"])


def test_a_plan_for_other_machines_is_shown_before_it_is_refused(models, sweep_here, tmp_path):
    plan = write_plan(models / "plan.yaml", output=str(tmp_path / "out"), resources={"gpus": 1000})
    status, out = sweep_here(plan, "--engine", "local", "--dry-run")
    assert status == 2 and "2 jobs, 0 complete" in out and "each job asks for 1000 GPUs" in out


def test_a_text_of_tasks_is_a_list_as_for_run(tmp_path):
    assert read_plan(write_plan(tmp_path / "plan.yaml", tasks="sea_a,sea_b, sea_c")).tasks == ["sea_a", "sea_b", "sea_c"]


def test_a_mistyped_folder_that_could_be_a_repository(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plan = read_plan(write_plan(tmp_path / "plan.yaml", models=[{"model_args": {"pretrained": "checkpoints/step100"}}]))
    with pytest.raises(PlanError, match=f"cannot be loaded .*; there is no such folder in {tmp_path}$"):
        check_models(plan)


def test_each_unknown_task_is_named(tmp_path):
    plan = read_plan(write_plan(tmp_path / "plan.yaml", tasks=["sea_a, sea_b", "sea_c"]))
    with pytest.raises(PlanError) as error:
        load_wanted(plan)
    assert [line.split("'")[1] for line in str(error.value).splitlines()] == plan.tasks


def test_missing_data_is_reported_without_skip_missing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RunError) as error:
        load_wanted(read_plan(write_plan(tmp_path / "plan.yaml")))
    assert str(error.value).endswith("to fetch: lm-eval-sea data fetch --tasks sea_xcopa_th_to_ppl")


@pytest.fixture
def differences(models, sweep_here, tmp_path):
    """The lines on the differences that a plan of these tasks can detect; none if it is refused."""

    def differences(*tasks, **changes):
        plan = write_plan(models / "plan.yaml", output=str(tmp_path / "out"), tasks=list(tasks), **changes)
        status, out = sweep_here(plan, "--dry-run")
        lines = [line for line in out.splitlines() if line.startswith("two models that differ by")]
        assert status == (0 if lines else 2)
        return lines

    return differences


def test_only_tasks_that_count_in_means_decide_the_rows(differences):
    """Texts have no score, and the likelihood of an order does not rate answers."""
    [alone] = differences("sea_xcopa_th_to_ppl", detect=60)
    assert differences("sea_xcopa_th_to_ppl", "sea_belebele_th_text", "sea_belebele_th_order", detect=60) == [alone]
    assert differences("sea_belebele_th_text", detect=60) == []


def test_a_plan_counts_rows_once(differences):
    """Other wordings and other orders of exemplars have the same rows. Differences in two languages correlate by 0.1."""

    def shown(*tasks):
        [line] = differences(*tasks)
        return [float(number) for number in re.findall(r"by ([\d.]+) (?:points|on any)", line)]

    thai, vietnamese, other = "sea_belebele_th_to_ppl", "sea_belebele_vi_to_ppl", "sea_xcopa_th_to_ppl"
    once = shown(thai, other)[-1]
    assert shown(thai, f"{thai}_p2", f"{thai}_e1", f"{thai}_e2", other)[-1] == once
    on_one, *_, parallel = shown(thai, vietnamese)
    assert parallel == pytest.approx(on_one / 0.75 * math.sqrt((1 + 0.1) / 2), abs=0.1)
