"""Rotary embeddings that change at a length: numbers and texts equal those of hf on both sides of it."""

import random

import pytest
from lm_eval.models.huggingface import HFLM

from lm_eval_sea.models import SharedPrefixLM

from ..quick import quick_of
from .conftest import answer, assert_equal, generate, make_model, text

BORDER, WINDOW = 40, 256
# Half of a head's 8 dimensions have a frequency each.
LONGROPE = {
    "rope_type": "longrope", "rope_theta": 10000.0, "short_factor": [1.0, 1.1, 1.2, 1.3], "long_factor": [2.0, 5.0, 9.0, 16.0],
    "original_max_position_embeddings": BORDER,
}  # fmt: skip
KINDS = {
    "phi3-longrope": ("phi3", WINDOW, LONGROPE),
    "llama-longrope": ("llama", WINDOW, LONGROPE),
    "llama-dynamic": ("llama", BORDER, {"rope_type": "dynamic", "factor": 4.0, "rope_theta": 10000.0}),
}


@pytest.fixture(params=quick_of(["phi3-longrope", "llama-dynamic"], KINDS))
def model(request, tokenizers):
    kind, positions, rope = KINDS[request.param]
    border = {"original_max_position_embeddings": BORDER} if rope is LONGROPE else {}
    return make_model(kind, len(tokenizers[False]), max_position_embeddings=positions, rope_parameters=rope, **border)


def requests_around_the_border(tokenizer):
    """Requests with one beginning: whole rows on both sides of the border, and rows of which only the options lie behind it."""
    dice = random.Random(0)
    exemplars = text(dice, 20)
    prompts = [f"{exemplars}\n{text(dice, words)}:" for words in (1, 4, 8, 12, 16, 24)]
    requests = [(prompt, " " + text(dice, length)) for prompt in prompts for length in (1, 3, 6)]
    lengths = [len(tokenizer.encode(prompt + option)) for prompt, option in requests]
    assert min(lengths) < BORDER < max(lengths) and any(abs(length - BORDER) < 8 for length in lengths)
    return requests


def test_log_likelihoods(model, tokenizers):
    """hf gets one request at a time, because the longest text of a batch decides for all of them."""
    requests = requests_around_the_border(tokenizers[False])
    _, expected = answer(HFLM, model, tokenizers[False], requests, batch_size=1, max_length=WINDOW)
    lm, answers = answer(SharedPrefixLM, model, tokenizers[False], requests, batch_size=1, max_length=WINDOW)
    assert not lm._plain and lm.work.forwarded
    assert_equal(answers, expected)


def test_generation(model, tokenizers):
    prompts = list(dict.fromkeys(prompt for prompt, _ in requests_around_the_border(tokenizers[False])))
    options = {"tokenizer": tokenizers[False], "batch_size": 1, "max_length": WINDOW}
    ours, theirs = (generate(kind(model, **options), prompts, do_sample=False) for kind in (SharedPrefixLM, HFLM))
    assert ours == theirs
