"""The official loaders and scorers, executed from the user's checkout to run beside ours; only tests do that."""

from __future__ import annotations

import importlib.util
import logging
import sys
import types
import warnings
from pathlib import Path

import py3langid
import pytest


class _Registry:
    def register_module(self, *arguments, **keywords):
        return lambda thing: thing


class _Base:
    """Stands in for OpenCompass' base classes, which do nothing that a score depends on."""


def load(folder: Path, path: str, post_processors: types.ModuleType | None = None) -> types.ModuleType:
    """A module of the checkout.

    Args:
        folder: of the checkout.
        path: of the module below it.
        post_processors: what the module gets from `opencompass.utils`.
    """
    package = f"official_sailcompass.{Path(path).parent.as_posix().replace('/', '.') or 'top'}"
    stand_ins = {
        "langid": py3langid,  # the same model
        "opencompass": {},
        "opencompass.registry": dict.fromkeys(("TEXT_POSTPROCESSORS", "ICL_EVALUATORS", "LOAD_DATASET"), _Registry()),
        "opencompass.openicl": {},
        "opencompass.openicl.icl_evaluator": {"BaseEvaluator": _Base},
        "opencompass.utils": dict(vars(post_processors) if post_processors else {}) | {"get_logger": _logger},
        package.split(".")[0]: {"__path__": []},
        package: {"__path__": []},
        f"{package}.base": {"BaseDataset": _Base},
        f"{package}.icl_base_evaluator": {"BaseEvaluator": _Base},
        f"{package}.icl_hf_evaluator": {"HuggingfaceEvaluator": _Base},
    }
    name = f"{package}.{Path(path).stem}"
    specification = importlib.util.spec_from_file_location(name, folder / path)
    module = importlib.util.module_from_spec(specification)
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # escape sequences in its patterns
        patch.setattr(sys, "dont_write_bytecode", True)  # nothing is left in the user's checkout
        for stand_in, names in stand_ins.items():
            patch.setitem(sys.modules, stand_in, names if isinstance(names, types.ModuleType) else _module(stand_in, names))
        specification.loader.exec_module(module)
    return module


def _module(name: str, names: dict) -> types.ModuleType:
    module = types.ModuleType(name)
    module.__dict__.update(names)
    return module


def _logger(log_level: str) -> logging.Logger:
    return logging.getLogger("official_sailcompass")
