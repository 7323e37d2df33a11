"""Readers of results and samples on files that are broken or made to mislead: no traceback, no controls in what is printed."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lm_eval_sea.report.analysis import Analysis
from lm_eval_sea.report.frames import load
from lm_eval_sea.report.markdown import render_markdown
from lm_eval_sea.report.page import render_page
from lm_eval_sea.report.sections import sections
from lm_eval_sea.report.suite import read_suite
from lm_eval_sea.results.run_files import RunFilesError, find_runs
from lm_eval_sea.results.summary import summary_of_files, summary_of_results

from ..report.planted import CLASSES, RANKED, TO_THAI, plant
from .lm_eval_output import OLD
from .mutations import as_json, mutated, mutated_bytes

KEPT = (RANKED, CLASSES, TO_THAI)
QUICK, SLOW = 150, 2000
RELAXED = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


def _real_files():
    with tempfile.TemporaryDirectory() as folder:
        plant(Path(folder))
        place = Path(folder, "org__a")
        content = json.loads(next(place.glob("results_*")).read_text())
        for part in ("results", "configs", "versions", "n-shot", "n-samples"):
            content[part] = {name: entry for name, entry in content[part].items() if name in KEPT}
        samples = {name: [json.loads(line) for line in next(place.glob(f"samples_{name}_*")).open()] for name in KEPT}
    return content, samples


RESULTS, SAMPLES = _real_files()
SUITE = read_suite()


@st.composite
def folders(draw):
    """File name → bytes of one run, of which one file is broken."""
    broken = draw(st.sampled_from(["results", *KEPT]))
    how = draw(st.sampled_from(["json", "json", "bytes"]))
    results = RESULTS
    files = {}
    if broken == "results":
        results = draw(mutated(RESULTS)) if how == "json" else RESULTS
    files[f"results_{OLD}.json"] = as_json(results).encode()
    if broken == "results" and how == "bytes":
        files[f"results_{OLD}.json"] = draw(mutated_bytes(as_json(RESULTS)))
    for name, rows in SAMPLES.items():
        rows = draw(mutated(rows)) if name == broken and how == "json" else rows
        text = "".join(as_json(row) + "\n" for row in rows)
        data = draw(mutated_bytes(text)) if name == broken and how == "bytes" else text.encode()
        files[f"samples_{name}_{OLD}.jsonl"] = data
    return files


def written(folder, files):
    place = Path(folder, "org__a")
    place.mkdir()
    for name, data in files.items():
        (place / name).write_bytes(data)
    return place


def check_text(text):
    text.encode()
    assert "\x1b" not in text and "\u202e" not in text


def check_summary(files):
    with tempfile.TemporaryDirectory() as folder:
        try:
            check_text(summary_of_files([written(folder, files)]))
        except RunFilesError as error:
            assert "\n" not in str(error)


def load_files(files):
    with tempfile.TemporaryDirectory() as folder:
        try:
            return load([written(folder, files)], shown_rows=4)
        except RunFilesError as error:
            assert "\n" not in str(error)
            return None


def check_report(files):
    frames = load_files(files)
    if frames is not None:
        made = sections(Analysis(frames, SUITE))
        check_text(render_markdown(made, {}))
        check_text(render_page(frames, made, {}))


@settings(max_examples=QUICK, deadline=None, suppress_health_check=RELAXED)
@given(folders())
def test_show_of_a_broken_file(files):
    check_summary(files)


@settings(max_examples=QUICK // 5, deadline=None, suppress_health_check=RELAXED)
@given(folders())
def test_report_of_a_broken_file(files):
    check_report(files)


@pytest.mark.slow
@settings(max_examples=SLOW, deadline=None, suppress_health_check=RELAXED)
@given(folders())
def test_show_of_many_broken_files(files):
    check_summary(files)


@pytest.mark.slow
@settings(max_examples=SLOW, deadline=None, suppress_health_check=RELAXED)
@given(folders())
def test_frames_of_many_broken_files(files):
    load_files(files)


@pytest.mark.slow
@settings(max_examples=SLOW // 10, deadline=None, suppress_health_check=RELAXED)
@given(folders())
def test_report_of_more_broken_files(files):
    check_report(files)


@settings(max_examples=QUICK, deadline=None, suppress_health_check=RELAXED)
@given(mutated({**RESULTS, "samples": SAMPLES}))
def test_results_in_memory(content):
    if isinstance(content, dict) and isinstance(content.get("results"), dict):
        check_text(summary_of_results(content))


def test_folders_named_like_files_and_dates_that_are_none(tmp_path):
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
