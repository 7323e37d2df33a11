"""Logs during a run, and afterwards by libraries that the run has loaded."""

import io
import logging
import os
import sys
from pathlib import Path

import pytest

from lm_eval_sea.results.secrets import KnownSecrets
from lm_eval_sea.run.output_streams import guarded_output

SECRET = "pl4nted-ZqZqZqZq"  # noqa: S105 (no secret of anybody)


@pytest.fixture
def engine():
    """A logger whose format needs an attribute of the engine's own records, and its output."""
    logger, text = logging.Logger("engine"), io.StringIO()
    handler = logging.StreamHandler(text)
    handler.setFormatter(logging.Formatter("(%(engine_process)s) %(message)s"))
    logger.addHandler(handler)
    before = logging.getLogRecordFactory()

    def load():
        make_record = logging.getLogRecordFactory()

        def record(*arguments, **named):
            made = make_record(*arguments, **named)
            made.engine_process = "worker"
            return made

        logging.setLogRecordFactory(record)

    yield logger, load, text
    logging.setLogRecordFactory(before)


def test_an_engine_logs_after_its_run_and_in_the_next_run(engine):
    logger, load, text = engine
    known = KnownSecrets()
    known.add([SECRET])
    with guarded_output(known):
        load()
        logger.warning("asked with %s", SECRET)
    logger.warning("stopping %s", SECRET)
    with guarded_output(known):
        logger.warning("again %s", SECRET)
    lines = text.getvalue().splitlines()
    assert [line.partition(" ***")[0] for line in lines] == ["(worker) asked with", "(worker) stopping", "(worker) again"]
    assert SECRET not in text.getvalue()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="it is Linux that has a device without room")
def test_a_full_disk_ends_a_run_under_its_table_and_not_under_its_log(monkeypatch):
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stderr", full)
        with guarded_output(KnownSecrets()):
            print("loading", file=sys.stderr, flush=True)
    with open("/dev/full", "w") as full, monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", full)
        with pytest.raises(OSError, match="No space left"), guarded_output(KnownSecrets()):
            print("acc 50.0", flush=True)
        os.dup2(os.open(os.devnull, os.O_WRONLY), full.fileno())


def test_log_records_are_made_as_before_after_a_run():
    before = logging.getLogRecordFactory()
    with guarded_output(KnownSecrets()):
        assert logging.getLogRecordFactory() is not before
    assert logging.getLogRecordFactory() is before
