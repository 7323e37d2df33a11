"""What the pack's own backend tells of a text beside the text, with planted tokens in place of a model's."""

import copy

import pytest
import torch
from lm_eval.api.instance import Instance

from lm_eval_sea.models import SharedPrefixLM

from .conftest import make_model

WINDOW = 240
LIMIT = 12


@pytest.fixture
def tokenizer(tokenizers):
    """With marks of a thought that decoding leaves out, as special tokens."""
    marked = copy.deepcopy(next(iter(tokenizers.values())))
    marked.add_special_tokens({"additional_special_tokens": ["[THINK]", "[/THINK]"]})
    return marked


@pytest.fixture
def writes(tokenizer):
    """Makes a backend whose model writes given texts, each ended or not."""

    def make(*texts, end=True):
        model = make_model("llama", len(tokenizer))
        lm = SharedPrefixLM(model, tokenizer=tokenizer, batch_size=len(texts), max_length=WINDOW)
        eos = [lm.eot_token_id] if end else []
        rows = [tokenizer.encode(text, add_special_tokens=False) + eos for text in texts]
        longest = max(map(len, rows))

        def generate(input_ids, **settings):
            planted = [row + [tokenizer.pad_token_id or 0] * (longest - len(row)) for row in rows]
            return torch.cat([input_ids, torch.tensor(planted[: len(input_ids)])], dim=1)

        lm.model.generate = generate
        lm._greedy = None
        return lm, rows

    return make


def ask(lm, *prompts, until=()):
    settings = {"until": list(until), "max_gen_toks": LIMIT}
    return lm.generate_until([Instance("generate_until", {}, (prompt, settings), 0) for prompt in prompts], disable_tqdm=True)


def test_why_a_text_ended_and_its_tokens(writes, tokenizer):
    lm, [row] = writes("sebuah kota besar")
    [text] = ask(lm, "di tepi sungai")
    assert text.strip() == "sebuah kota besar"
    assert (text.finish_reason, text.answer_tokens, text.thought_tokens) == ("stop", len(row) - 1, 0)
    assert text.prompt_tokens == len(lm.tok_encode("di tepi sungai"))
    long = tokenizer.decode(tokenizer.encode(" ".join(["kota"] * 40), add_special_tokens=False)[:LIMIT])
    lm, [row] = writes(long, end=False)
    [text] = ask(lm, "di tepi")
    assert text.answer_tokens == len(row) >= LIMIT and text.finish_reason == "length"
    [text] = ask(lm, "di tepi", until=["kota"])
    assert text.strip() == "" and text.finish_reason == "stop"


def test_marks_of_a_thought_that_are_special_tokens_stay_in_the_text(writes, tokenizer):
    """lm-eval's hf decodes without special tokens, and the thought would be the answer's beginning."""
    lm, [row] = writes("[THINK]sungai yang ramai[/THINK]kota besar")
    [text] = ask(lm, "di tepi")
    assert text.replace(" ", "") == "[THINK]sungaiyangramai[/THINK]kotabesar"
    answer = len(tokenizer.encode("kota besar", add_special_tokens=False))
    assert (text.thought_tokens, text.answer_tokens) == (len(row) - 1 - answer, answer)


def test_equal_prompts_keep_their_own_texts(writes):
    lm, _ = writes("kota besar", "hari pasar")
    assert [text.strip() for text in ask(lm, "di tepi", "di tepi")] == ["kota besar", "hari pasar"]
