"""The files of a report stay whole, and text in them cannot do harm."""

import csv

import pandas as pd
import pytest

from lm_eval_sea.report.latex import latex
from lm_eval_sea.report.tables import Column, Table, markdown
from lm_eval_sea.report.write import MANIFEST, write_report
from lm_eval_sea.results.read import read
from lm_eval_sea.results.written_folder import WrittenFolder

from ..results.lm_eval_output import NEW, write_results
from .planted import plant


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    folder = WrittenFolder(tmp_path, MANIFEST)
    folder.write("tables/a.csv", "old")
    real = type(tmp_path).write_bytes

    def half(path, data):
        real(path, data[: len(data) // 2])
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(type(tmp_path), "write_bytes", half)
    with pytest.raises(OSError, match="No space left"):
        folder.write("tables/a.csv", "a new and longer text")
    assert (tmp_path / "tables" / "a.csv").read_text() == "old"
    assert [path.name for path in (tmp_path / "tables").iterdir()] == ["a.csv"]


@pytest.mark.parametrize(
    "manifest", ["{", "[1, null]", '{"a": 1}', '["../outside.csv", "/outside.csv", "tables/x.py"]', "\udcff"]
)
def test_a_manifest_from_elsewhere_removes_nothing_else(tmp_path, manifest):
    out = tmp_path / "out"
    (out / "tables").mkdir(parents=True)
    for path in (tmp_path / "outside.csv", out / "tables" / "x.py"):
        path.write_text("kept")
    (out / MANIFEST).write_bytes(manifest.encode(errors="surrogateescape"))
    WrittenFolder(out, MANIFEST).finish()
    assert (tmp_path / "outside.csv").read_text() == (out / "tables" / "x.py").read_text() == "kept"


def test_names_that_look_like_mathematics_are_drawn_as_they_are(tmp_path):
    plant(tmp_path / "runs")
    names = {tmp_path / "runs" / "org__a": "a$_{$", tmp_path / "runs" / "org__b": r"b\frac{^$"}
    write_report(read(tmp_path / "runs", names=names), tmp_path / "out", paper=True)
    drawn = [path.read_text(encoding="utf-8") for path in (tmp_path / "out" / "figures").glob("*.svg")]
    assert drawn
    assert any("a$_{$" in text and r"b\frac{^$" in text for text in drawn), "matplotlib notes the text of each label in a comment"


def test_tables_hold_no_formulas_and_no_controls(tmp_path):
    metadata = {"headline_metric": "acc", "version": 1.0, "dataset": "=cmd|' /C calc'!A0", "language": "\x1b[31mth\u202e"}
    configs = {"toy": {"metadata": metadata}}
    write_results(tmp_path / "runs", NEW, {"toy": {"acc,none": 0.5}}, model="@SUM(1)", configs=configs)
    write_report(read(tmp_path / "runs"), tmp_path / "out", shown_rows=2)
    for path in (tmp_path / "out" / "tables").iterdir():
        text = path.read_text(encoding="utf-8")
        assert "\x1b" not in text and "\u202e" not in text
        assert not [cell for row in csv.reader(text.splitlines()) for cell in row if cell.startswith(("=", "@", "+", "\t"))]
    for name in ("report.md", "report.html"):
        text = (tmp_path / "out" / name).read_text(encoding="utf-8")
        assert "\x1b" not in text and "\u202e" not in text


def test_markdown_marks_what_is_apart_and_incomplete_means():
    frame = pd.DataFrame([{"s": 61.25, "low": 50.0, "high": 70.0, "best": True, "m": 40.0, "of": "3 of 9", "few": True}])
    columns = [
        Column("s", "score", "score", low="low", high="high", strong="best"),
        Column("m", "mean", "mean", members="of", few="few"),
    ]
    line = markdown(Table("t", "T", "", frame, columns)).splitlines()[-1]
    assert line == r"| **61.2 \[50.0, 70.0\]** | (40.0; 3 of 9) few |"


def test_tables_and_figures_for_a_paper(tmp_path):
    write_report(read(plant(tmp_path / "runs")), tmp_path / "out", shown_rows=1, paper=True)
    out = tmp_path / "out"
    assert {path.stem for path in (out / "tables").glob("*.csv")} < {path.stem for path in (out / "tables").glob("*.tex")}
    for path in (out / "figures").glob("*.png"):
        assert (
            path.with_suffix(".svg").read_bytes().lstrip().startswith(b"<?xml")
            and path.with_suffix(".pdf").read_bytes()[:4] == b"%PDF"
        )
    text = (out / "tables" / "scores_by_model.tex").read_text(encoding="utf-8")
    assert r"sea\_belebele\_th\_to\_ppl & Thai & acc\_ppl & 25.0 & 83.3 [10.2, 99.5] few\textdagger{} & " in text
    assert r"\toprule" in text and r"\label{tab:scores_by_model}" in text
    assert "7 tasks, 1 to 6 rows each, 3 exemplars" in text
    rows = text.split(r"\midrule")[1].split(r"\bottomrule")[0].strip().splitlines()
    assert {row.count(" & ") for row in rows} == {5} and all(row.endswith(r"\\") for row in rows)
    assert "XNLI: sea\\_xnli\\_th 1.0" in (out / "tables" / "citation.tex").read_text(encoding="utf-8")


def test_what_a_model_is_called_is_text_in_latex():
    frame = pd.DataFrame([{"m": r"a_b & 50% $x$ \\input{/etc/passwd} {~^}"}])
    [line] = (
        latex(Table("t", "T", "", frame, [Column("m", "model")]), "")
        .split(r"\midrule")[1]
        .split(r"\bottomrule")[0]
        .strip()
        .splitlines()
    )
    assert line == (
        r"a\_b \& 50\% \$x\$ \textbackslash{}\textbackslash{}input\{/etc/passwd\} \{\textasciitilde{}\textasciicircum{}\} \\"
    )
