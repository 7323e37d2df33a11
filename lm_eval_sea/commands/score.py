"""The command `lm-eval-sea score`: SEA-HELM's totals, scores that need another model, and logged answers read again."""

from __future__ import annotations

import argparse
import functools
import math
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from lm_eval_sea.commands.command import RUNS, Command, argument, existing_folder, fail, place, whole_number
from lm_eval_sea.results.visible_text import visible
from lm_eval_sea.sea_helm import EOS_RULES, OFFICIAL_BATCH, OFFICIAL_MODEL, OFFICIAL_TOKENIZER
from lm_eval_sea.web_address import is_web_address

ENDINGS = (".json", ".csv", ".txt")
METHODS = ("2026-08", "2026-06", "corrected")
SUITES = ("seahelm", "seahelm_logprobs", "batayan", "sea_safeguard")


def _out(text: str) -> Path:
    path = place(text)
    if path.suffix not in ENDINGS:
        raise argparse.ArgumentTypeError(f"{text!r} should end in one of {', '.join(ENDINGS)}")
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {str(path.parent)!r}")
    return path


def _address(text: str) -> str:
    if not is_web_address(text):
        raise argparse.ArgumentTypeError(f"{text!r} should be an address such as http://localhost:8000/v1")
    return text


def _price(text: str) -> float:
    try:
        price = float(text)
    except ValueError:
        price = math.nan
    if not 0 <= price < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} should be a price, a number from 0")
    return price


def _score(arguments: argparse.Namespace) -> int:
    if arguments.judge:
        return _judge(arguments)
    if arguments.metricx:
        return _metricx(arguments)
    if arguments.reread:
        return _reread(arguments)
    from lm_eval_sea.results.read import read
    from lm_eval_sea.sea_helm.totals.evidence import gather
    from lm_eval_sea.sea_helm.totals.methods import RANKED
    from lm_eval_sea.sea_helm.totals.suite import read_suite
    from lm_eval_sea.sea_helm.totals.totals import compute
    from lm_eval_sea.sea_helm.totals.views import as_text, write

    suite = read_suite(arguments.suite or SUITES[0])
    if suite.ranked and arguments.method:
        return fail(f"{suite.name} has only one method; leave out --method", 2)
    runs = read(*arguments.runs).by_seed()
    evidence = gather(runs.tasks, ranked=suite.ranked)
    evidence.notes[:0] = runs.notes
    method = RANKED if suite.ranked else arguments.method or METHODS[0]
    totals = compute(evidence, suite, method)
    print(as_text(totals), end="")
    if arguments.out:
        write(totals, arguments.out)
    return 0


def _judge(arguments: argparse.Namespace) -> int:
    from lm_eval_sea.results.read import read
    from lm_eval_sea.sea_helm.judge import estimate_of, jobs_of, judge
    from lm_eval_sea.sea_helm.judge_calls import Endpoint

    name = arguments.api_key_env
    if name and not os.environ.get(name):
        return fail(f"the environment variable {name} is not set; --api_key_env names the one that holds the key", 1)
    concurrency = arguments.concurrency or 8
    endpoint = Endpoint(arguments.base_url, arguments.judge, os.environ[name] if name else "none")
    runs = read(*arguments.runs).by_seed()
    notes = list(runs.notes)
    jobs = jobs_of(runs.tasks, arguments.official, notes)
    prices = (arguments.price[0], arguments.price[1]) if arguments.price else None
    print(estimate_of(jobs, arguments.judge, concurrency, prices), file=sys.stderr, flush=True)
    try:
        lines, without = judge(jobs, endpoint, concurrency)
    except KeyboardInterrupt:
        return fail("interrupted; what the judge wrote is kept, and the same command asks for the rest", 130)
    status = _print_lines(lines, notes)
    return fail("; ".join(without), 1) if without else status


def _metricx(arguments: argparse.Namespace) -> int:
    from lm_eval_sea.results.read import read
    from lm_eval_sea.sea_helm.metricx import Setting, jobs_of, score
    from lm_eval_sea.sea_helm.metricx_model import MetricX

    setting = Setting(
        arguments.metricx,
        arguments.tokenizer or OFFICIAL_TOKENIZER,
        arguments.eos or EOS_RULES[0],
        arguments.batch_size or OFFICIAL_BATCH,
    )
    runs = read(*arguments.runs).by_seed()
    notes = list(runs.notes)
    jobs = jobs_of(runs.tasks, notes)
    model = functools.cache(lambda: MetricX(setting.model, setting.tokenizer, arguments.device))  # loaded if it is needed
    return _print_lines(score(jobs, lambda texts: model().errors(texts, setting.eos), setting), notes)


def _reread(arguments: argparse.Namespace) -> int:
    from lm_eval_sea.results.read import read
    from lm_eval_sea.results.table import table_of
    from lm_eval_sea.run.reread import reread

    notes = reread(arguments.runs, arguments.reread)
    print(table_of(read(arguments.reread).best()), end="")
    return _print_lines([], notes)


def _print_lines(lines: Sequence[str], notes: Sequence[str]) -> int:
    print(visible("\n".join([*lines, *(f"- {note}" for note in notes)])))
    return 0


SCORE = Command(
    name="score",
    summary="Score samples: SEA-HELM's totals, scores that need another model, or logged answers read again",
    about=f"""
Runs need --log_samples. docs/sea_helm.md explains everything below.

Without --judge, --metricx and --reread: totals of ONE model, from one run or several (seeds), with intervals: tasks, then
unweighted means over competency, language and Southeast Asia. Tasks that were not run or need another model are listed, and
every mean above them is marked incomplete (*). Runs that differ in the model, or in how it was asked, are refused. Methods:
  2026-08     as SEA-HELM has aggregated since 5 August 2026
  2026-06     as SEA-HELM's notebook did before
  corrected   chance levels from the tasks, LINDSEA by phenomenon, whole passages resampled, nothing missing counts as 0
--suite seahelm_logprobs, for base models, takes the tasks that rank labels (sea_helm_logprobs_id) and averages the
probability of the right one, as SEA-HELM's runs do; it has no other method.

--judge asks a judge at an OpenAI-compatible address to score the answers of mt-bench-judge, kalahi-judge, syntax-criteria and
mt-bench. It writes the scores beside the samples, where the totals find them. For MultiJail (sea_multijail) it prints the
shares of answers that are unsafe, invalid and safe, for SeaBench (sea_seabench_turn_2) ten times the mean grade. It first
prints how many calls it will make. The prompts are the pack's own; --official takes SEA-HELM's from your checkout of it
(v1.2.0 or later).

--metricx scores SEA-HELM's translations (100: no error) and writes the scores beside the samples. SEA-HELM's model is
{OFFICIAL_MODEL} (26 GB); other models give other numbers.

Both can be stopped and started again: no answer is scored twice.

--reread scores the logged answers of chat tasks with the readers of the installed version, without the model, and writes
results and samples to another folder. Tasks whose rows, exemplars or prompts have changed since are left out.""",
    examples=f"""
lm-eval-sea score results/seed_1
lm-eval-sea score results/seed_* --out totals.json
lm-eval-sea score results --method corrected --out totals.csv
lm-eval-sea score results --suite seahelm_logprobs

lm-eval-sea score results/seed_* --judge openai/gpt-oss-120b --base_url http://localhost:8000/v1
lm-eval-sea score results --judge openai/gpt-oss-120b --base_url http://localhost:8000/v1 --official SEA-HELM
lm-eval-sea score results --judge gpt-4.1-2025-04-14 --base_url https://api.openai.com/v1 --api_key_env OPENAI_API_KEY

lm-eval-sea score results/seed_* --metricx {OFFICIAL_MODEL}
lm-eval-sea score results --metricx google/metricx-24-hybrid-large-v2p6 --eos google --batch_size 16

lm-eval-sea score results --reread results-reread""",
    exits="0; 1 if a judge gives no answer or no verdict, or a model or prompts cannot be used; 2 if there is nothing to score",
    arguments=[RUNS],
    modes={
        "": [
            argument("--method", choices=METHODS, help=f"default: {METHODS[0]}"),
            argument("--suite", choices=SUITES, help=f"the suite whose tasks are averaged; default: {SUITES[0]}"),
            argument("--out", metavar="FILE", type=_out, help=f"also write the totals: {', '.join(ENDINGS)}"),
        ],
        "--judge": [
            argument("--judge", metavar="NAME", help="the judge's model name on the server"),
            argument("--base_url", needed=True, metavar="URL", type=_address, help="such as http://localhost:8000/v1"),
            argument("--api_key_env", metavar="VAR", help="environment variable that holds the key; default: no key"),
            argument("--concurrency", type=whole_number(1), metavar="N", help="calls at the same time; default: 8"),
            argument("--price", type=_price, nargs=2, metavar=("IN", "OUT"), help="price of a million tokens, for the estimate"),
            argument("--official", type=existing_folder, metavar="CHECKOUT", help="use SEA-HELM's prompts from this checkout"),
        ],
        "--metricx": [
            argument("--metricx", metavar="NAME", help=f"a MetricX-24, such as {OFFICIAL_MODEL}"),
            argument("--tokenizer", metavar="NAME", help=f"default: {OFFICIAL_TOKENIZER}"),
            argument("--eos", choices=EOS_RULES, help=f"whose treatment of end tokens to use; default: {EOS_RULES[0]}"),
            argument("--batch_size", type=whole_number(1), metavar="N", help=f"rows at a time; default: {OFFICIAL_BATCH}"),
            argument("--device", metavar="DEVICE", help="such as cuda:1 or cpu; default: a GPU if there is one"),
        ],
        "--reread": [argument("--reread", metavar="FOLDER", type=place, help="where to write results and samples")],
    },
    writes=True,
    run=_score,
)
