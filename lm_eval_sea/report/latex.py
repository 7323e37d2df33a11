"""Tables for a paper: LaTeX with the package booktabs."""

from __future__ import annotations

import re
from itertools import compress

from lm_eval_sea.report.scores import Scores
from lm_eval_sea.report.tables import CONTRADICTED, FEW, LIMITED, Table
from lm_eval_sea.results.types import grouped
from lm_eval_sea.results.visible_text import counted, one_line, some_names

LONGEST = 60  # rows, about a page
_ESCAPED = {
    "\\": r"\textbackslash{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "†": r"\textdagger{}",
    "‡": r"\textdaggerdbl{}",
    "−": r"\textminus{}",
    "–": "--",
    "→": r"$\rightarrow$",
    "×": r"$\times$",
    "ₒ": "$_o$",
    "ᵢ": "$_i$",
    "|": r"\textbar{}",  # in the default encoding of fonts "|" is a dash
    "`": r"\textasciigrave{}",
}
_SIGNS = {  # a table in a paper lacks the report's text above it
    LIMITED: f"{LIMITED} marks numbers that are not of all rows of the data set.",
    CONTRADICTED: f"{CONTRADICTED} marks numbers that the logged rows contradict.",
    FEW: f"“{FEW.strip()}” marks numbers of fewer than ten independent rows.",
}
_MEANS = "Means are of normalised scores: chance is 0, the best score 100."
_ENDS = "Square brackets have 95 % intervals."


def escaped(text: str) -> str:
    """Text that LaTeX prints as it is, on one line."""
    parts = re.split("(?<=-)(?=-)", one_line(text))  # TeX would join two hyphens to a dash
    return "{}".join("".join(_ESCAPED.get(character, character) for character in part) for part in parts)


def latex(table: Table, made_of: str) -> str:
    """A floating table of the first `LONGEST` rows, numbers to the right; `made_of` follows the note in the caption."""
    shown = table.cells(LONGEST)
    head = " & ".join(escaped(column.title) for column in table.columns)
    lines = [
        " & ".join(rf"\textbf{{{escaped(cell.text)}}}" if cell.strong else escaped(cell.text) for cell in cells)
        for _, cells in shown
    ]
    # LaTeX would take a [ or * for an argument of the \\ before it
    body = "".join(f"{'{}' * line.startswith(('[', '*'))}{line} \\\\\n" for line in lines)
    places = "".join("l" if column.kind == "text" else "r" for column in table.columns)
    cut = f"The first {LONGEST} of {len(table.frame)} rows." if len(table.frame) > LONGEST else ""
    signed = [bool(column.marker or column.few or column.contradicted) for column in table.columns]
    texts = "".join(cell.text for _, cells in shown for cell in compress(cells, signed))
    signs = [meaning for sign, meaning in _SIGNS.items() if sign in texts and sign.strip() not in table.note]
    signs += [_MEANS] if any(column.kind == "mean" for column in table.columns) else []
    signs += [_ENDS] if any(column.low and "95" not in column.title for column in table.columns) else []
    caption = " ".join(filter(None, [f"{table.title}.", table.note, *signs, cut, made_of]))
    return rf"""% needs \usepackage{{booktabs}}
\begin{{table}}
\centering\small
\begin{{tabular}}{{{places}}}
\toprule
{head} \\
\midrule
{body}\bottomrule
\end{{tabular}}
\caption{{{escaped(caption)}}}
\label{{tab:{table.name}}}
\end{{table}}
"""


def made_of(scores: Scores) -> str:
    """What the numbers were made of: rows, exemplars, versions."""
    own = scores.tasks[scores.tasks.of_pack]
    rows = sorted({int(count) for count in own.rows.dropna()})
    shots = sorted({int(count) for count in own.num_fewshot.dropna()})
    packs = sorted({task.facts.pack_version for task in scores.of.values()} - {""})
    parts = [counted(own.task.nunique(), "task")]
    parts += [f"{rows[0]:,} rows each" if len(rows) == 1 else f"{rows[0]:,} to {rows[-1]:,} rows each"] if rows else []
    parts += [f"{' or '.join(map(str, shots))} exemplars"] if shots else []
    parts += [f"lm-eval-sea {some_names(packs)}"] if packs else []
    harness = sorted(set(scores.runs.lm_eval.dropna()))
    parts += [f"lm-eval {some_names(harness)}"] if harness else []
    return f"{', '.join(parts)}."


def citation(scores: Scores) -> str:
    """A line for an appendix: which tasks, in which versions, of which data sets."""
    own = scores.tasks[scores.tasks.of_pack].drop_duplicates(["task", "version"])
    titles = {name: scores.suite.data_sets.get(name, name) for name in own.dataset}
    versions = [f"{task.task} {task.version or ''}".strip() for task in own.itertuples()]
    by_set = grouped(zip((titles[name] or "no data set" for name in own.dataset), versions, strict=True))
    return f"{made_of(scores)} " + "; ".join(f"{title}: {', '.join(names)}" for title, names in sorted(by_set.items())) + "."
