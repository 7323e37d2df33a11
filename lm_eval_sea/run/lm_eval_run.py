"""The parts of `lm_eval run` after its arguments, each lm-eval's own: model → `simple_evaluate` → loggers.

The chain is ours, so that a request can be checked before the model is loaded and the answers can be kept.
"""

from __future__ import annotations

import importlib.util
import inspect
import logging
import os
import random
import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from lm_eval_sea.catalogue.names import meant
from lm_eval_sea.models import class_of
from lm_eval_sea.models.attention import has_rare_heads, plain_attention
from lm_eval_sea.models.server_parameters import ServerError
from lm_eval_sea.models.whole_weights import IncompleteWeights, whole_weights
from lm_eval_sea.results.secrets import KnownSecrets
from lm_eval_sea.run.failing_tasks import ServerFaultError, TasksFailedError, blame, is_of_machine
from lm_eval_sea.run.guarded_cache import GuardedCache
from lm_eval_sea.run.request import CHAT_API, DEBUG, RunError, in_one_line

# What `simple_evaluate` and `EvaluatorConfig` both have, under the same names.
_PASSED_ON = (
    "model_args", "num_fewshot", "batch_size", "max_batch_size", "device", "limit", "samples", "check_integrity", "write_out",
    "log_samples", "system_instruction", "apply_chat_template", "fewshot_as_multiturn", "gen_kwargs", "verbosity", "predict_only",
    "confirm_run_unsafe_code", "metadata",
)  # fmt: skip
_SEEDS = ("random_seed", "numpy_random_seed", "torch_random_seed", "fewshot_random_seed")
# Python's message about an unknown argument.
_UNEXPECTED = re.compile(r"(\w+)(?:\.__init__)?\(\) got an unexpected keyword argument '(.*?)'")

logger = logging.getLogger("lm_eval_sea")


def make_tracker(config: Any) -> Any:
    """lm-eval's `EvaluationTracker`, which writes results."""
    from lm_eval.loggers import EvaluationTracker

    settings = dict(config.hf_hub_log_args)
    for pushed, flag in (("push_results_to_hub", "output_path"), ("push_samples_to_hub", "log_samples")):
        if settings.get(pushed) and not getattr(config, flag):  # lm-eval pushes the files that it has written
            raise RunError(f"--hf_hub_log_args {pushed}: there would be nothing to push; add --{flag}")
    if config.output_path:
        settings["output_path"] = config.output_path
    if token := os.environ.get("HF_TOKEN"):
        settings["token"] = token
    try:
        return EvaluationTracker(**settings)
    except Exception as error:  # an unknown argument, no token, or one that the hub does not know
        raise RunError(f"--hf_hub_log_args: {in_one_line(error)}") from error


def make_model(config: Any) -> Any:
    """The backend's model, loaded as `simple_evaluate` does."""
    import numpy
    from lm_eval.utils import set_torch_seed

    # as in `simple_evaluate`, before it makes a model: weights that a checkpoint lacks are drawn at random
    for seed, set_seed in zip(config.seed or (), (random.seed, numpy.random.seed, set_torch_seed), strict=False):
        if seed is not None:
            set_seed(seed)
    own = {name: getattr(config, name) for name in ("batch_size", "max_batch_size", "device")}
    logger.info("loading %s with %s", config.model, config.model_args)
    try:
        with whole_weights(adapters="peft" in config.model_args):
            made = class_of(config.model).create_from_arg_obj(config.model_args, own)
        if config.model == CHAT_API:
            made.expect(config.system_instruction, config.gen_kwargs or {})
        return made
    except IncompleteWeights as error:
        raise RunError(f"--model_args: {in_one_line(error)}") from error
    except ServerError as error:
        raise RunError(f"--model {config.model}: {error}") from error
    except Exception as error:  # backends can raise anything
        logger.debug("the model cannot be loaded", exc_info=error)
        if (said := _UNEXPECTED.search(str(error))) and said[2] in config.model_args:
            backends = (each for each in class_of(config.model).__mro__ if "__init__" in vars(each))
            like = meant(said[2], {name for each in backends for name in inspect.signature(each.__init__).parameters}, 1)
            hint = "; name a checkpoint that is quantised" if said[2].startswith("load_in_") else like
            hint = "; the key is read from OPENAI_API_KEY" if said[2] == "api_key" else hint
            raise RunError(f"--model_args: {said[1]} takes no argument {said[2]!r}{hint}") from error
        what = f"{type(error).__name__}: {in_one_line(error)}"
        if "base_url" in config.model_args and not {"tokenizer", "tokenizer_backend"} & set(config.model_args):
            raise RunError(f"--model_args: name the tokenizer, a folder or one of the hub, with tokenizer= ({what})") from error
        raise RunError(f"the model cannot be loaded ({what}); {DEBUG} shows where") from error


def _attention(model: Any) -> AbstractContextManager[None]:
    """Keeps lm-eval's `hf` from writing wrong texts on a GPU, where prompts that are padded to a batch have masks."""
    config: Any = getattr(getattr(model, "model", None), "config", None)  # of a model of transformers
    concerned = hasattr(config, "get_text_config") and has_rare_heads(config.get_text_config())
    return plain_attention() if concerned else nullcontext()


def evaluate(
    config: Any,
    model: Any,
    tasks: Sequence[Any],
    task_manager: Any,
    tracker: Any,
    use_cache: str | None,
    secrets: KnownSecrets,
) -> dict[str, Any] | None:
    """Returns the results, as lm-eval's `simple_evaluate` does; None on all ranks but the first.

    Raises `RunError` if a task lacks its tokenizer or a server does not answer, `TasksFailedError` if tasks cannot be scored.
    """
    from lm_eval.evaluator import simple_evaluate

    attention = _attention(model)
    if use_cache is not None:  # as `simple_evaluate` does, under a launcher of several processes too
        rank = model.rank or int(os.environ.get("LOCAL_RANK", "0"))
        model = GuardedCache(model, f"{use_cache}_rank{rank}.db", secrets)
    seeds = dict(zip(_SEEDS, config.seed or [None] * len(_SEEDS), strict=True))
    try:
        with attention:
            results: dict[str, Any] | None = simple_evaluate(
                model=model,
                tasks=tasks,
                task_manager=task_manager,
                evaluation_tracker=tracker,
                **{name: getattr(config, name) for name in _PASSED_ON},
                **config.cache_requests,
                **seeds,
            )
    except ServerError as error:
        raise ServerFaultError(str(error)) from error
    except Exception as error:
        # by name: the folder of tasks is imported under another name, so its classes differ
        if type(error).__name__ == "TokenizerError":
            raise RunError(str(error)) from error
        if isinstance(error, TasksFailedError | RunError) or is_of_machine(error) or model.world_size > 1:
            raise
        if failed := blame(error):
            logger.debug("a task cannot be scored", exc_info=error)
            raise failed from error
        raise
    if results is not None:  # lm-eval notes only the class of a model object
        results["config"]["use_cache"] = use_cache
        results["config"]["model"] = tracker.general_config_tracker.model_source = config.model
    return results


def make_experiment_loggers(config: Any) -> list[Any]:
    """lm-eval's loggers for Weights & Biases and Trackio, where the user asks for them."""
    from lm_eval.loggers import TrackioLogger, WandbLogger

    for package, given in (("wandb", config.wandb_args), ("trackio", config.trackio_args)):
        if given and importlib.util.find_spec(package) is None:
            raise RunError(f"--{package}_args needs the package {package}: pip install {package}")
    loggers = [WandbLogger(config.wandb_args, config.wandb_config_args)] if config.wandb_args else []
    return [*loggers, TrackioLogger(config.trackio_args)] if config.trackio_args else loggers


def log_experiment(loggers: Sequence[Any], results: dict[str, Any], samples: Mapping[str, Any] | None) -> None:
    """Passes results to the loggers of `make_experiment_loggers`; a failure is only logged."""
    for each in loggers:
        try:
            each.post_init(results)
            each.log_eval_result()
            if samples:
                each.log_eval_samples(samples)
            each.finish() if hasattr(each, "finish") else each.run.finish()
        except Exception as error:
            logger.warning("logging to %s failed: %s", type(each).__name__, in_one_line(error))
