"""One run from its arguments to its table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lm_eval_sea.catalogue.task_list import TASKS_FOLDER
from lm_eval_sea.run.lm_eval_cli import Evaluate, LMEvalCommand
from lm_eval_sea.run.request import check_include_paths, check_request
from lm_eval_sea.run.warnings_once import warnings_as_of_lm_eval

HELP = """\
The flags are those of `lm_eval run`, listed below; the tasks of this pack and the model `hf-shared-prefix` are known to it.

examples:
  lm-eval-sea run --model hf-shared-prefix --model_args pretrained=MODEL --tasks sea_sailcompass --batch_size 16
  lm-eval-sea run --model vllm --model_args pretrained=MODEL --tasks sea_xnli --output_path results --log_samples
  lm-eval-sea run --model hf-shared-prefix --model_args pretrained=MODEL --tasks arc_easy      tasks of lm-eval work, too
"""


class _Evaluation:
    """What happens around lm-eval's `simple_evaluate`."""

    def __init__(self) -> None:
        self._table = ""

    def evaluate(self, simple_evaluate: Evaluate, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
        """Calls it; keeps the table of the results, whose samples lm-eval takes away before it prints."""
        from lm_eval_sea.results.summary import summary_of_results

        results = simple_evaluate(**arguments)
        if results is not None:  # it is None on all ranks but the first
            self._table = summary_of_results(results)
        return results

    def table(self, results: Mapping[str, Any], column: str = "results", **_: Any) -> str:
        """What is printed in the place of lm-eval's table. Groups stand below the tasks in the same one."""
        return "" if column == "groups" else self._table


def run(arguments: Sequence[str]) -> None:
    """Runs `lm_eval run` with these arguments.

    Raises:
        RunError: for a mistake that can be named before a model is loaded.
    """
    if not arguments or {"-h", "--help"} & set(arguments):
        print(HELP)
    from lm_eval.utils import setup_logging

    import lm_eval_sea.models  # noqa: F401 (registers the backends)

    setup_logging()
    command = LMEvalCommand()
    parsed = command.parse(arguments)
    own = getattr(parsed, "include_path", None)
    check_include_paths([own] if own else [])
    if own is None:  # else a name may be one of the user's
        check_request(parsed.tasks or [], getattr(parsed, "num_fewshot", None), getattr(parsed, "limit", None))
    parsed.include_path = [str(TASKS_FOLDER), own] if own else str(TASKS_FOLDER)
    evaluation = _Evaluation()
    with warnings_as_of_lm_eval():
        command.execute(parsed, evaluation.evaluate, evaluation.table)
