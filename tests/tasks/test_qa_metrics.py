"""Scores of short answers: tables by hand, language by language."""

import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea.tasks._shared.metrics.qa_metrics import contains, contains_weighted, exact_match, token_f1
from lm_eval_sea.tasks._shared.metrics.words import normalise, words


def nfd(text: str) -> str:
    return unicodedata.normalize("NFD", text)


NORMALISED = {
    nfd("Huế"): "huế", "ĐÀ NẴNG": "đà nẵng", "  Jawa \u00a0 Timur\n": "jawa timur", "๒๖ เมตร": "26 เมตร", "น้ำ\u200bตก": "น้ำตก",
    "\ufeffJa\u00adwa": "jawa", "“สุนทรภู่”": "สุนทรภู่", "«Gesang».": "gesang", "`biola`": "biola", "(Huế)": "huế", "。Huế、": "huế",
    "**1651**": "1651",
    # what stays
    "-5 °C": "-5 °c", "J.H. Abendanon": "j.h. abendanon", "the Hague": "the hague",
    **{text: text for text in ("50%", "3.805 meter", "กรุงเทพฯ", "ต่าง ๆ", "...", "")},
}  # fmt: skip


def test_normalise():
    assert {text: normalise(text) for text in NORMALISED} == NORMALISED


@given(st.text())
def test_normalising_again_changes_nothing(text):
    assert normalise(normalise(text)) == normalise(text)


WORDS = {
    ("แม่น้ำเจ้าพระยา ยาว 372 กิโลเมตร", "th"): ["แม่น้ำ", "เจ้าพระยา", "ยาว", "372", "กิโลเมตร"],
    ("Batang Toru, (Sumatera) Utara.", "id"): ["batang", "toru", "sumatera", "utara"],
    ("thế kỷ 19 – 20", "vi"): ["thế", "kỷ", "19", "20"],
    ("...", "vi"): ["..."],
    (" ", "th"): [],
}


def test_words():
    assert {told: words(*told) for told in WORDS} == WORDS


# prediction, references, exact match, F1, contains
TABLE = {
    "th": [
        ("26เมตร", ["26 เมตร"], 1, 1, 1), ("26", ["26 เมตร"], 0, 2 / 3, 0),  # blank before a unit
        ("พ.ศ. 2443.", ["พ.ศ. 2443"], 1, 1, 1), ("กรุงเทพ", ["กรุงเทพ มหานคร", "กรุงเทพ"], 1, 1, 1),  # the best reference
        ("เขาคือกรมประมงของไทย", ["กรมประมง"], 0, 2 / 6, 1),  # เขา คือ กรมประมง ของ ไทย
        ("ปี 2553", ["5"], 0, 0, 0), ("", ["ปาเปน"], 0, 0, 0), ("ปีละ 1,500 บาท", ["500"], 0, 0, 0),
        ("มีนักเรียน 30 คน", ["นักเรียน"], 0, 2 / 5, 1), ("ปี 10 20", ["10"], 0, 1 / 2, 1), ("ใช้ red apple", ["Apple"], 0, 1 / 2, 1),
        ("เขาสามารถ", ["สาม"], 0, 0, 0), ("แกะ", ["แก"], 0, 0, 0), ("เกม", ["กม"], 0, 0, 0), ("plus", ["US"], 0, 0, 0),
    ],
    "id": [
        ("Gesang.", ["Gesang"], 1, 1, 1),
        ("Batang Toru Sumatera Utara", ["Batang Toru, Sumatera Utara"], 0, 1, 1),  # punctuation inside
        ("3.805 m", ["3.805 meter"], 0, 0.5, 0), ("3805 meter", ["3.805 meter"], 0, 0.5, 0), ("50%", ["50"], 0, 0, 0),
        ("Kawasan Batang Toru", ["Batang Toru, Sumatera Utara", "kawasan Batang Toru"], 1, 1, 1),
        ("dia adalah Gesang Martohartono", ["Gesang"], 0, 2 / 5, 1), ("bersih", ["ber"], 0, 0, 0),  # inside a word
        ("biola biola", ["biola"], 0, 2 / 3, 1),  # each word as often as it occurs
    ],
    "vi": [
        (nfd("Huế"), ["Huế"], 1, 1, 1), ("Huế", [nfd("Huế")], 1, 1, 1),
        ("hue", ["Huế"], 0, 0, 0), ("4 độ C", ["khoảng 4 độ C"], 0, 2 * 3 / 7, 0),  # tone and quality marks are letters
        ("4°C", ["4 °C"], 0, 0, 0), ("ở Tây\u00a0Nguyên", ["Tây Nguyên"], 0, 4 / 5, 1),
        ("the Hague", ["Hague"], 0, 2 / 3, 1), ("Việt - Bồ - La", ["Việt - Bồ - La"], 1, 1, 1),  # no English articles are removed
    ],
}  # fmt: skip


@pytest.mark.parametrize("language", TABLE)
def test_scores(language):
    for prediction, references, *expected in TABLE[language]:
        scores = [score(prediction, references, language) for score in (exact_match, token_f1, contains)]
        assert scores == pytest.approx(expected), (prediction, references)


# In other languages without blanks between words: answer, reference, whether it has it.
WITHOUT_BLANKS = [
    ("km", "រាជធានីគឺភ្នំពេញ។", "ភ្នំពេញ", 1), ("km", "នៅភ្នំ ពេញ", "ភ្នំពេញ", 1), ("km", "ក្រុង", "រុង", 0), ("km", "ការងារ", "ក", 0),
    ("lo", "ນະຄອນຫຼວງແມ່ນວຽງຈັນ", "ວຽງຈັນ", 1), ("lo", "ເມືອງ", "ມືອງ", 0), ("lo", "ກະ", "ກ", 0), ("lo", "ປີ 1975", "97", 0),
    ("zh", "首都是北京。", "北京", 1), ("zh", "首都是上海。", "北京", 0),
    ("zh", "用iPhone拍的", "iPhone", 1), ("zh", "用iPhones拍的", "iPhone", 0),
    ("my", "မြို့တော်ကရန်ကုန်ပါ", "ရန်ကုန်", 1), ("my", "ကန်", "က", 0), ("my", "မန္တလေး", "မ", 0),
]  # fmt: skip


@pytest.mark.parametrize(("language", "answer", "reference", "expected"), WITHOUT_BLANKS)
def test_a_reference_among_characters_is_whole_in_its_clusters(language, answer, reference, expected):
    assert contains(answer, [reference], language) == contains(f"({answer})", [reference], language) == expected


def test_passages_contain_their_answers(in_hub_mirror):
    """Published spans of published passages, which are not written with blanks between words."""
    lines = Path("sail/Sailcompass_data/data/xquad/xquad_th.json").read_text(encoding="utf-8").splitlines()
    rows = list(map(json.loads, lines))
    without = [row["answer"] for row in rows if not contains(row["context"], [row["answer"]], "th")]
    assert (len(rows), without) == (1149, ["7,000,000 ตารางกิโลเมตร (2,70"])


LETTERS = "aă b.5"


@given(st.text(alphabet=LETTERS), st.lists(st.text(alphabet=LETTERS, min_size=1), min_size=1, max_size=3))
def test_an_exact_match_has_full_f1_and_f1_lies_between_0_and_1(prediction, references):
    f1 = token_f1(prediction, references, "vi")
    assert 0 <= f1 <= 1
    if exact_match(prediction, references, "vi") and prediction.strip():
        assert (f1, contains(prediction, references, "vi")) == (1, 1)


def test_votes_of_the_most_popular_reference_that_occurs():
    references, votes = ["air putih", "teh", "kopi"], [1, 4, 2]
    expected = {"Orang minum TEH atau kopi.": 1, "kopi, lalu air putih": 0.5, "air putih dingin": 0.25, "air, putih": 0.25}
    expected |= dict.fromkeys(["putih air", "tehnya", ""], 0)
    assert {answer: contains_weighted(answer, references, votes, "id") for answer in expected} == expected
    assert [answer for answer, share in expected.items() if contains(answer, references, "id") != (share > 0)] == []
