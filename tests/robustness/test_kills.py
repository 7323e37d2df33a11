"""`kill -9` at random moments: the same command again ends with the files of one that nobody killed.

What lies on a disk changes only where a process makes, opens, renames or removes a file, so these are the moments.
"""

import functools
import json
import multiprocessing
import os
import random
import signal
import sys

import pytest
from huggingface_hub import constants

from lm_eval_sea.commands.cli import main
from lm_eval_sea.tasks._shared import hub_files

from ..catalogue.hub_server import serving_hub
from ..processes import Fork
from ..report.planted import plant
from .conftest import contents
from .test_signals import arguments

pytestmark = pytest.mark.slow
CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "sqlite3.connect"}
KILLS = 6


def forked(command, folder, moment=0):
    """Runs a command in a process that kills itself at the given change of the folder; returns the number of changes."""
    seen = multiprocessing.get_context("fork").RawValue("i")

    def hook(event, given):
        opens = event == "open" and given[2] and given[2] & (os.O_WRONLY | os.O_RDWR)
        if (opens or event in CHANGES) and os.fsdecode(given[0]).startswith(str(folder)):
            seen.value += 1
            if seen.value == moment:
                os.kill(os.getpid(), signal.SIGKILL)

    status = Fork(*command, before=lambda: sys.addaudithook(hook)).wait(300)
    assert status == (-signal.SIGKILL if moment else 0)
    return seen.value


def after_kills(command, place):
    """Runs a command that is killed at some moments, always the same ones, and then once more; the folders that it writes.

    `command` makes its arguments from the folder. The first folder is that of a run that nobody killed.
    """
    undisturbed = place / "undisturbed"
    changes = forked(command(undisturbed), undisturbed)
    yield undisturbed
    for moment in sorted(random.Random(33).sample(range(1, changes + 1), min(KILLS, changes))):
        folder = place / f"killed {moment}"
        forked(command(folder), folder, moment)
        forked(command(folder), folder)
        yield folder


def test_a_run(tiny_model, mirror, tmp_path, capsys):
    """Files of a run that is killed while it saves stay beside the newer ones, which are shown."""

    def seen(folder):
        capsys.readouterr()
        assert main(["show", str(folder), "--json"]) == 0
        shown = [line | {"date": None} for line in json.loads(capsys.readouterr().out)]
        return shown, {path.name.rpartition("_20")[0] for path in folder.rglob("*") if path.is_file()}

    assert main(arguments(tiny_model, tmp_path / "first")) == 0  # and all is imported
    undisturbed, *killed = after_kills(lambda folder: arguments(tiny_model, folder), tmp_path)
    for folder in killed:
        assert seen(folder) == seen(undisturbed), folder


def test_a_report(tmp_path):
    """The report is on one task, with figures, tables, pages and samples."""
    results = plant(tmp_path / "runs", "sea_xnli_th") / "org__a"
    command = ["report", str(results), "--out"]
    assert main([*command, str(tmp_path / "first")]) == 0  # and all is imported
    undisturbed, *killed = after_kills(lambda folder: [*command, str(folder)], tmp_path)
    assert {path.parent.name for path in undisturbed.rglob("*.*")} >= {"figures", "tables", "pages", "samples"}
    for folder in killed:
        assert contents(folder) == contents(undisturbed), folder


def test_task_files(tmp_path):
    """They are made on demand. Leftovers of a killed call are hidden, and the next call removes them."""
    command = ["make", "sea_belebele_th_order", "sea_xcopa_vi_to_ppl_p2", "--out"]
    assert main([*command, str(tmp_path / "first")]) == 0
    undisturbed, *killed = after_kills(lambda folder: [*command, str(folder)], tmp_path)
    for folder in killed:
        assert contents(folder) == contents(undisturbed), folder


def test_a_fetch(samples, tmp_path, monkeypatch):
    """The files come from a server and go into a mirror."""
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(hub_files, "_unreached", [])

    def fetched(folder):
        return {name: data for name, data in contents(folder).items() if ".cache" not in name}

    with serving_hub(samples) as hub:
        download = functools.partial(hub_files.huggingface_hub.hf_hub_download, endpoint=hub.url)
        monkeypatch.setattr(hub_files.huggingface_hub, "hf_hub_download", download)
        command = ["data", "fetch", "--tasks", "sea_xcopa_to_ppl", "--to"]
        undisturbed, *killed = after_kills(lambda folder: [*command, str(folder)], tmp_path)
        for folder in killed:
            assert fetched(folder) == fetched(undisturbed), folder
