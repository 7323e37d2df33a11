"""What a small real model shows on real rows; started by `scripts/test_real_model.sh`.

The model is Gemma 3 270M with weights of four bits: it translates into Indonesian and finds answers in a passage, and knows
nothing of causes and sentiment that these tasks would show.

Measured with 100 rows of each task: chrF++ is 19.0 to 24.4 points above copying the source, F1 .20 to .35 above the first four
words of the passage (95 % intervals). XCOPA has .59 ± .05, with one option as 55 % of the answers at most. IndoLEM has an
`acc_cc` of .49, and its more frequent label a share of .71. The three other backends differ from `hf` by at most 9e-06 nats per
token, and in none of 8 answers.
"""

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from lm_eval_sea.results.read import read
from lm_eval_sea.results.row_statistics import mean_statistics, statistics_of
from lm_eval_sea.results.strata import combined, difference_strata
from lm_eval_sea.tasks._shared.metrics.qa_metrics import token_f1
from tests.conftest import ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif("REAL_MODEL" not in os.environ, reason="needs a real model: bash scripts/test_real_model.sh"),
]

TRANSLATION, QA, CAUSES, SENTIMENT = (
    "sea_flores_en_id_lite",
    "sea_tydiqa_id_lite",
    "sea_xcopa_id_to_ppl_lite",
    "sea_indolem_id_lite",
)
TASKS = (TRANSLATION, QA, CAUSES, SENTIMENT)
ROWS = int(os.environ.get("REAL_MODEL_ROWS", 100))
# An environment with vLLM, and how it shares a small machine; what it compiles stays there.
VLLM = Path(os.environ["VLLM_ENVIRONMENT"]).resolve() if "VLLM_ENVIRONMENT" in os.environ else None
VLLM_SETTINGS = {
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    **{name: f"{VLLM}/cache" for name in ("VLLM_CACHE_ROOT", "VLLM_CONFIG_ROOT", "TORCHINDUCTOR_CACHE_DIR")},
}
# Rows on which the backends are compared.
FEW = 8
# Nats per token that two ways to compute the same in float32 may differ by; see `models/tolerance.py`.
TOLERANCE = 1e-4


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    kept = os.environ.get("REAL_MODEL_RESULTS")
    return Path(kept).resolve() if kept else tmp_path_factory.mktemp("results")


@pytest.fixture(scope="module")
def evaluate(place, hub_rows):
    """Runs a backend once; returns the samples by task."""

    def run(backend, tasks, rows):
        folder = place / f"{backend}_{rows}"
        if not list(folder.rglob("results_*.json")):
            on_vllm = backend.startswith("vllm")
            python = VLLM / "bin" / "python" if on_vllm else sys.executable
            arguments = f"pretrained={os.environ['REAL_MODEL']},dtype=float32" + (",max_model_len=4096" if on_vllm else "")
            command = [
                python, "-m", "lm_eval_sea", "run", "--model", backend, "--tasks", ",".join(tasks),
                "--limit", str(rows), "--model_args", arguments, "--batch_size", "8",
                "--output_path", str(folder), "--log_samples",
            ]  # fmt: skip
            environment = os.environ | {"PYTHONPATH": str(ROOT)} | (VLLM_SETTINGS if on_vllm else {})
            subprocess.run(command, cwd=hub_rows, env=environment, check=True)
        return {task.name: list(task.texts()) for task in read(folder).best().tasks}

    return run


@pytest.fixture(scope="module")
def hub_rows(tmp_path_factory):
    """Where the runs start: in the mirror, or in an empty folder, so that the rows are the hub's."""
    mirror = os.environ.get("SEA_HUB_MIRROR")
    return Path(mirror).resolve() if mirror else tmp_path_factory.mktemp("empty")


@pytest.fixture(scope="module")
def samples(evaluate):
    return evaluate("hf-shared-prefix", TASKS, ROWS)


def answers(rows):
    return [row["filtered_resps"][0] for row in rows]


def clusters(rows):
    return [row["doc"]["cluster"] for row in rows]


def advantage(first, second, names):
    """The 95 % interval of first − second, in points, paired by passage."""
    half = combined(difference_strata(first, second, "real_model", names)).half_width()
    value = first.of_all_rows - second.of_all_rows
    return 100 * (value - half), 100 * (value + half)


def test_the_runs_are_whole(samples):
    assert set(samples) == set(TASKS)
    assert {len(rows) for rows in samples.values()} == {ROWS}


def test_translation_is_far_above_copying_the_source(samples):
    rows = samples[TRANSLATION]
    pairs = [(row["doc"]["translation"], answer) for row, answer in zip(rows, answers(rows), strict=True)]
    copies = [(row["doc"]["translation"], row["doc"]["english"]) for row in rows]
    low, _ = advantage(statistics_of("chrf++", pairs), statistics_of("chrf++", copies), clusters(rows))
    assert low > 5


def test_answers_are_above_the_first_words_of_the_passage(samples):
    rows = samples[QA]
    found = [token_f1(answer, row["doc"]["answers"], "id") for row, answer in zip(rows, answers(rows), strict=True)]
    first = [token_f1(" ".join(row["doc"]["passage"].split()[:4]), row["doc"]["answers"], "id") for row in rows]
    low, _ = advantage(mean_statistics(found), mean_statistics(first), clusters(rows))
    assert low > 0


def choices(rows, metric):
    return np.array([row["doc"]["predictions"][metric] for row in rows]), np.array([row["doc"]["gold"] for row in rows])


def test_causes_are_at_chance(samples):
    """A score far from chance in either direction would be a fault: below, the labels are turned round; above, they leak."""
    chosen, golds = choices(samples[CAUSES], "acc_ppl")
    assert abs(np.mean(chosen == golds) - 0.5) < 4 * 0.5 / len(golds) ** 0.5


def test_sentiment_below_its_majority_share_is_no_skill(samples):
    chosen, golds = choices(samples[SENTIMENT], "acc_cc")
    majority = max(Counter(golds.tolist()).values()) / len(golds)
    assert np.mean(chosen == golds) < majority + 0.1


def test_a_collapse_has_a_note_and_nothing_else_has(samples, place):
    shown = subprocess.run(
        [sys.executable, "-m", "lm_eval_sea", "show", str(place / f"hf-shared-prefix_{ROWS}")],
        env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    chosen, _ = choices(samples[CAUSES], "acc_ppl")
    share = max(Counter(chosen.tolist()).values()) / len(chosen)
    said = re.search(rf"note: {CAUSES}: \d+ % of the answers are option", " ".join(shown.split()))
    assert bool(said) == (share > 0.8), share


@pytest.mark.parametrize("backend", ["hf-shared-prefix", "vllm", "vllm-shared-prefix"])
def test_backends_agree(evaluate, backend):
    if backend.startswith("vllm") and VLLM is None:
        pytest.skip("needs an environment with vLLM: bash scripts/vllm_environment.sh FOLDER, then VLLM_ENVIRONMENT=FOLDER")
    plain, shared = (evaluate(each, (CAUSES, QA), FEW) for each in ("hf", backend))
    differences = []
    for one, other in zip(plain[CAUSES], shared[CAUSES], strict=True):
        assert one["doc"]["id"] == other["doc"]["id"]
        for first, second in zip(one["doc"]["option_scores"], other["doc"]["option_scores"], strict=True):
            differences.append(abs(first["loglikelihood"] - second["loglikelihood"]) / first["tokens"])
    assert np.mean(differences) < TOLERANCE
    same = np.mean([one == other for one, other in zip(answers(plain[QA]), answers(shared[QA]), strict=True)])
    assert same >= 1 - 1 / FEW  # a near tie may fall the other way in another batch
