"""One run from its arguments to its table."""

from __future__ import annotations

import argparse
import logging
import traceback
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from lm_eval_sea.catalogue.task_list import TASKS_FOLDER, read_tasks
from lm_eval_sea.run import answer_cache
from lm_eval_sea.run.answering import Answering
from lm_eval_sea.run.api_server import check_api_server
from lm_eval_sea.run.chat_template import check_template_of_model
from lm_eval_sea.run.language import group_of_language
from lm_eval_sea.run.lm_eval_cli import Evaluate, LMEvalCommand, asked_through, raised_while_building, requests_folder
from lm_eval_sea.run.model_check import check_backend, check_folders, check_named_tokenizer
from lm_eval_sea.run.output_folder import ResultsNotWrittenError, check_space, failures_of_saving, probe, save_elsewhere
from lm_eval_sea.run.request import RunError, check_include_paths, check_request, check_samples, in_one_line
from lm_eval_sea.run.seeds import mark_complete, runs_of
from lm_eval_sea.run.task_loading import load_tasks
from lm_eval_sea.run.thinking import add_thinking_tokens
from lm_eval_sea.run.trusted_folder import check_trusted
from lm_eval_sea.run.warnings_once import PACK_LOGGER, warnings_as_of_lm_eval

HELP = """\
The flags are those of `lm_eval run`, listed below; the tasks of this pack and the model `hf-shared-prefix` are known to it.

examples:
  lm-eval-sea run --model hf-shared-prefix --model_args pretrained=MODEL --tasks sea_sailcompass --batch_size 16
  lm-eval-sea run --model vllm --model_args pretrained=MODEL --tasks sea_xnli --output_path results --log_samples
  lm-eval-sea run --model hf-shared-prefix --model_args pretrained=MODEL --language th --output_path results
  lm-eval-sea run --model hf-shared-prefix --model_args pretrained=MODEL --language th --lite --output_path results
  lm-eval-sea run --model hf-shared-prefix --model_args pretrained=MODEL --tasks arc_easy      tasks of lm-eval work, too
"""

SEEDS = ("random_seed", "numpy_random_seed", "torch_random_seed")


class InterruptedRunError(Exception):
    """The run was interrupted; one line that says how to go on."""


class _Evaluation:
    """What happens around lm-eval's `simple_evaluate`."""

    def __init__(self, skip_missing: bool, resume: bool | None, thinking_tokens: int | None) -> None:
        self._skip_missing = skip_missing
        self._thinking_tokens = thinking_tokens
        self._resume = resume
        self.kept_in: str | None = None  # the answers, while the model works
        self.cache: str | None = None  # the same, if this run made it
        self._left_out: list[str] = []
        self._table = ""
        self.tracker: Any = None
        self.results: dict[str, Any] | None = None
        self.samples: dict[str, list[dict[str, Any]]] | None = None

    def evaluate(self, simple_evaluate: Evaluate, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
        """Checks what can be checked without the model, and evaluates; keeps what is needed when lm-eval has saved."""
        from lm_eval_sea.results.summary import summary_of_results

        model, model_args = arguments["model"], arguments["model_args"]
        named = model_args if isinstance(model_args, Mapping) else {}
        check_backend(model)
        check_folders(model, named)
        self.tracker = arguments["evaluation_tracker"]
        output, logs = self.tracker.output_path, arguments["log_samples"]
        if output:
            probe(output)
        if arguments["cache_requests"]:
            check_trusted(requests_folder(), "--cache_requests")
        wanted, tasks, self._left_out = load_tasks(arguments["task_manager"], arguments["tasks"], skip_missing=self._skip_missing)
        if self._thinking_tokens is not None:
            add_thinking_tokens(tasks, self._thinking_tokens, arguments["gen_kwargs"] or {})
        if arguments["samples"] is not None:
            check_samples(arguments["samples"], {name: len(task.eval_docs) for name, task in tasks.items()})
        if output and logs:
            check_space(output, tasks, arguments["limit"])
        check_api_server(model, tasks, apply_chat_template=arguments["apply_chat_template"])
        check_named_tokenizer(model, named, arguments["metadata"] or {}, tasks.values())
        if arguments["apply_chat_template"]:
            multiturn = bool(arguments["fewshot_as_multiturn"]) and arguments["num_fewshot"] != 0
            check_template_of_model(model_args, tasks, apply=arguments["apply_chat_template"], multiturn=multiturn)
        use_cache = self._use_cache(arguments, tasks)
        # of a run's own cache only: another place stays when the run is done, and a run anew is to draw anew
        seeds = [arguments[name] for name in SEEDS] if self.cache else None
        with asked_through(model, Answering(model, tasks, seeds)):
            try:
                results = simple_evaluate(**{**arguments, "tasks": wanted, "use_cache": use_cache})
            except Exception as error:  # backends raise what they like
                # by its name: the folder of tasks is a package of its own name, and so are its classes
                if type(error).__name__ == "TokenizerError":
                    raise RunError(str(error)) from error
                if not raised_while_building(error):
                    raise
                logging.getLogger(PACK_LOGGER).debug("the model cannot be loaded", exc_info=error)
                what = f"{type(error).__name__}: {in_one_line(error)}"
                raise RunError(f"the model cannot be loaded ({what}); LMEVAL_LOG_LEVEL=debug shows where") from error
        if results is not None:  # it is None on all ranks but the first
            self._table = summary_of_results(results)
            self.results = results
            if output and logs:  # lm-eval takes the samples out of the results, and changes them while it writes them
                self.samples = {name: [dict(row) for row in rows] for name, rows in results["samples"].items()}
        return results

    def _use_cache(self, arguments: Mapping[str, Any], tasks: Iterable[str]) -> str | None:
        """Where lm-eval keeps answers: the user's own place, or one below the results; never for two models the same."""
        own, output = arguments["use_cache"], self.tracker.output_path
        if self._resume and not (own or output):
            raise RunError("--resume needs --output_path, where the answers of an interrupted run are kept")
        if not own and (not output or self._resume is False):
            return None
        model_args = arguments["model_args"]
        key = answer_cache.key_of(arguments["model"], model_args if isinstance(model_args, Mapping) else {"": model_args}, tasks)
        if own:
            check_trusted(Path(own).parent, "--use_cache")
        use_cache = f"{own}_{key}" if own else answer_cache.prepare(output, key)
        if found := answer_cache.check_databases(use_cache):
            logging.getLogger(PACK_LOGGER).info("going on with %d answers of an earlier run (%s)", found, use_cache)
        self.kept_in, self.cache = use_cache, None if own else use_cache
        return use_cache

    def what_is_kept(self) -> str:
        """How to go on after an interruption."""
        answers = 0
        if self.kept_in:
            with suppress(RunError):  # the file was not whole yet
                answers = answer_cache.check_databases(self.kept_in)
        if answers:
            return f"the same command goes on where this one stopped, with the {answers:,} answers in {self.kept_in}"
        if self._resume is False:
            return "nothing is kept (without --no-resume a run goes on where it stopped)"
        if self.tracker is not None and not self.tracker.output_path and not self.kept_in:
            return "nothing is kept (with --output_path a run goes on where it stopped)"
        return "there was no answer yet; the same command begins anew"

    def table(self, results: Mapping[str, Any], column: str = "results", **_: Any) -> str:
        """What is printed in the place of lm-eval's table. Groups stand below the tasks in the same one."""
        if column == "groups":
            return ""
        return self._table + "".join(f"left out: {line}\n" for line in self._left_out)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what `lm-eval-sea run` has beyond lm-eval's arguments."""
    group = parser.add_argument_group("lm-eval-sea")
    group.add_argument(
        "--language",
        metavar="CODE",
        help="In the place of --tasks: sea_language_CODE, what a plain run of a language should have, which is its tasks of "
        "sea_sailcompass with translation both ways, sea_belebele_CODE_to_ppl and sea_helm_CODE",
    )
    group.add_argument("--lite", action="store_true", help="With --language: at most 100 rows of each task, always the same ones")
    group.add_argument(
        "--resume",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="Keep the model's answers below --output_path until the results are written, so that the same command goes on where "
        "an interrupted run stopped (default with --output_path)",
    )
    group.add_argument(
        "--seeds",
        type=int,
        metavar="N",
        help="N runs with sampled answers into folders seed_1 … seed_N of --output_path. Temperature and so on are those of the "
        "model's generation config, or of --gen_kwargs. Seeds that have all results of this request are left out; an interrupted "
        "one goes on. With --metadata first_turn=FOLDER each seed takes the answers of its own, FOLDER/seed_K",
    )
    group.add_argument(
        "--thinking_tokens",
        type=int,
        metavar="N",
        help="Tokens for thoughts, added to the limit (max_gen_toks) that each task has of its own; SEA-HELM adds 20000",
    )
    group.add_argument(
        "--skip_missing", action="store_true", help="Go on without tasks whose data is not here and cannot be downloaded"
    )


def run(arguments: Sequence[str]) -> None:
    """Runs `lm_eval run` with these arguments.

    Raises:
        RunError: for a mistake that can be named before a model is loaded.
        ResultsNotWrittenError: if the results are not where they were wanted.
    """
    if not arguments or {"-h", "--help"} & set(arguments):
        print(HELP)
    from lm_eval.utils import setup_logging

    import lm_eval_sea.models  # noqa: F401 (registers the backends)

    setup_logging()
    command = LMEvalCommand()
    add_arguments(command.parser)
    parsed = command.parse(arguments)
    own = vars(parsed)
    options = {name: own.pop(name) for name in ("skip_missing", "resume", "thinking_tokens")}
    seeds = own.pop("seeds")
    language, lite = own.pop("language"), own.pop("lite")
    if language is not None:
        if parsed.tasks:
            raise RunError("--language takes the place of --tasks; give one of them")
        parsed.tasks = [group_of_language(read_tasks(), language, lite=lite)]
    elif lite:
        raise RunError("--lite goes with --language; without it name the lite tasks, such as --tasks sea_lite")
    folder = getattr(parsed, "include_path", None)
    check_include_paths([folder] if folder else [])
    if folder is None:  # else a name may be one of the user's
        check_request(parsed.tasks or [], getattr(parsed, "num_fewshot", None), getattr(parsed, "limit", None))
    parsed.include_path = [str(TASKS_FOLDER), folder] if folder else str(TASKS_FOLDER)
    if seeds is None:
        _run_once(command, parsed, _Evaluation(**options))
        return
    for each, mark in runs_of(parsed, seeds, options["thinking_tokens"]):
        evaluation = _Evaluation(**options)
        _run_once(command, each, evaluation)
        if evaluation.results is not None:  # it is None on all ranks but the first
            mark_complete(each, mark)


def _run_once(command: LMEvalCommand, parsed: argparse.Namespace, evaluation: _Evaluation) -> None:
    try:
        with warnings_as_of_lm_eval(), failures_of_saving() as failures:
            command.execute(parsed, evaluation.evaluate, evaluation.table)
    except KeyboardInterrupt as error:
        traceback.clear_frames(error.__traceback__)  # closes the file of answers and the progress bar before the last line
        raise InterruptedRunError(f"interrupted; {evaluation.what_is_kept()}") from error
    if failures.count and evaluation.results is not None:
        wanted = evaluation.tracker.output_path
        folder = save_elsewhere(evaluation.tracker, evaluation.results, evaluation.samples)
        raise ResultsNotWrittenError(f"the results could not be written to {wanted}; they are in {folder}")
    if evaluation.cache and evaluation.results is not None:
        answer_cache.remove(evaluation.cache)
