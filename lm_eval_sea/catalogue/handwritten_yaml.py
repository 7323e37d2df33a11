"""YAML that people write: plans of sweeps, prompt files, data sets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from lm_eval_sea.catalogue import Refusal


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
    """What a file says, in plain types.

    Raises:
        Refusal: naming file and fault, if it cannot be read, has tags, which stand for code, or a mapping has a key twice.
    """
    try:
        return yaml.load(path.read_text(encoding="utf-8"), _Loader)
    except RecursionError as error:
        raise refusal(f"{path}: cannot be read: lists or mappings are nested too deep") from error
    # ValueError and AttributeError of a date without such a day, or a wrong tag
    except (OSError, ValueError, AttributeError, yaml.YAMLError) as error:
        raise refusal(f"{path}: cannot be read: {' '.join(str(error).split())[:200]}") from error
