"""Adding a language as CONTRIBUTING says, done in a copy of the pack: which files change, and that no suite does by itself."""

import re
import shutil

import pytest
import yaml

from tests.conftest import ROOT
from tests.processes import run
from tests.robustness.conftest import contents

WALK = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("\n## Adding a language\n")[2].partition("\n## ")[0]


@pytest.fixture
def pack(tmp_path):
    shutil.copytree(ROOT / "lm_eval_sea", tmp_path / "lm_eval_sea", ignore=shutil.ignore_patterns("samples", "__pycache__"))
    return tmp_path / "lm_eval_sea"


def run_in(pack, module, *arguments, **variables):
    """A module run on the copy, without compiled files: each file that a run leaves there counts as changed."""
    return run(module, *arguments, cwd=pack.parent, PYTHONDONTWRITEBYTECODE="1", **variables)


def run_make(pack, *arguments):
    return run_in(pack, "lm_eval_sea", "make", *arguments)


@pytest.mark.slow
def test_tagalog_in_xnli(pack):
    tasks, before = pack / "tasks", contents(pack)
    (record,) = (" ".join(found.split()) for found in re.findall(r"`(tl: \{source: [^`]*\})`", WALK))
    data_set = tasks / "xnli" / "data_set.yml"
    data_set.write_text(data_set.read_text(encoding="utf-8").rstrip() + f"\n  {record}\n", encoding="utf-8")
    shutil.copy(tasks / "xnli/prompts/th.yml", tasks / "xnli/prompts/tl.yml")

    for script in ("compare_exemplars", "state_tested_rows", "choose_lite_rows"):
        options = ["--data", ROOT / "lm_eval_sea/samples", "--data_sets", "xnli"]
        early = run_in(pack, script, *options, PYTHONPATH=str(ROOT / "scripts"))
        assert early.stderr == "there is no task sea_xnli_tl yet; run `lm-eval-sea make` first\n"

    checked = run_make(pack, "--check")
    assert checked.returncode == 1, checked.stderr
    assert "sea_xnli_tl qualifies for sea_language_tl and is not in it" in checked.stdout

    suites = tasks / "suites.yml"
    text = suites.read_text(encoding="utf-8")
    for name, task in (("sea_language_tl", "sea_xnli_tl"), ("sea_language_tl_chat", "sea_xnli_tl_chat")):
        place = text.index("    tasks:\n", text.index(f"\n  {name}:")) + len("    tasks:\n")
        text = f"{text[:place]}      - {task}\n{text[place:]}"
    suites.write_text(text, encoding="utf-8")
    made = run_make(pack)
    assert made.returncode == 0, made.stderr
    checked = run_make(pack, "--check")
    assert checked.returncode == 0 and "qualifies" not in checked.stdout, checked.stdout

    after = contents(pack)
    assert set(before) <= set(after)
    changed = {name for name in after if after[name] != before.get(name)}
    of_suites = {
        "tasks/suites.yml",
        "tasks/suites/sea_language/whole/sea_language_tl.yaml",
        "tasks/suites/sea_language/chat/sea_language_tl_chat.yaml",
    }
    assert {name for name in changed if not name.startswith("tasks/xnli/")} == of_suites
    of_data_set = {"tasks/xnli/data_set.yml", "tasks/xnli/groups/chat.yaml", "tasks/xnli/groups/chat_enprompt.yaml"}
    assert {name for name in changed if name in before} - of_data_set == of_suites
    leaf = yaml.safe_load(after["tasks/xnli/tl.yaml"])
    assert (leaf["task"], leaf["metadata"]["language"]) == ("sea_xnli_tl", "tl")
    assert "sea_xnli_tl" in yaml.safe_load(after["tasks/suites/sea_language/whole/sea_language_tl.yaml"])["task"]
