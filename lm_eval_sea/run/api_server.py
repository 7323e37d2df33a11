"""Checks whether an API server can give what tasks ask for, and whether it did."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.models.chat_server import say_if_another
from lm_eval_sea.models.server_parameters import ServerError
from lm_eval_sea.results.types import is_number, mapping_of
from lm_eval_sea.results.visible_text import one_line, some_names
from lm_eval_sea.run.failing_tasks import ServerFaultError
from lm_eval_sea.run.request import CHAT_API, GENERATION, RunError, Tasks, is_a
from lm_eval_sea.tasks._shared.facts import facts, name_of
from lm_eval_sea.tasks._shared.tokenization import NO_TOKENIZER
from lm_eval_sea.web_address import is_web_address

_SHOWN = 200  # characters of a reply
_WANTED = "it must give back the prompt with the log-probability of each token (echo=true, logprobs=1), as vllm serve does"

logger = logging.getLogger("lm_eval_sea")


def prepare_for_chat_api(config: Any) -> None:
    """Sets lm-eval's `EvaluatorConfig` so that tasks make messages (`chat-api` sends nothing else) and need no tokenizer."""
    if config.model != CHAT_API:
        return
    if not config.apply_chat_template:
        config.apply_chat_template = True
        if config.fewshot_as_multiturn is None:  # lm-eval's default under a chat template
            config.fewshot_as_multiturn = True
        logger.info("--model %s sends messages, which implies --apply_chat_template", CHAT_API)
    config.metadata.setdefault("tokenizer", NO_TOKENIZER)


def check_api_server(config: Any, tasks: Tasks, make: Callable[[], Any]) -> None:
    """Refuses what a server cannot give, before anything is paid for; most chat servers give no log-probabilities.

    `make` returns the model, which asks its server what it is.
    """
    model = config.model
    if model.startswith("local-") and not is_web_address(str(config.model_args.get("base_url"))):
        raise RunError(f"--model {model} needs --model_args base_url=ADDRESS, such as http://localhost:8000/v1/completions")
    kinds = {name: task.OUTPUT_TYPE for name, task in tasks.items()}
    ranked = [name for name, kind in kinds.items() if kind != GENERATION]
    if model == CHAT_API:
        rolling = [name for name, kind in kinds.items() if kind == "loglikelihood_rolling"]
        if rolling:
            raise RunError(f"--model {CHAT_API} gives no perplexities, which {some_names(rolling)} need; leave them out")
        if ranked:
            _check_ranking(make, ranked, tasks)
        return
    if not chats(model):
        return
    if ranked:
        raise RunError(
            f"--model {model} gives no log-probabilities, which are needed for {some_names(ranked)}; "
            f"{twins(ranked, tasks)}leave them out, or use local-completions with a server that echoes them, such as vllm serve"
        )
    if not config.apply_chat_template:
        raise RunError(f"--model {model} takes messages; add --apply_chat_template")


def _check_ranking(make: Callable[[], Any], ranked: list[str], tasks: Tasks) -> None:
    if calibrated := [name for name in ranked if is_a(tasks[name], "CalibratedRankingTask")]:
        raise RunError(
            f"{some_names(calibrated)}: calibration compares with prompts without content, which cannot be made of messages, and "
            f"--model {CHAT_API} sends nothing else; {twins(calibrated, tasks)}leave them out"
        )
    try:
        tells = make().tells_log_likelihoods()
    except ServerError as error:
        raise RunError(f"{some_names(ranked)}: {error}") from error
    if not tells:
        raise RunError(
            f"{some_names(ranked)}: the server gives no log-probabilities of a prompt (vllm serve does); "
            f"{twins(ranked, tasks)}leave them out"
        )


def twins(ranked: Iterable[str], tasks: Tasks) -> str:
    """How a piece of advice begins: "take …, or " with the chat tasks on the same data; empty if there are none."""
    of_tasks = {name: facts(tasks[name].config.metadata or {}) for name in ranked}
    named = [
        name_of(str(of.get("dataset")), str(of.get("language")), "chat", english=name.endswith("_enprompt"))
        for name, of in of_tasks.items()
    ]
    found = [twin for twin in dict.fromkeys(named) if twin in read_tasks().tasks]
    return f"take {some_names(found)}, or " if found else ""


def chats(model: str) -> bool:
    """Whether a backend is a server that takes messages."""
    from lm_eval.api.registry import get_model
    from lm_eval.models.openai_completions import LocalChatCompletion

    try:
        kind = get_model(model)
    except Exception:  # an unknown name or a missing package; lm-eval reports it
        return False
    return model == CHAT_API or (isinstance(kind, type) and issubclass(kind, LocalChatCompletion))


def check_replies(model: Any) -> None:
    """Makes lm-eval's own models for OpenAI's API refuse replies without answers or without usable log-probabilities.

    They would take any number for a log-probability, and a missing answer for a text.
    """
    from lm_eval.models.openai_completions import LocalCompletionsAPI

    if not isinstance(model, LocalCompletionsAPI):
        return
    read, read_texts = model.parse_logprobs, model.parse_generations

    def parse_generations(outputs: Any, contexts: Any = None, **options: Any) -> Any:
        choices = _choices(outputs, model.model)
        # with concurrent requests, lm-eval does not tell how many prompts a batch had
        _check_number(choices, len(contexts) if contexts else min(len(choices), model._batch_size))
        return read_texts(outputs=outputs, contexts=contexts, **options)

    def parse_logprobs(outputs: Any, tokens: Any = None, ctxlens: Any = None, **options: Any) -> Any:
        choices = _choices(outputs, model.model)
        _check_number(choices, len(tokens))
        for choice, prompt in zip(choices, tokens, strict=True):
            check_choice(choice, len(prompt))
        return read(outputs=outputs, tokens=tokens, ctxlens=ctxlens, **options)

    vars(model).update(parse_logprobs=parse_logprobs, parse_generations=parse_generations)


def _check_number(choices: Sequence[Any], prompts: int) -> None:
    """Refuses more or fewer answers than prompts: lm-eval would give answers to the wrong rows."""
    if len(choices) != prompts:
        raise ServerFaultError(f"the server gave {len(choices)} answers to {prompts} prompts; give --batch_size 1")


def _choices(outputs: Any, model: str | None) -> list[Any]:
    """The answers in a model's replies, in the order of the prompts."""
    found: list[Any] = []
    for output in outputs if isinstance(outputs, list) else [outputs]:
        choices = mapping_of(output).get("choices")
        if not (choices and isinstance(choices, list) and all(isinstance(choice, Mapping) for choice in choices)):
            shown = one_line(str(output))[:_SHOWN]
            raise ServerFaultError(f"the server's reply has no choices, unlike those of OpenAI's API: {shown}; check base_url")
        indices = [choice.get("index") for choice in choices if choice.get("index") is not None]
        if len(indices) > len(set(map(str, indices))):
            raise ServerFaultError("the server gives two answers the same index; --batch_size 1 asks one by one")
        if isinstance(answering := output.get("model"), str):
            say_if_another(str(model), answering)
        found += sorted(choices, key=lambda choice: choice.get("index", 0))
    return found


def check_choice(choice: Mapping[str, Any], prompt: int) -> None:
    """Refuses an answer without log-probabilities of the prompt's tokens, whose number is `prompt`, and of one more."""
    logprobs = mapping_of(choice.get("logprobs"))
    numbers, ranked = logprobs.get("token_logprobs"), logprobs.get("top_logprobs")
    if not isinstance(numbers, list) or not isinstance(ranked, list):
        raise ServerFaultError(f"the server returns no log-probabilities; {_WANTED}")
    if len(numbers) <= 1 < prompt:
        raise ServerFaultError(f"the server does not repeat the prompt, so options have no log-likelihood; {_WANTED}")
    if len(numbers) != prompt + 1 or len(ranked) != prompt + 1:
        raise ServerFaultError(
            f"the server returns {len(numbers)} log-probabilities for a prompt of {prompt} tokens and one more, so they belong "
            f"to other tokens; its tokenizer must be that of --model_args tokenizer, and {_WANTED}"
        )
    wrong = [number for number in numbers[1:] if not (is_number(number) or number == float("-inf")) or number > 0]
    if wrong:
        raise ServerFaultError(f"the server returns {wrong[0]} as a log-probability, which is 0 at most; {_WANTED}")
