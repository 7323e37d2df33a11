"""What an accelerator needs, shown on a CPU by counters and switches; no accelerator runs these tests."""

import pytest
import torch

from lm_eval_sea.models import SharedPrefixLM

from .conftest import answer, make_model, ranking_requests


@pytest.fixture(scope="module")
def llama(tokenizers):
    return make_model("llama", len(tokenizers[False]))


@pytest.mark.parametrize("enabled", [True, False])
def test_no_pass_takes_the_kernel_that_plans_anew_for_each_shape(enabled, llama, tokenizers, monkeypatch):
    before = torch.backends.cuda.cudnn_sdp_enabled()
    torch.backends.cuda.enable_cudnn_sdp(enabled)
    seen = []
    hook = llama.get_input_embeddings().register_forward_hook(lambda *_: seen.append(torch.backends.cuda.cudnn_sdp_enabled()))
    try:
        answer(SharedPrefixLM, llama, tokenizers[False], ranking_requests())
        assert torch.backends.cuda.cudnn_sdp_enabled() == enabled, "as the user has it"
    finally:
        hook.remove()
        torch.backends.cuda.enable_cudnn_sdp(before)
    assert seen and not any(seen)


@pytest.mark.parametrize(("batch_size", "device", "most"), [(1, "cuda", 16384), (64, "cuda", 64 * 1000), (1, "cpu", 1000)])
def test_tokens_in_a_batch(batch_size, device, most, llama, tokenizers):
    """lm-eval's default batch size of 1 does not make passes of one text."""
    lm = SharedPrefixLM(llama, tokenizer=tokenizers[False], batch_size=batch_size)
    lm._device = torch.device(device)
    assert lm._budget(1000) == most
