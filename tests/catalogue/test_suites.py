"""The lists of suites.yml: every name in them is a task or a group, and none that qualifies was forgotten."""

import re

from lm_eval_sea.catalogue.data_sets import data_sets
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


def test_the_members_of_a_suite_exist_and_no_group_is_without():
    listed, suites = read_tasks(), read_suites()
    assert len(suites) > 50
    missing = {name: set(suite.tasks) - {*listed.tasks, *listed.groups} for name, suite in suites.items()}
    assert [name for name in suites if missing[name] or not suites[name].tasks] == []
    assert [name for name, tasks in listed.groups.items() if not tasks] == []


def test_no_task_that_qualifies_was_forgotten():
    assert unlisted() == []


def test_suites_but_sailcompass_have_the_main_variant_of_a_data_set():
    """M3Exam is asked as SailCompass publishes it in its suite, and elsewhere with its options."""
    variant = re.compile(r"sea_([a-z0-9]+)_[a-z]+_((?:to|tito|litito|litilo|litiloto)_ppl)(?:_enprompt)?(?:_lite)?")
    found = {name: list(filter(None, map(variant.fullmatch, suite.tasks))) for name, suite in read_suites().items()}
    for name, tasks in found.items():
        for task in tasks:
            expected = "to_ppl" if name.startswith("sea_lite") else data_sets()[task[1]].main_variant
            assert task[2] == expected, (name, task[0])
    assert {task[0] for name in ("sea_language_th", "sea_lite_exam") for task in found[name] if task[1] == "m3exam"} == {
        "sea_m3exam_th_litito_ppl", "sea_m3exam_jv_to_ppl_lite", "sea_m3exam_th_to_ppl_lite", "sea_m3exam_vi_to_ppl_lite",
    }  # fmt: skip
