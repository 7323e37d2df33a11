"""The command `lm-eval-sea judge`."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from lm_eval_sea.commands.declaration import add_runs, declare, fail
from lm_eval_sea.results.visible_text import visible

EXAMPLES = """examples:
  lm-eval-sea judge results/seed-* --base_url http://localhost:8000/v1 --model openai/gpt-oss-120b
  lm-eval-sea judge results --base_url https://api.openai.com/v1 --model gpt-4.1-2025-04-14 --api_key_env OPENAI_API_KEY
  lm-eval-sea judge results --base_url http://localhost:8000/v1 --model openai/gpt-oss-120b --official SEA-HELM"""

HELP = f"""Reads the samples (--log_samples) of mt-bench-judge, kalahi-judge, syntax-criteria and mt-bench, asks a judge behind
any OpenAI-compatible address for its verdicts, and writes the scores beside the samples, where `lm-eval-sea score sea-helm` finds
them. Of MultiJail (sea_multijail) it prints and writes which share of the answers is unsafe, invalid and safe.

Each answer is written to `verdicts_<task>_<date>.jsonl` when it arrives. Stop the command at any time and start it again: nothing
is asked twice. Rate limits, time-outs and errors of the server are tried again. A verdict that cannot be read counts as 0, of
MultiJail as unreadable, and is counted. Before the first call the command says how many calls it will make and, roughly,
what they will take.

The prompts are the pack's own; the number is then not SEA-HELM's. --official takes the prompts and the parameters of the calls
from a checkout of SEA-HELM's repository (v1.2.0 or later); with SEA-HELM's judge as the model the number is SEA-HELM's.

{EXAMPLES}

Exit status: 0, 1 if there is nothing to judge or the judge does not answer, 2 for a wrong command line."""


def add_judge(commands: argparse._SubParsersAction) -> None:
    """Declares `judge`."""
    command = declare(commands, "judge", "Have a judge model score the answers to SEA-HELM's judged tasks and MultiJail.", HELP)
    add_runs(command)
    command.add_argument(
        "--base_url", required=True, metavar="URL", help="address of the judge, such as http://localhost:8000/v1"
    )
    command.add_argument("--model", required=True, metavar="NAME", help="the judge's name at this address")
    command.add_argument("--api_key_env", metavar="VAR", help="environment variable that holds the key; default: no key")
    command.add_argument("--concurrency", type=_positive, default=8, metavar="N", help="calls at the same time; default: 8")
    command.add_argument("--price", type=float, nargs=2, metavar=("IN", "OUT"), help="of a million tokens, for the estimate")
    command.add_argument("--official", type=_folder, metavar="CHECKOUT", help="take the prompts from this checkout of SEA-HELM")
    command.set_defaults(run=_judge)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} should be a whole number from 1")
    return int(text)


def _folder(text: str) -> Path:
    path = Path(text)
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {text!r}")
    return path


def _judge(arguments: argparse.Namespace) -> int:
    from lm_eval_sea.results.run_files import RunFilesError, find_runs
    from lm_eval_sea.sea_helm.judge import NothingToJudgeError, estimate_of, jobs_of, judge
    from lm_eval_sea.sea_helm.judge_calls import Endpoint, JudgeError
    from lm_eval_sea.sea_helm.judge_questions import JudgePromptsError
    from lm_eval_sea.sea_helm.judge_rows import JudgeRowError

    name = arguments.api_key_env
    if name and not os.environ.get(name):
        return fail(ValueError(f"the environment variable {name} is not set; --api_key_env names the one that holds the key"), 1)
    try:
        endpoint = Endpoint(arguments.base_url, arguments.model, os.environ[name] if name else "none")
        runs, notes = find_runs(arguments.runs, seeds=True)
        jobs = jobs_of(runs, arguments.official, notes)
        prices = (arguments.price[0], arguments.price[1]) if arguments.price else None
        print(estimate_of(jobs, arguments.model, arguments.concurrency, prices), file=sys.stderr, flush=True)
        lines = judge(jobs, endpoint, arguments.concurrency)
    except (RunFilesError, NothingToJudgeError, JudgeError, JudgePromptsError, JudgeRowError) as error:
        return fail(error, 1)
    print(visible("\n".join([*lines, *(f"- {note}" for note in notes)])))
    return 0
