"""Makes the rows that the `…_translated_…` tasks read from the samples of a run that translated a parallel test."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

from lm_eval_sea.catalogue.whole_files import write_whole
from lm_eval_sea.results.choice import Runs
from lm_eval_sea.results.rows import document
from lm_eval_sea.results.runs import TaskRun
from lm_eval_sea.results.types import ResultsError, is_whole

SETTING = "to_en"
PASSAGE = "flores_passage"
COLUMNS = ("question", "mc_answer1", "mc_answer2", "mc_answer3", "mc_answer4")
_ENTRIES = ("link", "question_number", "number_of_gold", "column", "text", "answer")


class TranslatedFile(NamedTuple):
    """A file of rows that was written."""

    path: Path
    rows: int
    untranslated: list[str]  # ids of the texts that the model left empty; the original replaces them


def write_translations(runs: Runs, folder: Path) -> tuple[list[TranslatedFile], list[str]]:
    """Writes a file of rows for each translated language, with the name that the tasks read; returns notes, too.

    Raises `ResultsError` if the runs have no samples of a translation, those of several models, or not all texts of a row.
    """
    notes = list(runs.notes)
    tasks = [task for task in runs.tasks if task.facts.setting == SETTING and task.samples is not None]
    if not tasks:
        raise ResultsError("no samples of a task sea_belebele_<language>_to_en; run one with --log_samples")
    notes += [f"{task.name}: of several seeds, only translations of seed {task.run.seed} count" for task in tasks if task.draws]
    models = sorted({task.run.model for task in tasks})
    if len(models) > 1:
        raise ResultsError(f"translations of {len(models)} models ({', '.join(models)}); give the output of one")
    files = [_write_language(task, folder) for task in tasks]
    return files, [*notes, *(note for task in tasks for note in task.notes)]


def _write_language(task: TaskRun, folder: Path) -> TranslatedFile:
    texts: dict[tuple[str, int], dict[str, Any]] = {}
    passages: dict[str, str] = {}
    untranslated = []
    for logged in task.texts():
        entries: list[Any] = [document(logged).get(name) for name in _ENTRIES]
        link, number, gold, column, text, answer = entries
        numbers = all(is_whole(value) or isinstance(value, str) for value in (number, gold))
        if not numbers or not all(isinstance(value, str) for value in (link, column, text, answer)):
            raise ResultsError(f"{task.samples}: a row lacks one of {', '.join(_ENTRIES)}; is it of another version?")
        if not answer.strip():
            untranslated.append(f"{link}#{number}#{column}")
        translation = answer.strip() or text
        row = texts.setdefault((link, number), {"correct_answer_num": gold})
        if column == PASSAGE:
            passages[link] = translation
        else:
            row[column] = translation
    code = Path(task.facts.data_file).stem
    if not re.fullmatch(r"[a-z]{3}_[A-Z][a-z]{3}", code):
        raise ResultsError(f"{task.samples}: its settings do not say of which file the rows are; run {task.name} again")
    path = folder / "data" / f"{code}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [_row(key, row, passages, code, task) for key, row in texts.items()]
    write_whole(path, "".join(json.dumps(row) + "\n" for row in rows))
    return TranslatedFile(path, len(rows), untranslated)


def _row(key: tuple[str, int], texts: dict[str, Any], passages: dict[str, str], code: str, task: TaskRun) -> dict[str, Any]:
    link, number = key
    missing = [column for column in COLUMNS if column not in texts] + [PASSAGE] * (link not in passages)
    if missing:
        raise ResultsError(
            f"{task.samples}: {', '.join(missing)} of link {link}, question_number {number} was not translated; run "
            f"{task.name} without --limit"
        )
    row = {"link": link, "question_number": number, PASSAGE: passages[link], **{column: texts[column] for column in COLUMNS}}
    return row | {"correct_answer_num": texts["correct_answer_num"], "dialect": f"{code} translated to eng_Latn"}
