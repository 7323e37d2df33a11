"""The folders for lm-eval: each task loads there without the pack, and asks what the pack's task asks."""

import json
import re
import shutil
import subprocess
import sys
from itertools import islice

import pytest
import yaml
from lm_eval.tasks import TaskManager

from tests.conftest import ROOT
from tests.tasks.evaluation import TASKS

PATCHED = ("indonli", "wisesight")
OF_THE_PACK = {
    "indolem_sentiment": "sea_indolem_id",
    "indonli_expert": "sea_indonli_id",
    "indosum_en_prompt": "sea_indosum_id_enprompt",
    "m3exam_th": "sea_m3exam_th_litilo_ppl",
    "seahelm_toxicity_id": "sea_helm_id_toxicity_ppl",
    "thaisum": "sea_thaisum_th",
    "vsmec_en_prompt": "sea_vsmec_vi_enprompt",
    "wisesight": "sea_wisesight_th",
    "xlsum_vi": "sea_xlsum_vi",
}
ROWS = 50


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The drafts and the tasks that patches add, in one folder."""
    folder = tmp_path_factory.mktemp("lm_eval") / "lm_eval" / "tasks"
    shutil.copytree(ROOT / "upstream" / "tasks", folder)
    root = folder.parents[1]
    for name in PATCHED:
        (patch,) = (ROOT / "upstream" / "patches").glob(f"*-{name}.patch")
        command = ["git", "apply", f"--include=lm_eval/tasks/{name}/*", str(patch)]
        subprocess.run(command, cwd=root, check=True, env={"GIT_CEILING_DIRECTORIES": str(root.parent)})
    return folder


@pytest.fixture(scope="module")
def manager(folder):
    return TaskManager(include_path=str(folder), include_defaults=False)


@pytest.fixture(scope="module")
def leaves(folder):
    return sorted(path.stem for path in folder.glob("*/*.yaml"))


@pytest.fixture(scope="module")
def pack():
    return TaskManager(include_path=str(TASKS), include_defaults=False, metadata={"tokenizer": "none"})


def test_every_folder_stands_alone(folder):
    folders = [path.parent for path in folder.glob("*/utils.py")]
    assert len(folders) >= 9
    for each in folders:
        texts = {path.name: path.read_text(encoding="utf-8") for path in each.iterdir() if path.is_file()}
        assert not [name for name, text in texts.items() if "lm_eval_sea" in text or "-" in name], each
        assert len(re.findall(r"^ *\* \[[ x]\] ", texts["README.md"], re.MULTILINE)) == 6  # all of lm-eval's template
        leaves = [yaml.safe_load(text) for name, text in texts.items() if name.endswith(".yaml")]
        assert len(leaves) >= 2, each
        assert not {"class", "custom_dataset", "metadata"} & {key for leaf in leaves for key in leaf}, each


@pytest.mark.parametrize("name", PATCHED)
def test_a_generator_writes_the_leaves(folder, name, tmp_path):
    shutil.copytree(folder / name, tmp_path / name, ignore=shutil.ignore_patterns("*.yaml"))
    subprocess.run([sys.executable, str(tmp_path / name / "_generate_configs.py")], check=True)
    written, given = ({path.name: path.read_text() for path in each.glob("*.yaml")} for each in (tmp_path / name, folder / name))
    assert written == given and written


@pytest.mark.slow
def test_no_name_is_taken(manager, folder, leaves):
    own = TaskManager()
    assert "xcopa_th" in own.all_tasks
    assert set(leaves) <= set(manager.all_tasks)
    assert not set(own.all_tasks) & {*manager.all_tasks, *(path.name for path in folder.iterdir())}


@pytest.mark.slow
def test_every_task_loads_and_asks(manager, leaves, in_hub_mirror):
    assert len(leaves) > 40
    for leaf in leaves:
        asked = requests(loaded(manager, leaf), range(2))
        assert len(asked) == 2, leaf
        assert all(prompt for row in asked.values() for prompt, _ in row), leaf


@pytest.mark.slow
@pytest.mark.parametrize("leaf", OF_THE_PACK)
def test_requests_are_the_packs(leaf, manager, pack, in_hub_mirror):
    theirs, ours = loaded(manager, leaf), loaded(pack, OF_THE_PACK[leaf])
    fields = sorted({*theirs.test_docs()[0]} & {*ours.test_docs()[0]})
    assert len(fields) >= 2

    def key(doc):
        return json.dumps([doc[field] for field in fields])

    places = {key(doc): place for place, doc in reversed(list(enumerate(ours.test_docs())))}
    shared = {row: places[key(doc)] for row, doc in enumerate(theirs.test_docs()) if key(doc) in places}
    shared = dict(islice(shared.items(), ROWS))
    assert len(shared) == min(ROWS, len(ours.test_docs()))
    found, expected = requests(theirs, shared), requests(ours, shared.values())
    for row, place in shared.items():
        assert found[row] == expected[place][: len(found[row])]


def loaded(manager, name):
    return manager.load(name)["tasks"][name]


def requests(task, rows) -> dict[int, list]:
    """The requests of rows by their positions; lm-eval numbers those it is asked for anew, in their order."""
    chosen = sorted(set(rows))
    task.build_all_requests(samples=chosen, rank=0, world_size=1)
    found: dict[int, list] = {}
    for instance in task.instances:
        found.setdefault(chosen[instance.doc_id], []).append(instance.arguments)
    return found
