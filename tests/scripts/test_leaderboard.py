"""The check of contributed results, and the page made of them."""

import json
import re
import shlex
import sys

import pytest
from lm_eval._cli.harness import HarnessCLI
from lm_eval.config.evaluate_config import EvaluatorConfig

import leaderboard
from leaderboard import figure, findings, page, read_leaderboard
from lm_eval_sea.make import on_demand
from lm_eval_sea.results.differing_settings import WORDS_OF_PROMPT
from lm_eval_sea.results.uncertainty import score_interval
from tests.results.lm_eval_output import changed, write_run

TASK = "sea_xcopa_id_to_ppl_lite"


@pytest.fixture
def results(tmp_path):
    """Writes what lm-eval writes of a run; the keywords change it."""

    def write(
        model="org/a", folder=None, task=TASK, score=0.6, rows=100, limit=None, sha=None, samples=False, about=None,
        config=None, num_fewshot=None, description=None, **metadata
    ):  # fmt: skip
        [record] = on_demand.select([task])
        facts = record.metadata
        metric = facts["headline_metric"]
        place = tmp_path / (folder or model.replace("/", "__"))
        digest = sha or facts.get("subset", {}).get("sha256") or facts.get("tested", {}).get("rows", "a" * 64)
        provenance = {"data_sha256": digest, "pack_version": "0.3.0"}
        run = {
            "scores": {f"{metric},none": score, f"{metric}_stderr,none": 0.05},
            "metadata": {**facts, "provenance": provenance} | metadata,
            **{key: record.config[key] for key in WORDS_OF_PROMPT if key in record.config},
            "description": description or record.config.get("description"),
            "num_fewshot": record.num_fewshot if num_fewshot is None else num_fewshot,
        }
        settings = {"model": "hf", "model_args": {"pretrained": model}, "limit": limit, "model_sha": "abc"} | (config or {})
        counts = {task: {"original": rows, "effective": rows}}
        parts = {"group_subtasks": {}, "versions": {task: facts["version"]}, "n-samples": counts, "config": settings, "date": 1.0}
        logged = {"rows": [{}]} if samples else {}
        stamp = f"2026-11-22T03-00-0{len(list(place.glob('results_*')))}.000000"
        write_run(place, {task: run | logged}, stamp, model=model, **parts)
        if about is not None:
            (place / "about.yaml").write_text(about, encoding="utf-8")
        return place

    return write


def test_results_are_added_without_samples_and_paths(results, tmp_path, monkeypatch):
    """A run of a folder on somebody's machine becomes a sound entry with the name that is given."""
    mine = results(model=str(tmp_path / "models" / "a"), folder="mine", samples=True)
    with changed(mine) as content:
        content["config"]["use_cache"] = str(tmp_path / "unfinished")
        content["config_source"] = f"{tmp_path}/lm_eval_sea/tasks/xcopa/lite/id.yaml"
    assert findings([mine]) != []
    monkeypatch.setattr(leaderboard, "FOLDER", tmp_path / "leaderboard")
    written = leaderboard.add(mine, "org/a-tuned", {"source": "the package a", "revision": "1.0"})
    [added] = (tmp_path / "leaderboard").rglob("results_*.json")
    assert sorted(file.name for file in written) == ["about.yaml", added.name]
    assert findings([tmp_path / "leaderboard" / "org__a-tuned"]) == []
    text = added.read_text(encoding="utf-8")
    assert str(tmp_path) not in text and json.loads(text)["config_source"] == "lm_eval_sea/tasks/xcopa/lite/id.yaml"
    assert json.loads(text)["results"] == content["results"] and json.loads(text)["model_name"] == "org/a-tuned"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"limit": 10}, "made with --limit 10"),
        ({"rows": 90}, "90 rows; expected 100"),
        ({"score": 1.7}, "acc_ppl is 1.7, which is not between 0 and 1"),
        ({"version": 0.9}, "version 0.9 of the task"),
        ({"task": "sea_csqa_id_chat_lite", "version": 0.9}, "version 0.9 of the task"),  # which is made on demand
        ({"prompt_book_version": 0}, "version 0 of the prompts"),
        ({"description": "Choose."}, "other words in the prompt than the pack's (description)"),
        ({"sha": "0" * 64}, "made on other rows"),
        ({"num_fewshot": 1}, "1 exemplars; expected 3"),
        ({"config": {"gen_kwargs": {"temperature": 1}}}, "made with --gen_kwargs {'temperature': 1}"),
        ({"config": {"system_instruction_sha": "c0ffee"}}, "made with --system_instruction"),
        ({"config": {"model_args": {"pretrained": "org/a", "load_in_4bit": True}}}, "made with load_in_4bit=True"),
        ({"model": "/home/me/model", "folder": "model"}, "expected its name on the hub"),
        ({"folder": "elsewhere"}, "results of org/a belong in org__a"),
        ({"samples": True}, "leave samples out"),
        ({"about": "model: mine\n"}, "lacks 'source'"),
    ],
)
def test_unsound_results_are_found(results, changes, expected):
    assert any(expected in line for line in findings([results(**changes)]))


def test_models_that_were_run_on_different_rows_are_named(results):
    """Lite and whole tasks have digests that the pack knows; those of SEA-HELM may change."""
    places = [results(task="sea_helm_id_nli", model=f"org/{name}", folder=f"org__{name}", sha=name * 64) for name in "ab"]
    assert any("sea_helm_id_nli was run on different rows in" in line for line in findings(places))


def test_two_checkpoints_under_one_name_are_refused(results):
    about = "model: mine\nsource: a package\nrevision: '1'\n"
    place = results(about=about, config={"weights_digest": "a"})
    results(about=about, config={"weights_digest": "b"}, task="sea_xcopa_th_to_ppl_lite")
    assert any("2 different weights under one name" in line for line in findings([place]))


def test_a_model_in_two_folders_is_refused(results):
    """One of the scores would stand in the place of the other."""
    about = "model: org/a\nsource: a package\nrevision: '1'\n"
    places = [results(), results(model="/home/me/model", folder="mine", about=about, score=0.4)]
    assert findings(places) == ["org/a: has the folders mine and org__a; expected one"]


def test_the_page_says_which_answers_were_not_read(results):
    """A mean far below chance is of these. The task is one that is made on demand."""
    place = results(task="sea_csqa_su_chat_lite")
    assert findings([place]) == []
    with changed(place) as content:
        content["results"]["sea_csqa_su_chat_lite"]["null_rate,none"] = 0.75
    said = "- org/a: answers that cannot be read count as wrong: sea_csqa_su_chat_lite 75.0 %".replace("_", "\\_")
    assert said in page(read_leaderboard([place]))


def test_the_page_says_what_was_not_asked_alike(results):
    places = [results("org/a"), results("org/b", score=0.4)]
    with changed(places[1]) as content:
        content["chat_template_sha"] = "c0ffee"
    said = f"- Models differ in the use of a chat template: {TASK}".replace("_", "\\_")
    assert said in page(read_leaderboard(places)) and said not in page(read_leaderboard(places[:1]))


def test_models_that_share_few_tasks_have_neither_ranks_nor_means_side_by_side(results):
    text = page(read_leaderboard([results("org/a"), results("org/b", task="sea_xcopa_id_chat_lite")]))
    assert "no mean of all tasks" in text and "| rank |" not in text and "| all tasks |" not in text
    assert "| all tasks |" in page(read_leaderboard([results("org/a"), results("org/b")]))


@pytest.mark.parametrize("name", ["..", "a", "a/b/c", "org/<b>", "org/a b"])
def test_an_invalid_hub_name_is_refused(results, monkeypatch, capsys, name):
    monkeypatch.setattr(sys, "argv", ["leaderboard.py", "add", str(results()), "--model", name])
    with pytest.raises(SystemExit):
        leaderboard.main()
    assert "is no ORGANISATION/MODEL" in capsys.readouterr().err


def test_a_model_from_a_folder_says_what_it_is(results):
    place = results(model="/home/me/model", folder="mine", about="model: mine, 4 bits\nsource: a package\nrevision: '1'\n")
    assert findings([place]) == []
    assert "| mine, 4 bits |" in page(read_leaderboard([place]))


def test_a_score_by_older_readers_stays_and_the_page_says_so(results):
    known = leaderboard.known_task("sea_xcopa_id_chat")
    newest, _, asked = str(known.metadata["version"]).partition(".")
    older = int(newest) - 1

    def of_version(version):
        return results(task=known.name, rows=known.metadata["rows"], version=float(version))

    place = of_version(f"{older}.{asked}")
    assert findings([place]) == []
    assert f")<sup>r{older}</sup> |" in page(read_leaderboard([place]))
    assert f"version {older}.1{asked} of the task" in findings([of_version(f"{older}.1{asked}")])[0]


THINKS = {"chat_template": "{{ messages }}<think>\n"}


@pytest.mark.parametrize(
    ("task", "version", "config", "content", "stays"),
    [
        # other ways to take thoughts off
        ("sea_helm_id_nli", 1.3, {}, {}, True),
        ("sea_helm_id_nli", 1.3, {}, {"chat_template": "{{ messages }}"}, True),
        ("sea_helm_id_nli", 1.3, {}, THINKS, False),
        ("sea_helm_id_nli", 1.3, {"thinking": "on"}, {}, False),
        ("sea_helm_id_nli", 1.3, {"model": "chat-api"}, {}, False),
        ("sea_helm_id_nli_ppl", 1.3, {}, THINKS, True),
        ("sea_xquad_th", 1.2, {}, {}, True),  # `contains` alone is another
        ("sea_xquad_th", 1.1, {}, {}, False),
        ("sea_helm_id_nli", 1.2, {}, {}, False),
        ("sea_xcopa_id_to_ppl", 1.2, {}, {}, False),
    ],
)
def test_a_score_of_an_older_version_stays_where_what_changed_is_not_its(results, task, version, config, content, stays):
    record = leaderboard.known_task(task)
    place = results(task=task, rows=record.metadata["rows"], version=version, config=config)
    with changed(place) as written:
        written |= content
        written["configs"][task]["output_type"] = "multiple_choice" if task.endswith("_ppl") else "generate_until"
    said = f"version {version} of the task; the pack has {record.metadata['version']}: run it again"
    assert any(line.endswith(said) for line in findings([place])) != stays
    assert "<sup>" not in page(read_leaderboard([place]))


def test_the_page_has_means_scores_and_commands(results):
    scores = read_leaderboard([results("org/a", score=0.6), results("org/b", score=0.4)])
    text = page(scores)
    means, every, commands = re.split("^## (?:Scores|Commands)$", text, flags=re.MULTILINE)
    low, high = (100 * (end - 0.5) / 0.5 for end in score_interval(0.6, 0.05, 100))
    ends = f"20.0 [{low:.1f}, {high:.1f}] | -20.0 [{-high:.1f}, {-low:.1f}]".replace("-", "−")
    assert f"| Indonesian | {ends} |" in means
    [line] = [line for line in every.splitlines() if TASK.replace("_", "\\_") in line]
    a, b = (cell.strip() for cell in line.strip("|").split("|")[-2:])
    assert re.fullmatch(r"\[60\.0 .*\]\(#run-1\)", a) and re.fullmatch(r"\[40\.0 .*\]\(#run-2\)", b)
    assert re.search(r"### Run 2\n\n.*--model_args pretrained=org/b --tasks sea_xcopa_id_to_ppl_lite`", commands)
    assert figure(scores) == figure(scores)
    assert all(f">{model}<".encode() in figure(scores) for model in ("org/a", "org/b"))


def test_runs_that_differ_only_in_their_tasks_are_one_command(results):
    tasks = [TASK, "sea_xcopa_th_to_ppl_lite", "sea_xcopa_vi_to_ppl_lite"]
    for task, config in zip(tasks, ({}, {}, {"batch_size": 8}), strict=True):
        place = results(task=task, config=config)
    every, _, commands = page(read_leaderboard([place])).partition("## Commands")
    assert re.findall(r"^### Run \d+$", commands, re.MULTILINE) == ["### Run 1", "### Run 2"]
    assert f" --tasks {tasks[0]},{tasks[1]}`" in commands and f" --batch_size 8 --tasks {tasks[2]}`" in commands
    assert re.findall(r"#run-\d", every) == ["#run-1", "#run-1", "#run-2"]


def test_the_command_has_what_the_user_asked_for(results):
    """lm-eval writes the number of exemplars beside the task, whether or not it was asked for."""
    place = results()
    for shown, told in ((leaderboard.known_task(TASK).num_fewshot, False), (5, True)):
        with changed(place) as content:
            content |= {"n-shot": {TASK: shown}, "system_instruction": "Be brief." if told else None}
            content["config"]["thinking"] = "off" if told else "template"
        commands = page(read_leaderboard([place])).partition("## Commands")[2]
        assert ("--system_instruction 'Be brief.' --num_fewshot 5 --thinking off --tasks" in commands) == told
        assert ("--num_fewshot" in commands) == told


@pytest.mark.parametrize(
    ("template", "turns"), [(None, None), (None, False), ("{{ messages }}", True), ("{{ messages }}", False)]
)
def test_the_command_shows_exemplars_in_the_same_form(results, template, turns):
    """Read by lm-eval's own parser and rule, which gives them turns of their own under a chat template."""
    place = results()
    with changed(place) as content:
        content |= {"chat_template": template, "fewshot_as_multiturn": turns}
    [command] = re.findall("`lm-eval-sea (.*?)`", page(read_leaderboard([place])))
    asked = EvaluatorConfig.from_cli(HarnessCLI()._parser.parse_args(shlex.split(command)))
    assert bool(asked.apply_chat_template) == bool(template) and bool(asked.fewshot_as_multiturn) == bool(turns)


@pytest.mark.parametrize(
    ("limit", "beside", "before", "said"),
    [
        (10, "", None, "made with --limit 10"),
        (10, "org__a", "model: org/a\nsource: a package\nrevision: '1.0'\n", "made with --limit 10"),
        (None, "org__empty", None, "no results_*.json"),
    ],
    ids=["new", "known", "beside a broken folder"],
)
def test_faulty_results_are_not_added(results, tmp_path, monkeypatch, capsys, limit, beside, before, said):
    for name in ("FOLDER", "PAGE"):
        monkeypatch.setattr(leaderboard, name, tmp_path / name)
    about = tmp_path / "FOLDER" / "org__a" / "about.yaml"
    (tmp_path / "FOLDER" / beside).mkdir(parents=True)
    if before is not None:
        about.write_text(before, encoding="utf-8")
    command = ["add", str(results(limit=limit)), "--model", "org/a", "--source", "another package", "--revision", "2.0"]
    monkeypatch.setattr(sys, "argv", ["leaderboard.py", *command])
    assert leaderboard.main() == 1
    assert said in capsys.readouterr().out
    left = {path: path.read_text(encoding="utf-8") for path in (tmp_path / "FOLDER").rglob("*") if path.is_file()}
    assert left == ({} if before is None else {about: before})


@pytest.mark.slow
def test_the_page_is_that_of_the_results(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["leaderboard.py", "check"])
    assert leaderboard.main() == 0
