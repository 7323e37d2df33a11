"""The official scores: against a restatement in plain loops, and beside the official code itself."""

from __future__ import annotations

import json
import types
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pythainlp.tokenize import word_tokenize
from sacrebleu.metrics import BLEU, CHRF

from lm_eval_sea.official.sailcompass_checkout import known_files, read_checkout
from lm_eval_sea.tasks._shared.metrics import sailcompass_scores as scores
from lm_eval_sea.tasks._shared.metrics.overlap import corpus_bleu, corpus_chrf
from tests.official import official_code

# What the patterns, the cues and the punctuation rules look at, and what they do not.
PIECES = [
    *"ABCDE125๑๓",
    *"案选择项对错不只有的所以故即。，：:,.$()! \t\n_%-éกี่x",
    "答案", "答案是", "应该", "正确", "说法", "是", "为", "所有", "因此", "显然", "选项", "\u200b", "\u00a0", "\x85",
    "The answer is ", "1.", "Dia ", "Jawaban: ", "jawaban: ", "คำตอบ: ", "Câu hỏi: ", "Answer: ", "น้ำ",
]  # fmt: skip
texts = st.lists(st.sampled_from(PIECES), max_size=9).map("".join) | st.text(max_size=20)
# Of Latin letters, blanks and the punctuation that answers have; no 1 and no Chinese, which have rules of their own.
latin = st.text(alphabet="ABCDEabc.,:;!?()\n\t -", max_size=12)


def read_latin_letter(text: str) -> str:
    """The letter of an answer without Chinese and without a 1: behind a blank or , or :, else at the start, else anywhere."""
    letters = "ABCD"
    for before, letter in zip(text, text[1:], strict=False):
        if letter in letters and (before.isspace() or before in ",:"):
            return letter
    if text and text[0] in letters and (len(text) == 1 or text[1].isspace() or text[1] in ",:.$"):
        return text[0]
    for letter, after in zip(text, text[1:], strict=False):
        if letter in letters and after == ":":
            return letter
    return next((letter for letter in text if letter in letters), "")


@given(latin)
@example("D is wrong, B")
@example("xC:A")
@example("Dia pergi")
def test_the_letter_of_an_answer_in_latin_script(text):
    line = text.split("\n")[0]
    assert scores.first_option(line, "ABCD") == read_latin_letter(line)
    assert scores.m3exam_letter(text) == read_latin_letter(line)


@pytest.mark.parametrize(
    ("answer", "letter"),
    [
        (" B", "B"),
        ("B. kucing", "B"),
        ("\nB", ""),
        ("Dia makan Apel", "A"),  # the A behind a blank counts before the D at the start
        ("Kucing", ""),
        ("答案是C。不是 A", "C"),
        ("选项B正确 A", "B"),
        ("1xyDC", "C"),  # behind a 1 the first option in the order of the options counts
        ("Answer: A Answer: C", "C"),
    ],
)
def test_letters_by_hand(answer, letter):
    assert scores.belebele_letter(answer) == letter


@pytest.mark.parametrize(
    ("answer", "gold", "right"),
    [
        (" 3", "3", True), (" 3", "๓", True), (" ๓", "3", True), (" ๔", "๓", False), ("C", "3", True), ("C", "๓", False),
        ("", "1", False), ("ข้อ 13", "1", True), ("ราคา 31 บาท", "1", False),
    ],
)  # fmt: skip
def test_digits_of_thai_exams(answer, gold, right):
    assert scores.m3exam_thai_exact_match(answer, gold) == right


def restated_reference(text: str) -> str:
    """Cut off what is no letter or digit at the end, if it is one run behind one, then single blanks, none before , and ."""
    text = text.lstrip()
    body = text.rstrip()
    end = len(body)
    while end and not (body[end - 1].isalnum() or body[end - 1] == "_" or body[end - 1].isspace()):
        end -= 1
    if end and not body[end - 1].isspace():
        text = body[:end]
    text = " ".join(text.split()) if text.strip() else ""
    while " ," in text or " ." in text:
        text = text.replace(" ,", ",").replace(" .", ".")
    return text.strip()


@given(texts)
@settings(max_examples=300)
@example("a .")
@example("น้ำ")
@example("ที่")
@example("a!! ")
def test_a_reference_as_compared(text):
    assert scores.general_reference(text) == restated_reference(text)


@given(st.lists(st.sampled_from(["jawaban: ", "a", "b.", " ", "\n", "!"]), max_size=6).map("".join))
def test_an_answer_as_compared(text):
    line = text.split("\n")[0].lstrip()
    assert scores.general_prediction(text) == restated_reference(line.split("jawaban: ")[-1])


def restated_prediction(text: str) -> str:
    """A reference behind the last of the first cue that occurs in the first line."""
    line = text.split("\n")[0].lstrip()
    cue = next((cue for cue in scores.CUES if cue in line), None)
    return restated_reference(line.split(cue)[-1] if cue else line)


def restated_f1(answer: list[str], reference: list[str]) -> float:
    shared = sum((Counter(answer) & Counter(reference)).values())
    precision, recall = (shared / len(words) if words else 0 for words in (answer, reference))
    return 2 * precision * recall / (precision + recall) if shared else 0.0


words = st.lists(st.sampled_from(["jakarta", "Bandung", "1990", "kota", "Kota."]), max_size=5).map(" ".join)


@given(words, st.lists(words, min_size=1, max_size=3))
@settings(deadline=None)  # the first call loads what identifies languages
def test_question_answering(answer, references):
    compared = [restated_reference(reference.lower()) for reference in references]
    own = restated_reference(answer.lower())
    assert scores.best_exact_match(answer, references) == (own in compared)
    expected = max(restated_f1(own.split(), reference.split()) for reference in compared)
    assert scores.best_f1(answer, references) == pytest.approx(expected)
    assert scores.answer_f1(answer, references[0]) == pytest.approx(restated_f1(own.split(), compared[0].split()))


def test_the_f1_of_thai_is_over_words_found_by_newmm():
    answer, reference = "ชื่อหนังสือ", "หนังสือ"
    found, wanted = (word_tokenize(text, keep_whitespace=False) for text in (answer, reference))
    assert len(found) > len(answer.split()), "the segmenter must find more words than blanks do"
    assert scores.answer_f1(answer, reference) == pytest.approx(restated_f1(found, wanted)) == pytest.approx(2 / 3)


def test_the_language_of_an_answer_is_that_of_all_its_lines():
    assert scores.answer_f1("1990", "ปี1990") == 0.0
    assert scores.answer_f1("1990\nคำถาม: ใครเขียนหนังสือเล่มนี้", "ปี1990") == pytest.approx(2 / 3)


def test_the_f1_of_labels_counts_shared_words():
    assert scores.answer_f1("Buồn bã", "Buồn bã") == 1.0
    assert scores.answer_f1("Khác", "Buồn bã") == 0.0
    assert scores.answer_exact_match("0", "0") == 1.0


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=4))
@settings(max_examples=50)
def test_corpus_scores_are_those_of_sacrebleu(rows):
    pairs = [scores.text_pair(answer, reference) for answer, reference in rows]
    answers = [restated_prediction(answer.lower()) for answer, _ in rows]
    references = [reference.lower() for _, reference in rows]
    assert corpus_bleu(pairs) == BLEU(tokenize="13a", smooth_method="exp").corpus_score(answers, [references]).score
    assert corpus_chrf(pairs) == CHRF(char_order=6, word_order=2, beta=2).corpus_score(answers, [references]).score


def test_a_reference_keeps_the_full_stop_that_its_answer_loses():
    assert scores.text_pair("Satu dua.", "Satu dua.") == ("satu dua.", "satu dua")


@pytest.fixture(scope="module")
def official(sailcompass_checkout) -> types.SimpleNamespace:
    post = official_code.load(sailcompass_checkout, "sailor_text_postprocessors.py")
    modules = {
        name: official_code.load(sailcompass_checkout, f"{path}.py", post)
        for name, path in {
            "belebele": "datasets/belebele",
            "m3exam": "datasets/m3exam",
            "tydiqa": "datasets/tydiqa_id",
            "general": "icl_sailor_evaluator",
        }.items()
    }
    return types.SimpleNamespace(post=post, **modules)


def one_cue(text: str, cues: tuple[str, ...]) -> bool:
    """Whether the order of the cues, which is officially that of a set, makes no difference."""
    return sum(cue in text for cue in cues) <= 1


@pytest.mark.slow
@given(text=texts, gold=st.sampled_from("ABCD"), digit=st.sampled_from("12345๑๒๓๔๕"))
@settings(max_examples=1500)
def test_letters_beside_the_official_code(official, text, gold, digit):
    line = text.split("\n")[0]
    for options in ("ABCD", "12345๑๒๓๔๕ABCD"):
        assert scores.first_option(line, options) == official.post.first_option_parse(line, options)
    if one_cue(line, scores.BELEBELE_CUES):
        assert 100 * scores.belebele_exact_match(text, gold) == official.belebele.BelebeleEvaluator().score([text], [gold])["EM"]
    assert 100 * scores.m3exam_exact_match(text, gold) == official.m3exam.M3examEmEvaluator().score([text], [gold])["EM"]
    found = official.m3exam.M3examThEvaluator().score([text], [digit])["EM"]
    assert 100 * scores.m3exam_thai_exact_match(text, digit) == found


@pytest.mark.slow
@given(answer=texts, references=st.lists(texts, min_size=1, max_size=3))
@settings(max_examples=600)
def test_answers_beside_the_official_code(official, answer, references):
    if not one_cue(answer.lower(), scores.CUES):
        return
    assert scores.general_prediction(answer.lower()) == official.post.general_pred_postprocess(answer.lower())
    found = official.tydiqa.TydiqaIdEvaluator().score([answer], [references])
    assert 100 * scores.best_exact_match(answer, references) == found["EM"]
    assert 100 * scores.best_f1(answer, references) == pytest.approx(found["F1"])
    found = official.general.AnsEvaluator().score([answer], [references[0]])
    assert 100 * scores.answer_exact_match(answer, references[0]) == found["EM"]
    # the F1 is left out where it adds up to as much as the exact match
    assert 100 * scores.answer_f1(answer, references[0]) == pytest.approx(found.get("F1", found["EM"]))


@pytest.mark.slow
@pytest.mark.parametrize("file", ["ind", "tha", "vie"])
def test_texts_beside_the_official_code(official, hub_mirror, file):
    """BLEU and chrF++ of references with noise, as `evaluate` makes them of what the official code hands it."""
    path = hub_mirror / f"sail/Sailcompass_data/data/flores200/{file}_Latn_devtest.jsonl"
    path = path if path.is_file() else Path(str(path).replace("Latn", "Thai"))
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()][:200]
    references = [row["target"] for row in rows]
    answers = [f" {text[3:]} \nlagi" if number % 3 else text + " !" for number, text in enumerate(references)]
    given = official.general.TextGenEvaluator()._preprocess(answers, references)
    pairs = [scores.text_pair(answer, reference) for answer, reference in zip(answers, references, strict=True)]
    assert given == {"predictions": [answer for _, answer in pairs], "references": [reference for reference, _ in pairs]}


def test_the_official_f1_of_labels_is_the_exact_match(sailcompass_checkout):
    """No two labels of a set share a word, so that it says no more than whether the label is right."""
    tasks = read_checkout(sailcompass_checkout, known_files()).tasks
    labels = {tuple(task.configuration.options) for task in tasks if task.configuration.evaluator == "AnsEvaluator"} - {()}
    assert len(labels) >= 4 and max(map(len, labels)) == 7
    for chosen, right in ((first, second) for names in labels for first in names for second in names):
        assert scores.answer_f1(chosen, right) == scores.answer_exact_match(chosen, right) == (chosen == right)
