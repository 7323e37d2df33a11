"""Options and labels that chat models choose, in all languages: all that the YAML files say is read, and nothing is guessed."""

import itertools
import re
from pathlib import Path

import pytest

from lm_eval_sea.tasks._shared.facts import read_yaml
from lm_eval_sea.tasks._shared.reading.answer_patterns import script_letters
from lm_eval_sea.tasks._shared.reading.chosen_option import read_choice
from lm_eval_sea.tasks._shared.reading.option_labels import Choices

from ..quick import LANGUAGES, quick_of
from .evaluation import chat_words

HERE = Path(__file__).parent
ANSWERS = dict(read_yaml(HERE / "chat_answers.yaml"))
LABELS = dict(read_yaml(HERE / "chat_labels.yaml"))
ANY_ANSWERS, ANY_LABELS = ANSWERS.pop("any"), LABELS.pop("any")
# Which options stand for A, B, C and D of a sentence.
ORDERS = [(0, 1, 2, 3), (1, 0, 3, 2), (2, 3, 0, 1), (3, 2, 1, 0)]


def filled(text: str, values: dict[str, str]) -> str:
    """The text with the values in the places of `{name}`; other braces, of LaTeX and JSON, stay."""
    return re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], found[0]), text)


@pytest.mark.parametrize("language", quick_of(LANGUAGES, ANSWERS))
def test_options_are_read_and_not_guessed(language):
    own = ANSWERS[language]
    choices = Choices(tuple("ABCD"), tuple(own["options"]), language, (own["tag"],))
    failed = []
    for kind, order in itertools.product(("read", "unclear"), ORDERS):
        values = {"tag": own["tag"], "l": "ABCD"[order[1]].lower()}
        for place, option in zip("ABCD", order, strict=True):
            values |= {place: "ABCD"[option], place.lower(): own["options"][option]}
        texts = [filled(text, values) for text in own[kind] + ANY_ANSWERS[kind]]
        assert len(texts) > {"read": 100, "unclear": 25}[kind]
        expected = order[1] if kind == "read" else None
        failed += [(text, found) for text in texts if (found := read_choice(text, choices)) != expected]
    assert not failed


@pytest.mark.parametrize("language", quick_of(LANGUAGES, ANSWERS))
def test_the_form_that_the_prompt_asks_for_chooses_nothing(language):
    asked = chat_words(language)
    tag, labels = asked["tags"]["answer"], LABELS[language]["sets"][0]
    for kind, names, texts in (("letter", list("ABCD"), ANSWERS[language]["options"]), ("label", labels, labels)):
        form = asked[kind].format(tag=tag, labels=asked.get("between_labels", ", ").join(names))
        choices = Choices(tuple(names), tuple(texts), language, (tag,))
        assert read_choice(form, choices) is None
        for position, name in enumerate(names):
            assert read_choice(f"{form}\n\n{tag} {name}", choices) == position
            assert read_choice(f"{form}\n\n{name}", choices) == position


@pytest.mark.parametrize("language", quick_of(LANGUAGES, LABELS))
def test_label_word_is_read(language):
    tag = ANSWERS[language]["tag"]
    failed = []
    for labels in LABELS[language]["sets"]:
        choices = Choices(tuple(labels), tuple(labels), language, (tag,))
        for position, label in enumerate(labels):
            other = labels[(position + 1) % len(labels)]
            values = {"X": label, "x": label.lower(), "Y": other, "y": other.lower(), "tag": tag}
            texts = dict.fromkeys(LABELS[language]["read"] + ANY_LABELS["read"], position) | dict.fromkeys(ANY_LABELS["unclear"])
            for text, expected in texts.items():
                if (found := read_choice(filled(text, values), choices)) != expected:
                    failed.append((text, label, found))
    assert not failed


@pytest.mark.parametrize(
    "options",
    [
        ("Not enough water", "Vitamin A", "The correct answer was given", "Vitamin"),
        ("He did not go", "He went", "He went home", "It is false"),
        ("It is not wrong", "They were right", "No one", "Option trading"),
        ("True", "False", "Not given", "Both A and B"),
        ("A dog", "A cat", "A bird", "A fish"),
        ("Because of the rain", "Since 1990", "As a teacher", "If needed"),
        ("10", "100", "1000", "110"),
        ("B", "C", "D", "A"),
    ],
)
def test_options_that_look_like_verdicts(options):
    choices = Choices(tuple("ABCD"), options, "en", ("Answer:",))
    listed = "\n".join(f"{letter}. {text}" for letter, text in zip("ABCD", options, strict=True))
    for position, (letter, text) in enumerate(zip("ABCD", options, strict=True)):
        named = f"{letter}. {text}"
        answers = [letter, named, f"({letter}) {text}", f"The answer is {named}.", f"Answer: {named}"]
        answers += [f"**{named}**\n\nExplanation: the text says so.", f"{listed}\n\nAnswer: {letter}"]
        answers += [text, f'"{text}"', f"Answer: {text}"] if len(text) > 1 else []
        assert {answer: read_choice(answer, choices) for answer in answers} == dict.fromkeys(answers, position)


def test_of_an_answer_cut_by_the_limit_only_what_it_states_is_read():
    """Text → what is read if the limit cut it; if it is whole, all are the second option."""
    choices = Choices(tuple("ABC"), ("sports", "travel", "health"), "en", ("Answer:",))
    expected = {
        "The text is about a trip to the coast, travel,": None,
        "travel\n\nThe text is about a trip": 1,
        "Answer: travel\n\nThe text is about": 1,
        "**B. travel**\n\nIt is about a trip.\n\nWhy the others are wrong:\nA. **sports** - Nobody plays.\nC. **health** -": 1,
        "The answer is travel, because the text": 1,
        "The answer is A. Or so it seems.\nThe answer is C.\nThe answer is B.\nThe answer": None,
    }
    assert {text: read_choice(text, choices, finished=False) for text in expected} == expected
    assert {read_choice(text, choices, finished=True) for text in expected} == {1}


def test_of_an_answer_cut_by_the_limit_the_option_below_its_introduction_is_read():
    choices = Choices(tuple("AB"), ("Atap rumah itu bocor.", "Pintu rumah itu terkunci."), "id", ("Jawaban:",))
    expected = {
        "Penyebab yang paling masuk akal adalah:\n\nB. Pintu rumah itu terkunci.\n\nPenjelasan:\n1. Premis menyebut": 1,
        "Untuk menemukan jawaban yang tepat, saya periksa setiap pilihan:\n\nA. Atap rumah itu bocor.\nPremis": None,
        "Analisis: A. Atap rumah itu bocor.\n\nPremis menyebut": None,
        "Dugaan pertama: A. Atap rumah itu bocor.\n\nPemeriksaan: premis menyebut": None,
        "Mari kita periksa pilihannya:\n\nA. Atap rumah itu bocor.\nPremis tidak menyebut": None,
    }
    assert {text: read_choice(text, choices, finished=False) for text in expected} == expected


@pytest.mark.parametrize(
    "answer",
    [
        "The incorrect statement is:\n\nB. travel",
        "It is not about a match, so:\n\nB. travel",
        "B. travel\n\nWhy the others are wrong:\n\nA. sports\nC. health",
        '{"answer": "unsure"}\n\nSo the answer is B.',
    ],
)
def test_what_denies_the_options_below_it_stands_below_another(answer):
    assert read_choice(answer, Choices(tuple("ABC"), ("sports", "travel", "health"), "en", ("Answer:",))) == 1


def test_of_an_answer_cut_by_the_limit_labels_of_parts_of_the_text_do_not_count():
    """Text → what is read if the limit cut it; if it is whole, all are the second label."""
    choices = Choices(("positif", "negatif"), ("positif", "negatif"), "id", ("Jawaban:",))
    expected = {
        "The tone:\n- It begins politely.\n- The last phrase is negative.\n- The tone of the whole text": None,
        "The tone:\n- It begins politely.\n- Therefore the tone is negative.\n- The writer": 1,
        "1. The tone: polite.\n2. Result: the text is negative.\n\nSo the answer": 1,
    }
    assert {text: read_choice(text, choices, finished=False) for text in expected} == expected
    assert {read_choice(text, choices, finished=True) for text in expected} == {1}


@pytest.mark.parametrize("language", ["th", "my", "km", "lo"])
def test_letters_of_the_script(language):
    own = ANSWERS[language]
    choices = Choices(tuple("ABCD"), tuple(own["options"]), language, (own["tag"],))
    for position, letter in enumerate(script_letters(language)[:4]):
        for text in (letter, f"{letter}.", f"({letter})", f"{own['tag']} {letter}", f"{letter}. {choices.options[position]}"):
            assert (text, read_choice(text, choices)) == (text, position)


# Language, labels (of a classification: the texts), the texts of the options, and text → position.
WEATHER = ("rain", "snow", "hail", "fog")
OTHER_FORMS = [
    ("vi", "ABCD", WEATHER, {"Câu B": 1, "Ý C.": 2, "Đáp án: câu B": 1, "Ý C. hail": 2}),
    ("vi", "ABCD", WEATHER, {"Ý C. snow": None, "Câu hỏi B": None}),  # letter and text disagree; the question B
    ("su", "ABCD", WEATHER, {"Nu bener B": 1, "Nu bener téh C.": 2, "B nu bener": 1}),
    ("th", "ABCD", WEATHER, {"ข้อ 2": 1, "คำตอบ: ข้อ ๓": 2, "Option 4": 3, "ข้อ 2. snow": 1, "ข้อ 2. fog": None, "ข้อ 5": None}),
    ("th", "ABCD", "1234", {"ข้อ 3": None}),  # a number of an option, or its text
    ("th", "12345", "klmno", dict.fromkeys(["3", "(3)", "ตอบ 3", "คำตอบ: ๓", "คำตอบคือข้อ 3 ครับ", "ข้อ 3", "C"], 2)),
    ("en", "AB", ("Rain", "rain"), {"rain": None}),
    ("id", None, ("positif", "negatif", "netral"), {"Positive": 0}),
    ("su", None, ("positif", "negatif", "netral"), {"Jawaban: négatif": 1}),
    ("su", None, ("négatip", "nétral", "positip"), dict.fromkeys(["negatip", "Negatif.", "négatif", "Nu bener négatip"], 0)),
    ("su", None, ("négatip", "nétral", "positip"), dict.fromkeys(["netral", "Nétral.", "séntiménna netral"], 1)),
    ("id", None, ("sains/teknologi", "olahraga"), {"Sains dan teknologi": 0, "Jawaban: teknologi": 0}),
    ("th", None, ("วิทยาศาสตร์/เทคโนโลยี", "กีฬา"), {"วิทยาศาสตร์และเทคโนโลยี": 0}),
    ("ta", None, ("நேர்மறை", "எதிர்மறை"), {"இது ஒரு எதிர்மறையான விமர்சனம்.": 1}),
    ("th", None, ("บวก", "ลบ"), {"ไม่ใช่บวก แต่เป็นลบ": 1, "อาจเป็นบวกหรือลบก็ได้": None}),
]


@pytest.mark.parametrize(("language", "labels", "options", "positions"), OTHER_FORMS)
def test_labels_in_other_forms(language, labels, options, positions):
    choices = Choices(tuple(labels or options), tuple(options), language, ("Jawaban:", "คำตอบ:", "Đáp án:"))
    assert {text: read_choice(text, choices) for text in positions} == positions


@pytest.mark.parametrize(
    ("language", "labels"),
    [
        ("vi", ("có", "không", "không có")),
        ("en", ("toxic (hate)", "toxic", "hate")),
        ("en", ("and/or", "and", "or")),
        ("en", ("😀", "😡", "👍", "👍🏽")),
        ("en", ("US", "us", "Us")),
        ("en", ("★", "★★")),
    ],
)
def test_a_label_is_read_in_the_form_that_the_prompt_asks_for_whatever_its_words(language, labels):
    choices = Choices(labels, labels, language, (tag := chat_words(language)["tags"]["answer"],))
    for form in (f"{tag} {{}}", "{}"):
        assert [read_choice(form.format(label), choices) for label in labels] == [*range(len(labels))]


@pytest.mark.parametrize("answer", ['Answer: ""', 'Answer: "😀"', "Answer: []", "Answer: {}", "Answer: ``", "Answer: ||"])
def test_an_answer_of_marks_alone_is_none(answer):
    for labels, options in ((("good", "bad"),) * 2, (("A", "B"), ("rice", "noodles"))):
        assert read_choice(answer, Choices(labels, options, "en", ("Answer:",))) is None
