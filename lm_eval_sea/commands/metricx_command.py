"""The command `lm-eval-sea metricx`."""

from __future__ import annotations

import argparse

from lm_eval_sea.commands.declaration import add_runs, declare, fail
from lm_eval_sea.results.visible_text import visible

MODEL = "google/metricx-24-hybrid-xxl-v2p6-bfloat16"
TOKENIZER = "google/mt5-xl"
EOS_RULES = ("seahelm", "google")

EXAMPLES = f"""examples:
  lm-eval-sea metricx results/seed-* --model {MODEL}
  lm-eval-sea metricx results --model google/metricx-24-hybrid-large-v2p6 --eos google --batch_size 16"""

HELP = f"""Reads the samples (--log_samples) of SEA-HELM's translations, scores each with its source and reference, and writes the
scores (100 for no error, 0 for an error of 25) beside the samples, where `lm-eval-sea score sea-helm` finds them.

SEA-HELM's model is {MODEL}, with 13 billion parameters (26 GB). The smaller models of
the family give other numbers, which keep their model's name.

The model was trained on texts without an end token. Google's code takes it from every text (--eos google). SEA-HELM's code cuts
off the last column of a padded batch, so that only the longest texts of a batch lose it (--eos seahelm, the default). A score
then depends on the batch, which is 64 rows there.

Every batch is written to `metricx-batches_<task>_<date>.jsonl` when it is done. Stop the command at any time and start it again.

{EXAMPLES}

Exit status: 0, 1 if there is nothing to score or the model cannot be used, 2 for a wrong command line."""


def add_metricx(commands: argparse._SubParsersAction) -> None:
    """Declares `metricx`."""
    command = declare(commands, "metricx", "Score SEA-HELM's translations with MetricX-24.", HELP)
    add_runs(command)
    command.add_argument("--model", required=True, metavar="NAME", help=f"a MetricX-24, such as {MODEL}")
    command.add_argument("--tokenizer", default=TOKENIZER, metavar="NAME", help=f"default: {TOKENIZER}")
    command.add_argument("--eos", choices=EOS_RULES, default=EOS_RULES[0], help="whose way with end tokens; default: seahelm")
    command.add_argument("--batch_size", type=_positive, default=64, metavar="N", help="rows at a time; default: 64")
    command.add_argument("--device", metavar="DEVICE", help="such as cuda:1 or cpu; default: a GPU if there is one")
    command.set_defaults(run=_metricx)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} should be a whole number from 1")
    return int(text)


def _metricx(arguments: argparse.Namespace) -> int:
    from lm_eval_sea.results.run_files import RunFilesError, find_runs
    from lm_eval_sea.sea_helm.metricx import NothingToScoreError, Setting, jobs_of, score
    from lm_eval_sea.sea_helm.metricx_model import MetricX, MetricXError

    setting = Setting(arguments.model, arguments.tokenizer, arguments.eos, arguments.batch_size)
    try:
        runs, notes = find_runs(arguments.runs, seeds=True)
        jobs = jobs_of(runs, notes)
        model = MetricX(setting.model, setting.tokenizer, arguments.device)
        lines = score(jobs, lambda texts: model.errors(texts, setting.eos), setting)
    except (RunFilesError, NothingToScoreError, MetricXError) as error:
        return fail(error, 1)
    print(visible("\n".join([*lines, *(f"- {note}" for note in notes)])))
    return 0
