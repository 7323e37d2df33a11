"""Scores from verdicts, and what is said before the first call, worked out by hand."""

from types import SimpleNamespace

import pytest

from lm_eval_sea.sea_helm.judge import estimate_of
from lm_eval_sea.sea_helm.judge_calls import Answer, Cache, Call, key_of
from lm_eval_sea.sea_helm.judge_rows import Conversation, Criterion
from lm_eval_sea.sea_helm.judge_scores import by_category, of_criteria, of_pairs, of_severities, of_turns

CLASSES = {"CLASS_UNMET": 0.0, "CLASS_SLIGHTLY_MET": 0.25, "CLASS_EXACTLY_MET": 1.0}


def row(*criteria, turns=2):
    texts = tuple("x" * turns)
    return Conversation(0, "a", texts, texts, tuple(Criterion(*criterion) for criterion in criteria))


def test_a_turn_weighs_the_same_however_many_criteria_it_has():
    one = row((0, "a"), (0, "b"), (0, "c"), (1, "d"))
    verdicts = {(0, 0): "CLASS_EXACTLY_MET", (0, 1): "CLASS_UNMET", (0, 2): None, (1, 3): "CLASS_EXACTLY_MET"}
    assert of_turns(one, verdicts, CLASSES) == pytest.approx((1 / 3 + 1) / 2)
    assert of_criteria(one, verdicts, CLASSES) == pytest.approx(2 / 4)
    without = row((0, "a"))
    assert of_turns(without, {(0, 0): "CLASS_EXACTLY_MET"}, CLASSES) == 0.5  # the second turn has no criteria


def test_severities_weigh_10_5_and_1_and_generic_ones_multiply():
    one = row((0, "a", "high"), (0, "b", "medium"), (0, "c", "low"), (0, "d", "generic"), (0, "e", "generic"), turns=1)
    met = {(0, 0): "CLASS_EXACTLY_MET", (0, 1): "CLASS_UNMET", (0, 2): "CLASS_EXACTLY_MET"}
    generic = {(0, 3): "CLASS_EXACTLY_MET", (0, 4): "CLASS_UNMET"}
    assert of_severities(one, met | generic, CLASSES) == pytest.approx((10 + 1) / (10 + 5 + 1) * 1 / 2)
    assert of_severities(row((0, "a", "high"), turns=1), {(0, 0): "CLASS_EXACTLY_MET"}, CLASSES) == 0


@pytest.mark.parametrize(
    ("model_first", "baseline_first", "expected"),
    [("A", "B", 1), ("B", "A", 0), ("C", "C", 0.5), ("A", "A", 0.5), ("A", None, 0.5), (None, None, 0), ("C", "B", 0.5)],
)
def test_pairs_in_both_orders(model_first, baseline_first, expected):
    one = row(turns=1)
    assert of_pairs(one, {(0, 0): model_first, (0, 1): baseline_first}, {}) == expected


def test_categories():
    rows = [row(turns=1), row(turns=1), Conversation(1, "b", ("x",), ("x",))]
    assert by_category(rows, [0.0, 1.0, 0.25]) == {"a": 0.5, "b": 0.25}


def test_an_estimate_is_of_answers_so_far_or_names_its_assumptions(tmp_path):
    contents = [f"{number:400}" for number in range(102)]
    calls = [Call([{"role": "system", "content": content}, {"role": "user", "content": "y" * 3600}], {}) for content in contents]
    cache = Cache(tmp_path / "verdicts.jsonl")
    text = estimate_of([SimpleNamespace(calls=calls[:100], cache=cache)], "judge", 5, None)
    # 100 calls of 4,000 bytes at 4 bytes per token; 800 tokens each; 15 s each, five at once
    assert text.startswith("100 calls, about 100,000 tokens of input and 80,000 of output, 5.0 min with 5 at once")
    assert "if an answer takes 15 s and 800 tokens" in text and "cost unknown" in text
    for call, answer in zip(calls[100:], (Answer("a", 30.0, 900, 100), Answer("b", 90.0, 900, 300)), strict=True):
        cache.add(key_of("judge", call), vars(answer))
    text = estimate_of([SimpleNamespace(calls=calls, cache=cache)], "judge", 10, (2.0, 8.0))
    assert "100 calls, " in text and "20,000 of output, 10.0 min with 10 at once (as in 2 answers so far)" in text
    assert text.endswith("cost about 0.36")  # 100,000 · 2 + 20,000 · 8 per million
