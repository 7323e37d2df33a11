"""The same questions in every language: published rows, rows of two languages, rows taken apart for translation."""

import re
import unicodedata
from collections import Counter
from pathlib import Path

import pytest

from lm_eval_sea.catalogue.data_sets import data_sets
from lm_eval_sea.tasks._shared.rows import DataError, iterate_rows

from .evaluation import read_json_lines
from .prompt_texts import SAMPLES
from .test_rows import belebele

RECORD = data_sets()["belebele"]
PARALLEL = RECORD.parallel
CODES = {language: data.code for language, data in RECORD.languages.items()}
ANSWERS = belebele.ANSWERS


def read(folder: Path, code: str) -> list[dict]:
    path = folder / PARALLEL["source"] / PARALLEL["path"].format(code=code)
    if not path.exists():
        pytest.skip(f"{path} is not in the mirror")
    return read_json_lines(path)


def by_key(rows: list[dict]) -> dict[tuple, dict]:
    return {belebele.key_of(row): row for row in rows}


@pytest.fixture(scope="module")
def published(hub_mirror) -> dict[str, list[dict]]:
    """The rows of each language that the mirror has, by code."""
    path = PARALLEL["path"]
    there = [code for code in CODES.values() if (hub_mirror / PARALLEL["source"] / path.format(code=code)).exists()]
    assert len(there) >= 10
    return {code: read(hub_mirror, code) for code in there}


class TestRealRows:
    def test_the_same_900_keys_and_golds_as_in_english_and_a_link_is_a_passage(self, published):
        english = by_key(published["eng_Latn"])
        for code, rows in published.items():
            found = by_key(rows)
            assert len(found) == 900 and found.keys() == english.keys(), code
            assert [key for key in english if found[key]["correct_answer_num"] != english[key]["correct_answer_num"]] == [], code
            made = [belebele.process_row(row) for row in rows]
            pairs = {(row["cluster"], row["passage"]) for row in made}
            assert len(pairs) == len({cluster for cluster, _ in pairs}) == len({passage for _, passage in pairs}) == 488, code

    def test_options_stand_in_the_order_of_the_english_ones(self, published):
        """Where the four options can be told apart by their numbers, which translators kept, each is at the English place."""

        def numbers(row: dict) -> list[tuple[str, ...]]:
            digits = ["".join(str(unicodedata.decimal(character, character)) for character in row[answer]) for answer in ANSWERS]
            return [tuple(sorted(re.findall(r"\d+", text))) for text in digits]

        english = {key: numbers(row) for key, row in by_key(published["eng_Latn"]).items()}
        for code, rows in published.items():
            found = {key: numbers(row) for key, row in by_key(rows).items()}
            comparable = [key for key, own in english.items() if len(set(own)) == 4 and set(own) == set(found[key])]
            assert len(comparable) >= 28, code
            assert [key for key in comparable if found[key] != english[key]] == [], code

    def test_faults_of_the_published_rows(self, published):
        """CSV quoting in passages, blanks at the edges of options, questions with equal options: counted in the README."""
        mended = {
            "ind_Latn": 183, "zsm_Latn": 0, "tha_Thai": 175, "vie_Latn": 114, "mya_Mymr": 193, "khm_Khmr": 109, "lao_Laoo": 0,
            "tam_Taml": 167, "zho_Hans": 8, "eng_Latn": 170,
        }  # fmt: skip
        edges = {"ind_Latn": 97, "khm_Khmr": 101, "mya_Mymr": 98, "tam_Taml": 97}
        for code, raw in published.items():
            rows = [belebele.process_row(row) for row in raw]
            unlike = sum(row["passage"] != old["flores_passage"].strip() for row, old in zip(rows, raw, strict=True))
            assert unlike == mended[code], code
            assert sum(any(row[answer] != row[answer].strip() for answer in ANSWERS) for row in raw) == edges.get(code, 99), code
            texts = [text for row in rows for text in (row["passage"], row["question"], *row["options"])]
            assert not any('""' in text or text != text.strip() or not text or "\n" in text for text in texts), code
            assert sum(len(set(row["options"])) < 4 for row in rows) == (3 if code == "zsm_Latn" else 2), code

    def test_every_passage_finds_its_question_in_another_language(self, published):
        english = by_key(published["eng_Latn"])
        process = belebele.process_pairs({"questions": published["eng_Latn"]})
        for row in (row for rows in published.values() for row in rows):
            own, other = belebele.process_row(row), belebele.process_row(english[belebele.key_of(row)])
            assert process(row) == own | {field: other[field] for field in ("question", "options", "gold")}

    def test_texts_for_translation(self, published):
        for code, rows in published.items():
            process = belebele.process_texts({"english": published["eng_Latn"]})
            texts = [text for row in rows for text in process(row)]
            assert len(texts) == PARALLEL["texts"], code
            counts = {"flores_passage": 488} | dict.fromkeys(["question", *ANSWERS], 900)
            assert Counter(text["column"] for text in texts) == counts, code
            assert len({text["id"] for text in texts}) == len(texts), code
            # an answer may be as long as the longest English text
            assert max(len(text["english"].split()) for text in texts) * 1.5 < PARALLEL["max_new_tokens"], code


@pytest.mark.parametrize("language", RECORD.suite_languages)
def test_the_rows_of_sailcompass_are_the_same(hub_mirror, language):
    data = RECORD.languages[language]
    published = [{column: row[column] for column in row if column != "ds"} for row in read(hub_mirror, data.code)]
    assert read_json_lines(hub_mirror / data.source / data.files["test"]) == published


def test_the_samples_are_parallel():
    files = sorted((SAMPLES / PARALLEL["source"] / "data").glob("*.jsonl"))
    assert {path.stem for path in files} == set(CODES.values()) - {"kac_Latn", "shn_Mymr"}
    golds = [{key: row["correct_answer_num"] for key, row in by_key(read_json_lines(path)).items()} for path in files]
    assert all(found == golds[0] for found in golds)
    for data in map(RECORD.languages.get, RECORD.suite_languages):
        rows = read_json_lines(SAMPLES / data.source / data.files["test"])
        assert [row | {"ds": None} for row in rows] == read(SAMPLES, data.code)


class TestFaults:
    """Files that do not fit together; each fault is one line that names file, row and key or column."""

    def pairs(self, passages, questions):
        return list(iterate_rows({"test": passages, "questions": questions}, belebele.process_pairs, "data/tha_Thai.jsonl"))

    @pytest.fixture
    def thai(self):
        return read(SAMPLES, "tha_Thai")

    @pytest.fixture
    def english(self):
        return read(SAMPLES, "eng_Latn")

    def test_rows_may_stand_in_another_order(self, thai, english):
        assert self.pairs(thai, english[::-1]) == self.pairs(thai, english)

    def test_gold_is_that_of_the_question_and_its_options(self, thai, english):
        """A file with the options in another order has its own numbers."""
        expected = [(row["options"][::-1], 3 - row["gold"]) for row in self.pairs(thai, english)]
        for row in english:
            row |= dict(zip(ANSWERS, [row[answer] for answer in reversed(ANSWERS)], strict=True))
            row["correct_answer_num"] = 5 - int(row["correct_answer_num"])
        assert [(row["options"], row["gold"]) for row in self.pairs(thai, english)] == expected

    def test_questions_that_are_missing_or_there_twice(self, thai, english):
        faults = [row for row in self.pairs(thai, english[1:]) if isinstance(row, DataError)]
        link = "link https://example.org/rafflesia with question_number 1"
        assert list(map(str, faults)) == [f"data/tha_Thai.jsonl, row 0: no counterpart in eng_Latn: it lacks {link}"]
        (fault,) = self.pairs(thai, [*english, english[0]])
        assert f"eng_Latn has {link} twice" in str(fault)

    def test_another_column_in_the_file_of_the_questions(self, thai, english):
        for row in english:
            row["answer2"] = row.pop("mc_answer2")
        (fault,) = self.pairs(thai, english)
        assert str(fault) == "data/tha_Thai.jsonl: a file that its rows are completed from has no column 'mc_answer2'"
