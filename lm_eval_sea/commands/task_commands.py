"""The commands that show the tasks: `lm-eval-sea path` and `lm-eval-sea ls`."""

from __future__ import annotations

import argparse

from lm_eval_sea.catalogue.overview import overview
from lm_eval_sea.catalogue.task_list import TASKS_FOLDER, UnknownNameError, read_tasks, table
from lm_eval_sea.commands.declaration import declare, fail


def add_path(commands: argparse._SubParsersAction) -> None:
    """Declares the command."""
    parser = declare(
        commands,
        "path",
        "Print the folder of the tasks, for lm-eval's --include_path.",
        """examples:
  lm_eval --model hf --model_args pretrained=MODEL --include_path "$(lm-eval-sea path)" --tasks sea_belebele_to_ppl
  lm_eval ls tasks --include_path "$(lm-eval-sea path)\"""",
    )
    parser.set_defaults(run=_path)


def _path(arguments: argparse.Namespace) -> int:
    print(TASKS_FOLDER)
    return 0


def add_ls(commands: argparse._SubParsersAction) -> None:
    """Declares the command."""
    parser = declare(
        commands,
        "ls",
        "Show what there is: an overview, or with a pattern each task.",
        """Of each task: language, data set, variant, rows, headline metric, source.

examples:
  lm-eval-sea ls                        suites, languages, data sets, variants
  lm-eval-sea ls '*'                    all tasks
  lm-eval-sea ls xcopa_th               names with this part
  lm-eval-sea ls 'sea_*_th_to_ppl'      names that match a glob (in quotes, or the shell takes it)
  lm-eval-sea ls sea_variant_tito_ppl   the tasks of a group or tag

Groups and tags whose names match are listed below the tasks; each can be given to lm_eval --tasks.
Exit status: 0, or 1 if nothing matches.""",
    )
    parser.add_argument("pattern", metavar="PATTERN", nargs="?", help="part of a name, or a glob")
    parser.set_defaults(run=_ls)


def _ls(arguments: argparse.Namespace) -> int:
    listed = read_tasks()
    if arguments.pattern is None:
        print(overview(listed))
        return 0
    try:
        tasks, groups, tags = listed.search(arguments.pattern)
    except UnknownNameError as error:
        return fail(error, 1)
    if tasks:
        print(table(tasks))
    for kind, names in (("groups", groups), ("tags", tags)):
        if names:
            print(f"{kind}: {' '.join(names)}")
    return 0
