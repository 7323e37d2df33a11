"""Chat templates that open thoughts, and their switches."""

import re

import pytest

from lm_eval_sea.run.chat_template import ChatTemplate, Switch, check_chat_template
from lm_eval_sea.run.request import RunError
from tests.run.thinking_templates import IF_TOLD, NO_SWITCH, SWITCHES, UNLESS_TOLD, WORD

RANKED, GENERATED = "sea_belebele_th_to_ppl", "sea_belebele_th_chat"
QUESTION = [{"role": "user", "content": "1 + 1?"}]


@pytest.fixture(scope="module")
def tasks(load_tasks):
    return load_tasks(RANKED, GENERATED)


def test_the_switch_of_each_family(tokenizer):
    """A word in the system message is used only if the template has no setting."""
    found = {WORD: (Switch(), Switch(word="/no_think"))}
    found |= dict.fromkeys([*NO_SWITCH, "{{ messages[9].content }}"], (None, None))
    found |= {template: (Switch(on), Switch(off)) for template, (on, off) in SWITCHES.items()}
    for template, switches in found.items():
        known = ChatTemplate(tokenizer, template)
        assert (known.switch("on"), known.switch("off")) == switches, template


@pytest.mark.parametrize("template", [*UNLESS_TOLD, *IF_TOLD])
def test_whether_a_model_thinks(template, tokenizer):
    assert ChatTemplate(tokenizer, template).thinks(QUESTION) == (template in UNLESS_TOLD)
    if template in SWITCHES:
        assert [ChatTemplate(tokenizer, template, each).thinks(QUESTION) for each in SWITCHES[template]] == [True, False]


@pytest.mark.parametrize("template", UNLESS_TOLD)
def test_ranking_is_refused_where_the_model_would_think(template, tokenizer, tasks):
    def check(asked, settings=None, **more):
        check_chat_template(ChatTemplate(tokenizer, template, settings or {}), asked, multiturn=False, **more)

    way_off = "" if template in NO_SWITCH else "add --thinking off, "
    message = (
        rf"^{RANKED}: the chat template of \S+ makes the model think before it answers, so answers cannot be ranked after the "
        rf"prompt: {re.escape(way_off)}take {GENERATED}, or leave them out$"
    )
    with pytest.raises(RunError, match=message):
        check(tasks)
    check({GENERATED: tasks[GENERATED]})
    if template in SWITCHES:
        check(tasks, SWITCHES[template][1])
    if template == WORD:
        check(tasks, system_instruction="/no_think")
