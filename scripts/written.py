"""What the scripts write: tables in Markdown, and files whose content has changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path


def table(head: Sequence[str], rows: Iterable[Iterable[str]], texts: int | None = None) -> str:
    """A table in Markdown. The first `texts` columns (default: all) have texts, the others numbers."""
    return "".join(f"{line}\n" for line in table_lines([head, *rows], texts))


def table_lines(rows: Iterable[Iterable[str]], texts: int | None = None) -> Iterator[str]:
    """The same line by line, as the rows come; the first row is the head."""
    for number, cells in enumerate(map(list, rows)):
        yield f"| {' | '.join(cells)} |"
        if number == 0:
            yield "|" + "".join("---|" if texts is None or place < texts else "---:|" for place in range(len(cells)))


def write_changed(files: Mapping[Path, str], *, check: bool = False) -> list[Path]:
    """The files whose content on disk differs. They are written, unless this is a check."""
    changed = [path for path, text in files.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    for path in changed if not check else ():
        path.write_text(files[path], encoding="utf-8", newline="\n")
    return changed
