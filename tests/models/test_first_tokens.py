"""The look at the first tokens of a run."""

import pytest

from lm_eval_sea.models import SharedPrefixLM
from lm_eval_sea.models.first_tokens import find_fault

from .conftest import ask, generate

FINE = {"bos": 1, "wants_bos": True, "templated": False, "name": "org/model-7b"}


@pytest.mark.parametrize(
    ("tokens", "changes", "words"),
    [
        ([1, 5, 6], {}, None), ([1, 1, 5], {}, "add_bos_token=False"), ([1, 1, 5], {"wants_bos": False}, "add_bos_token=False"),
        ([1, 5, 1], {}, "add_bos_token=False"),  # a line break of the template
        ([5, 1, 6], {}, None), ([5, 6], {}, "add_bos_token=True"), ([5, 6], {"wants_bos": False}, None),
        ([5, 5], {"bos": None}, None), ([], {"wants_bos": False}, None),
        ([1, 5], {"templated": True, "name": "org/model-7b-base"}, "--apply_chat_template"),
        ([1, 5], {"templated": True, "name": "/models/gemma-3-4b-pt/"}, "--apply_chat_template"),
        ([1, 5], {"templated": True, "name": "org/model-7b-instruct"}, None),
        ([1, 5], {"templated": True, "name": "base/model-7b"}, None), ([1, 5], {"name": "org/model-7b-base"}, None),
    ],
)  # fmt: skip
def test_faults(tokens, changes, words):
    fault = find_fault(tokens, **FINE | changes)
    assert fault is None if words is None else words in fault


@pytest.fixture
def test_what_is_said_once_with_the_tokens(tiny_model_bos, caplog):
    def said(prompt, **arguments):
        """What is said before a run's first answers."""
        caplog.clear()
        model = SharedPrefixLM(str(tiny_model_bos), device="cpu", dtype="float32", batch_size=1, **arguments)
        for _ in range(2):
            ask(model, [(prompt, " kota")])
        generate(model, [prompt], max_gen_toks=1)
        return [message for message in caplog.messages if "first tokens" in message]

    assert said("sebuah kota") == []
    (message,) = said("sebuah kota", add_bos_token=False)
    assert "add_bos_token=True" in message and "'<|bos|>'" not in message and "'s" in message
    (message,) = said("<|bos|><|bos|>sebuah kota")
    assert "'<|bos|>' '<|bos|>'" in message and "add_bos_token=False" in message
