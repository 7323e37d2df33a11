#!/usr/bin/env python3
"""What a report of many models costs: seconds, memory, sizes of files, and in a browser where the answer stands.

Plants answers of models to tasks of the pack and reports on them. With Chromium it looks at the first page at two widths.

Examples:
    python scripts/measure_report.py
    python scripts/measure_report.py --models 100 --tasks 100 --rows 100
    python scripts/measure_report.py --models 2 --rows 5000      large files
    npm install axe-core && python scripts/measure_report.py --axe node_modules/axe-core/axe.min.js
"""

from __future__ import annotations

import argparse
import base64
import itertools
import json
import random
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lm_eval_sea.catalogue.task_list import TaskRecord, read_tasks
from lm_eval_sea.report.write import write_report
from lm_eval_sea.results.read import read

STAMP = "2026-01-01T00-00-00"
PROMPT = "ข้อความตัวอย่างที่ใช้วัดความเร็วเท่านั้น " * 70  # about three exemplars
SEED = 0
METRICS = ("acc", "acc_ppl", "acc_cc")


def plant(folder: Path, models: int, tasks: int, rows: int) -> None:
    """Writes samples and results of models that are each a little better than the one before."""
    ranked = [task for task in read_tasks().tasks.values() if task.metadata["headline_metric"] in ("acc_ppl", "acc_bc")]
    records = [task for task in ranked if task.metadata["prompt_language"] != "en"][:tasks]
    draw = random.Random(SEED)
    for number in range(models):
        model = f"planted/model-{number:02}"
        place = folder / model.replace("/", "__")
        place.mkdir(parents=True)
        results = {}
        for task in records:
            right = 0.0
            with (place / f"samples_{task.name}_{STAMP}.jsonl").open("w", encoding="utf-8") as file:
                for line in range(rows):
                    made = row(task, line, 0.3 + 0.01 * number, draw)
                    right += made["acc_ppl"]
                    file.write(json.dumps(made, ensure_ascii=False) + "\n")
            results[task.name] = {"acc_ppl,none": right / rows}
        facts = {task.name: {**task.metadata, "headline_metric": "acc_ppl"} for task in records}
        content = {
            "results": results,
            "configs": {task.name: {"metadata": facts[task.name], "doc_to_choice": task.labels or "letters"} for task in records},
            "n-samples": {task.name: {"original": rows, "effective": rows} for task in records},
            "model_name": model,
        }
        (place / f"results_{STAMP}.json").write_text(json.dumps(content), encoding="utf-8")


def row(task: TaskRecord, number: int, skill: float, draw: random.Random) -> dict[str, Any]:
    """A logged row with the requests that such a task makes."""
    labels = task.labels or list("ABCD")
    scores = [{"loglikelihood": draw.uniform(-9, -1), "characters": 1, "bytes": 1, "tokens": 2} for _ in labels]
    gold = number % len(labels)
    chosen = gold if draw.random() < skill else draw.randrange(len(labels))
    doc = {"id": str(number), "cluster": str(number // 3), "gold": gold, "option_scores": scores}
    doc["predictions"] = dict.fromkeys(METRICS, chosen)
    if task.labels:
        doc |= {"text": PROMPT[:200], "p": [1 / len(labels)] * len(labels), "q": [1 / len(labels)] * len(labels)}
    else:
        doc |= {"options": [PROMPT[: 20 + (number + place) % 40] for place in range(len(labels))], "letters": labels}
    asked = {f"gen_args_{place}": {"arg_0": f"{PROMPT}\n{number}", "arg_1": f" {label}"} for place, label in enumerate(labels)}
    return {
        "doc_id": number,
        "doc": doc,
        "target": str(gold),
        "arguments": asked,
        "resps": [[[str(draw.uniform(-9, -1)), "False"]] for _ in labels],
        "filter": "none",
        "metrics": METRICS,
        **dict.fromkeys(METRICS, float(chosen == gold)),
    }


def size(paths: Sequence[Path]) -> float:
    """Megabytes."""
    return sum(path.stat().st_size for path in paths) / 1e6


def seen(page: Path) -> str:
    """What a browser makes of the first page."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from tests.report.browser import Browser, find_chromium

    if find_chromium() is None:
        return "no Chromium, so not looked at"
    lines = []
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(Path(profile))
        for width in (1280, 390):
            browser.open(page, width=width)
            first = browser.run("document.querySelector('main td.number, .lead').getBoundingClientRect().top")
            lines.append(f"{width} px wide: the answer at {first:.0f} px of {browser.run('document.body.scrollHeight')}")
        stops = "[...document.querySelectorAll('a, button, select, input, [tabindex]')].filter((e) => e.offsetParent).length"
        lines.append(f"{browser.run(stops)} tab stops")
        printed = base64.b64decode(browser.call("Page.printToPDF", landscape=True, preferCSSPageSize=True)["data"])
        lines.append(f"{printed.count(b'/Type /Page') - printed.count(b'/Type /Pages')} printed sheets")
        browser.close()
    return "; ".join(lines)


def violations(report: Path, axe: Path) -> list[str]:
    """What axe-core finds on the pages, at two widths, light and dark; a row of the samples is open."""
    from tests.report.browser import Browser

    found = []
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(Path(profile))
        browser.call("Page.setBypassCSP", enabled=True)
        for page in [report / "report.html", *sorted((report / "pages").glob("*.html"))]:
            for width, dark in itertools.product((1280, 390), (False, True)):
                browser.open(page, width=width, dark=dark)
                if page.stem == "samples":
                    browser.until("document.querySelector('.sample')")
                    browser.run("document.querySelector('.sample').open = true")
                browser.run(f"{axe.read_text(encoding='utf-8')};0")
                names = browser.run("axe.run().then((found) => found.violations.map((one) => one.id))")
                found += [f"{page.name}, {width} px, {'dark' if dark else 'light'}: {name}" for name in names]
        browser.close()
    return found


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=int, default=30, help="default: %(default)s")
    parser.add_argument("--tasks", type=int, default=40, help="default: %(default)s")
    parser.add_argument("--rows", type=int, default=100, help="of each task (default: %(default)s)")
    parser.add_argument("--axe", type=Path, help="axe.min.js of the npm package axe-core, which looks for obstacles")
    parser.add_argument("--keep", type=Path, help="write runs and report into this folder")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or Path(temporary)
        if not (folder / "runs").exists():
            plant(folder / "runs", arguments.models, arguments.tasks, arguments.rows)
        start = time.process_time()
        written = write_report(read(folder / "runs"), folder / "report")
        seconds = time.process_time() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        files = [path for path in (folder / "report").rglob("*") if path.is_file()]
        print(f"{written.models} models, {written.tasks} tasks, {written.rows:,} rows: {seconds:.0f} CPU s, {peak:.2f} GB")
        pages = sorted((path for path in files if path.suffix == ".html"), key=lambda path: -path.stat().st_size)
        largest = ", ".join(f"{path.name} {size([path]):.1f}" for path in pages[:3])
        print(f"report.html {size([written.page]):.2f} MB; the largest {largest} MB; all {len(files)} files {size(files):.1f} MB")
        print(seen(written.page))
        if arguments.axe:
            print("\n".join(violations(folder / "report", arguments.axe)) or "axe-core finds no violation")


if __name__ == "__main__":
    main()
