"""myXNLI: from published rows to processed rows."""

import re
from typing import Any


_UNSEEN = re.compile("[\u200b\u200c]")  # zero-width; they mean nothing in Burmese
# The vowel sign e, if no consonant or medial is before it. It is shown before its consonant, but must be typed after it.
_VOWEL_BEFORE_CONSONANT = re.compile("(?<![\u1000-\u102a\u103b-\u103f])\u1031([\u1000-\u1021][\u103b-\u103e]*)")


def _mended(text: str) -> str:
    """A text without zero-width characters and the translators' "#" at its beginning, and with vowel signs after consonants."""
    text = _UNSEEN.sub("", text).lstrip("# ").rstrip()
    return _VOWEL_BEFORE_CONSONANT.sub("\\1\u1031", text)


def process_row(row: dict[str, Any]) -> dict[str, Any]:
    """{"sentence1_my", "sentence2_my", "label"} → a processed row. The premise, which has three hypotheses, is the cluster."""
    premise = _mended(row["sentence1_my"])
    return {"cluster": premise, "premise": premise, "hypothesis": _mended(row["sentence2_my"]), "label": row["label"]}
