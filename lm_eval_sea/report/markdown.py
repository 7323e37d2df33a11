"""The report in Markdown: all tables and figures, without the samples."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from lm_eval_sea.report.section import Section
from lm_eval_sea.report.tables import Table
from lm_eval_sea.results.visible_text import one_line

LONGEST = 100  # rows of a table
_ESCAPED = str.maketrans({**{sign: f"\\{sign}" for sign in "\\`*_[]|#"}, "&": "&amp;", "<": "&lt;", ">": "&gt;"})


def render_markdown(sections: Sequence[Section], notices: Sequence[str] = ()) -> str:
    """The text of report.md, with `notices` after the first section; its pictures are those in the folder figures/."""
    first, *others = map(_section, sections)
    return "\n\n".join(["# Evaluation report", *first, *map(escaped, notices), *chain.from_iterable(others)]) + "\n"


def _section(section: Section) -> list[str]:
    blocks = [f"## {section.title}", *map(escaped, filter(None, [section.lead, *section.text]))]
    for part in section.shown:
        if isinstance(part, Table):
            blocks += [f"### {part.title}", *map(escaped, filter(None, [part.note])), markdown(part)]
            if (rows := len(part.frame)) > LONGEST:
                blocks.append(f"{LONGEST} of {rows} rows; all are in [tables/{part.name}.csv](tables/{part.name}.csv).")
        else:
            blocks += [f"![{escaped(part.caption)}](figures/{part.name}.png)", f"*{escaped(part.caption)}*"]
    return [*blocks, *map(escaped, section.after)]


def markdown(table: Table) -> str:
    """The first rows of a table in GitHub's Markdown, numbers to the right."""
    head = [column.title for column in table.columns]
    ruler = ["---" if column.kind == "text" else "---:" for column in table.columns]
    body = [
        [f"**{escaped(cell.text)}**" if cell.strong else escaped(cell.text) for cell in cells]
        for _, cells in table.cells(LONGEST)
    ]
    return "\n".join("| " + " | ".join(line) + " |" for line in [list(map(escaped, head)), ruler, *body])


def escaped(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    return one_line(text).translate(_ESCAPED)
