"""What tasks refuse and log under plain `lm_eval`, which calls nothing else of the pack."""

import logging
import re
import sys

import lm_eval
import pytest
from lm_eval.models.huggingface import HFLM
from lm_eval.tasks import TaskManager
from transformers import AutoTokenizer

from lm_eval_sea.tasks._shared import entry
from tests.processes import Fork

from .evaluation import TASKS, evaluate, on_cpu

RANKED = ["sea_xcopa_th_to_ppl", "sea_helm_th_nli_ppl"]
TASK = "sea_xcopa_vi_to_ppl"


def fair(messages, **_):
    return "".join(f"<{message['role']}> {message['content']}\n" for message in messages)


UNFAIR = {
    "cutting": lambda messages, **_: fair([message | {"content": message["content"][:20]} for message in messages]),
    "forgetful": lambda messages, **_: messages[-1]["content"],
}


@pytest.fixture(scope="module", params=RANKED)
def task(request, load_tasks):
    return load_tasks(request.param)[request.param]


def test_numbers_of_rows_that_do_not_exist_are_refused(task):
    for numbers in ([], [-1], [1, 1], [0, 10_000]):
        with pytest.raises(ValueError, match=re.escape(f"--samples {numbers}: expected one or more numbers of rows from 0 to ")):
            task.build_all_requests(samples=numbers)
    task.build_all_requests(samples=[1, 0])
    assert {instance.doc_id for instance in task.instances} == {0, 1}


def test_a_chat_template_that_drops_text_is_refused(task):
    options = {"limit": 1, "apply_chat_template": True, "fewshot_as_multiturn": True}
    task.set_config("num_fewshot", 1)
    for template in UNFAIR.values():
        with pytest.raises(ValueError, match="the chat template drops or changes a question") as error:
            task.build_all_requests(chat_template=template, **options)
        assert "\n" not in str(error.value)
    task.build_all_requests(chat_template=fair, **options)


@pytest.mark.parametrize(
    ("name", "shots", "most"),
    [
        (TASK, 6, 5), (TASK, -1, 5), ("sea_helm_id_sentiment", 6, 5), ("sea_helm_tl_kalahi", 1, 0),
        ("sea_helm_en_global_mmlu_lite", 6, 5),  # on the subject of the row, of six
    ],
)  # fmt: skip
def test_more_exemplars_than_there_are_is_refused(load_tasks, name, shots, most):
    (task,) = load_tasks(name).values()
    task.set_config("num_fewshot", most)
    task.build_all_requests(limit=1)
    task.set_config("num_fewshot", shots)
    with pytest.raises(ValueError, match=rf"{name}: --num_fewshot {shots} asks for more .*choose 0 to {most}"):
        task.build_all_requests(limit=1)


def test_a_model_that_is_an_object_has_the_headline(samples, tiny_model, monkeypatch):
    """`simple_evaluate` with a task manager of the user's own tells the tasks nothing of the model."""
    monkeypatch.chdir(samples)
    manager = TaskManager(include_path=str(TASKS / "xcopa"), include_defaults=False)
    model = HFLM(**on_cpu(tiny_model))
    found = lm_eval.simple_evaluate(model=model, tasks=[TASK], task_manager=manager, bootstrap_iters=0)
    expected = evaluate(samples, TASK, "hf", model_args=on_cpu(tiny_model))
    assert found["results"][TASK]["acc_ppl,none"] == expected["results"][TASK]["acc_ppl,none"]


def test_a_context_shorter_than_the_prompt_is_said_with_counts(samples, tiny_model, caplog):
    """Every request then fits the model, and keeps the end of the prompt; one shorter than an answer is refused."""
    tokenizer = AutoTokenizer.from_pretrained(tiny_model)
    results = evaluate(samples, TASK, "hf", model_args=on_cpu(tiny_model, max_length=60))
    (message,) = [message for message in caplog.messages if "do not fit" in message]
    assert message.startswith(f"{TASK}: 4 of 4 prompts do not fit the model's context of 60 tokens")
    assert "Combined length" not in caplog.text, "lm-eval had to cut a request once more"
    for sample in results["samples"][TASK]:
        contexts = {arguments[0] for arguments in sample["arguments"][:2]}
        assert len(contexts) == 1, "options were scored behind different prompts"
        assert contexts.pop().endswith("Trả lời:")
        assert all(len(tokenizer.encode("".join(arguments))) <= 60 for arguments in sample["arguments"])
        assert all(score["log_perplexity"] > 0 for score in sample["doc"]["option_scores"])
    with pytest.raises(ValueError, match=r"leaves no room for a prompt in the model's context of 3 tokens"):
        evaluate(samples, TASK, "hf", model_args=on_cpu(tiny_model, max_length=3))


def warn() -> None:
    """What a process does in which a task is loaded for the first time, once lm-eval has set up its log."""
    logging.getLogger("lm_eval_sea").handlers.clear()
    for name in [name for name in sys.modules if name.startswith("lm_eval_sea_shared_")]:
        del sys.modules[name]
    vars(entry).pop("load_rows", None)
    assert entry.load_rows
    logging.getLogger("lm_eval_sea").warning("a warning")


def test_warnings_have_the_format_of_lm_eval():
    _, said = Fork("--version", before=warn).communicate()
    assert len(re.findall("a warning", said)) == 1
    assert re.search(r"^\d{4}-\d\d-\d\d:\d\d:\d\d:\d\d WARNING  \[\S+:\d+\] a warning$", said, re.MULTILINE)
