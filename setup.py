"""Lets lm-eval find the tasks of an installed wheel without `--include_path`; all else stands in setup.cfg.

lm-eval looks for task files in its own folder `lm_eval/tasks`, and elsewhere only where `--include_path` says. It reads no entry
points. So a wheel puts a file of one line there for each of the pack's task files, which includes it. Without
lm-eval's own files beside them, that folder hides an lm-eval that was installed with `--editable`; the command then says so.
"""

import os
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

TASKS = Path("lm_eval_sea/tasks")
BELOW_LM_EVAL = Path("lm_eval/tasks/lm_eval_sea")


class BuildWithTasks(build_py):
    """An editable install gets no such files, for they would stay when a task goes."""

    def run(self) -> None:
        """Builds the package, and the files beside it."""
        super().run()
        for task in () if self.editable_mode else TASKS.rglob("*.yaml"):
            path = BELOW_LM_EVAL / task.relative_to(TASKS)
            file = Path(self.build_lib, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"include: {Path(os.path.relpath(task, path.parent)).as_posix()}\n", encoding="utf-8")


setup(cmdclass={"build_py": BuildWithTasks})
