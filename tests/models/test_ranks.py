"""Requests shared out among several processes; `tests/tasks/test_runs.py` starts real processes."""

import threading
from concurrent.futures import ThreadPoolExecutor

from accelerate import Accelerator
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea.models import SharedPrefixLM, batch_encoding, ranks
from lm_eval_sea.models.attention import plain_attention
from lm_eval_sea.models.prefix_tree import sort_key

from .conftest import answer, ask, assert_equal, make_model, ranking_requests


def distinct(sequences):
    return len({sequence[:end] for sequence in sequences for end in range(1, len(sequence) + 1)})


@given(st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=12).map(tuple), max_size=30), st.integers(1, 5))
def test_processes_get_equal_shares(sequences, parts):
    """As equal as whole sequences allow. A beginning shared by two parts is computed in both."""
    dealt, longest = ranks.deal_out(list(map(sort_key, sequences)), parts), max(map(len, sequences), default=0)
    assert sorted(number for part in dealt for number in part) == list(range(len(sequences)))
    found = [[sequences[number] for number in part] for part in dealt]
    assert sum(len(set(part)) for part in found) == len(set(sequences))
    assert all(distinct(part) <= distinct(sequences) / parts + 2 * longest for part in found)
    assert sum(map(distinct, found)) <= distinct(sequences) + (parts - 1) * longest


def in_processes(monkeypatch, works):
    """Runs functions in threads that exchange objects as processes do."""
    here, meeting, brought = threading.local(), threading.Barrier(len(works)), {}

    def gather_object(objects):
        brought[here.process_index] = objects
        meeting.wait(60)
        found = [each for process in range(len(works)) for each in brought[process]]
        meeting.wait(60)
        return found

    def begin(process, work):
        here.process_index = process
        try:
            work()
        except Exception as failure:
            failures.append(failure)
            meeting.abort()

    failures = []
    monkeypatch.setattr(ranks, "gather_object", gather_object)
    monkeypatch.setattr(ranks, "PartialState", lambda: here)
    with ThreadPoolExecutor(len(works)) as pool:
        list(pool.map(begin, range(len(works)), works))
    if failures:
        raise failures[0]


def test_a_process_without_requests_helps_the_others(tokenizers, monkeypatch):
    """One process has all its answers from a cache and waits; the other asks in several parts."""
    requests = ranking_requests(12)
    options = {"tokenizer": tokenizers[False], "batch_size": 4, "max_length": 256}
    lms = [SharedPrefixLM(make_model("llama", len(tokenizers[False])), **options) for _ in "ab"]
    _, expected = answer(SharedPrefixLM, lms[0].model, tokenizers[False], requests)
    monkeypatch.setattr(batch_encoding, "PART", 3000)
    kept = [{}, {}]
    for lm, by_lm in zip(lms, kept, strict=True):
        lm._world_size, lm._deals, lm.accelerator = 2, True, Accelerator(cpu=True)
        lm.cache_hook.add_partial = lambda _, request, answer, by_lm=by_lm: by_lm.update({request: answer})
    answers = []

    def asking():
        answers.extend(ask(lms[0], requests))
        lms[0].barrier()

    with plain_attention():  # it switches settings of the whole process, which two threads would restore in any order
        in_processes(monkeypatch, [asking, lms[1].barrier])
    assert_equal(answers, expected)
    assert kept == [dict(zip(requests, answers, strict=True)), {}]
    first, second = (lm.work.forwarded for lm in lms)
    assert 0.5 < first / second < 2
