"""Comparing languages: against counting by hand and pair by pair, and through the command on lm-eval's own output."""

import itertools
import json
import math
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from lm_eval_sea.report.languages.measures import Answers, against_english, rank_correlation, shared_errors
from lm_eval_sea.report.languages.section import languages_section

from ...results import lm_eval_output
from ..planted import csv_rows, scored

STAMP = "2026-01-02T03-04-05.678901"


def answers(right: dict[str, int], clusters: dict[str, str] | None = None) -> Answers:
    return Answers({question: bool(value) for question, value in right.items()}, clusters or {q: q for q in right})


def test_shares_of_what_is_not_there_are_none():
    assert against_english(answers({"a": 1}), answers({"b": 1})) is None
    assert rank_correlation(dict(zip("abcd", range(4), strict=True)), dict(zip("abcde", range(5), strict=True))) is None
    assert against_english(answers({"a": 1, "b": 0}), answers({"a": 0, "b": 0})).lost is None


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=5, max_size=12))
def test_rank_correlation_against_its_definition(pairs):
    """τ-b, pair by pair."""
    first, second = ({str(number): pair[side] / 5 for number, pair in enumerate(pairs)} for side in (0, 1))
    found = rank_correlation(first, second | {"another": 0.5})
    assert found.languages == len(pairs)
    if len(set(first.values())) == 1 or len(set(second.values())) == 1:
        assert (found.kendall, found.kendall_p, found.spearman) == (None, None, None)
        return
    signs = np.array([np.sign(np.subtract(one, other)) for one, other in itertools.combinations(pairs, 2)])
    assert found.kendall == pytest.approx(signs.prod(axis=1).sum() / math.sqrt(np.prod((signs != 0).sum(axis=0))))


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 9)), min_size=2, max_size=40))
def test_shared_errors_against_counting(rows):
    clusters = {str(n): str(row[2]) for n, row in enumerate(rows)}
    found = shared_errors(*(answers({str(n): int(row[side]) for n, row in enumerate(rows)}, clusters) for side in (0, 1)))
    wrong = ~np.array(rows, dtype=object)[:, :2].astype(bool)
    both, shares = wrong.all(axis=1).mean(), wrong.mean(axis=0)
    assert (found.wrong_in_both, found.wrong_first, found.wrong_second) == pytest.approx((both, *shares))
    assert found.excess.mean == pytest.approx(both - shares.prod(), abs=1e-12)
    assert found.excess.mean == pytest.approx(np.cov(wrong.T.astype(float), bias=True)[0, 1], abs=1e-12)
    if found.kappa is not None:
        alike, chance = (wrong[:, 0] == wrong[:, 1]).mean(), shares.prod() + (1 - shares).prod()
        assert found.kappa == pytest.approx((alike - chance) / (1 - chance))


def planted_errors(draw, shared: float, passages: int = 200):
    """Two questions a passage; where both languages err is one throw for the passage with this probability, else two."""
    first, second, clusters = {}, {}, {}
    for passage in range(passages):
        together = draw.random() < shared
        one, other = draw.random() < 0.4, draw.random() < 0.4
        for number in (1, 2):
            name = f"{passage}#{number}"
            clusters[name] = str(passage)
            first[name], second[name] = int(not one), int(not (one if together else other))
    return answers(first, clusters), answers(second, clusters)


def test_planted_errors_are_found_and_independent_ones_are_not():
    """Questions of a passage err together, so a test by question would cry wolf: 5 % is held to by passage."""
    draw = random.Random(3)
    false_alarms = sum(shared_errors(*planted_errors(draw, 0.0)).excess.p_value < 0.05 for _ in range(200))
    assert false_alarms <= 20  # binomial: 10 expected, above 20 once in 1,000
    covered = 0
    for _ in range(100):
        found = shared_errors(*planted_errors(draw, 0.5)).excess
        covered += found.low <= 0.5 * 0.4 * 0.6 <= found.high
        assert found.p_value < 0.01
    assert covered >= 88  # 95 expected, below 88 once in 300


@pytest.mark.parametrize(("questions", "wrong"), [(100, 10), (900, 30)])
def test_rare_errors_that_meet_nowhere_are_no_sign_of_dependence(questions, wrong):
    """One in both languages is expected: against Pearson's χ² test, without its correction for small counts."""
    sides = [{str(n): int(not start <= n < start + wrong) for n in range(questions)} for start in (0, wrong)]
    found = shared_errors(*map(answers, sides)).excess
    expected = stats.chi2_contingency([[0, wrong], [wrong, questions - 2 * wrong]], correction=False)
    assert found.p_value == pytest.approx(expected.pvalue, abs=0.01) and found.p_value > 0.2
    assert found.low < 0 < found.high


@pytest.mark.parametrize(("questions", "share"), [(12, pytest.approx(1 / 3)), (9, None)])
def test_the_same_wrong_option_by_hand(questions, share):
    """Of a third the same, of a third none, of a third another; of a few wrong ones nothing is said."""
    names = [str(n) for n in range(questions + 1)]  # the last is right in the first language
    wrong, clusters = {name: name == names[-1] for name in names}, dict.fromkeys(names, "p")
    first = Answers(wrong, clusters, {name: (1, None, 2)[n % 3] for n, name in enumerate(names)})
    second = Answers(dict.fromkeys(names, False), clusters, {name: (1, None, 3)[n % 3] for n, name in enumerate(names)})
    assert shared_errors(first, second).same_wrong == share
    assert shared_errors(first, answers(dict.fromkeys(names, 0))).same_wrong is None
    assert shared_errors(first, answers({"z": 0})) is None


def test_one_error_in_common_is_no_agreement():
    """Error consistency would be 1, and an interval of this one product alone a quarter narrower."""
    found = shared_errors(*(answers({str(n): int(n > 0) for n in range(100)}) for _ in range(2)))
    assert found.kappa is None and found.same_wrong is None
    assert found.excess.stderr > 1.3 * 0.01 * 0.99 and found.excess.p_value > 0.2


def write_run(
    folder: Path, tasks: dict[str, tuple[dict, dict]], *, num_fewshot: int = 3, stamp: str = STAMP, limit: int = 256, **more: Any
) -> Path:
    """lm-eval's output: by task its metadata, and the right (1) and wrong (0) answers of its questions; `more` of the run."""
    planted = {}
    for name, (data, right) in tasks.items():
        docs = {"id": [*right], "cluster": [question.split("#")[0] for question in right]}
        facts = {"parallel": True, "dataset": "belebele", **data}
        task = lm_eval_output.toy([*right.values()], docs=docs, num_fewshot=num_fewshot, **facts)
        planted[name] = task | {"generation_kwargs": {"max_gen_toks": limit}}
    lm_eval_output.write_run(folder, planted, stamp, model="planted", **more)
    return folder


def metadata(language: str, variant: str = "to_ppl", prompt: str | None = None, **more) -> dict:
    return {"language": language, "variant": variant, "prompt_language": prompt or language, "headline_metric": "acc", **more}


RIGHT_EN = {"p#1": 1, "p#2": 1, "q#1": 1, "r#1": 0}
RIGHT_ID = {"q#1": 1, "p#1": 0, "p#2": 0, "r#1": 1}


@pytest.fixture
def results(tmp_path) -> Path:
    other = {question: 1 - value for question, value in RIGHT_ID.items()}
    return write_run(
        tmp_path / "results",
        {
            "en": (metadata("en"), RIGHT_EN),
            "id": (metadata("id"), RIGHT_ID),
            "id_enprompt": (metadata("id", prompt="en"), other),
            "th": (metadata("th"), {"p#1": 1}),
            "id-en": (metadata("id-en", prompt="en", setting="pair"), RIGHT_EN),
            "id_translated": (metadata("id", prompt="en", setting="translated"), RIGHT_EN),
        },
    )


def test_the_command_writes_what_can_be_counted_by_hand(results, report):
    tables, (out, err) = report(results)
    assert "planted: belebele, base to_ppl, prompt in the language, 3 exemplars, acc" in out
    assert re.search(r"^id +4 +50\.0 +75\.0 +-25\.0 too few passages +–$", out, re.MULTILINE)
    assert "base to_ppl native 3-shot, th: 1 of 4 questions were asked in both languages" in err
    rows = {(row["prompt"], row["question"]): row for row in csv_rows(tables / "questions.csv") if row["setting"] == "base"}
    assert {key: rows["native", "p#1"][key] for key in ("passage", "en", "id", "th", "languages", "right")} == {
        "passage": "p", "en": "1", "id": "0", "th": "1", "languages": "3", "right": "2",
    }  # fmt: skip
    assert rows["native", "r#1"]["th"] == ""
    assert rows["en", "p#1"]["id"] == "1", "the task with the English prompt has a row of its own"
    differences = {(row["setting"], row["prompt"], row["language"]): row for row in csv_rows(tables / "differences.csv")}
    assert set(differences) == {
        ("base", "native", "id"), ("base", "native", "th"), ("base", "en", "id"),
        ("pair", "en", "id-en"), ("translated", "en", "id"),
    }  # fmt: skip
    row = differences["base", "native", "id"]
    assert [float(row[key]) for key in ("accuracy", "accuracy_en", "difference")] == [0.5, 0.75, -0.25]
    assert [float(row[key]) for key in ("english_only", "language_only", "lost")] == [0.5, 0.25, pytest.approx(2 / 3)]
    # differences by passage: p −1 −1, q 0, r +1; without p their mean is 1/2, without q −1/3, without r −2/3 instead of −1/4
    assert float(row["stderr"]) == pytest.approx(math.sqrt(2 / 3 * ((3 / 4) ** 2 + (1 / 12) ** 2 + (5 / 12) ** 2)))
    assert float(differences["translated", "en", "id"]["difference"]) == 0, "its measure is the plain English task"


def both_variants(folder, to_ppl, litilo_ppl):
    """Right answers of five in each language and variant."""
    tasks = {
        f"{language}_{variant}": (metadata(language, variant), {f"p#{k}": int(k < right) for k in range(5)})
        for variant, by_language in (("to_ppl", to_ppl), ("litilo_ppl", litilo_ppl))
        for language, right in by_language.items()
    }
    return write_run(folder, tasks)


def test_rank_correlations_are_those_of_the_languages_in_both_variants(tmp_path, report):
    """One of ten pairs of languages is in another order; of 5! orders 1 + 4 have at most one such pair, as many all but one.

    Newer results of the same variant may have another headline; their languages are no others of the first metric.
    """
    accuracies = {"en": 5, "id": 4, "th": 3, "vi": 2, "ms": 1}
    tables, _ = report(both_variants(tmp_path / "results", accuracies, accuracies | {"id": 3, "th": 4}))
    (row,) = csv_rows(tables / "rank_correlations.csv")
    assert {row["first"], row["second"]} == {"base to_ppl native 3-shot", "base litilo_ppl native 3-shot"}
    assert float(row["kendall"]) == pytest.approx((9 - 1) / 10)
    assert float(row["kendall_p"]) == pytest.approx(2 * (1 + 4) / math.factorial(5))
    assert float(row["spearman"]) == pytest.approx(1 - 6 * 2 / (5 * 24))
    newer = {"metric": "acc_norm", "headline_metric": "acc_norm"}
    others = {language: (metadata(language, **newer), {f"p#{k}": 1 for k in range(5)}) for language in ("jv", "su", "tl")}
    write_run(tmp_path / "results" / "newer", others)
    (again,) = csv_rows(report(tmp_path / "results")[0] / "rank_correlations.csv")
    assert {again.pop("first"), again.pop("second")} == {"base to_ppl native 3-shot acc", "base litilo_ppl native 3-shot"}
    assert again.items() <= row.items()


def test_where_rank_correlations_say_little_there_are_none_or_a_note(tmp_path, report):
    """Of 24 orders of four one is the same as another and one the reverse: more than one in twenty."""
    accuracies = {"en": 4, "id": 3, "th": 2, "vi": 1}
    tables, (_, err) = report(both_variants(tmp_path / "results", accuracies, accuracies))
    assert not (tables / "rank_correlations.csv").exists()
    assert "settings that share fewer than 5 languages have no rank correlation" in err
    write_run(tmp_path / "results" / "other", {"th": (metadata("th"), {"p#1": 0, "q#1": 0})}, stamp=STAMP.replace("02T", "03T"))
    assert "base to_ppl native 3-shot: the languages were asked different questions" in report(tmp_path / "results")[1].err


def test_answers_with_other_numbers_of_exemplars_are_not_compared(results, report):
    """Of the English runs the older, with as many exemplars as the Thai one, is superseded by the newer."""
    write_run(results, {"en": (metadata("en"), RIGHT_EN)}, num_fewshot=0, stamp="2026-01-03T03-04-05.678901")
    tables, (_, err) = report(results)
    assert "planted: en of 2026-01-02" in err
    assert "3-shot: no comparable answers in English, so no differences" in err
    assert not (tables / "differences.csv").exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, None),
        ({"chat_template_sha": "c0ffee"}, "tasks of one type differ in the use of a chat template (id against en)"),
        ({"limit": 768}, "tasks of one type differ in the limit of tokens (id against en)"),
        (
            {"config": {"model_sha": "b"}},
            "planted: the scores are of 2 different revisions under one name (id with b, en with a); give each its own",
        ),
    ],
)
def test_languages_that_were_not_asked_alike_are_said(tmp_path, report, change, said):
    own = {"config": {"model_sha": "a"}}
    write_run(tmp_path / "results", {"en": (metadata("en"), RIGHT_EN)}, **own)
    write_run(tmp_path / "results" / "id", {"id": (metadata("id"), RIGHT_ID)}, **own | change)
    _, (_, err) = report(tmp_path / "results")
    assert said in err if said else "differ" not in err
    text = " ".join(languages_section(scored(tmp_path / "results")).text)
    assert said in text if said else "differ" not in text


def test_without_english_there_are_patterns_and_no_differences_and_without_the_metric_nothing(results, report):
    _, (_, error) = report(results, "--metric", "acc_ppl", status=2)
    assert error.startswith("lm-eval-sea: no samples of a parallel task with that metric") and error.count("\n") == 1
    for path in results.glob("samples_en_*"):
        path.unlink()
    tables, (_, err) = report(results)
    assert "no comparable answers in English, so no differences" in err
    assert not (tables / "differences.csv").exists() and csv_rows(tables / "questions.csv")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"doc": {"id": "p#1", "cluster": "p"}, "acc": 0.5}, "acc of question 'p#1' is 0.5; expected 0 or 1"),
        ({"doc": {"id": "q#1", "cluster": "q"}, "acc": 1}, "question 'q#1' occurs twice"),
    ],
)
def test_samples_that_cannot_be_compared(results, report, line, message):
    (path,) = results.glob("samples_id_2*")
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line | {"filter": "none"}) + "\n")
    tables, (_, err) = report(results)
    assert f"note: {path}: left out, because {message}" in err
    found = {(row["setting"], row["prompt"], row["language"]) for row in csv_rows(tables / "differences.csv")}
    assert ("base", "native", "id") not in found and ("base", "native", "th") in found


def test_many_passages_have_intervals_whatever_the_order_of_rows(tmp_path, report):
    questions = [f"p{number}#1" for number in range(40)]
    english = {question: int(number % 4 > 0) for number, question in enumerate(questions)}
    thai = {question: int(number % 5 > 1) for number, question in enumerate(questions)}
    tasks = {"en": (metadata("en"), english), "th": (metadata("th"), dict(reversed(thai.items())))}
    tasks["arc"] = ({"parallel": False, "language": "en"}, english)
    write_run(tmp_path / "results", tasks)
    tables, (out, err) = report(tmp_path / "results")
    [row] = csv_rows(tables / "differences.csv")
    expected = stats.ttest_rel([thai[question] for question in questions], [english[question] for question in questions])
    assert float(row["p_value"]) == pytest.approx(expected.pvalue) == float(row["p_holm"])
    assert (float(row["low"]), float(row["high"])) == pytest.approx(tuple(expected.confidence_interval(0.95)))
    assert f"[{100 * float(row['low']):+.1f}, {100 * float(row['high']):+.1f}]" in out
    assert "1 task of no parallel test left out: arc" in err
