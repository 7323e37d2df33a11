"""The scores of generated one-line answers: `process_results` of the tasks that generate text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .facts import PIVOTS, facts
from .metrics import sailcompass_scores
from .metrics.generation_metrics import metrics_for, signatures
from .metrics.qa_metrics import contains_weighted
from .reading.answer_text import answer_text
from .reading.letter_answer import extract_letter
from .rows import load_rows_with_scoring


if TYPE_CHECKING:
    from collections.abc import Sequence

    import datasets


class TextScores:
    """The metrics of a kind of task whose answer is a text, and the functions that its templates name.

    A metric for one language, such as `bleu_th`, is left out for the others.
    """

    SCORING: tuple[str, ...] = ("answer_cue", "answer_language", "sailcompass_evaluator")

    def __init__(self, *metrics: str, reference: str = "answers") -> None:
        """Takes names of metrics, and the column of the reference or references."""
        self.metrics, self.reference = metrics, reference

    def load_rows(self, **arguments: Any) -> dict[str, datasets.Dataset]:
        """The rows, and notes on how each score is made. Arguments and errors are those of `rows.load_rows`."""
        rows = load_rows_with_scoring(scoring=self.SCORING, **arguments)
        arguments["provenance"]["signatures"] = signatures(self.metrics, facts(arguments)["answer_language"])
        return rows

    def process_results(self, doc: dict[str, Any], results: Sequence[str]) -> dict[str, Any]:
        """What each metric needs of one row. Writes the scored answer into `doc`."""
        doc["answer"] = answer_text(results[0], [doc["scoring"]["answer_cue"]])
        return self.of_answer(doc, doc["answer"], results[0])

    def of_answer(self, doc: dict[str, Any], answer: str, generated: str = "") -> dict[str, Any]:
        """What each metric needs of a row, from the scored text or from everything that was generated."""
        language: str = doc["scoring"]["answer_language"]
        references = self._references(doc, language)
        return {
            name: metric.of_row(generated if metric.as_generated else answer, references, language)
            for name, metric in metrics_for(self.metrics, language).items()
        }

    def _references(self, doc: dict[str, Any], language: str) -> list[str]:
        reference = doc[self.reference]
        return reference if isinstance(reference, list) else [reference]


class TranslationScores(TextScores):
    """The scores of translations. The language of the answer says which column has the reference."""

    def _references(self, doc: dict[str, Any], language: str) -> list[str]:
        column = PIVOTS.get(language)
        return [doc[column if column in doc else "translation"]]


class QuestionAnsweringScores(TextScores):
    """The scores of answers to questions, with SailCompass' own scores if the metadata name its evaluator.

    If the rows have `votes` (how many people gave each answer), also `contains_weighted`.
    """

    def load_rows(self, **arguments: Any) -> dict[str, datasets.Dataset]:
        """The rows; see `TextScores.load_rows`."""
        rows = super().load_rows(**arguments)
        if evaluator := facts(arguments).get("sailcompass_evaluator"):
            arguments["provenance"]["signatures"] |= sailcompass_scores.signatures(evaluator)
        if "votes" in rows["test"].column_names:
            signed = arguments["provenance"]["signatures"]
            signed["contains_weighted"] = f"{signed['contains']}|votes:best/most"
        return rows

    def process_results(self, doc: dict[str, Any], results: Sequence[str]) -> dict[str, Any]:
        """The scores of one row; see `TextScores.process_results`."""
        scoring, references = doc["scoring"], doc[self.reference]
        found = super().process_results(doc, results) | _official_scores(scoring, results[0], references)
        if "votes" in doc:
            found["contains_weighted"] = contains_weighted(doc["answer"], references, doc["votes"], scoring["answer_language"])
        return found


def _official_scores(scoring: dict[str, Any], generated: str, right: Any) -> dict[str, float]:
    """SailCompass' scores of everything that was generated; none if it does not score the data set."""
    evaluator = scoring.get("sailcompass_evaluator")
    return sailcompass_scores.answer_scores(evaluator, generated, right) if evaluator else {}


# Scores of all texts together, and the metrics that give their standard errors.
OF_CORPUS = ("chrf++", "chrf++_stderr", "bleu", "bleu_stderr", "bleu_th", "bleu_th_stderr")
_OFFICIAL = ("bleu_sailcompass", "chrf_sailcompass")
question_answering = QuestionAnsweringScores("exact_match", "f1", "contains", "null_rate")
summarization = TextScores(*OF_CORPUS, "rougeL", *_OFFICIAL, "null_rate", reference="summary")
translation = TranslationScores(*OF_CORPUS, *_OFFICIAL, "null_rate", "off_target_rate")
number = TextScores("exact_number", "no_number_rate", reference="solution")
# Texts of any length. Single words do not show their language, so there is no off_target_rate.
text_translation = TranslationScores(*OF_CORPUS, "null_rate")


def load_letter_rows(**arguments: Any) -> dict[str, datasets.Dataset]:
    """The rows of a task whose answer is a letter; arguments and errors are those of `rows.load_rows`."""
    return load_rows_with_scoring(scoring=("answer_cue", "language", "sailcompass_evaluator"), **arguments)


def score_letter(doc: dict[str, Any], results: Sequence[str]) -> dict[str, float]:
    """exact_match: the letter is right; null_rate: there is no letter. Writes the letter's position into `doc`.

    The letter is read strictly (`letter_answer.py`), in the language of the question; of a pair of languages, the second. If
    SailCompass scores the data set, exact_match_sailcompass reads the letter as it does (`sailcompass_scores.py`).
    """
    scoring = doc["scoring"]
    language = scoring["language"].rpartition("-")[2]
    letter = extract_letter(results[0], doc["letters"], doc["options"], language=language, cue=scoring["answer_cue"])
    doc["predictions"] = {"exact_match": letter}
    found = {"exact_match": float(letter == doc["gold"]), "null_rate": float(letter is None)}
    return found | _official_scores(scoring, results[0], doc["letters"][doc["gold"]])


load_qa_rows, score_qa = question_answering.load_rows, question_answering.process_results
load_number_rows, score_number = number.load_rows, number.process_results
load_summary_rows, score_summary = summarization.load_rows, summarization.process_results
load_translation_rows, score_translation = translation.load_rows, translation.process_results
load_text_translation_rows, score_text_translation = text_translation.load_rows, text_translation.process_results
