"""What to type to get optional packages, for an installed pack and for a checkout of it."""

from __future__ import annotations

import shlex
from pathlib import Path


def install_extra(extra: str) -> str:
    """The command that installs an extra of this pack where it is: a checkout is named by its folder."""
    root = Path(__file__).resolve().parents[1]
    source = str(root) if (root / "pyproject.toml").is_file() else "lm-eval-sea"
    return f"pip install {shlex.quote(f'{source}[{extra}]')}"
