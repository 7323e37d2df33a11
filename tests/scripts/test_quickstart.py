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
    "Intel Mac": (
        "Darwin x86_64",
        "quickstart: pip has no PyTorch for Intel Macs and Alpine; use another machine or container, ",
    ),
}


def start(folder, **environment):
    """The script in an empty folder, before whose name other programs are looked for."""
    (folder / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "quickstart.sh", folder / "scripts")
    known = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "CONDA_PREFIX")}
    known |= {"PATH": f"{folder}{os.pathsep}{known['PATH']}", **environment}
    return subprocess.run(["bash", folder / "scripts" / "quickstart.sh"], env=known, capture_output=True, text=True)


def program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="ascii")
    path.chmod(0o755)


@pytest.mark.parametrize(("machine", "said"), MACHINES.values(), ids=MACHINES)
def test_an_unsupported_machine_is_refused_at_once(machine, said, tmp_path):
    program(tmp_path / "uname", f"echo '{machine}'")
    process = start(tmp_path)
    assert (process.returncode, process.stdout) == (1, "")
    [line] = process.stderr.splitlines()
    assert line.startswith(said)


def test_an_environment_without_pip_is_made_anew(tmp_path):
    """Debian's Python leaves one where the package python3-venv is missing."""
    program(tmp_path / ".venv" / "bin" / "python", "exit 1")
    program(tmp_path / "python", 'case "$*" in "-m venv .venv") echo made >&2; exit 7 ;; esac')
    process = start(tmp_path, PYTHON=str(tmp_path / "python"))
    assert (process.returncode, process.stderr) == (7, "made\n")
