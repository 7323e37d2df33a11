"""Whether a model's chat template shows what a task asks, found out with its tokenizer alone."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from lm_eval_sea.results.visible_text import one_line
from lm_eval_sea.run.request import RunError

_SHOWN = 300  # characters of a prompt in a message


def read_tokenizer(model_args: Mapping[str, Any]) -> Any | None:
    """The tokenizer that a backend of transformers or vLLM will use; None if the arguments name none.

    Raises:
        Exception: what libraries like, if it cannot be loaded.
    """
    name = model_args.get("tokenizer") or model_args.get("pretrained")
    if not isinstance(name, str):
        return None
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(
        name,
        revision=model_args.get("revision") or "main",
        trust_remote_code=bool(model_args.get("trust_remote_code")),  # without a word transformers would ask on the terminal
    )


def load_tokenizer(model_args: Mapping[str, Any]) -> Any | None:
    """What `read_tokenizer` returns; None also where that fails, for the backend says so better, or knows how to load it."""
    try:
        return read_tokenizer(model_args)
    except Exception:
        return None


def check_template_of_model(
    model_args: Mapping[str, Any], tasks: Mapping[str, Any], *, apply: bool | str, multiturn: bool
) -> None:
    """`check_chat_template` with a model's tokenizer, or a warning that there is none."""
    tokenizer = load_tokenizer(model_args)
    if tokenizer is None:
        logging.getLogger("lm_eval_sea").warning(
            "whether the chat template shows the questions is not checked: there is no tokenizer that can be loaded here"
        )
        return
    settings = dict(model_args.get("chat_template_args") or {})
    if "enable_thinking" in model_args:
        settings["enable_thinking"] = model_args["enable_thinking"]
    check_chat_template(tokenizer, tasks, apply=apply, settings=settings, multiturn=multiturn)


def check_chat_template(
    tokenizer: Any, tasks: Mapping[str, Any], *, apply: bool | str, settings: Mapping[str, Any], multiturn: bool
) -> None:
    """Renders the first question of each task, and of the exemplars' turns, as the model will see them.

    Args:
        tokenizer: of transformers.
        tasks: lm-eval's, by name.
        apply: the name of a template, or True for the default.
        settings: what the template gets besides the messages.
        multiturn: whether exemplars are messages of their own.

    Raises:
        RunError: if there is no such template, or a prompt lacks a question or has it changed.
    """
    template = _template(tokenizer, apply)
    for task_name, task in tasks.items():
        questions = _questions(task)
        turns = questions if multiturn and task.config.num_fewshot != 0 else questions[-1:]
        messages = [{"role": "user", "content": turns[-1]}] if turns else []
        if len(turns) > 1:
            messages = [{"role": "user", "content": turns[0]}, {"role": "assistant", "content": "1"}, *messages]
        if messages:
            _check(tokenizer, template, messages, settings, task_name)
    _warn_of_lost_instructions(tokenizer, template, tasks, settings)


def _template(tokenizer: Any, apply: bool | str) -> str:
    templates = tokenizer.chat_template
    named = templates if isinstance(templates, dict) else {}
    if isinstance(apply, str) and named and apply not in named:
        raise RunError(
            f"--apply_chat_template {apply}: the tokenizer {tokenizer.name_or_path} has no template of that name; "
            f"it has {', '.join(named)}"
        )
    try:
        text: str = named[apply] if apply in named else tokenizer.get_chat_template()
    except ValueError as error:
        raise RunError(
            f"--apply_chat_template: the tokenizer {tokenizer.name_or_path} has no chat template; leave the flag out"
        ) from error
    return text


def _questions(task: Any) -> list[str]:
    """The texts of the first two rows, as the pack's tasks show them."""
    rows = [row for row, _ in zip(task.eval_docs, range(2), strict=False)]
    texts = [task.doc_to_text(row) for row in rows]
    return [text.strip() for text in texts if isinstance(text, str) and text.strip()]


def _warn_of_lost_instructions(tokenizer: Any, template: str, tasks: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    """Says if a template has no place for a system message, in which lm-eval puts a task's description."""
    told = "Reply with a number."
    messages = [{"role": "system", "content": told}, {"role": "user", "content": "1"}]
    try:
        prompt = tokenizer.apply_chat_template(messages, chat_template=template, tokenize=False, **settings)
    except Exception:  # a `TemplateError`, at which lm-eval leaves the message out; others have ended the run above
        prompt = ""
    names = [name for name, task in tasks.items() if isinstance(task.config.description, str) and task.config.description.strip()]
    if names and told not in prompt:
        logging.getLogger("lm_eval_sea").warning(
            "the chat template of %s drops system messages, and with them the instruction of %s tasks (%s, …)",
            tokenizer.name_or_path,
            len(names),
            names[0],
        )


def _check(tokenizer: Any, template: str, messages: list[dict[str, str]], settings: Mapping[str, Any], task: str) -> None:
    try:
        prompt = tokenizer.apply_chat_template(
            messages, chat_template=template, tokenize=False, add_generation_prompt=True, **settings
        )
    # a template is a program, and raises what it likes
    except Exception as error:
        raise RunError(f"{task}: the chat template of {tokenizer.name_or_path} fails: {one_line(str(error))}") from error
    shown = " ".join(prompt.split())
    for message in messages:
        if message["role"] == "user" and " ".join(message["content"].split()) not in shown:
            raise RunError(
                f"{task}: the chat template of {tokenizer.name_or_path} drops or changes a question. The question: "
                f"{one_line(message['content'][:_SHOWN])} | The prompt: {one_line(prompt[:_SHOWN])}"
            )
