"""Token F1, syllables, ROUGE-L and summaries of SEA-HELM, against other readings of its rules and SEA-HELM's own code."""

import random
import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from itertools import product
from types import SimpleNamespace

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from pythainlp.tokenize import word_tokenize
from rouge_score.rouge_scorer import RougeScorer

from lm_eval_sea.tasks._shared.metrics.sea_helm_metrics import NORMALISED, answer_f1
from lm_eval_sea.tasks._shared.metrics.sea_helm_rouge import sea_helm_rouge_l, sea_helm_words, signature
from lm_eval_sea.tasks._shared.metrics.words import burmese_syllables, words
from lm_eval_sea.tasks._shared.sea_helm.scores import score_sea_helm_summary

from ..sea_helm.official import checkout, run
from .evaluation import read_json_lines


def squad_f1(answer: str, reference: str) -> float:
    """The definition with precision and recall spelt out."""
    answer, reference = (re.sub(r"[!-/:-@\[-`{-~]", "", text.lower()).split() for text in (answer, reference))
    common = sum(min(count, Counter(reference)[word]) for word, count in Counter(answer).items())
    if not common:
        return 0.0
    precision, recall = common / len(answer), common / len(reference)
    return 2 * precision * recall / (precision + recall)


@given(st.text("ab .,-Z", max_size=20), st.lists(st.text("ab .,-Z", min_size=1, max_size=12), min_size=1, max_size=3))
def test_f1_is_the_best_over_all_references(answer, references):
    expected = max(squad_f1(answer, reference) for reference in references)
    assert answer_f1(answer, references, "id") == pytest.approx(expected)
    assert NORMALISED["f1"].of_row(answer, references, "id") == pytest.approx(100 * expected)


def test_f1_of_thai_words_and_the_first_reference_only():
    answer, references = "กรุงเทพมหานครเป็นเมืองหลวง", ["กรุงเทพมหานคร", "กรุงเทพมหานครเป็นเมืองหลวง"]
    spaced = [" ".join(word_tokenize(text, engine="newmm")) for text in (answer, references[0])]
    assert answer_f1(answer, references, "th") == pytest.approx(squad_f1(*spaced))
    assert squad_f1(*spaced) < 1


BURMESE_SYLLABLES = {
    "မြန်မာနိုင်ငံ": ["မြန်", "မာ", "နိုင်", "ငံ"],
    "သတ္တိရှိသည်။": ["သတ္တိ", "ရှိ", "သည်", "။"],  # a stacked consonant begins no syllable
    "ဦးဇင်း ၁၂ ပါး": ["ဦး", "ဇင်း", "၁", "၂", "ပါး"],
    "Yangon မြို့": ["Yangon", "မြို့"],
    "COVID-19ကြောင့်": ["COVID-19", "ကြောင့်"],
    "": [],
}


def test_burmese_syllables():
    assert {text: burmese_syllables(text) for text in BURMESE_SYLLABLES} == BURMESE_SYLLABLES


@given(st.text(st.characters(min_codepoint=0x1000, max_codepoint=0x109F) | st.sampled_from(" aZ9")))
def test_syllables_lose_and_add_nothing(text):
    assert "".join(burmese_syllables(text)) == "".join(text.split())


LANGUAGES = ("id", "vi", "th", "ta", "tl", "my")
_TEXTS = {
    "id": ["Harga 25rb/kg, naik 3,5% — kata Menteri (Selasa).", "kata menteri: harga-harga 25 rb naik", "COVID19 di DKI"],
    "vi": ["Nhiệt độ 38°C ở Hà Nội; “nắng nóng” kéo dài.", "nắng nóng ở hà nội kéo dài, 38 độ", "Việt\u200bNam"],
    "th": ["ราคา 25 บาท/กก. เพิ่มขึ้น ๓% วันนี้", "วันนี้ราคาเพิ่มขึ้น 3 บาท", "กทม.ฝนตก 80% ของพื้นที่ abc123"],
    "ta": ["தமிழ்நாடு 100வது விழா, சென்னையில்!", "சென்னையில் 100 வது விழா", "க்ஷ ஸ்ரீ ௫"],
    "tl": ["Ika-3 na araw: ₱25.50 kada kilo’", "₱25 kada kilo sa ika-3 araw", "Niño, piñata"],
    "my": ["မြန်မာနိုင်ငံ၏ ရန်ကုန်မြို့တွင် ၂၅ ရာခိုင်နှုန်း", "ရန်ကုန်မြို့ ၂၅% တက္ကသိုလ် အင်္ဂလိပ်", "ကျွန်ုပ် ယောက်ျား abc 12"],
}


def restated_words(text, language):
    """The rules once more, in regular expressions: breaks, Burmese and others by patterns; Thai words are the library's."""
    text = regex.sub(r"[\p{C}\ufffd--[\t\n\r]]", "", text.lower(), flags=regex.V1)
    text = " ".join(regex.sub(r"[\p{P}\p{Zs}]|[!-/:-@\[-`{-~]", " ", text).split())
    if language == "my":
        text = text.replace(" ", "").replace("\u1037\u103a", "\u103a\u1037")
        units = regex.findall(r"(?s).[\u102b-\u1032\u1036-\u1038\u103a-\u103e]*", text)
        closing = [position > 0 and "\u103a" in unit and len(unit) < 4 for position, unit in enumerate(units)]
        glued = "".join(
            unit if closes and not closing[position - 1] else f" {unit}"
            for position, (unit, closes) in enumerate(zip(units, closing, strict=True))
        )
        return glued.removeprefix(" ").replace(" \u1039 ", "\u1039").split()
    text = regex.sub(r"(?<=\s)(?=\p{M})", "@", text).translate({0xFFED: 0x25A0, 0xFFE8: 0x2502})
    return regex.findall(r"(?:\p{L}\p{M}*)+|(?:\p{N}\p{M}*)+|@?\p{M}+|\S\p{M}*", text)


def rouge_score(answer: str, reference: str, tokenize: Callable[[str], list[str]]) -> float:
    """ROUGE-L of the words that `tokenize` finds, by the package rouge_score."""
    scorer = RougeScorer(["rougeL"], tokenizer=SimpleNamespace(tokenize=tokenize))
    return 100 * scorer.score(reference, answer)["rougeL"].fmeasure


_BURMESE = st.text(st.characters(min_codepoint=0x1000, max_codepoint=0x104F) | st.sampled_from(" a1\u103a\u1039\u1037ကင"))
_SCRIPTS = st.text(st.sampled_from("aB1²é €°க்ி௫วก็0-,.'\u200c\u0301½") | st.characters(max_codepoint=0x24F))


@given(_BURMESE, _SCRIPTS)
def test_words_and_burmese_syllables_are_those_of_the_restated_rules(burmese, text):
    assert sea_helm_words(burmese, "my") == restated_words(burmese, "my")
    assert [word.replace("\uff05", "@") for word in sea_helm_words(text, "ta")] == restated_words(text, "ta")


@given(st.text(), st.text(), st.sampled_from(LANGUAGES))
def test_a_score_is_0_to_100_and_that_of_a_text_with_itself_is_100(answer, reference, language):
    assert 0 <= sea_helm_rouge_l(answer, reference, language) <= 100
    if sea_helm_words(answer, language):
        assert sea_helm_rouge_l(answer, answer, language) == pytest.approx(100)


def test_rules_that_differ_from_the_packs_own():
    assert sea_helm_words("ฝนตก หนัก", "th") == ["ฝนตก", " ", "หนัก"]  # blanks are words
    assert sea_helm_words("Harga-harga 25rb", "id") == ["harga", "harga", "25", "rb"]
    assert sea_helm_words("re\u0301", "id") != sea_helm_words("ré", "id")  # no normal form
    assert sea_helm_words("တက္ကသိုလ်", "my") == ["တ", "က္က", "သိုလ်"]  # stacked letters stay together
    assert sea_helm_words("!?", "my") == sea_helm_words("", "th") == []
    assert len({signature(language) for language in ("th", "my", "id")}) == 3


OFFICIAL = """
import json, sys
from src.rouge_score.rouge_scorer import RougeScorer
names = {"th": "thai", "my": "burmese"}
scorers = {}
found = []
for language, answer, reference in json.load(sys.stdin):
    scorer = scorers.setdefault(language, RougeScorer(["rougeL"], use_stemmer=False, lang=names.get(language)))
    found.append(100 * scorer.score(reference, answer)["rougeL"].fmeasure)
print(json.dumps(found))
"""


def _assert_official(triples):
    official = run(checkout("src/rouge_score/rouge_scorer.py"), OFFICIAL, triples)
    ours = [sea_helm_rouge_l(answer, reference, language) for language, answer, reference in triples]
    assert ours == pytest.approx(official, abs=1e-9)


def test_scores_are_those_of_sea_helms_code():
    """Of written texts, and of letters, marks, digits, symbols and punctuation of the languages' scripts in any order."""
    choose = random.Random(3)
    ranges = [(0x20, 0x250), (0x300, 0x370), (0xB80, 0xC00), (0xE00, 0xE80), (0x1000, 0x10A0), (0x1E00, 0x1F00), (0x2000, 0x2070)]
    pool = [chr(point) for start, end in ranges for point in range(start, end) if unicodedata.category(chr(point)) != "Cn"]

    def text():
        return "".join(choose.choice(choose.choice([pool, "ab1 "])) for _ in range(choose.randint(0, 60)))

    written = [(language, *pair) for language in LANGUAGES for pair in product(_TEXTS[language], repeat=2)]
    _assert_official(written + [(language, text(), text()) for language in LANGUAGES for _ in range(200)])


@pytest.mark.slow
def test_scores_of_real_rows_are_those_of_sea_helms_code(hub_mirror):
    """Every summary against the beginning of its text, and that against the text's end; Burmese passages against each other."""
    triples = []
    for path in sorted(hub_mirror.glob("aisingapore/NLG-Abstractive-Summarization/data/*/*.jsonl")):
        language = path.parent.name
        for row in read_json_lines(path):
            text = row["prompts"][0]["text"]
            triples += [(language, text[:300], row["label"]), (language, text[:200], text[-300:])]
    texts = [row["flores_passage"] for row in read_json_lines(hub_mirror / "facebook/belebele/data/mya_Mymr.jsonl")[:200]]
    triples += [("my", one[:300], other[:300]) for one, other in zip(texts, texts[1:], strict=False)]
    assert {language for language, _, _ in triples} == set(LANGUAGES) and len(triples) > 1000
    _assert_official(triples)


NAMES = ("rougeL", "normalised", "rougeL_words")


def scored(answer, reference, language, tag):
    doc = {"label": reference, "scoring": {"answer_tag": tag, "answer_language": language}}
    return score_sea_helm_summary(doc, [answer])


def test_the_benchmarks_score_stands_under_its_name_and_ours_under_another():
    reference, answer = "Harga-harga naik 25rb.", "harga naik 25 rb"
    found = scored(f"Rangkuman: {answer}", reference, "id", "Rangkuman:")
    theirs, ours = (rouge_score(answer, reference, lambda text, of=of: of(text, "id")) for of in (restated_words, words))
    assert found["rougeL"] == found["normalised"] == pytest.approx(theirs, abs=1e-9)
    assert found["rougeL_words"] == pytest.approx(ours)
    assert found["rougeL"] > found["rougeL_words"] > 0


def test_strict_scores_read_the_last_tag():
    found = scored("Rangkuman: air surut\n\nRangkuman: banjir melanda kota", "banjir melanda kota", "id", "Rangkuman:")
    assert [found[name] for name in NAMES] == [0.0, 0.0, 0.0]
    assert [found[f"{name}_strict"] for name in NAMES] == [pytest.approx(100.0)] * 3
