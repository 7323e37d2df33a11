"""The command `lm-eval-sea tasks make`."""

from __future__ import annotations

import argparse
from pathlib import Path

from lm_eval_sea.commands.declaration import declare, fail, show_help

MOST_SEEDS = 20

EXAMPLES = """examples:
  lm-eval-sea tasks make                                    after a change to a book: write the pack's own tasks anew
  lm-eval-sea tasks make --check                            fail if books and tasks disagree; write nothing
  lm-eval-sea tasks make --prompts MY_BOOKS --out MY_TASKS  a complete tasks folder from your own books
  lm-eval-sea tasks make --belebele_pairs th-vi,jv-id --out MY_TASKS
                                                            one that also has passages in Thai with questions in Vietnamese, …
  lm-eval-sea tasks make --exemplar_seeds 5 --out MY_TASKS  one that also has the tasks of sea_sailcompass with other exemplars,
                                                            under the tags sea_setting_e1 to sea_setting_e5"""


def add_tasks(commands: argparse._SubParsersAction) -> None:
    """Declares `tasks` and below it `make`."""
    parser = declare(commands, "tasks", "Make task files from prompt books.", EXAMPLES)
    parser.set_defaults(run=show_help(parser))
    command = declare(
        parser.add_subparsers(metavar="COMMAND"),
        "make",
        "Turn prompt books into the task files that lm-eval reads.",
        f"""For every data set, language, prompt language and variant this writes one YAML file, with the words of the book in it.

{EXAMPLES}

Exit status: 0, 1 if --check finds a difference, 2 if a book lacks something.""",
    )
    command.add_argument("--prompts", metavar="DIR", type=Path, help="folder of prompt books (default: those of the pack)")
    command.add_argument("--out", metavar="DIR", type=Path, help="tasks folder to write (default: the pack's own)")
    command.add_argument(
        "--belebele_pairs", metavar="X-Y,…", default="", help="more tasks with the passage in X and the question in Y"
    )
    command.add_argument(
        "--exemplar_seeds", metavar="N", type=_seeds, default=0, help="N draws of the exemplars of each book; with --out only"
    )
    command.add_argument("--check", action="store_true", help="write nothing; exit status 1 if books and tasks disagree")
    command.set_defaults(run=_make)


def _seeds(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= MOST_SEEDS:
        raise argparse.ArgumentTypeError(f"{text!r} should be a number from 1 to {MOST_SEEDS}")
    return int(text)


def _pairs(arguments: argparse.Namespace) -> list[str]:
    return [pair for pair in arguments.belebele_pairs.split(",") if pair]


def _make(arguments: argparse.Namespace) -> int:
    from lm_eval_sea.generate.prompt_books import PROMPTS, BookError
    from lm_eval_sea.generate.task_files import TASKS
    from lm_eval_sea.generate.write import differences, generate, write

    out = arguments.out or TASKS
    if arguments.exemplar_seeds and out.resolve() == TASKS:
        return fail(ValueError("--exemplar_seeds is for a folder of your own; give one with --out"), 2)
    try:
        files = generate(arguments.prompts or PROMPTS, _pairs(arguments), arguments.exemplar_seeds)
    except BookError as error:
        return fail(error, 2)
    if arguments.check:
        lines = differences(files, out)
        print("\n".join(lines) or f"{len(files)} files agree with their books")
        return 1 if lines else 0
    write(files, out)
    print(f"{len(files)} files written below {out}")
    return 0
