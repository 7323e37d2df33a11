"""Token F1 and syllables of SEA-HELM against second implementations and hand calculations."""

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pythainlp.tokenize import word_tokenize

from lm_eval_sea.tasks._shared.metrics.burmese import burmese_syllables
from lm_eval_sea.tasks._shared.metrics.sea_helm_metrics import NORMALISED, answer_f1


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
    assert answer_f1(answer, references, "id") == pytest.approx(max(squad_f1(answer, reference) for reference in references))


def test_f1_by_hand():
    assert answer_f1("pada tahun 1945.", ["Tahun 1945"], "id") == pytest.approx(2 * 2 / (3 + 2))
    assert answer_f1("co-operation", ["cooperation"], "id") == 1.0, "punctuation is deleted wherever it stands"
    assert answer_f1("", ["x"], "vi") == 0.0
    assert NORMALISED["f1"].of_row("pada tahun 1945.", ["Tahun 1945"], "id") == pytest.approx(80.0)


def test_f1_of_thai_words_and_the_first_reference_only():
    answer, references = "กรุงเทพมหานครเป็นเมืองหลวง", ["กรุงเทพมหานคร", "กรุงเทพมหานครเป็นเมืองหลวง"]
    spaced = [" ".join(word_tokenize(text, engine="newmm")) for text in (answer, references[0])]
    assert answer_f1(answer, references, "th") == pytest.approx(squad_f1(*spaced))
    assert squad_f1(*spaced) < 1


BURMESE_SYLLABLES = [
    ("မြန်မာနိုင်ငံ", ["မြန်", "မာ", "နိုင်", "ငံ"]),
    ("သတ္တိရှိသည်။", ["သတ္တိ", "ရှိ", "သည်", "။"]),  # a stacked consonant begins no syllable
    ("ဦးဇင်း ၁၂ ပါး", ["ဦး", "ဇင်း", "၁", "၂", "ပါး"]),
    ("Yangon မြို့", ["Yangon", "မြို့"]),
    ("COVID-19ကြောင့်", ["COVID-19", "ကြောင့်"]),
    ("", []),
]


def test_burmese_syllables():
    assert [(text, syllables) for text, syllables in BURMESE_SYLLABLES if burmese_syllables(text) != syllables] == []


@given(st.text(st.characters(min_codepoint=0x1000, max_codepoint=0x109F) | st.sampled_from(" aZ9")))
def test_syllables_lose_and_add_nothing(text):
    assert "".join(burmese_syllables(text)) == "".join(text.split())
