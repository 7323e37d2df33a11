"""How long a model will take for its requests, from the pace of its first batches."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from lm_eval_sea.run.workload import GENERATION, text_of

MEASURED = 20.0  # seconds behind the first batch after which the time is said
WORTH_SAYING = 60.0  # seconds; a shorter rest is not mentioned


class Pace:
    """Stands before lm-eval's `CacheHook`, which hears of every answer, and says once how long the rest will take.

    A ranking weighs as many characters as its text has, because backends take long texts first; a generation weighs 1.
    """

    def __init__(
        self,
        hook: Any,
        kind: str,
        requests: Sequence[Any],
        say: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Starts with no answer.

        Args:
            hook: lm-eval's, which keeps the answers.
            kind: of the requests.
            requests: those to be answered.
            say: takes the line.
            clock: seconds.
        """
        self._hook, self._kind, self._say, self._clock = hook, kind, say, clock
        self._weight = (lambda _: 1) if kind == GENERATION else (lambda arguments: len(text_of(arguments)))
        self._all = sum(self._weight(request.args) for request in requests)
        self._number = len(requests)
        self._answered, self._done = 0, 0
        self._first: float | None = None  # when the first batch was through
        self._said = False

    def add_partial(self, kind: str, arguments: Any, answer: Any) -> None:
        """What backends call for each answer, batch by batch."""
        self._hook.add_partial(kind, arguments, answer)
        if self._said or kind != self._kind:
            return
        now = self._clock()
        if self._first is None:
            self._first = now
        # The time from the first batch's end to this one's beginning of answers is that of all batches between but the last,
        # and what is done does not have this batch yet.
        elif now - self._first >= MEASURED and self._done:
            self._said = True
            rest = (now - self._first) * (self._all - self._done) / self._done
            if rest >= WORTH_SAYING:
                verb = "generate" if self._kind == GENERATION else "rank"
                left = f"{self._number - self._answered:,} of {self._number:,} requests to {verb}"
                self._say(f"about {in_words(rest)} to go for {left}, at the pace of those before")
        self._answered += 1
        self._done += self._weight(arguments)


def in_words(seconds: float) -> str:
    """A duration as one would say it.

    Args:
        seconds: one minute or more.
    """
    minutes = round(seconds / 60)
    if minutes < 90:
        return "1 minute" if minutes == 1 else f"{minutes} minutes"
    return f"{minutes / 60:.1f} hours"
