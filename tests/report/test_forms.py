"""The same rows in several forms of answer: planted choices whose agreement, gains and losses are known."""

import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from lm_eval_sea.report.forms import forms_section, forms_table

from ..results.lm_eval_output import NEW, OLD, toy, write_run
from .planted import scored

GOLD = 1
RANKED = [1] * 20 + [0] * 20
READ = [1] * 16 + [0] * 4 + [1] * 10 + [0] * 4 + [None] * 6
BEHIND = [1] * 18 + [0] * 2 + [1] * 2 + [0] * 18


def task(choices, variant, headline, num_fewshot=3):
    facts = {"dataset": "belebele", "language": "th", "prompt_language": "th", "variant": variant}
    docs = {"gold": [GOLD] * len(choices), "predictions": [{headline: choice} for choice in choices]}
    return toy([float(choice == GOLD) for choice in choices], headline, docs, num_fewshot=num_fewshot, **facts)


def ranked(**choices):
    """A task for each variant."""
    return {variant: task(chosen, variant, "acc_ppl") for variant, chosen in choices.items()}


@pytest.fixture
def scores(tmp_path):
    template = {"chat_template_sha": "0a1b"}
    for name, one, stamp, more in (
        ("litilo_ppl", task(RANKED, "litilo_ppl", "acc_ppl"), NEW, {}),
        ("litilo_ppl", task(BEHIND, "litilo_ppl", "acc_ppl"), OLD, template),
        ("chat", task(READ, "chat", "exact_match", num_fewshot=0), OLD.replace("03-04", "04-04"), template),
    ):
        write_run(tmp_path / stamp, {f"sea_belebele_th_{name}": one}, stamp, model="m", **more)
    return scored(tmp_path)


def test_forms_by_hand(scores):
    table = forms_table(scores).set_index(["first", "second"])
    assert set(table.index) == {
        ("litilo_ppl", "read"), ("litilo_ppl, chat template", "read"), ("litilo_ppl", "litilo_ppl, chat template"),
    }  # fmt: skip
    found = table.loc[("litilo_ppl", "read")]
    assert (found.rows, found.first_score, found.second_score) == (40, 50, 65)
    same = sum(a == b for a, b in zip(RANKED, READ, strict=True))
    assert (found.agreement, found.unread, found.gained, found.lost) == pytest.approx((100 * same / 40, 15, 25, 10))
    right = [[int(choice == GOLD) for choice in choices] for choices in (RANKED, READ, BEHIND)]
    plain = [stats.ttest_rel(right[one], right[other]).pvalue for one, other in ((0, 1), (1, 2), (0, 2))]
    assert found.p == pytest.approx(multipletests(plain, method="holm")[1][0])
    assert found.difference == pytest.approx(15)
    assert found.exemplars == "3 and 0", "part of the difference may be theirs"
    assert table.loc[("litilo_ppl", "litilo_ppl, chat template")].exemplars == "3"


def test_two_tasks_of_sea_helm_are_no_forms_of_one(tmp_path):
    """They are one data set, whose rows are numbered alike; only sentiment was ranked after the chat template, too."""
    tasks = {"nli": task([0] * 40, "ppl", "acc"), "sentiment": task(RANKED, "ppl", "acc")}
    for name, one in tasks.items():
        one["metadata"] |= {"dataset": "sea_helm", "suite": "sea_helm", "sea_helm_task": name}
    write_run(tmp_path / "both", {f"sea_helm_th_{name}_ppl": one for name, one in tasks.items()}, OLD, model="m")
    again = {"sea_helm_th_sentiment_ppl": tasks["sentiment"]}
    write_run(tmp_path / "again", again, NEW, model="m", chat_template_sha="0a1b")
    [found] = forms_table(scored(tmp_path)).to_dict("records")
    assert (found["dataset"], found["first"], found["second"]) == ("sea_helm sentiment", "ppl", "ppl, chat template")
    assert (found["first_score"], found["second_score"], found["agreement"]) == (50, 50, 100)


def test_the_page_has_a_panel_a_model(scores):
    [panel] = forms_section(scores).figures[0].chart.panels
    [line] = panel.lines
    marks = {mark.series: mark.value for mark in line.marks}
    assert (panel.title, marks) == ("m", {"litilo_ppl": 50, "litilo_ppl, chat template": 50, "read": 65})


@pytest.mark.parametrize("have_names", [True, False])
def test_rows_that_are_logged_twice_are_paired_once(tmp_path, have_names):
    """By number where they have no names."""
    tasks = ranked(litilo_ppl=RANKED, to_ppl=BEHIND)
    for one in tasks.values():
        for row in one["rows"]:
            row["doc"] = row["doc"] if have_names else {key: part for key, part in row["doc"].items() if key != "id"}
        one["rows"] *= 2
    [found] = forms_table(scored(tmp_path, {"m": tasks})).to_dict("records")
    assert (found["rows"], found["first_score"], found["second_score"]) == (40, 50, 50)
    assert found["difference"] == 0 and found["difference_low"] == pytest.approx(-found["difference_high"])


def test_the_figure_has_scores_on_the_same_rows(tmp_path):
    """The read form was asked half of them: beside it, another form is right on other rows than beside a third."""
    tasks = ranked(litilo_ppl=RANKED, to_ppl=BEHIND) | {"chat": task(READ[:20], "chat", "exact_match")}
    figure, table = forms_section(scored(tmp_path, {"m": tasks})).parts
    [line] = figure.chart.panels[0].lines
    assert len(table.frame) == 3 and {mark.series: mark.value for mark in line.marks} == {"litilo_ppl": 50, "to_ppl": 50}


def test_a_base_model_has_letters_beside_texts_of_options(tmp_path):
    tasks = ranked(litilo_ppl=RANKED, to_ppl=BEHIND, tito_ppl=RANKED)
    table = forms_table(scored(tmp_path, {"m": tasks})).set_index(["first", "second"])
    assert set(table.index) == {("litilo_ppl", "to_ppl"), ("litilo_ppl", "tito_ppl")}
    assert table.loc[("litilo_ppl", "to_ppl")].agreement == pytest.approx(100 * 36 / 40)
    assert table.loc[("litilo_ppl", "tito_ppl")].agreement == 100


def test_labels_are_named_as_the_other_forms_are_and_one_form_alone_is_no_section(tmp_path):
    ranked = {"sea_xnli_th": task(RANKED, "classification", "acc_bc")}
    assert forms_section(scored(tmp_path / "one", {"m": ranked})).shown == []
    both = ranked | {"sea_xnli_th_chat": task(READ, "chat", "exact_match")}
    table = forms_table(scored(tmp_path / "both", {"m": both}))
    assert list(zip(table["first"], table["second"], strict=True)) == [("labels ranked", "read")]
