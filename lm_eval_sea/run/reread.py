"""Scores the logged answers of chat tasks again, with the readers of the installed version and without the model.

The rows are loaded, and lm-eval evaluates them with a model that returns the logged answers. Of a results file only the scores
change.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from lm_eval.api.model import LM
from lm_eval.models.api_models import JsonChatStr
from lm_eval.utils import handle_non_serializable

from lm_eval_sea.models.generated_text import GeneratedText, as_written
from lm_eval_sea.results.read import content_of, read
from lm_eval_sea.results.rows import document
from lm_eval_sea.results.runs import GroupRun, Run, TaskRun
from lm_eval_sea.results.types import count_of, mapping_of
from lm_eval_sea.results.visible_text import some_names
from lm_eval_sea.run.output_folder import probe, save
from lm_eval_sea.run.request import FailedRunError, RunError
from lm_eval_sea.run.task_loading import RunTasks, load_tasks
from lm_eval_sea.tasks._shared.reading.thought import UNFINISHED, take_apart
from lm_eval_sea.tasks._shared.tokenization import NO_TOKENIZER

# What `lm_eval.evaluator.evaluate` returns; the rest of a results file describes the run.
_OF_SCORES = ("results", "groups", "group_subtasks", "configs", "versions", "n-shot", "n-samples", "higher_is_better")
_Logged = Mapping[int, Mapping[str, Any]]  # rows of a task by their number


def reread(paths: Sequence[Path], folder: Path) -> list[str]:
    """Writes the results and samples of each run to a folder, as lm-eval does; returns notes on what is left out and why.

    Raises `ResultsError` if there is nothing, `RunError` for what is not available or cannot be read again or written.
    """
    if folder.suffix == ".json" or folder.resolve() in [path.resolve() for path in paths]:
        raise RunError(f"--reread {folder}: name another folder, for the new results")
    probe(str(folder), "--reread")
    runs = read(*paths).by_seed()
    notes, written = list(runs.notes), 0
    for run in runs.runs:
        if not run.has_results:
            notes.append(f"{run.place}: left out, because there is no results file")
            continue
        chat = [task for task in runs.of_run(run) if task.is_chat and task.samples is not None]
        if others := [task.name for task in runs.of_run(run) if task not in chat]:
            notes.append(f"{run.place}: left out, because they are not chat tasks with logged answers: {some_names(others)}")
        groups = [group for group in runs.groups if group.run is run]
        written += bool(chat) and _reread_run(run, chat, groups, folder, notes)
    if not written:
        raise FailedRunError("\n  ".join(["no answers can be read again", *notes]))
    return notes


def _reread_run(run: Run, chat: Sequence[TaskRun], groups: Sequence[GroupRun], folder: Path, notes: list[str]) -> bool:
    """Reads one run again; returns whether that was possible."""
    from lm_eval.evaluator import evaluate

    assert run.place is not None
    content = content_of(run.place)
    names = [*(task.name for task in chat), *(group.name for group in groups)]
    manager = RunTasks(names, metadata={"tokenizer": NO_TOKENIZER})  # the prompts are those of the log
    if unknown := [of.name for of in chat if not manager.names[of.name]]:
        notes.append(f"{run.place}: left out, because the pack has no such tasks: {some_names(unknown)}")
    known = [of.name for of in chat if of.name not in unknown]
    if not known:
        return False
    wanted = [of.name for of in groups if manager.names[of.name] and of.tasks and set(of.tasks) <= set(known)] + known
    _, tasks, _ = load_tasks(manager, wanted, skip_missing=None)
    logged = {of.name: _rows_of(of) for of in chat if of.name in tasks}
    changed = {of.name: why for of in chat if of.name in tasks and (why := _why_not(tasks[of.name], of, logged[of.name]))}
    notes += [f"{run.place}: {name} left out, because {why}; run it again" for name, why in changed.items()]
    wanted = manager.drop({name for name in tasks if name in changed or name not in logged})  # a group may have grown
    if not wanted:
        return False
    loaded = manager.load(wanted)
    for of in chat:
        if of.name in loaded["tasks"]:
            loaded["tasks"][of.name].set_config("num_fewshot", of.num_fewshot or 0)
    numbers = {name: list(logged[name]) for name in loaded["tasks"]}
    made: dict[str, Any] = evaluate(lm=_LoggedAnswers(logged), task_dict=loaded, samples=numbers)
    if without_mean := [group.name for group in groups if group.name not in made["results"]]:
        notes.append(f"{run.place}: means left out, because not all of their tasks are read again: {some_names(without_mean)}")
    results = content | {key: made[key] for key in _OF_SCORES if key in made}
    results["configs"] = {
        name: _of_run(config, mapping_of(mapping_of(content.get("configs")).get(name)))
        for name, config in made["configs"].items()
    }
    results["config"] = {**content.get("config", {}), "answers_of": run.place.name}
    _save(results, {name: list(map(as_written, rows)) for name, rows in made["samples"].items()}, folder)
    return True


def _rows_of(task: TaskRun) -> _Logged:
    return {number: row for row in task.texts() if (number := count_of(row.get("doc_id"))) is not None}


def _of_run(config: Mapping[str, Any], then: Mapping[str, Any]) -> dict[str, Any]:
    """Today's config of a task, with what the logged one says about the model and its generation."""
    own = {key: value for key, value in config["metadata"].items() if key != "tokenizer"}
    return {**config, "metadata": {**mapping_of(then.get("metadata")), **own}, "generation_kwargs": then.get("generation_kwargs")}


def _why_not(task: Any, of: TaskRun, rows: _Logged) -> str | None:
    """Why logged answers do not fit what the task asks today; None if they do."""
    if not rows or len(rows) != of.evaluated:
        return f"{len(rows):,} rows are logged, and the results are of {of.evaluated}"
    exemplars = _as_logged(task.dump_config().get("fewshot_config"))
    if of.num_fewshot and exemplars != of.config.get("fewshot_config"):
        return "its exemplars have changed"
    docs = task.eval_docs
    for number, row in rows.items():
        if number >= len(docs):
            return f"the data set has no row {number}"
        doc = _as_logged(docs[number])
        was = document(row)
        if any(was.get(key) != value for key, value in doc.items() if key != "scoring"):
            return f"row {number} of the data set has changed"
        try:
            prompt, _, _ = _asked(row)
        except (AttributeError, KeyError, TypeError, ValueError, IndexError):
            return f"row {number} is not as lm-eval logs it"
        parts = task.doc_to_text(docs[number]).split(doc.get("document") or "\0")  # which is cut for short windows
        said = " ".join(_text_of(prompt).split())
        if not all(" ".join(part.split()) in said for part in parts):
            return f"what it asks has changed (row {number})"
    return None


def _as_logged(value: Any) -> Any:
    return json.loads(json.dumps(value, default=handle_non_serializable))


def _asked(row: Mapping[str, Any]) -> tuple[str | JsonChatStr, dict[str, Any], str]:
    """The prompt of a logged row, the arguments of its request, and the answer."""
    [asked], [[answer]] = row["arguments"].values(), row["resps"]
    prompt, arguments = asked["arg_0"], asked["arg_1"]
    if isinstance(prompt, list):  # as messages for a server that chats are logged
        prompt = JsonChatStr(str(prompt[0]))
    if not isinstance(prompt, (str, JsonChatStr)) or not isinstance(arguments, dict) or not isinstance(answer, str):
        raise TypeError("no generated answer")
    return prompt, arguments, answer


def _text_of(prompt: str | JsonChatStr) -> str:
    return prompt if isinstance(prompt, str) else "\n".join(str(message["content"]) for message in json.loads(prompt.prompt))


@LM.register
class _LoggedAnswers:
    """Gives each request the logged prompt and answer of its row; a chat task asks for nothing else."""

    rank, world_size = 0, 1

    def __init__(self, logged: Mapping[str, _Logged]) -> None:
        self._rows = {name: list(rows.values()) for name, rows in logged.items()}

    def generate_until(self, requests: list[Any]) -> list[GeneratedText]:
        return [self._answer(request) for request in requests]

    def _answer(self, request: Any) -> GeneratedText:
        row = self._rows[request.task_name][request.doc_id]  # doc_id is the position among the rows asked for
        prompt, arguments, answer = _asked(row)
        request.arguments = (prompt, arguments)
        return _with_what_was_told(answer, document(row), by_server=isinstance(prompt, JsonChatStr))


def _with_what_was_told(answer: str, doc: Mapping[str, Any], *, by_server: bool) -> GeneratedText:
    """A logged answer as its backend returned it; a thought that is not in the text was returned beside it.

    A server's unfinished thought was, too: the template, which may have opened it, cannot be seen in the messages.
    """
    thought, tokens = str(doc.get("thought") or ""), mapping_of(doc.get("tokens"))
    is_inside = "".join(thought.split()) in "".join(answer.split())
    if by_server and doc.get("state") == "closed":  # the words of a short thought may be in the answer, too
        is_inside = is_inside and take_apart(answer).state == "closed"
    is_raw = is_inside and by_server and doc.get("state") in UNFINISHED
    return GeneratedText(
        "" if is_raw else answer,
        thought=None if is_inside and not is_raw else thought,
        raw=answer if is_raw else None,
        finish_reason=reason if isinstance(reason := doc.get("finish_reason"), str) else None,
        prompt_tokens=count_of(tokens.get("prompt")),
        thought_tokens=count_of(tokens.get("thought")),
        answer_tokens=count_of(tokens.get("answer")),
        failure="as logged" if doc.get("state") == "failed" else None,
    )


def _save(results: dict[str, Any], samples: Mapping[str, list[dict[str, Any]]], folder: Path) -> None:
    from lm_eval.loggers import EvaluationTracker

    tracker = EvaluationTracker(output_path=str(folder))
    described = tracker.general_config_tracker  # which adds to the results what it knows of the run
    for each in fields(described):
        setattr(described, each.name, results.get(each.name))
    save(tracker, results, samples, lambda: "the logged answers are as they were")
