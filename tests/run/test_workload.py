"""What is said of a run before its first answer, and of its pace."""

from collections import namedtuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lm_eval.api.instance import Instance
from lm_eval.api.model import CacheHook
from lm_eval.tasks import TaskManager

from lm_eval_sea.catalogue.task_list import TASKS_FOLDER
from lm_eval_sea.run.answering import PART, Answering
from lm_eval_sea.run.lm_eval_cli import asked_through
from lm_eval_sea.run.pace import Pace, in_words
from lm_eval_sea.run.workload import text_of, workload_of

Chat = namedtuple("Chat", "prompt")  # as lm-eval hands prompts to an API that chats


def ranking(text, continuation="no", repeats=1):
    return Instance("loglikelihood", {}, (text, continuation), 0, metadata=("task", 0, repeats))


def generation(text, longest=7, repeats=1):
    return Instance("generate_until", {}, (text, {"until": ["\n"], "max_gen_toks": longest}), 0, metadata=("task", 0, repeats))


def test_requests_and_tokens_are_counted_with_repeats():
    tasks = [[ranking("a b c", " d"), ranking("a b c", " e f")], [generation("a b", repeats=3)], []]
    found = workload_of(tasks, lambda text: len(text.split()))
    assert (found.tasks, found.ranked, found.generated, found.read, found.written) == (2, 2, 3, 4 + 5 + 3 * 2, 3 * 7)
    assert (
        str(found)
        == "5 requests of 2 tasks (2 to rank texts, 3 to generate): about 15 tokens to read, at most 21 tokens to write"
    )


def test_without_a_tokenizer_characters_are_counted():
    found = workload_of([[generation(Chat("ab"))]], None)
    assert found.read == 2
    assert "about 2 characters to read" in str(found)


def test_many_requests_are_counted_from_some_of_them():
    """Lengths that rise evenly: the mean of evenly spaced ones is that of all, but for one step."""
    requests = [ranking("x" * number, "") for number in range(10_000)]
    counted = []
    found = workload_of([requests], lambda text: counted.append(text) or len(text))
    assert found.ranked == 10_000
    assert len(counted) <= 40
    assert found.read == pytest.approx(sum(range(10_000)), rel=0.03)


def test_the_count_of_real_tasks_is_that_of_their_requests(samples, monkeypatch):
    monkeypatch.chdir(samples)
    tasks = TaskManager(include_path=str(TASKS_FOLDER), include_defaults=False).load(["sea_flores_en_th", "sea_tydiqa_id"])[
        "tasks"
    ]
    for task in tasks.values():
        task.build_all_requests(limit=None)
    found = workload_of((task.instances for task in tasks.values()), len)
    rows = sum(len(task.eval_docs) for task in tasks.values())
    assert found.generated == rows > 0
    # there are fewer rows than are counted at most, so the count is exact
    assert found.read == pytest.approx(sum(len(text_of(one.args)) for task in tasks.values() for one in task.instances))


@given(st.lists(st.text("ab", max_size=6), min_size=1, max_size=30))
def test_common_beginnings_are_counted_once(texts):
    """The distinct characters are the distinct beginnings of all texts."""
    found = workload_of([[ranking(text, "") for text in texts]], None)
    distinct = {text[:end] for text in texts for end in range(1, len(text) + 1)}
    assert (found.ranked_characters, found.distinct_characters) == (sum(map(len, texts)), len(distinct))
    assert found.times_less == (found.ranked_characters / len(distinct) if distinct else 1)


def test_the_pace_of_batches_whose_length_falls():
    """Batches of two take one second for 10 characters; the time that is said is what the rest will take."""
    requests = [ranking("x" * (400 - 2 * (number // 2)), "") for number in range(400)]
    now, said, kept = [0.0], [], []
    hook = namedtuple("Hook", "add_partial")(lambda *answer: kept.append(answer))
    pace = Pace(hook, "loglikelihood", requests, lambda line: said.append((now[0], line)), lambda: now[0])
    for number, request in enumerate(requests):
        if number % 2 == 0:
            now[0] += 2 * len(request.args[0]) / 10
        pace.add_partial("loglikelihood", request.args, (0.0, False))
    [(when, line)] = said
    minutes = (now[0] - when) / 60
    assert float(line.split()[1]) / (60 if "hours" not in line else 1) * 60 == pytest.approx(minutes, rel=0.1)
    assert len(kept) == 400


def test_a_short_rest_is_not_mentioned():
    said = []
    now = iter(range(0, 1000, 10))
    pace = Pace(CacheHook(None), "generate_until", [generation("x")] * 5, said.append, lambda: next(now))
    for _ in range(5):
        pace.add_partial("generate_until", generation("x").args, "y")
    assert said == []


def test_durations():
    assert [in_words(seconds) for seconds in (60, 119, 5000, 9000)] == ["1 minute", "2 minutes", "83 minutes", "2.5 hours"]


class Backend:
    """Stands for a backend of lm-eval."""

    rank, tokenizer, backend, batch_size, data_parallel_size = 0, None, "seq2seq", "auto", 1

    def __init__(self):
        self.cache_hook, self.asked = CacheHook(None), []

    def set_cache_hook(self, hook):
        self.cache_hook = hook

    def loglikelihood(self, requests):
        self.asked.append(len(requests))
        return [(float(len(request.args[0])), True) for request in requests]

    loglikelihood_rolling = generate_until = loglikelihood


@pytest.mark.parametrize(("name", "parts"), [("hf", [PART * 2 + 1]), ("vllm", [PART, PART, 1])])
def test_answers_come_in_order_whatever_the_parts(name, parts, monkeypatch):
    from lm_eval.api import registry

    monkeypatch.setattr(registry, "get_model", lambda _: Backend)
    before, hook = Backend.loglikelihood, CacheHook(None)
    model = Backend()
    model.cache_hook = hook
    requests = [ranking("x" * (number % 7)) for number in range(PART * 2 + 1)]
    with asked_through(name, Answering(name, {})):
        answers = model.loglikelihood(requests)
    assert [length for length, _ in answers] == [number % 7 for number in range(len(requests))]
    assert model.asked == parts
    assert model.cache_hook is hook
    assert Backend.loglikelihood is before
