"""The published numbers name tasks and metrics that there are, each once."""

from __future__ import annotations

import re

import pytest

from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.official.sailcompass_checkout import known_files
from lm_eval_sea.report.published import published_numbers

NUMBERS = published_numbers()


def test_each_number_is_there_once():
    keys = [(each.source, each.place, each.model, each.own) for each in NUMBERS]
    assert len(set(keys)) == len(keys) > 300


def test_numbers_are_percentages_of_models_on_the_hub():
    assert all(0 <= each.number <= 100 and re.fullmatch(r"[\w.-]+/[\w.-]+", each.model) for each in NUMBERS)


@pytest.mark.parametrize(
    ("metric", "own"),
    [("EM", {"acc_ppl", "exact_match_sailcompass"}), ("F1", {"f1_sailcompass"}), ("BLEU", {"bleu_sailcompass"})],
)
def test_a_metric_is_laid_beside_its_own_kind(metric, own):
    found = [each for each in NUMBERS if each.metric == metric]
    assert found and {each.own.metric for each in found} <= own


def test_the_tasks_of_the_pack_are_there():
    tasks = set(read_tasks().tasks)
    assert {each.own.task for each in NUMBERS} <= tasks


def test_the_official_tasks_are_written_by_the_command():
    made = {record["task"] for record in known_files()["configurations"].values()}
    made |= {re.sub(r"(_ppl)\d$", r"\1", name) for name in made}  # M3Exam's parts together
    assert {each.official.task for each in NUMBERS if each.official} <= made


def test_an_f1_is_never_below_the_exact_match_beside_it():
    exact = {(each.model, each.column): each.number for each in NUMBERS if each.metric == "EM" and each.place.startswith("XQuAD")}
    f1 = {(each.model, each.column): each.number for each in NUMBERS if each.metric == "F1"}
    assert exact.keys() == f1.keys() and all(f1[key] >= exact[key] for key in exact)
