"""Reading the answer from what a model wrote."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea.tasks._shared.reading.answer_text import answer_text, composed, plain

DECOMPOSED = unicodedata.normalize("NFD", "Trả lời: Huế")
CUE_TH, CUE_VI, CUE_ID = "คำตอบ:", "Trả lời:", "Jawaban:"


TABLE = [
    (" กรุงเทพ", CUE_TH, "กรุงเทพ"),
    ("กรุงเทพ\nคำถาม: อะไร", CUE_TH, "กรุงเทพ"),
    # blanks and line breaks before the answer
    ("\nกรุงเทพ\n\n", CUE_TH, "กรุงเทพ"),
    ("\n\n \t\u00a0\nกรุงเทพ\nอื่น", CUE_TH, "กรุงเทพ"),
    ("\u200b\ufeff กรุงเทพ", CUE_TH, "กรุงเทพ"),
    ("\r\nHuế\r\nĐà Nẵng", CUE_VI, "Huế"),
    # the cue repeated
    (" คำตอบ: กรุงเทพ", CUE_TH, "กรุงเทพ"),
    ("\n\nคำตอบ: คำตอบ: กรุงเทพ", CUE_TH, "กรุงเทพ"),
    ("คำตอบ:\nกรุงเทพ\nอื่น", CUE_TH, "กรุงเทพ"),
    ("คำตอบ : กรุงเทพ", CUE_TH, "กรุงเทพ"),
    ("trả lời：Huế", CUE_VI, "Huế"),
    ("**Jawaban:** Gesang", CUE_ID, "Gesang"),
    ("**Jawaban**: Gesang", CUE_ID, "Gesang"),
    (DECOMPOSED, CUE_VI, "Huế"),
    # with another mark, or vowels in two parts
    ("ចម្លើយ: ភ្នំពេញ", "ចម្លើយ៖", "ភ្នំពេញ"),
    ("ចម្លើយ\u17c8 ភ្នំពេញ", "ចម្លើយ៖", "ភ្នំពេញ"),
    ("အဖြေ: ရန်ကုန်", "အဖြေ-", "ရန်ကုန်"),
    ("အဖြေ - ရန်ကုန်", "အဖြေ-", "ရန်ကုန်"),
    ("အဖြေ-ရန်ကုန်", "အဖြေ-", "ရန်ကုန်"),
    ("အဖြေ။ ။ ရန်ကုန်", "အဖြေ-", "ရန်ကုန်"),
    ("Jawaban - Gesang", CUE_ID, "Gesang"),
    ("Jawaban -5", CUE_ID, "Jawaban -5"),
    ("ค\u0e4d\u0e32ตอบ: กรุงเทพ", CUE_TH, "กรุงเทพ"),
    ("ຄ\u0ecd\u0eb2ຕອບ: ວຽງຈັນ", "ຄຳຕອບ:", "ວຽງຈັນ"),
    ("คำตอบ: น\u0e4d\u0e32", CUE_TH, "น\u0e4d\u0e32"),  # the answer itself is left as it is
    # a cue that is none
    ("Jawabannya: Gesang", CUE_ID, "Jawabannya: Gesang"),
    ("Gesang. Jawaban: Gesang", CUE_ID, "Gesang. Jawaban: Gesang"),
    ("Jawaban itu benar", CUE_ID, "Jawaban itu benar"),
    # nothing
    ("", CUE_TH, ""),
    ("\n \n\u200b", CUE_TH, ""),
    ("คำตอบ:", CUE_TH, ""),
    ("\nคำตอบ:\n\n", CUE_TH, ""),
]


def test_table():
    assert [(generated, cue, answer) for generated, cue, answer in TABLE if answer_text(generated, [cue]) != answer] == []


def test_a_cue_without_colon_is_cut_as_a_word():
    assert answer_text("Answer Bangkok", ["Answer"]) == "Bangkok"
    assert answer_text("Answers vary", ["Answer"]) == "Answers vary"


def test_without_cues():
    assert answer_text("\nGesang\n", []) == "Gesang"


@given(st.text(alphabet="\n \u200bก:A", max_size=12))
def test_the_answer_is_one_line_without_blanks_at_its_ends(generated):
    answer = answer_text(generated, [CUE_TH])
    assert answer == answer.strip()
    assert "\n" not in answer
    assert bool(answer) == any(character not in "\n \u200b" for character in generated)


COMPOSED_VOWELS = [
    ("น\u0e4d\u0e49\u0e32", "น\u0e49\u0e33"),
    ("น\u0e49\u0e4d\u0e32", "น\u0e49\u0e33"),
    ("ນ\u0ecd\u0ec9\u0eb2", "ນ\u0ec9\u0eb3"),
    ("เ\u0e40ง่", "แง่"),
    ("ເ\u0ec0ງ່", "ແງ່"),
    ("เฉย ๆ", "เฉย ๆ"),
]


def test_composed_vowels():
    assert [(text, expected) for text, expected in COMPOSED_VOWELS if composed(text) != expected] == []


def test_plain_text():
    assert plain("  เฉย  ๆ \n**Ｂ**\u200b ๓\t၃") == "เฉยๆ\nB 3 3"


@given(st.text())
def test_plain_text_stays_plain(text):
    assert plain(plain(text)) == plain(text)
    assert composed(composed(text)) == composed(text)
