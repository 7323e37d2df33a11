"""What the pack takes from lm-eval beyond its documented interface, for releases 0.4.13 and 0.5.0.dev1.

A release that changes one of these things is a change in this module and in no other.
"""

from __future__ import annotations

import functools
import logging
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lm_eval.api.instance import Instance


try:  # 0.5 has a class for each output type
    from lm_eval.api.task import GenerateTask, MultipleChoiceTask
except ImportError:
    from lm_eval.api.task import ConfigurableTask as GenerateTask, ConfigurableTask as MultipleChoiceTask
try:  # 0.5 compiles a Jinja template once; 0.4 anew for every row, which takes longer than rendering it
    from lm_eval.config.templates import _compile_tpl as template
except ImportError:
    from lm_eval.utils import env

    template = functools.cache(env.from_string)

__all__ = ["GenerateTask", "MultipleChoiceTask", "template"]


def _register_corpus_metrics() -> None:
    """Corpus BLEU and chrF++ of pairs of reference and answer, which 0.4 has as the aggregations `bleu` and `chrf++`."""
    from lm_eval.api.registry import aggregation_registry, register_aggregation

    from .metrics.overlap import corpus_bleu, corpus_chrf

    for name, aggregation in (("bleu", corpus_bleu), ("chrf++", corpus_chrf)):
        if name not in aggregation_registry:
            register_aggregation(name)(_Resampled(aggregation))


class _Resampled:
    """An aggregation with a standard error from resamples; the same function named by a task itself has none, as in 0.4."""

    def __init__(self, aggregation: Callable[[Sequence[Any]], float]) -> None:
        self.resampled = aggregation

    def __call__(self, pairs: Sequence[Any]) -> float:
        return self.resampled(pairs)


def _spare_resampling() -> None:
    """Standard errors of aggregations as in 0.4.

    0.4 draws 100 resamples for BLEU and chrF++ and none for the functions of a task, 0.5 draws 100,000 for all that are no mean:
    ten minutes and more for a macro-F1 over 1,000 rows. The pack gives the standard errors of its functions itself, as metrics
    with the ending `_stderr`.
    """
    from lm_eval.api import metrics

    from .metrics.classification_metrics import bootstrap_stderr

    of_lm_eval = metrics.stderr_for_metric

    def stderr_for_metric(metric: Callable[[Sequence[Any]], float], bootstrap_iters: int) -> Callable | None:
        if (aggregation := getattr(metric, "resampled", None)) and bootstrap_iters > 0:
            return functools.partial(bootstrap_stderr, aggregation)
        if getattr(metric, "__module__", "").startswith("lm_eval_sea"):
            return None
        return of_lm_eval(metric, bootstrap_iters)

    metrics.stderr_for_metric = stderr_for_metric


def _keep_digits() -> None:
    """Answers of digits alone stay text. 0.5 makes numbers of them, whatever their script, and refuses these in exemplars."""
    from lm_eval.api.task import Task

    of_lm_eval = Task.doc_to_target

    def doc_to_target(self: Any, doc: Mapping[str, Any], doc_to_target: Any = None) -> Any:
        if self.OUTPUT_TYPE == "generate_until" and "provenance" in (self.config.metadata or {}):
            return process_field(doc, self.config.doc_to_target if doc_to_target is None else doc_to_target)
        return of_lm_eval(self, doc, doc_to_target)

    Task.doc_to_target = doc_to_target


try:  # 0.5 refuses the name of a metric of its own on a task with another type of output, whatever `process_results` says
    from lm_eval.api.registry import metric_registry
except ImportError:
    pass
else:
    _register_corpus_metrics()
    for _name in ("f1", "acc", "acc_norm", "acc_bytes", "exact_match", "bleu", "chrf++"):
        if isinstance(_types := getattr(metric_registry.get(_name, None), "output_type", None), set):
            _types |= {"generate_until", "multiple_choice"}
try:
    from lm_eval.config.templates import process_field
except ImportError:  # 0.4
    pass
else:
    _spare_resampling()
    _keep_digits()

# lm-eval repeats this hint for every task whose rows come from a function.
_HINT = "Custom kwargs can be passed to `--metadata`"
for _name in ("lm_eval.api.task", "lm_eval.api.task._task"):
    logging.getLogger(_name).addFilter(lambda record: _HINT not in str(record.msg))


def _log_as_lm_eval() -> None:
    """Shows the pack's log as lm-eval shows its own; where the user has set up logging, that shows it."""
    of_lm_eval, of_pack = logging.getLogger("lm_eval"), logging.getLogger("lm_eval_sea")
    if of_lm_eval.handlers and not logging.getLogger().handlers and not of_pack.handlers:
        of_pack.setLevel(of_lm_eval.level)
        for handler in of_lm_eval.handlers:
            of_pack.addHandler(handler)


_log_as_lm_eval()


def model_under_evaluation() -> Any | None:
    """The model that lm-eval is building requests for, or None outside an evaluation.

    lm-eval tells a task nothing of the model but the text of `--model_args`, and not even that when it is called from Python. Its
    function `evaluate`, which calls `Task.build_all_requests`, holds it in the variable `lm`.
    """
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == "evaluate" and frame.f_globals.get("__name__") == "lm_eval.evaluator":
            return frame.f_locals.get("lm")
        frame = frame.f_back
    return None


def another_request(request: Instance, arguments: tuple[str, str], index: int) -> Instance:
    """A request for the same row: its two texts, and its number among the requests of the row."""
    return replace(request, arguments=arguments, idx=index, resps=[], filtered_resps={})


def responses(request: Instance) -> dict[str, Any]:
    """The answers to a request by filter; 0.5 wraps each in a list."""
    return {name: found[0] if isinstance(found, list) else found for name, found in request.filtered_resps.items()}


def change_responses(request: Instance, change: Callable[[str, Any], Any]) -> None:
    """Puts `change(filter, answer)` in the place of each answer."""
    for name, found in request.filtered_resps.items():
        request.filtered_resps[name] = [change(name, found[0])] if isinstance(found, list) else change(name, found)


def metric_names(task: Any) -> set[str]:
    """The metrics that are wanted of a task; `--predict_only` leaves none of its own."""
    if hasattr(task, "_metric_fn_list"):
        return set(task._metric_fn_list)
    return {metric.name for scorer in task.scorers for metric in scorer.metrics or ()}


def set_up(config: Mapping[str, Any]) -> dict[str, Any]:
    """A task's configuration for the constructor of lm-eval's class.

    Without the key `class`, and with a `process_results`: where a method does that, lm-eval 0.4 would look the metrics up in its
    own registry.
    """
    return {"process_results": "process_results", **{key: value for key, value in config.items() if key != "class"}}
