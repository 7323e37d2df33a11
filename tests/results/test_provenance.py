"""Where the provenance of results is found, and text that is made safe to look at."""

import csv
import io

from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea.results.provenance import provenance_of
from lm_eval_sea.results.visible_text import one_line, spreadsheet_cell, visible

FLAT = {"data_sha256": "0123456789abcdef", "data_revision": "f00", "pack_version": "0.1.0", "signatures": {"bleu": "tok:13a"}}


def test_both_places_are_read_alike():
    for metadata in ({"version": 1.0, **FLAT}, {"version": 1.0, "provenance": FLAT}):
        found = provenance_of(metadata)
        assert found._asdict() == FLAT and found.data == "0123456789ab"


@given(
    st.dictionaries(st.sampled_from([*FLAT, "provenance"]), st.one_of(st.none(), st.integers(), st.text(), st.lists(st.none())))
)
def test_anything_may_stand_there(metadata):
    found = provenance_of(metadata)
    assert isinstance(found.signatures, dict) and (found.data is None or isinstance(found.data, str))


@given(st.text())
def test_visible_text_can_be_written_and_has_no_controls(text):
    shown = visible(text)
    shown.encode()
    assert not set(shown) & {"\x1b", "\x00", "\x9b", "\u202e", "\u2066"}
    assert "\n" not in one_line(text)


def test_text_of_the_region_stays():
    for text in ("ភាសា​ខ្មែរ", "မြန်မာ‌ဘာသာ", "ไทย", "a\tb\nc"):  # with zero-width spaces and joiners
        assert visible(text) == text
    assert visible("a\x1b[31mb\u202ec\ud800") == "a\\x1b[31mb\\u202ec\\ud800"


@given(st.text())
def test_no_cell_begins_a_formula(text):
    file = io.StringIO()
    csv.writer(file).writerow([spreadsheet_cell(text), "x"])
    [[cell, _]] = csv.reader(io.StringIO(file.getvalue(), newline=""))
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))
    assert spreadsheet_cell(-5.0) == -5.0
