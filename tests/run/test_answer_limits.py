"""How many tokens answers may have: room for thoughts, and small windows."""

import json
import logging
from types import SimpleNamespace

import pytest

from lm_eval_sea.models.chat_api import ChatAPI
from lm_eval_sea.run.answer_limits import add_default_room, fit_to_window, set_limits

from ..models.toy_server import Answer, Status, refusal, serve, text

GENERATED = "sea_belebele_th_chat"


def limits_with_room(tokenizer, load_tasks, gen_kwargs=(), **model_args):
    """The limits of a task's answers before and after, and its longest prompt, in tokens."""
    task = load_tasks(GENERATED)[GENERATED]
    before = task.config.generation_kwargs["max_gen_toks"]
    config = SimpleNamespace(model_args=model_args, gen_kwargs=dict(gen_kwargs), num_fewshot=None)
    add_default_room(config, {GENERATED: task}, lambda text: len(tokenizer(text).input_ids))
    prompts = [task.fewshot_context(row, task.config.num_fewshot or 0) for row in task.eval_docs]
    longest = max(len(tokenizer(prompt).input_ids) for prompt in prompts)
    return before, task.config.generation_kwargs["max_gen_toks"], longest


def test_room_for_thoughts(tokenizer, load_tasks, tmp_path, caplog):
    """Prompt, thought and answer fit a small window and nearly fill it."""
    caplog.set_level(logging.INFO, "lm_eval_sea")
    before, after, longest = limits_with_room(tokenizer, load_tasks, max_length=4096)
    assert before < after
    assert 4096 - 100 < longest + after <= 4096
    assert f"; the window of 4,096 leaves {after - before:,} for {GENERATED};" in caplog.messages[-1]
    before, after, _ = limits_with_room(tokenizer, load_tasks, max_length=300)
    assert after == before and f"; the window of 300 leaves 0 for {GENERATED};" in caplog.messages[-1]
    before, after, _ = limits_with_room(tokenizer, load_tasks, max_length=100_000)
    assert after == before + 8192
    assert "answers get 8,192 more tokens for the thought; --thinking_tokens N sets another number" in caplog.messages[-1]
    (tmp_path / "generation_config.json").write_text(json.dumps({"max_new_tokens": 500}))
    before, after, _ = limits_with_room(tokenizer, load_tasks, max_length=100_000, pretrained=str(tmp_path))
    assert after == before + 500
    for settings in ({"max_length": 300}, {"max_length": 9000, "gen_kwargs": {"max_gen_toks": 9}}):
        before, after, _ = limits_with_room(tokenizer, load_tasks, **settings)
        assert after == before


@pytest.mark.parametrize(("stated", "limit"), [({"max_new_tokens": 9}, 9 + 8192), ({}, None)])
def test_limits_under_another_name_and_missing_limits(stated, limit, load_tasks, caplog):
    """Tasks of other packs have them. Without a limit, a thought would be cut silently."""
    task = load_tasks(GENERATED)[GENERATED]
    task.set_config("generation_kwargs", {"until": []} | stated)
    add_default_room(SimpleNamespace(model_args={}, gen_kwargs={}, num_fewshot=None), {GENERATED: task}, None)
    assert task.config.generation_kwargs.get("max_gen_toks") == limit
    said = f"{GENERATED}: the task states no limit, so answers get lm-eval's 256 tokens, thought included; --gen_kwargs"
    assert [text.startswith(said) for text in caplog.messages if "no limit" in text] == [True] * (limit is None)


COUNTED = {"completion_tokens": 30, "completion_tokens_details": {"reasoning_tokens": 20}}
OPEN, CLOSED = "<assistant><think>\n", "<assistant><think>\n\n</think>\n\n"


@pytest.mark.parametrize(
    ("reply", "prompt_end", "given", "thinks", "questions"),
    [
        (Answer([("reasoning_content", "Hm."), ("content", "188")]), None, {}, True, 1),
        (text("<think>Hm.</think>188"), None, {}, True, 1),
        (text("Hm.</think>188"), None, {}, True, 1),  # the template has opened the thought
        (text("188", usage=COUNTED), None, {}, True, 1),
        (text("", finish="length"), None, {}, True, 1),
        (text("It moves for 188 minutes."), None, {}, False, 1),
        (text("It moves for 188 minutes."), "<assistant>", {}, False, 1),
        (refusal("no"), None, {}, False, 1),
        *((text("188"), OPEN, given, True, 0) for given in ({}, {"window": 4096})),
        (text("188"), CLOSED, {}, False, 0),
        *((text("188"), None, given, True, 0) for given in ({"effort": "low"}, {"effort": "high"}, {"thinking": True})),
        *((text("188"), OPEN, given, False, 0) for given in ({"effort": "none"}, {"thinking": "off"})),
        (text("188"), OPEN, {"gen_kwargs": {"max_gen_toks": 9}}, False, 0),
    ],
)
def test_room_for_thoughts_behind_a_server(reply, prompt_end, given, thinks, questions, load_tasks, caplog):
    """The server is asked only if nothing else tells, and fits each answer to its window."""
    caplog.set_level(logging.INFO, "lm_eval_sea")
    task = load_tasks(GENERATED)[GENERATED]
    before = task.config.generation_kwargs["max_gen_toks"]
    window = given.get("window", 50_000)
    models = prompt_end and Status(200, {"data": [{"id": "toy", "max_model_len": window}]})
    with serve(lambda *_: reply, models, prompt_end) as toy:
        args = {"model": "toy", "base_url": toy.base_url} | {name: value for name, value in given.items() if name != "window"}
        given = {"gen_kwargs": args.pop("gen_kwargs", {}), "num_fewshot": None, "system_instruction": None}
        config = SimpleNamespace(model="chat-api", model_args=args, **given)
        set_limits(config, {GENERATED: task}, None, None, lambda: ChatAPI(**args))
    assert task.config.generation_kwargs["max_gen_toks"] == before + 8192 * thinks
    assert len(toy.requests) == questions
    limited = f", or what the server's window of {window:,} leaves after the prompt" if window < 8192 else ""
    said = f"the model thinks: answers get 8,192 more tokens for the thought{limited}; --thinking_tokens N"
    assert (said in caplog.text) == thinks


@pytest.mark.parametrize(
    ("name", "share"), [("sea_helm_id_ifeval", 1), ("sea_helm_id_mt_bench_judge_turn_1", 1 / 2), ("sea_seabench_id", 1 / 2)]
)
def test_long_answers_are_limited_to_the_rest_of_a_small_window(name, share, tokenizer, load_tasks, caplog):
    """After the longest prompt; both answers of a conversation get the same."""
    caplog.set_level(logging.INFO, "lm_eval_sea")
    task = load_tasks(name)[name]
    own = task.config.generation_kwargs["max_gen_toks"]  # also the length of the window
    prompts = [len(tokenizer(task.doc_to_text(row)).input_ids) for row in task.eval_docs]
    caplog.clear()  # of warnings about the rows

    def fit(**given):
        config = SimpleNamespace(**{"model_args": {"max_length": own}, "gen_kwargs": {}, "num_fewshot": None} | given)
        fit_to_window(config, {name: task}, lambda text: len(tokenizer(text).input_ids))
        return task.config.generation_kwargs["max_gen_toks"]

    for given in (
        {"model_args": {"max_length": 32_768}},
        {"gen_kwargs": {"max_gen_toks": 5}},
        {"model_args": {"max_length": 300}},
    ):
        assert fit(**given) == own, given
    assert not caplog.messages
    fitted = fit()
    assert share * (own - max(prompts) - 200) < fitted <= share * (own - max(prompts))
    assert caplog.messages == [
        f"{name}: answers get {fitted:,} tokens instead of {own:,}, because the model's window of {own:,} has no room for more"
    ]
