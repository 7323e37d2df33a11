"""What a user reads of a sweep that did not end: how far it came, and the command that goes on."""

import shlex

import pytest

from lm_eval_sea.commands.cli import parser
from lm_eval_sea.commands.sweep import _again
from lm_eval_sea.sweep.completeness import LOG
from lm_eval_sea.sweep.job_process import Outcome
from lm_eval_sea.sweep.plan import read_plan
from lm_eval_sea.sweep.sweep import Prepared, state, table_of_failures
from tests.sweep.plans import write_plan
from tests.sweep.test_two_plans import MODEL, complete, jobs_of_plan


def test_how_far_a_stopped_sweep_came(tmp_path):
    done, wrong, stopped, other = jobs_of_plan(tmp_path, num_fewshot=[0, 1, 2, 3])
    complete(done, 1.0)
    for job in (wrong, stopped):
        job.folder.mkdir(parents=True)
        (job.folder / LOG).touch()
    prepared = Prepared(read_plan(write_plan(tmp_path / "plan.yaml", **MODEL)), [done, wrong, stopped, other], {})
    assert state(prepared, {wrong: Outcome(1, "no", 1.0)}).split("\n") == [
        "complete  1", "failed    1", f"stopped   1  {stopped.folder}", "not begun 1",
    ]  # fmt: skip


def test_the_last_line_of_a_log_is_shown_without_its_controls(tmp_path):
    [job] = jobs_of_plan(tmp_path)
    assert f"failed: {job.folder}\n  \\x1b[2Jno memory\n" in table_of_failures({job: Outcome(1, "\x1b[2Jno memory", 1.0)})


@pytest.mark.parametrize(
    "given", [["plan.yaml", "--split", "task"], ["my plan.yaml", "--split", "model", "--engine", "local"],
              ["plan.yaml", "--split", "suite", "--address", "auto"]], ids=str,
)  # fmt: skip
def test_the_command_that_goes_on_cuts_the_same_jobs(given):
    assert shlex.split(_again(parser().parse_args(["sweep", *given]))) == ["lm-eval-sea", "sweep", *given]
