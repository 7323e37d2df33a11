"""The order of evaluation: `--limit` takes a fair sample."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea.tasks._shared.row_order import fair_order

ROWS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 20)), min_size=21, max_size=120)


def rows_of(drawn):
    return [{"id": str(number), "gold": gold, "cluster": str(cluster)} for number, (gold, cluster) in enumerate(drawn)]


@given(ROWS)
def test_every_beginning_has_the_labels_of_the_whole(drawn):
    """Within one row of the exact share for each label, and half a row more for each other label that rounds against it."""
    rows = rows_of(drawn)
    order = fair_order(rows)
    assert sorted(order) == list(range(len(rows))), "every row stands once"
    whole = Counter(row["gold"] for row in rows)
    for length in range(1, len(rows) + 1):
        found = Counter(rows[position]["gold"] for position in order[:length])
        for label, count in whole.items():
            assert abs(found[label] - length * count / len(rows)) <= 0.5 + 0.5 * len(whole)


@given(ROWS)
def test_a_passage_comes_again_only_when_all_of_its_label_have_come(drawn):
    rows = rows_of(drawn)
    seen: dict[tuple[int, str], int] = Counter()
    last: dict[int, int] = {}
    for position in fair_order(rows):
        gold, cluster = rows[position]["gold"], rows[position]["cluster"]
        times = seen[gold, cluster]
        assert times >= last.get(gold, 0)
        last[gold] = times
        seen[gold, cluster] += 1


@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_the_file_makes_no_difference(drawn, random):
    """Translations of a test have the same rows in another order; a limited run takes the same ones."""
    rows = rows_of(drawn)
    shuffled = random.sample(rows, len(rows))
    assert [rows[position]["id"] for position in fair_order(rows)] == [
        shuffled[position]["id"] for position in fair_order(shuffled)
    ]
