"""What the pack uses of lm-eval beyond its documented interface. Nothing of lm-eval is replaced.

If a release of lm-eval changes one of these things, only this module has to change.
"""

from __future__ import annotations

import functools
import logging
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import lm_eval.api.metrics  # noqa: F401 (registers lm-eval's aggregations)
from lm_eval.api.registry import aggregation_registry, register_aggregation
from lm_eval.utils import env

from .metrics.overlap import corpus_chrf


if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import FrameType

    from lm_eval.api.instance import Instance


# lm-eval compiles a Jinja template again for every row, which takes longer than rendering it.
template = functools.cache(env.from_string)

# lm-eval repeats this hint for every task whose rows come from a function. For the pack's tasks it is left out.
_HINT = "Custom kwargs can be passed to `--metadata`"
_OF_THE_PACK = ("sea_", "seahelm_", "sailcompass_")
logging.getLogger("lm_eval.api.task").addFilter(
    lambda record: not (_HINT in str(record.msg) and str(record.msg).startswith(_OF_THE_PACK))
)


def log_as_lm_eval() -> None:
    """Shows the pack's log like lm-eval's, unless the user has set up logging."""
    of_lm_eval, of_pack = logging.getLogger("lm_eval"), logging.getLogger("lm_eval_sea")
    if of_lm_eval.handlers and not logging.getLogger().handlers and not of_pack.handlers:
        of_pack.setLevel(of_lm_eval.level)
        for handler in of_lm_eval.handlers:
            of_pack.addHandler(handler)


log_as_lm_eval()

# Checkouts from before the release 0.4.13 have no chrF++.
if "chrf++" not in aggregation_registry:
    register_aggregation("chrf++")(corpus_chrf)


def model_under_evaluation() -> Any | None:
    """The model that lm-eval is building requests for, or None outside an evaluation.

    lm-eval has no hook for this: `lm_eval.evaluator.evaluate` calls `Task.build_all_requests` with the model's rank, its chat
    template and the name of its tokenizer, but not with the model, which is in its variable `lm`. A task's metadata have only the
    text of `--model_args`, and not even that when lm-eval is called from Python. `upstream/patches` has a change to lm-eval.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == "evaluate" and frame.f_globals.get("__name__") == "lm_eval.evaluator":
            return frame.f_locals.get("lm")
        frame = frame.f_back
    return None


def another_request(request: Instance, arguments: tuple[str, str], index: int) -> Instance:
    """A further request for the same row, with its two texts and its number among the requests of the row."""
    return replace(request, arguments=arguments, idx=index, resps=[], filtered_resps={})


def metric_names(task: Any) -> set[str]:
    """The metrics that are asked of a task; with `--predict_only`, none of its own."""
    return set(task._metric_fn_list)


def set_up(config: Mapping[str, Any]) -> dict[str, Any]:
    """A task's configuration for the constructor of lm-eval's class.

    It lacks the key `class` and has a `process_results`. Without one, lm-eval would look the metrics up in its own registry.
    """
    return {"process_results": "process_results", **{key: value for key, value in config.items() if key != "class"}}
