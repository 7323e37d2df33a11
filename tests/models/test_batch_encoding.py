"""Many texts are encoded at once, to the same tokens as in lm-eval."""

import random

import pytest
from lm_eval.models.huggingface import HFLM

from lm_eval_sea.models import SharedPrefixLM, batch_encoding

from .conftest import answer, ask, assert_equal, ranking_requests, text

DICE = random.Random(0)
BOS = "<|bos|>"
PAIRS = [
    *ranking_requests(4), *ranking_requests(4, bos=True),
    (f"{BOS}{text(DICE, 5)}", " kota"), (f"{text(DICE, 5)} \n", " kota"), ("   ", "kota"), ("", f"{BOS} kota"), ("di", ""),
    ("ครู", " สอน"), ("ကျောင်း ", "သား"),
]  # fmt: skip


def encoded(lm, pairs, monkeypatch):
    """The tokens of the requests when their log-likelihoods are computed."""
    found = []
    monkeypatch.setattr(
        lm, "_loglikelihood_tokens", lambda requests, **_: found.extend(requests) or [(0.0, False)] * len(requests)
    )
    ask(lm, pairs)
    return found


@pytest.mark.parametrize("add_bos_token", [None, True, False])
@pytest.mark.parametrize("bos", [False, True])
def test_tokens_equal_those_of_hf(bos, add_bos_token, llama, tokenizers, monkeypatch):
    lms = [model_class(llama, tokenizer=tokenizers[bos], add_bos_token=add_bos_token) for model_class in (HFLM, SharedPrefixLM)]
    expected, got = (encoded(lm, PAIRS, monkeypatch) for lm in lms)
    assert got == expected


def test_each_text_is_encoded_once_in_few_calls(llama, tokenizers, monkeypatch):
    monkeypatch.setattr(batch_encoding, "AT_ONCE", 50)
    requests, lm = ranking_requests(40), SharedPrefixLM(llama, tokenizer=tokenizers[False])
    calls, ones, encode_all, encode_one = [], [], lm.encode_at_once, type(lm.tokenizer).encode
    monkeypatch.setattr(lm, "encode_at_once", lambda strings, special: calls.append(strings) or encode_all(strings, special))
    monkeypatch.setattr(type(lm.tokenizer), "encode", lambda *args, **kwargs: ones.append(args) or encode_one(*args, **kwargs))
    encoded(lm, requests, monkeypatch)
    strings = [string for some in calls for string in some]
    wholes, contexts = {"".join(pair) for pair in requests}, {context for context, _ in requests}
    assert len(strings) == len(set(strings)) == len(wholes | contexts) < 1.4 * len(requests)
    assert len(calls) == -(-len(strings) // 50)
    assert len(ones) <= 2, "the look at the first prompt, and one that shows that both ways agree"


@pytest.mark.parametrize("plain", [False, True])
def test_requests_too_large_for_memory_are_answered_in_parts(plain, llama, tokenizers, monkeypatch):
    """The numbers stay the same. A model that is left to hf gets all remaining requests at once."""
    requests = ranking_requests(40)
    _, expected = answer(SharedPrefixLM, llama, tokenizers[False], requests)
    monkeypatch.setattr(batch_encoding, "PART", 5000)
    lm, parts = SharedPrefixLM(llama, tokenizer=tokenizers[False], batch_size=4), []
    along = lm._along_prefixes

    def record(some, *more):
        parts.append(sum(len(context) + len(continuation) for (context, continuation), *_ in some))
        lm._plain = plain
        return along(some, *more)

    monkeypatch.setattr(lm, "_along_prefixes", record)
    assert_equal(ask(lm, requests), expected)
    assert len(parts) == 1 if plain else len(parts) > 3
    assert all(size <= 5000 + max(len(context) + len(continuation) for context, continuation in requests) for size in parts)


def test_a_text_that_cannot_be_encoded_fails_as_in_hf(llama, tokenizers, monkeypatch):
    pairs = [*ranking_requests(2), ("\ud800", " kota")]
    failures = []
    for model_class in (HFLM, SharedPrefixLM):
        with pytest.raises(Exception) as failure:
            encoded(model_class(llama, tokenizer=tokenizers[False]), pairs, monkeypatch)
        failures.append((failure.type, str(failure.value)))
    assert failures[0] == failures[1]
