"""Numbers at the end of worked solutions."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea.tasks._shared.metrics.generation_metrics import METRICS
from lm_eval_sea.tasks._shared.reading.number_answer import read_number

NUMBERS_AS_PEOPLE_WRITE_THEM = [
    (" 16 − 3 − 4 = 9. 9 × 2 = 18. The answer is 18", "en", 18),
    (" 16 − 3 = 13\n\nThe answer is $1,260.\n\nProblem: 7 apples", "en", 1260),
    (" **The answer is 5.** Let us check: 5 + 0 = 5, 2 steps", "en", 5),
    (" เธอขายได้ 9 × 2 = 18 ดอลลาร์ คำตอบคือ 18", "th", 18),
    (" คำตอบคือ ๑๒๖๐ บาท ใน 7 วัน", "th", 1260),
    (" คำตอบที่ถูกต้องคือ 4\nโจทย์: 9", "th", 4),
    (" คำตอบ: 12 คน", "th", 12),
    (" So the answer is 12", "th", 12),
    (" เขามี 3 คนและได้ 36 บาท", "th", 36),  # no such words: the last number
    (" คำตอบคือไม่มี\nรวม 8", "th", 8),  # no number behind the words
    (" The answer is -3", "en", -3),
    (" 10-7 = 3", "en", 3),
    (" 10-7", "en", 7),
    (" The answer is 2.50 dollars", "en", Decimal("2.5")),
    (" The answer is １８", "en", 18),
    (" The answer is 3/4", "en", None),
    (" I do not know.", "en", None),
    ("", "th", None),
]


def test_numbers_as_people_write_them():
    assert [
        (generated, language, number)
        for generated, language, number in NUMBERS_AS_PEOPLE_WRITE_THEM
        if read_number(generated, language) != number
    ] == []


@given(st.integers(-(10**9), 10**9), st.booleans(), st.sampled_from(["The answer is {}", "คำตอบคือ {} บาท", "1 + 1 = 2 {}"]))
def test_a_whole_number_is_read_back(number, commas, sentence):
    written = f"{number:,}" if commas else str(number)
    assert read_number(sentence.format(written), "th") == number


@pytest.mark.parametrize(
    ("generated", "right", "none"), [(" คำตอบคือ 3.0", 1.0, 0.0), (" คำตอบคือ 30", 0.0, 0.0), (" ไม่ทราบ", 0.0, 1.0)]
)
def test_scores_of_a_row(generated, right, none):
    assert METRICS["exact_number"].of_row(generated, ["3"], "th") == right
    assert METRICS["no_number_rate"].of_row(generated, ["3"], "th") == none
