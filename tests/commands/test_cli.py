"""The command line as a user meets it: what it prints, and its exit status."""

import contextlib
import io
import os
import re
import subprocess
import sys
from itertools import product

import pytest

from lm_eval_sea.catalogue.lm_eval_tasks import of_lm_eval as of_lm_eval_sets
from lm_eval_sea.commands.cli import COMMANDS, MOVED, main, parser
from lm_eval_sea.make.on_demand import listed
from lm_eval_sea.tasks._shared.facts import TASKS_FOLDER
from tests.conftest import ROOT
from tests.quick import quick_of


def test_path_help_and_lists_load_no_heavy_library():
    """The path is the folder for --include_path."""
    code = (
        "import sys; from lm_eval_sea.commands.cli import main; main(['path']); main(['ls']); main(['ls', 'sea_th'])\n"
        "try: main(['data', 'check', '--help'])\n"
        "except SystemExit: print(sorted({'lm_eval', 'datasets', 'torch', 'transformers', 'huggingface_hub'} & set(sys.modules)))"
    )
    output = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    path, *_, loaded = output.splitlines()
    assert (path, loaded) == (str(TASKS_FOLDER), "[]")


@pytest.mark.parametrize("closed", ["1", "2"])
def test_a_closed_stream_is_no_error(closed):
    code = "import sys; from lm_eval_sea.commands.cli import main; sys.exit(main(['path']))"
    shell = f'exec "$0" -c "$1" {closed}>&-'
    assert subprocess.run(["bash", "-c", shell, sys.executable, code], cwd=ROOT, stdout=subprocess.DEVNULL).returncode == 0


def test_pytorch_that_cannot_be_imported_is_one_line():
    code = "import sys; sys.modules['torch'] = None; from lm_eval_sea.commands.cli import main; sys.exit(main(['run', '--help']))"
    process = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    [line] = process.stderr.splitlines()
    assert line.startswith("lm-eval-sea: ModuleNotFoundError: needs the package torch: pip install torch")
    assert process.returncode == 1


def test_an_lm_eval_hidden_by_a_folder_of_its_name_is_one_line(tmp_path):
    """Python looks for an editable lm-eval only after folders of its name, and takes the one beside the pack for a package."""
    (tmp_path / "lm_eval" / "tasks").mkdir(parents=True)
    code = (
        "import sys; from lm_eval_sea.commands.cli import main\n"
        "sys.path[:] = [sys.argv[1]]; sys.exit(main(['run', '--tasks', 'sea_xcopa_th_to_ppl']))"
    )
    process = subprocess.run([sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, capture_output=True, text=True)
    assert process.returncode == 2
    [line] = process.stderr.splitlines()
    assert line.startswith(f"lm-eval-sea: the folder {tmp_path / 'lm_eval'} hides an lm-eval ")
    assert line.endswith("pip install --editable CHECKOUT")


OUTPUTS = {"a reader who has enough": ("| true", 0, ""), "a full disk": (">/dev/full", 1, "No space left on device")}
COMMANDS_THAT_PRINT = ["--help", "show --help", "--version", "path", "ls"]
QUICK = ("--help-a reader who has enough", "ls-a full disk")


@pytest.mark.parametrize(("command", "to"), quick_of(QUICK, product(COMMANDS_THAT_PRINT, OUTPUTS)))
def test_a_closed_pipe_and_a_full_disk_are_at_most_one_line(command, to):
    """Python itself adds none as it ends."""
    output, status, said = OUTPUTS[to]
    shell = f'"$0" -m lm_eval_sea {command} {output}; exit ${{PIPESTATUS[0]}}'
    known = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    process = subprocess.run(["bash", "-c", shell, sys.executable], env=known, cwd=ROOT, capture_output=True, text=True)
    assert process.returncode == status, process.stderr
    assert process.stderr == (f"lm-eval-sea: the output cannot be written ({said})\n" if said else "")


@pytest.mark.parametrize("command", ["ls", "run --model dummy --tasks sea_xcopa_th_to_ppl", "make --check"])
def test_a_deleted_current_folder_is_one_line(command, tmp_path, monkeypatch, capsys):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert main(command.split()) == 2
    reason = "the current folder is gone or cannot be read (No such file or directory); change to another one"
    assert capsys.readouterr() == ("", f"lm-eval-sea: {reason}\n")


NAMES = [[of.name, *below] for of in COMMANDS if of.run or of.subcommands for below in ([], *([b.name] for b in of.subcommands))]


def test_a_quoted_tilde_is_the_home_folder(tmp_path, monkeypatch, capsys):
    """The shell expands neither this one nor that of `--out=~/tasks`."""
    monkeypatch.setenv("HOME", str(tmp_path))
    assert main(["show", "~/gone"]) == 2
    assert capsys.readouterr().err.startswith(f"lm-eval-sea: {tmp_path}/gone: no such file or folder; ")
    assert main(["make", "sea_xcopa_vi_to_ppl_p2", "--out=~/tasks"]) == 0
    assert list((tmp_path / "tasks").iterdir())


def test_help_of_every_command_has_an_example(capsys):
    """It is also shown where a command of the command is missing."""
    for command in ([], *NAMES):
        with pytest.raises(SystemExit) as stop:
            main([*command, "--help"])
        assert stop.value.code == 0
        text = capsys.readouterr().out
        assert " ".join(["lm-eval-sea", *command]) in text.split("examples:")[1]
        if command in ([], ["data"], ["export"]):
            assert main(command) == 0
            assert capsys.readouterr().out == text


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("sweep plan.yaml --dry_run", "--dry-run"),
        ("score results --judge NAME --base-url URL", "--base_url"),
        ("data check --include-path mine", "--include_path"),
        ("run --model-args pretrained=MODEL", "--model_args"),
    ],
)
def test_a_flag_with_the_other_separator_is_named(given, meant, capsys):
    assert main(given.split()) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("lm-eval-sea: unrecognized arguments: ") and line.endswith(f"; did you mean {meant}?")


def test_an_old_name_says_the_new_one(capsys):
    for old in MOVED:
        assert main([*old, "results", "--out", "x"]) == 2
        out, err = capsys.readouterr()
        assert out == "" and len(err.splitlines()) == 1
        assert f"`lm-eval-sea {' '.join(old)}` is now " in err
        for command in re.findall(r"`lm-eval-sea ([^`]+)`", err)[1:]:
            values = re.sub("RUN…|CHECKOUT", str(TASKS_FOLDER), command).replace("URL", "http://localhost/v1").split()
            assert parser().parse_args(values).run


def lines_of(capsys, *arguments):
    assert main(["ls", *(arguments or ["*"])]) == 0
    return capsys.readouterr().out.splitlines()


def test_ls_shows_a_line_a_task_in_aligned_columns(capsys):
    header, *lines = lines_of(capsys, "sea_m3exam_jv_litilo*prompt")
    assert header.split() == ["task", "language", "data", "set", "variant", "rows", "metric", "source"]
    assert [line.split() for line in lines] == [
        [f"sea_m3exam_jv_{variant}_enprompt", "jv", "m3exam", variant, "371", metric, "sail/Sailcompass_data"]
        for variant, metric in [("litilo_gen", "exact_match"), ("litilo_ppl", "acc_ppl"), ("litiloto_ppl", "acc_ppl")]
    ]
    assert len({line.index("sail/") for line in lines} | {header.index("source")}) == 1


def test_ls_without_pattern_shows_everything(capsys):
    _, *lines, made, groups, tags, of_lm_eval = lines_of(capsys)
    named = [re.search(r"^(task|group): (\S+)$", path.read_text(encoding="utf-8"), re.M) for path in TASKS_FOLDER.rglob("*.yaml")]
    assert {line.split()[0] for line in lines} == {found[2] for found in named if found[1] == "task"}
    assert made.startswith("made on demand: ") and set(made.split()[3:]) == set(listed())
    assert set(groups.split()[1:]) == {found[2] for found in named if found[1] == "group"}
    assert {"sea_th", "sea_mcq", "sea_asis"} < set(tags.split())
    assert of_lm_eval.startswith("of lm-eval: ")
    listed_there = {name for each in of_lm_eval_sets() for language in each.languages for name in each.names(language)}
    assert set(of_lm_eval.split()[2:]) == listed_there


def test_ls_finds_parts_of_names(capsys):
    _, *lines, made = lines_of(capsys, "xcopa_vi_to_")
    found = {line.split()[0] for line in lines}
    assert {"sea_xcopa_vi_to_ppl", "sea_xcopa_vi_to_ppl_enprompt"} <= found
    assert made.startswith("made on demand: sea_xcopa_vi_to_ppl_p2 ")
    assert all(name.startswith("sea_xcopa_vi_to_ppl") for name in [*found, *made.split()[3:]])


def test_ls_knows_each_name_that_run_takes(capsys):
    for name in ("sea_sib200_my_choice", "sea_xnli_th_e3"):  # of so many that no list has them
        assert lines_of(capsys, name) == [f"made on demand: {name}"]


def test_ls_shows_the_tasks_of_a_group_or_tag(capsys):
    names = [line.split()[0] for line in lines_of(capsys, "sea_sailcompass_cr")[1:-1]]
    assert names == ["sea_xcopa_id_to_ppl", "sea_xcopa_th_to_ppl", "sea_xcopa_vi_to_ppl"]
    tagged = lines_of(capsys, "sea_jv")
    assert {line.split()[1] for line in tagged[1:-1]} == {"jv"}
    assert tagged[-1] == "tags: sea_jv"


def test_data_check_of_samples_tells_that_rows_are_missing(in_samples, capsys):
    assert main(["data", "check", "--tasks", "sea_belebele_th_to_ppl,sea_xcopa_th*_to_ppl*"]) == 1
    out = capsys.readouterr().out
    assert "FAULT  sail/Sailcompass_data/data/belebele/tha_Thai.jsonl  4 of 900 rows" in out
    assert "sail/Sailcompass_data/data/belebele/tha_Thai.jsonl: 4 rows; expected 900" in out
    assert out.count("data/xcopa/th_test.jsonl  4 of 500 rows") == 2, "corrected and as published"
    assert out.splitlines()[-1] == "3 data files checked, 3 with faults"


@pytest.mark.slow
def test_data_check_of_real_rows_finds_no_fault(in_hub_mirror, capsys):
    """Files that the mirror lacks, and two stand-ins with fewer rows: that, and nothing else, is found."""
    # of the tasks over two languages those of one, for they all show the same rows again
    status = main(["data", "check", "--tasks", "sea_sailcompass,sea_mcq,sea_asis,sea_belebele_*th-*,sea_belebele_*th_to_en"])
    *_, last = lines = capsys.readouterr().out.splitlines()
    faults = [line for line in lines if line.startswith("FAULT")]
    absent = re.findall(r"the folder (\S+) has no (data/\S+?)\.? ", " ".join(lines))
    assert [path for source, path in absent if (in_hub_mirror / source / path).exists()] == []
    stand_ins = {("thaisum/trunc_thaisum_test_1000.jsonl", 12), ("xlsum_vi/test_1000.jsonl", 100)}
    wrong = [line.strip() for line in lines if ".jsonl: " in line or ".json: " in line]
    assert {*wrong} <= {f"sail/Sailcompass_data/data/{file}: {rows} rows; expected 1,000" for file, rows in stand_ins}
    assert len(faults) == len(wrong) + len(absent)
    sound = re.findall(r"^ok +sail/Sailcompass_data/data/(\w+)/\S+  ([\d,]+) of", "\n".join(lines), re.MULTILINE)
    sailcompass = {data_set: int(number.replace(",", "")) for data_set, number in sound}
    assert set(sailcompass) >= SAILCOMPASS - {"thaisum", "xlsum_vi"}, "all sets but the stand-ins"
    assert PUBLISHED_ROWS.items() <= sailcompass.items()
    assert not [line for line in lines if "exemplar" in line]
    assert status == bool(faults)
    assert last == f"{sum(line.startswith('ok ') for line in lines) + len(faults)} data files checked, {len(faults)} with faults"


SAILCOMPASS = {
    *("belebele", "flores200", "indolem_senti", "indonli", "indosum", "m3exam", "thaisum", "tydiqa_id", "vsmec"),
    *("wisesight_senti", "xcopa", "xlsum_vi", "xnli", "xquad"),
}
PUBLISHED_ROWS = {"belebele": 900, "flores200": 1012, "xcopa": 500, "xnli": 5010}  # of each file, by the papers


@pytest.mark.parametrize("command", [["--help"], ["run", "--help"], ["report", "--help"], ["ls", "belebele_th"]], ids=str)
def test_a_terminal_without_unicode_shows_help(command, monkeypatch):
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii", write_through=True))
    with contextlib.suppress(SystemExit):
        main(command)
    assert b"sea" in written.getvalue()
