"""Greedy generation of all prompts of a task together: the same texts as lm-eval's own, with fewer tokens computed."""

import copy
import random
from contextlib import contextmanager

import pytest
import torch
from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM

from lm_eval_sea.models import SharedPrefixLM, attention, greedy_generation, slots

from ..quick import ONE_BY_ONE, quick_of
from .conftest import WITH_ATTENTION, make_model, text

SETTINGS = {"until": ["\n\n"], "max_gen_toks": 6}


@pytest.fixture(autouse=True)
def short_pieces(monkeypatch):
    """Has short texts use several pieces and blocks, as long ones do."""
    monkeypatch.setattr(slots, "LEAST_PIECE", {"cpu": 8})
    monkeypatch.setattr(attention, "BLOCK", 16)


def prompts(dice, *, shared=30, rows=8, longest=20):
    """Prompts of one task: shared exemplars, and a row each."""
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
    """The tokens of each pass, as the model embeds them."""
    sizes = []
    hook = model.get_input_embeddings().register_forward_hook(lambda _, inputs, __: sizes.append(inputs[0].numel()))
    try:
        yield sizes
    finally:
        hook.remove()


def generate(model_class, model, tokenizer, asked, **options):
    """The backend, the texts, and the tokens of each pass."""
    lm = model_class(model, tokenizer=tokenizer, **({"batch_size": 4, "max_length": 240} | options))
    with counted(model) as sizes:
        return lm, lm.generate_until(asked, disable_tqdm=True), sizes


def assert_like_parent(model, tokenizer, asked, **options):
    """Compares the texts with those of hf; returns the backend, its share of hf's tokens, and the texts."""
    _, expected, plain = generate(HFLM, model, tokenizer, asked)
    lm, texts, shared = generate(SharedPrefixLM, model, tokenizer, asked, **options)
    assert texts == expected
    assert any(texts)
    return lm, sum(shared) / sum(plain), texts


@pytest.mark.parametrize(("name", "attention"), WITH_ATTENTION)
def test_architectures(name, attention, tokenizers):
    """The beginning of 30 words is longer than the windows of attention."""
    model = make_model(name, len(tokenizers[True]), attention=attention)
    lm, share, _ = assert_like_parent(model, tokenizers[True], requests({"a": prompts(random.Random(0))}))
    assert lm._greedy is not None
    assert share < 0.8


@pytest.mark.parametrize("name", quick_of(["qwen3.5", "bloom"], ["qwen3.5", "lfm2", "bloom", "roformer"]))
def test_models_without_masks_or_positions_are_left_to_hf(name, tokenizers):
    model = make_model(name, len(tokenizers[True]))
    lm, share, _ = assert_like_parent(model, tokenizers[True], requests({"a": prompts(random.Random(0))}))
    assert lm._greedy is None
    assert share == 1


DICE = random.Random(1)
SHARED = text(DICE, 30)
AWKWARD = {
    "one prompt": {"a": prompts(DICE, rows=1)},
    "equal prompts": {"a": prompts(DICE, rows=1) * 5},
    "one prompt begins all others": {"a": [SHARED, *(f"{SHARED} {text(DICE, 1, 9)}" for _ in range(6))]},
    "rows longer than what they share": {"a": prompts(DICE, longest=60)},
    "nothing shared": {"a": [text(DICE, 5, 30) for _ in range(8)]},
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


@pytest.mark.parametrize("options", [ONE_BY_ONE, {"batch_size": "auto", "max_batch_size": 4}], ids=str)
@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_prompts(name, options, llama, tokenizers):
    lm, share, _ = assert_like_parent(llama, tokenizers[True], requests(AWKWARD[name]), **options)
    assert lm._greedy is not None
    if name == "tasks of like length":
        assert share < 0.75, "the exemplars of each task are computed once"


def test_wrong_answers_are_noticed(llama, tokenizers, monkeypatch, caplog):
    """The masks lack a token. The texts are still those of hf, and there is one warning."""
    right = slots.Slots.mask
    monkeypatch.setattr(slots.Slots, "mask", lambda *arguments: right(*arguments).roll(1, dims=-1))
    asked = requests({"a": prompts(random.Random(0)), "b": prompts(random.Random(1))})
    lm, *_ = assert_like_parent(llama, tokenizers[True], asked)
    assert lm._greedy is None
    assert caplog.text.count("Texts are generated in batches, as by lm-eval's hf: along a shared prefix") == 1


LONG = {"until": [], "max_gen_toks": 40}
# with windows and without; seven generations each
FAMILIES = quick_of(["mistral-windowed"], ["llama", "mistral-windowed", "gemma3", "qwen3", "gpt-neox", "falcon"])


@pytest.fixture(scope="module", params=FAMILIES)
def family(request, tokenizers):
    return make_model(request.param, len(tokenizers[True]), tie_word_embeddings=False)  # tied weights may write one word only


def mixed_prompts():
    dice = random.Random(7)
    return [*prompts(dice, rows=5, longest=4), *prompts(random.Random(7), rows=8, longest=50)]


def late(text):
    """Two whole characters that first occur late in a text; a token may be part of a character."""
    pairs = (text[place : place + 2] for place in range(len(text) - 1))
    return max((pair for pair in pairs if "\ufffd" not in pair), key=text.index)


def written_like_parent(model, tokenizer, asked):
    """The texts of all prompts generated together, which are those of lm-eval's own."""
    lm, _, texts = assert_like_parent(model, tokenizer, asked)
    assert lm._greedy is not None
    return texts


def test_texts_end_at_stops_and_others_take_their_slots(family, tokenizers):
    """They end by stop strings, by end tokens that only the generation config names, and at the limit; they outgrow windows."""
    asked = {"a": mixed_prompts()}
    whole = written_like_parent(family, tokenizers[True], requests(asked, **LONG))
    alone = generate(HFLM, family, tokenizers[True], requests(asked, **LONG), batch_size=1)[1]
    assert whole == alone, "what hf writes of a text does not depend on the others of a batch"
    stops = [late(text) for text in whole[::4]]
    stopped = written_like_parent(family, tokenizers[True], requests(asked, **LONG | {"until": stops}))
    assert len({len(text) for text in stopped}) > 3
    assert not any(stop in text for stop in stops for text in stopped)
    tokenizer = copy.deepcopy(tokenizers[True])
    ends = [tokenizer.encode(stop, add_special_tokens=False)[-1] for stop in stops]
    tokenizer.add_special_tokens({"additional_special_tokens": tokenizer.convert_ids_to_tokens(ends)})  # decoding leaves them out
    before = family.generation_config.eos_token_id
    family.generation_config.eos_token_id = [before, *ends]
    try:
        ended = written_like_parent(family, tokenizer, requests(asked, **LONG))
    finally:
        family.generation_config.eos_token_id = before
    assert sum(map(len, ended)) < sum(map(len, whole))


@pytest.mark.parametrize("name", quick_of(["gemma3"], ["llama", "gemma3"]))
def test_each_token_is_computed_once(name, tokenizers, monkeypatch):
    """The shared beginning, the rests of the prompts and the written tokens are each computed once, beside the self-check."""
    model, tokenizer = make_model(name, len(tokenizers[True]), tie_word_embeddings=False), tokenizers[True]
    found = mixed_prompts()
    _, whole, _ = generate(HFLM, model, tokenizer, requests({"a": found}, **LONG))
    asked = requests({"a": found}, **LONG | {"until": [late(text) for text in whole[::4]]})
    encoded = [tokenizer.encode(prompt) for prompt in found]
    common = next(i for i in range(999) if len({row[i] for row in encoded}) > 1)
    monkeypatch.setattr(greedy_generation, "DRAFTED_TOKENS", 0)
    monkeypatch.setattr(greedy_generation, "REPEATED_TOKENS", 1)
    made, moves = [], []
    init, move = slots.Slots.__init__, slots.Slots.move
    monkeypatch.setattr(slots.Slots, "__init__", lambda self, *size: made.append(self) or init(self, *size))
    monkeypatch.setattr(slots.Slots, "move", lambda self, *which: moves.append(which) or move(self, *which))
    lm, texts, sizes = generate(SharedPrefixLM, model, tokenizer, asked)
    (cache,) = made
    assert cache.in_parts and cache.prefix == common >= 30
    written = [text.answer_tokens for text in texts]
    assert len(set(written)) > 3
    own = sum(len(row) - common for row in encoded)
    assert sum(sizes) == common + own + sum(written) - len(written) + lm.work.verification
    longest = max(map(len, encoded)) + LONG["max_gen_toks"]
    assert lm.work.verification <= min(len(row) for row in encoded if 2 * len(row) >= longest) + LONG["max_gen_toks"] < longest
    assert len(moves) < len(found), "texts stay where they are, except for one a gap"
    kept = sum(part.numel() for layer in cache._kept.values() for both in layer for part in both)
    parents, config = 4 * longest, model.config
    keys_and_values = 2 * config.num_hidden_layers * config.num_key_value_heads * config.head_dim
    assert kept <= 1.5 * parents * (keys_and_values + 2 * config.hidden_size + 3 * config.intermediate_size)


def passes_with_and_without(monkeypatch, constant, tokens, model, tokenizer, limit, **options):
    """The tokens of each pass, for each value of a constant; the texts repeat themselves and equal those of hf."""
    asked = requests({"a": mixed_prompts()}, **LONG | {"max_gen_toks": limit})
    _, expected, _ = generate(HFLM, model, tokenizer, asked)
    for value in tokens:
        monkeypatch.setattr(greedy_generation, constant, value)
        lm, texts, sizes = generate(SharedPrefixLM, model, tokenizer, asked, **options)
        assert lm._greedy is not None and texts == expected
        yield sizes


@pytest.mark.parametrize("name", quick_of(["gemma3"], ["gemma3", "qwen3", "falcon"]))
def test_drafts_need_fewer_passes(name, tokenizers, monkeypatch):
    """With few texts at a time, there are fewer passes, of no more tokens than a CPU computes quickly."""
    model = make_model(name, len(tokenizers[True]))
    monkeypatch.setattr(greedy_generation, "MEMORY", 0.5)
    tokens = "DRAFTED_TOKENS", (16, 0)
    sizes, more = passes_with_and_without(monkeypatch, *tokens, model, tokenizers[True], 60, batch_size=2)
    assert len(sizes) < len(more) / 1.15
    assert sum(size <= 16 for size in sizes) > len(sizes) / 2


@pytest.mark.parametrize("name", quick_of(["qwen3"], ["gemma3", "qwen3", "falcon"]))
def test_repetitive_texts_need_fewer_passes(name, tokenizers, monkeypatch):
    """The number of texts does not matter."""
    model = make_model(name, len(tokenizers[True]), tie_word_embeddings=True)
    model.get_input_embeddings().weight.data *= 30  # so that a token is most often followed by itself
    monkeypatch.setattr(greedy_generation, "DRAFTED_TOKENS", 0)
    sizes, more = passes_with_and_without(monkeypatch, "REPEATED_TOKENS", (8, 1), model, tokenizers[True], 100)
    assert len(sizes) < len(more) / 1.5


def test_fewer_passes_than_in_batches(llama, tokenizers):
    """Texts that end early free their slots: no pass waits for the longest text of a batch."""
    asked = requests({"a": mixed_prompts() * 2}, **LONG | {"until": ["ai", "ta"]})
    ours, theirs = (len(generate(backend, llama, tokenizers[True], asked)[2]) for backend in (SharedPrefixLM, HFLM))
    assert ours < theirs / 1.5


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"do_sample": True, "temperature": 0.5}, "they are sampled"),
        pytest.param({"num_beams": 2}, "further settings (num_beams)", marks=pytest.mark.slow),
        ({"repetition_penalty": 1.3}, "further settings (repetition_penalty)"),
    ],
)
def test_sampling_and_beams_are_left_to_hf(settings, reason, llama, tokenizers, caplog):
    asked = requests({task: prompts(random.Random(0), rows=2) for task in "ab"}, **settings)

    def texts(backend):
        torch.manual_seed(0)
        return generate(backend, llama, tokenizers[True], asked)[1:]

    assert texts(SharedPrefixLM) == texts(HFLM)
    assert caplog.text.count("Texts are generated in batches, as by lm-eval's hf:") == caplog.text.count(reason) == 1


def test_penalties_in_the_generation_config_are_left_to_hf(tokenizers, caplog):
    model = make_model("llama", len(tokenizers[True]))
    model.generation_config.no_repeat_ngram_size = 2
    _, share, _ = assert_like_parent(model, tokenizers[True], requests({"a": prompts(random.Random(0), rows=4)}, **LONG))
    assert share == 1 and "further settings (no_repeat_ngram_size)" in caplog.text


def test_out_of_memory_halves_the_slots(llama, tokenizers):
    """There is no memory for all texts at a time."""

    def scarce(_, inputs):
        sizes.append(inputs[0].numel())
        if sizes[-1] == len(asked):
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate too much.")

    sizes, asked = [], requests({"a": mixed_prompts()})
    _, expected, _ = generate(HFLM, llama, tokenizers[True], asked)
    hook = llama.get_input_embeddings().register_forward_pre_hook(scarce)
    lm, texts, _ = generate(SharedPrefixLM, llama, tokenizers[True], asked)
    hook.remove()
    assert texts == expected
    assert lm._greedy is not None and sizes.count(len(asked)) == 1 and len(asked) // 2 in sizes


def test_each_text_is_stored_when_it_ends(llama, tokenizers):
    """A killed run loses no text that had ended."""
    stored, found = [], mixed_prompts()
    lm = SharedPrefixLM(llama, tokenizer=tokenizers[True], batch_size=4, max_length=240)
    with counted(llama) as passes:
        lm.cache_hook.add_partial = lambda kind, arguments, answer: stored.append((len(passes), arguments[0], answer))
        texts = lm.generate_until(requests({"a": found}, **LONG | {"until": ["ai", "ta"]}), disable_tqdm=True)
    assert {prompt: answer for _, prompt, answer in stored} == dict(zip(found, texts, strict=True))
    assert sum(at < len(passes) / 2 for at, *_ in stored) > 2


@pytest.mark.parametrize("dtype", [torch.bfloat16, pytest.param(torch.float16, marks=pytest.mark.slow)])
def test_sixteen_bits(dtype, tokenizers):
    """The self-check tolerates the model's own noise; texts may differ from hf's where two words are equally probable."""
    model = make_model("llama", len(tokenizers[True]), dtype=dtype)
    lm, texts, _ = generate(SharedPrefixLM, model, tokenizers[True], requests({"a": mixed_prompts()}, **LONG))
    assert lm._greedy is not None and all(texts)
