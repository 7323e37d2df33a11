"""Parts of the plan that whole requests do not show: large tokens, deep trees, and the best batches.

That each sequence is computed, once and rightly, is in `test_shared_prefix.py`.
"""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea.models.planning import Row, make_batches, make_plan
from lm_eval_sea.models.prefix_tree import common_prefixes, sort_key


@given(st.lists(st.lists(st.integers(0, 2**20)), min_size=1))
def test_keys_sort_as_tokens_do(sequences):
    assert sorted(sequences) == sorted(sequences, key=sort_key)


def test_a_deep_tree_needs_no_deep_stack():
    lengths = range(1, 3001)
    shared = common_prefixes([sort_key([7] * length) for length in lengths])
    assert make_plan(lengths, shared, 10**6, branches=True, pass_tokens=0).distinct_tokens == 3000


PREFIX_MEMORY = 0.25


def fits(batch, budget):
    width = max(row.tokens for row in batch)
    return len(batch) == 1 or (width * len(batch) <= budget and (batch[0].start + width) * len(batch) * PREFIX_MEMORY <= budget)


def cost(batches, pass_tokens):
    return sum(pass_tokens + max(row.tokens for row in batch) * len(batch) for batch in batches)


@given(st.lists(st.integers(1, 60), min_size=1, max_size=7), st.integers(0, 30), st.integers(1, 200), st.integers(0, 90))
def test_no_other_batches_cost_less(sizes, prefix, budget, pass_tokens):
    """All ways to cut the sorted rows."""
    rows = [Row(prefix, number, number + 1, size) for number, size in enumerate(sorted(sizes))]
    found = []
    for cuts in itertools.product([False, True], repeat=len(rows) - 1):
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
