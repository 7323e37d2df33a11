"""results, samples, verdicts and rows that are broken in one place.

A reader of such a file may refuse it with one line, and never ends in a traceback. What is printed has no controls.
"""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lm_eval_sea.report.frames import load
from lm_eval_sea.results.run_files import find_runs
from lm_eval_sea.results.summary import summary_of_files, summary_of_results
from lm_eval_sea.sea_helm import row_scores
from lm_eval_sea.sea_helm.judge_calls import Cache
from lm_eval_sea.tasks._shared.published.json_rows import read_json_rows
from lm_eval_sea.tasks._shared.published.row_checks import check_row

from ..report.planted import RANKED, plant
from ..results.lm_eval_output import OLD
from .mutations import as_json, mutated, mutated_bytes
from .readers import KEPT, READERS, REFUSALS, Files, check_line, check_text, ranked, whole_input

QUICK, MANY = 15, 2000
RELAXED = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


@st.composite
def broken_files(draw, files: Files):
    """File name → bytes, one of them broken."""
    broken = draw(st.sampled_from(sorted(files)))
    made = {name: text.encode() for name, text in files.items()}
    if draw(st.sampled_from(["json", "json", "json", "bytes"])) == "bytes":
        made[broken] = draw(mutated_bytes(files[broken]))
    elif broken.endswith(".json"):
        made[broken] = as_json(draw(mutated(json.loads(files[broken])))).encode()
    else:
        rows = draw(mutated([json.loads(line) for line in files[broken].splitlines()]))
        made[broken] = "".join(as_json(row) + "\n" for row in rows).encode()
    return made


def attack(reader: str, number: int) -> None:
    """Has the reader read so many broken inputs."""
    read, files = READERS[reader][0], whole_input(reader)

    @settings(max_examples=number, deadline=None, suppress_health_check=RELAXED, database=None)
    @given(broken_files(files))
    def check(content):
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder, "org__a")
            place.mkdir()
            for name, data in content.items():
                (place / name).write_bytes(data)
            try:
                read(place)
            except REFUSALS as error:
                check_line(error)

    check()


@pytest.mark.parametrize("reader", READERS)
def test_a_whole_input_is_read(reader):
    """a whole input, which every reader takes"""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "org__a")
        place.mkdir()
        for name, text in whole_input(reader).items():
            (place / name).write_text(text, encoding="utf-8")
        READERS[reader][0](place)


@pytest.mark.parametrize("reader", [name for name in READERS if name not in ("report", "frames")])
def test_a_broken_file(reader):
    """a file of results or samples with something else in one place"""
    attack(reader, QUICK)


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS)
def test_many_broken_files(reader):
    """2,000 files of results or samples with something else in one place"""
    attack(reader, MANY)


@settings(max_examples=40, deadline=None, suppress_health_check=RELAXED)
@given(st.data())
def test_results_in_memory(data):
    """results in memory with something else in one place"""
    files = whole_input("show")
    [name] = [name for name in files if name.startswith("results")]
    samples = {name: [json.loads(line) for line in files[f"samples_{name}_{OLD}.jsonl"].splitlines()] for name in KEPT}
    content = data.draw(mutated({**json.loads(files[name]), "samples": samples}))
    if isinstance(content, dict) and isinstance(content.get("results"), dict):
        check_text(summary_of_results(content))


SCORES = {"scorer": "x", "best": 1.0, "mean": 0.5, "notes": ["n"], "scores": [{"doc_id": 0, "score": 0.5}]}


def read_scores(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "judged_x.json")
        path.write_bytes(data)
        try:
            scores = row_scores.read(path)
        except row_scores.RowScoresError as error:
            check_line(error)
        else:
            assert scores.best > 0 and all(0 <= score <= scores.best for score in scores.scores.values())


@pytest.mark.slow
@settings(max_examples=MANY, deadline=None, suppress_health_check=RELAXED)
@given(st.one_of(mutated(SCORES).map(lambda value: as_json(value).encode()), mutated_bytes(as_json(SCORES))))
def test_scores_of_rows(data):
    """2,000 files of judged scores with something else in one place"""
    read_scores(data)


@pytest.mark.parametrize("best", [0, -1, "1", None, True, 1e308, float("inf"), float("nan"), 10**400, [1]], ids=repr)
def test_a_best_score_that_is_none(best):
    """a best score that is no number, or too small for its rows"""
    if best == 1e308:
        read_scores(as_json(SCORES | {"best": best}).encode())
    else:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "judged_x.json")
            path.write_text(as_json(SCORES | {"best": best}))
            with pytest.raises(row_scores.RowScoresError, match="remove it"):
                row_scores.read(path)


VERDICT = {"key": "k", "text": "t", "seconds": 1.0, "prompt_tokens": 5, "completion_tokens": 6}


def read_verdicts(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "verdicts.jsonl")
        path.write_bytes(data)
        answer = Cache(path).answer("k")
        assert answer is None or (isinstance(answer.text, str) and answer.is_sound)


@pytest.mark.slow
@settings(max_examples=MANY, deadline=None, suppress_health_check=RELAXED)
@given(st.one_of(mutated(VERDICT).map(lambda value: as_json(value).encode()), mutated_bytes(as_json(VERDICT))))
def test_verdicts_of_a_judge(data):
    """2,000 files of verdicts with something else in one place"""
    read_verdicts(data)


@pytest.mark.parametrize("text", [None, 5, ["a"], {"a": 1}, True], ids=repr)
def test_a_verdict_that_is_no_text(text):
    """a kept verdict that is no text"""
    read_verdicts(as_json(VERDICT | {"text": text}).encode())


ROW = {
    "id": "a",
    "premise": "p",
    "options": ["x", "y"],
    "letters": ["A", "B"],
    "gold": 1,
    "answers": ["z"],
    "deep": {"a": [1, {}]},
}


def read_rows(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.jsonl")
        path.write_bytes(data)
        try:
            rows = read_json_rows(path)
        except ValueError as error:
            check_line(error)
        else:
            json.dumps(rows, ensure_ascii=False).encode()


@pytest.mark.slow
@settings(max_examples=MANY, deadline=None, suppress_health_check=RELAXED)
@given(
    st.one_of(mutated([ROW, ROW]).map(lambda rows: "".join(map(as_json, rows)).encode()), mutated_bytes(f"{as_json(ROW)}\n" * 3))
)
def test_rows_of_a_data_file(data):
    """2,000 data files with something else in one place"""
    read_rows(data)


@pytest.mark.slow
@settings(max_examples=MANY, deadline=None, suppress_health_check=RELAXED)
@given(mutated(ROW))
def test_rows_that_are_scored(row):
    """2,000 processed rows with something else in one place: refused, or with a right answer that is there"""
    try:
        check_row(row)
    except (ValueError, TypeError, AttributeError, KeyError):  # what `iterate_rows` turns into a line
        return
    if "options" in row:
        assert type(row["gold"]) is int and row["options"][row["gold"]].strip()


def test_folders_and_dates_that_are_none(tmp_path):
    """folders named like files, dates that do not exist, empty samples"""
    plant(tmp_path)
    for name in (f"results_{OLD}x.json", "results_2026-01-02T03-04-05.json", f"samples_toy_{OLD}.jsonl"):
        (tmp_path / "org__a" / name).mkdir()
    (tmp_path / "org__a" / "samples_toy_2026-99-99T99-99-99.jsonl").write_text("{}\n")
    (tmp_path / "org__a" / f"samples_{RANKED}_{OLD}.jsonl").write_text("")
    runs, notes = find_runs([tmp_path])
    assert len(runs) == 2
    assert any("there is no such date" in note for note in notes)
    check_text(summary_of_files([tmp_path]))
    load([tmp_path])


def test_one_broken_file_costs_itself_only(tmp_path):
    """a broken file beside whole ones: it alone is left out, and named"""
    plant(tmp_path)
    broken = tmp_path / "org__a" / f"results_{OLD}.json"
    broken.write_bytes(broken.read_bytes()[:-9])
    text = summary_of_files([tmp_path])
    assert "org/b" in text or "b," in text
    assert str(broken) in text.replace("\n  ", " ").replace(" ", "") or f"results_{OLD}.json" in text.replace("\n  ", "")


@pytest.mark.slow
def test_samples_of_200_megabytes(tmp_path):
    """a samples file of 200 MB, read in a process that may use 1.5 GB"""
    import subprocess
    import sys

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
        "from lm_eval_sea.cli import main; sys.exit(main(['show', sys.argv[1]]))"
    )
    process = subprocess.run([sys.executable, "-c", code, str(place)], capture_output=True, text=True, timeout=600)
    assert process.returncode == 0, process.stderr[-2000:]
    assert RANKED in process.stdout
