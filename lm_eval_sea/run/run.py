"""One run from its arguments to its table."""

from __future__ import annotations

import argparse
import contextlib
import functools
import json
import logging
import math
import os
import sys
import traceback
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from lm_eval_sea.catalogue.fetch import mixed_mirrors
from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.results.power import limit_to_see
from lm_eval_sea.results.secrets import KnownSecrets, masked_results, masked_text, secrets_in, secrets_of_environment
from lm_eval_sea.run import answer_cache, lm_eval_run
from lm_eval_sea.run.answer_cache import check_trusted
from lm_eval_sea.run.answer_limits import add_default_room, add_thinking_tokens, fit_to_window, thinking_tokens
from lm_eval_sea.run.api_server import CHAT_API, chats, check_api_server, prepare_for_chat_api
from lm_eval_sea.run.chat_template import TemplateUse, check_template_of_model, load_tokenizer
from lm_eval_sea.run.failing_tasks import ServerFaultError, TasksFailedError, WithoutTasksError, what_failed
from lm_eval_sea.run.language import beside_language, names_of_language
from lm_eval_sea.run.model_check import (
    check_arguments,
    check_backend,
    check_choices_follow_thoughts,
    check_constraints,
    check_folders,
    check_generation,
    check_named_tokenizer,
    check_positions,
    reads_folders,
)
from lm_eval_sea.run.output_folder import check_space, probe, save
from lm_eval_sea.run.output_streams import guarded_output
from lm_eval_sea.run.request import (
    DEBUG,
    RunError,
    check_exemplars,
    check_include_paths,
    check_limit,
    check_names,
    check_numbers,
    check_request,
    check_samples,
    in_one_line,
    unknown_names,
)
from lm_eval_sea.run.seeds import mark_complete, runs_of, sampling_values
from lm_eval_sea.run.server_replies import check_replies
from lm_eval_sea.run.thinking import MODES
from lm_eval_sea.run.thinking_mode import check_mode, check_thoughts_reach_tasks, use_template
from lm_eval_sea.run.warnings_once import warnings_once
from lm_eval_sea.run.workload import planned
from lm_eval_sea.tasks._shared.facts import facts

_DEFAULT_DEVICE = "cuda:0"  # of lm-eval's `EvaluatorConfig`

HELP = """\
The flags are those of `lm_eval run`, listed below; the tasks of this pack and the model `hf-shared-prefix` are known to it.

examples:
  lm-eval-sea run --model hf-shared-prefix --model_args pretrained=MODEL --tasks sea_sailcompass --batch_size 16
  lm-eval-sea run --model vllm --model_args pretrained=MODEL --tasks sea_xnli --output_path results --log_samples
  lm-eval-sea run --model hf-shared-prefix --model_args pretrained=MODEL --language th --output_path results
  lm-eval-sea run --model hf-shared-prefix --model_args pretrained=MODEL --language th --lite --output_path results
  lm-eval-sea run --model hf-shared-prefix --model_args pretrained=MODEL --tasks arc_easy      tasks of lm-eval work, too
"""


class InterruptedRunError(RunError):
    """The run was interrupted; one line that says how to go on."""

    status = 130


class UnexpectedError(RunError):
    """A run ended where nobody thought of it; one line that says what is kept."""

    status = 1


@dataclass
class _Run:
    """One run of lm-eval, and what is left of it when it is interrupted."""

    config: Any  # lm-eval's `EvaluatorConfig`
    secrets: KnownSecrets  # grows as more is known of the run
    skip_missing: bool
    resume: bool | None
    thinking: str
    thinking_tokens: int | str | None  # "2048x": of English ones
    device_given: bool  # on the command line
    sampling: str
    date: datetime | None  # what a chat template takes for today
    beside: Sequence[str] = ()  # lm-eval's own tasks of a language, without which a run goes on
    detect: float | None = None  # points by which two models differ
    template: TemplateUse | None = None  # as it was checked
    failed: list[str] = field(default_factory=list)  # a line for each task that could not be scored
    held: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)  # until the run has ended
    kept_in: str | None = None  # the answers, while the model works; as lm-eval's `use_cache` names the place

    def carry_out(self) -> bool:
        """Checks what can be checked without the model, evaluates, writes the results and prints their table.

        Returns:
            Whether all results are here; they are on the first rank only, and none of them may be for want of an answer.

        Raises:
            RunError: for a mistake that can be named before the first answer.
            ResultsNotWrittenError: if the results are not where they were wanted.
        """
        from lm_eval_sea.run.answering import AnsweringModel
        from lm_eval_sea.run.task_loading import RunTasks, load_beside, load_tasks, unreadable

        config = self.config
        check_backend(config.model)
        # lm-eval's default is a GPU, in whose place it takes the CPU
        device = config.device if self.device_given or config.device != _DEFAULT_DEVICE else None
        check_arguments(config.model, config.model_args, device, config.metadata)
        check_folders(config.model, config.model_args)
        check_positions(config.model, config.model_args)
        prepare_for_chat_api(config)
        check_mode(config, self.thinking)
        if self.sampling == "model":
            config.gen_kwargs = sampling_values(config.model_args, config.gen_kwargs, "--sampling model")
        if config.output_path:
            probe(config.output_path)
        if config.cache_requests.get("cache_requests"):
            check_trusted(lm_eval_run.requests_folder(), "--cache_requests")
        experiment, tracker = lm_eval_run.make_experiment_loggers(config), lm_eval_run.make_tracker(config)
        names = config.tasks.split(",") if isinstance(config.tasks, str) else list(config.tasks)
        check_names(names)
        check_limit(config.limit)
        check_numbers(config.batch_size, config.max_batch_size, config.gen_kwargs or {})
        check_generation(config.model, config.gen_kwargs or {})
        names = [name for name in names if name not in self.beside]
        manager = RunTasks([*names, *self.beside], [config.include_path] if config.include_path else [], config.metadata)
        found = manager.names()
        if unknown := [name for name in names if not found[name]]:
            broken = unreadable(config.include_path)
            # what is missing is rather in a file that cannot be read than called otherwise
            raise RunError("; ".join([unknown_names(unknown, [] if broken else manager.known()), *broken]))
        beside, not_here = load_beside(manager, self.beside)
        wanted, tasks, left_out = load_tasks(
            manager, list(dict.fromkeys(sum((found[name] for name in [*names, *beside]), []))), skip_missing=self.skip_missing
        )
        left_out += not_here
        if self.detect is not None:
            scored = [of for task in tasks.values() if (of := planned(task, len(task.eval_docs))).rows]
            if not scored:
                raise RunError(f"--detect {self.detect:g}: no task of this run has a score in points; give --limit")
            config.limit = limit_to_see(self.detect, scored)
            logging.getLogger("lm_eval_sea").info("--detect %g: --limit %d", self.detect, config.limit)
        self.secrets.add(secrets_in([task.config.dataset_kwargs for task in tasks.values()]))
        self._check(tasks)
        use_cache = self._answers_kept_in(tasks)
        self.held.enter_context(answer_cache.alone_with(use_cache) if use_cache else contextlib.nullcontext())
        # of a run's own cache only: another place stays when the run is done, and a run anew is to draw anew
        seeds = config.seed[:3] if use_cache and not config.use_cache else None
        digest = answer_cache.digest_of_weights(config.model_args)
        loaded = lm_eval_run.make_model(config)
        check_replies(loaded)
        use_template(loaded, self.template, config.model, self.thinking, tasks)
        model = AnsweringModel(loaded, config.model, tasks, seeds)
        while True:
            try:
                results = lm_eval_run.evaluate(config, model, wanted, manager, tracker, use_cache)
                break
            except TasksFailedError as error:
                self._leave_out(error.reasons)
                wanted = manager.drop(error.reasons)
                model.begin_again()
                if not wanted:
                    raise WithoutTasksError("\n  ".join(self.failed)) from error
        if results is None:
            return False
        from lm_eval_sea.results.read import of_results  # imports half a second of statistics
        from lm_eval_sea.results.table import table_of

        if self.failed:
            results["config"]["failed_tasks"] = self.failed
        results["config"]["weights_digest"] = digest
        results["config"]["template_date"] = self.date and self.date.date().isoformat()
        if model.unknown_tokens:
            results["config"]["unknown_tokens"] = model.unknown_tokens
        results["config"]["thinking"] = self.thinking if config.apply_chat_template else None
        results = self._without_secrets(results, tracker.general_config_tracker)
        template = tracker.general_config_tracker.chat_template_sha  # lm-eval adds it as it writes the results
        table = table_of(of_results(results | {"chat_template_sha": template}))
        samples = results.pop("samples", None) if config.log_samples else None
        if config.show_config:
            from lm_eval.utils import handle_non_serializable

            print(json.dumps(results, indent=2, default=handle_non_serializable, ensure_ascii=False))
        lm_eval_run.log_experiment(experiment, results, samples)
        try:
            save(tracker, results, samples)
        finally:
            print(table + "".join(f"left out: {line}\n" for line in left_out))
        if tracker.push_results_to_hub or tracker.push_samples_to_hub:
            tracker.recreate_metadata_card()
        if use_cache and (failed := answer_cache.forget_failures(use_cache)):
            line = f"requests without an answer, which count as failed: {failed:,}; the same command asks for them"
            logging.getLogger("lm_eval_sea").warning(line)
            return False
        if self.failed:
            return False
        if use_cache and not config.use_cache:
            answer_cache.remove(use_cache)
        return True

    def _leave_out(self, reasons: Mapping[str, str]) -> None:
        for name, reason in reasons.items():
            self.failed.append(f"{name} failed, and is not scored: {reason}")
            logging.getLogger("lm_eval_sea").error("%s; the other tasks go on", self.failed[-1])

    def _without_secrets(self, results: dict[str, Any], said_of_run: Any) -> dict[str, Any]:
        """Results and rows as they may be shown and written; `said_of_run` is what lm-eval adds as it writes them."""
        for name, value in vars(said_of_run).items():
            if isinstance(value, str):
                setattr(said_of_run, name, self.secrets.masked(masked_text(value) if name.startswith("model") else value))
        for rows in results.get("samples", {}).values():
            for number, row in enumerate(rows):
                rows[number] = self.secrets.masked_row(row)
        return masked_results(results)

    def _check(self, tasks: Mapping[str, Any]) -> None:
        """What needs the rows, and no model."""
        config = self.config
        check_exemplars(tasks, config.num_fewshot)
        for line in mixed_mirrors(str(facts(task.config.metadata or {}).get("data_source")) for task in tasks.values()):
            logging.getLogger("lm_eval_sea").warning("%s", line)
        if config.samples is not None:
            check_samples(config.samples, {name: len(task.eval_docs) for name, task in tasks.items()})
        if config.output_path and config.log_samples:
            check_space(config.output_path, tasks, config.limit)
        check_api_server(config.model, config.model_args, tasks, apply_chat_template=config.apply_chat_template)
        check_constraints(config.model, tasks)
        check_named_tokenizer(config.model, config.model_args, config.metadata, tasks.values())
        if self.date is not None and not (config.apply_chat_template and reads_folders(config.model)):
            raise RunError("--date is that of a chat template; it goes with --apply_chat_template, and no server takes it")
        if config.apply_chat_template:
            multiturn = bool(config.fewshot_as_multiturn) and config.num_fewshot != 0
            check_thoughts_reach_tasks(tasks, self.thinking, config.model_args.get("think_end_token"))
            self.template = check_template_of_model(
                config.model_args,
                tasks,
                apply=config.apply_chat_template,
                multiturn=multiturn,
                system_instruction=config.system_instruction,
                thinking=self.thinking if reads_folders(config.model) else "template",
                date=self.date,
            )
            if self.template is not None:
                if self.template.thinks:
                    check_choices_follow_thoughts(config.model_args, tasks)
                config.system_instruction = self.template.system_instruction
        self._set_answer_limits(tasks)

    def _set_answer_limits(self, tasks: Mapping[str, Any]) -> None:
        config = self.config
        is_local = reads_folders(config.model)
        thinks = self.template is not None and self.template.thinks if is_local else config.model_args.get("thinking") == "on"
        given = {"model_args": config.model_args, "gen_kwargs": config.gen_kwargs, "num_fewshot": config.num_fewshot}
        load = functools.cache(lambda: self.template.tokenizer if self.template else load_tokenizer(config.model_args))

        def count_tokens(text: str) -> int:
            tokenizer = load()
            return len(text if tokenizer is None else tokenizer(text).input_ids)

        if is_local:
            fit_to_window(tasks, **given, count_tokens=count_tokens)
        in_english = isinstance(self.thinking_tokens, str)
        if in_english or (thinks and is_local):
            from lm_eval_sea.run.premium import note_premiums  # imports scipy

            premiums = note_premiums(tasks, load(), flag=f"--thinking_tokens {self.thinking_tokens}" if in_english else "")
        if self.thinking_tokens is not None:
            number = int(str(self.thinking_tokens).removesuffix("x"))
            add_thinking_tokens(tasks, number, config.gen_kwargs, premiums if in_english else None)
        elif thinks and (is_local or config.model == CHAT_API):
            add_default_room(tasks, **given, count_tokens=count_tokens if is_local else None)

    def _answers_kept_in(self, tasks: Iterable[str]) -> str | None:
        """Where lm-eval keeps answers: the user's own place, or one below the results; never for two models the same."""
        own, output = self.config.use_cache, self.config.output_path
        if self.resume and not (own or output):
            raise RunError("--resume needs --output_path, where the answers of an interrupted run are kept")
        if not own and (not output or self.resume is False):
            return None
        key = answer_cache.key_of(self.config.model, self.config.model_args, tasks)
        if own:
            check_trusted(Path(own).parent, "--use_cache")
        self.kept_in = f"{own}_{key}" if own else answer_cache.prepare(output, key)
        found = answer_cache.check_databases(self.kept_in)
        if found and (found := found - answer_cache.forget_failures(self.kept_in)):
            logging.getLogger("lm_eval_sea").info("going on with %d answers of an earlier run (%s)", found, self.kept_in)
        return self.kept_in

    def what_is_kept(self) -> str:
        """How to go on after an interruption or a failure."""
        answers = 0
        if self.kept_in:
            with contextlib.suppress(RunError):  # the file was not whole yet
                answers = answer_cache.check_databases(self.kept_in)
        if answers:
            return f"the same command goes on where this one stopped, with the {answers:,} answers in {self.kept_in}"
        if self.resume is False:
            return "nothing is kept (without --no-resume a run goes on where it stopped)"
        if not self.config.output_path and not self.kept_in:
            return "nothing is kept (with --output_path a run goes on where it stopped)"
        return "there was no answer yet; the same command begins anew"


def run_parser() -> argparse.ArgumentParser:
    """The parser of `lm-eval-sea run`: lm-eval's arguments, and what is ours beyond them."""
    parser = lm_eval_run.run_parser()
    group = parser.add_argument_group("lm-eval-sea")
    group.add_argument(
        "--language",
        metavar="CODE",
        help="In the place of --tasks: sea_language_CODE, what a plain run of a language should have, which is its tasks of "
        "sea_sailcompass with translation both ways, sea_belebele_CODE_to_ppl and sea_helm_CODE; and lm-eval's own tasks of the "
        "language that docs/coverage.md lists, if their rows can be had",
    )
    group.add_argument(
        "--chat",
        action="store_true",
        help="With --language: sea_language_CODE_chat, whose data sets a chat model answers in its own words; a server that "
        "chats needs no flag",
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
        "--thinking",
        choices=MODES,
        default="template",
        help="With --apply_chat_template: whether the model thinks before it answers, by the switch of its template; template "
        "(default): as the template has it by itself. On and off are models of their own in reports",
    )
    group.add_argument(
        "--thinking_tokens",
        type=thinking_tokens,
        metavar="N",
        help="Tokens for thoughts, added to the limit (max_gen_toks) that each task has of its own; SEA-HELM adds 20000. With an "
        "x, 2048x: as many as hold what 2048 tokens hold in English, by the model's tokenizer and the language of the prompt. "
        "Default for a model that thinks: max_new_tokens of its generation config, or 8192, as far as its window has room",
    )
    group.add_argument(
        "--sampling",
        choices=("task", "model"),
        default="task",
        help="model: temperature, top_p and so on of the model's generation config; task (default): as each task has it, "
        "mostly greedy. --seeds N repeats a run",
    )
    group.add_argument(
        "--date",
        metavar="YYYY-MM-DD",
        type=datetime.fromisoformat,
        help="With --apply_chat_template: what a template that writes the date takes for today, so that all runs ask the same",
    )
    group.add_argument(DEBUG, action="store_true", help="Show where an error came from")
    group.add_argument(
        "--detect",
        type=float,
        metavar="POINTS",
        help="In the place of --limit: as many rows of each task as show with a probability of 80 %% that two models differ by "
        "so many points in the mean of all tasks (of normalised scores)",
    )
    group.add_argument(
        "--skip_missing", action="store_true", help="Go on without tasks whose data is not here and cannot be downloaded"
    )
    return parser


def run(arguments: Sequence[str]) -> None:
    """Runs `lm_eval run` with these arguments.

    Raises:
        RunError: with the exit status of the command.
    """
    secrets = KnownSecrets()
    secrets.add(secrets_of_environment(os.environ))
    secrets.add(secrets_in(list(arguments)))
    with guarded_output(secrets):
        try:
            _run(arguments, secrets)
        except RunError as error:
            error.args = (secrets.masked(masked_text(str(error))),)
            raise


def _run(arguments: Sequence[str], secrets: KnownSecrets) -> None:
    arguments = arguments or ["--help"]
    debug = DEBUG in arguments
    if {"-h", "--help"} & set(arguments):
        print(HELP)
    from lm_eval.utils import setup_logging

    import lm_eval_sea.models  # noqa: F401 (registers the backends)
    from lm_eval_sea.tasks._shared.lm_eval_private import log_as_lm_eval

    setup_logging("DEBUG" if debug else "INFO")
    log_as_lm_eval()
    os.environ["TOKENIZERS_PARALLELISM"] = "false"  # as lm-eval's own command line does
    try:
        parsed = run_parser().parse_args(arguments)
    except RunError:
        raise
    except ValueError as error:  # JSON that lm-eval cannot read
        raise RunError(in_one_line(error)) from error
    secrets.add(lm_eval_run.secrets_of(parsed))
    own = vars(parsed)
    named = ("skip_missing", "resume", "thinking", "thinking_tokens", "sampling", "date", "detect")
    options = {name: own.pop(name) for name in named}
    options["device_given"] = parsed.device is not None
    own.pop("debug")
    seeds = own.pop("seeds")
    language, lite, chat = own.pop("language"), own.pop("lite"), own.pop("chat")
    if language is not None:
        if parsed.tasks:
            raise RunError("--language takes the place of --tasks; give one of them")
        chat = chat or (not lite and chats(parsed.model or ""))
        options["beside"] = beside_language(language, lite=lite, chat=chat)
        parsed.tasks = [*names_of_language(read_tasks(), language, lite=lite, chat=chat), *options["beside"]]
    elif lite:
        raise RunError("--lite goes with --language; without it name the lite tasks, such as --tasks sea_lite")
    elif chat:
        raise RunError("--chat goes with --language; without it name the chat tasks, such as --tasks sea_sailcompass_chat")
    if options["detect"] is not None:
        if parsed.limit is not None or parsed.samples is not None:
            raise RunError("--detect chooses how many rows are run, as --limit and --samples do; give one of them")
        if not 0 < options["detect"] < math.inf:
            raise RunError(f"--detect {options['detect']:g}: expected a number of points above 0, such as 5")
    check_include_paths([parsed.include_path] if parsed.include_path else [])
    if not parsed.include_path:  # else a name may be one of the user's
        check_request(parsed.tasks or [], parsed.num_fewshot, parsed.limit)
    failed: list[str] = []
    if seeds is None:
        wanted: Iterable[tuple[argparse.Namespace, Path | None]] = [(parsed, None)]
    else:
        decisive = [options[name] for name in ("thinking", "thinking_tokens", "sampling")]
        # marks of versions without these stay valid
        decisive += [value for name in ("date", "detect") if (value := options[name]) is not None]
        wanted = runs_of(parsed, seeds, decisive)
    for each, mark in wanted:
        one = _Run(lm_eval_run.read_config(each), secrets, **options)
        if _run_once(one) and mark is not None:
            mark_complete(each, mark)
        failed += one.failed
    if failed:
        raise WithoutTasksError("\n  ".join(dict.fromkeys(failed)))


def _run_once(run: _Run) -> bool:
    try:
        with warnings_once(), run.held:
            return run.carry_out()
    except KeyboardInterrupt as error:
        _close(error)
        raise InterruptedRunError(f"interrupted; {run.what_is_kept()}") from error
    except ServerFaultError as error:
        _close(error)
        raise ServerFaultError(f"{error}; {run.what_is_kept()}") from error
    except RunError:
        raise
    except Exception as error:  # of lm-eval, a backend, a machine
        logging.getLogger("lm_eval_sea").debug("the run ended", exc_info=error)
        _close(error)
        raise UnexpectedError(f"{what_failed(error)}; {run.what_is_kept()}; {DEBUG} shows where") from error


def _close(error: BaseException | None) -> None:
    """Closes the file of answers and the progress bar, before the last line is said."""
    while error is not None:
        traceback.clear_frames(error.__traceback__)
        error = error.__cause__ or error.__context__
    print(file=sys.stderr)  # ends the line of the progress bar
