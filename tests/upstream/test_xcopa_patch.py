"""The fix for lm-eval's xcopa: its counts on the real rows, before and after."""

import shutil
import subprocess
from pathlib import Path

import lm_eval
import pytest
from lm_eval.tasks import TaskManager

PATCH = Path(__file__).resolve().parents[2] / "upstream" / "patches" / "04-xcopa.patch"
pytestmark = pytest.mark.slow


def prompts(folder, language):
    manager = TaskManager(include_path=str(folder), include_defaults=False)
    task = manager.load(f"xcopa_{language}")["tasks"][f"xcopa_{language}"]
    return [(doc, task.doc_to_text(doc)) for doc in task.test_docs()]


def cut_premises(found):
    return sum(not text.startswith(doc["premise"].strip().rstrip(".。")) for doc, text in found)


def test_counts_before_and_after(hub_mirror, tmp_path, monkeypatch):
    monkeypatch.chdir(hub_mirror)
    before, after = tmp_path / "before", tmp_path / "after"
    for copy in (before, after):
        shutil.copytree(Path(lm_eval.__file__).parent / "tasks" / "xcopa", copy / "lm_eval" / "tasks" / "xcopa")
    subprocess.run(["git", "apply", str(PATCH)], cwd=after, check=True, env={"GIT_CEILING_DIRECTORIES": str(tmp_path)})
    old = {language: prompts(before, language) for language in ("th", "ta", "id", "vi", "zh")}
    new = {language: prompts(after, language) for language in old}
    right = {doc["idx"]: doc["question"] for doc, _ in old["vi"]}

    def wrong_questions(found):
        return sum(doc["question"] != right[doc["idx"]] for doc, _ in found)

    assert {language: cut_premises(found) for language, found in old.items()} == {"th": 500, "ta": 499, "id": 0, "vi": 0, "zh": 0}
    assert not any(cut_premises(found) for found in new.values())
    assert [wrong_questions(old[language]) for language in ("th", "id", "ta", "zh")] == [250, 4, 0, 0]
    assert [wrong_questions(new[language]) for language in ("th", "id", "ta", "zh")] == [0, 0, 0, 0]
    for language in ("vi", "zh"):
        assert new[language] == old[language]
