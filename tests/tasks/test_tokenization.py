"""The model's tokenizer as each backend of lm-eval uses it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lm_eval.models.huggingface import HFLM
from lm_eval.models.openai_completions import LocalCompletionsAPI

from lm_eval_sea.tasks._shared.tokenization import find_tokenizer

TEXTS = ("Kota ini ramai.", "กรุงเทพฯ\n\nคำตอบ: ก", "<|bos|>A", " x")


def local(folder, **arguments):
    return HFLM(pretrained=str(folder), device="cpu", **arguments)


def named(folder):
    return find_tokenizer(None, {"tokenizer": str(folder)}, "")


@pytest.mark.parametrize("add_bos_token", [None, True, False])
def test_the_tokens_are_those_that_the_model_gets(add_bos_token, tiny_model, tiny_model_bos):
    for folder in (tiny_model, tiny_model_bos):
        model = local(folder, add_bos_token=add_bos_token, max_length=512)
        tokenizer = find_tokenizer(model, {}, "")
        assert [list(tokenizer.encode(text)) for text in TEXTS] == [model.tok_encode(text) for text in TEXTS]
        assert tokenizer.max_length == 512
    assert tokenizer.adds_bos == (add_bos_token is not False)


def test_an_api_model_adds_no_special_tokens_and_keeps_one_token_free(tiny_model_bos):
    address = "http://127.0.0.1:1/v1/completions"  # nothing is sent
    model = LocalCompletionsAPI(base_url=address, model="served", tokenizer=str(tiny_model_bos), max_length=4096)
    tokenizer = find_tokenizer(model, {"tokenizer": str(tiny_model_bos)}, "")
    assert not tokenizer.adds_bos
    assert tokenizer.max_length == 4095


@settings(max_examples=50)
@given(text=st.text(min_size=1, max_size=40).filter(lambda text: not text[0].isspace()))
def test_the_first_token_and_the_rest_are_the_text(text, tiny_model):
    tokenizer = named(tiny_model)
    first, rest = tokenizer.split_first_token(text + " end")
    assert first + rest == text + " end"
    ids = tokenizer.encode(text + " end")
    assert ids[: len(tokenizer.encode(first))] == tokenizer.encode(first)
    assert tokenizer.unscored_tokens(first) == len(tokenizer.encode(first)) - 1


@pytest.mark.parametrize("room", [5, 12, 30])
def test_cut_text_is_the_longest_end_that_fits(room, tiny_model):
    tokenizer = find_tokenizer(local(tiny_model, max_length=room), {}, "")
    text, endings = "Kota ini ramai pada hari pasar, dan para pedagang datang dari desa.", [" ya", " tidak"]

    def fits(end):
        return all(len(tokenizer.encode(end + ending)) <= room for ending in endings)

    cut = tokenizer.cut_to_fit(text, endings)
    assert text.endswith(cut)
    assert fits(cut)
    longer = text[len(text) - len(cut) - 1 :]
    assert cut == text or not fits(longer)
