"""The self-check in 16 bits, compared with the same weights in 32 bits."""

import copy
import random
from contextlib import nullcontext

import pytest
import torch
from lm_eval.models.huggingface import HFLM
from torch.utils._python_dispatch import TorchDispatchMode

from lm_eval_sea.models import SharedPrefixLM
from lm_eval_sea.models.greedy_generation import GreedyGeneration
from lm_eval_sea.models.tolerance import Agreement, Mismatch, check_agreement, distance

from ..quick import quick_of
from .conftest import generate, make_model

VOCABULARY = 1000

# The border lies within the texts.
_LONGROPE = {
    "rope_type": "longrope", "rope_theta": 10000.0, "original_max_position_embeddings": 110,
    "short_factor": [1 + place / 10 for place in range(8)], "long_factor": [2 + place for place in range(8)],
}  # fmt: skip
_LARGER = {"hidden_size": 64, "num_hidden_layers": 4, "intermediate_size": 128, "max_position_embeddings": 514}
_LARGER |= {"initializer_range": 0.1}
# Their further settings; windows end within the texts.
FAMILIES = {
    "llama": {},
    "gemma3": {"head_dim": 16, "sliding_window": 48, "layer_types": ["sliding_attention", "full_attention"] * 2},
    "qwen2": {},
    "phi3": {"rope_parameters": _LONGROPE, "original_max_position_embeddings": 110},
    "gpt-neo": {"num_layers": 4, "attention_types": [[["global", "local"], 2]], "window_size": 48},
    "roberta": {},
    "roformer": {"embedding_size": 64},
    "mamba2": {"num_heads": 8, "state_size": 16},
    "recurrent-gemma": {"num_hidden_layers": 3, "lru_width": 64, "attention_window_size": 48, "head_dim": 16},
}
LEFT_TO_HF = ["roberta", "recurrent-gemma"]


def make_larger(family, dtype):
    """A model in 32 bits with random weights that `dtype` can hold."""
    model = make_model(family, VOCABULARY, **_LARGER | FAMILIES[family])
    for parameter in model.parameters():
        if parameter.dim() == 1:  # biases and norms are initialised without randomness
            parameter.data += torch.randn_like(parameter) * 0.05
    if family == "qwen2":  # products of queries and keys are far from zero in real ones
        for layer in model.model.layers:
            for part in (layer.self_attn.q_proj, layer.self_attn.k_proj):
                part.bias.data += 5
    return model.to(dtype).float()


def make_requests(rows):
    """Prompts of 98 to 130 tokens, of which the first 90 are common, with four options each."""
    dice = random.Random(0)

    def tokens(count):
        return [dice.randrange(2, VOCABULARY) for _ in range(count)]

    exemplars = tokens(90)
    prompts = [exemplars + tokens(dice.randint(8, 40)) for _ in range(rows)]
    return [(("", ""), prompt, tokens(dice.randint(1, 5))) for prompt in prompts for _ in range(4)]


def answers_of(backend, model, tokenizer, requests, batch_size):
    lm = backend(model, tokenizer=tokenizer, batch_size=batch_size, max_length=400)
    return lm, [answer for answer, _ in lm._loglikelihood_tokens(requests, disable_tqdm=True)]


@pytest.mark.parametrize("family", quick_of(["gemma3", "gpt-neo", "roberta"], FAMILIES))
def test_log_likelihoods_are_as_close_to_32_bits_as_those_of_hf(family, tokenizers):
    """The error is at most a quarter larger, although not everything is left to hf."""
    requests, model = make_requests(8), make_larger(family, torch.bfloat16)
    _, truth = answers_of(HFLM, model, tokenizers[False], requests, 1)
    model = model.to(torch.bfloat16)
    _, plain = answers_of(HFLM, model, tokenizers[False], requests, 1)
    lm, shared = answers_of(SharedPrefixLM, model, tokenizers[False], requests, 8)
    of_plain, of_shared = (sum(abs(one - true) for one, true in zip(found, truth, strict=True)) for found in (plain, shared))
    assert 0 < of_shared <= 1.25 * of_plain
    assert lm._plain == (family in LEFT_TO_HF)


@pytest.mark.parametrize("family", quick_of(["gemma3"], ["llama", "gemma3", "qwen2"]))
def test_generated_tokens_are_as_close_to_32_bits_as_those_of_hf(family, tokenizers, monkeypatch):
    """The error, over all words that could come next, is at most a quarter larger."""
    seen = []
    monkeypatch.setattr(
        GreedyGeneration, "_verify", lambda _, text, found: seen.append(((text.prompt + text.written)[:-1], found))
    )
    model = make_larger(family, torch.bfloat16)
    copied = copy.deepcopy(model).to(torch.bfloat16)
    for draw in range(12):
        beginning = " ".join(random.Random(draw).choices("abcdefghijklmnopqrstuvwxyz", k=60))
        lm = SharedPrefixLM(copied, tokenizer=tokenizers[False], batch_size=4, max_length=400)
        generate(lm, [f"{beginning} {last}" for last in "abcd"], do_sample=False, max_gen_toks=12, until=[])
    of_plain = of_shared = 0.0
    for tokens, predicted in seen:
        truth, plain = (
            each(torch.tensor([tokens])).logits[0, -len(predicted) :].detach().float().log_softmax(-1) for each in (model, copied)
        )
        of_plain += float((plain - truth).abs().mean())
        of_shared += float((predicted - truth).abs().mean())
    assert len(seen) >= 12
    assert 0 < of_shared <= 1.25 * of_plain


def test_the_self_check_in_16_bits_computes_one_text(tokenizers):
    """The noise is measured only where a fixed tolerance of a few rounding steps is not enough."""
    lm = SharedPrefixLM(make_larger("llama", torch.bfloat16).to(torch.bfloat16), tokenizer=tokenizers[False], batch_size=8)
    requests = make_requests(24)
    lm._loglikelihood_tokens(requests, disable_tqdm=True)
    assert 0 < lm.work.verification <= 2 * max(len(context) + len(continuation) for _, context, continuation in requests)


class WithoutFloat64(TorchDispatchMode):
    """A device without float64, such as a GPU of Apple's."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        made = function(*args, **(kwargs or {}))
        if isinstance(made, torch.Tensor) and made.dtype == torch.float64:
            raise TypeError("the framework doesn't support float64")
        return made


def test_the_self_check_needs_no_float64(tokenizers):
    lm = SharedPrefixLM(make_larger("llama", torch.bfloat16).to(torch.bfloat16), tokenizer=tokenizers[False], batch_size=8)
    with WithoutFloat64():
        lm._loglikelihood_tokens(make_requests(24), disable_tqdm=True)
        generate(lm, ["kota besar", "kota kecil"], do_sample=False, max_gen_toks=4, until=[])
    assert lm.work.verification > 0


@pytest.mark.parametrize(("apart", "is_wrong"), [(0.1, False), (0.4, True)])
def test_a_doubtful_text_is_compared_with_others_of_its_batch(apart, is_wrong):
    """Rounding can move one of several texts four times as far as the others; only a fault does that to all of them."""
    plain = torch.full((1, VOCABULARY), 0.0)
    others = [(apart, 0.1)] * 7
    with pytest.raises(Mismatch) if is_wrong else nullcontext():
        Agreement(torch.bfloat16, quantized=False).check_predictions(plain + 0.4, plain, lambda _: plain + 0.1, others)


INF = float("inf")


def test_words_of_probability_zero():
    """Two zeros agree. A zero and another probability, or a NaN, do not."""
    check_agreement(-INF, -INF, 1, 0.1)
    assert distance(torch.tensor([[-1.0, -INF]]), torch.tensor([[-1.0, -INF]])) == 0
    for other in (-1.0, float("nan")):
        with pytest.raises(Mismatch):
            check_agreement(other, -INF, 1, 0.1)
        assert distance(torch.tensor([[-1.0, -INF]]), torch.tensor([[-1.0, other]])) == INF
