"""The command `lm-eval-sea official`: tasks with another benchmark's own prompts, from the user's checkout of it."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from lm_eval_sea.commands.declaration import declare, fail, show_help


def add_official(commands: argparse._SubParsersAction) -> None:
    """Declares `official` and below it a command per benchmark."""
    parser = declare(
        commands,
        "official",
        "Write tasks with the official prompts of another benchmark, from your checkout of it.",
        """examples:
  git clone https://github.com/sail-sg/sailcompass
  lm-eval-sea official sailcompass sailcompass --out sailcompass_tasks
  lm_eval --model hf --model_args pretrained=MODEL --include_path sailcompass_tasks --tasks sailcompass_xcopa_th_ppl""",
    )
    parser.set_defaults(run=show_help(parser))
    benchmarks = parser.add_subparsers(metavar="BENCHMARK")
    _add_sailcompass(benchmarks)
    _add_sea_helm(benchmarks)


def _add_sea_helm(commands: argparse._SubParsersAction) -> None:
    parser = declare(
        commands,
        "sea-helm",
        "The prompts of aisingapore/SEA-HELM, with the pack's rows and scores.",
        """Reads the configuration of a checkout, which is never executed, and writes a folder for lm_eval --include_path: tasks
seahelm_<language>_<task> with SEA-HELM's messages, limits of tokens, answer tags and reading of answers, and groups
seahelm_<language> of the leaderboard's suite. `lm-eval-sea score sea-helm`, `judge` and `metricx` read their results. The folder
names the pack and the checkout by their paths: write it anew when one of them moves. Do not publish it.

examples:
  git clone https://github.com/aisingapore/SEA-HELM
  lm-eval-sea official sea-helm SEA-HELM --out seahelm_tasks
  lm_eval --model hf --model_args pretrained=MODEL --apply_chat_template --include_path seahelm_tasks --tasks seahelm_id
  lm_eval --model hf --model_args pretrained=BASE --num_fewshot 5 --include_path seahelm_tasks --tasks seahelm_id

Exit status: 0, 1 if a task could not be made, 2 if CHECKOUT is no checkout of it or TASKS holds other files. Nothing is written
unless all can be made, or --partial is given.""",
    )
    _add_arguments(parser, "aisingapore/SEA-HELM", _sea_helm)


def _sea_helm(arguments: argparse.Namespace) -> int:
    from lm_eval_sea.official.sea_helm_prompts import PREFIX, official_tasks

    def make() -> tuple[Mapping[str, str], Sequence[str]]:
        faults: list[str] = []
        return official_tasks(arguments.checkout, faults), faults

    return _write(arguments, make, example=f"{PREFIX}_id")


def _add_sailcompass(commands: argparse._SubParsersAction) -> None:
    parser = declare(
        commands,
        "sailcompass",
        "The 38 prompt configurations of sail-sg/sailcompass, with its scores.",
        """Reads a checkout, which is never executed, and writes a folder for lm_eval --include_path: one plain task per
configuration, with instruction, exemplars, field words, options and order of labels as OpenCompass shows them to a base model,
and groups that put M3Exam's parts by number of options together. The rows are those of sail/Sailcompass_data, from a folder of
that name under the current one or from the hub. The pack has none of these texts, and they have no licence: do not publish the
folder.

examples:
  lm-eval-sea official sailcompass CHECKOUT --out TASKS
  lm-eval-sea official sailcompass CHECKOUT --out TASKS --partial   what can be made, although something is missing or differs

docs/compare_with_papers.md says which task and metric gives which published number.

Exit status: 0, 1 if something could not be made, 2 if CHECKOUT is no checkout of it or TASKS holds other files. Nothing is
written unless all can be made, or --partial is given.""",
    )
    _add_arguments(parser, "sail-sg/sailcompass", _sailcompass)


def _sailcompass(arguments: argparse.Namespace) -> int:
    from lm_eval_sea.official.sailcompass_checkout import known_files, read_checkout
    from lm_eval_sea.official.sailcompass_yaml import TAG, task_files

    def make() -> tuple[Mapping[str, str], Sequence[str]]:
        checkout = read_checkout(arguments.checkout, known_files())
        made = task_files(checkout)
        return made.files, [*checkout.faults, *made.faults]

    return _write(arguments, make, example=TAG)


def _add_arguments(parser: argparse.ArgumentParser, repository: str, run: Callable[[argparse.Namespace], int]) -> None:
    parser.add_argument("checkout", metavar="CHECKOUT", type=Path, help=f"folder of the checkout of {repository}")
    parser.add_argument("--out", metavar="TASKS", type=Path, required=True, help="folder to write, or to write anew")
    parser.add_argument("--partial", action="store_true", help="write what can be made, even if not all can")
    parser.set_defaults(run=run)


def _write(arguments: argparse.Namespace, make: Callable[[], tuple[Mapping[str, str], Sequence[str]]], *, example: str) -> int:
    """Writes a folder of tasks.

    Args:
        arguments: of the command.
        make: gives the files by their paths, and a line for each task or text that cannot be made.
        example: a name to put behind `--tasks`.

    Returns:
        The exit status.
    """
    from lm_eval_sea.official.task_folder import CheckoutError, FolderError, check_folder, write_folder

    try:
        check_folder(arguments.out)
        files, faults = make()
    except (CheckoutError, FolderError) as error:
        return fail(error, 2)
    for fault in faults:
        fail(ValueError(fault), 1)
    if not files or (faults and not arguments.partial):
        advice = "; --partial writes what can be made" if files else ""
        return fail(ValueError(f"nothing was written: {len(faults)} faults in the checkout or its rows{advice}"), 1)
    write_folder(files, arguments.out)
    print(f"{sum(name.endswith('.yaml') for name in files)} task files written to {arguments.out}; now works")
    print(
        f"  lm_eval --model hf --model_args pretrained=MODEL --include_path {shlex.quote(str(arguments.out))} --tasks {example}"
    )
    return 0
