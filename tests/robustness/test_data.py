"""Data files that are cut, doubled, stale or strange."""

import os
import re
from pathlib import Path

import pytest

from lm_eval_sea.catalogue.check import check_data, render
from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.commands.cli import main
from lm_eval_sea.make.on_demand import select
from lm_eval_sea.tasks._shared.hub_files import DataError
from tests.conftest import modules_of_tasks

from .conftest import edit

TASK = "sea_xcopa_vi_to_ppl"
FILE = "sail/Sailcompass_data/data/xcopa/vi_test.jsonl"
BELEBELE_TASK = "sea_belebele_th_to_ppl"
BELEBELE = "sail/Sailcompass_data/data/belebele/tha_Thai.jsonl"
HELM_TASK = "sea_helm_id_sentiment"
HELM_FILE = "aisingapore/NLU-Sentiment-Analysis/data/id/eval.jsonl"
CARD = "aisingapore/NLU-Sentiment-Analysis/README.md"


PACK = read_tasks().tasks


def load(name):
    """Loads the rows of a task from the current folder, as a run does."""
    return select([name])[0].load_rows()


def bytes_of(content):
    return lambda path: path.write_bytes(content)


def rows(change):
    return lambda path: edit(path, change)


def row(number, **changes):
    return rows(lambda found: found[number].update(changes))


def every_row(**changes):
    return rows(lambda found: [row.update(changes) for row in found])


def cut(number):
    return lambda path: path.write_bytes(path.read_bytes()[:-number])


def folder(path):
    path.unlink()
    path.mkdir()


def pipe(path):
    path.unlink()
    os.mkfifo(path)


def byte(value):
    def put(path):
        lines = path.read_bytes().splitlines(keepends=True)
        lines[2] = lines[2].replace(b'"premise": "', b'"premise": "' + value, 1)
        path.write_bytes(b"".join(lines))

    return put


NO_INDEX = [2.9, 0.5, True, False, "2.9", "x", None, -1, 2, 1e308, [0], {"a": 1}, "NaN"]
NO_NUMBER = [2.9, True, "2.9", None, 0, 5, "", "nan"]
NO_TEXT = [5, None, ["a"], {"a": "b"}, True, 2.5]
NO_ROWS = [b"", b"\n\n", b"{}", b"null\n", b"[]", b"\x00\x01\x02\xff", b"PK\x03\x04 no archive", b"<html>"]
NO_UTF_8 = [b"\xff", b"\xc3(", b"\xed\xa0\x80", b"\xe0\xb8"]
# invisible characters: zero width, marks of direction, fillers, controls, blanks, a variation selector
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
INVISIBLE = ["\u200b", "\u200d", "\ufeff", "\xad", "\u202e\u200f\u2069", "⠀", "ㅤ", "\x07", "\xa0\u200b", "️"]

# fault → task, file, alternative changes of the file, and the message
BROKEN = {
    "a last line that was cut": (TASK, FILE, [cut(40), cut(200)], r"vi_test.jsonl, row 3: no JSON"),
    "rows with ids, written twice": (
        BELEBELE_TASK, BELEBELE, [rows(lambda found: found.extend(list(found)))], r"row 4: the id '.*' is that of row 0, too",
    ),
    "no rows, or a file of another kind": (TASK, FILE, [bytes_of(content) for content in NO_ROWS], "xcopa/vi_test.jsonl"),
    "a clone without Git LFS": (TASK, FILE, [bytes_of(POINTER)], "vi_test.jsonl is a Git LFS pointer .*`git lfs pull`"),
    "a clone of SEA-HELM's without it": (HELM_TASK, HELM_FILE, [bytes_of(POINTER)], "eval.jsonl is a Git LFS pointer "),
    "exemplars of SEA-HELM without rows": (
        HELM_TASK, HELM_FILE.replace("eval", "examples"), [bytes_of(b"")], "examples.jsonl has no rows",
    ),
    "a file of SEA-HELM that is not there": (
        HELM_TASK, HELM_FILE, [Path.unlink], "Sentiment-Analysis is incomplete or out of date. Fetch it again with `lm-eval-sea",
    ),
    "a data card that is not there": (
        HELM_TASK, CARD, [Path.unlink], "Sentiment-Analysis has no README.md, .* Fetch it again with `lm-eval-sea data fetch",
    ),
    "a folder or a pipe for a file": (TASK, FILE, [folder, pipe], "vi_test.jsonl"),
    "UTF-16": (TASK, FILE, [lambda path: path.write_bytes(path.read_text(encoding="utf-8").encode("utf-16"))], "vi_test.jsonl"),
    "a byte that is not UTF-8": (TASK, FILE, [byte(value) for value in NO_UTF_8], r"vi_test.jsonl.*\brow 2\b"),
    "an option that nobody sees": (
        TASK, FILE, [row(1, choice1=text) for text in INVISIBLE],
        "vi_test.jsonl, row 1: field 'options' has an empty option at position 1",
    ),
    "a question that nobody sees": (TASK, FILE, [row(3, premise="\u200b\u2060")], "row 3: field 'premise' is empty"),
    "no position of an option": (TASK, FILE, [every_row(label=value) for value in NO_INDEX], "vi_test.jsonl, row 0"),
    "no number of an answer": (
        BELEBELE_TASK, BELEBELE, [every_row(correct_answer_num=value) for value in NO_NUMBER], "tha_Thai.jsonl, row 0",
    ),
    "no text": (
        TASK, FILE, [every_row(**{column: value}) for value in NO_TEXT for column in ("premise", "choice2")],
        "vi_test.jsonl, row 0",
    ),
    "half a character": (TASK, FILE, [row(1, premise="a\ud800b")], "vi_test.jsonl"),
    "a column with another name from the middle on": (
        TASK, FILE, [rows(lambda found: found[2].update(choice3=found[2].pop("choice1")))], "vi_test.jsonl, row 2",
    ),
    "a question without its English": (
        "sea_belebele_th_to_en", "facebook/belebele/data/tha_Thai.jsonl", [row(0, link="elsewhere")], "no counterpart",
    ),
    "300,000 combining marks": (
        TASK, FILE, [row(2, premise="a" + "\u0301\u0323" * 150_000)], "vi_test.jsonl, row 2: more than 255 combining marks",
    ),
    **{
        f"of SEA-HELM {said}": (HELM_TASK, HELM_FILE, [row(1, **change)], f"row 1: field {re.escape(said)}")
        for said, change in {
            "'label' is '=1+1'": {"label": "=1+1"},
            "'label' is ''; expected text": {"label": ""},
            "'text' is empty; expected text": {"prompts": [{"text": " "}]},
            "'text' is missing; expected text": {"prompts": [{"kalimat": "Hai"}]},
            "'prompts' has 0 entries; expected one": {"prompts": []},
        }.items()
    },
    "an exemplar of SEA-HELM": (
        HELM_TASK, HELM_FILE.replace("eval", "examples"), [row(1, label="Senang")],
        "exemplars, row 1: field 'label' is 'Senang'; expected one of Positif",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("task", "file", "changes", "said"), BROKEN.values(), ids=BROKEN)
def test_an_unusable_file(task, file, changes, said, mirror):
    """A run reports the fault in one line, and `data check` finds it too."""
    path = mirror / file
    content = path.read_bytes()
    for change in changes:
        change(path)
        with pytest.raises(DataError, match=said) as caught:
            load(task)
        assert "\n" not in str(caught.value)
        report = check_data(select([task])[0])
        assert any(re.search(said, fault) for fault in report.faults), report.faults
        render(report).encode()
        path.rmdir() if path.is_dir() else path.unlink(missing_ok=True)
        path.write_bytes(content)


@pytest.mark.parametrize(
    ("task", "closed"),
    [
        (TASK, FILE),
        (TASK, str(Path(FILE).parent)),
        (TASK, "sail"),
        (HELM_TASK, HELM_FILE),
        (HELM_TASK, str(Path(CARD).parent)),
        (HELM_TASK, "aisingapore"),
    ],
)
def test_an_unreadable_file_or_folder(task, closed, mirror, no_rights, capsys):
    """`data check` reports it and goes on with the other files."""
    other = "sea_xnli_th" if task == HELM_TASK else HELM_TASK
    no_rights(mirror / closed)
    with pytest.raises(DataError, match=rf"^{closed}.* cannot be read: Permission denied$"):
        load(task)
    assert main(["data", "check", "--tasks", f"{task},{other}"]) == 1
    said = capsys.readouterr().out
    assert re.search(rf"not loaded .*\n *{closed}.* cannot be read: Permission denied\n", said)
    assert said.count("not loaded") == 1 and "\n2 data files checked, " in said


HARMLESS = {
    "no last line break": lambda content: content[:-1],
    "a byte-order mark": lambda content: b"\xef\xbb\xbf" + content,
    "line ends of Windows": lambda content: content.replace(b"\n", b"\r\n"),
}


@pytest.mark.parametrize("change", HARMLESS.values(), ids=HARMLESS)
def test_a_file_written_in_another_way(change, mirror):
    before = list(load(TASK).rows)
    (mirror / FILE).write_bytes(change((mirror / FILE).read_bytes()))
    assert list(load(TASK).rows) == before


@pytest.mark.parametrize(
    ("task", "lines", "said"),
    [
        (TASK, 2, "has 2 rows; the catalogue has 500"),  # cut short
        ("sea_vsmec_vi", 700, "has 700 rows; the catalogue has 692; 693 of them repeat others"),
    ],
)
def test_a_file_with_fewer_or_more_rows_than_the_catalogue(task, lines, said, mirror, load_tasks, caplog):
    """Both numbers are reported, and for a file without ids also how many rows repeat others."""
    source = PACK[task].source
    path = mirror / source.repository / dict(source.files)["test"]
    rows = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join((rows * lines)[:lines]), encoding="utf-8")
    for module in modules_of_tasks("rows"):  # a process warns once, and another test may have caused the same warning
        module._warn_once.cache_clear()
    load_tasks(task, folder=mirror)
    [found] = [message for message in caplog.messages if "the catalogue has" in message]
    assert said in found
    report = check_data(PACK[task])
    assert any(f"{lines} rows; expected {PACK[task].metadata['rows']}" in fault for fault in report.faults)
    assert report.odd["repeated rows"] == list(range(len(rows), lines))


@pytest.mark.parametrize(("task", "file", "column"), [(TASK, FILE, "premise"), (HELM_TASK, HELM_FILE, "text")])
def test_a_changed_file_with_the_old_time_stamp(task, file, column, mirror):
    """Path, size and time stamp stay the same within a process. The second file has a data card."""
    path, before = mirror / file, load(task)
    state, word = path.stat(), before.rows[0][column].split()[0]

    def write(content):
        path.write_bytes(content)
        os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))

    write(path.read_bytes().replace(word.encode(), word[::-1].encode()))
    after = load(task)
    assert [row[column] for row in after.rows] != [row[column] for row in before.rows]
    assert after.sha256 != before.sha256
    write(path.read_bytes()[:-9] + b" " * 9)
    assert any("row " in fault for fault in check_data(PACK[task]).faults)


def test_a_text_that_looks_like_a_template(mirror, load_tasks):
    """Code for a template engine or a shell is shown unchanged."""
    text = "a {{ 7 * 7 }} {% raise %} {{ ''.__class__ }} ${HOME} $(id) \\u0041\\n b"
    edit(mirror / FILE, lambda rows: rows[0].update(premise=text))
    task = load_tasks(TASK, folder=mirror)[TASK]
    [row] = [row for row in task.eval_docs if row["premise"] == text]
    assert text in task.doc_to_text(row)
