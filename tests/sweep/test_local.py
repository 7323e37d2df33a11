"""A sweep on one machine: interrupted, continued, and compared with an uninterrupted one."""

import importlib.util
import re
import shlex
import shutil
import signal

import pytest

from lm_eval_sea.results.read import REPLACED
from lm_eval_sea.sweep.completeness import MARK
from tests.sweep import plans

pytestmark = pytest.mark.slow
TASKS = ["sea_xcopa_th_to_ppl", "sea_xnli_th"]
HAS_REPORT = importlib.util.find_spec("jinja2") is not None  # the report needs it
LOCAL = ("--engine", "local")


@pytest.fixture(scope="module")
def undisturbed(models, samples, tmp_path_factory):
    """The outcome of the plan."""
    found = plans.run_here(models, tmp_path_factory.mktemp("undisturbed"), samples, tasks=TASKS)
    assert len(found) == 4 * 2  # results and samples
    return found


def test_two_machines_in_one_folder(models, undisturbed, tmp_path, samples):
    """The same plan twice at the same time: no job runs twice, and both end like a single sweep."""
    output = tmp_path / "out"
    only = [{"name": "a", "model_args": {"pretrained": str(models / "a")}}]
    for process in [plans.start_sweep(models, output, samples, *LOCAL, tasks=TASKS, models=only) for _ in range(2)]:
        status, out, err = plans.finish(process)
        assert status == 0, out + err
    assert plans.outcome(output) == {name: content for name, content in undisturbed.items() if name.startswith("a/")}
    assert [len(times) for times in plans.attempts(output).values()] == [1, 1]


def test_a_sweep_that_was_killed_twice_ends_as_one_that_was_not(models, undisturbed, tmp_path, samples, sweep_here):
    output = tmp_path / "out"
    for number, jobs in ((signal.SIGKILL, 1), (signal.SIGINT, 2)):  # while the next job runs
        process = plans.start_sweep(models, output, samples, *LOCAL, tasks=TASKS)
        plans.wait_for(lambda jobs=jobs: len(plans.attempts(output)) > jobs and plans.begun(output) > jobs, process)
        process.send_signal(number)
        status, out, err = plans.finish(process)
        assert status == (-9 if number == signal.SIGKILL else 130), err
    again = f"{models / 'out.yaml'} --split suite --engine local"
    assert out.strip() == f"{plans.complete(output)} of 4 jobs are complete; to continue: lm-eval-sea sweep {again}"
    assert err.strip().endswith("interrupted; the same command continues where this one stopped")
    status, out = sweep_here(*shlex.split(again))
    assert status == 0, out
    assert "0 of 4" not in out
    plans.assert_it_ended_as_if_undisturbed(output, undisturbed, jobs=4)
    assert not HAS_REPORT or (output / "report" / "report.html").is_file()


def test_a_failed_job_is_shown_with_its_command_and_the_others_go_on(models, tmp_path, sweep_here):
    damaged = models / "c"  # no check before the first job sees it
    shutil.copytree(models / "a", damaged)
    (damaged / "model.safetensors").write_bytes(b"no weights")
    entries = [{"model_args": {"pretrained": str(models / name)}} for name in "ca"]
    plan = plans.write_plan(models / "fails.yaml", output=str(tmp_path / "out"), tasks=TASKS, models=entries)
    status, out = sweep_here(plan, "--engine", "local", "--split", "model")
    assert status == 1
    assert re.search(rf"^failed: {tmp_path}/out/c/all_\w+/default$", out, re.MULTILINE)
    assert "lm-eval-sea: the model cannot be loaded (SafetensorError: " in out, "the last line of its log"
    assert "  shown by: lm-eval-sea run --tasks sea_xcopa_th_to_ppl,sea_xnli_th" in out
    assert str(damaged) in out
    assert [path.relative_to(tmp_path / "out").parts[0] for path in (tmp_path / "out").rglob(MARK)] == ["a"]
    assert not HAS_REPORT or "report.html: 1 model, 2 tasks" in out, "the report on the others is written"
    again = re.search(r"^1 of 2 jobs failed; lm-eval-sea sweep (.*) runs them again", out, re.MULTILINE)[1]
    shutil.copy(models / "a" / "model.safetensors", damaged)
    status, out = sweep_here(*shlex.split(again))
    assert status == 0
    assert not HAS_REPORT or "report.html: 2 models, 2 tasks" in out
    runs = {folder.parent.parent.name: len(times) for folder, times in plans.attempts(tmp_path / "out").items()}
    assert runs == {"a": 1, "c": 2}


def test_results_that_a_trial_replaced_come_back(models, tmp_path, samples):
    """A plan gets a limit for a moment, in the folder of its results, whose names have the time of their run."""
    plan = {"models": [{"model_args": {"pretrained": str(models / "a")}}]}
    dated = []
    for limit in (None, 2, None):
        plans.run_here(models, tmp_path / "out", samples, **plan, limit=limit)
        dated.append([path.name for path in (tmp_path / "out" / "a").rglob("*_20*.json*")])
    assert sorted(dated[0]) == sorted(dated[2]) and len(dated[0]) == 2
    assert plans.complete(tmp_path / "out" / "a") == 1
    assert sorted(path.name for path in (tmp_path / "out" / REPLACED).rglob("*_20*.json*")) == sorted(dated[1])


def test_dry_run_shows_the_jobs_and_runs_nothing(models, tmp_path, sweep_here):
    plan = plans.write_plan(models / "dry.yaml", output=str(tmp_path / "out"), tasks=[*TASKS, "sea_xcopa_id_to_ppl"])
    status, out = sweep_here(plan, "--engine", "local", "--dry-run")
    assert status == 0
    assert "6 jobs, 0 complete" in out
    options = 2 * 4 * (2 + 1) + 6 * (3 + 1)  # XCOPA's rows with two options, XNLI's with three labels; the prompt of each row
    without_content = 4 * 3  # three prompts without content and the cue alone, once for each label of XNLI
    requests = 2 * (options + without_content)
    said = rf"^  hf: 6 jobs, {requests} requests of 6 tasks \({requests} to rank texts\): about ([\d,]+) tokens to read$"
    [tokens] = re.findall(said, out, re.MULTILINE)
    by_language = re.search(r"^    tokens to read by language: th ([\d,]+); id ([\d,]+)$", out, re.MULTILINE).groups()
    total, thai, indonesian = (int(number.replace(",", "")) for number in (tokens, *by_language))
    assert thai > indonesian and thai + indonesian == pytest.approx(total, rel=0.01)
    assert re.search(r"^each job asks for 0 GPUs, 0 CPUs, 0 GB of memory; machines: 1 of \d+ GPUs, \d+ CPUs, ", out, re.MULTILINE)
    assert re.search(r"^two models that differ by [\d.]+ points on ", out, re.MULTILINE)
    assert not (tmp_path / "out").exists()
