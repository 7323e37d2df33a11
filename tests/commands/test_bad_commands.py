"""Commands that cannot be carried out: each is refused with its exit code and one line, before anything is written or loaded."""

import logging
import shlex

import pytest

from lm_eval_sea.commands.cli import main

# of which nobody hears: what is wrong is said before a model is asked for
RUN = "run --model hf --model_args pretrained=no/such-model"
XCOPA = "sea_xcopa_vi_to_ppl"
SERVER = "run --model local-chat-completions --model_args model=none,base_url=http://127.0.0.1:9/v1/chat/completions"
JSON = '{"sea_xcopa_vi_to_ppl": []}'
# command, in a folder with rows → exit code, what its last line says
TABLE = [
    # names
    (f"{RUN} --tasks sea_xcopa_vi_to_pp", 2, "no task, group or tag 'sea_xcopa_vi_to_pp'; did you mean sea_xcopa_vi_to_ppl"),
    (f"{RUN} --tasks sea_", 2, "no task, group or tag 'sea_'"),
    (f"{RUN} --tasks sea_*_nothing", 2, "no task, group or tag 'sea_*_nothing'"),
    (f"{RUN} --tasks '{XCOPA}\n'", 2, f"no task, group or tag '{XCOPA}"),
    (f"{RUN} --tasks 'sea_\x1b[31m'", 2, "no task, group or tag 'sea_"),
    (f"{RUN} --tasks x --include_path no/folder", 2, "--include_path no/folder: there is no such"),
    (f"{RUN} --language xx", 2, "--language xx: no such language; there is ace, ban, bjn, bug, ceb, en"),
    (f"{RUN} --language th --tasks {XCOPA}", 2, "--language takes the place of --tasks"),
    (f"{RUN} --lite --tasks {XCOPA}", 2, "--lite goes with --language"),
    ("ls sea_belebele_th_to_pp1", 1, "no task, group or tag 'sea_belebele_th_to_pp1'; did you mean sea_belebele_th_to_ppl"),
    ("data check --tasks sea_th,sea_xcopa_to_pp", 2, "no task, group or tag 'sea_xcopa_to_pp'; did you mean sea_xcopa_to_ppl"),
    ("data fetch --tasks sea_th,sea_xcopa_to_pp", 2, "no task, group or tag 'sea_xcopa_to_pp'; did you mean sea_xcopa_to_ppl"),
    ("data check --tasks qqq*", 2, "`lm-eval-sea ls` lists what there is"),
    ("make sea_xnli_th_p4 --out out", 2, "'sea_xnli_th_p4' is not a task that is made on demand; `lm-eval-sea ls` lists them"),
    ("make sea_mgsm_th_p2 --out out", 2, "'sea_mgsm_th_p2' is not a task that is made on demand; `lm-eval-sea ls` lists them"),
    ("make sea_belebele_th-xx_to_ppl --out out", 2, "belebele: no pair 'th-xx'; expected X-Y with two of id, jv, su,"),
    ("make sea_belebele_th-th_to_ppl --out out", 2, "belebele: no pair 'th-th'; expected X-Y with two of id, jv, su,"),
    # numbers and rows
    (f"{RUN} --tasks {XCOPA} --num_fewshot 9", 2, f"--num_fewshot 9: the prompt file of {XCOPA} has 5 exemplars; choose 0 to 5"),
    (f"{RUN} --tasks {XCOPA} --num_fewshot -1", 2, "choose 0 to 5"),
    (f"{RUN} --tasks {XCOPA} --limit 0", 2, "--limit 0 leaves no rows"),
    (f"{RUN} --tasks {XCOPA} --limit -0.5", 2, "--limit -0.5"),
    (f"{RUN} --tasks {XCOPA} --limit nan", 2, "--limit nan"),
    (f"{RUN} --tasks {XCOPA} --seeds 2", 2, "--output_path FOLDER"),
    (f"{RUN} --tasks {XCOPA} --seeds 0 --output_path out", 2, "expected 1 or more"),
    (f"{RUN} --tasks {XCOPA} --resume", 2, "--resume"),
    (f"{RUN} --tasks {XCOPA} --samples '{JSON}'", 2, f"--samples has no rows for {XCOPA}"),
    (f"{RUN} --tasks {XCOPA} --samples rows.json", 2, "--samples"),
    # models
    (f"run --model nonsense --tasks {XCOPA}", 2, "there is no backend 'nonsense'; there are "),
    (f"run --model hf --model_args pretrained=/no/folder --tasks {XCOPA}", 2, "there is no folder /no/folder (pretrained; "),
    (f"run --model dummy --tasks {XCOPA}", 2, "acc_ppl and acc_token need the model's tokenizer, and the model has none"),
    (f"{SERVER} --tasks sea_wisesight_th --apply_chat_template", 2, "are needed for sea_wisesight_th; "),
    (f"{SERVER} --tasks sea_belebele_th_chat", 2, "takes messages; add --apply_chat_template"),
    ("data check --tasks sea_ts --tokenizer no/such-model", 2, "tokenizer 'no/such-model' cannot be loaded ("),
    # options that do not belong together
    ("score sail --judge a --metricx b", 2, "--judge and --metricx are two ways to use score; choose one"),
    ("score sail --judge a", 2, "--judge needs --base_url"),
    ("score sail --concurrency 2", 2, "--concurrency needs --judge"),
    ("score sail --metricx a --method corrected", 2, "--method cannot be used with --metricx"),
    ("score sail --out x.xls", 2, "should end in one of .json, .csv, .txt"),
    ("report sail --out out --metric acc", 2, "--metric needs --languages"),
    ("make --official x", 2, "--official needs --out"),
    ("make --keep-going", 2, "--keep-going needs --official"),
    # results and folders
    ("score sail", 1, "sail"),
    ("show 'no/\x1b[31m\u202efolder'", 2, "folder"),
    (
        "make --official sail --out out",
        2,
        "sail is not a checkout of sail-sg/sailcompass, which has configs/datasets",
    ),
]


def status(command):
    try:
        return main(shlex.split(command))
    except SystemExit as stop:  # an option that the parser refuses
        return stop.code


@pytest.mark.parametrize(("command", "code", "line"), TABLE, ids=[repr(command) for command, _, _ in TABLE])
def test_a_command_that_cannot_be_carried_out(command, code, line, samples, monkeypatch, capsys):
    monkeypatch.chdir(samples)
    monkeypatch.setattr(logging, "raiseExceptions", False)  # handlers that earlier tests made write to streams closed by now
    before = sorted(samples.iterdir())
    assert status(command) == code
    out, err = capsys.readouterr()
    last = err.strip().split("\n")[-1]
    assert last.startswith("lm-eval-sea") and line in last and "Traceback" not in err
    assert not {"\x1b", "\u202e"} & set(out + last)
    assert "no/such-model" not in last or "--tokenizer" in command
    assert sorted(samples.iterdir()) == before
