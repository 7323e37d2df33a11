"""Models that cannot be computed along shared prefixes, and machines that run out of memory."""

import pytest
import torch
from lm_eval.models.huggingface import HFLM
from transformers import AutoConfig, AutoModelForSeq2SeqLM

from lm_eval_sea.models import SharedPrefixLM

from .conftest import answer, ask, assert_equal, assert_like_parent, generate, make_model, ranking_requests

OUT_OF_MEMORY = torch.OutOfMemoryError("CUDA out of memory. Tried to allocate too much.")


@pytest.fixture
def warnings(caplog):
    return lambda: [record.getMessage() for record in caplog.records if record.name == "lm_eval_sea"]


def test_encoder_decoder(tokenizers, warnings):
    """Also if texts begin with the token that ends them, as those of BART and NLLB do."""
    tokenizer = tokenizers[False]
    ids = {"decoder_start_token_id": tokenizer.eos_token_id, "eos_token_id": tokenizer.eos_token_id}
    config = AutoConfig.for_model("t5", vocab_size=len(tokenizer), d_model=16, d_ff=32, num_layers=1, num_heads=2, **ids)
    torch.manual_seed(0)
    model = AutoModelForSeq2SeqLM.from_config(config).eval()
    assert_like_parent(model, tokenizer, [("sebuah", " kota"), ("sebuah", " desa")], plain=True, max_length=64)
    assert "encoder-decoder" in warnings()[0]
    options = {"tokenizer": tokenizer, "max_length": 64, "backend": "seq2seq"}
    ours, theirs = (generate(kind(model, **options), ["sebuah kota", "desa"], max_gen_toks=4) for kind in (SharedPrefixLM, HFLM))
    assert ours == theirs and any(theirs), "else the test shows nothing"


@pytest.fixture
def llama(tokenizers):
    """A new model for each test, which changes it."""
    return make_model("llama", len(tokenizers[False]))


CACHE_NAMES = {"cache", "past_key_values"}  # as transformers calls it since 5.24, and before


def bend(model, change):
    """Changes the arguments of each forward pass."""
    forward = model.forward
    model.forward = lambda *args, **keywords: forward(*args, **change(keywords))


def before_each_pass(model, hook):
    """Calls the hook with the tokens; each row is a text."""
    model.get_input_embeddings().register_forward_pre_hook(lambda _, inputs: hook(inputs[0]))


def _causal_mask_only(keywords):
    return keywords | {"attention_mask": None}


def _no_cache(keywords):
    return {name: value for name, value in keywords.items() if name not in CACHE_NAMES}


def _refuses_masks(keywords):
    if keywords.get("attention_mask") is not None:
        raise TypeError("unexpected attention_mask")
    return keywords


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        ("mamba", None, "one token at a time"),
        ("jamba", None, "one token at a time"),
        ("recurrent-gemma", None, "came out as"),
        ("rwkv", None, "does not use the cache"),
        ("llama", _causal_mask_only, "came out as"),
        ("llama", _no_cache, "does not use the cache"),
        ("llama", _refuses_masks, "unexpected attention_mask"),
    ],
)
def test_a_wrong_number_is_never_used(name, change, reason, tokenizers, warnings):
    """The run's own requests reveal a model that cannot be computed along prefixes, or ignores or refuses its arguments."""
    model = make_model(name, len(tokenizers[False]))
    if change:
        bend(model, change)
    assert_like_parent(model, tokenizers[False], ranking_requests(), plain=True, max_length=256)
    (warning,) = warnings()
    assert reason in warning


def test_a_later_batch_is_checked_too(llama, tokenizers, warnings):
    """The first requests share nothing, so only later ones show that the model fails."""
    bend(llama, _causal_mask_only)
    lm, _ = answer(SharedPrefixLM, llama, tokenizers[False], [("sebuah", " kota"), ("di", " desa")])
    assert not lm._plain
    ask(lm, ranking_requests())
    assert lm._plain


def test_out_of_memory_halves_the_batch(llama, tokenizers, warnings):
    sizes, most = [], 150  # the tokens of two rows

    def scarce(tokens):
        sizes.append(tokens.numel())
        if sizes[-1] > most:
            raise OUT_OF_MEMORY

    _, expected = answer(HFLM, llama, tokenizers[False], ranking_requests(12))
    before_each_pass(llama, scarce)
    _, answers = answer(SharedPrefixLM, llama, tokenizers[False], ranking_requests(12), batch_size=16)
    assert_equal(answers, expected)
    assert max(sizes) > most
    assert not warnings(), "nothing is computed one by one"
    most = 0
    with pytest.raises(torch.OutOfMemoryError):
        answer(SharedPrefixLM, llama, tokenizers[False], ranking_requests())


def test_a_prefix_that_does_not_fit_is_computed_with_each_request(llama, tokenizers, warnings):
    """There is memory for one row of a plain forward pass, but never for the keys and values of a prefix."""
    requests = [("sebuah", " kota"), ("di", " desa"), *ranking_requests(4)]
    _, expected = answer(HFLM, llama, tokenizers[False], requests)

    def no_room_for_prefixes(keywords):
        if any(keywords.get(name) is not None for name in CACHE_NAMES):
            raise OUT_OF_MEMORY
        return keywords

    def no_room_for_batches(tokens):
        if len(tokens) > 1:
            raise OUT_OF_MEMORY

    bend(llama, no_room_for_prefixes)
    before_each_pass(llama, no_room_for_batches)
    lm, answers = answer(SharedPrefixLM, llama, tokenizers[False], requests)
    assert_equal(answers, expected)
    assert (lm._plain, lm.batch_size) == (False, 4)
    (warning,) = warnings()
    assert "one by one" in warning


def test_two_processes_fall_back_alone(llama, tokenizers, monkeypatch):
    """A process that falls back does not wait for the others to find a batch size."""
    _, expected = answer(SharedPrefixLM, llama, tokenizers[False], ranking_requests())
    bend(llama, _causal_mask_only)
    lm = SharedPrefixLM(llama, tokenizer=tokenizers[False], batch_size="auto")
    lm._world_size, lm._deals = 2, True
    monkeypatch.setattr(lm, "_detect_batch_size", lambda *_: pytest.fail("talks to the other processes"))
    encoded = [(args, *lm._encode_pair(*args)) for args in ranking_requests()]
    assert_equal(lm._loglikelihood_tokens(encoded, disable_tqdm=True), expected)


def test_running_out_of_memory_once_keeps_batches_and_checks(llama, tokenizers):
    """It happens in the first pass, which has logits of every token."""
    failures = []

    def once(_, inputs):
        if not failures:
            failures.append(inputs[0].shape)
            raise OUT_OF_MEMORY

    work = answer(SharedPrefixLM, llama, tokenizers[False], ranking_requests(20), batch_size=16)[0].work
    _, expected = answer(HFLM, llama, tokenizers[False], ranking_requests(20), batch_size=16)
    llama.get_output_embeddings().register_forward_pre_hook(once)
    lm, answers = answer(SharedPrefixLM, llama, tokenizers[False], ranking_requests(20), batch_size=16)
    assert_equal(answers, expected)
    assert len(failures) == 1 and lm._verified
    assert lm.work.forwarded <= work.forwarded
    assert lm.work.verification <= 0.2 * lm.work.forwarded


def test_a_text_that_does_not_fit_leaves_the_others_in_batches(llama, tokenizers, warnings):
    """The text is too long for memory even alone behind its prefix."""
    requests = [*ranking_requests(12), (" ".join(["sungai"] * 60), " kota")]
    lengths = [len(tokenizers[False].encode("".join(request))) for request in requests]
    _, expected = answer(HFLM, llama, tokenizers[False], requests)

    def scarce(keywords):
        ids = keywords.get("input_ids")
        if ids is not None and ids.numel() > sorted(lengths)[-2] + 5:
            raise OUT_OF_MEMORY
        return keywords

    bend(llama, scarce)
    lm, answers = answer(SharedPrefixLM, llama, tokenizers[False], requests, batch_size=1)
    assert_equal(answers, expected)
    assert "1 of them are computed one by one" in warnings()[-1]
    assert 0 < lm.work.forwarded <= 1.3 * lm.work.distinct
