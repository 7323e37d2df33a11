"""Whole runs: tasks of each kind, texts of thousands of tokens; `tests/tasks/test_runs.py` has several processes."""

import pytest
import torch
from lm_eval.models.huggingface import HFLM
from transformers import AutoModelForCausalLM

from lm_eval_sea.models import SharedPrefixLM, planning

from ..tasks.evaluation import evaluate
from .conftest import LOGLIKELIHOOD_ROUNDING, WORDS, ask

TASKS = ["sea_belebele_th_to_ppl", "sea_m3exam_th_litilo_ppl", "sea_wisesight_th"]


def test_whole_tasks_agree_with_hf(tiny_model_bos, samples):
    """A text-option, a letter and a classification task, by the names of the backends."""
    options = {"model_args": {"pretrained": str(tiny_model_bos), "dtype": "float32", "device": "cpu"}, "batch_size": 4}
    plain, shared = (evaluate(samples, TASKS, name, **options)["samples"] for name in ("hf", "hf-shared-prefix"))
    assert plain.keys() == shared.keys() == set(TASKS)
    for one, other in ((a["doc"], b["doc"]) for task in TASKS for a, b in zip(plain[task], shared[task], strict=True)):
        assert one["predictions"] == other["predictions"]
        for score, same in zip(one["option_scores"], other["option_scores"], strict=True):
            assert score["loglikelihood"] == pytest.approx(same["loglikelihood"], abs=1e-4)
            assert score["log_perplexity"] == pytest.approx(same["log_perplexity"], abs=1e-4)


@pytest.mark.slow
def test_sums_over_thousands_of_tokens(tiny_model_bos, monkeypatch):
    """Of two backends in float32, neither is nearer than the other to the sum that float64 gives; both within its rounding."""
    monkeypatch.setattr(planning, "ROW_TOKENS", 1024)
    text = " ".join(WORDS[number * number % 7] + str(number) for number in range(1200))
    requests = [("", text), ("", f"{text[:9000]} lain"), (text, " kota"), (text, " desa")]
    options = {"device": "cpu", "dtype": "float32", "batch_size": 2}
    hf, shared = (model_class(str(tiny_model_bos), **options) for model_class in (HFLM, SharedPrefixLM))
    precise = AutoModelForCausalLM.from_pretrained(tiny_model_bos, dtype=torch.float64)
    for (context, continuation), *answers in zip(requests, ask(hf, requests), ask(shared, requests), strict=True):
        before = hf._encode_pair(context, continuation) if context else ([hf.prefix_token_id], hf.tok_encode(continuation)[1:])
        tokens = torch.tensor(before[0] + before[1])
        with torch.inference_mode():
            logprobs = precise(tokens[None, :-1]).logits[0, -len(before[1]) :].log_softmax(-1)
        expected = float(logprobs.gather(1, tokens[-len(before[1]) :, None]).sum())
        for loglikelihood, _ in answers:
            assert abs(loglikelihood - expected) <= 1e-4 + LOGLIKELIHOOD_ROUNDING * abs(expected)
    assert not shared._plain
