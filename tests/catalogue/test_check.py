"""What `data check` finds in data files that are whole, and in broken ones."""

import json
import re
from dataclasses import replace

import pytest

from lm_eval_sea.catalogue.check import check_data, distinct_data, occurring_exemplars, render, token_counter
from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.commands.cli import main

from ..robustness.conftest import edit
from ..tasks.prompt_texts import complete_samples

FOLDER = "sail/Sailcompass_data/data"
BELEBELE = f"{FOLDER}/belebele/tha_Thai.jsonl"
XCOPA = f"{FOLDER}/xcopa/th_test.jsonl"
PACK = read_tasks()


@pytest.fixture
def check():
    """The report on the data of a task that expects so many rows."""

    def check(name, rows=4):
        task = PACK.tasks[name]
        return check_data(replace(task, metadata={**task.metadata, "rows": rows}))

    return check


NOT_ONE_FOR_ONE = {"blend", "bmpt3"}  # some published rows are not scored, or many are one text


@pytest.mark.slow
def test_whole_files_have_no_faults(check, mirror):
    complete_samples(mirror)
    for task in distinct_data([task for task in PACK.tasks.values() if not task.may_change]):
        if task.metadata["dataset"] in NOT_ONE_FOR_ONE:
            continue
        rows = 0
        for path in (path for split, path in task.source.files if split == "test"):
            text = (mirror / task.source.repository / path).read_text(encoding="utf-8")
            rows += len(json.loads(text) if text.startswith("[") else text.splitlines()) - path.endswith((".csv", ".tsv"))
        if task.metadata["variant"] == "to_en":  # the texts of four rows on three passages
            rows = 3 + 4 * 5
        report = check(task.name, rows)
        assert report.faults == []
        assert report.found == rows


def test_report_of_a_whole_file(check, mirror):
    assert render(check("sea_xcopa_th_to_ppl")) == (
        f"ok     {XCOPA}  4 of 4 rows  (process_rows_with_vietnamese_question, with data/xcopa/vi_test.jsonl)\n"
        "       not the rows that the pack was tested with: other texts in the same number of rows\n"
        "       columns: premise, choice1, choice2, question, label, idx, changed\n"
        "       right answers by position: 0: 2, 1: 2"
    )


@pytest.mark.parametrize(
    ("patterns", "number"),
    [
        (["sea_xcopa_th_*"], 2),  # with and without the Vietnamese questions
        (["sea_belebele_th_tito_ppl*", "sea_belebele_th_litilo_*"], 1),
        (["sea_belebele_th_to_ppl*", "sea_belebele_th_chat", "sea_belebele_th_enshots_*"], 2),  # exemplars in two languages
        (["sea_flores", "sea_flores_enprompt", "sea_xquad_th*"], 7),  # both directions of three languages, and questions
    ],
)
def test_a_file_is_checked_once_for_each_way_to_process_it_and_each_set_of_exemplars(patterns, number):
    assert len(distinct_data(PACK.select(patterns))) == number


def test_rows_that_are_left_out_are_none_of_those_expected(check, mirror):
    report = check("sea_indommlu_id_to_ppl")
    assert (report.found, report.notes, report.faults) == (4, [], [])
    edit(mirror / "indolem/IndoMMLU/data/test.jsonl", lambda rows: rows.append(rows[-1]))
    assert check("sea_indommlu_id_to_ppl").found == 4
    edit(mirror / "indolem/IndoMMLU/data/test.jsonl", lambda rows: rows.append(rows[0] | {"question": "Berapa 1 + 1?"}))
    assert check("sea_indommlu_id_to_ppl").notes == ["indolem/IndoMMLU default/test: 5 rows; expected 4"]


def without(column):
    return lambda rows: [row.pop(column) for row in rows]


def changed(number, **columns):
    return lambda rows: rows[number].update(columns)


VI_XCOPA, WISESIGHT = f"{FOLDER}/xcopa/vi_test.jsonl", f"{FOLDER}/wisesight_senti/test.jsonl"
TYDIQA, VI_FLORES = f"{FOLDER}/tydiqa_id/validation.jsonl", f"{FOLDER}/flores200/vie_Latn_devtest.jsonl"
BELEBELE_TH, TH, WISE = "sea_belebele_th_to_ppl", "sea_xcopa_th_to_ppl", "sea_wisesight_th"
# task, file, change to its rows, the first fault
FAULTS = [
    (BELEBELE_TH, BELEBELE, without("mc_answer2"), ", row 0: no column 'mc_answer2'; it has link"),
    (BELEBELE_TH, BELEBELE, lambda rows: rows[2].pop("mc_answer2"), ", row 2: .*nothing in column mc_answer2"),
    ("sea_xcopa_vi_to_ppl", VI_XCOPA, changed(0, question="why"), ", row 0: field 'question' is 'why'; expected 'cause' or"),
    (TH, VI_XCOPA, without("idx"), ": a file that its rows are joined with has no column 'idx'"),
    (TH, VI_XCOPA, lambda rows: rows.pop(1), ", row 1: field 'idx' is 1, which the Vietnamese file lacks"),
    (BELEBELE_TH, BELEBELE, changed(1, correct_answer_num="7"), ", row 1: field 'gold' is 6; expected 0 to 3"),
    (WISE, WISESIGHT, lambda rows: [row.update(category=2) for row in rows if row["category"] == 1],
     ": no row has the label 'เป็นกลาง'; expected all 3 labels"),
    (WISE, WISESIGHT, changed(0, category=3), ", row 0: field 'label' is 3; expected one of 0, 1, 2"),
    ("sea_tydiqa_id", TYDIQA, changed(0, answer=["Gesang", " "]), r", row 0: field 'answers' is \['Gesang', ''\]; expected one"),
    ("sea_tydiqa_id", TYDIQA, changed(0, answer=["Didi"]), ", row 0: field 'answers' has 'Didi', which is not in the passage"),
    ("sea_flores_en_vi", VI_FLORES, changed(2, target="\n"), ", row 2: field 'translation' is empty; expected text"),
]  # fmt: skip


@pytest.mark.parametrize(("task", "file", "change", "fault"), FAULTS, ids=[fault for *_, fault in FAULTS])
def test_a_fault_is_named_with_file_row_and_field(task, file, change, fault, check, mirror):
    edit(mirror / file, change)
    report = check(task, rows=6 if task == WISE else 4)
    named = XCOPA if file == VI_XCOPA and "_th_" in task else file
    assert re.match(re.escape(named) + fault, report.faults[0]), report.faults
    assert "\n" not in report.faults[0]
    assert len({re.sub(r"row \d+", "", found) for found in report.faults}) == 1 or file == WISESIGHT


@pytest.mark.parametrize(
    ("task", "file", "row", "column", "exemplar", "field"),
    [
        ("sea_belebele_th_to_ppl", BELEBELE, 2, "flores_passage", 1, "passage"),
        ("sea_flores_th_en", f"{FOLDER}/flores200/tha_Thai_devtest.jsonl", 1, "source", 3, "english"),
    ],
)
def test_an_exemplar_among_the_rows_is_a_fault(task, file, row, column, exemplar, field, check, mirror):
    text = PACK.tasks[task].exemplars[exemplar][field]
    edit(mirror / file, changed(row, **{column: f"{text.upper()} "}))
    (fault,) = check(task).faults
    assert fault.startswith(f"{file}, row {row}: exemplar {exemplar + 1} of the prompt file occurs here: ")


def test_many_faults_are_counted(check, mirror):
    edit(mirror / BELEBELE, lambda rows: rows.__setitem__(slice(None), [rows[0] | {"question": ""}] * 30))
    report = check("sea_belebele_th_to_ppl")
    assert len(report.faults) == 31, "the number of rows, and each row"
    lines = render(report).splitlines()
    assert lines[-1].strip() == "… and 21 more faults"
    assert len(lines) == 2 + 10 + 1


def test_ties_and_repeated_rows_are_named_and_are_no_fault(check, mirror):
    def change(rows):
        rows[3].update(mc_answer2=rows[3]["mc_answer1"], correct_answer_num="2")
        rows.append(rows[1] | {"link": "elsewhere", "correct_answer_num": "2"})

    edit(mirror / BELEBELE, change)
    report = check("sea_belebele_th_to_ppl", rows=5)
    assert report.faults == []
    assert "ties (identical options, of which the first counts): 1, in row 3" in render(report)
    assert "the right option repeats an earlier one, so that a ranking of texts counts as wrong: 1, in row 3" in render(report)
    assert "repeated rows: 1, in row 4" in render(report)


def test_a_missing_file_is_a_fault(check, mirror):
    (mirror / BELEBELE).unlink()
    report = check("sea_belebele_th_to_ppl")
    (fault,) = report.faults
    assert fault.startswith("the folder sail/Sailcompass_data has no data/belebele/tha_Thai.jsonl")
    assert "lm-eval-sea data fetch" in fault
    assert render(report).startswith(f"FAULT  {BELEBELE}  not loaded")


def test_exemplar_of_short_texts_occurs_only_as_a_whole():
    exemplar = {"premise": "Raka begadang.", "question": "cause", "options": ["Ia lapar.", "Ia lelah."], "letters": ["A", "B"]}
    row = {"id": "7", "premise": "raka  begadang.", "question": "cause", "options": ["Ia lelah.", "Ia lapar."]}
    assert list(occurring_exemplars([exemplar], row)) == [(1, "raka begadang.")]
    assert list(occurring_exemplars([exemplar], row | {"options": ["Ia lelah.", "Ia haus."]})) == []


def test_references_longer_than_an_answer_may_be(check, mirror, tiny_model):
    """Counted in words, or in the tokens of a model."""
    path = mirror / FOLDER / "xlsum_vi" / "test_1000.jsonl"
    edit(path, lambda rows: rows[1].update(summary="từ " * 181))
    report = check("sea_xlsum_vi", rows=3)
    assert "references longer than an answer may be, 180 words: 1, in row 1" in render(report) and report.faults == []
    count = token_counter(str(tiny_model))
    edit(path, lambda rows: rows[1].update(summary="từ " * 170))
    assert "references longer" not in render(check("sea_xlsum_vi", rows=3))
    report = check_data(PACK.tasks["sea_xlsum_vi"], lambda text: 2 * count(text))
    assert 1 in report.odd["references longer than an answer may be, 180 tokens"]


def test_repeats_of_the_published_thai_exams(in_hub_mirror):
    """Seven rows repeat the question and options of an earlier one."""
    assert len(check_data(PACK.tasks["sea_m3exam_th_to_ppl"]).odd["repeated rows"]) == 7


@pytest.mark.parametrize(
    ("tasks", "said"),
    [("sea_xcopa_th_to_ppl,sea_belebele_my_enshots_to_ppl", True), ("sea_xcopa_th_to_ppl_asis,sea_belebele_my-en_to_ppl", False)],
)
def test_rows_of_two_languages_or_as_published_are_not_compared_with_the_tested_ones(tasks, said, in_hub_mirror, capsys):
    main(["data", "check", "--tasks", tasks])
    assert capsys.readouterr().out.count("the rows that the pack was tested with") == (2 if said else 0)


def test_a_mirror_of_two_commits_is_noted(mirror, monkeypatch, capsys):
    """huggingface_hub notes beside each file of which commit it is, here the commit, a tag and the time."""
    from huggingface_hub._local_folder import write_download_metadata

    commands = ["data", "check", "--tasks", "sea_xcopa_th_to_ppl,sea_xcopa_id_to_ppl"]
    repository = mirror / "sail" / "Sailcompass_data"
    for commits, said in ((["a" * 40, "a" * 40], False), (["a" * 40, "b" * 40], True)):
        for commit, language in zip(commits, ("id", "th"), strict=True):
            write_download_metadata(repository, f"data/xcopa/{language}_test.jsonl", commit, "tag")
        main(commands)
        err = capsys.readouterr().err
        assert ("note: sail/Sailcompass_data has files of 2 commits of the repository, such as id_test.jsonl of aaaaaaaa and "
                "th_test.jsonl of bbbbbbbb; ") in err if said else "commits" not in err  # fmt: skip
