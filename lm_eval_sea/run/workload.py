"""The workload of a run, reported before the first answer: requests, tokens, and the backend that suits them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from lm_eval_sea.models.obstacles import find_obstacle
from lm_eval_sea.results.comparison import plain_name, rows_once
from lm_eval_sea.results.facts import facts_of
from lm_eval_sea.results.power import Planned, limit_to_see
from lm_eval_sea.results.settings import limit_in
from lm_eval_sea.results.types import grouped
from lm_eval_sea.results.visible_text import counted, some_names
from lm_eval_sea.run.answer_limits import DEFAULT_LIMIT
from lm_eval_sea.run.request import GENERATION, RunError, Tasks

# Requests of a task whose tokens are counted. Those of one task are alike; the longest differ from the mean by a few times.
COUNTED_PER_TASK = 40
ROLLING = "loglikelihood_rolling"
_MOST_UNKNOWN = 0.01  # of the tokens
_ROUNDING = 1e-3  # of logits, far above that of 32 bits
_PADDED = 0.1  # of a model's embeddings may belong to no token
# Beginnings of headline metrics in which labels weigh the same, or are calibrated: each label needs some rows.
_BY_LABEL = ("balanced_acc", "f1", "macro_f1", "acc_bc", "acc_cc")
FASTER_FOR_RANKING = {"hf": "hf-shared-prefix", "vllm": "vllm-shared-prefix"}  # docs/backend_figures.md, docs/backends.md


@dataclass
class Workload:
    """What is asked of a model."""

    tasks: int = 0
    ranked: int = 0  # requests for the log-likelihood of a given text
    generated: int = 0  # requests for a text
    read: float = 0  # estimated tokens of all requests; characters where the model's tokens cannot be counted
    written: int = 0  # the most tokens that all generated answers may have
    unit: str = "tokens"  # of `read`

    def __str__(self) -> str:
        """One line for the user."""
        kinds = [f"{self.ranked:,} to rank texts"] if self.ranked else []
        kinds += [f"{self.generated:,} to generate"] if self.generated else []
        written = f", at most {self.written:,} tokens to write" if self.generated else ""
        requests, tasks = counted(self.ranked + self.generated, "request"), counted(self.tasks, "task")
        return f"{requests} of {tasks} ({', '.join(kinds)}): about {_rounded(self.read)} {self.unit} to read{written}"

    def __add__(self, other: Workload) -> Workload:
        """Both together."""
        names = [each.name for each in fields(self) if each.name != "unit"]
        return Workload(**{name: getattr(self, name) + getattr(other, name) for name in names}, unit=other.unit)


def workload_of(requests: Sequence[Any], count_tokens: Callable[[str], int] | None) -> Workload:
    """Counts the requests (`Instance`) of a task, and the tokens of some, evenly spaced; without a tokenizer, characters."""
    found = Workload(tasks=int(bool(requests)), unit="tokens" if count_tokens else "characters")
    for kind, alike in grouped((request.request_type, request) for request in requests).items():
        number = sum(request.repeats for request in alike)
        texts = [text_of(request.args) for request in _some(alike)]
        found.read += number * sum(map(count_tokens or len, texts)) / len(texts)
        if kind == GENERATION:
            found.generated += number
            found.written += sum(request.repeats * limit_of(request) for request in alike)
        else:
            found.ranked += number
    return found


def _some(requests: Sequence[Any]) -> Sequence[Any]:
    return requests[:: max(1, -(-len(requests) // COUNTED_PER_TASK))]


def language_of(task: Any) -> str:
    """The language of the rows of an lm-eval task; "other" if it has none."""
    return facts_of(task.config.metadata or {}, task.config.task).language or "other"


def by_language(workloads: Iterable[tuple[str, Workload]]) -> dict[str, Workload]:
    """The sums of workloads with the same language, the most tokens first."""
    found = {language: sum(own, Workload()) for language, own in grouped(workloads).items()}
    return dict(sorted(found.items(), key=lambda item: -item[1].read))


def said_by_language(workloads: Mapping[str, Workload]) -> str:
    """One line: "tokens to read by language: th 420,000; en 110,000"; with what is generated, also the most tokens to write."""
    parts = [
        f"{language} {_rounded(of.read)}" + (f" (to write: {_rounded(of.written)})" if of.generated else "")
        for language, of in workloads.items()
    ]
    return f"{next(iter(workloads.values())).unit} to read by language: {'; '.join(parts)}"


def planned(tasks: Tasks, rows: Callable[[Any], int]) -> list[Planned]:
    """What `results.power` needs to know of the tasks of a run; `rows` returns how many rows of a task are run.

    Leaves out tasks that count in no mean, such as plain texts and those that neither the pack nor its list of lm-eval's tasks
    has, and tasks whose rows are those of another (`rows_once`).
    """
    facts = {name: facts_of(task.config.metadata or {}, name) for name, task in tasks.items() if task.OUTPUT_TYPE != ROLLING}
    found = []
    for name in rows_once([[name for name, of_task in facts.items() if of_task.of_pack and of_task.counts]]):
        choices, of_task, count = tasks[name].config.doc_to_choice, facts[name], rows(tasks[name])
        labels = len(of_task.labels or (choices if isinstance(choices, list) else ()))
        labels = max(1, labels) if of_task.headline_metric.startswith(_BY_LABEL) else 1
        asks = (of_task.family, of_task.language, plain_name(name, of_task)) if of_task.dataset else ()
        if count:
            found.append(Planned(count, of_task.chance, labels, asks))
    return found


def limit_to_detect(points: float, tasks: Tasks, named_by: str) -> int:
    """`limit_to_see` for lm-eval tasks with all their rows; `named_by` is what the user gave the points with."""
    scored = planned(tasks, lambda task: len(task.eval_docs))
    if not scored:
        raise RunError(f"{named_by} {points:g}: none of the tasks has a score in points; give a limit instead")
    return limit_to_see(points, scored)


def text_of(arguments: Sequence[Any]) -> str:
    """What the model reads for one request: prompt and continuation; of a generation, the prompt."""
    return "".join(str(getattr(part, "prompt", part)) for part in arguments if not isinstance(part, Mapping))


def limit_of(request: Any, model: Any = None) -> int:
    """The most tokens of an answer: those that its request states, or else the lm-eval model's default."""
    settings = next((part for part in request.args if isinstance(part, Mapping)), {})
    stated = limit_in(settings)
    by_default = getattr(model, "max_gen_toks", None) or getattr(model, "_max_gen_toks", None) or DEFAULT_LIMIT
    return int(by_default if stated is None else stated)


def check_window(model: Any, tasks: Tasks) -> None:
    """Refuses answers that leave no room for a prompt in the window of a model of transformers, before it answers anything."""
    if getattr(model, "backend", None) != "causal":  # for others lm-eval compares no window with the answers
        return
    longest = {
        name: max(limit_of(request, model) for request in task.instances)
        for name, task in tasks.items()
        if task.instances and task.instances[0].request_type == GENERATION
    }
    wrong = [name for name, length in longest.items() if length >= model.max_length]
    if wrong:
        raise RunError(
            f"{some_names(wrong)}: answers of up to {max(longest.values()):,} tokens leave no room for a prompt in the model's "
            f"window of {model.max_length:,}; raise it with --model_args max_length=N, or shorten the answers with --gen_kwargs "
            "max_gen_toks=N"
        )


def token_counter(model: Any) -> Callable[[str], int] | None:
    """A function that counts tokens as an lm-eval model sees them; None if its tokenizer is not here."""
    if getattr(model, "tokenizer", None) is None or not hasattr(model, "tok_encode"):
        return None
    return lambda text: len(model.tok_encode(text))


def _tokens_of(model: Any, task: Any) -> list[int]:
    """The tokens of some of the prompts of a task."""
    return [token for request in _some(task.instances or []) for token in model.tok_encode(text_of(request.args))]


def unknown_shares(model: Any, tasks: Tasks) -> dict[str, float]:
    """Tasks with more than 1 % of tokens in their prompts that the tokenizer does not know, with that share."""
    unknown = getattr(getattr(model, "tokenizer", None), "unk_token_id", None)
    if unknown is None or not hasattr(model, "tok_encode"):
        return {}
    shares = {}
    for name, task in tasks.items():
        ids = _tokens_of(model, task)
        if ids and (share := ids.count(unknown) / len(ids)) > _MOST_UNKNOWN:
            shares[name] = share
    return shares


def _length_if_cut(model: Any, request: Any, count_tokens: Callable[[str], int]) -> int:
    """The tokens of a prompt that lm-eval cuts to what the longest answer leaves of the window; 0 if it fits."""
    text, room = text_of(request.args), model.max_length - limit_of(request, model)
    length = count_tokens(text) if len(text.encode()) > room else 0  # a token has a byte at least
    return length if length > room else 0


def check_api_window(model: Any, tasks: Tasks) -> None:
    """Refuses, before anything is sent, prompts that lm-eval's own API models would cut or drop.

    They assume a window of 2,047 tokens unless the user names one, and cut each prompt to what the answer leaves of it, which
    may be nothing. The requests must have been made.
    """
    from lm_eval.models.api_models import TemplateAPI

    if not isinstance(model, TemplateAPI) or not model.tokenized_requests or (count := token_counter(model)) is None:
        return
    for name, task in tasks.items():
        requests = [request for request in task.instances if request.request_type == GENERATION]
        if longest := max((_length_if_cut(model, request, count) for request in requests), default=0):
            answer = max(limit_of(request, model) for request in requests)
            raise RunError(
                f"{name}: prompts of up to {longest:,} tokens and answers of up to {answer:,} do not fit the window of "
                f"{model.max_length:,} that lm-eval assumes, and would be cut or sent empty: give the server's own window, "
                f"--model_args max_length=N with at least {longest + answer + 1:,}, or a smaller --gen_kwargs max_gen_toks=N"
            )


def cut_shares(model: Any, tasks: Tasks) -> dict[str, float]:
    """Tasks with prompts whose beginning a local model cuts off, with their share of the rows.

    Ranking tasks cut prompts themselves, and mark the requests.
    """
    count = token_counter(model) if getattr(model, "backend", "causal") == "causal" else None

    def is_cut(request: Any) -> bool:
        if count is None or request.request_type != GENERATION:
            return bool(getattr(request, "prompt_was_cut", False))
        return bool(_length_if_cut(model, request, count))

    requests = {name: task.instances or [] for name, task in tasks.items()}
    cut = {name: {request.doc_id for request in own if is_cut(request)} for name, own in requests.items()}
    return {name: len(rows) / len({request.doc_id for request in requests[name]}) for name, rows in cut.items() if rows}


def document_shares(tasks: Tasks) -> dict[str, float]:
    """Tasks with documents whose end was cut off to fit the model's window, with their share of the rows."""
    cut = {name: [getattr(request, "kept_share", 1.0) < 1 for request in task.instances or []] for name, task in tasks.items()}
    return {name: sum(rows) / len(rows) for name, rows in cut.items() if any(rows)}


def fault_of_vocabulary(model: Any) -> str | None:
    """A message if tokenizer and embeddings differ in size by more than padding explains; None if not."""
    has = _embeddings_of(model)
    if has is None or not hasattr(model, "tokenizer"):
        return None
    knows = len(model.tokenizer)
    if abs(has - knows) <= _PADDED * max(has, knows):
        return None
    return f"the tokenizer has {knows:,} tokens and the model {has:,}"


def check_prefix(model: Any) -> None:
    """Refuses a local model whose tokenizer has no token to begin a text; ranking would fail on `None`."""
    if model.prefix_token_id is None:
        raise RunError(
            f"the tokenizer of {model.tokenizer.name_or_path} has neither a bos_token nor an eos_token, and a request begins "
            "with one: add it to tokenizer_config.json"
        )


def check_vocabulary(model: Any, tasks: Tasks) -> None:
    """Refuses prompts with tokens that a model of transformers has no embedding of: on a GPU the error would name neither."""
    has = _embeddings_of(model)
    if has is None or not hasattr(model, "tok_encode"):
        return
    for name, task in tasks.items():
        if (highest := max(_tokens_of(model, task), default=0)) >= has:
            raise RunError(
                f"{name}: the prompts have the token {highest:,} ({model.tokenizer.decode([highest])!r}), but the model has "
                f"embeddings for only {has:,}; give it the tokenizer it was trained with, --model_args tokenizer=FOLDER"
            )


def _embeddings_of(model: Any) -> int | None:
    """How many tokens a transformers model has embeddings of; None for other models, or if it does not say."""
    embeddings = getattr(getattr(model, "model", None), "get_input_embeddings", None)
    try:
        number = getattr(embeddings(), "num_embeddings", None) if embeddings else None
    except Exception:  # models that keep their embeddings elsewhere can raise anything
        return None
    return number if isinstance(number, int) else None


def reads_ahead(model: Any) -> bool:
    """Whether a transformers model's predictions depend on later tokens, as those of encoders such as BERT do."""
    if getattr(model, "backend", None) != "causal" or model.world_size > 1 or not hasattr(model, "_model_call"):
        return False
    tokens = model.tok_encode("1 2 3 4 5 6 7 8")[:8]
    if len(tokens) < 3:
        return False
    import torch

    try:
        first, second = (model._model_call(torch.tensor([tokens[:-1] + [last]], device=model.device)) for last in tokens[-2:])
    except Exception:  # models can raise anything; the first request will show it
        return False
    rounding = max(_ROUNDING, 4 * torch.finfo(first.dtype).eps)  # of 16 bits, in mixtures of experts
    before, after = first[0, :-1].float(), second[0, :-1].float()
    return bool((before - after).norm() > rounding * before.norm())


def advice(backend: str, model: Any, workload: Workload) -> Iterator[str]:
    """One line for each change that makes the run faster with the same numbers."""
    faster = FASTER_FOR_RANKING.get(backend)
    if faster and workload.ranked and not (backend == "hf" and (model.backend != "causal" or find_obstacle(model.model))):
        yield f"--model {faster} gives the same numbers and reads shared prefixes only once (docs/backends.md)"
    if backend.startswith("vllm") and workload.generated > 1 and model.batch_size == 1:
        yield "--batch_size auto has vLLM write many answers at a time; by default it writes one after the other"


def _rounded(number: float) -> str:
    for size, name in ((1e9, "billion"), (1e6, "million")):
        if number >= size:
            return f"{number / size:.1f} {name}"
    digits = max(0, len(f"{number:.0f}") - 3)
    return f"{round(number / 10**digits) * 10**digits:,}"
