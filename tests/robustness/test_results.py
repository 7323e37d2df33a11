"""Lost and contradictory results."""

import json
import os
import subprocess
import sys

import pytest

from lm_eval_sea.commands.cli import main
from lm_eval_sea.report.markdown import render_markdown
from lm_eval_sea.report.scores import scores_of
from lm_eval_sea.report.sections import sections
from lm_eval_sea.results import rows
from lm_eval_sea.results.read import read
from lm_eval_sea.results.table import table_of
from lm_eval_sea.results.written_folder import WrittenFolder
from lm_eval_sea.run.output_folder import probe
from lm_eval_sea.run.request import RunError

from ..report.planted import RANKED, plant
from ..results.lm_eval_output import NEW, OLD, changed, write_results
from .conftest import contents, edit
from .readers import read_report_suite, totals

# where results go


def test_an_output_path_that_no_file_system_allows(tmp_path, monkeypatch):
    """Others are created. The last path is as with LC_ALL=C and PYTHONUTF8=0. Further refusals are in `mistakes.yml`."""
    for path in (tmp_path / ("x" * 300), "a\0b", "a\udcff"):
        with pytest.raises(RunError, match="results cannot be written there"):
            probe(str(path))
    for path, folder in (("a/b", "a/b"), ("c/name.json", "c")):
        probe(str(tmp_path / path))
        assert list((tmp_path / folder).iterdir()) == []
    monkeypatch.setattr(sys, "getfilesystemencoding", lambda: "ascii")
    with pytest.raises(RunError, match=r"cannot be written there \(the locale has no such letters; set PYTHONUTF8=1\)"):
        probe(str(tmp_path / "ผล".encode().decode("ascii", "surrogateescape")))


@pytest.mark.parametrize("command", ["report", "score", pytest.param("languages", marks=pytest.mark.slow)])
def test_a_full_disk(command, tmp_path, monkeypatch, capsys):
    """It fills while a report, totals or tables are written. The old ones stay intact."""
    runs, out = plant(tmp_path / "runs", RANKED), tmp_path / "out"
    arguments = {
        "report": ["report", str(runs), "--out", str(out)],
        "score": ["score", str(totals(tmp_path / "helm")), "--out", str(out / "totals.csv")],
        "languages": ["report", str(runs), "--languages", "--out", str(out)],
    }[command]
    out.mkdir()
    assert main(arguments) == 0
    before = contents(out)
    assert before
    write = type(tmp_path).write_bytes

    def half(path, data):
        write(path, data[: len(data) // 2])
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(type(tmp_path), "write_bytes", half)
    assert main(arguments) in (1, 2)
    assert contents(out) == before
    said = capsys.readouterr().err
    assert "No space left" in said and "Traceback" not in said


def test_leftovers_of_earlier_calls_and_killed_processes(tmp_path):
    """Old tables and half-written files of dead processes are removed; files of others, and code that a manifest names, stay."""
    before = WrittenFolder(tmp_path, "manifest.json")
    before.write("tables/of_before.csv", "old")
    before.finish()
    (tmp_path / "tables" / "of_the_user.csv").write_text("mine")
    (tmp_path / "tables" / "x.py").write_text("mine")
    manifest = tmp_path / "manifest.json"
    manifest.write_text(json.dumps([*json.loads(manifest.read_text()), "tables/x.py"]))
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    for process in (gone.pid, os.getpid(), os.getppid()):
        (tmp_path / f".report.md.{process}").touch()
    (tmp_path / "tables" / f".a.csv.{gone.pid}").touch()
    (tmp_path / "tables" / ".a.csv.mine").touch()
    written = WrittenFolder(tmp_path, "manifest.json")
    written.write("tables/a.csv", "x")
    written.write("report.md", "x")
    written.finish()
    ours = {"report.md", "tables/a.csv", "manifest.json"}
    mine = {"tables/x.py", "tables/of_the_user.csv", "tables/.a.csv.mine", f".report.md.{os.getppid()}"}
    assert contents(tmp_path).keys() == ours | mine


def test_a_link_out_of_the_folder_is_not_followed(tmp_path):
    out, mine = tmp_path / "out", tmp_path / "mine"
    for folder, name, text in ((mine, "a.csv", ""), (out, "manifest.json", '["tables/a.csv"]')):
        folder.mkdir()
        (folder / name).write_text(text)
    (out / "tables").symlink_to(mine)
    WrittenFolder(out, "manifest.json").finish()
    assert (mine / "a.csv").exists()


# contradictions


def planted(tmp_path, change):
    """A run with a changed results file."""
    with changed(plant(tmp_path, RANKED) / "org__a") as content:
        change(content)
    return tmp_path / "org__a"


def test_names_that_are_not_utf_8_or_empty(tmp_path):
    """The name of a folder is not UTF-8, and ids of rows are empty. The page of samples is still made."""
    folder = planted(tmp_path / "runs", lambda content: content.pop("model_name"))
    [path] = folder.glob(f"samples_{RANKED}_*")
    edit(path, lambda rows: [row.update(doc_id="") or row["doc"].update(id="") for row in rows])
    os.rename(folder, os.fsencode(tmp_path / "runs") + b"/\xff\xfe")
    assert main(["report", str(tmp_path / "runs"), "--out", str(tmp_path / "page")]) == 0
    assert (tmp_path / "page" / "pages" / "samples.html").exists()


def test_files_too_large_for_memory(tmp_path, monkeypatch):
    """A line or a results file that is too large is left out with a note; the others count."""
    plant(tmp_path)
    monkeypatch.setattr(rows, "_LONGEST", 5000)
    [path] = (tmp_path / "org__a").glob(f"samples_{RANKED}_*")
    first, *others = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join([first, json.dumps({"doc_id": 9, "x": "x" * 11_000}) + "\n", *others]), encoding="utf-8")
    [task] = [task for task in read(tmp_path / "org__a").tasks if task.name == RANKED]
    assert len(task.logged.keys) == 6 and "line 2 left out" in " ".join(task.notes)
    assert [row["doc_id"] for row in task.texts(task.logged.frame.place.tolist())] == list(range(6))
    with (tmp_path / "org__b" / f"results_{OLD}.json").open("r+b") as file:
        file.truncate(2**30)  # takes no room on the disk
    assert any("left out" in note and "1 GB" in note for note in read(tmp_path).notes)


def score_of(value):
    return lambda content: content["results"][RANKED].update({"acc_ppl,none": value})


WRONG_SCORES = {
    "not between 0 and 1": [55.0, -0.5, 1e308],
    "acc_ppl is not a number": [None, "0.5", True, [0.5], {"a": 1}, float("nan"), float("inf")],
}
# change of the results → note beside the number
NOTES = [
    *(
        pytest.param(score_of(value), note, marks=[] if value is values[0] else pytest.mark.slow, id=f"{value} {note}")
        for note, values in WRONG_SCORES.items()
        for value in values
    ),
    (score_of(0.9), "the results say 90.00, the 6 logged rows 66.67"),  # for example, rows of another language under this name
    (lambda content: content["n-samples"][RANKED].update(effective=3, original=6), "6 rows, but the results are of 3"),
    (lambda content: content["n-samples"][RANKED].update(effective=9, original=9), "6 rows, but the results are of 9"),
    (lambda content: None, "the data had 6 rows, but the catalogue has 900"),
]


@pytest.mark.parametrize(("change", "note"), NOTES)
def test_contradictory_results_are_reported(change, note, tmp_path):
    """`show` and the report say so, and show no impossible number."""
    runs = read(planted(tmp_path, change)).best()
    found = scores_of(runs, suite=read_report_suite(), shown_rows=4)
    for text in (table_of(runs), render_markdown(sections(found, published=True))):
        assert note in " ".join(text.replace("\\_", "_").split())
        assert "5500.0" not in text and "-50.0" not in text


def test_totals_of_a_part_of_the_data(tmp_path, capsys):
    path = totals(tmp_path)
    with changed(path) as content:
        for record in content["configs"].values():
            record["metadata"]["rows"] = 400
        content["n-samples"] = {name: {"original": 3, "effective": 3} for name in content["results"]}
    assert main(["score", str(path.parent)]) == 0
    assert "the data had 3 rows, but the catalogue has 400" in capsys.readouterr().out


@pytest.mark.parametrize("date", [None, "yesterday", True, 10**400, float("nan")])
def test_an_invalid_date_leaves_that_of_the_file_name(date, tmp_path):
    for stamp, score in (("0001-01-01T00-00-00", 0.1), (OLD, 0.25), (NEW, 0.75)):
        write_results(tmp_path, stamp, {"sea_xquad_th": {"exact_match,none": score}}, date=date)
    assert [task.scores["exact_match"].value for task in read(tmp_path).best().tasks] == [0.75]
