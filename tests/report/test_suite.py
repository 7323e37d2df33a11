"""Which tasks the means are taken over."""

from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.report.suite import read_suite


def test_lite_tasks_are_the_suite_where_no_whole_task_was_run():
    listed = read_tasks()
    lite = read_suite({"sea_xnli_th_lite", "sea_helm_th_nli"})
    assert set(lite.members) == set(listed.groups["sea_lite"])
    whole = read_suite({"sea_xnli_th_lite", "sea_xnli_vi"})
    assert set(whole.members) == set(read_suite().members) == set(listed.groups["sea_sailcompass"])
    assert {name.removesuffix("_lite"): place for name, place in lite.members.items()} == whole.members
    assert lite.english_labels["sea_xnli_th_lite"] == whole.english_labels["sea_xnli_th"] != []
