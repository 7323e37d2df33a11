"""How many tokens the answers of a run may have: room for a thought, and what the model's window allows."""

from __future__ import annotations

import argparse
import contextlib
import functools
import json
import logging
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from lm_eval_sea.catalogue.whole_files import write_whole
from lm_eval_sea.results.settings import LIMITS, limit_in
from lm_eval_sea.results.visible_text import some_names
from lm_eval_sea.run.chat_template import TemplateUse, load_tokenizer
from lm_eval_sea.run.model_check import generation_config_of, positions_of, text_config
from lm_eval_sea.run.model_files import reads_folders
from lm_eval_sea.run.request import CHAT_API, GENERATION, RunError, Tasks

_LIMIT = LIMITS[0]  # under which `with_limit_named` puts that of --gen_kwargs
DEFAULT_LIMIT = 256  # tokens; lm-eval's limit where neither task nor user sets one
_DEFAULT_ROOM = 8192  # tokens
_SHORT = 1 / 4  # of the window; longer limits are compared with the prompts
_AROUND_MESSAGES = 64  # tokens that a chat template adds to a prompt, at most
_LONGEST = 3  # rows of a task whose prompts are counted

logger = logging.getLogger("lm_eval_sea")


def set_limits(
    config: Any,
    tasks: Tasks,
    use: TemplateUse | None,
    wanted: int | str | None,
    make: Callable[[], Any],
    kept: Path | None = None,
) -> None:
    """Sets the token limit of each task's answers to suit the model's window and thoughts.

    `wanted` is what `thinking_tokens` returns, None if not given; `use` is None if the chat template cannot be seen here. `make`
    returns the model of a chat server, which can be asked whether it thinks; `kept` is a file for what its answer shows.
    """
    is_local = reads_folders(config.model)
    thinks = is_local and use is not None and use.thinks
    load = functools.cache(lambda: use.template.tokenizer if use else load_tokenizer(config.model_args))

    def count_tokens(text: str) -> int:
        tokenizer = load()
        return len(text if tokenizer is None else tokenizer(text).input_ids)

    if is_local:
        fit_to_window(config, tasks, count_tokens)
    in_english = isinstance(wanted, str)
    if in_english or thinks:
        from lm_eval_sea.run.premium import note_premiums  # for models that think

        premiums = note_premiums(tasks, load(), flag=f"--thinking_tokens {wanted}" if in_english else "")
    if wanted is not None:
        add_thinking_tokens(tasks, int(str(wanted).removesuffix("x")), config.gen_kwargs, premiums if in_english else None)
    elif thinks:
        add_default_room(config, tasks, count_tokens)
    elif config.model == CHAT_API and _LIMIT not in config.gen_kwargs and _own_limits(tasks):
        server = make()
        if _thinks(server, kept, config.system_instruction):
            add_default_room(config, tasks, None, server.max_length)


def _thinks(server: Any, kept: Path | None, system: str | None) -> bool | None:
    """Whether a server's model thinks. A resumed run takes the first run's finding: other limits would be other requests."""
    if kept is not None:
        with contextlib.suppress(OSError, ValueError, KeyError):
            first = json.loads(kept.read_text(encoding="utf-8"))
            if first.get("system") == system:
                server.first_answer = {"thinks": bool(first["thinks"]), "shows": [mark and str(mark) for mark in first["shows"]]}
    thinks: bool | None = server.thinks()
    if kept is not None and server.first_answer is not None:
        with contextlib.suppress(OSError):  # a full disk
            write_whole(kept, json.dumps({**server.first_answer, "system": system}))
    return thinks


def thinking_tokens(text: str) -> int | str:
    """Parses `--thinking_tokens`: a number of tokens, or "2048x" for as many as hold what 2,048 tokens hold in English."""
    number = text.removesuffix("x")
    if not number.isdecimal() or int(number) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of tokens; expected one such as 2048, or 2048x")
    return int(text) if text == number else text


def add_thinking_tokens(tasks: Tasks, number: int, gen_kwargs: Any, premiums: Mapping[str, float] | None = None) -> None:
    """Raises the limit of tokens of every task that generates, through lm-eval's own `set_config`.

    With `premiums` (task → tokens of its language for each English token), `number` counts English tokens.
    """
    if _LIMIT in gen_kwargs:
        raise RunError(f"--thinking_tokens adds to each task's own limit, which --gen_kwargs {_LIMIT} replaces; give one of them")
    for name, own in _own_limits(tasks).items():
        if own is None:
            raise RunError(f"--thinking_tokens: {name} has no {_LIMIT} of its own; give --gen_kwargs {_LIMIT}=N instead")
        more = number if premiums is None else math.ceil(number * premiums[name])
        tasks[name].set_config("generation_kwargs", {_LIMIT: own + more}, update=True)


def _own_limits(tasks: Tasks) -> dict[str, Any]:
    """The token limit that each generating task states; None if it states none."""
    generating = {name: task.config for name, task in tasks.items() if task.get_config("output_type") == GENERATION}
    return {name: limit_in(config.generation_kwargs or {}) for name, config in generating.items()}


def add_default_room(config: Any, tasks: Tasks, count_tokens: Callable[[str], int] | None, of_server: int | None = None) -> None:
    """Adds room for the thought to a thinking model's answers, and logs it; does nothing if `--gen_kwargs` limits them.

    It is what the model's generation config states (`max_new_tokens`), or 8,192 tokens; less if the model's window has no room
    for prompt, thought and answer. Without `count_tokens` the model is behind a server, which fits each answer to its window;
    `of_server` is that window, if it is known.
    """
    if _LIMIT in config.gen_kwargs:
        return
    wanted = int(generation_config_of(config.model_args).get("max_new_tokens") or _DEFAULT_ROOM)
    window = _window(config.model_args) if count_tokens else None
    limits = _own_limits(tasks)
    if without := [name for name, own in limits.items() if own is None]:
        said = "%s: the task states no limit, so answers get lm-eval's %d tokens, thought included; --gen_kwargs %s=N sets one"
        logger.warning(said, some_names(without), config.model_args.get("max_gen_toks", DEFAULT_LIMIT), _LIMIT)
    rooms = {name: wanted for name in limits if name not in without}
    if not rooms:
        return
    for name in rooms:
        if window is not None and count_tokens is not None:
            beside = limits[name] + _longest_prompt(tasks[name], config.num_fewshot, count_tokens)
            rooms[name] = max(0, min(wanted, window - beside))
        if rooms[name]:
            add_thinking_tokens({name: tasks[name]}, rooms[name], {})
    less = {name: room for name, room in rooms.items() if room < wanted}
    least, most = min(less.values(), default=0), max(less.values(), default=0)
    left = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    in_window = f"; the window of {window:,} leaves {left} for {some_names(list(less))}" if less else ""
    if of_server is not None and of_server < wanted + DEFAULT_LIMIT:
        in_window = f", or what the server's window of {of_server:,} leaves after the prompt"
    said = "the model thinks: answers get %s more tokens for the thought%s; --thinking_tokens N sets another number"
    logger.info(said, f"{wanted:,}", in_window)


def fit_to_window(config: Any, tasks: Tasks, count_tokens: Callable[[str], int]) -> None:
    """Lowers the limits of long answers to what the model's window leaves after the longest prompt, and logs it.

    lm-eval would cut the beginning of the prompts instead. The first of two answers leaves half of the room to the second. A
    limit that would fall below 256 tokens stays, and lm-eval reports the problem. Tasks of other packs are left to lm-eval.
    """
    limits = {name: own for name, own in _own_limits(tasks).items() if name.startswith("sea_") and (own or 0) > DEFAULT_LIMIT}
    if not limits or _LIMIT in config.gen_kwargs or (window := _window(config.model_args)) is None:
        return
    for name, own in limits.items():
        if own <= window * _SHORT:
            continue
        task = tasks[name]
        room = window - _longest_prompt(task, config.num_fewshot, count_tokens)
        # the first of several turns: another task continues from its answers
        if task.config.doc_to_text == "{{turns[0]}}" and any(len(row["turns"]) > 1 for row in task.eval_docs):
            room //= 2
        if DEFAULT_LIMIT <= room < own:
            task.set_config("generation_kwargs", {_LIMIT: room}, update=True)
            said = "%s: answers get %s tokens instead of %s, because the model's window of %s has no room for more"
            logger.info(said, name, *map("{:,}".format, (room, own, window)))


def _window(model_args: Mapping[str, Any]) -> int | None:
    """The model's window in tokens; None if it is not known before the model is loaded."""
    if given := model_args.get("max_length") or model_args.get("max_model_len"):
        return int(given)
    return positions_of(text_config(model_args))


def _longest_prompt(task: Any, num_fewshot: int | None, count_tokens: Callable[[str], int]) -> int:
    """A high estimate of the longest prompt's tokens: each exemplar counts as the longest row."""
    rows = sorted(task.eval_docs, key=lambda row: sum(len(str(value)) for value in row.values()))[-_LONGEST:]
    longest = max((count_tokens(str(task.doc_to_text(row))) for row in rows), default=0)
    exemplars = num_fewshot if num_fewshot is not None else task.config.num_fewshot or 0
    description = task.config.description
    return longest * (exemplars + 1) + (count_tokens(description) if isinstance(description, str) else 0) + _AROUND_MESSAGES
