"""Spread over prompts, by hand."""

import numpy as np
import pandas as pd
import pytest

from lm_eval_sea.report.provenance import provenance_section
from lm_eval_sea.report.robustness import not_compared, prompt_scores, robustness_table, spread_table
from lm_eval_sea.results.read import read
from lm_eval_sea.results.table import table_of

from ..results.lm_eval_output import toy
from .planted import at, scored


def headline(*rows):
    """Rows of (model, task, setting, score, number of rows)."""
    table = pd.DataFrame(rows, columns=["model", "task", "setting", "score", "rows"])
    table = table.assign(dataset="xnli", language="th", prompt_language="th", variant="classification")
    return table.assign(chance=33.3, num_fewshot=3, limited=False, stderr=5.0)


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
    [said] = not_compared(headline(("a", "t", "", 50.0, 40), ("a", "t_p2", "p2", 60.0, 100), ("b", "t_lite", "lite", 50.0, 100)))
    assert "lacks t_p2 of a: the plain task" in said and not_compared(BOTH) == []


def test_prompts_with_other_exemplars_are_not_compared(tmp_path):
    """Nor are variants: the spread would be that of the exemplars. Those that share a number of exemplars are."""
    tasks = {}
    for setting, score, shots in (("", 0.2, 3), ("p2", 0.3, 0), ("p3", 0.4, 3)):
        facts = {"dataset": "xnli", "setting": setting, "variant": "classification", "num_fewshot": shots}
        tasks[f"sea_xnli_th_{setting}".rstrip("_")] = toy([score], has_rows=False, **facts)
    for variant, score, shots in (("to_ppl", 0.5, 3), ("tito_ppl", 0.6, 0), ("litilo_ppl", 0.7, 0)):
        tasks[f"sea_{variant}"] = toy([score], has_rows=False, dataset="belebele", variant=variant, num_fewshot=shots)
    scores = scored(tmp_path, {"m": tasks}, rows=100)
    [wordings] = spread_table(prompt_scores(scores.headline)).to_dict("records")
    assert (wordings["prompts"], wordings["num_fewshot"]) == (2, 3) and wordings["spread"] == pytest.approx(20)
    variants = robustness_table(scores.headline).set_index("num_fewshot")
    assert variants.spread[0] == pytest.approx(10) and np.isnan(variants.spread[3])
    assert "sea_xnli_th_p2: 0 instead of 3" in table_of(read(tmp_path).best())
    assert provenance_section(scores).tables[0].frame.warning.str.contains("lacks sea_xnli_th_p2 of m: the plain task").any()


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
