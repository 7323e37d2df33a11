"""Sentences that the loaders of SailCompass add to the rows, read from their syntax trees in the user's checkout."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from lm_eval_sea.official.config_reader import ConfigError, parse

BELEBELE, XCOPA = "datasets/belebele.py", "datasets/xcopa_sea.py"


def texts_for(folder: Path, loader: str, data_file: str) -> dict[str, str]:
    """What a loader adds to the rows of a file: name → text; empty for most.

    Belebele: `fifth_option`, which is shown where letters are generated. XCOPA: the question asked for a `cause` or an `effect`.

    Args:
        folder: of the checkout.
        loader: name of its class.
        data_file: such as "data/xcopa/id_test.jsonl"; the loaders read the language off its name.

    Raises:
        ConfigError: if they are not where they were.
    """
    language = PurePosixPath(data_file).name.split("_")[0]
    if loader == "BelebeleDataset":
        return {"fifth_option": _fifth_option(parse(folder / BELEBELE, BELEBELE), language)}
    if loader == "XCOPASDataset":
        return _full_questions(parse(folder / XCOPA, XCOPA), language)
    return {}


def _fifth_option(tree: ast.Module, language: str) -> str:
    """The text of `example['mc_answer5'] = …` under `lang == LANGUAGE`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and _compared_with(node.test) == language:
            for column, value in _assigned_columns(node.body):
                if column == "mc_answer5" and isinstance(value, ast.Constant) and isinstance(value.value, str):
                    return value.value
    raise ConfigError(f"{BELEBELE}:1: not understood: no fifth option for {language!r}")


def _full_questions(tree: ast.Module, language: str) -> dict[str, str]:
    """The questions of the dictionary that is looked up for `example['full_question']`: the last one assigned before."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        literals: dict[str, ast.Dict] = {}
        for statement in function.body:
            if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Dict):
                literals |= {target.id: statement.value for target in statement.targets if isinstance(target, ast.Name)}
            for column, value in _assigned_columns([statement]):
                name = next((node.id for node in ast.walk(value) if isinstance(node, ast.Name) and node.id in literals), None)
                if column == "full_question" and name:
                    return _of_language(literals[name], language)
    raise ConfigError(f"{XCOPA}:1: not understood: no dictionary of full questions")


def _of_language(node: ast.Dict, language: str) -> dict[str, str]:
    try:
        questions = {kind: by_language[language] for kind, by_language in ast.literal_eval(node).items()}
    except (ValueError, TypeError, KeyError, AttributeError):
        questions = {}
    if set(questions) != {"cause", "effect"} or not all(isinstance(text, str) for text in questions.values()):
        raise ConfigError(f"{XCOPA}:{node.lineno}: not understood: full questions for cause and effect in {language!r}")
    return questions


def _compared_with(test: ast.expr) -> object:
    """The constant that a name is compared with for equality."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq):
        (other,) = test.comparators
        return other.value if isinstance(test.left, ast.Name) and isinstance(other, ast.Constant) else None
    return None


def _assigned_columns(statements: list[ast.stmt]) -> Iterator[tuple[object, ast.expr]]:
    """Column and value of each `example['column'] = value`."""
    for statement in statements:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
                    yield target.slice.value, statement.value
