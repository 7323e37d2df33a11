"""Answers as chat models give them, each with what a person reads in it: `labelled_answers.jsonl`, written for this project.

`truth` is the position of the option, the number, the text that counts, or null where a person cannot tell. Texts may differ in
case, blanks and the stop at their end. `answer_language` is that of a translation where it is not the language of the row.
"""

import collections
from decimal import Decimal
from pathlib import Path

import pytest

from lm_eval_sea.tasks._shared.chat import scores as chat

from .evaluation import chat_words, read_json_lines

ANSWERS = read_json_lines(Path(__file__).with_name("labelled_answers.jsonl"))
NAMES = {"span": "qa"} | {kind: kind for kind in ("letter", "label", "number", "translation", "summary")}
SCORERS = {kind: getattr(chat, f"score_chat_{name}") for kind, name in NAMES.items()}


def read(row):
    """What the chat task of a kind takes from an answer: the `answer` that it logs."""
    language, kind, options = row["language"], row["kind"], row.get("options", [])
    tags = chat_words(language)["tags"]
    scoring = {"answer_tag": tags.get(kind, tags["answer"]), "language": language, "prompt_language": language}
    scoring |= {"answer_language": row.get("answer_language", language), "label_words": options}
    doc = {"scoring": scoring, "gold": 0, "solution": "0", "answers": ["-"], "summary": "-", "target": "-", "translation": "-"}
    if kind == "letter":
        doc |= {"letters": list("ABCDE"[: len(options)]), "options": options}
    SCORERS[kind](doc, [row["answer"]])
    return doc["answer"]


def agrees(row, answer):
    truth, kind = row["truth"], row["kind"]
    if truth is None or answer is None:
        return truth is None and answer is None
    if kind in ("letter", "label"):
        return answer == (list("ABCDE") if kind == "letter" else row["options"])[truth]
    return Decimal(answer) == Decimal(truth) if kind == "number" else bare(answer) == bare(truth)


def bare(text):
    return " ".join(text.split()).strip(' .。။។"“”').casefold()


def rates(found, by):
    """Key → share of the answers with a truth that are read right, and of all those that are read wrong."""
    groups = collections.defaultdict(list)
    for row, answer in found:
        groups[row[by]].append((row["truth"] is not None, agrees(row, answer), answer is not None))
    return {
        key: (
            sum(right for told, right, _ in rows if told) / sum(told for told, _, _ in rows),
            sum(not right and is_read for _, right, is_read in rows) / len(rows),
        )
        for key, rows in groups.items()
    }


def test_answers_of_every_kind_and_language_are_read_and_hardly_ever_wrong(everything):
    """All of them, which takes a minute, or every sixth."""
    assert len(ANSWERS) > 10_000
    # Python keeps 512 compiled patterns, which are those of one language
    answers = sorted(ANSWERS, key=lambda row: (row["language"], row["kind"]))
    found = [(row, read(row)) for row in answers[:: 1 if everything else 6]]
    of_kinds, of_languages = rates(found, "kind"), rates(found, "language")
    assert set(of_kinds) == set(SCORERS)
    assert {name: right for name, (right, _) in (of_kinds | of_languages).items() if right < 0.95} == {}
    assert {
        kind: wrong for kind, (_, wrong) in of_kinds.items() if wrong > (0.005 if everything else 0.015)
    } == {}  # of few, some more


def test_no_answer_stops_the_scoring(everything):
    """Half of one answer, and the half of another below it: a text that no one thought of."""
    step = 16 if everything else 96
    pairs = sorted(zip(ANSWERS[::step], ANSWERS[8::step], strict=False), key=lambda pair: pair[0]["language"])
    for row, other in pairs:
        half = row["answer"][: len(row["answer"]) // 2]
        for answer in (half, f"{half}\n\n{other['answer'][len(other['answer']) // 2 :]}", "\u104b", "**.**"):
            read(row | {"answer": answer})


LETTERS = {"language": "en", "kind": "letter", "options": ["east", "west", "north"]}
YES_OR_NO = {"language": "id", "kind": "label", "options": ["ya", "tidak"]}
BURMESE = {"language": "my", "kind": "label", "options": ["ဟုတ်", "မဟုတ်"]}
SIGNS = {"language": "id", "kind": "label", "options": ["Tidak", "ya (C++"]}  # which patterns use
SPAN, NUMBER, SUMMARY = ({"language": "en", "kind": kind} for kind in ("span", "number", "summary"))
REFUSAL = "Maaf, saya tidak bisa menjawab."  # names no label


@pytest.mark.parametrize(
    ("row", "answer", "found"),
    [
        # a frame within other tags
        *(
            (LETTERS, text, "B")
            for text in ("<br>B or C?<br><answer>B</answer>", "<p><Answer>B</answer></p>", "<ANSWER>B</ANSWER>")
        ),
        (BURMESE, "**အဖြေ: မဟုတ်**\n\nစာပိုဒ်အရ ဒေါ်မြသည် ဆရာမဖြစ်ပြီး ဆရာဝန်မဟုတ်ပါ။", "မဟုတ်"),
        (LETTERS, "Answer: A\n\nThe text says north, so A is wrong.\n\nThe correct answer is: C", "C"),
        (SUMMARY, "Summary: X, where X is the summary of the article.", None),
        # texts without end, in which the time would grow with the square of the length
        (LETTERS, "It is east or west, I am not sure. " * 2_000 + "So the answer is north.", "C"),
        (LETTERS, "A " * 20_000 + "So the answer is north.", "C"),
        (LETTERS, "Answer: C\n" * 20_000, "C"),
        (LETTERS, "The answer is C.\n" + "User: hi\n" * 40_000, "C"),
        (LETTERS, "Answer: C" + "<|im_end|> " * 20_000 + "x", "C"),
        (SIGNS, REFUSAL, None),
        (SIGNS, "Jawaban: ya (C++", "ya (C++"),
        (YES_OR_NO, "saya tidak bisa", None),
        (YES_OR_NO, f"{REFUSAL} Silakan bertanya yang lain.", None),
        (YES_OR_NO, "Tidak, karena hujan.", "tidak"),
        (YES_OR_NO, f"{REFUSAL} Jawaban: ya", "ya"),
        (YES_OR_NO, "tidak", "tidak"),
        (SPAN, "The text names two towns.\nOne is older.\n\nSo the older town is **Ubud**.", "Ubud"),
        (SPAN, "Answer: X = 1911", "1911"),
        (SPAN, "The mill closed after the flood.\n\nSo the answer is 1911.", "1911"),
        (SPAN, "The mill closed in 1911.\n\nThe answer is in the second sentence of the passage.", "The mill closed in 1911"),
        (SPAN, "1911 is the correct answer.\n\nThe text says so.", "1911"),
        (SPAN, "My answer: 1911.", "1911"),
        (NUMBER, "15 is the correct answer.\n\nThe text says so.", "15"),
        (NUMBER, "The answer is -12.", "-12"),
        (SPAN, "Answer: in May 1911\n\nAnswer: in May 1911\n\nAnswer: in M", "in May 1911"),
        (SPAN, "Passage: It was built in 1911. Question: When was it built", None),
        (NUMBER, "20 - 5 = 15\n\nAnswer: Korn is fifteen years old.", "15"),
        (SUMMARY, "The user wants a summary. The article is about a bridge", None),
        (SUMMARY, 'Summarise the article.\n\nReply only in the form "Summary: X", where X is the summary.', None),
    ],
)
def test_single_answers(row, answer, found):
    assert read(row | {"answer": answer}) == found


# What is asked → the right answer and another one.
ASKED = {
    "letter": (LETTERS, "B", "A"),
    "number": ({"language": "en", "kind": "number"}, "5", "3"),
    "span": ({"language": "en", "kind": "span"}, "Paris", "Rome"),
}
FRAMED = [
    "First try: \\boxed{{{other}}}. Wait, that is wrong.\n\nAnswer: {right}",
    'The text gives {{"answer": "{other}"}} at first sight.\n\nAnswer: {right}',
    "Draft: <answer>{other}</answer>. On reflection that is wrong.\n\nAnswer: {right}",
    "<option>{other}</option> is wrong because of the heat.\n\nAnswer: {right}",
    "<quote>{other}</quote>\nAnswer: {right}",
    "<analysis>The answer is {other} at first sight.</analysis>\nAnswer: {right}",
    "<reason>The answer is {other}.</reason>\n<answer>{right}</answer>",
    "Answer: {right}\n\n(It never mentions <option>{other}</option>.)",
    "Answer: \\boxed{{{right}}}",
    "Answer:\n<option>{right}</option>",
    "Answer: {other}\n\nNo, that is wrong.\n\n\\boxed{{{right}}}",
    '{{"answer": "{other}"}}\n\n{{"answer": "{right}"}}',
    "<response>It may be either.\nAnswer: {right}</response>",
    "<jawaban>{right}</jawaban>\n<alasan>The text says so.</alasan>",
    "\\boxed{{{right}}}\n\nQuestion: What else?\nAnswer: {other}",
    "<answer>{right}" + "<answer>" * 2_000,
    '{{"answer": "{right}"}}' + '{{"answer": ' * 20_000,
]


@pytest.mark.parametrize("kind", ASKED)
def test_of_frames_and_answer_tags_the_last_counts(kind):
    row, right, other = ASKED[kind]
    for text in FRAMED:
        assert read(row | {"answer": text.format(right=right, other=other)}) == right, text[:40]
