"""A plain restatement of how OpenCompass makes the text of a base model: the template as the file itself builds it.

The configuration is executed here, with stand-ins for the framework, so that nothing of the reader under test is used.
"""

from __future__ import annotations

import sys
import types
from pathlib import Path

import pytest


class _Anything(types.ModuleType):
    """A module that has every name."""

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


def execute(path: Path) -> dict:
    """The only data set that a configuration defines, as Python makes it."""
    modules = (
        "opencompass",
        "opencompass.datasets",
        "opencompass.openicl",
        "opencompass.openicl.icl_evaluator",
        "opencompass.openicl.icl_inferencer",
        "opencompass.openicl.icl_prompt_template",
        "opencompass.openicl.icl_retriever",
    )
    with pytest.MonkeyPatch.context() as patch:
        for name in modules:
            patch.setitem(sys.modules, name, _Anything(name))
        names: dict = {}
        exec(compile(path.read_bytes(), str(path), "exec"), names)
    ((data_set,),) = [value for name, value in names.items() if name.endswith("_datasets")]
    return data_set


def texts(data_set: dict, row: dict) -> dict:
    """What a base model is shown for a row: label → whole text; None → prompt, for generation."""
    template = data_set["infer_cfg"]["prompt_template"]["template"]
    if set(template) == {"begin", "round"}:
        return {None: _text(template, {**row, data_set["reader_cfg"]["output_column"]: ""})}
    return {label: _text(each, row) for label, each in template.items()}


def _text(template: dict, row: dict) -> str:
    text, separator = "", ""
    for turn in template["begin"] + template["round"]:
        filled = turn["prompt"]
        for column, value in row.items():
            filled = filled.replace("{" + column + "}", str(value))
        if filled:
            text += separator + filled
        separator = "\n"
    return text
