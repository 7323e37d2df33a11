"""Answers in every form in which chat models write them. None is read as another answer."""

from itertools import islice

import pytest

from lm_eval_sea.tasks._shared.reading.answer_phrases import LABEL_WORDS, WRITTEN_TOGETHER

from .evaluation import chat_words
from .test_labelled_answers import bare, read

LANGUAGES = ("id", "km", "th", "ms", "vi", "tl", "my", "lo", "ta", "jv", "zh", "en", "ceb", "ilo")
AROUND = [
    "{}", "**{}**",
    "`{}`", '"{}"', "“{}”", "'{}'", "{}.", "{}!", "{}\n", "✅ {}", "{} ✅", "\\boxed{{{}}}", "_{}_", "***{}***", "→ {}",
]  # fmt: skip
OF_A_LETTER = [
    "({})", "[{}]", "{})", "${}$", "\\({}\\)", "<{}>", "{}. coffee", "{}) coffee", "{}: coffee", "{} – coffee", "{} (coffee)",
    "**{}.** coffee", "coffee ({})", "\\boxed{{\\text{{{}}}}}", "{}\n\ncoffee", "\n\n**{}. coffee**",
]  # fmt: skip
OF_A_LABEL = ["({})", "[{}]", "<{}>", "- {}", "1. {}", "\\boxed{{\\text{{{}}}}}"]
OF_A_NUMBER = ["({})", "[{}]", "= {}", "≈ {}", "x = {}", "${}$", "\\boxed{{{}\\text{{ kg}}}}", "{} kg", "**{} kg**"]
OF_A_SPAN = ["[{}]", "<{}>", "«{}»", "- {}", "1. {}", "\\boxed{{\\text{{{}}}}}"]
OF_A_TEXT = ["«{}»", "{} 😊", "- {}", "> {}", "```\n{}\n```", "\n\n{}"]
PLACES = [
    "{tag}: {answer}", "**{tag}:** {answer}", "**{tag}**: {answer}", "{tag} : {answer}", "### {tag}\n{answer}",
    "**{tag}**\n\n{answer}",
    "Answer: {answer}", "**Final Answer:** {answer}", "{answer}", "<answer>{answer}</answer>", "```\n{tag}: {answer}\n```",
    "It is not 7, for the text says so.\n\n{tag}: {answer}", "{tag}: {answer}\n\nThe text says so.", '{{"answer": "{answer}"}}',
    "<think>It may be A, or 7. Answer: 7</think>\n\n{tag}: {answer}", "Sure!\n\n{tag}: {answer}\n\nI hope this helps!",
]  # fmt: skip
PLACES_OF_TEXTS = [
    "{tag}: {answer}", "**{tag}:** {answer}", "{answer}", "### {tag}\n\n{answer}", "Sure! Here it is:\n\n{answer}",
    "{tag}: {answer}\n\nNote: this keeps the tone.", "---\n{tag}: {answer}\n---", "<{kind}>{answer}</{kind}>",
]  # fmt: skip
NUMBERS = ("1250", "12.5", "-12", "−12", "12%", "$12")
VALUES = dict(zip(NUMBERS, (1250, 12.5, -12, -12, 12, 12), strict=True))
DECIMAL_COMMA = ("id", "vi", "jv")
SENTENCES = {
    "id": "Rumah itu besar dan tua.",
    "th": "บ้านหลังนั้นใหญ่และเก่า",
    "vi": "Ngôi nhà đó to và cũ.",
    "zh": "那座房子又大又旧。",
    "my": "အိမ်က ကြီးပြီး ဟောင်းနေသည်။",
    "km": "ផ្ទះនោះធំ ហើយចាស់។",
    "lo": "ເຮືອນຫຼັງນັ້ນໃຫຍ່ ແລະ ເກົ່າ",
    "ta": "அந்த வீடு பெரியது, பழையது.",
    "en": "The house is big and old.",
}


def texts_of(said, forms, places, **words):
    """What a model may write to say something."""
    for form in forms:
        for place in places:
            answer = form.format(said)
            if "{{" not in place or not set('\\\n"') & set(answer):  # no escapes in JSON
                yield place.format(answer=answer, **words)


def asked(kind, language):
    """A row of a kind of question, what answers say → what is to be read, and the forms of such an answer."""
    row = {"language": language, "kind": kind}
    if kind == "letter":
        return row | {"options": ["rice", "corn", "coffee"]}, {"C": "C"}, AROUND[:-1] + OF_A_LETTER
    if kind == "label":
        words = [LABEL_WORDS[label].get(language, label).split("|")[0] for label in ("positive", "neutral", "negative")]
        return row | {"options": words}, {words[2]: words[2]}, AROUND + OF_A_LABEL
    if kind == "number":
        said = {number.replace(".", ",") if language in DECIMAL_COMMA else number: VALUES[number] for number in NUMBERS}
        return row, said, AROUND + OF_A_NUMBER
    name = "ភ្នំពេញ" if language in WRITTEN_TOGETHER else "Phnom Penh"
    return row, {name: name, "1911": "1911"}, AROUND + OF_A_SPAN


@pytest.mark.parametrize("kind", ["letter", "label", "number", "span"])
def test_an_answer_in_any_form(kind, everything):
    """One in a hundred may not be read. The quick tests take every fifth text, so that each form and each place comes."""
    wrong, unread, count = [], [], 0
    for language in LANGUAGES if everything else LANGUAGES[:1]:
        row, meant, forms = asked(kind, language)
        tags = chat_words(language)["tags"]
        tag = tags.get(kind, tags["answer"]).rstrip(":៖： ")
        for said, right in meant.items():
            for text in islice(texts_of(said, forms, PLACES, tag=tag), 0, None, 1 if everything else 5):
                found = read(row | {"answer": text})
                count += 1
                if found is None:
                    unread.append(text)
                elif float(found) != right if kind == "number" else bare(found) != bare(right):
                    wrong.append((text, found))
    assert wrong == []
    assert len(unread) <= count / 100, unread


@pytest.mark.parametrize("kind", ["translation", "summary"])
def test_a_text_in_any_form(kind, everything):
    for language, text in SENTENCES.items() if everything else list(SENTENCES.items())[:2]:
        row = {"language": language, "kind": kind}
        tag = chat_words(language)["tags"][kind].rstrip(":៖： ")
        found = {
            answer: read(row | {"answer": answer})
            for answer in texts_of(text, AROUND[:6] + OF_A_TEXT, PLACES_OF_TEXTS, tag=tag, kind=kind)
        }
        assert {answer: said for answer, said in found.items() if bare(said or "") != bare(text)} == {}


# By language, separated by |: sentences that compare two options and mean B.
BETTER = {
    "en": "B is better than C.|C is less fitting than B.|Between the two, B is more plausible than C.",
    "id": "B lebih tepat daripada C.|Dibandingkan C, B lebih tepat.|C kurang tepat dibandingkan B.",
    "ms": "Jadi B lebih sesuai daripada C.",
    "vi": "B hợp lý hơn C.|So với C, B hợp lý hơn.|C ít hợp lý hơn B.",
    "th": "B เหมาะสมกว่า C|ตัวเลือก B สมเหตุสมผลมากกว่าตัวเลือก C|C เหมาะสมน้อยกว่า B",
    "lo": "B ເໝາະສົມກວ່າ C",
    "km": "B សមហេតុផលជាង C។|ជម្រើស B ត្រឹមត្រូវជាងជម្រើស C។",
    "my": "C ထက် B က ပို၍ မှန်ကန်ပါသည်။|B က C ထက် ပိုသင့်တော်ပါတယ်။",
    "ta": "C-ஐ விட B மிகவும் பொருத்தமானது.|B, C-ஐ விடப் பொருத்தமானது.",
    "zh": "B 比 C 更合适。|C不如B合适。|比起C，B更合适。",
    "tl": "Mas angkop ang B kaysa sa C.|Hindi gaanong angkop ang C kaysa sa B.",
    "ceb": "Mas husto ang B kaysa sa C.",
    "ilo": "Nasaysayaat ti B ngem ti C.",
    "jv": "B luwih trep tinimbang C.",
    "su": "B leuwih merenah tibatan C.",
}
FORCED = {
    "en": "A or C, but if I had to choose, B.|Probably B, although C is possible.",
    "id": "Kalau harus memilih, B.|Kemungkinan besar B, walaupun C juga masuk akal.",
    "ms": "Jika terpaksa memilih, saya pilih B.",
    "vi": "Nếu buộc phải chọn, B.|Có lẽ là B, mặc dù C cũng hợp lý.",
    "th": "ถ้าต้องเลือก B|น่าจะเป็น B แม้ C ก็เป็นไปได้",
    "lo": "ຄຳຕອບ: A ຫຼື B ກໍໄດ້ ແຕ່ຖ້າໃຫ້ເລືອກອັນດຽວ ຂ້ອຍເລືອກ B.",
    "km": "បើត្រូវជ្រើសរើស B។",
    "my": "ရွေးရမယ်ဆိုရင် B ပါ။",
    "ta": "தேர்ந்தெடுக்க வேண்டுமானால் B.",
    "zh": "如果一定要选，选B。",
    "tl": "Kung papipiliin ako, B.",
    "ceb": "Kung papilion ko, B.",
    "jv": "Yen kudu milih, B.",
    "su": "Lamun kudu milih, B.",
    "ilo": "No agpiliak, B.",
}
OPEN = (
    "B is not better than C.|If B is better than C, then D.|Is B better than C?|B is longer than C.|A better choice than B is C."
)
RANGES = {
    "en": "between 15 and 20|15 to 20",
    "id": "antara 15 sampai 20|15 hingga 20 orang",
    "ms": "15 hingga 20",
    "vi": "từ 15 đến 20",
    "th": "15 ถึง 20|ระหว่าง 15 คน ถึง 20 คน",
    "lo": "ລະຫວ່າງ 15 ຫາ 20",
    "km": "ចន្លោះពី ១៥ ដល់ ២០",
    "my": "15 နှင့် 20 ကြား|15 မှ 20 အထိ",
    "ta": "15 முதல் 20 வரை|15க்கும் 20க்கும் இடையில்",
    "zh": "15到20|15至20之间",
    "tl": "sa pagitan ng 15 at 20|15 hanggang 20",
    "ceb": "15 hangtod 20",
    "ilo": "15 agingga iti 20",
    "jv": "15 nganti 20",
}
# By language: a sentence of which only the phrase in it is read, and sentences that are read whole.
POINTING = {
    "en": ("It was {}.", "It was destroyed in {}.|It was in {} that the mill closed."),
    "id": ("Itu adalah {}.", "Itu dibangun pada {}."),
    "ms": ("Ia ialah {}.", "Ia dibina pada {}."),
    "vi": ("Đó là {}.", "Nó được xây năm {}.|Đó là khi {} bắt đầu."),
    "th": ("คือ{}", "ถูกสร้างใน {}"),
    "lo": ("ແມ່ນ {}.", "ຖືກສ້າງໃນ {}"),
    "km": ("វាគឺជា {}។", "វាត្រូវបានសាងសង់នៅ {}។"),
    "my": ("{} ဖြစ်သည်။", "သူသည် {} ဖြစ်သည်။"),
    "ta": ("அது {} ஆகும்.", "அது {} இல் கட்டப்பட்டது."),
    "zh": ("是{}。", "是在{}建成的。"),
    "tl": ("Ito ay {}.", "Ito ay itinayo noong {}."),
    "jv": ("Iku {}.", "Iku dibangun ing {}."),
    "ilo": ("Daytoy ket {}.", "Daytoy ket naipatakder idi {}."),
}
ENGLISH = {
    "id": "Bahasa Inggris", "ms": "Bahasa Inggeris", "vi": "Tiếng Anh", "th": "อังกฤษ", "lo": "ພາສາອັງກິດ", "km": "ភាសាអង់គ្លេស",
    "my": "အင်္ဂလိပ်", "ta": "ஆங்கிலம்", "zh": "英文", "tl": "Ingles", "jv": "Basa Inggris", "su": "Basa Inggris", "ceb": "Iningles",
}  # fmt: skip
OWN = {"id": "Bahasa Indonesia", "vi": "Tiếng Việt", "th": "ภาษาไทย", "km": "ភាសាខ្មែរ", "my": "မြန်မာ", "ta": "தமிழ்", "zh": "中文"}
ASKED_FOR = {
    "en": "I do not see the passage. Could you send it?",
    "id": "Maaf, saya tidak melihat teksnya. Bisakah Anda mengirimkannya?",
    "vi": "Tôi không thấy đoạn văn. Bạn có thể gửi nó được không?",
    "th": "ฉันไม่เห็นบทความ ช่วยส่งมาได้ไหม",
    "km": "ខ្ញុំមិនឃើញអត្ថបទទេ។ តើអ្នកអាចផ្ញើវាមកបានទេ?",
    "zh": "我没有看到文章，您能发给我吗？",
    "tl": "Hindi ko makita ang talata. Maaari mo bang ipadala ito?",
}


def misread(row, said, right):
    """Text → what is read of it, where that is not right."""
    found = {text: read(row | {"answer": text}) for text in said}
    return {text: answer for text, answer in found.items() if bare(answer or "") != bare(right or "")}


def letters(language):
    return {"language": language, "kind": "letter", "options": ["rice", "corn", "coffee", "tea"]}


@pytest.mark.parametrize("said", [BETTER, FORCED])
def test_of_two_options_the_one_that_fits_better_counts(said):
    for language, sentences in said.items():
        assert misread(letters(language), sentences.split("|"), "B") == {}
        thought = [f"I first thought of C.\n\n{sentence}" for sentence in sentences.split("|")]
        assert misread(letters(language), thought, "B") == {}
    assert misread(letters("en"), OPEN.split("|"), None) == {}


def test_a_range_is_no_number():
    for language, ranges in RANGES.items():
        tag = chat_words(language)["tags"]["answer"]
        for said in ranges.split("|"):
            assert misread({"language": language, "kind": "number"}, (f"{tag} {said}", f"Answer: {said}"), None) == {}
    for said in ("Answer: 7\n\nCheck: from 3 to 10 is 7.", "The answer is 7, between 5 and 10."):
        assert read({"language": "en", "kind": "number", "answer": said}) == "7"


def test_an_answer_that_is_taken_back():
    """The new one counts, if it is stated, else none."""
    back = {"Answer: C\n\nWait, I was wrong.": None, "Answer: C\n\nI was wrong. So I change my answer to B.": "B"}
    back |= {"Answer: C\n\nWait, let me check. Yes, it is C.": "C", "Answer: C. I was wrong to doubt it.": "C"}
    back |= {"Answer: A\nAnswer: B\nAnswer: C\nAnswer: D": None, "1st choice: B\n2nd choice: C": "B"}
    back |= {"Answer only with A, B, C or D.": None, "Option 1: rice\nOption 2: corn\nOption 3: coffee\nOption 4: tea": None}
    assert {text: read(letters("en") | {"answer": text}) for text in back} == back


def test_the_phrase_after_it_is_is_the_answer():
    for language, (phrase, clauses) in POINTING.items():
        row = {"language": language, "kind": "span"}
        for name in ("1911", "Phnom Penh"):
            assert misread(row, [phrase.format(name)], name) == {}
            for clause in clauses.split("|"):
                assert misread(row, [clause.format(name)], clause.format(name)) == {}


def test_the_name_of_the_language_before_a_translation_is_left_out():
    """The translation may stand alone, or beside the source, which is named too."""
    text, forms = SENTENCES["en"], ["{}: {}", "**{}:** {}", "**{}**\n{}", "### {}\n\n{}"]
    for language, name in ENGLISH.items():
        row = {"language": language, "kind": "translation", "answer_language": "en"}
        assert misread(row, [form.format(name, text) for form in forms], text) == {}
    for language, own in OWN.items():
        both = [
            f"{own}: {SENTENCES[language]}\n{ENGLISH[language]}: {text}",
            f"{ENGLISH[language]}: {text}\n{own}: {SENTENCES[language]}",
        ]
        row = {"language": language, "kind": "translation"}
        assert misread(row | {"answer_language": "en"}, both, text) == {}
        assert misread(row, both, SENTENCES[language]) == {}


def test_a_request_for_the_text_is_no_answer():
    for language, said in ASKED_FOR.items():
        for kind in ("span", "summary"):
            assert read({"language": language, "kind": kind, "answer": said}) is None, said
