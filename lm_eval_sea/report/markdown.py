"""The report in Markdown: all tables and figures, without the samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lm_eval_sea.report.page import Picture
from lm_eval_sea.report.section import Section
from lm_eval_sea.report.tables import Table, markdown

LONGEST = 100  # rows of a table


def render_markdown(sections: Sequence[Section], pictures: Mapping[str, Picture]) -> str:
    """The text of report.md; pictures are those in the folder figures/."""
    return "\n\n".join(["# Evaluation report", *(block for section in sections for block in _section(section, pictures))]) + "\n"


def _section(section: Section, pictures: Mapping[str, Picture]) -> list[str]:
    parts = [part for part in section.parts if isinstance(part, Table) or part in pictures]
    blocks = [f"## {section.title}", *section.text] if parts else []
    for part in parts:
        if isinstance(part, Table):
            blocks += [f"### {part.title}", *filter(None, [part.note]), *_table(part)]
        else:
            blocks += [f"![{part}](figures/{part}.png)", f"*{pictures[part].caption}*"]
    return blocks


def _table(table: Table) -> list[str]:
    lines = markdown(table).split("\n")
    blocks = ["\n".join(lines[: LONGEST + 2])]
    if len(table.frame) > LONGEST:
        blocks.append(f"{LONGEST} of {len(table.frame)} rows; all are in [tables/{table.name}.csv](tables/{table.name}.csv).")
    return blocks
