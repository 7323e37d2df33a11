"""Checks, by the tokenizer alone, whether a chat template shows what a task asks and whether the model thinks."""

from __future__ import annotations

import itertools
import json
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

from lm_eval_sea.results.visible_text import counted, one_line, some_names
from lm_eval_sea.run.api_server import twins
from lm_eval_sea.run.request import RunError, Tasks
from lm_eval_sea.tasks._shared.reading.thought import asks_for_thought, open_thought
from lm_eval_sea.thinking_switches import SWITCHES

_CLOCK = re.compile(r"""strftime_now\(\s*(["'])(.*?)\1\s*\)""")  # transformers' clock for templates
_SHOWN = 300  # characters of a prompt in a message
RANKED = ("loglikelihood", "multiple_choice")
MODES = ("on", "off", "template")
# Words in a system message that some templates act on, such as that of Nemotron Nano v2.
_WORDS = {"on": "/think", "off": "/no_think"}
_NO_SUCH_WORD = "/as_is"
QUESTION = ({"role": "user", "content": "1"},)
_EXEMPLAR = {"role": "assistant", "content": "Answer: 4711"}  # a turn before the question
_INSTRUCTION = {"role": "system", "content": "Reply with a number."}

Messages = Sequence[Mapping[str, str]]

logger = logging.getLogger("lm_eval_sea")


def read_tokenizer(model_args: Mapping[str, Any]) -> Any | None:
    """The tokenizer that a transformers or vLLM backend will use; None if none is named. May raise anything."""
    name = model_args.get("tokenizer") or model_args.get("pretrained")
    if not isinstance(name, str):
        return None
    from transformers import AutoTokenizer

    of_model = not model_args.get("tokenizer")  # a tokenizer that is named has files of its own, and lm-eval reads these
    how = {key: value for key, value in how_to_load(model_args).items() if of_model or key != "gguf_file"}
    return AutoTokenizer.from_pretrained(name, **how)


def how_to_load(model_args: Mapping[str, Any]) -> dict[str, Any]:
    """Keywords of `from_pretrained`: revision, place, and whether code is trusted, which transformers would else ask the user."""
    place = {name: model_args[name] for name in ("subfolder", "gguf_file") if model_args.get(name)}
    trusted = bool(model_args.get("trust_remote_code"))
    return {"revision": model_args.get("revision") or "main", "trust_remote_code": trusted, **place}


def load_tokenizer(model_args: Mapping[str, Any]) -> Any | None:
    """`read_tokenizer`, or None if it fails: the backend reports that better, or knows how to load it."""
    try:
        return read_tokenizer(model_args)
    except Exception:
        return None


class Switch(NamedTuple):
    """What sets a template to one mode."""

    settings: Mapping[str, Any] = {}  # of the template
    word: str = ""  # for the system message


@dataclass(frozen=True)
class ChatTemplate:
    """A tokenizer's chat template, with what it gets besides the messages."""

    tokenizer: Any
    text: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        """As messages name it."""
        return f"the chat template of {self.tokenizer.name_or_path}"

    def render(self, messages: Messages, **settings: Any) -> str:
        """The prompt as the model will see it; these settings go before the template's own. A template can raise anything."""
        known = {"add_generation_prompt": True, **self.settings, **settings}
        prompt: str = self.tokenizer.apply_chat_template(list(messages), chat_template=self.text, tokenize=False, **known)
        return prompt

    def shown(self, messages: Messages = QUESTION, **settings: Any) -> str | None:
        """The prompt; None where the template fails."""
        try:
            return self.render(messages, **settings)
        except Exception:  # a template is a program
            return None

    def switch(self, mode: str) -> Switch | None:
        """What sets the template to a mode, "on" or "off", found from the prompts that it makes; None if it has no switch."""
        for name, on, off in SWITCHES:
            if _is_switch(self.shown(**{name: on}), self.shown(**{name: off})):
                return Switch({name: on if mode == "on" else off})
        efforts = {"on": "high", "off": "no_think"}  # Hunyuan 3
        high, none = (self.shown(reasoning_effort=effort) for effort in efforts.values())
        if high and none and open_thought(high) and asks_for_thought(none) is False:
            return Switch({"reasoning_effort": efforts[mode]})
        words = (_NO_SUCH_WORD, *_WORDS.values())
        prompts = {word: self.shown(({"role": "system", "content": word}, *QUESTION)) for word in words}
        plain = prompts[_NO_SUCH_WORD]
        # a template that knows a word does more than write it
        acts = {name: plain is not None and prompts[word] != plain.replace(_NO_SUCH_WORD, word) for name, word in _WORDS.items()}
        on_word = _WORDS["on"] if acts["on"] else _NO_SUCH_WORD
        if not acts["off"] or not _is_switch(prompts[on_word], prompts[_WORDS["off"]]):
            return None
        return Switch(word=_WORDS[mode] if acts[mode] else "")

    @property
    def knows_effort(self) -> bool:
        """Whether the template grades the thought by `reasoning_effort`."""
        low, high = (self.shown(reasoning_effort=effort) for effort in ("low", "high"))
        return low is not None and low != high

    def thinks(self, messages: Messages) -> bool:
        """Whether a model answers these messages with a thought first, as far as the template shows."""
        prompt, off = self.shown(messages), self.switch("off")
        if prompt is None or open_thought(prompt):
            return prompt is not None
        if off is not None:
            return bool(off.settings) and prompt != self.shown(messages, **off.settings)
        # without the words of the row; Kimi K2 Thinking shows an empty thought in each earlier turn of the model
        said = (asks_for_thought(own) for turns in (QUESTION, (*QUESTION, _EXEMPLAR, *QUESTION)) if (own := self.shown(turns)))
        return next((each for each in said if each is not None), self.knows_effort)

    def left_out(self, messages: Messages) -> str:
        """What it writes before answers of earlier turns, but not at a prompt's end, whatever `add_generation_prompt` says."""
        prompt, whole = (self.shown(each, add_generation_prompt=False) for each in (messages, [*messages, _EXEMPLAR]))
        if prompt is None or whole is None or not whole.startswith(prompt) or self.shown(messages) != prompt:
            return ""
        return whole[len(prompt) :].partition(_EXEMPLAR["content"])[0].strip()

    def with_date(self, date: datetime) -> ChatTemplate:
        """The template with a date in place of the clock's."""
        return replace(self, text=_CLOCK.sub(lambda call: json.dumps(date.strftime(call[2])), self.text))

    def shows_date(self) -> bool:
        """Whether a prompt has a date that the template takes from the clock."""
        first, second = (self.with_date(datetime(*moment)) for moment in ((1999, 1, 2, 3, 4, 5), (2033, 11, 28, 16, 17, 18)))
        prompt = first.shown()
        if prompt != first.shown():
            raise RunError(f"{self} never writes the same prompt twice; fix it")
        return prompt != second.shown()


def _is_switch(on: str | None, off: str | None) -> bool:
    return on is not None and off is not None and on != off and open_thought(off) is None


class TemplateUse(NamedTuple):
    """How a run uses a chat template."""

    template: ChatTemplate
    system_instruction: str | None
    messages: Messages  # of a question
    prompt: str  # that the tokenizer makes of them
    thinks: bool  # whether the model answers them with a thought first
    is_dated: bool = False  # whether the template has the date of the run


def check_template_of_model(
    config: Any, tasks: Tasks, thinking: str = "template", date: datetime | None = None
) -> TemplateUse | None:
    """Runs `check_chat_template` with the model of a run, a thinking mode of `MODES`, and the date that the template shows.

    Also refuses a mode that the template does not have, and a date that it does not show. None, with a warning, if there is no
    tokenizer.
    """
    model_args, system_instruction = config.model_args, config.system_instruction
    tokenizer = load_tokenizer(model_args)
    if tokenizer is None:
        if thinking != "template":
            raise RunError(f"--thinking {thinking}: the switch is in a tokenizer's template, and no tokenizer can be loaded here")
        logger.warning("not checked: whether the chat template shows the questions; no tokenizer can be loaded here")
        return None
    settings = dict(model_args.get("chat_template_args") or {})
    if model_args.get("enable_thinking") is not None:
        settings["enable_thinking"] = model_args["enable_thinking"]
    bare = ChatTemplate(tokenizer, template_of(tokenizer, config.apply_chat_template))
    for name, on, off in SWITCHES:  # the results would name the model by it
        if name in settings and bare.shown(**{name: on}) == bare.shown(**{name: off}):
            logger.warning("%s in --model_args changes nothing: %s has no such switch", name, bare)
    template = replace(bare, settings=settings)
    if thinking != "template":
        if (switch := template.switch(thinking)) is None:
            effort = """only an effort, --model_args 'chat_template_args={"reasoning_effort": "low"}'"""
            raise RunError(
                f"--thinking {thinking}: {template} has no switch for thoughts "
                f"({effort if template.knows_effort else 'none'}); leave the flag out"
            )
        if taken := settings.keys() & switch.settings:
            raise RunError(f"--thinking {thinking}: --model_args has {', '.join(taken)}, too; give one of them")
        template = replace(template, settings={**settings, **switch.settings})
        system_instruction = "\n\n".join(filter(None, [switch.word, system_instruction])) or None
    if date is not None:
        undated, template = template, template.with_date(date)
        if template == undated:
            raise RunError(f"--date: {template} writes no date; leave the flag out")
    elif template.shows_date():
        said = (
            "%s writes today's date into every prompt: add --date 2025-01-31, or another date, so that runs on different days "
            "have the same prompts"
        )
        logger.warning(said, template)
    asked = {"multiturn": bool(config.fewshot_as_multiturn), "num_fewshot": config.num_fewshot}
    use = check_chat_template(template, tasks, **asked, system_instruction=system_instruction)
    return use._replace(is_dated=date is not None)


def check_chat_template(
    template: ChatTemplate,
    tasks: Tasks,
    *,
    multiturn: bool,
    num_fewshot: int | None = None,
    system_instruction: str | None = None,
) -> TemplateUse:
    """Renders the first question of each task, with the turns of its exemplars, as the model will see it.

    With `multiturn` exemplars are messages of their own. Without `num_fewshot` there are as many as the tasks say; a task's own 0
    stays.

    Refuses prompts that lack or change a question or an exemplar's answer, and ranking if the model would think first.
    """
    system = [{"role": "system", "content": system_instruction}] if system_instruction else []
    use = TemplateUse(template, system_instruction, [], "", thinks=False)
    for messages in ([*system, *QUESTION], QUESTION):  # lm-eval drops a system message on which a template fails
        if (prompt := template.shown(messages)) is not None:
            use = use._replace(messages=messages, prompt=prompt, thinks=template.thinks(messages))
            break
    if header := template.left_out(use.messages):
        said = "%s does not begin the answer (it ignores add_generation_prompt): prompts end without %r"
        logger.warning(said, template, header)
    for task_name, task in tasks.items():
        texts = [task.doc_to_text(row) for row in itertools.islice(task.eval_docs, 2)]
        questions = [text.strip() for text in texts if isinstance(text, str) and text.strip()]
        own = task.config.num_fewshot
        has_exemplars = own if num_fewshot is None or own == 0 else num_fewshot
        turns = questions if multiturn and has_exemplars else questions[-1:]
        if turns:
            texts = [text for text in (system_instruction, task.config.description) if isinstance(text, str) and text.strip()]
            _check(template, turns, "\n\n".join(texts), f"{task_name}: {template}")
    # where the answer is begun for the model, the thought is over
    ranked = [name for name, task in tasks.items() if task.OUTPUT_TYPE in RANKED and not task.config.gen_prefix]
    if use.thinks and ranked:
        off = "add --thinking off, " if replace(template, settings={}).switch("off") else ""
        raise RunError(
            f"{some_names(ranked)}: {template} makes the model think before it answers, so answers cannot be "
            f"ranked after the prompt: {off}{twins(ranked, tasks)}leave them out"
        )
    # lm-eval puts a task's description in a system message, which a template may drop
    described = [each for each, task in tasks.items() if isinstance(text := task.config.description, str) and text.strip()]
    lost = ["--system_instruction"] if set((system_instruction or "").split("\n\n")) - {"", *_WORDS.values()} else []
    lost += [f"the instruction of {counted(len(described), 'task')} ({described[0]}, …)"] if described else []
    if lost and _INSTRUCTION["content"] not in (template.shown([_INSTRUCTION, *QUESTION]) or ""):
        logger.warning("%s drops system messages, and with them %s", template, " and ".join(lost))
    return use


def template_of(tokenizer: Any, apply: bool | str) -> str:
    """The template that `--apply_chat_template` names; for True the only one or the default."""
    templates, name = tokenizer.chat_template, tokenizer.name_or_path
    named = templates if isinstance(templates, dict) else {}
    if isinstance(apply, str) and named and apply not in named:
        there = ", ".join(named)
        raise RunError(f"--apply_chat_template {apply}: the tokenizer {name} has no template of that name; it has {there}")
    try:
        template = str(named[apply] if apply in named else tokenizer.get_chat_template())
    except ValueError as error:
        raise RunError(f"--apply_chat_template: the tokenizer {name} has no chat template; leave the flag out") from error
    if isinstance(apply, str) and not named and apply.lower() != "true":  # lm-eval would accept it, even "false"
        raise RunError(
            f"--apply_chat_template {apply}: the tokenizer {name} has one template, without a name; give the flag without a "
            "value, or leave it out for prompts without the template"
        )
    return template


def _check(template: ChatTemplate, questions: Sequence[str], instruction: str, place: str) -> None:
    """Refuses a template that fails or does not show all turns of a conversation; `place` names it in messages.

    If it fails with a system message, which has the `instruction` if there is one, lm-eval drops that message.
    """
    messages = [{"role": "user", "content": questions[0]}]
    for question in questions[1:]:
        messages += [_EXEMPLAR, {"role": "user", "content": question}]
    system = [{"role": "system", "content": instruction}] if instruction else []
    if (prompt := template.shown([*system, *messages])) is None:
        try:
            prompt = template.render(messages)
        except Exception as error:
            needed = template.shown([_INSTRUCTION, *messages]) is not None
            advice = "; with --system_instruction it does not" if needed else ""
            raise RunError(f"{place} fails: {one_line(str(error))}{advice}") from error
    for question in questions:
        if " ".join(question.split()) not in " ".join(prompt.split()):
            raise RunError(
                f"{place} drops or changes a question. The question: {one_line(question[:_SHOWN])} | The prompt: "
                f"{one_line(prompt[:_SHOWN])}"
            )
    if len(questions) > 1 and _EXEMPLAR["content"] not in prompt:
        raise RunError(
            f"{place} drops or changes the model's earlier turns, and so the answers of exemplars: add --fewshot_as_multiturn "
            f"false, which writes them into the question | The prompt: {one_line(prompt[:_SHOWN])}"
        )
