"""NusaParagraph and NusaTranslation: from published rows to processed rows, and which published rows are shown as exemplars."""

import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import yaml


Row = dict[str, Any]
Splits = Mapping[str, Sequence[Row]]

EXEMPLARS = 5


def labelled(data_set: str) -> Callable[[Splits], Callable[[Row], list[Row]]]:
    """The function that a task names: the processor of {"id", "text", "label"}, with the labels of a data set.

    Exemplars have the most frequent labels, one each where there are enough.
    """
    record = yaml.safe_load((Path(__file__).parents[1] / data_set / "data_set.yml").read_text(encoding="utf-8"))
    names: list[str] = record["labels"]

    def exemplars(rows: Sequence[Row]) -> list[Row]:
        found = Counter(row["label"] for row in rows)
        labels = sorted(found, key=lambda label: (-found[label], label))
        by_label = [_of_common_length([row for row in rows if row["label"] == label], "text") for label in labels]
        return [row for turn in zip_longest(*by_label) for row in turn if row]

    def made(row: Row) -> Row:
        if row["label"] not in names:
            raise ValueError(f"field 'label' is {row['label']!r}; expected one of {', '.join(names)}")
        return {"text": row["text"].strip(), "gold": names.index(row["label"])}

    return lambda splits: _processor(splits, "text", exemplars, made)


def process_translations(splits: Splits) -> Callable[[Row], list[Row]]:
    """{"id", "ind_text", "tgt_text"} → a processed row, for both directions."""

    def made(row: Row) -> Row:
        return {"indonesian": row["ind_text"].strip(), "translation": row["tgt_text"].strip()}

    return _processor(splits, "tgt_text", lambda rows: _of_common_length(rows, "ind_text"), made)


def _processor(
    splits: Splits, text: str, choose: Callable[[Sequence[Row]], list[Row]], made: Callable[[Row], Row]
) -> Callable[[Row], list[Row]]:
    """The function from a row to processed rows: the first row of the split `examples` becomes the exemplars, the others none.

    An exemplar's text is in no test row; of the rest `choose` puts first what is to be shown.
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
    """The rows, first those whose length is nearest to the median."""
    median = statistics.median(len(row[text]) for row in rows) if rows else 0
    return sorted(rows, key=lambda row: abs(len(row[text]) - median))


process_topics = labelled("nusatopic")
process_emotions = labelled("nusaemotion")
process_modes = labelled("nusamode")
process_sentiment = labelled("nusasentiment")
