"""How much a run asks of its model, said before the first answer: requests, tokens, and the backend that suits them."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from lm_eval_sea.models.obstacles import find_obstacle
from lm_eval_sea.run.request import RunError
from lm_eval_sea.some_names import some_names

# Requests of a task whose tokens are counted. Those of one task are alike; the longest differ from the mean by a few times.
COUNTED_PER_TASK = 40
# Neighbouring requests of a task whose common beginnings are looked for.
COMPARED_PER_TASK = 200
GENERATION = "generate_until"
FASTER_FOR_RANKING = {"hf": "hf-shared-prefix", "vllm": "vllm-shared-prefix"}  # docs/backend_figures.md, docs/backends.md
_DEFAULT_LENGTH = 256  # tokens of an answer where neither task nor user says: lm-eval's default


@dataclass
class Workload:
    """What is asked of a model.

    Attributes:
        tasks: how many tasks ask.
        ranked: requests for the log-likelihood of a given text.
        generated: requests for a text.
        read: tokens that all requests have, about; characters where the model's tokens cannot be counted.
        written: the most tokens that all generated answers may have.
        in_tokens: whether `read` is in tokens.
        ranked_characters: of the rankings that were compared.
        distinct_characters: of the same, where what several begin with counts once.
    """

    tasks: int = 0
    ranked: int = 0
    generated: int = 0
    read: float = 0
    written: int = 0
    in_tokens: bool = True
    ranked_characters: int = 0
    distinct_characters: int = 0

    @property
    def times_less(self) -> float:
        """How many times less of the rankings a backend reads that computes common beginnings once; at least 1."""
        return self.ranked_characters / self.distinct_characters if self.distinct_characters else 1.0

    def __str__(self) -> str:
        """One line for the user."""
        kinds = [f"{self.ranked:,} to rank texts"] if self.ranked else []
        kinds += [f"{self.generated:,} to generate"] if self.generated else []
        unit = "tokens" if self.in_tokens else "characters"
        written = f", at most {_rounded(self.written)} tokens to write" if self.generated else ""
        tasks = "1 task" if self.tasks == 1 else f"{self.tasks} tasks"
        number = self.ranked + self.generated
        return f"{number:,} requests of {tasks} ({', '.join(kinds)}): about {_rounded(self.read)} {unit} to read{written}"


def workload_of(tasks: Iterable[Sequence[Any]], count_tokens: Callable[[str], int] | None) -> Workload:
    """Counts requests, and the tokens of some of each task, evenly spaced.

    Args:
        tasks: the requests (`Instance`) of each task.
        count_tokens: of a text, by the model's tokenizer; None where there is none.
    """
    found = Workload(in_tokens=count_tokens is not None)
    for requests in tasks:
        by_kind: dict[str, list[Any]] = defaultdict(list)
        for request in requests:
            by_kind[request.request_type].append(request)
        found.tasks += bool(by_kind)
        for kind, alike in by_kind.items():
            number = sum(request.repeats for request in alike)
            chosen = alike[:: -(-len(alike) // COUNTED_PER_TASK)]
            texts = [text_of(request.args) for request in chosen]
            found.read += number * sum(map(count_tokens or len, texts)) / len(texts)
            if kind == GENERATION:
                found.generated += number
                found.written += sum(request.repeats * _longest_answer(request.args) for request in alike)
            else:
                found.ranked += number
                compared = sorted(text_of(request.args) for request in alike[:COMPARED_PER_TASK])
                found.ranked_characters += sum(map(len, compared))
                found.distinct_characters += _distinct_characters(compared)
    return found


def _distinct_characters(texts: Sequence[str]) -> int:
    """Characters of sorted texts, less those that a text begins with as the one before it does."""
    return sum(map(len, texts)) - sum(len(os.path.commonprefix(pair)) for pair in pairwise(texts))


def text_of(arguments: Sequence[Any]) -> str:
    """What the model reads for one request: prompt and continuation; of a generation, the prompt."""
    return "".join(str(getattr(part, "prompt", part)) for part in arguments if not isinstance(part, Mapping))


def _stated_length(arguments: Sequence[Any]) -> int | None:
    """The most tokens of an answer; None where the request does not say."""
    settings = next((part for part in arguments if isinstance(part, Mapping)), {})
    lengths = [settings[name] for name in ("max_gen_toks", "max_new_tokens", "max_tokens") if name in settings]
    return int(lengths[0]) if lengths else None


def _longest_answer(arguments: Sequence[Any]) -> int:
    length = _stated_length(arguments)
    return _DEFAULT_LENGTH if length is None else length


def check_window(model: Any, tasks: Mapping[str, Any]) -> None:
    """Refuses answers that leave no room for a prompt in the window of a model of transformers, before it answers anything.

    Args:
        model: lm-eval's, loaded.
        tasks: lm-eval's tasks by name, with their requests.

    Raises:
        RunError: if there are some.
    """
    if getattr(model, "backend", None) != "causal":  # others have no window that lm-eval holds against the answers
        return
    longest = {
        name: max(_stated_length(request.args) or 0 for request in task.instances)
        for name, task in tasks.items()
        if task.instances and task.instances[0].request_type == GENERATION
    }
    wrong = [name for name, length in longest.items() if length >= model.max_length]
    if wrong:
        raise RunError(
            f"{some_names(wrong)}: answers of up to {max(longest.values()):,} tokens leave no room for a prompt in the model's "
            f"window of {model.max_length:,}; give it a longer one, --model_args max_length=N, or a smaller number, --gen_kwargs "
            "max_gen_toks=N"
        )


def token_counter(model: Any) -> Callable[[str], int] | None:
    """Counts tokens as a model of lm-eval sees them; None for one without a tokenizer here."""
    if getattr(model, "tokenizer", None) is None or not hasattr(model, "tok_encode"):
        return None
    return lambda text: len(model.tok_encode(text))


def advice(name: str, model: Any, workload: Workload) -> str | None:
    """Which backend is the fastest for these rankings; None where nothing is known.

    Args:
        name: of the backend in use.
        model: lm-eval's, loaded.
        workload: what is asked.
    """
    times = f"{workload.times_less:.1f} times less"
    if name in FASTER_FOR_RANKING.values():
        return f"{name} reads what rankings begin with alike once: here about {times} than lm-eval's own backend"
    faster = FASTER_FOR_RANKING.get(name)
    if faster is None or (name == "hf" and (model.backend != "causal" or find_obstacle(model.model))):
        return None
    return f"--model {faster} ranks with the same numbers and reads about {times} here (docs/backends.md)"


def _rounded(number: float) -> str:
    for size, name in ((1e9, "billion"), (1e6, "million")):
        if number >= size:
            return f"{number / size:.1f} {name}"
    digits = max(0, len(f"{number:.0f}") - 3)
    return f"{round(number / 10**digits) * 10**digits:,}"
