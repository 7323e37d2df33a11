"""The code of a checkout in this process, with the libraries that are installed: to run beside ours, in tests alone."""

import importlib.util
import logging
import sys
import types
import warnings
from pathlib import Path
from typing import Any

import datasets  # noqa: F401  # libraries that the code imports: while it is loaded, what is missing finds a stand-in
import evaluate  # noqa: F401
import py3langid
import pytest
from pythainlp.tokenize import word_tokenize  # noqa: F401

from lm_eval_sea.official.run_source import StandIn, StandIns


def load(path: Path, post_processors: types.ModuleType | None = None) -> types.ModuleType:
    """A Python file of a checkout as a module; `post_processors` are what it gets from `opencompass.utils`."""
    utils = StandIn("opencompass.utils")
    vars(utils).update(
        vars(post_processors) if post_processors else {}, get_logger=lambda log_level: logging.getLogger("official_sailcompass")
    )
    module = types.ModuleType(f"checkout.{path.stem}")
    module.__package__ = "checkout"
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of escape sequences in its patterns
        if importlib.util.find_spec("langid") is None:  # asked before there are stand-ins
            patch.setitem(sys.modules, "langid", py3langid)  # as ours does
        patch.setattr(sys, "meta_path", [*sys.meta_path, StandIns()])
        patch.setitem(sys.modules, "opencompass.utils", utils)
        exec(compile(path.read_bytes(), str(path), "exec"), vars(module))
    for name in [name for name, found in sys.modules.items() if isinstance(found, StandIn)]:
        del sys.modules[name]
    return module


def texts(data_set: dict[str, Any], row: dict[str, Any]) -> dict[str | None, str]:
    """What OpenCompass shows a base model for a row: label → whole text; None → prompt, for generation.

    A plain restatement: the template as the configuration builds it, turns joined by line breaks, places filled one by one.
    """
    template = data_set["infer_cfg"]["prompt_template"]["template"]
    if set(template) == {"begin", "round"}:
        return {None: _text(template, {**row, data_set["reader_cfg"]["output_column"]: ""})}
    return {label: _text(each, row) for label, each in template.items()}


def _text(template: dict[str, Any], row: dict[str, Any]) -> str:
    text, separator = "", ""
    for turn in template["begin"] + template["round"]:
        filled = turn["prompt"]
        for column, value in row.items():
            filled = filled.replace("{" + column + "}", str(value))
        if filled:
            text += separator + filled
        separator = "\n"
    return text
