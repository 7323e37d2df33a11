"""What a model's chat template makes of a task: whether it shows the question, and whether the model thinks.

The tokenizer alone tells.
"""

from __future__ import annotations

import itertools
import json
import logging
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from lm_eval_sea.results.visible_text import one_line, some_names
from lm_eval_sea.run.api_server import twins
from lm_eval_sea.run.request import RunError
from lm_eval_sea.run.thinking import QUESTION, Render, find_switch, knows_effort, shown, thinks

_CLOCK = re.compile(r"""strftime_now\(\s*(["'])(.*?)\1\s*\)""")  # what transformers gives templates besides the messages
_SHOWN = 300  # characters of a prompt in a message
RANKED = ("loglikelihood", "multiple_choice")

logger = logging.getLogger("lm_eval_sea")


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


class TemplateUse(NamedTuple):
    """How a run uses a chat template."""

    settings: Mapping[str, Any]  # what the template gets besides the messages
    system_instruction: str | None
    messages: Sequence[Mapping[str, str]]  # of a question
    prompt: str  # that the tokenizer makes of them
    thinks: bool  # whether the model answers them with a thought first
    tokenizer: Any
    dated: str | None = None  # the template with the date of the run, if it has one


def check_template_of_model(
    model_args: Mapping[str, Any],
    tasks: Mapping[str, Any],
    *,
    apply: bool | str,
    multiturn: bool,
    system_instruction: str | None = None,
    thinking: str = "template",
    date: datetime | None = None,
) -> TemplateUse | None:
    """`check_chat_template` with a model's tokenizer and thinking switched, or a warning that there is no tokenizer.

    Args:
        model_args: of lm-eval.
        tasks: see `check_chat_template`, as the following ones.
        apply: see there.
        multiturn: see there.
        system_instruction: see there.
        thinking: "on", "off", or "template" for what the template does by itself.
        date: what the template takes for today.

    Raises:
        RunError: if thinking cannot be switched or there is no date to set, too.
    """
    tokenizer = load_tokenizer(model_args)
    if tokenizer is None:
        if thinking != "template":
            raise RunError(f"--thinking {thinking}: there is no tokenizer that can be loaded here, whose template has the switch")
        logger.warning(
            "whether the chat template shows the questions is not checked: there is no tokenizer that can be loaded here"
        )
        return None
    template = _template(tokenizer, apply)
    settings = dict(model_args.get("chat_template_args") or {})
    if model_args.get("enable_thinking") is not None:
        settings["enable_thinking"] = model_args["enable_thinking"]
    if thinking != "template":
        render = renderer(tokenizer, template, settings)
        if (switch := find_switch(render, thinking)) is None:
            effort = """only an effort, --model_args 'chat_template_args={"reasoning_effort": "low"}'"""
            raise RunError(
                f"--thinking {thinking}: the chat template of {tokenizer.name_or_path} has no switch for thoughts "
                f"({effort if knows_effort(render) else 'none'}); leave the flag out"
            )
        if taken := settings.keys() & switch.settings:
            raise RunError(f"--thinking {thinking}: --model_args has {', '.join(taken)}, too; give one of them")
        settings |= switch.settings
        system_instruction = "\n\n".join(filter(None, [switch.word, system_instruction])) or None
    if date is not None:
        tokenizer.chat_template = _with_date(template, date)
        if tokenizer.chat_template == template:
            raise RunError(f"--date: the chat template of {tokenizer.name_or_path} writes no date; leave the flag out")
    elif _shows_date(tokenizer, template, settings):
        logger.warning(
            "the chat template of %s writes today's date into every prompt: with --date 2025-01-31, or another date, runs of "
            "different days ask the same",
            tokenizer.name_or_path,
        )
    use = check_chat_template(
        tokenizer, tasks, apply=apply, settings=settings, multiturn=multiturn, system_instruction=system_instruction
    )
    return use._replace(dated=tokenizer.chat_template) if date is not None else use


def _with_date(template: str, date: datetime) -> str:
    """The template with a date in the place of the clock's."""
    return _CLOCK.sub(lambda call: json.dumps(date.strftime(call[2])), template)


def _shows_date(tokenizer: Any, template: str, settings: Mapping[str, Any]) -> bool:
    """Whether a prompt has a date that the template takes from the clock."""
    dated = [_with_date(template, datetime(*moment)) for moment in ((1999, 1, 2, 3, 4, 5), (2033, 11, 28, 16, 17, 18))]
    prompts = [shown(renderer(tokenizer, each, settings), QUESTION, {}) for each in (*dated, dated[0])]
    if prompts[0] != prompts[2]:
        raise RunError(f"the chat template of {tokenizer.name_or_path} never writes the same prompt twice; mend it")
    return prompts[0] != prompts[1]


def check_chat_template(
    tokenizer: Any,
    tasks: Mapping[str, Any],
    *,
    apply: bool | str,
    settings: Mapping[str, Any],
    multiturn: bool,
    system_instruction: str | None = None,
) -> TemplateUse:
    """Renders the first question of each task, and of the exemplars' turns, as the model will see them.

    Args:
        tokenizer: of transformers.
        tasks: lm-eval's, by name.
        apply: the name of a template, or True for the default.
        settings: what the template gets besides the messages.
        multiturn: whether exemplars are messages of their own.
        system_instruction: of the run.

    Raises:
        RunError: if there is no such template, a prompt lacks a question or has it changed, or answers would be ranked where
            the model would think.
    """
    template = _template(tokenizer, apply)
    render, name = renderer(tokenizer, template, settings), tokenizer.name_or_path
    told = [{"role": "system", "content": system_instruction}] if system_instruction else []
    use = TemplateUse(settings, system_instruction, [], "", thinks=False, tokenizer=tokenizer)
    for messages in ([*told, *QUESTION], QUESTION):  # lm-eval leaves out a system message at which a template fails
        if (prompt := shown(render, messages, {})) is not None:
            use = use._replace(messages=messages, prompt=prompt, thinks=thinks(render, messages))
            break
    for task_name, task in tasks.items():
        texts = [task.doc_to_text(row) for row in itertools.islice(task.eval_docs, 2)]
        questions = [text.strip() for text in texts if isinstance(text, str) and text.strip()]
        turns = questions if multiturn and task.config.num_fewshot != 0 else questions[-1:]
        if turns:
            _check(render, turns, f"{task_name}: the chat template of {name}")
    # where the answer is begun for the model, the thought is over
    ranked = [name for name, task in tasks.items() if task.OUTPUT_TYPE in RANKED and not task.config.gen_prefix]
    if use.thinks and ranked:
        off = "add --thinking off, " if find_switch(renderer(tokenizer, template, {}), "off") else ""
        raise RunError(
            f"{some_names(ranked)}: the chat template of {name} has the model think before it answers, so that no answer can be "
            f"ranked behind the prompt: {off}{twins(ranked, tasks)}leave them out"
        )
    # lm-eval puts a task's description in a system message, for which a template may have no place
    descriptions = {task_name: task.config.description for task_name, task in tasks.items()}
    described = [task_name for task_name, text in descriptions.items() if isinstance(text, str) and text.strip()]
    instruction = {"role": "system", "content": "Reply with a number."}
    if described and instruction["content"] not in (shown(render, [instruction, *QUESTION], {}) or ""):
        said = "the chat template of %s drops system messages, and with them the instruction of %s tasks (%s, …)"
        logger.warning(said, name, len(described), described[0])
    return use


def renderer(tokenizer: Any, template: str, settings: Mapping[str, Any]) -> Render:
    """Renders messages as the model will see them; settings of a call go before those of the run."""

    def render(messages: Sequence[Mapping[str, str]], more: Mapping[str, Any]) -> str:
        text: str = tokenizer.apply_chat_template(
            list(messages), chat_template=template, tokenize=False, add_generation_prompt=True, **{**settings, **more}
        )
        return text

    return render


def _template(tokenizer: Any, apply: bool | str) -> str:
    templates = tokenizer.chat_template
    named = templates if isinstance(templates, dict) else {}
    if isinstance(apply, str) and named and apply not in named:
        raise RunError(
            f"--apply_chat_template {apply}: the tokenizer {tokenizer.name_or_path} has no template of that name; "
            f"it has {', '.join(named)}"
        )
    try:
        template: str = named[apply] if apply in named else tokenizer.get_chat_template()
        return template
    except ValueError as error:
        raise RunError(
            f"--apply_chat_template: the tokenizer {tokenizer.name_or_path} has no chat template; leave the flag out"
        ) from error


def _check(render: Render, questions: Sequence[str], template: str) -> None:
    """Refuses a template, which the message names so, that fails or does not show all questions of a conversation."""
    messages = [{"role": "user", "content": questions[0]}]
    for question in questions[1:]:
        messages += [{"role": "assistant", "content": "1"}, {"role": "user", "content": question}]
    try:
        prompt = render(messages, {})
    # a template is a program, and raises what it likes
    except Exception as error:
        raise RunError(f"{template} fails: {one_line(str(error))}") from error
    for question in questions:
        if " ".join(question.split()) not in " ".join(prompt.split()):
            raise RunError(
                f"{template} drops or changes a question. The question: {one_line(question[:_SHOWN])} | The prompt: "
                f"{one_line(prompt[:_SHOWN])}"
            )
