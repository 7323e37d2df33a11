"""results, samples, verdicts and rows that are broken in one place.

A reader of such a file may refuse it with one line, and never ends in a traceback. What is printed has no controls.
"""

import json
import tempfile
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lm_eval_sea.compare_languages.summary import summary
from lm_eval_sea.compare_languages.tables import ComparisonError, load_comparisons, write_tables
from lm_eval_sea.data.translated_rows import TranslationError, write_translations
from lm_eval_sea.report.analysis import Analysis
from lm_eval_sea.report.frames import load
from lm_eval_sea.report.markdown import render_markdown
from lm_eval_sea.report.page import render_page
from lm_eval_sea.report.sections import sections
from lm_eval_sea.report.suite import read_suite
from lm_eval_sea.results.run_files import RunFilesError, find_runs
from lm_eval_sea.results.summary import summary_of_files, summary_of_results
from lm_eval_sea.sea_helm import judge, metricx, row_scores
from lm_eval_sea.sea_helm.judge_calls import Cache
from lm_eval_sea.sea_helm.judge_rows import JudgeRowError
from lm_eval_sea.sea_helm.totals import suite as helm_suite
from lm_eval_sea.sea_helm.totals import views
from lm_eval_sea.sea_helm.totals.evidence import EvidenceError, gather
from lm_eval_sea.sea_helm.totals.totals import compute
from lm_eval_sea.tasks._shared.published.json_rows import read_json_rows
from lm_eval_sea.tasks._shared.published.row_checks import check_row

from ..report.planted import CLASSES, RANKED, TO_THAI, plant
from ..results.lm_eval_output import OLD
from ..sea_helm.planted_answers import one_turn, two_turns, write_answers
from ..sea_helm.totals.planted_runs import write_run
from .mutations import as_json, mutated, mutated_bytes

QUICK, MANY = 15, 2000
RELAXED = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
Files = dict[str, str]  # name → text


@cache
def read_report_suite():
    return read_suite()


def texts_of(folder: Path) -> Files:
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def written_by(write) -> Files:
    with tempfile.TemporaryDirectory() as folder:
        place = write(Path(folder))
        return texts_of(place if place.is_dir() else place.parent)


def _ranked(folder: Path) -> Path:
    plant(folder)
    return folder / "org__a"


def _parallel(folder: Path) -> Path:
    """Belebele in Thai and English, for languages to be compared."""
    plant(folder)
    place = folder / "org__a"
    content = json.loads(next(place.glob("results_*")).read_text())
    english = RANKED.replace("_th_", "_en_")
    for part in ("results", "configs", "versions", "n-shot", "n-samples"):
        content[part] = {name: content[part][RANKED] for name in (RANKED, english)}
    metadata = dict(content["configs"][RANKED]["metadata"])
    content["configs"] = {
        RANKED: {"metadata": metadata},
        english: {"metadata": metadata | {"language": "en", "prompt_language": "en"}},
    }
    samples = next(place.glob(f"samples_{RANKED}_*")).read_text(encoding="utf-8")
    for path in place.iterdir():
        path.unlink()
    (place / f"results_{OLD}.json").write_text(json.dumps(content))
    for name in (RANKED, english):
        (place / f"samples_{name}_{OLD}.jsonl").write_text(samples, encoding="utf-8")
    return place


def _translated(folder: Path) -> Path:
    columns = ("flores_passage", "question", "mc_answer1", "mc_answer2", "mc_answer3", "mc_answer4")
    facts = {"link": "https://example.org/a", "question_number": 1, "number_of_gold": "2"}
    docs = [facts | {"id": column, "column": column, "text": f"teks {column}", "answer": f"text {column}"} for column in columns]
    name, stamp = "sea_belebele_jv_to_en", "2026-01-02T03-04-05"
    metadata = {
        "setting": "to_en",
        "data_files": {"test": "data/jav_Latn.jsonl"},
        "dataset": "belebele",
        "headline_metric": "chrf++",
    }
    content = {"results": {name: {"chrf++,none": 40.0}}, "configs": {name: {"metadata": metadata}}, "model_name": "org/model"}
    (folder / f"results_{stamp}.json").write_text(json.dumps(content))
    lines = [json.dumps({"doc_id": number, "filter": "none", "doc": doc}) + "\n" for number, doc in enumerate(docs)]
    (folder / f"samples_{name}_{stamp}.jsonl").write_text("".join(lines))
    return folder


def _totals(folder: Path) -> Path:
    rows = {
        ("id", "sentiment"): [(1, "Positif"), (0, "Negatif"), (1, "Negatif")],
        ("id", "qa"): [(0.5, ["a", "b"]), (0.25, ["c"])],
        ("id", "abssum"): [(20.0, "x"), (30.0, "y")],
    }
    return write_run(folder / "run", 1, rows)


CRITERIA = [{"turn": 0, "criterion": "first", "severity": "high"}, {"turn": 1, "criterion": "second", "severity": "generic"}]


def _judged(folder: Path) -> Path:
    write_answers(folder / "run", "id", "mt-bench-judge", [two_turns(n, "satu", "dua", CRITERIA) for n in range(2)])
    write_answers(folder / "run", "id", "kalahi-judge", [one_turn(0, "satu", CRITERIA[:1])], seed=2)
    return folder / "run"


def _translations(folder: Path) -> Path:
    rows = [{"doc_id": n, "doc": {"id": str(n), "text": "teks", "answer": "text", "label": ["text"]}} for n in range(3)]
    path = write_answers(folder / "run", "id", "translation-en-xx", rows)
    results = next(path.parent.glob("results_*"))
    content = json.loads(results.read_text())
    for record in content["configs"].values():
        record["metadata"]["score_group"] = "translations"
    results.write_text(json.dumps(content))
    return path.parent


def check_text(text: str) -> None:
    text.encode()
    assert "\x1b" not in text and "\u202e" not in text


def check_line(error: Exception) -> None:
    assert str(error) and "\n" not in str(error)


def show(place: Path) -> None:
    check_text(summary_of_files([place]))


def frames(place: Path) -> None:
    load([place], shown_rows=4)


def report(place: Path) -> None:
    found = load([place], shown_rows=4)
    made = sections(Analysis(found, read_report_suite()))
    check_text(render_markdown(made, {}))
    check_text(render_page(found, made, {}))


def score(place: Path) -> None:
    runs, _ = find_runs([place], seeds=True)
    totals = compute(gather(runs), helm_suite.read_suite("seahelm"), helm_suite.judges(), "corrected")
    check_text(views.as_text(totals))
    json.loads(views.as_json(totals))
    assert "\x1b" not in views.as_csv(totals)


def compare_languages(place: Path) -> None:
    comparisons, notes = load_comparisons([place])
    with tempfile.TemporaryDirectory() as out:
        for name, rows in write_tables(comparisons, Path(out), notes).items():
            check_text(name.read_text(encoding="utf-8"))
            if name.name == "differences.csv":
                check_text(summary(rows))


def translate(place: Path) -> None:
    with tempfile.TemporaryDirectory() as out:
        for file in write_translations([place], Path(out))[0]:
            assert file.path.is_relative_to(out)


def judge_jobs(place: Path) -> None:
    runs, notes = find_runs([place], seeds=True)
    jobs = judge.jobs_of(runs, None, notes)
    assert all(job.calls for job in jobs)
    judge.estimate_of(jobs, "judge", 4, (1.0, 2.0))


def metricx_jobs(place: Path) -> None:
    runs, notes = find_runs([place], seeds=True)
    setting = metricx.Setting("model", "tokenizer", "google", 2)
    metricx.score(metricx.jobs_of(runs, notes), lambda texts: [1.0] * len(texts), setting)


REFUSALS = (RunFilesError, EvidenceError, ComparisonError, TranslationError, JudgeRowError)
REFUSALS += (judge.NothingToJudgeError, metricx.NothingToScoreError)
KEPT = (RANKED, CLASSES, TO_THAI)
# reader, and what makes a whole input for it
READERS = {
    "show": (show, _ranked),
    "frames": (frames, _ranked),
    "report": (report, _ranked),
    "score sea-helm": (score, _totals),
    "compare-languages": (compare_languages, _parallel),
    "belebele translated": (translate, _translated),
    "judge": (judge_jobs, _judged),
    "metricx": (metricx_jobs, _translations),
}


@cache
def whole_input(reader: str) -> Files:
    files = written_by(READERS[reader][1])
    return {
        name: text
        for name, text in files.items()
        if name.startswith("results") or READERS[reader][1] is not _ranked or _kept(name)
    }


def _kept(name: str) -> bool:
    return any(f"samples_{task}_" in name for task in KEPT)


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

    place = _ranked(tmp_path)
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
