"""The pip command for the pack's optional packages."""

from __future__ import annotations

import shlex
from pathlib import Path


def install_extra(extra: str) -> str:
    """The command that installs an extra of this pack: from its folder if it is a checkout, else from the package index."""
    root = Path(__file__).resolve().parents[1]
    source = str(root) if (root / "pyproject.toml").is_file() else "lm-eval-sea"
    return f"pip install {shlex.quote(f'{source}[{extra}]')}"
