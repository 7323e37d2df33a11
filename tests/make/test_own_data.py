"""Tasks for a user's own rows: what docs/own_data.md says, done in a folder; other kinds, other sources, and mistakes."""

import json
import re
import warnings

import pytest
import yaml
from lm_eval import simple_evaluate
from lm_eval.tasks import TaskManager

from lm_eval_sea.commands.cli import main
from lm_eval_sea.tasks._shared.columns import ColumnRows
from tests.conftest import ROOT

FILE_ON_PAGE = re.compile(r"^`(chiangmai/[\w./]+)`.*?^```\w+\n(.*?)^```", re.DOTALL | re.MULTILINE)
PLACES = {"title": "Own", "version": 1.0, "task": "sa", "source": ".", "chance": 0.5, "languages": {"th": {"rows": 2}}}
PROMPT = {"version": 1, "instruction": "ตอบ", "row": "ข้อความ: {text}", "cue": "คำตอบ:"}


def plant(folder, record, prompt, rows):
    (folder / "prompts").mkdir(parents=True)
    (folder / "data_set.yml").write_text(yaml.safe_dump(record, allow_unicode=True), encoding="utf-8")
    (folder / "prompts" / "th.yml").write_text(yaml.safe_dump(prompt, allow_unicode=True), encoding="utf-8")
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def plant_comments(folder, rows):
    """Rows of a classification with columns of other names."""
    record = PLACES | {"kind": "classification", "files": {"test": "rows.jsonl"}, "fields": ["text"], "labels": ["neg", "pos"]}
    record["columns"] = {"text": "comment", "label": "sentiment"}
    plant(folder, record, PROMPT | {"labels": {"neg": "ลบ", "pos": "บวก"}}, rows)
    make(folder)


def make(folder, *wanted):
    assert main(["make", str(folder), *wanted]) == 0


def evaluate(folder, tasks):
    manager = TaskManager(include_path=str(folder), include_defaults=False, metadata={"tokenizer": "none"})
    return simple_evaluate(model="dummy", tasks=tasks, task_manager=manager, bootstrap_iters=0)


@pytest.fixture
def chiangmai(tmp_path):
    for name, text in FILE_ON_PAGE.findall((ROOT / "docs/own_data.md").read_text(encoding="utf-8")):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "chiangmai"


def test_the_page_leads_to_a_score(chiangmai, tmp_path, monkeypatch):
    make(chiangmai)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        results = evaluate(chiangmai, ["sea_chiangmai_th_litilo_ppl"])
    assert results["n-samples"]["sea_chiangmai_th_litilo_ppl"]["original"] == 3
    samples = results["samples"]["sea_chiangmai_th_litilo_ppl"]
    assert {sample["doc"]["question"]: sample["doc"]["gold"] for sample in samples} == {
        "ดอยสุเทพอยู่ในจังหวัดใด": 0,
        "แม่น้ำใดไหลผ่านตัวเมืองเชียงใหม่": 2,
        "เมืองเชียงใหม่ก่อตั้งในรัชสมัยของใคร": 1,
    }
    known = results["configs"]["sea_chiangmai_th_litilo_ppl"]["metadata"]["provenance"]
    assert (known["rows"], known["chance"], known["headline_metric"], known["task"]) == (3, 0.25, "acc_ppl", "culture")


def test_only_what_is_asked_for_is_made(chiangmai):
    make(chiangmai, "*_to_ppl", "sea_chiangmai_th_litilo_gen")
    assert sorted(path.stem for path in chiangmai.glob("*.yaml")) == ["sea_chiangmai_th_litilo_gen", "sea_chiangmai_th_to_ppl"]


def test_classification_from_json_lines(tmp_path):
    plant_comments(tmp_path / "comments", [{"comment": "แย่", "sentiment": "neg"}, {"comment": "ดี", "sentiment": "pos"}])
    results = evaluate(tmp_path / "comments", ["sea_comments_th"])
    samples = results["samples"]["sea_comments_th"]
    assert sorted((sample["doc"]["text"], sample["doc"]["gold"]) for sample in samples) == [("ดี", 1), ("แย่", 0)]
    assert {sample["arguments"][1][1] for sample in samples} == {" บวก"}
    assert "acc_bc,none" in results["results"]["sea_comments_th"]


def test_questions_from_a_repository_of_the_hub_that_is_a_folder_here(tmp_path, monkeypatch):
    record = PLACES | {"kind": "qa", "source": "me/questions", "config": "default", "splits": {"test": "validation"}}
    record |= {"fields": ["text"], "columns": {"text": "q", "answers": "a"}, "max_new_tokens": {"th": 10}}
    plant(tmp_path / "asked", record, PROMPT, [])
    repository = tmp_path / "me" / "questions"
    repository.mkdir(parents=True)
    (repository / "validation.jsonl").write_text('{"q": "ใคร", "a": "เขา"}\n{"q": "ที่ไหน", "a": "บ้าน"}\n', encoding="utf-8")
    make(tmp_path / "asked")
    monkeypatch.chdir(tmp_path)
    samples = evaluate(tmp_path / "asked", ["sea_asked_th"])["samples"]["sea_asked_th"]
    assert sorted(sample["doc"]["answers"] for sample in samples) == [["บ้าน"], ["เขา"]]


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ([{"comment": "ดี", "sentiment": "good"}], "row 0: field 'label' is 'good'; expected one of neg, pos"),
        ([{"sentiment": "pos"}], "row 0: no column 'comment'; it has sentiment"),
    ],
)
def test_a_row_that_cannot_be_read_is_named(tmp_path, rows, line):
    plant_comments(tmp_path / "comments", rows)
    with pytest.raises(ValueError, match=re.escape(line)):
        evaluate(tmp_path / "comments", ["sea_comments_th"])


@pytest.mark.parametrize(
    ("options", "answer", "expected"),
    [
        (["ลำปาง", "น่าน", "แพร่", "ตาก"], "C", 2),
        (["ลำปาง", "น่าน", "แพร่", ""], "C", 2),
        (["ลำปาง", "", "แพร่", "ตาก"], "C", "an empty option at position 2"),  # C is not the second option that is left
        (["3", "1", "2", "0"], "3", "'3', which may be A or D; "),
        (["3", "1", "2", "0"], "1", 1),  # text and number name the same
        (["B", "A", "AB", "O"], "A", "'A', which may be A or B; "),
        (["น่าน", "ตาก", "ตาก", ""], "ตาก", "'ตาก', which may be B or C; "),
        (["น่าน", "ตาก", "ตาก", ""], "b", 1),
    ],
)
def test_the_right_option_is_never_guessed(options, answer, expected):
    read = ColumnRows({"question": "q", "options": ["a", "b", "c", "d"], "gold": "answer"})({})
    row = {"q": "?", **dict(zip("abcd", options, strict=True)), "answer": answer}
    if isinstance(expected, int):
        assert read(row)["gold"] == expected
    else:
        with pytest.raises(ValueError, match=re.escape(expected)):
            read(row)


def test_options_in_one_cell_of_a_table_are_not_read_character_by_character():
    read = ColumnRows({"question": "q", "options": "choices", "gold": "answer"})({})
    assert read({"q": "?", "choices": ["AB", "CD"], "answer": "CD"})["gold"] == 1
    with pytest.raises(ValueError, match="the text 'AB'; expected a list, or in data_set.yml a column for each option"):
        read({"q": "?", "choices": "AB", "answer": "B"})


def plant_answers(folder, answers, options):
    """Questions with these options and right answers."""
    record = PLACES | {"kind": "mcq", "files": {"test": "rows.jsonl"}, "fields": ["text"]}
    record["columns"] = {"text": "q", "options": [*"abcde"[: len(options)]], "gold": "answer"}
    shown = dict(zip("abcde", options, strict=False))
    plant(folder, record, PROMPT, [{"q": f"ข้อ {number}", **shown, "answer": answer} for number, answer in enumerate(answers)])
    make(folder, "sea_own_th_litilo_*")


@pytest.mark.parametrize("answers", [[1, 3, 4, 2], ["1", "3", "4", "2"], ["B", 1, 4, 3]])
def test_numbers_that_count_from_1_are_refused(tmp_path, answers):
    plant_answers(tmp_path / "own", answers, ["ลำปาง", "น่าน", "แพร่", "ตาก"])
    with pytest.raises(ValueError, match="row 2: .*'4' of 4 options.* count from 1, .*; subtract 1 from each, or give letters"):
        evaluate(tmp_path / "own", ["sea_own_th_litilo_ppl"])


@pytest.mark.parametrize("answers", [[1, 0, 4, 2], [1, 5, 4, 2], ["A", "B", "ก", "C"]])
def test_other_answers_that_no_option_has_are_typing_errors(tmp_path, answers):
    plant_answers(tmp_path / "own", answers, ["ลำปาง", "น่าน", "แพร่", "ตาก"])
    with pytest.raises(ValueError, match="row [12]: .*; expected an option, A to D, or 0 to 3$"):
        evaluate(tmp_path / "own", ["sea_own_th_litilo_ppl"])


@pytest.mark.parametrize(
    ("answers", "options", "is_said"),
    [
        ([1, 2, 3] * 5 + [1], 4, False),  # 16 rows: (3/4)^16 = 1.002 %
        ([1, 2, 3] * 5 + [1, 2], 4, True),  # 17 rows: 0.752 %
        ([1] * 6, 2, False),  # (1/2)^6 = 1.56 %
        ([1] * 7, 2, True),  # 0.78 %
        ([1, 2, 3] * 7 + [0], 4, False),
        (["B", "C", "D"] * 20, 4, False),
        (["ที่ 1", "ที่ 2"] * 20, 4, False),
        ([11, 12] * 20, 4, False),  # texts of options
        (["B", "C"] * 20 + [1, 2], 4, False),  # two numbers alone
    ],
)
def test_numbers_without_a_0_are_said_once(tmp_path, caplog, answers, options, is_said):
    texts = [*(["10", "11", "12", "13"] if answers[0] == 11 else [f"ที่ {place}" for place in range(4)])][:options]
    plant_answers(tmp_path / "own", answers, texts)
    evaluate(tmp_path / "own", ["sea_own_th_litilo_ppl", "sea_own_th_litilo_gen"])
    said = [line for line in caplog.messages if "count from 1" in line]
    assert len(said) == is_said
    assert all("own/rows.jsonl: " in line and f"of {len(answers)} right answers" in line for line in said)


@pytest.mark.parametrize(
    ("name", "change", "line"),
    [
        ("xnli", {}, "none of the pack's names"),
        ("my-rows", {}, "letters and digits"),
        ("own", {"colour": 1}, "unknown key 'colour'"),
        ("absent/own", ..., "data_set.yml: cannot be read: "),
        ("own", {"fields": ["question"]}, "own/prompts/th.yml: 'row' lacks {question}"),
    ],
)
def test_a_mistake_is_one_line(tmp_path, capsys, name, change, line):
    record = PLACES | {"kind": "mcq", "files": {"test": "rows.jsonl"}, "fields": ["text"]}
    if change is not ...:
        plant(tmp_path / name, record | change, PROMPT, [])
    assert main(["make", str(tmp_path / name)]) == 2
    assert line in (said := capsys.readouterr().err) and said.count("\n") == 1
