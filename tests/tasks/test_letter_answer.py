"""What counts as an answer letter, and what does not."""

import pytest

from lm_eval_sea.tasks._shared.reading.letter_answer import extract_letter

LATIN = ["A", "B", "C", "D"]
CITIES = ["Jakarta", "Hà Nội", "tidak ada jawaban", "A.M."]
DIGITS = ["1", "2", "3", "4", "5"]
WORDS = ["ลดอัตรา", "เพิ่มอัตรา", "ใช่", "ไม่ใช่", "ก"]
# Labels, options, language, cue, and text → position. `test_answer_phrases.py` has the forms that are alike in all languages.
TABLES = {
    "Latin letters": (
        LATIN, CITIES, "id", "Jawaban:",
        {
            "[c]": 2, "**A.** Jakarta": 0, "B) hà  nội": 1, "B.Hà Nội": 1, "C: tidak ada": 2, "B;": 1, '"A"': 0,
            "Jawaban: (C) tidak ada": 2, "B- Hà Nội": 1, 'B. "Hà Nội".': 1, "B. Hà Nội, the capital": 1, "B\nB. Hà Nội": 1,
            "B. Hà N": 1, "A. J": 0,  # the answer's length ran out
            "B. Hà Nội\nA. Jakarta is wrong": 1,
            "B. Jakarta": None, "A. Jakartans": None, "A. A.M.": None,  # the letter and the text disagree
            "A. or B. are possible": None, "(A) atau (B)": None, "B, C": None, "A\nB": None,  # two answers
            "A. Jakarta, or B": None, "A. Jakarta. Hà Nội is B.": None, "A. Jakarta / B. Hà Nội": None,
            "(A) Jakarta atau (B) Hà Nội": None, "A. Jakarta\nB. Hà Nội\nC. tidak ada jawaban": None,
            "A. Jakarta is wrong": None, "B?": None, "B+": None, "B-": None, "C#": None,
            "d' accord": None, "b* c": None, "A dog runs": None, "A.M. radio": None, "Jawabannya a": None,  # words
            "ตอบ B": None, "ตอบ: B": None,  # another language's
            "Bandung": None, "AB": None, "Đ": None, "à": None, "E": None, "": None, "   ": None,
        },
    ),
    "Thai exams": (
        DIGITS, WORDS, "th", "คำตอบ:",
        {
            "3": 2, "๓": 2, "คำตอบ: ๕": 4, "คำตอบ:๕": 4, "2. เพิ่มอัตรา": 1, "2.เพิ่มอัตรา": 1, "(4)": 3, "ตอบข้อ ๓ ครับ": 2,
            "C": 2,  # the third option by its Latin letter
            "1. ก่อนอื่น": None,  # a numbered list
            "ก": None,  # the text of an option
            "3-5": None, "3.5": None, "๓.๕": None, "35": None, "3 บาท": None, "6": None,
        },
    ),
    "texts that begin alike": (
        LATIN, ["World War I", "World War II", "Bordeaux", "2"], "en", "Answer:",
        {
            "A. World War I": 0, "B. World War": 1, "C. Bordeaux": 2, "D. 2": 3,
            "A. World War II": None, "B. World War I": None,  # the text of another option
            "C. B": None,  # a label, not the beginning of the text
            "D. 20": None, "D. 2 wars": None,
        },
    ),
    "three options": (LATIN[:3], CITIES[:3], "id", "Jawaban:", {"D": None}),
    "a language without phrases": (LATIN, CITIES, "xx", "", {"The answer is (B).": 1}),
    "letters of the script among the options": (
        LATIN, ["ข", "ก", "ข้อ ก และ ข", "ง"], "th", "",
        {"ค": 2, "ก": None, "ข": None, "ง": None, "A": 0, "B": 1, "C": 2, "D": 3},
    ),
    "Lao vowels in two parts": (
        LATIN, ["ດິນ", "ນ້ຳ", "ລົມ", "ໄຟ"], "lo", "ຄຳຕອບ:",
        dict.fromkeys(["ຄໍາຕອບແມ່ນ B", "ຄຳ\u200bຕອບແມ່ນ B", "ຄໍາຕອບ: B. ນໍ້າ", "ຄຳຕອບ- B. ນ້ຳ"], 1),
    ),
    "Thai vowels in two parts": (LATIN, ["ดิน", "น้ำ", "ลม", "ไฟ"], "th", "คำตอบ:", {"คําตอบ: ข. นํ้า": 1}),
    "two equal options": (
        LATIN, ["hot stone", "ice", "hot stone", "sand"], "en", "",
        {"A. hot stone": 0, "B. hot stone": None, "C. hot stone": 2, "D. hot stone": None},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_letters_are_read_as_in_the_tables(name):
    labels, options, language, cue, positions = TABLES[name]
    assert {text: extract_letter(text, labels, options, language=language, cue=cue) for text in positions} == positions
