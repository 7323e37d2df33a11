"""How much tasks ask of a model: requests, characters and tokens, before a run and after it."""

from __future__ import annotations

import contextlib
import io
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from lm_eval_sea.results.read import read
from lm_eval_sea.run.chat_template import load_tokenizer

_ROWS_COUNTED = 20  # of each task, to learn how many characters a token has


def measure(task: Any, looked_at: int, count: Callable[[str], int], rows: int) -> Counter[str]:
    """Rows of a task; of a run on them the requests, and characters and tokens in and out, about.

    Prompts of some rows are built, and the sums scaled. In is what lm-eval sends, where every option comes with the whole
    prompt; out is the length of the references.

    Args:
        task: lm-eval's.
        looked_at: about how many rows have their prompts built.
        count: the tokens of a text.
        rows: of the run.
    """
    there = len(task.test_docs())
    with contextlib.redirect_stderr(io.StringIO()):  # lm-eval's progress bars
        task.build_all_requests(samples=list(range(0, there, max(1, there // looked_at))))
    scale = rows / len({instance.doc_id for instance in task.instances})
    found: Counter[str] = Counter(rows=rows)  # sums of fractions
    for instance in task.instances:
        prompt, ending = instance.arguments if len(instance.arguments) > 1 else ("", *instance.arguments)  # a text of its own
        if isinstance(ending, str):
            # prompts without content are asked once a task, behind the others
            times = 1 if prompt and instance.idx > 2 * len(task.doc_to_choice(instance.doc)) else scale
            sent = prompt + ending
        else:
            times, sent, out = scale, prompt, task.doc_to_target(instance.doc)
            out = out[0] if isinstance(out, list) else out
            found.update({"characters_out": times * len(out), "tokens_out": times * count(out)})
        found.update({"requests": times, "characters_in": times * len(sent), "tokens_in": times * count(sent)})
    return found


def tokens_of_run(folder: Path, model_args: Mapping[str, Any]) -> int | None:
    """The tokens that a run has sent, about: the characters of its logged requests, and the tokens of some of them.

    None if there is no tokenizer.
    """
    tokenizer = load_tokenizer(model_args)
    if tokenizer is None:
        return None
    tokens = 0.0
    for task in read(folder).tasks:
        characters = characters_counted = tokens_counted = 0
        for number, row in enumerate(task.texts()):
            arguments = row.get("arguments")
            requests = arguments.values() if isinstance(arguments, dict) else ()
            texts = ["".join(text for text in request.values() if isinstance(text, str)) for request in requests]
            characters += sum(map(len, texts))
            if number < _ROWS_COUNTED:
                characters_counted += sum(map(len, texts))
                tokens_counted += sum(len(tokenizer.encode(text, add_special_tokens=False)) for text in texts)
        tokens += tokens_counted * characters / characters_counted if characters_counted else 0
    return round(tokens)


def weights_of(model_args: Mapping[str, Any]) -> int | None:
    """Bytes of the weights of a model in a folder; None for any other."""
    if not (name := model_args.get("pretrained")):
        return None
    return sum(file.stat().st_size for ending in ("safetensors", "bin") for file in Path(str(name)).glob(f"*.{ending}")) or None
