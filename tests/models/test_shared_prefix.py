"""The same log-likelihoods as lm-eval's hf, for every architecture and every kind of request."""

import random

import pytest
import torch
from bench_workloads import GENERATED, generate
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM
from transformers import AutoModelForCausalLM

from lm_eval_sea.models import SharedPrefixLM, planning

from ..quick import ONE_BY_ONE, quick_of
from ..tasks.evaluation import evaluate
from .conftest import (
    COPYING,
    LOGLIKELIHOOD_ROUNDING,
    TEXT,
    WITH_ATTENTION,
    WORDS,
    ask,
    assert_like_parent,
    make_model,
    ranking_requests,
    text,
)
from .vllm.answers import assert_alike


@pytest.mark.parametrize(("name", "attention"), WITH_ATTENTION)
def test_architectures(name, attention, tokenizers):
    """With each kind of attention, and each kind of tokenizer."""
    bos = attention == "sdpa"
    model = make_model(name, len(tokenizers[bos]), attention=attention)
    lm = assert_like_parent(model, tokenizers[bos], ranking_requests(bos=bos))
    assert {(kind.behind_prefix, kind.branching) for kind in lm._verified} >= {(True, True)}


@pytest.mark.parametrize("name", quick_of(["qwen3.5", "falcon-h1", "llama4", "gpt-neo", "bloom"], COPYING))
def test_architectures_that_copy_the_cache(name, tokenizers):
    """The requests have prefixes inside prefixes, sequences that end in a prefix, and rows of different lengths."""
    model = make_model(name, len(tokenizers[True]))
    lm = assert_like_parent(model, tokenizers[True], ranking_requests(prefix=60, bos=True), max_length=256)
    assert any(kind.behind_prefix for kind in lm._verified)
    assert lm.work.forwarded <= 1.5 * lm.work.distinct


OF_ALL_KINDS = ["gemma2", "gemma4", "gpt-oss", "deepseek-v3", "falcon", "qwen3.5", "nemotron-h", "llama4"]


@pytest.mark.parametrize("name", quick_of(["gemma2", "qwen3.5"], OF_ALL_KINDS))
def test_bfloat16(name, tokenizers):
    """`test_agreement.py` compares the numbers with those of 32 bits."""
    model = make_model(name, len(tokenizers[True]), dtype=torch.bfloat16, initializer_range=0.02)
    requests = ranking_requests(prefix=60, bos=True)
    assert_like_parent(model, tokenizers[True], requests, tolerance=0.5, greedy=False, max_length=256)


@pytest.mark.parametrize(
    ("options", "tolerance"),
    [({"softmax_dtype": "float64"}, 1e-4), ({"mixed_precision_dtype": "bfloat16"}, 0.5), ({"logits_cache": False}, 1e-4)],
)
def test_settings_of_hf(options, tolerance, tokenizers):
    model = make_model("llama", len(tokenizers[False]), initializer_range=0.02)
    how = {"tolerance": tolerance, "greedy": "logits_cache" in options}
    assert_like_parent(model, tokenizers[False], ranking_requests(), **how, **options)


dice = random.Random(1)
LONG = text(dice, 80)
# requests made of texts; `test_random_sequences` has requests made of tokens
AWKWARD = {
    "empty context": [("", text(dice, 5)) for _ in range(4)] + [("", "sungai")],
    "beyond the window": [(f"{LONG} {text(dice, 60)}", f" {text(dice, low)}") for low in (1, 2, 3, 60)],
    "beyond the window, cut alike": [(f"{LONG} {LONG}", f" {ending}") for ending in ("a", "b", "desa", "desa kota desa")],
    "duplicates": [(LONG, " kota")] * 5 + [(LONG, " desa")] * 2,
    "equal prefixes": [(LONG, f" {text(dice, 1, 3)}{number}") for number in range(100)],
    "merging boundary": [
        ("sebuah kota be", "sar di tepi sungai yang ramai"),
        ("sebuah kota", " besar di tepi sungai yang ramai"),
        ("sebuah kota ", "besar di tepi sungai yang ramai"),
        ("sebuah kota  ", " besar di tepi sungai yang ramai"),
    ],
    "two tasks": ranking_requests(seed=1) + ranking_requests(seed=2) + ranking_requests(seed=3, prefix=1),
}


@pytest.mark.parametrize("options", [ONE_BY_ONE, {"batch_size": "auto", "max_batch_size": 8}], ids=str)
@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_requests(name, options, llama, tokenizers):
    requests = AWKWARD[name]
    random.Random(2).shuffle(requests)
    # With its logits cache, hf scores wrong positions of requests with the same tokens that are divided differently.
    parent = {"logits_cache": False, "batch_size": 8}
    assert_like_parent(llama, tokenizers[False], requests, parent=parent, max_length=100, **options)


def test_few_tokens_are_computed_twice(llama, tokenizers):
    """The self-check is cheap even if few rows are shorter than what they share."""
    lm = assert_like_parent(llama, tokenizers[False], ranking_requests(32, prefix=60), batch_size=16)
    assert lm.work.forwarded <= 1.15 * lm.work.distinct
    assert 0 < lm.work.verification <= 0.05 * lm.work.distinct


@pytest.mark.slow
@pytest.mark.parametrize("workload", GENERATED)
@pytest.mark.parametrize(("name", "most", "least"), [("llama", 1.05, 700), ("bloom", 1.05, 200)])
def test_few_tokens_are_computed_twice_in_standard_workloads(workload, name, most, least, tokenizers, monkeypatch):
    """Computed tokens per distinct token, and per pass, with rows that branch and with copies of the cache."""
    monkeypatch.undo()  # rows have their usual length
    lm = SharedPrefixLM(make_model(name, len(tokenizers[False])), tokenizer=tokenizers[False], batch_size=16, max_length=4096)
    passes = []
    lm.model.get_input_embeddings().register_forward_hook(lambda *_: passes.append(1))
    ask(lm, [args for row in generate(workload, 12) for args in row])
    assert not lm._plain
    assert lm.work.forwarded <= most * lm.work.distinct
    assert lm.work.forwarded >= least * len(passes)


def test_the_self_check_of_long_rows_is_cheap(llama, tokenizers):
    """It computes one short row, which stands for all rows of less than twice its length."""
    passages = [" ".join(WORDS[place : place + (1 if place % 2 else 8)]) for place in range(8)]
    requests = [(f"{TEXT} {TEXT}\n{passage}:", option) for passage in passages for option in (" kota besar", " kota kecil")]
    lengths = [len(tokenizers[False].encode("".join(request))) for request in requests]
    assert 2 * min(lengths) > max(lengths) > min(lengths) + 5
    lm = assert_like_parent(llama, tokenizers[False], requests, batch_size=16)
    assert 0 < lm.work.verification <= min(lengths) - len(tokenizers[False].encode(f"{TEXT} {TEXT}"))


@pytest.mark.parametrize("context, continuation", [([], [1]), ([1], []), ([1], [1] * 101)])
def test_requests_that_no_model_can_answer(context, continuation, llama, tokenizers):
    lm = SharedPrefixLM(llama, tokenizer=tokenizers[False], max_length=100)
    with pytest.raises(ValueError, match="tokens of context"):
        lm._loglikelihood_tokens([(("", ""), context, continuation)])


def of_whole_text(model, tokens, scored):
    """The log-likelihood of the last tokens by one plain pass, and whether each is the most likely one."""
    tokens = torch.tensor(tokens)
    with torch.inference_mode():
        logprobs = model(tokens[None, :-1]).logits[0, -scored:].log_softmax(-1)
    return float(logprobs.gather(1, tokens[-scored:, None]).sum()), bool((logprobs.argmax(-1) == tokens[-scored:]).all())


token_lists = st.lists(st.integers(1, 4), min_size=2, max_size=40)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    sequences=st.lists(st.tuples(token_lists, st.integers(1, 39)), min_size=1, max_size=30),
    row_tokens=st.sampled_from([4, 32, 1024]),
    worth_sharing=st.sampled_from([0.0, 0.05]),
    batch_size=st.integers(1, 8),
)
def test_random_sequences(sequences, row_tokens, worth_sharing, batch_size, llama, tokenizers):
    """Any set of token sequences, against one plain forward pass for each."""
    cuts = [(tokens, min(cut, len(tokens) - 1)) for tokens, cut in sequences]
    requests = [(("", ""), tokens[:cut], tokens[cut:]) for tokens, cut in cuts if len(tokens) - cut <= 30]
    lm = SharedPrefixLM(llama, tokenizer=tokenizers[False], batch_size=batch_size, max_length=30)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("ROW_TOKENS", row_tokens), ("PACKED_ROW_TOKENS", row_tokens), ("WORTH_SHARING", worth_sharing)):
            patch.setattr(planning, name, value)
        answers = lm._loglikelihood_tokens(requests, disable_tqdm=True)
    assert not lm._plain
    for (_, context, continuation), (loglikelihood, is_greedy) in zip(requests, answers, strict=True):
        expected, was_greedy = of_whole_text(llama, (context + continuation)[-31:], len(continuation))
        assert loglikelihood == pytest.approx(expected, abs=1e-4)
        assert is_greedy == was_greedy


def test_rolling_log_likelihoods_equal_those_of_hf(llama, tokenizers):
    requests = [Instance("loglikelihood_rolling", {}, (LONG,), 0)]
    lms = [model_class(llama, tokenizer=tokenizers[False], max_length=64) for model_class in (HFLM, SharedPrefixLM)]
    expected, got = (lm.loglikelihood_rolling(requests, disable_tqdm=True) for lm in lms)
    assert got == expected


def test_answers_are_stored_batch_by_batch(llama, tokenizers):
    """An interruption loses one batch at most; `tests/run/test_resume.py` kills runs."""
    requests, stored, passes = ranking_requests(20), [], []
    lm = SharedPrefixLM(llama, tokenizer=tokenizers[False], batch_size=1)
    lm.cache_hook.add_partial = lambda _, request, answer: stored.append((len(passes), request, answer))
    hook = llama.get_input_embeddings().register_forward_hook(lambda *_: passes.append(1))
    answers = ask(lm, requests)
    hook.remove()
    assert {request: answer for _, request, answer in stored} == dict(zip(requests, answers, strict=True))
    assert stored[0][0] < len(passes) / 2


# whole runs; `tests/tasks/test_runs.py` has several processes

TASKS = ["sea_belebele_th_to_ppl", "sea_m3exam_th_litilo_ppl", "sea_wisesight_th"]


@pytest.mark.slow
def test_whole_tasks_agree_with_hf(tiny_model_bos, samples):
    """A text-option, a letter and a classification task, by the names of the backends."""
    options = {"model_args": {"pretrained": str(tiny_model_bos), "dtype": "float32", "device": "cpu"}, "batch_size": 4}
    plain, shared = (evaluate(samples, TASKS, name, **options) for name in ("hf", "hf-shared-prefix"))
    assert plain["samples"].keys() == set(TASKS)
    assert_alike(shared, plain)


@pytest.mark.slow
def test_sums_over_thousands_of_tokens(tiny_model_bos, monkeypatch):
    """Both backends in float32 are within rounding of the sum in float64."""
    monkeypatch.setattr(planning, "ROW_TOKENS", 1024)
    long = " ".join(WORDS[number * number % 7] + str(number) for number in range(1200))
    requests = [("", long), ("", f"{long[:9000]} lain"), (long, " kota"), (long, " desa")]
    options = {"device": "cpu", "dtype": "float32", "batch_size": 2}
    hf, shared = (model_class(str(tiny_model_bos), **options) for model_class in (HFLM, SharedPrefixLM))
    precise = AutoModelForCausalLM.from_pretrained(tiny_model_bos, dtype=torch.float64)
    for (context, continuation), *answers in zip(requests, ask(hf, requests), ask(shared, requests), strict=True):
        before = hf._encode_pair(context, continuation) if context else ([hf.prefix_token_id], hf.tok_encode(continuation)[1:])
        expected, _ = of_whole_text(precise, before[0] + before[1], len(before[1]))
        for loglikelihood, _ in answers:
            assert abs(loglikelihood - expected) <= 1e-4 + LOGLIKELIHOOD_ROUNDING * abs(expected)
    assert not shared._plain
