"""acc_ppl against an independent reference: a plain loop over the whole text, as SailCompass on OpenCompass computes it."""

import os
from pathlib import Path

import pytest
import torch
import torch.nn.functional as functional
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    ByT5Tokenizer,
    MT5Config,
    MT5ForConditionalGeneration,
    PreTrainedTokenizerFast,
)

from tests.model_folder import with_template

from ..models.conftest import make_model
from .evaluation import evaluate, on_cpu

ROWS = 2


def reference_log_perplexity(model, tokenizer, text: str) -> float:
    """(1/L) Σ_{t=2..L} −log p(x_t | x_<t), nats; L counts all tokens, the begin-of-sequence token included."""
    ids = tokenizer(text, return_tensors="pt")["input_ids"]
    with torch.no_grad():
        logits = model(ids).logits
    return float(functional.cross_entropy(logits[0, :-1], ids[0, 1:], reduction="sum")) / ids.shape[1]


def compare(results: dict, folder: Path) -> int:
    """Asserts that all options and choices are those of the plain loop; returns the number of the options."""
    tokenizer, compared = AutoTokenizer.from_pretrained(folder), 0
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    for sample in (sample for samples in results["samples"].values() for sample in samples):
        scores = sample["doc"]["option_scores"]
        texts = ["".join(arguments) for arguments in sample["arguments"][: len(scores)]]
        expected = [reference_log_perplexity(model, tokenizer, text) for text in texts]
        assert [score["log_perplexity"] for score in scores] == pytest.approx(expected, abs=1e-4)
        assert sample["doc"]["predictions"]["acc_ppl"] == min(range(len(expected)), key=expected.__getitem__)
        compared += len(texts)
    return compared


@pytest.fixture(params=["tiny_model", pytest.param("tiny_model_bos", marks=pytest.mark.slow)])
def model(request) -> Path:
    return request.getfixturevalue(request.param)


def test_every_option_and_prediction_agree(model, request, everything):
    """On real rows where there are some. The quick tests show one exemplar, and all as many as a task has by default."""
    folder = request.getfixturevalue("hub_mirror" if "SEA_HUB_MIRROR" in os.environ else "samples")
    tasks = [
        *("sea_belebele_th_to_ppl", "sea_belebele_id_litilo_ppl", "sea_xcopa_vi_tito_ppl", "sea_xcopa_th_litito_ppl_enprompt"),
        *("sea_m3exam_th_litiloto_ppl", "sea_m3exam_jv_to_ppl", "sea_indonli_id"),
    ]
    for options in ({"batch_size": 1}, {"batch_size": 8}) if everything else ({"batch_size": 8, "num_fewshot": 1},):
        results = evaluate(folder, tasks, "hf", model_args=on_cpu(model), limit=ROWS, **options)
        assert compare(results, model) > 2 * len(tasks) * ROWS


@pytest.mark.parametrize("multiturn", [True, False])
def test_a_chat_template_that_ends_in_a_line_break(tmp_path, model, samples, multiturn):
    """lm-eval counts the line break with the answer, and no blank; the whole text has it once all the same.

    The prompts of the calibration are made in the template, too.
    """
    template = (
        "{% for message in messages %}<{{ message['role'] }}>\n{{ message['content'] }}\n{% endfor %}<assistant>{{ '\\n' }}"
    )
    folder, tasks = with_template(model, tmp_path / "chat", template), ("sea_xcopa_vi_to_ppl", "sea_wisesight_th")
    options = {"apply_chat_template": True, "fewshot_as_multiturn": multiturn, "num_fewshot": 1, "limit": ROWS}
    results = evaluate(samples, list(tasks), "hf", model_args=on_cpu(folder), **options)
    assert compare(results, folder)
    ranked, calibrated = ([sample["arguments"] for sample in results["samples"][task]] for task in tasks)
    assert all(arguments[0][0].endswith("Trả lời:\n<assistant>\n") for arguments in ranked)
    assert [arguments[0][1] for arguments in ranked] == [s["doc"]["options"][0] for s in results["samples"][tasks[0]]]
    free = [context for context, _ in calibrated[0] if context.endswith("ข้อความ: N/A\nคำตอบ:\n<assistant>\n")]
    assert len(free) == 3


def test_an_option_that_merges_with_the_end_of_the_prompt(tmp_path, samples):
    """A tokenizer without pre-tokenisation merges "คำตอบ:" and the blank behind it; the parts are then not the whole."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    letters = {"special_tokens": ["<eos>"], "initial_alphabet": pre_tokenizers.ByteLevel.alphabet()}
    trainer = trainers.BpeTrainer(vocab_size=300, show_progress=False, **letters)
    tokenizer.train_from_iterator(["กรุณา" * 50, "คำตอบ: ก คำตอบ: ข " * 50], trainer)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<eos>", pad_token="<eos>")
    fast.save_pretrained(tmp_path)
    make_model("llama", len(fast), max_position_embeddings=8192).save_pretrained(tmp_path)
    results = evaluate(samples, "sea_xcopa_th_to_ppl", "hf", model_args=on_cpu(tmp_path))
    assert compare(results, tmp_path)
    pairs = [pair for sample in results["samples"]["sea_xcopa_th_to_ppl"] for pair in sample["arguments"][:2]]
    encoded = [(fast(prompt)["input_ids"], fast(prompt + ending)["input_ids"]) for prompt, ending in pairs]
    assert any(whole[: len(part)] != part for part, whole in encoded), "no option merged; the test shows nothing"


@pytest.mark.slow
def test_an_encoder_decoder_has_all_scores_but_those_of_the_prompt(samples, tmp_path, caplog):
    """It reads the prompt, and answers by p(option | prompt). Its tokenizer adds an end token, as mT0's does."""
    torch.manual_seed(1)
    tokenizer = ByT5Tokenizer()
    sizes = {"d_model": 16, "d_kv": 4, "d_ff": 16, "num_layers": 1, "num_decoder_layers": 1, "num_heads": 2}
    model = MT5ForConditionalGeneration(MT5Config(vocab_size=len(tokenizer), decoder_start_token_id=0, **sizes)).eval()
    for part in (model, tokenizer):
        part.save_pretrained(tmp_path)
    tasks = ["sea_xcopa_th_to_ppl", "sea_wisesight_th"]
    results = evaluate(samples, tasks, "hf", model_args=on_cpu(tmp_path), limit=ROWS)
    for task in tasks:
        assert f"{task}: an encoder-decoder gives a prompt no probability; without acc_ppl and acc_token." in caplog.text
        assert not {"acc_ppl,none", "acc_token,none"} & set(results["results"][task])
        for sample in results["samples"][task]:
            options = sample["doc"]["option_scores"]
            for score, (prompt, answer) in zip(options, sample["arguments"], strict=False):
                read, written = tokenizer(prompt).input_ids, tokenizer(answer, add_special_tokens=False).input_ids
                with torch.no_grad():
                    loss = model(input_ids=torch.tensor([read]), labels=torch.tensor([written])).loss
                assert score["loglikelihood"] == pytest.approx(-float(loss) * len(written), abs=1e-3)
    assert "acc_bc,none" in results["results"]["sea_wisesight_th"]
