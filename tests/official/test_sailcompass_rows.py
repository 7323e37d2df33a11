"""Rows as the official loaders treat them: by hand, and beside the loaders themselves on real rows."""

from __future__ import annotations

import json
import types

import datasets
import pytest

from lm_eval_sea.official.sailcompass_checkout import known_files, read_checkout
from lm_eval_sea.official.sailcompass_rows import loaded_rows, read_rows
from lm_eval_sea.tasks._shared.hub_files import DataError
from tests.official import official_code


def load(loader: str, row: dict, **texts: str) -> dict:
    (loaded,) = loaded_rows(loader, [row], texts, "rows.json")
    return loaded


def exam(options: list[str], answer: str, question: str = "Apa?") -> dict:
    return {"question_text": question, "options": options, "answer_text": answer}


def test_thai_exam():
    row = load("M3EXAMTHDataset", exam(["๑. หมา", "2.  แมว", "๕ เสียหน้า"], "๒"))
    assert [row[f"options_{position}"] for position in range(5)] == ["หมา", "แมว", "เสียหน้า", "None", "None"]
    assert (row["answer"], row["full_options"]) == ("2", "๑. หมา\n2.  แมว\n๕ เสียหน้า")
    assert load("M3EXAMTHDataset", exam(["1. ก"], "1"))["answer"] == "1"


def test_vietnamese_exam_has_cyrillic_letters_and_stray_points():
    row = load("M3EXAMVIDataset", exam(["A . Chó", "\u0412. Mèo", "C,Gà "], "\u0412"))
    assert [row[f"options_{position}"] for position in range(4)] == [" Chó", "Mèo", "Gà ", "None"]
    assert (row["answer_text"], row["full_options"]) == ("B", "A . Chó\nB. Mèo\nC,Gà ")


def test_javanese_exam_has_letters_of_both_cases():
    row = load("M3EXAMJvDataset", exam(["a. asu", "B. kucing"], "b", "Sing ngeong yaiku …. "))
    assert (row["answer_text"], row["question_text"], row["full_options"]) == ("B", "Sing ngeong yaiku", "A. asu\nB. kucing")
    assert row["options_0"] == "asu"


def test_belebele_is_not_stripped_and_has_a_fifth_option():
    row = {f"mc_answer{number}": f" pilihan {number} " for number in range(1, 5)} | {"correct_answer_num": "3"}
    row = load("BelebeleDataset", row, fifth_option="entah")
    assert row["answer"] == "C"
    assert row["options"] == "A.  pilihan 1 \nB.  pilihan 2 \nC.  pilihan 3 \nD.  pilihan 4 \nE. entah"


def test_xcopa_asks_the_question_of_the_row():
    row = load("XCOPASDataset", {"question": "effect", "label": 1}, cause="Sebabnya?", effect="Akibatnya?")
    assert (row["full_question"], row["answer"]) == ("Akibatnya?", "1")


@pytest.mark.parametrize(
    ("loader", "row", "message"),
    [
        ("M3EXAMTHDataset", exam(["1. ก"], "ก"), "row 0: no column or value 'ก'"),
        ("M3EXAMVIDataset", exam(["A. a"], "AB"), "'answer_text' is 'AB'; expected one letter"),
        ("M3EXAMVIDataset", exam(["A."], "A"), "an option without a text at position 0"),
        ("XQUADDataset", {"context": "x", "question": "y"}, "no column or value 'answer'"),
        ("XCOPASDataset", {"question": "result", "label": 1}, "no column or value 'result'"),
        ("M3EXAMJvDataset", exam([""], "A"), "row 0: string index out of range"),
    ],
)
def test_a_row_on_which_the_official_loader_fails(loader, row, message):
    with pytest.raises(DataError, match=message):
        load(loader, row)


@pytest.mark.parametrize(("content", "message"), [("", "no rows"), ("[]", "no rows"), ("{", "no JSON"), ("[1]", "no rows")])
def test_a_file_without_rows(tmp_path, monkeypatch, content, message):
    (tmp_path / "sail" / "Sailcompass_data").mkdir(parents=True)
    (tmp_path / "sail" / "Sailcompass_data" / "x.json").write_text(content)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match=message):
        read_rows("x.json")


@pytest.mark.slow
def test_real_rows_beside_the_official_loaders(sailcompass_checkout, hub_mirror, monkeypatch):
    """Every file of every configuration, row by row and column by column."""
    monkeypatch.chdir(hub_mirror / "sail" / "Sailcompass_data")
    post = types.ModuleType("post")
    post.first_option_parse = post.general_ans_postprocess = post.general_pred_postprocess = None
    loaders = {}
    for path, record in known_files()["code"].items():
        if path.startswith("datasets/"):
            module = official_code.load(sailcompass_checkout, path, post)
            loaders |= {name: getattr(module, name) for name in record["classes"]}
    compared = 0
    for task in read_checkout(sailcompass_checkout, known_files()).tasks:
        configuration = task.configuration
        official = loaders[configuration.loader].load(configuration.data_file)
        with open(configuration.data_file, encoding="utf-8") as file:
            text = file.read()
        published = json.loads(text) if text[0] == "[" else [json.loads(line) for line in text.split("\n") if line]
        ours = loaded_rows(configuration.loader, published, task.texts, configuration.data_file)
        needed = {*configuration.input_columns, configuration.answer_column}
        assert isinstance(official, datasets.Dataset) and len(official) == len(ours)
        for official_row, row in zip(official, ours, strict=True):
            assert {column: official_row[column] for column in needed} == {column: row[column] for column in needed}
            compared += 1
    assert compared > 30_000
