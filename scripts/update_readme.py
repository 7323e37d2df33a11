#!/usr/bin/env python3
"""Writes what the README has from elsewhere: the table of tasks.

Examples:
    python scripts/update_readme.py             write it
    python scripts/update_readme.py --check     fail if it is not up to date
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
START = "<!-- table of tasks: written by scripts/update_readme.py -->\n"
END = "<!-- end of the table of tasks -->\n"


def _rows(languages: dict[str, int]) -> str:
    """Languages and their numbers of rows; the number once if it is the same for many languages."""
    if len(languages) > 3 and len(set(languages.values())) == 1:
        return f"{', '.join(languages)} ({next(iter(languages.values())):,} each)"
    return ", ".join(f"{language} ({rows:,})" for language, rows in languages.items())


def table(catalogue: dict) -> str:
    """A Markdown table with one line a data set."""
    lines = ["| task | data set | languages (rows) | chance | names |", "|---|---|---|---|---|"]
    for name, record in sorted(catalogue["data_sets"].items(), key=lambda item: list(catalogue["tasks"]).index(item[1]["task"])):
        spoken = record["languages"].items()
        rows = _rows({catalogue["languages"][language]: data["rows"] for language, data in spoken})
        chances = dict.fromkeys(f"{100 * data['chance']:.1f} %" if data["chance"] else "–" for _, data in spoken)
        languages = "{" + ",".join(record["languages"]) + "}" if len(record["languages"]) > 1 else next(iter(record["languages"]))
        if record["kind"] == "translation":
            languages = f"en_{languages}`, `sea_{name}_{languages}_en"
        variant = "_<variant>" if record["kind"] == "mcq" else ""
        link = f"[{record['title']}](lm_eval_sea/tasks/{name}/README.md)"
        cells = [catalogue["tasks"][record["task"]], link, rows, " / ".join(chances), f"`sea_{name}_{languages}{variant}`"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Runs the command line; returns its exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the README is not up to date")
    arguments = parser.parse_args()
    old = README.read_text(encoding="utf-8")
    catalogue = yaml.safe_load((ROOT / "lm_eval_sea" / "catalogue.yaml").read_text(encoding="utf-8"))
    before, _, rest = old.partition(START)
    after = rest.partition(END)[2]
    new = before + START + table(catalogue) + END + after
    if arguments.check:
        print("README.md is up to date" if new == old else "README.md is not up to date: run scripts/update_readme.py")
        return int(new != old)
    README.write_text(new, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
