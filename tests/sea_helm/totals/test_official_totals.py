"""The totals of June and of August 2026, and those of ranked labels, against SEA-HELM's own code, level by level."""

import json
import random
import re
from statistics import fmean

import numpy as np
import pytest

from lm_eval_sea.sea_helm.totals.evidence import Evidence
from lm_eval_sea.sea_helm.totals.hierarchy import ALL, SEA, Place
from lm_eval_sea.sea_helm.totals.methods import PRAGMATICS
from lm_eval_sea.sea_helm.totals.suite import Suite
from lm_eval_sea.sea_helm.totals.task_score import TaskRows
from lm_eval_sea.sea_helm.totals.totals import compute

from ..official import checkout, run
from .test_draws import planted


def given(rows):
    """The rows as SEA-HELM's code takes them: the tasks of a configuration and the scores by language, competency and task."""
    tasks, data = {}, {}
    for place, task in rows.items():
        tasks.setdefault(place.task, {"competency": place.competency, "languages": {}})["languages"][place.language] = {}
        if place.group:
            tasks[place.task]["aggregation_group"] = place.group
        labels, runs = [] if task.labels[0] is None else list(task.labels), len(task.scores)
        metric = "normalized_rougel_f1" if task.best == 100 else "normalized_accuracy"
        of_runs = {"length": [len(task.labels)] * runs, "labels": [labels] * runs, "metric": [metric] * runs}
        of_competency = data.setdefault(place.language, {}).setdefault(place.competency, {})
        of_competency[place.task] = {"scores": task.scores.tolist()} | of_runs
    return tasks, data


def by_node(official, rows, second):
    """Mean and another number of each node of SEA-HELM's scores; `second` is the other's name."""
    expected = {ALL: (official["mean"], official[second]), SEA: (official["sea_mean"], official[f"sea_{second}"])}
    for place in rows:
        of_language = official[place.language]
        of_competency = of_language[place.competency]
        found = {place: of_competency["tasks"][place.task], place._replace(group="", task=""): of_competency}
        found[Place(place.language)] = of_language
        if place.group:
            found[place._replace(task="")] = of_competency["aggregation_groups"][place.group]
        expected |= {node: (values["mean"], values[second]) for node, values in found.items()}
    return expected


def totals(rows, method):
    return compute(Evidence(rows=rows), Suite("planted", "v0", tuple(rows)), method).nodes


NOTEBOOK = "helpers/results_aggregation.ipynb"
JUNE = """
import json, sys
sources, tasks, data = json.load(sys.stdin)
for source in sources:
    exec(source, globals())
scores, _ = aggregate_scores([{"run_args": {"skip_task": []}, "tasks": tasks}], data)
print(json.dumps(scores))
"""


def test_totals_of_june_are_those_of_the_notebook():
    folder = checkout(NOTEBOOK)
    cells = json.loads((folder / NOTEBOOK).read_text(encoding="utf-8"))["cells"]
    sources = ["".join(cell["source"]) for cell in cells]
    needed = [source for source in sources if re.search("def aggregate_scores|def flatten|TypedDict", source)]
    rows = planted(runs=8)
    official = run(folder, JUNE, [needed, *given(rows)])
    expected, nodes = by_node(official, rows, "stderr"), totals(rows, "2026-06")
    assert set(expected) == set(nodes)
    for place, numbers in expected.items():
        assert (nodes[place].score, nodes[place].published_error) == pytest.approx(numbers, abs=1e-9)


AUGUST = """
import json, sys
from src.aggregation.aggregator import MultiRunAggregator
tasks, data = json.load(sys.stdin)
aggregator = MultiRunAggregator("", "", 8, num_workers=1)
scores, _ = aggregator.aggregate_scores([{"run_args": {"skip_task": []}, "tasks": tasks}], data)
aggregator.pool.terminate()
print(json.dumps(scores))
"""


@pytest.mark.slow
def test_totals_of_august_are_those_of_the_aggregator():
    folder = checkout("src/aggregation/aggregator.py")
    rows = planted(runs=8)
    official = run(folder, AUGUST, given(rows))
    expected, nodes = by_node(official, rows, "ci"), totals(rows, "2026-08")
    assert set(expected) == set(nodes)
    for place, (mean, (low, high)) in expected.items():
        assert (nodes[place].score, nodes[place].low, nodes[place].high) == pytest.approx((mean, low, high), abs=1e-9)


RANKED = """
import json, sys
from src.aggregate_metrics import aggregate_metrics
metrics, config = json.load(sys.stdin)
print(json.dumps(aggregate_metrics(metrics, config)))
"""


def test_totals_of_ranked_labels_are_those_of_a_run():
    """LINDSEA's phenomena too, of which a task may lack one; its judged task is in no mean."""
    folder = checkout("src/aggregate_metrics.py")
    choose = random.Random(3)
    mean, metric = "average_cumulative_probabilities", "normalized_f1"
    rows, metrics, tasks = {}, {}, {}
    case, agreement, scalar, presupposition = ("case",), ("agreement",), ("scalar_implicatures",), ("presuppositions",)
    for (language, competency, group, task), phenomena in {
        ("id", "nlu", "", "sentiment"): None,
        ("id", "nlu", "", "qa"): None,
        ("id", "nlr", "", "nli"): None,
        ("th", "nlu", "", "sentiment"): None,
        ("th", "nlg", "translations", "translation-en-xx"): None,
        ("th", "nlg", "translations", "translation-xx-en"): None,
        ("ta", "linguistic-diagnostics", "", "mp-r"): case * 3 + agreement * 9,
        ("ta", "linguistic-diagnostics", PRAGMATICS, "pragmatic-single"): scalar * 8,
        ("ta", "linguistic-diagnostics", PRAGMATICS, "pragmatic-pair"): scalar * 5 + presupposition * 7,
        ("id", "linguistic-diagnostics", "", "mp-r"): case * 4 + agreement * 3,
        ("id", "linguistic-diagnostics", PRAGMATICS, "pragmatic-single"): (presupposition + scalar) * 2,
        ("id", "linguistic-diagnostics", PRAGMATICS, "pragmatic-pair"): scalar * 6 + presupposition * 2,
        ("id", "linguistic-diagnostics", "", "syntax-criteria"): None,
    }.items():
        place = Place(language, competency, group, task)
        size = len(phenomena or range(11))
        scores = [100 * choose.random() for _ in range(size)]
        written = place.task in ("qa", "syntax-criteria") or bool(place.group) and place.group != PRAGMATICS
        rows[place] = TaskRows(np.array([scores]), (None,) * size, tuple(map(str, range(size))), phenomena, best=100.0)
        name = place.task if written else f"{place.task}-logprobs"
        tasks[name] = {"metric": metric if written else mean} | ({"aggregation_group": place.group} if place.group else {})
        result = {metric if written else mean: fmean(scores), "subcategories": {}}
        for phenomenon in set(phenomena or ()):
            of_it = [score for score, its in zip(scores, phenomena, strict=True) if its == phenomenon]
            result["subcategories"][phenomenon] = {mean: fmean(of_it)}
        metrics.setdefault(place.language, {}).setdefault(place.competency, {})[name] = result
    official, nodes = run(folder, RANKED, [metrics, {"tasks": tasks}]), totals(rows, "logprobs")
    assert nodes[ALL].complete and not nodes[Place("id", "linguistic-diagnostics", "", "syntax-criteria")].in_suite
    assert nodes[ALL].score == pytest.approx(official["total"], abs=1e-9)
    for language in ("id", "th", "ta"):
        assert nodes[Place(language)].score == pytest.approx(official[language]["total"], abs=1e-9)
        for competency in {place.competency for place in rows if place.language == language}:
            assert nodes[Place(language, competency)].score == pytest.approx(official[language][competency]["total"], abs=1e-9)
