"""Runs a task of every kind with a random model on the samples, and prints scores as JSON; for `test_git_head.py`."""

import json
import logging
import os
import sys
from pathlib import Path

import lm_eval
from lm_eval import simple_evaluate
from lm_eval.models.huggingface import HFLM
from lm_eval.tasks import TaskManager

from .evaluation import CHAT_TEMPLATE

ROOT = Path(__file__).resolve().parents[2]
PLAIN = (
    "sea_belebele_th_to_ppl",  # the quickstart's, a ranking
    "sea_m3exam_th_litilo_gen",  # the quickstart's, a letter
    "sea_wisesight_th",  # calibrated, with a macro-F1 over all rows
    "sea_flores_en_th",  # generated, with BLEU and chrF++ over all rows
    "sea_helm_th_sentiment",  # labels, with a mean of group means
)
CHAT = ("sea_belebele_th_chat", "sea_helm_th_ifeval")


def main(folder: str) -> None:
    """Prints where lm-eval lies, and task → metric → value with the hashes of the prompts, of the model in a folder."""
    logging.disable(logging.WARNING)
    model = HFLM(pretrained=folder, device="cpu", batch_size=8)
    model.tokenizer.chat_template = CHAT_TEMPLATE
    manager = TaskManager(include_path=str(ROOT / "lm_eval_sea" / "tasks"), include_defaults=False)
    os.chdir(ROOT / "lm_eval_sea" / "samples")
    found, options = {}, {"gen_kwargs": {"max_gen_toks": 16}, "limit": 3}
    for names, chats in ((PLAIN, False), (CHAT, True)):
        results = simple_evaluate(model, tasks=[*names], task_manager=manager, apply_chat_template=chats, **options)
        for name, scores in results["results"].items():
            found[name] = scores | {"prompts": [row["prompt_hash"] for row in results["samples"][name]]}
    print(json.dumps({"folder": lm_eval.__file__, "tasks": found}))


if __name__ == "__main__":
    main(sys.argv[1])
