"""The sentences of `answer_sentences.yaml`, read as answers; run as a program it prints the rates by language.

python -m tests.tasks.answer_sentences
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import yaml

from lm_eval_sea.tasks._shared.reading.answer_patterns import script_letters
from lm_eval_sea.tasks._shared.reading.answer_phrases import PHRASES
from lm_eval_sea.tasks._shared.reading.letter_answer import extract_letter

LETTERS = ["A", "B", "C", "D"]
OPTIONS = ["1895", "1902", "1911", "1926"]
# The prompts of Kachin and Shan are English.
SENTENCES: dict[str, dict] = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
SENTENCES |= {language: SENTENCES["en"] for language in ("kac", "shn")}


def say(sentence: str, labels: Sequence[str] = LETTERS, named: int = 1) -> str:
    """A sentence of the file with these labels, of which it names the one at a position, where B stands."""
    order = [*labels[:1], labels[named], *(label for label in labels[1:] if label != labels[named]), *LETTERS][:4]
    return sentence.format(**dict(zip(LETTERS, order, strict=True)), b=OPTIONS[named])


def alphabets(language: str) -> list[Sequence[str]]:
    """The letters that answers may use: Latin ones, and those of the language's script if it has some."""
    return [LETTERS, *filter(None, [script_letters(language)[:4]])]


def read(text: str, language: str) -> int | None:
    """The position that a text names."""
    return extract_letter(text, LETTERS, OPTIONS, language=language)


def rates(language: str) -> dict[str, float]:
    """Shares of sentences read as B, with Latin letters and with the script's own, and of those read though they must not be."""
    latin, own = (alphabets(language) * 2)[:2]
    said, refused = (list(SENTENCES[language][kind].values()) for kind in ("read", "refused"))
    return {
        "read": sum(read(say(text, latin), language) == 1 for text in said) / len(said),
        "read, own letters": sum(read(say(text, own), language) == 1 for text in said) / len(said),
        "wrongly read": sum(read(say(text, latin), language) is not None for text in refused) / len(refused),
        "wrongly read, own letters": sum(read(say(text, own), language) is not None for text in refused) / len(refused),
    }


if __name__ == "__main__":
    columns = list(rates("en"))
    sys.stdout.write("\t".join(["language", *columns]) + "\n")
    for code in PHRASES:
        sys.stdout.write("\t".join([code, *(f"{100 * rates(code)[column]:.1f} %" for column in columns)]) + "\n")
