"""What an accelerator needs, checked on a CPU by counters and switches, and the memory that is used."""

from collections import Counter

import pytest
import torch
from lm_eval.models.huggingface import HFLM
from torch.profiler import ProfilerActivity, profile
from torch.utils._python_dispatch import TorchDispatchMode

from lm_eval_sea.models import SharedPrefixLM, branching, copying, forward, scoring
from lm_eval_sea.models.attention import plain_attention

from .conftest import answer, ask, assert_equal, make_model, ranking_requests


def kernels_that_take_masks():
    cuda = torch.backends.cuda
    return cuda.mem_efficient_sdp_enabled(), cuda.cudnn_sdp_enabled()


@pytest.mark.parametrize("enabled", [True, False])
def test_no_pass_takes_a_fused_kernel_for_masks(enabled, llama, tokenizers):
    """One kernel is wrong for single tokens, the other is planned anew for each shape. The user's settings are restored."""
    with plain_attention():
        torch.backends.cuda.enable_mem_efficient_sdp(enabled)
        torch.backends.cuda.enable_cudnn_sdp(not enabled)
        seen = []
        hook = llama.get_input_embeddings().register_forward_hook(lambda *_: seen.append(kernels_that_take_masks()))
        try:
            answer(SharedPrefixLM, llama, tokenizers[False], ranking_requests())
            assert kernels_that_take_masks() == (enabled, not enabled)
        finally:
            hook.remove()
    assert set(seen) == {(False, False)}


def test_the_first_prefix_has_no_mask(llama, tokenizers, monkeypatch):
    """With a mask, the kernel whose memory does not grow with the square of the length cannot be used."""
    masked, passes, run = [], [], branching.BranchingModel.run

    def spy(self, batch, predictions, prefix, *, keep):
        found = run(self, batch, predictions, prefix, keep=keep)
        passes.append((bool(prefix.length) or batch.branches, keep, masked[-1]))
        return found

    monkeypatch.setattr(branching.BranchingModel, "run", spy)
    forward = llama.forward
    monkeypatch.setattr(
        llama, "forward", lambda *args, **more: masked.append(more.get("attention_mask") is not None) or forward(*args, **more)
    )
    lm = SharedPrefixLM(llama, tokenizer=tokenizers[False], batch_size=4)
    for _ in range(2):  # the first time, a plain pass is the reference of the self-check
        ask(lm, ranking_requests())
    assert (False, True, False) in passes and {needed == given for needed, _, given in passes} == {True}


@pytest.mark.parametrize(("batch_size", "device", "most"), [(1, "cuda", 16384), (64, "cuda", 64 * 1000), (1, "cpu", 1000)])
def test_tokens_in_a_batch(batch_size, device, most, llama, tokenizers):
    """With lm-eval's default batch size of 1, passes still have several texts."""
    lm = SharedPrefixLM(llama, tokenizer=tokenizers[False], batch_size=batch_size)
    lm._device = torch.device(device)
    assert lm._budget(1000) == most


class Operations(TorchDispatchMode):
    """Counts operations by their names."""

    def __init__(self):
        super().__init__()
        self.counts = Counter()

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.counts[function.overloadpacket.__name__] += 1
        return function(*args, **(kwargs or {}))


@pytest.mark.parametrize("name", ["llama", "bloom"])
def test_passes_do_not_wait_for_the_device(name, tokenizers, monkeypatch):
    """A pass has two uploads and no search whose result the host must know; results are read after the next pass is launched."""
    monkeypatch.setattr(forward, "SOFTMAX_ROWS", {})
    monkeypatch.setattr(forward, "_is_first_maximum", forward._is_maximum)
    model = make_model(name, len(tokenizers[False]))
    _, expected = answer(HFLM, model, tokenizers[False], ranking_requests(12), batch_size=16)
    events = []
    for module in (branching, copying, forward):
        upload = module.upload
        monkeypatch.setattr(module, "upload", lambda *args, upload=upload: events.append("upload") or upload(*args))
    total = scoring._total
    monkeypatch.setattr(scoring, "_total", lambda *args: events.append("read") or total(*args))
    lm = SharedPrefixLM(model, tokenizer=tokenizers[False], batch_size=16)
    ask(lm, ranking_requests(12))  # with the self-check
    events.clear()
    model.get_input_embeddings().register_forward_hook(lambda *_: events.append("pass"))
    with Operations() as operations:
        answers = ask(lm, ranking_requests(12))
    assert_equal(answers, expected)
    passes = events.count("pass")
    assert passes > 2
    assert events.count("upload") == 2 * passes
    assert operations.counts["nonzero"] == 0
    assert operations.counts["_local_scalar_dense"] <= len(answers), "the sums, which are no longer on a device"
    first = events.index("read")
    assert events[:first].count("pass") >= 2


def peak(lm, requests):
    """The peak of bytes in tensors, from the allocator's own record."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as record:
        ask(lm, requests)
    events = [event for event in record.profiler.kineto_results.events() if event.name() == "[memory]"]
    held = most = 0
    for event in sorted(events, key=lambda event: event.start_ns()):
        held += event.nbytes()
        most = max(most, held)
    return most


# Models in which logits, or keys and values, take most of the memory.
SIZES = {"vocabulary": {"vocab_size": 2000}, "keys": {"vocab_size": 400, "num_hidden_layers": 8, "num_key_value_heads": 4}}


@pytest.mark.slow
@pytest.mark.parametrize("batch_size", [1, 16])
@pytest.mark.parametrize("prefix", [1, 60])
@pytest.mark.parametrize("name", ["llama", "gpt-neox"])
@pytest.mark.parametrize("size", SIZES)
def test_no_more_memory_than_hf_at_the_same_batch_size(size, name, prefix, batch_size, tokenizers):
    changes = dict(SIZES[size])
    model = make_model(name, changes.pop("vocab_size"), **changes)
    requests = ranking_requests(24, prefix=prefix)
    plain, shared = (
        peak(model_class(model, tokenizer=tokenizers[False], batch_size=batch_size), requests)
        for model_class in (HFLM, SharedPrefixLM)
    )
    assert shared <= plain
