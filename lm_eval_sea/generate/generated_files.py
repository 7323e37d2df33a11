"""Generated files that others are made of, by the names of their tasks and groups."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from typing import Any

import yaml

Content = dict[str, Any]

_NAME = re.compile(r"^(?:task|group): (\S+)$", re.M)


class GeneratedFiles:
    """Files by path below the tasks folder; each is parsed when it is asked for."""

    def __init__(self, files: Mapping[str, str]) -> None:
        """Looks up names.

        Args:
            files: path → content.
        """
        self._files = files
        self._paths = {found[1]: path for path, text in files.items() if (found := _NAME.search(text))}

    def __contains__(self, name: object) -> bool:
        """Whether there is a task or group of this name."""
        return name in self._paths

    def path(self, name: str) -> str:
        """Of the task or group."""
        return self._paths[name]

    def read_path(self, path: str) -> Content:
        """The content of a file."""
        return yaml.safe_load(self._files[path])

    def read(self, name: str) -> Content:
        """The content of the file of a task or group."""
        return self.read_path(self._paths[name])

    def included(self, name: str) -> list[str]:
        """The paths that the file of a task includes."""
        folder = posixpath.dirname(self._paths[name])
        return [posixpath.normpath(posixpath.join(folder, path)) for path in self.read(name)["include"]]

    def members(self, name: str) -> list[str]:
        """The tasks of a group of any depth, or the task itself."""
        content = self.read(name)
        return [task for member in content["task"] for task in self.members(member)] if "group" in content else [name]
