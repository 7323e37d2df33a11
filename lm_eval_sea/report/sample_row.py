"""What the report takes from one logged row: the numbers of every row, and the text of those that the page shows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

COLUMNS = ("doc_id", "filter", "doc", "target", "arguments", "resps", "metrics")

PUBLISHED = "published"  # how SEA-HELM itself reads an answer, and by which its headline metrics count


def is_number(value: Any) -> bool:
    """Whether a value is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def numbers(row: Mapping[str, Any], headline: str, item_metric: str, metrics: Sequence[str]) -> dict[str, Any]:
    """What the tables need of a row.

    Args:
        row: a logged row, with the columns `COLUMNS` and `metrics`.
        headline: the metric whose choice and score count.
        item_metric: the metric whose score counts where the headline is made of all rows.
        metrics: the metrics to take the row's scores of.

    Returns:
        doc_id, id and cluster; gold and chosen (positions of options), options (how many), gold_characters and
        chosen_characters (length of their texts in code points); loglikelihoods (nats, of calibrated tasks); `score`, that
        of the headline or of item_metric; `score_<metric>`; `chosen_<metric>`. None for what the row lacks, such as the score
        of a row where a metric is made of all rows.
    """
    doc = row["doc"] if isinstance(row["doc"], dict) else {}
    scores = {metric: float(row[metric]) if is_number(row[metric]) else None for metric in metrics}
    predictions = doc.get("predictions") or {}
    gold = _position(doc.get("gold"))
    chosen = _position(next((predictions[name] for name in (headline, item_metric, PUBLISHED) if name in predictions), None))
    texts = doc.get("options") or []
    option_scores = doc.get("option_scores") or []
    return {
        "doc_id": row["doc_id"],
        "id": None if doc.get("id") is None else str(doc["id"]),
        "cluster": str(doc["cluster"]) if doc.get("cluster") is not None else str(row["doc_id"]),
        "gold": gold,
        "chosen": chosen,
        "options": len(texts) or len(option_scores) or None,
        "gold_characters": _length(texts, gold),
        "chosen_characters": _length(texts, chosen),
        "loglikelihoods": [score["loglikelihood"] for score in option_scores] if "p" in doc else None,
        "score": scores.get(headline) if scores.get(headline) is not None else scores.get(item_metric),
        **{f"score_{metric}": score for metric, score in scores.items()},
        **{f"chosen_{metric}": _position(position) for metric, position in predictions.items()},
    }


def _position(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _length(texts: Sequence[str], position: int | None) -> int | None:
    return len(texts[position]) if position is not None and 0 <= position < len(texts) else None


def shown(row: Mapping[str, Any], score: float | None) -> dict[str, Any]:
    """What the page shows of a row, as JSON; empty parts are left out.

    Args:
        row: a logged row, with the columns `COLUMNS`.
        score: the row's score by the headline metric, if it has one.

    Returns:
        id, prompt, gold (position), predictions (metric → position), options (label, text, log-likelihood and log-perplexity
        in nats), output (what the model wrote), answer (the part that is scored), references, score.
    """
    doc = row["doc"] if isinstance(row["doc"], dict) else {}
    arguments = row["arguments"] if isinstance(row["arguments"], dict) else {}
    requests = list(arguments.values())
    options = doc.get("option_scores") or []
    parts = {
        "id": str(doc.get("id", row["doc_id"])),
        "prompt": str(_argument(requests, 0, "arg_0")),
        "gold": doc.get("gold"),
        "predictions": doc.get("predictions"),
        "options": [_option(doc, requests, index, score) for index, score in enumerate(options)] or _plain_options(doc),
        "output": None if options else _first_text(row["resps"]),
        "answer": doc.get("answer"),
        "references": [str(text) for text in doc.get("answers") or []] or (None if options else [str(row["target"])]),
        "score": score,
    }
    return {name: part for name, part in parts.items() if part not in (None, "", [], {})}


def _argument(requests: Sequence[Any], index: int, name: str) -> Any:
    request = requests[index] if index < len(requests) else None
    return request.get(name, "") if isinstance(request, dict) else ""


def _option(doc: Mapping[str, Any], requests: Sequence[Any], index: int, score: Mapping[str, Any]) -> list[Any]:
    letters, texts = doc.get("letters") or [], doc.get("options") or []
    label = letters[index] if index < len(letters) else ""
    text = texts[index] if index < len(texts) else str(_argument(requests, index, "arg_1")).strip()
    return [label, text, _finite(score.get("loglikelihood")), _finite(score.get("log_perplexity"))]


def _plain_options(doc: Mapping[str, Any]) -> list[list[Any]]:
    letters = doc.get("letters") or []
    return [[letters[index] if index < len(letters) else "", text] for index, text in enumerate(doc.get("options") or [])]


def _finite(value: Any) -> float | None:
    return round(value, 4) if is_number(value) else None


def _first_text(responses: Any) -> str | None:
    while isinstance(responses, list) and responses:
        responses = responses[0]
    return responses if isinstance(responses, str) else None
