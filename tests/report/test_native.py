"""Means on native and on translated rows, against numbers by hand."""

import re
from dataclasses import replace

import pytest
from scipy import stats

from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.report.native import native_lines, native_section, native_table
from lm_eval_sea.report.overview import overview_section
from lm_eval_sea.report.suite import read_suite

from ..results.lm_eval_output import toy
from .planted import NO_SUITE, right, scored

ORIGINS = {"exam": "native", "mood": "native", "story": "translated", "nli": "machine translated", "english": "native"}
ORIGINS |= {"summary": "native"}
SUITE = replace(NO_SUITE, origins=ORIGINS)


def task(count, language="th", chance=0.5, rows=True):
    """Answers to forty rows that are clusters of their own."""
    return toy(right(count, 40), chance=chance, language=language, dataset=f"{count}{language}", has_rows=rows)


def test_means_by_hand(tmp_path):
    tasks = {"exam": task(24), "mood": task(30), "story": task(22), "nli": task(26, rows=False)}
    tasks["english"] = task(36, language="en")
    tasks["summary"] = task(39, chance=0.0)  # no chance level: written freely
    tasks["exam_litilo_ppl"] = task(39)  # not of a plain run
    [found] = native_table(scored(tmp_path, {"m": tasks}, suite=SUITE)).to_dict("records")
    assert (found["model"], found["language"], found["native_tasks"], found["translated_tasks"]) == ("m", "th", 2, 2)
    assert (found["native"], found["translated"], found["difference"]) == pytest.approx((35.0, 20.0, 15.0))
    # two independent tasks of 40 rows, with one right and one wrong answer more, on a scale of 200 points
    shares = [(24 / 40, 25 / 42), (30 / 40, 31 / 42)]
    parts = [max(p * (1 - p) / 39, q * (1 - q) / 40) / 4 for p, q in shares]
    degrees = sum(parts) ** 2 / sum(part**2 / 39 for part in parts)
    half = 200 * stats.t.ppf(0.975, degrees) * sum(parts) ** 0.5
    assert (found["native_low"], found["native_high"]) == pytest.approx((35 - half, 35 + half))
    assert found["translated_low"] != found["translated_low"] and found["difference_low"] != found["difference_low"]


def test_a_chat_task_shares_the_weight_of_the_ranked_one_on_the_same_rows(tmp_path):
    tasks = {"exam": task(30), "exam_chat": task(20), "mood": task(36), "story": task(22)}
    for name in ("exam", "exam_chat"):
        tasks[name]["metadata"]["dataset"] = "exam"
    suite = replace(NO_SUITE, origins=ORIGINS | {"exam_chat": "native"})
    [found] = native_table(scored(tmp_path, {"m": tasks}, suite=suite)).to_dict("records")
    assert (found["native"], found["native_tasks"]) == (pytest.approx(((50 + 0) / 2 + 80) / 2), 3)


def test_a_model_with_lite_tasks_alone_is_named(tmp_path):
    """Where another ran the whole ones. A model that ran both lacks nothing."""
    of_model = {
        "whole": {"exam": task(24), "story": task(22), "story_lite": task(20)},
        "lite": {"exam_lite": task(24), "story_lite": task(22), "summary_lite": task(22, chance=0.0)},
    }
    scores = scored(tmp_path, of_model, suite=SUITE)
    section = native_section(scores)
    assert list(section.tables[0].frame.model) == ["whole"]
    for text in (section.text, overview_section(scores, None, steps=False).after):
        [said] = [line for line in text if "lite tasks do not count" in line]
        assert said.endswith("so these are left out: lite (exam_lite, story_lite).")
    assert not any("lite tasks" in line for line in native_section(scored(tmp_path / "whole", suite=SUITE)).text)


def test_a_lite_task_counts_where_the_whole_one_was_not_run():
    name = "sea_xnli_th"
    listed, lite = read_tasks(), read_suite({f"{name}_lite", "sea_helm_th_nli"})
    assert lite.origins[f"{name}_lite"] == "translated" and set(lite.members) == set(listed.groups["sea_lite"])
    both = read_suite({name, f"{name}_lite"})
    assert name in both.origins and not {f"{name}_lite", f"{name}_enprompt"} & both.origins.keys()
    assert set(both.members) == set(read_suite().members) == set(listed.groups["sea_sailcompass"])
    assert {member.removesuffix("_lite"): place for member, place in lite.members.items()} == both.members
    assert lite.english_labels[f"{name}_lite"] == both.english_labels[name] != []


def test_many_models_have_one_line_in_the_overview(tmp_path):
    """From the smallest difference to the largest, each with its interval; one or two models have a line a language."""
    counts = {"org/m-1": 24, "org/m-2": 36, "org/m-3": 16}
    tasks = {model: {"exam": task(count), "story": task(22)} for model, count in counts.items()}
    [line] = native_lines(scored(tmp_path / "three", tasks, suite=replace(SUITE, languages={"th": "Thai"})))
    interval = r"\[[+−][\d.]+, [+−][\d.]+\]"
    assert re.search(rf"from −30\.0 {interval} \(org/m-3 in Thai\) to \+70\.0 {interval} \(org/m-2 in Thai\)", line), line
    assert native_lines(scored(tmp_path / "one kind", {"m": {"exam": task(24)}}, suite=SUITE)) == []
    del tasks["org/m-3"]
    first, _ = native_lines(scored(tmp_path / "two", tasks, suite=SUITE))
    assert re.match(r"org/m-1 in th: 20\.0 on rows written in the language, 10\.0 on translated ones; \+10\.0 \[−", first)
