#!/usr/bin/env python3
"""Compares the exemplars of the prompt files with the rows that are scored: lengths, labels, types of questions, copied words.

Rows come from a folder laid out like the hub, through the loader of the tasks. For each language, it prints the exemplar and the
test row that are most alike, by rare words or by runs of characters. The exit status is 1 if an exemplar shares eight words in a
row with a test row or asks what a row asks, 2 if prompt files or rows cannot be read.

Examples:
    python scripts/compare_exemplars.py --data FOLDER                               all data sets, to the screen
    python scripts/compare_exemplars.py --data FOLDER --data_sets belebele --languages id th
    python scripts/compare_exemplars.py --data FOLDER --out docs/exemplars.md       the page of the documentation
    python scripts/compare_exemplars.py --data FOLDER --prompts FOLDER              prompt files of your own
"""

from __future__ import annotations

import argparse
import datetime
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from exemplar_measures import Measure, Nearest, Number, Row, measure, nearest, of_exemplars, of_rows, overlaps
from made_tasks import made_task
from written import table

from lm_eval_sea.catalogue.data_sets import data_sets
from lm_eval_sea.catalogue.kinds import JUDGED
from lm_eval_sea.make.prompt_files import PromptFileError, as_row, place, read_prompts
from lm_eval_sea.tasks._shared.facts import TASKS_FOLDER as TASKS
from lm_eval_sea.tasks._shared.hub_files import DataError
from lm_eval_sea.tasks._shared.rows import LATIN_LETTERS

# The lists of exemplars that a prompt file can have, and what stands before their lines.
EXEMPLAR_KEYS = {"exemplars": "", "parallel_exemplars": "shared by all languages, "}
USUAL = "first 3"  # exemplars that most prompts show; the page says so once


@dataclass(frozen=True)
class Comparison:
    """What is known of one language of a data set."""

    language: str
    expected: int  # rows by the catalogue
    rows: int  # 0 if the folder lacks the file
    of_rows: Mapping[str, Measure]
    of_exemplars: Mapping[str, Mapping[str, Measure]]  # of those shown by default, and of all; likewise of the shared ones
    texts: tuple[Sequence[Row], Sequence[Row], Sequence[str]]  # all exemplars, the rows, and the fields that a prompt shows

    @cached_property
    def overlaps(self) -> Sequence[str]:
        """Runs of eight words that an exemplar shares with a row."""
        return overlaps(*self.texts[:2], self.language)

    @cached_property
    def nearest(self) -> Sequence[Nearest]:
        """The row nearest to each exemplar; none without rows."""
        return nearest(*self.texts, self.language) if self.rows else ()


def compare(name: str, language: str, prompts: Path) -> Comparison:
    """Compares the exemplars of one language with the rows that the current folder has."""
    data_set, of_language = data_sets()[name], data_sets()[name].languages[language]
    letters = data_set.letters.get(language, LATIN_LETTERS)
    words = read_prompts(prompts, name)[language]
    sets = {
        prefix: [
            as_row(one, data_set, letters, f"{place(name, language)}: {key} {number}") for number, one in enumerate(words[key], 1)
        ]
        for key, prefix in EXEMPLAR_KEYS.items()
        if key in words
    }
    task = made_task(data_set.names(language)[0])
    source, rows = task.source, []
    if Path(source.repository).is_dir() and all((Path(source.repository) / path).is_file() for _, path in source.files):
        rows = task.load_rows().rows
    arguments = (data_set.kind, data_set.fields, language, list(data_set.labels))
    of_exemplars = {}
    for prefix, exemplars in sets.items():
        shown = min(task.num_fewshot, len(exemplars))
        of_exemplars[f"{prefix}first {shown}"] = measure(exemplars[:shown], *arguments)
        of_exemplars[f"{prefix}all {len(exemplars)}"] = measure(exemplars, *arguments)
    return Comparison(
        language=language,
        expected=of_language.rows or len(rows),
        rows=len(rows),
        of_rows=measure(rows, *arguments) if rows else {},
        of_exemplars=of_exemplars,
        texts=([exemplar for exemplars in sets.values() for exemplar in exemplars], rows, data_set.fields),
    )


def compared(comparisons: Sequence[Comparison]) -> str:
    """A table with the test rows of each language of a data set, the exemplars shown by default, and all exemplars."""
    measures_of_all = [measures for comparison in comparisons for measures in comparison.of_exemplars.values()]
    names = list(dict.fromkeys(name for measures in measures_of_all for name in measures))
    lines = []
    for comparison in comparisons:
        own, rows = comparison.of_rows, f"{comparison.rows:,}"
        if comparison.rows != comparison.expected:
            rows += f" of {comparison.expected:,}"
        if own:
            cells = [of_rows(own[name]) if name in own else "" for name in names]
            lines.append([f"{comparison.language}, {rows} rows", *cells, str(len(comparison.overlaps))])
        for which, measures in comparison.of_exemplars.items():
            cells = [of_exemplars(measures[name], own.get(name)) if name in measures else "" for name in names]
            lines.append([f"{comparison.language}, {which}", *cells, "" if own else "no rows"])
    return table(["", *names, "8-word overlaps"], lines)


def summary(title: str, comparisons: Sequence[Comparison]) -> list[str]:
    """The lines of a data set in the page's table: the exemplars that prompts show by default, over all languages with rows."""
    with_rows = [of for of in comparisons if of.rows]
    languages = " ".join(of.language if of.rows == of.expected else f"{of.language} ({of.rows:,} rows)" for of in with_rows)
    lines = []
    for which in dict.fromkeys(which for of in with_rows for which in of.of_exemplars if which.rsplit(" ", 2)[-2] != "all"):
        pairs = [(of.of_rows, of.of_exemplars[which]) for of in with_rows if which in of.of_exemplars]
        lengths, shares = [], []
        for name, first in pairs[0][1].items():
            if not isinstance(first, Number):
                continue
            known = [(rows[name], shown[name]) for rows, shown in pairs if name in rows and name in shown]
            rows, shown = ([of.value for of in side if isinstance(of, Number)] for side in zip(*known, strict=True))
            if first.is_length:
                differences = [100 * (one / other - 1) for one, other in zip(shown, rows, strict=True)]
                lengths.append(f"{name} {_range(rows)} ({_range(differences, sign='+')} %)")
            else:
                shares.append(f"{name} {_range(rows, first.form)} / {_range(shown, first.form)}")
        shown_here = which.removesuffix(f", {USUAL}").replace(USUAL, "")
        lines.append(f"| {', '.join(filter(None, [title, shown_here]))} | {languages} | {'; '.join(lengths + shares)} |")
    return lines


def _range(values: Sequence[float], form: str = ".0f", sign: str = "") -> str:
    """The least and the greatest value, or the one that all have."""
    ends = [format(end, f"{sign}{form}").replace("-0", "0").replace("+0", "0") for end in (min(values), max(values))]
    *first, last = dict.fromkeys(ends)
    return (" to " if sign else "–").join([*(end.rstrip("%") for end in first), last.replace("%", " %")])


def nearest_rows(comparisons: Sequence[Comparison]) -> str:
    """A line for each language with the exemplar that is most like a test row, and that row."""
    closest = [(of.language, max(of.nearest, key=lambda each: each.likeness)) for of in comparisons if of.nearest]
    return "".join(f"{language}, nearest row ({each.likeness:.2f}): {_line(each)}\n" for language, each in closest)


def _line(near: Nearest) -> str:
    exemplar, row = (" / ".join(text.split("\n"))[:200] for text in (near.exemplar, near.row))
    return f"{exemplar} | {row}"


def page(of_data_sets: Mapping[str, Sequence[Comparison]], day: datetime.date) -> str:
    """The page of the documentation, for the data sets whose rows are there."""
    with_rows = {name: found for name, found in of_data_sets.items() if any(of.rows for of in found)}
    lines = [line for name, found in with_rows.items() for line in summary(data_sets()[name].title, found)]
    overlapping = sum(len(of.overlaps) for found in with_rows.values() for of in found)
    return PAGE.format(day=day.isoformat(), overlapping=overlapping, lines="\n".join(lines))


PAGE = """# Exemplars and test rows

How the few-shot exemplars that a prompt shows by default, the first three unless stated, compare with the scored rows.
Made on {day} with `python scripts/compare_exemplars.py --data FOLDER --out docs/exemplars.md`, which prints each language
without `--out`. Runs of eight words in common: {overlapping}.

First come *lengths*: mean characters of the rows (minimum–maximum over languages), in brackets the exemplars' difference. Then
*shares* of rows / of exemplars:

- *names passage*, *negated*: questions that mention the passage, or a negation, by a word list for each language
- *words of answer in passage*: the share of the right option's words; *look-up*: questions where it is 100 %
- *copied 4-grams*: 4-grams of the summary that are in the document

Words are those of the scores: segmented in Thai, syllables in Burmese. In Khmer and Lao four characters count as a word, in
Chinese two.

| data set | languages | lengths; shares |
| --- | --- | --- |
{lines}
"""


def main() -> int:
    """Prints or writes the tables; returns the exit status."""
    # Tasks that a judge scores show no exemplars and have no prompt files.
    names = [name for name, data_set in data_sets().items() if data_set.kind != JUDGED]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(), help="folder laid out like the hub; default: the current one")
    prompt_files = "prompt files, DIR/<data set>/prompts/<language>.yml; default: the pack's"
    parser.add_argument("--prompts", type=Path, default=TASKS, help=prompt_files)
    parser.add_argument("--data_sets", nargs="+", choices=names, default=names, metavar="NAME")
    parser.add_argument("--languages", nargs="+", metavar="CODE", help="default: all")
    parser.add_argument("--out", type=Path, help="file of the page; default: print the tables")
    options = parser.parse_args()
    if not options.data.is_dir():
        parser.error(f"--data {options.data}: no such folder")
    prompts, out = options.prompts.resolve(), options.out and options.out.resolve()
    os.chdir(options.data)  # where the loader looks for rows first
    found: dict[str, list[Comparison]] = {}
    try:
        for name in options.data_sets:
            for language, data in data_sets()[name].languages.items():
                if data.prompts == language and language in (options.languages or [language]):
                    found.setdefault(name, []).append(compare(name, language, prompts))
    except (PromptFileError, DataError) as error:
        print(error, file=sys.stderr)
        return 2
    if not any(comparison.rows for comparisons in found.values() for comparison in comparisons):
        print(f"{options.data}: no rows of these data sets; expected a folder laid out like the hub", file=sys.stderr)
        return 2
    if out:
        out.write_text(page(found, datetime.date.today()), encoding="utf-8")
    else:
        parts = [f"{name}\n\n{compared(comparisons)}\n{nearest_rows(comparisons)}" for name, comparisons in found.items()]
        print("\n".join(parts), end="")
    wrong = []
    for name, of in ((name, comparison) for name, comparisons in found.items() for comparison in comparisons):
        near = [f"asks what a row asks ({each.likeness:.2f}): {_line(each)}" for each in of.nearest if each.is_too_near]
        shared = [f"and a row have in common: {text}" for text in of.overlaps]
        wrong += [f"{name}, {of.language}: an exemplar {said}" for said in near + shared]
    print("".join(f"{line}\n" for line in wrong), end="", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
