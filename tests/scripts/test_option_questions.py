"""The count of questions that cannot be answered without their options."""

import pytest
from option_questions import counts, needs_options

from lm_eval_sea.catalogue.data_sets import data_sets


@pytest.mark.parametrize(
    ("language", "question", "options", "expected"),
    [
        ("en", "Which of the following is a metal?", ["Iron", "Wood"], True),
        ("en", "Who wrote the following poem?", ["Anna", "Ben"], False),
        ("en", "What is rust?", ["Iron oxide", "A salt", "Both A and B"], True),
        ("en", "What is rust?", ["Iron and oxygen", "A salt"], False),
        ("id", "Manakah pernyataan berikut yang benar?", ["Satu", "Dua"], True),
        ("id", "Apa nama ibu kota Jawa Barat?", ["Bandung", "Semua jawaban benar"], True),
        ("id", "Perhatikan tabel berikut! Berapa jumlahnya?", ["3", "4"], False),
        ("th", "ข้อใดถูกต้อง", ["ก", "ข"], True),
        ("th", "จากข้อความต่อไปนี้ ผู้เขียนคือใคร", ["ก", "ข"], False),
        ("vi", "Chất nào sau đây là kim loại?", ["Sắt", "Gỗ"], True),
        ("vi", "Đoạn văn sau đây do ai viết?", ["An", "Cả A và B"], True),
        ("vi", "Thủ đô của Việt Nam là gì?", ["Huế", "Hà Nội"], False),
        ("zh", "下列哪项正确？", ["一", "二"], True),
        ("ms", "Ali ____ ke sekolah pagi tadi.", ["pergi", "datang"], True),
        ("ms", "Ibu kota Malaysia ialah ____", ["Kuala Lumpur", "Ipoh"], False),
    ],
)
def test_questions_that_need_their_options_are_recognised(language, question, options, expected):
    assert needs_options({"question": question, "options": options}, language) is expected


@pytest.mark.slow
def test_main_variants_show_options_where_most_questions_need_them(in_hub_mirror):
    """People who read the exams counted 51 % of ThaiExam's questions, 55 % of M3Exam's Thai and 35 % of its Vietnamese ones."""
    shares = {
        (name, language): number / rows
        for name in ("crosslogiqa", "thaiexam", "m3exam", "tatabahasa", "vmlu", "csqa")
        for language, number, rows in counts(data_sets()[name])
    }
    assert len(shares) > 10
    assert shares["thaiexam", "th"] == pytest.approx(0.51, abs=0.06)
    assert shares["m3exam", "th"] == pytest.approx(0.55, abs=0.06)
    assert shares["m3exam", "vi"] == pytest.approx(0.35, abs=0.06)
    for (name, language), share in shares.items():
        assert data_sets()[name].main_variant == "litito_ppl" or share < 0.3, (name, language)
