"""SeaEval's sets. In Cross-MMLU and Cross-LogiQA, a published row has a question in all languages, a processed row in one."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any


Row = dict[str, Any]
Splits = Mapping[str, Sequence[Row]]

LETTERS = "ABCD"
_OPTION = re.compile(r"\(([A-D])\)(.*)", re.DOTALL)
_NUMBER = re.compile(r"\d+[.．](?=[\u4e00-\u9fff])")  # from the Chinese exam that has the passage


def _bytes(character: str) -> bytes:
    """The byte of a character in Windows-1252; for bytes that it does not define, that of the control character."""
    try:
        return character.encode("cp1252")
    except UnicodeEncodeError:
        return character.encode("latin-1")


def _text(published: str) -> str:
    """The text, without zero-width spaces and outer white space. UTF-8 read as Windows-1252, even repeatedly, is mended."""
    while True:
        try:
            before = b"".join(map(_bytes, published)).decode()
        except UnicodeError:
            break
        if before == published:
            break
        published = before
    return published.replace("\u200b", "").strip()


def _process_row(published: Row) -> Row:
    """{"question", "choices" ("(A) …"), "answer" (one of them), in Cross-LogiQA "context"} → a processed row without its id."""
    matches = [match for choice in published["choices"] if (match := _OPTION.fullmatch(choice))]
    letters = [match[1] for match in matches]
    if len(letters) < len(published["choices"]) or letters != list(LETTERS):
        raise ValueError(f"field 'choices' is {published['choices']!r}; expected '(A) …' to '(D) …'")
    if published["answer"] not in published["choices"]:
        raise ValueError(f"field 'answer' is {published['answer']!r}; expected one of the choices")
    context = {"passage": _NUMBER.sub("", _text(published["context"]), count=1)} if "context" in published else {}
    return context | {
        "question": _text(published["question"]),
        "options": [_text(match[2]) for match in matches],
        "letters": letters,
        "gold": published["choices"].index(published["answer"]),
    }


def _in_language(name: str) -> Callable[[Splits], Callable[[Row], Row]]:
    """The processor of the rows in one language. Rows with the same English passage are a cluster."""

    def process_rows(splits: Splits) -> Callable[[Row], Row]:
        first: dict[str, str] = {}
        for row in splits["test"]:
            first.setdefault(row["English"].get("context", row["id"]), row["id"])
        return lambda row: {
            "id": row["id"],
            "cluster": first[row["English"].get("context", row["id"])],
            **_process_row(row[name]),
        }

    return process_rows


process_id, process_ms, process_vi, process_tl, process_zh, process_en = map(
    _in_language, ("Indonesian", "Malay", "Vietnamese", "Filipino", "Chinese", "English")
)


def process_row(published: Row) -> Row:
    """A row of SeaEval's sets in one language, whose question is not under the name of a language."""
    return {"id": published["id"], **_process_row(published)}
