"""Stands between lm-eval and the model: says what is asked before the first answer, how long it takes, and keeps parts small."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lm_eval_sea.run.kept_generations import KeptGenerations
from lm_eval_sea.run.lm_eval_cli import Ask
from lm_eval_sea.run.pace import Pace
from lm_eval_sea.run.warnings_once import PACK_LOGGER
from lm_eval_sea.run.workload import GENERATION, advice, check_window, token_counter, workload_of

# With `--batch_size auto` lm-eval's vLLM gets all requests at once and keeps no answer before the last; this many take minutes.
PART = 2048

logger = logging.getLogger(PACK_LOGGER)


class Answering:
    """For `lm_eval_cli.asked_through`."""

    def __init__(self, backend: str, tasks: Mapping[str, Any], seeds: Sequence[Any] | None = None) -> None:
        """Begins a run.

        Args:
            backend: the name of the model's class in lm-eval.
            tasks: lm-eval's tasks by name; their requests are all made before the first is answered.
            seeds: of the run, if it keeps sampled answers.
        """
        self._backend, self._tasks = backend, tasks
        self._kept = KeptGenerations(seeds)
        self._begun = False

    def __call__(self, model: Any, kind: str, requests: list[Any], ask: Ask) -> list[Any]:
        """Has the model answer requests of one kind."""
        if not self._begun:
            self._begun = True
            check_window(model, self._tasks)
            if model.rank == 0:
                self._introduce(model)
        hook = model.cache_hook
        kept = self._kept.begin(hook, requests) if kind == GENERATION else [None] * len(requests)
        remaining = [request for request, answer in zip(requests, kept, strict=True) if answer is None]
        keeping: Any = self._kept if kind == GENERATION else hook
        if model.rank == 0:
            keeping = Pace(keeping, kind, remaining, logger.info)
            if found := len(requests) - len(remaining):
                logger.info("%d of %d sampled answers are those of the interrupted run", found, len(requests))
        model.set_cache_hook(keeping)
        try:
            answers = iter([answer for part in self._parts(model, kind, remaining) for answer in ask(part)])
        finally:
            model.set_cache_hook(hook)
        return [next(answers) if answer is None else answer for answer in kept]

    def _introduce(self, model: Any) -> None:
        workload = workload_of((task.instances for task in self._tasks.values()), token_counter(model))
        logger.info("%s", workload)
        if workload.ranked and (line := advice(self._backend, model, workload)):
            logger.info("%s", line)

    def _parts(self, model: Any, kind: str, requests: list[Any]) -> Iterator[list[Any]]:
        """All requests, or so many that an interruption loses little; the pack's backend for vLLM does so itself for rankings."""
        at_once = self._backend == "vllm" or (self._backend == "vllm-shared-prefix" and kind == GENERATION)
        # Several engines are started anew for each call.
        size = PART if at_once and model.batch_size == "auto" and model.data_parallel_size <= 1 else len(requests)
        for begin in range(0, len(requests), max(size, 1)):
            yield requests[begin : begin + size]
