"""The readers of results and samples, and a valid input for each."""

import json
import tempfile
from functools import cache
from pathlib import Path

from lm_eval_sea.report.export.every_eval_ever import records
from lm_eval_sea.report.languages.summary import summary
from lm_eval_sea.report.languages.tables import load_comparisons, write_tables
from lm_eval_sea.report.languages.translated_rows import write_translations
from lm_eval_sea.report.latex import latex
from lm_eval_sea.report.markdown import render_markdown
from lm_eval_sea.report.page import render_pages
from lm_eval_sea.report.scores import scores_of
from lm_eval_sea.report.sections import sections
from lm_eval_sea.report.suite import read_suite
from lm_eval_sea.results.read import read
from lm_eval_sea.results.table import table_of
from lm_eval_sea.sea_helm import judge, metricx
from lm_eval_sea.sea_helm.totals import suite as helm_suite
from lm_eval_sea.sea_helm.totals import views
from lm_eval_sea.sea_helm.totals.evidence import gather
from lm_eval_sea.sea_helm.totals.totals import compute

from ..report.planted import CLASSES, RANKED, TO_THAI, plant
from ..results import lm_eval_output
from ..sea_helm.planted_answers import one_turn, two_turns, write_answers
from ..sea_helm.totals.planted_runs import write_run
from .conftest import check_text

Files = dict[str, str]  # name → text


@cache
def read_report_suite():
    return read_suite()


def texts_of(folder: Path) -> Files:
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def ranked(folder: Path) -> Path:
    plant(folder)
    return folder / "org__a"


def _parallel(folder: Path) -> Path:
    """Belebele in Thai and English, for a comparison of languages."""
    planted = plant(folder / "planted") / "org__a"
    content = json.loads(next(planted.glob("results_*")).read_text())
    rows = next(planted.glob(f"samples_{RANKED}_*")).read_text(encoding="utf-8").splitlines()
    metadata = content["configs"][RANKED]["metadata"]
    of_thai = {"scores": content["results"][RANKED], "metadata": metadata, "rows": [json.loads(row) for row in rows]}
    of_english = of_thai | {"metadata": metadata | {"language": "en", "prompt_language": "en"}}
    tasks = {RANKED: of_thai, RANKED.replace("_th_", "_en_"): of_english}
    return lm_eval_output.write_run(folder / "run", tasks, model=content["model_name"])


def _translated(folder: Path) -> Path:
    columns = ("flores_passage", "question", "mc_answer1", "mc_answer2", "mc_answer3", "mc_answer4")
    facts = {"link": "https://example.org/a", "question_number": 1, "number_of_gold": "2"}
    docs = [facts | {"id": column, "column": column, "text": f"teks {column}", "answer": f"text {column}"} for column in columns]
    name, stamp = "sea_belebele_jv_to_en", "2026-01-02T03-04-05"
    metadata = {"setting": "to_en", "data_files": {"test": "data/jav_Latn.jsonl"}}
    metadata |= {"dataset": "belebele", "headline_metric": "chrf++"}
    rows = [{"doc_id": number, "filter": "none", "doc": doc} for number, doc in enumerate(docs)]
    lm_eval_output.write_run(folder, {name: {"scores": {"chrf++,none": 40.0}, "metadata": metadata, "rows": rows}}, stamp)
    return folder


def totals(folder: Path, **more: str) -> Path:
    """A run of SEA-HELM's tasks."""
    rows = {
        ("id", "sentiment"): [(1, "Positif"), (0, "Negatif"), (1, "Negatif")],
        ("id", "qa"): [(0.5, ["a", "b"]), (0.25, ["c"])],
        ("id", "abssum"): [(20.0, "x"), (30.0, "y")],
    }
    return write_run(folder / "run", 1, rows, **more)


CRITERIA = [{"turn": 0, "criterion": "first", "severity": "high"}, {"turn": 1, "criterion": "second", "severity": "generic"}]


def _judged(folder: Path) -> Path:
    write_answers(folder / "run", "id", "mt-bench-judge", [two_turns(n, "satu", "dua", CRITERIA) for n in range(2)])
    write_answers(folder / "run", "id", "kalahi-judge", [one_turn(0, "satu", CRITERIA[:1])], seed=2)
    return folder / "run"


def _translations(folder: Path) -> Path:
    rows = [{"doc_id": n, "doc": {"id": str(n), "text": "teks", "answer": "text", "label": ["text"]}} for n in range(3)]
    return write_answers(folder / "run", "id", "translation-en-xx", rows).parent


def check_line(error: Exception) -> None:
    assert str(error) and "\n" not in str(error)


def show(place: Path) -> None:
    check_text(table_of(read(place).best()))


def frames(place: Path) -> None:
    """Checks that the columns of the report have only texts, numbers and missing values."""
    found = scores_of(read(place).best(), shown_rows=4)
    for frame in (found.runs, found.tasks, *(rows.frame for rows in found.logged.values())):
        for name in frame.columns.difference(["loglikelihoods", "doc_id"]):
            for value in frame[name].tolist():
                assert isinstance(value, str | int | float) or value is None, f"{name}: {value!r}"


def report(place: Path) -> None:
    found = scores_of(read(place).best(), suite=read_report_suite(), shown_rows=4)
    made = sections(found, published=True)
    for text in (render_markdown(made), *render_pages(found, made, {}).values()):
        check_text(text)
        assert "<zz" not in text
    assert not any(r"\input" in latex(table, "") for one in made for table in one.tables)


def score(place: Path) -> None:
    totals = compute(gather(read(place).by_seed().tasks), helm_suite.read_suite("seahelm"), "corrected")
    check_text(views.as_text(totals))
    json.loads(views.as_json(totals))
    check_text(views.as_csv(totals))


def compare_languages(place: Path) -> None:
    comparisons, notes = load_comparisons(read(place).best())
    with tempfile.TemporaryDirectory() as out:
        for name, rows in write_tables(comparisons, Path(out), notes).items():
            check_text(name.read_text(encoding="utf-8"))
            if name.name == "differences.csv":
                check_text(summary(rows))


def translate(place: Path) -> None:
    with tempfile.TemporaryDirectory() as out:
        for file in write_translations(read(place).best(), Path(out))[0]:
            assert file.path.is_relative_to(out)


def judge_jobs(place: Path) -> None:
    jobs = judge.jobs_of(read(place).by_seed().tasks, None, [])
    assert all(job.calls for job in jobs)
    judge.estimate_of(jobs, "judge", 4, (1.0, 2.0))


def metricx_jobs(place: Path) -> None:
    setting = metricx.Setting("model", "tokenizer", "google", 2)
    metricx.score(metricx.jobs_of(read(place).by_seed().tasks, []), lambda texts: [1.0] * len(texts), setting)


def every_eval_ever(place: Path) -> None:
    for path, record in records(read(place).best())[0].items():
        check_text(path)
        check_text(json.dumps(record, ensure_ascii=False, allow_nan=False))


KEPT = (RANKED, CLASSES, TO_THAI)
# the reader, and the function that writes a valid input for it
READERS = {
    "show": (show, ranked),
    "frames": (frames, ranked),
    "report": (report, ranked),
    "score": (score, totals),
    "report --languages": (compare_languages, _parallel),
    "make --translated": (translate, _translated),
    "score --judge": (judge_jobs, _judged),
    "score --metricx": (metricx_jobs, _translations),
    "export every-eval-ever": (every_eval_ever, ranked),
}


def as_lm_eval_writes(text: str) -> str:
    """A planted results file with the other entries that lm-eval writes."""
    content = json.loads(text)
    names = list(content["configs"])
    content = {"n-shot": dict.fromkeys(names, 3), "versions": dict.fromkeys(names, 1.0)} | content
    content |= {"git_hash": "a1b2", "date": 1767322800.5, "transformers_version": "5.0", "lm_eval_version": "0.4.13"}
    content |= dict.fromkeys(("chat_template", "chat_template_sha", "system_instruction", "system_instruction_sha"))
    content |= {"higher_is_better": {name: {"acc": True} for name in names}, "group_subtasks": {"means": names}}
    arguments = {"pretrained": content["model_name"], "dtype": "float32", "revision": "main", "peft": "x"}
    content["config"] = content.get("config", {}) | {"model_args": arguments, "use_cache": None}
    content["config"] |= {"model_dtype": "torch.float32", "model_revision": "main", "model_sha": "c3d4", "batch_size": "8"}
    content["config"] |= {"batch_sizes": [], "limit": None, "gen_kwargs": {"top_p": 1}, "torch_seed": 1, "fewshot_seed": 1}
    content["results"]["means"] = {"alias": "means", **{key: 0.5 for key in content["results"][names[0]] if "," in key}}
    for config in content["configs"].values():
        config |= {"num_fewshot": 3, "description": "d", "doc_to_text": "{{question}}"}
        config |= {"fewshot_config": {"samples": [{"question": "a"}]}}
        config |= {"metric_list": [{"metric": "acc", "higher_is_better": True}]}
        config |= {"generation_kwargs": {"max_gen_toks": 5, "temperature": 0.0}}
        provenance = {"data_sha256": "e5" * 32, "data_revision": "f6", "pack_version": "0.3", "signatures": {"acc": "x"}}
        config["metadata"] |= {"provenance": provenance}
    return json.dumps(content)


@cache
def whole_input(reader: str) -> Files:
    write = READERS[reader][1]
    with tempfile.TemporaryDirectory() as folder:
        place = write(Path(folder))
        files = texts_of(place if place.is_dir() else place.parent)
    return {
        name: as_lm_eval_writes(text) if name.startswith("results") else text
        for name, text in files.items()
        if name.startswith("results") or write is not ranked or any(f"samples_{task}_" in name for task in KEPT)
    }
