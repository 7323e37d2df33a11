"""What thoughts cost in one task: their length, language and loops, and what the score would be with fewer tokens.

Chat tasks and SEA-HELM's log what is needed: `thought`, `state`, and `tokens`, which the pack's own backends count. The answers
of all seeds count.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import pandas as pd

from lm_eval_sea.results.rows import document
from lm_eval_sea.results.runs import OF_THOUGHTS, TaskRun
from lm_eval_sea.results.types import count_of, mapping_of
from lm_eval_sea.results.uncertainty import Estimate, estimate, paired_difference, percent
from lm_eval_sea.tasks._shared.metrics.target_language import is_in_language
from lm_eval_sea.tasks._shared.reading.thought import UNFINISHED

SHOWN_ABOVE = 0.02  # higher rates of lost answers are shown
WINDOW = 20  # characters
LOOP = 0.5  # a thought with a larger share of repeated windows goes in circles
THOUGHTS_READ = 200  # of a task, evenly spaced: detecting languages takes time
# The metrics that are means over rows, in which a lost answer counts 0 and the best answer 1.
MEANS_OF_ROWS = ("exact_match", "exact_number", "f1", "contains", "rougeL", "pass")
_LONG_ENOUGH = 20  # letters of a line whose language can be told
_FIRST_POWER = 4  # budgets begin with 2⁴ tokens
_KINDS = ("own", "English", "other")


class Ledger(NamedTuple):
    """What is known of the thoughts of a task. Shares are of all its answers, 0 to 1, unless said; None: the rows do not say."""

    rows: int
    thinking: Estimate  # share with a thought
    cut: Estimate  # share whose thought hit the limit of tokens
    stopped: Estimate  # share whose text ended inside the thought, though there was room
    median_tokens: float | None  # of a thought
    p95_tokens: float | None  # 95th percentile
    median_in_english: float | None  # median of `tokens_in_english`, over the thoughts read
    looping: float | None  # share of the thoughts read that go in circles
    own: float | None  # share of their letters in the language of the prompt
    english: float | None  # share in English; None where that is the language of the prompt
    switches: float | None  # changes of language between lines, mean per thought
    read: int  # thoughts whose text was looked at


class BudgetPoint(NamedTuple):
    """The score within so many tokens of thought and answer, per cent."""

    budget: int
    score: float  # answers that are complete within the budget and right
    low: float | None  # of its 95 % interval
    high: float | None
    at_most: float  # if all answers that only begin within the budget were right


class BudgetCurve(NamedTuple):
    """What the score would have been with smaller token limits."""

    points: list[BudgetPoint]
    gain: float  # of the second half of the limit, in points
    rises: bool  # whether the interval of this gain is above 0, and more than 2 % of the answers met the limit and are not right


def repeated_share(text: str, window: int = WINDOW) -> float:
    """Share of a text's windows of so many characters that occurred before, 0 to 1; 0 for a text without two windows.

        1 − distinct windows / windows

    This is seq-rep-n of Welleck et al. 2020 (arXiv:1908.04319), over characters instead of tokens, so that it means the same in
    scripts without spaces.
    """
    text = " ".join(text.split())
    count = len(text) - window + 1
    return 1 - len({text[start : start + window] for start in range(count)}) / count if count > 1 else 0.0


def languages_of_lines(text: str, language: str) -> list[tuple[str, int]]:
    """The language of each line that is long enough to tell, seen from that of the prompt (`_KINDS`), and its letters."""
    found = []
    for line in text.splitlines():
        letters = sum(map(str.isalpha, line))
        if letters >= _LONG_ENOUGH:
            kind = "own" if is_in_language(line, language) else "English" if is_in_language(line, "en") else "other"
            found.append((kind, letters))
    return found


def tokens_in_english(tokens: float, lines: Sequence[tuple[str, int]], premium: float) -> float | None:
    """How many English tokens would say what a thought says; None if it is in a third language, or its language is unknown.

    If a thought is in the language of the prompt, its tokens are divided by that language's premium (`run.premium`); if it is
    in English, they stay. Its language is that of most letters in its `languages_of_lines`.
    """
    letters = _letters(lines)
    most = max(_KINDS, key=letters.__getitem__)
    return None if most == "other" or not letters[most] else tokens / premium if most == "own" else tokens


def _letters(lines: Iterable[tuple[str, int]]) -> dict[str, int]:
    lines = list(lines)
    return {kind: sum(number for own, number in lines if own == kind) for kind in _KINDS}


def thought_rows(task: TaskRun) -> pd.DataFrame | None:
    """The `place` and `cluster` of each row of each draw, `state`, `finish_reason`, and the tokens `thought` and `answer`.

    The tokens are NaN where a row does not say. `draw` is the number of the draw. None for tasks that do not take thoughts apart,
    and where the rows were not logged.
    """
    logged = [draw.logged for draw in task.each_draw if draw.logged is not None]
    if not task.takes_thoughts_apart or len(logged) < len(task.each_draw):
        return None
    frame = pd.concat([rows.frame[["place", "cluster", *OF_THOUGHTS]].assign(draw=draw) for draw, rows in enumerate(logged)])
    frame = frame.set_axis(["place", "cluster", "state", "finish_reason", "tokens", "draw"], axis=1).reset_index(drop=True)
    counts = {kind: [count_of(mapping_of(tokens).get(kind)) for tokens in frame.tokens] for kind in ("thought", "answer")}
    return frame.assign(**pd.DataFrame(counts, dtype=float)) if frame.state.notna().any() else None


def ledger_of(task: TaskRun, rows: pd.DataFrame) -> Ledger | None:
    """The ledger of a task by its `thought_rows` and their texts; None if it has no thoughts."""
    clusters = [str(cluster) for cluster in rows.cluster]
    thinking = rows.state.isin(("closed", *UNFINISHED))
    if not thinking.any():
        return None
    lengths = rows.thought[thinking]
    places = list(zip(rows.draw[thinking], rows.place[thinking], strict=True))
    chosen = [places[number] for number in np.linspace(0, len(places) - 1, min(len(places), THOUGHTS_READ)).astype(int)]
    language, premium = task.facts.language_of_prompt, task.facts.token_premium.get("mean")
    of_draws = [draw.texts([place for own, place in chosen if own == number]) for number, draw in enumerate(task.each_draw)]
    read_texts = zip(chosen, (document(row).get("thought") for row in chain.from_iterable(of_draws)), strict=False)
    texts = {place: text for place, text in read_texts if isinstance(text, str) and text}
    lines = {place: languages_of_lines(text, language) for place, text in texts.items()}
    spent = {place: tokens for place, tokens in zip(places, lengths, strict=True) if not math.isnan(tokens)}
    weighed = [tokens_in_english(spent[place], lines[place], premium) for place in lines if premium and place in spent]
    in_english = [tokens for tokens in weighed if tokens is not None]
    letters = _letters(chain.from_iterable(lines.values()))
    total, read = sum(letters.values()), len(texts)
    switches = sum(one[0] != other[0] for of_text in lines.values() for one, other in zip(of_text, of_text[1:], strict=False))

    def share(of: pd.Series) -> Estimate:
        return estimate(of.astype(float).tolist(), clusters)

    return Ledger(
        rows=len(rows),
        thinking=share(thinking),
        cut=share(rows.state == "cut"),
        stopped=share(rows.state == "stopped in the thought"),
        median_tokens=float(lengths.median()) if spent else None,
        p95_tokens=float(lengths.quantile(0.95)) if spent else None,
        median_in_english=float(np.median(in_english)) if in_english else None,
        looping=sum(repeated_share(text) > LOOP for text in texts.values()) / read if read else None,
        own=letters["own"] / total if total else None,
        english=None if language == "en" or not total else letters["English"] / total,
        switches=switches / read if read else None,
        read=read,
    )


def budget_curve(task: TaskRun, rows: pd.DataFrame) -> BudgetCurve | None:
    """The score within every power of two of tokens up to the limit, from the `thought_rows` of a task.

        score(b) = Σ_i s_i · [n_i ≤ b] / N,   at most Σ_i max(s_i · [n_i ≤ b], [t_i ≤ b < n_i]) / N

    s_i is the score of row i, t_i the tokens of its thought, and n_i those of thought and answer. A greedy run with the limit b
    writes the same tokens up to b, so its score lies between the two: a thought that is cut has no answer, and an answer that is
    cut may still be read. The limit is the largest n_i.

    None where the rows do not say how many tokens they took, or the score is no mean of the rows.
    """
    draws = [draw.telling_rows for draw in task.each_draw] if task.facts.headline_metric in MEANS_OF_ROWS else []
    thought = rows.thought.fillna(0).to_numpy()
    total = thought + rows.answer.to_numpy()
    scores = np.array([score for draw in draws if draw and draw.statistics for score in draw.statistics.averaged])
    clusters = [cluster for draw in draws if draw for cluster in draw.clusters]
    if not scores.size or len(scores) != len(total) or np.isnan(total).any():
        return None
    limit = int(total.max(initial=0))
    budgets = [2**power for power in range(_FIRST_POWER, limit.bit_length()) if 2**power < limit]
    if not budgets:
        return None
    points = []
    for budget in [*budgets, limit]:
        within = scores * (total <= budget)
        hopeful = (thought <= budget) & (budget < total)
        found, most = estimate(within.tolist(), clusters), float(np.maximum(within, hopeful).mean())
        points.append(BudgetPoint(budget, 100 * found.mean, percent(found.low), percent(found.high), 100 * most))
    gain = paired_difference(scores.tolist(), (scores * (total <= limit / 2)).tolist(), clusters)
    lost = ((rows.finish_reason == "length") | (rows.state == "cut")).to_numpy() & (scores < 1)
    return BudgetCurve(points, 100 * gain.mean, bool(lost.mean() > SHOWN_ABOVE) and gain.low is not None and gain.low > 0)
