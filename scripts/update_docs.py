#!/usr/bin/env python3
"""Writes the documentation that is made from data: tables of tasks, docs/coverage.md with a figure, figures of the backend.

Examples:
    python scripts/update_docs.py             write it
    python scripts/update_docs.py --check     fail if a page is not up to date
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from backend_table import render
from written import table, write_changed

from lm_eval_sea.catalogue.data_sets import DataSet, data_sets
from lm_eval_sea.catalogue.lm_eval_tasks import OfLmEval, of_lm_eval
from lm_eval_sea.catalogue.names import competency_titles, language_names
from lm_eval_sea.catalogue.origins import Coverage, coverage, distinct
from lm_eval_sea.catalogue.sea_helm import sea_helm
from lm_eval_sea.results.types import grouped
from lm_eval_sea.tasks._shared.facts import TASKS_FOLDER, is_english_prompt, name_of, read_yaml

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
ENOUGH = 3  # competencies that a country should have data sets for
COVERAGE_HEAD = """\
# Coverage

`lm-eval-sea ls --coverage th` prints the data sets of a language with rows, origin, licence and names of tasks.

Native (n): at least one data set whose rows were written in the language. Translated (t): only translated rows, mostly from
English. lm-eval's (l): only in [lm-eval's own tasks](#lm-evals-own-tasks). SEA-HELM's tasks count if the origin of
their rows is documented. Native rows in Tamil and Chinese, and most in English, are not about Southeast Asia.
"""


def data_sets_table() -> str:
    """A Markdown table with one line per data set."""
    rows, titles, before = [], competency_titles(), ""
    for name, data_set in sorted(data_sets().items(), key=lambda item: [*titles].index(item[1].task)):
        spoken = data_set.languages
        chances = dict.fromkeys(f"{100 * data.chance:.1f}" if data.chance else "–" for data in spoken.values())
        link = f"[{data_set.title}](../lm_eval_sea/tasks/{name}/README.md)"
        title = "" if data_set.task == before else titles[data_set.task]
        rows.append([title, link, "/".join(chances), ", ".join(f"`{each}`" for each in _names(data_set))])
        before = data_set.task
    return table(["task", "data set", "chance, %", "names"], rows)


def _names(data_set: DataSet) -> Iterator[str]:
    """The names of its tasks, with all languages in one name; languages without prompts of their own have a second one."""
    for english in (False, True):
        of = [name for name, each in data_set.languages.items() if is_english_prompt(each.prompts, name) is english]
        if not of:
            continue
        languages = "{" + ",".join(of) + "}" if len(of) > 1 else of[0]
        pivot, variant = data_set.pivot, "<variant>" if data_set.kind == "mcq" else ""
        pairs = [f"{pivot}_{languages}", f"{languages}_{pivot}"] if data_set.kind == "translation" else [languages]
        yield from (name_of(data_set.name, pair, variant, english=english) for pair in pairs)


def sea_helm_table() -> str:
    """A Markdown table with one line per task of SEA-HELM."""
    lines = []
    for pillar, title in sea_helm().pillars.items():
        for task in (each for each in sea_helm().each if each.pillar == pillar):
            spoken = sea_helm().tasks[task.name].values()
            sizes = ", ".join(f"{data.language} ({data.rows or '?'})" for data in spoken)
            chances = [1 / len(data.labels) if data.chance is None and data.labels else data.chance for data in spoken]
            chance = " / ".join(dict.fromkeys(f"{100 * chance:.1f} %" if chance else "–" for chance in chances))
            note = f" (SEA-HELM's score needs {task.judge})" if task.judge else ""
            lines.append([title, task.competency, f"{task.title}{note}, `{task.name}`", sizes, chance])
    return table(["pillar", "competency", "task", "languages (rows)", "chance"], lines)


def _used(entries: Sequence[Coverage]) -> list[str]:
    return [key for key in competency_titles() if any(entry.competency == key for entry in entries)]


def _cells(entries: Sequence[Coverage]) -> dict[tuple[str, str], str]:
    """(language, competency) → n: there are native rows, t: only translated ones, l: only in lm-eval's own tasks."""
    found = {(language, each.tests): "l" for each in of_lm_eval() for language in each.languages}
    found |= {(entry.language, entry.competency): "t" for entry in entries}
    return found | {(entry.language, entry.competency): "n" for entry in entries if entry.origin == "native"}


def _matrix(entries: Sequence[Coverage]) -> str:
    """What is tested, and in which languages rows are native, only translated, or only lm-eval's."""
    cells = _cells(entries)
    rows = [
        [title, *(" ".join(code for code in language_names() if cells.get((code, key)) == mark) for mark in "ntl")]
        for key, title in competency_titles().items()
        if key in _used(entries)
    ]
    return table(["", "native", "translated", "lm-eval's"], rows)


def coverage_figure(entries: Sequence[Coverage]) -> str:
    """The same as SVG. Squares also differ in darkness and letter, so that nobody needs to tell colours apart."""
    used, cells, names = _used(entries), _cells(entries), language_names()
    left, top, side = 165, 170, 22
    width, height = left + side * len(used) + 110, top + side * len(names) + 40
    fills = {"n": ("#0072B2", "#ffffff"), "t": ("#9fd3f2", "#1a1a1a"), "l": ("#ffffff", "#1a1a1a")}
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
        "<title>Languages and what data sets test: native, translated, none</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]

    def square(x: int, y: int, mark: str) -> None:
        fill, ink = fills[mark]
        edge = "#b35900" if mark == "l" else fill
        size = side - 3
        lines.append(f'<rect x="{x}" y="{y}" width="{size}" height="{size}" fill="{fill}" stroke="{edge}"/>')
        lines.append(f'<text x="{x + size / 2:g}" y="{y + 14}" fill="{ink}" text-anchor="middle">{mark}</text>')

    for column, key in enumerate(used):
        x = left + side * column + 12
        lines.append(f'<text transform="translate({x},{top - 6}) rotate(-50)">{competency_titles()[key]}</text>')
    for row, (language, name) in enumerate(names.items()):
        y = top + side * row
        if row % 2 == 0:
            lines.append(f'<rect x="8" y="{y - 1}" width="{left + side * len(used) - 8}" height="{side}" fill="#f2f2f2"/>')
        lines.append(f'<text x="{left - 8}" y="{y + 14}" text-anchor="end">{name} ({language})</text>')
        for column, key in enumerate(used):
            if mark := cells.get((language, key)):
                square(left + side * column, y, mark)
    for place, (mark, said) in enumerate(
        {"n": "native rows", "t": "only translated", "l": "only in lm-eval's own tasks"}.items()
    ):
        square(left + 130 * place, height - 30, mark)
        lines.append(f'<text x="{left + 130 * place + 26}" y="{height - 16}">{said}</text>')
    return "\n".join([*lines, "</svg>"]) + "\n"


def _country(name: str, record: dict[str, Any], entries: Sequence[Coverage]) -> str:
    """A paragraph: what there is of the country, and what is missing."""
    languages, about = record["languages"], record.get("data_sets", ())
    found = [entry for entry in distinct(entries) if entry.language in languages or entry.data_set in about]
    kinds = {entry.competency for entry in found}
    native = grouped((entry.title.replace(",", ""), entry.language) for entry in found if entry.origin == "native")
    alike = grouped((" ".join(dict.fromkeys(of_title)), title) for title, of_title in native.items())  # languages → titles
    names = "; ".join(f"{', '.join(titles)} ({codes})" for codes, titles in alike.items()) or "none"
    has = f"Native: {names}. " if found else ""
    few = f"**Fewer than {ENOUGH} competencies.** " if len(kinds) < ENOUGH else ""
    return f"**{name}.** {few}{has}Missing: {record['missing']}\n"


OF_LM_EVAL_HEAD = """\
## lm-eval's own tasks

Data sets of which only lm-eval has tasks. `lm-eval-sea run --language th` runs those of the language, too; one line names what
cannot be downloaded. `--chat` takes the chat forms, `--lite` those of at most 100 rows. `lm-eval-sea show` knows their headline
metric and chance. Not listed are tasks on [rows that the pack also has](tasks.md#the-same-rows-in-lm-eval);
[upstream](../upstream/README.md) says what is wrong with them.
"""


def _of_lm_eval_row(each: OfLmEval) -> list[str]:
    rows = "not known" if each.rows is None else f"{each.rows:,}"
    forms = [(each.task, each.metric), (each.chat, each.chat_metric)]
    names = ", ".join(f"`{name.format('<code>')}`" for name, _ in forms if name)
    metrics = ", ".join(f"`{metric}`" for _, metric in forms if metric)
    cells = [each.title, competency_titles()[each.tests], each.origin, " ".join(each.languages), rows, f"{100 * each.chance:g} %"]
    return [*cells, metrics, names, each.says]


OF_LM_EVAL_COLUMNS = (
    "data set", "tests", "rows are", "languages", "rows each", "chance", "headline", "names",
    "known faults, and what else to know",
)  # fmt: skip


def coverage_page() -> str:
    """docs/coverage.md."""
    entries, countries = coverage(), read_yaml(TASKS_FOLDER / "languages.yml")["countries"]
    return "\n".join(
        [
            COVERAGE_HEAD,
            "## Languages\n",
            "![Languages and what data sets test: native, translated, none; the table below has the same](coverage.svg)\n",
            _matrix(entries),
            "## Countries\n",
            *(_country(name, record, entries) for name, record in countries.items()),
            OF_LM_EVAL_HEAD,
            table(OF_LM_EVAL_COLUMNS, map(_of_lm_eval_row, of_lm_eval())),
        ]
    )


def replace_part(text: str, name: str, content: str) -> str:
    """`text` with new content between the marks of a part; a `ValueError` if a mark is missing."""
    start, end = f"<!-- {name}: written by scripts/update_docs.py -->\n", f"<!-- end of the {name} -->\n"
    before, found, rest = text.partition(start)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"the page lacks the lines {start.strip()!r} and {end.strip()!r}, between which to write; add them")
    return before + start + content + end + after


def pages() -> Iterator[tuple[Path, str]]:
    """Each page that has anything made from data, and its text."""
    measured = (ROOT / "scripts" / "bench_backend.jsonl").read_text(encoding="utf-8").splitlines()
    for path, name, content in (
        (DOCS / "tasks.md", "table of tasks", data_sets_table()),
        (ROOT / "lm_eval_sea" / "tasks" / "sea_helm" / "README.md", "table of tasks", sea_helm_table()),
        (DOCS / "backend_figures.md", "figures of the backend", render(map(json.loads, measured))),
    ):
        yield path, replace_part(path.read_text(encoding="utf-8"), name, content)
    yield DOCS / "coverage.md", coverage_page()
    yield DOCS / "coverage.svg", coverage_figure(coverage())


def main() -> int:
    """Runs the command line; returns its exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a page is not up to date")
    is_check = parser.parse_args().check
    outdated = write_changed(dict(pages()), check=is_check)
    for path in outdated:
        print(f"{path.relative_to(ROOT).as_posix()}: {'not up to date; run scripts/update_docs.py' if is_check else 'written'}")
    return int(is_check and bool(outdated))


if __name__ == "__main__":
    sys.exit(main())
