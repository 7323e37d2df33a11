"""The check of the first tokens of a run."""

import pytest

from lm_eval_sea.models import SharedPrefixLM, class_of
from lm_eval_sea.models.first_tokens import find_fault

from .conftest import ask, generate

FINE = {"bos": 1, "wants_bos": True, "asked": False, "templated": False, "name": "org/model-7b"}


@pytest.mark.parametrize(
    ("tokens", "changes", "words"),
    [
        ([1, 5, 6], {}, None),
        ([1, 1, 5], {}, "add_bos_token=False"),
        ([1, 1, 5], {"wants_bos": False}, "add_bos_token=False"),
        ([1, 5, 1], {}, "add_bos_token=False"),  # a line break of the template
        ([5, 1, 6], {}, None),
        ([5, 6], {}, "add_bos_token=True"),
        ([5, 6], {"wants_bos": False}, None),
        ([5, 5], {"bos": None}, None),
        ([5, 5], {"bos": None, "asked": True}, "the tokenizer has none"),
        ([1, 5], {"wants_bos": False, "asked": True}, None),
        ([], {"wants_bos": False}, None),
        ([1, 5], {"templated": True, "name": "org/model-7b-base"}, "--apply_chat_template"),
        ([1, 5], {"templated": True, "name": "/models/gemma-3-4b-pt/"}, "--apply_chat_template"),
        ([1, 5], {"templated": True, "name": "org/model-7b-instruct"}, None),
        ([1, 5], {"templated": True, "name": "base/model-7b"}, None),
        ([1, 5], {"name": "org/model-7b-base"}, None),
    ],
)
def test_faults(tokens, changes, words):
    fault = find_fault(tokens, **FINE | changes)
    assert fault is None if words is None else words in fault


@pytest.fixture
def warnings_of(tiny_model_bos, caplog):
    """The warnings before a run's first answers, given arguments of the model and a first prompt."""

    def run(prompt, **arguments):
        model = SharedPrefixLM(str(tiny_model_bos), device="cpu", dtype="float32", batch_size=1, **arguments)
        for _ in range(2):
            ask(model, [(prompt, " kota")])
        generate(model, [prompt], max_gen_toks=1)
        return [message for message in caplog.messages if "first tokens" in message]

    return run


def test_a_wrong_first_token_is_reported_once(warnings_of):
    assert warnings_of("sebuah kota") == []
    (message,) = warnings_of("sebuah kota", add_bos_token=False)
    assert "add_bos_token=True" in message and "'<|bos|>'" not in message and "'s" in message
    (_, message) = warnings_of("<|bos|><|bos|>sebuah kota")
    assert "'<|bos|>' '<|bos|>'" in message and "add_bos_token=False" in message


def test_lm_evals_own_class_reports_it_too(tiny_model, caplog):
    """Its tokenizer has no begin-of-sequence token."""
    generate(class_of("hf")(str(tiny_model), device="cpu", add_bos_token=True), ["sebuah kota"], max_gen_toks=1)
    (message,) = [message for message in caplog.messages if "first tokens" in message]
    assert "'s" in message and "the tokenizer has none" in message
