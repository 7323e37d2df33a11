"""The backend holds no more memory than its parent at the same batch size."""

import pytest
from lm_eval.models.huggingface import HFLM
from torch.profiler import ProfilerActivity, profile

from lm_eval_sea.models import SharedPrefixLM

from .conftest import ask, make_model, ranking_requests


def peak(lm, requests):
    """The most bytes of tensors at a time, from the allocator's own record."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as record:
        ask(lm, requests)
    events = [event for event in record.profiler.kineto_results.events() if event.name() == "[memory]"]
    held = most = 0
    for event in sorted(events, key=lambda event: event.start_ns()):
        held += event.nbytes()
        most = max(most, held)
    return most


# What a token's logits take, and what its keys and values do, in turn.
SIZES = {"vocabulary": {"vocab_size": 2000}, "keys": {"vocab_size": 400, "num_hidden_layers": 8, "num_key_value_heads": 4}}


@pytest.mark.slow
@pytest.mark.parametrize("batch_size", [1, 16])
@pytest.mark.parametrize("prefix", [1, 60])
@pytest.mark.parametrize("name", ["llama", "gpt-neox"])
@pytest.mark.parametrize("size", SIZES)
def test_peak(size, name, prefix, batch_size, tokenizers):
    changes = dict(SIZES[size])
    model = make_model(name, changes.pop("vocab_size"), **changes)
    requests = ranking_requests(24, prefix=prefix)
    plain, shared = (
        peak(model_class(model, tokenizer=tokenizers[False], batch_size=batch_size), requests)
        for model_class in (HFLM, SharedPrefixLM)
    )
    assert shared <= plain
