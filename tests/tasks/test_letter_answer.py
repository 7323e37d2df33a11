"""What counts as an answer letter, and what does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea.tasks._shared.letter_answer import extract_letter

LATIN = ["A", "B", "C", "D"]
CITIES = ["Jakarta", "Hà Nội", "tidak ada jawaban", "A.M."]
DIGITS = ["1", "2", "3", "4", "5"]
WORDS = ["ลดอัตรา", "เพิ่มอัตรา", "ใช่", "ไม่ใช่", "ก"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (" B", 1),
        ("B", 1),
        ("b", 1),
        ("B.", 1),
        ("(B)", 1),
        ("[c]", 2),
        ("**D**", 3),
        ("**A.** Jakarta", 0),
        ("B. Hà Nội", 1),
        ("B) hà  nội", 1),
        ("B.Hà Nội", 1),
        ("B. Hà N", 1),  # the answer's length ran out
        ("C: tidak ada", 2),
        ("`B`", 1),
        ("B;", 1),
        ("Ｂ", 1),
        ("\nB", 1),
        ('"A"', 0),
        ("Jawaban: C", 2),
        ("Jawaban: (C) tidak ada", 2),
        ("jawaban : C", 2),
        ("**Jawaban:** C", 2),
        ("A\nB", 0),
        # no answers
        ("", None),
        ("B. Jakarta", None),  # the letter and the text disagree
        ("A. or B. are possible", None),
        ("(A) atau (B)", None),
        ("d' accord", None),
        ("b* c", None),
        ("A. A.M.", None),
        ("   ", None),
        ("E", None),
        ("Bandung", None),
        ("A dog runs", None),
        ("A.M. radio", None),
        ("B, C", None),
        ("AB", None),
        ("Đ", None),
        ("Jawabannya adalah B", None),
        ("ตอบ B", None),
        ("à", None),
        ("Answer: B", None),  # another language's cue
    ],
)
def test_latin_letters(text, expected):
    assert extract_letter(text, LATIN, CITIES, ["Jawaban:"]) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3", 2),
        ("๓", 2),
        ("คำตอบ: ๕", 4),
        ("คำตอบ:๕", 4),
        ("2. เพิ่มอัตรา", 1),
        ("2.เพิ่มอัตรา", 1),
        ("(4)", 3),
        ("1. ก่อนอื่น", None),  # a numbered list
        ("C", 2),  # the third option by its Latin letter
        ("3.5", None),
        ("๓.๕", None),
        ("35", None),
        ("3 บาท", None),
        ("6", None),
    ],
)
def test_thai_exams(text, expected):
    assert extract_letter(text, DIGITS, WORDS, ["คำตอบ:"]) == expected


def test_a_letter_beyond_the_options_is_no_answer():
    assert extract_letter("D", ["A", "B", "C"], CITIES[:3]) is None


@given(st.text(alphabet=st.characters(categories=["L", "N"]), min_size=2))
def test_no_letter_is_found_inside_a_word(word):
    assert extract_letter(word, LATIN, CITIES) is None


@given(st.text())
def test_any_text_gives_a_position_or_none(text):
    assert extract_letter(text, DIGITS, WORDS, ["คำตอบ:"]) in (None, *range(5))
