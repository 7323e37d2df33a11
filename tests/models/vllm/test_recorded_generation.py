"""What the backend on vLLM tells of a text beside the text, and answers that the engine chooses among given ones."""

import pytest

pytest.importorskip("vllm", reason="needs vLLM: bash scripts/test_vllm.sh")

from ..conftest import generate

PROMPTS = ["sebuah kota besar", "di tepi sungai yang ramai"]


def ask(lm, **settings):
    return generate(lm, PROMPTS, **{"max_gen_toks": 6, "do_sample": False, "temperature": 0.0} | settings)


def test_the_texts_are_those_of_lm_evals_vllm_with_their_tokens(shared, vllm):
    texts, plain = ask(shared), ask(vllm)
    assert texts == plain
    assert [vars(text) for text in texts] == [vars(text) for text in plain]
    for prompt, text in zip(PROMPTS, texts, strict=True):
        assert text.prompt_tokens == len(shared.tok_encode(prompt, add_special_tokens=shared.add_bos_token))
        assert text.thought_tokens == 0 and 0 < text.answer_tokens <= 6
        assert text.finish_reason == ("length" if text.answer_tokens == 6 else "stop")


def test_a_constrained_answer_is_one_of_the_options(shared):
    options = ["Jawaban: A", "Jawaban: B"]
    for text in ask(shared, max_gen_toks=40, structured_outputs={"choice": options}):
        assert text in options and text.finish_reason == "stop"
