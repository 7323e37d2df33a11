"""The premium of a language: the tokens that a model needs for a text in it, per token of the same text in English.

    Σ_i n_i(language) / Σ_i n_i(English)

over parallel texts i, with n_i the tokens of text i without special ones. The term is that of Petrov et al. 2023
(arXiv:2305.15425), who also compare sentences of FLORES-200. The interval is that of `ratio_of_sums`: other texts could be drawn.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, NamedTuple

from lm_eval_sea.catalogue.data_sets import data_sets
from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.results.facts import facts_of
from lm_eval_sea.results.uncertainty import Estimate, ratio_of_sums
from lm_eval_sea.results.visible_text import some_names
from lm_eval_sea.run.request import GENERATION, RunError, Tasks
from lm_eval_sea.tasks._shared.hub_files import DataError

PASSAGES, SENTENCES = "belebele", "flores"
ENGLISH = "en"

logger = logging.getLogger("lm_eval_sea")


class Premium(NamedTuple):
    """The premium of a language on the texts of a data set."""

    tokens: int  # of all texts in the language
    tokens_english: int
    ratio: Estimate


def premium_of(language: str, data_set: str, count_tokens: Callable[[str], int]) -> Premium | None:
    """The premium of a language; None if the data set lacks it. `count_tokens` must not count special tokens.

    The data set is `PASSAGES`, Belebele's, each counted once, or `SENTENCES`, those of FLORES-200's devtest split. Raises
    `DataError` if it is not available.
    """
    known = data_sets()[data_set]
    if language not in known.languages:
        return None

    def rows(of: str) -> list[dict[str, Any]]:
        return read_tasks().tasks[known.names(of)[0]].load_rows().rows

    if data_set == PASSAGES:
        passages, english_ones = ({row["cluster"]: row["passage"] for row in rows(of)} for of in (language, ENGLISH))
        pairs = [(text, english_ones[name]) for name, text in passages.items() if name in english_ones]
    else:
        pairs = [(row["translation"], row["english"]) for row in rows(language)]
    if not pairs:
        raise DataError(f"{known.title}: no text in {language} has an English version")
    counted = [(count_tokens(own), count_tokens(english)) for own, english in pairs]
    own, english = map(sum, zip(*counted, strict=True))
    return Premium(own, english, ratio_of_sums(counted))


def note_premiums(tasks: Tasks, tokenizer: Any | None, *, flag: str = "") -> dict[str, float]:
    """Measures the premiums of the generating tasks' languages, and adds them to the results; returns task → premium.

    If the user's `flag` needs them, a premium that cannot be measured is a `RunError`; without `flag` it is left out.
    """
    generating = {name: task.config for name, task in tasks.items() if task.OUTPUT_TYPE == GENERATION}
    languages = {name: facts_of(config.metadata or {}).language_of_prompt for name, config in generating.items()}
    measured: dict[str, Estimate] = {}
    for language in dict.fromkeys(languages.values()):
        try:
            measured[language] = _measured(language, tokenizer)
        except DataError as why:
            of = some_names([name for name, own in languages.items() if own == language])
            if flag:
                raise RunError(f"{flag}: {of}: {why}; give a number of tokens without x") from why
            logger.info("%s: tokens are not compared with English: %s", of, why)
    of_tasks = {name: measured[language] for name, language in languages.items() if language in measured}
    for name, found in of_tasks.items():
        said = {"mean": found.mean, "low": found.low, "high": found.high, "texts": found.rows}
        provenance = tasks[name].config.metadata.setdefault("provenance", {})
        provenance["token_premium"] = {key: value for key, value in said.items() if value is not None}
    return {name: found.mean for name, found in of_tasks.items()}


def _measured(language: str, tokenizer: Any | None) -> Estimate:
    if language == ENGLISH:
        return Estimate(1.0, None, None, None, None, 0, 0)
    if not language:
        raise DataError("the task does not say its language")
    if tokenizer is None:
        raise DataError("the model's tokenizer is not here")
    found = premium_of(language, PASSAGES, lambda text: len(tokenizer.encode(text, add_special_tokens=False)))
    if found is None:
        raise DataError(f"no passages in {language!r} with an English version are known")
    return found.ratio
