"""Reads a configuration written in Python from its syntax tree, without executing it.

Understood are assignments to names, whose values are made of constants, names, lists, dictionaries, subscripts, sums, f-strings,
comprehensions over one sequence, and the calls in `_FUNCTIONS`. Everything else is refused with file and line.
"""

from __future__ import annotations

import ast
import string
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

_MAX_TEXT = 1_000_000  # characters; sums of sums would fill the memory
_MAX_RANGE = 26  # options of a question; more is a mistake


class ConfigError(ValueError):
    """A configuration that is not understood; the message is one line with file, line and what was found there."""


class Imported(NamedTuple):
    """A name that the configuration imports: a class of the framework it is written for."""

    name: str


class Record(dict):
    """A dictionary that knows the line it begins at."""

    line: int = 0


def read_names(path: Path, shown: str) -> dict[str, Any]:
    """The values of all names that a configuration assigns.

    Args:
        path: of the file.
        shown: what the file is called in messages.

    Returns:
        Strings, integers, booleans, None, lists, `Record`s and `Imported`s by name.

    Raises:
        ConfigError: at the first statement or expression that is not understood.
    """
    reader = _Reader(shown)
    for statement in parse(path, shown).body:
        reader.run(statement)
    return {name: value for name, value in reader.names.items() if not isinstance(value, Imported)}


def parse(path: Path, shown: str) -> ast.Module:
    """The syntax tree of a Python file.

    Raises:
        ConfigError: if it cannot be read or is no Python.
    """
    try:
        return ast.parse(path.read_bytes(), filename=shown)
    except OSError as error:
        raise ConfigError(f"{shown}: cannot be read ({error.strerror})") from error
    except SyntaxError as error:
        raise ConfigError(f"{shown}:{error.lineno or 1}: no Python: {error.msg}") from error
    except (ValueError, RecursionError, MemoryError) as error:  # such as a null byte, or a thousand brackets
        raise ConfigError(f"{shown}:1: no Python: {error}") from error


def _range(*arguments: int) -> list[int]:
    if not all(isinstance(argument, int) for argument in arguments) or len(range(*arguments)) > _MAX_RANGE:
        raise ValueError(f"a range of more than {_MAX_RANGE} numbers")
    return list(range(*arguments))


_FUNCTIONS: dict[str, Callable[..., Any]] = {"range": _range, "chr": chr, "str": str, "int": int}


class _Reader:
    def __init__(self, shown: str) -> None:
        self.shown = shown
        self.names: dict[str, Any] = {}

    def fail(self, node: ast.stmt | ast.expr | ast.keyword, what: str) -> ConfigError:
        return ConfigError(f"{self.shown}:{node.lineno}: not understood: {what}")

    def run(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.ImportFrom):
            self.names |= {alias.asname or alias.name: Imported(alias.name) for alias in statement.names}
        elif isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
            self.names[statement.targets[0].id] = self.value(statement.value, self.names)
        else:
            raise self.fail(statement, f"a statement of the kind {type(statement).__name__}")

    def value(self, node: ast.expr, names: Mapping[str, Any]) -> Any:
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise self.fail(node, f"an expression of the kind {type(node).__name__}")
        try:
            value = method(node, names)
        except RecursionError as error:
            raise self.fail(node, "an expression of so many levels") from error
        if isinstance(value, str) and len(value) > _MAX_TEXT:
            raise self.fail(node, f"a text of more than {_MAX_TEXT:,} characters")
        return value

    def _constant(self, node: ast.Constant, names: Mapping[str, Any]) -> Any:
        if not isinstance(node.value, str | int | None):
            raise self.fail(node, f"the constant {node.value!r}")
        return node.value

    def _name(self, node: ast.Name, names: Mapping[str, Any]) -> Any:
        if node.id not in names:
            raise self.fail(node, f"the name {node.id}, which has no value")
        return names[node.id]

    def _list(self, node: ast.List, names: Mapping[str, Any]) -> list[Any]:
        return [self.value(element, names) for element in node.elts]

    def _dict(self, node: ast.Dict, names: Mapping[str, Any]) -> Record:
        if None in node.keys:
            raise self.fail(node, "a dictionary with **")
        return self._record(
            node, [(self.value(key, names), self.value(value, names)) for key, value in zip(node.keys, node.values, strict=True)]
        )

    def _dictcomp(self, node: ast.DictComp, names: Mapping[str, Any]) -> Record:
        (loop, *others) = node.generators
        if others or loop.ifs or loop.is_async or not isinstance(loop.target, ast.Name):
            raise self.fail(node, "a comprehension over more than one plain sequence")
        sequence = self.value(loop.iter, names)
        if not isinstance(sequence, list):
            raise self.fail(loop.iter, "a comprehension over something else than a list or a range")
        inner = [{**names, loop.target.id: element} for element in sequence]
        return self._record(node, [(self.value(node.key, scope), self.value(node.value, scope)) for scope in inner])

    def _record(self, node: ast.expr, items: list[tuple[Any, Any]]) -> Record:
        for key, _ in items:
            if not isinstance(key, str | int):
                raise self.fail(node, "a dictionary with a key that is neither text nor number")
        record = Record(items)
        if len(record) < len(items):
            raise self.fail(node, "a dictionary with the same key twice")
        record.line = node.lineno
        return record

    def _subscript(self, node: ast.Subscript, names: Mapping[str, Any]) -> Any:
        record, key = self.value(node.value, names), self.value(node.slice, names)
        if not isinstance(record, Record) or key not in record:
            raise self.fail(node, f"the subscript {key!r}, which has no value")
        return record[key]

    def _binop(self, node: ast.BinOp, names: Mapping[str, Any]) -> Any:
        left, right = self.value(node.left, names), self.value(node.right, names)
        if not isinstance(node.op, ast.Add) or type(left) is not type(right) or not isinstance(left, str | int):
            raise self.fail(node, "an operation other than the sum of two texts or two numbers")
        return left + right

    def _joinedstr(self, node: ast.JoinedStr, names: Mapping[str, Any]) -> str:
        return "".join(self._part(part, names) for part in node.values)

    def _part(self, part: ast.expr, names: Mapping[str, Any]) -> str:
        if isinstance(part, ast.FormattedValue):
            if part.conversion != -1 or part.format_spec is not None:
                raise self.fail(part, "an f-string with a conversion or a format")
            return self._text(part, self.value(part.value, names))
        return self._text(part, self.value(part, names))

    def _text(self, node: ast.expr, value: Any) -> str:
        if not isinstance(value, str | int):
            raise self.fail(node, f"{type(value).__name__} inside a text")
        return str(value)

    def _call(self, node: ast.Call, names: Mapping[str, Any]) -> Any:
        if any(keyword.arg is None for keyword in node.keywords) or any(isinstance(each, ast.Starred) for each in node.args):
            raise self.fail(node, "a call with * or **")
        positional = [self.value(argument, names) for argument in node.args]
        named = [(keyword.arg, self.value(keyword.value, names)) for keyword in node.keywords]
        if isinstance(node.func, ast.Attribute) and node.func.attr == "format" and not positional:
            return self._format(node, self.value(node.func.value, names), dict(named))
        if isinstance(node.func, ast.Name) and node.func.id not in names:
            if node.func.id == "dict" and not positional:
                return self._record(node, named)
            if node.func.id in _FUNCTIONS and not named:
                return self._apply(node, _FUNCTIONS[node.func.id], positional)
        raise self.fail(node, f"the call {ast.unparse(node.func)[:60]}(…)")

    def _apply(self, node: ast.Call, function: Callable[..., Any], arguments: list[Any]) -> Any:
        if not all(isinstance(argument, str | int) for argument in arguments):
            raise self.fail(node, f"the arguments of {ast.unparse(node.func)}")
        try:
            return function(*arguments)
        except (TypeError, ValueError, OverflowError) as error:
            raise self.fail(node, f"{ast.unparse(node.func)}(…): {error}") from error

    def _format(self, node: ast.Call, template: Any, values: Mapping[str, Any]) -> str:
        """`str.format` with plain names only: its attribute look-ups and widths have no place in a prompt."""
        if not isinstance(template, str):
            raise self.fail(node, "format of something else than a text")
        filled = ""
        try:
            parts = list(string.Formatter().parse(template))
        except ValueError as error:
            raise self.fail(node, f"format of {template[:40]!r}: {error}") from error
        for literal, field, specification, conversion in parts:
            filled += literal
            if field is not None:
                if specification or conversion or field not in values:
                    raise self.fail(node, f"format of {template[:40]!r}: the place {field!r}")
                filled += self._text(node, values[field])
        return filled
