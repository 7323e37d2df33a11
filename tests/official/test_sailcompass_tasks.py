"""From a checkout to task files that plain lm-eval runs: the texts a model is shown, the rows, the scores, the faults."""

from __future__ import annotations

import json
import math
from pathlib import Path

import lm_eval
import pytest
import torch
from lm_eval.tasks import TaskManager
from transformers import AutoModelForCausalLM, AutoTokenizer

from lm_eval_sea import cli
from lm_eval_sea.official.sailcompass_checkout import known_files, read_checkout
from lm_eval_sea.official.sailcompass_rows import loaded_rows, read_rows
from tests.official import opencompass
from tests.official.conftest import known_of
from tests.tasks.planted_model import PlantedModel


def make(checkout: Path, out: Path, *options: str) -> int:
    return cli.main(["official", "sailcompass", str(checkout), "--out", str(out), *options])


def load(folder: Path, names: list[str], model: Path | None = None) -> dict:
    """The tasks of a folder as lm-eval loads them."""
    metadata = {"pretrained": str(model)} if model else {}
    manager = TaskManager(include_path=str(folder), include_defaults=False, metadata=metadata)
    return manager.load(names)["tasks"]


def shown_texts(task, row_number: int) -> list[str]:
    """What lm-eval shows a model for a row: the prompt with each option, or the prompt alone."""
    document = task.test_docs()[row_number]
    context = task.fewshot_context(document, 0)
    if task.OUTPUT_TYPE == "generate_until":
        return [context]
    return [context + task.config.target_delimiter + choice for choice in task.doc_to_choice(document)]


def assert_shows_the_official_texts(task, checkout: Path) -> int:
    """Compares all rows of a task with the configuration itself, executed; returns how many texts that were."""
    path = task.config.metadata["provenance"]["checkout_file"]
    data_set = opencompass.execute(checkout / path)
    record = task.config.dataset_kwargs["sailcompass_rows"]
    rows = loaded_rows(record["loader"], read_rows(record["file"]), record.get("texts", {}), record["file"])
    assert len(task.test_docs()) == len(rows) > 0
    compared = 0
    for number, row in enumerate(rows):
        official = opencompass.texts(data_set, row)
        assert shown_texts(task, number) == list(official.values())
        compared += len(official)
    if None not in official:
        assert list(official) == record["labels"]
        assert data_set["infer_cfg"]["inferencer"]["type"].__name__ == "PPLInferencer"
    else:
        assert task.config.generation_kwargs["max_gen_toks"] == data_set["infer_cfg"]["inferencer"]["max_out_len"]
    return compared


def leaves(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.yaml") if "\ngroup:" not in "\n" + path.read_text(encoding="utf-8"))


def test_every_task_shows_what_opencompass_shows(miniature, known_miniature, rows_folder, tmp_path, capsys):
    assert make(miniature, tmp_path / "tasks") == 0
    assert "--include_path" in capsys.readouterr().out
    names = leaves(tmp_path / "tasks")
    assert len(names) == len(known_miniature["configurations"]) == 16
    tasks = load(tmp_path / "tasks", names)
    for name in names:
        assert assert_shows_the_official_texts(tasks[name], miniature) >= 1


@pytest.mark.slow
def test_every_official_configuration_byte_for_byte(sailcompass_checkout, hub_mirror, tmp_path, monkeypatch):
    monkeypatch.chdir(hub_mirror)
    assert make(sailcompass_checkout, tmp_path / "tasks") == 0
    names = leaves(tmp_path / "tasks")
    assert len(names) == 38
    tasks = load(tmp_path / "tasks", names)
    for name in names:
        assert assert_shows_the_official_texts(tasks[name], sailcompass_checkout) >= 1


def perplexity(model, tokenizer, text: str) -> float:
    """Mean negative log-likelihood of a text over its tokens, the first of which has none (OpenCompass, batch of one)."""
    ids = torch.tensor([tokenizer.encode(text)])
    with torch.no_grad():
        logits = model(ids).logits[0, :-1].double()
    return torch.nn.functional.cross_entropy(logits, ids[0, 1:], reduction="sum").item() / ids.shape[1]


@pytest.mark.parametrize(
    "name",
    [
        "mini_xcopa_id_ppl",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("mini_m3exam_th_ppl4", "mini_vsmec_vi", "mini_wisesenti_th_ppl")
        ),
    ],
)
def test_the_option_of_the_lowest_perplexity_is_scored(name, miniature, known_miniature, rows_folder, tmp_path, tiny_model_bos):
    assert make(miniature, tmp_path / "tasks") == 0
    results = lm_eval.simple_evaluate(
        model="hf",
        model_args={"pretrained": str(tiny_model_bos), "device": "cpu"},
        tasks=[name],
        task_manager=TaskManager(
            include_path=str(tmp_path / "tasks"), include_defaults=False, metadata={"pretrained": str(tiny_model_bos)}
        ),
        bootstrap_iters=0,
    )
    model, tokenizer = AutoModelForCausalLM.from_pretrained(tiny_model_bos), AutoTokenizer.from_pretrained(tiny_model_bos)
    task = load(tmp_path / "tasks", [name])[name]
    data_set = opencompass.execute(miniature / task.config.metadata["provenance"]["checkout_file"])
    record = task.config.dataset_kwargs["sailcompass_rows"]
    rows = loaded_rows(record["loader"], read_rows(record["file"]), record.get("texts", {}), record["file"])
    digits = str.maketrans("๑๒๓๔๕", "12345")
    right = []
    for row in rows:
        scores = {label: perplexity(model, tokenizer, text) for label, text in opencompass.texts(data_set, row).items()}
        chosen = min(scores, key=scores.get)
        right.append(chosen.lower() == str(row[data_set["reader_cfg"]["output_column"]]).translate(digits).lower())
    assert results["results"][name]["exact_match_sailcompass,none"] == pytest.approx(sum(right) / len(right))
    assert len(right) >= 2


def test_labels_are_calibrated_by_prompts_without_a_row(miniature, known_miniature, rows_folder, tmp_path, tiny_model):
    """Shares of the labels behind the prompt, over those behind the prompt with N/A, nothing or [MASK] as the row."""
    assert make(miniature, tmp_path / "tasks") == 0
    manager = TaskManager(include_path=str(tmp_path / "tasks"), include_defaults=False, metadata={"pretrained": str(tiny_model)})
    arguments = {"pretrained": str(tiny_model), "device": "cpu"}
    results = lm_eval.simple_evaluate(
        model="hf", model_args=arguments, tasks=["mini_indolem_en"], task_manager=manager, bootstrap_iters=0
    )
    model, tokenizer = AutoModelForCausalLM.from_pretrained(tiny_model), AutoTokenizer.from_pretrained(tiny_model)
    data_set = opencompass.execute(miniature / "configs/datasets/indolem_senti/indolem_en_a1b2c3.py")

    def shares(row: dict) -> list[float]:
        # the prompt is the same for all labels, so that the texts' probabilities are in the ratio of the labels'
        texts = opencompass.texts(data_set, row).values()
        scores = torch.tensor([-perplexity(model, tokenizer, text) * len(tokenizer.encode(text)) for text in texts])
        return torch.softmax(scores, 0).tolist()

    without = [shares({"text": text, "label": ""}) for text in ("N/A", "", "[MASK]")]
    bias = [sum(of_label) / 3 for of_label in zip(*without, strict=True)]
    rows = read_rows("data/indolem_senti/test.jsonl")
    right = []
    for row in rows:
        ratios = [share / free for share, free in zip(shares(row), bias, strict=True)]
        right.append(["positive", "negative"][ratios.index(max(ratios))] == row["label"])
    found = results["results"]["mini_indolem_en"]
    assert "acc_cc_zhao,none" in found
    assert found["acc_cc,none"] == pytest.approx(sum(right) / len(rows))


def scripted_scores(folder: Path, name: str, answers: dict[str, str]) -> dict[str, float]:
    manager = TaskManager(include_path=str(folder), include_defaults=False)
    model = PlantedModel(generation=lambda prompt: next(answer for part, answer in answers.items() if part in prompt))
    results = lm_eval.simple_evaluate(model=model, tasks=[name], task_manager=manager, bootstrap_iters=0)
    return {key.removesuffix(",none"): value for key, value in results["results"][name].items() if "stderr" not in key}


def test_generated_answers_get_the_official_scores(miniature, known_miniature, rows_folder, tmp_path):
    assert make(miniature, tmp_path / "tasks") == 0
    belebele = read_rows("data/belebele/ind_Latn.jsonl")
    letters = {row["question"] + "\nA. ": f" {'ABCD'[int(row['correct_answer_num']) - 1]}" for row in belebele}
    assert scripted_scores(tmp_path / "tasks", "mini_belebele_id", letters)["exact_match_sailcompass"] == 1.0
    # the whole of an answer that begins with a line break is lost
    broken = {part: "\n" + answer for part, answer in letters.items()}
    assert scripted_scores(tmp_path / "tasks", "mini_belebele_id", broken)["exact_match_sailcompass"] == 0.0
    questions = read_rows("data/tydiqa_id/validation.jsonl")
    last = {f"Tanya: {row['question']}\nJawaban:": f" {row['answer'][-1].upper()}." for row in questions}
    found = scripted_scores(tmp_path / "tasks", "mini_tydiqa_id", last)
    assert (found["exact_match_sailcompass"], found["f1_sailcompass"]) == (1.0, 1.0)
    # punctuation at the end is taken off answers only, so that not even the reference itself gets 100
    sentences = read_rows("data/flores200/ind_Latn_devtest.jsonl")
    assert any(row["source"].endswith(".") for row in sentences)
    own = {row["target"]: " " + row["source"] for row in sentences}
    found = scripted_scores(tmp_path / "tasks", "mini_flores_id_en", own)
    assert 80 < found["bleu_sailcompass"] < 100 and 90 < found["chrf_sailcompass"] < 100


def test_the_fifth_option_is_shown_where_letters_are_generated_only(miniature, known_miniature, rows_folder, tmp_path):
    assert make(miniature, tmp_path / "tasks") == 0
    tasks = load(tmp_path / "tasks", ["mini_belebele_id", "mini_belebele_id_ppl"])
    (generated,) = shown_texts(tasks["mini_belebele_id"], 0)
    assert generated.endswith("\nE. Belum bisa dijawab.\nJawaban:")
    assert len(shown_texts(tasks["mini_belebele_id_ppl"], 0)) == 4
    assert "Belum bisa dijawab" not in "".join(shown_texts(tasks["mini_belebele_id_ppl"], 0))


def test_the_parts_of_m3exam_are_averaged_by_rows(miniature, known_miniature, rows_folder, tmp_path, tiny_model):
    assert make(miniature, tmp_path / "tasks") == 0
    manager = TaskManager(include_path=str(tmp_path / "tasks"), include_defaults=False, metadata={"pretrained": str(tiny_model)})
    arguments = {"pretrained": str(tiny_model), "device": "cpu"}
    results = lm_eval.simple_evaluate(
        model="hf", model_args=arguments, tasks=["mini_m3exam_th_ppl"], task_manager=manager, bootstrap_iters=0
    )
    parts = [f"mini_m3exam_th_ppl{options}" for options in (2, 4)]
    tasks = load(tmp_path / "tasks", parts)
    rows = [len(tasks[part].test_docs()) for part in parts]
    # lm-eval 0.5 puts the group's name before that of the task
    by_task = {name.split("::")[-1]: found["exact_match_sailcompass,none"] for name, found in results["results"].items()}
    scores = [by_task[part] for part in parts]
    mean = math.fsum(count * score for count, score in zip(rows, scores, strict=True)) / sum(rows)
    assert len(set(rows)) == 2, "equal parts would not tell the two means apart"
    assert results["groups"]["mini_m3exam_th_ppl"]["exact_match_sailcompass,none"] == pytest.approx(mean)


def test_a_model_without_a_known_tokenizer_gets_no_number(miniature, known_miniature, rows_folder, tmp_path):
    assert make(miniature, tmp_path / "tasks") == 0
    manager = TaskManager(include_path=str(tmp_path / "tasks"), include_defaults=False)
    with pytest.raises(ValueError, match="needs the model's tokenizer"):
        lm_eval.simple_evaluate(model=PlantedModel(), tasks=["mini_xcopa_id_ppl"], task_manager=manager, bootstrap_iters=0)


def test_rows_that_changed_since_are_refused(miniature, known_miniature, rows_folder, tmp_path):
    assert make(miniature, tmp_path / "tasks") == 0
    path = rows_folder / "sail" / "Sailcompass_data" / "data" / "xcopa" / "id_test.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    rows[0]["premise"] += "!"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with pytest.raises(ValueError, match=r"xcopa/id_test\.jsonl.*not those that the task was written for"):
        load(tmp_path / "tasks", ["mini_xcopa_id_ppl"])["mini_xcopa_id_ppl"].test_docs()


def test_rows_that_share_a_passage_are_known_as_such(miniature, known_miniature, rows_folder, tmp_path):
    assert make(miniature, tmp_path / "tasks") == 0
    tasks = load(tmp_path / "tasks", ["mini_xquad_th", "mini_vsmec_vi"])
    contexts = [row["context"] for row in read_rows("data/xquad/xquad_th.json")]
    clusters = [row["cluster"] for row in tasks["mini_xquad_th"].test_docs()]
    assert 1 < len(set(contexts)) < len(contexts)
    for first in range(len(contexts)):
        assert [cluster == clusters[first] for cluster in clusters] == [context == contexts[first] for context in contexts]
    assert "cluster" not in tasks["mini_vsmec_vi"].test_docs()[0]


def test_provenance_says_where_a_task_comes_from(miniature, known_miniature, rows_folder, tmp_path):
    assert make(miniature, tmp_path / "tasks") == 0
    tasks = load(tmp_path / "tasks", ["mini_xquad_th", "mini_indosum_id"])
    assert all(len(task.test_docs()) for task in tasks.values()), "provenance is complete when the rows are loaded"
    provenance = tasks["mini_xquad_th"].config.metadata["provenance"]
    path = "configs/datasets/xquad/xquad_th_a1b2c3.py"
    assert provenance["checkout_file"] == path
    assert provenance["checkout_file_sha256"] == known_of(miniature)["configurations"][path]["sha256"]
    assert provenance["checkout_commit"] == "none: no git checkout"
    assert "changed_since" not in provenance
    assert provenance["data_revision"] == "local folder"
    assert provenance["data_sha256"] == tasks["mini_xquad_th"].config.dataset_kwargs["sailcompass_rows"]["sha256"]
    text_scores = set(tasks["mini_indosum_id"].aggregation())
    assert set(tasks["mini_indosum_id"].config.metadata["provenance"]["signatures"]) == text_scores


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: (folder / "configs/datasets/xcopa/xcopa_id_ppl_a1b2c3.py").unlink(), "xcopa_id_ppl_a1b2c3.py: missing"),
        (
            lambda folder: replace(
                folder / "configs/datasets/xnli/xnli_vi_ppl_a1b2c3.py", "type=ZeroRetriever", "type=FixKRetriever"
            ),
            "xnli_vi_ppl_a1b2c3.py:47: not understood: the name FixKRetriever",
        ),
        (
            lambda folder: replace(folder / "datasets/xcopa_sea.py", "question", "questions"),
            "datasets/xcopa_sea.py: differs from the known commit, so its rows and scores are not known",
        ),
        (
            lambda folder: (folder / "configs/datasets/xquad/xquad_new_a1.py").write_text("x = 1\n"),
            "xquad_new_a1.py: not known, so no task is made of it",
        ),
        (
            lambda folder: (folder.parent / "rows/sail/Sailcompass_data/data/vsmec/test.json").unlink(),
            "mini_vsmec_vi: the folder sail/Sailcompass_data has no data/vsmec/test.json",
        ),
    ],
)
def test_what_is_missing_or_differs_is_said_and_left_out(
    damage, message, miniature, known_miniature, rows_folder, tmp_path, capsys
):
    damage(miniature)
    assert make(miniature, tmp_path / "tasks") == 1
    lines = capsys.readouterr().err.splitlines()
    assert any(message in line for line in lines)
    assert lines[-1].startswith("lm-eval-sea: nothing was written")
    assert not (tmp_path / "tasks").exists()
    assert make(miniature, tmp_path / "tasks", "--partial") == 0
    assert len(leaves(tmp_path / "tasks")) == 16 if "xquad_new" in message else 15


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_a_changed_prompt_is_read_and_marked(miniature, known_miniature, rows_folder, tmp_path, capsys):
    replace(miniature / "configs/datasets/xcopa/xcopa_id_ppl_a1b2c3.py", "Lampu padam.", "Lampu menyala.")
    assert make(miniature, tmp_path / "tasks") == 1
    assert "xcopa_id_ppl_a1b2c3.py: differs from the known commit; restore it: git -C" in capsys.readouterr().err
    assert make(miniature, tmp_path / "tasks", "--partial") == 0
    tasks = load(tmp_path / "tasks", ["mini_xcopa_id_ppl", "mini_vsmec_vi"])
    assert tasks["mini_xcopa_id_ppl"].config.metadata["provenance"]["changed_since"] == known_miniature["commit"]
    assert all("Lampu menyala." in text for text in shown_texts(tasks["mini_xcopa_id_ppl"], 0))


@pytest.mark.parametrize("files", [[], ["configs/datasets/mmlu/mmlu_ppl_ac766d.py", "README.md"]])
def test_another_repository_is_named_as_such(files, tmp_path, rows_folder, capsys):
    """OpenCompass itself, too, has a folder of that name."""
    for file in files:
        (tmp_path / "other" / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "other" / file).write_text("x = 1\n")
    assert make(tmp_path / "other", tmp_path / "tasks", "--partial") == 2
    error = capsys.readouterr().err
    assert "is no checkout of sail-sg/sailcompass" in error and error.count("\n") == 1
    assert not (tmp_path / "tasks").exists()


def test_a_folder_with_other_files_is_not_written_to(miniature, known_miniature, rows_folder, tmp_path, capsys):
    out = tmp_path / "tasks"
    assert make(miniature, out) == 0
    assert make(miniature, out) == 0, "what was written before may be written anew"
    (out / "mine.yaml").write_text("task: mine\n")
    assert make(miniature, out) == 2
    assert "mine.yaml" in capsys.readouterr().err
    assert (out / "mine.yaml").read_text() == "task: mine\n"


def test_the_bundled_checkout_is_not_taken_for_the_official_one(miniature, rows_folder, tmp_path, capsys):
    assert make(miniature, tmp_path / "tasks", "--partial") == 2
    assert "is no checkout of sail-sg/sailcompass" in capsys.readouterr().err


def test_what_a_checkout_lacks_is_named_file_by_file(miniature, rows_folder, tmp_path, capsys):
    """One known file, of other contents, beside code of other contents: a line each, and nothing can be made."""
    known = next(path for path in known_files()["configurations"] if "belebele_id_ppl" in path)
    (miniature / "configs/datasets/belebele/belebele_id_ppl_a1b2c3.py").rename(miniature / known)
    assert make(miniature, tmp_path / "tasks", "--partial") == 1
    error = capsys.readouterr().err
    assert f"{known}: differs from the known commit" in error
    assert "configs/datasets/belebele/belebele_th_23f2d2.py: missing" in error
    assert "datasets/belebele.py: differs from the known commit" in error
    assert "nothing was written" in error and not (tmp_path / "tasks").exists()


def test_a_text_in_braces_that_opencompass_would_fill_is_refused(miniature, known_miniature, rows_folder, tmp_path, capsys):
    path = rows_folder / "sail" / "Sailcompass_data" / "data" / "xnli" / "vi_xnli_test.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    rows[1]["sentence1"] = "{sentence2} và {label} và {khác}"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert make(miniature, tmp_path / "tasks") == 1
    assert "row 1 of sail/Sailcompass_data/data/xnli/vi_xnli_test.jsonl has a text in braces" in capsys.readouterr().err


def test_the_commit_of_a_git_checkout(sailcompass_checkout):
    checkout = read_checkout(sailcompass_checkout, known_files())
    assert (checkout.faults, len(checkout.tasks)) == ([], 38)
    assert checkout.commit == checkout.known_commit or not (sailcompass_checkout / ".git").exists()
