"""The data sets, tasks and suites of the pack: reads `tasks/<data set>/data_set.yml` and the lists beside those folders."""

from __future__ import annotations

import copy
import functools
from pathlib import Path
from typing import Any

import yaml


class Refusal(Exception):  # noqa: N818 (its subclasses have the suffix)
    """An error that ends a command; the message says in one line what is wrong and how to fix it."""

    status = 2  # exit status of the command


class _Loader(yaml.SafeLoader):  # not the C loader, which deep nesting crashes
    """Refuses duplicate keys in a mapping, of which PyYAML would silently keep the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    raise yaml.constructor.ConstructorError(problem=f"{key.value!r} is there twice", problem_mark=key.start_mark)
                seen.add(key.value)
        mapping: dict[Any, Any] = yaml.SafeLoader.construct_mapping(self, node, deep)
        return mapping


@functools.lru_cache(maxsize=512)  # a command reads the prompts of a data set for each of its tasks
def _parsed(text: str) -> Any:
    return yaml.load(text, _Loader)


def read_yaml_of_people(path: Path, refusal: type[Refusal]) -> Any:
    """Reads a file that people write, such as a prompt file or a plan, into plain types.

    Refuses a file that cannot be read, has YAML tags, which stand for code, or has duplicate keys in a mapping.
    """
    try:
        return copy.deepcopy(_parsed(path.read_text(encoding="utf-8")))
    except RecursionError as error:
        raise refusal(f"{path}: cannot be read: lists or mappings are nested too deep") from error
    # ValueError and AttributeError come from an impossible date or a wrong tag
    except (OSError, ValueError, AttributeError, yaml.YAMLError) as error:
        why = getattr(error, "strerror", None) or " ".join(str(error).split())[:200]
        raise refusal(f"{path}: cannot be read: {why}") from error
