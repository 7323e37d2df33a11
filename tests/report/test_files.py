"""The files of a report stay whole, and text in them cannot do harm."""

import re

import matplotlib.image
import pandas as pd

from lm_eval_sea.report.latex import citation, latex
from lm_eval_sea.report.markdown import markdown
from lm_eval_sea.report.tables import Column, Table
from lm_eval_sea.report.write import write_report
from lm_eval_sea.results.read import read

from ..results.lm_eval_output import toy, write_run
from .planted import CLASSES, TEXT, TO_THAI, plant, scored


def test_markdown_marks_what_is_apart_and_incomplete_means():
    frame = pd.DataFrame([{"s": 61.25, "low": 50.0, "high": 70.0, "best": True, "m": 40.0, "of": "3 of 9", "few": True}])
    columns = [
        Column("s", "score", "score", low="low", high="high", strong="best"),
        Column("m", "mean", "mean", members="of", few="few"),
    ]
    line = markdown(Table("t", "T", "", frame, columns)).splitlines()[-1]
    assert line == r"| **61.2 \[50.0, 70.0\]** | (40.0; 3 of 9) few |"


def test_tables_and_figures_for_a_paper(tmp_path):
    """Names that look like mathematics are drawn as they are: matplotlib notes the text of each label in a comment."""
    runs, out = plant(tmp_path / "runs", TEXT, CLASSES, TO_THAI), tmp_path / "out"
    names = {runs / "org__a": "a$_{$ ไทย", runs / "org__b": r"b\frac{^$"}  # the font has no Thai letters, which is no warning
    write_report(read(runs, names=names), out, shown_rows=1, paper=True)
    shown = re.findall(r"!\[[^\]]+\]\((figures/.*?)\)", (out / "report.md").read_text(encoding="utf-8"))
    assert {out / name for name in shown} == set((out / "figures").glob("*.png"))
    drawn = [path.read_text(encoding="utf-8") for path in (out / "figures").glob("*.svg")]
    assert any("a$_{$ ไทย" in text and r"b\frac{^$" in text for text in drawn)
    assert {path.stem for path in (out / "tables").glob("*.csv")} < {path.stem for path in (out / "tables").glob("*.tex")}
    for path in (out / "figures").glob("*.png"):
        svg, pdf = (path.with_suffix(kind).read_bytes() for kind in (".svg", ".pdf"))
        assert path.read_bytes().startswith(b"\x89PNG") and svg.lstrip().startswith(b"<?xml") and pdf.startswith(b"%PDF")
        assert b"dc:date" not in svg and b"CreationDate" not in pdf  # a report of the same runs has the same files
    text = (out / "tables" / "scores_by_model.tex").read_text(encoding="utf-8")
    assert r"sea\_belebele\_th\_to\_ppl & Thai & acc\_ppl & 25.0 & 83.3 [10.6, 99.5] few\textdagger{} & " in text
    assert r"\toprule" in text and r"\label{tab:scores_by_model}" in text
    assert "3 tasks, 1 to 6 rows each, 3 exemplars" in text
    caption = text.split(r"\caption{")[1]  # a paper has no text of the page to explain the signs
    assert r"\textdagger{} marks numbers that are not of all rows" in caption and "“few” marks" in caption
    assert "links to" not in caption and "Square brackets have 95" in caption and "normalised" not in caption
    of_means = (out / "tables" / "models.tex").read_text(encoding="utf-8").split(r"\caption{")[1]
    assert "Means are of normalised scores" in of_means and "Square brackets have 95" in of_means
    rows = text.split(r"\midrule")[1].split(r"\bottomrule")[0].strip().splitlines()
    assert {row.count(" & ") for row in rows} == {5} and all(row.endswith(r"\\") for row in rows)
    assert "XNLI: sea\\_xnli\\_th 1.0" in (out / "tables" / "citation.tex").read_text(encoding="utf-8")


def test_the_citation_names_each_version_that_models_were_asked(tmp_path):
    scores = scored(tmp_path, {"a": {"toy_th": toy([1.0])}})
    assert "toy_th 1.0." in citation(scores)
    write_run(tmp_path / "b", {"toy_th": toy([1.0])}, model="b", versions={"toy_th": 2.0})
    assert "toy_th 1.0, toy_th 2.0." in citation(scored(tmp_path))


def test_figures_are_drawn_on_white_whatever_the_user_has_set_for_others(tmp_path):
    black = dict.fromkeys(("axes.facecolor", "figure.facecolor", "savefig.facecolor"), "black")
    with matplotlib.rc_context(black):
        write_report(read(plant(tmp_path / "runs", TEXT)), tmp_path / "out", shown_rows=1)
    pictures = [matplotlib.image.imread(path) for path in (tmp_path / "out" / "figures").glob("*.png")]
    assert pictures and all((picture == 1).all(axis=2).mean() > 0.8 for picture in pictures)


def test_a_sign_is_explained_in_latex_wherever_it_stands():
    """Also in a column of texts, such as the positions of answers, but not a sign that a model has in its name."""
    frame = pd.DataFrame([{"m": "a few‡ models", "share": "25.0 (30.0)", "limited": True}])
    table = latex(Table("t", "T", "", frame, [Column("m", "model"), Column("share", "option 1", marker="limited")]), "")
    caption = table.split(r"\caption{")[1]
    assert r"25.0 (30.0)\textdagger{}" in table and r"\textdagger{} marks numbers that are not of all rows" in caption
    assert "“few”" not in caption and "daggerdbl" not in caption


def test_names_of_models_are_escaped_in_latex():
    frame = pd.DataFrame([{"m": r"a_b & 50% $x$ \\input{/etc/passwd} {~^}"}])
    table = latex(Table("t", "T", "", frame, [Column("m", "model")]), "")
    [line] = table.split(r"\midrule")[1].split(r"\bottomrule")[0].strip().splitlines()
    assert line == (
        r"a\_b \& 50\% \$x\$ \textbackslash{}\textbackslash{}input\{/etc/passwd\} \{\textasciitilde{}\textasciicircum{}\} \\"
    )
    assert r"a-{}-b-{}-{}-c\textbar{}d" in latex(Table("t", "a--b---c|d", "", frame, [Column("m", "model")]), "")  # no dashes
    for first in ("[9cm] a", "*a"):  # after \\, its length and its star
        assert rf"{{}}{first} \\" in latex(Table("t", "T", "", pd.DataFrame([{"m": first}]), [Column("m", "model")]), "")
