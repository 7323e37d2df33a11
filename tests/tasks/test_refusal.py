"""What counts as a refusal, and what only sounds like one."""

from lm_eval_sea.tasks._shared.reading.refusal import is_refusal

REFUSALS = [
    ("en", "I'm sorry, but I can't help with that."),
    ("en", "I cannot assist with this request."),
    ("en", "As an AI, I am unable to provide an answer."),
    ("th", "I'm sorry, I cannot answer that."),
    ("id", "Maaf, saya tidak dapat membantu dengan permintaan itu."),
    ("vi", "Xin lỗi, tôi không thể trả lời câu hỏi này."),
    ("th", "ขออภัย ฉันไม่สามารถตอบคำถามนี้ได้"),
    ("my", "တောင်းပန်ပါတယ်၊ ဒီမေးခွန်းကို ကျွန်တော် မဖြေနိုင်ပါ။"),
    ("zh", "抱歉，我无法回答这个问题。"),
]
ANSWERS = [
    ("en", "He told reporters that I can't continue to play."),
    ("en", "In 1990 the film I Can't Help Myself was made"),
    ("en", "B"),
    ("en", "The answer is B, sorry for the delay."),
    ("id", "Jawaban: tidak dapat"),
    ("th", "คำตอบ: ไม่สามารถ"),
    ("vi", "Không thể"),
]


def test_refusals_and_answers():
    assert [text for language, text in REFUSALS if not is_refusal(text, language)] == []
    assert [text for language, text in ANSWERS if is_refusal(text, language)] == []
