"""What the report takes from one logged row: the numbers of every row, and the text of those that the page shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lm_eval_sea.results.logged_rows import chosen_option, cluster_of, document, position, predictions
from lm_eval_sea.results.run_files import is_number
from lm_eval_sea.results.visible_text import visible

COLUMNS = ("doc_id", "filter", "doc", "target", "arguments", "resps", "metrics")
_TITLE_LENGTH = 200  # code points
# Fields of a processed row that say which row it is, in the order in which they serve. Of a pair both are shown.
_PAIRS = (("premise", "hypothesis"), ("premise", "question"), ("sentence1", "sentence2"))
_BETWEEN = " · "
_QUESTION_FIELDS = ("question", "premise", "sentence1", "text", "source", "passage", "context", "story", "document")
_QUESTION_FIELDS += ("prompt", "instruction")


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
    doc = document(row)
    scores = {metric: float(row[metric]) if is_number(row[metric]) else None for metric in metrics}
    gold, chosen = position(doc.get("gold")), chosen_option(row, headline, item_metric)
    texts, option_scores = _list(doc.get("options")), _option_scores(doc)
    logs = [score.get("loglikelihood") for score in option_scores] if "p" in doc else []
    return {
        "doc_id": row["doc_id"] if isinstance(row["doc_id"], int) else visible(str(row["doc_id"])),
        "id": None if doc.get("id") is None else visible(str(doc["id"])),
        "cluster": visible(cluster_of(row)),  # a lone surrogate is no text to pandas
        "gold": gold,
        "chosen": chosen,
        "options": len(texts) or len(option_scores) or None,
        "gold_characters": _length(texts, gold),
        "chosen_characters": _length(texts, chosen),
        "loglikelihoods": logs if _are_loglikelihoods(logs) and gold is not None and gold < len(logs) else None,
        "score": scores.get(headline) if scores.get(headline) is not None else scores.get(item_metric),
        **{f"score_{metric}": score for metric, score in scores.items()},
        **{f"chosen_{metric}": position(chosen) for metric, chosen in predictions(row).items()},
    }


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _option_scores(doc: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [score if isinstance(score, dict) else {} for score in _list(doc.get("option_scores"))]


def _are_loglikelihoods(values: Sequence[Any]) -> bool:
    """Whether these are numbers, not all of them −∞, as where no label has a probability."""
    numbers = all(is_number(value) or value == float("-inf") for value in values)
    return numbers and any(value != float("-inf") for value in values)


def _length(texts: Sequence[Any], index: int | None) -> int | None:
    return len(str(texts[index])) if index is not None and index < len(texts) else None


def shown(row: Mapping[str, Any], score: float | None) -> dict[str, Any]:
    """What the page shows of a row, as JSON; empty parts are left out.

    Args:
        row: a logged row, with the columns `COLUMNS`.
        score: the row's score by the headline metric, if it has one.

    Returns:
        id, number (of the row), title (the row's question), margin (nats), prompt, gold (position), predictions (metric →
        position), options (label, text, log-likelihood and log-perplexity in nats), output (what the model wrote), answer (the
        part that is scored), references, score.
    """
    doc = document(row)
    arguments = row["arguments"] if isinstance(row["arguments"], dict) else {}
    requests = list(arguments.values())
    options = _option_scores(doc)
    parts = {
        "id": str(doc.get("id", row["doc_id"])),
        "number": str(row["doc_id"]),
        "title": question_of(doc),
        "margin": margin(doc, options),
        "prompt": str(_argument(requests, 0, "arg_0")),
        "gold": position(doc.get("gold")),
        "predictions": {metric: position(chosen) for metric, chosen in predictions(row).items()},
        "options": [_option(doc, requests, index, score) for index, score in enumerate(options)] or _plain_options(doc),
        "output": None if options else _first_text(row["resps"]),
        "answer": doc["answer"] if isinstance(doc.get("answer"), str) else None,
        "references": [str(text) for text in _list(doc.get("answers"))] or (None if options else [str(row["target"])]),
        "score": score,
    }
    return {name: part for name, part in parts.items() if part not in (None, "", [], {})}


def question_of(doc: Mapping[str, Any]) -> str | None:
    """The row's own text by which a reader knows it: the question, or a premise with what is asked of it; no exemplars."""
    texts = {
        name: " ".join(doc[name].split()) for name in {*_QUESTION_FIELDS, *sum(_PAIRS, ())} if isinstance(doc.get(name), str)
    }
    for first, second in _PAIRS:
        if texts.get(first) and texts.get(second):
            room = max(_TITLE_LENGTH // 2, _TITLE_LENGTH - len(texts[second]) - len(_BETWEEN))
            return f"{texts[first][:room]}{_BETWEEN}{texts[second]}"[:_TITLE_LENGTH]
    return next((texts[name][:_TITLE_LENGTH] for name in _QUESTION_FIELDS if texts.get(name)), None)


def margin(doc: Mapping[str, Any], options: Sequence[Mapping[str, Any]]) -> float | None:
    """By how much the right option is likelier than the best wrong one, in nats; negative if it is not. None without options."""
    logs: list[Any] = [option.get("loglikelihood") for option in options]
    gold = position(doc.get("gold"))
    if gold is None or gold >= len(logs) or len(logs) < 2 or not all(map(is_number, logs)):
        return None
    return round(logs[gold] - max(log for place, log in enumerate(logs) if place != gold), 3)


def _argument(requests: Sequence[Any], index: int, name: str) -> Any:
    request = requests[index] if index < len(requests) else None
    return request.get(name, "") if isinstance(request, dict) else ""


def _option(doc: Mapping[str, Any], requests: Sequence[Any], index: int, score: Mapping[str, Any]) -> list[Any]:
    letters, texts = _list(doc.get("letters")), _list(doc.get("options"))
    label = str(letters[index]) if index < len(letters) else ""
    text = str(texts[index]) if index < len(texts) else str(_argument(requests, index, "arg_1")).strip()
    return [label, text, _finite(score.get("loglikelihood")), _finite(score.get("log_perplexity"))]


def _plain_options(doc: Mapping[str, Any]) -> list[list[Any]]:
    letters = _list(doc.get("letters"))
    texts = _list(doc.get("options"))
    return [[str(letters[index]) if index < len(letters) else "", str(text)] for index, text in enumerate(texts)]


def _finite(value: Any) -> float | None:
    return round(value, 4) if is_number(value) else None


def _first_text(responses: Any) -> str | None:
    while isinstance(responses, list) and responses:
        responses = responses[0]
    return responses if isinstance(responses, str) else None
