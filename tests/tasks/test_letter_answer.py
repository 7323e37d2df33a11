"""What counts as an answer letter, and what does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea.tasks._shared.letter_answer import extract_letter

LATIN = ["A", "B", "C", "D"]
DIGITS = ["1", "2", "3", "4", "5"]


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
        ("**D.** Jakarta", 3),
        ("B. กรุงเทพมหานคร", 1),
        ("B) Hà Nội", 1),
        ("C: tidak ada", 2),
        ('"A"', 0),
        ("Jawaban: C", 2),
        ("Jawaban: (C) tidak ada", 2),
        ("A\nB", 0),
        # no answers
        ("", None),
        ("\nA", None),
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
    assert extract_letter(text, LATIN, ["Jawaban:"]) == expected


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
        ("C", 2),  # the third option by its Latin letter
        ("3.5", None),
        ("๓.๕", None),
        ("35", None),
        ("3 บาท", None),
        ("6", None),
    ],
)
def test_thai_exams(text, expected):
    assert extract_letter(text, DIGITS, ["คำตอบ:"]) == expected


def test_a_letter_beyond_the_options_is_no_answer():
    assert extract_letter("D", ["A", "B", "C"]) is None


@given(st.text(alphabet=st.characters(categories=["L", "N"]), min_size=2))
def test_no_letter_is_found_inside_a_word(word):
    assert extract_letter(word, LATIN) is None


@given(st.text())
def test_any_text_gives_a_position_or_none(text):
    assert extract_letter(text, DIGITS, ["คำตอบ:"]) in (None, *range(5))
