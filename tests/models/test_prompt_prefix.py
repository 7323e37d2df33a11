"""Generation behind a shared beginning against lm-eval's own: the same texts, for fewer tokens."""

import random
from contextlib import contextmanager

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM

from lm_eval_sea.models import SharedPrefixLM, prompt_prefix
from lm_eval_sea.models.prefix_tree import sort_key

from .conftest import ARCHITECTURES, COPYING, NO_SDPA, make_model, text

SETTINGS = {"until": ["\n\n"], "max_gen_toks": 6}


def prompts(dice, *, shared=30, rows=9, longest=20):
    """Prompts of one task: exemplars, which all share, and a row."""
    exemplars = text(dice, shared)
    return [f"{exemplars}\n{text(dice, 1, longest)}:" for _ in range(rows)]


def requests(of_tasks, **settings):
    return [
        Instance("generate_until", {}, (prompt, SETTINGS | settings), 0, metadata=(task, number, 1))
        for task, found in of_tasks.items()
        for number, prompt in enumerate(found)
    ]


@contextmanager
def counted(model):
    """Counts the tokens that the model embeds."""
    tokens = []
    hook = model.get_input_embeddings().register_forward_hook(lambda _, inputs, __: tokens.append(inputs[0].numel()))
    try:
        yield tokens
    finally:
        hook.remove()


def generate(model_class, model, tokenizer, asked, **options):
    lm = model_class(model, tokenizer=tokenizer, **({"batch_size": 4, "max_length": 240} | options))
    with counted(model) as tokens:
        return lm, lm.generate_until(asked, disable_tqdm=True), sum(tokens)


def assert_like_parent(model, tokenizer, asked, **options):
    """Holds the texts against those of lm-eval's own; returns the backend and its share of the tokens."""
    _, expected, plain = generate(HFLM, model, tokenizer, asked, **options)
    lm, texts, shared = generate(SharedPrefixLM, model, tokenizer, asked, **options)
    assert texts == expected
    assert any(texts)
    return lm, shared / plain


EAGER = [(name, "eager") for name in (*NO_SDPA, "llama", "mistral-windowed", "gemma3", "gpt-neox")]


@pytest.mark.parametrize(("name", "attention"), [*((name, "sdpa") for name in ARCHITECTURES if name not in NO_SDPA), *EAGER])
def test_architectures(name, attention, tokenizers):
    """Also behind windows of attention, which a beginning of 30 words leaves."""
    model = make_model(name, len(tokenizers[True]), attention=attention)
    lm, share = assert_like_parent(model, tokenizers[True], requests({"a": prompts(random.Random(0))}))
    assert lm._prompt_prefix is not None
    assert share < 0.8


@pytest.mark.parametrize("name", ["qwen3.5", "lfm2", "bloom"])
def test_models_with_a_state_or_alibi_are_left_to_the_parent(name, tokenizers):
    assert name in COPYING
    model = make_model(name, len(tokenizers[True]))
    lm, share = assert_like_parent(model, tokenizers[True], requests({"a": prompts(random.Random(0))}))
    assert lm._prompt_prefix is None
    assert share == 1


@pytest.fixture(scope="module")
def llama(tokenizers):
    return make_model("llama", len(tokenizers[True]))


DICE = random.Random(1)
SHARED = text(DICE, 30)
AWKWARD = {
    "one prompt": {"a": prompts(DICE, rows=1)},
    "equal prompts": {"a": prompts(DICE, rows=1) * 5},
    "one prompt begins all others": {"a": [SHARED, *(f"{SHARED} {text(DICE, 1, 9)}" for _ in range(6))]},
    "rows longer than what they share": {"a": prompts(DICE, longest=60)},
    "nothing shared": {"a": [text(DICE, 5, 30) for _ in range(9)]},
    "little shared": {"a": prompts(DICE, shared=3)},
    "longer than the model's window": {"a": [*prompts(DICE), *prompts(DICE, shared=110, rows=3)]},
    "tasks of like length": {"a": prompts(DICE), "b": prompts(DICE), "c": prompts(DICE, shared=45)},
    "pairs with one passage": {
        "a": [f"{prompt} {end}" for prompt in prompts(DICE) for end in ("di desa", "pada hari pasar yang")]
    },
    "an instruction of many tasks, and exemplars of each": {
        task: [f"{SHARED} {prompt}" for prompt in prompts(DICE)] for task in ("a", "b")
    },
}


@pytest.mark.parametrize("batch_size", [1, 4])
@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_prompts(name, batch_size, llama, tokenizers):
    lm, _ = assert_like_parent(llama, tokenizers[True], requests(AWKWARD[name]), batch_size=batch_size)
    assert lm._prompt_prefix is not None


@pytest.mark.parametrize("batch_size", [1, 4])
def test_exemplars_are_computed_once(batch_size, llama, tokenizers):
    """Of several tasks each: what is shared is three quarters of a prompt."""
    asked = requests({task: prompts(random.Random(number), shared=45, rows=16) for number, task in enumerate("abc")})
    _, share = assert_like_parent(llama, tokenizers[True], asked, batch_size=batch_size)
    assert share < 0.55


def test_beams_are_the_parents(llama, tokenizers):
    lm, share = assert_like_parent(llama, tokenizers[True], requests({"a": prompts(random.Random(0))}, num_beams=2))
    assert lm._prompt_prefix is not None
    assert share == 1


def test_automatic_batch_size(llama, tokenizers):
    assert_like_parent(llama, tokenizers[True], requests({"a": prompts(random.Random(0))}), batch_size="auto", max_batch_size=4)


def test_wrong_answers_are_noticed(llama, tokenizers, monkeypatch, caplog):
    """Keys and values in the wrong columns: the parent's texts all the same, and one warning."""
    right = prompt_prefix.padded
    monkeypatch.setattr(prompt_prefix, "padded", lambda *arguments: right(*arguments).roll(1, dims=2))
    lm, _ = assert_like_parent(
        llama, tokenizers[True], requests({"a": prompts(random.Random(0)), "b": prompts(random.Random(1))})
    )
    assert lm._prompt_prefix is None
    assert caplog.text.count("Prompts to generate from are computed whole, as lm-eval's hf does") == 1


tokens = st.lists(st.integers(0, 2), max_size=6)


@given(st.lists(tokens, min_size=1, max_size=4))
def test_common_length(sequences):
    shortest = min(map(len, sequences))
    expected = max(length for length in range(shortest + 1) if len({tuple(each[:length]) for each in sequences}) == 1)
    assert prompt_prefix.common_length([sort_key(each) for each in sequences]) == expected


@given(st.data(), st.integers(1, 6))
def test_padded(data, length):
    states = torch.randn(1, 2, data.draw(st.integers(length, 8)), 3)
    paddings = data.draw(st.lists(st.integers(0, 8), min_size=1, max_size=4))
    batch = prompt_prefix.padded(states, paddings, length)
    assert batch.shape == (len(paddings), 2, length, 3)
    for row, padding in enumerate(paddings):
        for column in range(length):
            expected = states[0, :, column - padding] if column >= padding else torch.zeros(2, 3)
            assert torch.equal(batch[row, :, column], expected)
