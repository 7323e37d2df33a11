#!/usr/bin/env python3
"""Writes the table of docs/results.md from the results in leaderboard/, and checks them first (`check_results.py`).

Needs what reports need: pip install '.[report]'.

Examples:
    python scripts/results_table.py             write the page's table
    python scripts/results_table.py --check     fail if the page is not up to date
    lm-eval-sea report leaderboard --out page   a page with figures, from the same files
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from check_results import FOLDER, about, findings

from lm_eval_sea.catalogue import LITE_SUITE, SUITE
from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.report.scores import Scores, scores_of
from lm_eval_sea.report.suite import read_suite
from lm_eval_sea.results.comparison import mean_of, nested_weights
from lm_eval_sea.results.read import read

PAGE = Path(__file__).resolve().parents[1] / "docs" / "results.md"
START, END = "<!-- written by scripts/results_table.py -->\n", "<!-- end -->\n"
NOTHING = "No results have been added yet.\n"


def tables(folders: list[Path]) -> str:
    """Markdown: a table of the whole suite and one of the lite tasks, as far as there are results."""
    names = {folder: str(about(folder)["model"]) for folder in folders if about(folder)}
    if not folders:
        return NOTHING
    runs = read(*folders, names={path.resolve(): name for path, name in names.items()}).best()
    listed = read_tasks()
    parts = []
    for group, title in ((SUITE, "SailCompass"), (LITE_SUITE, "Lite")):
        members = [name for name in listed.groups[group] if name in {task.name for task in runs.tasks}]
        if members:
            parts.append(f"### {title}\n\n{_table(scores_of(runs, suite=read_suite(members)), members)}")
    return "\n".join(parts) or NOTHING


def _table(found_in: Scores, members: list[str]) -> str:
    """One line per task, one column per model that has any of them; last the mean of normalised scores."""
    scores = found_in.headline[found_in.headline.task.isin(members)]
    models = sorted(scores.model.unique())
    found = {(row.model, row.task): row for row in scores.itertuples()}
    lines = [f"| task | metric | chance | {' | '.join(models)} |", f"|---|---|---|{'---|' * len(models)}"]
    for name in members:
        rows = [found.get((model, name)) for model in models]
        facts = next(row for row in rows if row is not None)
        chance = f"{facts.chance:.1f}" if facts.chance else "–"
        lines.append(f"| `{name}` | {facts.metric} | {chance} | {' | '.join(map(_score, rows))} |")
    cells = []
    for model in models:
        own = {name: task for name, task in found_in.by_model[model].items() if name in found_in.suite.members}
        mean = mean_of(own, nested_weights({name: found_in.suite.members[name] for name in own}))
        interval = "" if mean is None or mean.low is None else f" [{mean.low:.1f}, {mean.high:.1f}]"
        expected = len(found_in.suite.members)
        whole = mean is not None and mean.tasks == expected
        cells.append(f"**{mean.value:.1f}**{interval}" if whole else f"({len(own)} of {expected} tasks)")
    lines.append(f"| mean, normalised | | 0.0 | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _score(row) -> str:
    """Such as "43.2 [38.1, 48.4]"."""
    if row is None:
        return "–"
    return f"{row.score:.1f}" + ("" if row.low is None or row.low != row.low else f" [{row.low:.1f}, {row.high:.1f}]")


def main() -> int:
    """Runs the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit status 1 if the page is not up to date")
    check = parser.parse_args().check
    folders = sorted(path for path in FOLDER.glob("*") if path.is_dir())
    if lines := findings(folders):
        print("\n".join(lines))
        return 1
    before = PAGE.read_text(encoding="utf-8")
    head, _, rest = before.partition(START)
    after = head + START + "\n" + tables(folders) + "\n" + END + rest.partition(END)[2]
    if check:
        print("up to date" if after == before else f"{PAGE}: run python scripts/results_table.py")
        return int(after != before)
    PAGE.write_text(after, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
