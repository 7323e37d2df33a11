#!/usr/bin/env python3
"""Measures how often intervals contain the truth and how often tests are wrong, on answers simulated from a known truth.

Prints the tables of docs/uncertainty.md, with the functions that make the numbers of the report. Rows of one passage are
correlated: 0.3 of the variance lies between passages, which are harder or easier, for each task separately.

Examples:
    python scripts/simulate_uncertainty.py                some minutes
    python scripts/simulate_uncertainty.py --draws 2000   more precise figures
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd
from written import table_lines

from lm_eval_sea.report.calibration import gains_of
from lm_eval_sea.report.contamination import mean_gap
from lm_eval_sea.results.comparison import corrected_on_page, nested_weights, rank_sets
from lm_eval_sea.results.facts import facts_of
from lm_eval_sea.results.power import LEVEL
from lm_eval_sea.results.row_statistics import (
    RowStatistics,
    group_mean_statistics,
    macro_f1_statistics,
    mean_of_draws,
    mean_statistics,
    statistics_of,
)
from lm_eval_sea.results.score import task_score
from lm_eval_sea.results.strata import Origin, combined, difference_strata, strata_of
from lm_eval_sea.results.uncertainty import Estimate, estimate, swap_test
from lm_eval_sea.sea_helm.totals.draws import SEED_END, interval, replicates
from lm_eval_sea.sea_helm.totals.task_score import TaskRows
from lm_eval_sea.tasks._shared.metrics.classification_metrics import (
    Evidence,
    batch_calibration,
    macro_f1_of_labels,
    share_of_equal,
)

SEED = 2026
ALIKE = 0.3  # share of the variance of answers that lies between passages
SWAPS = 999  # keeps the level as well as the 9,999 of the report
MODELS = (2, 6, 30)
CORPUS = {"BLEU": "bleu", "chrF++": "chrf++"}
EVEN, UNEVEN = (1 / 3, 1 / 3, 1 / 3), (0.7, 0.2, 0.1)  # shares of three labels
METRICS = ("balanced accuracy", "macro-F1", *CORPUS)
NOT, NAMED, UNNAMED = "no", "yes", "yes, not named"  # whether tasks share passages, and whether the rows' names say so
WORDS = np.array(["ban", "cat", "dog", "eel", "fox", "gnu", "hen", "ibex", "jay", "koi"])


def answers(random: np.random.Generator, truth: float, rows: int, passages: int) -> tuple[np.ndarray, list[str]]:
    """Right (1) and wrong (0) answers to rows on passages of their own difficulty, and the passage of each row."""
    clusters = np.arange(rows) % passages
    spread = 1 / ALIKE - 1
    chances = random.beta(truth * spread, (1 - truth) * spread, passages) if passages < rows else np.full(passages, truth)
    return (random.random(rows) < chances[clusters]).astype(float), [str(number) for number in clusters]


def scores(random: np.random.Generator, draws: int) -> Iterator[list[str]]:
    """Coverage of the 95 % interval of the score of one task."""
    print("\n95 % intervals of the score of one task: per cent that hold the truth, mean width in points\n")
    yield ["rows", "passages", "0.5", "0.8", "0.97"]
    for rows, passages in ((4, 4), (10, 10), (10, 5), (40, 40), (40, 10), (40, 5), (400, 100), (400, 10)):
        cells = []
        for truth in (0.5, 0.8, 0.97):
            found = []
            for _ in range(draws):
                right, clusters = answers(random, truth, rows, passages)
                found.append(np.array(estimate(right.tolist(), clusters)[2:4], dtype=float))
            low, high = np.stack(found, axis=1)
            held = np.mean((low <= truth) & (truth <= high))
            cells.append(f"{100 * held:.0f} ({100 * np.mean(high - low):.0f})")
        yield [str(rows), str(passages), *cells]


def seeds(random: np.random.Generator, draws: int) -> Iterator[list[str]]:
    """Coverage of the 95 % intervals of a score over eight seeds, and of the mean of three such tasks."""
    print(
        "\n95 % intervals over eight seeds, of one task and of the mean of three: per cent that hold the truth, width in points\n"
    )
    yield ["share right", "of the other rows", "20 rows", "40", "100", "400", "three of 20", "40", "100"]
    for usual, share, other in ((0.5, 0.0, 0.0), (0.02, 0.1, 0.9), (0.99, 0.05, 0.0), (0.97, 0.02, 0.0), (1.0, 0.03, 0.5)):
        truth, cells = usual + share * (other - usual), []
        for tasks, count in ((1, 20), (1, 40), (1, 100), (1, 400), (3, 20), (3, 40), (3, 100)):
            held, widths = [], []
            for _ in range(draws):
                chances = np.where(random.random((tasks, count)) < share, other, usual)
                right = [
                    [mean_statistics((random.random(count) < of_task).astype(float).tolist()) for _ in range(8)]
                    for of_task in chances
                ]
                rows = [found for of_task in right if (found := mean_of_draws(of_task)) is not None]
                names = list(map(str, range(count)))
                if tasks == 1:
                    score = task_score("acc", facts_of({}), None, rows[0], names, evaluated=count)
                    ends = [] if score is None else [score.low, score.high]
                else:
                    strata = [part.times(1 / tasks) for task, own in enumerate(rows) for part in strata_of(own, str(task), names)]
                    value = 100 * float(np.mean([own.of_all_rows for own in rows]))
                    ends = list(combined([part.times(100) for part in strata]).interval(value, 0.0, 100.0))
                low, high = (math.nan if end is None else end for end in ends)
                held.append(low <= 100 * truth <= high)
                widths.append(high - low)
            cells.append(f"{100 * np.mean(held):.0f} ({np.mean(widths):.0f})")
        yield [f"{usual}", f"{other} on {100 * share:.0f} %" if share else "–", *cells]


def corpora(random: np.random.Generator, draws: int) -> Iterator[list[str]]:
    """Coverage of the 95 % interval of macro-F1 with a rare label, and of BLEU of a model that translates few rows."""
    print("\n95 % intervals of scores that all rows make: per cent that hold the truth, in brackets of draws with an interval\n")
    yield ["metric", "truth", "10 rows", "20", "40", "100", "400"]
    right = 0.7 * np.eye(3) + 0.1  # shares of what is chosen for each label
    everything = {}
    for rare in (0.02, 0.1, 0.3):
        labels = random.choice(3, 100_000, p=[0.8 - rare, 0.2, rare])
        chosen = (random.random(len(labels))[:, None] > right.cumsum(axis=1)[labels]).sum(axis=1)
        name = f"macro-F1, a label of {100 * rare:.0f} % of the rows"
        everything["f1", name] = macro_f1_statistics(list(zip(labels.tolist(), chosen.tolist(), strict=True)), 3)
    for share in (0.01, 0.05, 0.3):
        texts = [" ".join(WORDS[(np.arange(random.integers(5, 12)) + row) % 10]) for row in range(5000)]
        wrong = [" ".join(random.permutation(WORDS)[: 2 + random.integers(6)]) for _ in texts]
        known = random.random(len(texts)) < share
        pairs = [(text, text if knows else other) for text, other, knows in zip(texts, wrong, known, strict=True)]
        for name, metric in CORPUS.items():
            found = statistics_of(metric, pairs)
            assert found is not None
            everything[metric, f"{name}, {100 * share:.0f} % of the rows translated"] = found
    few = np.random.default_rng([SEED, 1])  # its own generator, so that the rows above keep their figures
    words = np.where(few.random(100_000) < 0.1, few.beta(0.5, 3, 100_000), 0)
    everything["f1", "F1 of words, 10 % of the rows in part"] = mean_statistics(words.tolist())
    for (metric, name), rows in everything.items():
        truth, cells = 100 * rows.of_all_rows, []
        for count in (10, 20, 40, 100, 400):
            held = []
            for _ in range(draws if count < 400 else draws // 4):
                own = rows.at(random.integers(len(rows.values), size=count).tolist())
                score = task_score(metric, facts_of({}), None, own, list(map(str, range(count))), evaluated=count)
                if score is not None and score.low is not None and score.high is not None:
                    held.append(score.low <= truth <= score.high)
            share = 100 * len(held) / (draws if count < 400 else draws // 4)
            cells.append(f"{100 * np.mean(held):.0f} ({share:.0f})" if held else "none")
        yield [name, f"{truth:.1f}", *cells]


def calibration(random: np.random.Generator, draws: int) -> Iterator[list[str]]:
    """Coverage of the 95 % intervals of what batch calibration gains, of models with and without skill and a preferred label."""
    print("\nGains of batch calibration: per cent of intervals that hold the truth, for accuracy / macro-F1\n")
    yield ["labels", "skill", "preferred", "true gains", "20 rows", "50", "100", "400"]
    for shares, skill, preferred in ((EVEN, 0.5, 2.0), (EVEN, 0.5, 0.0), (UNEVEN, 1.0, 1.0), (UNEVEN, 0.0, 0.0)):
        gains = partial(_gains, random, shares, skill, preferred)
        truths, cells = {name: gain.mean for name, gain in gains(100_000).items()}, []
        for rows in (20, 50, 100, 400):
            held: dict[str, list[bool]] = {name: [] for name in truths}
            for _ in range(draws):
                for name, gain in gains(rows).items():
                    if gain.low is not None and gain.high is not None:
                        held[name].append(gain.low <= truths[name] <= gain.high)
            cells.append(" / ".join(f"{100 * np.mean(found):.0f}" for found in held.values()))
        of_labels = ", ".join(f"{100 * share:.0f}" for share in shares)
        gained = " / ".join(f"{100 * truth:.1f}" for truth in truths.values())
        yield [f"{of_labels} %", f"{skill:g}", f"{preferred:g}", gained, *cells]


def _gains(
    random: np.random.Generator, shares: Sequence[float], skill: float, preferred: float, rows: int
) -> dict[str, Estimate]:
    golds = random.choice(3, rows, p=shares)
    nats = random.normal(size=(rows, 3)) + preferred * np.eye(3)[0] + skill * np.eye(3)[golds]
    _, calibrated = batch_calibration(list(map(Evidence, golds.tolist(), nats.tolist())))
    return gains_of(
        golds,
        calibrated,
        nats.argmax(axis=1).__getitem__,
        {"accuracy": share_of_equal, "macro_f1": partial(macro_f1_of_labels, labels=3)},
        list(map(str, range(rows))),
    )


def means(random: np.random.Generator, draws: int) -> Iterator[list[str]]:
    """Coverage of the 95 % interval of a mean of three tasks."""
    print("\n95 % intervals of the mean of three tasks: per cent that hold the truth, mean width in points\n")
    yield ["rows a task", "passages", "shared", "0.5", "0.8", "0.97"]
    for rows, passages, shared in (
        *((4, 4, NOT), (5, 5, NOT), (10, 10, NOT), (10, 5, NOT), (10, 5, NAMED), (40, 40, NOT)),
        *((40, 10, NOT), (40, 10, NAMED), (40, 5, NOT), (400, 400, NOT), (400, 100, NAMED)),
        *((40, 10, UNNAMED), (400, 100, UNNAMED)),
    ):
        cells = []
        for truth in (0.5, 0.8, 0.97):
            held, widths = [], []
            for _ in range(draws):
                strata, value, before = [], 0.0, np.zeros(rows)
                for task in range(3):
                    scores, clusters = answers(random, truth, rows, passages)
                    if shared != NOT and task:
                        scores = np.where(random.random(rows) < 0.5, before, scores)  # half the answers are the same
                    before = scores
                    own = strata_of(mean_statistics(scores.tolist()), "shared" if shared == NAMED else str(task), clusters)
                    origin = Origin(str(task), "shared") if shared == UNNAMED else None
                    strata += [replace(stratum.times(1 / 3), origin=origin) for stratum in own]
                    value += scores.mean() / 3
                half = combined(strata).half_width()
                if half is not None:
                    held.append(abs(value - truth) <= half)
                    widths.append(100 * (min(1, value + half) - max(0, value - half)))
            cells.append(f"{100 * np.mean(held):.0f} ({np.mean(widths):.0f})" if held else "too few passages")
        yield [str(rows), str(passages), shared, *cells]


def totals(random: np.random.Generator, draws: int) -> Iterator[list[str]]:
    """Coverage of the 95 % interval of a total of SEA-HELM over tasks with two options, as it aggregates since August 2026."""
    print("\nTotals of SEA-HELM, the mean of 20 tasks of 200 questions: per cent of intervals that hold the truth, mean total\n")
    yield ["questions a passage", "languages that share them", *(f"truth {100 * truth:g}" for truth in (0, 0.05, 0.3, 0.9))]
    for size, languages in ((1, 1), (5, 1), (1, 5)):
        cells = []
        for truth in (0, 0.05, 0.3, 0.9):
            ends, means = [], []
            for _ in range(draws // 4):
                tasks = []
                for _ in range(20 // languages):
                    right, clusters = answers(random, 0.5 + truth / 2, 200 * languages, 200 // size)
                    for own in right.reshape(languages, 1, 200):
                        rows = TaskRows(own, ("A",) * 100 + ("B",) * 100, tuple(clusters[:200]), is_label_task=True, chance=0.5)
                        tasks.append(replicates(rows, random.integers(0, SEED_END, size=400)))
                total = np.mean(tasks, axis=0)
                ends.append(interval(total))
                means.append(total.mean())
            held = np.mean([low <= 100 * truth <= high for low, high in ends])
            cells.append(f"{100 * held:.0f} ({np.mean(means):.1f})")
        yield [str(size), str(languages), *cells]


def scored(random: np.random.Generator, metric: str, golds: np.ndarray, skill: np.ndarray) -> RowStatistics:
    """The answers of a model that knows a row with probability `skill` and otherwise guesses."""
    rows, labels = len(golds), int(golds.max()) + 1
    knows = random.random(rows) < skill
    chosen = np.where(knows, golds, random.integers(labels, size=rows))
    if metric == "balanced accuracy":
        return group_mean_statistics([str(gold) for gold in golds], (chosen == golds).astype(float).tolist())
    if metric == "macro-F1":
        return macro_f1_statistics(list(zip(golds.tolist(), chosen.tolist(), strict=True)), labels)
    texts = [" ".join(WORDS[(np.arange(6) + row) % 10]) for row in range(rows)]
    wrong = [" ".join(random.permutation(text.split())[: 2 + random.integers(4)]) for text in texts]
    pairs = [(text, text if known else other) for text, known, other in zip(texts, knows, wrong, strict=True)]
    statistics = statistics_of(CORPUS[metric], pairs)
    assert statistics is not None
    return statistics


def differences(random: np.random.Generator, draws: int) -> Iterator[list[str]]:
    """False alarms of tests of one task, and the power against ten points; all metrics are of the same answers."""
    print("\nTwo equal models on one task: false alarms in per cent at 5 %, by the p-value / by the interval\n")
    yield ["metric", "passages of", "10 rows", "20", "50", "100", "ten points found, 400 rows"]
    for metric in METRICS:
        random = np.random.default_rng(SEED)
        for size in (1, 4):
            cells = []
            for rows in (10, 20, 50, 100, 400):
                alarms: list[tuple[bool, bool]] = []
                untested = 0
                for _ in range(draws if rows < 400 else draws // 4):
                    golds = np.sort(np.where(random.random(rows) < 0.7, 0, random.integers(1, 3, size=rows)))
                    golds[0], golds[-1] = 0, 2
                    clusters = [str(row // size) for row in range(rows)]
                    passage = random.beta(0.5 / ALIKE, 0.5 / ALIKE, rows)[np.arange(rows) // size]
                    skill = 0.4 * passage + 0.2
                    gains = (0.0, 0.15 * (rows == 400))
                    first, second = (scored(random, metric, golds, np.clip(skill + gain, 0, 1)) for gain in gains)
                    p_value = swap_test(first.score, first.values, second.values, clusters, SWAPS)
                    half = combined(difference_strata(first, second, "toy", clusters)).half_width()
                    if p_value is None or half is None:
                        untested += 1
                        continue
                    alarms.append((p_value <= LEVEL, abs(first.of_all_rows - second.of_all_rows) > half))
                by_p, by_interval = (100 * np.mean([alarm[side] for alarm in alarms]) if alarms else 0 for side in (0, 1))
                share = untested / (untested + len(alarms))
                few = f", too few {100 * share:.0f}" if share > 0.005 else ""
                cells.append(f"{by_p:.1f} / {by_interval:.1f}{few}" if alarms else "too few")
            yield [metric, str(size), *cells]


def orders(random: np.random.Generator, draws: int) -> Iterator[list[str]]:
    """Alarms of the test whether a model prefers the published order of options.

    Two thirds of the lists have the shorter option first, which the model likes by one nat, seen or not.
    """
    print("\nPreference for the published order of options: alarms in per cent, two rows a passage\n")
    yield ["rows", "rows never seen", "5 % of the rows seen", "20 %"]
    for rows in (20, 50, 100, 600):
        cells = []
        for seen in (0.0, 0.05, 0.2):
            alarms = []
            for _ in range(draws):
                gaps = random.standard_t(3, rows) + 5 * (random.random(rows) < seen)  # nats; few rows have large ones
                likes = np.where(np.arange(rows) % 3 > 0, 1, -1)
                passages = (np.arange(rows) // 2).astype(str)
                found = mean_gap(pd.DataFrame({"nats": gaps + likes, "cluster": passages, "group": likes.astype(str)}))
                alarms.append(found.p_value is not None and found.p_value <= LEVEL and found.mean > 0)
            cells.append(f"{100 * np.mean(alarms):.1f}")
        yield [str(rows), *cells]


class Page(NamedTuple):
    """What a page claims of models whose truth is known."""

    false: bool  # whether any claim is false: a pair told apart the wrong way, or a rank set without the true place
    told_apart: float  # share of the pairs, over all tasks


def pages(_: np.random.Generator, draws: int) -> Iterator[list[str]]:
    """Pages with a false claim, and true differences that are found."""
    print("\nPages of 40 tasks in 5 languages, 100 rows on 25 passages a task; in per cent\n")
    yield [
        "models",
        "equal: a false claim",
        "one point apart: a false claim",
        "pairs told apart",
        "every other task apart: false",
    ]
    for models in MODELS:
        random = np.random.default_rng([SEED, models])
        number = draws if models < 30 else draws // 4
        equal = [_page(random, np.zeros((models, 1))) for _ in range(number)]
        some = [_page(random, np.arange(models)[:, None] / 100) for _ in range(number // 4)]
        uneven = np.where(np.arange(40) % 2, 0.1, 0.0) * (np.arange(models)[:, None] % 2)
        mixed = [_page(random, uneven) for _ in range(number // 2)]
        cells = [*(_cell(made, "false") for made in (equal, some)), _cell(some, "told_apart"), _cell(mixed, "false")]
        yield [str(models), *cells]


def _cell(made: list[Page], field: str) -> str:
    return f"{100 * np.mean([getattr(page, field) for page in made]):.0f}"


def _page(random: np.random.Generator, gains: np.ndarray) -> Page:
    """A page drawn at random; `gains`: what each model adds to the probability of a right answer, (models, tasks)."""
    names = [str(task) for task in range(40)]
    gains = np.broadcast_to(gains, (len(gains), 40))
    models = [str(place) for place in range(len(gains))]
    scopes = {"all": names, **{f"language {number}": names[number::5] for number in range(5)}}
    clusters = [str(row // 4) for row in range(100)]
    rows_of: dict[tuple[str, str], RowStatistics] = {}
    for task in names:
        hard = random.beta(0.6 / ALIKE, 0.4 / ALIKE, 25)[np.arange(100) // 4]
        chances = 0.1 + 0.5 * (0.5 * hard + 0.5 * random.random(100))  # rows are hard for all models alike
        for model in models:
            right = random.random(100) < chances + gains[int(model), int(task)]
            rows_of[model, task] = mean_statistics(right.astype(float).tolist())
    values: dict[tuple[str, str, str], float] = {}
    truths: dict[tuple[str, str, str], float] = {}
    main: dict[tuple[str, str, str], float | None] = {}
    rest: dict[tuple[str, str, str], float | None] = {}
    for first, second in combinations(models, 2):
        strata = {task: difference_strata(rows_of[first, task], rows_of[second, task], task, clusters) for task in names}
        gaps = {task: rows_of[first, task].of_all_rows - rows_of[second, task].of_all_rows for task in names}
        for scope, members in {**scopes, **({task: [task] for task in names} if len(models) == 2 else {})}.items():
            key, weights = (scope, first, second), nested_weights({task: () for task in members})
            values[key] = sum(weights[task] * gaps[task] for task in members)
            truths[key] = float(np.mean([gains[int(first), int(task)] - gains[int(second), int(task)] for task in members]))
            parts = [stratum.times(weights[task]) for task in members for stratum in strata[task]]
            (main if scope == "all" else rest)[key] = combined(parts).p_value(values[key])
    first_p, rest_p = corrected_on_page(main, rest)
    claimed = {key for key, p_value in {**first_p, **rest_p}.items() if p_value is not None and p_value <= LEVEL}
    wrong = {key for key in values if values[key] * truths[key] <= 1e-12}
    false = bool(claimed & wrong)
    for scope in scopes:
        sets = rank_sets(models, {key[1:]: values[key] for key in claimed if key[0] == scope})
        truth = gains[:, [int(task) for task in scopes[scope]]].mean(axis=1)
        for model, own in zip(models, truth, strict=True):
            better, worse = int((truth > own + 1e-12).sum()), int((truth < own - 1e-12).sum())
            false = false or sets[model].first > 1 + better or len(models) - worse > sets[model].last
    return Page(false, len(claimed & set(main)) / len(main))


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=400, help="draws for each cell of a table (default: %(default)s)")
    parts = {part.__name__: part for part in (scores, seeds, corpora, calibration, means, totals, differences, orders, pages)}
    parser.add_argument("--part", choices=parts, help="print only this table")
    arguments = parser.parse_args()
    for name, part in parts.items():
        if arguments.part in (None, name):
            for line in table_lines(part(np.random.default_rng(SEED), arguments.draws)):
                print(line, flush=True)  # a row may take minutes


if __name__ == "__main__":
    main()
