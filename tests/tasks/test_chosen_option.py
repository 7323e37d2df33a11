"""Options and labels that chat models choose, in all languages: all that the YAML files say is read, and nothing is guessed."""

import itertools
import string
from pathlib import Path

import pytest
import yaml

from lm_eval_sea.tasks._shared.reading.answer_patterns import script_letters
from lm_eval_sea.tasks._shared.reading.chosen_option import read_choice
from lm_eval_sea.tasks._shared.reading.option_labels import Choices

from .evaluation import TASKS

HERE = Path(__file__).parent
ANSWERS = yaml.safe_load((HERE / "chat_answers.yaml").read_text(encoding="utf-8"))
LABELS = yaml.safe_load((HERE / "chat_labels.yaml").read_text(encoding="utf-8"))
ANY_ANSWERS, ANY_LABELS = ANSWERS.pop("any"), LABELS.pop("any")
# Which options stand for A, B, C and D of a sentence.
ORDERS = [(0, 1, 2, 3), (1, 0, 3, 2), (2, 3, 0, 1), (3, 2, 1, 0)]


def filled(text, order, options, tag):
    """The sentence with labels and texts in the places of B, A, C, D."""
    values = {"{tag}": tag, "{l}": "ABCD"[order[1]].lower()}
    for place, option in zip("ABCD", order, strict=True):
        values |= {f"{{{place}}}": "ABCD"[option], f"{{{place.lower()}}}": options[option]}
    # the braces of LaTeX and JSON stay
    pieces = [text]
    for name, value in values.items():
        pieces = list(itertools.chain.from_iterable(_split(piece, name, value) for piece in pieces))
    return "".join(piece if isinstance(piece, str) else piece[0] for piece in pieces)


def _split(piece, name, value):
    if isinstance(piece, tuple) or name not in piece:
        return [piece]
    parts = piece.split(name)
    return [part for pair in zip(parts, [(value,)] * len(parts), strict=True) for part in pair][:-1]


@pytest.mark.parametrize("language", ANSWERS)
def test_option_is_read(language):
    own = ANSWERS[language]
    choices = Choices(tuple("ABCD"), tuple(own["options"]), language, (own["tag"],))
    texts = [(text, order) for text in own["read"] + ANY_ANSWERS["read"] for order in ORDERS]
    assert len(texts) > 400
    failed = [
        (text, found)
        for text, order in texts
        if (found := read_choice(filled(text, order, own["options"], own["tag"]), choices)) != order[1]
    ]
    assert not failed


@pytest.mark.parametrize("language", ANSWERS)
def test_nothing_is_guessed(language):
    own = ANSWERS[language]
    choices = Choices(tuple("ABCD"), tuple(own["options"]), language, (own["tag"],))
    texts = [
        filled(text, order, own["options"], own["tag"]) for text in own["unclear"] + ANY_ANSWERS["unclear"] for order in ORDERS
    ]
    assert len(texts) > 100
    assert not [text for text in texts if read_choice(text, choices) is not None]


@pytest.mark.parametrize("language", ANSWERS)
def test_the_form_that_the_prompt_asks_for_chooses_nothing(language):
    asked = yaml.safe_load((TASKS / "chat_answers" / f"{language}.yml").read_text(encoding="utf-8"))
    tag, labels = asked["tags"]["answer"], LABELS[language]["sets"][0]
    for kind, names, texts in (("letter", list("ABCD"), ANSWERS[language]["options"]), ("label", labels, labels)):
        form = asked[kind].format(tag=tag, labels=asked.get("between_labels", ", ").join(names))
        choices = Choices(tuple(names), tuple(texts), language, (tag,))
        assert read_choice(form, choices) is None
        for position, name in enumerate(names):
            assert read_choice(f"{form}\n\n{tag} {name}", choices) == position
            assert read_choice(f"{form}\n\n{name}", choices) == position


@pytest.mark.parametrize("language", LABELS)
def test_label_word_is_read(language):
    tag = ANSWERS[language]["tag"]
    failed = []
    for labels in LABELS[language]["sets"]:
        choices = Choices(tuple(labels), tuple(labels), language, (tag,))
        for position, label in enumerate(labels):
            other = labels[(position + 1) % len(labels)]
            values = {"{X}": label, "{x}": label.lower(), "{Y}": other, "{y}": other.lower(), "{tag}": tag}
            for text in LABELS[language]["read"] + ANY_LABELS["read"]:
                if (found := read_choice(_replaced(text, values), choices)) != position:
                    failed.append((text, label, found))
            for text in ANY_LABELS["unclear"]:
                if (found := read_choice(_replaced(text, values), choices)) is not None:
                    failed.append((text, label, found))
    assert not failed


def _replaced(text, values):
    for name, value in values.items():
        text = text.replace(name, value)
    return text


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
        answers = [
            letter,
            f"{letter}. {text}",
            f"({letter}) {text}",
            f"The answer is {letter}. {text}.",
            f"Answer: {letter}. {text}",
        ]
        answers += [f"**{letter}. {text}**\n\nExplanation: the text says so.", f"{listed}\n\nAnswer: {letter}"]
        answers += [text, f'"{text}"', f"Answer: {text}"] if len(text) > 1 else []
        assert {answer: read_choice(answer, choices) for answer in answers} == dict.fromkeys(answers, position)


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("The text is about a trip to the coast, travel,", None),
        ("travel\n\nThe text is about a trip", 1),
        ("Answer: travel\n\nThe text is about", 1),
        ("The answer is travel, because the text", 1),
    ],
)
def test_in_an_answer_cut_by_the_limit_only_what_is_stated_counts(text, cut):
    labels = ("sports", "travel", "health")
    assert [read_choice(text, Choices(labels, labels, "en", ("Answer:",)), finished=finished) for finished in (False, True)] == [
        cut,
        1,
    ]


def test_an_answer_that_states_option_after_option_until_it_is_cut_is_none():
    text = "The answer is A. Or so it seems.\nThe answer is C.\nThe answer is B.\nThe answer"
    choices = Choices(tuple("ABC"), ("sports", "travel", "health"), "en", ("Answer:",))
    assert [read_choice(text, choices, finished=finished) for finished in (False, True)] == [None, 1]


def test_text_alone_that_two_options_share_is_not_read():
    assert read_choice("rain", Choices(tuple("AB"), ("Rain", "rain"), "en")) is None


@pytest.mark.parametrize("language", ["th", "my", "km", "lo"])
def test_letters_of_the_script(language):
    own = ANSWERS[language]
    choices = Choices(tuple("ABCD"), tuple(own["options"]), language, (own["tag"],))
    for position, letter in enumerate(script_letters(language)[:4]):
        for text in (letter, f"{letter}.", f"({letter})", f"{own['tag']} {letter}", f"{letter}. {choices.options[position]}"):
            assert (text, read_choice(text, choices)) == (text, position)


def test_digits_as_labels():
    choices = Choices(tuple("12345"), tuple(string.ascii_lowercase[10:15]), "th", ("คำตอบ:",))
    for text in ("3", "(3)", "ตอบ 3", "คำตอบ: ๓", "คำตอบคือข้อ 3 ครับ", "ข้อ 3", "C"):
        assert (text, read_choice(text, choices)) == (text, 2)


@pytest.mark.parametrize(
    ("labels", "language", "written", "position"),
    [
        (("positif", "negatif", "netral"), "id", "Positive", 0),
        (("positif", "negatif", "netral"), "su", "Jawaban: négatif", 1),
        *((("négatip", "nétral", "positip"), "su", word, 0) for word in ("negatip", "Negatif.", "négatif", "Nu bener négatip")),
        *((("négatip", "nétral", "positip"), "su", word, 1) for word in ("netral", "Nétral.", "séntiménna netral")),
        (("sains/teknologi", "olahraga"), "id", "Sains dan teknologi", 0),
        (("sains/teknologi", "olahraga"), "id", "Jawaban: teknologi", 0),
        (("วิทยาศาสตร์/เทคโนโลยี", "กีฬา"), "th", "วิทยาศาสตร์และเทคโนโลยี", 0),
        (("நேர்மறை", "எதிர்மறை"), "ta", "இது ஒரு எதிர்மறையான விமர்சனம்.", 1),
        (("บวก", "ลบ"), "th", "ไม่ใช่บวก แต่เป็นลบ", 1),
        (("บวก", "ลบ"), "th", "อาจเป็นบวกหรือลบก็ได้", None),
    ],
)
def test_label_words_in_other_forms(labels, language, written, position):
    assert read_choice(written, Choices(labels, labels, language, ("Jawaban:",))) == position


@pytest.mark.parametrize(
    ("language", "written", "position"),
    [
        ("vi", "Câu B", 1),
        ("vi", "Ý C.", 2),
        ("vi", "Đáp án: câu B", 1),
        ("vi", "Ý C. hail", 2),
        ("vi", "Ý C. snow", None),  # letter and text disagree
        ("vi", "Câu hỏi B", None),  # the question B
        ("su", "Nu bener B", 1),
        ("su", "Nu bener téh C.", 2),
        ("su", "B nu bener", 1),
    ],
)
def test_letters_as_people_name_them(language, written, position):
    choices = Choices(tuple("ABCD"), ("rain", "snow", "hail", "fog"), language, ("Đáp án:",))
    assert read_choice(written, choices) == position


def test_the_number_of_an_option():
    choices = Choices(tuple("ABCD"), ("rain", "snow", "hail", "fog"), "th", ("คำตอบ:",))
    for text, position in (
        ("ข้อ 2", 1),
        ("คำตอบ: ข้อ ๓", 2),
        ("Option 4", 3),
        ("ข้อ 2. snow", 1),
        ("ข้อ 2. fog", None),
        ("ข้อ 5", None),
    ):
        assert (text, read_choice(text, choices)) == (text, position)
    numbers = Choices(tuple("ABCD"), ("1", "2", "3", "4"), "th", ("คำตอบ:",))
    assert read_choice("ข้อ 3", numbers) is None
