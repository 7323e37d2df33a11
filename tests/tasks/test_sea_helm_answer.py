"""Reading answers as SEA-HELM does it and strictly: a table for every task with labels, and a second reading of the rule."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea.catalogue.sea_helm import sea_helm
from lm_eval_sea.tasks._shared.reading.sea_helm_answer import published_label, published_text, strict_label, strict_text

from .evaluation import prompt_words

TAGS = {language: prompt_words("sea_helm", language)["cue"] for language in sea_helm().languages}
# Language → the labels of each task that has labels.
LABELS = {language: [task.labels for task in sea_helm().of_language(language).values() if task.labels] for language in TAGS}
TASKS_WITH_LABELS = st.sampled_from([(language, labels) for language in LABELS for labels in LABELS[language]])
OTHER_TAG = "Réponse :"


def read_by_hand(text: str, tag: str, labels: list[str]) -> str | None:
    """The rule of SEA-HELM without regular expressions: at each tag, labels one after the other as long as there are any."""
    lowered = text.lower()
    for start in range(len(text)):
        if not lowered.startswith(tag.lower(), start):
            continue
        position = start + len(tag)
        while position < len(text) and (text[position].isspace() or text[position] == "*"):
            position += 1
        last = None
        while found := next((label for label in labels if lowered.startswith(label.lower(), position)), None):
            last = found
            position += len(found)
        if last:
            return last
    whole = lowered.strip()
    while whole and (whole[0] in string.punctuation + " \n" or whole[-1] in string.punctuation + " \n"):
        whole = whole[1:] if whole[0] in string.punctuation + " \n" else whole[:-1]
    whole = " ".join(whole.split())
    return next((label for label in labels if label.lower() == whole), None)


def cases(tag: str, labels: list[str]) -> dict[str, tuple[str, str | None, str | None]]:
    """What is said of it → text, label as published, label read strictly."""
    one, two = labels[:2]
    echoed = "A" if "A" in labels else two
    return {
        "tag": (f"{tag} {one}", one, one), "tag and line break": (f"{tag}\n\n{one}\n", one, one),
        "no blank": (f"{tag}{one}", one, one), "full stop": (f"{tag} {one}.", one, one),
        "bold label": (f"{tag} **{one}**", one, one), "bold tag": (f"**{tag}** {one}", one, one),
        "bold line": (f"**{tag} {one}**", one, one), "code": (f"{tag} `{one}`", None, one),
        "quoted": (f"{tag} “{one}”", None, one), "lower case": (f"{tag.lower()} {one.lower()}", one, one),
        "no tag": (one, one, one), "no tag, punctuation": (f" *{one}*. ", one, one),
        "no tag, blanks of other kinds": (f"\u3000\xa0{one}.\u3000", one, one),
        "no tag, a tab inside the marks": (f"{one}\t.\t*", None, one), "no tag in a sentence": (f"{one}, {two}", None, None),
        "reason before": (f"{two}? {two}!\n{tag} {one}", one, one), "reason behind": (f"{tag} {one}\n\n{two}, {two}.", one, one),
        "repeated": (f"{tag} {one}\n\n{tag} {two}", one, two), "the same twice": (f"{tag} {one}\n{tag} {one}", one, one),
        "next question": (f"{tag} {one}\n\n{tag} ", one, None), "two labels": (f"{tag} {one} {two}", one, None),
        "run together": (f"{tag} {one}{two}", two, None), "format line echoed": (f"{tag} ANSWER\n{tag} {two}", echoed, two),
        "inside a word": (f"{tag} {one}z", one, None), "behind a word": (f"{tag} z {one}", None, None),
        "tag of another language": (f"{OTHER_TAG} {one}", None, None),
        "empty": ("", None, None), "blanks": (" \n", None, None), "tag alone": (tag, None, None),
    }  # fmt: skip


@pytest.mark.parametrize("language", LABELS)
def test_labels_are_read_as_published_and_strictly(language):
    wrong, tag = [], TAGS[language]
    for labels in LABELS[language]:
        for name, (text, published, strict) in cases(tag, labels).items():
            read = published_label(text, tag, labels), read_by_hand(text, tag, labels), strict_label(text, tag, labels, language)
            if read != (published, published, strict):
                wrong.append((labels, name, text, read))
    assert wrong == []


@given(TASKS_WITH_LABELS, st.data())
def test_the_published_rule_agrees_with_its_restatement(task, data):
    """Any other text gets a label or none."""
    (language, labels), any_text = task, data.draw(st.text())
    tag = TAGS[language]
    pieces = st.sampled_from([tag, *labels, " ", "*", "\n", ".", "z", "ANSWER", tag[:-1], labels[0][:-1]])
    text = "".join(data.draw(st.lists(pieces, max_size=8)))
    assert published_label(text, tag, labels) == read_by_hand(text, tag, labels)
    assert published_label(any_text, tag, labels) in (*labels, None)
    assert strict_label(any_text, tag, labels, language) in (*labels, None)
    assert "\n" not in strict_text(any_text, tag)


# Letters and the texts of their options: language → tag, labels, text → label as published, label read strictly.
LETTERS = {
    "id": (
        "Jawaban:", "AB",
        {
            "Jawaban: B. Dia pemberani.": ("B", "B"), "Jawaban: B) Dia pemberani.": ("B", "B"),
            "Jawaban: **B**: Dia pemberani.": ("B", "B"), "Jawaban: B, karena dia berani.": ("B", "B"),
            "Jawaban: (B) Dia pemberani.": (None, "B"), "Jawaban - B": (None, "B"), "Jawaban: adalah B": ("A", "B"),
            "Jawaban: B. atau A.": ("B", None), "Jawaban: B, karena A salah.": ("B", None), "Jawaban: B?": ("B", None),
            "Jawaban: Bisa jadi A": ("B", None), "Jawaban: Akhirnya B": ("A", None), "Jawaban: A\nB": ("A", None),
            "Jawaban: A.B": ("A", None),
        },
    ),
    "my": (
        "အဖြေ-", "ကခဂဃ",
        {
            "အဖြေ- ခ": ("ခ", "ခ"), "အဖြေ- ခ။": ("ခ", "ခ"), "အဖြေ- ခ: ကြောင်": ("ခ", "ခ"), "အဖြေ- ခ၊": ("ခ", "ခ"),
            "အဖြေ- ကြောင်": ("က", None), "အဖြေ- B": (None, None),
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("language", LETTERS)
def test_letters(language):
    tag, labels, expected = LETTERS[language]
    found = {text: (published_label(text, tag, [*labels]), strict_label(text, tag, [*labels], language)) for text in expected}
    assert found == expected


def test_minimal_pairs_are_read_in_their_own_way():
    """Case matters, and the first tag decides even if no label follows."""
    expected = dict.fromkeys(["Jawaban: B", "Jawaban: AB", "B"], "B") | {"Jawaban: ANSWER\nJawaban: B": "A"}
    expected |= dict.fromkeys(["Jawaban: b", "jawaban: B", "Jawaban: tidak tahu\nJawaban: B"])
    assert {text: published_label(text, "Jawaban:", ["A", "B"], lindsea=True) for text in expected} == expected


def test_texts_are_read_as_published_and_strictly():
    """Text → what is read of it as published, and strictly; the Khmer tag of translations is found in both spellings."""
    expected = {
        "Rangkuman: Hujan turun.": ("Hujan turun.", "Hujan turun."),
        "Rangkuman:\n\n```\nHujan turun.\n```": ("Hujan turun.", "Hujan turun."),
        "Rangkuman: **Hujan turun.**\nJakarta banjir.": ("Hujan turun.**", "Hujan turun."),
        "**Rangkuman:** Hujan turun.": ("Hujan turun.", "Hujan turun."),
        "Rangkuman: satu\nRangkuman: dua": ("satu", "dua"),
        "Hujan turun.\nJakarta banjir.": ("Hujan turun.\nJakarta banjir.", ""),
        **dict.fromkeys(["Rangkuman:", ""], ("", "")),
    }
    assert {text: (published_text(text, "Rangkuman:"), strict_text(text, "Rangkuman:")) for text in expected} == expected
    for written, tag in (("ការបរប្រែ៖", "ការបកប្រែ៖"), ("ការបកប្រែ៖", "ការបរប្រែ៖"), ("ការបកប្រែ:", "ការបរប្រែ៖")):
        assert strict_text(f"**{written}** ឆ្មា\n", tag) == "ឆ្មា"


THAI, MALAY, YES_NO = ["แง่บวก", "แง่ลบ", "เฉยๆ"], ["Positif", "Negatif", "Netral"], ["Benar", "Salah", "Ya", "Tidak"]
# Language, tag, labels, text → label.
SPELLINGS_AND_MARKS = [
    ("km", "ចម្លើយ៖", "ABCD", dict.fromkeys(["ចម្លើយ: A", "ចម្លើយ ៖ A", "ចម្លើយ\u17c8 A"], "A")),
    (
        "my",
        "အဖြေ-",
        "ကခဂဃ",
        dict.fromkeys(["အဖြေ: က", "အဖြေ - က", "အဖြေ-က", "အဖြေ။ ။ က", "အဖြေ- က- ကြောင်", "အဖြေ- က-ကြောင်"], "က"),
    ),
    ("my", "အဖြေ-", "ကခဂဃ", {"အဖြေက ခ ဖြစ်ပါတယ်။": "ခ", "အဖြေ- က ခ": None}),  # here က marks the subject
    ("th", "คำตอบ:", THAI, {"คำตอบ: เฉย ๆ": "เฉยๆ", "ค\u0e4d\u0e32ตอบ: เ\u0e40ง่บวกค่ะ": "แง่บวก", "คำตอบ: ไม่ใช่แง่บวก": None}),
    ("th", "คำตอบ:", "ABCD", {"คำตอบ: ข": "B"}),
    ("th", "คำตอบ:", "YN", {"คำตอบ: Y ครับ": "Y"}),
    ("lo", "ຄຳຕອບ:", ["ແງ່ບວກ", "ແງ່ລົບ"], {"ຄ\u0ecd\u0eb2ຕອບ : ແງ່ລົບ": "ແງ່ລົບ"}),
    ("ms", "Jawapan:", MALAY, {"Jawapan: Neutral": "Netral"}),
    ("id", "Jawaban:", MALAY, {"Jawaban: neutral.": "Netral"}),
    ("tl", "Sagot:", ["Positibo", "Negatibo", "Neutral"], {"Sagot: Netral": "Neutral"}),
    ("su", "Jawaban:", ["Positip", "Negatip", "Netral"], {"Jawaban: Positif": "Positip"}),
    ("id", "Jawaban:", YES_NO, {"Jawaban: Tidak benar": None, "Jawaban: Tidak": "Tidak"}),
    ("vi", "Câu trả lời:", ["Tích cực", "Tiêu cực"], {"Ca\u0302u trả lời: Ti\u0301ch cực": "Tích cực"}),
    ("ta", "பதில்:", ["உண்மை", "பொய்"], {"பதில்: உண்மை அல்ல": None}),
    ("ta", "பதில்:", "AB", {"பதில்: A: அ ஓர் எழுத்து\nB: அ ஒரு எழுத்து": None}),  # both sentences of the row
]


@pytest.mark.parametrize(("language", "tag", "labels", "expected"), SPELLINGS_AND_MARKS)
def test_spellings_and_marks(language, tag, labels, expected):
    """One answer in several spellings: the marks of tags, vowels in two parts, a blank before ๆ, two forms of a word."""
    assert {text: strict_label(text, tag, [*labels], language) for text in expected} == expected
