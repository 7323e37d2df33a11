"""SailCompass' own scores beside the pack's: in whole runs with planted answers, against a restatement and by hand."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
import sacrebleu

from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.make.on_demand import select

from .evaluation import evaluate
from .planted_model import PlantedModel

DATA = "sail/Sailcompass_data/data"


def scores(results: dict, task: str) -> dict[str, float]:
    return {key.removesuffix(",none"): value for key, value in results["results"][task].items() if "_stderr" not in key}


def by_question(documents: dict[str, str]) -> PlantedModel:
    """A model that answers by the longest part of the last question that it recognises."""

    def generate(prompt: str) -> str:
        question = prompt.rsplit("\n\n", 1)[1]
        return documents[max((part for part in documents if part in question), key=len)]

    return PlantedModel(generation=generate)


def published(folder, file: str) -> list[dict]:
    return [json.loads(line) for line in (folder / DATA / file).read_text(encoding="utf-8").splitlines()]


def restated_texts(answers: list[str], references: list[str]) -> dict[str, float]:
    """First line, lower case, no mark at the end of an answer; every mark at the end of a reference."""
    lines = [re.sub(r"[^\w\s]+\s*$", "", answer.split("\n")[0].strip().lower()) for answer in answers]
    wanted = [reference.lower() for reference in references]
    return {
        "bleu_sailcompass": sacrebleu.corpus_bleu(lines, [wanted]).score,
        "chrf_sailcompass": sacrebleu.corpus_chrf(lines, [wanted], word_order=2).score,
    }


def assert_texts(folder, task: str, rows: list[dict], source: str, target: str, ending: str = "") -> dict[str, float]:
    answers = [f" {row[target].strip()[7:]}{ending}" for row in rows]
    found = scores(evaluate(folder, task, by_question({r[source].strip(): a for r, a in zip(rows, answers, strict=True)})), task)
    expected = restated_texts(answers, [row[target] for row in rows])
    assert {name: found[name] for name in expected} == pytest.approx(expected, abs=1e-9)
    return found


@pytest.mark.parametrize("ending", ["", "!!", "\nand more"])
def test_translations(samples, ending):
    rows = published(samples, "flores200/ind_Latn_devtest.jsonl")
    found = assert_texts(samples, "sea_flores_en_id", rows, "source", "target", ending)
    assert 0 < found["bleu_sailcompass"] < 100


def test_summaries(samples):
    rows = published(samples, "indosum/trunc_test_1000.jsonl")
    assert_texts(samples, "sea_indosum_id", rows, "input", "target")


@pytest.mark.slow
def test_translations_of_real_rows(hub_mirror):
    """The blanks that the pack takes off references make no difference."""
    task, rows = "sea_flores_en_id", published(hub_mirror, "flores200/ind_Latn_devtest.jsonl")
    assert any(row["target"] != row["target"].strip() for row in rows)
    answers = {row["source"].strip(): " " + row["target"][:90].rstrip(' .,!?"”’)') for row in rows}
    found = scores(evaluate(hub_mirror, task, by_question(answers)), task)
    expected = restated_texts(list(answers.values()), [row["target"] for row in rows])
    assert {name: found[name] for name in expected} == pytest.approx(expected, abs=1e-9)


def test_an_answer_behind_a_line_break_is_lost_there_alone(samples):
    questions = published(samples, "tydiqa_id/validation.jsonl")
    answers = {row["question"]: f"\n{row['answer'][0]}" for row in questions}
    found = scores(evaluate(samples, "sea_tydiqa_id", by_question(answers)), "sea_tydiqa_id")
    assert (found["exact_match"], found["exact_match_sailcompass"], found["f1_sailcompass"]) == (1, 0, 0)


def test_any_reference_of_tydiqa_counts(samples):
    questions = published(samples, "tydiqa_id/validation.jsonl")
    assert any(len(row["answer"]) > 1 for row in questions)
    answers = {row["question"]: f" {row['answer'][-1].upper()}." for row in questions}
    found = scores(evaluate(samples, "sea_tydiqa_id", by_question(answers)), "sea_tydiqa_id")
    assert (found["exact_match_sailcompass"], found["f1_sailcompass"]) == (1, 1)


def test_marks_around_an_answer_count_officially(samples):
    """Quotation marks before an answer make it another text and another word; ours takes them off."""
    rows = published(samples, "xquad/xquad_vi.json")
    answers = {row["question"]: f" “{row['answer']}”" for row in rows}
    found = scores(evaluate(samples, "sea_xquad_vi", by_question(answers)), "sea_xquad_vi")
    expected = []
    for row in rows:
        count = len(row["answer"].split())
        expected.append((count - 1) / count)  # all words but the first
    assert (found["exact_match"], found["exact_match_sailcompass"]) == (1, 0)
    assert found["f1_sailcompass"] == pytest.approx(np.mean(expected))


def test_a_capital_in_a_sentence_is_a_letter_officially(samples):
    task = "sea_belebele_id_litilo_gen"
    results = evaluate(samples, task, PlantedModel(generation=lambda prompt: " saya tidak tahu, Dia juga tidak"))
    found = scores(results, task)
    golds = [sample["doc"]["gold"] for sample in results["samples"][task]]
    assert found["null_rate"] == 1 and found["exact_match"] == 0
    assert found["exact_match_sailcompass"] == golds.count(3) / len(golds) > 0


@pytest.mark.parametrize(
    ("task", "answer", "position"),
    [
        ("sea_m3exam_th_litilo_gen", " ๒", 1),
        ("sea_m3exam_jv_litilo_gen", " B. x", 1),
        ("sea_m3exam_vi_litilo_gen_enprompt", "A", 0),
    ],
)
def test_letters_of_exams(samples, task, answer, position):
    results = evaluate(samples, task, PlantedModel(generation=lambda prompt: answer))
    golds = [sample["doc"]["gold"] for sample in results["samples"][task]]
    assert scores(results, task)["exact_match_sailcompass"] == golds.count(position) / len(golds) > 0


def test_what_sailcompass_does_not_score_has_no_score_of_it(samples):
    task = "sea_xcopa_id_litilo_gen"
    results = evaluate(samples, task, PlantedModel(generation=lambda prompt: "A"))
    assert not [name for name in scores(results, task) if "sailcompass" in name]


def test_official_scores_stand_in_the_tasks_of_sailcompass_alone():
    """Not in other languages of Belebele, and not in its further settings, such as chat."""
    letters = [f"belebele_{language}_litilo_gen" for language in ("id", "th", "vi")]
    letters += [f"m3exam_{language}_litilo_gen" for language in ("jv", "th", "vi")]
    questions = ["xquad_th", "xquad_vi", "tydiqa_id"]
    expected = {f"sea_{name}{ending}" for name in [*letters, *questions] for ending in ("", "_enprompt")}
    reworded = {f"sea_{name}{ending}_{number}" for name in questions for ending in ("", "_enprompt") for number in ("p2", "p3")}
    scored = {name: task.metadata for name, task in read_tasks().tasks.items() if "sailcompass_evaluator" in task.metadata}
    assert {name for name, metadata in scored.items() if "subset" not in metadata} == expected
    assert {name.removesuffix("_lite") for name in scored} == expected
    assert {task.name for task in select(["*_p2", "*_p3"]) if "sailcompass_evaluator" in task.metadata} == reworded


def test_the_calibration_of_zhao_et_al_in_a_run(samples):
    """From the logged log-likelihoods: probabilities averaged over the three inputs, normalised, and divided by."""
    task = "sea_wisesight_th"
    contexts: dict[str, int] = {}

    def planted(context: str, ending: str) -> float:
        # the inputs differ in how likely all labels are, so that the order of averaging matters
        number = contexts.setdefault(context, len(contexts))
        return -1.0 - (number * 7) % 5 - ((number + 1) * len(ending)) % 4

    model = PlantedModel(planted)
    results = evaluate(samples, task, model)
    differs, right = 0, []
    for sample in results["samples"][task]:
        options, chosen = sample["doc"]["option_scores"], sample["doc"]["predictions"]
        q = np.exp([option["content_free"] for option in options]).mean(axis=1)
        ratios = np.exp([option["loglikelihood"] for option in options]) / (q / q.sum())
        assert ratios[chosen["acc_cc_zhao"]] == pytest.approx(ratios.max())
        right.append(chosen["acc_cc_zhao"] == sample["doc"]["gold"])
        differs += chosen["acc_cc_zhao"] != chosen["acc_cc"]
    assert scores(results, task)["acc_cc_zhao"] == np.mean(right)
    assert differs, "the planted numbers do not show the difference"
    labels = len(options)
    assert len(model.requests) == labels * len(right) + labels * (3 + 1), "three inputs and the cue, as for acc_cc and acc_pmi"
