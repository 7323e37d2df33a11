"""What a user does wrong, and what the pack says."""

import logging

import lm_eval
import pytest
from lm_eval.models.huggingface import HFLM
from lm_eval.tasks import TaskManager
from transformers import AutoTokenizer

from .evaluation import TASKS, evaluate, on_cpu
from .planted_model import PlantedModel

TASK = "sea_xcopa_vi_to_ppl"


@pytest.mark.parametrize("shots", [6, -1])
def test_other_exemplars_than_the_book_has(samples, shots):
    model = PlantedModel(lambda context, ending: -1.0)
    with pytest.raises(ValueError, match=rf"{TASK}: --num_fewshot {shots} .*choose 0 to 5"):
        evaluate(samples, TASK, model, num_fewshot=shots)
    assert model.requests == []


def test_a_model_that_is_an_object_has_the_headline(samples, tiny_model):
    """`simple_evaluate` with a task manager of the user's own tells the tasks nothing of the model."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(samples)
        found = lm_eval.simple_evaluate(
            model=HFLM(**on_cpu(tiny_model)),
            tasks=[TASK],
            task_manager=TaskManager(include_path=str(TASKS / "xcopa"), include_defaults=False),
            bootstrap_iters=0,
        )
    expected = evaluate(samples, TASK, "hf", model_args=on_cpu(tiny_model))
    assert found["results"][TASK]["acc_ppl,none"] == expected["results"][TASK]["acc_ppl,none"]


def test_a_context_shorter_than_the_prompt_is_said_with_counts(samples, tiny_model, caplog):
    """Every request then fits the model, and keeps the end of the prompt."""
    tokenizer = AutoTokenizer.from_pretrained(tiny_model)
    with caplog.at_level(logging.WARNING):
        results = evaluate(samples, TASK, "hf", model_args=on_cpu(tiny_model, max_length=60))
    (message,) = [record.getMessage() for record in caplog.records if "do not fit" in record.getMessage()]
    assert message.startswith(f"{TASK}: 4 of 4 prompts do not fit the model's context of 60 tokens")
    assert "Combined length" not in caplog.text, "lm-eval had to cut a request once more"
    for sample in results["samples"][TASK]:
        contexts = {arguments[0] for arguments in sample["arguments"][:2]}
        assert len(contexts) == 1, "options were scored behind different prompts"
        assert contexts.pop().endswith("Trả lời:")
        assert all(len(tokenizer.encode("".join(arguments))) <= 60 for arguments in sample["arguments"])
        assert all(score["log_perplexity"] > 0 for score in sample["doc"]["option_scores"])


def test_a_context_shorter_than_an_answer_is_refused(samples, tiny_model):
    with pytest.raises(ValueError, match=r"leaves no room for a prompt in the model's context of 3 tokens"):
        evaluate(samples, TASK, "hf", model_args=on_cpu(tiny_model, max_length=3))
