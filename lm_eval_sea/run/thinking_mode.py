"""Makes every backend show a model the same prompt in the thinking mode that the user names: on, off or the template's own."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from typing import Any

from lm_eval_sea.results.visible_text import some_names
from lm_eval_sea.run.chat_template import RANKED, TemplateUse, check_template_of_model, load_tokenizer
from lm_eval_sea.run.model_check import check_choices_follow_thoughts
from lm_eval_sea.run.model_files import reads_folders
from lm_eval_sea.run.request import CHAT_API, GENERATION, RunError, Tasks, is_a
from lm_eval_sea.tasks._shared.facts import CHAT
from lm_eval_sea.tasks._shared.reading.thought import MARKS

_READING = "PromptedAnswers"  # the class of tasks that remove thoughts themselves
_LOGGED_END = 40  # characters of a rendered prompt

logger = logging.getLogger("lm_eval_sea")


def check_mode(config: Any, mode: str) -> None:
    """Refuses `--thinking` where it would do nothing; sets it in `config` for `chat-api`, which has its own switch."""
    if mode == "template":
        return
    if config.model == CHAT_API:
        if config.model_args.setdefault("thinking", mode) != mode:
            raise RunError(f"--thinking {mode}: --model_args has thinking={config.model_args['thinking']}; give one of them")
        return
    if not reads_folders(config.model):
        raise RunError(
            f"--thinking {mode}: --model {config.model} passes no settings to its chat template; use hf, vllm, one of their "
            f"shared-prefix backends or {CHAT_API}"
        )
    if not config.apply_chat_template:
        raise RunError(f"--thinking {mode} is a setting of the chat template; add --apply_chat_template")
    if config.cache_requests.get("cache_requests"):
        raise RunError(f"--thinking {mode}: --cache_requests would give the prompts of another mode; leave it out")


def check_template(config: Any, tasks: Tasks, mode: str, date: datetime | None) -> TemplateUse | None:
    """The chat template of a run, if it has one that can be seen here; `config` gets the system message that it needs."""
    is_local = reads_folders(config.model)
    if date is not None and not (config.apply_chat_template and is_local):
        raise RunError("--date sets the date of a chat template; it needs --apply_chat_template, and no server takes it")
    if not config.apply_chat_template:
        chat = [name for name, task in tasks.items() if (task.config.metadata or {}).get("variant") in CHAT]
        if chat and is_local and getattr(load_tokenizer(config.model_args), "chat_template", None):
            said = "%s: prompts are bare text, but the tokenizer has a chat template; a chat model needs --apply_chat_template"
            logger.warning(said, some_names(chat))
        return None
    check_thoughts_reach_tasks(tasks, mode, config.model_args.get("think_end_token"))
    use = check_template_of_model(config, tasks, mode if is_local else "template", date)
    if use is not None:
        if use.thinks:
            check_choices_follow_thoughts(config.model_args, tasks)
        config.system_instruction = use.system_instruction
    return use


def check_thoughts_reach_tasks(tasks: Tasks, mode: str, think_end_token: Any) -> None:
    """Refuses tasks that leave no room for a thought, or could not recognise it."""
    ranked = [name for name, task in tasks.items() if task.OUTPUT_TYPE in RANKED]
    if mode == "on" and ranked:
        raise RunError(f"--thinking on: {some_names(ranked)} rank given answers, before which no model thinks; leave them out")
    reading = [name for name, task in tasks.items() if is_a(task, _READING)]
    if think_end_token is not None and reading and not _all_read_thoughts(tasks):
        raise RunError(
            f"think_end_token in --model_args removes the thoughts, which {some_names(reading)} read; leave it out, or run "
            "these tasks separately"
        )


def use_template(model: Any, use: TemplateUse | None, backend: str, mode: str, tasks: Tasks) -> None:
    """Makes a transformers or vLLM model write its prompts with the checked settings, if any, and logs how they end.

    Refuses a mode if the model's prompt is not that of its tokenizer. lm-eval's vLLM always passes `enable_thinking` to the
    template (None by default, which some templates take for "no"), and drops the one in `chat_template_args`.
    """
    if use is None or not reads_folders(backend):
        return
    settings = dict(use.template.settings)
    if backend.startswith("vllm"):
        model.enable_thinking = settings.pop("enable_thinking", None)
        model.tokenizer.apply_chat_template = _without_none(model.tokenizer.apply_chat_template)
    model.chat_template_args = settings
    if use.is_dated:
        model.tokenizer.chat_template = use.template.text
    if model.think_end_token in [marks.end for marks in MARKS] and _all_read_thoughts(tasks):
        model.think_end_token = None  # lm-eval would remove the thought, and take an unfinished one for the answer
    prompt = model.apply_chat_template([dict(message) for message in use.messages]) if use.messages else ""
    if prompt != use.prompt:
        said = f"the backend's prompt ends with {prompt[-_LOGGED_END:]!r}, its tokenizer's with {use.prompt[-_LOGGED_END:]!r}"
        if mode != "template":
            raise RunError(f"--thinking {mode}: {said}; set the mode in --model_args chat_template_args and leave the flag out")
        logger.warning("%s", said)
    if getattr(model, "rank", 0) == 0:
        logger.info("thinking %s: the prompt ends with %r", mode, prompt[-_LOGGED_END:])


def _without_none(apply_chat_template: Callable[..., Any]) -> Callable[..., Any]:
    def apply(*args: Any, **settings: Any) -> Any:
        if settings.get("enable_thinking", True) is None:
            del settings["enable_thinking"]
        return apply_chat_template(*args, **settings)

    return apply


def _all_read_thoughts(tasks: Tasks) -> bool:
    return all(is_a(task, _READING) for task in tasks.values() if task.OUTPUT_TYPE == GENERATION)
