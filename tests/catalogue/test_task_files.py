"""What the pack's own reader of task files finds is what lm-eval's finds."""

from lm_eval.tasks import TaskManager

from lm_eval_sea.catalogue.task_files import read_task_file
from lm_eval_sea.catalogue.task_list import read_tasks


def leaves(manager: TaskManager, name: str) -> list[str]:
    entry = manager.task_index[name]
    if name not in manager.all_groups:
        return sorted(entry.tags) if name in manager.all_tags else [name]
    return [leaf for member in entry.cfg["task"] for leaf in leaves(manager, member)]


def test_all_names_mean_what_they_mean_to_lm_eval(manager):
    listed = read_tasks()
    assert list(listed.tasks) == manager.all_subtasks
    for name, task in listed.tasks.items():
        assert (task.path, task.config) == (manager.task_index[name].yaml_path, manager.task_index[name].cfg), name
    assert dict(listed.groups) == {name: leaves(manager, name) for name in manager.all_groups}
    assert dict(listed.tags) == {name: leaves(manager, name) for name in manager.all_tags}
    others = ("sea_flores_th", "sea_th_xnli", "xnli_th", "sea_xnli", "th", "")  # the same words, and groups
    assert [name for name in others if name in listed.tasks] == []


def test_files_may_name_what_they_include_once_or_by_a_list(tmp_path):
    (tmp_path / "first_yaml").write_text("a: 1\nb: 1\nc: !function utils.name\n")
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "second_yaml").write_text("include: ../first_yaml\nb: 2\n")
    (tmp_path / "task.yaml").write_text("include: [first_yaml, below/second_yaml]\na: 3\n")
    assert read_task_file(tmp_path / "task.yaml") == {"a": 3, "b": 2, "c": f"{tmp_path}/utils.name"}
