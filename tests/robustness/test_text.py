"""Text that does harm when it is displayed, or takes forever to read."""

import csv
import json
import multiprocessing
import unicodedata

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from tqdm import tqdm

from lm_eval_sea.commands.cli import main
from lm_eval_sea.results.visible_text import one_line, spreadsheet_cell, visible
from lm_eval_sea.sweep.job_process import Outcome
from lm_eval_sea.sweep.sweep import table_of_failures
from lm_eval_sea.tasks._shared.metrics.target_language import is_off_target
from lm_eval_sea.tasks._shared.prompted_answers import behind_thought
from lm_eval_sea.tasks._shared.reading.answer_text import answer_text, plain
from lm_eval_sea.tasks._shared.reading.sea_helm_answer import strict_text
from lm_eval_sea.tasks._shared.unicode_text import has_long_run, is_blank, normal_form

from ..report.planted import RANKED, plant
from ..results.lm_eval_output import OLD, changed
from ..sweep.test_two_plans import jobs_of_plan
from .conftest import check_text, edit
from .readers import totals

STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # of cells that a spreadsheet evaluates
# a formula with controls of a terminal, a title, marks of direction, a C1 control, backspace, delete and a byte order mark
HOSTILE = '=HYPERLINK("x")\x1b[31m\x1b]0;title\x07a\u202eb\u2066\x9b31m\x08\x7f\ufeff'


@given(st.sampled_from(["", *STARTS]), st.text())
def test_no_cell_is_a_formula(start, text):
    """Texts of letters and digits stay the same, and so do numbers."""
    cell = str(spreadsheet_cell(start + text))
    assert not cell.startswith(STARTS)
    if text.isalnum() and text.isascii() and not start:
        assert cell == text
    assert spreadsheet_cell(-5.0) == -5.0


def check_table(path):
    """Fails if a table has controls or formulas; numbers may be negative."""
    content = path.read_text(encoding="utf-8")
    check_text(content)
    cells = [cell for line in csv.reader(content.splitlines()) for cell in line]
    assert not [cell for cell in cells if cell.startswith(("=", "@", "\t", "\r")) or cell.startswith("-1+")]


@pytest.fixture
def said(capsys):
    """Runs a command that must succeed, and checks its output."""

    def said(*arguments):
        assert main([*map(str, arguments)]) == 0
        output = capsys.readouterr()
        check_text(output.out)
        check_text(output.err.replace("\r", "\n"))

    return said


def test_controls_on_a_terminal_in_reports_and_in_totals(tmp_path, said):
    """Names of models, tasks and rows have controls; the pages, all tables and the output of commands must not."""
    tqdm._instances.clear()  # a bar that an interrupted run left open has later ones drawn below it, by moving the cursor
    runs, out = plant(tmp_path / "runs"), tmp_path / "out"
    for path in runs.rglob("results_*.json"):
        path.write_text(path.read_text().replace("org/", json.dumps(HOSTILE)[1:-1]))
    hostile = {"options": [HOSTILE] * 4, "question": HOSTILE}
    for path in runs.rglob(f"samples_{RANKED}_{OLD}.jsonl"):
        edit(path, lambda rows: [row["doc"].update(hostile, id=f"{HOSTILE}{number}") for number, row in enumerate(rows)])
    said("report", runs, "--languages", "--out", out / "languages")
    of_totals = totals(tmp_path / "helm", model=HOSTILE)
    names = dict.fromkeys(("dataset", "language", "variant", "competency"), HOSTILE)
    for path in (of_totals, *runs.rglob("results_*.json")):
        with changed(path) as content:
            for record in content["configs"].values():
                record |= {"metadata": record["metadata"] | names, "doc_to_choice": [HOSTILE] * 4}
            content["config"]["model_args"] = {"pretrained": HOSTILE, HOSTILE: HOSTILE}
    said("show", runs)
    said("report", runs, "--out", out / "report")
    said("score", of_totals.parent, "--out", out / "totals.csv")
    for name in ("report.md", "report.html"):
        check_text((out / "report" / name).read_text(encoding="utf-8"))
    tables = list(out.rglob("*.csv"))
    for path in tables:
        check_table(path)
    assert {"questions.csv", "totals.csv", "scores_by_model.csv"} <= {path.name for path in tables}


def test_controls_in_a_data_file(mirror, capsys):
    edit(
        mirror / "sail/Sailcompass_data/data/xcopa/vi_test.jsonl",
        lambda rows: rows[0].update({"question": "\x1b[31m\u202e", "\x1b[2J": 1}),
    )
    assert main(["data", "check", "--tasks", "sea_xcopa_vi_to_ppl"]) == 1
    check_text(capsys.readouterr().out)


def test_controls_in_the_log_of_a_job(tmp_path):
    """A sweep shows the last line."""
    [job] = jobs_of_plan(tmp_path)
    check_text(table_of_failures({job: Outcome(1, HOSTILE)}))


@given(st.text())
def test_visible_texts_have_no_controls(text):
    check_text(visible(text))
    assert "\n" not in one_line(text)


def test_blank_characters_are_those_of_unicode():
    signs = "".join(map(chr, range(0x110000)))
    expected = regex.findall(r"[\p{Default_Ignorable_Code_Point}\s\p{Cc}\u2800]", signs)
    assert [hex(ord(sign)) for sign in signs if is_blank(sign)] == [hex(ord(sign)) for sign in expected]


MARKS = st.sampled_from("a\u00e1 \u0301\u0323\u0344\u0345\u0f73\u0e38\u0e48\u3099")


@given(st.lists(st.tuples(st.text(MARKS, max_size=8), st.integers(1, 200)), max_size=4))
def test_normal_forms_are_those_of_unicode(parts):
    """Also for long runs of combining marks."""
    text = "".join(part * times for part, times in parts)
    for form in ("NFC", "NFD", "NFKC"):
        assert normal_form(form, text) == unicodedata.normalize(form, text)
    assert has_long_run(text) == bool(regex.search(r"[^\p{ccc=0}]{256}", text))


def read_long_answers(length):
    """Reads answers of many combining marks, blanks, line breaks, asterisks or colons."""
    marks, thai = "a" + "\u0301\u0323" * (length // 2), "ก" + "\u0e38\u0e48" * (length // 2)
    for text in (marks, thai, " " * length, "\n" * length + "A", "*" * length, ":" * length):
        answer_text(text, ["คำตอบ:"])
        plain(text)
        strict_text(text, "Jawaban:")
        behind_thought({}, text)
        is_off_target(text, "th")


def test_no_answer_takes_forever_to_read(everything):
    """In another process, because no signal ends a regular expression."""
    reader = multiprocessing.get_context("fork").Process(target=read_long_answers, args=[300_000 if everything else 50_000])
    reader.start()
    reader.join(600)
    reader.kill()
    assert reader.exitcode == 0
