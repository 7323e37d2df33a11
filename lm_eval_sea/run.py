"""`lm-eval-sea run`: `lm_eval run` with the pack's tasks and backend, and with mistakes named before a model is loaded."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from lm_eval_sea.catalogue.task_list import TASKS_FOLDER, UnknownNameError, read_tasks


class RunError(ValueError):
    """What a user asked for cannot be run; one line that says what and how to mend it."""


HELP = """\
The flags are those of `lm_eval run`, listed below; the tasks of this pack and the model `hf-shared-prefix` are known to it.

examples:
  lm-eval-sea run --model hf-shared-prefix --model_args pretrained=MODEL --tasks sea_sailcompass --batch_size 16
  lm-eval-sea run --model vllm --model_args pretrained=MODEL --tasks sea_xnli --output_path results --log_samples
  lm-eval-sea run --model hf-shared-prefix --model_args pretrained=MODEL --tasks arc_easy      tasks of lm-eval work, too
"""


def check_request(tasks: Sequence[str], num_fewshot: int | None, limit: float | None) -> None:
    """Checks what can be known without data and model. Names of other packs are left to lm-eval.

    Args:
        tasks: names or globs of tasks, groups and tags.
        num_fewshot: the number of exemplars asked for, if any.
        limit: the number or share of rows asked for, if any.

    Raises:
        RunError: for a name of this pack that it does not have, more exemplars than a prompt book has, or no rows.
    """
    if limit is not None and limit <= 0:
        raise RunError(f"--limit {limit:g} leaves no rows; give at least 1, or leave it out for all")
    try:
        chosen = read_tasks().select(name for name in tasks if name.startswith("sea_"))
    except UnknownNameError as error:
        raise RunError(str(error)) from error
    for task in chosen:
        if num_fewshot is None or task.may_change:  # exemplars that come with the rows are counted when they are loaded
            continue
        if not 0 <= num_fewshot <= len(task.exemplars):
            raise RunError(
                f"--num_fewshot {num_fewshot}: the prompt book of {task.name} has {len(task.exemplars)} exemplars; "
                f"choose 0 to {len(task.exemplars)}"
            )


def run(arguments: Sequence[str]) -> None:
    """Runs `lm_eval run` with these arguments.

    Raises:
        RunError: see `check_request`.
    """
    if not arguments or {"-h", "--help"} & set(arguments):
        print(HELP)
    from lm_eval._cli import HarnessCLI
    from lm_eval.utils import setup_logging

    import lm_eval_sea.models  # noqa: F401 (registers hf-shared-prefix)

    setup_logging()
    harness = HarnessCLI()
    sys.argv = ["lm-eval", "run", *arguments]  # lm-eval reads nothing else
    parsed = harness.parse_args()
    own = getattr(parsed, "include_path", None)
    if own is None:  # else a name may be one of the user's
        check_request(parsed.tasks or [], getattr(parsed, "num_fewshot", None), getattr(parsed, "limit", None))
    parsed.include_path = [str(TASKS_FOLDER), own] if own else str(TASKS_FOLDER)
    harness.execute(parsed)
