"""Published numbers beside planted runs: the differences by hand, and what does not correspond."""

from __future__ import annotations

import math
import re

import pytest

from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.commands.cli import main
from lm_eval_sea.official.sailcompass_checkout import known_files
from lm_eval_sea.report.published import OFFICIAL, OWN, published_numbers, published_table
from lm_eval_sea.report.scores import scores_of
from lm_eval_sea.results.read import read

from ..results.lm_eval_output import NEW, toy, write_run
from .planted import csv_rows

MODEL = "sail/Sailor-7B"
XCOPA, OFFICIAL_XCOPA, SUMMARIES = "sea_xcopa_id_to_ppl", "sailcompass_xcopa_id_ppl", "sea_indosum_id"


def plant(folder, scores, *, model=MODEL, shots=3, total=None, **more):
    """Runs with three exemplars: task → (metric, what each row logs, value); rows are 20 clusters of their own."""
    known, tasks = read_tasks().tasks, {}
    for task, (metric, rows, value) in scores.items():
        tasks[task] = toy(rows, metric, value=value, num_fewshot=1 if task == SUMMARIES else shots)
        tasks[task]["metadata"] = dict(known[task].metadata) if task in known else {"version": 1.0}
    counts = {task: {"original": total or len(rows), "effective": len(rows)} for task, (_, rows, _) in scores.items()}
    return write_run(folder, tasks, NEW, model=model, **{"n-samples": counts, **more})


def found(folder):
    frames = scores_of(read(folder).best())
    return published_table(frames), frames.notes


def test_the_difference_and_its_size_by_hand(tmp_path):
    right = [1.0] * 15 + [0.0] * 5
    plant(tmp_path / "all", {XCOPA: ("acc_ppl", right, 0.75), OFFICIAL_XCOPA: ("exact_match_sailcompass", right, 0.75)})
    table, notes = found(tmp_path / "all")
    error = 100 * math.sqrt(0.75 * 0.25 / 20) * math.sqrt(20 / 19)
    same = table[table.published_model == MODEL]
    assert sorted(zip(same.task, same.prompts, strict=True)) == [(OFFICIAL_XCOPA, "official"), (XCOPA, "the pack's")]
    for line in same.to_dict("records"):
        assert (line["published"], line["rows"], line["exemplars"]) == (72.2, 20, 3)
        assert (line["difference"], line["errors"]) == pytest.approx((75 - 72.2, (75 - 72.2) / error))
    assert {"Qwen/Qwen1.5-7B", "mistralai/Mistral-7B-v0.1"} <= set(table[table.published_model != MODEL].published_model)
    assert not [note for note in notes if "not compared" in note]
    plant(tmp_path / "few", {XCOPA: ("acc_ppl", [1.0, 0.0, 1.0], 2 / 3)}, total=500)
    table, _ = found(tmp_path / "few")
    [line] = table[table.published_model == MODEL].to_dict("records")
    assert line["errors"] is None and line["few"] and line["limited"]
    assert line["difference"] == pytest.approx(200 / 3 - 72.2)


@pytest.mark.parametrize(
    ("change", "note"),
    [
        ({"shots": 5}, "5 exemplars, XCOPA has 3"),
        ({"chat_template": "x", "chat_template_sha": "abc"}, "made with a chat template, XCOPA is not"),
        ({"system_instruction": "x", "system_instruction_sha": "abc"}, "made with a system instruction, XCOPA is not"),
        ({"config": {"model": "hf", "model_args": {"pretrained": MODEL, "peft": "a"}}}, "made with peft=a, XCOPA is not"),
        ({"config": {"model": "hf", "model_args": {"pretrained": MODEL, "load_in_4bit": True}}}, "made with load_in_4bit=True,"),
    ],
)
def test_another_setting_does_not_correspond(tmp_path, change, note):
    plant(tmp_path, {XCOPA: ("acc_ppl", [1.0, 0.0] * 10, 0.5)}, **change)
    table, notes = found(tmp_path)
    assert table.empty and any(note in line for line in notes)


def test_a_model_is_known_by_its_name_on_the_hub_and_its_folder_alone(tmp_path):
    for place, (model, same) in enumerate({"/models/sail/Sailor-7B": True, "me/Sailor-7B": False, "Sailor-7B": False}.items()):
        plant(tmp_path / str(place), {XCOPA: ("acc_ppl", [1.0, 0.0] * 10, 0.5)}, model=model)
        table, _ = found(tmp_path / str(place))
        assert (MODEL in set(table[table.published_model == table.model_name].published_model)) == same, model


def test_runs_that_are_shown_apart_are_of_the_same_model(tmp_path):
    for number, right in enumerate((15, 12)):
        rows, config = [1.0] * right + [0.0] * (20 - right), {"model": "hf", "model_args": {"pretrained": MODEL, "dtype": number}}
        plant(tmp_path / str(number), {XCOPA: ("acc_ppl", rows, right / 20)}, config=config)
    table = published_table(scores_of(read(tmp_path).apart()))
    own = table[table.published_model == MODEL]
    assert own.model.nunique() == 2 and (own.model_name == MODEL).all()
    assert sorted(own.difference) == pytest.approx([60 - 72.2, 75 - 72.2])


def test_the_report_shows_published_numbers_if_asked(tmp_path, capsys):
    """And says where another task or metric corresponds to none."""
    plant(tmp_path / "runs", {XCOPA: ("acc_ppl", [1.0] * 15 + [0.0] * 5, 0.75)}, total=500)
    assert main(["report", str(tmp_path / "runs"), "--out", str(tmp_path / "plain")]) == 0
    assert "Published numbers" not in (tmp_path / "plain" / "report.html").read_text(encoding="utf-8")
    assert main(["report", str(tmp_path / "runs"), "--published", "--out", str(tmp_path / "out")]) == 0
    for name in ("pages/published.html", "report.md"):
        text = (tmp_path / "out" / name).read_text(encoding="utf-8")
        assert "Published numbers" in text and "+2.8" in text and "no test" in text
    [line] = csv_rows(tmp_path / "out/tables/published_same_model.csv")
    assert line["source"].endswith("sail-sg/sailor-llm") and float(line["published"]) == 72.2
    others = csv_rows(tmp_path / "out/tables/published_other_models.csv")
    assert len(others) == len([number for number in published_numbers() if number.task == XCOPA]) - 1
    said = "no task of these runs corresponds to a published number"
    assert said not in capsys.readouterr().err
    plant(tmp_path / "other", {"sea_xcopa_id_tito_ppl": ("acc_ppl", [1.0] * 20, 1.0), XCOPA: ("acc", [1.0] * 20, 1.0)})
    assert main(["report", str(tmp_path / "other"), "--published", "--out", str(tmp_path / "out")]) == 0
    assert said in capsys.readouterr().err


NUMBERS = list(published_numbers())


def test_each_number_is_there_once_and_a_percentage_of_a_model_on_the_hub():
    keys = [(each.source, each.place, each.model, each.task, each.task_metric) for each in NUMBERS]
    assert len(set(keys)) == len(keys) > 600
    assert all(0 <= each.number <= 100 and re.fullmatch(r"[\w.-]+/[\w.-]+", each.model) for each in NUMBERS)


def test_each_number_names_a_task_of_the_pack_or_one_that_the_command_makes():
    own, official = ({each.task for each in NUMBERS if each.prompts == prompts} for prompts in (OWN, OFFICIAL))
    made = {record["task"] for record in known_files()["configurations"].values()}
    made |= {re.sub(r"(_ppl)\d$", r"\1", name) for name in made}  # M3Exam's parts together
    assert own <= set(read_tasks().tasks) and official <= made


def test_an_f1_is_never_below_the_exact_match_beside_it():
    exact = {(each.model, each.column): each.number for each in NUMBERS if each.metric == "EM" and each.place.startswith("XQuAD")}
    f1 = {(each.model, each.column): each.number for each in NUMBERS if each.metric == "F1"}
    assert exact.keys() == f1.keys() and all(f1[key] >= exact[key] for key in exact)
