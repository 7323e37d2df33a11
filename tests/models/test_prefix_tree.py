"""The tree of sequences, the plan made of it, and the rows: pure functions against plain definitions."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea.models import planning
from lm_eval_sea.models.layout import lay_out
from lm_eval_sea.models.planning import Row, make_batches, make_plan
from lm_eval_sea.models.prefix_tree import build_tree, common_prefix, common_prefixes, sort_key

sequence = st.lists(st.integers(0, 2), min_size=1, max_size=12).map(tuple)
sequence_sets = st.sets(sequence, min_size=1, max_size=25).map(sorted)


def distinct_positions(sequences):
    return {sequence[: end + 1] for sequence in sequences for end in range(len(sequence))}


def shared_prefixes(sequences):
    return common_prefixes([sort_key(sequence) for sequence in sequences])


def plan_of(sequences, *, branches=True, pass_tokens=0):
    lengths = list(map(len, sequences))
    return make_plan(lengths, shared_prefixes(sequences), 10**6, branches=branches, pass_tokens=pass_tokens)


def nodes(root):
    yield root
    for child in root.children:
        yield from nodes(child)


def groups(group):
    yield group
    for inner in group.groups:
        yield from groups(inner)


@given(st.lists(st.lists(st.integers(0, 2**20)), min_size=1))
def test_keys_sort_as_tokens_do(sequences):
    assert sorted(sequences) == sorted(sequences, key=sort_key)


@given(sequence, sequence)
def test_common_prefix(one, other):
    length = common_prefix(sort_key(one), sort_key(other))
    assert one[:length] == other[:length]
    assert one[length : length + 1] != other[length : length + 1] or length == len(one) == len(other)


@given(sequence_sets)
def test_a_tree_has_each_position_once(sequences):
    root = build_tree(list(map(len, sequences)), shared_prefixes(sequences))
    assert root.tokens == len(distinct_positions(sequences))
    assert root.longest == max(map(len, sequences))
    for node in nodes(root):
        assert len({sequence[: node.end] for sequence in sequences[node.first : node.last]}) == 1
        assert all(child.start == node.end < child.end for child in node.children)


def test_a_deep_tree_needs_no_deep_stack():
    sequences = [tuple([7] * length) for length in range(1, 3001)]
    assert plan_of(sequences).distinct_tokens == 3000


@given(sequence_sets, st.integers(1, 16), st.sampled_from([0.0, 0.05, 1.0]), st.booleans())
def test_a_plan_computes_each_sequence_once(sequences, row_tokens, worth_sharing, branches):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planning, "ROW_TOKENS", row_tokens)
        patch.setattr(planning, "PACKED_ROW_TOKENS", row_tokens)
        patch.setattr(planning, "WORTH_SHARING", worth_sharing)
        plan = plan_of(sequences, branches=branches)
    computed = []
    for group in groups(plan.group):
        inside = sequences[group.first : group.last]
        assert len({sequence[: group.end] for sequence in inside if len(sequence) >= group.end}) == 1
        if group.end:
            computed += [sequence for sequence in inside if len(sequence) <= group.end]
        for row in group.rows:
            assert row.start == group.end
            held = sequences[row.first : row.last]
            assert all(len(sequence) > row.start for sequence in held)
            assert row.tokens == len({position for position in distinct_positions(held) if len(position) > row.start})
            computed += held
            assert branches or all(longer[: len(shorter)] == shorter for shorter, longer in itertools.pairwise(held))
    assert sorted(computed) == sequences


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


@given(sequence_sets, st.integers(0, 3))
def test_a_row_holds_its_sequences(sequences, start):
    sequences = [sequence for sequence in sequences if len(sequence) > start and sequence[:start] == sequences[-1][:start]]
    layout = lay_out(sequences, shared_prefixes(sequences), start) if sequences else None
    if layout is None:
        return
    assert len(layout.tokens) == len({position for position in distinct_positions(sequences) if len(position) > start})
    slots = range(len(layout.tokens))
    for sequence, pieces in zip(sequences, layout.pieces, strict=True):
        path = [piece.slot + step for piece in pieces for step in range(piece.end - piece.start)]
        assert [layout.tokens[slot] for slot in path] == list(sequence[start:])
        assert [layout.positions[slot] for slot in path] == list(range(start, len(sequence)))
        # the last token sees just the ones of its sequence
        assert [slot for slot in slots if slot <= path[-1] < layout.ends[slot]] == path
    assert layout.is_chain == all(
        shorter == longer[: len(shorter)] for shorter, longer in zip(sequences, sequences[1:], strict=False)
    )
