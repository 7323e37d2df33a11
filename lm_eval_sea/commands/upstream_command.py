"""The command `lm-eval-sea upstream`: tasks of the pack as a pull request to lm-eval."""

from __future__ import annotations

import argparse
from pathlib import Path

from lm_eval_sea.commands.declaration import declare, fail
from lm_eval_sea.upstream.records import names


def add_upstream(commands: argparse._SubParsersAction) -> None:
    """Declares the command."""
    parser = declare(
        commands,
        "upstream",
        "Write the tasks of a data set as a pull request to lm-evaluation-harness.",
        f"""Writes a folder for lm_eval/tasks: plain YAML with the pack's prompts, a short utils.py without imports of ours,
README and _generate_configs.py. Beside it stands the text of the pull request, with what is still to be done before it is sent.

data sets: {", ".join(names())}

examples:
  lm-eval-sea upstream indonli --out pull_requests
  cp -r pull_requests/indonli lm-evaluation-harness/lm_eval/tasks/

docs/upstream.md says what each data set needs. Exit status: 0, or 2 if the folder exists.""",
    )
    parser.add_argument("names", metavar="DATASET", nargs="+", choices=names(), help="one of the data sets above")
    parser.add_argument("--out", metavar="FOLDER", type=Path, required=True, help="folder to write to")
    parser.set_defaults(run=_upstream)


def _upstream(arguments: argparse.Namespace) -> int:
    from lm_eval_sea.upstream.folder import FolderError, write_folder

    try:
        for name in dict.fromkeys(arguments.names):
            folder = write_folder(name, arguments.out)
            print(f"{folder}: {len(list(folder.glob('*.yaml')))} tasks; read {arguments.out / name}_pull_request.md next")
    except FolderError as error:
        return fail(error, 2)
    return 0
