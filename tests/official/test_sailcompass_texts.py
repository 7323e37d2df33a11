"""Sentences that the loaders add to the rows, read from their source; a loader that says them otherwise is refused."""

from __future__ import annotations

import pytest

from lm_eval_sea.official.config_reader import ConfigError
from lm_eval_sea.official.sailcompass_texts import texts_for

BELEBELE = ("datasets/belebele.py", "BelebeleDataset", "data/belebele/ind_Latn.jsonl")
XCOPA = ("datasets/xcopa_sea.py", "XCOPASDataset", "data/xcopa/vi_test.jsonl")


def test_the_language_is_that_of_the_file(miniature):
    assert texts_for(miniature, *BELEBELE[1:]) == {"fifth_option": "Belum bisa dijawab."}
    assert texts_for(miniature, "BelebeleDataset", "data/belebele/tha_Thai.jsonl") == {"fifth_option": "ยังบอกไม่ได้"}


def test_the_questions_are_those_of_the_dictionary_assigned_last(miniature):
    assert texts_for(miniature, *XCOPA[1:]) == {"cause": "Vì sao?", "effect": "Rồi sao?"}


def test_most_loaders_add_nothing(miniature):
    assert texts_for(miniature, "XnliDataset", "data/xnli/vi_xnli_test.jsonl") == {}


@pytest.mark.parametrize(
    ("where", "old", "new", "message"),
    [
        (BELEBELE, '== "ind"', '== "jav"', "datasets/belebele.py:1: not understood: no fifth option for 'ind'"),
        (BELEBELE, '"Belum bisa dijawab."', "str(5)", "no fifth option for 'ind'"),
        (XCOPA, '"vi"', '"en"', r"datasets/xcopa_sea.py:\d+: not understood: full questions for cause and effect in 'vi'"),
        (XCOPA, '"Vì sao?"', "1", "full questions for cause and effect"),
        (XCOPA, '["full_question"]', '["question_in_full"]', "no dictionary of full questions"),
        (XCOPA, "class", "clas", r"datasets/xcopa_sea.py:1: no Python"),
    ],
)
def test_another_source(miniature, where, old, new, message):
    path, loader, data_file = where
    text = (miniature / path).read_text(encoding="utf-8")
    assert old in text
    (miniature / path).write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        texts_for(miniature, loader, data_file)
