"""Chat templates that open thoughts, and their switches."""

import re

import pytest

from lm_eval_sea.run.chat_template import Switch, check_chat_template, find_switch, renderer, thinks
from lm_eval_sea.run.request import RunError
from tests.run.thinking_templates import (
    ALWAYS,
    BEGUN,
    BUDGET,
    DEGREES,
    EFFORT,
    EMPTY_PAIR,
    FALSY,
    LEFT_OUT,
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
QUESTION = [{"role": "user", "content": "1 + 1?"}]

# template → what switches it on and off
SWITCHES = {
    OPENS: ({"enable_thinking": True}, {"enable_thinking": False}),
    EMPTY_PAIR: ({"enable_thinking": True}, {"enable_thinking": False}),
    FALSY: ({"enable_thinking": True}, {"enable_thinking": False}),
    NOTE: ({"enable_thinking": True}, {"enable_thinking": False}),
    THINKING: ({"thinking": True}, {"thinking": False}),
    MODE: ({"thinking_mode": "on"}, {"thinking_mode": "off"}),
    DEGREES: ({"reasoning_effort": "high"}, {"reasoning_effort": "no_think"}),
    BUDGET: ({"thinking_budget": -1}, {"thinking_budget": 0}),
}
UNLESS_TOLD = [OPENS, EMPTY_PAIR, FALSY, MODE, BUDGET, WORD, ALWAYS, BEGUN, EFFORT, TOLD, LEFT_OUT]  # the model thinks by itself
IF_TOLD = [NOTE, THINKING, DEGREES, NO_EFFORT, PLAIN]


@pytest.fixture(scope="module")
def tasks(load_tasks):
    return load_tasks(RANKED, GENERATED)


def test_the_switch_of_each_family(tokenizer):
    """A word in the system message is the last resort, to end what begins by itself."""
    found = {WORD: (Switch(), Switch(word="/no_think"))}
    found |= dict.fromkeys([ALWAYS, BEGUN, EFFORT, LEFT_OUT, PLAIN, "{{ messages[9].content }}"], (None, None))
    found |= {template: (Switch(on), Switch(off)) for template, (on, off) in SWITCHES.items()}
    for template, switches in found.items():
        render = renderer(tokenizer, template, {})
        assert (find_switch(render, "on"), find_switch(render, "off")) == switches, template


@pytest.mark.parametrize("template", [*UNLESS_TOLD, *IF_TOLD])
def test_whether_a_model_thinks(template, tokenizer):
    assert thinks(renderer(tokenizer, template, {}), QUESTION) == (template in UNLESS_TOLD)
    if template in SWITCHES:
        assert [thinks(renderer(tokenizer, template, settings), QUESTION) for settings in SWITCHES[template]] == [True, False]


def check(tokenizer, tasks, template, settings=None, **more):
    check_chat_template(tokenizer, template, settings or {}, tasks, multiturn=False, **more)


@pytest.mark.parametrize("template", [OPENS, MODE, WORD, EMPTY_PAIR, BUDGET, ALWAYS, BEGUN, EFFORT])
def test_nothing_is_ranked_where_a_model_would_think(template, tokenizer, tasks):
    way_off = "" if template in (ALWAYS, BEGUN, EFFORT) else "add --thinking off, "
    message = (
        rf"^{RANKED}: the chat template of \S+ makes the model think before it answers, so answers cannot be ranked after the "
        rf"prompt: {re.escape(way_off)}take {GENERATED}, or leave them out$"
    )
    with pytest.raises(RunError, match=message):
        check(tokenizer, tasks, template)
    check(tokenizer, {GENERATED: tasks[GENERATED]}, template)
    if template in SWITCHES:
        check(tokenizer, tasks, template, SWITCHES[template][1])
    if template == WORD:
        check(tokenizer, tasks, template, system_instruction="/no_think")
