"""What `lm-eval-sea run` takes from lm-eval's command line beyond its documented interface, for releases 0.4.13 and 0.5.0.dev1.

A release that changes one of these things is a change in this module and in no other.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

Evaluate = Callable[..., dict[str, Any] | None]
Ask = Callable[[list[Any]], list[Any]]  # requests → answers
KINDS_OF_REQUEST = ("loglikelihood", "loglikelihood_rolling", "generate_until")


class LMEvalCommand:
    """The command `lm_eval run`."""

    def __init__(self) -> None:
        """Declares lm-eval's arguments."""
        from lm_eval._cli import HarnessCLI

        self._harness = HarnessCLI()

    @property
    def parser(self) -> argparse.ArgumentParser:
        """What reads its arguments; more can be added."""
        return self._harness._subparsers.choices["run"]

    def parse(self, arguments: Sequence[str]) -> argparse.Namespace:
        """Reads the arguments; prints help, or what is wrong with them, and exits, as argparse does."""
        with _instead(sys, "argv", ["lm-eval", "run", *arguments]):  # lm-eval reads nothing else
            return self._harness.parse_args()

    def execute(
        self, parsed: argparse.Namespace, evaluate: Callable[[Evaluate, Mapping[str, Any]], Any], table: Callable
    ) -> None:
        """Runs the command.

        Args:
            parsed: its arguments, none but lm-eval's own.
            evaluate: is called in the place of `simple_evaluate`, with that function and its keyword arguments.
            table: takes the place of `make_table`: results and "groups", if it is for these → text to be printed.
        """
        import lm_eval
        import lm_eval.utils

        original = lm_eval.simple_evaluate
        with (  # the command imports what it calls when it runs
            _instead(lm_eval, "simple_evaluate", lambda **arguments: evaluate(original, arguments)),
            _instead(lm_eval.utils, "make_table", table),
        ):
            self._harness.execute(parsed)


@contextmanager
def _instead(owner: Any, name: str, value: Any) -> Iterator[None]:
    """Inside, an attribute has another value."""
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


@contextmanager
def asked_through(model: str, through: Callable[[Any, str, list[Any], Ask], list[Any]]) -> Iterator[None]:
    """Inside, the requests to a model of this name go through a function; those that lm-eval has answers of do not come by.

    Args:
        model: the name of a backend.
        through: model, kind of request, requests, and what has the model answer some of them → the answers of all.
    """
    from lm_eval.api.registry import get_model

    backend = get_model(model)
    with ExitStack() as stack:
        for kind in KINDS_OF_REQUEST:
            stack.enter_context(_instead(backend, kind, _method(kind, getattr(backend, kind), through)))
        yield


def _method(kind: str, own: Callable[..., list[Any]], through: Callable[[Any, str, list[Any], Ask], list[Any]]) -> Callable:
    def method(self: Any, requests: list[Any], *more: Any, **settings: Any) -> list[Any]:
        return through(self, kind, requests, lambda part: own(self, part, *more, **settings))

    return method


def answers_on_disk(hook: Any) -> MutableMapping[str, Any] | None:
    """What a model's cache hook writes answers to; None in a run that keeps none."""
    return hook.dbdict


def raised_while_building(error: BaseException) -> bool:
    """Whether `simple_evaluate` raised an error when it made the model, and not when the model was asked."""
    names = {frame.f_code.co_name for frame, _ in traceback.walk_tb(error.__traceback__)}
    return bool(names & {"create_from_arg_obj", "create_from_arg_string"})


def requests_folder() -> Path:
    """Where `--cache_requests` keeps its pickles."""
    from lm_eval.caching.cache import PATH

    return Path(PATH)


def serve_loaded(manager: Any, loaded: Any) -> None:
    """Has a `TaskManager` hand out tasks that are loaded, instead of loading them once more."""
    manager.load = lambda _: loaded
