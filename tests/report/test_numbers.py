"""Every table of the report on planted samples, against calculations by hand or a library."""

import itertools
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import f1_score, recall_score

from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.report import bias, calibration, checkpoints, generation, provenance, robustness
from lm_eval_sea.report.means import answer, scopes_table
from lm_eval_sea.report.overview import means_section, overview_section, scores_section
from lm_eval_sea.report.sections import sections
from lm_eval_sea.report.suite import read_suite
from lm_eval_sea.report.tables import Column, written
from lm_eval_sea.results.read import read
from lm_eval_sea.results.table import records_of
from lm_eval_sea.results.uncertainty import clustered_standard_error

from ..results.lm_eval_output import NEW, OLD, changed, logged, sacrebleu_of, toy, write_results, write_run
from . import planted
from .planted import NO_SUITE, at, batch_calibrated, chose, facts_of, plant, reported, right, scored, scored_seeds, shown

RANKED, TEXT, TO_THAI, FROM_THAI = planted.RANKED, planted.TEXT, planted.TO_THAI, planted.FROM_THAI


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    return scored(plant(tmp_path_factory.mktemp("runs")))


def test_headline_score_with_clustered_error(scores):
    """And generated answers in per cent."""
    found = at(scores.headline, model="org/a", task=RANKED)
    of_rows = [100, 100, 100, 0, 0, 100]  # mean 66.7; passages p, p, p, q, q, r
    mean = sum(of_rows) / 6
    stderr = 100 * clustered_standard_error([one / 100 for one in of_rows], planted.CLUSTERS)
    assert (found.score, found.stderr) == (pytest.approx(mean), pytest.approx(stderr))
    assert found.stderr_plain == pytest.approx(stats.sem(of_rows))
    assert 0 <= found.low < mean < found.high <= 100
    assert (found.clusters, found.rows, found.rows_total, found.few, found.limited) == (3, 6, 900, True, True)
    assert (found.chance, found.normalised) == (25, pytest.approx((mean - 25) / 75 * 100))
    found = at(generation.generation_table(scores), model="org/a", task=TO_THAI)
    assert (found["chrf++"], found.bleu, found.off_target_rate) == (30, 10, 25)


def test_scores_about_chance_are_no_skill_where_they_are_cut_off_there(tmp_path):
    """On SEA-HELM's scale half of a guesser's tasks are above 0 and none is below; before the cut their mean is chance."""
    counts = {"guess": [30, 20] * 20, "mute": [0] * 40, "good": [40] * 40}  # of 100 rows, a quarter by chance

    def tasks(model):
        return {f"toy_{n}": toy(right(count, 100), dataset=f"set {n}", suite="sea_helm") for n, count in enumerate(counts[model])}

    def means(*models):
        found = scored(tmp_path / "_".join(models), {model: tasks(model) for model in models})
        assert found.headline.normalised.min() == 0
        return found.means

    found = means("guess", "mute")
    mean = found.values["all", "all", "guess"]
    assert mean.value == pytest.approx((30 - 25) / 75 * 100 / 2) and mean.low == 0 < mean.value < mean.high
    assert "guess and mute cannot be told apart" in answer(found)
    assert "good is better than guess by 16.7 points" in answer(means("good", "guess"))


def test_means_say_what_is_missing(scores):
    members = {TEXT: ("mrc", "th"), TO_THAI: ("mt", "th"), FROM_THAI: ("mt", "th"), "sea_flores_en_vi": ("mt", "vi")}
    means = replace(scores, suite=replace(NO_SUITE, nested={"s": members}, suites={"s": list(members)})).means
    reading = (5 / 6 - 0.25) / 0.75 * 100  # five of six right
    thai = (30 + 45.5) / 2
    found = means.values["suite", "s", "org/a"]
    assert (found.value, found.tasks) == (pytest.approx((reading + thai) / 2), 3), "its competencies weigh the same"
    table = scopes_table(means, "suite", "", "")
    assert at(table.frame, model="org/a")["s: tasks"] == "3 of 4"
    own = [found.normalised for found in scores.headline.itertuples() if found.model == "org/a"]
    assert means.values["language", "th", "org/a"].value == pytest.approx(np.mean(own))
    assert means.values["all", "all", "org/a"].value == pytest.approx(np.mean(own))


@pytest.mark.parametrize("suite", ["sea_lite", "sea_sailcompass_chat"])
@pytest.mark.parametrize("beside", [[], ["sea_xnli_th"]])
def test_competencies_of_a_suite_weigh_the_same_also_beside_other_tasks(suite, beside, tmp_path):
    members = read_tasks().groups[suite]
    tasks = reported({name: 0.1 + number / 40 for number, name in enumerate([*members, *beside])})
    found = scored(tmp_path, {"m": tasks}, suite=None)
    own = found.headline[found.headline.task.isin(members)]
    frame = own.assign(kind=[tasks[name]["metadata"]["task"] for name in own.task])
    expected = frame.groupby(["kind", "language"]).normalised.mean().groupby("kind").mean().mean()
    assert len(own) == 27 and found.means.values["suite", suite, "m"].value == pytest.approx(expected)


def test_the_spread_of_variants_is_over_those_on_as_many_rows(tmp_path):
    """The score of the first twenty questions is not of the same questions; results may not say their rows."""
    unsaid = scored(tmp_path / "unsaid", {"m": reported({TEXT: 0.5, RANKED: 0.75})}).headline
    assert unsaid.rows.isna().all() and at(robustness.robustness_table(unsaid), dataset="belebele").spread == pytest.approx(25)
    counts = {"to_ppl": (200, 400), "tito_ppl": (228, 400), "litilo_ppl": (16, 20)}
    tasks = {variant: toy(right(*count), dataset="belebele", variant=variant) for variant, count in counts.items()}
    headline = scored(tmp_path / "said", {"m": tasks}).headline
    [found] = robustness.robustness_table(headline).to_dict("records")
    errors = [at(headline, variant=variant).stderr for variant in ("to_ppl", "tito_ppl")]
    assert found["by_chance"] == pytest.approx(stats.norm.ppf(0.975) * math.hypot(*errors)), "of two prompts"
    assert (found["to_ppl"], found["tito_ppl"], found["spread"], found["rows"]) == pytest.approx((50, 57, 7, 400))
    assert "litilo_ppl" not in found


def test_settings_have_a_panel_each_in_the_figure_of_variants(tmp_path):
    """Or two dots of a model stand on one line, and nothing says which is which."""
    names = [f"sea_belebele_th_{setting}{variant}" for setting in ("", "parallel_") for variant in ("to_ppl", "litilo_ppl")]
    scores = scored(tmp_path, {"m": reported(dict(zip(names, (0.5, 0.4, 0.6, 0.3), strict=True)))}, suite=None)
    figure = robustness.robustness_section(scores).parts[0]
    dots = {panel.title: [[mark.value for mark in line.marks[1:]] for line in panel.lines] for panel in figure.chart.panels}
    assert dots == {"Belebele: Thai": [[50], [40]], "Belebele: Thai, parallel": [[60], [30]]}


def test_bias_by_hand(scores):
    golds, choices = planted.GOLDS, planted.CHOICES["org/a"][RANKED]
    found = at(bias.bias_table(scores), model="org/a", task=RANKED)
    recalls = 100 * recall_score(golds, choices, average=None)  # 100, 50, 0, 100
    assert found.rstd == pytest.approx(np.std(recalls))
    # 4 of 6 right at any of four positions, which have 2, 2, 1 and 1 rows: the deviations from the mean recall
    centre = np.eye(4) - 1 / 4
    spread = centre @ np.diag([1 / 2, 1 / 2, 1, 1]) @ centre
    mean, square = np.trace(spread), np.trace(spread @ spread)
    most = square / mean * stats.chi2.ppf(0.95, mean**2 / square)
    assert found.rstd_by_chance == pytest.approx(100 * math.sqrt(4 / 6 * 2 / 6 * most / 4))
    gold, chosen = (sum(len(planted.OPTIONS[choice]) for choice in side) for side in (golds, choices))
    assert found.length_discrepancy == pytest.approx(100 * (chosen / gold - 1))
    generated = at(bias.bias_table(scores), model="org/a", task=planted.GENERATED)
    assert generated.unanswered == 1
    # 2 + 2 + 4 + 6 + 8 right, 2 + 4 + 4 + 2 + 8 chosen; the row without a letter has no length
    assert generated.length_discrepancy == pytest.approx(100 * (20 - 22) / 22)
    for position in range(4):
        found = at(bias.position_table(scores), model="org/a", task=RANKED, position=position + 1)
        assert (found.gold, found.chosen) == (golds.count(position), choices.count(position))
        assert found.chosen_share == pytest.approx(100 * found.chosen / 6)


def test_positions_and_lengths_are_of_the_answers_of_all_seeds(tmp_path):
    """What chance gives is that of the rows: a seed that answers alike adds nothing."""
    golds, chosen = [0, 1, 1, 2] * 3, [[0, 1, 0, 2] * 3, [0, 0, 2, None] * 3]
    scores = scored_seeds(tmp_path, [{"toy": chose(golds, choices, [["a", "bb", "cccc"]] * 12)} for choices in chosen])
    [found], shares = bias.bias_table(scores).to_dict("records"), bias.position_table(scores)
    assert (found["rows"], found["unanswered"]) == (24, 3)
    assert found["rstd"] == pytest.approx(np.std([100, 25, 50]))
    assert found["length_discrepancy"] == pytest.approx(100 * ((1 + 2 + 1 + 4 + 1 + 1 + 4) / (1 + 2 + 2 + 4 + 1 + 2 + 2) - 1))
    assert shares.chosen.tolist() == [12, 3, 6]
    assert bias.recall_deviation(golds * 2, chosen[0] * 2, 2) == pytest.approx(bias.recall_deviation(golds, chosen[0]))
    assert "the answers of all count" in " ".join(bias.bias_section(scores).text)


@pytest.mark.parametrize("interleaved", [False, True])
def test_choices_are_those_of_the_filter_that_the_score_is_of(interleaved, tmp_path):
    """Which lm-eval calls "none", wherever its rows stand in the file."""
    own = chose([0, 1, 0, 1], [0, 1, 1, 1], [["a", "b"]] * 4)
    others = [row | {"filter": "lenient", "acc": 1.0, "doc": row["doc"] | {"predictions": {"acc": 0}}} for row in own["rows"]]
    pairs = zip(others, own["rows"], strict=True)
    own["rows"] = [row for pair in pairs for row in pair] if interleaved else [*others, *own["rows"]]
    scores = scored(tmp_path, {"m": {"toy": own}}, rows=4)
    assert bias.position_table(scores).chosen.tolist() == [1, 3]
    assert not scores.headline.contradicted.any() and not any("rows" in note for note in scores.notes)


@pytest.mark.parametrize(
    ("golds", "options", "unknown"),
    [([0, 1], ["", ""], {"length_discrepancy"}), ([0, 0], ["a", "b"], {"rstd", "rstd_by_chance"})],
)
def test_length_bias_and_recall_deviation_are_unknown_without_texts_or_positions(tmp_path, golds, options, unknown):
    scores = scored(tmp_path, {"m": {"toy": chose(golds, [0, 1 - golds[1]], [options] * 2)}})
    [found] = bias.bias_table(scores).to_dict("records")
    assert {name for name in ("length_discrepancy", "rstd", "rstd_by_chance") if math.isnan(found[name])} == unknown


def test_the_interval_of_lengths_is_that_of_passages(tmp_path):
    """Against the jackknife over passages, which is close to it for so many."""
    draw = np.random.default_rng(4)
    golds, chosen, passages = draw.integers(0, 4, 400), draw.integers(0, 4, 400), draw.integers(0, 200, 400)
    lengths = draw.integers(5, 40, (400, 4))
    options = [["x" * length for length in row] for row in lengths.tolist()]
    task = chose(golds.tolist(), chosen.tolist(), options, docs={"cluster": passages.tolist()})
    [found] = bias.bias_table(scored(tmp_path, {"m": {"toy": task}})).to_dict("records")
    own, other = (lengths[np.arange(400), side] for side in (golds, chosen))
    without = [100 * other[passages != left].sum() / own[passages != left].sum() for left in np.unique(passages)]
    half = stats.t.ppf(0.975, len(without) - 1) * math.sqrt((len(without) - 1) * np.var(without))
    mean, low, high = (found[f"length_discrepancy{end}"] for end in ("", "_low", "_high"))
    assert mean == pytest.approx(100 * (other.sum() / own.sum() - 1))
    assert (mean - low, high - mean) == pytest.approx((half, half), rel=0.02)


@pytest.mark.parametrize("counts", [(25, 25, 25, 25), (10, 30, 60), (40, 40)], ids=str)
def test_a_model_without_a_preference_is_below_the_recall_deviation_that_chance_gives(counts):
    generator, golds, found = np.random.default_rng(0), np.repeat(np.arange(len(counts)), counts), []
    for _ in range(1000):
        chosen = np.where(generator.random(len(golds)) < 0.6, golds, -1)
        found.append(bias.recall_deviation(golds.tolist(), chosen.tolist()))
    assert np.mean([own <= most for own, most in found]) == pytest.approx(0.95, abs=0.02)


def test_calibration_by_a_library(scores):
    table = calibration.calibration_table(scores)
    expected = {"acc": np.array(planted.LOGLIKELIHOODS).argmax(1), "acc_cc": np.array(planted.CALIBRATED)}
    expected["acc_bc"] = batch_calibrated(planted.LOGLIKELIHOODS)
    assert set(table[table.task == planted.CLASSES].method) == set(expected)
    of_methods = {method: at(table, model="org/a", task=planted.CLASSES, method=method) for method in expected}
    labels = calibration.label_table(replace(scores, suite=read_suite()))
    labels = labels[labels.model == "org/a"]
    for method, choices in expected.items():
        found = of_methods[method]
        assert found.accuracy == pytest.approx(100 * (choices == planted.CLASS_GOLDS).mean())
        assert found.macro_f1 == pytest.approx(100 * f1_score(planted.CLASS_GOLDS, choices, average="macro"))
        assert found.changed == pytest.approx(100 * (choices != expected["acc"]).mean())
        assert list(labels[method]) == np.bincount(choices, minlength=3).tolist()
        gain = math.nan if method == "acc" else found.accuracy - of_methods["acc"].accuracy
        assert found.accuracy_gain == pytest.approx(gain, nan_ok=True)
    assert math.isnan(of_methods["acc_bc"].accuracy_gain_low), "of few rows"
    assert list(labels.meaning) == ["neutral", "entailment", "contradiction"]
    assert list(labels.gold) == np.bincount(planted.CLASS_GOLDS, minlength=3).tolist()


def classified(*args, **docs):
    """A task with the rows of `labelled`."""
    facts = facts_of("sea_xnli_th")
    return {"sea_xnli_th": {"metadata": facts, "doc_to_choice": ["a", "b", "c"], "rows": planted.labelled(*args, **docs)}}


def test_gains_of_calibration_have_the_jackknifes_interval(tmp_path):
    """On 24 passages of two rows: against leaving out one of 20 groups of passages, the rest calibrated anew."""
    draw = np.random.default_rng(2)
    golds = draw.integers(0, 3, 48)
    logs = draw.normal(size=(48, 3)) + [1.5, 0, 0] + np.eye(3)[golds]
    passages = np.arange(48) // 2
    scores = scored(tmp_path, {"m": classified(golds.tolist(), logs, cluster=[f"p{passage}" for passage in passages])})
    found = at(calibration.calibration_table(scores), method="acc_bc")

    def gains(kept):
        choices = [batch_calibrated(logs[kept]), logs[kept].argmax(axis=1)]
        after, before = ([np.mean(c == golds[kept]), f1_score(golds[kept], c, average="macro")] for c in choices)
        return 100 * np.subtract(after, before)

    without = np.array([gains(passages % 20 != group) for group in range(20)])
    halves = stats.t.ppf(0.975, 19) * np.sqrt(19 / 20 * np.square(without - without.mean(axis=0)).sum(axis=0))
    for name, value, half in zip(("accuracy_gain", "macro_f1_gain"), gains(passages >= 0), halves, strict=True):
        assert found[name] == pytest.approx(value) and value > 0
        assert [found[f"{name}_low"], found[f"{name}_high"]] == pytest.approx([value - half, value + half])


def test_a_row_in_which_no_label_has_a_probability_counts(tmp_path):
    """As in the score; its choice is the first label."""
    logs = [[-1.0, -2.0, -3.0], [-2.0, -1.0, -3.0], [-3.0, -2.0, -1.0], [-np.inf] * 3]
    scores = scored(tmp_path, {"m": classified([0, 1, 2, 2], logs)}, suite=None)
    found = at(calibration.calibration_table(scores), method="acc_bc")
    assert (found.rows, found.accuracy) == (4, 75) and at(scores.headline, task="sea_xnli_th").score == 75
    assert calibration.label_table(scores)[["gold", "acc"]].to_numpy().tolist() == [[1, 2], [1, 1], [2, 1]]


def test_the_choices_of_the_last_seed_are_calibrated_and_this_is_said(tmp_path):
    """They make another accuracy than the score, which is the mean over the seeds."""
    draw, golds = np.random.default_rng(2), [0, 1, 2] * 8
    logs = [draw.normal(size=(24, 3)) + seed * np.eye(3)[golds] for seed in (1, 2)]
    scores = scored_seeds(tmp_path, [classified(golds, own) for own in logs])
    shares = [100 * np.mean(batch_calibrated(own) == golds) for own in logs]
    assert at(scores.headline, task="sea_xnli_th").score == pytest.approx(np.mean(shares))
    section = calibration.calibration_section(scores)
    assert at(section.tables[0].frame, method="acc_bc").accuracy == pytest.approx(shares[1]) != pytest.approx(shares[0])
    assert "the answers of the last count here (seed 2), while its score is the mean over all" in " ".join(section.text)


@pytest.mark.parametrize(("original", "mark"), [(40, ""), (900, "†")])
def test_numbers_of_a_part_of_the_rows_are_marked(tmp_path, original, mark):
    """Positions, bounds, means, differences and checkpoints; those of the third model are of all rows."""

    def tasks(rows):
        ranked = chose([0, 1, 0, 1] * 10, [0, 1, 1, 1] * 10, [["a", "b"]] * 40, rows=rows, language="th", variant="to_ppl")
        ranked["scores"] |= {"bits_per_byte,none": 1.0, "bits_per_byte_stderr,none": 0.1}
        generated = toy(right(20, 40), "exact_match", rows=rows)  # eight of the others cut; two requests failed
        generated["scores"] |= {"null_rate,none": 0.25, "cut_rate,none": 0.2, "failure_rate,none": 0.05}
        return {"ranked": ranked, "generated": generated}

    scores = scored(tmp_path, {"step1": tasks(original), "step2": tasks(original), "step3": tasks(40)})
    made = {section.name: section for section in sections(scores, steps=True)}
    positions, lost = shown(made["bias"], "positions")[0], shown(made["generation"], "answers")[0]
    assert [positions["option 1"], positions["option 2"]] == [f"25.0 (50.0){mark}", f"75.0 (50.0){mark}"]
    assert bias.bias_section(scores).tables[1].frame["option 1"].tolist() == ["25.0 (50.0)"] * 3, "the file has numbers alone"
    assert (lost["not_read"], lost["cut"], lost["failed"]) == (f"25.0{mark}", "20.0", "5.0")
    bounds = {"all_wrong": 50, "all_right": 50 + 20, "completed": 100 * 20 / (40 - 8 - 2)}
    assert {name: lost[name] for name in bounds} == {name: f"{value:.1f}{mark}" for name, value in bounds.items()}
    *curve, whole = shown(made["overview"], "checkpoints")
    texts = [row[name] for row in curve for name in ("mean", "bits")]
    differences = shown(made["means"], "comparisons")
    texts += [row[name] for row in differences for name in ("difference", "mean_first", "mean_second")]
    assert all(re.search(r"[\d\]](†?)$", text)[1] == mark for text in texts) and "†" not in whole["mean"] + whole["bits"], texts
    figure, _ = made["overview"].figures
    assert [line.label for line in figure.chart.panels[0].lines] == [f"step1{mark}", f"step2{mark}", "step3"]
    assert figure.caption.endswith("† marks means over a part of the rows.") == bool(mark)


def test_one_direction_of_part_of_the_rows_is_marked_without_the_other(tmp_path):
    scores = scored(tmp_path, {"a": reported({TO_THAI: 35.0})}, rows=40)
    [cells] = shown(generation.generation_section(scores), "translation")
    assert (cells["from_english"], cells["into_english"], cells["difference"]) == ("35.0†", "–", "–")


@pytest.mark.parametrize("models", ["ab", "abc"])
def test_means_say_which_models_have_no_score_in_them(tmp_path, models):
    """A model without the headline metric of its only task, such as one behind an API."""
    runs = {model: {"toy": toy(right(20, 40), "acc" if model == "a" else "other")} for model in models}
    for model in models:
        runs[model]["toy"]["metadata"]["headline_metric"] = "other"
    said = overview_section(scored(tmp_path, runs), None, steps=False).after
    assert ("They have no score of a, so they are of b alone." if models == "ab" else "They have no score of a.") in said


def the_difference(scores):
    [found] = scores.means.of_tasks.values()
    return found


def two_models(folder, answers, metric="acc"):
    """Runs of models on one task with passages of two rows; `answers` are by model what is logged for each row of one metric.

    Scores of texts are not in the results.
    """

    def task(entries):
        docs = {"cluster": [n // 2 for n in range(len(entries))]}
        return toy(entries, docs=docs) if metric == "acc" else toy(entries, metric, docs, value=1) | {"scores": {"x,none": 1}}

    return scored(folder, {model: {"toy": task(entries)} for model, entries in answers.items()})


def test_a_common_task_that_is_not_compared_is_named(tmp_path):
    """One model's rows of it were not logged."""
    for model, share in (("a", 0.9), ("b", 0.2)):
        unlogged = toy([share], has_rows=model == "b", rows=1) | {"scores": {"acc,none": share, "acc_stderr,none": 0.05}}
        write_run(tmp_path / model, {"toy_th": toy(right(20, 40)), "toy_vi": unlogged}, model=model)
    (told,) = [table for table in scores_section(scored(tmp_path)).tables if table.name == "differences"]
    assert told.frame.task.tolist() == ["toy_th"] and told.note.endswith("scored in another way: toy_vi.")


def test_rows_that_all_differ_alike_are_told_apart_on_the_task_as_in_the_mean(tmp_path):
    """One model is right on all rows, the other on none: the error is that of half a row more on which either alone is right."""
    means = two_models(tmp_path, {"a": [1.0] * 40, "b": [0.0] * 40}).means
    [found], mean = means.of_tasks.values(), means.differences["all", "all", "a", "b"]
    assert found.stderr == pytest.approx(100 * math.sqrt((41 / 41 - (40 / 41) ** 2) / 40))
    assert found.low == pytest.approx(0.75 * mean.interval()[0]) and found.high == 100 and found.p_value == mean.p_value < 1e-9
    alike = the_difference(two_models(tmp_path / "alike", {"a": [1.0] * 40, "b": [1.0] * 40}))
    assert alike.p_value == 1 and alike.low < 0 < alike.high


def test_translations_that_are_alike_in_all_rows_are_equal_and_no_more(tmp_path):
    texts = [["the old market town by the river", "the old market " + "town" * (n % 3)] for n in range(20)]
    scores = two_models(tmp_path, {"a": texts, "b": texts}, "chrf++")
    assert answer(scores.means).startswith("a and b cannot be told apart on 1 common task: their means are equal.")
    found = the_difference(scores)
    assert found.low < 0 == found.difference < found.high and found.p_value == 1, "one right answer more would be a difference"


def texts_of(rows, words):
    """Pairs of a reference and an answer, which is its beginning: `words` says how long from the row's number."""
    reference = ["the", "river", "runs", "slowly", "past", "the", "old", "market", "town"]
    return [[" ".join(reference), " ".join(reference[: words(n)])] for n in range(rows)]


def test_corpus_scores_are_compared_by_swapping(tmp_path):
    texts = {"a": texts_of(40, lambda n: 6 + n % 3), "b": texts_of(40, lambda n: 3 + n % 3)}
    scores = two_models(tmp_path, texts, "chrf++")
    found = the_difference(scores)
    expected = [sacrebleu_of("chrf++", texts[model]) for model in "ab"]
    assert (found.test, found.metric) == ("swaps", "chrf++")
    assert found.difference == pytest.approx(expected[0] - expected[1])
    assert 0 < found.low < found.difference < found.high and found.p_value < 0.001
    assert scores.headline.score.tolist() == pytest.approx(expected), "which the results lack"
    assert not scores.headline.few.any() and scores.headline.clusters.tolist() == [20, 20]


def test_swaps_alone_do_not_make_a_bleu_difference_significant(tmp_path):
    """Of the swaps of ten passages only two differ as much, but one right answer more would change as much, too."""
    texts = {"a": texts_of(20, lambda n: 1 if n // 2 % 2 else 4), "b": texts_of(20, lambda n: 0)}
    found = the_difference(two_models(tmp_path, texts, "bleu"))
    assert found.low < 0 < found.difference < found.high
    assert found.p_value == pytest.approx(2 * stats.t.sf(found.difference / found.stderr, 9)) and found.p_value > 0.05


def test_two_models_with_one_common_task_are_told_apart_as_on_the_task(tmp_path):
    """One is better on three of ten passages, and on the others they are equal: of eight swaps two differ as much."""
    texts = {"a": texts_of(20, lambda n: 5 if n < 6 else 3), "b": texts_of(20, lambda n: 3)}
    scores = two_models(tmp_path, texts, "bleu")
    found = the_difference(scores)
    assert found.low > 0 and found.p_value == 2 / 2**3
    assert answer(scores.means).startswith("a and b cannot be told apart on 1 common task: ")


@pytest.mark.parametrize(("words", "is_known"), [((4, 6), True), ((2, 4), True), ((2, 3), False)])
def test_two_models_without_four_words_in_a_row_are_not_compared_by_bleu(tmp_path, words, is_known):
    """Both scores are sacreBLEU's smoothing."""
    texts = {model: texts_of(40, lambda n, most=most: most - n % 2) for model, most in zip("ab", words, strict=True)}
    found = the_difference(two_models(tmp_path, texts, "bleu"))
    assert (found.low is not None, found.p_value is not None) == (is_known, is_known)


def places_of(means):
    return {model: places.text for model, places in means.ranks["all", "all"].items()}


def test_ranks_are_ranges_of_places_that_cannot_be_ruled_out(tmp_path):
    strong, weak = right(36, 40), right(8, 40)
    means = two_models(tmp_path / "three", {"a": strong, "b": strong[::-1], "c": weak}).means
    assert places_of(means) == {"a": "1–2", "b": "1–2", "c": "3"}
    assert means.order == ["a", "b", "c"] and means.of_tasks == {}, "tasks are compared where there are two models"
    assert places_of(two_models(tmp_path / "two", {"a": strong, "c": weak}).means) == {"a": "1", "c": "2"}
    reports = {model: {"toy": toy([share], has_rows=False, rows=100)} for model, share in (("a", 0.97), ("b", 0.34))}
    for tasks in reports.values():
        tasks["toy"]["scores"]["acc_stderr,none"] = 0.02
    unsaid = scored(tmp_path / "unsaid", reports)
    [cells] = shown(scores_section(unsaid), "scores_by_model")
    assert cells["a: score"].startswith("97.0 [") and cells["b: score"].startswith("34.0 [")
    assert places_of(unsaid.means) == {"a": "1–2", "b": "1–2"}, "of models without rows and counts of them"


def test_other_wordings_on_one_model_leave_it_its_rank(tmp_path):
    """Both ran three tasks, and one model each of them in two more wordings: they share three names of nine, and all tasks."""
    names = ["sea_xcopa_th_to_ppl", "sea_xcopa_id_to_ppl", "sea_xcopa_vi_to_ppl"]
    tasks = {name: toy(right(36, 40)) for name in names}
    worded = {f"{name}_{setting}": toy(right(36, 40), setting=setting) for name in names for setting in ("p2", "p3")}
    others = {name: toy(right(8, 40)) for name in names}
    assert places_of(scored(tmp_path / "wordings", {"a": tasks | worded, "b": others}).means) == {"a": "1", "b": "2"}
    apart = {"a": worded | {names[0]: tasks[names[0]]}, "b": {names[0]: others[names[0]]}}
    assert not scored(tmp_path / "one", apart).means.ranks, "one task of three"


def test_models_that_are_each_better_than_the_next_have_no_order(tmp_path):
    """Any two of three models have two tasks in common, a fourth one is worse on all four; the figure says who lacks tasks."""
    low, middle, high = (toy(right(count, 80)) for count in (30, 50, 70))
    of_models = {
        "a": {"x": low, "y": high, "w": middle},
        "b": {"y": low, "z": high, "w": middle},
        "c": {"z": low, "x": high, "w": middle},
        "d": dict.fromkeys("wxyz", toy(right(0, 80))),
    }
    scores = scored(tmp_path, of_models)
    found = {key[2:]: (found.value > 0, scores.means.corrected[key] < 0.05) for key, found in scores.means.differences.items()}
    assert found == {pair: (pair != ("a", "c"), True) for pair in itertools.combinations("abcd", 2)}
    assert places_of(scores.means) == {"a": "1–3", "b": "1–3", "c": "1–3", "d": "4"}
    [figure] = overview_section(scores, None, steps=False).figures
    first, *others = [line.label for line in figure.chart.panels[0].lines]
    assert (first, sorted(others)) == ("d", [f"{model} (3 of 4 tasks)" for model in "abc"])
    assert "lacks some" in figure.caption


@pytest.mark.parametrize(
    ("kind", "value", "ends", "said"),
    [
        ("points", 1.0, (0.04, 2.0), "+1.0 [+0.04, +2.0]"), ("points", 1.0, (-2.0, -0.0123), "+1.0 [−2.0, −0.012]"),
        ("points", 1.0, (0.0, 1e-17), "+1.0 [0.0, 0.0]"), ("decimals", 1.0, (-0.004, 0.0051), "1.00 [−0.004, 0.01]"),
        ("score", 1.0, (0.04, 2.0), "1.0 [0.0, 2.0]"), ("p", 0.0004, (), "< 0.001"), ("p", 0.0213, (), "0.021"),
        ("p", 0.04996, (), "0.04996"), ("p", 0.0504, (), "0.05040"),
    ],
)  # fmt: skip
def test_rounding_hides_no_side_of_0_or_of_the_level(kind, value, ends, said):
    """Or what is in bold, told from 0, seems to have 0 in its interval."""
    row = {"value": value} | dict(zip(("low", "high"), ends, strict=False))
    assert written(Column("value", "", kind, low="low", high="high"), row) == said


def test_a_number_that_its_rows_contradict_is_marked_where_it_stands(tmp_path):
    agreeing = two_models(tmp_path, {"a": [1.0] * 30, "b": [0.0, 1.0] * 15})
    with changed(tmp_path / "a") as content:
        content["results"]["toy"]["acc,none"] = 0.5
    section = scores_section(scored(tmp_path))
    [cells] = shown(section, "scores_by_model")
    assert cells["a: score"].endswith("‡") and not cells["b: score"].endswith("‡")
    assert any("‡ marks" in text for text in section.text)
    assert not any("‡" in text for text in scores_section(agreeing).text)


def test_what_was_run_stands_first_and_a_note_names_its_model_once(tmp_path):
    scores = scored(plant(tmp_path), suite=None)
    section = scores_section(scores)
    has_score = [cells["org/a: score"] != "–" for cells in shown(section, "scores_by_model")]
    assert has_score.index(False) == sum(has_score) == 7
    assert list(shown(overview_section(scores, None, steps=False), "models")[0])[:3] == ["model", "rank", "all tasks"]
    notes = list(provenance.provenance_section(scores).tables[0].frame.warning)
    for model in ("org/a", "org/b"):
        assert sum(note.startswith(f"{model}, {TEXT}: the data had 6 rows") for note in notes) == 1
    assert len(notes) == len(set(notes))


def test_the_mean_of_one_task_has_the_interval_of_its_score(tmp_path):
    """Exact coverage, over all numbers of right answers to 40 rows; that of Student's t falls to 85 % where 95 % are right."""
    scores = scored(tmp_path, {f"m{count}": {"toy": toy(right(count, 40), language="th")} for count in range(41)})
    ends = {model: (mean.low, mean.high) for (kind, _, model), mean in scores.means.values.items() if kind == "language"}
    for row in scores.headline.itertuples():
        assert ends[row.model] == pytest.approx([(end - 25) / 0.75 for end in (row.low, row.high)])
    for truth in (0.25, 0.6, 0.8, 0.9, 0.95, 0.98):
        holds = [low <= 100 * (truth - 0.25) / 0.75 <= high for low, high in (ends[f"m{count}"] for count in range(41))]
        assert stats.binom.pmf(range(41), 40, truth) @ holds > 0.93


def test_a_comparison_says_how_many_of_the_tasks_are_common(tmp_path):
    """“All tasks” are those that both ran, here one of three."""
    ran = {"a": ("toy_a", "toy_b"), "b": ("toy_b", "toy_c")}
    scores = scored(tmp_path, {model: {name: toy(right(20, 40)) for name in names} for model, names in ran.items()})
    [cells] = shown(overview_section(scores, None, steps=False), "comparisons")
    assert (cells["over"], cells["tasks"], cells["of"]) == ("all tasks", "1", "3")


def test_means_of_few_rows_are_not_tested(tmp_path):
    scores = two_models(tmp_path, {"a": [1.0] * 6, "b": [1.0, 1.0, 0.0, 1.0, 0.0, 0.0]})  # three clusters
    overview = overview_section(scores, None, steps=False)
    [cells] = shown(overview, "comparisons")
    assert (cells["difference"], cells["p_holm"]) == ("+66.7 few", "–")
    [models] = [table for table in overview.tables if table.name == "models"]
    assert "few" in str(models.cells()) and "“few” means that a task has fewer than 5 passages" in models.note


@pytest.mark.parametrize(("rows", "said"), [(4, True), (40, False)])
def test_a_figure_says_what_a_dot_without_an_interval_means(tmp_path, rows, said):
    three = scored(tmp_path, {"a": {"toy": toy(right(2, rows))}} | {model: {"toy": toy(right(20, 40))} for model in "bc"})
    [figure] = overview_section(three, None, steps=False).figures
    assert ("A dot without a line has no known interval." in figure.caption) == said


@pytest.mark.parametrize(("task", "adapted"), [("pragmatics_pair", True), ("pragmatics_single", True), ("syntax", False)])
def test_errors_of_items_that_two_languages_adapt_are_added(tmp_path, task, adapted):
    """LINDSEA's minimal pairs are about the grammar of each language, its pragmatics is not; ids do not tell which agree."""
    errors = {f"sea_helm_id_lindsea_{task}": 0.03, f"sea_helm_ta_lindsea_{task}": 0.04}
    tasks = reported(dict.fromkeys(errors, 0.8))
    for name, error in errors.items():
        tasks[name]["scores"]["phenomena_acc_stderr,none"] = error
    mean = scored(tmp_path, {"m": tasks}, rows=10_000).means.values["all", "all", "m"]
    error = sum(errors.values()) if adapted else math.hypot(*errors.values())
    assert mean.stderr == pytest.approx(100 * error / 2 / (1 - 0.5))


def test_rows_count_once_in_a_mean(tmp_path):
    """Of a whole task and its lite one the one counts that more models were run on; outside their suites the other does not."""
    whole, lite = "sea_xcopa_id_to_ppl", "sea_xcopa_id_to_ppl_lite"
    alone = scored(tmp_path, {"a": reported({whole: 0.6, lite: 0.9})}).means
    expected = {("all", "all"), ("language", "id"), ("competency", "cr")}
    assert {key[:2]: (mean.tasks, mean.value) for key, mean in alone.values.items()} == dict.fromkeys(
        expected, (1, pytest.approx(20))
    )
    means = scored(tmp_path, {"b": reported({lite: 0.7})}).means
    of_both = [means.values["all", "all", model] for model in "ab"]
    assert [(mean.tasks, mean.value) for mean in of_both] == [(1, pytest.approx(80)), (1, pytest.approx(40))]
    section = overview_section(scored(tmp_path, {"c": reported({whole: 0.7})}), None, steps=False)
    found = [(cells["model"], cells["all tasks"]) for cells in shown(section, "models")]
    assert found == [("c", "40.0"), ("a", "20.0"), ("b", "–")]
    assert any(line.endswith(f"so these are left out: b ({lite}).") for line in section.after)
    [figure] = section.figures
    assert [line.label for line in figure.chart.panels[0].lines] == ["c", "a"]


def of_lm_eval(folder, by_task, *, has_rows, model="m"):
    """The means of all runs in the folder, with one more of lm-eval's own tasks, whose rows have no ids of their own."""
    tasks = {}
    for name, answers in by_task.items():
        rows = [
            {"doc_id": n, "filter": "none", "metrics": ["acc"], "doc": {}, "acc": float(one)} for n, one in enumerate(answers)
        ]
        scores = {"acc,none": np.mean(answers), "acc_stderr,none": stats.sem(answers)}
        tasks[name] = {"scores": scores, "metadata": {"version": 0.0}, "rows": rows if has_rows else None}
    counts = {name: {"original": len(answers), "effective": len(answers)} for name, answers in by_task.items()}
    write_run(folder / model, tasks, model=model, **{"n-samples": counts})
    return scored(folder).means


@pytest.mark.parametrize("has_rows", [True, False])
def test_the_parts_of_a_group_of_lm_eval_weigh_together_as_one_task(tmp_path, has_rows):
    """INCLUDE has a task for each domain, whose rows are others. Its own mean, in lm-eval, is that of all rows."""
    drawn = np.random.default_rng(1)
    sizes = {"stem": (200, 0.3), "social_science": (60, 0.6), "arts": (40, 0.9)}
    parts = {f"include_base_44_indonesian_{name}": drawn.random(count) < share for name, (count, share) in sizes.items()}
    good = {**parts, "xstorycloze_id": drawn.random(100) < 0.8}
    weak = {name: part & (drawn.random(len(part)) < 0.9) for name, part in good.items()}
    of_lm_eval(tmp_path, good, has_rows=has_rows, model="good")
    means = of_lm_eval(tmp_path, weak, has_rows=has_rows, model="weak")
    found, other = (means.values["language", "id", model] for model in ("good", "weak"))
    rows, story = np.concatenate(list(parts.values())), good["xstorycloze_id"]
    errors = [len(part) / len(rows) * stats.sem(part) / 0.75 for part in parts.values()]
    assert found.value == pytest.approx(100 * ((rows.mean() - 0.25) / 0.75 + (story.mean() - 0.5) / 0.5) / 2)
    assert found.stderr == pytest.approx(100 * math.hypot(*errors, stats.sem(story) / 0.5) / 2, rel=0.01)
    [difference] = [each["difference"] for each in records_of(read(tmp_path).best()) if each["task"] == "mean"]
    assert difference == pytest.approx(found.value - other.value)
    assert means.differences["all", "all", "good", "weak"].value == pytest.approx(difference)


@pytest.mark.parametrize("has_rows", [True, False])
def test_translations_of_lm_eval_are_not_taken_for_independent(tmp_path, has_rows):
    """The stories are the same in every language: more languages tell no more of them, if the answers are the same, too."""
    answers = np.random.default_rng(1).random(400) < 0.7
    means = of_lm_eval(tmp_path, {f"xstorycloze_{code}": answers for code in ("id", "my", "zh")}, has_rows=has_rows)
    errors = [means.values[kind, name, "m"].stderr for kind, name in (("all", "all"), ("language", "my"))]
    assert errors == pytest.approx([200 * stats.sem(answers)] * 2, rel=0.01)


@pytest.mark.parametrize(("weigh", "mean"), [("task", (0.45 + 0.8 + 0.6) / 3), ("competency", (0.45 + 0.7) / 2)])
@pytest.mark.parametrize("members", [{}, {"toy": ("nli", "th")}], ids=["no member of the suite", "one"])
def test_a_curve_over_checkpoints_has_the_weights_of_the_means(tmp_path, weigh, mean, members):
    shares = {"toy": 0.4, "toy_lite": 0.9, "toy_p2": 0.5, "other": 0.8, "third": 0.6}
    tasks = {
        name: toy([share], has_rows=False, dataset=name, task="nli" if "toy" in name else "mrc") for name, share in shares.items()
    }
    tasks["toy_p2"]["metadata"]["setting"] = "p2"
    suite = replace(NO_SUITE, members=members)
    found = replace(scored(tmp_path, {"org/step1": tasks, "org/step2": tasks}, suite=suite), weigh=weigh)
    expected = pytest.approx(100 * (mean - 0.25) / 0.75)
    assert checkpoints.curve(found)["mean"].tolist() == [expected] * 2
    assert [found.means.values["all", "all", model].value for model in found.models] == [expected] * 2
    assert f"in other means, every {weigh} has the same weight" in means_section(found).parts[0].note


@pytest.mark.parametrize(
    ("counts", "rows", "said"),
    [
        ((10, 25, 35), 40, "From step 3,000 on they are above chance"),
        ((30, 35, 8), 40, "Above chance with 95 % certainty each are step 1,000, step 3,000, but not the last."),
        ((10, 8, 10), 40, "No checkpoint is above chance"),
        ((4, 4, 4), 4, "Whether they are above chance is unknown"),
    ],
)
def test_a_curve_over_checkpoints_and_which_are_above_chance(tmp_path, counts, rows, said):
    steps = [1000, 3000, 20000]
    answers = {f"org/model-step{step}": right(count, rows) for step, count in zip(steps, counts, strict=True)}
    scores = two_models(tmp_path, answers)
    curve = checkpoints.curve(scores)
    assert list(curve.step) == steps
    assert list(curve["mean"]) == pytest.approx([(count / rows - 0.25) / 0.75 * 100 for count in counts])
    assert rows == 4 or (curve.low < curve["mean"]).all() and (curve["mean"] < curve.high).all()
    assert curve.bits.isna().all(), "results of older versions have none"
    assert said in checkpoints.parts(scores)[0].note


def test_scores_of_random_texts_lift_no_checkpoint_above_chance(tmp_path):
    """Random letters have a ROUGE-L or chrF++ above 0, so only tasks whose answers are chosen can tell."""
    text = toy([12.0, 12.5] * 20, "rougeL", value=12.25, chance=0)
    tasks = {"choice": toy(right(10, 40)), "text": text}
    scores = scored(tmp_path, {"org/m-step1": tasks, "org/m-step2": tasks})
    assert "No checkpoint is above chance by the tasks whose answers are chosen (1)," in checkpoints.parts(scores)[0].note
    scores = scored(tmp_path / "texts", {f"org/m-step{step}": {"text": text} for step in (1, 2)})
    assert "no task that all were run on has answers that are chosen" in checkpoints.parts(scores)[0].note


@pytest.mark.parametrize(
    ("steps", "others"),
    [
        ({"llama-checkpoint-500": 500, "out/ckpt_7": 7, "gpt2-step 12": 12}, ["m-7b", "base"]),
        ({"m-7b-300": 300, "m-7b-400": 400}, ["base"]),
        ({"m-300 (2026-01-02 03:04:05)": 300}, ["base (2026-01-02 03:04:05)"]),
        ({"org/m (revision step9, thinking on)": 9}, ["m-300"]),
        ({"m-step500": 500, "m-step1.5k": 1500, "m-step900k": 900_000, "m-step1M-7b": 1_000_000}, ["base"]),
        ({"m-900B-tokens": 900 * 10**9, "m-1T-tokens": 10**12, "m-2.5": 5}, ["base"]),
        ({"m-step7b2": 7, "m-step8-4B": 8}, ["base"]),
        ({"m-step500": 500, "m-step1,000": 1000, "m-step1e4": 10_000, "m-step2.5E+04": 25_000, "m-step1,200,000": 1_200_000}, []),
        ({"m-step2,5": 2}, ["m-step1e3f", "m-step10E5c", "m-checkpoint-3e+8a91", "m-step1e100"]),  # parts of hashes
        ({"m-500": 500}, ["m-1e3f", "m-1e12f"]),
    ],
)
def test_steps_in_the_names_of_models(steps, others):
    assert checkpoints.steps_of([*steps, *others]) == steps


def with_bits(bits, data_sets):
    """A task for each data set, with bits per byte where they are told, and errors of 0.3, 0.4, …"""
    tasks = {}
    for n, (name, value) in enumerate(zip(data_sets, bits, strict=True)):
        tasks[f"sea_x_{n}"] = toy([0.25], "acc_ppl", has_rows=False, language="th", variant="to_ppl", dataset=name)
        told = {} if value is None else {"bits_per_byte,none": value, "bits_per_byte_stderr,none": 0.3 + n / 10}
        tasks[f"sea_x_{n}"]["scores"] |= told
    return tasks


def test_bits_per_byte_are_of_the_tasks_that_all_checkpoints_have_them_of(tmp_path):
    """The results of an older version may lack those of a task: the curve would move with the tasks, not with the model."""
    told = {1: (2.0, 1.0), 2: (2.0, None), 3: (None, None)}
    scores = scored(tmp_path, {f"m-step{step}": with_bits(bits, "xy") for step, bits in told.items()}, rows=100_000)
    assert checkpoints.curve(scores).bits.tolist() == pytest.approx([2, 2, math.nan], nan_ok=True)


@pytest.mark.parametrize(("data_sets", "error"), [("xy", math.hypot(0.3, 0.4) / 2), ("xx", (0.3 + 0.4) / 2)])
def test_bits_per_byte_over_checkpoints(tmp_path, data_sets, error):
    """Of one data set the tasks may ask about the same texts, so that their errors are added."""
    told = {1000: (2.0, 1.0), 2000: (1.5, 0.7)}
    scores = scored(tmp_path, {f"m-step{step}": with_bits(bits, data_sets) for step, bits in told.items()}, rows=100_000)
    curve, half = checkpoints.curve(scores), stats.norm.ppf(0.975) * error
    assert list(curve.bits) == pytest.approx([1.5, 1.1])
    assert [*(curve.bits - curve.bits_low), *(curve.bits_high - curve.bits)] == pytest.approx([half] * 4, rel=1e-4)
    first, _ = shown(overview_section(scores, None, steps=True), "checkpoints")
    assert first["bits"] == f"1.50 [{1.5 - half:.2f}, {1.5 + half:.2f}]"


LEFT_OUT, ONE_STEP = "Left out, because their names have no step: org/m-7b.", "a/step10, b/step10 have the same step: "
UNLIKE = "a/step10, b/step20 have names that differ in more than a number"


@pytest.mark.parametrize(
    ("models", "said"),
    [("a/step10 b/step10 b/step20 org/m-7b", [LEFT_OUT, ONE_STEP]), ("a/step10 a/step20", []), ("a/step10 b/step20", [UNLIKE])],
)
def test_a_curve_says_what_it_leaves_out_and_mixes(tmp_path, models, said):
    note = checkpoints.parts(two_models(tmp_path, dict.fromkeys(models.split(), [1.0, 0.0] * 20)))[0].note
    assert [part for part in (LEFT_OUT, ONE_STEP, UNLIKE) if part in note] == said


def test_tasks_that_a_checkpoint_lacks_count_for_none_and_this_is_said(tmp_path):
    """A task that only later checkpoints ran would lift or lower the curve; that the others are fewer must be seen."""
    tasks = {f"sea_x_{n}": toy(right(count, 40)) for n, count in enumerate((20, 40))}
    lacking = "Tasks without results of step1 are left out for all."
    for folder, first in (("less", {"sea_x_0": tasks["sea_x_0"]}), ("same", tasks)):
        scores = scored(tmp_path / folder, {"step1": first, "step2": tasks})
        assert set(checkpoints.curve(scores).tasks) == {len(first)}
        assert (lacking in checkpoints.parts(scores)[0].note) == (folder == "less")


def test_differences_between_runs_are_noted(tmp_path):
    assert provenance.warnings(scored(plant(tmp_path))) == []
    shots = {"n-shot": {TEXT: 0}}
    write_results(tmp_path / "c", NEW, {TEXT: {"acc_ppl,none": 0.5}}, model="org/c", lm_eval_version="0.4.14", **shots)
    found = scored(tmp_path)
    lines = provenance.warnings(found)
    first = overview_section(found, None, steps=False).after
    assert f"Models differ in the number of exemplars: {TEXT}." in first, "also in report.md"
    assert any("version of lm-eval: 0.4.13 (org/a, org/b); 0.4.14 (org/c)" in line for line in lines), lines
    assert any("number of rows evaluated" in line and TEXT in line for line in lines)


def test_versions_of_the_pack_and_revisions_of_a_model_are_compared(tmp_path):
    for stamp, name, pack, model, revision in (
        (OLD, TEXT, "0.1.0", "org/a", "f00"), (OLD, TEXT, "0.2.0", "org/b", "0dd"), (NEW, RANKED, "0.1.0", "org/a", "ba5"),
    ):  # fmt: skip
        task = {"scores": {"acc_ppl,none": 0.5}, "metadata": facts_of(name) | {"pack_version": pack}}
        config = {"model": "hf", "model_args": {"pretrained": model}, "model_sha": revision}
        write_run(tmp_path / model, {name: task}, stamp, model=model, config=config)
    lines = provenance.warnings(scored(tmp_path))
    assert f"Models differ in the version of the pack: {TEXT}" in lines
    assert "Runs of org/a are of different revisions: f00, ba5" in lines


def test_what_results_lack_or_have_in_another_version_is_said(tmp_path):
    """Tasks of other packs are listed, not scored."""
    other = scored(tmp_path / "other", {"m": {"arc_easy": {"scores": {"acc,none": 0.5}, "rows": [{"doc_id": 0, "acc": 1.0}]}}})
    assert list(other.tasks.of_pack) == [False] and other.headline.empty and not other.logged
    old = scored(tmp_path / "old", {"m": {TEXT: {"scores": {"acc_ppl,none": 0.5}, "metadata": {"version": 0.9}}}})
    assert any("version 0.9 of the task; the installed pack has" in note for note in old.notes)
    assert at(old.headline, task=TEXT).score == 50
    for path in plant(tmp_path / "samples").rglob("results_*"):
        path.unlink()
    samples = scored(tmp_path / "samples")
    assert at(samples.headline, model="org__a", task=RANKED).score == pytest.approx(400 / 6)
    assert any("those of the installed pack are used" in note for note in samples.notes)


def test_a_task_that_models_scored_by_different_metrics_names_both(tmp_path):
    planned = {"b": ("acc_bc", 0.5), "c": ("acc_bc", 0.5), "a": ("acc", 0.25)}
    tasks = {model: {"toy": toy([1.0, 0.0], metric, chance=chance)} for model, (metric, chance) in planned.items()}
    for models, said in (("bc", ["acc_bc", "50.0"]), ("a", ["acc or acc_bc", "–"])):
        [cells] = shown(scores_section(scored(tmp_path, {model: tasks[model] for model in models})), "scores_by_model")
        assert [cells["metric"], cells["chance"]] == said


def test_rows_of_a_headline_over_all_rows_are_compared_by_the_metric_that_the_task_names(tmp_path):
    facts = {"headline_metric": "balanced_acc", "item_metric": "correct", "chance": 0.5, "suite": "sea_helm"}
    of_rows = {"a": [1, 1, 0], "b": [0, 1, 0]}
    tasks = {model: toy(own, "correct", **facts) | {"scores": {"balanced_acc,none": 0.75}} for model, own in of_rows.items()}
    scores = scored(tmp_path, {model: {"sea_helm_x": task} for model, task in tasks.items()})
    found = the_difference(scores)
    assert (found.metric, found.difference) == ("correct", pytest.approx(100 / 3))
    of_a = at(scores.headline, model="a")
    assert (of_a.score, of_a.normalised) == (75, 50)


@pytest.mark.parametrize(
    ("task", "headline", "metric", "predictions"),
    [
        ("sea_helm_my_nli", "balanced_acc", "correct", {"published": 1, "strict": None}),
        ("sea_helm_my_nli_ppl", "balanced_acc_cc", "acc_cc", {"acc": 0, "acc_cc": 1}),
    ],
)
def test_the_choice_of_a_headline_over_all_rows_is_that_of_its_rows(tmp_path, task, headline, metric, predictions):
    [row] = logged(metric, [1.0], {"gold": [1], "predictions": [predictions]})
    planned = {"metadata": facts_of(task), "rows": [row | {headline: ["x", 1.0, 0.5]}], "scores": {f"{headline},none": 1.0}}
    scores = scored(tmp_path, {"m": {task: planned}})
    [rows] = scores.logged.values()
    assert (rows.chosen, rows.frame.score[0], scores.tasks.item_metric[0]) == ([1], 1.0, metric)


def test_tasks_that_differ_in_their_exemplars_only_stay_apart(tmp_path):
    by_task = {"to_ppl_enprompt": 0.3, "litilo_ppl_enprompt": 0.4, "enshots_to_ppl": 0.5, "translated_to_ppl": 0.9}
    scores = scored(tmp_path, {"m": reported({f"sea_belebele_th_{name}": score for name, score in by_task.items()})})
    table = robustness.robustness_table(scores.headline)
    plain = at(table, setting="")
    assert (plain.to_ppl, plain.litilo_ppl, plain.spread) == pytest.approx((30, 40, 10))
    assert (at(table, setting="enshots").to_ppl, at(table, setting="translated").to_ppl) == pytest.approx((50, 90))


def test_directions_of_other_data_sets_and_wordings_stay_apart(tmp_path):
    """SEA-HELM's translations are no direction of FLORES-200."""
    found = {TO_THAI: 10.0, FROM_THAI: 20.0, f"{TO_THAI}_p2": 30.0, f"{FROM_THAI}_p2": 50.0, "sea_ntrex_en_th": 30.0}
    found |= {"sea_helm_th_translation_en_xx": 70.0, "sea_helm_th_translation_xx_en": 80.0}
    table = generation.translation_table(scored(tmp_path, {"m": reported(found)})).set_index(["dataset", "setting"])
    assert set(table.index) == {("flores", ""), ("flores", "p2"), ("ntrex", "")}
    assert (table.difference["flores", ""], table.difference["flores", "p2"]) == (-10, -20)
    assert table.from_english["ntrex", ""] == 30 and math.isnan(table.into_english["ntrex", ""])


@pytest.mark.parametrize(("shots", "rows"), [(3, [("3", -10.0)]), (0, [("0", None), ("3", None)])])
def test_directions_with_other_numbers_of_exemplars_have_no_difference(tmp_path, shots, rows):
    tasks = reported({TO_THAI: 10.0, FROM_THAI: 20.0})
    tasks[FROM_THAI]["num_fewshot"] = shots
    table = generation.translation_table(scored(tmp_path, {"m": tasks})).astype(object)
    found = table.where(table.notna(), None)
    assert sorted(zip(found.exemplars, found.difference, strict=True)) == rows


def test_exemplars_are_compared_where_a_run_lacks_their_number(tmp_path):
    with changed(plant(tmp_path) / "org__a") as content:
        content["n-shot"][RANKED] = None
        for config in content["configs"].values():
            config["fewshot_config"] = {"samples": [{"question": "a"}, {"question": "b"}]}
    rows = provenance.task_table(scored(tmp_path)).set_index(["model", "task"]).exemplars["org/a"]
    known = rows.drop(RANKED).dropna()
    assert len(known) == len(rows) - 1 and known.nunique() == 1
