"""What is run of a checkout, and how: only tested files, in a process that gets nothing and cannot stay."""

import datasets
import pytest

from lm_eval_sea.official import sailcompass_checkout
from lm_eval_sea.official.sailcompass_checkout import SourceFile, known_files, load_rows, read_checkout, run
from lm_eval_sea.official.sailcompass_yaml import official_tasks
from lm_eval_sea.official.task_folder import CheckoutError
from tests.official import official_code
from tests.official.conftest import commit, replace

XCOPA = "configs/datasets/xcopa/xcopa_id_ppl_a1b2c3.py"
XQUAD = "configs/datasets/xquad/xquad_th_a1b2c3.py"


def made(source: str | bytes, **job: object) -> object:
    return run(SourceFile("x.py", source if isinstance(source, bytes) else source.encode()), **job)


def test_what_a_file_defines_is_read_as_json(monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "secret")
    source = "from opencompass.a.b import C\nimport os\nx_datasets = [dict(type=C, of={1: ('a', None)}, env=dict(os.environ))]"
    (found,) = made(source)["x_datasets"]
    assert {key: found[key] for key in ("type", "of")} == {"type": "C", "of": {"1": ["a", None]}}
    assert set(found["env"]) <= {"LC_CTYPE", "LD_LIBRARY_PATH"}  # the first is set by Python itself


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("x = 1\nimport numpy", "x.py:2: ModuleNotFoundError: No module named 'numpy'"),
        ("\nraise ValueError('a\\nb')", "x.py:2: ValueError: a b"),
        ("def f():\n  return 1 / 0\n\nf()", "x.py:2: ZeroDivisionError: division by zero"),
        ("raise SystemExit(3)", "x.py:1: SystemExit: 3"),
        ("import os\nos._exit(3)", r"x.py: ended without an answer \(exit status 3\)"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", r"x.py: ended without an answer \(exit status -9\)"),
        ("x = (\n", "x.py:1: SyntaxError: '\\(' was never closed"),
        (b"x = '\xff'", "x.py: not UTF-8"),
        ("x = '\0'", "x.py:1: SyntaxError|x.py:1: ValueError"),
        ("x_datasets = [1j]", "x.py:1: AttributeError"),
        ("a = []\na.append(a)\nx_datasets = a", "x.py:1: ValueError: Circular reference"),
        ("x_datasets = open('/proc/self/environ')", "x.py:1: AttributeError"),
    ],
)
def test_an_error_is_one_line_that_names_the_file(source, message):
    with pytest.raises(CheckoutError, match=message) as caught:
        made(source)
    assert "\n" not in str(caught.value)


def test_a_file_that_runs_forever_is_stopped(monkeypatch):
    monkeypatch.setattr(sailcompass_checkout, "SECONDS", 1)
    with pytest.raises(CheckoutError, match="x.py: did not end within 1 seconds"):
        made("import time\ntime.sleep(100)")


@pytest.mark.parametrize(
    ("path", "old", "new", "message"),
    [
        (XQUAD, "do_sample=False", "do_sample=True", "infer_cfg.inferencer.generation_kwargs.do_sample is True"),
        (XQUAD, ", max_out_len=155", "", "not of the known form"),
        (XQUAD, 'number % 2 else "HUMAN"', 'number % 3 else "HUMAN"', "infer_cfg.prompt_template.template.round is"),
        (XQUAD, 'path="./data/', 'path="/tmp/data/', "path is '/tmp/data"),
        (XQUAD, "pred_role=", "sample=100, pred_role=", "eval_cfg has 'sample'"),
        (XQUAD, "retriever=dict(type=ZeroRetriever),", "", "infer_cfg lacks 'retriever'"),
        (XQUAD, "mini_datasets", "other", "not of the known form"),
        (XCOPA, "Jawaban: {{choice", "{{choice", "not of the known form"),
        (XCOPA, "XCOPASDataset", "OtherDataset", "the class 'OtherDataset' is not known"),
    ],
)
def test_a_trusted_configuration_of_another_form_is_refused(miniature, known_miniature, path, old, new, message):
    replace(miniature / path, old, new)
    checkout = read_checkout(miniature, known_miniature, trusted=True)
    (fault,) = checkout.faults
    assert fault.startswith(f"{path}: ") and message in fault and "\n" not in fault
    assert checkout.changed == [path] and len(checkout.tasks) == 7


def test_a_checkout_of_another_commit_is_noted(miniature, known_miniature, rows_folder):
    at = commit(miniature)
    made = official_tasks(miniature)
    assert not made.faults and len(made.files) == 2 * 8 + 2
    (note,) = made.notes
    assert f"tested is {known_miniature['commit']}; all files that are used are the same" in note
    assert f"the checkout is at {at}, " in note


def test_files_that_are_not_the_tested_ones_are_not_run(miniature, known_miniature, tmp_path):
    """Whatever they do; the line names file, both commits, and what to do."""
    for path in (XQUAD, "datasets/xcopa_sea.py"):
        (miniature / path).write_text(f"open({str(tmp_path / 'run')!r}, 'w')\n", encoding="utf-8")
    at = commit(miniature)
    checkout = read_checkout(miniature, known_miniature)
    assert not (tmp_path / "run").exists()
    assert len(checkout.tasks) == 6 and len(checkout.faults) == 2
    for fault in checkout.faults:
        assert at in fault and known_miniature["commit"] in fault and fault.endswith("--trust-checkout")
    read_checkout(miniature, known_miniature, trusted=True)
    assert (tmp_path / "run").exists()


@pytest.mark.slow
def test_rows_are_those_of_the_official_loaders_with_their_own_library(sailcompass_checkout, hub_mirror, monkeypatch):
    """The loaders run here with `datasets` itself, of which the process of its own has a stand-in."""
    tasks = read_checkout(sailcompass_checkout, known_files()).tasks
    compared = 0
    for task in tasks:
        loader = getattr(official_code.load(sailcompass_checkout / task.loader.path), task.configuration.loader)
        monkeypatch.chdir(hub_mirror / "sail" / "Sailcompass_data")
        official = loader.load(f"./{task.configuration.data_file}")
        monkeypatch.chdir(hub_mirror)
        ours, _ = load_rows(task)
        assert isinstance(official, datasets.Dataset) and len(official) == len(ours)
        needed = {*task.configuration.input_columns, task.configuration.answer_column}
        for official_row, row in zip(official, ours, strict=True):
            assert {column: official_row[column] for column in needed} == {column: row[column] for column in needed}
            compared += 1
    assert compared > 30_000
