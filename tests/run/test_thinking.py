"""Chat templates that open thoughts, and their switches."""

import re

import pytest
from transformers import AutoTokenizer

from lm_eval_sea.run.chat_template import Switch, check_chat_template, find_switch, renderer, thinks
from lm_eval_sea.run.request import RunError
from tests.run.thinking_templates import (
    ALWAYS,
    BUDGET,
    EFFORT,
    EMPTY_PAIR,
    FALSY,
    MODE,
    NO_EFFORT,
    NOTE,
    OPENS,
    PLAIN,
    THINKING,
    TOLD,
    WORD,
)  # fmt: skip

RANKED, GENERATED = "sea_belebele_th_to_ppl", "sea_belebele_th_chat"

# template → what switches it on and off
SWITCHES = {
    OPENS: ({"enable_thinking": True}, {"enable_thinking": False}),
    EMPTY_PAIR: ({"enable_thinking": True}, {"enable_thinking": False}),
    FALSY: ({"enable_thinking": True}, {"enable_thinking": False}),
    NOTE: ({"enable_thinking": True}, {"enable_thinking": False}),
    THINKING: ({"thinking": True}, {"thinking": False}),
    MODE: ({"thinking_mode": "on"}, {"thinking_mode": "off"}),
    BUDGET: ({"thinking_budget": -1}, {"thinking_budget": 0}),
}


@pytest.fixture
def tokenizer(tiny_model):
    return AutoTokenizer.from_pretrained(tiny_model)


@pytest.fixture(scope="module")
def tasks(load_tasks):
    return load_tasks(RANKED, GENERATED)


def test_the_switch_of_each_family(tokenizer):
    for template, (on, off) in SWITCHES.items():
        render = renderer(tokenizer, template, {})
        assert (find_switch(render, "on"), find_switch(render, "off")) == (Switch(on), Switch(off)), template


def test_a_word_in_the_system_message_is_the_last_resort(tokenizer):
    render = renderer(tokenizer, WORD, {})
    assert find_switch(render, "off") == Switch(word="/no_think")
    assert find_switch(render, "on") == Switch(), "it thinks by itself"


@pytest.mark.parametrize("template", [ALWAYS, EFFORT, PLAIN, "{{ messages[9].content }}"])
def test_templates_without_a_switch(template, tokenizer):
    render = renderer(tokenizer, template, {})
    assert find_switch(render, "on") is find_switch(render, "off") is None


def check(tokenizer, tasks, template, settings=None, **more):
    tokenizer.chat_template = template
    check_chat_template(tokenizer, tasks, apply=True, settings=settings or {}, multiturn=False, **more)


@pytest.mark.parametrize(
    ("template", "way_off", "settings", "instruction"),
    [
        (OPENS, "add --thinking off, ", {"enable_thinking": False}, None),
        (MODE, "add --thinking off, ", {"thinking_mode": "off"}, None),
        (WORD, "add --thinking off, ", {}, "/no_think"),
        (EMPTY_PAIR, "add --thinking off, ", {"enable_thinking": False}, None),
        (BUDGET, "add --thinking off, ", {"thinking_budget": 0}, None),
        (ALWAYS, "", None, None),
        (EFFORT, "", None, None),
    ],
    ids=["enable_thinking", "thinking_mode", "word", "opened by the model", "budget", "no switch", "effort"],
)
def test_nothing_is_ranked_where_a_model_would_think(template, way_off, settings, instruction, tokenizer, tasks):
    message = (
        rf"^{RANKED}: the chat template of \S+ has the model think before it answers, so that no answer can be ranked behind the "
        rf"prompt: {re.escape(way_off)}take {GENERATED}, or leave them out$"
    )
    with pytest.raises(RunError, match=message):
        check(tokenizer, tasks, template)
    check(tokenizer, {GENERATED: tasks[GENERATED]}, template)
    if settings is not None:
        check(tokenizer, tasks, template, settings, system_instruction=instruction)


def test_models_that_do_not_think_by_themselves_are_ranked(tokenizer, tasks):
    for template in (NOTE, THINKING, PLAIN):
        check(tokenizer, tasks, template)


@pytest.mark.parametrize("template", [OPENS, EMPTY_PAIR, FALSY, MODE, BUDGET, WORD, ALWAYS, EFFORT, TOLD])
def test_models_that_think_unless_told_not_to(template, tokenizer):
    question = [{"role": "user", "content": "1 + 1?"}]
    assert thinks(renderer(tokenizer, template, {}), question)
    if template in SWITCHES:
        assert not thinks(renderer(tokenizer, template, SWITCHES[template][1]), question)


@pytest.mark.parametrize("template", [NOTE, THINKING, NO_EFFORT, PLAIN])
def test_models_that_think_if_told_to(template, tokenizer):
    question = [{"role": "user", "content": "1 + 1?"}]
    assert not thinks(renderer(tokenizer, template, {}), question)
    if template in SWITCHES:
        assert thinks(renderer(tokenizer, template, SWITCHES[template][0]), question)
