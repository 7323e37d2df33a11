#!/usr/bin/env python3
"""Writes docs/coverage.md from the catalogue: what the pack has in which language, and what each country lacks.

Examples:
    python scripts/update_coverage.py             write it
    python scripts/update_coverage.py --check     fail if it is not up to date
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import yaml

from lm_eval_sea.catalogue import FOLDER, read_data_sets
from lm_eval_sea.catalogue.origins import NATIVE_ROWS, Coverage, coverage

PAGE = Path(__file__).resolve().parents[1] / "docs" / "coverage.md"
ENOUGH = 3  # data sets of different kinds that a country should have
HEAD = """\
# Coverage

What the pack has in which language, made from the catalogue by `python scripts/update_coverage.py`.

*Native* rows were written in the language, *translated* ones in another, mostly English. A licence is that of the rows as their
publisher states it. *Login* says whether the hub asks for one: *no*, *yes*, or *–* where that was not checked. Of SEA-HELM's
tasks those are here whose origin its documentation states.

Native rows in a language need not be about its country, and the Chinese, Tamil and English ones seldom are about Southeast Asia.
"""


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _matrix(entries: Sequence[Coverage], catalogue: dict) -> str:
    """Languages and competencies: native + translated data sets."""
    used = [key for key in catalogue["competencies"] if any(entry.competency == key for entry in entries)]
    counts = Counter((entry.language, entry.competency, entry.origin == NATIVE_ROWS) for entry in _distinct(entries))
    rows = []
    for language, name in catalogue["languages"].items():
        numbers = [(counts[language, key, True], counts[language, key, False]) for key in used]
        rows.append([name, *(f"{native}+{translated}" if native + translated else "" for native, translated in numbers)])
    return _table(["language", *(catalogue["competencies"][key] for key in used)], rows)


def _distinct(entries: Sequence[Coverage]) -> list[Coverage]:
    """Each data set, such as LINDSEA, once a language, however many tasks SEA-HELM makes of it."""
    return list({(entry.language, entry.competency, _name(entry)): entry for entry in reversed(entries)}.values())[::-1]


def _name(entry: Coverage) -> str:
    """The data set: of "Question answering (XQuAD)", as the titles of SEA-HELM's tasks are, "XQuAD"."""
    return entry.title.rpartition("(")[2].rstrip(")") if entry.data_set.startswith("sea_helm ") else entry.title


def _country(name: str, record: dict, entries: Sequence[Coverage], catalogue: dict) -> str:
    languages = record["languages"]
    found = [entry for entry in _distinct(entries) if entry.language in languages]
    kinds = {entry.competency for entry in found}
    lines = [f"### {name}\n"]
    if languages:
        spoken = ", ".join(catalogue["languages"][language] for language in languages)
        native = [entry for entry in found if entry.origin == NATIVE_ROWS and entry.language != "en"]
        names = ", ".join(dict.fromkeys(f"{_name(entry)} ({entry.language})" for entry in native)) or "none"
        lines.append(f"{spoken}: sets of {len(kinds)} kinds. Native, but for English: {names}.\n")
    if len(kinds) < ENOUGH:
        lines.append(f"**Fewer than {ENOUGH} kinds.**\n")
    return "\n".join([*lines, f"Missing: {record['missing']}\n"])


def _of_language(language: str, entries: Sequence[Coverage], catalogue: dict) -> str:
    order = list(catalogue["competencies"])
    rows = [
        [
            catalogue["competencies"][entry.competency],
            entry.title,
            "?" if entry.rows is None else f"{entry.rows:,}",
            entry.origin,
            entry.licence or "none stated",
            {True: "yes", False: "no", None: "–"}[entry.gated],
            f"`{entry.tasks}`",
        ]
        for entry in sorted(entries, key=lambda entry: order.index(entry.competency))
        if entry.language == language
    ]
    head = ["competency", "data set", "rows", "origin", "licence", "login", "tasks"]
    return f"### {catalogue['languages'][language]}\n\n{_table(head, rows)}"


def page() -> str:
    """The whole page."""
    return "\n".join(_parts(coverage(), read_data_sets()))


def _parts(entries: Sequence[Coverage], catalogue: dict) -> Iterator[str]:
    countries = yaml.safe_load((FOLDER / "countries.yaml").read_text(encoding="utf-8"))
    yield HEAD
    yield "## Languages and competencies\n\nNumbers of data sets: native + translated.\n"
    yield _matrix(entries, catalogue)
    yield "## Countries\n"
    for name, record in countries.items():
        yield _country(name, record, entries, catalogue)
    yield "## Data sets of each language\n"
    for language in catalogue["languages"]:
        yield _of_language(language, entries, catalogue)


def main() -> int:
    """Runs the command line; returns its exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the page is not up to date")
    arguments = parser.parse_args()
    text = page()
    if arguments.check:
        is_current = PAGE.exists() and PAGE.read_text(encoding="utf-8") == text
        print("docs/coverage.md is up to date" if is_current else "docs/coverage.md is not: run scripts/update_coverage.py")
        return int(not is_current)
    PAGE.write_text(text, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
