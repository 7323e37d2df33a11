"""data files that are cut, doubled, stale or strange."""

import json
import logging
import os
import re

import pytest

from lm_eval_sea.data.check import check_data, render
from lm_eval_sea.tasks._shared.hub_files import DataError

from .conftest import edit

TASK = "sea_xcopa_vi_to_ppl"
FILE = "sail/Sailcompass_data/data/xcopa/vi_test.jsonl"
BELEBELE_TASK = "sea_belebele_th_to_ppl"
BELEBELE = "sail/Sailcompass_data/data/belebele/tha_Thai.jsonl"
HELM_TASK = "sea_helm_id_sentiment"

INVISIBLE = {
    "zero-width space": "\u200b",
    "joiner": "\u200d",
    "byte-order mark": "\ufeff",
    "soft hyphen": "\u00ad",
    "direction marks": "\u202e\u200f\u2069",
    "blank of Braille": "\u2800",
    "Hangul filler": "\u3164",
    "control": "\x07",
    "no-break space": "\u00a0\u200b",
    "variation selector": "\ufe0f",
}


def refusals(load, pack, name):
    """What a run says, and what `data check` says, of a file that cannot be used."""
    with pytest.raises(Exception) as caught:
        load(name)
    said = str(caught.value)
    assert type(caught.value).__name__ == "DataError", repr(caught.value)
    assert "\n" not in said
    report = check_data(pack[name])
    assert report.faults, "data check is content"
    render(report).encode()
    return said, " ".join(report.faults)


def test_a_file_that_was_cut_short(mirror, load_task, pack, caplog):
    """a file of which a part is missing: both numbers are said"""
    path = mirror / FILE
    path.write_text("".join(path.read_text(encoding="utf-8").splitlines(keepends=True)[:2]), encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        load_task(TASK)
    [said] = [record.getMessage() for record in caplog.records if "the catalogue has" in record.getMessage()]
    assert "has 2 rows; the catalogue has 500" in said
    assert any("2 rows; expected 500" in fault for fault in check_data(pack[TASK]).faults)


@pytest.mark.parametrize("cut", [1, 40, 200])
def test_a_last_line_that_was_cut(cut, mirror, load, pack):
    """a file that ends inside a row"""
    path = mirror / FILE
    path.write_bytes(path.read_bytes()[:-cut])
    if cut == 1:  # without its last line break the file is whole
        assert len(load(TASK).rows) == 4
    else:
        assert re.search(r"vi_test.jsonl, row 3: no JSON", refusals(load, pack, TASK)[0])


def test_a_part_that_is_there_twice(mirror, load, pack):
    """rows with ids of their own, written twice"""
    path = mirror / BELEBELE
    path.write_bytes(path.read_bytes() * 2)
    said, checked = refusals(load, pack, BELEBELE_TASK)
    assert re.search(r"row 4: the id '.*' is that of row 0, too", said)
    assert "row 4" in checked and "row 0" in checked


def test_a_part_without_ids_that_is_there_twice(mirror, load, pack):
    """rows without ids, written twice: `data check` lists them"""
    source = pack["sea_xnli_th"].source
    path = mirror / source.repository / dict(source.files)["test"]
    rows = len(load("sea_xnli_th").rows)
    text = path.read_text(encoding="utf-8")
    path.write_text(json.dumps(json.loads(text) * 2) if text.startswith("[") else text * 2, encoding="utf-8")
    assert check_data(pack["sea_xnli_th"]).repeated == list(range(rows, 2 * rows))


def test_a_file_without_ids_with_more_rows_than_the_catalogue(mirror, load_task, pack, caplog):
    """rows without ids, written more than once, so that there are more than the catalogue's: how many repeat others is said"""
    source, expected = pack["sea_vsmec_vi"].source, pack["sea_vsmec_vi"].metadata["rows"]
    path = mirror / source.repository / dict(source.files)["test"]
    rows = path.read_text(encoding="utf-8").splitlines(keepends=True)
    times = expected // len(rows) + 1
    path.write_text("".join(rows * times), encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        load_task("sea_vsmec_vi")
    [said] = [record.getMessage() for record in caplog.records if "the catalogue has" in record.getMessage()]
    assert f"has {len(rows) * times} rows; the catalogue has {expected}; {len(rows) * (times - 1)} of them repeat others" in said


@pytest.mark.parametrize(
    "content", [b"", b"\n\n", b"{}", b"null\n", b"[]", b"\x00\x01\x02\xff", b"PK\x03\x04 no archive", b"<html>"]
)
def test_a_file_of_something_else(content, mirror, load, pack):
    """a file without rows, or of another kind"""
    (mirror / FILE).write_bytes(content)
    assert "xcopa/vi_test.jsonl" in refusals(load, pack, TASK)[0]


def test_a_folder_for_a_file(mirror, load, pack):
    """a folder in the place of the file"""
    (mirror / FILE).unlink()
    (mirror / FILE).mkdir()
    assert "vi_test.jsonl" in refusals(load, pack, TASK)[0]


def test_a_pipe_for_a_file(mirror, load, pack):
    """a pipe in the place of the file, which nobody writes to"""
    (mirror / FILE).unlink()
    os.mkfifo(mirror / FILE)
    assert "vi_test.jsonl" in refusals(load, pack, TASK)[0]


@pytest.mark.parametrize("byte", [b"\xff", b"\xc3(", b"\xed\xa0\x80", b"\xe0\xb8"])
def test_a_byte_that_is_not_utf_8(byte, mirror, load, pack):
    """a byte that is not UTF-8: file and row are named, by `data check` too"""
    path = mirror / FILE
    lines = path.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2].replace(b'"premise": "', b'"premise": "' + byte, 1)
    path.write_bytes(b"".join(lines))
    for said in refusals(load, pack, TASK):
        assert "vi_test.jsonl" in said and re.search(r"\brow 2\b", said), said


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_another_encoding(encoding, mirror, load, pack):
    """a file in UTF-16, or with a byte-order mark"""
    path = mirror / FILE
    path.write_bytes(path.read_text(encoding="utf-8").encode(encoding))
    if encoding == "utf-16":
        assert "vi_test.jsonl" in refusals(load, pack, TASK)[0]
    else:
        assert not any("\ufeff" in str(row) for row in load(TASK).rows)


def test_windows_line_ends(mirror, load):
    """line ends of Windows"""
    before = list(load(TASK).rows)
    path = mirror / FILE
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert list(load(TASK).rows) == before


@pytest.mark.parametrize("characters", INVISIBLE.values(), ids=INVISIBLE)
def test_an_option_that_nobody_sees(characters, mirror, load, pack):
    """an option of invisible characters only"""
    edit(mirror / FILE, lambda rows: rows[1].update(choice1=characters))
    for said in refusals(load, pack, TASK):
        assert "vi_test.jsonl, row 1: field 'options' has an empty option at position 1" in said


def test_a_text_that_nobody_sees(mirror, load, pack):
    """a question of invisible characters only"""
    edit(mirror / FILE, lambda rows: rows[3].update(premise="\u200b\u2060"))
    assert "row 3: field 'premise' is empty" in refusals(load, pack, TASK)[0]


@pytest.mark.parametrize("label", [2.9, 0.5, True, False, "2.9", "x", None, -1, 2, 1e308, [0], {"a": 1}, "NaN"], ids=repr)
def test_an_index_that_is_none(label, mirror, load, pack):
    """2.9, true, null and the like as the position of the right answer"""
    edit(mirror / FILE, lambda rows: [row.update(label=label) for row in rows])
    assert "vi_test.jsonl, row 0" in refusals(load, pack, TASK)[0]


@pytest.mark.parametrize("number", [2.9, True, "2.9", None, 0, 5, "", "nan"], ids=repr)
def test_a_number_of_an_answer_that_is_none(number, mirror, load, pack):
    """2.9, true, null and the like as the number of the right answer"""
    edit(mirror / BELEBELE, lambda rows: [row.update(correct_answer_num=number) for row in rows])
    assert "tha_Thai.jsonl, row 0" in refusals(load, pack, BELEBELE_TASK)[0]


@pytest.mark.parametrize("value", [5, None, ["a"], {"a": "b"}, True, 2.5], ids=repr)
@pytest.mark.parametrize("column", ["premise", "choice2"])
def test_a_text_that_is_none(value, column, mirror, load, pack):
    """a number, a list or nothing in the place of a text"""
    edit(mirror / FILE, lambda rows: [row.update({column: value}) for row in rows])
    assert "vi_test.jsonl, row 0" in refusals(load, pack, TASK)[0]


def test_half_a_character(mirror, load, pack):
    """half a character (a lone surrogate) in a text"""
    edit(mirror / FILE, lambda rows: rows[1].update(premise="a\ud800b"))
    assert "vi_test.jsonl" in refusals(load, pack, TASK)[0]


def test_columns_that_change(mirror, load, pack):
    """a column that has another name from the middle of the file on"""
    edit(mirror / FILE, lambda rows: rows[2].update({"choice3": rows[2].pop("choice1")}))
    assert "vi_test.jsonl, row 2" in refusals(load, pack, TASK)[0]


def test_a_question_without_its_english(mirror, load, pack):
    """questions that do not occur among the passages they are paired with"""
    path = mirror / "facebook/belebele/data/tha_Thai.jsonl"
    edit(path, lambda rows: rows[0].update(link="elsewhere"))
    assert "no counterpart" in refusals(load, pack, "sea_belebele_th_to_en")[0]


def rows_of(source, language):
    """The file of test rows in a language."""
    paths = {path: set(re.split(r"\W|_|-", str(path.relative_to(source)))) for path in source.rglob("*.jsonl")}
    [path] = [path for path, words in paths.items() if {language, "eval"} <= words]
    return path


@pytest.mark.parametrize("name", ["sea_helm_id_sentiment", "sea_helm_id_nli"])
def test_labels_that_do_not_exist(name, mirror, load, pack):
    """a label that the task does not know"""
    source = mirror / pack[name].source.repository
    edit(rows_of(source, "id"), lambda rows: rows[1].update(label="=1+1"))
    assert "row 1: field 'label' is '=1+1'" in refusals(load, pack, name)[0]


def stamped_as_before(path, content):
    """Writes a file anew and gives it the time stamps that it had."""
    state = path.stat()
    path.write_bytes(content)
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))


@pytest.mark.parametrize("reader", ["run", "data check"])
def test_a_changed_file_with_the_old_time_stamp(reader, mirror, load, pack):
    """a file that changes in one process and keeps path, size and time stamp"""
    path = mirror / FILE
    [first, *_] = path.read_text(encoding="utf-8").splitlines()
    word = json.loads(first)["premise"].split()[0]
    assert word.isascii() or word
    before = load(TASK)
    content = path.read_text(encoding="utf-8").replace(word, word[::-1], 1)
    stamped_as_before(path, content.encode())
    if reader == "run":
        after = load(TASK)
        assert [row["premise"] for row in after.rows] != [row["premise"] for row in before.rows]
        assert after.sha256 != before.sha256
    else:
        edit(path, lambda rows: rows[0].update(label=7))
        assert any("row 0" in fault for fault in check_data(pack[TASK]).faults)


def test_changed_rows_of_a_configuration(mirror, load, pack):
    """rows with a data card that change in one process and keep size and time stamp"""
    before = load(HELM_TASK)
    source = mirror / pack[HELM_TASK].source.repository
    path = rows_of(source, "id")
    text = before.rows[0]["text"]
    stamped_as_before(path, path.read_bytes().replace(text.encode(), text[::-1].encode()))
    after = load(HELM_TASK)
    assert before.sha256 != after.sha256


@pytest.mark.parametrize("text", ["{{ 7 * 7 }}", "{% raise %}", "{{ ''.__class__ }}", "${HOME} $(id)", "\\u0041\\n"])
def test_a_text_that_looks_like_a_template(text, mirror, load_task):
    """a text that a template engine or a shell would run is shown as it is"""
    edit(mirror / FILE, lambda rows: rows[0].update(premise=f"a {text} b"))
    task = load_task(TASK)
    row = next(row for row in task.eval_docs if text in row["premise"])
    assert f"a {text} b" in task.doc_to_text(row)


# What a mirror of a part of the hub may lack: a language, rows of a lite task, MT-Bench's later answers.
ABSENT = r"the folder \S+ has no |BuilderConfig '\w+' not found|rows of this subset|there are no answers of"


@pytest.mark.slow
def test_all_real_sets_load(load, pack, hub_mirror, monkeypatch):
    """a check of ids that refuses a published set: all sets of a mirror still load"""
    monkeypatch.chdir(hub_mirror)
    from lm_eval_sea.data.check import distinct_data
    from lm_eval_sea.tasks._shared.sources import Source

    loaded, absent = 0, []
    for task in distinct_data(pack.values()):
        source: Source = task.source
        if not any((hub_mirror / name).is_dir() for name in (source.repository, *source.also)):
            absent.append(source.repository)
            continue
        try:
            rows = load(task.name).rows
        except DataError as error:
            if re.search(ABSENT, str(error)):
                absent.append(str(error))
                continue
            raise AssertionError(f"{task.name}: {error}") from error
        assert len(rows)
        loaded += 1
    assert loaded > 50, absent
