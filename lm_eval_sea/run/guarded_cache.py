"""lm-eval's cache of answers; if it cannot be read or written, the run continues without it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from lm_eval.api.model import LM, CachingLM

from lm_eval_sea.results.secrets import KnownSecrets
from lm_eval_sea.run.failing_tasks import fault_of
from lm_eval_sea.run.request import in_one_line

logger = logging.getLogger("lm_eval_sea")


class _Store:
    """The dictionary on disk that `CachingLM` and its hook use. The first fault is logged, and ends its use.

    Answers are kept without the secrets of the run, which a server may repeat.
    """

    def __init__(self, path: str, on_disk: Any, secrets: KnownSecrets) -> None:
        self._path, self._dict, self._secrets = path, on_disk, secrets
        self.used: set[str] = set()  # the keys of all answers that were looked for or kept
        self._found: tuple[str, Any] | None = None  # what was read last: lm-eval asks whether there is an answer, then for it

    def _try(self, action: Callable[[Any], Any]) -> Any:
        try:
            return None if self._dict is None else action(self._dict)
        except Exception as error:  # of the disk, of SQLite in a thread of its own, or of a pickle
            self._dict = None
            _say(self._path, error)
            return None

    def get(self, key: str) -> Any:
        self.used.add(key)
        return self._try(lambda stored: stored.get(key))

    def __contains__(self, key: str) -> bool:
        self._found = key, self.get(key)
        return self._found[1] is not None

    def __getitem__(self, key: str) -> Any:
        if self._found is None or self._found[0] != key:
            self._found = key, self.get(key)
        return self._found[1]

    def __setitem__(self, key: str, value: Any) -> None:
        self.used.add(key)
        if fault_of(value) is None:  # a resumed run would fail on it again
            self._try(lambda stored: stored.__setitem__(key, self._secrets.masked_answer(value)))

    def commit(self) -> None:
        self._try(lambda stored: stored.commit())

    def close(self) -> None:
        self._try(lambda stored: stored.close())


def _say(path: str, error: Exception) -> None:
    text = "answers cannot be kept in %s (%s); the run continues, but if interrupted it would start from the beginning"
    logger.warning(text, path, in_one_line(error))


@LM.register
class GuardedCache(CachingLM):
    """A model whose answers are kept, as far as the disk allows."""

    def __init__(self, model: Any, path: str, secrets: KnownSecrets) -> None:
        logging.getLogger("sqlitedict").setLevel(logging.CRITICAL)  # it logs tracebacks of what is said here in one line
        self.lm, self.cache_db = model, path
        try:
            super().__init__(model, path)
            on_disk = self.dbdict
        except Exception as error:
            on_disk = None
            _say(path, error)
        self.dbdict: Any = _Store(path, on_disk, secrets)
        model.set_cache_hook(self.get_cache_hook())

    def generate_until(self, requests: list[Any]) -> list[Any]:
        """As lm-eval's; a model with `settled` then reads cached and new answers together, as each may depend on the others."""
        answers: list[Any] = self.__getattr__("generate_until")(requests)
        settled = getattr(self.lm, "settled", None)
        return answers if settled is None else settled(requests, answers)
