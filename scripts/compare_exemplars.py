#!/usr/bin/env python3
"""Compares the exemplars of the prompt books with the rows that are scored: lengths, labels, types of questions, copied words.

Rows come from a folder laid out like the hub, through the loader of the tasks. Ends with 1 if an exemplar shares eight words in
a row with a test row.

Examples:
    python scripts/compare_exemplars.py --data FOLDER                               all data sets, to the screen
    python scripts/compare_exemplars.py --data FOLDER --data-sets belebele --languages id th
    python scripts/compare_exemplars.py --data FOLDER --out docs/exemplars.md       the page of the documentation
    python scripts/compare_exemplars.py --data FOLDER --prompts FOLDER              books of your own
"""

from __future__ import annotations

import argparse
import datetime
import importlib
import os
import re
import statistics
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lm_eval.tasks._yaml_loader import load_yaml

from lm_eval_sea.catalogue import read_data_sets
from lm_eval_sea.generate.prompt_books import PROMPTS, as_row, read_book
from lm_eval_sea.generate.task_files import TASKS
from lm_eval_sea.generate.task_kinds import KINDS
from lm_eval_sea.tasks._shared import data
from lm_eval_sea.tasks._shared.words import words

Row = Mapping[str, Any]

# Written without blanks and without a segmenter here: so many characters are taken for a word.
CHARACTERS_OF_A_WORD = {"km": 4, "lo": 4, "zh": 2}
COPIED = 4  # words in a row that a summary has from its document
OVERLAP = 8  # words in a row that two independent texts hardly share
# Words by which a question names the passage, and those by which it asks for an exception.
QUESTION_WORDS = {
    "en": (
        r"passage|\btext\b|paragraph|article|excerpt",
        r"\bnot\b|n['’]t\b|\bnever\b|\bexcept\b|\bleast\b|\bfalse\b|\bunlikely\b",
    ),
    "id": (
        r"kutipan|bagian|bacaan|\bteks\b|paragraf|artikel",
        r"\btidak|\bbukan|\bkecuali\b|\bbelum\b|\bpaling (?:kecil|sedikit)\b",
    ),
    "ms": (r"petikan|\bteks\b|perenggan|artikel", r"\btidak|\bbukan|\bkecuali\b|\bbelum\b|\bpaling (?:kurang|sedikit)\b"),
    "jv": (r"pethikan|kutipan|wacan|\bteks\b|paragraf|artikel", r"\b(?:ora|dudu|kajaba|durung)\b"),
    "su": (r"petikan|kutipan|bacaan|wacana|\bteks\b|paragrap|paragraf|artikel", r"\b(?:henteu?|teu|lain|iwal|acan|kajaba)\b"),
    "vi": (r"đoạn|bài (?:văn|viết|đọc)|văn bản", r"\bkhông\b|\bchưa\b|ngoại trừ|\btrừ\b|\bsai\b|\bít\b"),
    "th": (r"ข้อความ(?:นี้|ข้างต้น|ดังกล่าว)|บทความ|ย่อหน้า|เนื้อหา(?:นี้|ข้างต้น|ดังกล่าว)|บทอ่าน|ตอนนี้", r"ไม่|มิได้|มิใช่|ยกเว้น|น้อยที่สุด|ผิด"),
    "tl": (r"talata|sipi|teksto|artikulo|babasahin", r"\b(?:hindi|maliban|wala)"),
    "ceb": (r"pasahe|tudling|teksto|artikulo|basahon|parapo", r"\b(?:dili|wala|gawas)"),
    "ilo": (r"pasahe|teksto|artikulo|parapo|basaen", r"\b(?:saan|haan|di|malaksid|awan)\b"),
    "war": (r"pasahe|teksto|artikulo|parapo|barasahon", r"\b(?:diri|waray|gawas)"),
    "my": (r"စာပိုဒ်|ဆောင်းပါး|စာသား", r"(?<![့်းာ])မ(?!ည်)[က-အ][^\s]{0,24}(?:နည်း|လဲ|ဘူး)|မဟုတ်|မရှိ|မပါ|မှလွဲ|အနည်းဆုံး"),
    "km": (r"អត្ថបទ|កថាខណ្ឌ|វគ្គ", r"មិន|គ្មាន|លើកលែង|តិចបំផុត"),
    "lo": (r"(?:ໃນ|ຕາມ|ໃສ່)ຂໍ້ຄວາມ|ບົດຄວາມນີ້|ວັກ|ເນື້ອໃນນີ້|ບົດອ່ານ", r"ບໍ່?|ຍົກເວັ້ນ|ໜ້ອຍທີ່ສຸດ|ຜິດ"),
    "ta": (
        r"பத்தி(?!ரிகை)|பகுதிய(?:ின்படி|ில் (?:குறிப்பிட|கூற|சொல்ல|விவரி))",
        r"[இி]ல்லை|[இி]ல்லாத|அல்ல|ற்றது|ா(?:த|து|தது|தவை|தவர்)(?=[\s?.,]|$)|தவிர|குறைந்த",
    ),
    "zh": (r"段|文章|短文|文中|本文", r"不|没有|无关|未|除了|最少|错误"),
}


def ngrams(text: str, language: str, length: int) -> set[tuple[str, ...]]:
    """All runs of `length` words of a normalised text; for languages without a segmenter, of as many characters."""
    units: Sequence[str] = words(text, language)
    if language in CHARACTERS_OF_A_WORD:
        units, length = "".join(units), length * CHARACTERS_OF_A_WORD[language]
    return {tuple(units[start : start + length]) for start in range(len(units) - length + 1)}


def share_found(text: str, source: str, language: str, length: int) -> float | None:
    """Share of the runs of `length` words of `text` that `source` has too, 0 to 1; None if `text` is shorter than one."""
    wanted = ngrams(text, language, length)
    return len(wanted & ngrams(source, language, length)) / len(wanted) if wanted else None


@dataclass(frozen=True)
class Length:
    """A mean of characters."""

    mean: float

    def of_rows(self) -> str:
        """The mean."""
        return f"{self.mean:.0f}"

    def of_exemplars(self, rows: Length | None) -> str:
        """The mean, behind it the difference from the rows', if there are any."""
        difference = f" ({100 * (self.mean / rows.mean - 1):+.0f} %)" if rows else ""
        return f"{self.mean:.0f}{difference}"


@dataclass(frozen=True)
class Number:
    """A quotient of lengths, or a share of rows or words."""

    value: float
    form: str  # as of format()

    def of_rows(self) -> str:
        """The number."""
        return format(self.value, self.form)

    def of_exemplars(self, rows: Number | None) -> str:
        """The same."""
        return self.of_rows()


@dataclass(frozen=True)
class Counts:
    """How often each of a few values occurs."""

    of: Counter

    def of_rows(self) -> str:
        """The shares in per cent."""
        return ", ".join(f"{value} {100 * count / self.of.total():.0f}" for value, count in self.of.items()) + " %"

    def of_exemplars(self, rows: Counts | None) -> str:
        """The numbers."""
        return ", ".join(f"{value} {count}" for value, count in self.of.items() if count)


Measure = Length | Number | Counts


def _mean_share(values: Iterable[float | None]) -> Number:
    known = [value for value in values if value is not None]
    return Number(statistics.fmean(known), ".0%") if known else Number(0.0, ".0%")


def measure(rows: Sequence[Row], kind: str, fields: Sequence[str], language: str, labels: Sequence[str]) -> dict[str, Measure]:
    """What rows or exemplars are like: name of the measure → measure.

    Args:
        rows: processed rows.
        kind: of the data set.
        fields: those that a prompt shows.
        language: of the texts.
        labels: names of the labels of a classification task.
    """
    found: dict[str, Measure] = {}
    for field in fields:
        values = [row[field] for row in rows]
        if set(values) <= {"cause", "effect"}:
            found[field] = Counts(_in_order(values, ("cause", "effect")))
        else:
            found[field] = Length(statistics.fmean(map(len, values)))
    return found | _OF_KIND[kind](rows, language, labels)


def _in_order(values: Iterable[Any], order: Iterable[Any]) -> Counter:
    counts = Counter(values)
    return Counter({value: counts[value] for value in order})


def _measure_options(rows: Sequence[Row], language: str, labels: Sequence[str]) -> dict[str, Measure]:
    letters = sorted({letter for row in rows for letter in row["letters"]})
    sizes = [len(row["options"]) for row in rows]
    found: dict[str, Measure] = {
        "option": Length(statistics.fmean(len(option) for row in rows for option in row["options"])),
        "options": Counts(_in_order(sizes, sorted(set(sizes)))),
        "right answer": Counts(_in_order((row["letters"][row["gold"]] for row in rows), letters)),
    }
    if "passage" not in rows[0]:
        return found
    answers = [share_found(row["options"][row["gold"]], row["passage"], language, 1) for row in rows]
    questions = [row["question"].casefold() for row in rows]
    for name, pattern in zip(("names passage", "negated"), QUESTION_WORDS.get(language, ()), strict=False):
        found[name] = _mean_share(re.search(pattern, question) is not None for question in questions)
    look_ups = _mean_share(share == 1 for share in answers if share is not None)
    return found | {"words of answer in passage": _mean_share(answers), "look-up": look_ups}


def _measure_labels(rows: Sequence[Row], language: str, labels: Sequence[str]) -> dict[str, Measure]:
    return {"label": Counts(_in_order((labels[row["gold"]] for row in rows), labels))}


def _measure_answers(rows: Sequence[Row], language: str, labels: Sequence[str]) -> dict[str, Measure]:
    answers = [(answer, row["passage"]) for row in rows for answer in row["answers"]]
    return {
        "answer": Length(statistics.fmean(len(answer) for answer, _ in answers)),
        "answer in passage": _mean_share(answer in passage for answer, passage in answers),
    }


def _measure_translations(rows: Sequence[Row], language: str, labels: Sequence[str]) -> dict[str, Measure]:
    english, translation = (sum(len(row[field]) for row in rows) for field in ("english", "translation"))
    return {"translation / English": Number(translation / english, ".2f")}


def _measure_summaries(rows: Sequence[Row], language: str, labels: Sequence[str]) -> dict[str, Measure]:
    return {
        "summary": Length(statistics.fmean(len(row["summary"]) for row in rows)),
        "copied 4-grams": _mean_share(share_found(row["summary"], row["document"], language, COPIED) for row in rows),
    }


_OF_KIND = {
    "mcq": _measure_options,
    "classification": _measure_labels,
    "qa": _measure_answers,
    "translation": _measure_translations,
    "summarization": _measure_summaries,
}


def overlaps(exemplars: Iterable[Row], rows: Iterable[Row], language: str) -> list[str]:
    """The runs of eight words that an exemplar shares with a test row, in any of their texts."""
    of_exemplars = {run for row in exemplars for text in _texts(row) for run in ngrams(text, language, OVERLAP)}
    of_rows = {run for row in rows for text in _texts(row) for run in ngrams(text, language, OVERLAP) if run in of_exemplars}
    separator = "" if language in CHARACTERS_OF_A_WORD else " "
    return sorted(separator.join(run) for run in of_rows)


def _texts(row: Row) -> Iterator[str]:
    for field, value in row.items():
        if field not in ("id", "cluster", "letters", "lettered_options"):
            yield from [value] if isinstance(value, str) else value if isinstance(value, list) else []


@dataclass(frozen=True)
class Comparison:
    """What is known of one language of a data set."""

    language: str
    file: str
    expected: int  # rows by the catalogue
    rows: int  # none if the folder lacks the file
    of_rows: Mapping[str, Measure]
    of_exemplars: Mapping[int, Mapping[str, Measure]]  # by their number: those shown by default, and all
    overlaps: Sequence[str]


def compare(name: str, language: str, prompts: Path) -> Comparison:
    """Compares the exemplars of one language with the rows that the current folder has.

    Raises:
        DataError: if a row cannot be processed.
    """
    record = read_data_sets()["data_sets"][name]
    of_language = record["languages"][language]
    utils = importlib.import_module(f"lm_eval_sea.tasks.{name}.utils")
    labels = getattr(utils, "LABELS", ())
    letters = record.get("letters", {}).get(language, "ABCDE")
    exemplars = [
        as_row(exemplar, record, labels, letters, f"{name}: {language}: exemplar {number}")
        for number, exemplar in enumerate(read_book(prompts, name)["languages"][language]["exemplars"], start=1)
    ]
    rows = _rows(of_language["source"], of_language["files"], getattr(utils, of_language.get("process", record.get("process"))))
    shown = min(_shown_by_default(record["kind"]), len(exemplars))
    arguments = (record["kind"], record["fields"], language, labels)
    return Comparison(
        language=language,
        file=data.file_name(of_language["source"], of_language["files"]),
        expected=of_language["rows"],
        rows=len(rows),
        of_rows=measure(rows, *arguments) if rows else {},
        of_exemplars={number: measure(exemplars[:number], *arguments) for number in (shown, len(exemplars))},
        overlaps=overlaps(exemplars, rows, language),
    )


def _rows(source: str, files: Mapping[str, str], process: data.RowProcessor) -> list[data.Row]:
    """The processed rows; none if the current folder lacks one of the files."""
    if not all((Path(source) / path).is_file() for path in files.values()):
        return []
    splits, _ = data.load_splits(source, files)
    rows = list(data.iterate_rows(splits, process, data.file_name(source, files)))
    for row in rows:
        if isinstance(row, data.DataError):
            raise row
    return rows


def _shown_by_default(kind: str) -> int:
    template = next(iter(KINDS[kind].values())).template
    return load_yaml(TASKS / "_shared" / template)["num_fewshot"]


def table(comparisons: Sequence[Comparison]) -> str:
    """A Markdown table with the test rows of each language, the exemplars shown by default, and all exemplars."""
    names = list(dict.fromkeys(name for comparison in comparisons for name in max(comparison.of_exemplars.items())[1]))
    lines = [["", *names, "8-word overlaps"], ["---"] * (len(names) + 2)]
    for comparison in comparisons:
        of_rows = comparison.of_rows
        if of_rows:
            cells = [of_rows[name].of_rows() if name in of_rows else "" for name in names]
            lines.append([f"{comparison.language}, {comparison.rows:,} rows", *cells, ""])
        everything = max(comparison.of_exemplars)
        for number, measures in comparison.of_exemplars.items():
            cells = [measures[name].of_exemplars(of_rows.get(name)) if name in measures else "" for name in names]
            found = len(comparison.overlaps) if of_rows else "no rows"
            which = "all" if number == everything else "first"
            lines.append([f"{comparison.language}, {which} {number}", *cells, str(found)])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


def page(of_data_sets: Mapping[str, Sequence[Comparison]], day: datetime.date) -> str:
    """The page of the documentation.

    Args:
        of_data_sets: name of a data set → its languages.
        day: when it was made.
    """
    titles = read_data_sets()["data_sets"]
    files = "\n".join(
        f"| {titles[name]['title']}, {comparison.language} | `{comparison.file}` | {comparison.rows or 'not there'} | "
        f"{comparison.expected} |"
        for name, comparisons in of_data_sets.items()
        for comparison in comparisons
    )
    sections = "\n".join(f"## {titles[name]['title']}\n\n{table(found)}" for name, found in of_data_sets.items())
    return PAGE.format(day=day.isoformat(), sections=sections, files=files)


PAGE = """# Exemplars and test rows

How the exemplars of the prompt books compare with the rows that are scored. Made on {day} with
`python scripts/compare_exemplars.py --data FOLDER --out docs/exemplars.md` from the files at the end of this page.

Lengths are means in characters, in brackets the difference from the mean of the rows. Counts of rows are in per cent; counts
of exemplars are numbers. By default a prompt shows the first exemplars, `--num_fewshot` up to all of them.

- *names passage*, *negated*: questions with such a word, by a list of words for each language. On Belebele's rows, whose
  questions are the same in all languages, 97 % or more of the verdicts on the former and 91 % or more on the latter agree with English. The
  lists for Cebuano, Ilocano, Javanese, Sundanese, Tagalog and Waray are not tried, for the folder has no rows.
- *words of answer in passage*: share of the right option's words. *look-up*: questions with all of them there.
- *copied 4-grams*: share of the summary's runs of four words that the document has too.
- *8-word overlaps*: runs of eight words that an exemplar and a test row have in common, in any of their texts.

Words are those of the scores: Thai from a segmenter, Burmese in syllables. In Khmer and Lao four characters are taken for a word,
in Chinese two.

{sections}
## Files

| data set | file | rows | rows as published |
|---|---|---:|---:|
{files}
"""


def main() -> int:
    """Prints or writes the tables; 1 if an exemplar overlaps with a test row."""
    data_sets = read_data_sets()["data_sets"]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(), help="folder laid out like the hub; default: the current one")
    parser.add_argument("--prompts", type=Path, default=PROMPTS, help="folder of prompt books; default: the pack's")
    parser.add_argument("--data-sets", nargs="+", choices=data_sets, default=list(data_sets), metavar="NAME")
    parser.add_argument("--languages", nargs="+", metavar="CODE", help="default: all")
    parser.add_argument("--out", type=Path, help="file of the page; default: print the tables")
    options = parser.parse_args()
    prompts, out = options.prompts.resolve(), options.out and options.out.resolve()
    os.chdir(options.data)  # where the loader looks for rows first
    found: dict[str, list[Comparison]] = {}
    for name in options.data_sets:
        for language, record in data_sets[name]["languages"].items():
            if record.get("book", language) == language and language in (options.languages or [language]):
                found.setdefault(name, []).append(compare(name, language, prompts))
    if out:
        out.write_text(page(found, datetime.date.today()), encoding="utf-8")
    else:
        print("\n".join(f"{name}\n\n{table(comparisons)}" for name, comparisons in found.items()), end="")
    shared = [(name, comparison) for name, comparisons in found.items() for comparison in comparisons if comparison.overlaps]
    for name, comparison in shared:
        for text in comparison.overlaps:
            print(f"{name}, {comparison.language}: an exemplar and a row have in common: {text}", file=sys.stderr)
    return 1 if shared else 0


if __name__ == "__main__":
    sys.exit(main())
