"""The quickstart on machines of others."""

import shutil
import subprocess

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
