"""Whether a model finds the published order of options likelier than another one, as it would for rows that it has seen.

If people put the wrong options of a row in random order, all orders are equally likely under a model that has not seen the row
(exchangeability, as of the rows of a whole test in Oren et al. 2023, arXiv:2310.17623; of options in Ni et al. 2024,
arXiv:2409.01790). `tasks/_shared/order_of_options.py` says which two orders the setting `order` compares. The mean over rows of

    gap = log p(the list as published | question) − log p(the list with two wrong options exchanged | question), in nats

is then 0, which Student's t test by passage checks. One gap says nothing. Some exams list shorter options first, which a model
may prefer without having seen the row. So rows in which the shorter of the two comes first as published, and rows in which the
longer does, weigh the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from lm_eval_sea.report.scores import Scores
from lm_eval_sea.report.section import LANGUAGE, MODEL, ROWS, TASK, Section
from lm_eval_sea.report.tables import Column, Table, columns, mean_and_ends, with_interval
from lm_eval_sea.results.power import LEVEL
from lm_eval_sea.results.row_statistics import group_mean_statistics
from lm_eval_sea.results.rows import loglikelihoods_of
from lm_eval_sea.results.runs import TaskRun
from lm_eval_sea.results.strata import combined, strata_of
from lm_eval_sea.results.types import is_number
from lm_eval_sea.results.uncertainty import FEWEST_CLUSTERS, Estimate, holm
from lm_eval_sea.tasks._shared.facts import ORDER

_SCORES, _LISTS = "doc.option_scores", "doc.options"


def gaps_of(task: TaskRun) -> pd.DataFrame:
    """The gap of each row in `nats`, with its `cluster`, by the row's id, which is that of its translations, too.

    `group` says whether the published list has the shorter of the two options first. Other settings have no gaps, nor have rows
    without two finite log-likelihoods.
    """
    frame = task.rows_frame(_SCORES, _LISTS) if task.facts.setting == ORDER else None
    columns = () if frame is None else (frame.id, frame.cluster, frame.gold, frame[_SCORES], frame[_LISTS])
    found = {}
    for name, cluster, gold, scores, lists in zip(*columns, strict=True):
        logs = loglikelihoods_of(scores)
        if name is not None and len(logs) == 2 and all(map(is_number, logs)) and gold in (0, 1):
            published = int(gold)
            found[name] = (float(logs[published] - logs[1 - published]), cluster, _shorter_first(lists, published))
    return pd.DataFrame.from_dict(found, orient="index", columns=["nats", "cluster", "group"])


def _shorter_first(lists: Any, published: int) -> str:
    texts = [str(text).split("\n") for text in lists] if isinstance(lists, list) and len(lists) == 2 else [[], []]
    pairs = zip(texts[published], texts[1 - published], strict=False)
    moved = [(len(own), len(other)) for own, other in pairs if own != other]
    return "shorter first" if moved and moved[0][0] < moved[0][1] else "longer first"


def mean_gap(gaps: pd.DataFrame) -> Estimate:
    """The mean of the means of both groups, in nats."""
    clusters, count = list(gaps.cluster), gaps.cluster.nunique()
    rows = group_mean_statistics(list(gaps.group), list(gaps.nats))
    mean, spread = rows.of_all_rows, combined(strata_of(rows, "", clusters))
    spread = spread._replace(few=spread.few or count < FEWEST_CLUSTERS)
    return Estimate(mean, spread.stderr, *spread.interval(mean), spread.p_value(mean), len(gaps), count)


def beside_others(own: pd.DataFrame, others: Sequence[pd.DataFrame]) -> Estimate | None:
    """How much larger the gap is than the mean gap of the other languages, on common rows; None without such rows."""
    common = own[[bool(others) and all(name in other.index for other in others) for name in own.index]]
    if common.empty:
        return None
    beside = sum(other.nats[common.index] for other in others) / len(others)
    return mean_gap(common.assign(nats=common.nats - beside))


def contamination_table(scores: Scores) -> pd.DataFrame:
    """One row per model and task; `p` is corrected for all of them (Holm)."""
    found: list[tuple[str, TaskRun, pd.DataFrame]] = []
    by_language: dict[tuple[str, str], dict[str, pd.DataFrame]] = {}  # by model and pool: the same rows
    for (model, _), task in scores.of.items():
        if len(gaps := gaps_of(task)):
            found.append((model, task, gaps))
            of_set = by_language.setdefault((model, task.facts.pool), {})
            of_set[task.facts.language] = gaps.combine_first(of_set.get(task.facts.language, gaps))
    rows = []
    for model, task, gaps in found:
        gap, language = mean_gap(gaps), task.facts.language
        others = [other for name, other in by_language[model, task.facts.pool].items() if name != language]
        row: dict[str, object] = {"model": model, "task": task.name, "dataset": task.facts.data_set, "language": language}
        likelier = (gaps.nats > 0) + (gaps.nats == 0) / 2  # a tie counts half; both groups weigh the same
        row |= {"rows": gap.rows, "limited": task.limited, "likelier": 100 * likelier.groupby(gaps.group).mean().mean()}
        row |= {**mean_and_ends("gap", gap), "p": gap.p_value, "few": gap.p_value is None}
        rows.append(row | mean_and_ends("beside", beside_others(gaps, others)))
    table = pd.DataFrame(rows)
    if len(table):
        table["p_holm"] = pd.Series(holm(table.p.to_dict()), dtype="float64")
        table["told"] = (table.p_holm <= LEVEL) & (table.gap > 0)
    return table


def contamination_section(scores: Scores) -> Section:
    """The table, and what it can and cannot show."""
    text = [
        "How likely a model finds the published list of options, compared with the same list with two wrong options "
        "exchanged; the last option, the right one and lists with numbers stay as they are. A model that has not seen the "
        "rows has no reason to prefer either if wrong options are in random order (after Oren et al. 2023, Ni et al. 2024).",
        "Bold: the model prefers the published lists, after the correction for all lines of this table (Holm), with its own "
        "error rate of 5 %. It may have seen the rows, or the published order may read more naturally: the same "
        "preference in all models, or in all languages of a data set, points to the order. It does not say where or when "
        "rows were seen, which ones, or how much of a score is due to them.",
        "No preference does not show that a model has not seen the rows: it may know them in another form, or too weakly to "
        "show on so many rows.",
    ]
    note = (
        "The gap is the log-likelihood of the published list minus that of the other, in nats per row, with an interval "
        "by passage. “Beyond other languages” is the gap minus the mean gap of the same rows in the other languages that "
        "were run; it is no test, because a model may notice a natural order better in a language that it knows well."
    )
    shown = [
        *(MODEL, LANGUAGE, TASK, ROWS),
        Column("likelier", "published list likelier", "percent", hint="per cent of the rows; 50 without preference"),
        with_interval("gap", "gap [95 %]", "decimals", few="few", strong="told"),
        *columns("p", p="p", p_holm="p, corrected"),
        with_interval("beside", "beyond other languages [95 %]", "decimals"),
    ]
    table = Table("contamination", "The published order of options against another", note, contamination_table(scores), shown)
    return Section("contamination", "Contamination", text, [table])
