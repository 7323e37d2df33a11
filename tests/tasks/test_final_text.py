"""Translations, summaries and short answers of chat models, without what they put around them."""

from pathlib import Path

import pytest

from lm_eval_sea.tasks._shared.facts import read_yaml
from lm_eval_sea.tasks._shared.reading.final_span import read_span
from lm_eval_sea.tasks._shared.reading.final_text import read_final_text

from ..quick import LANGUAGES, quick_of
from .evaluation import chat_words

TEXTS = dict(read_yaml(Path(__file__).parent / "chat_texts.yaml"))
ANY = TEXTS.pop("any")


@pytest.mark.parametrize("language", quick_of(LANGUAGES, TEXTS))
def test_text_is_freed_and_stays_as_it_is(language):
    own, tag = TEXTS[language], TEXTS[language]["text_tag"]
    text = own["text"]
    written = [form.replace("{S}", text).replace("{tag}", tag) for form in own["texts"] + ANY["texts"]]
    expected = dict.fromkeys(written, text)
    assert len(written) > 40
    expected |= {whole: whole for whole in (text, f"{text}\n{text}", f"{text}\n\n{text}\n- {text}", f"1. {text}\n2. {text}")}
    assert {whole: read_final_text(whole, language, (tag,)) for whole in expected} == expected


@pytest.mark.parametrize("language", quick_of(LANGUAGES, TEXTS))
def test_span_is_freed(language):
    own, tag = TEXTS[language], TEXTS[language]["answer_tag"]
    pairs = [(text, span) for span in own["answers"] for text in own["spans"] + ANY["spans"]]
    written = [(text.replace("{S}", span).replace("{tag}", tag), span) for text, span in pairs]
    assert len(written) > 30
    assert [(text, found) for text, span in written if (found := read_span(text, language, (tag,))) != span] == []


@pytest.mark.parametrize("language", quick_of(LANGUAGES, TEXTS))
def test_the_tags_of_a_language_are_known_without_being_asked_for(language):
    """Under an English instruction a model may answer behind the tag of its own language."""
    own, tags = TEXTS[language], chat_words(language)["tags"]
    assert read_span(f"{tags['answer']} {own['answers'][0]}", language) == own["answers"][0]
    for kind in ("translation", "summary"):
        assert read_final_text(f"{tags[kind]} {own['text']}", language) == own["text"]


@pytest.mark.parametrize("language", quick_of(LANGUAGES, TEXTS))
def test_the_form_that_the_prompt_asks_for_is_no_answer(language):
    asked = chat_words(language)
    answer = TEXTS[language]["answers"][0]
    found = {}
    for kind in ("span", "short_answer", "translation", "summary"):
        read = read_final_text if kind in asked["tags"] else read_span
        tag = asked["tags"].get(kind, asked["tags"]["answer"])
        for text in ANY["echoes"]:
            values = {"{form}": asked[kind].format(tag=tag), "{tag}": tag, "{S}": answer}
            expected = answer if "{S}" in text else ""
            for name, value in values.items():
                text = text.replace(name, value)
            found |= {text: given} if (given := read(text, language, (tag,))) != expected else {}
    assert not found


def test_colons_quotes_and_words_of_the_text_stay():
    texts = ["The three reasons are: rain, wind, and snow.", 'He said: "The note is here."']
    texts += ["If you go there, you will see it.\n\nIf it rains, you will not.", "Sure signs of age (as doctors know) are rare."]
    assert [read_final_text(text, "en") for text in texts] == texts
    behind_tag = ["He said. Answer: yes", "Summary: All is well.", "5) Go home.", "Result: 3 goals."]
    assert [read_final_text(f"Translation: {text}", "id", ("Translation:",)) for text in behind_tag] == behind_tag


def test_nothing_but_frames_and_labels_is_no_text():
    assert [read_final_text(text, "id") for text in ("", "```\n```", "\n", "Bahasa Melayu:\n\nBahasa Melayu:")] == [""] * 4


# Language, text, and what is read in it.
RETOLD = "Petikan itu menceritakan sebuah muzium kecil di Perak. Muzium itu menyimpan keris. Selain itu, terdapat juga"
PASSAGE = "Bacaan: Di Cibiru aya hiji saung. Saung éta diwangun taun 1998.\nPananya: Iraha saung éta diwangun?"
READ = [
    *(("vi", f"Trả lời: {text}", text) for text in (
        "~74.000 (BP = Trước hiện tại)", "$24 triệu", "I will not answer to no one",  # brackets of the passage
    )),
    ("vi", "Trả lời: The answer is Paris.", "Paris"), ("vi", "Answer: ```Ho Chi Minh```", "Ho Chi Minh"),
    *(("vi", text, "") for text in ("Trả lời:", "**Answer:**", "", "```\n```", "\n")),
    ("ms", RETOLD, ""), ("ms", f"{RETOLD}\n\nJawapan: keris", "keris"),
    ("su", PASSAGE, ""), ("su", f"{PASSAGE}\nJawaban: taun 1998", "taun 1998"),
    ("ceb", "The person who taught the children how to weave is Tiya Caring.", "Tiya Caring"),
    ("zh", "答案：你的答案", ""), ("id", "Jawaban: jawaban Anda", ""), ("en", "Answer: your answer", ""),
    ("id", "Jawaban: {jawaban}", ""), ("en", "Answer: $ANSWER", ""),
    ("th", "คำตอบ: คำตอบของคุณ", ""), ("vi", "Trả lời: câu trả lời của bạn", ""), ("tl", "Sagot: ang iyong sagot", ""),
    ("id", "Jawaban: kata Anda", "kata Anda"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "text", "expected"), READ)
def test_a_span_is_whole_and_echoes_and_retold_passages_are_none(language, text, expected):
    assert read_span(text, language, (chat_words(language)["tags"]["answer"], "Answer:")) == expected


# Phrases whose words, or parts of words, elsewhere lead to an answer or break off.
PHRASES = {
    "en": ["The 1920s", 'a "soft" power'],
    "id": ["1920-an", "kitab Al-Qur'an", "pilih kasih"],
    "km": ["ជ្រើសរើសតាំង"],
    "lo": ["ການເລືອກຕັ້ງ", "ຕອບສະໜອງຄວາມຕ້ອງການ"],
    "my": ["ရွေးကောက်ပွဲ"],
    "th": ["การเลือกตั้ง", "เลือกตั้ง", "การตอบสนอง", "ตอบโต้การโจมตี", "ข้อสรุปของการประชุม"],
    "vi": ["Chọn lọc tự nhiên", "Đảng Tự do", 'hợp đồng "xây dựng thiết kế"'],
    "zh": ["选举", "选择权"],
}


@pytest.mark.parametrize(("language", "phrase"), [(language, phrase) for language, them in PHRASES.items() for phrase in them])
def test_a_phrase_is_read_whole(language, phrase):
    tag = chat_words(language)["tags"]["answer"]
    read = {before: read_span(f"{before}{phrase}", language, (tag,)) for before in ("", "Answer: ", f"{tag} ", f"**{tag}** ")}
    assert read == dict.fromkeys(read, phrase)


@pytest.mark.parametrize("language", ["th", "vi"])
def test_published_answers_of_xquad_are_read(load_tasks, hub_mirror, language):
    """Nearly all as they stand, others without a gloss in brackets or quotation marks; one is a line of a German song."""
    [task] = load_tasks(f"sea_xquad_{language}", folder=hub_mirror).values()
    spans = {span for row in task.dataset["test"] for span in row["answers"]}
    found = {span: read_span(f"Answer: {span}", language) for span in spans}
    assert len(spans) > 500
    assert [span for span, read in found.items() if not read] == ["Ein neues Lied wir heben an"]
    assert sum(read.rstrip(".") == span.rstrip(".") for span, read in found.items()) > 0.98 * len(spans)
