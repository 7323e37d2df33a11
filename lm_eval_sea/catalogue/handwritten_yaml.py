"""YAML that people write: plans of sweeps, prompt files, data sets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from lm_eval_sea.catalogue.refusal import Refusal


class _Loader(yaml.SafeLoader):  # not the C one, which deep nesting makes crash
    """Refuses a key that a mapping has twice, of which PyYAML would keep the last without a word."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    raise yaml.constructor.ConstructorError(problem=f"{key.value!r} is there twice", problem_mark=key.start_mark)
                seen.add(key.value)
        mapping: dict[Any, Any] = yaml.SafeLoader.construct_mapping(self, node, deep)
        return mapping


def read_yaml_of_people(path: Path, refusal: type[Refusal]) -> Any:
    """What a file says, or a refusal that names the file and the fault."""
    try:
        return parse_yaml(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeError, yaml.YAMLError) as error:
        raise refusal(f"{path}: cannot be read: {' '.join(str(error).split())[:200]}") from error


def parse_yaml(text: str) -> Any:
    """What a text says, in plain types.

    Raises:
        yaml.YAMLError: if it is no YAML, has tags, which stand for code, is nested too deep, or a mapping has a key twice.
    """
    try:
        return yaml.load(text, _Loader)
    except RecursionError as error:
        raise yaml.YAMLError("lists or mappings are nested too deep") from error
    except (ValueError, AttributeError) as error:  # of a date without such a day, or a wrong tag
        raise yaml.YAMLError(str(error)) from error
