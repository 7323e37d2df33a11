"""Parses a prompt configuration of SailCompass, and makes the prompt that OpenCompass shows a base model.

What was parsed, written again, must equal the original, so that nothing is overlooked. A prompt is its turns, joined by line
breaks, with placeholders filled by plain replacement (OpenCompass 001e77f: `LMTemplateParser.parse_template` without a meta
template, `PromptList.format`, `safe_format`).
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from lm_eval_sea.make.prompt_files import JINJA_CODE
from lm_eval_sea.official.task_folder import CheckoutError

_PLACE = re.compile(r"\{(\w+)\}")


class Configuration(NamedTuple):
    """What one configuration says."""

    loader: str  # class that loads the rows
    evaluator: str  # class that scores the answers
    data_file: str  # below the folder of the data, such as "data/xcopa/id_test.jsonl"
    input_columns: Sequence[str]
    answer_column: str
    before: Sequence[str]  # turns before the row's: instruction, exemplars and their answers
    question: str  # the row's turn, with placeholders {column}
    cue: str  # how the answer begins
    max_new_tokens: int | None  # of a generated answer; None if options are ranked
    options: Mapping[str, str]  # label → option as it follows the cue, in the order that decides ties; empty if generated

    @property
    def option_columns(self) -> list[str]:
        """The columns of the options; none where the options are the same words for all rows."""
        found = [_PLACE.fullmatch(option) for option in self.options.values()]
        return [match[1] for match in found if match] if all(found) else []

    def turns(self, label: str | None = None) -> list[str]:
        """All turns; with the option of a label after the cue."""
        ending = self.cue if label is None else f"{self.cue} {self.options[label]}"
        return [*self.before, self.question, ending]


def read_configuration(path: str, made: Mapping[str, Any]) -> Configuration:
    """A configuration from what its file defines, with classes as their names; the path is for messages.

    Raises `CheckoutError` if it has anything that a `Configuration` does not cover.
    """
    try:
        ((data_set,),) = made.values()
        inference, reader = data_set["infer_cfg"], data_set["reader_cfg"]
        tokens = inference["inferencer"].get("max_out_len")
        template = inference["prompt_template"]["template"]
        templates = {"": template} if tokens is not None else template
        turns = {label: [turn["prompt"] for turn in each["begin"] + each["round"]] for label, each in templates.items()}
        *before, question, cue = next(iter(turns.values()))
        if tokens is None:  # what all endings begin with, up to a space
            cue = os.path.commonprefix([each[-1] for each in turns.values()]).rpartition(" ")[0]
        configuration = Configuration(
            loader=data_set["type"],
            evaluator=data_set["eval_cfg"]["evaluator"]["type"],
            data_file=data_set["path"].removeprefix("./"),
            input_columns=reader["input_columns"],
            answer_column=reader["output_column"],
            before=before,
            question=question,
            cue=cue,
            max_new_tokens=tokens,
            options={label: each[-1].removeprefix(f"{cue} ") for label, each in turns.items()} if tokens is None else {},
        )
        unlike = _unlike(data_set, _written(configuration))
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, StopIteration) as error:
        raise CheckoutError(f"{path}: not of the known form: {type(error).__name__}: {error}") from error
    if unlike:
        raise CheckoutError(f"{path}: not of the known form: {unlike}")
    return configuration


def _written(configuration: Configuration) -> dict[str, Any]:
    """The configuration as its file writes it."""
    ranked = configuration.max_new_tokens is None
    templates = {label: _template(configuration.turns(label)) for label in configuration.options}
    inferencer = {"type": "PPLInferencer"} if ranked else {"type": "GenInferencer", "max_out_len": configuration.max_new_tokens}
    template = templates if ranked else _template(configuration.turns())
    return {
        "type": configuration.loader,
        "path": f"./{configuration.data_file}",
        "reader_cfg": {"input_columns": configuration.input_columns, "output_column": configuration.answer_column},
        "infer_cfg": {
            "prompt_template": {"type": "PromptTemplate", "template": template},
            "retriever": {"type": "ZeroRetriever"},
            "inferencer": inferencer | {"generation_kwargs": {"do_sample": False}},
        },
        "eval_cfg": {"evaluator": {"type": configuration.evaluator}, "pred_role": "BOT"},
    }


def _template(turns: Sequence[str]) -> dict[str, Any]:
    system, *rounds = turns
    roles = ["HUMAN", "BOT"] * (len(rounds) // 2)
    begin = [{"role": "SYSTEM", "fallback_role": "HUMAN", "prompt": system}]
    return {"begin": begin, "round": [{"role": role, "prompt": text} for role, text in zip(roles, rounds, strict=True)]}


def _unlike(given: Any, expected: Any, place: str = "") -> str:
    """The first place where two configurations differ, except in names and batch sizes; "" if there is none."""
    if not isinstance(given, dict) or not isinstance(expected, dict):
        return "" if given == expected else f"{place or 'it'} is {given!r:.80}"
    for key in sorted(given.keys() - {"abbr", "batch_size"} | expected.keys(), key=str):
        if key not in given or key not in expected:
            return f"{place} {'has' if key in given else 'lacks'} {key!r}".strip()
        if found := _unlike(given[key], expected[key], f"{place}.{key}".strip(".")):
            return found
    return ""


def fill(text: str, row: Mapping[str, Any]) -> str:
    """The text with each `{column}` replaced by the row's value, one column after the other in the row's order.

    Braces around anything else stay as they are. A value that itself has `{column}` of a later column is filled again.
    """
    for column, value in row.items():
        text = text.replace(f"{{{column}}}", str(value))
    return text


def prompt(turns: Sequence[str], row: Mapping[str, Any]) -> str:
    """The text a base model gets: the filled turns, joined by line breaks."""
    return "\n".join(fill(turn, row) for turn in turns)


def places(text: str, columns: Sequence[str]) -> list[str]:
    """Those of the columns that a text has a placeholder for, in the order of the text."""
    return [name for name in _PLACE.findall(text) if name in columns]


def as_jinja(text: str, columns: Sequence[str]) -> str:
    """A Jinja template that renders a row of these columns as `fill` does, unless a value itself contains a placeholder."""
    parts, end = [], 0
    for match in _PLACE.finditer(text):
        if match[1] in columns:
            parts += [_literal(text[end : match.start()]), f"{{{{{match[1]}}}}}"]
            end = match.end()
    return "".join([*parts, _literal(text[end:])])


def _literal(text: str) -> str:
    # a brace right before a placeholder would give Jinja three
    return f"{{% raw %}}{text}{{% endraw %}}" if JINJA_CODE.search(text) or text.endswith("{") else text
