"""Plans to try."""

import subprocess
from pathlib import Path
from typing import Any

import yaml

from tests.processes import begin


def write_plan(path: Path, **changes: Any) -> Path:
    """A plan of two models and one task; `changes` replaces keys, None removes one."""
    content = {
        "output": str(path.parent / "out"),
        "backend": "hf",
        "models": [{"name": name, "model_args": {"pretrained": str(path.parent / name)}} for name in ("a", "b")],
        "tasks": ["sea_xcopa_th_to_ppl"],
        "run": {"device": "cpu", "batch_size": 4},
    }
    content = {key: value for key, value in (content | changes).items() if value is not None}
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return path


def start_sweep(folder: Path, output: Path, samples: Path, *arguments: object, **changes: Any) -> subprocess.Popen:
    """A sweep in a process of its own, whose plan lies beside its models and writes to `output`."""
    plan = write_plan(folder / f"{output.name}.yaml", output=str(output), **changes)
    return begin("lm_eval_sea", "sweep", plan, *arguments, cwd=samples)
