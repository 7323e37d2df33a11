"""SailCompass' own scores beside the pack's: in whole runs with planted answers, against a restatement and by hand."""

import re

import numpy as np
import pytest
import sacrebleu

from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.make.on_demand import select

from ..robustness.conftest import edit
from .evaluation import evaluate, read_json_lines, scores
from .planted_model import PlantedModel, RowModel, right_of

DATA = "sail/Sailcompass_data/data"


def published(folder, file: str) -> list[dict]:
    return read_json_lines(folder / DATA / file)


@pytest.mark.parametrize(
    ("task", "file", "ending"),
    [
        *(("sea_flores_en_id", "flores200/ind_Latn_devtest.jsonl", ending) for ending in ("", "!!", "\nand more")),
        ("sea_indosum_id", "indosum/trunc_test_1000.jsonl", ""),
    ],
)
def test_scores_of_texts_are_those_of_sacrebleu(mirror, task, file, ending):
    """First line, lower case; SailCompass also takes off marks at the end of an answer, but none at the end of a reference.

    The blanks that the pack takes off references make no difference.
    """
    edit(mirror / DATA / file, lambda rows: [row.update({"target": f" {row['target']} \n"}) for row in rows])
    targets = [row["target"] for row in published(mirror, file)]
    found = scores(evaluate(mirror, task, RowModel(lambda row: f" {right_of(row)[7:]}{ending}")), task)
    lines = [f"{target.strip()[7:]}{ending}".split("\n")[0].strip().lower() for target in targets]
    wanted = [[target.lower() for target in targets]]
    without_marks = [re.sub(r"[^\w\s]+\s*$", "", line) for line in lines]
    for written, bleu, chrf in ((lines, "bleu", "chrf++"), (without_marks, "bleu_sailcompass", "chrf_sailcompass")):
        assert found[bleu] == pytest.approx(sacrebleu.corpus_bleu(written, wanted).score, abs=1e-9)
        assert found[chrf] == pytest.approx(sacrebleu.corpus_chrf(written, wanted, word_order=2).score, abs=1e-9)
    assert 0 < found["bleu_sailcompass"] < 100


# What is written for the last reference of a row → exact match, that of SailCompass, and its F1.
@pytest.mark.parametrize(
    ("task", "file", "write", "expected"),
    [
        ("sea_tydiqa_id", "tydiqa_id/validation.jsonl", lambda text: f"\n{text}", (1, 0, 0)),  # lost behind a line break
        ("sea_tydiqa_id", "tydiqa_id/validation.jsonl", lambda text: f" {text.upper()}.", (1, 1, 1)),
        ("sea_xquad_vi", "xquad/xquad_vi.json", lambda text: f" “{text}”", (1, 0, None)),  # marks before it make another word
    ],
)
def test_short_answers_are_scored_as_sailcompass_does(samples, task, file, write, expected):
    rows = published(samples, file)
    references = {row["question"]: row["answer"][-1] if isinstance(row["answer"], list) else row["answer"] for row in rows}
    found = scores(evaluate(samples, task, RowModel(lambda row: write(references[row["question"]]))), task)
    *exact, f1 = expected
    assert [found["exact_match"], found["exact_match_sailcompass"]] == exact
    counts = [len(reference.split()) for reference in references.values()]
    of_other_words = np.mean([(count - 1) / count for count in counts])  # all but the first
    assert found["f1_sailcompass"] == pytest.approx(of_other_words if f1 is None else f1)


@pytest.mark.parametrize(
    ("task", "answer", "position", "is_ours"),
    [
        ("sea_m3exam_th_litilo_gen", " ๒", 1, True),
        ("sea_m3exam_jv_litilo_gen", " B. x", 1, False),  # no option has the text x
        ("sea_m3exam_vi_litilo_gen_enprompt", "A", 0, True),
        ("sea_belebele_id_litilo_gen", " saya tidak tahu, Dia juga tidak", 3, False),  # a capital in a sentence
    ],
)
def test_letters_are_read_as_sailcompass_does(samples, task, answer, position, is_ours):
    results = evaluate(samples, task, PlantedModel(generation=lambda prompt: answer))
    golds = [sample["doc"]["gold"] for sample in results["samples"][task]]
    found, right = scores(results, task), golds.count(position) / len(golds)
    assert found["exact_match_sailcompass"] == right > 0
    assert (found["exact_match"], found["null_rate"]) == ((right, 0) if is_ours else (0, 1))


def test_official_scores_stand_in_the_tasks_of_sailcompass_alone(samples):
    """Not in other languages of Belebele, and not in its further settings, such as chat."""
    task = "sea_xcopa_id_litilo_gen"
    results = evaluate(samples, task, PlantedModel(generation=lambda prompt: "A"))
    assert not [name for name in scores(results, task) if "sailcompass" in name]
    letters = [f"belebele_{language}_litilo_gen" for language in ("id", "th", "vi")]
    letters += [f"m3exam_{language}_litilo_gen" for language in ("jv", "th", "vi")]
    questions = ["xquad_th", "xquad_vi", "tydiqa_id"]
    expected = {f"sea_{name}{ending}" for name in [*letters, *questions] for ending in ("", "_enprompt")}
    reworded = {f"sea_{name}{ending}_{number}" for name in questions for ending in ("", "_enprompt") for number in ("p2", "p3")}
    scored = {name: task.metadata for name, task in read_tasks().tasks.items() if "sailcompass_evaluator" in task.metadata}
    assert {name for name, metadata in scored.items() if "subset" not in metadata} == expected
    assert {name.removesuffix("_lite") for name in scored} == expected
    assert {task.name for task in select(["*_p2", "*_p3"]) if "sailcompass_evaluator" in task.metadata} == reworded
