"""The published order of options against another: planted models that have seen the rows, and ones that have not."""

import itertools
import operator as op
import random
from collections import Counter

import pandas as pd
import pytest
from scipy import stats

from lm_eval_sea.catalogue.data_sets import data_sets
from lm_eval_sea.make import on_demand
from lm_eval_sea.report.contamination import contamination_section, contamination_table
from lm_eval_sea.report.scores import scores_of
from lm_eval_sea.report.sections import sections
from lm_eval_sea.results.read import of_results
from lm_eval_sea.results.table import table_of

from ..results.lm_eval_output import logged
from ..tasks.evaluation import evaluate, write_json_lines
from ..tasks.planted_model import PlantedModel
from .planted import scored, shown

LANGUAGES = ("th", "en")
WORDS = ["ox", "tree", "river", "orange", "lantern", "mountain", "butterfly", "strawberry"]
# neither sorted, nor with two options exchanged
UNSORTED = [
    list(words)
    for words in itertools.permutations(WORDS, 4)
    if all(sum(map(op.ne, words, sorted(words, key=key))) > 2 for key in (len, None))
]
PASSAGES, NUMBERS = 30, 6  # passages with two questions each; questions whose options are numbers
SEEN = 4.0  # nats by which a list that was seen is likelier


def asked_of(context):
    """Language and question of a prompt."""
    language = next(language for language in LANGUAGES if f"{language} text" in context)
    return language, context.rsplit("\n", 1)[1].split(": ", 1)[1]


def plant_rows(folder):
    """Rows laid out like Belebele's; returns the lists of options as they were published, by language."""
    draw, published = random.Random(7), {}
    for language in LANGUAGES:
        data, rows = data_sets()["belebele"].languages[language], []
        for number in range(2 * PASSAGES + NUMBERS):
            options = [f"{language} {word}" for word in draw.choice(UNSORTED)]
            if number >= 2 * PASSAGES:
                options = ["1", "2", "3", "none of these"]
            else:
                listed = "\n".join(f"{letter}. {option}" for letter, option in zip("ABCD", options, strict=True))
                published[language, f"Question {number}?"] = listed
            row = {f"mc_answer{place}": option for place, option in enumerate(options, start=1)}
            row |= {"link": f"passage {number // 2}", "question_number": number % 2 + 1, "correct_answer_num": number % 4 + 1}
            rows.append(row | {"flores_passage": f"{language} text {number // 2}.", "question": f"Question {number}?"})
        write_json_lines(folder / data.source / data.files["test"], rows)
    return published


def model_that_saw(published, languages):
    """Log-probabilities are noise, but for the lists of these languages as they were published."""

    def loglikelihood(context, ending):
        noise = random.Random(context + ending).gauss(-20, 2)
        asked = asked_of(context)
        return noise + SEEN * (asked[0] in languages and ending.strip() == published[asked])

    return PlantedModel(loglikelihood)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """By the languages that the model saw, the results of both languages, and the model."""
    folder = tmp_path_factory.mktemp("hub")
    published = plant_rows(folder)
    tasks = [f"sea_belebele_{language}_order" for language in LANGUAGES]
    models = {seen: model_that_saw(published, seen) for seen in ((), ("th",), ("th", "en"))}
    return published, {seen: (evaluate(folder, tasks, model), model) for seen, model in models.items()}


def test_two_wrong_options_change_places_and_nothing_else(runs):
    published, of_models = runs
    _, model = of_models[()]
    asked = {}
    for context, ending in model.requests:
        asked.setdefault(context, []).append(ending.strip("\n"))
    assert len(asked) == len(LANGUAGES) * 2 * PASSAGES, "rows of numbers are left out"
    places = Counter()
    for context, lists in asked.items():
        known, number = published[asked_of(context)], int(context.rsplit("Question ", 1)[1].rstrip("?"))
        [other] = [text for text in lists if text != known]
        own, changed = (text.split("\n") for text in (known, other))
        moved = [place for place in range(4) if own[place] != changed[place]]
        assert len(moved) == 2 and number % 4 not in moved and 3 not in moved, (known, other)
        assert sorted(line[3:] for line in own) == sorted(line[3:] for line in changed)
        places[lists.index(known)] += 1
    assert min(places.values()) > 0.3 * sum(places.values()), "the published list has no place of its own"


@pytest.mark.parametrize("seen", [(), ("th",), ("th", "en")])
def test_the_gap_is_that_of_the_log_probabilities(runs, seen):
    published, of_models = runs
    results, model = of_models[seen]
    table = contamination_table(scores_of(of_results(results))).set_index("language")
    logs = {}  # language and question → list → its log-probability
    for context, ending in model.requests:
        logs.setdefault(asked_of(context), {})[ending.strip("\n")] = model._loglikelihood(context, ending)
    rows = []
    for (language, question), of_lists in logs.items():
        known = published[language, question]
        [other] = of_lists.keys() - {known}
        moved = [line for line in known.split("\n") if line not in other.split("\n")]
        rows.append((language, int(question[9:-1]) // 2, len(moved[0]) < len(moved[1]), of_lists[known] - of_lists[other]))
    for language, own in pd.DataFrame(rows, columns=["language", "passage", "shorter", "gap"]).groupby("language"):
        groups = own.groupby("shorter")  # the shorter option first, as published
        expected = groups.gap.mean().mean()
        variance, counts = 0.0, groups.passage.nunique()
        for passage in set(own.passage):  # how much both means move without it
            left = own[own.passage != passage].groupby("shorter").gap.mean()
            variance += (((left - groups.gap.mean()) * (1 - 1 / counts) ** 0.5).sum() / 2) ** 2
        sizes = own.groupby(["shorter", "passage"]).size().groupby("shorter")
        count, error = (sizes.sum() ** 2 / sizes.agg(lambda of: (of**2).sum())).min(), variance**0.5
        row = table.loc[language]
        assert row.gap == pytest.approx(expected)
        assert row.p == pytest.approx(2 * stats.t.sf(abs(expected) / error, count - 1))
        half = stats.t.ppf(0.975, count - 1) * error
        assert (row.gap_low, row.gap_high) == pytest.approx((expected - half, expected + half))
        assert row.likelier == pytest.approx(100 * (own.gap > 0).groupby(own.shorter).mean().mean())
        assert bool(row.told) == (language in seen)
    assert (table.beside_low.th > 0) == (seen == ("th",)), "beyond the other language only if that was not seen"


def test_order_tasks_count_as_no_score(runs):
    """The lists count in no mean, table of scores or bias; the report has one section on them, and none without such runs."""
    _, of_models = runs
    found = of_results(of_models["th",][0])
    made = {section.name: section for section in sections(scores_of(found))}
    assert made.keys() == {"contamination", "provenance"}
    assert "not a test of skill" in " ".join(table_of(found).split())
    assert "sea_belebele_th_order" in on_demand.names_on_demand("sea_setting_order")


def test_every_task_has_a_line(runs):
    """Also two of one language; beside another language both count."""
    _, of_models = runs
    results, _ = of_models["th",]
    plain, parts = (contamination_table(scores_of(of_results(each))).set_index("task") for each in (results, in_parts(results)))
    assert parts.rows.to_dict() == {"sea_belebele_th_order": 30, "sea_belebele_th_order_more": 30, "sea_belebele_en_order": 60}
    [gap] = plain.gap[["sea_belebele_th_order"]]
    assert parts.gap.sea_belebele_en_order == plain.gap.sea_belebele_en_order
    assert parts.beside.sea_belebele_en_order == pytest.approx(plain.beside.sea_belebele_en_order)
    assert gap != parts.gap.sea_belebele_th_order != parts.gap.sea_belebele_th_order_more


def in_parts(results):
    """The same, with half of the Thai rows as those of another task."""
    name, other = "sea_belebele_th_order", "sea_belebele_th_order_more"
    rows = results["samples"][name]
    samples = results["samples"] | {name: rows[::2], other: rows[1::2]}
    parts = {part: results[part] | {other: results[part][name]} for part in ("results", "configs", "n-shot", "versions")}
    return results | parts | {"samples": samples, "n-samples": {}}


@pytest.mark.parametrize(("original", "mark"), [(12, ""), (900, "†")])
def test_gaps_of_a_part_of_the_rows_are_marked(tmp_path, original, mark):
    [task] = on_demand.select(["sea_belebele_th_order"])
    facts = {**task.metadata, "rows": original}
    options = [{"loglikelihood": -1.0}, {"loglikelihood": -2.0}]
    rows = logged(facts["headline_metric"], [1.0] * 12, {"gold": [0] * 12, "option_scores": [options] * 12})
    [row] = shown(contamination_section(scored(tmp_path, {"m": {task.name: {"metadata": facts, "rows": rows}}})), "contamination")
    assert row["rows"] == f"12{mark}"


def test_equal_ids_in_languages_with_rows_of_their_own_are_not_compared(tmp_path):
    """M3Exam's rows are numbered in each language, but they are other questions."""
    options = [{"loglikelihood": -1.0}, {"loglikelihood": -2.0}]
    rows = logged("acc_ppl", [1.0] * 12, {"gold": [0] * 12, "option_scores": [options] * 12})
    beside = {}
    for data_set in ("m3exam", "belebele"):
        tasks = on_demand.select([f"sea_{data_set}_{language}_order" for language in ("th", "vi")])
        runs = {task.name: {"metadata": task.metadata, "rows": rows} for task in tasks}
        [beside[data_set], _] = shown(contamination_section(scored(tmp_path / data_set, {"m": runs})), "contamination")
    assert beside["m3exam"]["beside"] == "–"
    assert beside["belebele"]["beside"] != "–"
