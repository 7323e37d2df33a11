"""docs/coverage.md and the table of tasks: what they say follows from the catalogue."""

import re
from collections import Counter
from xml.etree import ElementTree

from update_docs import coverage_figure, coverage_page, data_sets_table

from lm_eval_sea.catalogue.origins import coverage, origin_of
from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.commands.cli import main
from lm_eval_sea.tasks._shared.facts import TASKS_FOLDER, read_yaml

COUNTRIES = {
    "Brunei", "Cambodia", "Indonesia", "Laos", "Malaysia", "Myanmar", "Philippines", "Singapore", "Thailand", "Timor-Leste",
    "Vietnam",
}  # fmt: skip


def test_every_country_has_three_kinds_or_a_reason_and_says_what_is_missing():
    countries = read_yaml(TASKS_FOLDER / "languages.yml")["countries"]
    assert set(countries) == COUNTRIES
    for name, record in countries.items():
        about = record.get("data_sets", ())
        kinds = {each.competency for each in coverage() if each.language in record["languages"] or each.data_set in about}
        assert len(record["missing"]) > 20, name
        (paragraph,) = [line for line in coverage_page().splitlines() if line.startswith(f"**{name}.**")]
        assert ("Fewer than 3 competencies" in paragraph) == (len(kinds) < 3), name
        assert record["missing"] in paragraph
    assert not countries["Brunei"]["languages"] and not countries["Singapore"]["languages"], "no country counts rows of another"


def _table():
    """(what is tested, column) → codes of languages."""
    lines = coverage_page().partition("\n## Countries")[0].splitlines()
    (_, *columns), _, *rows = [[cell.strip() for cell in line[1:-1].split("|")] for line in lines if line.startswith("|")]
    return {(row[0], column): cell.split() for row in rows for column, cell in zip(columns, row[1:], strict=True)}


def test_the_table_says_where_rows_come_from():
    of = _table()
    assert {"th", "jv"} <= set(of["Exam questions", "native"])
    assert not any("ceb" in codes for (tested, _), codes in of.items() if tested == "Exam questions")
    assert "th" in of["Reading comprehension", "translated"]
    assert "su" in of["Commonsense reasoning", "lm-eval's"], "of Global PIQA alone"


def test_ls_prints_the_data_sets_of_a_language(capsys):
    assert main(["ls", "--coverage", "bew"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Betawi: 5 data sets\n") and "NusaParagraph topics" in out and "Apache 2.0" in out


def test_native_tasks_are_those_of_native_rows_that_may_be_collected():
    listed = read_tasks()
    native = listed.groups["sea_native"]
    assert len(native) > 10
    for name in native:
        metadata = listed.tasks[name].metadata
        assert origin_of(metadata) == "native", name
        assert metadata["language"] != "en"
    assert "sea_thaiexam_th_litito_ppl" in native
    assert not [name for name in native if name.startswith(("sea_belebele", "sea_xnli", "sea_sib200"))]


def test_the_figure_has_the_marks_of_the_table():
    figure = ElementTree.fromstring(coverage_figure(coverage()))
    marks = Counter(text.text for text in figure.iter("{http://www.w3.org/2000/svg}text") if text.text in ("n", "t", "l"))
    of = Counter()
    for (_, column), codes in _table().items():
        of[column[0]] += len(codes)
    legend = Counter("ntl")
    assert marks - legend == of
    assert "coverage.svg" in coverage_page()


def test_the_table_of_tasks_names_tasks_that_there_are():
    """Also of languages without a prompt of their own, all of whose names end in `_enprompt`."""
    written = re.findall(r"`(sea_[^`]+)`", data_sets_table())
    names = [
        name.replace(braces, language).replace("<variant>", "to_ppl")
        for name in written
        for braces in [*re.findall("{.*}", name), ""][:1]
        for language in braces.strip("{}").split(",")
    ]
    assert len(names) > 200 and "sea_nusax_ace_enprompt" in names
    assert not set(names) - set(read_tasks().tasks)
