"""VNHSGE, PT3, Cross-MMLU and Cross-LogiQA, from published rows to processed ones: known faults, by hand and on real files."""

import re
from collections import Counter

import pytest

from .evaluation import TASKS, read_json_lines
from .test_rows_of_regional_sets import _right, _rows, _times_of_right


class TestVNHSGE:
    @staticmethod
    def _published(question, choice="A", image=""):
        return {"ID": "MET_1", "Image_Question": image, "Question": question, "Choice": choice}

    @pytest.mark.parametrize("number", ["Câu 81:", "Câu 5)", "Câu  25 ", "Câu 3."])
    def test_options_in_another_order_are_put_in_order(self, number):
        (row,) = _rows("vnhsge", [self._published(f"{number} Câu 2 hay câu nào?\t \nA. một\nC.  ba\t\n B: hai \nD. bốn", "C")])
        assert (row["question"], row["options"], row["gold"]) == ("Câu 2 hay câu nào?", ["một", "hai", "ba", "bốn"], 2)

    def test_rows_with_images_and_options_without_letter_or_line_are_left_out(self):
        whole = "Câu 1: Số?\nA. 1\nB. 2\nC. 3\nD. "
        faulty = [self._published(text) for text in (whole.replace("D.", "C."), whole.replace("\nD.", "D."))]
        assert _rows("vnhsge", [self._published(f"{whole}4", image="1.png"), *faulty]) == []
        (row,) = _rows("vnhsge", [self._published(f"{whole}1", "D")])
        assert (row["options"], row["letters"], row["gold"]) == (["2", "3", "1"], ["A", "B", "C"], 2)

    def test_real_rows(self, hub_mirror):
        path = hub_mirror / "VNHSGE/eval.jsonl"
        if not path.exists():
            pytest.skip(f"{path} is not in the mirror")
        published = read_json_lines(path)
        rows = {row["id"]: row for row in _rows("vnhsge", published)}
        with_image = [old["ID"] for old in published if old["Image_Question"].strip()]
        assert (len(published), len(rows), len(with_image)) == (1450, 1342, 97)
        assert all(_times_of_right(row) == 1 for row in rows.values())
        assert [name for name, row in rows.items() if len(set(row["options"])) < len(row["options"])] == ["MET_Bio_IE_2020_3"]
        for old in published:
            if old["ID"] in rows:
                right = re.escape(" ".join(_right(rows[old["ID"]]).split()))
                assert re.search(rf"\s{old['Choice']} ?[.:] ?{right}(\s|$)", " ".join(old["Question"].split())), old["ID"]
        assert not any("of Form" in option for row in rows.values() for option in row["options"])


class TestPT3:
    def test_the_text_is_split_and_questions_on_a_passage_are_a_cluster(self):
        path = TASKS.parent / "samples/mesolitica/malaysian-dataset/llm-benchmark/BM-pt3/BM-A-pt3"
        text = path.read_text(encoding="utf-8")
        first, second, third = _rows("bmpt3", [{"text": text}])
        assert first["question"].startswith("Pilih kata yang paling sesuai untuk melengkapkan ayat.\nAdik ___ sebiji")
        assert second["question"].endswith("bendangnya.\n\nSetiap tahun dia menuai dua kali.\n\nApakah pekerjaan Pak Mat?")
        assert second["cluster"] == "Pak Mat menanam padi di bendangnya."
        assert [_right(row) for row in (first, second, third)] == ["makan", "Petani", "I dan III sahaja"]
        with pytest.raises(ValueError, match="question 'no: 2': expected no, objektif"):
            _rows("bmpt3", [{"text": text.replace("C. Petani\n", "")}])

    def test_real_rows(self, hub_mirror):
        text = (hub_mirror / "mesolitica/malaysian-dataset/llm-benchmark/BM-pt3/BM-A-pt3").read_text(encoding="utf-8")
        rows = _rows("bmpt3", [{"text": text}])
        assert [row["id"] for row in rows] == [str(number) for number in range(1, 55)]
        sizes = Counter(row["cluster"] for row in rows)
        assert sorted(sizes.values())[-5:] == [1, 3, 4, 5, 5]
        answers = re.findall(r"^jawapan: (.)", text, re.MULTILINE)
        assert ["ABCD"[row["gold"]] for row in rows] == answers
        assert all(f"\n{answer}. {_right(row)}" in text for answer, row in zip(answers, rows, strict=True))
        assert all(len(set(row["options"])) == 4 for row in rows)


LANGUAGES = {"id": "Indonesian", "ms": "Malay", "vi": "Vietnamese", "tl": "Filipino", "zh": "Chinese", "en": "English"}


def _item(question: str, **more) -> dict:
    choices = ["(A) satu", "(B) dua", "(C) tiga", "(D) empat"]
    return {"id": "1", "English": {}, "Indonesian": {"question": question, "choices": choices, "answer": choices[1], **more}}


def _misread(text: str) -> str:
    """UTF-8 read as Windows-1252; a byte that it lacks becomes a control character, as in the published file."""
    return "".join(bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in text.encode())


@pytest.mark.parametrize("times", [0, 1, 3])
def test_text_read_in_the_wrong_encoding_is_put_right(times):
    question = damaged = "4 × −7 = 3°\u200b “π”"
    for _ in range(times):
        damaged = _misread(damaged)
    (row,) = _rows("crossmmlu", [_item(f" {damaged}")], "process_id")
    assert row["question"] == question.replace("\u200b", "")
    assert (row["options"], row["gold"]) == (["satu", "dua", "tiga", "empat"], 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [({"answer": "dua"}, "field 'answer' is 'dua'"), ({"choices": ["(A) satu", "(C) dua"]}, "field 'choices' is")],
)
def test_rows_without_their_answer_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        _rows("crossmmlu", [_item("?", **change)], "process_id")


@pytest.mark.parametrize(
    ("name", "rows", "clusters", "changed"),
    [("cross_mmlu", 150, 150, {"tl": 8, "vi": 3}), ("cross_logiqa", 176, 174, {"vi": 13, "zh": 6})],
)
def test_real_rows_of_cross_sets(hub_mirror, name, rows, clusters, changed):
    published = read_json_lines(hub_mirror / "SeaEval" / name / "data/test.jsonl")
    english = _rows("crossmmlu", published, "process_en")
    assert len(english) == rows
    assert len({row["cluster"] for row in english}) == clusters
    for language, key in LANGUAGES.items():
        made = _rows("crossmmlu", published, f"process_{language}")
        assert [(row["id"], row["cluster"], row["gold"]) for row in made] == [
            (row["id"], row["cluster"], row["gold"]) for row in english
        ]
        assert all(len(set(row["options"])) == 4 for row in made)
        assert not any("Ã" in text or "\u200b" in text for row in made for text in _texts(row))
        other = sum(_texts(row) != _texts_as_published(old[key]) for old, row in zip(published, made, strict=True))
        assert other == changed.get(language, 0), f"{language}: counted in the README"


def _texts(row: dict) -> list[str]:
    return [row.get("passage", ""), row["question"], *row["options"]]


def _texts_as_published(row: dict) -> list[str]:
    return [text.strip() for text in (row.get("context", ""), row["question"], *(choice[3:] for choice in row["choices"]))]
