"""The written report: the page in Chromium, and the files beside it."""

import json
import re
from pathlib import Path

import pytest
from lm_eval.loggers import EvaluationTracker

import lm_eval_sea
from lm_eval_sea.commands.cli import main
from lm_eval_sea.report.tables import SHADES
from lm_eval_sea.report.write import write_report
from lm_eval_sea.results.read import read
from lm_eval_sea.sea_helm.totals.evidence import gather
from lm_eval_sea.sea_helm.totals.hierarchy import Place
from lm_eval_sea.sea_helm.totals.suite import read_suite
from lm_eval_sea.sea_helm.totals.totals import compute

from ..sea_helm.totals.planted_runs import write_run
from ..sea_helm.totals.test_totals import indonesian
from ..tasks.evaluation import evaluate
from .browser import Browser, find_chromium
from .planted import GENERATED, RANKED, csv_rows, plant

SAMPLES = Path(lm_eval_sea.__file__).parent / "samples"
MCQ = [f"sea_belebele_th_{variant}" for variant in ("to_ppl", "tito_ppl", "litilo_ppl", "litilo_gen")]
TASKS = [*MCQ, "sea_xnli_th", "sea_flores_en_th", "sea_flores_th_en"]


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    if find_chromium() is None:
        pytest.skip("needs Chromium: apt-get install chromium")
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    out = tmp_path_factory.mktemp("planted")
    write_report(read(plant(tmp_path_factory.mktemp("runs"))), out, shown_rows=4)
    return out


@pytest.fixture(scope="module")
def real(tmp_path_factory, samples, tiny_model, tiny_model_bos):
    """A report of two tiny models on the samples."""
    runs, out = tmp_path_factory.mktemp("runs"), tmp_path_factory.mktemp("real")
    for model in (tiny_model, tiny_model_bos):
        tracker = EvaluationTracker(output_path=str(runs / model.parent.name))
        options = {"model_args": {"pretrained": str(model)}, "device": "cpu", "batch_size": 4, "log_samples": True}
        results = evaluate(samples, TASKS, "hf", evaluation_tracker=tracker, gen_kwargs={"max_gen_toks": 8}, **options)
        logged = results.pop("samples")
        tracker.save_results_aggregated(results=results, samples=logged)
        for task in logged:
            tracker.save_results_samples(task_name=task, samples=logged[task])
    assert main(["report", str(runs), "--out", str(out)]) == 0
    return out


@pytest.fixture(params=["planted", pytest.param("real", marks=pytest.mark.slow)])
def report(request):
    """The folder of either report."""
    return request.getfixturevalue(request.param)


def visible(browser, table, column):
    """The entries of a column of a table in the rows that are shown."""
    rows = f"[...document.querySelectorAll('table[data-name={table}] tbody tr')].filter((row) => row.offsetParent)"
    return browser.run(f"{rows}.map((row) => row.cells[{column}].textContent)")


def choose(browser, control, value):
    browser.run(f"byId('{control}').value = {value!r}; byId('{control}').dispatchEvent(new Event('change'))")


def filter_by(browser, name, value):
    browser.run(f"filters.elements.{name}.value = '{value}'; filters.dispatchEvent(new Event('change'))")


def open_samples(browser, folder, task, model="' + byId('sample-model').value + '", **how):
    """The samples of a task and a model, or of the model that is chosen; the first one is opened."""
    browser.open(folder / "pages" / "samples.html", **how)
    browser.run(f"location.hash = 'samples/{task}/{model.replace('/', '%2F')}'")
    browser.until(f"document.getElementById('sample-rows').dataset.shown?.startsWith('{task} ')")
    open_first_sample(browser)


def open_first_sample(browser):
    browser.run("document.querySelector('.sample').open = true")
    browser.until("document.querySelector('.sample .inside')?.childElementCount")


def press(browser, key, code, text=""):
    for kind in ("keyDown", "keyUp"):
        browser.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, text=text)


def pages_of(folder):
    return [folder / "report.html", *sorted((folder / "pages").glob("*.html"))]


@pytest.mark.slow
def test_the_pages_of_real_runs(browser, real):
    drawn = {}
    for page in pages_of(real):
        for width, dark in ((1280, False), (390, True)):
            browser.open(page, width=width, dark=dark)
            assert browser.run("document.documentElement.scrollWidth") == width  # nothing but tables scrolls sideways
        drawn |= dict(browser.all("figure.chart", "[e.id, e.querySelectorAll('.datum').length]"))
    assert len(drawn) == 7 and min(drawn.values()) > 0
    browser.open(real / "pages" / "scores.html")
    assert set(visible(browser, "scores_by_model", 0)) >= set(TASKS)
    browser.run("document.querySelector('a[href*=sea_belebele_th_to_ppl]').click()")
    browser.until("document.getElementById('sample-rows')?.dataset.shown?.startsWith('sea_belebele_th_to_ppl ')")
    titles = browser.all(".sample > summary")
    rows = (SAMPLES / "facebook/belebele/data/tha_Thai.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [" ".join(json.loads(row)["question"].split()) for row in rows]
    assert titles and all(any(question[:60] in title for question in questions) for title in titles)
    open_first_sample(browser)
    assert browser.run("document.querySelector('.sample pre').lang") == "th"
    assert re.search("[ก-๛]{3}", browser.run("document.querySelector('.sample pre').textContent"))
    assert browser.messages == []
    assert [address for address in browser.requests if not address.startswith(("file:", "data:"))] == []


@pytest.mark.parametrize("width", [1280, 390])
def test_the_comparison_is_at_the_top_of_the_page(browser, planted, width):
    browser.open(planted / "report.html", width=width)
    top = "document.querySelector('{}').getBoundingClientRect().top"
    assert browser.run(top.format(".lead")) < 300
    assert browser.run("document.querySelector('.lead').textContent").startswith("org/a and org/b cannot be compared")
    assert sum(browser.all("a, button, select, input, [tabindex]", "Boolean(e.offsetParent)")) <= 60


def test_tables_have_captions_and_row_headers_and_figures_have_names(browser, planted):
    for page in pages_of(planted):
        browser.open(page)
        assert all(map(str.strip, browser.all("main table", "e.caption.textContent")))
        assert set(browser.all("main table[data-name] tbody tr", "e.cells[0].tagName + e.cells[0].scope")) <= {"THrow"}
        assert all(browser.all("main figure, main .scroll", "e.ariaLabel || e.querySelector('figcaption').innerText"))
        assert all(browser.all("main figure img", "e.alt"))
        assert browser.run("document.querySelectorAll('h1').length === 1 && document.documentElement.lang === 'en'")
        ids = browser.all("[id]", "e.id")
        assert len(ids) == len(set(ids))
        links = browser.all("nav a", "e.pathname")
        assert links and all(Path(link).exists() for link in links)


def test_a_column_is_sorted_with_the_missing_last(browser, planted):
    browser.open(planted / "pages" / "scores.html")
    header = "document.querySelector('table[data-name=scores_by_model] th:nth-child(6) button')"
    for direction in (1, -1):  # numbers begin with the largest
        browser.run(f"{header}.click()")
        shown = visible(browser, "scores_by_model", 5)
        numbers = [float(re.match(r"[\d.]+", text)[0]) for text in shown if text != "–"]
        assert len(numbers) == 7 and numbers == sorted(numbers, reverse=direction == 1)
        assert set(shown[len(numbers) :]) == {"–"}
        assert browser.run(f"{header}.parentNode.getAttribute('aria-sort')") == ("descending" if direction == 1 else "ascending")


def test_filters_act_on_tables_columns_and_samples(browser, planted):
    browser.open(planted / "pages" / "scores.html")
    everything = len(visible(browser, "scores_by_model", 0))
    filter_by(browser, "language", "Vietnamese")
    left = visible(browser, "scores_by_model", 0)
    assert left and all("_vi" in name for name in left) and len(left) < everything
    count = "document.querySelector('table[data-name=scores_by_model]').closest('.block').querySelector('.count').textContent"
    assert browser.run(count) == f"{len(left)} of {everything} rows"
    filter_by(browser, "language", "")
    assert len(visible(browser, "scores_by_model", 0)) == everything
    filter_by(browser, "model", "org/a")
    heads = browser.all("table[data-name=scores_by_model] thead th:not([hidden])")
    assert heads == ["task", "language", "metric", "chance", "org/a"]
    browser.open(planted / "pages" / "samples.html")
    filter_by(browser, "variant", "classification")
    assert browser.all("#sample-task option", "e.value") == ["sea_xnli_th"]


def test_samples_are_opened_from_a_score_searched_and_filtered(browser, planted):
    browser.open(planted / "pages" / "scores.html")
    browser.run(f"document.querySelector('a[href$=\"#samples/{RANKED}/org%2Fa\"]').click()")
    browser.until(f"document.getElementById('sample-rows')?.dataset.shown === '{RANKED} org/a'")
    assert "3 of 6 rows, evenly spaced" in browser.all("#sample-count")[0]
    assert browser.all(".sample .mark") == ["✓ right", "✓ right", "✗ wrong"]  # every other one of six rows
    choose(browser, "sample-which", "wrong")
    browser.until("document.querySelectorAll('.sample').length === 1")
    choose(browser, "sample-which", "")
    browser.run("byId('sample-search').value = 'question 2'; byId('sample-search').dispatchEvent(new Event('input'))")
    browser.until("document.querySelectorAll('.sample').length === 1")
    open_first_sample(browser)
    assert "Instruction\n\nquestion 2\nanswer:" in browser.all(".sample .inside")[0]
    rows = browser.all(".sample .inside table tr")
    assert any("B. abcd" in text and "✓" in text and "acc_ppl" in text for text in rows)


def test_two_models_answers_to_one_row_side_by_side(browser, planted):
    open_samples(browser, planted, RANKED, "org/a")
    assert browser.run("byId('sample-which').querySelector('[value=disagree]').disabled")
    choose(browser, "sample-beside", "org/b")
    browser.until("document.querySelector('.sample summary').querySelectorAll('.mark').length === 2")
    choose(browser, "sample-which", "disagree")  # of the rows 0, 2 and 4 the two differ in row 2 alone
    browser.until("document.querySelectorAll('.sample').length === 1")
    browser.run("document.querySelector('.sample').open = true")
    browser.until("document.querySelectorAll('.sample .answer').length === 2")
    assert browser.all(".answer .who") == ["org/a ✓ right", "org/b ✗ wrong"]
    assert "1 shown" in browser.all("#sample-count")[0]


def shown_marks(browser, figure):
    """Panel, line and text of the marks of a chart that are seen."""
    marks = f"[...document.querySelectorAll('#figure-{figure} .datum')].filter((m) => m.getClientRects().length)"
    parts = "m.closest('.panel').querySelector('h3')?.textContent, m.closest('.line').querySelector('span').textContent"
    return [tuple(mark) for mark in browser.run(f"{marks}.map((m) => [{parts}, m.querySelector('title').textContent])")]


def test_charts_show_what_is_chosen_and_nothing_else(browser, planted):
    """Against the unfiltered page: the marks that remain are those of the chosen model or language, unchanged."""
    before = {}
    for page, names in {"scores": ["overview"], "robustness": ["robustness"], "bias": ["bias", "positions"]}.items():
        browser.open(planted / "pages" / f"{page}.html")
        before |= {name: shown_marks(browser, name) for name in names}
        filter_by(browser, "model", "org/b")
        for name in set(names) - {"positions"}:
            assert shown_marks(browser, name) == [mark for mark in before[name] if mark[2].startswith("org/b: ")] != []
            assert browser.run(f"document.querySelector('#figure-{name} .legend').innerText.trim()") == "org/b"
    assert {panel for panel, *_ in shown_marks(browser, "positions")} == {
        panel for panel, *_ in before["positions"] if panel.startswith("org/b, ")
    }
    browser.open(planted / "pages" / "scores.html")
    filter_by(browser, "dataset", "FLORES-200")
    assert {line for _, line, _ in shown_marks(browser, "overview")} == {
        "FLORES-200: English → Thai",
        "FLORES-200: Thai → English",
    }


def test_an_open_sample_fits_a_phone(browser, report):
    planted, real = (
        [(RANKED, "org/a"), (GENERATED, "org/a")],
        [("sea_belebele_th_to_ppl",), ("sea_xnli_th",), ("sea_flores_en_th",)],
    )
    for sample in real if report.name.startswith("real") else planted:
        open_samples(browser, report, *sample, width=390)
        assert browser.run("document.documentElement.scrollWidth") == 390
        assert not any(browser.all(".sample .inside > *", "e.scrollWidth > e.clientWidth + 1"))
        numbers = browser.all(".sample :is(td.number, th):not(:empty)", "getComputedStyle(e).whiteSpace")
        assert set(numbers) <= {"nowrap"}


def test_a_printed_page_has_whole_tables_with_their_heads(browser, report):
    width = 1032  # A4 landscape without its margins, at 96 dots per inch
    for page in pages_of(report):
        browser.open(page)
        browser.call("Emulation.setDeviceMetricsOverride", width=width, height=700, deviceScaleFactor=1, mobile=False)
        browser.call("Emulation.setEmulatedMedia", media="print")
        try:
            assert set(browser.all("thead", "getComputedStyle(e).display")) <= {"table-header-group"}
            assert browser.run("document.documentElement.scrollWidth") <= width, page.name
            assert not any(browser.all(".scroll", "e.scrollHeight > e.clientHeight + 1"))
            assert set(browser.all("table[data-name=runs] th", "getComputedStyle(e).overflowWrap")) <= {"normal"}
            assert not any(browser.all("#bar nav, form, #samples", "Boolean(e.offsetParent)"))
        finally:
            browser.call("Emulation.setEmulatedMedia", media="")


def test_totals_of_sea_helm_stand_on_the_first_page(tmp_path):
    """Totals of rows with equal scores have no error, rather than one of 0; they have the runs that other tables leave out."""
    for model, rows in (("m1", indonesian("nli", "qa")), ("alike", {("id", "qa"): [(1.0, "a", {})] * 5})):
        write_run(tmp_path / "runs" / model, 1, rows, model=f"org/{model}")
    write_run(tmp_path / "runs" / "m1", 2, {("id", "qa"): [(1.0, "a", {})] * 6}, model="org/m1")
    write_report(read(tmp_path / "runs"), tmp_path / "out", shown_rows=2)
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert 'id="table-sea_helm_totals"' in page and "All runs of a model count as seeds" in page
    assert "sea_xquad_th" not in page + (tmp_path / "out" / "pages" / "scores.html").read_text(encoding="utf-8")
    table = csv_rows(tmp_path / "out" / "tables" / "sea_helm_totals.csv")
    found = {(row["language"], row["competency"]): float(row["org/m1"]) for row in table}
    evidence = gather(read(tmp_path / "runs" / "m1").tasks)
    nodes = compute(evidence, read_suite("seahelm"), "2026-08").nodes
    assert found["id", "all"] == pytest.approx(nodes[Place("id")].score)
    assert {(row["org/alike"], row["org/alike: error"]) for row in table} == {("100.0", ""), ("", "")}


def reached_by_tab(browser, what, last="", most=60):
    """What a JavaScript expression says of each element `e` that the key reaches, up to the last one."""
    browser.run("document.activeElement.blur()")
    reached = []
    while len(reached) < most and last not in reached[-1:]:
        press(browser, "Tab", 9)
        reached.append(browser.run(f"((e) => {what})(document.activeElement)"))
    return set(reached)


def test_the_keyboard_alone_reaches_sorting_every_score_and_samples_and_opens_them(browser, planted):
    browser.open(planted / "pages" / "scores.html")
    assert {"NAV", "FORM", "DIV", "TH", "TD"} <= reached_by_tab(browser, "e.closest('td, th, nav, form, .scroll')?.tagName")
    browser.open(planted / "pages" / "samples.html")
    reached = reached_by_tab(browser, "e.id || e.tagName", last="sample-search", most=400)
    assert {"A", "SELECT", "sample-task", "sample-beside", "sample-search"} <= reached
    assert browser.run("getComputedStyle(document.activeElement).outlineStyle") != "none"
    press(browser, "Tab", 9)
    press(browser, "Enter", 13, "\r")
    browser.until("document.querySelector('.sample').open")


def luminance(colour):
    channels = [float(part) / 255 for part in re.findall(r"[\d.]+", colour)[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first, second):
    lighter, darker = sorted((luminance(first), luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("dark", [False, True])
def test_text_and_controls_have_enough_contrast(browser, planted, dark):
    """WCAG 2.2: 3 to 1 for the edges of controls, 4.5 to 1 for text, also on the darkest cell of the heat map."""
    browser.open(planted / "pages" / "scores.html", dark=dark)
    style = "getComputedStyle(document.querySelector('{}')).{}"
    paper = browser.run(style.format("body", "backgroundColor"))
    assert contrast(browser.run(style.format("select", "borderTopColor")), paper) >= 3
    for place in ("body", ".note", "a"):
        assert contrast(browser.run(style.format(place, "color")), paper) >= 4.5
    darkest = "td.shaded:has(a)"
    browser.run(f"document.querySelector('{darkest}').style.setProperty('--shade', {SHADES})")
    *shade, alpha = map(float, re.findall(r"[\d.]+", browser.run(style.format(darkest, "backgroundColor"))))
    assert alpha > 0.25
    base = map(float, re.findall(r"[\d.]+", paper)[:3])
    cell = " ".join(str(alpha * s + (1 - alpha) * p) for s, p in zip(shade, base, strict=False))
    assert contrast(browser.run(style.format(f"{darkest} a", "color")), cell) >= 4.5


def test_html_in_an_answer_is_shown_as_text(browser, planted):
    open_samples(browser, planted, GENERATED, "org/a")
    assert "<script>document.title='broken'</script>" in browser.all(".sample .inside")[0]
    assert browser.run("document.title").startswith("Evaluation report")
    assert browser.run("document.querySelectorAll('.sample script').length") == 0


def test_models_are_called_as_asked_and_names_are_untrusted_too(browser, tmp_path):
    runs, out = plant(tmp_path / "runs", RANKED), tmp_path / "out"
    evil = "<img src=x onerror=\"document.title='broken'\">|</script>"
    best = f"step2 = {'best' * 25}"
    names = ["--name", f"{runs / 'org__a'}={evil}", "--name", f"{runs / 'org__b'}={best}"]
    assert main(["report", str(runs), "--steps", "--out", str(out), *names]) == 0
    assert [row["model"] for row in csv_rows(out / "tables" / "runs.csv")] == [evil, best]
    text = (out / "report.md").read_text()
    assert "have no step: &lt;img" in text and "<img" not in text
    browser.messages.clear()
    browser.open(out / "pages" / "provenance.html")
    assert evil in visible(browser, "runs", 0)
    assert browser.run("document.title").startswith("Evaluation report") and browser.messages == []
    browser.open(out / "report.html", width=390)
    assert browser.run("document.documentElement.scrollWidth") == 390


def test_results_alone_make_a_report(tmp_path):
    runs = plant(tmp_path / "runs", RANKED)
    for path in runs.rglob("samples_*"):
        path.unlink()
    written = write_report(read(runs), tmp_path / "out", shown_rows=4)
    assert written.rows == 0 and any("--log_samples" in note for note in written.notes)
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Samples</a>" not in page
    limits = "Some tasks were run on only a part of their rows."
    overview, scores = (tmp_path / "out" / "report.md").read_text(encoding="utf-8").split("\n## Scores\n")
    assert limits in page and limits in overview and limits not in scores
