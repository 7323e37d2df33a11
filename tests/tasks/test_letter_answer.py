"""What counts as an answer letter, and what does not."""

from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea.tasks._shared.reading.letter_answer import extract_letter

LATIN = ["A", "B", "C", "D"]
CITIES = ["Jakarta", "Hà Nội", "tidak ada jawaban", "A.M."]
DIGITS = ["1", "2", "3", "4", "5"]
WORDS = ["ลดอัตรา", "เพิ่มอัตรา", "ใช่", "ไม่ใช่", "ก"]


LATIN_LETTERS = [
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
    ("  B", 1),
    ("\n\nB\n\nExplanation: A", 1),
    ("B - Hà Nội", 1),
    ("B- Hà Nội", 1),
    ("B (Hà Nội)", 1),
    ('B. "Hà Nội".', 1),
    ("B. Hà Nội, the capital", 1),
    ("B\nB. Hà Nội", 1),
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
    ("A\nB", None),  # two answers, or a list
    ("A. Jakarta is wrong", None),
    ("A. Jakarta, or B", None),
    ("A. Jakarta. Hà Nội is B.", None),
    ("B?", None),
    ("B+", None),
    ("B-", None),
    ("Jawabannya a", None),  # cut off
    ("C#", None),
    ("ตอบ B", None),  # another language's words
    ("à", None),
    ("ตอบ: B", None),
    ("A. J", 0),
    ("A. Jakarta, the capital", 0),
    ("A. Jakartans", None),
    ("A. Jakarta / B. Hà Nội", None),  # two options
    ("(A) Jakarta atau (B) Hà Nội", None),
    ("A. Jakarta\nB. Hà Nội\nC. tidak ada jawaban", None),  # the list of the options
    ("B. Hà Nội\nA. Jakarta is wrong", 1),
]


def test_latin_letters():
    assert [
        (text, expected)
        for text, expected in LATIN_LETTERS
        if extract_letter(text, LATIN, CITIES, language="id", cue="Jawaban:") != expected
    ] == []


THAI_EXAMS = [
    ("3", 2),
    ("๓", 2),
    ("คำตอบ: ๕", 4),
    ("คำตอบ:๕", 4),
    ("2. เพิ่มอัตรา", 1),
    ("2.เพิ่มอัตรา", 1),
    ("(4)", 3),
    ("1. ก่อนอื่น", None),  # a numbered list
    ("C", 2),  # the third option by its Latin letter
    ("3-5", None),
    ("ตอบข้อ ๓ ครับ", 2),
    ("ก", None),  # the text of an option
    ("3.5", None),
    ("๓.๕", None),
    ("35", None),
    ("3 บาท", None),
    ("6", None),
]


def test_thai_exams():
    assert [
        (text, expected)
        for text, expected in THAI_EXAMS
        if extract_letter(text, DIGITS, WORDS, language="th", cue="คำตอบ:") != expected
    ] == []


TEXTS_OF_OPTIONS_THAT_BEGIN_ALIKE = [
    ("A. World War I", 0),
    ("A. World War II", None),  # the text of another option
    ("B. World War I", None),
    ("B. World War", 1),  # the answer's length ran out
    ("C. Bordeaux", 2),
    ("C. B", None),  # a label, not the beginning of the text
    ("D. 2", 3),
    ("D. 20", None),
    ("D. 2 wars", None),
]


def test_texts_of_options_that_begin_alike():
    assert [
        (text, expected)
        for text, expected in TEXTS_OF_OPTIONS_THAT_BEGIN_ALIKE
        if extract_letter(text, LATIN, ["World War I", "World War II", "Bordeaux", "2"], language="en") != expected
    ] == []


def test_two_equal_options_are_told_apart_by_their_letters():
    options = ["hot stone", "ice", "hot stone", "sand"]
    assert [extract_letter(f"{letter}. hot stone", LATIN, options, language="en") for letter in LATIN] == [0, None, 2, None]


def test_a_letter_beyond_the_options_is_no_answer():
    assert extract_letter("D", ["A", "B", "C"], CITIES[:3], language="id") is None


def test_a_language_without_phrases_is_read_with_english_ones():
    assert extract_letter("The answer is (B).", LATIN, CITIES, language="xx") == 1


def test_a_letter_of_the_script_that_is_the_text_of_an_option_is_not_read():
    options = ["ข", "ก", "ข้อ ก และ ข", "ง"]
    assert extract_letter("ค", LATIN, options, language="th") == 2
    assert [extract_letter(letter, LATIN, options, language="th") for letter in "กขง"] == [None] * 3
    assert [extract_letter(letter, LATIN, options, language="th") for letter in LATIN] == [0, 1, 2, 3]


def test_vowels_in_two_parts_and_invisible_characters_make_no_difference():
    two_parts = ("ຄໍາຕອບແມ່ນ B", "ຄຳ\u200bຕອບແມ່ນ B", "ຄໍາຕອບ: B. ນໍ້າ", "ຄຳຕອບ- B. ນ້ຳ")
    options = ["ດິນ", "ນ້ຳ", "ລົມ", "ໄຟ"]
    assert [extract_letter(text, LATIN, options, language="lo", cue="ຄຳຕອບ:") for text in two_parts] == [1] * 4
    assert extract_letter("คําตอบ: ข. นํ้า", LATIN, ["ดิน", "น้ำ", "ลม", "ไฟ"], language="th", cue="คำตอบ:") == 1


@given(st.text(alphabet=st.characters(categories=["L", "N"]), min_size=2))
def test_no_letter_is_found_inside_a_word(word):
    assert extract_letter(word, LATIN, CITIES, language="id") is None


@given(st.text())
def test_any_text_gives_a_position_or_none(text):
    assert extract_letter(text, DIGITS, WORDS, language="th", cue="คำตอบ:") in (None, *range(5))
