"""What is found in folders of lm-eval's output, whole and broken."""

import json
import re
import shutil
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from lm_eval_sea.report.export.every_eval_ever import records
from lm_eval_sea.results.read import of_results, read
from lm_eval_sea.results.rows import read_lines
from lm_eval_sea.results.strata import combined
from lm_eval_sea.results.table import comparison_notes, records_of, table_of
from lm_eval_sea.results.types import ResultsError
from lm_eval_sea.sea_helm.row_scores import RowScores
from lm_eval_sea.sea_helm.row_scores import write as write_scores

from .lm_eval_output import NEW, OLD, drawn, logged, row, sacrebleu_of, toy, write_results, write_run, write_samples


def test_a_whole_run(tmp_path):
    scores = {"acc,none": 0.5, "acc_stderr,none": 0.1}
    scores |= {"f1,strict": 0.25, "f1_stderr,strict": "N/A", "f1_stderr_stderr,none": "N/A"}
    path = write_results(tmp_path / "model", OLD, {"toy_th": scores, "toy_vi": {"acc,none": 1}})
    logged_row = {"doc_id": 0, "resps": [[float("-inf"), False]]}  # the logarithm of 0
    samples = write_samples(tmp_path / "model", "toy_th", OLD, [row(**logged_row)])
    runs = read(tmp_path)
    [run], [task, without] = runs.runs, runs.tasks
    assert (without.samples, runs.notes) == (None, [])
    assert runs.best().notes == [f"{path}: no samples of 1 task (toy_vi); --log_samples writes them"]
    assert (run.model, run.place, run.date) == ("org/model", path, datetime(2026, 1, 2, 3, 4, 5, 6))
    assert (run.settings.backend, run.settings.lm_eval) == ("hf", "0.4.13")
    assert (task.version, task.facts.dataset, task.num_fewshot, task.run) == ("1.0", "toy", 3, run)
    assert (task.rows, task.rows_total, task.samples, list(task.texts())) == (2, 10, samples, [logged_row])
    numbers = {name: (score.value, score.stderr) for name, score in task.scores.items()}
    assert numbers == {"acc": (0.5, 0.1), "f1,strict": (0.25, None)}
    # the same by the names of the files, each named twice
    assert read(path, path, samples, tmp_path) == read(path) == runs


def test_results_that_a_sweep_replaced_count_only_where_they_are_named(tmp_path):
    """A folder of this name without the digests of requests is another's."""
    write_results(tmp_path / "out" / "m" / "default", NEW, {"toy_th": {"acc,none": 0.5}})
    old = write_results(tmp_path / "out" / "replaced" / f"{8:016x}" / "m" / "default", OLD, {"toy_th": {"acc,none": 0.9}})
    own = write_results(tmp_path / "own" / "replaced" / "m", OLD, {"toy_th": {"acc,none": 0.7}})
    runs = read(tmp_path / "out")
    assert [task.scores["acc"].value for task in runs.tasks] == [0.5]
    note = "left out, because a sweep replaced these results; name the folder to read them"
    assert runs.notes == [f"{tmp_path / 'out' / 'replaced'}: {note}"]
    for place in (old, old.parent, tmp_path / "out" / "replaced"):
        assert [task.scores["acc"].value for task in read(place).tasks] == [0.9]
    assert len(read(tmp_path / "out", tmp_path / "out" / "replaced").tasks) == 2
    assert [run.place for run in read(tmp_path / "own").runs] == [own]


TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)
NAME = st.text("abcxyz_", min_size=1, max_size=6)
TASK = st.fixed_dictionaries(
    {
        "scores": st.dictionaries(NAME, st.tuples(st.floats(0, 100), st.none() | st.floats(0, 1)), min_size=1, max_size=3),
        "facts": st.fixed_dictionaries(
            {"language": NAME, "headline_metric": NAME}, optional={"dataset": NAME, "rows": st.integers(1, 9)}
        ),
        "shots": st.integers(0, 5),
        "rows": st.lists(st.tuples(TEXT, st.integers(0, 3), st.floats(0, 1)), max_size=4),
    }
)


@settings(max_examples=30)
@given(st.dictionaries(st.sampled_from(["org/a", "org/b"]), st.dictionaries(NAME, TASK, min_size=1, max_size=3), min_size=1))
def test_what_is_written_is_read_back(tmp_path_factory, planted):
    folder = tmp_path_factory.mktemp("runs")
    for model, tasks in planted.items():
        made = {}
        for name, task in tasks.items():
            numbers = {f"{metric},none": value for metric, (value, _) in task["scores"].items()}
            errors = {f"{metric}_stderr,none": "N/A" if one is None else one for metric, (_, one) in task["scores"].items()}
            rows = [
                {"doc_id": number, "doc": {"id": text, "gold": gold}, task["facts"]["headline_metric"]: score}
                for number, (text, gold, score) in enumerate(task["rows"])
            ]
            made[name] = {"scores": numbers | errors, "metadata": task["facts"], "num_fewshot": task["shots"], "rows": rows}
        write_run(folder / model, made, model=model)
    runs = read(folder)
    assert runs.notes == []
    found = {(task.run.model, task.name): task for task in runs.tasks}
    assert found.keys() == {(model, name) for model, tasks in planted.items() for name in tasks}
    for (model, name), task in found.items():
        wanted = planted[model][name]
        numbers = {metric: (score.value, score.stderr) for metric, score in task.scores.items()}
        assert numbers == {key: value for key, value in wanted["scores"].items() if not key.endswith("_stderr")}
        assert {key: getattr(task.facts, key) for key in wanted["facts"]} == wanted["facts"]
        assert (task.num_fewshot, task.rows) == (wanted["shots"], len(wanted["rows"]))
        frame = task.rows_frame()
        assert list(zip(frame.id, frame.gold, frame.score, strict=True)) == wanted["rows"]
        assert [row["doc"]["id"] for row in task.texts(frame.place[1:])] == [text for text, _, _ in wanted["rows"][1:]]


@pytest.mark.parametrize("name", ["toy_th", "toy::toy_th"])
def test_groups_are_no_tasks_and_theirs_have_the_same_name_in_both_versions_of_lm_eval(name, tmp_path):
    """lm-eval 0.5 writes "group::task"; groups themselves stand among the results in both."""
    scores = {name: {"acc,none": 0.5}, "toy": {"acc,none": 0.5}}
    configs = {name: {"metadata": {"dataset": "toy"}}}
    path = write_results(tmp_path, OLD, scores, configs=configs, group_subtasks={"toy": [name]})
    samples = write_samples(tmp_path, name, OLD, [row(doc_id=0)])
    runs = read(path)
    [task], [group] = runs.tasks, runs.groups
    assert (task.name, task.facts.dataset, task.rows, task.samples, runs.notes) == ("toy_th", "toy", 2, samples, [])
    assert (group.name, group.tasks, group.scores["acc"].value) == ("toy", ["toy_th"], 0.5)
    [task] = of_results(json.loads(path.read_text()) | {"samples": {name: [{"doc_id": 0}]}}).tasks
    assert (task.name, task.samples) == ("toy_th", [{"doc_id": 0}])


def test_the_run_with_more_rows_counts_then_the_newer(tmp_path):
    def run_of(folder, stamp, rows):
        counts = {"n-samples": {"toy_th": {"original": 900, "effective": rows}}}
        write_results(tmp_path / folder, stamp, {"toy_th": {"acc,none": rows / 1000}}, **counts)

    run_of("a", OLD, 900)
    run_of("b", NEW, 40)
    runs = read(tmp_path).best()
    assert [task.rows for task in runs.tasks] == [900]
    assert [note for note in runs.notes if "has more of the rows (900 instead of 40)" in note]
    run_of("c", NEW, 900)
    [run] = read(tmp_path).best().runs
    assert run.place.parent.name == "c"
    seeds = read(tmp_path).by_seed()
    assert [task.rows for task in seeds.tasks] == [900, 900]
    assert [note for note in seeds.notes if "has more of the rows (900 instead of 40)" in note]
    apart = read(tmp_path).apart()
    assert len({run.model for run in apart.runs}) == len(apart.runs) == len(apart.best().tasks) == 3  # two are of one second
    counts = {"n-samples": {"toy_th": {"original": 897, "effective": 897}}}
    write_results(tmp_path / "d", "2026-03-02T03-04-05", {"toy_th": {"acc,none": 0.5}}, **counts)
    [task] = read(tmp_path).best().tasks
    assert task.rows == 897, "another version of the data, also whole"


def test_names_of_models(tmp_path):
    write_results(tmp_path / "a" / "x", OLD, {"toy_th": {"acc,none": 1}})
    write_results(tmp_path / "a" / "y", NEW, {"toy_vi": {"acc,none": 1}})
    runs = read(tmp_path, names={tmp_path / "a": "all", tmp_path / "a" / "y": "inner"})
    assert {task.run.model: task.name for task in runs.tasks} == {"all": "toy_th", "inner": "toy_vi"}


@pytest.mark.parametrize(
    ("models", "labels"),
    [
        (["/runs/a/final", "/runs/b/end"], ["final", "end"]),
        (["/runs/a/final", "/runs/b/final", "org/final"], ["a/final", "b/final", "org/final"]),
        (["/runs/a/final", "/other/a/final", "/x"], ["runs/a/final", "other/a/final", "x"]),
        (["/runs/a/final", "/runs/b/final", "a/final"], ["runs/a/final", "b/final", "a/final"]),
        (["/final", "/runs/final"], ["/final", "runs/final"]),
        (["/runs/final", "./final"], ["runs/final", "./final"]),
        (["./final", "~/end"], ["final", "end"]),
        (["org/m (peft /my/a)", "org/m", "/m/base (peft /my/a)"], ["org/m (peft a)", "org/m", "base (peft a)"]),
        (["org/m (peft /my/a)", "org/m (peft /your/a)"], ["org/m (peft /my/a)", "org/m (peft /your/a)"]),
        (["runs/a/final", "org/final"], ["final", "org/final"]),
        (["/hub/models--org--m/snapshots/0123456789ab"], ["org/m"]),
        (["/hub/models--org--m/snapshots/0123456789ab", "org/m"], ["org/m@01234567", "org/m"]),
    ],
)
def test_paths_of_models_are_as_short_as_tells_them_apart(models, labels, tmp_path):
    """Whether each has one run, or several that are kept apart by their dates."""
    for place, model in enumerate(models):
        write_results(tmp_path / str(place), f"2026-01-0{place + 1}T00-00-00", {"toy_th": {"acc,none": 1}}, model=model)
    assert read(tmp_path).best().labels == dict(zip(models, labels, strict=True))
    for place, model in enumerate(models):
        write_results(tmp_path / str(place), f"2026-02-0{place + 1}T00-00-00", {"toy_th": {"acc,none": 1}}, model=model)
    dates = [(f"2026-0{month}-0{place + 1} 00:00:00", place) for place in range(len(models)) for month in (1, 2)]
    expected = {f"{models[place]} ({date})": f"{labels[place]} ({date})" for date, place in dates}
    assert read(tmp_path).apart().labels == expected


@pytest.mark.parametrize("beginning", ["", "judged_", "metricx_"])
def test_results_that_a_file_in_output_path_named(beginning, tmp_path):
    """Two models in one folder are two models, whatever the names; scores of a judge beside the rows are no results."""
    for stamp, name, entries in ((OLD, "a", [1, 1]), (NEW, "b", [0, 1])):
        path = write_run(tmp_path, {"toy_th": toy(entries)}, stamp, model=f"org/{name}")
        path.rename(tmp_path / f"{beginning}{name}_{stamp}.json")
        write_scores(tmp_path / f"judged_toy_th_{stamp}.json", RowScores("a judge", 1.0, {0: 1.0}))
    runs = read(tmp_path)
    assert [(task.run.model, task.scores["acc"].value) for task in runs.best().tasks] == [("org/a", 1), ("org/b", 0.5)]
    assert not runs.notes and all(task.samples for task in runs.tasks)


def test_of_a_link_and_its_target_the_name_with_the_date_counts(tmp_path):
    """The hub's cache calls files after their content and links to them; somebody calls the last run by a name of their own."""
    path = write_run(tmp_path / "made", {"toy_th": toy([0.0, 1.0])})
    cache = tmp_path / "cache"
    (cache / "blobs").mkdir(parents=True)
    (cache / "snapshot").mkdir()
    for number, made in enumerate((path, path.with_name(f"samples_toy_th_{OLD}.jsonl"))):
        shutil.copy(made, cache / "blobs" / str(number))
        (cache / "snapshot" / made.name).symlink_to(cache / "blobs" / str(number))
    (tmp_path / "last.json").symlink_to(path)
    for place in (cache / "snapshot", tmp_path / "last.json"):
        [task] = read(place).tasks
        assert task.run.date == datetime(2026, 1, 2, 3, 4, 5, 6) and task.score.rows == task.score.clusters == 2


def test_samples_without_results(tmp_path):
    samples = write_samples(tmp_path / "org__model", "toy_th", OLD, [row(doc_id=0)])
    runs = read(tmp_path)
    [task], [note] = runs.tasks, runs.notes
    assert (task.run.model, task.run.has_results, task.samples, task.scores) == ("org__model", False, samples, {})
    assert "without a results file" in note
    # beside another run the folder's model is known
    write_results(tmp_path / "org__model", NEW, {"other": {"acc,none": 1}})
    assert [run.model for run in read(tmp_path).runs] == ["org/model"] * 2
    # beside those of two it is not
    write_results(tmp_path / "org__model", "2026-03-02T03-04-05", {"other": {"acc,none": 1}}, model="org/other")
    assert sorted(run.model for run in read(tmp_path).runs) == ["org/model", "org/other", "org__model"]


def test_the_run_that_is_left_out_says_in_what_it_differs(tmp_path):
    def config(**arguments):
        return {"config": {"model": "hf", "model_args": {"pretrained": "org/model", **arguments}}}

    scores = {"toy_th": {"acc,none": 0}, "toy_vi": {"acc,none": 0}}
    write_results(tmp_path / "a", OLD, scores, **config(dtype="float16", batch_size=4), chat_template_sha="c0ffee")
    shots = {"n-shot": {"toy_th": 0, "toy_vi": 3}}
    write_results(tmp_path / "b", NEW, scores, **config(dtype="bfloat16", max_length=512), **shots)
    [note] = [note for note in read(tmp_path).best().notes if "left out" in note]
    assert note.split("; ", 1)[1] == (
        "made differently (dtype: float16, kept bfloat16; arguments: none recorded, kept max_length=512; "
        "chat template: c0ffee, kept none recorded; number of exemplars: 3, kept 0)"
    )


@pytest.mark.parametrize(("suite", "has_rows"), [("", False), ("sea_helm", False), ("", True)])
def test_of_several_seeds_without_common_rows_one_is_shown_and_the_note_says_so(suite, has_rows, tmp_path):
    for seed in (1, 2, 3):
        task = toy([seed / 10] * 2, docs={"id": [f"{seed}a", f"{seed}b"]}, has_rows=has_rows, suite=suite)
        write_run(tmp_path, {"toy_th": task}, **drawn(seed))
    runs = read(tmp_path).best()
    assert [(task.run.seed, task.scores["acc"].value) for task in runs.tasks] == [(3, 0.3)]
    [note] = [note for note in runs.notes if "seed" in note and "no samples" not in note]
    averaged = "; `lm-eval-sea score` has the mean over the seeds of SEA-HELM's tasks" if suite else ""
    assert note == (
        "org/model: toy_th: runs differ only in the seed (1, 2, 3); seed 3 is shown, not the mean over them, which "
        f"needs the same rows in all (--log_samples); `lm-eval-sea report --all-runs` shows each{averaged}"
    )


def test_rows_are_those_of_the_headlines_filter(tmp_path):
    """Global PIQA's chat form of lm-eval samples its answers: seeds are averaged, and two models are compared row by row.

    They vary as with half a row more on which the first alone is right, and half a row on which the second is.
    """
    name = "global_piqa_nonparallel_generation_tha_thai"
    answers = np.random.default_rng(1).random((2, 2, 40)) < [[[0.4]], [[0.7]]]
    counts = {"n-samples": {name: {"original": 40, "effective": 40}}}
    for model, of_model in zip("ab", answers, strict=True):
        for seed, right in enumerate(of_model, start=1):
            rows = [one | {"filter": "lenient"} for one in logged("exact_match", [1.0] * 40)]
            rows += [one | {"filter": "strict_match"} for one in logged("exact_match", right.astype(float).tolist())]
            scores = {"exact_match,lenient": 1.0, "exact_match,strict_match": right.mean()}
            task = {"rows": rows, "scores": scores, "metadata": {"version": 1.0}}
            write_run(tmp_path / model, {name: task}, **drawn(seed, model), **counts)
    runs = read(tmp_path).best()
    first, second = answers.mean(axis=1)
    assert [task.score.score for task in runs.tasks] == pytest.approx([100 * first.mean(), 100 * second.mean()])
    [difference] = [each for each in records_of(runs) if each["task"] == name and each["against"]]
    assert difference["difference"] == pytest.approx(100 * (first - second).mean())
    deltas, weights = np.append(first - second, (1, -1)), [1.0] * 40 + [0.5, 0.5]
    error = np.sqrt(np.cov(deltas, aweights=weights, ddof=0) / 40)
    assert error > stats.sem(first - second)
    expected = 2 * stats.t.sf(abs((first - second).mean()) / error, 39)
    assert difference["p_value"] == pytest.approx(expected, abs=0, rel=1e-6)


SAMPLED = [[1, 0, 0, 1, 0, 1], [1, 0, 1, 0, 0, 1], [1, 1, 0, 0, 0, 1]]  # rows of each seed
TEXTS = [["the old market town", text] for text in ("the old market", "a town of old", "the market town", "old market town")]


@pytest.mark.parametrize("metric", ["acc", "chrf++"])
def test_of_several_seeds_with_rows_the_mean_is_shown(metric, tmp_path):
    """With the interval of the rows' means; a score that all rows make together is that of all answers."""
    draws = SAMPLED if metric == "acc" else [[TEXTS[(place + seed) % 4] for place in range(6)] for seed in range(3)]
    for seed, of_rows in enumerate(draws, start=1):
        reported = np.mean(of_rows) if metric == "acc" else sacrebleu_of(metric, of_rows)
        task = toy(of_rows, metric, value=float(reported)) | {"scores": {f"{metric},none": reported, "null_rate,none": seed / 10}}
        write_run(tmp_path, {"toy_th": task}, **drawn(seed))
    runs = read(tmp_path).best()
    [task], [note] = runs.tasks, [note for note in runs.notes if "seed" in note]
    assert note == "org/model: toy_th: the mean over the seeds 1, 2, 3; its interval is over rows and draws"
    assert task.scores["null_rate"].value == pytest.approx(0.2)
    # where no line of the run stands beside the score, too
    [record], [[entry, *_]] = records_of(runs), [one["evaluation_results"] for one in records(runs)[0].values()]
    assert record["notes"].startswith("the mean over the seeds 1, 2, 3; its interval is over rows and draws")
    assert entry["generation_config"]["additional_details"]["mean_over_seeds"] == "1, 2, 3"
    if metric == "acc":
        means = np.mean(draws, axis=0)
        expected = 100 * means.mean(), 100 * means.std(ddof=1) / np.sqrt(len(means))
        assert (task.score.score, task.score.stderr) == pytest.approx(expected)
        assert task.rows_frame()["score"].tolist() == pytest.approx(means)
    else:
        assert task.score.score == pytest.approx(sacrebleu_of(metric, sum(draws, [])))
    assert task.score.contradiction is None and task.score.low < task.score.score < task.score.high


@pytest.mark.parametrize("last", ["A", "B"])
def test_equal_texts_of_all_seeds_are_said(last, tmp_path):
    """A server that ignores the seed draws nothing. Ranked options are equal for all seeds as a matter of course."""
    for seed in (1, 2):
        answers = ["A", "B", last if seed == 2 else "A"]
        rows = [one | {"resps": [[answer]]} for one, answer in zip(logged("acc", [1.0, 0.0, 1.0]), answers, strict=True)]
        ranked = [one | {"resps": [[["-1.5", "False"]]]} for one in logged("acc", [1.0, 0.0, 1.0])]
        tasks = {name: toy([1.0, 0.0, 1.0]) | {"rows": of_task} for name, of_task in (("toy_th", rows), ("toy_vi", ranked))}
        write_run(tmp_path, tasks, **drawn(seed))
    for runs in (read(tmp_path).best(), read(tmp_path).by_seed()):
        said = [note for note in runs.notes if "same texts" in note]
        why = "all seeds gave the same texts; were they sampled, and does the server use the seed?"
        assert said == ([f"org/model: toy_th: {why}"] if last == "A" else [])


def test_few_rows_that_seeds_answer_alike_leave_room_for_others(tmp_path):
    """Of rows a twentieth of which are always wrong, 40 have none in one case of eight. So it is for one seed, too."""
    ends, errors = [], []
    for seeds in (1, 8):
        for seed in range(1, seeds + 1):
            write_run(tmp_path / str(seeds), {"toy_th": toy([float(seed < 8), *[1.0] * 39])}, **drawn(seed))
        [task] = read(tmp_path / str(seeds)).best().tasks
        ends.append(task.score.low)
        errors.append(combined(task.strata).stderr)
    assert ends == pytest.approx([91, 91], abs=2) and errors == pytest.approx([0.024, 0.024], abs=0.002)


def test_a_model_that_seeds_answer_alike_on_few_rows_is_not_surely_better(tmp_path):
    """All of 40 rows always right, against a twentieth of the answers wrong: the first may have missed its always wrong rows."""
    for model, misses in (("a", 0), ("b", 2)):
        for seed in range(1, 9):
            right = [float(row // 2 != seed or not misses) for row in range(40)]
            write_run(tmp_path / model / str(seed), {"toy_th": toy(right)}, **drawn(seed, model))
    difference, mean = [record for record in records_of(read(tmp_path).best()) if record["against"]]
    assert difference["difference"] == pytest.approx(5) and difference["low"] < 0 < difference["high"]
    assert difference["p_value"] == pytest.approx(mean["p_value"]) and mean["p_value"] > 0.05


@pytest.mark.parametrize(("arguments", "limit", "said"), [({"dtype": "float16"}, 256, "dtype: "), ({}, 768, "limit of tokens: ")])
def test_runs_that_differ_in_more_than_the_seed_are_left_out_as_before(arguments, limit, said, tmp_path):
    for folder, own, most in ((tmp_path / "first", {}, 256), (tmp_path / "other", arguments, limit)):
        for seed in (1, 2, 3):
            task = toy([seed / 10], has_rows=False) | {"generation_kwargs": {"max_gen_toks": most}}
            write_run(folder, {"toy_th": task}, **drawn(seed, **own))
    notes = read(tmp_path).best().notes
    assert sum("differ only in the seed" in note for note in notes) == 1
    assert sum("left out" in note and said in note for note in notes) == 3


@pytest.mark.parametrize(("weights", "score"), [({}, 100), ({"weights_digest": "a"}, 50)])
def test_runs_of_two_models_that_were_given_one_name_are_no_seeds_of_one(weights, score, tmp_path):
    """Unless their weights are the same, as of a folder that was moved."""
    for seed, model in ((1, "org/a"), (2, "org/b")):
        parts = drawn(seed, model)
        parts["config"] |= weights
        write_run(tmp_path / str(seed), {"toy_th": toy([float(seed - 1)] * 4)}, **parts)
    runs = read(tmp_path, names={tmp_path: "mine"}).best()
    assert [task.score.score for task in runs.tasks] == [pytest.approx(score)]
    assert any("left out" in note and "made differently (model: org/a, kept org/b)" in note for note in runs.notes) != bool(
        weights
    )


def test_a_copied_results_file_counts_once(tmp_path):
    path = write_run(tmp_path / "a", {"toy_th": {"scores": {"acc,none": 0.5}, "rows": [{"doc_id": 0}, {"doc_id": 1}]}})
    (tmp_path / "0").mkdir()  # a copy whose rows are cut off, or absent, which is read first
    copy = Path(shutil.copy(path, tmp_path / "0"))
    cut = write_samples(copy.parent, "toy_th", OLD, [row(doc_id=0)])
    assert [task.samples.parent for task in read(tmp_path).best().tasks] == [path.parent]
    cut.unlink()
    for runs in (read(tmp_path).best(), read(tmp_path).by_seed(), read(tmp_path).apart()):
        assert [(run.place, run.model) for run in runs.runs] == [(path, "org/model")]
        assert [task.run.place for task in runs.tasks] == [path]
        assert runs.notes == [f"org/model: {copy} left out, because it is a copy of {path}"]
    copy.write_text(path.read_text().replace("0.5", "0.6"))
    assert len(read(tmp_path).by_seed().runs) == 2
    assert not any("copy" in note for note in read(tmp_path).best().notes)
    dated = write_run(tmp_path / "b", {"toy_th": {"scores": {"acc,none": 0.5}}}, OLD, date=1.0)
    shutil.copy(dated, tmp_path / "b" / f"results_{NEW}.json")
    (tmp_path / "b" / "results_2026-03-02T03-04-05.json").write_text(json.dumps(json.loads(dated.read_text()), indent=2) + "\n")
    found = read(tmp_path / "b")
    assert len(found.by_seed().runs) == len(found.apart().runs) == 1, "under another date, and written otherwise"


def test_answers_that_were_read_again_count_once(tmp_path):
    """As they were read last, also where all runs are kept; a task that was not read again stays."""
    stamps = (OLD, "2026-01-03T03-04-05", "2026-01-04T03-04-05")
    for number, stamp in enumerate(stamps):
        config = {"model": "hf", "model_args": {"pretrained": "org/model"}} | ({"answers_of": "results.json"} if number else {})
        tasks = {"toy_th": toy([number / 4] * 4)} | ({} if number else {"toy_vi": toy([1.0] * 4)})
        write_run(tmp_path / str(number), tasks, stamp, date=1.5, config=config)
    for runs in (read(tmp_path).best(), read(tmp_path).by_seed(), read(tmp_path).apart()):
        assert {task.name: task.score.score for task in runs.tasks} == {"toy_th": 50, "toy_vi": 100}
        assert sum("left out, because the answers were read again (2026-01-04" in note for note in runs.notes) == 2
        assert "2026-01-04 03:04; answers read again; scores in per cent" in table_of(runs)


@pytest.mark.parametrize(
    ("failed", "seeds", "prompts", "kept"),
    [
        (0.5, (1, 1), "xx", {"toy_th": [NEW], "toy_vi": [NEW]}),
        (0.0, (1, 1), "xx", {"toy_th": [OLD, NEW], "toy_vi": [OLD, NEW]}),  # two draws
        (0.5, (1, 2), "xx", {"toy_th": [OLD, NEW], "toy_vi": [OLD, NEW]}),
        (0.5, (1, 1), "xy", {"toy_th": [OLD, NEW], "toy_vi": [OLD, NEW]}),  # another request, which may be refused
    ],
)
def test_a_run_repeated_for_failed_requests_is_not_another_draw(failed, seeds, prompts, kept, tmp_path):
    """The same command asks these again and takes all other answers from the first run."""
    for stamp, seed, prompt, rate in zip((OLD, NEW), seeds, prompts, (failed, 0.0), strict=True):
        tasks = {"toy_th": toy([1.0] * 4), "toy_vi": toy([1.0] * 4)}
        tasks["toy_th"]["scores"] |= {"failure_rate,none": rate}
        tasks["toy_vi"]["doc_to_text"] = tasks["toy_th"]["doc_to_text"] = prompt
        write_run(tmp_path, tasks, stamp, config=drawn(seed)["config"])
    runs, dates = read(tmp_path).by_seed(), {1: OLD, 2: NEW}
    assert {name: [dates[task.run.date.month] for task in runs.tasks if task.name == name] for name in kept} == kept
    said = [note for note in runs.notes if "asked its failed requests again" in note]
    assert len(said) == (kept["toy_th"] == [NEW]) and all("toy_th, toy_vi of 2026-01-02" in note for note in said)


def test_a_trial_run_takes_no_place_of_a_whole_run_whose_requests_failed(tmp_path):
    for stamp, rows, rate in ((OLD, 4, 0.5), (NEW, 2, 0.0)):
        task = toy([1.0] * rows)
        task["scores"] |= {"failure_rate,none": rate}
        written = write_run(tmp_path, {"toy_th": task}, stamp, config=drawn(1)["config"])
        written.write_text(written.read_text().replace('"original": 2', '"original": 4'))
    runs = read(tmp_path).by_seed()
    assert [task.rows for task in runs.tasks] == [4] and "has more of the rows" in runs.notes[-1]


@pytest.mark.parametrize(
    ("of_second", "said"),
    [
        ({"revision": "89abcde"}, "2 different revisions under one name"),
        ({"peft": "org/x"}, "2 different adapters or quantisations under one name"),
        ({"pretrained": "org/other"}, "2 different models under one name (toy_th with org/model, toy_vi with org/other)"),
        ({"revision": None, "answered_by": ["org/model-2"]}, "2 different revisions under one name"),
        ({"weights_digest": "b"}, "2 different weights under one name"),
        ({}, None),
    ],
)
def test_several_models_under_one_name_are_noted(tmp_path, of_second, said):
    """Each has a task that the other lacks, so that no run takes the place of another."""
    first = {"pretrained": "org/model", "revision": "0123456", "weights_digest": "a"}
    for task, stamp, arguments in (("toy_th", OLD, first), ("toy_vi", NEW, first | of_second)):
        config = {"model_args": arguments} | {name: arguments.get(name) for name in ("answered_by", "weights_digest")}
        write_run(tmp_path, {task: toy([0.0, 1.0])}, stamp, model=arguments["pretrained"], config=config)
    notes = comparison_notes(read(tmp_path, names={tmp_path: "mine"}).best())
    assert any(said in note for note in notes) if said else not notes


@pytest.mark.parametrize(("given", "said"), [({"max_tokens": 3}, True), ({"until": []}, False)])
def test_a_token_limit_that_lm_eval_ignored_is_noted(tmp_path, given, said):
    """lm-eval puts `--gen_kwargs` among the task's own settings, and of two limits heeds `max_gen_toks`."""
    write_run(tmp_path, {"toy_th": toy([0.0, 1.0]) | {"generation_kwargs": {"max_gen_toks": 10, **given}}})
    notes = comparison_notes(read(tmp_path).best()) + read(tmp_path).tasks[0].notes
    assert any("max_tokens=3 had no effect: lm-eval uses the task's own max_gen_toks=10" in note for note in notes) == said


def test_one_folder_s_name_with_other_weights_is_another_model(tmp_path):
    """Two people's "./model"; where the weights are not recorded, a line says that they may be two."""
    digests = {"a": "a" * 16, "b": "b" * 16, "plain": None}
    for (place, digest), score, stamp in zip(digests.items(), ([0.0], [1.0], [1.0]), (OLD, NEW, NEW), strict=True):
        write_run(tmp_path / place, {"toy_th": toy(score)}, stamp, model="./model", config={"weights_digest": digest})
    best = read(tmp_path / "a", tmp_path / "b").best()
    scores = {task.run.model: task.score.score for task in best.tasks}
    assert scores == {"./model (weights aaaaaaaa)": 0, "./model (weights bbbbbbbb)": 100}
    assert not any("left out" in note for note in best.notes)
    one = read(tmp_path / "a", tmp_path / "plain").best()
    assert any(note.endswith("; ./model may be a different folder for each") for note in one.notes)


@pytest.mark.parametrize(
    ("told", "name"),
    [
        ({}, "org/model"),
        ({"thinking": "on", "effort": "low"}, "org/model (thinking on, effort low)"),
        ({"enable_thinking": False}, "org/model (thinking off)"),
        ({"chat_template_args": {"enable_thinking": False}}, "org/model (thinking off)"),
        ({"chat_template_kwargs": '{"reasoning_effort": "high"}'}, "org/model (effort high)"),
        ({"chat_template_args": "reasoning_effort"}, "org/model"),
        ({"chat_template_kwargs": {"thinking_mode": "off"}}, "org/model (thinking off)"),
        ({"gen_kwargs": {"reasoning_effort": "low"}}, "org/model (effort low)"),
        ({"gen_kwargs": {"chat_template_kwargs": {"enable_thinking": False}}}, "org/model (thinking off)"),
        ({"revision": "step1000"}, "org/model (revision step1000)"),
        ({"revision": "v2", "thinking": "on"}, "org/model (revision v2, thinking on)"),
        ({"revision": "main"}, "org/model"),
        ({"gguf_file": "q4.gguf"}, "org/model (file q4.gguf)"),
        ({"peft": "/my/adapter", "revision": "v2"}, "org/model (revision v2, peft /my/adapter)"),
        ({"peft": "/my/a, b"}, "org/model (peft /my/a,b)"),
        ({"load_in_4bit": True, "lora_local_path": "x"}, "org/model (load_in_4bit True, lora_local_path x)"),
        ({"load_in_4bit": False, "peft": None}, "org/model"),
        ({"revision": "0123456789abcdef0123456789abcdef01234567"}, "org/model"),
    ],
)
def test_a_revision_a_file_an_adapter_and_a_thinking_mode_each_make_another_model(tmp_path, told, name):
    of_request = told.get("gen_kwargs", {})
    config = {"model_args": {"pretrained": "org/model", **told}, "gen_kwargs": of_request}
    write_run(tmp_path, {"toy_th": toy([0.0, 1.0])}, config=config)
    assert [run.model for run in read(tmp_path).runs] == [name]


def test_files_that_are_left_out_are_named(tmp_path):
    """Compressed ones also in the error where there are no others."""
    (tmp_path / f"samples_toy_th_{OLD}.jsonl.gz").write_bytes(b"")
    said = f"{tmp_path}: 1 compressed files left out, the first samples_toy_th_{OLD}.jsonl.gz; gunzip them"
    with pytest.raises(ResultsError, match=re.escape(said)):
        read(tmp_path)
    write_results(tmp_path, OLD, {"toy_th": {"acc,none": 1}})
    texts = {"results_cut.json": '{"results": {', "results_other.json": "[1]"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    runs = read(tmp_path)
    assert len(runs.runs) == 1
    assert [note.partition(": left out, because it cannot be read")[0] for note in runs.notes] == [
        said, *(str(tmp_path / name) for name in texts),
    ]  # fmt: skip


@given(cut=st.integers(1, 30))
def test_a_cut_last_line_is_left_out_and_said(tmp_path_factory, cut):
    whole = (row(doc_id=0, text="ข้าวผัด") + row(doc_id=1, text="ខ្មែរ")).encode().rstrip(b"\n")
    path = tmp_path_factory.mktemp("cut") / f"samples_toy_{OLD}.jsonl"
    path.write_bytes(whole[:-cut])
    notes = []
    rows = [row for _, row in read_lines(path, notes)]
    if cut < len(row(doc_id=1, text="ខ្មែរ").encode()) - 1:
        assert rows == [{"doc_id": 0, "text": "ข้าวผัด"}]
        assert len(notes) == 1 and "line 2 left out" in notes[0]


@pytest.mark.parametrize("value", [["x"], {"a": 1}, True, float("nan"), 10**400], ids=["list", "mapping", "true", "nan", "vast"])
def test_a_setting_of_the_wrong_type_is_left_out_and_named(value, tmp_path):
    config = {"model": value, "limit": value, "model_args": {"pretrained": "org/model", "revision": value}}
    path = write_results(tmp_path, OLD, {"toy_th": {"acc,none": 0.5}}, config=config, chat_template_sha=value)
    runs = read(tmp_path)
    settings = runs.runs[0].settings
    assert (settings.backend, settings.limit, settings.chat_template) == (None, None, None)
    for name in ("model", "limit", "chat_template_sha"):
        assert f"{path}: the setting {name} is left out, because it is neither text nor number" in runs.notes
    assert runs.tasks[0].scores["acc"].value == 0.5


def test_folders_that_may_not_be_read_are_named(tmp_path, no_rights):
    """`show` would else be silent about their scores."""
    write_results(tmp_path / "open", OLD, {"toy_th": {"acc,none": 1}})
    closed = write_results(tmp_path / "closed", OLD, {"toy_th": {"acc,none": 0}}).parent
    no_rights(closed)
    runs = read(tmp_path)
    with pytest.raises(ResultsError, match=f"^{closed / 'one'}: cannot be read \\(Permission denied\\)$"):
        read(closed / "one")
    assert len(runs.runs) == 1
    assert runs.notes == [f"{closed}: left out, because it cannot be read (Permission denied)"]
