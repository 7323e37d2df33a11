"""Results that get lost, or that contradict themselves."""

import json
import os
import re
import subprocess
import sys

import pytest

from lm_eval_sea.commands.cli import main
from lm_eval_sea.results import rows
from lm_eval_sea.results.read import read
from lm_eval_sea.results.table import table_of
from lm_eval_sea.results.written_folder import WrittenFolder
from lm_eval_sea.run.output_folder import probe
from lm_eval_sea.run.request import RunError

from ..report.planted import RANKED, plant
from ..results.lm_eval_output import NEW, OLD, write_results
from ..sea_helm.totals.planted_runs import write_run
from .conftest import edit

# where results go


def test_an_output_path_where_nothing_can_be_made(tmp_path):
    (tmp_path / "file").write_text("x")
    for path in (tmp_path / "file" / "results", tmp_path / ("x" * 300), "a\0b", "a\udcff", "/proc/results", "/dev/null/results"):
        with pytest.raises(RunError, match="results cannot be written there") as caught:
            probe(str(path))
        if path == tmp_path / "file" / "results":
            assert str(caught.value).startswith(f"--output_path {path}: results cannot be written there (Not a directory); ")


@pytest.mark.skipif(os.getuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission(tmp_path):
    (tmp_path / "locked").mkdir(mode=0o500)
    with pytest.raises(RunError, match="results cannot be written there"):
        probe(str(tmp_path / "locked" / "results"))


def fill_the_disk(monkeypatch, path_type):
    """From now on every file is half written, and then the disk is full."""
    write = path_type.write_bytes

    def half(path, data):
        write(path, data[: len(data) // 2])
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(path_type, "write_bytes", half)


@pytest.fixture
def runs(tmp_path):
    return plant(tmp_path / "runs")


def helm_runs(folder):
    rows = {("id", "sentiment"): [(1, "Positif"), (0, "Negatif"), (1, "Negatif")]}
    return write_run(folder, 1, rows)


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("command", ["report", "score", "languages"])
def test_a_disk_that_is_full(command, tmp_path, runs, monkeypatch, capsys):
    """While a report, totals or tables are written; the old ones stay whole."""
    out = tmp_path / "out"
    arguments = {
        "report": ["report", str(runs), "--out", str(out)],
        "score": ["score", str(helm_runs(tmp_path / "helm")), "--out", str(out / "totals.csv")],
        "languages": ["report", str(runs), "--languages", "--out", str(out)],
    }[command]
    out.mkdir()
    assert main(arguments) == 0
    before = contents(out)
    assert before
    fill_the_disk(monkeypatch, type(tmp_path))
    assert main(arguments) in (1, 2)
    assert contents(out) == before
    said = capsys.readouterr().err
    assert "No space left" in said and "Traceback" not in said


def test_what_an_earlier_call_left(tmp_path, runs):
    """Tables that this call does not write are removed, files of the user stay."""
    out = tmp_path / "out"
    assert main(["report", str(runs), "--languages", "--out", str(out)]) == 0
    folder = WrittenFolder(out, ".lm_eval_sea_languages.json")
    folder.write("differences_of_before.csv", "old")
    folder.finish()
    (out / "of_the_user.csv").write_text("mine")
    assert main(["report", str(runs), "--languages", "--out", str(out)]) == 0
    assert not (out / "differences_of_before.csv").exists() and (out / "of_the_user.csv").exists()


@pytest.mark.parametrize("manifest", [b"{", b"[1, null]", b'["../outside.csv"]', b'["/outside.csv"]', b"\xff", b"[" * 100_000])
def test_a_manifest_of_somebody_else(manifest, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "outside.csv").write_text("kept")
    (tmp_path / "out" / ".m.json").write_bytes(manifest)
    WrittenFolder(tmp_path / "out", ".m.json").finish()
    assert (tmp_path / "outside.csv").read_text() == "kept"


# what contradicts itself


def planted(tmp_path, change):
    """A run whose results file is changed; the table of `show`."""
    plant(tmp_path)
    [path] = (tmp_path / "org__a").glob("results_*")
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    return path.parent


def shown_twice(folder, tmp_path):
    """What `show` prints, and the report in Markdown."""
    assert main(["report", str(folder), "--out", str(tmp_path / "page")]) == 0
    return table_of(read(folder).best()), (tmp_path / "page" / "report.md").read_text(encoding="utf-8")


def test_a_folder_whose_name_is_no_text(tmp_path):
    """Bytes that are no UTF-8, which Python reads as lone surrogates."""
    folder = planted(tmp_path / "runs", lambda content: content.pop("model_name"))
    os.rename(folder, os.fsencode(tmp_path / "runs") + b"/\xff\xfe")
    shown_twice(tmp_path / "runs", tmp_path)


def test_what_a_killed_process_left_beside_a_file(tmp_path):
    """Of a process that is gone it is removed; of one that works it stays."""
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    for process in (gone.pid, os.getpid()):
        (tmp_path / f".report.md.{process}").touch()
    written = WrittenFolder(tmp_path, "manifest.json")
    written.write("tables/a.csv", "x")
    (tmp_path / "tables" / f".a.csv.{gone.pid}").touch()
    (tmp_path / "tables" / ".a.csv.mine").touch()
    written.write("report.md", "x")
    (tmp_path / f".report.md.{os.getppid()}").touch()
    written.finish()
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {"report.md", "tables/a.csv", "tables/.a.csv.mine", "manifest.json", f".report.md.{os.getppid()}"}


def test_rows_whose_names_are_empty(tmp_path):
    """The page of samples has them all the same."""
    folder = planted(tmp_path, lambda content: None)
    [path] = folder.glob(f"samples_{RANKED}_*")
    edit(path, lambda rows: [row.update(doc_id="") or row["doc"].update(id="") for row in rows])
    shown_twice(folder, tmp_path)
    assert (tmp_path / "page" / "pages" / "samples.html").exists()


def test_files_that_do_not_fit_into_memory(tmp_path, monkeypatch):
    """A line, or a file of results: it is left out with a note, and the others count."""
    plant(tmp_path)
    monkeypatch.setattr(rows, "_LONGEST", 5000)
    [path] = (tmp_path / "org__a").glob(f"samples_{RANKED}_*")
    first, *others = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join([first, json.dumps({"doc_id": 9, "x": "x" * 11_000}) + "\n", *others]), encoding="utf-8")
    [task] = [task for task in read(tmp_path / "org__a").tasks if task.name == RANKED]
    assert len(task.logged.keys) == 6 and "line 2 cannot be read" in " ".join(task.notes)
    assert [row["doc_id"] for row in task.texts(task.logged.frame.place.tolist())] == list(range(6))
    with (tmp_path / "org__b" / f"results_{OLD}.json").open("r+b") as file:
        file.truncate(2**30)  # takes no room on the disk
    assert any("left out" in note and "1 GB" in note for note in read(tmp_path).notes)


@pytest.mark.parametrize("value", [55.0, -0.5, 1e308])
def test_a_share_above_one(value, tmp_path):
    """An accuracy of 55.0 makes no 5500.0 anywhere, but a note."""
    folder = planted(tmp_path, lambda content: content["results"][RANKED].update({"acc_ppl,none": value}))
    table, page = shown_twice(folder, tmp_path)
    assert f"acc_ppl is {value:g}, which is not between 0 and 1; not shown" in " ".join(table.split())
    for text in (table, page):
        assert value > 1e300 or f"{100 * value:.1f}" not in text
    assert re.search(rf"{re.escape(RANKED.replace('_', chr(92) + '_'))}.*not between 0 and 1", page) or "not between" in page


@pytest.mark.parametrize("value", [None, "0.5", True, [0.5], {"a": 1}, float("nan"), float("inf")], ids=repr)
def test_a_score_that_is_no_number(value, tmp_path):
    """It is left out with a note."""
    folder = planted(tmp_path, lambda content: content["results"][RANKED].update({"acc_ppl,none": value}))
    runs = read(folder).best()
    assert any("acc_ppl is not a number" in note for note in runs.notes)
    table_of(runs)


def test_a_score_that_its_rows_do_not_make(tmp_path):
    """Such as rows of another language under this name: a note stands beside the number."""
    folder = planted(tmp_path, lambda content: content["results"][RANKED].update({"acc_ppl,none": 0.9}))
    table, page = shown_twice(folder, tmp_path)
    for text in (table, page):
        assert re.search(r"the results say 90\.00, the 6 logged rows \d", " ".join(text.split()))


def test_an_exported_score_that_its_rows_do_not_make(tmp_path, capsys):
    [path] = (plant(tmp_path / "runs") / "org__a").rglob("results_*.json")
    content = json.loads(path.read_text())
    content["results"][RANKED]["acc_ppl,none"] = 0.9
    path.write_text(json.dumps(content))
    assert main(["export", "every-eval-ever", str(path.parent), "--out", str(tmp_path / "out")]) == 0
    assert f"{RANKED}: the results say 90.00, the 6 logged rows 66.67" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["show", "report"])
def test_fewer_rows_than_the_results_are_of(command, tmp_path, capsys):
    path = next(plant(tmp_path / "runs").rglob(f"samples_{RANKED}_{OLD}.jsonl"))
    edit(path, lambda rows: rows.pop())
    assert main([command, str(tmp_path / "runs"), *(["--out", str(tmp_path / "out")] if command == "report" else [])]) == 0
    said = "".join("".join(capsys.readouterr()).split())
    assert said.count(f"{path}:5rows,buttheresultsareof6") == 1


def test_more_rows_than_were_run(tmp_path):
    folder = planted(tmp_path, lambda content: content["n-samples"][RANKED].update(effective=3, original=6))
    _, page = shown_twice(folder, tmp_path)
    assert "6 rows, but the results are of 3" in page


def test_a_part_of_the_data_counts_as_such(tmp_path):
    """`show` and report say so."""
    folder = planted(tmp_path, lambda content: None)
    for text in shown_twice(folder, tmp_path):
        assert "the data had 6 rows, and the catalogue has 900" in " ".join(text.split())


def test_totals_of_a_part_of_the_data(tmp_path, capsys):
    path = helm_runs(tmp_path / "helm")
    content = json.loads(path.read_text())
    for record in content["configs"].values():
        record["metadata"]["rows"] = 400
    content["n-samples"] = {name: {"original": 3, "effective": 3} for name in content["results"]}
    path.write_text(json.dumps(content))
    assert main(["score", str(path.parent)]) == 0
    assert "the data had 3 rows, and the catalogue has 400" in capsys.readouterr().out


def test_a_standard_error_that_cannot_be(tmp_path):
    """Below zero, or beyond all numbers."""
    for error in (-1, 1e308, "N/A", float("nan")):
        folder = tmp_path / str(error)
        write_results(folder, OLD, {"sea_xquad_th": {"exact_match,none": 0.5, "exact_match_stderr,none": error}})
        assert "50.0" in table_of(read(folder).best())


def test_two_runs_of_one_date(tmp_path):
    for name in ("one", "two"):
        write_results(tmp_path / name, NEW, {"sea_xquad_th": {"exact_match,none": 0.5 if name == "one" else 0.9}})
    text = table_of(read(tmp_path).best())
    assert "left out" in text


@pytest.mark.parametrize("first_is_newer", [True, False])
def test_the_newer_run_goes_by_the_date_in_the_file(first_is_newer, tmp_path):
    """Names of files have the local time of a machine, which another zone or the end of summer time puts in wrong order."""
    seconds = {OLD: 1_770_000_000.5, NEW: 1_770_000_000.5 + (-60 if first_is_newer else 60)}
    for stamp, score in ((OLD, 0.25), (NEW, 0.75)):
        write_results(tmp_path, stamp, {"sea_xquad_th": {"exact_match,none": score}}, date=seconds[stamp])
    best = read(tmp_path).best()
    assert [task.scores["exact_match"].value for task in best.tasks] == [0.25 if first_is_newer else 0.75]
    assert any("is newer" in note for note in best.notes)


@pytest.mark.parametrize("date", [None, "yesterday", True, 10**400, float("nan")])
def test_a_date_that_is_none_leaves_that_of_the_name(date, tmp_path):
    for stamp, score in (("0001-01-01T00-00-00", 0.1), (OLD, 0.25), (NEW, 0.75)):
        write_results(tmp_path, stamp, {"sea_xquad_th": {"exact_match,none": score}}, date=date)
    assert [task.scores["exact_match"].value for task in read(tmp_path).best().tasks] == [0.75]
