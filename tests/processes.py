"""The command in processes of its own: new ones, and forked ones that need not import all libraries anew."""

import gc
import logging
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlitedict import SqliteMultithread

from lm_eval_sea.commands.cli import main
from tests.conftest import ROOT


def run_of(model: object, tasks: str, *more: object, backend: str = "hf") -> list[str]:
    """The arguments of a run of tasks on the CPU; `model` is a folder, perhaps with further arguments behind it."""
    given = ["run", "--model", backend, "--model_args", f"pretrained={model}", "--device", "cpu", "--tasks", tasks, *more]
    return list(map(str, given))


def begin(*arguments: object, cwd: Path | None = None, **environment: str) -> subprocess.Popen:
    """`python -m ARGUMENTS`, which the test waits for or kills."""
    return subprocess.Popen(stdout=subprocess.PIPE, stderr=subprocess.PIPE, **_options(arguments, cwd, environment))


def run(*arguments: object, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess:
    """The same to its end."""
    return subprocess.run(capture_output=True, timeout=300, **_options(arguments, cwd, environment))


def _options(arguments: tuple[object, ...], cwd: Path | None, environment: dict[str, str]) -> dict[str, Any]:
    known = dict(os.environ) | {"PYTHONPATH": str(ROOT)} | environment
    return {"args": [sys.executable, "-m", *map(str, arguments)], "cwd": cwd, "env": known, "text": True}


class Fork:
    """`lm-eval-sea ARGUMENTS` in a fork of this process, which the test waits for or kills; used as `subprocess.Popen` is."""

    def __init__(self, *arguments: object, cwd: Path | None = None, before: Callable[[], object] = lambda: None) -> None:
        """Begins it; `before` is called in the fork first."""
        self._folder = tempfile.TemporaryDirectory()
        self._said = [Path(self._folder.name, name) for name in ("out", "err")]
        target, given = self._run, (list(map(str, arguments)), cwd, before)
        gc.collect()  # caches of answers, which close in threads: one that holds a lock of SQLite would leave it to the fork
        for thread in filter(lambda thread: isinstance(thread, SqliteMultithread), threading.enumerate()):
            thread.join(1)
        self._process = multiprocessing.get_context("fork").Process(target=target, args=given, daemon=False)
        self._process.start()
        self.pid = self._process.pid

    def _run(self, command: list[str], cwd: Path | None, before: Callable[[], object]) -> None:
        for number, path in enumerate(self._said, 1):
            os.dup2(os.open(path, os.O_CREAT | os.O_WRONLY), number)
        sys.stdout, sys.stderr = (os.fdopen(number, "w", encoding="utf-8", buffering=1, closefd=False) for number in (1, 2))
        logging.root.handlers.clear()  # they write to what the test reads
        # those of libraries write to what an earlier test read, which may be closed
        for logger in map(logging.getLogger, list(logging.root.manager.loggerDict)):
            for handler in logger.handlers:
                if type(handler) is logging.StreamHandler:
                    handler.stream = sys.stderr
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.environ["PYTHONPATH"] = str(ROOT)  # for the processes that it starts
        os.chdir(cwd or ".")
        before()
        sys.exit(main(command))

    @property
    def returncode(self) -> int | None:
        """The exit status, less than 0 for a signal; None as long as it runs."""
        return self._process.exitcode

    poll = returncode.fget

    def send_signal(self, number: int) -> None:
        """Sends it a signal."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def wait(self, timeout: float) -> int | None:
        """Waits for its end; returns the exit status.

        Raises:
            TimeoutError: if it runs for longer; it is killed then.
        """
        self._process.join(timeout)
        if self.poll() is None:
            self._process.kill()
            raise TimeoutError(f"the command ran for more than {timeout} s")
        return self.returncode

    def communicate(self, timeout: float = 300) -> tuple[str, str]:
        """Waits for its end; returns what it wrote to standard output and standard error."""
        self.wait(timeout)
        out, err = (path.read_text(encoding="utf-8") for path in self._said)
        return out, err
