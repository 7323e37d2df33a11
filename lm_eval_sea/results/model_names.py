"""Short names of models."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from pathlib import PurePosixPath

from lm_eval_sea.results.visible_text import one_line

_HUB_CACHE = re.compile(r"(?:^|/)models--([^/]+)/snapshots/([^/]+)$")  # a repository at a commit


def short_names(models: Collection[str]) -> dict[str, str]:
    """Of a path the last parts that tell it from the others."""
    split = {model: model.partition(" (") for model in models}  # what follows may have slashes, too: "(peft /my/adapter)"
    paths = {model for model, (path, *_) in split.items() if path.startswith(("/", "./", "../", "~")) or path.count("/") > 1}
    parts = {model: [part for part in PurePosixPath(split[model][0]).parts if part != "/"] for model in paths}
    ends = {model: "".join(split[model][1:]) for model in paths}
    names = {
        model: [one_line("/".join(of[-count:]) + ends[model]) for count in range(1, len(of) + 1)] for model, of in parts.items()
    }
    for model in paths:  # the last part of a folder in the hub's cache is a commit
        if kept := _HUB_CACHE.search(split[model][0]):
            repository = kept[1].replace("--", "/")
            names[model] = [f"{repository}{commit}{ends[model]}" for commit in ("", f"@{kept[2][:8]}", f"@{kept[2]}")]
    taken = Counter(name for model in models for name in {*names.get(model, ()), one_line(model)})
    order = sorted(models)
    short = [next((name for name in names.get(model, ()) if taken[name] == 1), one_line(model)) for model in order]
    return dict(zip(order, distinct(short), strict=True))  # some may differ in a line break alone


def distinct(names: Iterable[str]) -> list[str]:
    """The names, with a number added to repeated ones."""
    found: list[str] = []
    for name in names:
        alike = sum(other == name or other.startswith(f"{name} #") for other in found)
        found.append(f"{name} #{alike + 1}" if alike else name)
    return found
