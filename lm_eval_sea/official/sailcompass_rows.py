"""The rows of SailCompass as its loaders treat them: unstripped, with the columns that the prompts name.

After sail-sg/sailcompass 6093e6c, `datasets/*.py`. Sentences that those files add to the rows (Belebele's fifth option, XCOPA's
questions) come from the user's checkout, as `texts`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lm_eval_sea.tasks._shared.hub_files import DataError, download_all

Row = dict[str, Any]
Texts = Mapping[str, str]

SOURCE = "sail/Sailcompass_data"
LOCAL_FOLDER = "local folder"

_CYRILLIC_VE = "\u0412"
_OTHER_DIGIT = dict(zip("12345๑๒๓๔๕", "๑๒๓๔๕12345", strict=True))
_MOST_OPTIONS = 5


def find_file(data_file: str) -> tuple[Path, str]:
    """Where a file of rows lies: below the folder `SOURCE` of the current directory if there is one, else in the hub's cache.

    Returns:
        The path, and the commit of the hub repository or "local folder".

    Raises:
        DataError: if the file cannot be had.
    """
    local = Path(SOURCE)
    if local.is_dir():
        return local / data_file, LOCAL_FOLDER
    folder = download_all(SOURCE, [data_file])
    return folder / data_file, folder.name


def read_rows(data_file: str) -> list[Row]:
    """The published rows of a file.

    Raises:
        DataError: if the file cannot be had or read.
    """
    path, _ = find_file(data_file)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise DataError(
            f"the folder {SOURCE} has no {data_file}: complete it, or start where there is no such folder to use the hub"
        ) from error
    try:
        rows = json.loads(text) if text.startswith("[") else [json.loads(line) for line in text.split("\n") if line.strip()]
    except json.JSONDecodeError as error:
        raise DataError(f"{SOURCE}/{data_file}: no JSON: {error}") from error
    if not rows or not all(isinstance(row, dict) for row in rows):
        raise DataError(f"{SOURCE}/{data_file}: no rows; expected one or more with named columns")
    return rows


def loaded_rows(loader: str, published: Sequence[Row], texts: Texts, file: str) -> list[Row]:
    """The rows as a loader of SailCompass makes them.

    Args:
        loader: name of its class, a key of `LOADERS`.
        published: rows of the file.
        texts: what the loader adds, by name; see `sailcompass_checkout`.
        file: what the file is called in messages.

    Raises:
        DataError: naming the row, where the official loader fails.
    """
    rows = []
    for number, row in enumerate(published):
        try:
            rows.append(LOADERS[loader](row, texts))
        except KeyError as error:
            raise DataError(f"{file}, row {number}: no column or value {error}") from error
        except (TypeError, AttributeError, IndexError, ValueError) as error:
            raise DataError(f"{file}, row {number}: {error}") from error
    return rows


def digest(rows: Sequence[Row]) -> str:
    """SHA-256 over rows; equal digests mean equal rows."""
    return hashlib.sha256(json.dumps(rows, ensure_ascii=False, sort_keys=True).encode()).hexdigest()


def _as_published(row: Row, texts: Texts) -> Row:
    return dict(row)


def _xquad(row: Row, texts: Texts) -> Row:
    return {column: row[column] for column in ("context", "question", "answer")}


def _belebele(row: Row, texts: Texts) -> Row:
    letter = chr(ord("A") - 1 + int(row["correct_answer_num"]))
    row = row | {"answer": letter, "mc_answer5": texts["fifth_option"]}
    options = [f"{letter}. {row[f'mc_answer{number}']}" for number, letter in enumerate("ABCDE", start=1)]
    return row | {"options": "\n".join(options)}


def _xcopa(row: Row, texts: Texts) -> Row:
    return row | {"full_question": texts[row["question"]], "answer": "1" if row["label"] == 1 else "0"}


def _bare_option(option: str) -> str:
    """An option without its letter and the character behind it."""
    return option[2:].lstrip()


def _bare_options(options: Sequence[str]) -> Row:
    bare = [_bare_option(option) for option in options] + ["None"] * (_MOST_OPTIONS - len(options))
    return {f"options_{position}": option for position, option in enumerate(bare)}


def _m3exam_thai(row: Row, texts: Texts) -> Row:
    answer = row["answer_text"]
    full = {"full_options": "\n".join(row["options"]), "answer": answer if "0" <= answer <= "9" else _OTHER_DIGIT[answer]}
    return row | full | _bare_options(row["options"])


def _m3exam_vietnamese(row: Row, texts: Texts) -> Row:
    def with_latin_letter(text: str) -> str:
        return "B" + text[1:] if text[0] == _CYRILLIC_VE else text

    options = [with_latin_letter(option) for option in row["options"]]
    bare = _bare_options(options)
    for column, option in bare.items():
        if not option:
            raise ValueError(f"field 'options' has an option without a text at position {column[-1]}")
        bare[column] = option.removeprefix(".")  # of "A . text"; the blank behind it stays
    if len(row["answer_text"]) != 1:
        raise ValueError(f"field 'answer_text' is {row['answer_text']!r}; expected one letter")
    answer = with_latin_letter(row["answer_text"])
    return row | {"answer_text": answer, "options": options} | bare | {"full_options": "\n".join(options)}


def _m3exam_javanese(row: Row, texts: Texts) -> Row:
    options = [option[0].upper() + option[1:] for option in row["options"]]
    changed = {
        "question_text": row["question_text"].rstrip(". …"),
        "answer_text": row["answer_text"].upper(),
        "options": options,
    }
    bare = {f"options_{position}": _bare_option(option) for position, option in enumerate(options)}
    return row | changed | bare | {"full_options": "\n".join(options)}


LOADERS: Mapping[str, Callable[[Row, Texts], Row]] = {
    "BelebeleDataset": _belebele,
    "Flores200Dataset": _as_published,
    "IndolemDataset": _as_published,
    "IndonliDataset": _as_published,
    "IndosumDataset": _as_published,
    "M3EXAMJvDataset": _m3exam_javanese,
    "M3EXAMTHDataset": _m3exam_thai,
    "M3EXAMVIDataset": _m3exam_vietnamese,
    "ThaisumDataset": _as_published,
    "TydiqaIdDataset": _as_published,
    "VsmecDataset": _as_published,
    "WiseSentiDataset": _as_published,
    "XCOPASDataset": _xcopa,
    "XQUADDataset": _xquad,
    "XlsumViDataset": _as_published,
    "XnliDataset": _as_published,
}
