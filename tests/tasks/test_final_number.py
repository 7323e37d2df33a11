"""Numbers that chat models conclude with, and those at the end of worked solutions."""

from decimal import Decimal
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea.tasks._shared.facts import read_yaml
from lm_eval_sea.tasks._shared.metrics.generation_metrics import METRICS
from lm_eval_sea.tasks._shared.reading.final_number import read_final_number
from lm_eval_sea.tasks._shared.reading.number_answer import read_number
from lm_eval_sea.tasks._shared.reading.written_numbers import parse_number

HERE = Path(__file__).parent
NUMBERS = dict(read_yaml(HERE / "chat_numbers.yaml"))
ANSWERS = dict(read_yaml(HERE / "chat_answers.yaml"))


def test_number_is_read():
    for language, cases in NUMBERS.items():
        tags = (ANSWERS[language]["tag"],)
        expected = {text: None if wanted is None else Decimal(str(wanted)) for wanted, text in cases}
        assert {text: read_final_number(text, language, tags) for text in expected} == expected


SOLD = "She has 6 sacks of 50 kilos. She sells 2 of them, so 4 are left."
REST = "Then, to find the weight of what is left, we need to"
# How an answer ends → the numbers read of it if the limit cut it, and if not.
ENDINGS = {
    "Each box has 4 * 3 = 12 pens.\n\nThen there are 2 boxes": (None, None),
    "So the three of them have 12 pens.": (None, 12),
    "So she has 4 * 3 = 12": (None, 12),
    "The answer is 12.\n\nTo check this, we": (12, 12),
    "Answer: 12\n\nAnswer: 1": (12, 1),  # of 12 the limit may have left 1
    "\\boxed{12}\n\nThis is": (12, 12),
    "Answer: 12\n\nQuestion: How many pens are in 3 boxes of": (12, 12),
    f"{SOLD} {REST}": (None, None),
    f"{SOLD} {REST} multiply.": (None, 4),
    f"{SOLD} That is all": (None, 4),
    f"{SOLD}\n\nAnswer: 200. {REST}": (200, 200),
}


def test_of_an_answer_cut_by_the_limit_only_what_it_states_is_read():
    for text, expected in ENDINGS.items():
        found = tuple(read_final_number(text, "en", ("Answer:",), finished=finished) for finished in (False, True))
        assert found == expected, text
        assert read_final_number(text, "en", ("Answer:",)) == expected[1]


PARSED = {
    "id": {"1.234": "1234", "1,234": "1.234", "1,234.5": "1234.5", "0.125": "0.125"},
    "th": {"1.234": "1.234", "1,234": "1234", "1.234,5": "1234.5", "1.234.567": "1234567"},
    "vi": {"18.00": "18"},
    "en": {"12,5": "12.5", "−3": "-3"},
    "ta": {"1,50,000": "150000"},
}


def test_separators_of_the_language():
    for language, values in PARSED.items():
        assert {text: parse_number(text, language) for text in values} == {text: Decimal(values[text]) for text in values}


CONCLUSIONS = {
    "en": {
        " 16 − 3 − 4 = 9. 9 × 2 = 18. The answer is 18": 18,
        " 16 − 3 = 13\n\nThe answer is $1,260.\n\nProblem: 7 apples": 1260,
        " **The answer is 5.** Let us check: 5 + 0 = 5, 2 steps": 5,
        " The answer is -3": -3, " The answer is １８": 18, " The answer is 2.50 dollars": Decimal("2.5"),
        " 10-7 = 3": 3, " 10-7": 7, " The answer is 3/4": None, " I do not know.": None,
    },
    "th": {
        " เธอขายได้ 9 × 2 = 18 ดอลลาร์ คำตอบคือ 18": 18, " คำตอบคือ ๑๒๖๐ บาท ใน 7 วัน": 1260,
        " คำตอบที่ถูกต้องคือ 4\nโจทย์: 9": 4, " คำตอบ: 12 คน": 12, " So the answer is 12": 12, "": None,
        " เขามี 3 คนและได้ 36 บาท": 36,  # no such words: the last number
        " คำตอบคือไม่มี\nรวม 8": 8,  # no number behind the words
    },
}  # fmt: skip


def test_numbers_as_people_write_them():
    for language in CONCLUSIONS:
        assert {text: read_number(text, language) for text in CONCLUSIONS[language]} == CONCLUSIONS[language]


@given(st.integers(-(10**9), 10**9), st.booleans(), st.sampled_from(["The answer is {}", "คำตอบคือ {} บาท", "1 + 1 = 2 {}"]))
def test_a_whole_number_is_read_back(number, commas, sentence):
    written = f"{number:,}" if commas else str(number)
    assert read_number(sentence.format(written), "th") == number


def test_scores_of_a_row():
    expected = {" คำตอบคือ 3.0": (1, 0), " คำตอบคือ 30": (0, 0), " ไม่ทราบ": (0, 1)}
    names = ("exact_number", "no_number_rate")
    assert {text: tuple(METRICS[name].of_row(text, ["3"], "th") for name in names) for text in expected} == expected
