"""Plans of forward passes and of requests to an engine with a prefix cache.

The latter are held against the sums of a language model that looks at every token before. Of the former `test_shared_prefix.py`
has that each sequence is computed, once and rightly; here is what it does not show: large tokens, deep trees, the best batches.
"""

import math
import random
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea.models.engine_planning import EngineAnswer, Reader, Target, find_uncached, make_checks, make_plan
from lm_eval_sea.models.planning import Row, make_batches
from lm_eval_sea.models.planning import make_plan as make_plan_of_passes
from lm_eval_sea.models.prefix_tree import common_prefixes, sort_key

VOCABULARY = 5


def distribution(prefix):
    """Log-probabilities of the next token: arbitrary, and different for every prefix."""
    dice = random.Random(repr(prefix))
    weights = [dice.random() + 0.01 for _ in range(VOCABULARY)]
    return [math.log(weight / sum(weights)) for weight in weights]


def brute_force(target):
    """The score by its definition."""
    scores = [(distribution(target.tokens[:place]), target.tokens[place]) for place in range(target.first, len(target.tokens))]
    return math.fsum(logprobs[token] for logprobs, token in scores), all(max(lp) == lp[token] for lp, token in scores)


class Engine:
    """Computes the tokens that its cache of full blocks lacks, and has no log-probabilities of cached ones."""

    def __init__(self, block_size):
        self.block_size = block_size
        self.cached = set()
        self.computed = 0

    def answer(self, request):
        tokens = request.tokens
        cached = 0
        while cached + self.block_size < len(tokens) and tuple(tokens[: cached + self.block_size]) in self.cached:
            cached += self.block_size
        for end in range(self.block_size, len(tokens) + 1, self.block_size):
            self.cached.add(tuple(tokens[:end]))
        self.computed += len(tokens) - cached
        rows = (
            [(distribution(tokens[:place]), tokens[place]) for place in range(cached + 1, len(tokens))] if request.scored else []
        )
        behind = distribution(tokens)
        return EngineAnswer(
            [row[token] for row, token in rows],
            [row[token] == max(row) for row, token in rows],
            {token: (behind[token], behind[token] == max(behind)) for token in request.asked},
        )


def run(targets, block_size, most_asked):
    (requests, _), engine = make_plan(targets, block_size, most_asked), Engine(block_size)
    scores = list(Reader().read(requests, map(engine.answer, requests)))
    assert sorted(index for index, _ in scores) == list(range(len(targets)))
    return requests, engine, dict(scores)


@st.composite
def trees(draw):
    """Texts that often begin alike, scored from anywhere."""
    token = st.integers(0, VOCABULARY - 1)
    texts = [draw(st.lists(token, min_size=2, max_size=12))]
    for _ in range(draw(st.integers(0, 12))):
        start = draw(st.sampled_from(texts))
        text = start[: draw(st.integers(0, len(start)))] + draw(st.lists(token, max_size=6))
        texts.append(text if len(text) > 1 else text + [0, 1])
    return [Target(text, draw(st.integers(1, len(text) - 1))) for text in texts]


@given(trees(), st.sampled_from([1, 2, 3, 4]), st.sampled_from([1, 2, 128]))
def test_scores_equal_those_of_whole_texts(targets, block_size, most_asked):
    """A request costs at most one block more than its distinct tokens."""
    requests, engine, scores = run(targets, block_size, most_asked)
    assert scores == {index: pytest.approx(brute_force(target), abs=1e-9) for index, target in enumerate(targets)}
    distinct = {tuple(target.tokens[:end]) for target in targets for end in range(1, len(target.tokens) + 1)}
    assert make_plan(targets, block_size, most_asked)[1] == len(distinct)
    assert engine.computed <= len(distinct) + block_size * len(requests)
    assert all(len(request.asked) <= most_asked for request in requests)
    for before, request in pairwise(requests):
        assert before.tokens <= request.tokens
        assert request.tokens[: request.shared] == before.tokens[: request.shared]


def test_letters_after_one_prompt_are_one_request():
    """The prompt itself is scored or not."""
    prompt = [1, 2, 3, 4, 0, 1]
    letters = [Target([*prompt, letter], len(prompt)) for letter in range(4)]
    requests, *_ = run(letters, 2, 128)
    assert [(request.tokens, request.asked, request.scored) for request in requests] == [(prompt, [0, 1, 2, 3], False)]
    requests, engine, _ = run([*letters, Target(prompt, 1)], 2, 128)
    assert [request.scored for request in requests] == [True]
    assert engine.computed == len(prompt)


@pytest.mark.parametrize("first", [4, 5])
def test_tokens_right_after_a_cached_block_are_asked_for_only_if_scored(first):
    """The token at position 4 stands right behind a cached block of four."""
    prompt = [1, 2, 3, 4]
    targets = [Target([*prompt, token, 2, 3], first) for token in (0, 1, 2)]
    requests, engine, _ = run(targets, 4, 128)
    asked = [request.asked for request in requests if request.asked]
    assert asked == ([[0, 1, 2]] if first == 4 else [])
    assert engine.computed == 4 + 3 * 3


def test_tokens_cached_by_an_earlier_call_have_no_score():
    target, other = Target([1, 2, 3, 4, 0], 2), Target([4, 4, 4], 1)
    (requests, _), engine = make_plan([target, other], 2, 128), Engine(2)
    engine.answer(requests[0])
    scores = dict(Reader().read(requests, map(engine.answer, requests)))
    assert scores == {0: None, 1: pytest.approx(brute_force(other))}


@given(trees(), st.sampled_from([2, 3, 4]))
def test_the_self_check_reads_the_cache_of_an_uncached_request(targets, block_size):
    """It costs at most two blocks, and it scores tokens of that request."""
    (requests, _), engine = make_plan(targets, block_size, 128), Engine(block_size)
    number = find_uncached(requests, block_size)
    if number is None:
        before = [one for one, request in pairwise(requests) if request.shared >= block_size]
        assert all(len(one.tokens) < block_size + 2 or one.shared >= block_size for one in before)
        return
    for request in requests[:number]:
        engine.answer(request)
    before, uncached = engine.computed, requests[number]
    engine.answer(uncached)
    assert engine.computed - before == len(uncached.tokens)
    for check in make_checks(uncached, block_size):
        answer = engine.answer(check)
        known = [*answer.logprobs, *(logprob for logprob, _ in answer.asked.values())]
        end = len(check.tokens) + len(answer.asked)
        assert known
        assert uncached.tokens[:end] == [*check.tokens, *check.asked]
        assert known == [distribution(uncached.tokens[:place])[uncached.tokens[place]] for place in range(end - len(known), end)]
    assert engine.computed - before <= len(uncached.tokens) + 2 * block_size


@given(st.lists(st.lists(st.integers(0, 2**20)), min_size=1))
def test_keys_sort_like_tokens(sequences):
    assert sorted(sequences) == sorted(sequences, key=sort_key)


def test_a_deep_tree_does_not_overflow_the_stack():
    lengths = range(1, 3001)
    shared = common_prefixes([sort_key([7] * length) for length in lengths])
    [row] = make_plan_of_passes(lengths, shared, 10**6, branches=True, pass_tokens=0).rows
    assert row.tokens == 3000


PREFIX_MEMORY = 0.25


def fits(batch, budget):
    width = max(row.tokens for row in batch)
    return len(batch) == 1 or (width * len(batch) <= budget and (batch[0].start + width) * len(batch) * PREFIX_MEMORY <= budget)


def cost(batches, pass_tokens):
    return sum(pass_tokens + max(row.tokens for row in batch) * len(batch) for batch in batches)


@given(st.lists(st.integers(1, 60), min_size=1, max_size=7), st.integers(0, 30), st.integers(1, 200), st.integers(0, 90))
def test_no_other_batches_cost_less(sizes, prefix, budget, pass_tokens):
    """Compares with all ways to cut the sorted rows."""
    rows = [Row(prefix, number, number + 1, size) for number, size in enumerate(sorted(sizes))]
    found = []
    for cuts in product([False, True], repeat=len(rows) - 1):
        batches = [rows[:1]]
        for row, cut in zip(rows[1:], cuts, strict=True):
            if cut:
                batches.append([])
            batches[-1].append(row)
        if all(fits(batch, budget) for batch in batches):
            found.append(cost(batches, pass_tokens))
    batches = make_batches(rows, budget, pass_tokens, PREFIX_MEMORY)
    assert sorted(row.first for batch in batches for row in batch) == list(range(len(sizes)))
    assert all(fits(batch, budget) for batch in batches)
    assert cost(batches, pass_tokens) == min(found)
