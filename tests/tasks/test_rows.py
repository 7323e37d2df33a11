"""From published rows to processed rows, every known fault of SailCompass by hand and on the real files; the order of rows."""

import importlib
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.tasks._shared.digests import digests_of
from lm_eval_sea.tasks._shared.published.json_rows import read_json_rows
from lm_eval_sea.tasks._shared.row_order import fair_order
from lm_eval_sea.tasks._shared.rows import in_published_order, load_rows, processed_rows
from lm_eval_sea.tasks._shared.sources import Source

from .evaluation import write_json_lines


def _utils(dataset: str):
    return importlib.import_module(f"lm_eval_sea.tasks.{dataset}.utils")


belebele, xcopa, m3exam = _utils("belebele"), _utils("xcopa"), _utils("m3exam")


def _published(folder: Path, file: str) -> list[dict]:
    return read_json_rows(folder / "sail/Sailcompass_data/data" / file)


class TestBelebele:
    def test_csv_quoting_is_taken_off(self):
        expected = {
            '"Apakah arti ""sel""?"': 'Apakah arti "sel"?',
            '"""Ya,"" katanya."': '"Ya," katanya.',
            **{text: text for text in ('"kutipan biasa"', 'Kata "sel" berarti apa?', '"')},
            " edge\u00a0": "edge",
        }
        assert {text: belebele.unescape_csv(text) for text in expected} == expected

    @given(st.text(alphabet='ab", ').filter(lambda text: '"' in text and '""' not in text))
    def test_a_cell_written_by_the_csv_module_is_read_back(self, text):
        cell = '"' + text.replace('"', '""') + '"'
        assert belebele.unescape_csv(cell) == text.strip()


class TestXCOPA:
    def test_thai_question_comes_from_the_vietnamese_row(self, samples):
        data = {"test": _published(samples, "xcopa/th_test.jsonl"), "vietnamese": _published(samples, "xcopa/vi_test.jsonl")}
        as_published = [xcopa.process_row(row)["question"] for row in data["test"]]
        assert as_published == ["effect"] * 4, "the sample lost the published fault"
        process = xcopa.process_rows_with_vietnamese_question(data)
        assert [process(row)["question"] for row in data["test"]] == ["cause", "effect", "cause", "effect"]

    def test_real_rows(self, hub_mirror):
        process = xcopa.process_rows_with_vietnamese_question({"vietnamese": _published(hub_mirror, "xcopa/vi_test.jsonl")})
        thai, indonesian = (_published(hub_mirror, f"xcopa/{language}_test.jsonl") for language in ("th", "id"))
        assert sum(process(row)["question"] != row["question"] for row in thai) == 250
        assert [row["idx"] for row in indonesian if process(row)["question"] != row["question"]] == [84, 111, 436, 454]


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
            *((["๑. ก", "๒.\nข", "๓. ค", "๔. ง", "๕ จ"], answer, ["ก", "ข", "ค", "ง", "จ"], 2) for answer in "3๓"),
        ],
    )
    def test_labels(self, options, answer, texts, gold):
        """An answer that is not among the options is refused."""
        letters = "12345" if len(texts) == 5 else "ABCDE"
        published = {"question_text": "Hỏi?", "options": options, "answer_text": answer}
        row = m3exam.process_row(published, letters)
        assert (row["options"], row["letters"], row["gold"]) == (texts, list(letters[: len(options)]), gold)
        for outside in ("E" if letters == "ABCDE" else "6", "", "AB"):
            with pytest.raises(ValueError, match="answer_text"):
                m3exam.process_row(published | {"answer_text": outside}, letters)

    def test_javanese_stems_lose_their_dots(self):
        process = m3exam.process_javanese_rows({})
        row = process({"question_text": "Balung Klapa tegese ….", "options": ["a. Bathok", "b. Pathok"], "answer_text": "A"})
        assert row["question"] == "Balung Klapa tegese"

    @pytest.mark.parametrize(("language", "spaced"), [("thai", 0), ("javanese", 0), ("vietnamese", 3)])
    def test_real_rows(self, hub_mirror, language, spaced):
        published = _published(hub_mirror, f"m3exam/{language}-questions-test.json")
        rows = list(map(getattr(m3exam, f"process_{language}_rows")({}), published))
        # SailCompass cuts two characters off every option; that is the same but for "A . …"
        options, texts = ([text for row in some for text in row["options"]] for some in (rows, published))
        assert sum(option != text[2:].strip() for option, text in zip(options, texts, strict=True)) == spaced


def test_rows_that_a_user_mends_are_read_anew(tmp_path, monkeypatch):
    """Tasks with the same rows share them within a process, but not with rows that are no longer there."""
    monkeypatch.chdir(tmp_path)
    facts = {"data_source": "own", "data_files": {"test": "rows.jsonl"}}
    found = []
    for word in ("aaaa", "bbbb"):
        write_json_lines(tmp_path / "own" / "rows.jsonl", [{"id": "1", "text": word}])
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
        ([row | {"text": row["text"] * 2, "gold": 1} for row in TESTED], "other texts in the same number of rows"),
        (TESTED[:3], None),  # another number of rows is said in a line of its own
    ],
)
def test_a_file_that_is_not_the_tested_one_is_said_in_a_line(tmp_path, monkeypatch, caplog, rows, said):
    monkeypatch.chdir(tmp_path)
    where = {"data_source": "own", "data_files": {"test": "rows.jsonl"}}
    for place, content in (("tested", TESTED), ("own", rows)):
        write_json_lines(tmp_path / place / "rows.jsonl", content)
    tested = processed_rows(Source.from_metadata(**where | {"data_source": "tested"}), _as_it_is)
    digests = {"rows": tested.sha256, **digests_of(in_published_order(tested))}
    load_rows(process=_as_it_is, provenance={}, rows=len(TESTED), tested=digests, **where)
    lines = [message for message in caplog.messages if "tested with" in message]
    assert lines == ([f"own/rows.jsonl is not the file that the pack was tested with: {said}"] if said else [])


def test_the_stated_digests_are_those_of_the_real_rows(in_hub_mirror):
    """Small data sets only; `scripts/state_tested_rows.py --check` looks at all."""
    for name in ("sea_sgeval_en_to_ppl", "sea_thaiexam_th_to_ppl", "sea_helm_id_sentiment", "sea_helm_id_nli_ppl"):
        task = read_tasks().tasks[name]
        loaded = task.load_rows()
        assert task.metadata["tested"] == {"rows": loaded.sha256, **digests_of(in_published_order(loaded))}


DRAWN = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 20)), min_size=21, max_size=120)


@given(DRAWN, st.randoms(use_true_random=False))
def test_every_beginning_has_the_labels_of_the_whole_and_passages_in_turn(drawn, random):
    """Within one row of the exact share for each label, and half a row more for each other label that rounds against it.

    A passage comes again only when all of its label have come. Translations of a test have the same rows in another order, which
    makes no difference.
    """
    rows = [{"id": str(number), "gold": gold, "cluster": str(cluster)} for number, (gold, cluster) in enumerate(drawn)]
    order = fair_order(rows)
    assert sorted(order) == list(range(len(rows))), "every row stands once"
    whole, found, seen, last = Counter(row["gold"] for row in rows), Counter(), Counter(), Counter()
    for length, position in enumerate(order, start=1):
        gold, cluster = rows[position]["gold"], rows[position]["cluster"]
        found[gold] += 1
        for label, count in whole.items():
            assert abs(found[label] - length * count / len(rows)) <= 0.5 + 0.5 * len(whole)
        assert seen[gold, cluster] >= last[gold]
        last[gold] = seen[gold, cluster]
        seen[gold, cluster] += 1
    shuffled = random.sample(rows, len(rows))
    assert [rows[position]["id"] for position in order] == [shuffled[position]["id"] for position in fair_order(shuffled)]
