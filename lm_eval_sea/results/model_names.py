"""Short names of models."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from pathlib import PurePosixPath

from lm_eval_sea.results.visible_text import one_line

_HUB_CACHE = re.compile(r"(?:^|/)models--([^/]+)/snapshots/([^/]+)$")  # a repository at a commit
FOLDERS = re.compile(r"(?<= )/[^,)]*/(?=[^/,)])")  # of an adapter, after its model's name


def short_names(models: Collection[str]) -> dict[str, str]:
    """Model → its short name: of a path, to a model or an adapter, only the last parts that distinguish it."""
    names = {}
    for model in models:
        path, *rest = model.partition(" (")
        bases, end = [path], "".join(rest)  # "(peft /my/adapter)", which may have slashes, too
        if path.startswith(("/", "./", "../", "~")) or path.count("/") > 1:
            of = [part for part in PurePosixPath(path).parts if part != "/"]
            bases = ["/".join(of[-count:]) for count in range(1, len(of) + 1)]
            if kept := _HUB_CACHE.search(path):  # the last part is a commit
                repository = kept[1].replace("--", "/")
                bases = [repository, f"{repository}@{kept[2][:8]}", f"{repository}@{kept[2]}"]
        names[model] = [one_line(base + each) for base in bases for each in (FOLDERS.sub("", end), end)]
    taken = Counter(name for model in models for name in {*names[model], one_line(model)})
    order = sorted(models)
    short = [next((name for name in names[model] if taken[name] == 1), one_line(model)) for model in order]
    return dict(zip(order, distinct(short), strict=True))  # some may differ only in a line break


def distinct(names: Iterable[str]) -> list[str]:
    """The names, with a number added to repeated ones."""
    found: list[str] = []
    for name in names:
        alike = sum(other == name or other.startswith(f"{name} #") for other in found)
        found.append(f"{name} #{alike + 1}" if alike else name)
    return found
