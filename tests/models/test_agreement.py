"""The self-check in 16 bits: held against what the same weights say in 32 bits."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from lm_eval.models.huggingface import HFLM
from measure_agreement import make_model, make_prompts, make_requests

from lm_eval_sea.models import SharedPrefixLM
from lm_eval_sea.models.tolerance import NOISES, Agreement, Mismatch, check_agreement, distance

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


rows = st.lists(st.lists(st.floats(-9, 0), min_size=5, max_size=5), min_size=1, max_size=4)


@given(rows, rows)
def test_distance(one, other):
    """The lower middle of the root mean squares of the last predictions that both have."""
    found = sorted(
        (sum((a - b) ** 2 for a, b in zip(x, y, strict=True)) / 5) ** 0.5 for x, y in zip(one[::-1], other[::-1], strict=False)
    )
    assert distance(torch.tensor(one), torch.tensor(other)) == pytest.approx(found[(len(found) - 1) // 2], abs=1e-5)


INF = float("inf")


def test_impossible_words():
    """What is impossible both ways agrees; what is so one way alone does not, nor does what is no number."""
    check_agreement(-INF, -INF, 1, 0.1)
    assert distance(torch.tensor([[-1.0, -INF]]), torch.tensor([[-1.0, -INF]])) == 0
    for other in (-1.0, float("nan")):
        with pytest.raises(Mismatch):
            check_agreement(other, -INF, 1, 0.1)
        assert distance(torch.tensor([[-1.0, -INF]]), torch.tensor([[-1.0, other]])) == INF


@pytest.mark.parametrize("apart, ends", [(NOISES * 0.9, False), (NOISES * 1.1, True)])
def test_noise_is_the_measure(apart, ends):
    plain = torch.full((3, 7), -2.0)
    agreement = Agreement(torch.bfloat16, quantized=False)
    draws = []

    def once_more(draw):
        draws.append(draw)
        return plain + 0.01

    def check():
        agreement.check_predictions(plain + 0.01 * apart, plain, once_more)

    if ends:
        with pytest.raises(Mismatch, match="own noise is 0.01"):
            check()
        assert draws == [0, 1, 2]
    else:
        check()
        check()
        assert draws == [0]
