"""Whether a model thinks before it answers, and the switch of its chat template."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lm_eval_sea.models.thinking_switches import SWITCHES
from lm_eval_sea.tasks._shared.reading.thought import asks_for_thought, open_thought

MODES = ("on", "off", "template")
# Words in a system message that some templates act on, such as that of Nemotron Nano v2.
_WORDS = {"on": "/think", "off": "/no_think"}
_NO_SUCH_WORD = "/as_is"
QUESTION = ({"role": "user", "content": "1"},)

Messages = Sequence[Mapping[str, str]]
Render = Callable[[Messages, Mapping[str, Any]], str]


@dataclass(frozen=True)
class Switch:
    """What sets a template to one mode."""

    settings: Mapping[str, Any] = field(default_factory=dict)  # of the template
    word: str = ""  # for the system message


def find_switch(render: Render, mode: str) -> Switch | None:
    """What sets a chat template to a mode, found in the prompts that it makes; None if it has no switch.

    Args:
        render: the prompt of messages with settings of the template; may raise what templates raise.
        mode: "on" or "off".
    """
    for name, on, off in SWITCHES:
        if _is_switch(shown(render, QUESTION, {name: on}), shown(render, QUESTION, {name: off})):
            return Switch({name: on if mode == "on" else off})
    prompts = {
        word: shown(render, ({"role": "system", "content": word}, *QUESTION), {}) for word in (_NO_SUCH_WORD, *_WORDS.values())
    }
    plain = prompts[_NO_SUCH_WORD]
    # the template does more with such a word than to write it
    acts = {name: plain is not None and prompts[word] != plain.replace(_NO_SUCH_WORD, word) for name, word in _WORDS.items()}
    on_word = _WORDS["on"] if acts["on"] else _NO_SUCH_WORD
    if not acts["off"] or not _is_switch(prompts[on_word], prompts[_WORDS["off"]]):
        return None
    return Switch(word=_WORDS[mode] if acts[mode] else "")


def _is_switch(on: str | None, off: str | None) -> bool:
    return on is not None and off is not None and on != off and open_thought(off) is None


def knows_effort(render: Render) -> bool:
    """Whether a chat template grades the thought by `reasoning_effort`."""
    low, high = (shown(render, QUESTION, {"reasoning_effort": effort}) for effort in ("low", "high"))
    return low is not None and low != high


def thinks(render: Render, messages: Messages) -> bool:
    """Whether a model answers these messages with a thought first, as far as its chat template tells."""
    prompt, off = shown(render, messages, {}), find_switch(render, "off")
    if prompt is None or open_thought(prompt):
        return prompt is not None
    if off is None:
        own = shown(render, QUESTION, {})  # without the words of the row
        asks = None if own is None else asks_for_thought(own)
        return knows_effort(render) if asks is None else asks
    return bool(off.settings) and prompt != shown(render, messages, off.settings)


def shown(render: Render, messages: Messages, settings: Mapping[str, Any]) -> str | None:
    """The prompt; None where the template fails."""
    try:
        return render(messages, settings)
    except Exception:  # a template is a program, and raises what it likes
        return None
