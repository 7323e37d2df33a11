"""Totals from planted samples against a recomputation in plain loops, and what is said of incomplete runs."""

import csv
import io
import json
import random
import re
import shutil
import statistics

import numpy as np
import pytest

from lm_eval_sea.catalogue.sea_helm import sea_helm
from lm_eval_sea.commands.cli import main
from lm_eval_sea.results.read import read
from lm_eval_sea.results.types import ResultsError
from lm_eval_sea.sea_helm import row_scores
from lm_eval_sea.sea_helm.row_scores import RowScores
from lm_eval_sea.sea_helm.totals.evidence import gather
from lm_eval_sea.sea_helm.totals.hierarchy import ALL, SEA, Place
from lm_eval_sea.sea_helm.totals.methods import METHODS
from lm_eval_sea.sea_helm.totals.suite import Suite
from lm_eval_sea.sea_helm.totals.totals import compute
from lm_eval_sea.sea_helm.totals.views import as_csv, as_json, as_text

from ...results.lm_eval_output import changed
from ...robustness.conftest import edit
from ..planted_answers import scores_beside
from .planted_runs import TASKS, metadata, write_run


def place(language, task):
    facts = metadata(language, task)
    return Place(language, facts["competency"], facts.get("score_group", ""), task)


def totals_of(folder, method="2026-06", also=(), suite=None):
    """The totals of all that was run, in a suite that has it and these other tasks also."""
    runs = read(folder).by_seed()
    evidence = gather(runs.tasks)
    evidence.notes[:0] = runs.notes
    ran = sorted(evidence.rows.keys() | evidence.without_samples)
    return compute(evidence, suite or Suite("planted", "v0", tuple(dict.fromkeys([*ran, *also]))), method)


def planted(seed, size=40):
    """Rows of five tasks in two languages, the same questions for every seed."""
    answers = random.Random(seed)
    rows = {}
    for language in ("id", "jv"):
        for task in ("sentiment", "nli", "causal"):
            labels = TASKS[task]["labels"]
            rows[language, task] = [(float(answers.random() < 0.7), labels[number % len(labels)]) for number in range(size)]
    rows["id", "qa"] = [(answers.random(), [f"answer {number}"]) for number in range(size)]
    rows["id", "abssum"] = [(100 * answers.random(), f"summary {number}") for number in range(size)]
    return rows


def indonesian(*tasks, seed=1):
    """The planted rows of these tasks, or of all, in Indonesian."""
    return {key: rows for key, rows in planted(seed).items() if key[0] == "id" and (key[1] in tasks or not tasks)}


NLI, CAUSAL, BOTH = indonesian("nli"), indonesian("causal"), indonesian("nli", "causal")


def of_model(**arguments):
    """What a run says of its model."""
    return {"config": {"model_args": {"pretrained": "org/model", "revision": "0001000"} | arguments}}


def test_a_trial_run_on_a_few_rows_does_not_cut_the_totals_to_them(tmp_path):
    whole, first_rows = indonesian(), {key: rows[:5] for key, rows in indonesian(seed=2).items()}
    write_run(tmp_path / "whole", 1, whole)
    counts = {"n-samples": {f"sea_helm_id_{task.replace('-', '_')}": {"original": 40, "effective": 5} for _, task in whole}}
    expected = totals_of(tmp_path)
    write_run(tmp_path / "trial", 2, first_rows, **counts)
    found = totals_of(tmp_path)
    assert found.nodes == expected.nodes and all(node.rows == 40 for at, node in found.nodes.items() if at.task)
    assert sum("has more of the rows (40 instead of 5)" in note for note in found.notes) == 1
    [said] = [note for note in totals_of(tmp_path / "trial").notes if "--limit" in note]
    assert re.fullmatch(r"(sea_helm_id_\w+, ){3}sea_helm_id_\w+ and \d+ more: only some rows were evaluated \(--limit\)", said)


def recomputed(runs):
    """The totals of June 2026 in plain loops. runs: one planted mapping a seed."""
    generator = np.random.default_rng(94370244)
    scores = {}
    for key in sorted(runs[0], key=lambda key: place(*key)):
        rows = [run[key] for run in runs]
        size = len(rows[0])
        chosen = generator.integers(len(runs), size=(30, size))
        labels = [row[1] for row in rows[0]]
        choice = isinstance(labels[0], str) and len(set(labels)) != len(labels)
        scale = 100 if max(row[0] for run in rows for row in run) <= 1 else 1
        scores[key] = []
        for draw in range(30):
            drawn = [rows[chosen[draw][number]][number][0] for number in range(size)]
            if choice:
                groups = [[score for score, label in zip(drawn, labels, strict=True) if label == one] for one in {*labels}]
                chance = 1 / len(groups)
                recall = statistics.fmean(map(statistics.fmean, groups))
                scores[key].append(100 * max((recall - chance) / (1 - chance), 0))
            else:
                scores[key].append(scale * statistics.fmean(drawn))

    def means(parts):
        return [statistics.fmean(draw) for draw in zip(*parts, strict=True)]

    languages = {}
    for language in sorted({key[0] for key in scores}):
        competencies = {}
        for key in scores:
            if key[0] == language:
                competencies.setdefault(TASKS[key[1]]["competency"], []).append(scores[key])
        languages[language] = means(map(means, competencies.values()))
    return scores, languages, means(languages.values())


@pytest.mark.parametrize("seeds", [1, 3])
def test_totals_are_those_of_plain_loops(tmp_path, seeds):
    runs = [planted(seed) for seed in range(1, seeds + 1)]
    for seed, rows in enumerate(runs, start=1):
        write_run(tmp_path / f"seed-{seed}", seed, rows)
    totals = totals_of(tmp_path)
    scores, languages, everything = recomputed(runs)
    for draws, node in [
        *((draws, totals.nodes[place(*key)]) for key, draws in scores.items()),
        *((draws, totals.nodes[Place(language)]) for language, draws in languages.items()),
        (languages["id"], totals.nodes[SEA]),
        (everything, totals.nodes[ALL]),
    ]:
        assert node.score == pytest.approx(statistics.fmean(draws))
        assert node.published_error == pytest.approx(statistics.stdev(draws) / 30**0.5, abs=1e-12)
        assert node.standard_error > 0 and node.complete
    assert totals.nodes[place("id", "nli")].runs == seeds
    if seeds == 1:
        assert totals.nodes[ALL].published_error == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("method", ["2026-08", "2026-06", "corrected"])
def test_perfect_and_guessing_models(tmp_path, method):
    """The draws of such tasks have no width, which does not make their scores certain."""
    usual = indonesian()
    perfect = {key: [(1.0, *row[1:]) for row in rows] for key, rows in usual.items()}
    perfect["id", "abssum"] = [(100.0, row[1]) for row in usual["id", "abssum"]]
    always_a = {("id", "nli"): [(float(number % 3 == 0), "ABC"[number % 3]) for number in range(30)]}
    runs = {"perfect": perfect, "guess": always_a, "usual": usual}
    totals = {name: totals_of(write_run(tmp_path / name, 1, rows), method) for name, rows in runs.items()}
    nodes = totals["perfect"].nodes
    assert [node.score for node in nodes.values()] == pytest.approx([100] * len(nodes))
    assert totals["guess"].nodes[ALL].score == pytest.approx(0, abs=1e-9)
    [said] = [note for note in totals["perfect"].notes if "scores are not certain, though" in note]
    assert said.startswith("all draws of id abssum") and nodes[place("id", "nli")].low == pytest.approx(100)
    assert not [note for note in totals["usual"].notes if "certain" in note]


def test_missing_tasks_are_named_and_mark_the_means_above_them(tmp_path):
    also = [place("id", "if-eval"), Place("id", "multi-turn", "", "mt-bench"), place("id", "translation-en-xx")]
    totals = totals_of(write_run(tmp_path / "run", 1, planted(1)), also=also)
    assert totals.nodes[place("id", "if-eval")].score is None
    assert not totals.nodes[Place("id")].complete and not totals.nodes[SEA].complete
    assert totals.nodes[Place("id", "nlr")].complete and totals.nodes[Place("jv")].complete
    assert "id: not run: if-eval" in totals.notes
    for task, name in (("mt-bench", "a judge model"), ("translation-en-xx", "the metric model MetricX-24")):
        assert f"not scored yet, needs {name}: id {task}; run them, then {sea_helm().judges[name]}" in totals.notes
    assert "missing" in as_text(totals) and "* incomplete" in as_text(totals)


def test_languages_that_a_mean_lacks_are_named_and_those_in_no_mean_are_not(tmp_path):
    run = write_run(tmp_path, 1, planted(1))  # of Indonesian and Javanese
    thai, said = place("th", "nli"), "nothing of the suite is scored in th"
    totals = totals_of(run, suite=Suite("planted", "v0", (place("id", "nli"), thai)))
    assert f"means over languages are only of id; {said}" in totals.notes
    assert [totals.nodes[node].complete for node in (Place("id"), SEA, ALL)] == [True, False, False]
    totals = totals_of(run, suite=Suite("planted", "v0", (thai,)))
    assert f"there is no mean over languages; {said}" in totals.notes and SEA not in totals.nodes
    _, overall, _, competencies, *_ = as_text(totals).split("\n\n")
    assert (overall, competencies) == ("none", "none")


@pytest.mark.parametrize("method", ["2026-08", "2026-06"])
def test_a_task_without_rows_is_zero_only_by_sea_helms_methods(tmp_path, method):
    write_run(tmp_path / "a", 1, NLI)
    write_run(tmp_path / "b", 2, CAUSAL, samples=False)
    published, corrected = totals_of(tmp_path, method), totals_of(tmp_path, "corrected")
    nli = published.nodes[place("id", "nli")].score
    assert published.nodes[place("id", "causal")].score == 0
    assert published.nodes[Place("id")].score == pytest.approx(nli / 2)
    assert any("counts as 0" in note for note in published.notes)
    assert not any("not run" in note for note in published.notes)
    assert place("id", "causal") not in corrected.nodes or corrected.nodes[place("id", "causal")].score is None
    assert corrected.nodes[Place("id")].score == pytest.approx(corrected.nodes[place("id", "nli")].score)


def test_tasks_of_fewer_seeds_and_samples_that_lack_rows_or_a_seed_are_named(tmp_path):
    for seed, rows in enumerate((BOTH, BOTH, NLI), start=1):
        write_run(tmp_path / str(seed), seed, rows)
    totals = totals_of(tmp_path)
    assert "sea_helm_id_causal: 2 of 3 runs" in totals.notes and not totals.nodes[SEA].complete
    shutil.rmtree(tmp_path / "3")
    [cut] = (tmp_path / "1").glob("samples_*nli*")
    edit(cut, lambda rows: rows.pop())
    next((tmp_path / "2").glob("samples_*causal*")).unlink()
    totals = totals_of(tmp_path)
    assert "sea_helm_id_nli: only samples of 39 of 40 rows" in totals.notes
    assert "sea_helm_id_causal: only samples of 1 of 2 runs" in totals.notes
    assert not totals.nodes[Place("id", "nlr")].complete


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"n-shot": {"sea_helm_id_nli": 5}}, "number of exemplars (0 in {a}, 5 in {b})"),
        ({"limit": 8224}, "limit of tokens (32 in {a}, 8224 in {b})"),
        ({"data_sha256": "b"}, "rows of the data set (a in {a}, b in {b})"),
        ({"chat_template_sha": "c0ffee"}, "chat template (c0ffee in {b}, none in {a})"),
        ({"system_instruction_sha": "c0ffee"}, "system instruction (c0ffee in {b}, none in {a})"),
        ({"versions": {"sea_helm_id_nli": 2.0}}, "version of the task (1.0 in {a}, 2.0 in {b})"),
        (of_model(revision="0001001"), "revision (0001000 in {a}, 0001001 in {b})"),
    ],
)
def test_runs_with_other_settings_are_not_seeds_of_one_score(tmp_path, change, said, capsys):
    settings = {"n-shot": {"sea_helm_id_nli": 0}, "data_sha256": "a", "chat_template_sha": None, **of_model()}
    paths = {}
    for seed, (name, own) in enumerate({"a": settings, "b": settings | change}.items(), start=1):
        facts = {"nli": {"data_sha256": own["data_sha256"]}}
        paths[name] = write_run(tmp_path / name, seed, BOTH if name == "a" else NLI, facts=facts, **own)
    assert main(["score", str(tmp_path)]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == (
        f"lm-eval-sea: sea_helm_id_nli: runs differ in the {said.format(**paths)}, so they are not seeds of one score; give only "
        "the folder, or the results files, of one"
    )
    assert totals_of(paths["a"]).nodes, "alone it has totals"


def official(path):
    """The same run, with SEA-HELM's own prompts."""
    for file in path.parent.iterdir():
        text = file.read_text(encoding="utf-8").replace("sea_helm_id", "seahelm_id")
        file.unlink()
        file.with_name(file.name.replace("sea_helm_id", "seahelm_id")).write_text(text, encoding="utf-8")
    return path


def test_other_prompts_are_no_seeds_and_make_no_complete_mean_with_those_of_the_pack(tmp_path):
    for name, rows in (("seeds", NLI), ("tasks", CAUSAL)):
        write_run(tmp_path / name / "own", 1, NLI)
        official(write_run(tmp_path / name / "official", 2, rows))
    with pytest.raises(ResultsError, match=r"differ in the prompts \(sea_helm_id_nli in .*, seahelm_id_nli in .*\), so they"):
        totals_of(tmp_path / "seeds")
    totals = totals_of(tmp_path / "tasks")
    assert any("whose prompts they have, the pack's or others (" in note for note in totals.notes)
    assert not totals.nodes[Place("id")].complete
    assert totals_of(tmp_path / "tasks" / "official").nodes[Place("id")].complete


@pytest.mark.parametrize(
    ("said", "change"),
    [
        ("tasks differ in the chat template (sea_helm_id_nli against", {"chat_template_sha": "c0ffee"}),
        ("tasks differ in the system instruction (sea_helm_id_nli against", {"system_instruction_sha": "c0ffee"}),
        ("tasks differ in the generation (sea_helm_id_nli against", {"config": {"gen_kwargs": {"do_sample": True}}}),
        ("tasks differ in the dtype (sea_helm_id_nli against", {"config": {"model_dtype": "torch.float16"}}),
        ("means mix numbers of exemplars: 1 of 2 tasks", {"n-shot": {"sea_helm_id_causal": 5}}),
    ],
)
def test_tasks_that_were_run_otherwise_have_no_complete_mean(tmp_path, said, change):
    """They are no seeds of each other, but one mean goes over them."""
    for seed, (rows, own) in enumerate(((NLI, {"n-shot": {"sea_helm_id_nli": 0}}), (CAUSAL, change)), start=1):
        config = {"model_dtype": "torch.bfloat16"} | own.get("config", {})
        write_run(tmp_path / str(seed), seed, rows, **own | {"config": config})
    totals = totals_of(tmp_path)
    [note] = [note for note in totals.notes if " differ " in note or " mix " in note]
    assert note.startswith(said) and "sea_helm_id_causal" in note
    assert not totals.nodes[Place("id")].complete


PASSAGES = CAUSAL | {("id", "nli"): [(*row, {"cluster": str(number // 4)}) for number, row in enumerate(NLI["id", "nli"])]}
TRANSLATED = {(language, "causal"): CAUSAL["id", "causal"] for language in ("id", "th")}
FEW, PASSAGE, SHARED = "id nli: fewer than 30 questions", "id nli: questions about one passage", "2 tasks share texts"


@pytest.mark.parametrize(
    ("rows", "method", "said"),
    [
        ({("id", "nli"): NLI["id", "nli"][:29]}, "2026-06", [FEW]),
        ({("id", "nli"): NLI["id", "nli"][:30]}, "2026-06", []),
        (PASSAGES, "2026-08", [FEW, PASSAGE]),
        (PASSAGES, "corrected", [FEW]),
        (TRANSLATED, "2026-06", [SHARED]),
        (CAUSAL, "2026-06", []),
    ],
)
def test_intervals_that_are_too_narrow_are_said_to_be(tmp_path, rows, method, said):
    notes = [note for note in totals_of(write_run(tmp_path, 1, rows), method).notes if "interval" in note]
    assert [why for why in (FEW, PASSAGE, SHARED) if any(note.startswith(why) for note in notes)] == said


@pytest.mark.parametrize(("seeds", "is_complete"), [((1, 2, 3), True), ((1, 1, 2), False), ((None, None, None), True)])
def test_a_seed_run_twice_is_not_another_draw(tmp_path, seeds, is_complete):
    for number, seed in enumerate(seeds, start=1):
        rows = indonesian(seed=seed or number)
        write_run(tmp_path / str(number), number, rows, config={} if seed is None else {"torch_seed": seed})
    totals = totals_of(tmp_path)
    assert totals.nodes[Place("id")].complete == is_complete
    assert any("2 runs have seed 1 and count as 2 draws" in note for note in totals.notes) == (not is_complete)


@pytest.mark.parametrize(("other", "is_complete"), [("judged by a", True), ("judged by b", False)])
def test_a_mean_over_tasks_of_several_judges_is_marked(tmp_path, other, is_complete):
    """Translations are scored by another kind of model, as in SEA-HELM, so that they are no other judge."""
    judged = {"mt-bench-judge": "judged by a", "kalahi-judge": other, "translation-en-xx": "a metric"}
    write_run(tmp_path, 1, {("tl", task): [(1.0, None)] * 12 for task in judged})
    for task, scorer in judged.items():
        [samples] = tmp_path.glob(f"samples_*{task.replace('-', '_')}_2*")
        beside = scores_beside(samples, "metricx" if scorer == "a metric" else "judged")
        row_scores.write(beside, RowScores(scorer, 1.0, dict.fromkeys(range(12), 0.5)))
    totals = totals_of(tmp_path, "corrected")
    assert totals.nodes[Place("tl")].complete == totals.nodes[Place("tl", "multi-turn")].complete == is_complete
    assert totals.nodes[Place("tl", "nlg")].complete
    said = "tasks differ in what scored them (tl kalahi-judge judged by b against tl mt-bench-judge judged by a)"
    assert (said in totals.notes) == (not is_complete)


LITE = {"nli": {"subset": {"of": 1000}}}
LEFT_OUT = "left out, because totals are of whole tasks with their results file: sea_helm_id_nli"
REFUSED = {
    "row 0 has no number for 'correct'": [({("id", "nli"): [(float("nan"), "A"), (1.0, "B")]}, {})],
    "row 0 has 37, which is not between 0 and 1, for 'correct'": [({("id", "nli"): [(37.0, "A"), (1.0, "B")]}, {})],
    "--log_samples": [(planted(1), {"samples": False})],
    "the scale of 'likes' is not known": [({("id", "qa"): [(0.5, ["x"])] * 3}, {"facts": {"qa": {"item_metric": "likes"}}})],
    "no task of SEA-HELM": [(NLI, {"facts": {"nli": {"suite": "another"}}})],
    LEFT_OUT: [(NLI, {"facts": LITE})],
    "2 different revisions under one name": [(NLI, of_model()), (CAUSAL, of_model(revision="0000002"))],
    "the runs are of 2 models": [(NLI, of_model()), (CAUSAL, of_model(load_in_4bit=True))],
}


@pytest.mark.parametrize("said", REFUSED)
def test_runs_without_totals_are_refused(tmp_path, said):
    for seed, (rows, how) in enumerate(REFUSED[said], start=1):
        write_run(tmp_path / str(seed), seed, rows, **how)
    with pytest.raises(ResultsError, match=said):
        totals_of(tmp_path)


def test_tasks_of_the_other_suite_are_named_with_the_flag_for_them(tmp_path, capsys):
    """Ranked labels without the flag of their suite, and written ones with it, alone and beside a task that both suites have."""
    for seed, (name, tasks) in enumerate({"labels": ["nli", "causal"], "both": ["nli", "qa"]}.items(), start=1):
        for variant in ("ppl", "gen"):
            facts = dict.fromkeys(set(tasks) - {"qa"}, {"variant": variant})
            write_run(tmp_path / name / variant, seed, indonesian(*tasks), facts=facts)
    flag = ["--suite", "seahelm_logprobs"]
    for variant, given, said in (
        ("ppl", [], "tasks of SEA-HELM that rank labels are left out; they are averaged with --suite seahelm_logprobs"),
        ("gen", flag, "tasks of SEA-HELM that generate a label are left out; they are averaged without --suite"),
    ):
        assert main(["score", str(tmp_path / "labels" / variant), *given]) == 2
        assert capsys.readouterr().err.splitlines()[-1] == f"lm-eval-sea: 2 {said}"
        assert main(["score", str(tmp_path / "both" / variant), *given]) == 0
        assert f"- 1 {said}" in capsys.readouterr().out.splitlines()
    assert main(["score", str(tmp_path / "both" / "gen")]) == 0
    assert "left out" not in capsys.readouterr().out


def test_corrected_pragmatics_pools_rows_before_averaging_phenomena(tmp_path):
    implicature, presupposition = {"phenomenon": "scalar_implicatures"}, {"phenomenon": "presuppositions"}
    rows = {
        ("id", "pragmatic-single"): [(1.0, "Benar", implicature), (1.0, "Salah", implicature), (0.0, "Salah", presupposition)],
        ("id", "pragmatic-pair"): [(0.0, "Benar", implicature), (1.0, "Salah", implicature), (1.0, "Benar", presupposition)],
    }
    pooled = Place("id", "linguistic-diagnostics", "", "pragmatics")
    for of in (3, 84):
        counts = {f"sea_helm_id_pragmatic_{part}": {"original": o, "effective": 3} for part, o in (("single", 3), ("pair", of))}
        write_run(tmp_path / str(of), 1, rows, **{"n-samples": counts})
        # implicatures 3 of 4, presuppositions 1 of 2: (0.75 + 0.5) / 2 = 0.625, above chance (0.625 − 0.5) / 0.5
        corrected = totals_of(tmp_path / str(of), "corrected").nodes
        assert corrected[Place("id")].score == pytest.approx(25) and corrected[pooled].complete == (of == 3)
    # single: recalls 1 and 1/2 → 50; pair: 1/2 and 1 → 50
    assert totals_of(tmp_path / "3").nodes[Place("id")].score == pytest.approx(50)


def test_rows_that_name_no_passage_are_drawn_one_by_one(tmp_path):
    alone, rows = {"cluster": None}, [(float(number % 2), "AB"[number // 20]) for number in range(40)]
    runs = {"named": rows, "unnamed": [(*row, alone) for row in rows]}
    named, unnamed = (totals_of(write_run(tmp_path / name, 1, {("id", "causal"): of}), "corrected") for name, of in runs.items())
    assert named.nodes == unnamed.nodes and named.notes == unnamed.notes


def test_views_as_text_csv_and_json(tmp_path):
    rows = planted(1)
    rows["id", "translation-en-xx"] = [(42.0, "x"), (44.0, "y")]
    totals = totals_of(write_run(tmp_path / "run", 1, rows), also=[place("id", "translation-en-xx")])
    lines = list(csv.DictReader(io.StringIO(as_csv(totals))))
    assert {line["view"] for line in lines} == {"overall", "language", "detailed", "note"}
    assert [line["note"] for line in lines if line["view"] == "note"] == totals.notes != []
    made_by = {(line["model"], line["method"], line["suite"], line["suite_version"]) for line in lines}
    assert made_by == {("org/model", "2026-06", "planted", "v0")}
    [sea] = [line for line in lines if line["language"] == "SEA"]
    assert float(sea["score"]) == pytest.approx(totals.nodes[SEA].score)
    content = json.loads(as_json(totals))
    assert content["method"] == "2026-06" and content["notes"] == totals.notes
    [translation] = [line for line in content["detailed"] if line["task"] == "translation-en-xx"]
    assert translation["score"] is None and translation["metric"] == "chrf++" and translation["metric_value"] == 43
    text = as_text(totals)
    for part in ("suite planted v0, method 2026-06", "translations translation-en-xx", "SEA", "all languages"):
        assert part in text


def test_tasks_outside_the_suite_enter_no_mean(tmp_path):
    rows = indonesian("nli", "qa", "sentiment", "abssum") | {("jv", "causal"): CAUSAL["id", "causal"]}
    write_run(tmp_path / "run", 1, rows)
    members = (place("id", "nli"), place("id", "qa"))
    for method in METHODS:
        alone = totals_of(tmp_path, method, suite=Suite("planted", "v0", members))
        nodes = alone.nodes
        assert not nodes[place("id", "sentiment")].in_suite and nodes[place("id", "sentiment")].score is not None
        assert Place("jv") not in nodes and Place("id", "nlg") not in nodes
        assert nodes[Place("id")].score == pytest.approx(statistics.fmean(nodes[member].score for member in members))
        assert nodes[SEA].score == nodes[ALL].score and nodes[SEA].complete
        said, _, named = alone.notes[-1].partition(": ")
        assert said == "in no mean, because they are not in the suite planted v0"
        assert set(named.split(", ")) == {"id abssum", "id sentiment", "jv causal"}
        assert "† not in the suite" in as_text(alone)


def test_totals_are_the_mean_of_several_runs_and_have_an_interval_by_the_method_of_august(tmp_path):
    for seed in (1, 2):
        write_run(tmp_path / f"{seed}", seed, indonesian("nli", "abssum", seed=seed))
    totals = totals_of(tmp_path, "2026-08")
    assert totals.method == "2026-08"
    for node in totals.nodes.values():
        low, high = node.low, node.high
        assert low < node.score < high and node.published_error is None
        assert high - low == pytest.approx(2 * 1.96 * node.standard_error, rel=0.2)


@pytest.mark.parametrize("method", ["2026-06", "2026-08"])
def test_rows_are_drawn_in_published_order(tmp_path, method):
    """Rows are evaluated in an order of the pack's; the same seeds draw the same rows nevertheless."""
    for seed in (1, 2):
        published = indonesian("nli", "abssum", seed=seed)
        shuffled = {
            key: random.Random(1).sample([(*row[:2], {"published_position": place}) for place, row in enumerate(rows)], len(rows))
            for key, rows in published.items()
        }
        write_run(tmp_path / "published" / f"{seed}", seed, published)
        write_run(tmp_path / "shuffled" / f"{seed}", seed, shuffled)
    expected, found = (totals_of(tmp_path / name, method).nodes for name in ("published", "shuffled"))
    assert {place: node.score for place, node in found.items()} == {place: node.score for place, node in expected.items()}


def test_tasks_whose_size_is_not_known_are_named_once(tmp_path):
    """A file that was cut off looks whole there."""
    sizes = {task: {"rows": None if task == "nli" else 40} for _, task in indonesian()}
    for seed in (1, 2):
        write_run(tmp_path / f"{seed}", seed, indonesian(seed=seed), facts=sizes)
    text = as_text(totals_of(tmp_path))
    assert text.count("the pack does not know how many rows id_nli should have, so a file that was cut off") == 1


def test_a_base_model_leaves_out_what_sea_helm_leaves_out(tmp_path):
    rows = NLI | {("id", "if-eval"): [(1.0, None), (0.0, None)] * 6}
    write_run(tmp_path / "chat", 1, rows)
    shots = {"n-shot": {"sea_helm_id_nli": 5, "sea_helm_id_if_eval": 5}}
    write_run(tmp_path / "base", 1, rows, **shots)
    write_run(tmp_path / "server", 1, rows, **shots, config={"model": "chat-api"})
    suite = Suite("planted", "v0", (place("id", "nli"), place("id", "if-eval")), frozenset({"if-eval"}))
    for name in ("chat", "server"):
        chat = totals_of(tmp_path / name, "2026-08", suite=suite).nodes
        assert chat[place("id", "if-eval")].in_suite and chat[Place("id")].score != chat[place("id", "nli")].score
    base = totals_of(tmp_path / "base", "2026-08", suite=suite)
    assert base.nodes[Place("id")].score == pytest.approx(base.nodes[place("id", "nli")].score)
    assert base.nodes[Place("id")].complete and not base.nodes[place("id", "if-eval")].in_suite
    assert any("so a base model: SEA-HELM leaves out if-eval" in note for note in base.notes)


@pytest.mark.parametrize(("right", "said"), [(0.5, True), (0.95, False)])
def test_a_model_that_guesses_is_said_to_have_totals_above_0(tmp_path, right, said):
    """The interval of their mean does not begin at 0, though that of every task does."""
    rows = {}
    for language in ("id", "th", "vi", "ta", "tl"):
        answers = random.Random(language)
        rows[language, "causal"] = [(float(answers.random() < right), "AB"[n % 2]) for n in range(40)]
    totals = totals_of(write_run(tmp_path, 1, rows), "2026-08")
    assert totals.nodes[SEA].low > 0
    assert said == any("a model that guesses has totals above 0" in note for note in totals.notes)


def test_a_total_of_answers_that_were_not_read_says_so(tmp_path):
    """A model that was asked in the wrong way has a total near 0 for that alone."""
    write_run(tmp_path, 1, planted(1))
    with changed(tmp_path) as content:
        for name, rate in (("sea_helm_id_nli", 0.95), ("sea_helm_jv_causal", 0.25), ("sea_helm_id_causal", 0.01)):
            content["results"][name]["null_rate,none"] = rate
    notes = totals_of(tmp_path).notes
    assert "answers that cannot be read count as wrong: sea_helm_id_nli 95.0 %, sea_helm_jv_causal 25.0 %" in notes
    assert "sea_helm_id_nli: hardly any answer could be read; is this a chat model? add --apply_chat_template" in notes


def test_lite_tasks_beside_whole_ones_are_named_and_left_out(tmp_path):
    assert LEFT_OUT in totals_of(write_run(tmp_path, 1, BOTH, facts=LITE)).notes


def test_rows_that_repeat_others_are_named(tmp_path):
    write_run(tmp_path, 1, {("id", "qa"): [(0.5, ["x"])] * 40})
    [samples] = tmp_path.glob("samples_*")
    edit(samples, lambda rows: rows.extend([row | {"f1": 1.0} for row in rows]))
    totals = totals_of(tmp_path)
    assert f"{samples}: 40 of 80 rows repeat others; the last of each counts" in totals.notes
    node = totals.nodes[place("id", "qa")]
    assert (node.rows, node.score) == (40, pytest.approx(100))


@pytest.mark.parametrize("doc", [None, {}, {"label": None}])
def test_a_label_task_has_no_total_without_a_label(tmp_path, doc):
    """By the published rules a single such row makes it a task of texts, with another scale."""
    write_run(tmp_path, 1, NLI)
    [samples] = tmp_path.glob("samples_*")
    edit(samples, lambda rows: rows[0].update(doc=doc))
    with pytest.raises(ResultsError, match=f"{samples}: row 0 has no label; run the task again"):
        totals_of(tmp_path)


def test_rows_that_make_another_score_than_the_results_leave_no_complete_mean(tmp_path):
    """Such as the samples of another run, which were given the name of this one."""
    path = write_run(tmp_path, 1, {("id", "nli"): NLI["id", "nli"], ("id", "qa"): [(0.5, [f"r{n}"]) for n in range(40)]})
    with changed(path) as content:
        [[metric, of_rows]] = [entry for entry in content["results"]["sea_helm_id_nli"].items() if entry[0].endswith(",none")]
        content["results"]["sea_helm_id_nli"][metric] = of_rows / 2
    totals = totals_of(tmp_path)
    said = f"sea_helm_id_nli: the results say {50 * of_rows:.2f}, the 40 logged rows {100 * of_rows:.2f}"
    assert said in totals.notes
    complete = {name: totals.nodes[place("id", name)].complete for name in ("nli", "qa")}
    assert complete == {"nli": False, "qa": True} and not totals.nodes[Place("id", "nlr")].complete


def test_scores_of_other_answers_are_refused(tmp_path):
    """Such as a judge's file that was given the name of another run."""
    for seed in (1, 2):
        write_run(tmp_path / str(seed), seed, {("tl", "kalahi-judge"): [(1.0, None, {"answer": seed})] * 12})
    [task, other] = read(tmp_path).tasks
    row_scores.write_beside(task, row_scores.JUDGED, RowScores("a judge", 1.0, dict.fromkeys(range(12), 0.5)), "")
    assert totals_of(tmp_path / "1").nodes[place("tl", "kalahi-judge")].score == pytest.approx(50)
    task.beside("judged", ".json").rename(other.beside("judged", ".json"))
    with pytest.raises(ResultsError, match="these scores are not of the answers in"):
        totals_of(tmp_path / "2")
    path = other.beside("judged", ".json")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"samples_sha256": ""}))  # as older versions wrote it
    assert any("these scores do not say of which answers they are" in note for note in totals_of(tmp_path / "2").notes)


def test_scores_by_another_model_stand_beside_the_samples(tmp_path):
    rows = {("id", "translation-en-xx"): [(42.0, f"x{number}") for number in range(12)]}
    write_run(tmp_path / "run", 1, rows)
    [samples] = tmp_path.rglob("samples_*")
    notes = ["another model than SEA-HELM's"]
    scores = RowScores("small-metric", 100.0, {number: 50.0 + number for number in range(12)}, notes)
    beside = scores_beside(samples, "metricx")
    row_scores.write(beside, scores)
    totals = totals_of(tmp_path, "corrected")
    assert totals.nodes[place("id", "translation-en-xx")].score == pytest.approx(55.5)
    assert totals.nodes[SEA].complete
    assert {"sea_helm_id_translation_en_xx: small-metric", f"sea_helm_id_translation_en_xx: {notes[0]}"} <= set(totals.notes)
    row_scores.write(beside, RowScores("m", 100.0, {0: 50.0}))
    partial = totals_of(tmp_path, "corrected")
    assert not partial.nodes[SEA].complete and any("only scores of 1 of 12 rows" in note for note in partial.notes)
    beside.write_text('{"best": 1, "scores": [{"doc_id": 0, "score": 3}]}')
    with pytest.raises(ResultsError, match="not a number from 0 to 1.*score the task again"):
        totals_of(tmp_path)
