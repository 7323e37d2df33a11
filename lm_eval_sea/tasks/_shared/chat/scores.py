"""The scores of chat models' answers: `process_results` of the chat tasks.

Every answer is taken apart (`reading/thought.py`), and what follows the thought is read and scored. The row, which lm-eval logs,
gets `thought`, `state`, `answer` (what was scored; None if nothing could be read), `finish_reason` and `tokens`.

Every score comes with rates. `null_rate`: nothing could be read. It includes `cut_rate`: the thought did not end;
`refusal_rate`: the model declines; `failure_rate`: there is no answer, because the request failed.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from ..facts import PIVOTS
from ..generation_scores import OF_CORPUS, TextScores, TranslationScores
from ..metrics.classification_metrics import Choice
from ..metrics.qa_metrics import contains, contains_weighted
from ..metrics.words import normalise, stands_in
from ..prompted_answers import rates_of_loss, recorded
from ..reading.answer_tags import behind_last_tag
from ..reading.answer_text import STOPS, TRIM, composed, describes_answer, uncomposed
from ..reading.answering_sentence import phrase_of_passage
from ..reading.chosen_option import read_choice
from ..reading.copied_phrase import copied_phrase
from ..reading.final_number import read_final_number
from ..reading.final_span import named_by_sentence, read_span, without_gloss
from ..reading.final_text import read_final_text, read_summary
from ..reading.frames import QUOTED, SINGLE_QUOTED, first_turn
from ..reading.option_labels import Choices
from ..reading.other_questions import above_other_question
from ..reading.refusal import is_refusal
from ..reading.surroundings import without_greeting, without_restart, without_surroundings
from ..rows import load_rows_with_scoring
from .ends import ended_by_itself


if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import datasets

    from ..reading.thought import Generated


_SHORTEST_COPY = 20  # characters of a translation that is taken for a copy of the prompt
_SCORING = ("answer_tag", "language", "prompt_language", "label_words")


def load_chat_rows(**arguments: Any) -> dict[str, datasets.Dataset]:
    """The rows of a chat task whose answer is a choice or a number; arguments and errors are those of `rows.load_rows`."""
    return load_rows_with_scoring(scoring=_SCORING, **arguments)


def _record(doc: dict[str, Any], generated: str) -> Generated:
    """Takes a text apart, writes what is known about it into the row, and removes what surrounds the answer."""
    made = recorded(doc, generated)
    return made._replace(answer=without_surroundings(first_turn(made.answer.strip()), _words_of(doc["scoring"])))


def _ungreeted(made: Generated, scoring: dict[str, Any], options: Sequence[str] = ()) -> str:
    """The answer once, without a greeting before it."""
    return without_greeting(without_restart(made.answer), _words_of(scoring), options)


def _rates(made: Generated, *, is_read: bool, declines: bool) -> dict[str, float]:
    return {"null_rate": float(not is_read), "refusal_rate": float(declines)} | rates_of_loss(made)


def _rates_of_reading(made: Generated, found: object | None, language: str) -> dict[str, float]:
    """The rates of an answer in which `found` was read; None if nothing was."""
    return _rates(made, is_read=found is not None, declines=found is None and is_refusal(made.answer, language))


def _answer_tags(scoring: dict[str, Any]) -> tuple[str, str]:
    return scoring["answer_tag"], "Answer:"


def _language_of_row(scoring: dict[str, Any]) -> str:
    """The language of the question; the second one of a pair of languages."""
    language: str = scoring["language"].rpartition("-")[2]
    return language


def _words_of(scoring: dict[str, Any]) -> str:
    """The language of the words around an answer: that of the instruction, or of the row if the instruction is English."""
    return _language_of_row(scoring) if scoring["prompt_language"] == "en" else str(scoring["prompt_language"])


def _choose(
    doc: dict[str, Any], generated: str, names: Sequence[str], options: Sequence[str], language: str
) -> tuple[int | None, dict[str, float]]:
    """The position of the chosen option, or None, and exact_match with the rates. Writes the option into `doc`."""
    made = _record(doc, generated)
    choices = Choices(tuple(names), tuple(options), language, _answer_tags(doc["scoring"]))
    answer = _ungreeted(made, doc["scoring"], options)
    chosen = read_choice(answer, choices, finished=ended_by_itself(doc["finish_reason"]))
    doc["answer"], doc["predictions"] = None if chosen is None else names[chosen], {"exact_match": chosen}
    return chosen, {"exact_match": float(chosen == doc["gold"])} | _rates_of_reading(made, chosen, language)


def score_chat_letter(doc: dict[str, Any], results: Sequence[str]) -> dict[str, float]:
    """exact_match: the letter is right. Writes its position into `doc`."""
    return _choose(doc, results[0], doc["letters"], doc["options"], _language_of_row(doc["scoring"]))[1]


def score_chat_label(doc: dict[str, Any], results: Sequence[str]) -> dict[str, Any]:
    """exact_match: the label is right; f1: macro-F1, in which an answer that cannot be read has none of the labels."""
    words = doc["scoring"]["label_words"]
    chosen, found = _choose(doc, results[0], words, words, _words_of(doc["scoring"]))
    of_f1 = Choice(doc["gold"], len(words) if chosen is None else chosen, len(words))
    return found | {"f1": of_f1, "f1_stderr": of_f1}


def score_chat_number(doc: dict[str, Any], results: Sequence[str]) -> dict[str, float]:
    """exact_number: the number is right."""
    scoring = doc["scoring"]
    made, language = _record(doc, results[0]), _language_of_row(scoring)
    number = read_final_number(made.answer, language, _answer_tags(scoring), finished=ended_by_itself(doc["finish_reason"]))
    doc["answer"] = None if number is None else str(number)
    return {"exact_number": float(number == Decimal(doc["solution"]))} | _rates_of_reading(made, number, language)


class ChatTextScores(TextScores):
    """The metrics of a kind of chat task whose answer is a text."""

    def __init__(self, read: Callable[[str, str, Sequence[str], str], str], *metrics: str, reference: str = "answers") -> None:
        """Takes the function that reads the text of an answer; metrics and reference are those of `TextScores`."""
        super().__init__(*metrics, reference=reference)
        self.read = read

    SCORING = (*_SCORING, "answer_language")

    def process_results(self, doc: dict[str, Any], results: Sequence[str]) -> dict[str, Any]:
        """What each metric needs of one row."""
        scoring = doc["scoring"]
        made, words_of = _record(doc, results[0]), _words_of(scoring)
        made = made._replace(answer=self._written(doc, _ungreeted(made, scoring)))
        own, tags = scoring["answer_tag"], _answer_tags(scoring)
        is_tagged = behind_last_tag(made.answer, (own,), words_of) is not None
        # a refusal has no tag; after a tag, the same words are translated, quoted or summarised
        declines = not is_tagged and is_refusal(made.answer, words_of)
        said = "" if declines else self.read(made.answer, words_of, (own,) if is_tagged else tags, scoring["answer_language"])
        prompt = getattr(results[0], "prompt", "")
        text = "" if describes_answer(said, scoring["prompt_language"]) else self._answered(doc, said, made.answer, prompt)
        found = self.of_answer(doc, text) | _rates(made, is_read=bool(text), declines=declines)
        doc["answer"] = uncomposed(text, made.answer) or None
        if "contains" in self.metrics:  # a phrase is also looked for in the sentence from which it was taken
            whole, language = said if text else "", scoring["answer_language"]
            references = self._references(doc, language)
            found["contains"] = contains(whole, references, language)
            if "votes" in doc:
                found["contains_weighted"] = contains_weighted(whole, references, doc["votes"], language)
        return found

    def _written(self, doc: dict[str, Any], answer: str) -> str:
        """The answer without what would mislead `read`, which does not know the row."""
        return answer

    def _answered(self, doc: dict[str, Any], text: str, answer: str, prompt: str) -> str:
        """The answer in a text, compared with its row and the prompt; empty if it is not an answer."""
        return text

    def _references(self, doc: dict[str, Any], language: str) -> list[str]:
        """The references in the form that `read` returns: a Thai or Lao vowel typed in two parts is no error."""
        return list(map(composed, super()._references(doc, language)))


class ChatQuestionScores(ChatTextScores):
    """The metrics of short answers to questions."""

    def _written(self, doc: dict[str, Any], answer: str) -> str:
        """The answer without another question below it, and without quotation marks around words of the question: a title."""
        question = normalise(doc.get("question", ""))
        if question:
            answer = above_other_question(answer, doc["question"])
        for marks in (QUOTED, SINGLE_QUOTED):
            answer = marks.sub(lambda found: found[1] if stands_in(normalise(found[1]), question) else found[0], answer)
        return answer

    def _answered(self, doc: dict[str, Any], text: str, answer: str, prompt: str) -> str:
        """The answer without a gloss and the question's words around a phrase of the passage; empty if it is the question."""
        passage, question = composed(doc.get("passage", "")), composed(doc.get("question", ""))
        if question and normalise(text).endswith(normalise(self._written(doc, question))):
            return ""
        text = text if text in passage else without_gloss(text)
        language = doc["scoring"]["answer_language"]
        phrase = phrase_of_passage(text, question, passage, language) if passage else text
        if phrase == text:
            phrase = named_by_sentence(text, _words_of(doc["scoring"])) or text
        return copied_phrase(phrase, composed(answer), question, passage, language) if passage and phrase else phrase


class ChatTranslationScores(ChatTextScores, TranslationScores):
    """The metrics of translations."""

    def _answered(self, doc: dict[str, Any], text: str, answer: str, prompt: str) -> str:
        """Empty if the text is the source, or other words of the prompt, such as its instruction.

        The source is compared only if one language is English: other languages may be so close that they share sentences.
        """
        shown = _bare(text)
        if len(shown) >= _SHORTEST_COPY and shown in _bare(composed(prompt)):
            texts = (doc[column] for column in (*PIVOTS.values(), "translation") if column in doc)
            if not any(shown in _bare(composed(own)) for own in texts):
                return ""
        if "english" not in doc:
            return text
        source = "translation" if doc["scoring"]["answer_language"] == "en" else "english"
        (reference,) = self._references(doc, doc["scoring"]["answer_language"])
        return "" if shown == _bare(composed(doc[source])) != _bare(reference) else text


def _bare(text: str) -> str:
    """A text for comparing copies, without case, spaces, quotation marks and the stop at the end."""
    return " ".join(text.split()).strip(STOPS + TRIM).casefold()


chat_question_answering = ChatQuestionScores(read_span, "exact_match", "f1", "contains")
chat_summarization = ChatTextScores(read_summary, *OF_CORPUS, "rougeL", "off_target_rate", reference="summary")
chat_translation = ChatTranslationScores(read_final_text, *OF_CORPUS, "off_target_rate")

load_chat_qa_rows, score_chat_qa = chat_question_answering.load_rows, chat_question_answering.process_results
load_chat_summary_rows, score_chat_summary = chat_summarization.load_rows, chat_summarization.process_results
load_chat_translation_rows, score_chat_translation = chat_translation.load_rows, chat_translation.process_results
