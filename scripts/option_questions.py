#!/usr/bin/env python3
"""Counts the multiple-choice questions that cannot be answered without seeing the options.

A question counts if it refers to its options ("which of the following", "all are true except"), if one of the options refers to
the others ("all of the above", "A and B"), or if it has a gap before its end, which an option fills. The patterns of each
language miss some phrases and match some that they should not, so the share is accurate to a few points.

Rows come from a folder laid out like the hub. If a data set has many such questions, its main variant shows the options; see
`main_variant` in its data_set.yml.

Example:
    python scripts/option_questions.py --data FOLDER
    python scripts/option_questions.py --data FOLDER --data_sets thaiexam vmlu
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from made_tasks import made_task
from written import table

from lm_eval_sea.catalogue.data_sets import DataSet, data_sets
from lm_eval_sea.tasks._shared.hub_files import DataError

BLANK = re.compile(r"(?:_{2,}|\.{3,}|…)[^\w?]*[^\W_]")
LETTERS = r"\(?\b[A-E]\b\)?(?:, ?\(?\b[A-E]\b\)?)* {} \(?\b[A-E]\b\)?"  # "A and B"
# What refers to the options, in a question; what refers to other options, in an option.
PHRASES = {
    "en": (
        r"which (?:one )?(?:of|among) (?:the|these)|of the following|\bexcept\b|"
        r"which (?:following )?(?:statement|option|choice|sentence|answer)",
        r"(?:all|none|both|neither|any) of (?:the |these )?(?:above|these|them|choices|options|answers)|"
        + LETTERS.format("(?:and|or)"),
    ),
    "id": (
        r"mana(?:kah)?\b[^.?]{0,60}(?:\bberikut|di bawah)|(?:antara|dari)[^.?]{0,30}(?:\bberikut|di bawah)[^.?]{0,30}mana|"
        r"\bkecuali\b|\bberikut (?:ini )?(?:yang|adalah|merupakan|termasuk|benar|salah)|"
        r"(?:pernyataan|pilihan|opsi|jawaban|kalimat) (?:yang )?mana",
        r"(?:semua|seluruh|kedua|tidak ada)\b.{0,20}\b(?:jawaban|di atas|benar|salah|pilihan)|" + LETTERS.format("dan"),
    ),
    "ms": (
        r"mana(?:kah)?\b[^.?]{0,60}(?:\bberikut|di bawah)|antara[^.?]{0,30}(?:\bberikut|di bawah)|\bkecuali\b|"
        r"\bberikut (?:ini )?(?:yang|adalah|merupakan|termasuk|betul|salah)|"
        r"(?:pernyataan|pilihan|ayat|jawapan|perkataan) (?:yang )?mana",
        r"(?:semua|kedua|tiada)\b.{0,20}\b(?:jawapan|di atas|betul|salah|pilihan)|" + LETTERS.format("dan"),
    ),
    "jv": (r"ngisor iki|ing ngisor|\bkajaba\b|\bkejaba\b", r"kabeh .{0,12}(?:bener|dhuwur)"),
    "su": (r"di handap ieu|\bkajaba\b|\biwal\b", r"sadayana .{0,12}(?:bener|leres)"),
    "tl": (
        r"\bsumusunod\b|alin sa mga|\bmaliban\b|aling (?:pahayag|pagpipilian|opsyon)",
        r"(?:lahat|wala|pareho)\b.{0,12}\b(?:nasa itaas|nabanggit|ito|mga ito)|" + LETTERS.format("at"),
    ),
    "vi": (
        r"\b(?:nào|ai|gì|đâu)\b[^?.]{0,40}\b(?:sau|dưới) đây\b|trong (?:các|những|số)\b[^?]{0,60}\bsau\b|\bngoại trừ\b|\btrừ\b\W|"
        r"\b(?:câu|phát biểu|nhận định|khẳng định|mệnh đề|đáp án|phương án|ý|từ) nào\b|"
        r"chọn (?:câu|đáp án|phát biểu|phương án|ý|từ|nhận định)|(?:câu|phát biểu|nhận định|đáp án|ý) (?:đúng|sai|không đúng)\b",
        r"(?:cả|tất cả|các|không)\b.{0,25}(?:\btrên\b|\bđều\b|\bcâu\b|\bđáp án\b)|\bcả (?:a|b|ba|hai|3|2)\b|"
        + LETTERS.format("và"),
    ),
    "th": (
        r"ข้อใด|ข้อไหน|ใดต่อไปนี้|ตัวเลือกใด|ข้อความใด|ยกเว้น|คำตอบใด",
        r"(?:ถูก|ผิด|ใช่)(?:ต้อง)?(?:หมด)?ทุก(?:ข้อ|ตัวเลือก)|ทุกข้อ|ทั้งหมดข้างต้น|ไม่มี(?:ข้อใด|คำตอบ)|ข้อ ?[กขคงจ1-5ABCD]\.? ?(?:และ|หรือ)",
    ),
    "zh": (r"下列|以下|下面|哪一?项|哪个(?:选项|说法)|除了", r"以上|上述|都(?:是|不是|对)|皆"),
    "my": (r"အောက်ပါ|အောက်ဖော်ပြပါ|အောက်က|မှအပ|မှလွဲ", r"အထက်ပါ|အပေါ်က|အားလုံး(?:မှန်|ဖြစ်)|(?:နှစ်ခု|တစ်ခု)လုံး"),
}


def needs_options(row: Mapping[str, Any], language: str) -> bool:
    """Whether the question of a processed row cannot be answered without its options, by the words of the language.

    Also by the English words: rows of the exams have questions about English.
    """
    for in_question, in_option in (PHRASES["en"], PHRASES[language]):
        texts = [(in_question, row["question"]), *((in_option, option) for option in row["options"])]
        if any(re.search(pattern, text, re.IGNORECASE) for pattern, text in texts):
            return True
    return BLANK.search(row["question"]) is not None


def counts(data_set: DataSet) -> list[tuple[str, int, int]]:
    """Language, number of such questions and of rows, for the languages whose rows are in the current folder."""
    found = []
    for language in (each for each in data_set.languages if each in PHRASES):
        task = made_task(f"sea_{data_set.name}_{language}_to_ppl")
        try:
            rows = task.load_rows().rows
        except DataError:
            continue
        found.append((language, sum(needs_options(row, language) for row in rows), len(rows)))
    return found


def main() -> None:
    """Prints the table."""
    # XCOPA and COPAL-ID, which have premises, only ask for cause or effect
    asking = {name: each for name, each in data_sets().items() if each.kind == "mcq" and "question" in each.fields}
    questions = [name for name, data_set in asking.items() if "premise" not in data_set.fields]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", metavar="FOLDER", type=Path, required=True, help="folder laid out like the hub")
    parser.add_argument("--data_sets", metavar="NAME", nargs="+", choices=questions, default=questions)
    options = parser.parse_args()
    os.chdir(options.data)
    os.environ["HF_HUB_OFFLINE"] = "1"
    cells = [
        (data_set.title, f"`{data_set.plain_variant}`", language, f"{rows:,}", f"{number:,}", f"{100 * number / rows:.0f} %")
        for data_set in map(data_sets().__getitem__, options.data_sets)
        for language, number, rows in counts(data_set)
    ]
    print(table(["data set", "main variant", "language", "rows", "need their options", "share"], cells), end="")


if __name__ == "__main__":
    main()
