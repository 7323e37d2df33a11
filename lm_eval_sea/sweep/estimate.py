"""What a sweep would do: jobs, requests and tokens."""

from __future__ import annotations

import contextlib
import io
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from lm_eval_sea.results.facts import facts_of
from lm_eval_sea.results.power import what_rows_show
from lm_eval_sea.run.chat_template import load_tokenizer
from lm_eval_sea.run.request import rows_within
from lm_eval_sea.run.task_loading import RunTasks
from lm_eval_sea.run.workload import planned, text_of
from lm_eval_sea.sweep.jobs import Job
from lm_eval_sea.sweep.plan import Plan, Resources
from lm_eval_sea.sweep.preflight import tokenizer_key
from lm_eval_sea.sweep.sweep import Prepared

_ROWS_LOOKED_AT = 5  # of each task
_IN = "tokens_in of "  # a language


def _sizes(jobs: Iterable[Job], plan: Plan) -> Iterator[tuple[Job, Counter[str]]]:
    """Each job with the sum over its tasks, without tokens if there is no tokenizer.

    A task is measured once per tokenizer and number of exemplars.
    """
    tokenizers: dict[str, Any] = {}
    managers: dict[tuple[str, Any], Any] = {}  # lm-eval's, which tell tasks the tokenizer; each a second of work
    found: dict[tuple[str, str, int | None], Counter[str]] = {}
    for job in jobs:
        key, own_path = tokenizer_key(job.model), job.model.run.get("include_path")
        if key not in tokenizers:
            tokenizers[key] = load_tokenizer(job.model.loaded_with)
        if (key, own_path) not in managers:
            managers[key, own_path] = RunTasks(plan.tasks, [str(own_path)] if own_path else [], job.model.model_args)
        tokenizer, shots = tokenizers[key], job.asked["settings"].get("num_fewshot")
        count = (lambda text, by=tokenizer: len(by.encode(text, add_special_tokens=False))) if tokenizer else len
        total: Counter[str] = Counter()
        for leaf in job.part.leaves:
            if (key, leaf, shots) not in found:
                task = managers[key, own_path].load([leaf])["tasks"][leaf]
                if shots is not None and task.config.num_fewshot != 0:  # lm-eval takes a 0 in the YAML for final
                    task.set_config("num_fewshot", shots)
                size = _measure(task, count, rows_within(plan.limit, len(task.eval_docs)))
                size[_IN + (facts_of(task.config.metadata or {}, leaf).language or "other")] = size["tokens_in"]
                found[key, leaf, shots] = size
            total += found[key, leaf, shots]
        yield job, total if tokenizer else Counter(requests=total["requests"])


def _measure(task: Any, count: Callable[[str], int], rows: int) -> Counter[str]:
    """Estimates the requests of a run on so many rows of a task, and their tokens; every option is sent with the whole prompt.

    Prompts of some rows are built, and the sums scaled. `count` counts the tokens of a text.
    """
    there = len(task.test_docs())
    with contextlib.redirect_stderr(io.StringIO()):  # lm-eval's progress bars
        task.build_all_requests(samples=list(range(0, there, max(1, there // _ROWS_LOOKED_AT))))
    scale = rows / len({instance.doc_id for instance in task.instances})
    found: Counter[str] = Counter()  # sums of fractions
    for instance in task.instances:
        has_option = instance.request_type == "loglikelihood" and bool(instance.arguments[0])  # behind a prompt
        is_without_content = has_option and instance.idx > 2 * len(task.doc_to_choice(instance.doc))
        times = 1 if is_without_content else scale  # prompts without content are asked once per task, after the others
        found.update({"requests": times, "tokens_in": times * count(text_of(instance.arguments))})
    return found


def describe(prepared: Prepared, machines: Sequence[Resources]) -> str:
    """Lines of text: one for each backend, then what a job asks for and the machines."""
    complete, open_jobs = prepared.split()
    totals: dict[str, Counter[str]] = defaultdict(Counter)
    for job, size_of_job in _sizes(open_jobs, prepared.plan):
        totals[job.model.backend] += size_of_job + Counter(jobs=1)
    lines = [f"{len(prepared.jobs)} jobs, of which {len(complete)} are complete; to be run:"]
    for backend, total in sorted(totals.items()):
        tokens = f"about {total['tokens_in']:,.0f} tokens in" if total["tokens_in"] else "tokens not counted (no tokenizer)"
        lines.append(f"  {backend}: {total['jobs']} jobs, {total['requests']:,.0f} requests, {tokens}")
        by_language = [(name.removeprefix(_IN), number) for name, number in total.most_common() if name.startswith(_IN)]
        if total["tokens_in"] and len(by_language) > 1:
            lines.append("    by language: " + ", ".join(f"{language} {number:,.0f}" for language, number in by_language))
    there = ", ".join(f"{number} of {machine}" for machine, number in Counter(map(str, machines)).items())
    said = what_rows_show(planned(prepared.tasks, lambda task: rows_within(prepared.plan.limit, len(task.eval_docs))))
    return "\n".join([*lines, *([said] if said else []), f"each job asks for {prepared.plan.resources}; machines: {there}"])
