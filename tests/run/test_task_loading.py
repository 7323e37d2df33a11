"""A run finds the same tasks as lm-eval, which reads all files."""

import glob
import logging

import pytest
from lm_eval.tasks import TaskManager

from lm_eval_sea.catalogue.task_index import leaf_names
from lm_eval_sea.run.request import RunError
from lm_eval_sea.run.task_loading import RunTasks, load_tasks
from lm_eval_sea.tasks._shared.facts import TASKS_FOLDER

OWN = {
    "own.yaml": "task: own_task\ndataset_path: json\noutput_type: generate_until\ntest_split: test\ntag: [own_tag]\n",
    "th.yaml": f"include: {TASKS_FOLDER}/xnli/th.yaml\ntask: sea_xnli_th\ndescription: of the user\n",
    "group.yaml": "group: own_group\ntask: [own_task, sea_xnli, sea_xnli_th_p2, own_nested]\n",
    "nested.yaml": "group: own_nested\ntask: [{task: sea_xcopa_th_to_ppl, num_fewshot: 0}, sea_tydiqa_id]\n",
}
ENTRIES = ["sea_xnli", "sea_sailcompass", "sea_xcopa_*_to_ppl", "sea_nli", "own_*", "own_tag", "sea_xnli_th"]


@pytest.fixture
def own(tmp_path):
    folder = tmp_path / "own [1]"  # as a glob this would match another folder
    folder.mkdir()
    for name, text in OWN.items():
        (folder / name).write_text(text)
    return folder


@pytest.mark.slow
def test_names_match_the_same_tasks_as_in_lm_eval(own):
    manager = RunTasks([*ENTRIES, "own_group"], [str(own)])
    known = TaskManager(include_path=[str(TASKS_FOLDER), str(own)], include_defaults=False)
    for entry in ENTRIES:
        assert manager.names[entry] == known.match_tasks([entry]) != [], entry
        for name in manager.names[entry]:
            assert leaf_names(manager, name) == leaf_names(known, name), name
            assert manager.task_index[name].yaml_path == known.task_index[name].yaml_path
    assert {"sea_xcopa_th_to_ppl", "sea_tydiqa_id", "sea_xnli_th_p2", "sea_xnli_vi"} <= set(manager.all_subtasks)


def test_a_task_of_the_user_replaces_the_pack_s(own, in_samples, caplog):
    with caplog.at_level(logging.WARNING, "lm_eval_sea"):
        loaded = RunTasks(["sea_xnli"], [str(own)]).load(["sea_xnli"])["tasks"]
    assert [loaded[f"sea_xnli_{language}"].config.description == "of the user" for language in ("th", "vi")] == [True, False]
    assert [line for line in caplog.messages if "which replaces" in line] == [
        f"sea_xnli_th is the task in {own / 'th.yaml'}, which replaces the pack's"
    ]


def test_files_and_folders_of_tasks(own, in_samples):
    files = [str(own / name) for name in ("nested.yaml", "th.yaml")]
    for name in ("own.yaml", "group.yaml"):
        (own / name).unlink()
    anywhere = f"{glob.escape(str(own))}/*.yaml"
    manager = RunTasks([anywhere, str(own), f"{own}/th.yaml", f"{own}/none.yaml"])
    assert manager.names == {anywhere: files, str(own): files, f"{own}/th.yaml": files[1:], f"{own}/none.yaml": []}
    assert manager.load(files[1:])["tasks"]["sea_xnli_th"].config.description == "of the user"


def test_groups_may_share_tasks(own, in_samples):
    """They get the same task object. A user's group that has a task with other settings is refused."""
    names = ["sea_sailcompass_nli", "sea_xnli", "sea_xnli_vi", "sea_sailcompass_cr"]
    manager = RunTasks([*names, "own_nested"], [str(own)])
    loaded = manager.load(names)
    assert list(loaded["tasks"]) == list(dict.fromkeys(leaf for name in names for leaf in leaf_names(manager, name)))
    assert set(loaded["groups"]) == {"sea_sailcompass_nli", "sea_xnli", "sea_indonli", "sea_sailcompass_cr", "sea_xcopa_to_ppl"}
    for group in loaded["groups"].values():
        assert all(task is loaded["tasks"][task.task_name] for task in group.get_all_tasks())
    assert loaded["group_map"]["sea_xnli"] == ["sea_xnli_th", "sea_xnli_vi"]
    said = "--tasks: sea_sailcompass_cr and own_nested have sea_xcopa_th_to_ppl with different settings; run one after the other"
    with pytest.raises(RunError, match=f"^{said}$"):
        load_tasks(manager, ["sea_sailcompass_cr", "own_nested"], skip_missing=None)


@pytest.mark.slow
def test_names_of_lm_eval_beside_the_pack_s(own):
    mixed = "group: own_mixed\ntask: [arc_easy, {group: own_inner, task: [sea_xnli_th, sea_tydiqa_id]}]\n"
    (own / "mixed.yaml").write_text(mixed)
    manager = RunTasks(["own_mixed", "sea_xcopa_th_to_ppl", "hellas*", "none"], [str(own)])
    known = TaskManager(include_path=[str(TASKS_FOLDER), str(own)])
    for entry, names in manager.names.items():
        assert names == known.match_tasks([entry]), entry
    for name in ("arc_easy", "sea_xnli_th", "sea_xcopa_th_to_ppl", "sea_tydiqa_id", "hellaswag"):
        assert manager.task_index[name].yaml_path == known.task_index[name].yaml_path
