"""If a task fails, only that task is lost: the others are scored without it."""

from __future__ import annotations

import math
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from lm_eval_sea.models.server_parameters import ServerError
from lm_eval_sea.results.visible_text import encodable, one_line
from lm_eval_sea.run.request import FailedRunError, RunError, what_failed

_ANOTHER_TYPE = "another dtype, such as --model_args dtype=float32, may help"


class TasksFailedError(Exception):
    """Tasks cannot be scored; task → where and why, in one line."""

    def __init__(self, reasons: Mapping[str, str]) -> None:
        super().__init__("; ".join(f"{name}: {reason}" for name, reason in reasons.items()))
        self.reasons = dict(reasons)


class ServerFaultError(FailedRunError):
    """A server gives no usable answers after all retries; its earlier answers are kept."""


def name_of_row(doc: Any, number: int | None) -> str:
    """Names a row in a message, by its number and, if it has one, its id."""
    known = doc.get("id") if isinstance(doc, Mapping) else None
    named = "" if known is None else f"id {one_line(str(known))}"
    return f"row {number}{f' ({named})' if named else ''}" if number is not None else f"row with {named}" if named else "a row"


def blame(error: Exception) -> TasksFailedError | None:
    """Attributes an error to the task and row in whose code it arose; None if it arose in no task's code.

    lm-eval's errors do not say which task or row was being processed, but the frames of the traceback do.
    """
    from lm_eval.api.task import Task

    name = row = ""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        owner = frame.f_locals.get("self")
        task = owner if isinstance(owner, Task) else getattr(owner, "task", None)  # lm-eval's collector of a task's scores has it
        if isinstance(task, Task):
            name = str(task.config.task)
            row = name_of_row(frame.f_locals["doc"], None) if "doc" in frame.f_locals else row
    if not name:
        return None
    what = what_failed(error).removeprefix(f"{name}, ").removeprefix(f"{name}: ")
    return TasksFailedError({name: f"{row}: {what}" if row else what})


def fault_of(answer: Any) -> str | None:
    """Why a model's answer cannot be scored or saved; None if it can."""
    if isinstance(answer, str):
        return "the answer has a lone surrogate, which no file can hold" if encodable(answer) != answer else None
    number = answer[0] if isinstance(answer, tuple) else answer
    if isinstance(number, float) and math.isnan(number):
        return f"the log-likelihood is not a number; {_ANOTHER_TYPE}"
    return None


@contextmanager
def logits_are_numbers(model: Any) -> Iterator[None]:
    """Inside, a transformers model raises ValueError if its logits are not numbers, where argmax would still choose a token."""
    module: Any = getattr(model, "model", None)
    module = module.get_base_model() if hasattr(module, "get_base_model") else module  # what an adapter calls to generate
    if not hasattr(module, "register_forward_hook"):  # an engine's, or a server
        yield
        return

    def check(_: Any, __: Any, output: Any) -> None:
        logits = getattr(output, "logits", None)
        if logits is not None and not logits[..., -1, :].amax(-1).isfinite().all():
            raise ValueError(f"the model's logits are not numbers; {_ANOTHER_TYPE}")

    with module.register_forward_hook(check):
        yield


def is_of_machine(error: Exception) -> bool:
    """Whether an error comes from memory, device, disk or a server that refuses everything, and not from a request."""
    import requests
    import torch

    of_device = isinstance(error, RuntimeError) and ("CUDA" in str(error) or "out of memory" in str(error).lower())
    of_disk = isinstance(error, OSError) and not isinstance(error, requests.RequestException)
    return of_device or of_disk or isinstance(error, MemoryError | torch.OutOfMemoryError | RunError | ServerError)


def is_of_server(error: Exception) -> bool:
    """Whether a server is unreachable, refuses every request or is too slow; a single request may be refused for its content."""
    if _status(error) in (400, 413, 422):
        return False
    import aiohttp
    import requests

    return isinstance(error, requests.RequestException | aiohttp.ClientError | TimeoutError | ConnectionError)


def what_a_server_did(error: Exception) -> str:
    """What failed, and what to check."""
    advice = {401: "the key is read from OPENAI_API_KEY", 404: "base_url ends in /v1/completions or /v1/chat/completions"}
    status = _status(error)
    said = advice.get(status, "" if status else "is it there, and is base_url right?")
    return what_failed(error) + (f"; {said}" if said else "")


def _status(error: Exception) -> int:
    """The status of a server's refusal; 0 where there is none."""
    return getattr(error, "status", None) or getattr(getattr(error, "response", None), "status_code", None) or 0


def first_failing(ask: Callable[[list[Any]], Any], requests: list[Any]) -> tuple[Any, Exception] | None:
    """Finds by bisection a request on which the model fails, with the error; None if it fails on neither half."""
    half = len(requests) // 2
    for part in filter(None, (requests[:half], requests[half:])):
        try:
            ask(part)
        except Exception as error:  # models can raise anything
            return (first_failing(ask, part) if len(part) > 1 else None) or (part[0], error)
    return None
