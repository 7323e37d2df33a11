"""How often the pack reads an answer otherwise than SEA-HELM's own code, on answers of many shapes.

    python scripts/compare_answer_reading.py --checkout SEA-HELM

SEA-HELM's extraction is run from the checkout: the bodies of its methods, with the patterns that its metric classes make. Answers
are made of the tags and labels of all tasks and languages: plain, in Markdown, after an introduction, echoed, negated, without a
tag, in other case, with text behind; and, as the shape "mixed", tags, labels, marks and blanks of all kinds in random order.
"Published" must agree everywhere; "strict" differs on purpose, and the shapes say where. The texts of answers that are read
otherwise as "published" are printed.
"""

from __future__ import annotations

import argparse
import ast
import random
import re
import string
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.tasks._shared.reading.sea_helm_answer import published_label, published_text, strict_label, strict_text

# Shape → template; {tag}, {label}, {other} (another label of the task) and {text} (any line) are filled.
SHAPES = {
    "plain": "{tag} {label}",
    "close": "{tag}{label}",
    "bold": "{tag} **{label}**",
    "bold tag": "**{tag}** {label}",
    "quoted": '{tag} "{label}"',
    "bracketed": "{tag} ({label})",
    "stop": "{tag} {label}.",
    "next line": "{tag}\n{label}",
    "code": "{tag}\n```\n{label}\n```",
    "lower case": "{tag} {lower}",
    "two answers": "{tag} {label}\n{tag} {other}",
    "echo of the format": "{tag} ANSWER\n{tag} {label}",
    "thoughts first": "{text}\n\n{tag} {label}",
    "text behind": "{tag} {label}\n\n{text}",
    "repeated label": "{tag} {label}{label}",
    "beginning of a word": "{tag} {label}xyz",
    "tag without label": "{tag} {text}",
    "label alone": "{label}",
    "label alone, stop": "{label}.",
    "label in a sentence": "{text} {label} {text}",
    "no answer": "{text}",
    "nothing": "",
}
MIXED = "mixed"
MIXED_PER_TASK = 200
# What stands between tags and labels there: blanks of several kinds, Markdown, quotation marks, brackets, stops, letters that
# change their length or look in other case, ends of thoughts.
PIECES = (
    *("", " ", "\n", "\t", "\r\n", "\f", "\x1c", "\xa0", "\u200b", "\u3000", "\ufeff"),
    *("*", "**", "`", "_", "#", "$", '"', "'", "“", "”", "(", ")", "{", "}", "<", ">", ".", ":", "：", "-", "–", "。", "!", "?"),
    *("ANSWER", "A", "b", "ก", "က", "x", "ä", "ß", "ſ", "İ", "K", "\\boxed{", "<b>", "</think>"),
)
LINES = ("Saya tidak yakin.", "It depends", "ไม่แน่ใจ", "Không rõ lắm", "தெரியவில்லை", "မသိပါ", "ABC 12", "* - *", "B) or A?")


def _method(checkout: Path, path: str, name: str, **known: Any) -> Callable:
    """A method of a class of the checkout as a function."""
    tree = ast.parse((checkout / path).read_text(encoding="utf-8"))
    found = next(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == name)
    found.returns, found.decorator_list = None, []
    for argument in found.args.args:
        argument.annotation = None
    space = {"re": re, "string": string, **known}
    exec(compile(ast.Module([found], []), path, "exec"), space)
    return space[name]


class Official:
    """SEA-HELM's reading of labels and of texts."""

    def __init__(self, checkout: Path) -> None:
        """Reads the methods from a checkout."""
        base = "src/metrics/seahelm_metric.py"
        self._find = _method(checkout, base, "extract_response", pd=_Missing)
        self._normalize = _method(checkout, base, "normalize_answer")

    def label(self, text: str, tag: str, labels: list[str], *, lindsea: bool) -> str | None:
        """The label as F1AccMetric, or LINDSEA's metrics, read it."""
        self.regex_string = tag + rf"[\s\*]*({'|'.join(labels)}){'*' if lindsea else '+'}"
        output = self._find(self, [text], flags=0 if lindsea else re.IGNORECASE)
        return {label.lower(): label for label in labels}.get(self._normalize(self, output))

    def text(self, text: str, tag: str) -> str:
        """The text as the metrics of questions, summaries and translations read it."""
        self.regex_string = tag + r"[\s\r\n`*]*(.*)"
        return self._find(self, [text])


class _Missing:
    """What SEA-HELM asks pandas."""

    @staticmethod
    def isna(value: Any) -> bool:
        return value is None


def answers(tag: str, labels: list[str], choose: random.Random) -> list[tuple[str, str]]:
    """An answer of each shape for each label: shape and text."""
    made = []
    for label in labels:
        other = choose.choice([one for one in labels if one != label])
        for shape, template in SHAPES.items():
            fields = {"tag": tag, "label": label, "other": other, "lower": label.lower(), "text": choose.choice(LINES)}
            made.append((shape, template.format(**fields)))
    return made


def mixed(tag: str, labels: list[str], choose: random.Random) -> list[tuple[str, str]]:
    """Answers without a shape: their common name and their texts."""
    made = []
    for _ in range(MIXED_PER_TASK):
        label = choose.choice(labels)
        words = (tag, tag.lower(), tag.upper(), label, label.lower(), label.upper(), " ")
        pieces = [choose.choice(choose.choice((words, PIECES))) for _ in range(choose.randint(0, 7))]
        made.append((MIXED, "".join(pieces)))
    return made


def compare(checkout: Path) -> dict[str, Counter]:
    """Disagreements by shape; `all` counts the answers."""
    official, choose = Official(checkout), random.Random(0)
    found = {name: Counter() for name in ("all", "labels published", "labels strict", "texts published", "texts strict")}
    for task in read_tasks().select(["sea_helm"]):
        facts = task.metadata
        tag, labels = facts["answer_tag"], facts.get("labels")
        if not tag:
            continue
        shown = labels or list(LINES[:3])
        for shape, text in answers(tag, shown, choose) + mixed(tag, shown, choose):
            found["all"][shape] += 1
            if labels:
                lindsea = "phenomena" in facts
                read = official.label(text, tag, labels, lindsea=lindsea)
                _count(found["labels published"], shape, text, published_label(text, tag, labels, lindsea=lindsea), read)
                found["labels strict"][shape] += strict_label(text, tag, labels, facts["language"]) != read
            else:
                read = official.text(text, tag)
                _count(found["texts published"], shape, text, published_text(text, tag), read)
                found["texts strict"][shape] += strict_text(text, tag) != read
    return found


def _count(counts: Counter, shape: str, text: str, ours: str | None, theirs: str | None) -> None:
    counts[shape] += ours != theirs
    if ours != theirs:
        print(f"{text!r}: {ours!r}, and by SEA-HELM {theirs!r}")


def main() -> None:
    """Prints the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkout", type=Path, required=True, help="folder of aisingapore/SEA-HELM")
    found = compare(parser.parse_args().checkout)
    print(f"{found['all'].total():,} answers; read otherwise than by SEA-HELM:")
    for name, counts in list(found.items())[1:]:
        shapes = ", ".join(f"{shape} {count}" for shape, count in counts.most_common() if count) or "none"
        print(f"{name}: {counts.total()} ({shapes})")


if __name__ == "__main__":
    main()
