"""Results, samples, verdicts and rows that are broken in one place.

A reader of such a file may refuse it with one line, and never ends in a traceback. What is printed has no controls.
"""

import json
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lm_eval_sea.report.scores import scores_of
from lm_eval_sea.results.read import of_results, read
from lm_eval_sea.results.table import table_of
from lm_eval_sea.results.types import ResultsError
from lm_eval_sea.sea_helm import row_scores
from lm_eval_sea.sea_helm.judge_calls import Cache
from lm_eval_sea.tasks._shared.published.json_rows import read_json_rows
from lm_eval_sea.tasks._shared.published.row_checks import check_row

from ..report.planted import RANKED, plant
from ..results.lm_eval_output import OLD
from .conftest import check_text
from .mutations import broken_files, mutated, mutated_bytes
from .readers import KEPT, READERS, Files, check_line, ranked, whole_input

RELAXED = settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much], database=None
)
SEEDS = ("score", "score --judge", "score --metricx")  # readers that take several runs of one model
ALONE = "make --translated"  # takes one run


@cache
def second_run(reader: str) -> Files:
    """The same files, as if of another model or of another seed."""
    files = {}
    for name, text in whole_input(reader).items():
        if name.endswith(".json") and reader not in SEEDS:
            content = json.loads(text) | {"model_name": "org/b"}
            content["config"]["model_args"]["pretrained"] = "org/b"
            text = json.dumps(content)
        files[name.replace("_2026-", "_2027-") if reader in SEEDS else name] = text
    return files


def write(folder: Path, files: dict[str, bytes] | Files) -> None:
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


@pytest.mark.parametrize("reader", READERS)
def test_a_whole_input_is_read(reader, tmp_path):
    write(tmp_path / "org__a", whole_input(reader))
    READERS[reader][0](tmp_path)


@pytest.mark.parametrize(
    "reader", [pytest.param(reader, marks=pytest.mark.slow) if reader == "report" else reader for reader in READERS]
)
def test_a_broken_file(reader, everything):
    """Alone, or beside a valid run, so that values of two types meet in columns, comparisons and sums."""

    @settings(RELAXED, max_examples=10 if not everything else 25 if reader == "report" else 150)
    @given(broken_files(whole_input(reader)), st.booleans())
    def check(files, alone):
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder, "org__a"), files)
            if not alone and reader != ALONE:
                write(Path(folder, "org__b"), second_run(reader))
            try:
                READERS[reader][0](Path(folder))
            except ResultsError as error:
                check_line(error)

    check()


@settings(RELAXED, max_examples=40)
@given(st.data())
def test_results_in_memory(data):
    files = whole_input("show")
    [name] = [name for name in files if name.startswith("results")]
    samples = {name: [json.loads(line) for line in files[f"samples_{name}_{OLD}.jsonl"].splitlines()] for name in KEPT}
    content = data.draw(mutated({**json.loads(files[name]), "samples": samples}))
    if isinstance(content, dict) and isinstance(content.get("results"), dict):
        check_text(table_of(of_results(content)))


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return tmp_path_factory.mktemp("broken") / "file.jsonl"


SCORES = {"scorer": "x", "best": 1.0, "mean": 0.5, "notes": ["n"], "scores": [{"doc_id": 0, "score": 0.5}]}
VERDICT = {"key": "k", "text": "t", "seconds": 1.0, "prompt_tokens": 5, "completion_tokens": 6}
ROW = {
    "id": "a", "premise": "p", "options": ["x", "y"], "letters": ["A", "B"], "gold": 1, "answers": ["z"], "deep": {"a": [1, {}]},
}  # fmt: skip


def broken(value):
    """Broken content of a JSON file with this value; a list has one line per entry."""
    lines = [json.dumps(each) for each in value] if isinstance(value, list) else [json.dumps(value)]
    changed = mutated(value).map(lambda found: "\n".join(map(json.dumps, found if isinstance(found, list) else [found])).encode())
    return st.one_of(changed, mutated_bytes("\n".join(lines)))


@settings(RELAXED, max_examples=150)
@given(broken(SCORES))
def test_scores_of_rows(file, data):
    file.write_bytes(data)
    try:
        scores = row_scores.read(file)
    except ResultsError as error:
        check_line(error)
    else:
        assert scores.best > 0 and all(0 <= score <= scores.best for score in scores.scores.values())


def test_an_invalid_best_score(file):
    """It is no number, or smaller than the scores of its rows."""
    for best in (0, -1, "1", None, True, float("inf"), float("nan"), 10**400, [1]):
        file.write_text(json.dumps(SCORES | {"best": best}))
        with pytest.raises(ResultsError, match="remove it"):
            row_scores.read(file)


@settings(RELAXED, max_examples=150)
@given(broken(VERDICT))
def test_verdicts_of_a_judge(file, data):
    file.write_bytes(data)
    answer = Cache(file).answer("k")
    assert answer is None or (isinstance(answer.text, str) and answer.is_sound)


@settings(RELAXED, max_examples=150)
@given(broken([ROW, ROW, ROW]))
def test_rows_of_a_data_file(file, data):
    file.write_bytes(data)
    try:
        rows = read_json_rows(file)
    except ValueError as error:
        check_line(error)
    else:
        json.dumps(rows, ensure_ascii=False).encode()


@settings(RELAXED, max_examples=150)
@given(mutated(ROW))
def test_rows_that_are_scored(row):
    """They are refused, or the position of the right answer is valid."""
    try:
        check_row(row)
    except (ValueError, TypeError, AttributeError, KeyError):  # what `iterate_rows` turns into a line
        return
    if "options" in row:
        assert type(row["gold"]) is int and row["options"][row["gold"]].strip()


def test_folders_named_like_files_and_invalid_dates(tmp_path):
    """And empty samples."""
    plant(tmp_path)
    for name in (f"results_{OLD}x.json", "results_2026-01-02T03-04-05.json", f"samples_toy_{OLD}.jsonl"):
        (tmp_path / "org__a" / name).mkdir()
    (tmp_path / "org__a" / "samples_toy_2026-99-99T99-99-99.jsonl").write_text("{}\n")
    (tmp_path / "org__a" / f"samples_{RANKED}_{OLD}.jsonl").write_text("")
    runs = read(tmp_path).best()
    assert len(runs.runs) == 2
    assert any("its name has no valid date" in note for note in runs.notes)
    check_text(table_of(runs))
    scores_of(read(tmp_path).best())


@pytest.mark.slow
def test_samples_of_200_megabytes(tmp_path):
    """The process may use 1.5 GB."""
    place = ranked(tmp_path)
    path = place / f"samples_{RANKED}_{OLD}.jsonl"
    row = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
    row["resps"] = [["ก" * 60_000]]
    with path.open("w", encoding="utf-8") as file:
        for number in range(1150):
            file.write(json.dumps(row | {"doc_id": number}, ensure_ascii=False) + "\n")
    assert path.stat().st_size > 200e6
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_DATA, (1_500_000_000,) * 2);"
        "from lm_eval_sea.commands.cli import main; sys.exit(main(['show', sys.argv[1]]))"
    )
    process = subprocess.run([sys.executable, "-c", code, str(place)], capture_output=True, text=True, timeout=600)
    assert process.returncode == 0, process.stderr[-2000:]
    assert RANKED in process.stdout
