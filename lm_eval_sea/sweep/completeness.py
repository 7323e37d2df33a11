"""When a job is complete: a file that is written last, names all others, and says what was asked.

lm-eval writes its files one after the other under their final names, so a killed run leaves some, complete or not. None of them
counts until `job.json` exists, and they are removed before a job starts again.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import re
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lm_eval_sea import __version__
from lm_eval_sea.catalogue.whole_files import read_json, write_whole
from lm_eval_sea.results.read import LOCK, MARK, REPLACED, may_be_results, read
from lm_eval_sea.results.runs import TaskRun
from lm_eval_sea.results.secrets import masked
from lm_eval_sea.results.types import ResultsError, mapping_of
from lm_eval_sea.results.visible_text import counted
from lm_eval_sea.run import answer_cache
from lm_eval_sea.run.request import FailedRunError

LOG = "log.txt"
_UNANSWERED = "unanswered"  # how many requests of which job the last attempt left without an answer, if any


class IncompleteError(FailedRunError):
    """A run ended without an error, but its results are not what was asked for; one line."""


def read_mark(folder: Path, digest: str) -> dict[str, Any] | None:
    """The mark of a job; None if there is none, something else was asked, or a file is missing or was changed.

    Scores are compared by a digest of their file, and samples, which are large, by their size.
    """
    mark = mark_in(folder)
    if mark.get("digest") != digest:
        return None
    try:
        files, digests = dict(mark["files"]), dict(mark["digests"])
        whole = bool(files) and all((folder / name).stat().st_size == size for name, size in files.items())
        whole = whole and all(_digest(folder / name) == sha256 for name, sha256 in digests.items())
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return mark if whole else None


def mark_in(folder: Path) -> dict[str, Any]:
    """What the mark of a job says, whatever became of its files; empty if there is none."""
    return mapping_of(read_json(folder / MARK))


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def differing(folder: Path, asked: Mapping[str, Any]) -> list[str]:
    """In what the request behind a folder's results differs from this one: flags, rows and versions of tasks, or the model."""
    as_written = json.loads(json.dumps(masked(asked), default=str))
    was, now = (_by_name(mapping_of(each)) for each in (mark_in(folder).get("asked"), as_written))
    return sorted(name for name in was.keys() | now.keys() if was.get(name) != now.get(name))


def _by_name(asked: Mapping[str, Any]) -> dict[str, Any]:
    apart = {"model or packages": asked.get("model"), "tasks": asked.get("tasks"), "order of tasks": asked.get("names")}
    return {**apart, **mapping_of(asked.get("settings"))}


def results_of(folder: Path, digest: str) -> list[Path]:
    """The results files of a complete job; other files in its folder do not belong to it."""
    mark = read_mark(folder, digest) or {"files": {}}
    return [folder / name for name in mark["files"] if may_be_results(folder / name)]


def set_aside(folder: Path, output: Path) -> None:
    """Copies results that were complete to the folder `replaced` of the sweep's output.

    They are of something else, such as another version of a task, or were changed since.
    """
    mark = mark_in(folder)
    if not mark.get("digest"):
        return
    # another person's folder may have any text there
    name = re.sub(r"\W", "_", str(mark["digest"])[:16])
    names = itertools.chain([name], (f"{name}_{number}" for number in itertools.count(2)))  # it may have been complete before
    places = (output / REPLACED / each / folder.relative_to(output) for each in names)
    place = next(place for place in places if not place.exists())
    place.parent.mkdir(parents=True, exist_ok=True)
    beside = place.with_name(f"{place.name}.unfinished")
    shutil.rmtree(beside, ignore_errors=True)
    shutil.copytree(folder, beside, symlinks=True, ignore=shutil.ignore_patterns(answer_cache.FOLDER, LOCK))
    beside.rename(place)


def restore(folder: Path, output: Path, digest: str) -> bool:
    """Takes results of this request back from `replaced`, as when a plan loses its limit again; tells if there are some."""
    place = output / REPLACED / digest[:16] / folder.relative_to(output)
    if read_mark(place, digest) is None:
        return False
    shutil.copytree(place, folder, symlinks=True, ignore=shutil.ignore_patterns(LOG, MARK), dirs_exist_ok=True)
    shutil.copy(place / MARK, folder)  # last, as in `write_mark`
    shutil.rmtree(place)
    return True


def remove_incomplete(folder: Path) -> None:
    """Removes what earlier attempts left, except the log and what the next one continues with: answers, and how many failed."""
    (folder / MARK).unlink(missing_ok=True)  # before what it names
    for path in folder.iterdir():
        if path.name in (LOG, LOCK, _UNANSWERED, answer_cache.FOLDER):
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def check_answered(folder: Path, digest: str, unanswered: int) -> None:
    """Raises `FailedRunError` for requests without an answer, which the next attempt repeats.

    If as many stay without one then, as behind a content filter, the job is complete with them.
    """
    path, state = folder / _UNANSWERED, f"{digest} {unanswered}"
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    if unanswered and before != state:
        write_whole(path, state)
        raise FailedRunError(f"{counted(unanswered, 'request')} without an answer; the same sweep asks again")


def write_mark(folder: Path, digest: str, asked: Mapping[str, Any]) -> None:
    """Marks a job as complete; raises `IncompleteError` if the results are not what was asked."""
    _compare(_tasks_in(folder), asked["tasks"])
    kept = {LOG, LOCK, MARK}
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name not in kept]
    for path in files:
        _to_disk(path)
    sizes = {path.relative_to(folder).as_posix(): path.stat().st_size for path in files}
    digests = {name: _digest(folder / name) for name in sizes if may_be_results(folder / name)}
    content = {"digest": digest, "files": sizes, "digests": digests, "finished": time.time(), "asked": masked(asked)}
    write_whole(folder / MARK, json.dumps(content, indent=1, default=str) + "\n")
    _to_disk(folder / MARK)


def installed() -> dict[str, str | None]:
    """The versions of this pack and of the packages that decide answers, as they are on this machine."""
    return {"lm_eval_sea": __version__, **answer_cache.versions()}


def check_versions(wanted: Mapping[str, str | None]) -> None:
    """Refuses packages other than those `installed` on the machine that the sweep was started on."""
    here = installed()
    for name, version in wanted.items():
        if here.get(name) != version:
            raise IncompleteError(
                f"{name} on this machine is {here.get(name) or 'not installed'}, but {version or 'not installed'} where the "
                "sweep began; install the same packages on all machines"
            )


def check_model(model_args: Mapping[str, Any], wanted: str) -> None:
    """Refuses a model whose files have changed since the sweep was started; `wanted` is `answer_cache.files_of_model` of then."""
    if answer_cache.files_of_model(model_args) != wanted:
        raise IncompleteError(
            f"the files of the model {model_args.get('pretrained')} have changed since the sweep was started (names, sizes or "
            "times differ); start the sweep again, with the same files on all machines"
        )


def _tasks_in(folder: Path) -> dict[str, TaskRun]:
    try:
        found = read(folder)
    except ResultsError as error:
        raise IncompleteError(f"the run left no results in {folder}") from error
    if len(found.runs) != 1 or not found.runs[0].has_results:
        raise IncompleteError(f"the run left {len(found.runs)} results in {folder}; expected 1")
    return {task.name: task for task in found.tasks}


def _compare(found: Mapping[str, TaskRun], tasks: Mapping[str, Mapping[str, Any]]) -> None:
    """Checks that the results have all tasks, with their samples, versions, rows and scores."""
    for name, asked in tasks.items():
        task = found.get(name)
        if task is None or not task.scores:
            raise IncompleteError(f"the results have no score of {name}")
        if task.samples is None:
            raise IncompleteError(f"the results have no samples of {name}")
        there = len({row.get("doc_id") for row in task.texts()})
        if there < (task.rows or 1):
            raise IncompleteError(f"the samples of {name} have {there} of {task.rows} rows; is the disk full?")
        made_on = {"version": task.version, "rows": task.facts.data_sha256 or None}
        for key, value in made_on.items():
            if value != asked[key]:
                raise IncompleteError(
                    f"{name}: its {key} on this machine is {value}, but was {asked[key]} where the sweep began; "
                    "use the same package and data on all machines"
                )


def _to_disk(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())
