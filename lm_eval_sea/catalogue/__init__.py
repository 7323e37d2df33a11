"""What data sets, tasks and suites there are; the only place that knows files, row counts, chance levels and labels."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).resolve().parent
LITE_FOLDER = FOLDER / "lite"
MORE_FOLDER = FOLDER / "more"  # a file for each data set outside SailCompass
SUITE, LITE_SUITE = "sea_sailcompass", "sea_lite"  # the group of SailCompass, and that of its lite tasks
NATIVE = "sea_native"  # the group of the tasks whose rows were written in their language


# What a data set says for all its languages, of which each may say otherwise.
OF_LANGUAGES = (
    "source",
    "on_hub",
    "files",
    "config",
    "splits",
    "checkout",
    "book",
    "rows",
    "chance",
    "origin",
    "licence",
    "gated",
)


@functools.cache
def read_data_sets() -> dict[str, Any]:
    """The data sets but for SEA-HELM's: the content of `data_sets.yaml`, with those in the folder `more` among `data_sets`.

    Each language's record has the keys `OF_LANGUAGES` of its data set where it has none of its own. `suite` has the names of the
    data sets of SailCompass, `competencies` the titles of its tasks and of what the others test.
    """
    catalogue = yaml.safe_load((FOLDER / "data_sets.yaml").read_text(encoding="utf-8"))
    more = {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(MORE_FOLDER.glob("*.yaml"))}
    data_sets = {name: _with_whole_languages(record) for name, record in (catalogue["data_sets"] | more).items()}
    return catalogue | {
        "suite": list(catalogue["data_sets"]),
        "competencies": catalogue["tasks"] | catalogue["competencies"],
        "data_sets": data_sets,
    }


def _with_whole_languages(record: dict[str, Any]) -> dict[str, Any]:
    common = {key: record[key] for key in OF_LANGUAGES if key in record}
    return record | {"languages": {language: common | (own or {}) for language, own in record["languages"].items()}}


@functools.cache
def read_sea_helm() -> dict[str, Any]:
    """The tasks of SEA-HELM: the content of `sea_helm.yaml`."""
    return yaml.safe_load((FOLDER / "sea_helm.yaml").read_text(encoding="utf-8"))


@functools.cache
def read_lite() -> dict[str, Any]:
    """The rows of the lite tasks: the content of the files in `lite/`, `choices` and `missing` of all suites together."""
    contents = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(LITE_FOLDER.glob("*.yaml"))]
    return {
        "choices": [choice for content in contents for choice in content["choices"]],
        "missing": {task: why for content in contents for task, why in content["missing"].items()},
    }
