#!/usr/bin/env python3
"""Both orders of batch calibration on the rows that runs logged (`--log_samples`): prints a table in Markdown.

`acc_bc` subtracts the mean log-probability of a label over the rows, `acc_bc_mean_p` the logarithm of its mean probability. Both
come from the log-likelihoods that the samples have, also those of runs before `acc_bc_mean_p` was there.

Example:
    lm-eval-sea run --model hf-shared-prefix --model_args pretrained=MODEL --tasks sea_xnli_th --output_path results --log_samples
    python scripts/compare_batch_calibration.py results
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

from lm_eval_sea.tasks._shared.metrics.calibration import batch_biases, batch_log_shares
from lm_eval_sea.tasks._shared.metrics.classification_metrics import Choice, Evidence, batch_calibrated_choices, macro_f1
from lm_eval_sea.tasks._shared.metrics.ranking import first_maximum

_HEAD = ("task", "rows", "acc", "acc_bc", "acc_bc_mean_p", "f1", "f1 of acc_bc", "f1 of acc_bc_mean_p", "other choices")


def accuracy(choices: list[Choice]) -> float:
    """Share of right choices."""
    return sum(choice.gold == choice.chosen for choice in choices) / len(choices)


def main() -> None:
    """Prints a line for each samples file, and the means."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    arguments = parser.parse_args()
    lines: list[tuple[str, int, list[float]]] = []
    for path in sorted(path for folder in arguments.folders for path in folder.glob("**/samples_*.jsonl")):
        samples = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        rows = [Evidence(*sample["acc_bc"]) for sample in samples if "acc_bc" in sample]
        if not rows:
            continue
        plain = [Choice(row.gold, first_maximum(row.loglikelihoods), len(row.loglikelihoods)) for row in rows]
        methods = [plain, *(batch_calibrated_choices(rows, bias) for bias in (batch_biases, batch_log_shares))]
        changed = sum(one != other for one, other in zip(*methods[1:], strict=True)) / len(rows)
        name = re.sub(r"^samples_|_\d{4}-\d\d-\d\dT.*$", "", path.stem)
        lines.append((name, len(rows), [*map(accuracy, methods), *map(macro_f1, methods), changed]))
    if not lines:
        parser.error("the folders have no samples with acc_bc; run label tasks with --log_samples")
    print(f"| {' | '.join(_HEAD)} |\n|{'---|' * len(_HEAD)}")
    lines.append(
        (
            "mean",
            sum(rows for _, rows, _ in lines),
            [sum(of) / len(lines) for of in zip(*(each for *_, each in lines), strict=True)],
        )
    )
    for name, count, shares in lines:
        print(f"| {name} | {count:,} | {' | '.join(f'{100 * share:.1f}' for share in shares)} |")


if __name__ == "__main__":
    main()
