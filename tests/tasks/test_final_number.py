"""Numbers that chat models conclude with, in all languages."""

from decimal import Decimal
from pathlib import Path

import pytest
import yaml

from lm_eval_sea.tasks._shared.reading.final_number import parse_number, read_final_number

HERE = Path(__file__).parent
NUMBERS = yaml.safe_load((HERE / "chat_numbers.yaml").read_text(encoding="utf-8"))
ANSWERS = yaml.safe_load((HERE / "chat_answers.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("language", NUMBERS)
def test_number_is_read(language):
    failed = [
        (text, wanted, found)
        for wanted, text in NUMBERS[language]
        if (found := read_final_number(text, language, (ANSWERS[language]["tag"],)))
        != (None if wanted is None else Decimal(str(wanted)))
    ]
    assert not failed


@pytest.mark.parametrize(
    ("text", "cut", "whole"),
    [
        ("Each box has 4 * 3 = 12 pens.\n\nThen there are 2 boxes", None, 12),
        ("So the three of them have 12 pens.", None, 12),
        ("So she has 4 * 3 = 12", None, 12),
        ("The answer is 12.\n\nTo check this, we", 12, 12),
        ("Answer: 12\n\nAnswer: 1", 12, 1),  # of 12 the limit may have left 1
        ("\\boxed{12}\n\nThis is", 12, 12),
        ("Answer: 12\n\nQuestion: How many pens are in 3 boxes of", 12, 12),
    ],
)
def test_of_an_answer_cut_by_the_limit_only_what_it_states_is_read(text, cut, whole):
    numbers = [read_final_number(text, "en", ("Answer:",), finished=finished) for finished in (False, True)]
    assert numbers == [cut, whole]


@pytest.mark.parametrize(
    ("written", "language", "value"),
    [
        ("1.234", "id", "1234"),
        ("1.234", "th", "1.234"),
        ("1,234", "id", "1.234"),
        ("1,234", "th", "1234"),
        ("1.234,5", "th", "1234.5"),
        ("1,234.5", "id", "1234.5"),
        ("1.234.567", "th", "1234567"),
        ("0.125", "id", "0.125"),
        ("18.00", "vi", "18"),
        ("12,5", "en", "12.5"),
        ("1,50,000", "ta", "150000"),
        ("−3", "en", "-3"),
    ],
)
def test_separators_of_the_language(written, language, value):
    assert parse_number(written, language) == Decimal(value)
