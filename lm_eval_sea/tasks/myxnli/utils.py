"""myXNLI: from published rows to processed rows."""

import re
from typing import Any


_UNSEEN = re.compile("[\u200b\u200c]")  # zero-width; they say nothing in Burmese
# The vowel sign e, which is seen before its consonant and must be typed behind it, where no consonant or medial is before it.
_VOWEL_BEFORE_CONSONANT = re.compile("(?<![\u1000-\u102a\u103b-\u103f])\u1031([\u1000-\u1021][\u103b-\u103e]*)")


def _mended(text: str) -> str:
    """A text without zero-width characters, the translators' "#" at its beginning and vowel signs before their consonant."""
    text = _UNSEEN.sub("", text).lstrip("# ").rstrip()
    return _VOWEL_BEFORE_CONSONANT.sub("\\1\u1031", text)


def process_row(row: dict[str, Any]) -> dict[str, Any]:
    """{"sentence1_my", "sentence2_my", "label"} → a processed row; the premise is the cluster, for it has three hypotheses."""
    premise = _mended(row["sentence1_my"])
    return {"cluster": premise, "premise": premise, "hypothesis": _mended(row["sentence2_my"]), "label": row["label"]}
