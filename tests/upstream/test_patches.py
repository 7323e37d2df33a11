"""The patches for lm-eval: what is pasted is what they say, and lm-eval's own checks pass on each."""

import os
import re
import subprocess
import sys

import pytest

from tests.conftest import ROOT

PATCHES = sorted((ROOT / "upstream" / "patches").glob("*.patch"))


def test_the_readme_has_each_patch_in_its_order_with_its_title():
    titles = []
    for patch in PATCHES:
        subject = re.search(r"^Subject: \[PATCH\] (.+(?:\n .+)*)", patch.read_text(encoding="utf-8"), re.MULTILINE)
        titles.append((patch.name[:2], re.sub(r"\n ", " ", subject[1])))
    readme = (ROOT / "upstream" / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^### (\d\d) (.+)$", readme, re.MULTILINE) == titles
    assert len(titles) == 12


def test_all_patches_are_for_the_commit_that_the_readme_names():
    commits = {re.findall(r"^base-commit: (\w+)$", patch.read_text(encoding="utf-8"), re.MULTILINE)[0] for patch in PATCHES}
    assert len(commits) == 1
    assert commits.pop() in (ROOT / "upstream" / "README.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_lm_evals_own_checks_pass(hub_mirror):
    if "LM_EVAL_NEXT" not in os.environ:
        pytest.skip("needs a checkout of lm-eval: set LM_EVAL_NEXT to its folder")
    command = [sys.executable, str(ROOT / "upstream" / "check.py"), "--together"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    assert len(re.findall(r"^\| \d\d-\w+ \| yes", done.stdout, re.MULTILINE)) == len(PATCHES), done.stdout
    assert re.search(r"in this order: apply, [\d,]+ tasks, \d+ tasks: \d+ passed", done.stdout), done.stdout
