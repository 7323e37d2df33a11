#!/usr/bin/env python3
"""Copies results of lm-eval to leaderboard/ORGANISATION__MODEL/, without samples and without paths of your machine.

A path in the results becomes its part below `lm_eval_sea`, or its last part. A model that was run from a folder gets the name
that you give it, and `about.yaml` says where it can be had. Everything else stays as lm-eval wrote it. Then run
`check_results.py` and `results_table.py`.

Examples:
    python scripts/add_results.py results/mine --model org/model
    python scripts/add_results.py results/mine --model org/model --source "where it can be had" --revision "its version"
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import yaml
from check_results import ABOUT, FOLDER

from lm_eval_sea.results.read import read
from lm_eval_sea.results.types import ResultsError
from lm_eval_sea.results.written_folder import write_whole

PACKAGE = "lm_eval_sea"


def without_paths(content: Any, names: dict[str, str]) -> Any:
    """A value of a results file with names in the place of absolute paths.

    Args:
        content: as JSON has it.
        names: path → what stands in its place.
    """
    if isinstance(content, dict):
        return {key: without_paths(value, names) for key, value in content.items()}
    if isinstance(content, list):
        return [without_paths(value, names) for value in content]
    if not isinstance(content, str) or not Path(content).is_absolute() or "\n" in content:
        return content
    if content in names:
        return names[content]
    parts = Path(content).parts
    return "/".join(parts[parts.index(PACKAGE) :]) if PACKAGE in parts else parts[-1]


def add(results: Path, model: str, about: dict[str, str]) -> list[Path]:
    """Writes the files.

    Args:
        results: a folder of results.
        model: its name, ORGANISATION/MODEL.
        about: `source` and `revision`; empty for a model that was loaded from the hub.

    Returns:
        What was written.

    Raises:
        ResultsError: if there are no results.
        OSError: if a file cannot be written.
    """
    target = FOLDER / model.replace("/", "__")
    written = []
    for path in sorted({run.place for run in read(results).runs if run.place and run.has_results}):
        content = json.loads(path.read_text(encoding="utf-8"))
        content["config"]["use_cache"] = None  # of answers while the run went on
        loaded = content["config"]["model_args"]
        pretrained = loaded.get("pretrained", "") if isinstance(loaded, dict) else ""
        cleaned = without_paths(content, {pretrained: model})
        target.mkdir(parents=True, exist_ok=True)
        write_whole(target / path.name, json.dumps(cleaned, indent=2, ensure_ascii=False) + "\n")
        written.append(target / path.name)
    if about:
        write_whole(target / ABOUT, yaml.safe_dump({"model": model, **about}, sort_keys=False, allow_unicode=True))
        written.append(target / ABOUT)
    return written


def main() -> int:
    """Runs the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="a folder of results")
    parser.add_argument("--model", required=True, help="ORGANISATION/MODEL")
    parser.add_argument("--source", help="where the model can be had, if it was run from a folder")
    parser.add_argument("--revision", help="and which version of it")
    arguments = parser.parse_args()
    about = {key: value for key in ("source", "revision") if (value := getattr(arguments, key))}
    try:
        written = add(arguments.results, arguments.model, about)
    except (ResultsError, OSError) as error:
        print(f"add_results.py: {error}", file=sys.stderr)
        return 2
    print("\n".join(map(str, written)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
