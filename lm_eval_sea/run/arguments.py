"""The arguments of `lm-eval-sea run`, lm-eval's and ours; those that contradict each other are refused with a `RunError`."""

from __future__ import annotations

import argparse
import codecs
import contextlib
import json
import locale
import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NoReturn, get_args, get_origin, get_type_hints

import yaml

from lm_eval_sea.catalogue.lm_eval_tasks import names_in
from lm_eval_sea.catalogue.names import chat_name, did_you_mean, language_group, languages_like, lite_name, meant
from lm_eval_sea.catalogue.suites import lite_chat_tasks
from lm_eval_sea.catalogue.task_list import TaskList, read_tasks
from lm_eval_sea.results.secrets import KnownSecrets, secrets_in
from lm_eval_sea.run.answer_limits import thinking_tokens
from lm_eval_sea.run.api_server import chats
from lm_eval_sea.run.chat_template import MODES
from lm_eval_sea.run.request import CHAT_API, DEBUG, RunError, check_include_paths, check_names_of_pack, in_one_line

HELP = """\
Takes the flags of `lm_eval run`, listed below, and knows the tasks of this pack and its models `hf-shared-prefix`,
`vllm-shared-prefix` and `chat-api`.

examples:
  lm-eval-sea run --model hf-shared-prefix --model_args pretrained=MODEL --tasks sea_sailcompass --batch_size 16
  lm-eval-sea run --model vllm --model_args pretrained=MODEL --tasks sea_xnli --output_path results --log_samples
  lm-eval-sea run --model hf-shared-prefix --model_args pretrained=MODEL --language th --output_path results
  lm-eval-sea run --model hf-shared-prefix --model_args pretrained=MODEL --language th --lite --output_path results
  lm-eval-sea run --model hf-shared-prefix --model_args pretrained=MODEL --tasks arc_easy      tasks of lm-eval work, too
"""
# Flag → what `ArgumentParser.add_argument` takes.
_OURS: Mapping[str, Mapping[str, Any]] = {
    "--language": {
        "metavar": "CODE",
        "help": "Instead of --tasks: sea_language_CODE, the suggested tasks of a language (each data set in one variant, "
        "translation both ways, and sea_helm_CODE), and lm-eval's own tasks of the language that docs/coverage.md lists, if "
        "their rows are available",
    },
    "--chat": {
        "action": "store_true",
        "help": "With --language: sea_language_CODE_chat, whose tasks a chat model answers in its own words; implied for a chat "
        "server",
    },
    "--lite": {"action": "store_true", "help": "With --language: at most 100 rows of each task, always the same ones"},
    "--resume": {
        "action": argparse.BooleanOptionalAction,
        "help": "Keep the model's answers below --output_path until the results are written, so that the same command continues "
        "where an interrupted run stopped (default with --output_path)",
    },
    "--seeds": {
        "type": int,
        "metavar": "N",
        "help": "N runs with sampled answers, in folders seed_1 … seed_N of --output_path. Temperature and so on come from the "
        "model's generation config or from --gen_kwargs. Seeds that have all results of this request are skipped; an "
        "interrupted one continues. With --metadata first_turn=FOLDER seed K takes its first answers from FOLDER/seed_K",
    },
    "--thinking": {
        "choices": MODES,
        "default": "template",
        "help": "With --apply_chat_template: whether the model thinks before it answers, set by the switch of its template; "
        "template (default): what the template itself does. Reports show on and off as separate models",
    },
    "--thinking_tokens": {
        "type": thinking_tokens,
        "metavar": "N",
        "help": "Tokens for thoughts, added to each task's own limit (max_gen_toks); SEA-HELM adds 20000. With an x, as in "
        "2048x: as many as hold what 2048 tokens hold in English, by the model's tokenizer and the language of the prompt. "
        "Default for a model that thinks: max_new_tokens of its generation config, or 8192, as far as its window has room",
    },
    "--sampling": {
        "choices": ("task", "model"),
        "default": "task",
        "help": "model: temperature, top_p and so on of the model's generation config (chat-api sends none, and the server "
        "samples by its own defaults); task (default): what each task sets, mostly greedy. --seeds N repeats a run",
    },
    "--date": {
        "metavar": "YYYY-MM-DD",
        "type": datetime.fromisoformat,
        "help": "With --apply_chat_template: the date that a template shows as today's, so that all runs have the same prompts",
    },
    DEBUG: {"action": "store_true", "help": "Show where an error came from"},
    "--detect": {
        "type": float,
        "metavar": "POINTS",
        "help": "Instead of --limit: enough rows of each task to detect, with a probability of 80 %%, a difference of so many "
        "points between two models in the mean of all tasks (of normalised scores)",
    },
    "--skip_missing": {
        "action": "store_true",
        "help": "Leave out tasks whose rows or exemplars are not here and cannot be downloaded",
    },
}
_LITE_ROWS = 100  # the most that a lite task has
_TYPES = {bool: "true or false", int: "a whole number", float: "a number", str: "a text", list: "a list", dict: "a mapping"}


def run_parser() -> argparse.ArgumentParser:
    """lm-eval's parser of `lm_eval run` with our flags added; it raises `RunError` instead of printing its usage."""
    from lm_eval._cli.run import Run

    def refuse(message: str) -> NoReturn:
        unknown = message.removeprefix("unrecognized arguments: ")
        like = meant(unknown.split()[0], parser._option_string_actions, 1) if unknown != message else ""
        raise RunError(in_one_line(ValueError(message)) + like)

    commands = argparse.ArgumentParser(prog="lm-eval").add_subparsers()
    Run.create(commands)
    parser: argparse.ArgumentParser = commands.choices["run"]
    setattr(parser, "error", refuse)  # noqa: B010 (a method, to mypy)
    # argparse names the type in its refusal, and shows one without a name as Python does
    vars(parser._option_string_actions["--seed"].type)["__name__"] = "list of one or four numbers"
    parser._option_string_actions["--fewshot_as_multiturn"].type = _true_or_false
    group = parser.add_argument_group("lm-eval-sea")
    for flag, options in _OURS.items():
        group.add_argument(flag, **options)
    return parser


def _true_or_false(text: str) -> bool:
    """The value of a flag; lm-eval takes all other words for false, such as "on"."""
    if text.lower() not in (known := {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}):
        raise argparse.ArgumentTypeError(f"{text!r} is not true or false")
    return known[text.lower()]


def read_arguments(arguments: Sequence[str], secrets: KnownSecrets) -> tuple[argparse.Namespace, argparse.Namespace]:
    """Reads the arguments of lm-eval, and those of `_OURS` with `beside`: lm-eval's own tasks, which the run can do without.

    Secrets in them are added to `secrets` before a message could show one.
    """
    try:
        parsed = run_parser().parse_args(arguments)
    except RunError:
        raise
    except ValueError as error:  # JSON that lm-eval cannot read
        hint = " If one value is JSON, write all as one JSON object." if "={" in str(error) else ""
        raise RunError(in_one_line(error) + hint) from error
    secrets.add(_secrets_of(parsed))
    ours = argparse.Namespace(**{flag[2:]: vars(parsed).pop(flag[2:]) for flag in _OURS}, beside=[])
    if ours.language is not None:
        if parsed.tasks:
            raise RunError("--language takes the place of --tasks; give one of them")
        chat = ours.chat or chats(parsed.model or "")
        ours.beside = names_in(ours.language, chat=chat, most_rows=_LITE_ROWS if ours.lite else None)
        parsed.tasks = [*names_of_language(read_tasks(), ours.language, lite=ours.lite, chat=chat), *ours.beside]
    elif ours.lite:
        raise RunError("--lite goes with --language; without it name the lite tasks, such as --tasks sea_lite")
    elif ours.chat:
        raise RunError("--chat goes with --language; without it name the chat tasks, such as --tasks sea_sailcompass_chat")
    if ours.detect is not None:
        if parsed.limit is not None or parsed.samples is not None:
            raise RunError("--detect chooses how many rows are run, as --limit and --samples do; give one of them")
        if not 0 < ours.detect < math.inf:
            raise RunError(f"--detect {ours.detect:g}: expected a number of points above 0, such as 5")
    if parsed.output_path == "":  # such as from an unset variable; lm-eval takes it for none
        raise RunError("--output_path is empty, so nothing would be saved; name a folder, or leave it out")
    check_include_paths([parsed.include_path] if parsed.include_path else [])
    if not parsed.include_path:  # else a name may be one of the user's
        check_names_of_pack(name for name in parsed.tasks or () if " " not in name)  # `check_names` judges the others
    return parsed, ours


def names_of_language(listed: TaskList, language: str, *, lite: bool, chat: bool) -> list[str]:
    """The names that `--language` stands for: the language's group, or its lite chat tasks, which are in no group."""
    group = group_of_language(listed, language, lite=lite and not chat, chat=chat)
    if not (lite and chat):
        return [group]
    there = lite_chat_tasks() | set(listed.tasks)
    return [name for task in listed.select([group]) if (name := lite_name(task.name)) in there]


def group_of_language(listed: TaskList, language: str, *, lite: bool = False, chat: bool = False) -> str:
    """The name of the group of a language's tasks: SailCompass, translation both ways, Belebele, other data sets, SEA-HELM."""
    name = language_group(language)
    if name not in listed.groups:
        there, codes = languages(listed), [code.strip() for code in language.split(",")]
        if set(there) >= set(codes):
            several = ",".join(group_of_language(listed, code, lite=lite, chat=chat) for code in codes)
            raise RunError(f"--language takes one language; run each, or name their groups: --tasks {several}")
        advice = did_you_mean([code for code in languages_like(language) if code in there]) or f"; known: {', '.join(there)}"
        raise RunError(f"--language {language}: no such language{advice}")
    return lite_name(name) if lite else chat_name(name) if chat else name


def languages(listed: TaskList) -> list[str]:
    """The codes of the languages that have a group of their own."""
    start, endings = language_group(""), (lite_name(""), chat_name(""))
    return sorted(name.removeprefix(start) for name in listed.groups if name.startswith(start) and not name.endswith(endings))


def _secrets_of(parsed: argparse.Namespace) -> Iterator[str]:
    """The secrets in arguments, and in the file of settings that they name."""
    yield from secrets_in(vars(parsed))
    if path := getattr(parsed, "config", None):
        with contextlib.suppress(OSError, ValueError, yaml.YAMLError):  # `read_config` reports these
            yield from secrets_in(yaml.safe_load(Path(path).read_text(encoding="utf-8")))


def read_config(parsed: argparse.Namespace) -> Any:
    """lm-eval's `EvaluatorConfig` of its arguments, which may name a file of settings (`--config`)."""
    from lm_eval.config.evaluate_config import DICT_KEYS, EvaluatorConfig

    samples = parsed.samples
    try:
        if path := getattr(parsed, "config", None):
            _check_encoding(path)
            settings = EvaluatorConfig.load_yaml_config(path)
            _check_settings(path, settings, DICT_KEYS, get_type_hints(EvaluatorConfig))
            samples = settings.get("samples") if samples is None else samples
        if parsed.model == CHAT_API and getattr(parsed, "fewshot_as_multiturn", None):  # needs the flag that is implied
            parsed = argparse.Namespace(**{**vars(parsed), "apply_chat_template": True})
        config = EvaluatorConfig.from_cli(parsed)
        config.samples = samples if samples in ({}, []) else config.samples  # lm-eval takes them for all rows
        if config.check_integrity:
            raise RunError("--check_integrity runs a test that lm-eval no longer has; leave it out: rows are checked in any case")
        return config
    except json.JSONDecodeError as error:  # of the file that the flag names; all else is read before
        raise RunError(f"--samples: not JSON ({in_one_line(error)}); save the file as UTF-8 without a byte order mark") from error
    except (ValueError, TypeError, OSError) as error:
        raise RunError(in_one_line(error)) from error


def _check_encoding(path: str) -> None:
    """Refuses letters that lm-eval would misread: it reads the file in the encoding of the locale, and YAML is UTF-8."""
    encoding = locale.getpreferredencoding(False)
    if codecs.lookup(encoding).name != "utf-8" and Path(path).is_file() and not Path(path).read_bytes().isascii():
        raise RunError(f"--config {path}: it has letters beyond ASCII, and the locale reads them as {encoding}; set PYTHONUTF8=1")


def _check_settings(path: str, settings: Mapping[str, Any], mappings: Sequence[str], known: Mapping[str, Any]) -> None:
    """Refuses keys that lm-eval does not know, values of another type, and JSON within YAML, which it takes for `name=value`."""
    for key, value in settings.items():
        if key not in known:
            beside = f"; give --{key} on the command line" if f"--{key}" in _OURS else meant(str(key), known, 3)
            raise RunError(f"--config {path}: unknown key {key!r}{beside}")
        types = {get_origin(each) or each for each in get_args(known[key]) or (known[key],)}
        types |= {str} if key in (*mappings, "batch_size") else set()
        if value is not None and type(value) not in types | ({int} if float in types else set()):
            expected = " or ".join(text for each, text in _TYPES.items() if each in types)
            raise RunError(f"--config {path}: {key} is {value!r}; expected {expected}")
        if key in mappings and isinstance(value, str) and value and ("{" in value or "=" not in value):
            raise RunError(f"--config {path}: {key} is the text {value!r}; write it as a mapping, without quotes around it")
