"""From published rows to processed rows: every known fault of the published data, by hand and on the real files."""

import importlib.util
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.tasks._shared.rows import digests_of, in_published_order, load_rows, processed_rows
from lm_eval_sea.tasks._shared.sources import Source

from .evaluation import TASKS


def _utils(dataset: str):
    spec = importlib.util.spec_from_file_location(f"{dataset}_utils", TASKS / dataset / "utils.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


belebele, xcopa, m3exam = _utils("belebele"), _utils("xcopa"), _utils("m3exam")


def _published(folder: Path, file: str) -> list[dict]:
    text = (folder / "sail/Sailcompass_data/data" / file).read_text(encoding="utf-8")
    return json.loads(text) if text.startswith("[") else [json.loads(line) for line in text.splitlines()]


class TestBelebele:
    @pytest.mark.parametrize(
        ("published", "text"),
        [
            ('"Apakah arti ""sel""?"', 'Apakah arti "sel"?'),
            ('"""Ya,"" katanya."', '"Ya," katanya.'),
            ('"kutipan biasa"', '"kutipan biasa"'),
            ('Kata "sel" berarti apa?', 'Kata "sel" berarti apa?'),
            (" edge\u00a0", "edge"),
            ('"', '"'),
        ],
    )
    def test_csv_quoting_is_taken_off(self, published, text):
        assert belebele.unescape_csv(published) == text

    @given(st.text(alphabet='ab", ').filter(lambda text: '"' in text and '""' not in text))
    def test_a_cell_written_by_the_csv_module_is_read_back(self, text):
        cell = '"' + text.replace('"', '""') + '"'
        assert belebele.unescape_csv(cell) == text.strip()


class TestXCOPA:
    def test_thai_question_comes_from_the_vietnamese_row(self, samples):
        data = {"test": _published(samples, "xcopa/th_test.jsonl"), "vietnamese": _published(samples, "xcopa/vi_test.jsonl")}
        assert {row["question"] for row in data["test"]} == {"effect"}, "the sample lost the published fault"
        process = xcopa.process_rows_with_vietnamese_question(data)
        assert [process(row)["question"] for row in data["test"]] == ["cause", "effect", "cause", "effect"]

    def test_real_rows(self, hub_mirror):
        process = xcopa.process_rows_with_vietnamese_question({"vietnamese": _published(hub_mirror, "xcopa/vi_test.jsonl")})
        thai, indonesian = (_published(hub_mirror, f"xcopa/{language}_test.jsonl") for language in ("th", "id"))
        assert sum(process(row)["question"] != row["question"] for row in thai) == 250
        assert [row["idx"] for row in indonesian if process(row)["question"] != row["question"]] == [84, 111, 436, 454]

    def test_as_published_keeps_the_question(self, samples):
        rows = _published(samples, "xcopa/th_test.jsonl")
        assert {xcopa.process_row(row)["question"] for row in rows} == {"effect"}


class TestM3Exam:
    @pytest.mark.parametrize(
        ("options", "answer", "texts", "gold"),
        [
            (["A. một", "B. hai"], "B", ["một", "hai"], 1),
            (["A . một", "B, hai", "C.ba", "D bốn"], "C", ["một", "hai", "ba", "bốn"], 2),
            (["A.\u00a0một", "\u0412. hai"], "B", ["một", "hai"], 1),  # Cyrillic letter
            (["A. 1,4", "B, 1,24", "C.2.", "D. 0,14"], "A", ["1,4", "1,24", "2.", "0,14"], 0),
            (["a. siji", "b. loro"], "b", ["siji", "loro"], 1),
            (["A. một", "C. hai", "B. ba", "D. bốn"], "C", ["một", "hai", "ba", "bốn"], 1),  # the printed letter decides
            (["A. một", "B. hai", "C. ba", "C. bốn"], "C", ["một", "hai", "ba", "bốn"], 2),  # printed twice: the position
        ],
    )
    def test_latin_labels(self, options, answer, texts, gold):
        row = m3exam.process_row({"question_text": "Hỏi?", "options": options, "answer_text": answer}, "ABCDE")
        assert (row["options"], row["gold"]) == (texts, gold)
        assert row["letters"] == list("ABCD"[: len(options)])

    @pytest.mark.parametrize("answer", ["3", "๓"])
    def test_thai_digits(self, answer):
        row = m3exam.process_row(
            {"question_text": "ถาม", "options": ["๑. ก", "๒.\nข", "๓. ค", "๔. ง", "๕ จ"], "answer_text": answer}, "12345"
        )
        assert row["options"] == ["ก", "ข", "ค", "ง", "จ"]
        assert row["letters"] == ["1", "2", "3", "4", "5"]
        assert row["gold"] == 2

    def test_javanese_stems_lose_their_dots(self):
        process = m3exam.process_javanese_rows({})
        row = process({"question_text": "Balung Klapa tegese ….", "options": ["a. Bathok", "b. Pathok"], "answer_text": "A"})
        assert row["question"] == "Balung Klapa tegese"

    @pytest.mark.parametrize("answer", ["E", "", "AB"])
    def test_an_answer_outside_the_options_is_refused(self, answer):
        with pytest.raises(ValueError, match="answer_text"):
            m3exam.process_row({"question_text": "?", "options": ["A. x", "B. y"], "answer_text": answer}, "ABCDE")

    @pytest.mark.parametrize(("language", "spaced"), [("thai", 0), ("javanese", 0), ("vietnamese", 3)])
    def test_real_rows(self, hub_mirror, language, spaced):
        published = _published(hub_mirror, f"m3exam/{language}-questions-test.json")
        rows = list(map(getattr(m3exam, f"process_{language}_rows")({}), published))
        # SailCompass cuts two characters off every option; that is the same but for "A . …"
        pairs = [
            pair for row, old in zip(rows, published, strict=True) for pair in zip(row["options"], old["options"], strict=True)
        ]
        assert sum(option != text[2:].strip() for option, text in pairs) == spaced


def test_rows_that_a_user_mends_are_read_anew(tmp_path, monkeypatch):
    """Tasks with the same rows share them within a process, but not with rows that are no longer there."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "own" / "rows.jsonl"
    path.parent.mkdir()
    facts = {"data_source": "own", "data_files": {"test": "rows.jsonl"}}
    found = []
    for word in ("aaaa", "bbbb"):
        path.write_text(json.dumps({"id": "1", "text": word}) + "\n", encoding="utf-8")
        found += [load_rows(process=_as_it_is, provenance={}, **facts)["test"] for _ in range(2)]
    assert [rows["text"] for rows in found] == [["aaaa"], ["aaaa"], ["bbbb"], ["bbbb"]]
    assert found[0] is found[1]


def _as_it_is(splits):
    return dict


TESTED = [
    {"text": word, "options": ["x", "y"], "letters": ["A", "B"], "gold": gold}
    for word, gold in zip("abcd", (0, 1, 1, 0), strict=True)
]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (TESTED, None),
        (TESTED[::-1], "the same rows in another order"),
        ([row | {"gold": 1 - row["gold"]} for row in TESTED], "the same questions, with other right answers"),
        ([row | {"text": row["text"] * 2} for row in TESTED], "the same right answers, with other texts"),
        ([row | {"text": row["text"] * 2, "gold": 1} for row in TESTED], "other texts, and as many rows"),
        (TESTED[:3], None),  # another number of rows is said in a line of its own
    ],
)
def test_a_file_that_is_not_the_tested_one_is_said_in_a_line(tmp_path, monkeypatch, caplog, rows, said):
    caplog.set_level("WARNING", logger="lm_eval_sea")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own").mkdir()
    where = {"data_source": "own", "data_files": {"test": "rows.jsonl"}}
    for place, content in (("tested", TESTED), ("own", rows)):
        (tmp_path / place).mkdir(exist_ok=True)
        (tmp_path / place / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in content), encoding="utf-8")
    tested = processed_rows(Source.from_metadata(**where | {"data_source": "tested"}), _as_it_is)
    digests = {"rows": tested.sha256, **digests_of(in_published_order(tested))}
    load_rows(process=_as_it_is, provenance={}, rows=len(TESTED), tested=digests, **where)
    lines = [record.getMessage() for record in caplog.records if "tested with" in record.getMessage()]
    assert lines == ([f"own/rows.jsonl is not the file that the pack was tested with: {said}"] if said else [])


def test_the_stated_digests_are_those_of_the_real_rows(hub_mirror, monkeypatch):
    """Of small data sets; `scripts/state_tested_rows.py --check` looks at all."""
    monkeypatch.chdir(hub_mirror)
    for name in ("sea_sgeval_en_to_ppl", "sea_thaiexam_th_to_ppl", "sea_helm_id_sentiment", "sea_helm_id_nli_ppl"):
        task = read_tasks().tasks[name]
        loaded = task.load_rows()
        assert task.metadata["tested"] == {"rows": loaded.sha256, **digests_of(in_published_order(loaded))}
