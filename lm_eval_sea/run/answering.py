"""Wraps a backend's model: reports the workload before the first answer, and keeps every answer."""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from lm_eval.api.model import LM

from lm_eval_sea.results.power import what_rows_show
from lm_eval_sea.results.types import digest_of, grouped
from lm_eval_sea.results.visible_text import counted, some_names
from lm_eval_sea.run import failing_tasks, workload
from lm_eval_sea.run.failing_tasks import ServerFaultError, TasksFailedError
from lm_eval_sea.run.model_files import reads_folders
from lm_eval_sea.run.request import GENERATION, Tasks, what_failed

# With `--batch_size auto` lm-eval's vLLM gets all requests at once and keeps no answer before the last; this many take minutes on
# a GPU. They would take hours on a CPU, which gains little from more than a few at a time.
PART, PART_ON_CPU = 2048, 64
# If prompts differ in length by this factor and have equal token counts, a server cuts them; no window is shorter than this.
_UNLIKE, _SHORTEST_WINDOW = 1.2, 256

logger = logging.getLogger("lm_eval_sea")


@LM.register
class AnsweringModel:
    """Wraps a model as lm-eval's `CachingLM` does, which may wrap this one; only answering differs from the model's own."""

    def __init__(self, model: Any, backend: str, tasks: Tasks, seeds: Sequence[Any] | None = None) -> None:
        """Takes a backend's model and the run's seeds; without seeds (None), sampled answers are not kept.

        The requests of all tasks are made before the first is answered.
        """
        self._model, self._backend, self._tasks = model, backend, tasks
        # For each request, the answers of its copies, and how many of them lm-eval has been given.
        self._answers: defaultdict[tuple[Any, ...], list[Any]] = defaultdict(list)
        self._given: Counter[tuple[Any, ...]] = Counter()
        self._kept = _KeptGenerations(seeds)
        self._begun = False
        self.noted: dict[str, dict[str, float]] = {}  # for the results: what is wrong with prompts → task → share

    def __getattr__(self, name: str) -> Any:
        """Everything else is the model's."""
        return getattr(self._model, name)

    def begin_again(self) -> None:
        """Starts another round after a task failed; requests that have an answer are not asked again."""
        self._given.clear()

    def loglikelihood(self, requests: list[Any]) -> list[Any]:
        """As lm-eval's `LM` defines it."""
        return self._answer("loglikelihood", requests)

    def loglikelihood_rolling(self, requests: list[Any]) -> list[Any]:
        """As lm-eval's `LM` defines it."""
        return self._answer("loglikelihood_rolling", requests)

    def generate_until(self, requests: list[Any]) -> list[Any]:
        """As lm-eval's `LM` defines it. Sampled answers that an interrupted run kept are not asked for again."""
        hook = self._model.cache_hook
        kept = self._kept.begin(hook, requests)
        remaining = [request for request, answer in zip(requests, kept, strict=True) if answer is None]
        if len(remaining) < len(requests) and self._model.rank == 0:
            found = len(requests) - len(remaining)
            logger.info("%d of %d sampled answers come from the interrupted run", found, len(requests))
        self._model.set_cache_hook(self._kept)
        try:
            with failing_tasks.logits_are_numbers(self._model):
                answers = iter(self._answer(GENERATION, remaining))
        finally:
            self._model.set_cache_hook(hook)
        return [next(answers) if answer is None else answer for answer in kept]

    def begin(self) -> None:
        """Checks and reports the workload once all requests are made, even if all answers come from the cache."""
        if self._begun:
            return
        self._begun = True
        # A task that failed has no requests.
        self._tasks = {name: task for name, task in self._tasks.items() if hasattr(task, "_instances")}
        workload.check_api_window(self._model, self._tasks)
        workload.check_window(self._model, self._tasks)
        workload.check_vocabulary(self._model, self._tasks)
        if self._model.rank == 0:
            self._introduce()

    def _answer(self, kind: str, requests: list[Any]) -> list[Any]:
        self.begin()
        keys = _numbered(kind, requests, self._given)
        asked = [request for request, (key, number) in zip(requests, keys, strict=True) if number >= len(self._answers[key])]
        new = iter(self._ask(kind, asked) if asked else ())
        answers = []
        for key, number in keys:
            known = self._answers[key]
            if number >= len(known):
                known.append(next(new))
            answers.append(known[number])
        faults = self._without_any_answer(requests, answers) | {
            request.task_name: f"{failing_tasks.name_of_row(request.doc, request.doc_id)}: {fault}"
            for request, answer in zip(reversed(requests), reversed(answers), strict=True)  # of a task, the first row counts
            if (fault := failing_tasks.fault_of(answer))
        }
        if faults and self._model.world_size == 1:  # another process would wait for this one
            raise TasksFailedError(faults)
        return answers

    def _without_any_answer(self, requests: Sequence[Any], answers: Sequence[Any]) -> dict[str, str]:
        """The tasks for which a server answered nothing, with the reason. Single rows without an answer count as failed."""
        answered = zip(requests, answers, strict=True)
        failures = grouped((request.task_name, getattr(answer, "failure", None)) for request, answer in answered)
        return {
            name: f"none of its {len(found):,} requests has an answer, the first: {found[0]}"
            for name, found in failures.items()
            if all(found) and len(found) == sum(each.repeats for each in self._tasks[name].instances)  # none is cached
        }

    def _ask(self, kind: str, requests: list[Any]) -> list[Any]:
        ask = getattr(self._model, kind)
        try:
            answers: dict[int, Any] = {}
            for part in self._parts(kind, requests):
                answers |= zip(part, ask([requests[number] for number in part]), strict=True)
            return [answers[number] for number in range(len(requests))]
        except Exception as error:
            if failing_tasks.is_of_server(error):
                raise ServerFaultError(f"the server gives no answers: {failing_tasks.what_a_server_did(error)}") from error
            if failing_tasks.is_of_machine(error) or self._model.world_size > 1:
                raise
            logger.debug("the model fails at a request", exc_info=error)
            logger.warning("the model fails at a request (%s); looking for the request", what_failed(error))
            return self._ask_by_task(kind, requests, ask, error)

    def _ask_by_task(self, kind: str, requests: list[Any], ask: Callable[[list[Any]], list[Any]], error: Exception) -> list[Any]:
        """Asks task by task; raises an error that says which fail and where, and keeps the others' answers for the next round."""
        faults = {}
        for task, own in grouped((str(request.task_name), request) for request in requests).items():
            try:
                for (key, _), answer in zip(_numbered(kind, own, Counter()), ask(own), strict=True):
                    self._answers[key].append(answer)
            except Exception as found:
                if failing_tasks.is_of_server(found) or failing_tasks.is_of_machine(found):
                    raise
                request, why = failing_tasks.first_failing(ask, own) or (own[0], found)
                faults[task] = f"{failing_tasks.name_of_row(request.doc, request.doc_id)}: {what_failed(why)}"
        if not faults:  # it fails only if tasks are asked together
            raise error
        raise TasksFailedError(faults)

    def _introduce(self) -> None:
        count = workload.token_counter(self._model)
        workloads = [(workload.language_of(task), workload.workload_of(task.instances, count)) for task in self._tasks.values()]
        by_language = workload.by_language(workloads)
        total = sum(by_language.values(), workload.Workload())
        logger.info("%s", total)
        if len(by_language) > 1:
            logger.info("%s", workload.said_by_language(by_language))
        rows = workload.planned(self._tasks, lambda task: len({each.doc_id for each in task.instances}))
        if said := what_rows_show(rows):
            logger.info("%s", said)
        if workload.reads_ahead(self._model):
            logger.warning("the model sees later tokens, as encoders do: its log-likelihoods are not those of a text")
        if said := workload.fault_of_vocabulary(self._model):
            logger.warning("%s: is it the model's own?", said)
        if unknown := workload.unknown_shares(self._model, self._tasks):
            most = max(unknown, key=unknown.__getitem__)
            text = "the tokenizer does not know %.1f %% of the tokens of %s%s: scores there say little about the model"
            others = f", and above 1 % of {counted(len(unknown) - 1, 'more task')}" if len(unknown) > 1 else ""
            logger.warning(text, 100 * unknown[most], most, others)
        cut = workload.cut_shares(self._model, self._tasks) if reads_folders(self._backend) else {}  # a server has its own
        if cut:
            logger.warning("prompts do not fit the model's window, and their beginning is cut off: %s", some_names(list(cut)))
        documents = workload.document_shares(self._tasks)  # the tasks themselves warn of these
        noted = {"unknown_tokens": unknown, "cut_prompts": cut, "cut_documents": documents}
        self.noted = {fault: shares for fault, shares in noted.items() if shares}
        for line in workload.advice(self._backend, self._model, total):
            logger.info("%s", line)

    def _parts(self, kind: str, requests: list[Any]) -> Iterator[Sequence[int]]:
        """Positions of the requests to ask at once: all, or few enough that an interruption loses little.

        The longest answers come last: vLLM returns no answer of a part before the longest is written. The pack's vLLM backend
        splits rankings itself.
        """
        at_once = self._backend == "vllm" or (self._backend == "vllm-shared-prefix" and kind == GENERATION)
        # Several engines start again for each call.
        if not (at_once and self._model.batch_size == "auto" and self._model.data_parallel_size <= 1):
            yield range(len(requests))
            return
        positions = sorted(range(len(requests)), key=lambda number: workload.limit_of(requests[number], self._model))
        size = PART_ON_CPU if self._model.on_cpu else PART
        for begin in range(0, len(positions), size):
            yield positions[begin : begin + size]


def what_servers_said(tasks: Tasks) -> dict[str, Any]:
    """What the results record about a server, also from cached answers.

    It is what was sent in place of refused parameters, the server's names of its models, the number of requests without an
    answer, and that of tokens at which it seems to cut prompts: prompts of different lengths have this number, and none has more.
    """
    failed, refused = 0, dict[str, str]()
    models: set[str] = set()
    lengths: defaultdict[int, set[int]] = defaultdict(set)  # tokens of a prompt → characters
    for task in tasks.values():
        for request in getattr(task, "_instances", None) or ():  # a task that failed has none
            for answer in request.resps:
                failed += bool(getattr(answer, "failure", None))
                refused |= getattr(answer, "refused_parameters", None) or {}
                models |= {model} if (model := getattr(answer, "model", None)) else set()
                lengths[getattr(answer, "prompt_tokens", None) or 0].add(len(str(request.args[0])))
    most = max(lengths, default=0)
    is_cut = most >= _SHORTEST_WINDOW and len(lengths[most]) > 2 and max(lengths[most]) > _UNLIKE * min(lengths[most])
    said = {"refused_parameters": refused, "answered_by": sorted(models), "failed_requests": failed}
    return {name: value for name, value in (said | {"prompts_cut_at": most if is_cut else None}).items() if value}


def _numbered(kind: str, requests: Sequence[Any], seen: Counter[tuple[Any, ...]]) -> list[tuple[tuple[Any, ...], int]]:
    """The key of each request, and its number among requests of that key; `seen` counts over several calls."""
    keys = []
    for request in requests:
        text = hash(tuple(str(part) for part in request.args if not isinstance(part, Mapping)))
        key = (kind, request.task_name, request.doc_id, request.idx, text)
        keys.append((key, seen[key]))
        seen[key] += 1
    return keys


class _KeptGenerations:
    """Replaces lm-eval's `CacheHook` while generation requests are answered.

    lm-eval writes an answer under the settings that its backend names, and reads it under those of the request. vLLM names
    others, so its answers would not be found. lm-eval never reads sampled answers, because equal requests would get the same
    one. Here the n-th of equal requests has its own entry, which is valid only in a run with the same seeds.
    """

    def __init__(self, seeds: Sequence[Any] | None) -> None:
        self._seeds = seeds
        self._numbers: Counter[str] = Counter()  # key of equal sampled requests → how many have an answer

    def begin(self, hook: Any, requests: Sequence[Any]) -> list[Any]:
        """Takes requests that lm-eval has no answer for; returns for each the sampled answer on disk, or None.

        Equal requests take all answers from disk or none: the random generator starts again, and could repeat kept ones.
        """
        self._hook, self._store = hook, None if self._seeds is None else hook.dbdict
        self._asked: defaultdict[str, list[Any]] = defaultdict(list)  # prompt → arguments, more than one if settings differ
        for request in requests:
            if request.args not in (alike := self._asked[str(request.args[0])]):
                alike.append(request.args)
        if self._store is None:
            return [None] * len(requests)
        keys = [self._key(request.args) for request in requests]
        kept: dict[str | None, Iterator[Any]] = {}
        for key, total in Counter(filter(None, keys)).items():
            answers = [self._store.get(f"{key} {self._numbers[key] + number}") for number in range(total)]
            if None not in answers:
                self._numbers[key] += total
                kept[key] = iter(answers)
        return [next(kept[key]) if key in kept else None for key in keys]

    def add_partial(self, kind: str, arguments: Any, answer: Any) -> None:
        """Called by backends for each answer, batch by batch."""
        own = self._own(arguments) if kind == GENERATION else arguments
        if own is None:
            return
        key = self._key(own) if kind == GENERATION else None
        if key is None or self._store is None:
            self._hook.add_partial(kind, own, answer)
        else:
            self._store[f"{key} {self._numbers[key]}"] = answer
            self._numbers[key] += 1

    def _own(self, arguments: Any) -> Any:
        """The arguments of the request that has this answer; None if requests with different settings could have it.

        A chat task and its twin with `_choice` have the same prompts.
        """
        asked = self._asked.get(str(arguments[0]), [])
        if arguments in asked or not asked:
            return arguments
        constrained = "structured_outputs" in arguments[1]
        alike = asked if len(asked) == 1 else [own for own in asked if ("structured_outputs" in own[1]) == constrained]
        return alike[0] if len(alike) == 1 else None

    def _key(self, arguments: Any) -> str | None:
        """The beginning of the keys of equal sampled requests; None for other requests."""
        if not arguments[1].get("do_sample", False):
            return None
        return digest_of([arguments, self._seeds])
