"""The lists of suites.yml: every name in them is a task or a group, and none that qualifies was forgotten."""

from lm_eval_sea.catalogue.suites import read_suites, unlisted
from lm_eval_sea.catalogue.task_list import read_tasks

SAILCOMPASS = {
    "sea_xquad_th", "sea_xquad_vi", "sea_tydiqa_id", "sea_flores_en_id", "sea_flores_id_en", "sea_flores_en_th",
    "sea_flores_th_en",
    "sea_flores_en_vi", "sea_flores_vi_en", "sea_thaisum_th", "sea_indosum_id", "sea_xlsum_vi", "sea_m3exam_jv_to_ppl",
    "sea_m3exam_th_to_ppl", "sea_m3exam_vi_to_ppl", "sea_xcopa_id_to_ppl", "sea_xcopa_th_to_ppl", "sea_xcopa_vi_to_ppl",
    "sea_belebele_id_to_ppl", "sea_belebele_th_to_ppl", "sea_belebele_vi_to_ppl", "sea_xnli_th", "sea_xnli_vi", "sea_indonli_id",
    "sea_wisesight_th", "sea_indolem_id", "sea_vsmec_vi",
}  # fmt: skip


def test_sailcompass_is_the_27_tasks_of_its_paper():
    assert set(read_tasks().groups["sea_sailcompass"]) == SAILCOMPASS


def test_the_members_of_a_suite_exist():
    listed, suites = read_tasks(), read_suites()
    assert len(suites) > 50
    missing = {name: set(suite.tasks) - {*listed.tasks, *listed.groups} for name, suite in suites.items()}
    assert [name for name in suites if missing[name] or not suites[name].tasks] == []


def test_no_task_that_qualifies_was_forgotten():
    assert unlisted() == []
