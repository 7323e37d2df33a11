"""Which logged rows the page shows, and which parts of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import islice, zip_longest
from typing import Any

from lm_eval_sea.results.rows import BATCH_CALIBRATED, document, position
from lm_eval_sea.results.runs import TaskRun
from lm_eval_sea.results.types import is_number, list_of, mapping_of

Key = tuple[str, str]  # model and task
_COLUMNS = ("number", "place", "score", f"chosen_{BATCH_CALIBRATED}")  # what the page needs besides the texts
_NAMES = ("id", "number")  # identify a row, so they stay even if empty
_TITLE_LENGTH = 200  # code points
# Fields of a processed row that identify it, in order of preference. Of a pair both are shown.
_PAIRS = (("premise", "hypothesis"), ("premise", "question"), ("sentence1", "sentence2"))
_BETWEEN = " · "
_QUESTION_FIELDS = (
    *("question", "premise", "sentence1", "text", "source", "passage", "context", "story", "document", "prompt", "instruction"),
)


def shown_rows_of(of_task: Mapping[str, TaskRun], count: int) -> dict[str, list[dict[str, Any]]]:
    """What the page shows of the rows of one task, by model: `count` rows of each, from the last of several seeds."""
    of_task = {model: task.each_draw[-1] for model, task in of_task.items()}
    frames = {model: task.logged.frame for model, task in of_task.items() if task.logged is not None}
    numbers = {model: set(frame.number.tolist()) for model, frame in frames.items()}
    found = {}
    for model, frame in frames.items():
        chosen = frame.number.isin(chosen_numbers(numbers[model], list(numbers.values()), count))
        records = frame.loc[chosen, [name for name in _COLUMNS if name in frame]].to_dict("records")
        texts = of_task[model].texts([record["place"] for record in records])
        found[model] = [shown(row, record) for row, record in zip(texts, records, strict=True)]
    return found


def chosen_numbers(own: Collection[int], runs: Sequence[Collection[int]], count: int) -> set[int]:
    """The rows of one run to show: first those that most runs have; evenly spaced among rows that equally many have.

    Runs of the same rows show the same ones, and a run of 900 rows shows those of a run of 100. `runs` includes this one.
    """
    held = Counter(number for numbers in runs for number in numbers)
    chosen: list[int] = []
    for times in sorted({held[number] for number in own}, reverse=True):
        group = sorted(number for number in own if held[number] == times)
        if free := count - len(chosen):
            chosen += group[:: -(-len(group) // free)]
    return set(chosen)


def shown(row: Mapping[str, Any], record: Mapping[str, Any]) -> dict[str, Any]:
    """What the page shows of a logged row, whose record in the frame of rows is `record`; empty parts are left out.

    The margin is in nats, `gold` and predictions are positions, and the answer is the part of the output that is scored.
    """
    doc = document(row)
    asked = list(map(mapping_of, mapping_of(row.get("arguments")).values())) or [{}]
    predictions = mapping_of(doc.get("predictions"))
    calibrated: Any = record.get(f"chosen_{BATCH_CALIBRATED}")
    if is_number(calibrated):  # depends on all rows
        predictions = predictions | {BATCH_CALIBRATED: int(calibrated)}
    scores = [mapping_of(score) for score in list_of(doc.get("option_scores"))]
    output = None if scores else row.get("resps")
    while isinstance(output, list) and output:
        output = output[0]
    parts = {
        "id": str(doc.get("id", row.get("doc_id"))),
        "number": str(row.get("doc_id")),
        "title": question_of(doc),
        "margin": margin(doc, scores),
        "prompt": str(asked[0].get("arg_0", "")),
        "gold": position(doc.get("gold")),
        "predictions": {metric: position(chosen) for metric, chosen in predictions.items()},
        "options": _options(doc, asked, scores),
        "output": output if isinstance(output, str) else None,
        "answer": doc["answer"] if isinstance(doc.get("answer"), str) else None,
        "references": [str(text) for text in list_of(doc.get("answers"))] or (None if scores else [str(row.get("target"))]),
        "score": record["score"] if is_number(record["score"]) else None,
    }
    return {name: part for name, part in parts.items() if name in _NAMES or part not in (None, "", [], {})}


def question_of(doc: Mapping[str, Any]) -> str | None:
    """The text by which a reader recognises the row: the question, or a premise with what is asked about it; no exemplars."""
    texts = {name: " ".join(text.split()) for name, text in doc.items() if isinstance(text, str)}
    for first, second in _PAIRS:
        if texts.get(first) and texts.get(second):
            room = max(_TITLE_LENGTH // 2, _TITLE_LENGTH - len(texts[second]) - len(_BETWEEN))
            return f"{texts[first][:room]}{_BETWEEN}{texts[second]}"[:_TITLE_LENGTH]
    return next((texts[name][:_TITLE_LENGTH] for name in _QUESTION_FIELDS if texts.get(name)), None)


def margin(doc: Mapping[str, Any], options: Sequence[Mapping[str, Any]]) -> float | None:
    """How much likelier the right option is than the best wrong one, in nats; negative if it is not. None without options."""
    logs: list[Any] = [option.get("loglikelihood") for option in options]
    gold = position(doc.get("gold"))
    if gold is None or gold >= len(logs) or len(logs) < 2 or not all(map(is_number, logs)):
        return None
    return float(round(logs[gold] - max(log for place, log in enumerate(logs) if place != gold), 3))


def _options(doc: Mapping[str, Any], asked: Sequence[Mapping[str, Any]], scores: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
    """Label and text of each option (its request may be the only place that has them), with both scores if it has them."""
    letters, texts = (list(map(str, list_of(doc.get(name)))) for name in ("letters", "options"))
    requested = [str(request.get("arg_1", "")).strip() for request in asked]
    logs: list[list[Any]] = [[score.get(name) for name in ("loglikelihood", "log_perplexity")] for score in scores]
    rounded = [[round(log, 4) if is_number(log) else None for log in pair] for pair in logs]
    entries = zip_longest(letters, [*texts, *requested[len(texts) :]], rounded, fillvalue="")
    return [[label, text, *pair] for label, text, pair in islice(entries, len(scores) or len(texts))]
