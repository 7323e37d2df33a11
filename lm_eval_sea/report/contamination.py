"""Signs that a model has seen the rows of a test."""

from __future__ import annotations

import pandas as pd

from lm_eval_sea.report.scores import Scores
from lm_eval_sea.report.section import DATA_SET, LANGUAGE, MODEL, ROWS, Section
from lm_eval_sea.report.tables import Column, Table, columns, mean_and_ends, with_interval
from lm_eval_sea.results.comparison import corrected
from lm_eval_sea.results.option_order import Gaps, beside_others, gaps_of, likelier_share, mean_gap
from lm_eval_sea.results.power import LEVEL


def contamination_table(scores: Scores) -> pd.DataFrame:
    """One row a model, data set and language; `p` is corrected for all of them (Holm)."""
    by_set: dict[tuple[str, str], dict[str, Gaps]] = {}
    for (model, _), task in scores.of.items():
        if gaps := gaps_of(task):
            by_set.setdefault((model, task.facts.pool), {})[task.facts.language] = gaps
    rows = []
    for (model, data_set), of_language in by_set.items():
        for language, gaps in of_language.items():
            own = list(gaps.values())
            gap = mean_gap(own)
            row = {"model": model, "dataset": data_set, "language": language, "rows": gap.rows}
            row |= {
                "likelier": 100 * likelier_share(own),
                **mean_and_ends("gap", gap),
                "p": gap.p_value,
                "few": gap.p_value is None,
            }
            others = [other for name, other in of_language.items() if name != language]
            rows.append(row | mean_and_ends("beside", beside_others(gaps, others)))
    table = pd.DataFrame(rows)
    if len(table):
        table["p_holm"] = pd.Series(corrected(table.p.to_dict()), dtype="float64")
        table["told"] = (table.p_holm <= LEVEL) & (table.gap > 0)
    return table


def contamination_section(scores: Scores) -> Section:
    """The table, and what it shows and cannot show."""
    text = [
        "How likely a model finds the list of options as it was published, beside the same list with two wrong options "
        "exchanged; the last option, the right one and lists with numbers stay as they are. A model that has not seen the "
        "rows has no reason to prefer either, if wrong options stand in any order (after Oren et al. 2023, Ni et al. 2024).",
        "Bold: the model prefers the published lists, after the correction for all lines of this table (Holm), which has an "
        "error rate of 5 % of its own. It may have seen the rows, or the published order may read more naturally: the same "
        "preference in all models, or in all languages of a data set, points to the order. It does not say where or when "
        "rows were seen, which ones, or what a score owes to them.",
        "No preference does not show that a model has not seen the rows: it may know them in another form, or too faintly "
        "for so many rows.",
    ]
    note = (
        "The gap is the log-likelihood of the published list minus that of the other, in nats per row, with an interval "
        "by passage. “Beyond other languages” is the gap minus the mean gap of the same rows in the other languages that "
        "were run; it is no test, for a model may feel a natural order more in a language that it knows well."
    )
    shown = [
        *(MODEL, DATA_SET, LANGUAGE, ROWS),
        Column("likelier", "published list likelier", "percent", hint="per cent of the rows; 50 without preference"),
        with_interval("gap", "gap [95 %]", "decimals", few="few", strong="told"),
        *columns("p", p="p", p_holm="p, corrected"),
        with_interval("beside", "beyond other languages [95 %]", "decimals"),
    ]
    table = Table("contamination", "The published order of options against another", note, contamination_table(scores), shown)
    return Section("contamination", "Contamination", text, [table])
