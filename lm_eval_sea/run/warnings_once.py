"""The pack's warnings: once per run where only the task differs."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from lm_eval_sea.results.visible_text import some_names


@contextmanager
def warnings_once() -> Iterator[None]:
    """Inside, of warnings that differ in the task alone the first is shown; at the end the other tasks are named.

    A warning's first value is the task.
    """
    logger = logging.getLogger("lm_eval_sea")
    tasks: dict[str, list[str]] = defaultdict(list)  # message before its values are filled in → tasks

    def is_new(record: logging.LogRecord) -> bool:
        if record.levelno < logging.WARNING or not isinstance(record.args, tuple) or not record.args:
            return True
        tasks[str(record.msg)].append(str(record.args[0]))
        return len(tasks[str(record.msg)]) == 1

    logger.addFilter(is_new)
    try:
        yield
    finally:
        logger.removeFilter(is_new)
        for first, *others in tasks.values():
            if names := [name for name in dict.fromkeys(others) if name != first]:
                logger.warning("what was said of %s also holds for %s", first, some_names(names))
