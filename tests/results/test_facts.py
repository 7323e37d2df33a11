"""Where the facts of a task stand in its results, and text that is made safe to look at."""

from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea.results.facts import facts_of
from lm_eval_sea.results.visible_text import visible

MADE_ON = {"data_sha256": "0123456789abcdef", "data_revision": "f00", "pack_version": "0.1.0", "signatures": {"bleu": "tok:13a"}}
MADE_ON |= {"rows": 900, "chance": 0.25, "headline_metric": "acc", "data_source": "org/rows", "data_files": {"test": "th.jsonl"}}
IS = {"version": 1.0, "dataset": "toy", "language": "th", "variant": "to_ppl"}


def test_both_places_are_read_alike():
    """Results of earlier versions have all in `metadata`; later ones have what the task was made on in `provenance` within."""
    flat = facts_of(IS | MADE_ON)
    for chosen in (["data_sha256"], ["rows", "chance"], list(MADE_ON)):
        nested = {name: MADE_ON[name] for name in chosen}
        outside = {name: value for name, value in MADE_ON.items() if name not in chosen}
        assert facts_of(IS | outside | {"provenance": nested}) == flat
    assert (flat.digest, flat.rows, flat.chance) == ("0123456789ab", 900, 0.25)
    assert (flat.headline_metric, flat.data_file) == ("acc", "th.jsonl")


JUNK = st.one_of(st.none(), st.integers(), st.floats(), st.text(), st.lists(st.none()), st.dictionaries(st.text(), st.none()))


@given(st.dictionaries(st.sampled_from([*IS, *MADE_ON, "provenance", "labels", "subset", "data_splits"]), JUNK))
def test_anything_may_stand_there(metadata):
    found = facts_of(metadata)
    assert isinstance(found.headline_metric, str) and 0 <= found.chance < 1 and isinstance(found.signatures, dict)
    assert found.rows is None or found.rows > 0


def test_text_of_the_region_stays():
    for text in ("ភាសា​ខ្មែរ", "မြန်မာ‌ဘာသာ", "ไทย", "a\tb\nc"):  # with zero-width spaces and joiners
        assert visible(text) == text
    assert visible("a\x1b[31mb\u202ec\ud800") == "a\\x1b[31mb\\u202ec\\ud800"
