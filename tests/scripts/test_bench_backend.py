"""The benchmark of the backend: what it counts, and how it is shown."""

import json
import multiprocessing
import subprocess
import sys
from pathlib import Path

import pytest
from backend_table import render

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


@pytest.mark.slow
def test_memory_is_the_peak_since_the_beginning():
    # in a process of its own: here an earlier test may have left free memory that no peak shows
    code = """if True:
        import torch
        from bench_backend import Memory
        torch.ones(60_000_000)  # before
        memory = Memory("cpu")
        torch.ones(25_000_000)
        print(memory.peak())
    """
    run = subprocess.run([sys.executable, "-c", code], cwd=SCRIPTS, capture_output=True, text=True, timeout=120)
    assert 95e6 < float(run.stdout) < 130e6, run.stderr


@pytest.mark.slow
@pytest.mark.parametrize("workload", ["three-labels", "sea_m3exam_jv_litilo_gen"])
def test_a_run(workload, tmp_path, monkeypatch, capsys):
    """Both backends; the printed table and the saved lines are the same figures. Texts are of the hand-written rows."""
    import bench_backend
    import bench_workloads

    monkeypatch.chdir(bench_workloads.SAMPLES)
    monkeypatch.setitem(bench_workloads.SHAPES, "40m", ("llama", 32, 48, 2, 2, 1, 4000))
    saved = tmp_path / "figures.jsonl"
    arguments = [workload, "--rows", "2", "--batch_size", "2", "--threads", "1", "--save", str(saved)]
    texts = ["--texts"] if workload.endswith("_gen") else []
    monkeypatch.setattr(sys, "argv", ["bench_backend.py", *texts, *arguments])
    fork = multiprocessing.get_context("fork")  # which need not import all libraries anew
    monkeypatch.setattr(multiprocessing, "get_context", lambda _: fork)
    bench_backend.main()
    found = json.loads(saved.read_text(encoding="utf-8"))
    assert capsys.readouterr().out == render([found])
    shared = found["hf-shared-prefix"]
    if texts:
        assert found["equal_texts"] == found["rows"] == 2
        assert 0 < shared["kept"] <= shared["tokens"]
        return
    assert shared["plain_seconds_of_a_token"] > 0
    assert found["hf"]["tokens"] > 3 * shared["work"]["forwarded"]
    assert shared["tokens"] == shared["work"]["forwarded"] + shared["work"]["verification"]
    assert found["same_predictions"] == found["same_greedy"] == 1
    assert found["differences"]["prompts"]["of"] > found["differences"]["options"]["of"]


def record(rows=5, **more):
    side = {"seconds": 10.0, "batch_size": 8, "bytes": 0, "tokens": 100}
    shared = {"plain_seconds_of_a_token": 0.08, "work": {"distinct": 100, "forwarded": 110, "verification": 5}}
    setting = {"model": "Llama", "dtype": "float32", "device": "CPU", "threads": 2, "versions": {}}
    return {
        "setting": setting, "workload": "a task", "rows": rows, "times_faster": [4.0],
        "hf": side | {"seconds": 40.0}, "hf-shared-prefix": side | shared,
        "differences": {"options": None, "prompts": None}, "same_predictions": 1.0, "same_greedy": 1.0, **more,
    }  # fmt: skip


def rows_of(*records):
    header, _, *rows = (line.strip("| ").split(" | ") for line in render(records).splitlines()[2:])
    return [dict(zip(header, row, strict=True)) for row in rows]


def test_what_a_row_says():
    (row,) = rows_of(record(times_faster=[3.0, 4.0, 6.04]))
    assert row["times faster"] == "4.0 (3.0–6.0)"
    assert row["work, shared (self-check)"] == "1.10 (+0.05)"
    assert row["of the limit"] == "80%"  # 100 tokens of 0.08 s in 10 s
    last = record()
    last["hf"]["seconds"] = 60.0
    rows = rows_of(record(), record(7), last)
    assert [(row["rows"], row["times faster"]) for row in rows] == [("5", "6.0"), ("7", "4.0")], "of as many rows the last counts"
