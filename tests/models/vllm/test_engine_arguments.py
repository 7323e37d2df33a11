"""Several workers, several engines, and an adapter: the backend answers as `vllm` and `hf` do, and shares prompts."""

import secrets
import tempfile

import pytest

pytest.importorskip("vllm", reason="vLLM has an environment of its own: bash scripts/test_vllm.sh")

from lm_eval.models.huggingface import HFLM
from peft import LoraConfig

from lm_eval_sea.models.vllm_shared_prefix import VLLMSharedPrefixLM

from ..conftest import ask, assert_equal, make_adapter, ranking_requests
from .conftest import ENGINE, until_shut_down

REQUESTS = ranking_requests(24, prefix=80, bos=True)


def assert_shared(lm):
    """Fewer tokens than the requests have, and the self-check among them."""
    plain = sum(len(lm.tok_encode(context + continuation)) for context, continuation in REQUESTS)
    assert lm._verified
    assert not lm._plain
    assert lm.work.forwarded + lm.work.verification < plain / 4


def test_tensor_parallel(model_folder, vllm):
    for lm in until_shut_down(VLLMSharedPrefixLM(str(model_folder), tensor_parallel_size=2, **ENGINE)):
        assert_equal(ask(lm, REQUESTS), ask(vllm, REQUESTS))
        assert_shared(lm)


def test_data_parallel(model_folder, vllm, monkeypatch):
    """Two engines; each is given a GPU, which is only counted here: vLLM's build for CPUs uses none."""
    ray = pytest.importorskip("ray", reason="data_parallel_size needs ray: pip install ray")
    monkeypatch.setenv("RAY_AUTH_TOKEN", secrets.token_hex())  # or Ray writes one to HOME
    lm = VLLMSharedPrefixLM(str(model_folder), data_parallel_size=2, **ENGINE)
    # The path of a socket may have 107 characters, which pytest's folders leave no room for.
    with tempfile.TemporaryDirectory() as folder:
        try:
            ray.init(num_cpus=2, num_gpus=2, include_dashboard=False, log_to_driver=False, _temp_dir=folder)
            answers = ask(lm, REQUESTS)
        finally:
            ray.shutdown()
    assert_equal(answers, ask(vllm, REQUESTS))
    assert_shared(lm)


def test_adapter(model_folder, vllm, tmp_path):
    """vLLM's kernels for CPUs fail on log-probabilities of prompts with an adapter, unless it leaves the last layer alone."""
    modules = ["q_proj", "v_proj"]
    adapter = make_adapter(tmp_path, model_folder, LoraConfig(r=8, target_modules=modules, task_type="CAUSAL_LM"))
    expected = ask(HFLM(str(model_folder), peft=adapter, device="cpu", dtype="float32", batch_size=4), REQUESTS)
    options = {"lora_local_path": adapter, "lora_target_modules": modules, **ENGINE}
    for lm in until_shut_down(VLLMSharedPrefixLM(str(model_folder), **options)):
        assert_equal(ask(lm, REQUESTS), expected)
        assert_shared(lm)
    bare = ask(vllm, REQUESTS)
    differ = [abs(one[0] - other[0]) > 0.01 for one, other in zip(bare, expected, strict=True)]
    assert sum(differ) > 0.9 * len(differ), "some options hardly depend on the adapter, by chance"


@pytest.mark.parametrize("mode", ["raw_logits", "processed_logits"])
def test_logits_are_no_log_probabilities(mode, model_folder):
    with pytest.raises(ValueError, match=f"logprobs_mode={mode} gives logits"):
        VLLMSharedPrefixLM(str(model_folder), logprobs_mode=mode, **ENGINE)
