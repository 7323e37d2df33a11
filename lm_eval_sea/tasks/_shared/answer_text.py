"""Reading the answer from generated text. Pure functions, no I/O.

The answer is the first line that has text. lm-eval would stop at a line break even if it came before the answer, so the tasks
stop only where the model begins another question (`generation_kwargs.until` in their YAML), and what follows the answer's line
is cut off here. With exemplars in the prompt that costs the few tokens of a blank line and the next question's first word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

# Markdown that people put around a cue.
_MARKUP = r"[\s*_#>]*"


def answer_text(generated: str, cues: Sequence[str]) -> str:
    """The answer in what a model wrote, in Unicode NFC; empty if there is none.

    Blanks, line breaks and invisible characters before the answer do not count. An answer cue that the model repeats there is
    cut off, however often, also in bold or on a line of its own.

    Args:
        generated: what the model wrote after the prompt.
        cues: the words that ask for the answer, such as "คำตอบ:".
    """
    text = _without_blank_start(unicodedata.normalize("NFC", generated))
    pattern = "|".join(_cue_pattern(unicodedata.normalize("NFC", cue)) for cue in cues)
    while pattern and (match := re.match(pattern, text, re.IGNORECASE)):
        text = _without_blank_start(text[match.end() :])
    return text.splitlines()[0].strip() if text else ""


def _without_blank_start(text: str) -> str:
    start = 0
    while start < len(text) and (text[start].isspace() or unicodedata.category(text[start]) in ("Cf", "Cc")):
        start += 1
    return text[start:]


def _cue_pattern(cue: str) -> str:
    word = cue.rstrip(":： ")
    # without its colon a cue may be the answer's first word
    ending = r"\s*[:：]" if word != cue else r"(?!\w)"
    return rf"{_MARKUP}{re.escape(word)}[*_]*{ending}[*_]*"
