"""The kinds of tasks that a data set can have: what a task shows, its template, and what its groups average."""

from __future__ import annotations

from typing import NamedTuple


class Variant(NamedTuple):
    """A prompt form of a kind; multiple choice has the names of SailCompass: T text, L letter, i input, o output."""

    shown: bool  # whether the options are in the input, one per line
    lettered: bool  # whether each has its letter before it
    answer: str  # the column of the answers; for generated letters, the template of the right one
    template: str  # in tasks/_shared
    aggregated: tuple[str, ...]  # the metrics that a group averages over its languages


def _ranked(answer: str, *, shown: bool = False, lettered: bool = False) -> Variant:
    return Variant(shown, lettered, answer, "ranking_yaml", ("acc_ppl", "acc", "acc_norm"))


def _only(answer: str, template: str, *aggregated: str) -> dict[str, Variant]:
    """The one variant of a kind that shows no options; it has no name."""
    return {"": Variant(False, False, answer, template, aggregated)}


JUDGED = "judged"  # the kind whose answers a judge scores after the run; a row is its whole prompt
# Kind → variants by name.
KINDS = {
    "mcq": {
        "to_ppl": _ranked("options"),
        "tito_ppl": _ranked("options", shown=True),
        "litito_ppl": _ranked("options", shown=True, lettered=True),
        "litilo_ppl": Variant(True, True, "letters", "letter_ranking_yaml", ("acc_ppl", "acc", "acc_norm", "acc_cc")),
        "litilo_gen": Variant(True, True, "{{letters[gold]}}", "letter_generation_yaml", ("exact_match", "null_rate")),
        "litiloto_ppl": _ranked("lettered_options", shown=True, lettered=True),
    },
    "classification": _only("labels", "classification_yaml", "acc_bc", "f1_bc", "acc_cc", "f1_cc", "acc_ppl", "acc", "f1"),
    "qa": _only("answers", "qa_yaml", "exact_match", "f1", "contains", "null_rate"),
    "short_answer": _only("answers", "qa_yaml", "contains", "contains_weighted", "exact_match", "null_rate"),
    "number": _only("solution", "number_yaml", "exact_number", "no_number_rate"),
    "translation": _only("translation", "translation_yaml", "chrf++", "bleu", "null_rate", "off_target_rate"),
    "summarization": _only("summary", "summarization_yaml", "bleu", "rougeL", "chrf++", "null_rate"),
    JUDGED: _only("", "judged_yaml"),
}
# Kind → what the groups of its chat tasks average. Their prompts show options with letters.
CHAT_METRICS = {
    "mcq": ("exact_match", "null_rate", "cut_rate"),
    "classification": ("exact_match", "f1", "null_rate", "cut_rate"),
    "qa": ("exact_match", "f1", "contains", "null_rate", "cut_rate"),
    "short_answer": ("contains", "contains_weighted", "exact_match", "null_rate", "cut_rate"),
    "number": ("exact_number", "null_rate", "cut_rate"),
    "translation": ("chrf++", "bleu", "null_rate", "cut_rate", "off_target_rate"),
    "summarization": ("bleu", "rougeL", "chrf++", "null_rate", "cut_rate", "off_target_rate"),
}
LETTER_TOKENS = 10  # limit of a generated letter, as in SailCompass
# The fields that a run adds to a processed row: options with letters, and what scores are made from.
ADDED_FIELDS = (
    *("letters", "lettered_options", "scoring", "published_position"),
    *("option_scores", "predictions", "p", "q", "answer", "thought", "state", "finish_reason", "tokens"),
)
# Kind whose answers are chosen or judged → the fields of a row that state the right answer.
_ANSWERS = {"mcq": ("options", "gold"), "classification": ("label",), JUDGED: ()}


def answer_fields(kind: str) -> tuple[str, ...]:
    """The fields of a published row or an exemplar for the right answer, besides those that a prompt shows."""
    return _ANSWERS[kind] if kind in _ANSWERS else (KINDS[kind][""].answer,)


def hidden_fields(kind: str) -> tuple[str, ...]:
    """The fields of a processed row that prompt files must not show: they give away the answer, or the variants add them."""
    return (*answer_fields(kind), *(("letters", "lettered_options") if kind == "mcq" else ("gold",)))


def recommended_variant(kind: str) -> str:
    """The variant of a kind that SailCompass has; a data set can state another as its main one."""
    return "to_ppl" if "to_ppl" in KINDS[kind] else ""  # by the SailCompass paper, section 5.2
