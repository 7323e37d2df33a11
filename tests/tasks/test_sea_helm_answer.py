"""Reading answers as SEA-HELM does it and strictly: a table for every task with labels, and a second reading of the rule."""

import string
from itertools import product

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea.tasks._shared.reading.sea_helm_answer import (
    THINKING_MARKERS,
    published_label,
    published_text,
    strict_label,
    strict_text,
    without_thinking,
)

from .prompt_texts import ROOT

CATALOGUE = yaml.safe_load((ROOT / "lm_eval_sea/tasks/sea_helm/data_set.yml").read_text(encoding="utf-8"))["tasks"]


def _tasks() -> dict[str, tuple[str, list[str]]]:
    """Language and name → answer tag and labels of every task that has labels."""
    tags = {
        path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))["cue"]
        for path in (ROOT / "lm_eval_sea/tasks/sea_helm/prompts").glob("*.yml")
    }
    return {
        f"{language}_{name}": (tags[language], labels)
        for name, task in CATALOGUE.items()
        for language, record in task["languages"].items()
        if (labels := record.get("labels") or task.get("labels"))
    }


LABEL_TASKS = _tasks()
BY_LANGUAGE = {
    language: {task: labels for task, labels in LABEL_TASKS.items() if task.startswith(f"{language}_")}
    for language in sorted({task.partition("_")[0] for task in LABEL_TASKS})
}
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
        "tag": (f"{tag} {one}", one, one),
        "tag and line break": (f"{tag}\n\n{one}\n", one, one),
        "no blank": (f"{tag}{one}", one, one),
        "full stop": (f"{tag} {one}.", one, one),
        "bold label": (f"{tag} **{one}**", one, one),
        "bold tag": (f"**{tag}** {one}", one, one),
        "bold line": (f"**{tag} {one}**", one, one),
        "code": (f"{tag} `{one}`", None, one),
        "quoted": (f"{tag} “{one}”", None, one),
        "lower case": (f"{tag.lower()} {one.lower()}", one, one),
        "no tag": (one, one, one),
        "no tag, punctuation": (f" *{one}*. ", one, one),
        "no tag, blanks of other kinds": (f"\u3000\xa0{one}.\u3000", one, one),
        "no tag, a tab inside the marks": (f"{one}\t.\t*", None, one),
        "no tag in a sentence": (f"{one}, {two}", None, None),
        "reason before": (f"{two}? {two}!\n{tag} {one}", one, one),
        "reason behind": (f"{tag} {one}\n\n{two}, {two}.", one, one),
        "repeated": (f"{tag} {one}\n\n{tag} {two}", one, two),
        "the same twice": (f"{tag} {one}\n{tag} {one}", one, one),
        "next question": (f"{tag} {one}\n\n{tag} ", one, None),
        "two labels": (f"{tag} {one} {two}", one, None),
        "run together": (f"{tag} {one}{two}", two, None),
        "format line echoed": (f"{tag} ANSWER\n{tag} {two}", echoed, two),
        "inside a word": (f"{tag} {one}z", one, None),
        "behind a word": (f"{tag} z {one}", None, None),
        "tag of another language": (f"{OTHER_TAG} {one}", None, None),
        "empty": ("", None, None),
        "blanks": (" \n", None, None),
        "tag alone": (tag, None, None),
    }


@pytest.mark.parametrize("language", BY_LANGUAGE)
def test_table(language):
    wrong = []
    for task, (tag, labels) in BY_LANGUAGE[language].items():
        for name, (text, published, strict) in cases(tag, labels).items():
            read = published_label(text, tag, labels), read_by_hand(text, tag, labels), strict_label(text, tag, labels, language)
            if read != (published, published, strict):
                wrong.append((task, name, text, read))
    assert wrong == []


@pytest.mark.parametrize("language", BY_LANGUAGE)
def test_thoughts_are_not_searched(language):
    wrong = []
    for (task, (tag, (one, two, *_))), (begin, end) in product(BY_LANGUAGE[language].items(), THINKING_MARKERS):
        thought = f"{begin}\n{tag} {one}\n{end}\n\n{tag} {two}"
        for text in (thought, thought.removeprefix(begin)):
            left = without_thinking(text)
            if not published_label(left, tag, [one, two]) == strict_label(left, tag, [one, two], "en") == two:
                wrong.append((task, text))
        assert without_thinking(f"{begin}{tag} {one}") == ""
        assert without_thinking(f"{tag} {one}") == f"{tag} {one}"
    assert wrong == []


@given(st.data())
def test_the_published_rule_read_twice(data):
    tag, labels = LABEL_TASKS[data.draw(st.sampled_from(sorted(LABEL_TASKS)))]
    pieces = st.sampled_from([tag, *labels, " ", "*", "\n", ".", "z", "ANSWER", tag[:-1], labels[0][:-1]])
    text = "".join(data.draw(st.lists(pieces, max_size=8)))
    assert published_label(text, tag, labels) == read_by_hand(text, tag, labels)


@given(st.text(), st.sampled_from(sorted(LABEL_TASKS)))
def test_any_text_is_read(text, task):
    tag, labels = LABEL_TASKS[task]
    assert published_label(text, tag, labels) in (*labels, None)
    assert strict_label(text, tag, labels, task.partition("_")[0]) in (*labels, None)
    assert "\n" not in strict_text(text, tag)


class TestLetters:
    """Letters and the texts of their options."""

    @pytest.mark.parametrize(
        ("text", "published", "strict"),
        [
            ("Jawaban: B. Dia pemberani.", "B", "B"),
            ("Jawaban: B) Dia pemberani.", "B", "B"),
            ("Jawaban: (B) Dia pemberani.", None, "B"),
            ("Jawaban: **B**: Dia pemberani.", "B", "B"),
            ("Jawaban: B. atau A.", "B", None),
            ("Jawaban: B, karena dia berani.", "B", "B"),
            ("Jawaban: B, karena A salah.", "B", None),
            ("Jawaban: Akhirnya B", "A", None),
            ("Jawaban: adalah B", "A", "B"),
            ("Jawaban: B?", "B", None),
            ("Jawaban: A\nB", "A", None),
            ("Jawaban - B", None, "B"),
            ("Jawaban: A.B", "A", None),
            ("Jawaban: Bisa jadi A", "B", None),
        ],
    )
    def test_latin(self, text, published, strict):
        found = published_label(text, "Jawaban:", ["A", "B"]), strict_label(text, "Jawaban:", ["A", "B"], "id")
        assert found == (published, strict)

    @pytest.mark.parametrize(
        ("text", "published", "strict"),
        [
            ("အဖြေ- ခ", "ခ", "ခ"),
            ("အဖြေ- ခ။", "ခ", "ခ"),
            ("အဖြေ- ခ: ကြောင်", "ခ", "ခ"),
            ("အဖြေ- ကြောင်", "က", None),
            ("အဖြေ- ခ၊", "ခ", "ခ"),
            ("အဖြေ- B", None, None),
        ],
    )
    def test_burmese(self, text, published, strict):
        labels = ["က", "ခ", "ဂ", "ဃ"]
        assert published_label(text, "အဖြေ-", labels) == published
        assert strict_label(text, "အဖြေ-", labels, "my") == strict


MINIMAL_PAIRS_ARE_READ_IN_THEIR_OWN_WAY = [
    ("Jawaban: B", "B"),
    ("Jawaban: b", None),
    ("jawaban: B", None),
    ("Jawaban: ANSWER\nJawaban: B", "A"),
    ("Jawaban: tidak tahu\nJawaban: B", None),
    ("Jawaban: AB", "B"),
    ("B", "B"),
]


def test_minimal_pairs_are_read_in_their_own_way():
    """Case matters, and the first tag decides even if no label follows."""
    assert [
        (text, label)
        for text, label in MINIMAL_PAIRS_ARE_READ_IN_THEIR_OWN_WAY
        if published_label(text, "Jawaban:", ["A", "B"], lindsea=True) != label
    ] == []


SPELLINGS_AND_MARKS = [
    ("ចម្លើយ: A", "ចម្លើយ៖", "ABCD", "km", "A"),
    ("ចម្លើយ ៖ A", "ចម្លើយ៖", "ABCD", "km", "A"),
    ("ចម្លើយ\u17c8 A", "ចម្លើយ៖", "ABCD", "km", "A"),
    ("အဖြေ: က", "အဖြေ-", "ကခဂဃ", "my", "က"),
    ("အဖြေ - က", "အဖြေ-", "ကခဂဃ", "my", "က"),
    ("အဖြေ-က", "အဖြေ-", "ကခဂဃ", "my", "က"),
    ("အဖြေ။ ။ က", "အဖြေ-", "ကခဂဃ", "my", "က"),
    ("အဖြေ- က- ကြောင်", "အဖြေ-", "ကခဂဃ", "my", "က"),
    ("အဖြေ- က-ကြောင်", "အဖြေ-", "ကခဂဃ", "my", "က"),
    ("အဖြေက ခ ဖြစ်ပါတယ်။", "အဖြေ-", "ကခဂဃ", "my", "ခ"),  # here က marks the subject
    ("အဖြေ- က ခ", "အဖြေ-", "ကခဂဃ", "my", None),
    ("คำตอบ: เฉย ๆ", "คำตอบ:", ["แง่บวก", "แง่ลบ", "เฉยๆ"], "th", "เฉยๆ"),
    ("ค\u0e4d\u0e32ตอบ: เ\u0e40ง่บวกค่ะ", "คำตอบ:", ["แง่บวก", "แง่ลบ", "เฉยๆ"], "th", "แง่บวก"),
    ("คำตอบ: ไม่ใช่แง่บวก", "คำตอบ:", ["แง่บวก", "แง่ลบ", "เฉยๆ"], "th", None),
    ("ຄ\u0ecd\u0eb2ຕອບ : ແງ່ລົບ", "ຄຳຕອບ:", ["ແງ່ບວກ", "ແງ່ລົບ"], "lo", "ແງ່ລົບ"),
    ("Jawapan: Neutral", "Jawapan:", ["Positif", "Negatif", "Netral"], "ms", "Netral"),
    ("Jawaban: neutral.", "Jawaban:", ["Positif", "Negatif", "Netral"], "id", "Netral"),
    ("Sagot: Netral", "Sagot:", ["Positibo", "Negatibo", "Neutral"], "tl", "Neutral"),
    ("Jawaban: Positif", "Jawaban:", ["Positip", "Negatip", "Netral"], "su", "Positip"),
    ("Jawaban: Tidak benar", "Jawaban:", ["Benar", "Salah", "Ya", "Tidak"], "id", None),
    ("Jawaban: Tidak", "Jawaban:", ["Benar", "Salah", "Ya", "Tidak"], "id", "Tidak"),
    ("பதில்: உண்மை அல்ல", "பதில்:", ["உண்மை", "பொய்"], "ta", None),
    ("பதில்: A: அ ஓர் எழுத்து\nB: அ ஒரு எழுத்து", "பதில்:", "AB", "ta", None),  # both sentences of the row
    ("คำตอบ: ข", "คำตอบ:", "ABCD", "th", "B"),
    ("คำตอบ: Y ครับ", "คำตอบ:", ["Y", "N"], "th", "Y"),
]


def test_spellings_and_marks():
    """One answer in several spellings: the marks of tags, vowels in two parts, a blank before ๆ, two forms of a word."""
    assert [
        (text, tag, labels, language, label)
        for text, tag, labels, language, label in SPELLINGS_AND_MARKS
        if strict_label(text, tag, list(labels), language) != label
    ] == []


def test_the_khmer_tag_of_translations_is_found_in_both_spellings():
    for written, tag in (("ការបរប្រែ៖", "ការបកប្រែ៖"), ("ការបកប្រែ៖", "ការបរប្រែ៖"), ("ការបកប្រែ:", "ការបរប្រែ៖")):
        assert strict_text(f"**{written}** ឆ្មា\n", tag) == "ឆ្មា"


def test_a_decomposed_label_is_found_strictly():
    assert strict_label("Ca\u0302u trả lời: Ti\u0301ch cực", "Câu trả lời:", ["Tích cực", "Tiêu cực"], "vi") == "Tích cực"


@pytest.mark.parametrize(
    ("text", "published", "strict"),
    [
        ("Rangkuman: Hujan turun.", "Hujan turun.", "Hujan turun."),
        ("Rangkuman:\n\n```\nHujan turun.\n```", "Hujan turun.", "Hujan turun."),
        ("Rangkuman: **Hujan turun.**\nJakarta banjir.", "Hujan turun.**", "Hujan turun."),
        ("**Rangkuman:** Hujan turun.", "Hujan turun.", "Hujan turun."),
        ("Rangkuman: satu\nRangkuman: dua", "satu", "dua"),
        ("Hujan turun.\nJakarta banjir.", "Hujan turun.\nJakarta banjir.", ""),
        ("Rangkuman:", "", ""),
        ("", "", ""),
    ],
)
def test_texts(text, published, strict):
    assert published_text(text, "Rangkuman:") == published
    assert strict_text(text, "Rangkuman:") == strict
