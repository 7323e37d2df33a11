#!/usr/bin/env python3
"""Writes what the README has from elsewhere: the table of tasks, and what `bench_backend.py` measured.

Examples:
    python scripts/update_readme.py             write it
    python scripts/update_readme.py --check     fail if it is not up to date
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import yaml
from backend_table import render

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
BACKEND_FIGURES = ROOT / "scripts" / "bench_backend.jsonl"


def table(catalogue: dict) -> str:
    """A Markdown table with one line a data set."""
    lines = ["| task | data set | languages (rows) | chance | names |", "|---|---|---|---|---|"]
    for name, record in sorted(catalogue["data_sets"].items(), key=lambda item: list(catalogue["tasks"]).index(item[1]["task"])):
        spoken = record["languages"].items()
        rows = ", ".join(f"{catalogue['languages'][language]} ({data['rows']:,})" for language, data in spoken)
        chances = dict.fromkeys(f"{100 * data['chance']:.1f} %" if data["chance"] else "–" for _, data in spoken)
        languages = "{" + ",".join(record["languages"]) + "}" if len(record["languages"]) > 1 else next(iter(record["languages"]))
        if record["kind"] == "translation":
            languages = f"en_{languages}`, `sea_{name}_{languages}_en"
        variant = "_<variant>" if record["kind"] == "mcq" else ""
        link = f"[{record['title']}](lm_eval_sea/tasks/{name}/README.md)"
        cells = [catalogue["tasks"][record["task"]], link, rows, " / ".join(chances), f"`sea_{name}_{languages}{variant}`"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def replace_part(text: str, name: str, content: str) -> str:
    """`text` with new content between the marks of a part.

    Raises:
        ValueError: if a mark is missing.
    """
    start, end = f"<!-- {name}: written by scripts/update_readme.py -->\n", f"<!-- end of the {name} -->\n"
    before, found, rest = text.partition(start)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"the README has no lines {start.strip()!r} and {end.strip()!r}, between which to write; add them")
    return before + start + content + end + after


def main() -> int:
    """Runs the command line; returns its exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the README is not up to date")
    arguments = parser.parse_args()
    old = README.read_text(encoding="utf-8")
    catalogue = yaml.safe_load((ROOT / "lm_eval_sea" / "catalogue.yaml").read_text(encoding="utf-8"))
    figures = map(json.loads, BACKEND_FIGURES.read_text(encoding="utf-8").splitlines())
    new = replace_part(old, "table of tasks", table(catalogue))
    new = replace_part(new, "figures of the backend", render(figures))
    if arguments.check:
        print("README.md is up to date" if new == old else "README.md is not up to date: run scripts/update_readme.py")
        return int(new != old)
    README.write_text(new, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
