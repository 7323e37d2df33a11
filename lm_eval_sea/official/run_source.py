"""Runs one Python file of a checkout and prints what it makes as JSON: a script for its own process (`python -I -S`).

Standard input: {"path": of the file, "source": its text, "loader": name of a class or "", "rows": path of a file of rows}.
Standard output: {"made": …} or {"error": one line with file and line}. Without a loader, "made" has the values of all names that
end in `_datasets`, with classes as their names; with a loader, the rows that its `load` returns.

The process has only Python's standard library. Other imports get a stand-in (`STAND_INS`), a module in which every name is a
class that does nothing. Only `datasets.Dataset` does something, see `Rows`.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import json
import sys
import traceback
import types
from typing import Any

STAND_INS = ("opencompass", "datasets", "langid", "checkout")  # `from .base import …` is of the package `checkout`


class Rows(list[Any]):
    """A `datasets.Dataset`, as far as the loaders use it: a list of rows."""

    @classmethod
    def from_list(cls, rows: list[Any]) -> Rows:
        """The rows as they are."""
        return cls(rows)

    def map(self, function: Any) -> Rows:
        """Applies a function to each row."""
        return Rows(map(function, self))


class Named:
    """A name of a stand-in: a class that can be inherited from, or used as a registry whose decorator changes nothing."""

    @staticmethod
    def register_module(*_: Any, **__: Any) -> Any:
        """A decorator that changes nothing."""
        return lambda registered: registered


class StandIn(types.ModuleType):
    """A module that has every name."""

    def __getattr__(self, name: str) -> type:
        """`Rows` for `Dataset`, otherwise a class of that name."""
        if name.startswith("__"):
            raise AttributeError(name)
        return Rows if name == "Dataset" else type(name, (Named,), {})


class StandIns(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds a stand-in for each module of `STAND_INS` that is not installed; last in `sys.meta_path`."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        """A package, which may have modules."""
        known = name.partition(".")[0] in STAND_INS
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if known else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """The stand-in."""
        return StandIn(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """Nothing: a stand-in is complete."""


def answer(path: str, source: str, loader: str, rows: str) -> str:
    """The JSON that is printed, whatever the file does."""
    names: dict[str, Any] = {"__name__": "checkout.file", "__package__": "checkout"}
    try:
        exec(compile(source, path, "exec"), names)
        if loader:
            made = names[loader].load(rows)
        else:
            made = {name: value for name, value in names.items() if name.endswith("_datasets")}
        return json.dumps({"made": made}, default=lambda value: value.__name__)
    except BaseException as error:  # such as SystemExit
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
        line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else 1
        said = " ".join(str(error).split())[:200]
        return json.dumps({"error": f"{path}:{line or 1}: {type(error).__name__}: {said}"})


if __name__ == "__main__":
    job, output = json.load(sys.stdin), sys.stdout
    sys.stdout = sys.stderr  # for what the file prints
    sys.meta_path.append(StandIns())
    output.write(answer(**job))
