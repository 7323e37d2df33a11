"""The scripts that measure what padding and the order of batch calibration do to a score."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as functional
from transformers import AutoModelForCausalLM, AutoTokenizer

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
TEXTS = ["Hujan turun.", "Hujan turun sejak pagi, maka jalan di depan rumah basah dan licin."]


def test_a_padded_text_is_charged_for_its_first_token_too(tiny_model):
    from measure_padding import log_perplexities

    tokenizer = AutoTokenizer.from_pretrained(tiny_model, padding_side="left")
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    model = AutoModelForCausalLM.from_pretrained(tiny_model, dtype=torch.float32).eval()
    single = []
    for text in TEXTS:
        ids = tokenizer(text, return_tensors="pt")["input_ids"][0]
        with torch.no_grad():
            logits = model(ids[None]).logits[0]
        single.append(float(functional.cross_entropy(logits[:-1], ids[1:], reduction="sum")) / len(ids))
        assert log_perplexities(model, tokenizer, [text]) == pytest.approx(single[-1:], abs=1e-5)
    short, long = log_perplexities(model, tokenizer, TEXTS)
    assert long == pytest.approx(single[1], abs=1e-5)  # nothing stands before it
    length = len(tokenizer(TEXTS[0])["input_ids"])
    first = (short - single[0]) * length
    # a random model finds all tokens about as likely; its positions are relative, but for the padding that they count from
    assert first == pytest.approx(np.log(model.config.vocab_size), rel=0.5)


def test_both_orders_of_batch_calibration_are_shown_with_the_choices_that_differ(tmp_path):
    generator = np.random.default_rng(0)
    logs = np.log(generator.dirichlet([4, 1, 0.3], size=60))
    golds = generator.integers(0, 3, size=60)
    rows = [
        {"doc_id": number, "acc_bc": [int(gold), list(of_row)]}
        for number, (gold, of_row) in enumerate(zip(golds, logs, strict=True))
    ]
    path = tmp_path / "model" / "samples_sea_xnli_th_2026-11-24T09-00-00.000000.jsonl"
    path.parent.mkdir()
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    command = [sys.executable, str(SCRIPTS / "compare_batch_calibration.py"), str(tmp_path)]
    line = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[2]
    by_logs, by_shares = (logs - logs.mean(0)).argmax(1), (np.exp(logs) / np.exp(logs).mean(0)).argmax(1)
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    accuracies = [f"{100 * (chosen == golds).mean():.1f}" for chosen in (logs.argmax(1), by_logs, by_shares)]
    assert cells[:5] == ["sea_xnli_th", "60", *accuracies]
    assert cells[-1] == f"{100 * (by_logs != by_shares).mean():.1f}" != "0.0"
