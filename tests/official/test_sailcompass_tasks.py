"""From a checkout to task files that plain lm-eval runs: the texts a model is shown, the rows, the scores, the faults."""

import math
from pathlib import Path

import jinja2
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from lm_eval.models.huggingface import HFLM
from transformers import AutoModelForCausalLM, AutoTokenizer

from lm_eval_sea.official.sailcompass_configuration import as_jinja, fill
from tests.official import official_code
from tests.official.conftest import evaluate_official, load, make, replace
from tests.tasks.evaluation import read_json_lines, write_json_lines
from tests.tasks.planted_model import PlantedModel


@pytest.fixture
def made(miniature, known_miniature, rows_folder, tmp_path, monkeypatch) -> Path:
    """The tasks of the miniature; they are used from another folder than that of the rows."""
    assert make(miniature, tmp_path / "tasks") == 0
    monkeypatch.chdir(tmp_path)
    return tmp_path / "tasks"


def shown_texts(task, row_number: int) -> list[str]:
    """What lm-eval shows a model for a row: the prompt with each option, or the prompt alone."""
    document = task.test_docs()[row_number]
    context = task.fewshot_context(document, 0)
    if task.OUTPUT_TYPE == "generate_until":
        return [context]
    return [context + task.config.target_delimiter + choice for choice in task.doc_to_choice(document)]


def official_texts(task, checkout: Path, folder: Path) -> tuple[dict, list[tuple[dict, dict]]]:
    """The configuration of a task, and each row with its texts as OpenCompass makes them.

    Configuration and loader are run here; rows are those below the current folder's `sail/Sailcompass_data`.
    """
    configuration = official_code.load(checkout / task.config.metadata["provenance"]["checkout_file"])
    ((data_set,),) = [value for name, value in vars(configuration).items() if name.endswith("_datasets")]
    loader = data_set["type"].__name__
    (source,) = [path for path in (checkout / "datasets").glob("*.py") if f"class {loader}(" in path.read_text(encoding="utf-8")]
    rows = getattr(official_code.load(source), loader).load(f"{folder}/{data_set['path']}")
    return data_set, [(row, official_code.texts(data_set, row)) for row in rows]


def assert_shows_the_official_texts(task, checkout: Path, folder: Path, *, every: int = 1) -> None:
    """Compares rows of a task with what the checkout's own code makes of them: one of so many, and all that hold braces."""
    data_set, official = official_texts(task, checkout, folder)
    assert len(task.test_docs()) == len(official) > 0
    for number, (row, texts) in enumerate(official):
        if number % every == 0 or not {"{", "}"}.isdisjoint(str(list(row.values()))):
            assert shown_texts(task, number) == list(texts.values())
    if None not in texts:
        assert list(texts) == task.config.dataset_kwargs["sailcompass_rows"]["labels"]
        assert data_set["infer_cfg"]["inferencer"]["type"].__name__ == "PPLInferencer"
    else:
        assert task.config.generation_kwargs["max_gen_toks"] == data_set["infer_cfg"]["inferencer"]["max_out_len"]


def leaves(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.yaml") if "\ngroup:" not in "\n" + path.read_text(encoding="utf-8"))


def test_every_task_shows_what_opencompass_shows(made, miniature, rows_folder):
    names = leaves(made)
    assert len(names) == 8
    tasks = load(made, names)
    for name in names:
        assert_shows_the_official_texts(tasks[name], miniature, rows_folder.parent)


@pytest.mark.slow
def test_every_official_configuration_byte_for_byte(sailcompass_checkout, in_hub_mirror, tmp_path):
    """Of all rows test_sailcompass_checkout.py compares the columns."""
    assert make(sailcompass_checkout, tmp_path / "tasks") == 0
    names = leaves(tmp_path / "tasks")
    assert len(names) == 38
    tasks = load(tmp_path / "tasks", names)
    for name in names:
        assert_shows_the_official_texts(tasks[name], sailcompass_checkout, in_hub_mirror / "sail" / "Sailcompass_data", every=25)


def perplexity(model, tokenizer, text: str) -> float:
    """Mean negative log-likelihood of a text over its tokens, the first of which has none (OpenCompass, batch of one)."""
    ids = torch.tensor([tokenizer.encode(text)])
    with torch.no_grad():
        logits = model(ids).logits[0, :-1].double()
    return torch.nn.functional.cross_entropy(logits, ids[0, 1:], reduction="sum").item() / ids.shape[1]


@pytest.mark.parametrize("name", ["mini_xcopa_id_ppl", pytest.param("mini_m3exam_th_ppl4", marks=pytest.mark.slow)])
def test_the_option_of_the_lowest_perplexity_is_scored(name, made, miniature, rows_folder, tiny_model_bos):
    results = evaluate_official(made, name, HFLM(str(tiny_model_bos), device="cpu"))
    model, tokenizer = AutoModelForCausalLM.from_pretrained(tiny_model_bos), AutoTokenizer.from_pretrained(tiny_model_bos)
    data_set, official = official_texts(load(made, [name])[name], miniature, rows_folder.parent)
    right = []
    for row, texts in official:
        scores = {label: perplexity(model, tokenizer, text) for label, text in texts.items()}
        right.append(min(scores, key=scores.get) == row[data_set["reader_cfg"]["output_column"]])
    assert results["results"][name]["exact_match_sailcompass,none"] == pytest.approx(sum(right) / len(right))
    assert len(right) >= 2


def test_labels_are_calibrated_by_prompts_without_a_row(made, miniature, rows_folder, tiny_model):
    """Shares of the labels behind the prompt, over those behind the prompt with N/A, nothing or [MASK] as the row."""
    found = evaluate_official(made, "mini_indolem_en", HFLM(str(tiny_model), device="cpu"))["results"]["mini_indolem_en"]
    model, tokenizer = AutoModelForCausalLM.from_pretrained(tiny_model), AutoTokenizer.from_pretrained(tiny_model)
    data_set, official = official_texts(load(made, ["mini_indolem_en"])["mini_indolem_en"], miniature, rows_folder.parent)

    def shares(row: dict) -> list[float]:
        # the prompt is the same for all labels, so that the texts' probabilities are in the ratio of the labels'
        texts = official_code.texts(data_set, row).values()
        scores = torch.tensor([-perplexity(model, tokenizer, text) * len(tokenizer.encode(text)) for text in texts])
        return torch.softmax(scores, 0).tolist()

    without = [shares({"text": text, "label": ""}) for text in ("N/A", "", "[MASK]")]
    bias = [sum(of_label) / 3 for of_label in zip(*without, strict=True)]
    right = []
    for row, _ in official:
        ratios = [share / free for share, free in zip(shares(row), bias, strict=True)]
        right.append(["positive", "negative"][ratios.index(max(ratios))] == row["label"])
    assert "acc_cc_zhao,none" in found
    assert found["acc_cc,none"] == pytest.approx(sum(right) / len(right))


def scripted_scores(folder: Path, name: str, answers: dict[str, str]) -> dict[str, float]:
    model = PlantedModel(generation=lambda prompt: next(answer for part, answer in answers.items() if part in prompt))
    results = evaluate_official(folder, name, model)
    return {key.removesuffix(",none"): value for key, value in results["results"][name].items() if "stderr" not in key}


def test_generated_answers_get_the_official_scores(made, rows_folder):
    belebele = read_json_lines(rows_folder / "belebele/ind_Latn.jsonl")
    letters = {row["question"] + "\nA. ": f" {'ABCD'[int(row['correct_answer_num']) - 1]}" for row in belebele}
    assert scripted_scores(made, "mini_belebele_id", letters)["exact_match_sailcompass"] == 1.0
    # the whole of an answer that begins with a line break is lost
    broken = {part: "\n" + answer for part, answer in letters.items()}
    assert scripted_scores(made, "mini_belebele_id", broken)["exact_match_sailcompass"] == 0.0
    questions = read_json_lines(rows_folder / "tydiqa_id/validation.jsonl")
    last = {f"Tanya: {row['question']}\nJawaban:": f" {row['answer'][-1].upper()}." for row in questions}
    found = scripted_scores(made, "mini_tydiqa_id", last)
    assert (found["exact_match_sailcompass"], found["f1_sailcompass"]) == (1.0, 1.0)
    # punctuation at the end is taken off answers only, so that not even the reference itself gets 100
    sentences = read_json_lines(rows_folder / "flores200/ind_Latn_devtest.jsonl")
    assert any(row["source"].endswith(".") for row in sentences)
    found = scripted_scores(made, "mini_flores_id_en", {row["target"]: " " + row["source"] for row in sentences})
    assert 80 < found["bleu_sailcompass"] < 100 and 90 < found["chrf_sailcompass"] < 100


def test_the_parts_of_m3exam_are_averaged_by_rows(made, tiny_model):
    results = evaluate_official(made, "mini_m3exam_th_ppl", HFLM(str(tiny_model), device="cpu"))
    parts = [f"mini_m3exam_th_ppl{options}" for options in (2, 4)]
    tasks = load(made, parts)
    rows = [len(tasks[part].test_docs()) for part in parts]
    # lm-eval 0.5 puts the group's name before that of the task
    by_task = {name.split("::")[-1]: found["exact_match_sailcompass,none"] for name, found in results["results"].items()}
    scores = [by_task[part] for part in parts]
    mean = math.fsum(count * score for count, score in zip(rows, scores, strict=True)) / sum(rows)
    assert len(set(rows)) == 2, "equal parts would not tell the two means apart"
    assert results["groups"]["mini_m3exam_th_ppl"]["exact_match_sailcompass,none"] == pytest.approx(mean)


def test_a_model_without_a_known_tokenizer_gets_no_number(made):
    with pytest.raises(ValueError, match="needs the model's tokenizer"):
        evaluate_official(made, "mini_xcopa_id_ppl", PlantedModel())


def test_rows_that_share_a_passage_are_known_as_such(made, rows_folder):
    tasks = load(made, ["mini_xquad_th", "mini_indolem_en"])
    contexts = [row["context"] for row in read_json_lines(rows_folder / "xquad/xquad_th.json")]
    clusters = [row["cluster"] for row in tasks["mini_xquad_th"].test_docs()]
    assert 1 < len(set(contexts)) < len(contexts)
    for first in range(len(contexts)):
        assert [cluster == clusters[first] for cluster in clusters] == [context == contexts[first] for context in contexts]
    assert "cluster" not in tasks["mini_indolem_en"].test_docs()[0]


def test_provenance_says_where_a_task_comes_from(made, known_miniature):
    tasks = load(made, ["mini_xquad_th", "mini_flores_id_en"])
    assert all(len(task.test_docs()) for task in tasks.values()), "provenance is complete when the rows are loaded"
    provenance = tasks["mini_xquad_th"].config.metadata["provenance"]
    path = "configs/datasets/xquad/xquad_th_a1b2c3.py"
    expected = {
        "checkout_file": path,
        "checkout_file_sha256": known_miniature["configurations"][path]["sha256"],
        "checkout_commit": "none: no git checkout",
        "data_file": "data/xquad/xquad_th.json",
        "data_revision": "local folder",
        "rows_published": 4,
        "data_sha256": tasks["mini_xquad_th"].config.dataset_kwargs["sailcompass_rows"]["sha256"],
    }
    assert expected.items() <= provenance.items() and "changed_since" not in provenance
    text_scores = set(tasks["mini_flores_id_en"].aggregation())
    assert set(tasks["mini_flores_id_en"].config.metadata["provenance"]["signatures"]) == text_scores


@pytest.mark.parametrize("damage", [lambda rows: rows.replace("a", "b", 1), lambda rows: rows[: len(rows) // 2], lambda rows: ""])
def test_rows_that_changed_since_are_refused(damage, made):
    path = made / "mini_xcopa_id_ppl.jsonl"
    path.write_text(damage(path.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(ValueError, match=r"mini_xcopa_id_ppl\.jsonl: .*run `lm-eval-sea make --official` again") as caught:
        load(made, ["mini_xcopa_id_ppl"])["mini_xcopa_id_ppl"].test_docs()
    assert "\n" not in str(caught.value)


XCOPA, LOADER = "configs/datasets/xcopa/xcopa_id_ppl_a1b2c3.py", "datasets/xcopa_sea.py"
ROWS = "sail/Sailcompass_data/data/xcopa/id_test.jsonl"
# what is said of it → the damage to a checkout, beside whose folder the rows lie
DAMAGES = {
    f"{XCOPA}: missing; the checkout is at none": lambda folder: (folder / XCOPA).unlink(),
    f"{XCOPA}: differs from the tested file; the checkout is at none": lambda folder: replace(folder / XCOPA, "Lampu", "Api"),
    f"{LOADER}: missing": lambda folder: (folder / LOADER).unlink(),
    f"{LOADER}: differs from the tested file": lambda folder: replace(folder / LOADER, "Lalu", "Jadi"),
    r"xquad_\x1b[31m\u202e.py: unknown, so no task": (
        lambda folder: (folder / "configs/datasets/xquad/xquad_\x1b[31m\u202e.py").touch()
    ),
    "mini_xcopa_id_ppl: the folder sail/Sailcompass_data has no data/xcopa/id_test.jsonl": (
        lambda folder: (folder.parent / "rows" / ROWS).unlink()
    ),
    f"mini_xcopa_id_ppl: {LOADER}:12: JSONDecodeError: ": lambda folder: (folder.parent / "rows" / ROWS).write_text("no rows"),
    f"mini_xcopa_id_ppl: {XCOPA}: row 1 of {ROWS} has a text in braces": (
        lambda folder: plant(folder.parent / "rows" / ROWS, premise="{choice1} {other}")
    ),
    f"mini_xcopa_id_ppl: {XCOPA}: not all rows of {ROWS} have the column 'choice1'": (
        lambda folder: plant(folder.parent / "rows" / ROWS, choice1=None)
    ),
}


def plant(path: Path, **columns: str | None) -> None:
    """Changes columns of the second row; None takes them out."""
    rows = read_json_lines(path)
    rows[1] = {key: value for key, value in (rows[1] | columns).items() if value is not None}
    write_json_lines(path, rows)


@pytest.mark.parametrize(("message", "damage"), DAMAGES.items(), ids=DAMAGES)
def test_what_is_missing_or_differs_is_said_and_left_out(
    message, damage, miniature, known_miniature, rows_folder, tmp_path, capsys
):
    damage(miniature)
    assert make(miniature, tmp_path / "tasks") == 1
    lines = capsys.readouterr().err.splitlines()
    assert any(message in line for line in lines) and len(lines) == 2
    assert lines[-1].startswith("lm-eval-sea: nothing was written: 1 faults")
    assert not (tmp_path / "tasks").exists()
    assert make(miniature, tmp_path / "tasks", "--keep-going") == 0
    assert message in capsys.readouterr().err
    assert len(leaves(tmp_path / "tasks")) == (8 if "unknown" in message else 7)


def test_a_trusted_change_is_run_and_marked(miniature, known_miniature, rows_folder, tmp_path, capsys):
    replace(miniature / XCOPA, "Lampu padam.", "Lampu menyala.")
    assert make(miniature, tmp_path / "tasks", "--trust-checkout") == 0
    assert f"tested is {known_miniature['commit']}; {XCOPA}: run although not as tested" in capsys.readouterr().err
    tasks = load(tmp_path / "tasks", ["mini_xcopa_id_ppl", "mini_xquad_th"])
    assert tasks["mini_xcopa_id_ppl"].config.metadata["provenance"]["changed_since"] == known_miniature["commit"]
    assert "changed_since" not in tasks["mini_xquad_th"].config.metadata["provenance"]
    assert all("Lampu menyala." in text for text in shown_texts(tasks["mini_xcopa_id_ppl"], 0))


def test_a_folder_with_other_files_is_not_written_to(made, miniature, rows_folder, capsys, monkeypatch):
    monkeypatch.chdir(rows_folder.parents[2])
    assert make(miniature, made) == 0, "what was written before may be written anew"
    (made.parent / "link").symlink_to(made)
    for folder, name in ((made, "mine.yaml"), (made, "mine.jsonl"), (made.parent / "link", "thesis.tex")):
        (made / name).write_text("task: mine\n")
        assert make(miniature, folder) == 2
        assert name in capsys.readouterr().err
        assert (made / name).read_text() == "task: mine\n"
        (made / name).unlink()
    (made.parent / "file").write_text("")
    assert make(miniature, made.parent / "file" / "tasks") == 2
    assert f"{made.parent / 'file' / 'tasks'} cannot be written (Not a directory)" in capsys.readouterr().err
    (miniature / XCOPA).unlink()
    assert make(miniature, made, "--keep-going") == 0
    assert not list(made.glob("mini_xcopa*")), "a task that can no longer be made goes, and its rows"


PIECES = ["{a}", "{b}", "{", "}", "{{", "}}", "{%", "%}", "{#", "{5}", "x", "\n", "ก", "{% raw %}"]
templates = st.lists(st.sampled_from(PIECES), max_size=8).map("".join)
plain = st.text(alphabet="xyz ก\n%", max_size=6)


@given(templates, plain, plain)
def test_jinja_renders_what_is_filled_in(template, a, b):
    row = {"a": a, "b": b}
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
    assert environment.from_string(as_jinja(template, row)).render(row) == fill(template, row)


def test_a_value_with_a_place_of_a_later_column_is_filled_again():
    row = {"first": "see {second}", "second": "{first}"}
    assert fill("{first}", row) == "see {first}"
