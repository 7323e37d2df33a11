"""A command as data: its name, its help, its arguments, and the function behind it."""

from __future__ import annotations

import argparse
import contextlib
import errno
import functools
import os
import sys
import textwrap
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from lm_eval_sea.catalogue import Refusal
from lm_eval_sea.results.secrets import masked_text
from lm_eval_sea.results.visible_text import visible
from lm_eval_sea.run.request import DEBUG, what_failed


class Argument(NamedTuple):
    """What `ArgumentParser.add_argument` takes; `needed` marks an option without which its mode cannot run."""

    flag: str
    options: dict[str, Any]
    needed: bool = False

    @property
    def key(self) -> str:
        """The name of the value in the parsed arguments."""
        return self.flag.lstrip("-").replace("-", "_")


def argument(flag: str, *, needed: bool = False, **options: Any) -> Argument:
    """Declares an argument; see `ArgumentParser.add_argument`."""
    return Argument(flag, options, needed)


def switch(flag: str, text: str) -> Argument:
    """Declares an option without a value; it is None if not given."""
    return Argument(flag, {"action": "store_true", "default": None, "help": text})


@dataclass(frozen=True)
class Command:
    """A command of `lm-eval-sea`."""

    name: str
    summary: str  # one line, without the full stop
    examples: str
    run: Callable[[argparse.Namespace], int] | None = None  # returns the exit status; none where there are subcommands
    about: str = ""
    exits: str = ""  # what each exit status means
    writes: bool = False  # whether it writes files, so that an OSError is reported in one line
    arguments: Sequence[Argument] = ()
    # Mode → its options. The first option names and chooses the mode; "" has the options for use without a mode.
    # All defaults are None, so that an option of another mode is noticed.
    modes: Mapping[str, Sequence[Argument]] = field(default_factory=dict)
    subcommands: Sequence[Command] = ()

    def add_to(self, commands: argparse._SubParsersAction[Any]) -> None:
        """Adds the command and its subcommands to a parser."""
        exits = f"Exit status: {self.exits}." if self.exits else ""
        examples = f"examples:\n{textwrap.indent(self.examples.strip(), '  ')}"
        text = "\n\n".join(filter(None, (f"{self.summary}.", self.about.strip(), examples, exits)))
        parser = commands.add_parser(
            self.name, help=f"{self.summary}.", description=text, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        parts = [("", self.arguments), *self.modes.items()]
        for mode, arguments in parts:
            group = parser.add_argument_group(f"with {mode}") if mode else parser
            for of in arguments:
                group.add_argument(of.flag, **of.options)
        if self.run:
            parser.add_argument(DEBUG, action="store_true", help="show where an unexpected error came from")
        run = functools.partial(self._checked, self.run) if self.run else lambda _: parser.print_help()
        parser.set_defaults(run=run, flags=[of.flag for _, arguments in parts for of in arguments])
        if self.subcommands:
            below = parser.add_subparsers(metavar="COMMAND")
            for command in self.subcommands:
                command.add_to(below)

    def _checked(self, run: Callable[[argparse.Namespace], int], arguments: argparse.Namespace) -> int:
        """Runs the command if its options go together."""
        given = {key for key, value in vars(arguments).items() if value is not None}
        chosen = [mode for mode, options in self.modes.items() if mode and options[0].key in given]
        if len(chosen) > 1:
            return fail(f"{' and '.join(chosen)} are two ways to use {self.name}; choose one", 2)
        for mode, options in self.modes.items():
            for option in options:
                if mode in chosen and option.needed and option.key not in given:
                    return fail(f"{mode} needs {option.flag}", 2)
                if mode not in (chosen or [""]) and option.key in given:
                    reason = f"needs {mode}" if mode else f"cannot be used with {chosen[0]}"
                    return fail(f"{option.flag} {reason}", 2)
        try:
            return run(arguments)
        except Refusal as error:
            return fail(error, error.status)
        except Exception as error:
            # by name, because importing DataError loads libraries that `ls` does not need
            if f"{type(error).__module__}.{type(error).__name__}".endswith("hub_files.DataError"):
                return fail(error, 2)
            if self.writes and isinstance(error, OSError) and error.errno not in (None, errno.EPIPE):
                what = f"{error.filename} cannot be used" if error.filename else "a file cannot be written"
                return fail(f"{what} ({error.strerror})", 2)
            raise


def fail(error: object, status: int) -> int:
    """Prints an error, with control characters visible and secrets masked, and returns the exit status."""
    _say(f"lm-eval-sea: {error}")
    return status


def fail_unexpectedly(error: Exception, *, debug: bool) -> int:
    """Prints an unexpected error, with its traceback if `debug`, and returns the exit status."""
    if debug:
        _say("".join(traceback.format_exception(error)).rstrip())
    return fail(what_failed(error) + ("" if debug else f"; {DEBUG} shows where"), 1)


def _say(text: str) -> None:
    with contextlib.suppress(BrokenPipeError):  # nobody reads it; the exit status remains
        print(visible(masked_text(text)), file=sys.stderr)


def print_notes(notes: Iterable[str]) -> None:
    """Prints one line for each note, with control characters visible."""
    for note in notes:
        print(f"note: {visible(note)}", file=sys.stderr)


def place(text: str) -> Path:
    """The type of an argument that names a file or folder; refuses an empty one, which hardly means the current folder.

    It expands ~, because shells do not in `--out=~/report` or within quotation marks.
    """
    if not text:
        raise argparse.ArgumentTypeError("is empty; give . for the current folder")
    return Path(os.path.expanduser(text))


RUNS = argument("runs", metavar="RUN", nargs="+", type=place, help="folder of lm-eval's --output_path, or a results file")


def whole_number(least: int) -> Callable[[str], int]:
    """The type of an argument that counts something."""

    def read(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r} should be a whole number from {least}")
        return int(text)

    return read


def existing_folder(text: str) -> Path:
    """The type of an argument that names a folder to read."""
    folder = place(text)
    if not folder.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {text!r}")
    return folder


def folder_to_write(text: str) -> Path:
    """The type of an argument that names a folder to make or complete."""
    folder = place(text)
    if folder.exists() and not folder.is_dir():
        raise argparse.ArgumentTypeError(f"{text!r} is a file; give a folder")
    return folder
