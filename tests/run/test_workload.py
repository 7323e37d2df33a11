"""What a run reports before its first answer, and how requests reach the backend."""

from collections import namedtuple
from types import SimpleNamespace

import pytest
from lm_eval.api.instance import Instance
from lm_eval.api.model import CacheHook
from lm_eval.api.registry import get_model
from lm_eval.config.task import TaskConfig
from lm_eval.tasks import TaskManager

from lm_eval_sea.catalogue.task_index import add_entries, entries_of_lm_eval, leaf_names, path_of, read_with_functions
from lm_eval_sea.results.power import Planned, limit_to_see, seen_on_mean
from lm_eval_sea.run.answering import PART, PART_ON_CPU, AnsweringModel
from lm_eval_sea.run.request import RunError
from lm_eval_sea.run.workload import (
    Workload,
    advice,
    by_language,
    check_api_window,
    language_of,
    planned,
    said_by_language,
    text_of,
    workload_of,
)


def ranking(text, continuation="no", repeats=1):
    return Instance("loglikelihood", {}, (text, continuation), 0, metadata=("task", 0, repeats))


def generation(text, longest=7, repeats=1):
    return Instance("generate_until", {}, (text, {"until": ["\n"], "max_gen_toks": longest}), 0, metadata=("task", 0, repeats))


def test_requests_and_tokens_are_counted_with_repeats():
    tasks = [[ranking("a b c", " d"), ranking("a b c", " e f")], [generation("a b", repeats=3)], []]
    found = sum((workload_of(requests, lambda text: len(text.split())) for requests in tasks), Workload())
    assert (found.tasks, found.ranked, found.generated, found.read, found.written) == (2, 2, 3, 4 + 5 + 3 * 2, 3 * 7)
    said = "5 requests of 2 tasks (2 to rank texts, 3 to generate): about 15 tokens to read, at most 21 tokens to write"
    assert str(found) == said


def test_many_requests_are_estimated_from_a_sample():
    """The lengths rise evenly, so evenly spaced ones have the mean of all, except for one step."""
    requests = [ranking("x" * number, "") for number in range(10_000)]
    counted = []
    found = workload_of(requests, lambda text: counted.append(text) or len(text))
    assert found.ranked == 10_000
    assert len(counted) <= 40
    assert found.read == pytest.approx(sum(range(10_000)), rel=0.03)


def test_small_tasks_are_counted_exactly(load_tasks):
    """Without a tokenizer, characters are counted."""
    tasks = load_tasks("sea_flores_en_th", "sea_tydiqa_id")
    for task in tasks.values():
        task.build_all_requests(limit=None)
    found = sum((workload_of(task.instances, None) for task in tasks.values()), Workload())
    assert found.generated == sum(len(task.eval_docs) for task in tasks.values())
    read = {name: sum(len(text_of(one.args)) for one in task.instances) for name, task in tasks.items()}
    assert found.read == sum(read.values())
    assert "characters to read" in str(found)
    workloads = by_language((language_of(task), workload_of(task.instances, None)) for task in tasks.values())
    assert {name: of.read for name, of in workloads.items()} == {"th": read["sea_flores_en_th"], "id": read["sea_tydiqa_id"]}


@pytest.mark.parametrize(("stated", "default"), [({"max_new_tokens": 1990}, 256), ({}, 1990)])
def test_prompts_that_leave_no_room_for_the_answer(stated, default, tiny_model):
    """Also if the task names its limit in another way, or has none."""
    where = {"model": str(tiny_model), "base_url": "http://127.0.0.1:9/v1/completions", "tokenizer_backend": "huggingface"}
    model = get_model("local-completions")(**where, max_gen_toks=default)
    task = SimpleNamespace(instances=[Instance("generate_until", {}, ("a b " * 100, stated), 0, metadata=("task", 0, 1))])
    with pytest.raises(RunError, match=r"^own: prompts of up to [\d,]+ tokens and answers of up to 1,990 do not fit the window"):
        check_api_window(model, {"own": task})


def test_tokens_by_language():
    parts = {"th": Workload(1, generated=2, read=4_200, written=14), "en": Workload(1, ranked=2, read=150)}
    assert said_by_language(parts) == "tokens to read by language: th 4,200 (to write: 14); en 150"


def test_lm_evals_own_tasks_are_planned_as_they_count_in_means(load_tasks):
    """INCLUDE's parts are one task with four options. Tasks that are in no mean are not planned."""
    manager = TaskManager(include_defaults=False)
    entries = entries_of_lm_eval("include/default")
    add_entries(manager, entries, entries)
    parts = leaf_names(manager, "include_base_44_indonesian")
    configs = {name: read_with_functions(path_of(manager, name)) for name in parts}
    configs["some_other_task"] = configs[parts[0]] | {"task": "some_other_task"}
    tasks = {
        name: SimpleNamespace(OUTPUT_TYPE="multiple_choice", config=TaskConfig(**config), instances=[ranking("a b")])
        for name, config in configs.items()
    }
    tasks |= load_tasks("sea_belebele_id_to_ppl")
    found = planned(tasks, lambda task: 100 if task.config.task in parts else 500)
    assert len(found) == len(parts) + 1
    assert seen_on_mean(found) == pytest.approx(seen_on_mean([Planned(500, 0.25), Planned(100 * len(parts), 0.25)]))
    assert language_of(tasks[parts[0]]) == "id"
    of_parts = planned({name: tasks[name] for name in parts}, lambda task: 400)
    assert limit_to_see(90, of_parts) == 10, "a letter is no label: rows count alike, whichever is right"


@pytest.mark.parametrize(
    ("task", "labels"),
    [
        ("sea_wisesight_th", 3),  # calibrated
        ("sea_wisesight_th_chat", 1),
        ("sea_helm_id_sentiment", 3),  # balanced accuracy, of written labels …
        ("sea_helm_id_sentiment_ppl", 3),  # … and of ranked ones
        ("sea_belebele_id_litilo_ppl", 1),
    ],
)
def test_rows_per_label_of_balanced_and_calibrated_tasks(task, labels, load_tasks):
    assert limit_to_see(90, planned(load_tasks(task), lambda task: 400)) == 10 * labels


class Backend:
    """Stands for a backend of lm-eval."""

    rank, tokenizer, backend, batch_size, data_parallel_size = 0, None, "seq2seq", "auto", 1

    def __init__(self, on_cpu=False):
        self.cache_hook, self.asked, self.on_cpu = CacheHook(None), [], on_cpu

    def set_cache_hook(self, hook):
        self.cache_hook = hook

    def loglikelihood(self, requests):
        self.asked.append(requests)
        return [(float(len(request.args[0])), True) for request in requests]

    loglikelihood_rolling = generate_until = loglikelihood


@pytest.mark.parametrize(
    ("name", "on_cpu", "parts"),
    [
        ("hf", True, [PART * 2 + 1]),
        ("vllm", False, [PART, PART, 1]),
        ("vllm", True, [PART_ON_CPU] * (PART * 2 // PART_ON_CPU) + [1]),
    ],
)
def test_answers_of_several_parts_keep_their_order(name, on_cpu, parts):
    model = Backend(on_cpu)
    hook = model.cache_hook
    requests = [ranking("x" * (number % 7)) for number in range(PART * 2 + 1)]
    answers = AnsweringModel(model, name, {}).loglikelihood(requests)
    assert [length for length, _ in answers] == [number % 7 for number in range(len(requests))]
    assert [len(part) for part in model.asked] == parts
    assert model.cache_hook is hook


def test_short_answers_do_not_wait_for_long_ones():
    """vLLM returns no answer of a part before its longest is complete."""
    model = Backend()
    limits = [4096 if number % 64 == 0 else 32 for number in range(PART + PART // 2)]
    requests = [generation("x" * number, longest=limit) for number, limit in enumerate(limits)]
    answers = AnsweringModel(model, "vllm", {}).generate_until(requests)
    assert [length for length, _ in answers] == [len(request.args[0]) for request in requests]
    assert [max(request.args[1]["max_gen_toks"] for request in part) for part in model.asked] == [32, 4096]


@pytest.mark.parametrize(
    ("backend", "batch_size", "workload", "named"),
    [
        ("vllm", 1, Workload(generated=2), ["--batch_size auto"]),
        ("vllm", 1, Workload(generated=2, ranked=2), ["--model vllm-shared-prefix", "--batch_size auto"]),
        ("vllm-shared-prefix", 1, Workload(generated=2), ["--batch_size auto"]),
        ("vllm-shared-prefix", 1, Workload(ranked=2), []),
        ("vllm-shared-prefix", "auto", Workload(generated=2), []),
        ("hf-shared-prefix", 1, Workload(generated=2), []),
    ],
)
def test_faster_settings_are_suggested(backend, batch_size, workload, named):
    model = namedtuple("Model", "batch_size")(batch_size)
    lines = advice(backend, model, workload)
    assert [name for name, line in zip(named, lines, strict=True) if name in line] == named
