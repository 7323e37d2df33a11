"""What a run imports and reads before its first forward pass, in counts, which do not depend on the machine."""

import pytest
from bench_start import PACK, measure, task_files


@pytest.fixture(scope="module")
def folder(tmp_path_factory, tiny_model):
    made = tmp_path_factory.mktemp("start")
    (made / "empty").mkdir()
    (made / "model").symlink_to(tiny_model)
    return made


def packages(found: dict) -> set[str]:
    return {name.partition(".")[0] for name in found["modules"] if not name.startswith(("_", "/", "lm_eval_sea"))}


@pytest.mark.slow
def test_a_run_reads_only_its_task_files_and_imports_little(folder):
    run, plain = (measure(case, folder) for case in ("run sea_xnli_th", "lm_eval, an empty folder"))
    tasks = {path.removeprefix(f"{PACK}/tasks/"): times for path, times in run["files"].items() if path.endswith("yaml")}
    # once by the pack, once by lm-eval as it builds the task
    names = ("xnli/th.yaml", "_shared/classification_yaml", "xnli/exemplars/_th_yaml")
    assert tasks == dict.fromkeys(names, 2)
    # needed by the backend for chat servers and the cache of answers
    assert packages(run) - packages(plain) <= {
        *("aiohttp", "aiohappyeyeballs", "aiosignal", "attr", "email", "frozenlist", "multidict", "netrc", "propcache", "yarl"),
        *("tenacity", "sqlite3", "orjson"),
    }
    assert len(run["modules"]) < len(plain["modules"]) + 250
    rows = {path: times for path, times in run["files"].items() if path.startswith(f"{PACK}/samples/")}
    assert set(rows.values()) == {1}


@pytest.mark.slow
def test_plain_lm_eval_reads_each_task_file_with_its_includes(folder):
    """lm-eval's index reads each file of the pack and the up to four files that it includes."""
    files = len(list((PACK / "tasks").rglob("*.yaml")))
    opened, of_lm_eval = task_files(measure("lm_eval, the pack", folder))
    assert of_lm_eval > 10_000
    assert opened < 3.5 * files


def test_an_overview_reads_each_file_once(folder):
    found = measure("ls", folder)
    assert {times for path, times in found["files"].items() if path.startswith(f"{PACK}/tasks/")} == {1}
    assert len(found["modules"]) < 300
