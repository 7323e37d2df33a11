"""Generated answers of an unfinished run on disk, sampled ones too.

lm-eval writes an answer under the settings that its backend names, and reads it under those of the request. vLLM names others, so
that its answers would not be found. Sampled answers lm-eval does not read at all, for equal requests would get the same one; here
the n-th of equal requests has an entry of its own, which counts in a run with the same seeds only.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from lm_eval_sea.run.lm_eval_cli import answers_on_disk
from lm_eval_sea.run.workload import GENERATION


class KeptGenerations:
    """Takes the place of lm-eval's cache hook while requests to generate are answered."""

    def __init__(self, seeds: Sequence[Any] | None) -> None:
        """Begins a run.

        Args:
            seeds: of its random numbers; None: sampled answers are not kept.
        """
        self._seeds = seeds
        self._numbers: Counter[str] = Counter()  # of equal sampled requests, how many have an answer

    def begin(self, hook: Any, requests: Sequence[Any]) -> list[Any]:
        """Takes requests that lm-eval has no answer of.

        The answers of equal requests count all or none: the generator of random numbers starts anew, and could draw once more
        what is kept.

        Args:
            hook: lm-eval's.
            requests: to generate.

        Returns:
            For each request its sampled answer from disk; None: it is to be asked.
        """
        self._hook, self._store = hook, None if self._seeds is None else answers_on_disk(hook)
        self._asked: dict[str, Any] = {}  # prompt → arguments; None: it is asked with several settings
        for request in requests:
            if self._asked.setdefault(str(request.args[0]), request.args) != request.args:
                self._asked[str(request.args[0])] = None
        if self._store is None:
            return [None] * len(requests)
        keys = [self._key(self._asked[str(request.args[0])]) for request in requests]
        kept: dict[str | None, Iterator[Any]] = {}
        for key, total in Counter(filter(None, keys)).items():
            answers = [self._store.get(f"{key} {self._numbers[key] + number}") for number in range(total)]
            if None not in answers:
                self._numbers[key] += total
                kept[key] = iter(answers)
        return [next(kept[key]) if key in kept else None for key in keys]

    def add_partial(self, kind: str, arguments: Any, answer: Any) -> None:
        """What backends call for each answer, batch by batch."""
        own = self._asked.get(str(arguments[0])) if kind == GENERATION else None
        key = self._key(own)
        if key is None or self._store is None:
            self._hook.add_partial(kind, own or arguments, answer)
        else:
            self._store[f"{key} {self._numbers[key]}"] = answer
            self._numbers[key] += 1

    def _key(self, arguments: Any) -> str | None:
        """What entries of equal sampled requests begin with; None for other requests."""
        if arguments is None or not arguments[1].get("do_sample", False):
            return None
        text = json.dumps([arguments, self._seeds], sort_keys=True, default=str)
        return hashlib.sha256(text.encode(errors="replace")).hexdigest()
