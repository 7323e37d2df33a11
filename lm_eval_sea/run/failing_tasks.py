"""A task that fails costs itself alone: the others are scored without it."""

from __future__ import annotations

import math
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from lm_eval_sea.models.chat_server import ServerError
from lm_eval_sea.results.visible_text import encodable, one_line
from lm_eval_sea.run.request import FailedRunError, RunError, in_one_line

_SHOWN = 300  # characters of an error
_ANOTHER_TYPE = "another dtype, such as --model_args dtype=float32, may help"


class TasksFailedError(Exception):
    """Tasks cannot be scored; task → where and why, in one line."""

    def __init__(self, reasons: Mapping[str, str]) -> None:
        super().__init__("; ".join(f"{name}: {reason}" for name, reason in reasons.items()))
        self.reasons = dict(reasons)


class ServerFaultError(FailedRunError):
    """A server gives no answers, after its retries, or none that can be used; what it answered before is kept."""


def what_failed(error: BaseException) -> str:
    """The type and the text of an error, not too much of it."""
    text = one_line(in_one_line(error))
    text = text if len(text) <= _SHOWN else f"{text[:_SHOWN]} …"
    return text if type(error) is ValueError else f"{type(error).__name__}: {text}"


def name_of_row(doc: Any, number: int | None) -> str:
    """A row in a message, by its number and, where it has one, its id."""
    known = doc.get("id") if isinstance(doc, Mapping) else None
    named = "" if known is None else f"id {one_line(str(known))}"
    return f"row {number}{f' ({named})' if named else ''}" if number is not None else f"row with {named}" if named else "a row"


def blame(error: Exception) -> TasksFailedError | None:
    """The error as a fault of the task in whose code it arose, with the row; None if it arose in no task's code.

    lm-eval's errors do not say which task or row is at work, but the frames of the traceback do.
    """
    from lm_eval.api.task import Task

    name = row = ""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        owner = frame.f_locals.get("self")
        task = owner if isinstance(owner, Task) else getattr(owner, "task", None)  # what gathers the scores of a task has it
        if isinstance(task, Task):
            name = str(task.config.task)
            row = name_of_row(frame.f_locals["doc"], None) if "doc" in frame.f_locals else row
    if not name:
        return None
    what = what_failed(error).removeprefix(f"{name}, ").removeprefix(f"{name}: ")
    return TasksFailedError({name: f"{row}: {what}" if row else what})


def fault_of(answer: Any) -> str | None:
    """Why an answer of a model cannot be scored or saved, if so."""
    if isinstance(answer, str):
        return "the answer has a lone surrogate, which no file can hold" if encodable(answer) != answer else None
    number = answer[0] if isinstance(answer, tuple) else answer
    if isinstance(number, float) and math.isnan(number):
        return f"the log-likelihood is not a number; {_ANOTHER_TYPE}"
    return None


@contextmanager
def logits_are_numbers(model: Any) -> Iterator[None]:
    """While it lasts, a model of transformers raises ValueError where its logits are no numbers; argmax still names a token."""
    module: Any = getattr(model, "model", None)
    module = module.get_base_model() if hasattr(module, "get_base_model") else module  # an adapter's, which generates alone
    if not hasattr(module, "register_forward_hook"):  # an engine's, or a server
        yield
        return

    def check(_: Any, __: Any, output: Any) -> None:
        logits = getattr(output, "logits", None)
        if logits is not None and not logits[..., -1, :].amax(-1).isfinite().all():
            raise ValueError(f"the model's logits are not numbers; {_ANOTHER_TYPE}")

    hook = module.register_forward_hook(check)
    try:
        yield
    finally:
        hook.remove()


def is_of_machine(error: Exception) -> bool:
    """Whether an error is no request's own: of memory, of a device, of a disk, of a server for all requests."""
    import requests
    import torch

    of_device = isinstance(error, RuntimeError) and ("CUDA" in str(error) or "out of memory" in str(error).lower())
    of_disk = isinstance(error, OSError) and not isinstance(error, requests.RequestException)
    return of_device or of_disk or isinstance(error, MemoryError | torch.OutOfMemoryError | RunError | ServerError)


def is_of_server(error: Exception) -> bool:
    """Whether a server is not there, refuses all that is asked, or is too slow; one request may be refused for its own sake."""
    if _status(error) in (400, 413, 422):
        return False
    import aiohttp
    import requests

    return isinstance(error, requests.RequestException | aiohttp.ClientError | TimeoutError | ConnectionError)


def what_a_server_did(error: Exception) -> str:
    """What failed, and what to look at."""
    advice = {401: "the key is read from OPENAI_API_KEY", 404: "base_url ends in /v1/completions or /v1/chat/completions"}
    status = _status(error)
    said = advice.get(status, "" if status else "is it there, and is base_url right?")
    return what_failed(error) + (f"; {said}" if said else "")


def _status(error: Exception) -> int:
    """The status of a server's refusal; 0 where there is none."""
    return getattr(error, "status", None) or getattr(getattr(error, "response", None), "status_code", None) or 0


def first_failing(ask: Callable[[list[Any]], Any], requests: list[Any]) -> tuple[Any, Exception] | None:
    """A request at which the model fails, and how, found by halves; None if it fails at none of the halves."""
    half = len(requests) // 2
    for part in filter(None, (requests[:half], requests[half:])):
        try:
            ask(part)
        except Exception as error:  # models raise what they like
            return (first_failing(ask, part) if len(part) > 1 else None) or (part[0], error)
    return None
