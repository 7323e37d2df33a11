"""What local backends record beside a text; the tokens are planted."""

import copy
import json

import pytest
import torch
from lm_eval.api.instance import Instance

from lm_eval_sea.commands.cli import main
from lm_eval_sea.models import class_of

from ..processes import run_of
from .conftest import generate, make_model

WINDOW, LIMIT = 240, 12


@pytest.fixture
def tokenizer(tokenizers):
    """A tokenizer whose marks of a thought are special tokens, which decoding leaves out."""
    marked = copy.deepcopy(next(iter(tokenizers.values())))
    marked.add_special_tokens({"additional_special_tokens": ["[THINK]", "[/THINK]"]})
    return marked


@pytest.fixture(params=["hf", "hf-shared-prefix"])
def writes(tokenizer, request):
    """Makes a backend whose model writes given texts, with or without the end token."""

    def make(*texts, end=True):
        model = make_model("llama", len(tokenizer))
        lm = class_of(request.param)(model, tokenizer=tokenizer, batch_size=len(texts), max_length=WINDOW)
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


def test_finish_reason_and_token_counts(writes, tokenizer):
    """The end token counts, as in servers and vLLM. Equal prompts keep their own texts."""
    lm, [row] = writes("sebuah kota besar")
    [text] = generate(lm, ["di tepi sungai"])
    assert text.strip() == "sebuah kota besar"
    assert (text.finish_reason, text.answer_tokens, text.thought_tokens) == ("stop", len(row), 0)
    assert text.prompt_tokens == len(lm.tok_encode("di tepi sungai"))
    long = tokenizer.decode(tokenizer.encode(" ".join(["kota"] * 40), add_special_tokens=False)[:LIMIT])
    lm, [row] = writes(long, end=False)
    [text] = generate(lm, ["di tepi"], max_gen_toks=LIMIT)
    assert text.answer_tokens == len(row) >= LIMIT and text.finish_reason == "length"
    request = Instance("generate_until", {}, ("di tepi", {"max_new_tokens": LIMIT}), 0, metadata=("task", 0, 1))
    assert lm.generate_until([request], disable_tqdm=True)[0].finish_reason == "length", "whatever a task calls its limit"
    [text] = generate(lm, ["di tepi"], until=["kota"])
    assert text.strip() == "" and text.finish_reason == "stop"
    lm, _ = writes("kota besar", "hari pasar")
    assert [text.strip() for text in generate(lm, ["di tepi"] * 2)] == ["kota besar", "hari pasar"]


def test_thought_marks_that_are_special_tokens_stay_in_the_text(writes, tokenizer):
    """lm-eval decodes without special tokens, so the thought would become the beginning of the answer."""
    lm, [row] = writes("[THINK]sungai yang ramai[/THINK]kota besar")
    [text] = generate(lm, ["di tepi"])
    assert text.replace(" ", "") == "[THINK]sungaiyangramai[/THINK]kotabesar"
    answer = len(tokenizer.encode("kota besar", add_special_tokens=False)) + 1  # the end
    assert (text.thought_tokens, text.answer_tokens) == (len(row) - answer, answer)


def test_every_local_backend_logs_which_answers_were_cut(tiny_model, in_samples, tmp_path):
    """Cut answers are scored in another way, so the score would depend on the backend."""
    known = []
    for backend in ("hf", "hf-shared-prefix"):
        more = ["--limit", 3, "--gen_kwargs", "max_gen_toks=4", "--output_path", tmp_path / backend, "--log_samples"]
        main(run_of(f"{tiny_model},dtype=float32", "sea_belebele_th_chat", *more, backend=backend))
        [file] = (tmp_path / backend).rglob("samples_*.jsonl")
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        known.append([(row["resps"], row["doc"]["finish_reason"], row["doc"]["tokens"]) for row in rows])
    assert known[0] == known[1] and {why for _, why, _ in known[0]} <= {"length", "stop"}
