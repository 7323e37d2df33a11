"""Corpus BLEU, chrF++ and ROUGE-L against sacreBLEU, an independent ROUGE, and hand calculations."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lm_eval.api.metrics import bleu, chrfpp, sample_stddev
from pythainlp.tokenize import word_tokenize
from sacrebleu.metrics import BLEU, CHRF

from lm_eval_sea.tasks._shared.metrics import overlap
from lm_eval_sea.tasks._shared.metrics.generation_metrics import METRICS, signatures
from lm_eval_sea.tasks._shared.metrics.sea_helm_metrics import METRICS as SEA_HELM_METRICS
from lm_eval_sea.tasks._shared.metrics.words import words

from .test_sea_helm_metrics import rouge_score

PAIRS = {  # reference, answer
    "vi": [
        ("Tre mọc nhanh đến mức một số loài cao thêm gần một mét mỗi ngày.", "Tre mọc rất nhanh, một số loài cao thêm một mét."),
        ("Hai đội chưa gặp lại nhau kể từ năm 2015.", "HAI ĐỘI chưa gặp nhau từ năm 2015!"),
        ("Du khách nên để sẵn quần áo ấm trong tầm tay.", ""),
    ],
    "th": [
        ("เรือข้ามฟากไปเกาะออกทุกสองชั่วโมง แต่อาจงดให้บริการ", "เรือไปเกาะออกทุก 2 ชั่วโมง อาจงดให้บริการ"),
        ("ชาวนาในหุบเขากล่าวว่าฝนที่มาเร็วช่วยให้ต้นข้าวรอด", "ชาวนากล่าวว่าฝนช่วยต้นข้าว"),
        ("เกลือทำให้จุดเยือกแข็งของน้ำต่ำลง", "Salt lowers the freezing point"),
    ],
    "ta": [("சென்னையில் கனமழை பெய்தது, பள்ளிகளுக்கு விடுமுறை.", "கனமழை காரணமாக பள்ளிகளுக்கு விடுமுறை")],
    "my": [("ရန်ကုန်မြို့တွင် မိုးသည်းထန်စွာ ရွာသွန်းခဲ့သည်။", "ရန်ကုန်တွင် မိုးရွာသည်။")],
}


def items(metric: str, language: str) -> list:
    return [METRICS[metric].of_row(answer, [reference], language) for reference, answer in PAIRS[language]]


@pytest.mark.parametrize("language", PAIRS)
def test_bleu_and_chrf_equal_sacrebleu_on_the_same_strings(language):
    references, answers = zip(*PAIRS[language], strict=True)
    expected = BLEU(lowercase=True, tokenize="13a", smooth_method="exp").corpus_score(answers, [references]).score
    assert bleu(items("bleu", language)) == pytest.approx(expected, abs=1e-12)
    for metrics, lowercase in ((METRICS, True), (SEA_HELM_METRICS, False)):
        found = [metrics["chrf++"].of_row(answer, [reference], language) for reference, answer in PAIRS[language]]
        expected = CHRF(lowercase=lowercase, word_order=2).corpus_score(answers, [references]).score
        assert chrfpp(found) == pytest.approx(expected, abs=1e-12)
        assert expected > 0


def test_bleu_on_thai_words_equals_sacrebleu_on_words_with_blanks_between():
    def spaced(text):
        return " ".join(word_tokenize(text.lower(), engine="newmm", keep_whitespace=False))

    references, answers = ([spaced(text) for text in side] for side in zip(*PAIRS["th"], strict=True))
    expected = BLEU(tokenize="none").corpus_score(answers, [references]).score
    assert overlap.bleu_of_counts(items("bleu_th", "th")) == pytest.approx(expected, abs=1e-12)
    assert expected > 1


def of_words(score):
    """A score by the counts of the words between blanks."""
    return lambda pairs: score([overlap.ngram_counts(answer.split(), reference.split()) for reference, answer in pairs])


@pytest.mark.parametrize(
    ("of_lm_eval", "score", "error"),
    [
        (bleu, overlap.corpus_bleu, overlap.corpus_bleu_stderr),
        (chrfpp, overlap.corpus_chrf, overlap.corpus_chrf_stderr),
        (bleu, of_words(overlap.bleu_of_counts), of_words(overlap.bleu_of_counts_stderr)),
    ],
)
def test_errors_of_corpus_scores_are_those_of_scoring_every_resample_again(of_lm_eval, score, error):
    """An error of n draws varies by 1 / sqrt(2 n), the ratio of those of 1,000 and 400 by 4.2 %; three times that is allowed."""
    rng = random.Random(5)
    words_of = [[f"w{rng.randrange(30)}" for _ in range(8)] for _ in range(20)]
    rows = [(" ".join(row), " ".join(word for word in row if rng.random() < 0.8)) for row in words_of]
    assert score(rows) == of_lm_eval(rows) == score(rng.sample(rows, len(rows))), "two processes hand them over in another order"
    again = sample_stddev([of_lm_eval(rng.choices(rows, k=len(rows))) for _ in range(400)])
    assert error(rows) == pytest.approx(again, rel=0.13)
    assert error(rng.sample(rows, len(rows))) == error(rows) > 0
    assert error(rows[:1]) == 0


@pytest.mark.parametrize("language", PAIRS)
def test_rouge_l_equals_an_independent_implementation(language):
    """Under the names that it has in SailCompass and in SEA-HELM."""
    expected = [rouge_score(answer, reference, lambda text: words(text, language)) for reference, answer in PAIRS[language]]
    for metric in (METRICS["rougeL"], SEA_HELM_METRICS["rougeL_words"]):
        found = [metric.of_row(answer, [reference], language) for reference, answer in PAIRS[language]]
        assert found == pytest.approx(expected)
    assert 0 < max(expected) < 100


@given(st.text("abc ", max_size=18), st.text("abc ", max_size=18))
def test_rouge_l_of_any_words_equals_an_independent_implementation(answer, reference):
    assert METRICS["rougeL"].of_row(answer, [reference], "id") == pytest.approx(rouge_score(answer, reference, str.split))


def test_signatures_agree_with_sacrebleu():
    made = signatures(["bleu", "chrf++", "bleu_th", "bleu_th_stderr", "rougeL"], "th")
    assert set(made) == {"bleu", "chrf++", "bleu_th", "rougeL"}
    for name, metric in (("bleu", BLEU(lowercase=True)), ("chrf++", CHRF(lowercase=True, word_order=2))):
        metric.corpus_score(["a"], [["a"]])
        theirs = set(str(metric.get_signature()).split("|"))
        assert set(made[name].split("|")) == theirs | {"norm:nfc"}
    assert made["bleu_th"].startswith("nrefs:1|case:lc|norm:nfc|eff:no|tok:newmm|pythainlp:5.")
