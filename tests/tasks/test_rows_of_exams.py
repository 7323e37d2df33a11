"""From published texts of exams, VNHSGE and PT3, to processed rows: the known faults, by hand and on the real files."""

import re
from collections import Counter

import pytest

from .evaluation import TASKS
from .test_rows_of_regional_sets import _json_lines, _right, _rows, _times_of_right


class TestVNHSGE:
    @staticmethod
    def _published(question, choice="A", image=""):
        return {"ID": "MET_1", "Image_Question": image, "Question": question, "Choice": choice}

    @pytest.mark.parametrize("number", ["Câu 81:", "Câu 5)", "Câu  25 ", "Câu 3."])
    def test_options_in_another_order_are_put_in_order(self, number):
        (row,) = _rows("vnhsge", [self._published(f"{number} Câu 2 hay câu nào?\t \nA. một\nC.  ba\t\n B: hai \nD. bốn", "C")])
        assert (row["question"], row["options"], row["gold"]) == ("Câu 2 hay câu nào?", ["một", "hai", "ba", "bốn"], 2)

    def test_images_and_options_without_a_letter_or_a_line_are_left_out(self):
        whole = "Câu 1: Số?\nA. 1\nB. 2\nC. 3\nD. "
        left_out = [
            self._published(f"{whole}4", image="1.png"),
            self._published(whole.replace("D.", "C.")),
            self._published(whole.replace("\nD.", "D.")),
        ]
        assert _rows("vnhsge", left_out) == []
        (row,) = _rows("vnhsge", [self._published(f"{whole}1", "D")])
        assert (row["options"], row["letters"], row["gold"]) == (["2", "3", "1"], ["A", "B", "C"], 2)
        with pytest.raises(ValueError, match="field 'Choice' is 'E'"):
            _rows("vnhsge", [self._published(f"{whole}4", "E")])

    def test_real_rows(self, hub_mirror):
        path = hub_mirror / "VNHSGE/eval.jsonl"
        if not path.exists():
            pytest.skip(f"{path} is not in the mirror")
        published = _json_lines(path)
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
    def test_the_text_is_taken_apart_and_questions_on_a_passage_are_a_cluster(self):
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
