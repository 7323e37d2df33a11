"""The patches for lm-eval: what is pasted is what they say, what they change of prompts, and lm-eval's own checks on each."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import lm_eval
import pytest
from lm_eval.tasks import TaskManager

from tests.conftest import ROOT
from tests.tasks.evaluation import TASKS, write_json_lines

PATCHES = sorted((ROOT / "upstream" / "patches").glob("*.patch"))


def test_the_readme_has_each_patch_in_its_order_with_its_title_and_their_commit():
    titles, commits = [], set()
    for patch in PATCHES:
        text = patch.read_text(encoding="utf-8")
        subject = re.search(r"^Subject: \[PATCH\] (.+(?:\n .+)*)", text, re.MULTILINE)
        titles.append((patch.name[:2], re.sub(r"\n ", " ", subject[1])))
        commits |= set(re.findall(r"^base-commit: (\w+)$", text, re.MULTILINE))
    readme = (ROOT / "upstream" / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^### (\d\d) (.+)$", readme, re.MULTILINE) == titles
    assert len(titles) == 13
    (commit,) = commits
    assert commit in readme


@pytest.mark.slow
def test_lm_evals_own_checks_pass(hub_mirror):
    if "LM_EVAL_NEXT" not in os.environ:
        pytest.skip("needs a checkout of lm-eval: set LM_EVAL_NEXT to its folder")
    command = [sys.executable, str(ROOT / "upstream" / "check.py"), "--together"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    assert len(re.findall(r"^\| \d\d-\w+ \| yes", done.stdout, re.MULTILINE)) == len(PATCHES), done.stdout
    assert re.search(r"in this order: apply, [\d,]+ tasks, \d+ tasks: \d+ passed", done.stdout), done.stdout


def patched(name, folder, part="", *, ignored=()):
    """A copy of lm-eval, or of a part of it, with a patch: the folder it is in."""
    shutil.copytree(
        Path(lm_eval.__file__).parent / part, folder / "lm_eval" / part, ignore=shutil.ignore_patterns("*.pyc", *ignored)
    )
    if name:
        (patch,) = (patch for patch in PATCHES if patch.stem.endswith(f"-{name}"))
        environment = {"GIT_CEILING_DIRECTORIES": str(folder.parent)}
        subprocess.run(["git", "apply", str(patch)], cwd=folder, check=True, env=environment)
    return folder


EVALUATION = """
from lm_eval.api.task import Task
from lm_eval.evaluator import evaluate
from lm_eval.models.dummy import DummyLM
import inspect

class Asking:
    def build_all_requests(self, **given):
        print("the model" if given["lm"] is model else "not the model")
        raise SystemExit

assert "lm" in inspect.signature(Task.build_all_requests).parameters
model = DummyLM()
evaluate(lm=model, task_dict={"tasks": {"asking": Asking()}})
"""


@pytest.mark.slow
def test_a_task_gets_the_model(tmp_path):
    patched("model_for_tasks", tmp_path, ignored=["*.yaml"])
    environment = dict(os.environ) | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", EVALUATION], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.stdout.strip() == "the model", done.stderr[-2000:]


INDEX = """
import sys
from pathlib import Path
from lm_eval.tasks._index import TaskIndex

opened = []
sys.addaudithook(lambda event, arguments: opened.append(str(arguments[0])) if event == "open" else None)
index = TaskIndex.build([Path(sys.argv[1])])
opened = [name for name in opened if name.startswith(sys.argv[1])]
print(len(opened), len(set(opened)))
print(sorted((name, entry.kind.name, str(entry.yaml_path), sorted(entry.tags), repr(entry.cfg)) for name, entry in index.items()))
"""


@pytest.mark.slow
def test_included_files_are_not_read_for_each_task_and_the_index_is_the_same(tmp_path):
    counts, indices = {}, []
    for name in ("", "included_files"):
        folder = patched(name, tmp_path / name, ignored=["*.yaml"])
        command = [sys.executable, "-c", INDEX, str(TASKS)]
        done = subprocess.run(command, env=os.environ | {"PYTHONPATH": str(folder)}, check=True, capture_output=True, text=True)
        count, index = done.stdout.splitlines()
        counts[name] = [int(number) for number in count.split()]
        indices.append(index)
    assert indices[0] == indices[1]
    assert "sea_belebele_th_to_ppl" in indices[0]
    assert counts[""][1] == counts["included_files"][1]
    assert counts[""][0] > 2 * counts["included_files"][0]


INCLUDE_CARD = """---
configs:
- {config_name: Indonesian, data_files: [{split: test, path: test.jsonl}]}
- {config_name: Vietnamese, data_files: [{split: test, path: test.jsonl}]}
---
"""
INCLUDE = ("indonesian_stem", "vietnamese_few_shot_og_stem", "vietnamese_few_shot_og_social_science")
DOMAINS = ["STEM"] * 5 + ["Social Science"] * 2  # as in the real rows, a task may have fewer rows than it shows
ROWS = [
    {"question": f" Q{row}? ", **{f"option_{letter}": f"{letter}{row}" for letter in "abcd"}, "answer": row % 4, "domain": domain}
    for row, domain in enumerate(DOMAINS)
]
BLOCKS = [f"Q{row}?\nA. a{row}\nB. b{row}\nC. c{row}\nD. d{row}\nAnswer:" for row in range(7)]


@pytest.mark.slow
def test_prompts_of_include_before_and_after(tmp_path, monkeypatch):
    """How they are put together, and that no row is its own exemplar."""
    rows = tmp_path / "CohereForAI" / "include-base-44"
    write_json_lines(rows / "test.jsonl", ROWS)
    (rows / "README.md").write_text(INCLUDE_CARD)
    monkeypatch.chdir(tmp_path)
    own_row = {}
    for when in ("before", "after"):
        folder = patched("include" * (when == "after"), tmp_path / when, "tasks/include")
        manager = TaskManager(include_path=str(folder), include_defaults=False)
        for name in (f"include_base_44_{name}" for name in INCLUDE):
            task = manager.load(name)["tasks"][name]
            task.set_fewshot_seed(1234)
            if when == "before" and len(task.test_docs()) < 5:
                with pytest.raises(ValueError, match="Sample larger than population"):
                    task.fewshot_context(task.test_docs()[0], num_fewshot=5)
                continue
            prompts = [task.fewshot_context(row, num_fewshot=5) for row in task.test_docs()]
            blocks = [block for row, block in zip(ROWS, BLOCKS, strict=True) if row in list(task.test_docs())]
            own_row[when, name] = sum(prompt.count(block[:3]) > 1 for block, prompt in zip(blocks, prompts, strict=True))
            if when == "before":
                assert all("STEM.Q" in prompt and "\n D. d" in prompt and task.config.num_fewshot is None for prompt in prompts)
                continue
            assert task.config.num_fewshot == (5 if "few_shot" in name else None)
            for block, prompt in zip(blocks, prompts, strict=True):
                description, *exemplars, question = prompt.split("\n\n")
                assert (description, question, len(exemplars)) == (task.config.description, block, 5)
                assert {exemplar[:-2] for exemplar in exemplars} < {*BLOCKS} - {block}
                assert all(exemplar[-2:] == f" {'ABCD'[int(exemplar[1]) % 4]}" for exemplar in exemplars)
    assert all(count == 0 if when == "after" else count > 0 for (when, _), count in own_row.items())


@pytest.mark.slow
def test_counts_of_xcopa_before_and_after(in_hub_mirror, tmp_path):
    """On the real rows: premises that are cut, and questions that are not those of Vietnamese."""

    def prompts(folder, language):
        manager = TaskManager(include_path=str(folder), include_defaults=False)
        task = manager.load(f"xcopa_{language}")["tasks"][f"xcopa_{language}"]
        return [(doc, task.doc_to_text(doc)) for doc in task.test_docs()]

    before, after = patched("", tmp_path / "before", "tasks/xcopa"), patched("xcopa", tmp_path / "after", "tasks/xcopa")
    old, new = ({name: prompts(folder, name) for name in ("th", "ta", "id", "vi", "zh")} for folder in (before, after))
    right = {doc["idx"]: doc["question"] for doc, _ in old["vi"]}

    def cut_premises(found):
        return sum(not text.startswith(doc["premise"].strip().rstrip(".。")) for doc, text in found)

    def wrong_questions(found):
        return sum(doc["question"] != right[doc["idx"]] for doc, _ in found)

    assert {name: cut_premises(found) for name, found in old.items()} == {"th": 500, "ta": 499, "id": 0, "vi": 0, "zh": 0}
    assert {name: wrong_questions(found) for name, found in old.items()} == {"th": 250, "ta": 0, "id": 4, "vi": 0, "zh": 0}
    assert not any(cut_premises(found) or wrong_questions(found) for found in new.values())
    assert (new["vi"], new["zh"]) == (old["vi"], old["zh"])
