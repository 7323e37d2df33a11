"""The scores of SEA-HELM's tasks (`process_results`), and the loaders of their rows.

Every answer is read twice: as SEA-HELM reads it, and strictly (`_strict`); see `reading/sea_helm_answer.py`. As in chat tasks,
`null_rate` includes `cut_rate` and `failure_rate`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..facts import facts
from ..metrics.group_means import Outcome
from ..metrics.sea_helm_metrics import METRICS, NORMALISED
from ..prompted_answers import behind_thought
from ..reading.sea_helm_answer import published_label, published_text, strict_label, strict_text
from ..rows import load_rows_with_scoring


if TYPE_CHECKING:
    from collections.abc import Sequence

    import datasets


STRICT, _STDERR = "_strict", "_stderr"
_OF_CORPUS = ("chrf++",)  # metrics of all rows together; their errors are separate aggregations


def load_label_rows(**arguments: Any) -> dict[str, datasets.Dataset]:
    """The rows of a task whose answer is a label; arguments and errors are those of `rows.load_rows`."""
    return load_rows_with_scoring(scoring=("answer_tag", "labels", "chance", "phenomena", "language"), **arguments)


def _label_scores(doc: dict[str, Any], generated: str, *, grouped_by: str, lindsea: bool = False) -> dict[str, Any]:
    """What each metric needs of one row. Writes the labels that were read into `doc`."""
    scoring = doc["scoring"]
    tag, labels, chance = scoring["answer_tag"], scoring["labels"], scoring["chance"]
    text, plain = behind_thought(doc, generated)
    published = published_label(text, tag, labels, lindsea=lindsea)
    strict = strict_label(text, tag, labels, scoring["language"])
    doc["predictions"] = {"published": published, "strict": strict}
    outcomes: dict[str, Outcome] = {}
    for suffix, label in (("", published), (STRICT, strict)):
        correct = float(label == doc["label"])
        plain |= {f"correct{suffix}": correct, f"null_rate{suffix}": float(label is None)}
        outcomes[f"balanced_acc{suffix}"] = Outcome(doc["label"], correct, chance)
        outcomes[f"normalised{suffix}"] = Outcome(doc[grouped_by], correct, chance)
    return plain | outcomes | {f"{name}{_STDERR}": outcome for name, outcome in outcomes.items()}


def score_label(doc: dict[str, Any], results: Sequence[str]) -> dict[str, Any]:
    """Balanced accuracy over the right labels."""
    return _label_scores(doc, results[0], grouped_by="label")


def score_phenomenon(doc: dict[str, Any], results: Sequence[str]) -> dict[str, Any]:
    """LINDSEA: the accuracy on each phenomenon, and their mean. Labels are read as `published_label` does for LINDSEA."""
    scores = _label_scores(doc, results[0], grouped_by="phenomenon", lindsea=True)
    for suffix in ("", STRICT):
        outcome = scores[f"normalised{suffix}"]
        scores |= {f"phenomena_acc{suffix}": outcome, f"phenomena_acc{suffix}{_STDERR}": outcome}
    for phenomenon in doc["scoring"]["phenomena"]:
        scores |= {f"acc_{phenomenon}": scores["normalised"], f"acc_{phenomenon}{_STDERR}": scores["normalised"]}
    return scores


class TextScores:
    """The metrics of a kind of task whose answer is a line of text after the answer tag, and the functions of its templates."""

    def __init__(self, *metrics: str, normalised: str | None = None) -> None:
        """Takes names of metrics, and the one that SEA-HELM scales from 0 to 100; None if that needs a judge model."""
        of_name = {name: METRICS[name] for name in metrics}
        of_name |= {"normalised": NORMALISED[normalised]} if normalised else {}
        self.metrics = of_name | {f"{name}{STRICT}": metric for name, metric in of_name.items()}

    def load_rows(self, **arguments: Any) -> dict[str, datasets.Dataset]:
        """The rows, and notes on how each score is made. Arguments and errors are those of `rows.load_rows`."""
        rows = load_rows_with_scoring(scoring=("answer_tag", "answer_language"), **arguments)
        language = facts(arguments)["answer_language"]
        arguments["provenance"]["signatures"] = {name: metric.signature(language) for name, metric in self.metrics.items()}
        return rows

    def process_results(self, doc: dict[str, Any], results: Sequence[str]) -> dict[str, Any]:
        """What each metric needs of one row. Writes the scored answers into `doc`."""
        (text, rates), scoring = behind_thought(doc, results[0]), doc["scoring"]
        tag, language = scoring["answer_tag"], scoring["answer_language"]
        doc["answer"], doc["answer_strict"] = published_text(text, tag), strict_text(text, tag)
        references = doc["label"] if isinstance(doc["label"], list) else [doc["label"]]
        scores = {
            name: metric.of_row(doc["answer_strict" if name.endswith(STRICT) else "answer"], references, language)
            for name, metric in self.metrics.items()
        }
        errors = {f"{name}{_STDERR}": scores[name] for name in scores if name.removesuffix(STRICT) in _OF_CORPUS}
        return scores | errors | rates


question_answering = TextScores("f1", "null_rate", normalised="f1")
summarization = TextScores("rougeL", "rougeL_words", "null_rate", normalised="rougeL")
translation = TextScores("chrf++", "null_rate")

load_sea_helm_qa_rows, score_sea_helm_qa = question_answering.load_rows, question_answering.process_results
load_sea_helm_summary_rows, score_sea_helm_summary = summarization.load_rows, summarization.process_results
load_sea_helm_translation_rows, score_sea_helm_translation = translation.load_rows, translation.process_results
