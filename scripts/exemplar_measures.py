"""What rows and exemplars are like: lengths, labels, types of questions, copied words. Pure functions, no I/O."""

from __future__ import annotations

import functools
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import normalize

from lm_eval_sea.tasks._shared.metrics import words as of_metrics

Row = Mapping[str, Any]

# Language without spaces and without a segmenter here → number of characters that count as a word.
CHARACTERS_OF_A_WORD = {"km": 4, "lo": 4, "zh": 2}
COPIED = 4  # words in a row that a summary copies from its document
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
    "su": (
        r"petikan|karangan|kutipan|bacaan|wacana|\bteks\b|paragrap|paragraf|artikel",
        r"\b(?:henteu?|teu|lain|iwal|acan|kajaba)\b",
    ),
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


@functools.cache
def words(text: str, language: str) -> tuple[str, ...]:
    """The words of a normalised text, which several measures ask for."""
    return tuple(of_metrics.words(text, language))


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
class Number:
    """A mean length in characters, a quotient of lengths, or a share of rows or words; the form is that of `format`."""

    value: float
    form: str

    @property
    def is_length(self) -> bool:
        """Whether it is a mean length."""
        return self.form == ".0f"

    def __str__(self) -> str:
        """As a table shows it."""
        return format(self.value, self.form).replace("%", " %")


Measure = Number | Counter[Any]  # a counter has a few values in the order in which to show them


def of_rows(measure: Measure) -> str:
    """A measure of rows: a number, or the shares of values in per cent."""
    if isinstance(measure, Number):
        return str(measure)
    return ", ".join(f"{value}: {100 * count / measure.total():.0f}" for value, count in measure.items()) + " %"


def of_exemplars(measure: Measure, rows: Measure | None) -> str:
    """A measure of exemplars: a number, a length with the difference from that of the rows, or how often values occur."""
    if not isinstance(measure, Number):
        return ", ".join(f"{value}: {count}" for value, count in measure.items() if count)
    if isinstance(rows, Number) and measure.is_length:
        return f"{measure} ({100 * (measure.value / rows.value - 1):+.0f} %)"
    return str(measure)


def _mean_length(texts: Iterable[str]) -> Number:
    return Number(statistics.fmean(map(len, texts)), ".0f")


def _mean_share(values: Iterable[float | None]) -> Number:
    known = [value for value in values if value is not None]
    return Number(statistics.fmean(known) if known else 0.0, ".0%")


def measure(rows: Sequence[Row], kind: str, fields: Sequence[str], language: str, labels: Sequence[str]) -> dict[str, Measure]:
    """What processed rows or exemplars are like: name of the measure → measure. `fields` are those that a prompt shows."""
    found: dict[str, Measure] = {}
    for field in fields:
        values = [row[field] for row in rows]
        if set(values) <= {"cause", "effect"}:
            found[field] = _in_order(values, ("cause", "effect"))
        else:
            found[field] = _mean_length(values)
    return found | _of_kind(kind, rows, language, labels)


def _in_order(values: Iterable[Any], order: Iterable[Any]) -> Counter[Any]:
    counts = Counter(values)
    return Counter({value: counts[value] for value in order})


def _of_options(rows: Sequence[Row], language: str) -> dict[str, Measure]:
    letters = sorted({letter for row in rows for letter in row["letters"]})
    sizes = [len(row["options"]) for row in rows]
    found: dict[str, Measure] = {
        "option": _mean_length(option for row in rows for option in row["options"]),
        "options": _in_order(sizes, sorted(set(sizes))),
        "right answer": _in_order((row["letters"][row["gold"]] for row in rows), letters),
    }
    if "passage" not in rows[0]:
        return found
    answers = [share_found(row["options"][row["gold"]], row["passage"], language, 1) for row in rows]
    questions = [row["question"].casefold() for row in rows]
    for name, pattern in zip(("names passage", "negated"), QUESTION_WORDS.get(language, ()), strict=False):
        found[name] = _mean_share(re.search(pattern, question) is not None for question in questions)
    look_ups = _mean_share(share == 1 for share in answers if share is not None)
    return found | {"words of answer in passage": _mean_share(answers), "look-up": look_ups}


def _of_kind(kind: str, rows: Sequence[Row], language: str, labels: Sequence[str]) -> dict[str, Measure]:
    match kind:
        case "mcq":
            return _of_options(rows, language)
        case "classification":
            return {"label": _in_order((labels[row["gold"]] for row in rows), labels)}
        case "qa":
            answers = [(answer, row["passage"]) for row in rows for answer in row["answers"]]
            found = _mean_share(answer in passage for answer, passage in answers)
            return {"answer": _mean_length(answer for answer, _ in answers), "answer in passage": found}
        case "short_answer":
            return {"answer": _mean_length(row["answers"][0] for row in rows)}
        case "translation":
            english, translation = (sum(len(row[field]) for row in rows) for field in ("english", "translation"))
            return {"translation / English": Number(translation / english, ".2f")}
        case "summarization":
            copied = _mean_share(share_found(row["summary"], row["document"], language, COPIED) for row in rows)
            return {"summary": _mean_length(row["summary"] for row in rows), "copied 4-grams": copied}
        case "number":  # the rows have no solutions to compare
            return {}
    raise ValueError(f"no measures for rows of the kind {kind}")


def overlaps(exemplars: Iterable[Row], rows: Iterable[Row], language: str) -> list[str]:
    """The runs of eight words that an exemplar shares with a test row, in any of their texts."""
    of_exemplars = {run for row in exemplars for text in _texts(row) for run in ngrams(text, language, OVERLAP)}
    of_rows = {run for row in rows for text in _texts(row) for run in ngrams(text, language, OVERLAP) if run in of_exemplars}
    separator = "" if language in CHARACTERS_OF_A_WORD else " "
    return sorted(separator.join(run) for run in of_rows)


def _texts(row: Row) -> Iterator[str]:
    for field, value in row.items():
        if field not in ("id", "cluster", "letters", "lettered_options", "votes"):
            yield from [value] if isinstance(value, str) else value if isinstance(value, list) else []


CHARACTERS = 5  # length of the runs of characters by which texts are compared, so that words with other endings are alike
# Likeness, by words or by runs of characters, from which two questions count as one; the second if the right answers are equal.
ALIKE, ALIKE_WITH_ANSWER = 0.5, 0.33


@dataclass(frozen=True)
class Nearest:
    """The test row that is most like an exemplar."""

    likeness: float  # 0 to 1
    has_same_answer: bool
    exemplar: str
    row: str

    @property
    def is_too_near(self) -> bool:
        """Whether the exemplar asks what the row asks."""
        return self.likeness >= (ALIKE_WITH_ANSWER if self.has_same_answer else ALIKE)


def nearest(exemplars: Sequence[Row], rows: Sequence[Row], fields: Sequence[str], language: str) -> list[Nearest]:
    """For each exemplar the row that is most like it, in what is asked and in the right answer; passages are left out.

    Likeness is the cosine of the vectors of what two texts have, words or runs of characters, each weighted by log((n + 1) / k)
    if k - 1 of n rows have it, so that rare ones count more (inverse document frequency, Sparck Jones 1972). A row that is too
    near goes before all others, even if their likeness is greater.
    """
    texts = [_asked(row, fields) for row in (*exemplars, *rows)]
    answers = [_answer(row, language) for row in (*exemplars, *rows)]
    candidates: list[list[Nearest]] = [[] for _ in exemplars]
    for unit in (_words, _pieces):
        has = CountVectorizer(analyzer=functools.partial(unit, language=language), binary=True).fit_transform(texts)
        having = np.asarray(has[len(exemplars) :].sum(axis=0))
        vectors = normalize(has.multiply(np.log((len(rows) + 1) / (having + 1))).tocsr())
        alike = (vectors[: len(exemplars)] @ vectors[len(exemplars) :].T).toarray()
        for exemplar in range(len(exemplars)):
            candidates[exemplar] += [
                Nearest(float(likeness), answers[exemplar] == answers[row] != "", texts[exemplar], texts[row])
                for row, likeness in enumerate(alike[exemplar], len(exemplars))
            ]
    return [max(of_one, key=lambda each: (each.is_too_near, each.likeness)) for of_one in candidates]


def _words(text: str, language: str) -> set[str]:
    if language in CHARACTERS_OF_A_WORD:
        return {"".join(run) for run in ngrams(text, language, 1)}
    return set(words(text, language))


def _pieces(text: str, language: str) -> set[str]:
    whole = " ".join(words(text, language)) if language != "th" else text
    return {whole[start : start + CHARACTERS] for start in range(len(whole) - CHARACTERS + 1)}


def _asked(row: Row, fields: Sequence[str]) -> str:
    """What a row asks, without the passage, and the right answer."""
    shown = [field for field in fields if field not in ("passage", "document") or len(fields) == 1]
    return "\n".join([*(str(row[field]) for field in shown), *_right(row)])


def _right(row: Row) -> list[str]:
    if "options" in row:
        return [row["options"][row["gold"]]]
    return list(row["answers"][:1]) if "answers" in row else []


def _answer(row: Row, language: str) -> str:
    return " ".join(words(" ".join(_right(row)), language))
