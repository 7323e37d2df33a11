"""How a command of `lm-eval-sea` is declared, and how it fails."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from lm_eval_sea.results.visible_text import visible


def declare(commands: argparse._SubParsersAction, name: str, summary: str, text: str) -> argparse.ArgumentParser:
    """The parser of a command.

    Args:
        commands: what it belongs to.
        name: of the command.
        summary: one line.
        text: what follows it in the command's help, examples among it.
    """
    return commands.add_parser(
        name, help=summary, description=f"{summary}\n\n{text}", formatter_class=argparse.RawDescriptionHelpFormatter
    )


def fail(error: BaseException, status: int) -> int:
    """Prints what went wrong, controls in names made visible; returns the exit status."""
    print(f"lm-eval-sea: {visible(str(error))}", file=sys.stderr)
    return status


def print_notes(notes: Iterable[str]) -> None:
    """Prints what a user should know of a result, a line each, controls made visible."""
    for note in notes:
        print(f"note: {visible(note)}", file=sys.stderr)


def show_help(parser: argparse.ArgumentParser) -> Callable[[argparse.Namespace], int]:
    """What a command does that was called without one of its subcommands."""

    def run(arguments: argparse.Namespace) -> int:
        parser.print_help()
        return 0

    return run


def add_runs(parser: argparse.ArgumentParser) -> None:
    """Adds the argument of the commands that read lm-eval's output."""
    parser.add_argument("runs", metavar="RUN", nargs="+", type=Path, help="folder of lm-eval's --output_path, or a results file")
