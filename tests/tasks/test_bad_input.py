"""What a user does wrong, and what the pack says."""

import logging

import pytest

from .evaluation import evaluate
from .planted_model import PlantedModel

TASK = "sea_xcopa_vi_to_ppl"


@pytest.fixture
def model():
    return PlantedModel(lambda context, ending: -1.0)


@pytest.mark.parametrize("shots", [6, 9, -1])
def test_more_exemplars_than_the_book_has(samples, model, shots):
    with pytest.raises(ValueError, match=rf"{TASK}: --num_fewshot {shots} .*choose 0 to 5"):
        evaluate(samples, TASK, model, num_fewshot=shots)
    assert model.requests == []


@pytest.mark.parametrize("shots", [0, 5])
def test_as_many_exemplars_as_the_book_has(samples, model, shots):
    evaluate(samples, TASK, model, num_fewshot=shots, limit=1)
    assert model.requests[0][0].count("Trả lời:") == shots + 1


def test_a_model_that_is_an_object_has_the_headline(samples, tiny_model):
    """`simple_evaluate` with a task manager of the user's own tells the tasks nothing of the model."""
    import lm_eval
    from lm_eval.models.huggingface import HFLM
    from lm_eval.tasks import TaskManager

    from .evaluation import TASKS

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(samples)
        found = lm_eval.simple_evaluate(
            model=HFLM(pretrained=str(tiny_model), device="cpu", dtype="float32"),
            tasks=[TASK],
            task_manager=TaskManager(include_path=str(TASKS / "xcopa"), include_defaults=False),
            bootstrap_iters=0,
        )
    expected = evaluate(samples, TASK, "hf", model_args={"pretrained": str(tiny_model), "dtype": "float32", "device": "cpu"})
    assert found["results"][TASK]["acc_ppl,none"] == expected["results"][TASK]["acc_ppl,none"]


def test_a_context_shorter_than_the_prompt_is_said_with_counts(samples, tiny_model, caplog):
    """Every request then fits the model, and keeps the end of the prompt."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(tiny_model)
    arguments = {"pretrained": str(tiny_model), "dtype": "float32", "device": "cpu", "max_length": 60}
    with caplog.at_level(logging.WARNING):
        results = evaluate(samples, TASK, "hf", model_args=arguments)
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
    arguments = {"pretrained": str(tiny_model), "dtype": "float32", "device": "cpu", "max_length": 3}
    with pytest.raises(ValueError, match=r"leaves no room for a prompt in the model's context of 3 tokens"):
        evaluate(samples, TASK, "hf", model_args=arguments)
