#!/usr/bin/env python3
"""Measures how well language identifiers tell Indonesian, Vietnamese and English sentences of FLORES-200 apart.

`off_target_rate` of translations depends on it. Compared are the packages py3langid and lingua-language-detector, if they are
installed: on whole sentences and on their first five words, among all languages they know, with Malay taken for Indonesian as the
pack does, and among the three languages only.

Examples:
    pip install lingua-language-detector
    python scripts/bench_language_identification.py --data MIRROR       on a folder laid out like the hub
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

FOLDER = "sail/Sailcompass_data/data/flores200"
FILES = {"id": ("ind_Latn", "target"), "vi": ("vie_Latn", "target"), "en": ("vie_Latn", "source")}
Identifier = Callable[[str], str]


def py3langid_identifiers() -> Iterator[tuple[str, Identifier]]:
    """The identifiers that py3langid offers, with their names."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    for name, languages in (("all languages", None), ("three languages", list(FILES))):
        identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
        identifier.set_languages(languages)
        yield f"py3langid, {name}", lambda text, identifier=identifier: identifier.classify(text)[0]


def lingua_identifiers() -> Iterator[tuple[str, Identifier]]:
    """The identifiers that lingua offers, with their names."""
    from lingua import Language, LanguageDetectorBuilder

    three = LanguageDetectorBuilder.from_languages(Language.INDONESIAN, Language.VIETNAMESE, Language.ENGLISH)
    for name, builder in (("all languages", LanguageDetectorBuilder.from_all_languages()), ("three languages", three)):
        detector = builder.build()

        def identify(text: str, detector=detector) -> str:
            language = detector.detect_language_of(text)
            return language.iso_code_639_1.name.lower() if language else ""

        yield f"lingua, {name}", identify


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder laid out like the hub")
    folder = parser.parse_args().data / FOLDER
    texts = {}
    for language, (file, column) in FILES.items():
        with (folder / f"{file}_devtest.jsonl").open(encoding="utf-8") as lines:
            texts[language] = [json.loads(line)[column].strip() for line in lines]
    packages = {"py3langid": py3langid_identifiers, "lingua": lingua_identifiers}
    print(f"{'right answers':32} {'sentences':>23}  {'first five words':>23}")
    print(f"{'':32} {'id':>7} {'vi':>7} {'en':>7}  {'id':>7} {'vi':>7} {'en':>7}")
    for package, identifiers in packages.items():
        if not importlib.util.find_spec(package):
            print(f"{package} is not installed")
            continue
        for name, identify in identifiers():
            start = time.perf_counter()
            found = {
                language: [[identify(text) for text in part] for part in (whole, list(map(_beginning, whole)))]
                for language, whole in texts.items()
            }
            seconds = time.perf_counter() - start
            _print_shares(name, found, {})
            if name.endswith("all languages"):
                _print_shares("… Malay taken for Indonesian", found, {"ms": "id"})
            print(f"  {sum(map(len, texts.values())) * 2 / seconds:,.0f} texts a second")


def _beginning(text: str) -> str:
    return " ".join(text.split()[:5])


def _print_shares(name: str, found: dict[str, list[list[str]]], taken_for: dict[str, str]) -> None:
    parts = []
    for part in range(2):
        shares = (_share(answers[part], language, taken_for) for language, answers in found.items())
        parts.append(" ".join(f"{100 * share:6.2f}%" for share in shares))
    print(f"{name:32} {'  '.join(parts)}")


def _share(answers: list[str], language: str, taken_for: dict[str, str]) -> float:
    return sum(taken_for.get(answer, answer) == language for answer in answers) / len(answers)


if __name__ == "__main__":
    main()
