"""The fix for lm-eval's INCLUDE: how a prompt is put together, and that no row is its own exemplar, before and after."""

import json
import shutil
import subprocess
from pathlib import Path

import lm_eval
import pytest
from lm_eval.tasks import TaskManager

PATCH = Path(__file__).resolve().parents[2] / "upstream" / "patches" / "09-include.patch"
CARD = """---
configs:
- {config_name: Indonesian, data_files: [{split: test, path: test.jsonl}]}
- {config_name: Vietnamese, data_files: [{split: test, path: test.jsonl}]}
---
"""
NAMES = ("indonesian_stem", "vietnamese_few_shot_og_stem", "vietnamese_few_shot_og_social_science")
DOMAINS = ["STEM"] * 5 + ["Social Science"] * 2  # as in the real rows, a task may have fewer rows than it shows
ROWS = [
    {"question": f" Q{row}? ", **{f"option_{letter}": f"{letter}{row}" for letter in "abcd"}, "answer": row % 4, "domain": domain}
    for row, domain in enumerate(DOMAINS)
]
BLOCKS = [f"Q{row}?\nA. a{row}\nB. b{row}\nC. c{row}\nD. d{row}\nAnswer:" for row in range(7)]


@pytest.mark.slow
def test_prompts_before_and_after(tmp_path, monkeypatch):
    rows = tmp_path / "CohereForAI" / "include-base-44"
    rows.mkdir(parents=True)
    (rows / "README.md").write_text(CARD)
    (rows / "test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    monkeypatch.chdir(tmp_path)
    own_row = {}
    for when in ("before", "after"):
        shutil.copytree(Path(lm_eval.__file__).parent / "tasks" / "include", tmp_path / when / "lm_eval" / "tasks" / "include")
        if when == "after":
            environment = {"GIT_CEILING_DIRECTORIES": str(tmp_path)}
            subprocess.run(["git", "apply", str(PATCH)], cwd=tmp_path / when, check=True, env=environment)
        manager = TaskManager(include_path=str(tmp_path / when), include_defaults=False)
        for name in (f"include_base_44_{name}" for name in NAMES):
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
