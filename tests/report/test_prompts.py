"""Spread over prompts, by hand."""

import numpy as np
import pandas as pd
import pytest

from lm_eval_sea.report.robustness import prompt_scores, prompts_section, robustness_section, robustness_table, spread_table
from lm_eval_sea.report.scores import scores_of
from lm_eval_sea.results.read import read
from lm_eval_sea.results.table import table_of
from tests.results.lm_eval_output import write_run

from .planted import at, plant


def headline(*rows):
    """Rows of (model, task, setting, score, number of rows)."""
    facts = {
        "dataset": "xnli",
        "language": "th",
        "prompt_language": "th",
        "variant": "classification",
        "chance": 33.3,
        "num_fewshot": 3,
    }
    names = ("model", "task", "setting", "score", "rows")
    return pd.DataFrame([facts | dict(zip(names, row, strict=True)) | {"limited": False, "stderr": 5.0} for row in rows])


BOTH = headline(
    ("a", "t", "", 50.0, 100), ("a", "t_p2", "p2", 40.0, 100), ("a", "t_p3", "p3", 60.0, 100), ("a", "t_e1", "e1", 55.0, 100),
    ("b", "t", "", 50.0, 100), ("b", "t_p2", "p2", 45.0, 100), ("b", "t_p3", "p3", 30.0, 100), ("b", "t_lite", "lite", 99.0, 100),
    ("b", "other", "", 10.0, 100),
)  # fmt: skip


def test_spread_and_worst_case():
    """One prompt, or scores on other numbers of rows, make no table."""
    table = spread_table(prompt_scores(BOTH))
    assert len(table) == 3
    row = at(table, model="a", varied="wording")
    assert (row["prompts"], row["plain"], row["mean"], row["worst"], row["best"], row["spread"]) == (3, 50, 50, 40, 60, 20)
    row = at(table, model="a", varied="exemplars")
    assert (row["prompts"], row["worst"], row["best"]) == (2, 50, 55)
    row = at(table, model="b", varied="wording")
    assert (row["prompts"], row["worst"], row["spread"]) == (3, 30, 20)
    assert row["mean"] == pytest.approx(125 / 3)
    for other in (("a", "t_p2", "p2", 0.0, 10), ("b", "t", "", 50.0, 100)):
        assert spread_table(prompt_scores(headline(("a", "t", "", 50.0, 100), other))).empty


def test_prompts_with_other_exemplars_are_not_compared(tmp_path):
    """Nor are variants: the spread would be that of the exemplars. Those that share a number of exemplars are."""
    tasks = [
        ("xnli_th", "", "classification", 3),
        *((f"xnli_th_p{n}", f"p{n}", "classification", shots) for n, shots in ((2, 0), (3, 3))),
    ]
    tasks += [(f"belebele_th_{name}", "", name, shots) for name, shots in (("to_ppl", 3), ("tito_ppl", 0), ("litilo_ppl", 0))]
    runs = {
        f"sea_{name}": {
            "scores": {"acc_ppl,none": 0.1 * place + 0.2},
            "metadata": {"headline_metric": "acc_ppl", "dataset": name.partition("_")[0], "language": "th"}
            | {"setting": setting, "variant": variant},
            "num_fewshot": shots,
        }
        for place, (name, setting, variant, shots) in enumerate(tasks)
    }
    counts = {name: {"original": 100, "effective": 100} for name in runs}
    write_run(tmp_path, runs, **{"n-samples": counts})
    scores = scores_of(read(tmp_path).best())
    [wordings] = spread_table(prompt_scores(scores.headline)).to_dict("records")
    assert (wordings["prompts"], wordings["num_fewshot"]) == (2, 3) and wordings["spread"] == pytest.approx(20)
    variants = robustness_table(scores.headline).set_index("num_fewshot")
    assert variants.spread[0] == pytest.approx(10) and np.isnan(variants.spread[3])
    assert "sea_xnli_th_p2: 0 instead of 3" in table_of(read(tmp_path).best())


def test_both_pages_of_prompts_say_what_of_a_spread_is_chance(tmp_path):
    scores = scores_of(read(plant(tmp_path)).best())
    for section in (robustness_section(scores), prompts_section(scores)):
        assert "Part of a spread is chance" in section.text[0] and "the more prompts, the further apart" in section.text[0]
        assert "by chance" in [column.title for column in section.parts[-1].columns]


@pytest.mark.parametrize("agreement", [0.0, 0.5])
def test_equally_good_prompts_are_below_the_spread_that_chance_makes(agreement):
    """In 95 % of the draws, in more where answers to the same row agree. Each draw is a model of one table."""
    draw, rows, errors = np.random.default_rng(0), [], []
    for model in range(1000):
        shared = draw.random(100) < 0.6
        right = np.where(draw.random((3, 100)) < agreement, shared, draw.random((3, 100)) < 0.6)
        rows += [(f"m{model}", f"t_p{n}", f"p{n}" if n else "", share, 100) for n, share in enumerate(100 * right.mean(axis=1))]
        errors += [*(100 * right.std(axis=1, ddof=1) / 10)]
    table = spread_table(prompt_scores(headline(*rows).assign(stderr=errors)))
    assert len(table) == 1000
    below = np.mean(table.spread <= table.by_chance)
    assert below == pytest.approx(0.95, abs=0.015) if agreement == 0 else below > 0.965
