"""The line of an answer, its characters, and whether it is a refusal."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea.tasks._shared.reading.answer_text import answer_text, composed, plain
from lm_eval_sea.tasks._shared.reading.refusal import is_refusal

# Cue → what is generated → the answer.
TABLE = {
    "คำตอบ:": {
        **dict.fromkeys([" กรุงเทพ", "กรุงเทพ\nคำถาม: อะไร", "\n\n \t\u00a0\nกรุงเทพ\nอื่น", "\u200b\ufeff กรุงเทพ"], "กรุงเทพ"),
        # the cue repeated, with another mark, or with its vowel in two parts
        **dict.fromkeys(["\n\nคำตอบ: คำตอบ: กรุงเทพ", "คำตอบ:\nกรุงเทพ\nอื่น", "คำตอบ : กรุงเทพ"], "กรุงเทพ"),
        "ค\u0e4d\u0e32ตอบ: กรุงเทพ": "กรุงเทพ",
        "คำตอบ: น\u0e4d\u0e32": "น\u0e4d\u0e32",  # the answer itself is left as it is
        **dict.fromkeys(["\n \n\u200b", "คำตอบ:", "\nคำตอบ:\n\n"], ""),
    },
    "Trả lời:": dict.fromkeys(
        ["\r\nHuế\r\nĐà Nẵng", "trả lời：Huế", unicodedata.normalize("NFD", "Trả lời: Huế")], "Huế"
    ),
    "Jawaban:": {
        **dict.fromkeys(["**Jawaban:** Gesang", "**Jawaban**: Gesang", "Jawaban - Gesang"], "Gesang"),
        # a cue that is none
        **{text: text for text in ("Jawaban -5", "Jawabannya: Gesang", "Gesang. Jawaban: Gesang", "Jawaban itu benar")},
    },
    "ចម្លើយ៖": dict.fromkeys(["ចម្លើយ: ភ្នំពេញ", "ចម្លើយ\u17c8 ភ្នំពេញ"], "ភ្នំពេញ"),
    "အဖြေ-": dict.fromkeys(["အဖြေ: ရန်ကုန်", "အဖြေ - ရန်ကုန်", "အဖြေ-ရန်ကုန်", "အဖြေ။ ။ ရန်ကုန်"], "ရန်ကုန်"),
    "ຄຳຕອບ:": {"ຄ\u0ecd\u0eb2ຕອບ: ວຽງຈັນ": "ວຽງຈັນ"},
    "Answer": {"Answer Bangkok": "Bangkok", "Answers vary": "Answers vary"},  # without a colon it is cut as a word
}  # fmt: skip


@pytest.mark.parametrize("cue", TABLE)
def test_the_answer_is_the_line_behind_its_cue(cue):
    assert {text: answer_text(text, [cue]) for text in TABLE[cue]} == TABLE[cue]


@given(st.text(alphabet="\n \u200bก:A", max_size=12))
def test_the_answer_is_one_line_without_blanks_at_its_ends(generated):
    answer = answer_text(generated, ["คำตอบ:"])
    assert answer == answer.strip()
    assert "\n" not in answer
    assert bool(answer) == any(character not in "\n \u200b" for character in generated)


def test_plain_texts():
    vowels = {"น\u0e4d\u0e49\u0e32": "น\u0e49\u0e33", "น\u0e49\u0e4d\u0e32": "น\u0e49\u0e33", "เ\u0e40ง่": "แง่", "เฉย ๆ": "เฉย ๆ"}
    vowels |= {"ນ\u0ecd\u0ec9\u0eb2": "ນ\u0ec9\u0eb3", "ເ\u0ec0ງ່": "ແງ່"}
    assert {text: composed(text) for text in vowels} == vowels
    assert plain("  เฉย  ๆ \n**Ｂ**\u200b ๓\t၃") == "เฉยๆ\nB 3 3"


@given(st.text())
def test_plain_text_stays_plain(text):
    assert plain(plain(text)) == plain(text)
    assert composed(composed(text)) == composed(text)


REFUSALS = [
    ("en", "I'm sorry, but I can't help with that."), ("en", "I cannot assist with this request."),
    ("en", "As an AI, I am unable to provide an answer."), ("th", "I'm sorry, I cannot answer that."),
    ("id", "Maaf, saya tidak dapat membantu dengan permintaan itu."), ("vi", "Xin lỗi, tôi không thể trả lời câu hỏi này."),
    ("th", "ขออภัย ฉันไม่สามารถตอบคำถามนี้ได้"), ("my", "တောင်းပန်ပါတယ်၊ ဒီမေးခွန်းကို ကျွန်တော် မဖြေနိုင်ပါ။"),
    ("zh", "抱歉，我无法回答这个问题。"), ("km", "Hello! I'm sorry, but I can't assist with that request."),
    ("vi", "Chào bạn! Xin lỗi, tôi không thể trả lời câu hỏi này."), ("zh", "您好！抱歉，我无法回答这个问题。"),
]  # fmt: skip
ANSWERS = [
    ("en", "Sure, here is the translation:\nI'm sorry, I can't help you."),
    ("zh", "好的，翻译如下：\n抱歉，我无法回答这个问题。"), ("en", "Okay, he went home. I will not discuss it with him."),
    ("en", "He told reporters that I can't continue to play."), ("en", "In 1990 the film I Can't Help Myself was made"),
    ("en", "B"), ("en", "The answer is B, sorry for the delay."), ("id", "Jawaban: tidak dapat"), ("th", "คำตอบ: ไม่สามารถ"),
    ("vi", "Không thể"),
]  # fmt: skip


def test_refusals_and_answers():
    assert [text for language, text in REFUSALS if not is_refusal(text, language)] == []
    assert [text for language, text in ANSWERS if is_refusal(text, language)] == []
