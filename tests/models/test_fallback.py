"""Models that cannot be computed along shared prefixes, and machines that run out of memory."""

import logging

import pytest
import torch
from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM
from transformers import AutoConfig, AutoModelForSeq2SeqLM

from lm_eval_sea.models import SharedPrefixLM
from lm_eval_sea.models.obstacles import find_obstacle

from .conftest import answer, assert_equal, assert_like_parent, make_model, ranking_requests


@pytest.fixture
def warnings(caplog):
    caplog.set_level(logging.WARNING, logger="lm_eval_sea")
    return lambda: [record.getMessage() for record in caplog.records if record.name == "lm_eval_sea"]


@pytest.mark.parametrize(
    "name, reason",
    [
        ("mamba", "one token at a time"),
        ("jamba", "one token at a time"),
        ("recurrent-gemma", "came out as"),
        ("rwkv", "does not use the cache"),
    ],
)
def test_known_obstacles(name, reason, tokenizers, warnings):
    model = make_model(name, len(tokenizers[False]))
    assert_like_parent(model, tokenizers[False], ranking_requests(), plain=True, max_length=256)
    (warning,) = warnings()
    assert reason in warning


def test_encoder_decoder(tokenizers, warnings):
    config = AutoConfig.for_model(
        "t5", vocab_size=len(tokenizers[False]), d_model=16, d_ff=32, num_layers=1, num_heads=2, decoder_start_token_id=0
    )
    model = AutoModelForSeq2SeqLM.from_config(config).eval()
    assert_like_parent(model, tokenizers[False], [("sebuah", " kota"), ("sebuah", " desa")], plain=True, max_length=64)
    assert "encoder-decoder" in warnings()[0]


def test_answers_of_an_encoder_decoder_whose_texts_begin_with_an_end(tokenizers):
    """As those of BART and NLLB do."""
    tokenizer = tokenizers[False]
    config = AutoConfig.for_model(
        "t5", vocab_size=len(tokenizer), d_model=16, d_ff=32, num_layers=1, num_heads=2,
        decoder_start_token_id=tokenizer.eos_token_id, eos_token_id=tokenizer.eos_token_id,
    )  # fmt: skip
    torch.manual_seed(0)
    model = AutoModelForSeq2SeqLM.from_config(config).eval()
    requests = [Instance("generate_until", {}, (text, {"until": [], "max_gen_toks": 4}), 0) for text in ("sebuah kota", "desa")]
    ours, theirs = (
        kind(model, tokenizer=tokenizer, max_length=64, backend="seq2seq").generate_until(requests, disable_tqdm=True)
        for kind in (SharedPrefixLM, HFLM)
    )
    assert ours == theirs and any(theirs), "else the test shows nothing"


@pytest.mark.parametrize(
    "change, reason",
    [
        (lambda model: setattr(model, "peft_config", {"default": type("Tuning", (), {"is_prompt_learning": True})}), "learnt"),
        (lambda model: setattr(model, "get_output_embeddings", lambda: None), "head"),
    ],
)
def test_other_obstacles(change, reason, tokenizers):
    model = make_model("llama", len(tokenizers[False]))
    assert find_obstacle(model) is None
    change(model)
    assert reason in find_obstacle(model)


class _Changed:
    """A model whose forward pass is bent."""

    def __init__(self, model, bend):
        self.model, self.forward, self.bend = model, model.forward, bend
        model.forward = self

    def __call__(self, *args, **keywords):
        return self.forward(*args, **self.bend(keywords))


def _causal_mask_only(keywords):
    return keywords | {"attention_mask": None}


def _no_cache(keywords):
    return {name: value for name, value in keywords.items() if name != "past_key_values"}


def _refuses_masks(keywords):
    if keywords.get("attention_mask") is not None:
        raise TypeError("unexpected attention_mask")
    return keywords


@pytest.mark.parametrize(
    "bend, reason",
    [(_causal_mask_only, "came out as"), (_no_cache, "does not use the cache"), (_refuses_masks, "unexpected attention_mask")],
)
def test_a_wrong_number_is_never_used(bend, reason, tokenizers, warnings):
    """A model that ignores or refuses what it is given is found out on the run's own requests."""
    model = make_model("llama", len(tokenizers[False]))
    _Changed(model, bend)
    assert_like_parent(model, tokenizers[False], ranking_requests(), plain=True)
    (warning,) = warnings()
    assert reason in warning
    assert len(warnings()) == 1


def test_a_later_batch_is_checked_too(tokenizers, warnings):
    """The first requests share nothing, so that only later ones show what the model cannot do."""
    model = make_model("llama", len(tokenizers[False]))
    _Changed(model, _causal_mask_only)
    lm, _ = answer(SharedPrefixLM, model, tokenizers[False], [("sebuah", " kota"), ("di", " desa")])
    assert not lm._plain
    lm.loglikelihood([type("Request", (), {"args": args, "task_name": None}) for args in ranking_requests()], disable_tqdm=True)
    assert lm._plain


def test_out_of_memory_halves_the_batch(tokenizers):
    model = make_model("llama", len(tokenizers[False]))
    limit, sizes = 150, []

    def scarce(keywords):
        ids = keywords.get("input_ids")
        if ids is not None:
            sizes.append(ids.numel())
            if ids.numel() > limit:
                raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate too much.")
        return keywords

    _Changed(model, scarce)
    lm = assert_like_parent(model, tokenizers[False], ranking_requests(20), batch_size=16)
    assert max(sizes) > limit
    assert lm.work.forwarded <= 1.3 * lm.work.distinct


def test_no_memory_for_anything(tokenizers):
    model = make_model("llama", len(tokenizers[False]))

    def none_left(*_):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate too much.")

    model.get_input_embeddings().register_forward_pre_hook(none_left)
    with pytest.raises(torch.OutOfMemoryError):
        answer(SharedPrefixLM, model, tokenizers[False], ranking_requests())


def test_a_prefix_without_room_is_computed_with_each_request(tokenizers, warnings):
    """Memory holds one row of a plain forward pass, and never the keys and values of a prefix."""
    model = make_model("llama", len(tokenizers[False]))
    requests = [("sebuah", " kota"), ("di", " desa"), *ranking_requests()]
    _, expected = answer(HFLM, model, tokenizers[False], requests)

    def no_room_for_prefixes(keywords):
        if keywords.get("past_key_values") is not None:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate too much.")
        return keywords

    def no_room_for_batches(_, inputs):
        if len(inputs[0]) > 1:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate too much.")

    _Changed(model, no_room_for_prefixes)
    model.get_input_embeddings().register_forward_pre_hook(no_room_for_batches)
    lm, answers = answer(SharedPrefixLM, model, tokenizers[False], requests)
    assert_equal(answers, expected)
    assert (lm._plain, lm.batch_size) == (False, 4)
    (warning,) = warnings()
    assert "one by one" in warning


def test_two_processes_fall_back_alone(tokenizers, monkeypatch):
    """One of several processes that falls back does not wait for the others to find a batch size."""
    model = make_model("llama", len(tokenizers[False]))
    _, expected = answer(SharedPrefixLM, model, tokenizers[False], ranking_requests())
    _Changed(model, _causal_mask_only)
    lm = SharedPrefixLM(model, tokenizer=tokenizers[False], batch_size="auto")
    lm._world_size, lm._deals = 2, True
    monkeypatch.setattr(lm, "_detect_batch_size", lambda *_: pytest.fail("talks to the other processes"))
    encoded = [(args, *lm._encode_pair(*args)) for args in ranking_requests()]
    for got, wanted in zip(lm._loglikelihood_tokens(encoded, disable_tqdm=True), expected, strict=True):
        assert got[0] == pytest.approx(wanted[0], abs=1e-4, rel=3e-7)


def test_one_lack_of_memory_is_one(tokenizers):
    """In the first pass, which has logits of every token: the others go on in batches, and are checked."""
    model = make_model("llama", len(tokenizers[False]))
    failures = []

    def once(_, inputs):
        if not failures:
            failures.append(inputs[0].shape)
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate too much.")

    work = answer(SharedPrefixLM, model, tokenizers[False], ranking_requests(20), batch_size=16)[0].work
    _, expected = answer(HFLM, model, tokenizers[False], ranking_requests(20), batch_size=16)
    model.get_output_embeddings().register_forward_pre_hook(once)
    passes = []
    model.get_input_embeddings().register_forward_pre_hook(lambda *_: passes.append(1))
    lm, answers = answer(SharedPrefixLM, model, tokenizers[False], ranking_requests(20), batch_size=16)
    assert_equal(answers, expected)
    assert len(failures) == 1 and lm._verified
    assert lm.work.forwarded <= work.forwarded
    assert lm.work.verification <= 0.2 * lm.work.forwarded


def test_what_has_no_room_is_left_and_the_rest_goes_on(tokenizers, warnings):
    """One text that is too long for memory, even alone behind its prefix."""
    model = make_model("llama", len(tokenizers[False]))
    requests = [*ranking_requests(12), (" ".join(["sungai"] * 60), " kota")]
    lengths = [len(tokenizers[False].encode("".join(request))) for request in requests]
    _, expected = answer(HFLM, model, tokenizers[False], requests)

    def scarce(keywords):
        ids = keywords.get("input_ids")
        if ids is not None and ids.numel() > sorted(lengths)[-2] + 5:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate too much.")
        return keywords

    _Changed(model, scarce)
    lm, answers = answer(SharedPrefixLM, model, tokenizers[False], requests, batch_size=1)
    assert_equal(answers, expected)
    assert "1 of them are computed one by one" in warnings()[-1]
    assert 0 < lm.work.forwarded <= 1.3 * lm.work.distinct
