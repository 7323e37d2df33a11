"""What the scripts write: tables in Markdown, and files whose content has changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path


def table(head: Sequence[str], rows: Iterable[Iterable[str]], texts: int | None = None) -> str:
    """A table in Markdown. So many columns on the left have texts (all, if not given), the others numbers."""
    ruler = "".join("---|" if texts is None or place < texts else "---:|" for place in range(len(head)))
    head, *lines = (f"| {' | '.join(cells)} |" for cells in (head, *rows))
    return "\n".join([head, f"|{ruler}", *lines, ""])


def write_changed(files: Mapping[Path, str], *, check: bool = False) -> list[Path]:
    """The files that hold something else so far. They are written, unless this is a check."""
    changed = [path for path, text in files.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    for path in changed if not check else ():
        path.write_text(files[path], encoding="utf-8", newline="\n")
    return changed
