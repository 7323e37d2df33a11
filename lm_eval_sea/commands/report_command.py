"""The command `lm-eval-sea report`."""

from __future__ import annotations

import argparse
from pathlib import Path

from lm_eval_sea.commands.declaration import add_runs, declare, fail, print_notes
from lm_eval_sea.install_hint import install_extra


def add_report(commands: argparse._SubParsersAction) -> None:
    """Declares the command."""
    parser = declare(
        commands,
        "report",
        "Make a page, figures and tables of runs.",
        """Reads what lm_eval wrote below --output_path, of any number of models and runs, and writes report.html (one file, opens
without a network), report.md, figures/*.png and tables/*.csv. Run with --log_samples: without samples there are scores only.

examples:
  lm-eval-sea report results --out report
  lm-eval-sea report results/model_a results/model_b --out comparison --rows 200
  lm-eval-sea report results --name results/org__model_a=base --name results/org__model_b=tuned --out comparison
  lm-eval-sea report results --published --out report            beside the numbers that were published for the same models
  lm-eval-sea report results --steps --out curve      checkpoints, with the step in their names: org/model-step1000, …

Of several runs of a task by one model the one with more rows counts, then the newer.

Exit status: 0, 2 if there is nothing to report on or a library is missing.""",
    )
    add_runs(parser)
    parser.add_argument("--out", metavar="DIR", type=_folder, required=True, help="folder to make or complete")
    parser.add_argument("--rows", type=_count, default=50, help="rows of each task that the page shows (default: %(default)s)")
    parser.add_argument(
        "--name", metavar="PATH=LABEL", type=_name, action="append", default=[], help="call the model of the runs in PATH so"
    )
    parser.add_argument("--all-runs", action="store_true", help="keep several runs of a model apart")
    parser.add_argument("--steps", action="store_true", help="the models are checkpoints: draw a curve over their steps")
    parser.add_argument(
        "--published", action="store_true", help="show the numbers that were published for the same models and tasks"
    )
    parser.set_defaults(run=_report)


def _folder(text: str) -> Path:
    path = Path(text)
    if path.exists() and not path.is_dir():
        raise argparse.ArgumentTypeError(f"{text!r} is a file; give a folder")
    return path


def _name(text: str) -> tuple[Path, str]:
    path, sign, label = text.partition("=")
    if not sign or not label.strip():
        raise argparse.ArgumentTypeError(f"{text!r} should be PATH=LABEL, such as results/org__model=base")
    if not Path(path).exists():
        raise argparse.ArgumentTypeError(f"there is no file or folder {path!r}")
    return Path(path).resolve(), label.strip()


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} should be a number of rows, 0 or more")
    return int(text)


def _report(arguments: argparse.Namespace) -> int:
    from lm_eval_sea.results.run_files import RunFilesError

    try:
        from lm_eval_sea.report.write import write_report
    except ModuleNotFoundError as error:
        return fail(ModuleNotFoundError(f"a report needs {error.name}: {install_extra('report')}"), 2)
    try:
        written = write_report(
            arguments.runs,
            arguments.out,
            shown_rows=arguments.rows,
            names=dict(arguments.name),
            all_runs=arguments.all_runs,
            steps=arguments.steps,
            published=arguments.published,
        )
    except (RunFilesError, OSError) as error:
        return fail(error, 2)
    print_notes(written.notes)
    print(f"{written.page}: {written.models} models, {written.tasks} tasks, {written.rows:,} logged rows")
    return 0
