"""How a plan is cut into jobs."""

import json
import shlex

import pytest
import yaml

from lm_eval_sea.run.arguments import run_parser
from lm_eval_sea.run.seeds import runs_of
from lm_eval_sea.sweep.jobs import cut, parts_of
from lm_eval_sea.sweep.plan import read_plan
from tests.sweep.plans import write_plan

LEAVES = {"sea_group": ["sea_x", "sea_y"], "sea_other": ["sea_y", "sea_z"]}
[ALL] = [part.name for part in parts_of(list(LEAVES), LEAVES, "model")]
FACTS = {name: {"version": "1", "rows": name * 2} for name in ("sea_x", "sea_y", "sea_z")}


def jobs_of(tmp_path, split="suite", *, facts=FACTS, identities=None, sampling=None, **changes):
    plan = read_plan(write_plan(tmp_path / "plan.yaml", tasks=list(LEAVES), **changes))
    parts = parts_of(plan.tasks, LEAVES, split)
    return cut(plan, parts, identities=identities or {"a": "1", "b": "2"}, tasks=facts, sampling=sampling or {})


@pytest.mark.parametrize(
    ("split", "parts"), [("task", ["sea_x", "sea_y", "sea_z"]), ("suite", ["sea_group", "sea_other"]), ("model", [ALL])]
)
def test_splits(tmp_path, split, parts):
    jobs = jobs_of(tmp_path, split)
    folders = [job.folder.relative_to(tmp_path / "out").as_posix() for job in jobs]
    assert folders == [f"{m}/{p}/default" for m in "ab" for p in parts]
    for name in "ab":
        assert {leaf for job in jobs if job.model.name == name for leaf in job.part.leaves} == set(FACTS)


def test_a_plan_of_other_tasks_replaces_no_results():
    plans = [["sea_group", "sea_other"], ["sea_group"], ["sea_other"]]
    assert len({part.name for plan in plans for part in parts_of(plan, LEAVES, "model")}) == len(plans)


def test_each_number_of_exemplars_and_seed_has_its_folder(tmp_path):
    sampling = dict.fromkeys("ab", {"do_sample": True, "temperature": 0.5})
    jobs = jobs_of(tmp_path, num_fewshot=[0, 3], seeds=[1, 2], sampling=sampling)
    assert len(jobs) == len({job.folder for job in jobs}) == len({job.digest for job in jobs}) == 2 * 2 * 2 * 2
    job = jobs[-1]
    assert (job.label, job.folder.parts[-2:]) == ("b, 3 exemplars", ("sea_other", "3_shot_seed_2"))
    flags = dict(zip(job.arguments[::2], job.arguments[1::2], strict=False))
    assert flags["--seed"] == "2"
    assert flags["--num_fewshot"] == "3"
    assert flags["--gen_kwargs"] == '{"do_sample": true, "temperature": 0.5}'


@pytest.mark.parametrize("backend", ["hf", "vllm", "chat-api"])
def test_a_seed_means_the_same_as_in_run(tmp_path, backend):
    sampling = {"do_sample": True, "temperature": 0.5}
    model = {"name": "a", "model_args": {"pretrained": "m", "model": "m"}, "backend": backend}
    jobs = jobs_of(tmp_path, "model", models=[model], seeds=[1, 2], sampling={"a": sampling})
    plain = ["--model", backend, "--model_args", "pretrained=m,model=m", "--gen_kwargs", json.dumps(sampling), "--output_path"]
    of_run = [one for one, _ in runs_of(run_parser().parse_args([*plain, str(tmp_path)]), 2, None)]
    for job, one in zip(jobs, of_run, strict=True):
        parsed = run_parser().parse_args(job.arguments)
        for name in ("seed", "gen_kwargs", "model_args"):
            assert getattr(parsed, name) == getattr(one, name), name


def test_values_that_begin_with_a_dash_are_not_flags(tmp_path):
    said = {"system_instruction": "-short", "gen_kwargs": {"until": "-"}}
    [job, _] = jobs_of(tmp_path, "model", output="-out", run=said)
    given = shlex.split(job.command)
    assert given[:2] == ["lm-eval-sea", "run"]
    parsed = run_parser().parse_args(given[2:])
    assert (parsed.system_instruction, parsed.output_path) == ("-short", f"-out/a/{ALL}/default")


@pytest.mark.parametrize(
    ("written", "flag", "value"),
    [
        ("fewshot_as_multiturn: false", "fewshot_as_multiturn", False),
        ("fewshot_as_multiturn: true", "fewshot_as_multiturn", True),
        ("thinking: off", "thinking", "off"),
        ("thinking: on", "thinking", "on"),
    ],
)
def test_false_values_of_a_plan_reach_the_job(tmp_path, written, flag, value):
    """Without the flag, exemplars are turns, and the template decides whether the model thinks."""
    [job, _] = jobs_of(tmp_path, "model", run=yaml.safe_load(f"{{apply_chat_template: true, {written}}}"))
    assert getattr(run_parser().parse_args(job.arguments), flag) == value


def test_globs_get_valid_folder_names(tmp_path):
    [part, other] = parts_of(["sea_*", "sea_?"], {"sea_*": ["sea_x"], "sea_?": ["sea_x"]}, "suite")
    assert part.name != other.name
    assert not set(part.name + other.name) & set("*?/")


def test_versions_rows_settings_and_models_change_the_digest(tmp_path):
    def first(**changes):
        return jobs_of(tmp_path, **changes)[0].digest

    facts = [FACTS | {"sea_x": FACTS["sea_x"] | changed} for changed in ({"version": "2"}, {"rows": "other"})]
    digests = [
        first(), *(first(facts=each) for each in facts), first(limit=5), first(num_fewshot=1), first(backend="vllm"),
        first(run={"batch_size": 8}), first(identities={"a": "9", "b": "2"}),
    ]  # fmt: skip
    assert len(set(digests)) == len(digests)
    assert first() == digests[0]
    assert first(minutes=5, resources={"cpus": 2}) == digests[0], "they decide no result"
