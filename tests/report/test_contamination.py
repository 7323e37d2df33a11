"""The published order of options against another: planted models that have seen the rows, and ones that have not."""

import random
from collections import Counter

import pytest
from scipy import stats

from lm_eval_sea.catalogue.data_sets import data_sets
from lm_eval_sea.make import on_demand
from lm_eval_sea.report.contamination import contamination_table
from lm_eval_sea.report.scores import scores_of
from lm_eval_sea.report.sections import sections
from lm_eval_sea.results.read import of_results
from lm_eval_sea.results.table import table_of

from ..tasks.evaluation import evaluate, write_json_lines
from ..tasks.planted_model import PlantedModel

LANGUAGES = ("th", "en")
WORDS = ["river", "stone", "cloud", "horse", "paper", "tiger", "lemon", "metal"]
PASSAGES, NUMBERS = 30, 6  # passages with two questions each; questions whose options are numbers
SEEN = 4.0  # nats by which a list that was seen is likelier


def plant_rows(folder):
    """Rows laid out like Belebele's; returns the lists of options as they were published, by language."""
    draw, published = random.Random(7), {}
    for language in LANGUAGES:
        data = data_sets()["belebele"].languages[language]
        rows = []
        for number in range(2 * PASSAGES + NUMBERS):
            options = [f"{language} {word}" for word in draw.sample(WORDS, 4)]
            if number >= 2 * PASSAGES:
                options = ["1", "2", "3", "none of these"]
            texts = {f"mc_answer{place}": option for place, option in enumerate(options, start=1)}
            about = {"link": f"passage {number // 2}", "question_number": number % 2 + 1, "correct_answer_num": number % 4 + 1}
            rows.append(
                {**about, **texts, "flores_passage": f"{language} text {number // 2}.", "question": f"Question {number}?"}
            )
            if number < 2 * PASSAGES:
                listed = "\n".join(f"{letter}. {option}" for letter, option in zip("ABCD", options, strict=True))
                published[language, f"Question {number}?"] = listed
        write_json_lines(folder / data.source / data.files["test"], rows)
    return published


def model_that_saw(published, languages):
    """Log-probabilities are noise, but for the lists of these languages as they were published."""

    def loglikelihood(context, ending):
        noise = random.Random(context + ending).gauss(-20, 2)
        question = context.rsplit("\n", 1)[1].split(": ", 1)[1]
        language = next(language for language in LANGUAGES if f"{language} text" in context)
        return noise + SEEN * (language in languages and ending.strip() == published[language, question])

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
        asked.setdefault(context, []).append(ending)
    assert len(asked) == len(LANGUAGES) * 2 * PASSAGES, "rows of numbers are left out"
    places = Counter()
    for context, lists in asked.items():
        language = context.split(" text")[0].split()[-1]
        number = int(context.rsplit("Question ", 1)[1].rstrip("?"))
        known = published[language, f"Question {number}?"]
        [other] = [text.strip("\n") for text in lists if text.strip("\n") != known]
        own, changed = (text.split("\n") for text in (known, other))
        moved = [place for place in range(4) if own[place] != changed[place]]
        assert len(moved) == 2 and number % 4 not in moved and 3 not in moved, (known, other)
        assert sorted(line[3:] for line in own) == sorted(line[3:] for line in changed)
        places[[text.strip("\n") for text in lists].index(known)] += 1
    assert min(places.values()) > 0.3 * sum(places.values()), "the published list has no place of its own"


@pytest.mark.parametrize("seen", [(), ("th",), ("th", "en")])
def test_the_gap_is_that_of_the_log_probabilities(runs, seen):
    published, of_models = runs
    results, model = of_models[seen]
    table = contamination_table(scores_of(of_results(results))).set_index("language")
    gaps = {}
    for context, ending in model.requests:
        language = context.split(" text")[0].split()[-1]
        question = context.rsplit("\n", 1)[1].split(": ", 1)[1]
        sign = 1 if ending.strip("\n") == published[language, question] else -1
        gaps.setdefault((language, question), []).append(sign * model._loglikelihood(context, ending))
    for language in LANGUAGES:
        own = {question: sum(pair) for (of, question), pair in gaps.items() if of == language}
        by_passage = [sum(own[f"Question {2 * number + place}?"] for place in (0, 1)) / 2 for number in range(PASSAGES)]
        expected = stats.ttest_1samp(by_passage, 0)
        row = table.loc[language]
        assert row.gap == pytest.approx(expected.statistic and sum(by_passage) / PASSAGES)
        assert row.p == pytest.approx(expected.pvalue)
        assert (row.gap_low, row.gap_high) == pytest.approx(tuple(expected.confidence_interval()))
        assert row.likelier == pytest.approx(100 * sum(gap > 0 for gap in own.values()) / len(own))
        assert bool(row.told) == (language in seen)
    assert (table.beside_low.th > 0) == (seen == ("th",)), "beyond the other language only if that was not seen"


def test_it_is_no_score(runs):
    """The lists count in no mean, table of scores or bias; the report has one section on them, and none without such runs."""
    _, of_models = runs
    found = of_results(of_models["th",][0])
    made = {section.name: section for section in sections(scores_of(found))}
    assert made.keys() == {"contamination", "provenance"}
    assert "no test of skill" in " ".join(table_of(found).split())
    assert "sea_belebele_th_order" in on_demand.names_on_demand(["sea_setting_order"])
