#!/usr/bin/env python3
"""Writes the parts of the documentation that are made from data: the tables of tasks, and what `bench_backend.py` measured.

Examples:
    python scripts/update_readme.py             write it
    python scripts/update_readme.py --check     fail if a page is not up to date
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from backend_table import render

from lm_eval_sea.catalogue import read_data_sets, read_sea_helm

ROOT = Path(__file__).resolve().parents[1]
PACK = ROOT / "lm_eval_sea"
TASKS_PAGE = ROOT / "docs" / "tasks.md"
SEA_HELM_README = PACK / "tasks" / "sea_helm" / "README.md"
BACKEND_PAGE = ROOT / "docs" / "backend_figures.md"
BACKEND_MEASUREMENTS = ROOT / "scripts" / "bench_backend.jsonl"


def _rows(languages: dict[str, int]) -> str:
    """Languages and their numbers of rows; the number once if it is the same for many languages."""
    if len(languages) > 3 and len(set(languages.values())) == 1:
        return f"{', '.join(languages)} ({next(iter(languages.values())):,} each)"
    return ", ".join(f"{language} ({rows:,})" for language, rows in languages.items())


def table(catalogue: dict) -> str:
    """A Markdown table with one line per data set."""
    lines = ["| task | data set | languages (rows) | chance | names |", "|---|---|---|---|---|"]
    order = list(catalogue["competencies"])
    for name, record in sorted(catalogue["data_sets"].items(), key=lambda item: order.index(item[1]["task"])):
        spoken = record["languages"].items()
        rows = _rows({catalogue["languages"][language]: data["rows"] for language, data in spoken})
        chances = dict.fromkeys(f"{100 * data['chance']:.1f} %" if data["chance"] else "–" for _, data in spoken)
        languages = "{" + ",".join(record["languages"]) + "}" if len(record["languages"]) > 1 else next(iter(record["languages"]))
        if record["kind"] == "translation":
            pivot = record.get("pivot", "en")
            languages = f"{pivot}_{languages}`, `sea_{name}_{languages}_{pivot}"
        variant = "_<variant>" if record["kind"] == "mcq" else ""
        link = f"[{record['title']}](../lm_eval_sea/tasks/{name}/README.md)"
        cells = [catalogue["competencies"][record["task"]], link, rows, " / ".join(chances), f"`sea_{name}_{languages}{variant}`"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def sea_helm_table(catalogue: dict) -> str:
    """A Markdown table with one line per task of SEA-HELM."""
    lines = ["| pillar | competency | task | languages (rows) | chance |", "|---|---|---|---|---|"]
    for pillar, title in catalogue["pillars"].items():
        for name, record in (catalogue["tasks"] | catalogue["judged"]).items():
            if record["pillar"] != pillar:
                continue
            spoken = record["languages"].items()
            rows = ", ".join(f"{language} ({data['rows'] or '?'})" for language, data in spoken)
            labels = [len(data.get("labels", record.get("labels", []))) for _, data in spoken]
            chances = [record.get("chance", 1 / count if count else 0) for count in labels]
            chance = " / ".join(dict.fromkeys(f"{100 * chance:.1f} %" if chance else "–" for chance in chances))
            note = f" (SEA-HELM's score needs {record['judge']})" if "judge" in record else ""
            lines.append(f"| {title} | {record['competency']} | {record['title']}{note}, `{name}` | {rows} | {chance} |")
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
        raise ValueError(f"there are no lines {start.strip()!r} and {end.strip()!r}, between which to write; add them")
    return before + start + content + end + after


def parts() -> Iterator[tuple[Path, str, str]]:
    """What is written where: file, name of the part, text."""
    catalogue, sea_helm = read_data_sets(), read_sea_helm()
    yield TASKS_PAGE, "table of tasks", table(catalogue)
    yield (
        BACKEND_PAGE,
        "figures of the backend",
        render(map(json.loads, BACKEND_MEASUREMENTS.read_text(encoding="utf-8").splitlines())),
    )
    yield SEA_HELM_README, "table of tasks", sea_helm_table(sea_helm)


def main() -> int:
    """Runs the command line; returns its exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a page is not up to date")
    arguments = parser.parse_args()
    outdated = {}
    for path, name, text in parts():
        old = path.read_text(encoding="utf-8")
        new = replace_part(old, name, text)
        if new != old:
            outdated[path.relative_to(ROOT).as_posix()] = None
            if not arguments.check:
                path.write_text(new, encoding="utf-8", newline="\n")
    if arguments.check:
        print(f"run scripts/update_readme.py: {', '.join(outdated)} not up to date" if outdated else "all pages are up to date")
        return int(bool(outdated))
    return 0


if __name__ == "__main__":
    sys.exit(main())
