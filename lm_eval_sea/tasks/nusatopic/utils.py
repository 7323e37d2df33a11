"""NusaParagraph and NusaTranslation: from published rows to processed rows, and the choice of published exemplars."""

import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from typing import Any


Row = dict[str, Any]
Splits = Mapping[str, Sequence[Row]]

EXEMPLARS = 5


def process_paragraphs(splits: Splits) -> Callable[[Row], list[Row]]:
    """{"id", "text", "label"} → a processed row. Exemplars have the most frequent labels, one each if there are enough."""

    def exemplars(rows: Sequence[Row]) -> list[Row]:
        found = Counter(row["label"] for row in rows)
        labels = sorted(found, key=lambda label: (-found[label], label))
        by_label = [_of_common_length([row for row in rows if row["label"] == label], "text") for label in labels]
        return [row for turn in zip_longest(*by_label) for row in turn if row]

    return _processor(splits, "text", exemplars, lambda row: {"text": row["text"].strip(), "label": row["label"]})


def process_translations(splits: Splits) -> Callable[[Row], list[Row]]:
    """{"id", "ind_text", "tgt_text"} → a processed row, for both directions."""

    def made(row: Row) -> Row:
        return {"indonesian": row["ind_text"].strip(), "translation": row["tgt_text"].strip()}

    return _processor(splits, "tgt_text", lambda rows: _of_common_length(rows, "ind_text"), made)


def _processor(
    splits: Splits, text: str, choose: Callable[[Sequence[Row]], list[Row]], made: Callable[[Row], Row]
) -> Callable[[Row], list[Row]]:
    """The function that turns a row into processed rows. The first row of `examples` becomes all exemplars, the others none.

    No test row has an exemplar's text. `choose` sorts rows so that those to be shown come first.
    """
    examples = splits.get("examples", ())
    tested = {row[text].strip() for row in splits["test"]}
    chosen = choose([row for row in examples if row[text].strip() not in tested])[:EXEMPLARS]
    places = {row["id"]: place for place, row in enumerate(examples)}  # no id is in both splits

    def process_row(row: Row) -> list[Row]:
        if row["id"] in places:
            return [made(each) for each in chosen] if places[row["id"]] == 0 else []
        return [{"id": row["id"], **made(row)}]

    return process_row


def _of_common_length(rows: Sequence[Row], text: str) -> list[Row]:
    """The rows, sorted by the distance of their length from the median."""
    median = statistics.median(len(row[text]) for row in rows) if rows else 0
    return sorted(rows, key=lambda row: abs(len(row[text]) - median))
