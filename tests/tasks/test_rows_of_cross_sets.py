"""Cross-MMLU and Cross-LogiQA: one item in all languages, the known faults by hand and on the real files."""

import json
from pathlib import Path

import pytest

from .test_rows import _utils

utils = _utils("crossmmlu")
LANGUAGES = {"id": "Indonesian", "ms": "Malay", "vi": "Vietnamese", "tl": "Filipino", "zh": "Chinese", "en": "English"}


def _published(mirror: Path, name: str) -> list[dict]:
    path = mirror / "SeaEval" / name / "data/test.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def _processed(published: list[dict], language: str) -> list[dict]:
    process = getattr(utils, f"process_{language}")({"test": published})
    return [process(row) for row in published]


def _item(question: str, **more) -> dict:
    choices = ["(A) satu", "(B) dua", "(C) tiga", "(D) empat"]
    return {"id": "1", "English": {}, "Indonesian": {"question": question, "choices": choices, "answer": choices[1], **more}}


def _misread(text: str) -> str:
    """UTF-8 read as Windows-1252; a byte that it lacks becomes a control character, as in the published file."""
    return "".join(bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in text.encode())


@pytest.mark.parametrize("times", [0, 1, 3])
def test_text_read_in_the_wrong_encoding_is_put_right(times):
    question = damaged = "4 × −7 = 3°\u200b “π”"
    for _ in range(times):
        damaged = _misread(damaged)
    (row,) = _processed([_item(f" {damaged}")], "id")
    assert row["question"] == question.replace("\u200b", "")
    assert (row["options"], row["gold"]) == (["satu", "dua", "tiga", "empat"], 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [({"answer": "dua"}, "field 'answer' is 'dua'"), ({"choices": ["(A) satu", "(C) dua"]}, "field 'choices' is")],
)
def test_rows_without_their_answer_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        _processed([_item("?", **change)], "id")


@pytest.mark.parametrize(
    ("name", "rows", "clusters", "changed"),
    [("cross_mmlu", 150, 150, {"tl": 8, "vi": 3}), ("cross_logiqa", 176, 174, {"vi": 13, "zh": 6})],
)
def test_real_rows(hub_mirror, name, rows, clusters, changed):
    published = _published(hub_mirror, name)
    english = _processed(published, "en")
    assert len(english) == rows
    assert len({row["cluster"] for row in english}) == clusters
    for language, key in LANGUAGES.items():
        made = _processed(published, language)
        assert [(row["id"], row["cluster"], row["gold"]) for row in made] == [
            (row["id"], row["cluster"], row["gold"]) for row in english
        ]
        assert all(len(set(row["options"])) == 4 for row in made)
        assert not any("Ã" in text or "\u200b" in text for row in made for text in _texts(row))
        other = sum(_texts(row) != _texts_as_published(old[key]) for old, row in zip(published, made, strict=True))
        assert other == changed.get(language, 0), f"{language}: counted in the README"


def _texts(row: dict) -> list[str]:
    return [row.get("passage", ""), row["question"], *row["options"]]


def _texts_as_published(row: dict) -> list[str]:
    return [text.strip() for text in (row.get("context", ""), row["question"], *(choice[3:] for choice in row["choices"]))]
