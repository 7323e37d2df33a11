"""The tokenizer as each backend of lm-eval uses it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lm_eval_sea.tasks._shared.tokenization import resolve_tokenizer


def test_a_local_model_uses_the_tokenizer_as_it_is(tiny_model, tiny_model_bos):
    assert resolve_tokenizer({"pretrained": str(tiny_model_bos)}).adds_bos
    assert not resolve_tokenizer({"pretrained": str(tiny_model)}).adds_bos
    assert not resolve_tokenizer({"pretrained": str(tiny_model_bos), "add_bos_token": False}).adds_bos


def test_an_api_model_adds_no_special_tokens_and_keeps_one_token_free(tiny_model_bos):
    """As lm-eval's API models do unless told otherwise (`TemplateAPI.tok_encode`, `TemplateAPI.max_length`)."""
    arguments = {"model": "served", "base_url": "http://127.0.0.1:1/v1/completions", "tokenizer": str(tiny_model_bos)}
    tokenizer = resolve_tokenizer(arguments)
    assert not tokenizer.adds_bos
    assert tokenizer.max_length == 2047
    assert resolve_tokenizer(arguments | {"max_length": 4096}).max_length == 4095
    assert resolve_tokenizer(arguments | {"add_bos_token": True}).adds_bos


@pytest.mark.parametrize("bos", [False, True])
def test_context_length_is_that_of_the_model_or_of_its_arguments(bos, tiny_model, tiny_model_bos):
    name = str(tiny_model_bos if bos else tiny_model)
    assert resolve_tokenizer({"pretrained": name}).max_length == 8192
    assert resolve_tokenizer({"pretrained": name, "max_length": 512}).max_length == 512
    assert resolve_tokenizer({"pretrained": name, "max_model_len": 700}).max_length == 700


@settings(max_examples=50, deadline=None)
@given(text=st.text(min_size=1, max_size=40).filter(lambda text: not text[0].isspace()))
def test_the_first_token_and_the_rest_are_the_text(text, tiny_model):
    tokenizer = resolve_tokenizer({"pretrained": str(tiny_model)})
    first, rest = tokenizer.split_first_token(text + " end")
    assert first + rest == text + " end"
    ids = tokenizer.encode(text + " end")
    assert ids[: len(tokenizer.encode(first))] == tokenizer.encode(first)
    assert tokenizer.unscored_tokens(first) == len(tokenizer.encode(first)) - 1


@pytest.mark.parametrize("room", [5, 12, 30])
def test_cut_text_is_the_longest_end_that_fits(room, tiny_model):
    tokenizer = resolve_tokenizer({"pretrained": str(tiny_model), "max_length": room})
    text, endings = "Kota ini ramai pada hari pasar, dan para pedagang datang dari desa.", [" ya", " tidak"]

    def fits(end):
        return all(len(tokenizer.encode(end + ending)) <= room for ending in endings)

    cut = tokenizer.cut_to_fit(text, endings)
    assert text.endswith(cut)
    assert fits(cut)
    longer = text[len(text) - len(cut) - 1 :]
    assert cut == text or not fits(longer)
