"""Published numbers of public models, and which task and metric of a run each can be laid beside."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import yaml

PUBLISHED_NUMBERS = Path(__file__).with_name("published_numbers.yaml")


class Place(NamedTuple):
    """A task and the metric of it, as lm-eval's results name them."""

    task: str
    metric: str


class PublishedNumber(NamedTuple):
    """One number of one model, as printed."""

    model: str  # on the hub
    column: str  # data set and language, such as "xquad_th"
    metric: str  # as the source calls it: EM, F1, BLEU, calibrated EM
    number: float  # in percent; BLEU from 0 to 100
    place: str  # the table
    source: str  # title of what printed it
    url: str
    exemplars: int  # in the prompt
    prompts: str  # "official" or "predecessor": whether the prompts are those that SailCompass publishes
    official: Place | None  # what gives it with the official prompts; None if the checkout has no such configuration
    own: Place  # what comes nearest to it with the prompts of the pack


def published_numbers() -> list[PublishedNumber]:
    """All published numbers, table by table."""
    content = yaml.safe_load(PUBLISHED_NUMBERS.read_text(encoding="utf-8"))
    found = []
    for table in content["tables"]:
        source = content["sources"][table["source"]]
        for model, numbers in table["numbers"].items():
            for column, number in zip(table["columns"], numbers, strict=True):
                if number is None:
                    continue
                found.append(
                    PublishedNumber(
                        model=content["models"][model],
                        column=column,
                        metric=table["metric"],
                        number=float(number),
                        place=table["place"],
                        source=source["title"],
                        url=source["url"],
                        exemplars=table.get("exemplars", 3),
                        prompts=source["prompts"],
                        official=_place(table["official"], column),
                        own=Place(table["own"][0].format(column=column), table["own"][1]),
                    )
                )
    return found


def _place(names: list[str] | None, column: str) -> Place | None:
    return Place(names[0].format(column=column), names[1]) if names else None
