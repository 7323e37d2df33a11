"""What a user does wrong, and what the pack says."""

import json
import logging
import re
import shutil
from pathlib import Path

import pytest

from .evaluation import evaluate
from .planted_model import PlantedModel

TASK = "sea_xcopa_vi_to_ppl"
FILE = "sail/Sailcompass_data/data/xcopa/vi_test.jsonl"


@pytest.fixture
def model():
    return PlantedModel(lambda context, ending: -1.0)


@pytest.fixture
def broken(tmp_path, samples) -> Path:
    """A copy of the samples to break."""
    return Path(shutil.copytree(samples, tmp_path / "mirror"))


def rewrite(folder: Path, edit, file: str = FILE) -> None:
    path = folder / file
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    path.write_text(
        "".join(json.dumps(edit(number, row), ensure_ascii=False) + "\n" for number, row in enumerate(rows)), encoding="utf-8"
    )


def test_unknown_task(samples, model):
    with pytest.raises(KeyError, match="sea_xcopa_lo_to_ppl"):
        evaluate(samples, "sea_xcopa_lo_to_ppl", model)


@pytest.mark.parametrize("shots", [6, 9, -1])
def test_more_exemplars_than_the_book_has(samples, model, shots):
    with pytest.raises(ValueError, match=rf"{TASK}: --num_fewshot {shots} .*choose 0 to 5"):
        evaluate(samples, TASK, model, num_fewshot=shots)
    assert model.requests == []


@pytest.mark.parametrize("shots", [0, 5])
def test_as_many_exemplars_as_the_book_has(samples, model, shots):
    evaluate(samples, TASK, model, num_fewshot=shots, limit=1)
    assert model.requests[0][0].count("Trả lời:") == shots + 1


def test_limit_of_no_rows(samples, model):
    with pytest.raises(ValueError, match="--limit 0 leaves no rows"):
        evaluate(samples, TASK, model, limit=0)
    assert model.requests == []


@pytest.mark.parametrize(
    ("task", "file", "column", "words"),
    [
        ("sea_xnli_th", "xnli/th_xnli_test.jsonl", "label", "neutral, entailment, contradiction"),
        ("sea_wisesight_th", "wisesight_senti/test.jsonl", "category", "0, 1, 2"),
        ("sea_vsmec_vi", "vsmec/test.json", "label", "Sợ hãi, Ghê tởm, Buồn bã, Thích thú, Khác, Tức giận, Bất ngờ"),
    ],
)
def test_unknown_label(broken, model, task, file, column, words):
    """It stops the run before the model is asked; the message names the row and the words expected."""
    unknown = 3 if column == "category" else "Netral!"
    rewrite(broken, lambda number, row: row | {column: unknown} if number == 1 else row, f"sail/Sailcompass_data/data/{file}")
    with pytest.raises(ValueError, match=re.escape(f"{file}, row 1: field 'label' is {unknown!r}; expected one of {words}")):
        evaluate(broken, task, model)
    assert model.requests == []


def test_a_model_without_a_tokenizer_ends_the_run_before_its_work(samples, model):
    with pytest.raises(ValueError, match=r"acc_ppl and acc_token need the model's tokenizer.*--metadata tokenizer=") as error:
        evaluate(samples, TASK, model, metadata={"tokenizer": "no/such-tokenizer"})
    assert "no/such-tokenizer" in str(error.value)
    with pytest.raises(ValueError, match=r"need the model's tokenizer, and the model has none.*--metadata tokenizer="):
        evaluate(samples, TASK, model, metadata={"seed": 1})
    assert model.requests == []


def test_who_wants_no_tokenizer_gets_the_scores_that_need_none(samples, model):
    scores = evaluate(samples, TASK, model, metadata={"tokenizer": "none"})["results"][TASK]
    assert "acc,none" in scores
    assert "acc_ppl,none" not in scores
    assert "acc_token,none" not in scores


def test_a_tokenizer_that_is_not_the_models_is_refused(samples, tiny_model, tiny_model_bos, tmp_path):
    """Another vocabulary; with the model's own one it is no mistake."""
    from make_tiny_model import train_tokenizer

    train_tokenizer(["Kota ini ramai."] * 3, bos=False, vocabulary=300).save_pretrained(tmp_path / "other")
    arguments = {"pretrained": str(tiny_model), "dtype": "float32", "device": "cpu"}
    with pytest.raises(ValueError, match="encodes text otherwise than the model's own"):
        evaluate(samples, TASK, "hf", model_args=arguments, metadata={"tokenizer": str(tmp_path / "other")})
    plain = evaluate(samples, TASK, "hf", model_args=arguments)
    named = evaluate(samples, TASK, "hf", model_args=arguments, metadata={"tokenizer": str(tiny_model)})
    assert named["results"][TASK] == plain["results"][TASK]


def test_a_model_that_is_an_object_has_the_headline(samples, tiny_model):
    """`simple_evaluate` with a task manager of the user's own tells the tasks nothing of the model."""
    import lm_eval
    from lm_eval.models.huggingface import HFLM
    from lm_eval.tasks import TaskManager

    from .evaluation import TASKS

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(samples)
        found = lm_eval.simple_evaluate(
            model=HFLM(pretrained=str(tiny_model), device="cpu", dtype="float32"),
            tasks=[TASK],
            task_manager=TaskManager(include_path=str(TASKS / "xcopa"), include_defaults=False),
            bootstrap_iters=0,
        )
    expected = evaluate(samples, TASK, "hf", model_args={"pretrained": str(tiny_model), "dtype": "float32", "device": "cpu"})
    assert found["results"][TASK]["acc_ppl,none"] == expected["results"][TASK]["acc_ppl,none"]


def test_a_context_shorter_than_the_prompt_is_said_with_counts(samples, tiny_model, caplog):
    """Every request then fits the model, and keeps the end of the prompt."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(tiny_model)
    arguments = {"pretrained": str(tiny_model), "dtype": "float32", "device": "cpu", "max_length": 60}
    with caplog.at_level(logging.WARNING):
        results = evaluate(samples, TASK, "hf", model_args=arguments)
    (message,) = [record.getMessage() for record in caplog.records if "do not fit" in record.getMessage()]
    assert message.startswith(f"{TASK}: 4 of 4 prompts do not fit the model's context of 60 tokens")
    assert "Combined length" not in caplog.text, "lm-eval had to cut a request once more"
    for sample in results["samples"][TASK]:
        contexts = {arguments[0] for arguments in sample["arguments"][:2]}
        assert len(contexts) == 1, "options were scored behind different prompts"
        assert contexts.pop().endswith("Trả lời:")
        assert all(len(tokenizer.encode("".join(arguments))) <= 60 for arguments in sample["arguments"])
        assert all(score["log_perplexity"] > 0 for score in sample["doc"]["option_scores"])


def test_a_context_shorter_than_an_answer_is_refused(samples, tiny_model):
    arguments = {"pretrained": str(tiny_model), "dtype": "float32", "device": "cpu", "max_length": 3}
    with pytest.raises(ValueError, match=r"leaves no room for a prompt in the model's context of 3 tokens"):
        evaluate(samples, TASK, "hf", model_args=arguments)
