"""PT3: from the published text of all questions to processed rows."""

import re
from typing import Any


LETTERS = "ABCD"
_QUESTION = re.compile(
    r"no: (?P<number>\d+)\nobjektif: (?P<directions>.*)\nsoalan:(?P<question>[\s\S]*)"
    r"\nA\. (?P<A>.*)\nB\. (?P<B>.*)\nC\. (?P<C>.*)\nD\. (?P<D>.*)\n+jawapan: (?P<right>[A-D])\b.*\nasal soalan: .*"
)


def process_block(block: str) -> dict[str, Any]:
    """Lines "no: 1", "objektif: …", "soalan: …" and more, "A. …" to "D. …", "jawapan: A, …", "asal soalan: …" → a processed row.

    Questions on one passage begin with the passage, so their first line is the cluster.
    """
    found = _QUESTION.fullmatch(block)
    if not found:
        name = block.split("\n", maxsplit=1)[0]
        raise ValueError(f"question {name!r}: expected no, objektif, soalan, A to D, jawapan and asal soalan, each on its line")
    question = found["question"].strip()
    return {
        "id": found["number"],
        "cluster": question.split("\n")[0],
        "question": f"{found['directions'].strip()}\n{question}",
        "options": [found[letter].strip() for letter in LETTERS],
        "letters": list(LETTERS),
        "gold": LETTERS.index(found["right"]),
    }


def process_row(file: dict[str, Any]) -> list[dict[str, Any]]:
    """The file, one row with its whole text → a processed row for each question."""
    return [process_block(block.strip()) for block in re.split(r"\n\n(?=no: )", file["text"])]
