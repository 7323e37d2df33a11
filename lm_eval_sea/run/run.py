"""One run from its arguments to its table: a chain of parts, each explained where it is.

    read_arguments                       what is asked, of lm-eval and of us
    _Run.check_model                     is there such a model, and can it do what the flags say?
    _Run.load_tasks                      the tasks with their rows
    _Run.check_tasks                     do rows, model, chat template and flags go together?
    lm_eval_run.make_model, evaluate     lm-eval's own, with answers kept on disk and tasks that fail left out
    _Run.write                           table and files, without secrets

Each part refuses with a `RunError`: one line that says how to fix it.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import json
import logging
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lm_eval_sea.catalogue.fetch import mixed_mirrors
from lm_eval_sea.models.generated_text import as_written
from lm_eval_sea.results.read import of_results
from lm_eval_sea.results.secrets import KnownSecrets, masked_results, masked_text, secrets_in, secrets_of_environment
from lm_eval_sea.results.settings import refused_text
from lm_eval_sea.results.visible_text import some_names
from lm_eval_sea.run import answer_cache, lm_eval_run, model_check, model_files, request
from lm_eval_sea.run.answer_limits import set_limits
from lm_eval_sea.run.answering import AnsweringModel, what_servers_said
from lm_eval_sea.run.api_server import check_api_server, check_replies, prepare_for_chat_api
from lm_eval_sea.run.arguments import HELP, read_arguments, read_config
from lm_eval_sea.run.chat_template import TemplateUse
from lm_eval_sea.run.failing_tasks import ServerFaultError, TasksFailedError
from lm_eval_sea.run.output_folder import check_space, probe, save
from lm_eval_sea.run.output_streams import guarded_output, warnings_once
from lm_eval_sea.run.request import DEBUG, FailedRunError, RunError, Tasks, in_one_line, what_failed
from lm_eval_sea.run.seeds import mark_complete, runs_of, sampling_values
from lm_eval_sea.run.task_loading import RunTasks, load_beside, load_tasks, unreadable
from lm_eval_sea.run.thinking_mode import check_mode, check_template, use_template
from lm_eval_sea.run.workload import check_prefix, limit_to_detect
from lm_eval_sea.tasks._shared.facts import facts
from lm_eval_sea.tasks._shared.lm_eval_private import log_as_lm_eval

_DEFAULT_DEVICE = "cuda:0"  # of lm-eval's `EvaluatorConfig`, which takes the CPU where there is no GPU

logger = logging.getLogger("lm_eval_sea")


class InterruptedRunError(RunError):
    """The run was interrupted; one line that says how to continue."""

    status = 130


@dataclass
class _Run:
    """One run of lm-eval, and what is left of it when it is interrupted."""

    config: Any  # lm-eval's `EvaluatorConfig`
    ours: argparse.Namespace  # the flags that lm-eval does not have
    device_given: bool  # on the command line
    secrets: KnownSecrets  # grows as more is known of the run
    use: TemplateUse | None = None  # of the chat template, as it was checked
    weights: str | None = None  # their digest, as it was checked
    failed: list[str] = field(default_factory=list)  # a line for each task that could not be scored
    unanswered: int = 0  # requests
    left_out: list[str] = field(default_factory=list)  # a line for each data set that is not here
    held: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)  # until the run has ended
    of_seeds: Path | None = None  # the folder of `--seeds`
    kept_in: str | None = None  # where answers are kept while the model works, as lm-eval's `use_cache` names it
    lacks_rights: bool = False  # whether the disk lets others change answers, so that none is kept

    def carry_out(self) -> bool:
        """Checks what can be checked without the model, evaluates, writes the results and prints their table.

        Returns whether the results have all tasks and no failed request; False on all ranks but the first.
        """
        config = self.config
        self.check_model()
        experiment, tracker = lm_eval_run.make_experiment_loggers(config), lm_eval_run.make_tracker(config)
        manager, wanted, tasks = self.load_tasks()
        self.check_tasks(tasks)
        use_cache = self._answers_kept_in(tasks)
        if use_cache:
            self.held.enter_context(answer_cache.alone_with(use_cache))
        # behind a server the limits depend on its first answer, which is kept with the others
        set_limits(config, tasks, self.use, self.ours.thinking_tokens, lambda: self.model, self._first_answer_in(use_cache))
        # only for a run's own cache: the user's stays after the run, and the next run must draw new answers
        seeds = config.seed[:3] if use_cache and not config.use_cache else None
        if model_files.reads_folders(config.model):
            check_prefix(self.model)
        check_replies(self.model)
        use_template(self.model, self.use, config.model, self.ours.thinking, tasks)
        model = AnsweringModel(self.model, config.model, tasks, seeds)
        while True:
            try:
                results = lm_eval_run.evaluate(config, model, wanted, manager, tracker, use_cache, self.secrets)
                break
            except TasksFailedError as error:
                for name, reason in error.reasons.items():
                    self.failed.append(self.secrets.masked(f"{name} failed, and is not scored: {reason}"))
                    logger.error("%s; the other tasks go on", self.failed[-1])
                wanted = manager.drop(error.reasons)
                model.begin_again()
                if not wanted:
                    raise FailedRunError("\n  ".join(self.failed)) from error
        if results is None:
            return False
        model.begin()  # not yet called if all answers were kept
        of_server = self.secrets.masked_row(what_servers_said(tasks))
        if refused := of_server.get("refused_parameters"):
            said = "requests differ from the configuration, because the server refuses parameters: %s"
            logger.warning(said, refused_text(refused))
        if most := of_server.get("prompts_cut_at"):
            logger.warning("prompts seem to be cut: the longest differ in length, but all have %s tokens", f"{most:,}")
        results["config"] |= {
            **({"failed_tasks": self.failed} if self.failed else {}),
            "weights_digest": self.weights,
            "template_date": self.ours.date and self.ours.date.date().isoformat(),
            **model.noted,
            **of_server,
            "thinking": self.ours.thinking if config.apply_chat_template else None,
        }
        self.write(results, tracker, experiment)
        self.unanswered = of_server.get("failed_requests", 0)
        if self.unanswered:
            text = "requests without an answer, which count as failed: %s; the same command asks for them"
            logger.warning(text, f"{self.unanswered:,}")
            return False
        if self.failed:
            return False
        if use_cache and not config.use_cache:
            kept = self.model.cache_hook.dbdict
            kept.close()  # Windows cannot remove an open file, and NFS renames it
            answer_cache.remove(use_cache, kept.used)
        return True

    @functools.cached_property
    def model(self) -> Any:
        """The backend's model; a server's is already made for the checks."""
        return lm_eval_run.make_model(self.config)

    def check_model(self) -> None:
        """Makes the checks that need neither rows nor weights."""
        config = self.config
        model_check.check_backend(config.model)
        device = config.device if self.device_given or config.device != _DEFAULT_DEVICE else None
        model_check.check_arguments(config.model, config.model_args, device)
        model_check.check_device(config.model, config.model_args, device)
        model_files.check_files(config.model, config.model_args)
        model_check.check_positions(config.model, config.model_args)
        model_check.warn_of_other_tokens(config.model, config.model_args)
        model_check.check_batch_size(config.model, config.batch_size, config.max_batch_size)
        check_settings(config, self.ours)
        if config.output_path:
            probe(config.output_path)
        if config.cache_requests.get("cache_requests"):
            from lm_eval.caching.cache import PATH  # where the pickles are

            answer_cache.check_trusted(Path(PATH), "--cache_requests")

    def load_tasks(self) -> tuple[Any, list[str], Mapping[str, Any]]:
        """lm-eval's `TaskManager`, what is to be run, and the tasks by name, with their rows."""
        config, beside = self.config, self.ours.beside
        names = config.tasks.split(",") if isinstance(config.tasks, str) else list(config.tasks)
        request.check_names(names)
        model_check.check_metadata(config.metadata or {}, config.model_args, names)
        request.check_limit(config.limit)
        names = [name for name in names if name not in beside]
        # an argument of the model, such as `variant`, would replace what a task says of itself
        of_model = model_check.STATED_BY_TASKS & set(config.model_args)
        metadata = {name: value for name, value in (config.metadata or {}).items() if name not in of_model}
        manager = RunTasks([*names, *beside], [config.include_path] if config.include_path else [], metadata)
        found = manager.names
        if unknown := [name for name in names if not found[name]]:
            broken = unreadable(config.include_path)
            # a missing name is more likely in an unreadable file than misspelt
            raise RunError("; ".join([request.unknown_names(unknown, [] if broken else manager.known()), *broken]))
        beside, not_here = load_beside(manager, beside)
        asked = list(dict.fromkeys(sum((found[name] for name in [*names, *beside]), [])))
        wanted, tasks, self.left_out = load_tasks(manager, asked, skip_missing=self.ours.skip_missing)
        if self.ours.skip_missing and (lacking := request.without_exemplars(tasks, config.num_fewshot)):
            self.left_out.append(f"{some_names(lacking)}: the exemplars are missing")
            if not (wanted := manager.drop(lacking)):
                raise RunError("\n  ".join(["the data of all tasks is missing", *self.left_out]))
            tasks = manager.load(wanted)["tasks"]
        self.left_out += not_here
        self.secrets.add(secrets_in([task.config.dataset_kwargs for task in tasks.values()]))
        return manager, wanted, tasks

    def check_tasks(self, tasks: Tasks) -> None:
        """Makes the checks that need rows but no model, and sets what depends on rows, such as their number."""
        config, detect = self.config, self.ours.detect
        if detect is not None:
            config.limit = limit_to_detect(detect, tasks, "--detect")
            logger.info("--detect %g: --limit %d", detect, config.limit)
        request.check_exemplars(tasks, config.num_fewshot)
        for line in mixed_mirrors(str(facts(task.config.metadata or {}).get("data_source")) for task in tasks.values()):
            logger.warning("%s", line)
        if config.samples is not None:
            request.check_samples(config.samples, {name: len(task.eval_docs) for name, task in tasks.items()})
            # lm-eval asks rows in the order of the task, but numbers the logged ones in the given order
            config.samples = {name: sorted(numbers) for name, numbers in config.samples.items()}
        if config.output_path and config.log_samples:
            check_space(config.output_path, tasks, config.limit)
        self.weights = answer_cache.digest_of_weights(config.model_args)
        model_check.check_first_turns(config.model_args, self.weights, tasks)
        self.use = check_use(config, self.ours, tasks, lambda: self.model)

    def write(self, results: dict[str, Any], tracker: Any, experiment: Sequence[Any]) -> None:
        """Prints the table, and writes what lm-eval's `EvaluationTracker` and loggers write, all without secrets."""
        from lm_eval_sea.results.table import table_of  # not before the model has answered

        config, described = self.config, tracker.general_config_tracker  # which adds to the results as they are written
        for name, value in vars(described).items():
            if isinstance(value, str):
                setattr(described, name, self.secrets.masked(masked_text(value) if name.startswith("model") else value))
        for rows in results.get("samples", {}).values():
            for place, row in enumerate(rows):  # one by one: samples may be larger than the model
                rows[place] = self.secrets.masked_row(as_written(row))
        results = masked_results(results)
        if config.predict_only:
            table = f"--predict_only: the answers are in {config.output_path}, and nothing is scored\n"
        else:
            table = table_of(of_results(results | {"chat_template_sha": described.chat_template_sha}))
        samples = results.pop("samples", None) if config.log_samples else None
        if config.show_config:
            from lm_eval.utils import handle_non_serializable

            print(json.dumps(results, indent=2, default=handle_non_serializable, ensure_ascii=False))
        lm_eval_run.log_experiment(experiment, results, samples)
        try:
            save(tracker, results, samples, self.what_is_kept)
        finally:
            print(table + "".join(f"left out: {line}\n" for line in self.left_out))
        if tracker.push_results_to_hub or tracker.push_samples_to_hub:
            try:
                tracker.recreate_metadata_card()
            except Exception as error:  # of the hub, or of the network; lm-eval only warns of those before it
                raise FailedRunError(
                    f"the results are in {config.output_path}, but could not be pushed to the hub ({in_one_line(error)})"
                ) from error

    def _answers_kept_in(self, tasks: Iterable[str]) -> str | None:
        """Where lm-eval keeps answers: the user's own place, or one below the results; each model has its own."""
        own, output = self.config.use_cache, self.config.output_path
        if self.ours.resume and not (own or output):
            raise RunError("--resume needs --output_path, where the answers of an interrupted run are kept")
        if not own and (not output or self.ours.resume is False):
            return None
        if not own and not self.ours.resume and not answer_cache.has_rights(output):
            text = "answers are not kept, so an interrupted run starts from the beginning: the disk of %s lets others change them"
            logger.warning(text, output)
            self.lacks_rights = True
            return None
        key = self._key_of_answers(tasks)
        if own:
            answer_cache.check_trusted(Path(own).parent, "--use_cache")
        self.kept_in = f"{own}_{key}" if own else answer_cache.prepare(output, key)
        found = answer_cache.check_databases(self.kept_in)
        if found and (found := found - answer_cache.forget_failures(self.kept_in)):
            logger.info("continuing with %d answers of an earlier run (%s)", found, self.kept_in)
        return self.kept_in

    def _key_of_answers(self, tasks: Iterable[str]) -> str:
        """A digest of what decides answers; a server may by now have another model or template under the same name."""
        backend, model_args = self.config.model, dict(self.config.model_args)
        if backend == request.CHAT_API:
            of_server = {"loaded": self.model.loaded, "prompt_end": self.model.prompt_end}
            model_args |= {name: value for name, value in of_server.items() if value is not None}
        return answer_cache.key_of(backend, model_args, tasks)

    def _first_answer_in(self, use_cache: str | None) -> Path | None:
        """The file of what a chat server's first answer showed, the same for all seeds; None if it is not kept."""
        if self.config.model != request.CHAT_API:
            return None
        if self.of_seeds is not None:
            return self.of_seeds / f"first_answer_{self._key_of_answers(())}.json"
        return answer_cache.first_answer_beside(use_cache) if use_cache else None

    def what_is_kept(self) -> str:
        """Says how to continue after an interruption or a failure."""
        answers = 0
        if self.kept_in:
            with contextlib.suppress(RunError):  # the file was not whole yet
                answers = answer_cache.check_databases(self.kept_in)
        if answers:
            return f"the same command continues where this one stopped, with the {answers:,} answers in {self.kept_in}"
        if self.ours.resume is False:
            return "nothing is kept (without --no-resume a run continues where it stopped)"
        if not self.config.output_path and not self.kept_in:
            return "nothing is kept (with --output_path a run continues where it stopped)"
        if self.lacks_rights:
            return "nothing is kept"
        return f"there was no answer yet; the same command starts {'this seed ' if self.of_seeds else ''}from the beginning"


def check_settings(config: Any, ours: argparse.Namespace) -> None:
    """Makes the checks of flags that need neither rows, weights nor the machine of the run; `config` gets what they imply."""
    config.gen_kwargs = config.gen_kwargs or {}  # a file of settings may have none
    model_check.check_adapter_tokenizer(config)
    prepare_for_chat_api(config)
    check_mode(config, ours.thinking)
    if ours.sampling == "model":
        config.gen_kwargs = sampling_values(config.model, config.model_args, config.gen_kwargs, "--sampling model")
    request.check_seeds(config.seed or ())
    request.check_numbers(config.model, config.batch_size, config.max_batch_size, config.gen_kwargs)
    config.gen_kwargs = request.with_limit_named(config.gen_kwargs)
    model_check.check_generation(config.model, config.gen_kwargs)


def check_use(config: Any, ours: argparse.Namespace, tasks: Tasks, make: Callable[[], Any]) -> TemplateUse | None:
    """Checks that tasks, model and flags go together; returns the use of the chat template. `make` returns a server's model."""
    request.check_sampling(tasks, config.gen_kwargs)
    check_api_server(config, tasks, make)
    model_check.check_constraints(config.model, tasks)
    model_check.check_named_tokenizer(config, tasks)
    return check_template(config, tasks, ours.thinking, ours.date)


def run(arguments: Sequence[str]) -> int:
    """Runs `lm_eval run` with these arguments and returns the number of requests without an answer, which count as failed.

    A `RunError` has the command's exit status.
    """
    secrets = KnownSecrets()
    secrets.add(secrets_of_environment(os.environ))
    secrets.add(secrets_in(list(arguments)))
    with guarded_output(secrets):
        try:
            return _run(arguments or ["--help"], secrets)
        except RunError as error:
            error.args = (secrets.masked(masked_text(str(error))),)
            raise


def _run(arguments: Sequence[str], secrets: KnownSecrets) -> int:
    if {"-h", "--help"} & set(arguments):
        print(HELP)
    from lm_eval.utils import setup_logging

    setup_logging("DEBUG" if DEBUG in arguments else "INFO")
    log_as_lm_eval()
    os.environ["TOKENIZERS_PARALLELISM"] = "false"  # as lm-eval's own command line does
    parsed, ours = read_arguments(arguments, secrets)
    wanted: Iterable[tuple[argparse.Namespace, Path | None]] = [(parsed, None)]
    if ours.seeds is not None:
        # without these flags, marks of versions that lacked them stay valid
        further = [value for value in (ours.date, ours.detect) if value is not None]
        wanted = runs_of(parsed, ours.seeds, [ours.thinking, ours.thinking_tokens, ours.sampling, *further])
    failed, unanswered = list[str](), 0
    for each, mark in wanted:
        one = _Run(read_config(each), ours, parsed.device is not None, secrets)
        one.of_seeds = Path(parsed.output_path) if ours.seeds is not None else None
        if _run_once(one) and mark is not None:
            mark_complete(each, mark)
        failed += one.failed
        unanswered += one.unanswered
    if failed:
        raise FailedRunError("\n  ".join(dict.fromkeys(failed)))  # the other tasks are scored and saved
    return unanswered


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
        logger.debug("the run ended", exc_info=error)
        _close(error)
        raise FailedRunError(f"{what_failed(error)}; {run.what_is_kept()}; {DEBUG} shows where") from error


def _close(error: BaseException | None) -> None:
    """Closes the file of answers and the progress bar, before the last line is printed."""
    while error is not None:
        traceback.clear_frames(error.__traceback__)
        error = error.__cause__ or error.__context__
    print(file=sys.stderr)  # ends the line of the progress bar
