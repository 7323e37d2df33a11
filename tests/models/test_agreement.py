"""The self-check in 16 bits: held against what the same weights say in 32 bits."""

import pytest
import torch
from lm_eval.models.huggingface import HFLM
from measure_agreement import make_model, make_prompts, make_requests

from lm_eval_sea.models import SharedPrefixLM
from lm_eval_sea.models.tolerance import Mismatch, check_agreement, distance

NEITHER_MASKS_NOR_POSITIONS = ["GPT-Neo", "RoBERTa decoder", "RecurrentGemma"]


def distance_to_truth(model, tokenizer, requests, truth, backend, batch_size):
    lm = backend(model, tokenizer=tokenizer, batch_size=batch_size, max_length=400)
    answers = [answer for answer, _ in lm._loglikelihood_tokens(requests, disable_tqdm=True)]
    return lm, sum(abs(answer - true) for answer, true in zip(answers, truth, strict=True)) / len(truth), answers


@pytest.mark.parametrize(
    "family", ["Llama", "Gemma 3", "Phi-3, longrope", "RoFormer decoder", "Mamba-2", *NEITHER_MASKS_NOR_POSITIONS]
)
def test_no_further_from_32_bits_than_hf(family, tokenizers):
    """By no more than a quarter; and not for the reason that everything is left to hf."""
    requests = make_requests(8)
    model = make_model(family, torch.bfloat16)
    _, _, truth = distance_to_truth(model, tokenizers[False], requests, [0.0] * len(requests), HFLM, 1)
    model = model.to(torch.bfloat16)
    _, of_plain, _ = distance_to_truth(model, tokenizers[False], requests, truth, HFLM, 1)
    lm, of_shared, _ = distance_to_truth(model, tokenizers[False], requests, truth, SharedPrefixLM, 8)
    assert 0 < of_shared <= 1.25 * of_plain
    assert lm._plain == (family in NEITHER_MASKS_NOR_POSITIONS)


def test_the_check_of_16_bits_is_a_single_text(tokenizers):
    """The noise is measured only where a fixed tolerance of a few rounding steps would not do."""
    lm = SharedPrefixLM(make_model("Llama", torch.bfloat16).to(torch.bfloat16), tokenizer=tokenizers[False], batch_size=8)
    requests = make_requests(24)
    lm._loglikelihood_tokens(requests, disable_tqdm=True)
    assert 0 < lm.work.verification <= 2 * max(len(context) + len(continuation) for _, context, continuation in requests)


@pytest.mark.parametrize("rows", [1, 4])
def test_texts_of_a_model_that_is_not_told_positions(rows, tokenizers):
    """RoFormer turns keys by their columns, so that a beginning that was computed elsewhere is not its own."""
    model = make_model("RoFormer decoder", torch.float32)

    def texts(backend):
        lm = backend(model, tokenizer=tokenizers[False], batch_size=rows, max_length=400)
        return lm.generate_until(make_prompts(7), disable_tqdm=True)

    assert texts(SharedPrefixLM) == texts(HFLM)


INF = float("inf")


def test_impossible_words():
    """What is impossible both ways agrees; what is so one way alone does not, nor does what is no number."""
    check_agreement(-INF, -INF, 1, 0.1)
    assert distance(torch.tensor([[-1.0, -INF]]), torch.tensor([[-1.0, -INF]])) == 0
    for other in (-1.0, float("nan")):
        with pytest.raises(Mismatch):
            check_agreement(other, -INF, 1, 0.1)
        assert distance(torch.tensor([[-1.0, -INF]]), torch.tensor([[-1.0, other]])) == INF
