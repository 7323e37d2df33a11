"""A file of results that survives whatever cuts it off."""

from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea.sea_helm.row_scores import KeyedLines

RECORDS = {str(number): {"text": f"jawaban {number} ก\n", "number": number} for number in range(5)}


@given(st.integers(0, 400), st.booleans())
def test_a_file_cut_off_anywhere_keeps_its_whole_lines(tmp_path_factory, length, goes_on):
    path = tmp_path_factory.mktemp("lines") / "x.jsonl"
    lines = KeyedLines(path)
    for key, record in RECORDS.items():
        lines.add(key, record)
    content = path.read_bytes()[:length]
    path.write_bytes(content)
    read = KeyedLines(path)
    whole = content.count(b"\n")
    kept = [key for key in RECORDS if read.get(key) is not None]
    assert kept[:whole] == list(RECORDS)[:whole] and len(kept) <= whole + 1  # a line may lack nothing but its end
    assert all(read.get(key) == RECORDS[key] for key in kept)
    if goes_on:
        read.add("new", {"text": "x"})
        again = KeyedLines(path)
        assert again.get("new") == {"text": "x"} and all(again.get(key) == RECORDS[key] for key in kept)


def test_lines_that_are_no_records_are_skipped(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'[1]\n"key"\n{"text": "no key"}\n\xff\xfe\n{"key": "a", "text": "b"}\n')
    assert KeyedLines(path).get("a") == {"text": "b"}
