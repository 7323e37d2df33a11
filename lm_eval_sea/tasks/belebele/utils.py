"""Belebele: from published rows to processed rows."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any


Row = dict[str, Any]
Splits = Mapping[str, Sequence[Row]]

ANSWERS = ("mc_answer1", "mc_answer2", "mc_answer3", "mc_answer4")


def unescape_csv(text: str) -> str:
    """Removes the quoting of a CSV cell that the published rows kept: `"He said ""yes""."` becomes `He said "yes".`.

    White space at the ends is removed, too. A text is such a cell if it is in quotation marks and those inside are doubled. One
    passage was quoted twice.
    """
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == '"' and '""' in text[1:-1]:
        text = text[1:-1]
        while '""' in text:
            text = text.replace('""', '"')
    return text.strip()


def whole_number(row: Row, column: str) -> int:
    """A whole number of a row, which may be a string; 2.9 is refused."""
    value = row[column]
    if isinstance(value, bool) or not (isinstance(value, int) or (isinstance(value, str) and value.isdecimal())):
        raise ValueError(f"field {column!r} is {value!r}; expected a whole number")
    return int(value)


def key_of(row: Row) -> tuple[str, int]:
    """The key that a question shares with its translations. Each language's file has another order of rows."""
    return row["link"], whole_number(row, "question_number")


def _passage_and_key(row: Row) -> Row:
    """The link is the cluster, because it identifies the passage in all languages: 412 of the 488 passages have two questions."""
    link, number = key_of(row)
    return {"id": f"{link}#{number}", "cluster": link, "passage": unescape_csv(row["flores_passage"])}


def _question(row: Row) -> Row:
    return {
        "question": unescape_csv(row["question"]),
        "options": [unescape_csv(row[answer]) for answer in ANSWERS],
        "letters": ["A", "B", "C", "D"],
        "gold": whole_number(row, "correct_answer_num") - 1,
    }


def process_row(row: Row) -> Row:
    """{"link", "question_number", "flores_passage", "question", "mc_answer1" …, "correct_answer_num"} → a processed row."""
    return _passage_and_key(row) | _question(row)


def _by_key(rows: Sequence[Row]) -> dict[tuple[str, int], Row]:
    found: dict[tuple[str, int], Row] = {}
    for row in rows:
        for column in ("link", "question_number", "dialect", "flores_passage", "question", *ANSWERS, "correct_answer_num"):
            if column not in row:
                raise KeyError(column)
        if key_of(row) in found:
            raise ValueError(f"{row['dialect']} has link {row['link']} with question_number {row['question_number']} twice")
        found[key_of(row)] = row
    return found


def _counterpart(row: Row, others: Mapping[tuple[str, int], Row]) -> Row:
    """The row of the same question in another language."""
    if key_of(row) not in others:
        other = next(iter(others.values()))["dialect"]
        raise ValueError(f"no counterpart in {other}: it lacks link {row['link']} with question_number {row['question_number']}")
    return others[key_of(row)]


def process_pairs(splits: Splits) -> Callable[[Row], Row]:
    """The processor of passages in one language (`test`) with question, options and gold of another (`questions`)."""
    questions = _by_key(splits["questions"])
    return lambda row: _passage_and_key(row) | _question(_counterpart(row, questions))


def process_texts(splits: Splits) -> Callable[[Row], list[Row]]:
    """The processor that splits a row (`test`) into its texts, each with its English counterpart (`english`).

    A passage comes only with the first of its questions.
    """
    english = _by_key(splits["english"])
    seen: set[str] = set()

    def process(row: Row) -> list[Row]:
        counterpart = _counterpart(row, english)
        columns = ["question", *ANSWERS]
        if row["link"] not in seen:
            seen.add(row["link"])
            columns = ["flores_passage", *columns]
        shared = {"link": row["link"], "question_number": row["question_number"], "number_of_gold": row["correct_answer_num"]}
        return [
            {
                "id": f"{row['link']}#{row['question_number']}#{column}",
                "cluster": row["link"],
                "column": column,
                "text": unescape_csv(row[column]),
                "english": unescape_csv(counterpart[column]),
                **shared,
            }
            for column in columns
        ]

    return process


def process_passages(splits: Splits) -> Callable[[Row], list[Row]]:
    """The processor of the passages as texts of their own, each only with the first of its questions."""
    seen: set[str] = set()

    def process(row: Row) -> list[Row]:
        if row["link"] in seen:
            return []
        seen.add(row["link"])
        return [{"id": row["link"], "cluster": row["link"], "text": unescape_csv(row["flores_passage"])}]

    return process
