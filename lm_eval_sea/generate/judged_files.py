"""The task files of a data set whose answers a judge scores after the run. A row is the whole prompt: there is no book."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lm_eval_sea.generate.generated_files import Content
from lm_eval_sea.generate.prompt_books import entry
from lm_eval_sea.generate.task_files import place_of_rows
from lm_eval_sea.generate.task_kinds import JUDGED, KINDS
from lm_eval_sea.generate.task_yaml import Function, render


def judged_files(name: str, record: dict[str, Any]) -> dict[str, str]:
    """Path below the tasks folder → content.

    Args:
        name: of the data set.
        record: in the catalogue; its `judged_as` says what the judge asks.

    Raises:
        BookError: if the record lacks the longest answer of a language.
    """
    return {path: render(f"catalogue/more/{name}.yaml", path, content) for path, content in _contents(name, record)}


def _contents(name: str, record: dict[str, Any]) -> Iterator[tuple[str, Content]]:
    for language, data in record["languages"].items():
        rows = f"{name}/_{language}_rows_yaml"
        yield rows, {"dataset_kwargs": {"process": Function(f"utils.{data['process']}")}}
        yield f"{name}/{language}.yaml", _leaf(name, record, language, rows)
    members = [f"sea_{name}_{language}" for language in record["languages"]]
    yield (
        f"{name}/groups/{name}.yaml",
        {
            "group": f"sea_{name}",
            "task": members,  # without a mean: lm-eval has no score of these
            "metadata": {"version": record["version"]},
        },
    )


def _leaf(name: str, record: dict[str, Any], language: str, rows: str) -> Content:
    data, kind = record["languages"][language], KINDS[JUDGED][""]
    longest = entry(record["max_new_tokens"], language, f"more/{name}.yaml: max_new_tokens")
    return {
        "task": f"sea_{name}_{language}",
        "include": [f"_shared/{kind.template}", rows],
        "tag": ["sea_judged"],
        "generation_kwargs": {"until": [], "do_sample": False, "temperature": 0.0, "max_gen_toks": longest},
        "metadata": {
            "version": record["version"],
            "dataset": name,
            "language": language,
            "task": record["task"],
            "variant": JUDGED,
            "prompt_language": language,
            "prompt_book_version": None,
            **place_of_rows(data),
            "rows": data["rows"],
            "chance": data["chance"],
            "headline_metric": kind.headline,
            "judged_as": record["judged_as"],
            "provenance": {},
        },
    }
