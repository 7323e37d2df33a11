"""The memory-efficient kernel of attention is off for models that it computes wrongly on a GPU."""

from types import SimpleNamespace

import lm_eval.evaluator
import pytest
import torch
from transformers import AutoConfig

from lm_eval_sea.models.attention import plain_attention
from lm_eval_sea.results.secrets import KnownSecrets
from lm_eval_sea.run import lm_eval_run

SIZES = {"vocab_size": 8, "hidden_size": 64, "intermediate_size": 8, "num_hidden_layers": 2}


def evaluate(model):
    config = SimpleNamespace(seed=None, cache_requests={}, **dict.fromkeys(lm_eval_run._PASSED_ON))
    lm_eval_run.evaluate(config, model, [], None, None, None, KnownSecrets())


@pytest.mark.parametrize(
    ("family", "heads", "allowed"),
    [
        ("llama", {"num_attention_heads": 4, "num_key_value_heads": 2}, True),
        ("llama", {"num_attention_heads": 4, "num_key_value_heads": 1}, False),
        ("gemma3_text", {"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 256}, False),
        ("gpt2", {"n_embd": 64, "n_head": 4}, True),
        ("falcon", {"num_attention_heads": 4, "multi_query": True}, False),
        ("mamba", {}, True),
    ],
)
def test_the_kernel_is_off_for_models_that_it_computes_wrongly(family, heads, allowed, monkeypatch):
    seen = []
    monkeypatch.setattr(
        lm_eval.evaluator, "simple_evaluate", lambda **_: seen.append(torch.backends.cuda.mem_efficient_sdp_enabled())
    )
    language_model = SimpleNamespace(config=AutoConfig.for_model(family, **(heads if family == "gpt2" else SIZES | heads)))
    with plain_attention():  # restores the setting after the test
        torch.backends.cuda.enable_mem_efficient_sdp(True)
        evaluate(SimpleNamespace(model=language_model))
        assert torch.backends.cuda.mem_efficient_sdp_enabled()
    assert seen == [allowed]
