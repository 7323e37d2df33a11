#!/usr/bin/env python3
"""Writes what READMEs have from elsewhere: the table of tasks, and that of SEA-HELM's in its own README.

Examples:
    python scripts/update_readme.py             write it
    python scripts/update_readme.py --check     fail if one is not up to date
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
SEA_HELM_README = ROOT / "lm_eval_sea" / "tasks" / "sea_helm" / "README.md"
START = "<!-- table of tasks: written by scripts/update_readme.py -->\n"
END = "<!-- end of the table of tasks -->\n"


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


def sea_helm_table(catalogue: dict) -> str:
    """A Markdown table with one line a task of SEA-HELM."""
    lines = ["| pillar | competency | task | languages (rows) | chance |", "|---|---|---|---|---|"]
    for pillar, title in catalogue["pillars"].items():
        for name, record in catalogue["tasks"].items():
            if record["pillar"] != pillar:
                continue
            spoken = record["languages"].items()
            rows = ", ".join(f"{language} ({data['rows'] or '?'})" for language, data in spoken)
            labels = [len(data.get("labels", record.get("labels", []))) for _, data in spoken]
            chances = [record.get("chance", 1 / count if count else 0) for count in labels]
            chance = " / ".join(dict.fromkeys(f"{100 * chance:.1f} %" if chance else "–" for chance in chances))
            lines.append(f"| {title} | {record['competency']} | {record['title']}, `{name}` | {rows} | {chance} |")
        lines += [
            f"| {title} | {missing['competency']} | {missing['title']}, `{missing['key']}` | missing: needs a judge | |"
            for missing in catalogue["missing"]
            if missing["pillar"] == pillar
        ]
    return "\n".join(lines) + "\n"


def updated(text: str, table: str) -> str:
    """A README's text with the table between its markers."""
    before, _, rest = text.partition(START)
    return before + START + table + END + rest.partition(END)[2]


def main() -> int:
    """Runs the command line; returns its exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the README is not up to date")
    arguments = parser.parse_args()
    pack = ROOT / "lm_eval_sea"
    catalogue, sea_helm = (
        yaml.safe_load((pack / name).read_text(encoding="utf-8")) for name in ("catalogue.yaml", "sea_helm.yaml")
    )
    outdated = []
    for path, text in ((README, table(catalogue)), (SEA_HELM_README, sea_helm_table(sea_helm))):
        old = path.read_text(encoding="utf-8")
        new = updated(old, text)
        if arguments.check:
            outdated += [path.relative_to(ROOT).as_posix()] if new != old else []
        else:
            path.write_text(new, encoding="utf-8", newline="\n")
    if arguments.check:
        print(f"run scripts/update_readme.py: {', '.join(outdated)}" if outdated else "README.md is up to date")
    return int(bool(outdated))


if __name__ == "__main__":
    sys.exit(main())
