"""What a sweep would do: jobs, requests and tokens."""

from __future__ import annotations

import contextlib
import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from lm_eval_sea.results.power import what_rows_show
from lm_eval_sea.results.types import grouped
from lm_eval_sea.results.visible_text import counted
from lm_eval_sea.run.chat_template import load_tokenizer
from lm_eval_sea.run.request import rows_within
from lm_eval_sea.run.task_loading import RunTasks
from lm_eval_sea.run.workload import Workload, by_language, language_of, planned, said_by_language, workload_of
from lm_eval_sea.sweep.jobs import Job
from lm_eval_sea.sweep.plan import Plan, Resources
from lm_eval_sea.sweep.preflight import tokenizer_key
from lm_eval_sea.sweep.sweep import Prepared

_ROWS_LOOKED_AT = 5  # of each task


def _workloads(jobs: Iterable[Job], plan: Plan) -> Iterator[tuple[Job, list[tuple[str, Workload]]]]:
    """Each job with language and workload of its tasks. A task is measured once per tokenizer and number of exemplars."""
    tokenizers: dict[str, Any] = {}
    managers: dict[tuple[str, Any], Any] = {}  # lm-eval's, which pass the tokenizer to tasks; each takes a second
    found: dict[tuple[str, str, int | None], tuple[str, Workload]] = {}
    for job in jobs:
        key, own_path = tokenizer_key(job.model), job.model.run.get("include_path")
        if key not in tokenizers:
            tokenizers[key] = load_tokenizer(job.model.loaded_with)
        if (key, own_path) not in managers:
            managers[key, own_path] = RunTasks(plan.tasks, [str(own_path)] if own_path else [], job.model.model_args)
        tokenizer, shots = tokenizers[key], job.asked["settings"].get("num_fewshot")
        count = (lambda text, by=tokenizer: len(by.encode(text, add_special_tokens=False))) if tokenizer else None
        for leaf in job.part.leaves:
            if (key, leaf, shots) not in found:
                task = managers[key, own_path].load([leaf])["tasks"][leaf]
                if shots is not None and task.config.num_fewshot != 0:  # lm-eval never changes a 0 of the YAML
                    task.set_config("num_fewshot", shots)
                found[key, leaf, shots] = language_of(task), _measure(task, count, rows_within(plan.limit, len(task.eval_docs)))
        yield job, [found[key, leaf, shots] for leaf in job.part.leaves]


def _measure(task: Any, count: Callable[[str], int] | None, rows: int) -> Workload:
    """Estimates the workload of a run on `rows` rows of a task: builds the prompts of some rows, and scales the sums."""
    there = len(task.test_docs())
    with contextlib.redirect_stderr(io.StringIO()):  # lm-eval's progress bars
        task.build_all_requests(samples=list(range(0, there, max(1, there // _ROWS_LOOKED_AT))))
    of_rows, of_task = list[Any](), list[Any]()
    for instance in task.instances:
        has_option = instance.request_type == "loglikelihood" and bool(instance.arguments[0])  # behind a prompt
        is_without_content = has_option and instance.idx > 2 * len(task.doc_to_choice(instance.doc))
        # prompts without content are asked once per task, after the others
        (of_task if is_without_content else of_rows).append(instance)
    scale, some = rows / len({instance.doc_id for instance in of_rows}), workload_of(of_rows, count)
    scaled = {name: round(scale * getattr(some, name)) for name in ("ranked", "generated", "read", "written")}
    return replace(some, **scaled) + replace(workload_of(of_task, count), tasks=0)


def describe(prepared: Prepared, machines: Sequence[Resources]) -> str:
    """Lines of text: one for each backend and unit (tokens or characters), then what a job asks for and the machines."""
    complete, open_jobs = prepared.split()
    lines = [f"{counted(len(prepared.jobs), 'job')}, {len(complete)} complete; to be run:"]
    alike = grouped(((job.model.backend, tasks[0][1].unit), tasks) for job, tasks in _workloads(open_jobs, prepared.plan))
    for (backend, _), jobs in sorted(alike.items()):
        of_languages = by_language(task for tasks in jobs for task in tasks)
        lines.append(f"  {backend}: {counted(len(jobs), 'job')}, {sum(of_languages.values(), Workload())}")
        if len(of_languages) > 1:
            lines.append(f"    {said_by_language(of_languages)}")
    there = ", ".join(f"{number} of {machine}" for machine, number in Counter(map(str, machines)).items())
    said = what_rows_show(planned(prepared.tasks, lambda task: rows_within(prepared.plan.limit, len(task.eval_docs))))
    return "\n".join([*lines, *([said] if said else []), f"each job asks for {prepared.plan.resources}; machines: {there}"])
