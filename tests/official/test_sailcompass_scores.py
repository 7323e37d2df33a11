"""The official scores: by hand, and beside the official code itself where there is a checkout."""

import types
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pythainlp.tokenize import word_tokenize
from sacrebleu.metrics import BLEU, CHRF

from lm_eval_sea.official.sailcompass_checkout import known_files, read_checkout
from lm_eval_sea.tasks._shared.metrics import sailcompass_scores as scores
from lm_eval_sea.tasks._shared.metrics.overlap import corpus_bleu, corpus_chrf
from tests.official import official_code
from tests.tasks.evaluation import read_json_lines

# What the patterns, the cues and the punctuation rules look at, and what they do not.
PIECES = [
    *"ABCDE125๑๓",
    *"案选择项对错不只有的所以故即。，：:,.$()! \t\n_%-éกี่x",
    "答案", "答案是", "应该", "正确", "说法", "是", "为", "所有", "因此", "显然", "选项", "\u200b", "\u00a0", "\x85",
    "The answer is ", "1.", "Dia ", "Jawaban: ", "jawaban: ", "คำตอบ: ", "Câu hỏi: ", "Answer: ", "น้ำ",
]  # fmt: skip
texts = st.lists(st.sampled_from(PIECES), max_size=9).map("".join) | st.text(max_size=20)


@pytest.mark.parametrize(
    ("answer", "letter"),
    [
        ("B. kucing", "B"),
        ("\nB", ""),
        ("Dia makan Apel", "A"),  # the A behind a blank counts before the D at the start
        ("Dia pergi", "D"),  # any letter at last
        ("xC:A", "A"),
        ("答案是C。不是 A", "C"),
        ("1xyDC", "C"),  # behind a 1 the first option in the order of the options counts
        ("Answer: A Answer: C", "C"),
    ],
)
def test_letters_are_matched_as_by_hand(answer, letter):
    assert scores.letter_match(answer, letter, scores.BELEBELE_CUES)


@pytest.mark.parametrize(
    ("answer", "gold", "right"),
    [(" ๓", "3", True), (" ๔", "๓", False), ("C", "3", True), ("C", "๓", False), ("ข้อ 13", "1", True), ("ราคา 31", "1", False)],
)
def test_digits_of_thai_exams(answer, gold, right):
    assert scores.m3exam_thai_exact_match(answer, gold) == right


@pytest.mark.parametrize(
    ("text", "reference", "prediction"),
    [
        (" Satu  dua , tiga .", "Satu dua, tiga.", "Satu dua, tiga."),  # a mark behind a blank stays
        ("Satu dua.", "Satu dua", "Satu dua"),
        ("ที่", "ท", "ท"),  # vowel signs and tone marks are no letters
        ("a\nb", "a b", "a"),
        ("x jawaban: a jawaban: b.", "x jawaban: a jawaban: b", "b"),
    ],
)
def test_texts_as_compared(text, reference, prediction):
    assert (scores.general_reference(text), scores.general_prediction(text)) == (reference, prediction)


@pytest.mark.parametrize(
    ("answer", "references", "exact", "f1"),
    [
        ("Kota Jakarta.", ["jakarta", "kota  jakarta"], 1, 1),
        ("kota Jakarta 1990", ["Jakarta", "Bandung"], 0, 2 * (1 / 3) / (1 / 3 + 1)),
        ("kota kota", ["kota"], 0, 2 / 3),
        ("", ["kota"], 0, 0),
    ],
)
def test_question_answering_scores_are_as_by_hand(answer, references, exact, f1):
    assert (scores.best_exact_match(answer, references), scores.best_f1(answer, references)) == (exact, pytest.approx(f1))


def test_the_f1_of_thai_is_over_words_found_by_newmm():
    answer, reference = "ชื่อหนังสือ", "หนังสือ"
    assert [word_tokenize(text, keep_whitespace=False) for text in (answer, reference)] == [["ชื่อ", "หนังสือ"], ["หนังสือ"]]
    assert scores.answer_f1(answer, reference) == pytest.approx(2 / 3)
    # the language of an answer is that of all its lines
    assert scores.answer_f1("1990", "ปี1990") == 0.0
    assert scores.answer_f1("1990\nคำถาม: ใครเขียนหนังสือเล่มนี้", "ปี1990") == pytest.approx(2 / 3)


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=4))
@settings(max_examples=50)
def test_corpus_scores_are_those_of_sacrebleu(rows):
    pairs = [scores.text_pair(answer, reference) for answer, reference in rows]
    references, answers = map(list, zip(*pairs, strict=True))
    assert corpus_bleu(pairs) == BLEU(tokenize="13a", smooth_method="exp").corpus_score(answers, [references]).score
    assert corpus_chrf(pairs) == CHRF(char_order=6, word_order=2, beta=2).corpus_score(answers, [references]).score


@pytest.fixture(scope="module")
def official(sailcompass_checkout) -> types.SimpleNamespace:
    """The official code itself: the oracle of ours."""
    post = official_code.load(sailcompass_checkout / "sailor_text_postprocessors.py")
    files = {"belebele": "datasets/belebele", "m3exam": "datasets/m3exam", "tydiqa": "datasets/tydiqa_id"}
    files["general"] = "icl_sailor_evaluator"
    return types.SimpleNamespace(
        post=post, **{name: official_code.load(sailcompass_checkout / f"{path}.py", post) for name, path in files.items()}
    )


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
    evaluators = {official.m3exam.M3examEmEvaluator: gold, official.m3exam.M3examThEvaluator: digit}
    if one_cue(line, scores.BELEBELE_CUES):
        evaluators[official.belebele.BelebeleEvaluator] = gold
    for evaluator, right in evaluators.items():
        assert 100 * scores.EXACT_MATCH[evaluator.__name__](text, right) == evaluator().score([text], [right])["EM"]


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
    references = [row["target"] for row in read_json_lines(path)[:200]]
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
