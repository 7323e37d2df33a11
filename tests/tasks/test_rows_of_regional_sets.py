"""From published rows to processed rows of data sets outside SailCompass: the known faults, by hand and on the real files."""

import csv
import importlib.util
import json
from collections import Counter
from pathlib import Path

import datasets
import pytest

from .evaluation import TASKS


def _rows(dataset: str, published: list[dict]) -> list[dict]:
    """What the data set's utils.py makes of the published rows."""
    spec = importlib.util.spec_from_file_location(f"{dataset}_utils", TASKS / dataset / "utils.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    process = module.process_rows({"test": published})
    made = [process(row) for row in published]
    return [row for rows in made for row in (rows if isinstance(rows, list) else [rows])]


def _json_lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def _table(path: Path) -> list[dict]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def _parquet(path: Path, cache: Path) -> list[dict]:
    return datasets.Dataset.from_parquet(str(path), cache_dir=str(cache)).to_list()


def _right(row: dict) -> str:
    return row["options"][row["gold"]]


def _times_of_right(row: dict) -> int:
    return row["options"].count(_right(row))


class TestCopal:
    @pytest.mark.parametrize(
        ("file", "changed"),
        [("test_copal.csv", 0), ("test_copal_colloquial.csv", 11)],
    )
    def test_real_rows(self, hub_mirror, file, changed):
        published = _table(hub_mirror / "haryoaw/COPAL" / file)
        rows = _rows("copal", published)
        assert Counter(row["question"] for row in rows) == {"cause": 279, "effect": 280}
        assert Counter(row["gold"] for row in rows) == {0: 279, 1: 280}
        texts = [(old[column], new) for old, row in zip(published, rows, strict=True) for column, new in _texts_of_copal(row)]
        assert sum(old != new for old, new in texts) == changed, "counted in the README"
        assert all(old.strip() == new for old, new in texts)

    def test_both_files_have_the_same_items(self, hub_mirror):
        standard, colloquial = (
            _table(hub_mirror / "haryoaw/COPAL" / file) for file in ("test_copal.csv", "test_copal_colloquial.csv")
        )
        for one, other in zip(standard, colloquial, strict=True):
            assert all(one[column] == other[column] for column in ("idx", "question", "label"))


def _texts_of_copal(row: dict) -> list[tuple[str, str]]:
    return [("premise", row["premise"]), ("choice1", row["options"][0]), ("choice2", row["options"][1])]


class TestWinograd:
    def test_the_pronoun_is_replaced_where_it_stands_and_a_possessive_keeps_its_of(self):
        text = "เขาให้มานพยืมรถของเขาเพราะเขาใจดี"
        first, second = text.index("ของเขา"), text.rindex("เขา")
        shared = {"text": text, "quote": "", "options": ["ก้อง ", "มานพ"], "label": 0}
        published = [shared | {"pronoun": "ของเขา", "pronoun_loc": first}, shared | {"pronoun": "เขา", "pronoun_loc": second}]
        assert [row["options"] for row in _rows("winograd", published)] == [
            ["เขาให้มานพยืมรถของก้องเพราะเขาใจดี", "เขาให้มานพยืมรถของมานพเพราะเขาใจดี"],
            ["เขาให้มานพยืมรถของเขาเพราะก้องใจดี", "เขาให้มานพยืมรถของเขาเพราะมานพใจดี"],
        ]
        with pytest.raises(ValueError, match="'pronoun_loc' is 1; expected the position of 'เขา'"):
            _rows("winograd", [shared | {"pronoun": "เขา", "pronoun_loc": 1}])

    def test_real_rows(self, hub_mirror, tmp_path):
        published = _parquet(hub_mirror / "pakphum/winograd_th/data/test-00000-of-00001.parquet", tmp_path)
        rows = _rows("winograd", published)
        assert Counter(row["gold"] for row in rows) == {0: 143, 1: 142}
        assert len({row["cluster"] for row in rows}) == 138
        assert sum(old["text"].count(old["pronoun"]) > 1 for old in published) == 52
        assert sum(old["pronoun"].startswith("ของ") for old in published) == 24
        assert sum(option != option.strip() for old in published for option in old["options"]) == 19
        for old, row in zip(published, rows, strict=True):
            before = old["text"][: old["pronoun_loc"]].lstrip()
            behind = old["text"][old["pronoun_loc"] + len(old["pronoun"]) :].rstrip()
            for referent, option in zip(old["options"], row["options"], strict=True):
                possessive = "ของ" if old["pronoun"].startswith("ของ") else ""
                assert option == before + possessive + referent.strip() + behind


class TestVMLU:
    def test_real_rows(self, hub_mirror):
        published = _json_lines(hub_mirror / "tridm/VMLU/valid.jsonl")
        rows = _rows("vmlu", published)
        assert Counter(len(row["options"]) for row in rows) == {3: 28, 4: 716}
        assert sum(1 / len(row["options"]) for row in rows) / len(rows) == pytest.approx(0.2531, abs=5e-5)
        assert [row["id"] for row in rows if len(set(row["options"])) < len(row["options"])] == ["01-0012", "07-0007"]
        assert all(_times_of_right(row) == 1 for row in rows)
        for old, row in zip(published, rows, strict=True):
            assert f"{old['answer']}. {_right(row)}" in old["choices"]
            dropped = {choice[3:].strip() for choice in old["choices"]} - set(row["options"])
            assert not dropped
        assert [row["id"] for old, row in zip(published, rows, strict=True) if len(old["choices"]) > len(row["options"])] == [
            "09-0005"
        ]


class TestTatabahasa:
    def test_contradicting_rows_are_left_out_and_repeated_ones_stay(self):
        def published(sentence, right, options=("satu", "dua", "tiga", "empat")):
            choices = {letter: {"text": text, "answer": letter == right} for letter, text in zip("ABCD", options, strict=True)}
            return {"instruction": "Isi tempat kosong.", "question": sentence, "choices": choices}

        rows = _rows(
            "tatabahasa",
            [
                published("Ada __ .", "A"),
                published("Ada __ .", "B"),
                published("Buah __ itu \x96 manis.", "C"),
                published(None, "D", ("satu", "dua", "empat", "empat")),
                published("Buah __ itu.", "C"),
                published("Buah __ itu.", "C"),
            ],
        )
        assert rows[0]["question"] == "Isi tempat kosong.\nBuah __ itu \u2013 manis."
        assert [(row["question"].split("\n")[1:], row["options"], _right(row)) for row in rows[1:]] == [
            ([], ["satu", "dua", "empat"], "empat"),
            (["Buah __ itu."], ["satu", "dua", "tiga", "empat"], "tiga"),
            (["Buah __ itu."], ["satu", "dua", "tiga", "empat"], "tiga"),
        ]

    def test_real_rows(self, hub_mirror):
        path = hub_mirror / "mesolitica/malaysian-dataset/llm-benchmark/Tatabahasa/tatabahasa.jsonl"
        published = _json_lines(path)
        rows = _rows("tatabahasa", published)
        assert (len(published), len(rows)) == (1396, 1384)
        answers: dict[str, list[str]] = {}
        for old in published:
            texts = {letter: choice["text"] for letter, choice in old["choices"].items()}
            right = next(letter for letter, choice in old["choices"].items() if choice["answer"])
            answers.setdefault(json.dumps([old["instruction"], old["question"], texts]), []).append(right)
        assert sum(len(found) for found in answers.values() if len(set(found)) > 1) == 12
        assert sum(len(found) - 1 for found in answers.values() if len(set(found)) == 1) == 20
        assert sum(not old["question"] for old in published) == sum("\n" not in row["question"] for row in rows) == 6
        assert Counter(len(row["options"]) for row in rows) == {3: 1, 4: 1383}
        assert sum(1 / len(row["options"]) for row in rows) / len(rows) == pytest.approx(0.2501, abs=5e-5)
        assert all(_times_of_right(row) == 1 for row in rows)
        assert sum(len(set(row["options"])) < len(row["options"]) for row in rows) == 2
        assert sum(map(_has_control_characters, published)) == 7, "counted in the README"
        assert not any(map(_has_control_characters, rows))


def _has_control_characters(row: dict) -> bool:
    return any("\x80" <= character <= "\x9f" for character in json.dumps(row, ensure_ascii=False))


class TestIndoMMLU:
    ROW = {"question": "2 + 2 = ...", "options": ["A. tiga", "B. empat", "C. lima", "atau lebih"], "answer": "B"}

    def test_options_are_a_list_or_a_list_in_a_text_and_may_have_several_lines(self):
        listed, written = _rows("indommlu", [self.ROW, self.ROW | {"options": str(self.ROW["options"]), "is_for_fewshot": "0"}])
        assert listed == written
        assert (listed["options"], listed["letters"], listed["gold"]) == (
            ["tiga", "empat", "lima\natau lebih"],
            ["A", "B", "C"],
            1,
        )

    def test_options_that_are_no_list_are_refused(self):
        with pytest.raises(ValueError, match="field 'options' is 'A. tiga"):
            _rows("indommlu", [self.ROW | {"options": "A. tiga\nB. empat"}])

    @pytest.mark.parametrize("change", [{"is_for_fewshot": "1"}, {"answer": "D"}, {"options": ["A. tiga", "B. ", "C. lima"]}])
    def test_exemplars_and_rows_without_their_answer_are_left_out(self, change):
        assert _rows("indommlu", [self.ROW | change]) == []

    def test_real_rows(self, hub_mirror):
        published = _json_lines(hub_mirror / "indolem/IndoMMLU/data/test.jsonl")
        if len(published) != 1000:
            pytest.skip(f"needs the mirror's part of 1,000 rows; there are {len(published):,}")
        rows = _rows("indommlu", published)
        assert Counter(len(old["options"]) for old in published) == {3: 83, 4: 496, 5: 421}
        assert sum(len(old["options"]) > len(row["options"]) for old, row in zip(published, rows, strict=True)) == 1
        assert all(_times_of_right(row) == 1 for row in rows)
        assert sum(len(set(row["options"])) < len(row["options"]) for row in rows) == 5
        for old, row in zip(published, rows, strict=True):
            assert f"{old['answer']}. {_right(row)}" in [option.strip() for option in old["options"]]


class TestIndoCloze:
    def test_real_rows(self, hub_mirror):
        published = _table(hub_mirror / "indolem/indo_story_cloze/test.csv")
        rows = _rows("indocloze", published)
        assert Counter(row["gold"] for row in rows) == {0: 578, 1: 557}
        assert len({row["story"] for row in rows}) == len(rows) - 1
        assert sum(len(old["Correct Ending"]) > len(old["Incorrect Ending"]) for old in published) == 828
        texts = [" ".join(text.split()) for old in published for text in old.values()]
        assert (
            sum(text != whole for text, whole in zip(texts, (text for old in published for text in old.values()), strict=True))
            == 105
        )
        unmarked = [text[-1].isalnum() or text[-1] in ",)" for text in texts]
        assert sum(unmarked) == 4628
        for old, row in zip(published, rows, strict=True):
            first, second = (" ".join(old[column].split()).rstrip(".") for column in ("Correct Ending", "Incorrect Ending"))
            assert {row["gold"]: first, 1 - row["gold"]: second} == {
                position: option.rstrip(".") for position, option in enumerate(row["options"])
            }

    def test_the_order_depends_on_the_story_alone(self, hub_mirror):
        published = _table(hub_mirror / "indolem/indo_story_cloze/test.csv")
        golds = [row["gold"] for row in _rows("indocloze", published)]
        assert [row["gold"] for row in _rows("indocloze", published[::-1])] == golds[::-1]


class TestCSQA:
    @pytest.mark.parametrize(("language", "differ", "ties"), [("id", 13, 2), ("su", 14, 3)])
    def test_real_rows(self, hub_mirror, tmp_path, language, differ, ties):
        path = hub_mirror / f"rifkiaputri/{language}-csqa/human_gen/test-00000-of-00001.parquet"
        published = _parquet(path, tmp_path)
        rows = _rows("csqa", published)
        assert {len(row["options"]) for row in rows} == {5}
        assert ["ABCDE"[row["gold"]] for row in rows] == [old["answer_majority"] for old in published]
        assert sum(old["answer_majority"] != old["answer_creator"] for old in published) == differ
        assert sum(len(set(row["options"])) < 5 for row in rows) == ties
        assert all(_times_of_right(row) == 1 for row in rows)
