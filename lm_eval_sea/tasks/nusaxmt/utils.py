"""NusaX translation: from published rows with a column per language to processed rows, which serve both directions."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any


Row = dict[str, Any]
Splits = Mapping[str, Sequence[Row]]

# Ids of validation rows that are right in every language, and like the test rows in length and subject.
EXEMPLARS = ("7", "27", "28", "51", "63")


def rows_in(name: str, code: str) -> Callable[[Splits], Callable[[Row], Row | list[Row]]]:
    """The function that a task names: the processor of a language's rows. Their column is `name`, or in some copies `code`."""

    def process_rows(splits: Splits) -> Callable[[Row], Row | list[Row]]:
        others = [row for row in splits.get("examples", []) if _text(row, "", "id") not in EXEMPLARS]
        passed_over = {_text(row, "indonesian", "ind") for row in others}

        def process_row(row: Row) -> Row | list[Row]:
            indonesian = _text(row, "indonesian", "ind")
            return [] if indonesian in passed_over else {"indonesian": indonesian, "translation": _text(row, name, code)}

        return process_row

    return process_rows


def _text(row: Row, name: str, code: str) -> str:
    text: str = row[code if code in row else name]
    return text.strip()


process_acehnese = rows_in("acehnese", "ace")
process_balinese = rows_in("balinese", "ban")
process_banjarese = rows_in("banjarese", "bjn")
process_buginese = rows_in("buginese", "bug")
process_javanese = rows_in("javanese", "jav")
process_madurese = rows_in("madurese", "mad")
process_minangkabau = rows_in("minangkabau", "min")
process_ngaju = rows_in("ngaju", "nij")
process_sundanese = rows_in("sundanese", "sun")
process_toba_batak = rows_in("toba_batak", "bbc")
