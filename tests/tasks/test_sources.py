"""Rows by configuration and split: in folders laid out in many ways, on a hub with and without a network; tables of rows."""

import json
import shutil
from pathlib import Path

import datasets
import psutil
import pytest

from lm_eval_sea.tasks._shared.hub_files import DataError
from lm_eval_sea.tasks._shared.rows import processed_rows
from lm_eval_sea.tasks._shared.sources import Source

from ..catalogue.hub_server import serving_hub
from .evaluation import write_json_lines

NAME = "owner/name"
SPLITS = {"test": "eval", "examples": "examples"}


def write(path):
    """Writes the rows of the split that the path names, in the format that it names."""
    split = "examples" if "examples" in path.name else "eval"
    rows = [{"text": f"{split} {number}", "label": "A"} for number in range(3)]
    write_json_lines(path, rows)
    if path.suffix == ".parquet":
        datasets.Dataset.from_list(rows).to_parquet(path)


def card(data_files, name="id"):
    return f"---\nlicense: mit\nconfigs:\n- config_name: {name}\n  data_files: {json.dumps(data_files)}\n---\n\n# A data set\n"


LAYOUTS = {
    "json lines": (
        card([{"split": "eval", "path": "data/id/eval.jsonl"}, {"split": "examples", "path": "data/id/examples.jsonl"}]),
        ["data/id/eval.jsonl", "data/id/examples.jsonl", "data/vi/eval.jsonl"],
    ),
    "shards": (
        card([{"split": "eval", "path": "id/eval-*"}, {"split": "examples", "path": ["id/examples-*"]}]),
        ["id/eval-00000-of-00001.parquet", "id/examples-00000-of-00001.parquet"],
    ),
    "files beside the card": (
        card([{"split": "eval", "path": ["one.jsonl"]}, {"split": "examples", "path": "examples.jsonl"}]),
        ["one.jsonl", "examples.jsonl"],
    ),
}


def plant(text, paths, folder):
    """Writes one repository."""
    for path in paths:
        write(folder / path)
    (folder / "README.md").write_text(text, encoding="utf-8")


@pytest.fixture(params=LAYOUTS)
def repository(request, tmp_path):
    """A mirror folder with one repository."""
    plant(*LAYOUTS[request.param], tmp_path / "mirror" / NAME)
    return tmp_path / "mirror"


def source(name=NAME, **options):
    return Source.from_metadata(data_source=name, data_config="id", data_splits=SPLITS, **options)


def test_rows_of_a_folder_are_those_that_load_dataset_reads(repository, tmp_path, monkeypatch):
    monkeypatch.chdir(repository)
    loaded = processed_rows(source(), lambda splits: dict)
    assert loaded.revision == "local folder"
    for split, found in (("eval", loaded.rows), ("examples", loaded.exemplars)):
        reference = datasets.load_dataset(str(repository / NAME), "id", split=split, cache_dir=tmp_path / "cache")
        assert [row["text"] for row in found] == list(reference["text"]) == [f"{split} {number}" for number in range(3)]
    assert [(row["id"], row["cluster"]) for row in loaded.rows] == [("0", "0"), ("1", "1"), ("2", "2")]


def test_the_cache_of_a_folder_is_not_in_use_when_it_is_removed(repository, monkeypatch):
    """Windows removes no file that is open or mapped."""
    remove = shutil.rmtree

    def as_windows(folder, *arguments, **options):
        process = psutil.Process()
        used = [each.path for each in (*process.open_files(), *process.memory_maps())]
        assert not [path for path in used if Path(path).is_relative_to(folder)]
        remove(folder, *arguments, **options)

    monkeypatch.setattr(shutil, "rmtree", as_windows)
    monkeypatch.chdir(repository)
    splits, _ = source().load()
    assert [row["text"] for row in splits["test"]] == ["eval 0", "eval 1", "eval 2"]


LOAD = """
import sys
from lm_eval_sea.tasks._shared.sources import Source
for name, options in {wanted!r}:
    try:
        found = Source.from_metadata(data_source=name, data_config="id", data_splits={splits!r}, **options)
        splits, revision = found.load()
    except ValueError as error:
        print(error)
    else:
        print(revision, *(split + ":" + splits[split][0]["text"] for split in splits))
"""


@pytest.fixture
def load(run_python, tmp_path):
    """Loads the configurations of repositories in a process of its own; returns a line for each: its rows, or the error."""

    def load(*wanted, online=None):
        (tmp_path / "empty" / "load.py").write_text(LOAD.format(wanted=wanted, splits=SPLITS))
        process = run_python("load", online=online)
        assert process.returncode == 0, process.stderr
        return process.stdout.strip().splitlines()

    return load


@pytest.mark.slow
def test_from_the_hub_and_again_without_a_network(tmp_path, load):
    """Repositories of every layout; one is found under another name."""
    names = [f"owner/layout{number}" for number in range(len(LAYOUTS))]
    for name, layout in zip(names, LAYOUTS.values(), strict=True):
        plant(*layout, tmp_path / "mirror" / name)
    wanted = [(name, {}) for name in names] + [(NAME, {"data_source_also": ["owner/layout0"]}), (NAME, {})]
    with serving_hub(tmp_path / "mirror") as hub:
        first = load(*wanted, online=hub.url)
        commits = [hub.repository(name).commit for name in names]
        assert not [request for request in hub.requests if "data/vi" in request]
    assert first[:4] == [f"{commit} test:eval 0 examples:examples 0" for commit in [*commits, commits[0]]]
    assert first[4].startswith(f"cannot get {NAME} id/eval: the hub has no such repository")
    assert load(*wanted[:3]) == first[:3]


def test_rows_that_no_repository_has(tmp_path, monkeypatch):
    """With no network and no cache, or one of the user's own, here a file of plain text."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match="the hub cannot be reached and its cache lacks it"):
        source().load()
    own = Source.from_metadata(data_source="own/exam", data_files={"test": "questions"}, data_on_hub=False)
    with pytest.raises(DataError, match=r"no folder own/exam, which you make yourself: .*README"):
        own.load()
    file = tmp_path / "own" / "exam" / "questions"
    file.parent.mkdir(parents=True)
    with pytest.raises(DataError, match=r"own/exam has no questions. .*README"):
        own.load()
    file.write_bytes("\ufeffsatu\r\n\r\n“dua”\n".encode())
    assert own.load()[0] == {"test": [{"text": "satu\n\n“dua”\n"}]}
    file.write_bytes(b"satu \xff")
    with pytest.raises(DataError, match=r"^own/exam/questions, .*0xff"):
        own.load()


@pytest.mark.parametrize(
    ("text", "paths", "message"),
    [
        (card([{"split": "eval", "path": "eval.jsonl"}], name="vi"), ["eval.jsonl"], "'id' not found. Available: .*vi"),
        (card([{"split": "train", "path": "train.jsonl"}]), ["train.jsonl"], "there is no split 'eval'; there is train"),
        (card([{"split": "eval", "path": "eval.jsonl"}]), ["other.jsonl"], "cannot get owner/name id/eval: .*eval.jsonl"),
        ("---\nconfigs: [\n---\n", ["eval.jsonl"], "cannot get owner/name id/eval: "),
    ],
)
def test_what_is_missing_is_named_in_one_line(tmp_path, monkeypatch, text, paths, message):
    plant(text, paths, tmp_path / NAME)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match=message) as error:
        source().load()
    assert "\n" not in str(error.value)


def test_a_folder_whose_path_is_a_pattern(tmp_path, monkeypatch):
    """`datasets` would look for the file elsewhere; the rows are whole, and fetching them again changes nothing."""
    plant(*LAYOUTS["json lines"], tmp_path / "rows [1]" / NAME)
    monkeypatch.chdir(tmp_path / "rows [1]")
    with pytest.raises(DataError, match=r"/rows \[1\]/owner/name cannot be read: .*; give the folder another name$"):
        source().load()


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The folder of a repository, and its files as a source."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "me" / "rows").mkdir(parents=True)
    return tmp_path / "me" / "rows", lambda *names: Source.from_metadata(data_source="me/rows", data_files={"test": [*names]})


def test_a_split_of_several_files_is_their_rows_in_order(files):
    folder, of = files
    (folder / "one.tsv").write_text('text\tnote\n"said ""yes"""\tNA\n', encoding="utf-8")
    (folder / "two.csv").write_text('note,text\nnull,"two\nlines, here"\n', encoding="utf-8")
    source = of("one.tsv", "two.csv")
    assert source.load()[0]["test"] == [{"text": 'said "yes"', "note": "NA"}, {"note": "null", "text": "two\nlines, here"}]
    assert source.describe() == "me/rows/one.tsv and 1 more"
    assert len(source.local_state()) == 2


BROKEN_TABLES = {
    b"a\tb\nx\n": r"row 0: 1 cells; expected 2, one for each of a, b",
    b"a\tb\nx\ty\nx\ty\tz\n": r"row 1: 3 cells",
    b"a\ta\nx\ty\n": "column 'a' is there twice",
    b'a\tb\nx\t"open\n': "no table",
    b"a\tb\nx\t\xff\n": "byte 6: the byte 0xff, which is not UTF-8; save the file as UTF-8",
    **dict.fromkeys([b"a\tb\n", b""], "has no rows"),
}


def test_a_broken_table_is_named_in_one_line(files):
    folder, of = files
    for content, message in BROKEN_TABLES.items():
        (folder / "rows.tsv").write_bytes(content)
        with pytest.raises(DataError, match=message) as error:
            of("rows.tsv").load()
        assert str(error.value).startswith("me/rows/rows.tsv") and "\n" not in str(error.value)


def test_the_catalogue_names_the_columns_of_a_checkout_whose_tables_do_not(files, monkeypatch):
    (files[0] / "rows.tsv").write_text("bagus\tpositive\njelek\tnegative\n", encoding="utf-8")
    monkeypatch.chdir(files[0].parent)
    checkout = {"folder": "rows", "files": {"test": "rows.tsv"}, "columns": ["text", "label"]}
    hub = {"data_source": "me/hub", "data_config": "all", "data_splits": {"test": "test"}}
    source = Source.from_metadata(**hub, data_checkout=checkout)
    assert source.load()[0] == {"test": [{"text": "bagus", "label": "positive"}, {"text": "jelek", "label": "negative"}]}
    assert len(source.local_state()) == 1
