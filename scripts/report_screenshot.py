#!/usr/bin/env python3
"""Makes the picture of a report that the README shows: two random models on the bundled samples. Needs Chromium.

Example:
    python scripts/report_screenshot.py docs/report.png
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from make_tiny_model import make_model

from lm_eval_sea.catalogue.task_list import TASKS_FOLDER, read_tasks

ROOT = Path(__file__).resolve().parents[1]
SIZE = (1280, 1180)  # pixels: the head and the first tables


def evaluate(model: Path, out: Path) -> None:
    """Runs all tasks of the suite on the samples."""
    members = ",".join(read_tasks().groups["sea_sailcompass"])
    command = [sys.executable, "-m", "lm_eval", "--model", "hf", "--model_args", f"pretrained={model}", "--device", "cpu"]
    command += ["--include_path", str(TASKS_FOLDER), "--tasks", members, "--batch_size", "4"]
    subprocess.run([*command, "--output_path", str(out), "--log_samples"], cwd=ROOT / "lm_eval_sea" / "samples", check=True)


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("picture", type=Path, help="PNG file to write")
    parser.add_argument("--runs", type=Path, help="runs to show (default: two random models on the samples)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        runs = arguments.runs or Path(folder, "runs")
        for seed in () if arguments.runs else (0, 1):
            model = Path(folder, f"random_{seed}")
            make_model(model, bos=False, max_length=8192, hidden=64, layers=2, seed=seed)
            evaluate(model, runs)
        subprocess.run([sys.executable, "-m", "lm_eval_sea", "report", runs, "--out", Path(folder, "report")], check=True)
        arguments.picture.parent.mkdir(parents=True, exist_ok=True)
        size = f"--window-size={SIZE[0]},{SIZE[1]}"
        command = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", size]
        page = Path(folder, "report", "report.html").as_uri()
        subprocess.run([*command, f"--screenshot={arguments.picture.resolve()}", page], check=True)


if __name__ == "__main__":
    main()
