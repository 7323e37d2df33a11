"""Answers with their prompts and with what their backend says about them, taken apart into thought and answer.

Whether an answer was cut in its thought can depend on the prompt, because many chat templates open the thought. lm-eval passes
only the answers to `process_results`, but applies filters to whole requests.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from lm_eval.api.task import ConfigurableTask

from .chat.ends import ended_by_itself
from .lm_eval_private import model_under_evaluation, set_up
from .reading.thought import UNFINISHED, Generated, parts_as_written, take_apart


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from typing_extensions import Self

    from lm_eval.api.instance import Instance


class PromptedText(str):
    """A generated text with its prompt, and with what its backend says about it (`models/generated_text.py`)."""

    prompt: str
    generated: Any

    def __new__(cls, text: str, prompt: str) -> Self:
        """A text and the rendered prompt."""
        made = super().__new__(cls, text)
        made.prompt, made.generated = prompt, text
        return made

    def __getattr__(self, name: str) -> Any:
        """What the backend says; None for what it does not say."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.generated, name, None)

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        """What `pickle` makes the text from."""
        return str(self), self.prompt


class PromptedAnswers(ConfigurableTask):
    """Generation that passes answers with their prompts to the function in the key `process_results`."""

    def apply_filters(self) -> list[Instance] | None:
        """Applies lm-eval's filters, and gives every answer its prompt.

        If the backend has cut off the thoughts (lm-eval's `think_end_token`), the prompt is left out: it may open a thought that
        is not in the text.
        """
        filtered = super().apply_filters()
        if getattr(model_under_evaluation(), "think_end_token", None) is None:
            for instance in self.instances:
                prompt = str(instance.arguments[0])
                for key, found in instance.filtered_resps.items():
                    if isinstance(found, str):
                        instance.filtered_resps[key] = PromptedText(found, prompt)
        return filtered


class WrittenTask(PromptedAnswers):
    """`PromptedAnswers` for tasks that need no other class."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__(config=set_up(config))


def taken_apart(generated: str, parts: Callable[..., Generated] = take_apart) -> Generated:
    """Thought and answer of a generated text, by its prompt and what its backend says, if these are known."""
    said = {name: getattr(generated, name, None) for name in ("thought", "finish_reason", "failure")}
    if said["failure"]:
        return Generated("", "", "failed")
    if generated == os.environ.get("LMEVAL_MODEL_NONE_ANSWER_PLACEHOLDER"):
        return Generated("", "", "no thought")  # lm-eval's API models write this if a server sends null
    finished = ended_by_itself(said["finish_reason"])
    if said["thought"] is None:
        return parts(str(generated), prompt=getattr(generated, "prompt", None), finished=finished)
    if not generated.strip():
        return Generated(said["thought"], "", "stopped in the thought" if finished else "cut")
    answer = parts(str(generated), finished=finished).answer or str(generated)
    return Generated(said["thought"], answer, "closed" if said["thought"].strip() else "no thought")


def recorded(doc: dict[str, Any], generated: str, parts: Callable[..., Generated] = take_apart) -> Generated:
    """Takes a text apart, and writes `thought`, `state`, `finish_reason` and `tokens` into the row, which lm-eval logs."""
    made = taken_apart(generated, parts)
    doc["thought"], doc["state"] = made.thought, made.state
    doc["finish_reason"] = getattr(generated, "finish_reason", None)
    tokens = {kind: getattr(generated, f"{kind}_tokens", None) for kind in ("prompt", "thought", "answer")}
    doc["tokens"] = {kind: number for kind, number in tokens.items() if number is not None}
    return made


def rates_of_loss(made: Generated) -> dict[str, float]:
    """`cut_rate`: the thought did not end; `failure_rate`: there is no answer, because the request failed."""
    return {"cut_rate": float(made.state in UNFINISHED), "failure_rate": float(made.state == "failed")}


def behind_thought(doc: dict[str, Any], generated: str) -> tuple[str, dict[str, float]]:
    """What follows the thought, as the model wrote it, with the rates of loss. What else is known is written into the row.

    The whole text if there is no thought, empty if the thought did not end.
    """
    made = recorded(doc, generated, parts_as_written)
    return made.answer, rates_of_loss(made)
