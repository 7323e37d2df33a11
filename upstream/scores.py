"""Scores of a model before and after a patch: `python upstream/scores.py CHECKOUT PATCH MODEL TASK[:SOME:ROWS] ... [-- FLAGS]`.

`xnli_th:500:2490` stands for 500 of the 2,490 rows, evenly spaced; a task without numbers for all its rows. FLAGS go to
`lm_eval run`, such as `--gen_kwargs max_gen_toks=200`. Both runs are made in clones of CHECKOUT with `hf-shared-prefix` in
float32, zero-shot unless the task says otherwise. They share lm-eval's cache, so that only requests that the patch changes are
computed twice. Rows come from the hub or, with SEA_HUB_MIRROR, from a folder laid out like it. Intervals are of 95 %; that of a
difference is over the rows' differences.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import fmean

import check
import numpy as np
from scipy import stats

LM_EVAL = "import lm_eval_sea.models; from lm_eval.__main__ import cli_evaluate; cli_evaluate()"


def main(checkout: str, name: str, model: str, tasks: list[str], flags: list[str]) -> None:
    """Prints a row of a table for each task and metric."""
    (patch,) = (patch for patch in check.PATCHES if name in patch.stem)
    print("| task | rows | metric | before | after | difference | rows up | rows down |\n|---|--:|---|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        runs = []
        new = [task for task in tasks if f"\n+task: {task.split(':')[0]}\n" in patch.read_text(encoding="utf-8")]
        for when, applied in (("before", []), ("after", [patch])):
            clone = check.clone_of(checkout, work / when)
            if not all(check.apply(part, clone) for part in [*check.prerequisites(patch), *applied]):
                sys.exit(f"{patch.name} does not apply")
            check.link_rows(clone)
            there = [task for task in tasks if applied or task not in new]
            runs.append(scores(clone, model, there, [*flags, "--use_cache", str(work / "answers")]) if there else {})
    for (task, metric), after in runs[1].items():
        print(f"| `{task}` | {len(after)} | {metric} | {compared(runs[0].get((task, metric)), after)} |", flush=True)


def scores(clone: Path, model: str, tasks: list[str], flags: list[str]) -> dict[tuple[str, str], dict[int, float]]:
    """(task, metric) → row → score."""
    parts = [task.split(":") for task in tasks]
    rows = {part[0]: spread(int(part[1]), int(part[2])) for part in parts if len(part) > 1}
    command = [sys.executable, "-c", LM_EVAL, "run", "--model", "hf-shared-prefix", "--model_args"]
    command += [f"pretrained={model},dtype=float32", "--batch_size", "8", "--tasks", ",".join(part[0] for part in parts)]
    command += ["--log_samples", "--output_path", "scores", *(["--samples", json.dumps(rows)] if rows else []), *flags]
    try:
        check.run(command, clone)
    except subprocess.CalledProcessError as error:
        sys.exit(error.stderr[-3000:])
    found: dict[tuple[str, str], dict[int, float]] = {}
    for path in (clone / "scores").rglob("samples_*.jsonl"):
        task = next(part[0] for part in parts if path.name.startswith(f"samples_{part[0]}_20"))
        for sample in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            for metric in sample["metrics"]:
                if isinstance(sample[metric], int | float):
                    key = (task, f"{metric} ({sample['filter']})" if sample["filter"] != "none" else metric)
                    found.setdefault(key, {})[sample["doc_id"]] = float(sample[metric])
    return found


def spread(some: int, rows: int) -> list[int]:
    """Positions of `some` rows of all, evenly spaced."""
    return [place * rows // some for place in range(some)]


def compared(before: dict[int, float] | None, after: dict[int, float]) -> str:
    """The cells of a task's scores in per cent."""
    if before is None:
        return f"– | {percent(list(after.values()))} | – | – | –"
    if set(before) != set(after):
        raise ValueError("the rows before and after are not the same")
    changes = [after[row] - before[row] for row in after]
    up, down = sum(change > 0 for change in changes), sum(change < 0 for change in changes)
    return f"{percent(list(before.values()))} | {percent(list(after.values()))} | {percent(changes, '+')} | {up} | {down}"


def percent(values: list[float], sign: str = "") -> str:
    """The mean in percent with its interval: Wilson's of a share, otherwise t; none where no row changes."""
    mean = fmean(values)
    if sign and not any(values):
        return "0"
    if set(values) <= {0.0, 1.0} and not sign:
        low, high = stats.binomtest(round(sum(values)), len(values)).proportion_ci(method="wilson")
    else:
        half = stats.t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / len(values) ** 0.5
        low, high = mean - half, mean + half
    return f"{100 * mean:{sign}.1f} [{100 * low:{sign}.1f}, {100 * high:{sign}.1f}]"


if __name__ == "__main__":
    given, flags = sys.argv[1:], []
    if "--" in given:
        given, flags = given[: given.index("--")], given[given.index("--") + 1 :]
    if len(given) < 4:
        sys.exit("Name a checkout, a patch, a model and tasks: python upstream/scores.py CHECKOUT PATCH MODEL TASK ...")
    folder, name, model, *tasks = given
    main(str(Path(folder).resolve()), name, str(Path(model).resolve()) if Path(model).exists() else model, tasks, flags)
