#!/usr/bin/env python3
"""Renders one prompt of each task as a picture, to look at scripts, fonts, line breaks and punctuation.

Needs the program chromium and fonts for the scripts (Debian: chromium, fonts-noto-core, fonts-noto-cjk).

Examples:
    python scripts/render_prompts.py --out prompts.png                 Belebele in every language with prompts of its own
    python scripts/render_prompts.py --out thai.png --tasks "sea_*_th*_to_ppl" --exemplars 1
"""

from __future__ import annotations

import argparse
import fnmatch
import html
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PACK = Path(__file__).resolve().parents[1] / "lm_eval_sea"
WIDTH = 1440  # pixels
COLUMNS = 2
HEIGHT_OF_A_CHARACTER = 0.4  # pixels of a column a character, upper estimate; what is left over stays white
STYLE = """
body { font: 15px/1.5 "Noto Sans", "Noto Sans Thai", "Noto Sans Myanmar", "Noto Sans Khmer", "Noto Sans Lao", "Noto Sans Tamil",
       "Noto Sans CJK SC", sans-serif; margin: 24px; columns: 2; column-gap: 32px; color: #111; background: #fff; }
section { break-inside: avoid; border: 1px solid #bbb; border-radius: 6px; padding: 8px 14px; margin: 0 0 16px; }
h2 { font-size: 15px; margin: 0 0 6px; color: #00558b; }
p { white-space: pre-wrap; margin: 0; }
"""


def prompts(names: str, exemplars: int, data: Path) -> dict[str, str]:
    """The prompt of the first row of each task whose rows are there: name → text."""
    from lm_eval.tasks import TaskManager

    manager = TaskManager(include_path=str(PACK / "tasks"), include_defaults=False)
    os.chdir(data)
    texts = {}
    for name in fnmatch.filter(manager.all_subtasks, names):
        try:
            task = manager.load(name)["tasks"][name]
        except ValueError as error:
            print(f"left out: {error}", file=sys.stderr)
            continue
        shown = min(exemplars, task.config.num_fewshot)
        task.set_config("num_fewshot", shown)
        texts[name] = task.fewshot_context(next(iter(task.test_docs())), shown)
    return texts


def page(texts: dict[str, str]) -> str:
    """An HTML page with a section a prompt."""
    sections = "".join(f"<section><h2>{name}</h2><p>{html.escape(text)}</p></section>" for name, text in texts.items())
    return f"<!doctype html><meta charset=utf-8><title>Prompts</title><style>{STYLE}</style>{sections}"


def screenshot(content: str, height: int, out: Path) -> None:
    """Writes the page as a PNG.

    Raises:
        FileNotFoundError: without chromium.
    """
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        raise FileNotFoundError("no program chromium; install it (Debian: apt-get install chromium)")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "page.html"
        file.write_text(content, encoding="utf-8")
        subprocess.run(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={folder}/profile",
             f"--window-size={WIDTH},{height}", f"--screenshot={out.resolve()}", file.as_uri()],
            check=True, capture_output=True, timeout=120,
        )  # fmt: skip


def main() -> int:
    """Runs the command line; returns its exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", default="sea_belebele_*_chat", help="glob of task names")
    parser.add_argument("--exemplars", type=int, default=0)
    parser.add_argument("--data", type=Path, default=PACK / "samples", help="folder laid out like the hub (default: the samples)")
    parser.add_argument("--out", type=Path, required=True, help="PNG file to write")
    arguments = parser.parse_args()
    out = arguments.out.resolve()
    texts = prompts(arguments.tasks, arguments.exemplars, arguments.data)
    if not texts:
        print(f"no task matches {arguments.tasks!r} whose rows are in {arguments.data}", file=sys.stderr)
        return 1
    height = 120 + int(sum(70 + HEIGHT_OF_A_CHARACTER * len(text) for text in texts.values()) / COLUMNS)
    try:
        screenshot(page(texts), height, out)
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{len(texts)} prompts in {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
