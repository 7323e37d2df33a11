#!/usr/bin/env python3
"""How much the padding of a batch moves a score by perplexity: prints a table in Markdown.

SailCompass' published cells come from OpenCompass with batches padded on the left. There a padded text is also charged for its
first token, which has the padding before it. This script ranks the options of the same rows in padded batches and one by one, in
each dtype, and counts the choices that differ. It reads the texts from a task of the pack that ranks by perplexity.

Example, in a folder with the rows or with the hub at hand:
    python scripts/measure_padding.py --model google/gemma-3-270m --task sea_xcopa_id_to_ppl --rows 200
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from lm_eval.tasks import TaskManager
from torch.nn.functional import cross_entropy
from transformers import AutoModelForCausalLM, AutoTokenizer

from lm_eval_sea.tasks._shared.facts import TASKS_FOLDER


def log_perplexities(model: Any, tokenizer: Any, texts: Sequence[str]) -> list[float]:
    """The log-perplexity of each text of one batch, padded on the left, nats: OpenCompass' `HuggingFace._get_ppl` (001e77f).

    (1/L) Σ −log p(x_t | x_<t) over all tokens of the text that have a token or padding before them; L counts the tokens of the
    text. Without padding the first token has nothing before it, and the sum has L − 1 terms; with padding it has L.
    """
    batch = tokenizer(list(texts), return_tensors="pt", padding=len(texts) > 1)
    with torch.no_grad():
        logits = model(**batch).logits
    found = []
    for of_text, ids, mask in zip(logits, batch["input_ids"], batch["attention_mask"], strict=True):
        losses = cross_entropy(of_text[:-1].float(), ids[1:], reduction="none")
        found.append(float(losses[mask[1:] == 1].sum()) / int(mask.sum()))
    return found


def options_of(name: str, shots: int, rows: int) -> Iterator[tuple[list[str], int]]:
    """The whole texts of the options of the first rows of a task, and the place of the right one."""
    manager = TaskManager(include_path=str(TASKS_FOLDER), include_defaults=False)
    task = manager.load([name])["tasks"][name]
    task.set_config("num_fewshot", shots)
    for doc in task.test_docs().select(range(min(rows, len(task.test_docs())))):
        prompt = task.fewshot_context(doc, shots)
        yield [f"{prompt}{task.config.target_delimiter}{option}" for option in task.doc_to_choice(doc)], doc["gold"]


def scores(model: Any, tokenizer: Any, options: Sequence[Sequence[str]], batch_size: int) -> np.ndarray:
    """Log-perplexities, (rows, options): in OpenCompass a batch has one option each of rows that follow each other."""
    found = np.empty((len(options), len(options[0])))
    for place in range(found.shape[1]):
        texts = [of_row[place] for of_row in options]
        for start in range(0, len(texts), batch_size):
            found[start : start + batch_size, place] = log_perplexities(model, tokenizer, texts[start : start + batch_size])
            print(f"\roption {place + 1}, row {start}", end="", file=sys.stderr)
    print(file=sys.stderr)
    return found


def main() -> None:
    """Prints a line for each dtype: batches of one beside padded ones."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--task", default="sea_xcopa_id_to_ppl")
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--num_fewshot", type=int, default=3)
    parser.add_argument("--batch_size", type=int, default=8)
    parser.add_argument("--dtypes", nargs="+", default=["float32", "bfloat16"])
    arguments = parser.parse_args()
    options, golds = zip(*options_of(arguments.task, arguments.num_fewshot, arguments.rows), strict=True)
    if len({len(of_row) for of_row in options}) > 1:
        parser.error(f"the rows of {arguments.task} have different numbers of options; choose another task")
    tokenizer = AutoTokenizer.from_pretrained(arguments.model, padding_side="left")
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    print(f"{arguments.model}, {arguments.task}, {len(options)} rows, {arguments.num_fewshot} exemplars:\n")
    print("| dtype | accuracy, one by one | in batches | other choices | mean change of a log-perplexity | of its lead |")
    print("|---|---|---|---|---|---|")
    for dtype in arguments.dtypes:
        model = AutoModelForCausalLM.from_pretrained(arguments.model, dtype=getattr(torch, dtype)).eval()
        single, padded = (scores(model, tokenizer, options, batch_size) for batch_size in (1, arguments.batch_size))
        if not np.isfinite([single, padded]).all():
            print(f"| {dtype} | the model overflows: log-perplexities are not numbers | | | | |", flush=True)
            continue
        correct = [np.mean(found.argmin(1) == np.array(golds)) for found in (single, padded)]
        changed = np.mean(single.argmin(1) != padded.argmin(1))
        lead = [found - found.min(1, keepdims=True) for found in (single, padded)]
        cells = [dtype, *(f"{share:.1%}" for share in (*correct, changed))]
        cells += [f"{np.abs(padded - single).mean():.4f}", f"{np.abs(lead[1] - lead[0]).max(1).mean():.4f}"]
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
