#!/usr/bin/env python3
"""Measures what calibration does to a model: accuracy and macro-F1 of label tasks, by method, with 0 and 3 exemplars.

The tasks are those of SailCompass, with native and with English prompts, and native ones of each other data set with labels.

`run` asks the model and stores the log-likelihoods of each row, one line per task and number of exemplars; what is stored
already is not asked again. Rows come from the hub, or from folders OWNER/NAME below the current one. `table` computes every
method from the stored numbers and writes docs/calibration_figures.md.

Examples:
    python scripts/measure_calibration.py run --model_args pretrained=gemma-3-270m,dtype=float32 --name gemma-3-270m
    python scripts/measure_calibration.py table
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from lm_eval.api.task import Task

from lm_eval_sea.catalogue.task_list import TASKS_FOLDER
from lm_eval_sea.tasks._shared.metrics.calibration import batch_biases, content_free_log_shares, log_softmax, subtract_bias
from lm_eval_sea.tasks._shared.metrics.calibration_zhao import pooled_content_free_log_shares
from lm_eval_sea.tasks._shared.metrics.classification_metrics import Choice, macro_f1
from lm_eval_sea.tasks._shared.metrics.ranking import first_maximum

STORE = Path(__file__).resolve().parent / "measured_calibration.jsonl"
PAGE = Path(__file__).resolve().parents[1] / "docs" / "calibration_figures.md"
SAILCOMPASS = ("indolem_id", "wisesight_th", "vsmec_vi", "xnli_th", "xnli_vi", "indonli_id")
SIB200 = tuple(f"sib200_{language}" for language in ("id", "th", "vi", "my", "km", "jv"))
OTHERS = (*SIB200, "nusax_id", "nusax_jv", "nusax_su", "smsa_id", "emot_id", "myxnli_my")
TASKS = [
    *(f"sea_{name}" for name in SAILCOMPASS),
    *(f"sea_{name}_enprompt" for name in SAILCOMPASS),
    *(f"sea_{name}" for name in OTHERS),
]
INPUTS = ("N/A", "empty", "[MASK]")
DRAWS = 2000
SEED = 1234


class Measurement(NamedTuple):
    """What a model says of the rows of a task: natural logarithms of probabilities of labels."""

    model: str
    task: str
    shots: int
    content_free: list[list[float]]  # behind each prompt without content, shape (inputs, labels)
    cue: list[float]  # behind the answer cue alone
    golds: list[int]  # the right labels of the rows
    loglikelihoods: list[list[float]]  # behind each row, shape (rows, labels)


def choices(measured: Measurement) -> dict[str, list[int]]:
    """The labels that each method chooses: method → index of a label per row."""
    biases = {
        "acc": [0.0] * len(measured.cue),
        "acc_cc": content_free_log_shares(measured.content_free),
        "acc_cc_zhao": pooled_content_free_log_shares(measured.content_free),
        "acc_pmi": measured.cue,
        "acc_bc": batch_biases(measured.loglikelihoods),
    }
    biases |= {f"acc_cc, {text} only": bias for text, bias in zip(INPUTS, measured.content_free, strict=True)}
    return {
        method: [first_maximum(subtract_bias(of_row, bias)) for of_row in measured.loglikelihoods]
        for method, bias in biases.items()
    }


def paired_interval(golds: Sequence[int], chosen: Sequence[int], plain: Sequence[int], labels: int) -> tuple[float, float]:
    """95 % bootstrap interval of macro-F1 of `chosen` minus macro-F1 of `plain`, both on the same resampled rows."""
    generator = np.random.default_rng(SEED)
    golds, chosen, plain = map(np.asarray, (golds, chosen, plain))

    def scores(predicted: np.ndarray, draws: np.ndarray) -> np.ndarray:
        """Macro-F1 of each draw: mean over labels of 2 TP / (rows of the label + rows given the label)."""
        total = np.zeros(len(draws))
        for label in range(labels):
            right = ((golds == label) & (predicted == label))[draws].sum(1)
            both = (golds == label)[draws].sum(1) + (predicted == label)[draws].sum(1)
            total += np.divide(2 * right, both, out=np.zeros(len(draws)), where=both > 0)
        return total / labels

    draws = generator.integers(0, len(golds), (DRAWS, len(golds)))
    low, high = np.quantile(scores(chosen, draws) - scores(plain, draws), [0.025, 0.975])
    return float(low), float(high)


def ask(model, task: Task, rows: int) -> dict[str, list]:
    """Asks a model for the log-likelihoods of the labels of a task's first rows, which are a fair sample of all.

    The requests are the task's own, but for those that score whole prompts: `acc_ppl`, which needs them, is not measured.

    Returns:
        The last four fields of a `Measurement`, to five decimals.
    """
    task.build_all_requests(limit=rows)
    labels = len(task.doc_to_choice(task.instances[0].doc))
    asked = [instance for instance in task.instances if not labels <= instance.idx <= 2 * labels]
    answers = {
        instance.arguments: round(loglikelihood, 5)
        for instance, (loglikelihood, _) in zip(asked, model.loglikelihood(asked), strict=True)
    }
    firsts = [instance for instance in asked if instance.idx == 0]
    endings = [instance.arguments[1] for instance in asked[:labels]]
    *content_free, cue = [[answers[context, ending] for ending in endings] for context in firsts[0].content_free_contexts]
    return {
        "content_free": content_free,
        "cue": cue,
        "golds": [instance.doc["gold"] for instance in firsts],
        "loglikelihoods": [[answers[instance.arguments[0], ending] for ending in endings] for instance in firsts],
    }


def run(arguments: argparse.Namespace) -> None:
    """Asks the model all that is not stored yet."""
    from lm_eval.api.registry import get_model
    from lm_eval.tasks import TaskManager

    import lm_eval_sea.models  # noqa: F401  registers the backends

    torch.set_num_threads(arguments.threads)
    done = {(measured.model, measured.task, measured.shots) for measured in stored()}
    model = get_model(arguments.model).create_from_arg_string(
        arguments.model_args, {"batch_size": 16, "device": arguments.device}
    )
    manager = TaskManager(
        include_path=str(TASKS_FOLDER), include_defaults=False, metadata={"tokenizer": model.tokenizer.name_or_path}
    )
    for name in arguments.tasks:
        for shots in arguments.shots:
            if (arguments.name, name, shots) in done:
                continue
            (task,) = manager.load(name)["tasks"].values()
            task.set_config("num_fewshot", shots)
            task.set_fewshot_seed(1234)  # lm-eval's own default
            measured = Measurement(arguments.name, name, shots, **ask(model, task, arguments.rows))
            with STORE.open("a", encoding="utf-8") as file:
                file.write(json.dumps(measured._asdict(), separators=(",", ":")) + "\n")
            print(f"{name}, {shots} exemplars: {len(measured.golds)} rows", flush=True)


def stored() -> list[Measurement]:
    """What was measured so far."""
    if not STORE.exists():
        return []
    return [Measurement(**json.loads(line)) for line in STORE.read_text(encoding="utf-8").splitlines()]


def share_of_commonest(chosen: Sequence[int]) -> float:
    """Share of the rows that get the label chosen most often."""
    return max(Counter(chosen).values()) / len(chosen)


def offset(measured: Measurement) -> float:
    """How far content-free prompts are from the rows, in standard deviations of the rows: mean over labels of |log q − m| / s.

    m and s are the mean and the standard deviation over the rows of the log-share of the label, q its share behind content-free
    prompts. Calibration takes log q for the bias that all rows have. Where it is off by more than the rows differ among
    themselves, it moves nearly all of them to one label.
    """
    log_p = np.array([log_softmax(of_row) for of_row in measured.loglikelihoods])
    log_q = np.array(content_free_log_shares(measured.content_free))
    return float(np.mean(np.abs(log_q - log_p.mean(0)) / log_p.std(0)))


def table_of(measurements: Sequence[Measurement], cells_of: Callable[[Measurement], dict[str, str]]) -> str:
    """A Markdown table with a line per measurement: task, exemplars, rows, and the cells of each."""
    lines = []
    for measured in measurements:
        cells = cells_of(measured)
        if not lines:
            lines += [["task", "exemplars", "rows", *cells], ["---"] * (3 + len(cells))]
        lines.append([f"`{measured.task}`", str(measured.shots), str(len(measured.golds)), *cells.values()])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def macro_f1_cells(measured: Measurement) -> dict[str, str]:
    """Macro-F1 of each method in points, with the share of the commonest label; last the offset."""
    labels, methods, cells = len(measured.cue), choices(measured), {}
    for name, chosen in methods.items():
        score = macro_f1([Choice(gold, label, labels) for gold, label in zip(measured.golds, chosen, strict=True)])
        low, high = paired_interval(measured.golds, chosen, methods["acc"], labels)
        mark = " ▲" if low > 0 else " ▼" if high < 0 else ""
        cells[name] = f"{100 * score:.1f} ({100 * share_of_commonest(chosen):.0f} %){mark}"
    return cells | {"offset": f"{offset(measured):.1f}"}


def accuracy_cells(measured: Measurement) -> dict[str, str]:
    """Accuracy of each method in points."""
    golds = np.array(measured.golds)
    return {name: f"{100 * np.mean(golds == chosen):.1f}" for name, chosen in choices(measured).items()}


def write_page() -> None:
    """Writes the page of figures."""
    parts = ["# What calibration does to a model\n", INTRODUCTION]
    measurements = sorted(stored(), key=lambda measured: (TASKS.index(measured.task), measured.shots))
    for model in dict.fromkeys(measured.model for measured in measurements):
        own = [measured for measured in measurements if measured.model == model]
        parts += [f"## {model}\n", "Macro-F1\n", table_of(own, macro_f1_cells), "Accuracy\n", table_of(own, accuracy_cells)]
    PAGE.write_text("\n".join(parts), encoding="utf-8")


INTRODUCTION = """Written by `python scripts/measure_calibration.py table`.
[scores.md](scores.md#classification-and-calibration) defines the methods and says what follows from these figures.
In the table of macro-F1:

- in brackets, the share of rows that get the label chosen most often,
- ▲ better, ▼ worse than `acc`: the 95 % interval of the difference, by 2,000 resamples of the rows, lies above or below 0,
- "N/A only" and so on: `acc_cc` with one of the three content-free inputs,
- offset: how far the log-shares of the labels behind content-free prompts are from their means over the rows, in standard
  deviations of the rows, mean over labels. Contextual calibration takes the two for equal.
"""


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    asking = commands.add_parser("run", help="ask a model")
    asking.add_argument("--name", required=True, help="the model's name in the tables")
    asking.add_argument("--model", default="hf-shared-prefix", help="backend; default: %(default)s")
    asking.add_argument("--model_args", required=True, help="as for lm_eval")
    asking.add_argument("--device", default="cpu")
    asking.add_argument("--threads", type=int, default=2, help="of PyTorch; default: %(default)s")
    asking.add_argument("--rows", type=int, default=300, help="per task; default: %(default)s")
    asking.add_argument("--shots", type=int, nargs="+", default=[0, 3], help="numbers of exemplars; default: 0 3")
    asking.add_argument("--tasks", nargs="+", default=TASKS, choices=TASKS, metavar="TASK", help="default: those of the page")
    commands.add_parser("table", help=f"write {PAGE.name}")
    arguments = parser.parse_args()
    run(arguments) if arguments.command == "run" else write_page()


if __name__ == "__main__":
    main()
