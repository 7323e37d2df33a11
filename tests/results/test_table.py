"""What `lm-eval-sea show` prints, and the same of a run in memory."""

import csv
import json
import math
import re

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from lm_eval_sea.commands.cli import main
from lm_eval_sea.report.export.every_eval_ever import records
from lm_eval_sea.report.markdown import render_markdown
from lm_eval_sea.report.means import answer, comparisons_table
from lm_eval_sea.report.overview import overview_section
from lm_eval_sea.report.provenance import provenance_section
from lm_eval_sea.report.scores import scores_of
from lm_eval_sea.results.comparison import difference_of_means, pairs
from lm_eval_sea.results.read import of_results, read
from lm_eval_sea.results.table import WIDTH, records_of, table_of

from ..report.planted import NO_SUITE
from .lm_eval_output import NEW, drawn, sacrebleu_of, toy, write_run

TEXT = {"headline_metric": "chrf++", "rows": 12, "version": 1.0}


def task(right, **facts):
    """Of 900 rows some, whose right option is the first."""
    return toy(list(map(float, right)), docs={"gold": [0] * len(right)}, **{"rows": 900, **facts})


def reported(value, **facts):
    """Without rows."""
    return toy([value], has_rows=False, **{"rows": 900, **facts})


def shown(*folders):
    """The table on one line."""
    return " ".join(table_of(read(*folders).best()).split())


def means_of(*folders):
    """Those of the report."""
    return scores_of(read(*folders).best(), suite=NO_SUITE).means


def first_page(folder):
    """The overview of the report in Markdown, without the backslashes before its marks."""
    scores = scores_of(read(folder).best(), suite=NO_SUITE)
    return render_markdown([overview_section(scores, None, steps=False)]).replace("\\", "")


def line(text, name):
    [found] = [line for line in text.splitlines() if line.startswith(name)]
    return found


def test_one_line_per_task_on_one_scale_also_of_a_run_in_memory(tmp_path, capsys):
    ranked = task([1] * 30 + [0] * 10)
    ranked["scores"]["acc_norm,none"] = 0.1
    text = {"scores": {"chrf++,none": 41.5, "chrf++_stderr,none": 2.0}, "metadata": TEXT}
    samples = {"toy_th": {"original": 900, "effective": 40}, "toy_mt": {"original": 12, "effective": 12}}
    path = write_run(tmp_path, {"toy_th": ranked, "toy_mt": text}, **{"n-samples": samples})
    assert main(["show", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    name, *cells = re.split(r"\s{2,}", line(out, "toy_th"))
    assert cells[:3] + cells[4:] == ["40 of 900", "acc", "75.0", "25.0"]
    # the score interval of a share, with t for z and n − 1 for n, by its defining equation
    for end in map(float, re.findall(r"\d+\.\d", cells[3])):
        expected = stats.t.ppf(0.975, 39) * (end / 100 * (1 - end / 100) / 39) ** 0.5
        assert abs(0.75 - end / 100) == pytest.approx(expected, abs=1e-3)
    assert re.split(r"\s{2,}", line(out, "toy_mt"))[1:4] == ["12", "chrf++", "41.5"]
    assert "1 of 2 scores are of only a part of the rows" in out
    assert max(map(len, out.splitlines())) <= WIDTH
    content = json.loads(path.read_text()) | {"samples": {"toy_th": ranked["rows"]}}
    content["config"]["model_dtype"] = torch.float32  # a type, where a file has its name
    in_memory = table_of(of_results(content))
    assert "is left out" not in in_memory and in_memory.endswith("\n")  # other lines follow
    assert [line(in_memory, name) for name in ("toy_th", "toy_mt")] == [line(out, name) for name in ("toy_th", "toy_mt")]


def write_group(folder, logged, *, languages=("th", "vi", "lo"), mean=None, seed=0):
    """Tasks on the same passages of two rows, and a group of them within another; `logged` are those with samples."""
    right = {
        language: [float((7 * n + n * seed + shift) % 10 < 6) for n in range(40)] for shift, language in enumerate(languages)
    }
    docs = {"cluster": [f"passage {n // 2}" for n in range(40)]}
    own = {f"toy_{name}": toy(right[name], docs=docs, has_rows=name in logged, chance=0.0, rows=900) for name in languages}
    mean = np.mean(list(right.values())) if mean is None else mean
    parts = {
        "group_subtasks": {"all_toys": ["inner"], "inner": list(own)},
        "configs": {name: {"metadata": task["metadata"]} for name, task in own.items()},
    }
    write_run(folder, own | {"all_toys": {"scores": {"acc,none": mean}}}, **parts, **(drawn(seed) if seed else {}))
    return right


def interval_of(text, name):
    return [float(end) for end in re.findall(r"\d+\.\d", re.split(r"\s{2,}", line(text, name))[-1])]


@pytest.mark.parametrize(("languages", "seeds"), [(["th"], 1), (["th", "vi", "lo"], 1), (["th", "vi", "lo"], 3)])
def test_the_mean_of_a_group_is_over_the_seeds_that_its_tasks_are_over(tmp_path, languages, seeds):
    """Passages that languages and seeds share count once; there is no mean where the last seed was run on more tasks."""
    right = [list(write_group(tmp_path, languages, languages=languages, seed=seed).values()) for seed in range(1, seeds + 1)]
    text = table_of(read(tmp_path).best())
    by_passage = np.mean(right, axis=(0, 1)).reshape(20, 2).mean(axis=1)  # a row of all languages and seeds at once
    assert f"{100 * by_passage.mean():.1f}" in line(text, "all_toys")
    [of_report] = means_of(tmp_path).values.values()
    assert interval_of(text, "all_toys") == pytest.approx([of_report.low, of_report.high], abs=0.05)
    if len(languages) > 1:
        expected = stats.ttest_1samp(by_passage, 0).confidence_interval(0.95)
        assert interval_of(text, "all_toys") == pytest.approx([100 * expected.low, 100 * expected.high], abs=0.05)
    write_group(tmp_path, languages, languages=[*languages, "km"], seed=4)
    assert "all_toys" not in table_of(read(tmp_path).best())


@pytest.mark.parametrize(
    ("logged", "mean", "newer", "said"),
    [
        (["th", "vi"], None, {}, "the rows of its tasks were not logged (--log_samples)"),
        (["th", "vi", "lo"], 0.61, {}, "it is not the plain mean of the scores above"),
        (["th", "vi", "lo"], None, {"toy_vi": reported(0.1)}, "it is not the plain mean of the scores above"),
    ],
    ids=["not logged", "weighted", "a newer run has a task"],
)
def test_a_group_without_an_interval_says_why(tmp_path, logged, mean, newer, said):
    write_group(tmp_path, logged, mean=mean)
    if newer:
        write_run(tmp_path, newer, NEW, **{"n-samples": {name: {"original": 900, "effective": 40} for name in newer}})
    assert line(table_of(read(tmp_path).best()), "all_toys").endswith("–")
    assert f"no interval for the mean of all_toys: {said}" in shown(tmp_path)


def of_bleu(right):
    """So many rows of 30 have any four words of their reference."""
    reference = "the old market town"
    pairs = [[reference, reference if n < right else "the town"] for n in range(30)]
    return toy(pairs, "bleu", value=sacrebleu_of("bleu", pairs))


def of_passages(clusters, has_rows):
    planted = toy([0.0, 1.0] * 15, has_rows=has_rows, rows=30, clusters=clusters)
    planted["scores"]["acc_stderr,none"] = 0.09
    return planted


def of_labels(*golds):
    return toy([1.0] * 3, docs={"gold": golds}, rows=900) | {"doc_to_choice": ["yes", "no", "perhaps"]}


ABSENT, NO_INTERVAL = "rows has the label", "no interval, because the score depends on fewer than two rows"
NARROW = "the interval is too narrow: it takes rows that share a passage"
NOTED = [
    (of_labels(1, 1, 1), ABSENT, "none of the 3 rows has the label “yes”, “perhaps”, so"),
    (of_labels(0, 1, 1), ABSENT, "none of the 3 rows has the label “perhaps”, so"),
    *((of_labels(0, 1, gold), ABSENT, None) for gold in (2, None)),
    *((of_bleu(right), NO_INTERVAL, NO_INTERVAL if right < 2 else None) for right in range(3)),
    (of_passages(20, has_rows=False), NARROW, NARROW),
    *((of_passages(clusters, has_rows), NARROW, None) for clusters, has_rows in ((20, True), (30, False))),
]


@pytest.mark.parametrize(("planted", "about", "said"), NOTED, ids=range(len(NOTED)))
def test_peculiarities_of_a_score_are_noted_in_table_and_report(tmp_path, planted, about, said):
    """Labels that a limited run lacks, a score of all rows without an interval, an interval of rows taken for independent."""
    write_run(tmp_path, {"toy_th": planted})
    runs = read(tmp_path).best()
    warned = str([table.frame.to_dict() for table in provenance_section(scores_of(runs, suite=NO_SUITE)).tables])
    assert ("[" in line(table_of(runs), "toy_th")) == (said != NO_INTERVAL)
    for text in (shown(tmp_path), warned):
        assert (about in text) == bool(said)
        assert not said or f"toy_th: {said}" in text


def test_a_model_that_always_gives_one_answer_is_noted(tmp_path):
    docs = {"gold": [n % 2 for n in range(20)], "predictions": [{"acc": int(n > 0)} for n in range(20)]}
    write_run(tmp_path, {"toy_th": toy([float(n % 2) for n in range(20)], docs=docs)})
    runs, said = read(tmp_path).best(), "95 % of the answers are option 2, which is right on 50 %"
    assert f"toy_th: {said}" in table_of(runs)
    assert said in records_of(runs)[0]["notes"]


def test_a_ranked_task_without_its_headline_metric_says_what_it_needs(tmp_path):
    """As behind a server that ranks answers to messages; the task is in the table of values, too."""
    task = {"metadata": {"dataset": "toy", "headline_metric": "acc_ppl"}, "scores": {"acc,none": 0.5, "acc_norm,none": 0.25}}
    write_run(tmp_path, {"sea_toy_en_to_ppl": task})
    text = shown(tmp_path)
    assert "no acc_ppl" in text and "acc 50.0, acc_norm 25.0" in text
    (record,) = records_of(read(tmp_path))
    assert record["score"] is None and "no acc_ppl" in record["notes"]


def test_tasks_whose_size_is_not_known_are_named_in_one_line_and_others_have_their_own_scores(tmp_path):
    """Those of other packs, and texts; the bits of a single text have no error of 0."""
    names = [f"sea_helm_{language}_nli" for language in ("ms", "my", "km", "lo", "su")]
    known = {
        "toy_th": reported(0.5, rows=2),
        "toy_vi": reported(0.5),
        "arc_easy": {"scores": {"acc,none": 0.5, "acc_stderr,none": 0.02}},
        "toy_th_text": toy([0.0], "bits_per_byte", variant="text", setting="text", headline_metric=""),
    }
    known["toy_th_text"]["scores"] = {"bits_per_byte,none": 0.9, "bits_per_byte_stderr,none": 0.0}
    write_run(tmp_path, {name: reported(0.5, rows=None) for name in names} | known)
    text = shown(tmp_path)
    assert "not of this pack, as lm-eval scores them: arc_easy: acc 0.5 ± 0.02" in text
    assert "toy_th_text: 0.900 bits per byte, 1 texts" in text
    [said] = [line for line in text.split(" - ") if "does not know" in line]
    assert "how many rows ms_nli, my_nli, km_nli, lo_nli and 1 more should have, so a file that was cut off" in said


@given(name=st.text(min_size=1, max_size=200), model=st.text(max_size=80), value=st.floats(0, 1))
def test_any_names_give_lines_of_the_width_without_controls(name, model, value):
    content = {"results": {name: {"acc,none": value}}, "configs": {name: reported(value)}, "model_name": model}
    [title, head, task, *_] = table_of(of_results(content)).split("\n")
    assert len(task) <= WIDTH and f"{100 * value:.1f}" in task
    assert "\x1b" not in title + task and "\u202e" not in title + task
    (title + task).encode()  # no lone surrogates


def two_models(folder, of=60):
    for model, share in (("a", 0.9), ("b", 0.4)):
        judged = {"scores": {"null_rate,none": share}, "metadata": {"headline_metric": "null_rate", "version": 1.0}}
        ranked = task([number < share * of for number in range(of)], rows=of)
        ranked["rows"] = ranked["rows"][:: 1 if model == "a" else -1]  # in whatever order
        counts = {"n-samples": dict.fromkeys(("toy_th", "judged"), {"original": of, "effective": of})}
        write_run(folder / model, {"toy_th": ranked, "judged": judged}, model=model, **counts)
    return folder


def test_two_models_are_compared_in_a_sentence(tmp_path):
    """50 points of accuracy on a scale on which chance, 25, is 0; the judged task has no score of how good its answers are."""
    text = shown(two_models(tmp_path))
    [found] = re.findall(
        r"a is better than b by 66\.7 points \(96 % interval \[([\d.]+), ([\d.]+)\]\) on 1 common task, p < \.001", text
    )
    deltas = [1.0] * 30 + [0.0] * 30
    expected = stats.ttest_1samp(deltas, 0).confidence_interval(0.96)
    assert [float(end) for end in found] == pytest.approx([100 * expected.low / 0.75, 100 * expected.high / 0.75], abs=0.5)
    assert "better" not in table_of(read(tmp_path / "a").best())


@pytest.mark.parametrize("wins", range(7, 15))
def test_the_sentence_says_better_where_its_interval_leaves_out_0(tmp_path, wins):
    """Of 60 rows the first model alone is right on `wins`, the second alone on five; from 13 to 14 the claim begins."""
    first = [1.0] * wins + [0.0] * 5 + [1.0] * (55 - wins)
    second = [0.0] * wins + [1.0] * 5 + [1.0] * (55 - wins)
    for model, right in (("a", first), ("b", second)):
        write_run(tmp_path / model, {"toy_th": task(right)}, model=model)
    text, means = shown(tmp_path), means_of(tmp_path)
    [low] = re.findall(r"96 % interval \[(−?)[\d.]+, [\d.]+\]", text)
    assert ("a is better than b" in text) == (low == ""), text
    assert ("cannot be told apart" in text) == (low == "−")
    in_report = " ".join((answer(means) or "").split())
    assert in_report and in_report in text, "show and report say the same"
    [row] = comparisons_table(means).frame.to_dict("records")
    assert row["confidence"] == 96 and row["apart"] == (row["low"] > 0) == (low == ""), "and so does the table below"


@pytest.mark.parametrize(
    ("rows", "said"), [(20, r"A difference of \d\d\.\d points"), (6, "On so few rows not even .* of 100 points")]
)
def test_no_difference_beyond_100_points_is_said_to_be_seen(tmp_path, rows, said):
    for model, right in (("a", [1.0, 0.0]), ("b", [0.0, 1.0])):
        write_run(tmp_path / model, {"toy_th": task(right * (rows // 2))}, model=model)
    assert re.search(rf"their means are equal\. {said} would probably have been seen\.", shown(tmp_path))


@pytest.mark.parametrize("beside", ["the lite one, of the same rows", "one without a score"])
def test_the_sentence_counts_only_tasks_that_enter_the_comparison(tmp_path, beside):
    for model, right in (("a", [1.0] * 40), ("b", [0.0, 1.0] * 20)):
        other = task(right[:20]) if "lite" in beside else reported(55.0)  # no accuracy can be that
        name = "sea_xcopa_id_to_ppl"
        write_run(tmp_path / model, {name: task(right), f"{name}_lite" if "lite" in beside else "toy_vi": other}, model=model)
    said = answer(means_of(tmp_path))
    assert "on 1 common task," in (said := " ".join(said.split())) and said in shown(tmp_path)


def test_two_models_of_which_one_ran_lite_tasks_are_told(tmp_path, capsys):
    for model, ending in (("a", "_lite"), ("b", "")):
        write_run(tmp_path / model, {f"sea_xcopa_id_to_ppl{ending}": task([1] * 20 + [0] * 20)}, model=model)
    said, left_out = shown(tmp_path), "so these are left out: a (sea_xcopa_id_to_ppl_lite)"
    assert "they have no common task" in said and said.count(left_out) == 1
    assert main(["show", str(tmp_path), "--csv"]) == 0
    assert left_out in capsys.readouterr().err


def test_two_models_are_compared_beside_one_that_has_no_score_of_the_pack(tmp_path):
    write_run(two_models(tmp_path) / "c", {"arc_easy": {"scores": {"acc,none": 0.5}}}, model="c")
    said = " ".join((answer(means_of(tmp_path)) or "").split())
    assert "a is better than b" in said and said in shown(tmp_path)
    assert records_of(read(tmp_path).best())[-1]["against"] == "b"


def test_the_difference_that_would_have_been_seen(tmp_path):
    """A t test of this error and these rows has a power of about 80 % against it (noncentral t)."""
    both = read(two_models(tmp_path)).best().tasks
    first, second = ({task.name: task for task in both if task.run.model == model} for model in "ab")
    found = difference_of_means(pairs(first, second), {"toy_th": 1.0})
    limit = stats.t.ppf(0.98, found.spread.degrees)  # a level of 4 %
    assert 1 - stats.nct.cdf(limit, found.spread.degrees, found.seen / found.spread.stderr) == pytest.approx(0.8, abs=0.01)


def test_scores_as_records(tmp_path, capsys):
    two_models(tmp_path)
    assert main(["show", str(tmp_path), "--json"]) == 0
    records = json.loads(capsys.readouterr().out)
    scored = [record for record in records if record["against"] is None]
    assert [(record["model"], record["task"]) for record in scored] == [(m, t) for m in "ab" for t in ("toy_th", "judged")]
    of_task, mean = records[len(scored) :]
    expected = stats.ttest_1samp([1.0] * 30 + [0.0] * 30, 0)
    assert [of_task[key] for key in ("model", "against", "task", "rows")] == ["a", "b", "toy_th", 60]
    assert [of_task[key] for key in ("difference", "low", "high", "p_value")] == pytest.approx(
        [50, *(100 * end for end in expected.confidence_interval()), expected.pvalue]
    )
    assert (mean["task"], mean["difference"]) == ("mean", pytest.approx(50 / 0.75))
    assert mean["low"] < of_task["low"] / 0.75 + 1 and mean["high"] < 100 / 0.75
    assert main(["show", str(tmp_path), "--csv"]) == 0
    lines = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert [float(line["score"]) for line in lines if line["score"]] == pytest.approx([record["score"] for record in scored])
    assert [float(line["difference"]) for line in lines if line["difference"]] == [of_task["difference"], mean["difference"]]
    assert lines[0]["metric"] == "acc" and float(lines[0]["low"]) < 90 < float(lines[0]["high"])


FACTS = {"data_sha256": "a" * 64, "headline_metric": "acc"}
# 512 of the tokens are --thinking_tokens, which no setting of the run names
CONFIG = {"generation_kwargs": {"max_gen_toks": 768}, "description": "Answer.", "doc_to_text": "<function ask at 0x7f1>"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"n-shot": {"toy_th": 0}}, "number of exemplars"),
        ({"versions": {"toy_th": 2.0}}, "version of the task"),
        ({"chat_template_sha": "c0ffee"}, "use of a chat template"),
        ({"fewshot_as_multiturn": True}, "use of turns for exemplars"),
        ({"data_sha256": "b" * 64}, "rows of the data set"),
        ({"headline_metric": "acc_norm"}, "headline metric"),
        ({"generation_kwargs": {"max_gen_toks": 8448}}, "limit of tokens"),
        ({"description": "Choose."}, "words of the prompt"),
        ({"doc_to_text": "<function ask at 0x7f2>"}, None),
        ({}, None),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_differences_between_compared_runs_are_noted(tmp_path, change, said):
    for model, right, more in (("a", [1.0] * 40, {}), ("b", [0.0, 1.0] * 20, change)):
        own = task(right, **{name: more.get(name, value) for name, value in FACTS.items()})
        own["scores"]["acc_norm,none"] = 0.1
        own |= {name: more.get(name, value) for name, value in CONFIG.items()}
        parts = {name: value for name, value in more.items() if name not in (*FACTS, *CONFIG)}
        write_run(tmp_path / model, {"toy_th": own}, model=model, **parts)
    text = shown(tmp_path)
    assert ("a is better than b" in text) == (said != "headline metric"), "of two metrics there is no difference"
    assert (f"note: Models differ in the {said}: toy_th" in text) if said else ("Models differ" not in text)
    assert (f"Models differ in the {said}: toy_th" in first_page(tmp_path)) == bool(said)


def test_normalised_scores_are_those_that_means_are_of(tmp_path):
    """Those of SEA-HELM end at chance; a model below it is 20 points below it elsewhere."""
    for model, share in (("a", 0.1), ("b", 0.4)):
        answers = [1.0] * round(40 * share) + [0.0] * round(40 * (1 - share))
        write_run(tmp_path / model, {"toy": toy(answers), "toy_helm": toy(answers, suite="sea_helm")}, model=model)
    *scores, _, _, mean = records_of(read(tmp_path).best())
    first, second = ({each["task"]: each["normalised"] for each in scores if each["model"] == name} for name in "ab")
    assert first == {"toy": pytest.approx(-20), "toy_helm": 0} and second == dict.fromkeys(first, pytest.approx(20))
    assert mean["difference"] == pytest.approx(np.mean([first[name] - second[name] for name in first]))


@pytest.mark.parametrize("percent", [0.76, 51.2])
def test_the_probability_of_the_right_label_is_told_in_per_cent_and_has_no_chance_level(tmp_path, percent):
    """SEA-HELM's ranked labels: 0.76 is not 76 %, and 51.2 is not beyond the scale. It averages them as they are."""
    values = [percent * share for share in np.linspace(0.5, 1.5, 41)]
    planted = toy(values, "gold_probability", suite="sea_helm", labels=["A", "B", "C"], chance=1 / 3)
    write_run(tmp_path, {"toy_id": planted})
    [record] = records_of(read(tmp_path).best())
    assert record["score"] == record["normalised"] == pytest.approx(percent)
    assert record["stderr"] == pytest.approx(stats.sem(values))
    assert record["low"] < percent < record["high"] and record["chance"] == 0
    [exported] = records(read(tmp_path).best())[0].values()
    [entry] = exported["evaluation_results"]
    assert entry["score_details"]["score"] / entry["metric_config"]["max_score"] == pytest.approx(percent / 100)


def test_a_chat_server_has_a_template_as_a_local_chat_model_has(tmp_path):
    """Results do not say which; against a base model they differ in the use of one, against a chat model they do not."""
    backends = {"local": {"chat_template_sha": "c0ffee"}, "server": {"config": {"model": "chat-api"}}, "base": {}}
    for model, parts in backends.items():
        write_run(tmp_path / model, {"toy_th": task([0.0, 1.0] * 20, **FACTS)}, model=model, **parts)
    differ = ["use of a chat template" in shown(tmp_path / model, tmp_path / "server") for model in ("local", "base")]
    assert differ == [False, True]


def test_models_are_compared_only_on_common_tasks(tmp_path):
    """None in common: no sentence. One of four in common, told apart: a sentence on that one, and no rank over all."""
    strong, weak = [1.0] * 40, [0.0] * 40
    for model, right, names in (("a", strong, "pqr"), ("b", weak, "rs"), ("c", weak, "s")):
        write_run(tmp_path / model, {f"toy_{name}": task(right) for name in names}, model=model)
    assert "a and c cannot be compared: they have no common task" in shown(tmp_path / "a", tmp_path / "c")
    both = (tmp_path / "a", tmp_path / "b")
    assert re.search(r"a is better than b by 133.3 points .* on 1 common task of 4,", shown(*both))
    assert not means_of(*both).ranks
    ranks = means_of(tmp_path).ranks["all", "all"]
    assert {model: places.text for model, places in ranks.items()} == {"a": "1–3", "b": "1–3", "c": "1–3"}


@pytest.mark.parametrize(
    ("other", "why"),
    [(task([1, 0]), "too few passages, or too few rows of a label"), (reported(0.5), "their rows were not logged")],
)
def test_models_that_cannot_be_compared_because_of_a_task_are_told_which(tmp_path, other, why):
    for model, right in (("a", [1.0] * 40), ("b", [0.0, 1.0] * 20)):
        write_run(tmp_path / model, {"toy_th": task(right), "toy_vi": other}, model=model)
    said = shown(tmp_path)
    assert re.search(rf"a and b cannot be compared on 2 common tasks: {why}.* \(toy_vi\)\. Means", said)


def test_rows_that_are_numbered_differently_are_the_same_by_their_names(tmp_path):
    """As after another version of the data set, which lost a row or has another order."""
    right, names = [1.0] * 20 + [0.0] * 10, [f"row {n}" for n in range(30)]
    write_run(tmp_path / "a", {"toy_th": toy(right, docs={"id": names})}, model="a")
    write_run(tmp_path / "b", {"toy_th": toy(right[::-1][:-1], docs={"id": names[::-1][:-1]})}, model="b")
    [found] = means_of(tmp_path).of_tasks.values()
    assert (found.rows, found.difference) == (29, 0)
    assert "cannot be told apart on 1 common task, on the 29 rows that both were asked" in shown(tmp_path)


def test_the_order_of_rows_and_labels_makes_no_difference(tmp_path):
    """Twelve labels of five to sixteen rows; half of them are easy for both models."""
    labels = [(f"label {n}", n) for n in range(12) for _ in range(5 + n)]
    names = [f"row {place}" for place in range(len(labels))]
    right = {"a": [1.0] * len(labels), "b": [float(n % 2 or place % 3 > 0) for place, (_, n) in enumerate(labels)]}
    for order in (1, -1):
        for model, scores in right.items():
            step = order if model == "b" else 1
            rows = [[label, score, 0.1] for (label, _), score in zip(labels, scores, strict=True)][::step]
            value = float(np.mean([np.mean([row[1] for row in rows if row[0] == label]) for label in dict(labels)]))
            planted = toy(rows, "balanced_acc", {"id": names[::step], "cluster": names[::step]}, value=value)
            write_run(tmp_path / str(order) / model, {"toy_th": planted}, model=model)
    [plain], [turned] = (means_of(tmp_path / str(order)).of_tasks.values() for order in (1, -1))
    assert (turned.difference, turned.low, turned.high) == pytest.approx((plain.difference, plain.low, plain.high))
    assert turned.p_value == pytest.approx(plain.p_value, abs=0.01)


def test_labels_that_one_model_was_not_asked_about_do_not_count(tmp_path):
    """The means over labels are of common rows; A is always right there, B is on the half of them that have one label."""
    labels = ["x", "y"] * 12
    for model, of_rows in (("a", [*labels, *["z"] * 12]), ("b", labels)):
        entries = [[label, float(model == "a" or label == "x"), 0.25] for label in of_rows]
        write_run(tmp_path / model, {"toy_th": toy(entries, "balanced_acc", value=1.0 if model == "a" else 0.5)}, model=model)
    means = means_of(tmp_path)
    [of_task], [of_mean] = means.of_tasks.values(), means.differences.values()
    assert (of_task.metric, of_task.rows, of_task.difference) == ("balanced_acc", 24, 50)
    assert (of_mean.rows, of_mean.value) == (24, pytest.approx(50 / 0.75))


def test_rows_that_are_logged_twice_what_a_server_says_and_prompts_that_were_cut_are_said(tmp_path):
    """In the table, and in the notes of a record; of prompts of one task beside it alone."""
    twice = task([1] * 10 + [0] * 10)
    config = {"refused_parameters": {"temperature": "not sent"}, "answered_by": ["gpt-1", "gpt-2"], "prompts_cut_at": 2048}
    config |= {"cut_prompts": {"toy_th": 0.125}, "cut_documents": {"toy_th": 0.5}}
    write_run(tmp_path, {"toy_th": twice | {"rows": 2 * twice["rows"]}, "toy_vi": task([1] * 10)}, config=config)
    record, other = records_of(read(tmp_path).best())
    for text in (shown(tmp_path), record["notes"]):
        assert "toy_th: 20 of 40 logged rows are duplicates, and count again" in text
        assert "requests differ from the configuration: the server refuses temperature (not sent)" in text
        assert "answered by gpt-1, gpt-2, as the server calls the model" in text
        assert "prompts seem to have been cut at 2,048 tokens" in text
        assert "12.5 % of the prompts did not fit the model's window: their beginning was cut off" in text
        assert "50.0 % of the documents were cut at their end to fit the model's window" in text
    assert "toy_th: 12.5 % of the prompts" in shown(tmp_path) and "toy_th: 50.0 % of the documents" in shown(tmp_path)
    assert "the server refuses" in other["notes"] and not re.search("did not fit|were cut", other["notes"])


@pytest.mark.parametrize("lacks", [math.nan, None, math.inf])
@pytest.mark.parametrize("metric", ["acc", "chrf++"])
def test_rows_without_a_score_are_counted(tmp_path, metric, lacks):
    """In the table, a record and the report, where the results have a number."""
    entries = [1.0, 0.0] * 10 if metric == "acc" else [["a b c", "a b c"]] * 20
    whole = toy(entries, metric, value=0.5)
    rows = [row | {metric: lacks if place in (3, 7) else row[metric]} for place, row in enumerate(whole["rows"])]
    said = f"toy_th: 2 of 20 logged rows have no {metric} that is a number; "
    for name, of_task, times in (("lacking", whole | {"rows": rows}, 1), ("whole", whole, 0)):
        write_run(tmp_path / name, {"toy_th": of_task})
        runs = read(tmp_path / name).best()
        [record] = records_of(runs)
        assert shown(tmp_path / name).count(said) == times == record["notes"].count(said)
        assert sum(note.startswith(said) for note in scores_of(runs, suite=NO_SUITE).notes) == times


@pytest.mark.parametrize(
    ("asked", "share", "names"),
    [
        ({"sea_xnli_th": 3, "sea_thaisum_th": 1, "sea_mgsm_th_chat": 0}, None, None),
        ({"sea_xnli_th": 0, "sea_thaisum_th": 0, "sea_mgsm_th_chat": 0}, None, None),
        ({"sea_xnli_th": 5, "sea_xcopa_th_to_ppl": 5, "sea_helm_th_ifeval": 0}, None, None),
        ({"sea_xnli_th": 0, "sea_xcopa_th_to_ppl": 3, "sea_helm_th_ifeval": 0}, "1 of 2", "sea_xnli_th: 0 instead of 3"),
        (
            {"sea_xnli_th": 0, "sea_xcopa_th_to_ppl": 5},
            "2 of 2",
            "sea_xnli_th: 0 instead of 3, sea_xcopa_th_to_ppl: 5 instead of 3",
        ),
    ],
    ids=["the defaults", "none", "the flag leaves a task out", "one has others", "all have others"],
)
def test_a_mean_over_unlike_numbers_of_exemplars_has_a_note(tmp_path, asked, share, names):
    """Two runs, so that no group's mean tells."""
    for place, (name, number) in enumerate(asked.items()):
        own = toy([1.0, 0.0] * 6, num_fewshot=number)
        write_run(tmp_path / str(place), {name: own}, NEW, model="org/a")
    text, page = shown(tmp_path), first_page(tmp_path)
    said = f"org/a: means mix numbers of exemplars: {share} tasks were not asked with their default ({names})"
    if share is None:
        assert "means mix" not in text + page
    else:
        assert f"note: {said}" in text and f"{said}." in page


def test_a_mean_over_tasks_with_and_without_a_chat_template_or_in_two_number_types_has_a_note(tmp_path):
    """Not where options are ranked without a template, and answers written behind it; nor where a run does not say its type."""

    def write(name, variant, template=None, kind=None):
        written = {"output_type": "generate_until"} if variant == "chat" else {}
        parts = {"chat_template_sha": template, "config": {"model_dtype": f"torch.{kind}"} if kind else {}}
        write_run(tmp_path / name, {name: toy([1.0, 0.0] * 6, variant=variant) | written}, model="org/a", **parts)

    ranked = (("toy_th", "to_ppl", None, "float16"), ("toy_lo", "litilo_ppl", None, "float16"))
    for own in (*ranked, ("toy_vi", "chat", "c0ffee"), ("toy_ms", "chat", "c0ffee", "float16")):
        write(*own)
    assert "differ in the" not in shown(tmp_path)
    write("toy_my", "tito_ppl", "c0ffee")
    said = "org/a: tasks of one type differ in the use of a chat template (toy_lo, toy_th against toy_my)"
    assert f"note: {said}" in shown(tmp_path) and f"{said}." in first_page(tmp_path)
    write("toy_id", "chat", "c0ffee", "bfloat16")
    assert "note: org/a: tasks differ in the number type (toy_id against toy_lo, toy_ms, toy_th)" in shown(tmp_path)
