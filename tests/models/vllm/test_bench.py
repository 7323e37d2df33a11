"""The benchmark of the backends, on vLLM."""

import json
import sys

import pytest

pytest.importorskip("vllm", reason="vLLM has an environment of its own: bash scripts/test_vllm.sh")


def test_a_run(tmp_path, monkeypatch, capsys):
    """Both backends; the printed table and the saved lines are the same figures."""
    import bench_backend
    import bench_workloads
    from backend_table import render

    monkeypatch.setitem(bench_workloads.SHAPES, "40m", ("llama", 64, 96, 2, 2, 1, 4000))
    saved = tmp_path / "figures.jsonl"
    arguments = ["three-labels", "--engine", "vllm", "--rows", "2", "--save", str(saved)]
    monkeypatch.setattr(sys, "argv", ["bench_backend.py", *arguments])
    bench_backend.main()
    found = json.loads(saved.read_text(encoding="utf-8"))
    assert capsys.readouterr().out == render([found])
    shared = found["vllm-shared-prefix"]
    assert shared["work"]["verification"] > 0
    assert shared["tokens"] == shared["work"]["forwarded"] + shared["work"]["verification"]
    assert found["vllm"]["tokens"] > 3 * shared["tokens"]
    assert found["same_predictions"] == found["same_greedy"] == 1
