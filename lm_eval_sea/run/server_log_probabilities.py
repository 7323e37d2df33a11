"""What servers tell as log-probabilities of a text to lm-eval's own models for APIs, which take any number for one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lm_eval_sea.results.types import is_number
from lm_eval_sea.run.request import RunError

_WANTED = "it must give back the prompt with the log-probability of each token (echo=true, logprobs=1), as vllm serve does"


def check_log_probabilities(model: Any) -> None:
    """Has a model of lm-eval's for OpenAI's completions refuse answers from which no log-likelihood can be read."""
    from lm_eval.models.openai_completions import LocalChatCompletion, LocalCompletionsAPI

    if not isinstance(model, LocalCompletionsAPI) or isinstance(model, LocalChatCompletion):
        return
    read = model.parse_logprobs

    def parse_logprobs(outputs: Any, tokens: Any = None, ctxlens: Any = None, **options: Any) -> Any:
        choices = [choice for output in (outputs if isinstance(outputs, list) else [outputs]) for choice in _choices(output)]
        if len(choices) != len(tokens):
            raise RunError(f"the server gave {len(choices)} answers to {len(tokens)} prompts; --batch_size 1 asks one by one")
        for choice, prompt in zip(choices, tokens, strict=True):
            check_choice(choice, len(prompt))
        return read(outputs=outputs, tokens=tokens, ctxlens=ctxlens, **options)

    setattr(model, "parse_logprobs", parse_logprobs)  # noqa: B010 (a method, to mypy)


def _choices(output: Any) -> Sequence[Any]:
    found = output.get("choices") if isinstance(output, Mapping) else None
    if not isinstance(found, list):
        raise RunError(f"the server's answer has no choices; {_WANTED}")
    return sorted(found, key=lambda choice: choice.get("index", 0))


def check_choice(choice: Mapping[str, Any], prompt: int) -> None:
    """Refuses an answer to a prompt of so many tokens that does not have the log-probability of each, and of one token more.

    Raises:
        RunError: with what the server must do.
    """
    told = choice.get("logprobs")
    numbers = told.get("token_logprobs") if isinstance(told, Mapping) else None
    if not isinstance(numbers, list) or not isinstance(told, Mapping) or not isinstance(told.get("top_logprobs"), list):
        raise RunError(f"the server tells no log-probabilities; {_WANTED}")
    if len(numbers) <= 1 < prompt:
        raise RunError(f"the server does not repeat the prompt, so that options have no log-likelihood; {_WANTED}")
    if len(numbers) != prompt + 1 or len(told["top_logprobs"]) != prompt + 1:
        raise RunError(
            f"the server tells {len(numbers)} log-probabilities of a prompt of {prompt} tokens and one more, so that they belong "
            f"to other tokens; its tokenizer must be that of --model_args tokenizer, and {_WANTED}"
        )
    wrong = [number for number in numbers[1:] if not (is_number(number) or number == float("-inf")) or number > 0]
    if wrong:
        raise RunError(f"the server tells {wrong[0]} as a log-probability, which is 0 at most; {_WANTED}")
