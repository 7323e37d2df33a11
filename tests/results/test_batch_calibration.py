"""The choices of batch calibration in rows as lm-eval logs them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea.report.forms import forms_table
from lm_eval_sea.report.scores import scores_of
from lm_eval_sea.results.facts import facts_of
from lm_eval_sea.results.read import read
from lm_eval_sea.results.rows import read_rows
from lm_eval_sea.results.score import task_score
from lm_eval_sea.results.strata import combined, difference_strata, strata_of
from lm_eval_sea.results.table import records_of, table_of
from lm_eval_sea.tasks._shared.metrics.classification_metrics import batch_calibrated_accuracy_stderr
from tests.results.lm_eval_output import drawn, write_run

FACTS = {"headline_metric": "acc_bc", "chance": 0.5, "dataset": "toy", "language": "th", "variant": "classification"}
LOGS = st.lists(st.lists(st.floats(-50, -0.01), min_size=3, max_size=3), min_size=1, max_size=30)


def logged(gold: int, logs: list[float]) -> dict:
    return {"doc_id": 0, "doc": {"gold": gold, "predictions": {"acc": int(np.argmax(logs))}}, "acc_bc": [gold, logs]}


def rows_of(rows):
    return read_rows(rows, "acc_bc", "acc_bc", [])


@given(LOGS)
def test_choices_are_those_of_the_formula(logs):
    shares = np.array(logs) - np.log(np.exp(logs).sum(1, keepdims=True))
    scores = shares - shares.mean(0)
    found = rows_of([logged(1, of_row) for of_row in logs])
    for chosen, of_row, score in zip(found.chosen, scores, found.frame.score, strict=True):
        assert of_row[chosen] == pytest.approx(of_row.max(), abs=1e-6)
        assert score == float(chosen == 1)
    assert found.statistics.averaged == list(found.frame.score) and list(found.frame.chosen_acc_bc) == found.chosen


def of_strong_model(random: np.random.Generator, golds: np.ndarray, skill: float = 3) -> list[dict]:
    """Rows of a model that is nearly always right before it is calibrated."""
    logs = random.normal(size=(len(golds), 3)) + skill * np.eye(3)[golds] + np.array([2.0, 0.0, 0.0]) - 20
    return [
        logged(gold, of_row) | {"doc_id": n} for n, (gold, of_row) in enumerate(zip(golds.tolist(), logs.tolist(), strict=True))
    ]


def test_the_error_is_that_of_rows_that_are_drawn_and_calibrated_again():
    """Calibration evens out unbalanced labels, so right answers hang on the labels of all rows."""
    random, errors, shares = np.random.default_rng(1), [], [0.7, 0.15, 0.15]
    for _ in range(5):
        rows = rows_of(of_strong_model(random, random.choice(3, 100, p=shares)))
        score = task_score("acc_bc", facts_of({}), None, rows.statistics, rows.clusters, evaluated=100)
        of_mean = combined(strata_of(rows.statistics, "toy", rows.clusters)).stderr
        errors.append((score.stderr, 100 * of_mean, 100 * batch_calibrated_accuracy_stderr(rows.evidence)))
    of_score, of_mean, of_resamples = np.mean(errors, axis=0)
    assert of_score == pytest.approx(of_resamples, rel=0.1) and of_mean == pytest.approx(of_resamples, rel=0.1)
    given = rows_of(of_strong_model(random, random.choice(3, 4000, p=shares))).statistics.of_rows.std() / math.sqrt(100)
    assert of_score > 1.25 * 100 * given, "of choices that are taken for given"


def test_the_error_of_a_difference_is_that_of_rows_that_are_drawn_and_calibrated_again():
    """Two models calibrate the labels of the same rows, and so err alike: less than if their choices were given."""
    random, found = np.random.default_rng(2), []
    for _ in range(80):
        golds = random.choice(3, 100, p=[0.8, 0.1, 0.1])
        a, b = (rows_of(of_strong_model(random, golds, skill=5)).statistics for _ in range(2))
        error = combined(difference_strata(a, b, "toy", list(map(str, range(100))))).stderr
        found.append((a.of_all_rows - b.of_all_rows, error, (a.of_rows - b.of_rows).std() / 10))
    drawn_again, error, given = np.sqrt(np.mean(np.square(found), axis=0))
    assert 0.9 * drawn_again < error < 0.9 * given


NO_EVIDENCE = [None, 1.0, "text", [], [0], [0, []], [0, [-1.0]], [3, [-1.0, -2.0]], [True, [-1.0, -2.0]], [0, [-1.0, "a"]]]
NO_EVIDENCE += [[0, [-1.0, math.nan]], [0, [-1.0, 1e308]]]


@pytest.mark.parametrize("other", [{"doc": {}, "acc": 1.0}, logged(0, [-1.0, -2.0])], ids=["in no row", "in one row"])
def test_rows_that_do_not_say_all_choose_nothing(other):
    for value in NO_EVIDENCE:
        found = rows_of([{"doc": {}, "acc_bc": value}, other])
        assert found.chosen == [None, None] and not found.statistics, value


def test_the_table_takes_the_rows_choices(tmp_path):
    """A model that finds label 0 likelier everywhere, and the right one a little likelier than else: calibrated always right."""
    both = (logged(0, [-0.05, -3.0]), logged(1, [-0.1, -2.95]))
    rows = [both[number % 2] | {"doc_id": number} for number in range(40)]
    write_run(tmp_path, {"toy_th": {"rows": rows, "scores": {"acc_bc,none": 1.0}, "metadata": FACTS}})
    table = table_of(read(tmp_path))
    assert "100.0" in table and "the results say" not in table
    assert "% of the answers are option" not in table


def answered(count: int) -> list[dict]:
    """The first rows of one model, which by its last rows prefers label 0."""
    logs = np.random.default_rng(1).normal(size=(40, 2)) - [[3 * (number >= 20), 1] for number in range(40)]
    rows = [logged(number % 2, logs[number].tolist()) | {"doc_id": number} for number in range(count)]
    return [row | {"doc": row["doc"] | {"id": str(row["doc_id"])}} for row in rows]


@pytest.mark.parametrize("seeds", [[1], [1, 2]])
def test_on_common_rows_both_are_calibrated_on_these_alone(tmp_path, seeds):
    """Asked more rows, a model is as good as itself on the common ones; so is its mean over seeds."""
    write_run(tmp_path, {"toy_th": {"rows": answered(20), "metadata": FACTS}}, model="a")
    for seed in seeds:
        write_run(tmp_path / "b", {"toy_th": {"rows": answered(40), "metadata": FACTS}}, **drawn(seed, "b"))
    runs = read(tmp_path).best()
    assert [len(task.each_draw) for task in runs.tasks] == [1, len(seeds)]
    of_task, mean = records_of(runs)[2:]
    assert (of_task["task"], of_task["difference"], mean["difference"]) == ("toy_th", 0, 0)


def test_forms_are_compared_by_the_calibration_of_common_rows(tmp_path):
    write_run(tmp_path / "ranked", {"toy_th": {"rows": answered(40), "metadata": FACTS}}, model="m")
    alone = rows_of(answered(20))
    read_rows_of = [
        {"doc_id": number, "doc": row["doc"] | {"predictions": {"exact_match": choice}}, "exact_match": float(choice == gold)}
        for number, (row, choice, gold) in enumerate(zip(answered(20), alone.chosen, alone.golds, strict=True))
    ]
    chat = FACTS | {"headline_metric": "exact_match", "variant": "chat"}
    write_run(tmp_path / "chat", {"toy_th_chat": {"rows": read_rows_of, "metadata": chat}}, model="m")
    [found] = forms_table(scores_of(read(tmp_path).best())).to_dict("records")
    assert (found["rows"], found["agreement"], found["difference"]) == (20, 100, 0)


def test_a_form_has_the_interval_of_its_score(tmp_path):
    """Also where calibration adds to its error."""
    random = np.random.default_rng(2)
    rows = of_strong_model(random, random.choice(3, 60, p=[0.7, 0.15, 0.15]))
    chat = [{"doc_id": row["doc_id"], "doc": row["doc"], "exact_match": float(n % 2)} for n, row in enumerate(rows)]
    write_run(tmp_path / "ranked", {"toy_th": {"rows": rows, "metadata": FACTS}}, model="m")
    facts = FACTS | {"headline_metric": "exact_match", "variant": "chat"}
    write_run(tmp_path / "chat", {"toy_th_chat": {"rows": chat, "metadata": facts}}, model="m")
    scores = scores_of(read(tmp_path).best())
    [found] = forms_table(scores).to_dict("records")
    own = scores.headline.set_index("task").loc["toy_th"]
    assert (found["first_score"], found["first_score_low"]) == pytest.approx((own.score, own.low))
