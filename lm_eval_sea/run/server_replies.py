"""What servers reply to lm-eval's own models for APIs, which take any number for a log-probability, and no answer for a text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lm_eval_sea.models.chat_server import say_if_another
from lm_eval_sea.results.types import is_number
from lm_eval_sea.results.visible_text import one_line
from lm_eval_sea.run.failing_tasks import ServerFaultError

_SHOWN = 200  # characters of a reply
_WANTED = "it must give back the prompt with the log-probability of each token (echo=true, logprobs=1), as vllm serve does"


def check_replies(model: Any) -> None:
    """Has a model of lm-eval's for OpenAI's API refuse replies that are none, or from which no log-likelihood can be read."""
    from lm_eval.models.openai_completions import LocalCompletionsAPI

    if not isinstance(model, LocalCompletionsAPI):
        return
    read, read_texts = model.parse_logprobs, model.parse_generations

    def parse_generations(outputs: Any, **options: Any) -> Any:
        _choices(outputs, model.model)
        return read_texts(outputs=outputs, **options)

    def parse_logprobs(outputs: Any, tokens: Any = None, ctxlens: Any = None, **options: Any) -> Any:
        choices = _choices(outputs, model.model)
        if len(choices) != len(tokens):
            raise ServerFaultError(
                f"the server gave {len(choices)} answers to {len(tokens)} prompts; --batch_size 1 asks one by one"
            )
        for choice, prompt in zip(choices, tokens, strict=True):
            check_choice(choice, len(prompt))
        return read(outputs=outputs, tokens=tokens, ctxlens=ctxlens, **options)

    vars(model).update(parse_logprobs=parse_logprobs, parse_generations=parse_generations)


def _choices(outputs: Any, model: str | None) -> list[Any]:
    """The answers in replies of a model, in the order of the prompts."""
    found: list[Any] = []
    for output in outputs if isinstance(outputs, list) else [outputs]:
        choices = output.get("choices") if isinstance(output, Mapping) else None
        if not (choices and isinstance(choices, list) and all(isinstance(choice, Mapping) for choice in choices)):
            shown = one_line(str(output))[:_SHOWN]
            raise ServerFaultError(f"the server's reply has no choices, as those of OpenAI's API have: {shown}; look at base_url")
        indices = [choice.get("index") for choice in choices if choice.get("index") is not None]
        if len(indices) > len(set(map(str, indices))):
            raise ServerFaultError("the server numbers two answers alike; --batch_size 1 asks one by one")
        if isinstance(told := output.get("model"), str):
            say_if_another(str(model), told)
        found += sorted(choices, key=lambda choice: choice.get("index", 0))
    return found


def check_choice(choice: Mapping[str, Any], prompt: int) -> None:
    """Refuses an answer to a prompt of so many tokens that does not have the log-probability of each, and of one token more.

    Raises:
        ServerFaultError: with what the server must do.
    """
    told = choice.get("logprobs")
    numbers = told.get("token_logprobs") if isinstance(told, Mapping) else None
    if not isinstance(numbers, list) or not isinstance(told, Mapping) or not isinstance(told.get("top_logprobs"), list):
        raise ServerFaultError(f"the server tells no log-probabilities; {_WANTED}")
    if len(numbers) <= 1 < prompt:
        raise ServerFaultError(f"the server does not repeat the prompt, so that options have no log-likelihood; {_WANTED}")
    if len(numbers) != prompt + 1 or len(told["top_logprobs"]) != prompt + 1:
        raise ServerFaultError(
            f"the server tells {len(numbers)} log-probabilities of a prompt of {prompt} tokens and one more, so that they belong "
            f"to other tokens; its tokenizer must be that of --model_args tokenizer, and {_WANTED}"
        )
    wrong = [number for number in numbers[1:] if not (is_number(number) or number == float("-inf")) or number > 0]
    if wrong:
        raise ServerFaultError(f"the server tells {wrong[0]} as a log-probability, which is 0 at most; {_WANTED}")
