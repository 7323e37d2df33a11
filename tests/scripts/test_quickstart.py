"""The quickstart on machines of others."""

import os
import shutil
import subprocess

import pytest

from tests.conftest import ROOT


def test_bash_can_read_the_scripts_of_a_checkout_on_windows(tmp_path):
    """Git for Windows is set to check text out with the line ends of Windows, at which bash stops."""
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / ".gitattributes", tmp_path)
    git = ["git", "-C", str(tmp_path), "-c", "core.autocrlf=true", "-c", "core.safecrlf=false"]
    for command in (["init", "--quiet"], ["add", "."], ["checkout-index", "--all", "--prefix=checkout/"]):
        subprocess.run([*git, *command], check=True)
    scripts = sorted((tmp_path / "checkout" / "scripts").glob("*.sh"))
    assert scripts
    for script in scripts:
        subprocess.run(["bash", "-n", script], check=True)
        assert b"\r" not in script.read_bytes()


MACHINES = {
    "Git Bash": ("MINGW64_NT-10.0-19045", "quickstart: on Windows, run this in WSL"),
    "Intel Mac": ("Darwin x86_64", "quickstart: pip has no PyTorch for Intel Macs and Alpine; use another container, or "),
}


@pytest.mark.parametrize(("machine", "said"), MACHINES.values(), ids=MACHINES)
def test_a_machine_that_it_does_not_run_on_is_told_at_once(machine, said, tmp_path):
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "quickstart.sh", tmp_path / "scripts")
    (tmp_path / "uname").write_text(f"#!/bin/sh\necho '{machine}'\n", encoding="ascii")
    (tmp_path / "uname").chmod(0o755)
    known = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "CONDA_PREFIX")}
    command = ["bash", tmp_path / "scripts" / "quickstart.sh"]
    known["PATH"] = f"{tmp_path}{os.pathsep}{known['PATH']}"
    process = subprocess.run(command, env=known, capture_output=True, text=True)
    assert (process.returncode, process.stdout) == (1, "")
    [line] = process.stderr.splitlines()
    assert line.startswith(said)
