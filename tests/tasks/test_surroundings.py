"""What a model writes before or after its answer does not change what is read."""

import unicodedata
from pathlib import Path

import pytest

from lm_eval_sea.tasks._shared.facts import read_yaml

from .test_labelled_answers import ANSWERS, FEW, LETTERS, NUMBER, SPAN, agrees, read

ANNOUNCED, FAREWELLS, GREETINGS = read_yaml(Path(__file__).with_name("chat_surroundings.yaml")).values()
GREETING = "Great question! Let me think about it."
THANKS = "I hope this helps! Let me know if you have any other questions."


def own(texts, row, english):
    """The text in the language of the row, or the English one."""
    return texts.get(row["language"], english)


SURROUNDED = {
    "other line ends": lambda text, row: text.replace("\n", "\r\n"),
    "lines of HTML": lambda text, row: text.replace("\n", "<br>\n"),
    "separators of lines": lambda text, row: text.replace("\n", "\u2028"),
    "vowels in parts": lambda text, row: unicodedata.normalize("NFD", text),
    "blanks around": lambda text, row: f"\n\n\t  {text}  \n\n",
    "blanks without a break": lambda text, row: text.replace(" ", "\u00a0"),
    "invisible characters": lambda text, row: f"\ufeff\u200b{text}\u200b",
    "rules": lambda text, row: f"---\n{text}\n---",
    "a fence": lambda text, row: text if "```" in text else f"```\n{text}\n```",
    "an element": lambda text, row: text if "<" in text else f"<response>\n{text}\n</response>",
    "the end of an element": lambda text, row: text if "<" in text else f"{text}\n</response>",
    "a quotation": lambda text, row: "\n".join(f"> {line}" for line in text.split("\n")),
    "pictures": lambda text, row: f"✅ {text} 😊",
    "the end of the turn": lambda text, row: f"{text}<|im_end|>",
    "another end of the turn": lambda text, row: f"{text}<｜end▁of▁sentence｜>",
    "the beginning of the turn": lambda text, row: f"<start_of_turn>model\n{text}<end_of_turn>",
    "who speaks": lambda text, row: f"Assistant: {text}",
    "a label": lambda text, row: f"Response:\n\n{text}",
    "an announcement": lambda text, row: f"{own(ANNOUNCED, row, 'Sure! Here is my answer:')}\n\n{text}",
    "an announcement on its line": lambda text, row: f"Based on the given text, here is the answer: {text}",
    "a greeting": lambda text, row: f"{own(GREETINGS, row, GREETING)}\n\n{text}",
    "an English greeting": lambda text, row: f"{GREETING}\n\n{text}",
    "a farewell": lambda text, row: f"{text}\n\n{own(FAREWELLS, row, THANKS)}",
    "an English farewell": lambda text, row: f"{text}\n\n{THANKS}",
    "a farewell below a rule": lambda text, row: f"{text}\n\n---\n\n{own(FAREWELLS, row, THANKS)}",
    "both": lambda text, row: f"{GREETING}\n\n{text}\n\n{THANKS}",
    "a second time": lambda text, row: text if row["truth"] is None else f"{text}\n\n{text}",
}


@pytest.fixture(scope="module")
def rows(everything):
    """Answers that are read right. Those that begin with a thought have nothing before it."""
    asked = ANSWERS[::24] if everything else FEW[::150]
    return [row for row in asked if "think" not in row["answer"].lower() and agrees(row, read(row))]


@pytest.mark.parametrize("name", SURROUNDED)
def test_what_surrounds_an_answer_changes_nothing(name, rows):
    """One answer, or one in a hundred, may be read otherwise, because some of these words state an answer."""
    changed, seen = [], 0
    for row in rows:
        text = SURROUNDED[name](row["answer"], row)
        if text == row["answer"]:
            continue
        seen += 1
        found = read(row | {"answer": text})
        found = found if found is None else unicodedata.normalize("NFC", found)
        if not agrees(row, found):
            changed.append((row, found))
    assert seen > 9
    assert len(changed) <= max(1, seen / 100), changed


LABELS = {"language": "id", "kind": "label", "options": ["positif", "negatif"]}
TEXT = {"language": "en", "kind": "translation"}


@pytest.mark.parametrize(
    ("row", "answer", "found"),
    [
        # a greeting that is the answer
        (LETTERS, "Let me think, it is B.\n\nThe river runs there.", "B"),
        (SPAN, "Sure! The answer is Phnom Penh.\n\nThe text says so.", "Phnom Penh"),
        (LABELS, "Tentu, ulasan ini positif.\n\nPenulisnya senang.", "positif"),
        (TEXT, "Let's go home.\n\nNote: informal.", "Let's go home."),
        (TEXT, "Let me see your hand.", "Let me see your hand."),
        # a farewell that is the answer, or all there is
        (LETTERS, "I looked at the map.\n\nI hope this helps! The answer is C.", "C"),
        (TEXT, "Thank you for the fish.", "Thank you for the fish."),
        # a list of one item, no negative number
        (NUMBER, "- 540 metres", "540"),
        (NUMBER, "-540", "-540"),
        (NUMBER, "The balance is:\n\n**-12**", "-12"),
        # a heading, and below it the working
        (NUMBER, "Answer:\n\n12 × 4 = 48\n48 − 8 = 40\n\nSo 40 are left.", "40"),
        (NUMBER, "**Answer:**\n12 apples\n\nShe had 20 and ate 8.", "12"),
        (SPAN, "Answer:\nin 1975\n\nThe passage says so in its second sentence, which names the year.", "in 1975"),
        # signs that are part of an answer
        (SPAN, "25 °", "25 °"),
        # nothing but what surrounds
        (LETTERS, "---\n\n😊\n\n---", None),
    ],
)
def test_what_is_part_of_an_answer_stays(row, answer, found):
    assert read(row | {"answer": answer}) == found


# Texts of a length in which the time would grow with its square, and what is read of them.
LONG = [
    (LETTERS, lambda length: "---\n" * length + "B" + "\n---" * length, "B"),
    (LETTERS, lambda length: "😊 " * length + "B" + " 😊" * length, "B"),
    (LETTERS, lambda length: " " * 2 * length + "B\n" + " " * 2 * length, "B"),
    (SPAN, lambda length: "Manila" + " " * 2 * length + "Bay", "all of it"),
    (SPAN, lambda length: "Manila" + "A" * 2 * length + "Bay", "all of it"),
    (NUMBER, lambda length: "18" + "\n" * 2 * length, "18"),
    (LETTERS, lambda length: "Answer: " * length, None),
    (LETTERS, lambda length: "<p>" * length + "Answer: B", "B"),
    (LETTERS, lambda length: "> " * length + "Answer: B", "B"),
    (LETTERS, lambda length: "Okay.\n\n" * length + "Answer: B", "B"),
    (LETTERS, lambda length: "Answer: B" + f"\n\n{THANKS}" * length, "B"),
]


def test_a_very_long_answer_is_read(everything):
    for row, write, found in LONG:
        answer = write(20_000 if everything else 4_000)
        assert read(row | {"answer": answer}) == (answer if found == "all of it" else found), write(2)
