#!/usr/bin/env python3
"""Measures hf-shared-prefix against hf on prompts to generate from, and prints a Markdown table.

Both load the model once and answer the same rows of each task, with its usual exemplars, in turn. Times are CPU times of this
process, so that other work on the machine matters little; on a GPU they mean nothing. Rows come from the hub, or from folders
OWNER/NAME below the current one.

Examples:
    python scripts/bench_generation.py --model_args pretrained=gemma-3-270m,dtype=float32 sea_xquad_th sea_flores_en_id
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import torch
from bench_backend import FlopCounter
from lm_eval.models.huggingface import HFLM
from lm_eval.tasks import TaskManager
from lm_eval.utils import simple_parse_args_string

from lm_eval_sea.catalogue.task_list import TASKS_FOLDER
from lm_eval_sea.models import SharedPrefixLM

HEAD = ("task", "exemplars", "rows", "tokens embedded", "times fewer", "CPU time, s", "times faster", "equal texts")


def answer(lm: HFLM, counter: FlopCounter, instances: list[Any]) -> tuple[list[str], int, float]:
    """The texts, the tokens that were embedded for them, padding included, and the seconds of CPU time."""
    before, begin = counter.tokens, time.process_time()
    texts = lm.generate_until(instances)
    return texts, counter.tokens - before, time.process_time() - begin


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="+", metavar="TASK", help="of this pack; its answers are generated")
    parser.add_argument("--model_args", required=True, help="as for lm_eval")
    parser.add_argument("--rows", type=int, default=16, help="per task; default: %(default)s")
    parser.add_argument("--batch_size", type=int, default=8, help="default: %(default)s")
    parser.add_argument("--threads", type=int, default=1, help="of PyTorch; default: %(default)s")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    options = simple_parse_args_string(arguments.model_args) | {"device": "cpu", "batch_size": arguments.batch_size}
    models = [(lm, FlopCounter(lm.model)) for lm in (HFLM(**options), SharedPrefixLM(**options))]
    manager = TaskManager(include_path=str(TASKS_FOLDER), include_defaults=False)
    lines = [HEAD, ("---",) * len(HEAD)]
    for name in arguments.tasks:
        (task,) = manager.load(name)["tasks"].values()
        task.set_fewshot_seed(1234)  # lm-eval's own default
        task.build_all_requests(limit=arguments.rows)
        (texts, all_tokens, seconds), (same, tokens, less) = (answer(*each, task.instances) for each in models)
        lines.append(
            (
                f"`{name}`",
                str(task.config.num_fewshot),
                str(len(texts)),
                f"{all_tokens:,} → {tokens:,}",
                f"{all_tokens / tokens:.1f}",
                f"{seconds:.0f} → {less:.0f}",
                f"{seconds / less:.1f}",
                f"{sum(one == other for one, other in zip(texts, same, strict=True))}",
            )
        )
    print("\n".join(f"| {' | '.join(line)} |" for line in lines))


if __name__ == "__main__":
    main()
