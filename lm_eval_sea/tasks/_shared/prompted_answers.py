"""Answers with what is known of them, the prompt too, and what stands behind their thoughts.

Whether an answer is cut in its thought can depend on the prompt, for many chat templates open the thought. lm-eval hands the
answers alone to `process_results`, but applies filters to whole requests.
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
    """A generated text with its prompt, and with what its backend told of it (`models/generated_text.py`)."""

    prompt: str
    told: Any

    def __new__(cls, text: str, prompt: str) -> Self:
        """A text and the rendered prompt."""
        made = super().__new__(cls, text)
        made.prompt, made.told = prompt, text
        return made

    def __getattr__(self, name: str) -> Any:
        """What the backend told; None of what it did not."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.told, name, None)

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        """What `pickle` makes the text of."""
        return str(self), self.prompt


class PromptedAnswers(ConfigurableTask):
    """Generation whose answers come to the key `process_results` with their prompts."""

    def apply_filters(self) -> list[Instance] | None:
        """As lm-eval does; then every answer knows its prompt.

        Where the backend took the thoughts off (lm-eval's `think_end_token`) the prompt would tell of one that is not there.
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
    """The same for tasks that need nothing else of a class."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        """Loads the rows."""
        super().__init__(config=set_up(config))


def taken_apart(generated: str, parts: Callable[..., Generated] = take_apart) -> Generated:
    """Thought and answer of a generated text, with what its backend tells, and the prompt, where these are known."""
    told = {name: getattr(generated, name, None) for name in ("thought", "finish_reason", "failure")}
    if told["failure"]:
        return Generated("", "", "failed")
    if generated == os.environ.get("LMEVAL_MODEL_NONE_ANSWER_PLACEHOLDER"):
        return Generated("", "", "no thought")  # what lm-eval's API models write where a server sends null
    finished = ended_by_itself(told["finish_reason"])
    if told["thought"] is None:
        return parts(str(generated), prompt=getattr(generated, "prompt", None), finished=finished)
    if not generated.strip():
        return Generated(told["thought"], "", "stopped in the thought" if finished else "cut")
    answer = parts(str(generated), finished=finished).answer or str(generated)
    return Generated(told["thought"], answer, "closed" if told["thought"].strip() else "no thought")


def recorded(doc: dict[str, Any], generated: str, parts: Callable[..., Generated] = take_apart) -> Generated:
    """Takes a text apart, and notes in the row, which lm-eval logs, `thought`, `state`, `finish_reason` and `tokens`."""
    made = taken_apart(generated, parts)
    doc["thought"], doc["state"] = made.thought, made.state
    doc["finish_reason"] = getattr(generated, "finish_reason", None)
    tokens = {kind: getattr(generated, f"{kind}_tokens", None) for kind in ("prompt", "thought", "answer")}
    doc["tokens"] = {kind: number for kind, number in tokens.items() if number is not None}
    return made


def rates_of_loss(made: Generated) -> dict[str, float]:
    """`cut_rate`, the thought did not end; `failure_rate`, there is no answer, for the request failed."""
    return {"cut_rate": float(made.state in UNFINISHED), "failure_rate": float(made.state == "failed")}


def behind_thought(doc: dict[str, Any], generated: str) -> tuple[str, dict[str, float]]:
    """What stands behind the thought, as the model wrote it, with the rates of loss; what else is known goes into the row.

    All if there is no thought, nothing if it did not end.
    """
    made = recorded(doc, generated, parts_as_written)
    return made.answer, rates_of_loss(made)
