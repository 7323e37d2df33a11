"""Whether a translation is in the language that was asked for: by script, then by a language identifier that works offline."""

from __future__ import annotations

import functools
import importlib.metadata
import unicodedata

# Languages not written in Latin letters: how Unicode's names of their letters begin.
SCRIPTS = {"th": "THAI"}
LATIN = "LATIN"

# Sentences of two languages that are not told apart: what the identifier may say for a language besides its own code.
ALSO = {"id": {"ms"}}


def is_off_target(text: str, language: str) -> bool:
    """Whether most letters of a text are of another script, or, of Latin text, whether it is in another language.

    An empty text is in no language at all; `null_rate` counts it.

    Args:
        text: the translation.
        language: code of the language asked for.
    """
    if not text:
        return False
    script = SCRIPTS.get(language, LATIN)
    letters = [character for character in text if unicodedata.category(character)[0] in "LM"]
    if 2 * sum(unicodedata.name(letter, "").startswith(script) for letter in letters) <= len(letters):
        return True
    return script == LATIN and identify(text) not in {language} | ALSO.get(language, set())


def identify(text: str) -> str:
    """Code of the language that a text is most likely in, among all that py3langid knows."""
    return _identifier().classify(text)[0]


@functools.cache
def _identifier():
    try:
        from py3langid.langid import MODEL_FILE, LanguageIdentifier
    except ImportError as error:
        raise ImportError("off_target_rate needs the package py3langid: pip install py3langid") from error
    return LanguageIdentifier.from_model_file(MODEL_FILE)  # one of its own: others may restrict the common one


def target_signature(language: str) -> str:
    """How the language is found; for the signature of `off_target_rate`."""
    if language in SCRIPTS:
        return f"script:{SCRIPTS[language].lower()}"
    accepted = "+".join(sorted({language} | ALSO.get(language, set())))
    return f"script:latin|lid:py3langid|lang:{accepted}|py3langid:{importlib.metadata.version('py3langid')}"
