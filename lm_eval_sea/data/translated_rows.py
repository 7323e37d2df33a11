"""From the samples of a run that translated the texts of a parallel test to rows of it: what the `…_translated_…` tasks read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from lm_eval_sea.results.run_files import TaskResult, find_runs, read_samples
from lm_eval_sea.results.written_folder import write_whole

SETTING = "to_en"
PASSAGE = "flores_passage"
COLUMNS = ("question", "mc_answer1", "mc_answer2", "mc_answer3", "mc_answer4")
_SAMPLE_COLUMNS = ("doc.link", "doc.question_number", "doc.number_of_gold", "doc.column", "doc.text", "doc.answer")


class TranslationError(ValueError):
    """The samples do not make rows; one line that says why and how to mend it."""


class TranslatedFile(NamedTuple):
    """A file of rows that was written."""

    path: Path
    rows: int
    untranslated: list[str]  # ids of the texts that the model left empty; the original stands in their place


def write_translations(paths: Iterable[Path | str], folder: Path) -> tuple[list[TranslatedFile], list[str]]:
    """Writes a file of rows for each language that was translated.

    Args:
        paths: output of lm-eval, as `run_files.find_runs` takes it.
        folder: where to write; the files lie in it as the tasks name them.

    Returns:
        The files, and notes on what the runs lack.

    Raises:
        RunFilesError: if there are no runs.
        TranslationError: if they have no samples of a translation, of two models, or not all texts of a row.
    """
    runs, notes = find_runs(paths)
    tasks = [(run.model, task) for run in runs for task in run.tasks.values() if task.metadata.get("setting") == SETTING]
    with_samples = [(model, task) for model, task in tasks if task.samples is not None]
    if not with_samples:
        raise TranslationError("no samples of a task sea_belebele_<language>_to_en; run one with --log_samples")
    models = sorted({model for model, _ in with_samples})
    if len(models) > 1:
        raise TranslationError(f"translations of {len(models)} models ({', '.join(models)}); give the output of one")
    return [_write_language(task, folder, notes) for _, task in with_samples], notes


def _write_language(task: TaskResult, folder: Path, notes: list[str]) -> TranslatedFile:
    texts: dict[tuple[str, int], dict[str, Any]] = {}
    passages: dict[str, str] = {}
    untranslated = []
    for sample in read_samples(task.samples, _SAMPLE_COLUMNS, notes):
        link, number, gold, column, text, answer = (sample[name] for name in _SAMPLE_COLUMNS)
        numbers = all(isinstance(value, int | str) and not isinstance(value, bool) for value in (number, gold))
        if not numbers or not all(isinstance(value, str) for value in (link, column, text, answer)):
            raise TranslationError(f"{task.samples}: a row lacks one of {', '.join(_SAMPLE_COLUMNS)}; is it of another version?")
        if not answer.strip():
            untranslated.append(f"{link}#{number}#{column}")
        translation = answer.strip() or text
        row = texts.setdefault((link, number), {"correct_answer_num": gold})
        if column == PASSAGE:
            passages[link] = translation
        else:
            row[column] = translation
    files = task.metadata.get("data_files")
    code = Path(str(files.get("test"))).stem if isinstance(files, dict) else ""
    if not re.fullmatch(r"[a-z]{3}_[A-Z][a-z]{3}", code):
        raise TranslationError(f"{task.samples}: its settings do not say of which file the rows are; run {task.name} again")
    path = folder / "data" / f"{code}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [_row(key, row, passages, code, task) for key, row in texts.items()]
    write_whole(path, "".join(json.dumps(row) + "\n" for row in rows))
    return TranslatedFile(path, len(rows), untranslated)


def _row(key: tuple[str, int], texts: dict[str, Any], passages: dict[str, str], code: str, task: TaskResult) -> dict[str, Any]:
    link, number = key
    missing = [column for column in COLUMNS if column not in texts] + [PASSAGE] * (link not in passages)
    if missing:
        raise TranslationError(
            f"{task.samples}: {', '.join(missing)} of link {link}, question_number {number} was not translated; run "
            f"{task.name} without --limit"
        )
    row = {"link": link, "question_number": number, PASSAGE: passages[link], **{column: texts[column] for column in COLUMNS}}
    return row | {"correct_answer_num": texts["correct_answer_num"], "dialect": f"{code} translated to eng_Latn"}
