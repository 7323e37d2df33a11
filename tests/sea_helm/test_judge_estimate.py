"""What is said before the first call, worked out by hand."""

from lm_eval_sea.sea_helm.judge import estimate
from lm_eval_sea.sea_helm.judge_calls import Answer, Call

CALLS = [Call([{"role": "system", "content": "x" * 400}, {"role": "user", "content": "y" * 3600}], {})] * 100


def test_without_an_answer_the_assumptions_are_named():
    text = estimate(CALLS, [], 5, None)
    # 100 calls of 4,000 bytes at 4 bytes per token; 800 tokens each; 15 s each, five at once
    assert text.startswith("100 calls, about 100,000 tokens of input and 80,000 of output, 5.0 min with 5 at once")
    assert "if an answer takes 15 s and 800 tokens" in text and "cost not known" in text


def test_answers_so_far_are_the_basis_and_prices_give_the_cost():
    known = [Answer("a", 30.0, 900, 100), Answer("b", 90.0, 900, 300)]
    text = estimate(CALLS, known, 10, (2.0, 8.0))
    assert "20,000 of output, 10.0 min with 10 at once (as in 2 answers so far)" in text
    assert text.endswith("cost about 0.36")  # 100,000 · 2 + 20,000 · 8 per million
