"""Whether a text is in the requested language: first by script, then by a language identifier that works offline."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections import Counter
from typing import TYPE_CHECKING, Protocol

from ..unicode_text import normal_form
from .optional_packages import required, version_of


if TYPE_CHECKING:
    from types import ModuleType


# Languages with other scripts than Latin → the first word of Unicode's names of their letters.
SCRIPTS = {"th": "THAI", "ta": "TAMIL", "my": "MYANMAR", "km": "KHMER", "lo": "LAO"}
LATIN = "LATIN"
# The languages that can be told apart. py3langid lacks many languages of Indonesia, and takes them for others.
TOLD_APART = {*SCRIPTS, "en", "id", "jv", "ms", "su", "tl", "vi"}

# Language → other codes that the identifier may give for its sentences.
ALSO = {"id": {"ms"}, "ms": {"id"}}
_IDENTIFIER = ("py3langid", "scores that depend on the language of an answer")  # and what needs it

# py3langid does not know Sundanese, and takes it for one of these languages. Their function words differ; words that two of the
# three have in common are left out.
_TAKEN_FOR_SUNDANESE = {"jv", "id", "ms", "ace"}
_FUNCTION_WORDS = {
    "su": """
        abdi anjeun anjeunna anu atanapi atawa aya ayeuna boga dina enya eta éta gaduh geus henteu hiji jalma jeung ka kana kedah
        kudu kumaha ku langkung lamun leuwih loba maranehna maranéhna manehna manéhna mangrupa meureun moal naha naon ngan
        ngaliwatan ngeunaan nu nyaeta nyaéta oge ogé parantos sababaraha sahiji sanes sanés sareng saurna seueur sok téh
        teu tiasa tina upami urang""",
    "jv": """
        amarga ana apa arep banjur dadi dene dening dheweke dudu durung ing ingkang isih iki iku iya jalaran kabeh kae kang kanggo
        kanthi karo kowe kuwi lan luwih manawa marang menawa mung nalika nanging nganti nggawe nggunakake ora pancen panjenengan
        saben sadurunge saka sak sampeyan sawise sing siji supaya tau tumrap utawa uga wae wis wong yaiku yen""",
    "id": """
        ada adalah akan anda antara atau bagi bahwa banyak beberapa belum bukan dalam dan dapat dari dengan di dia hanya hari
        harus ia ini itu jika juga kami karena ke kepada lebih mereka oleh orang pada para sangat saya sebagai sebuah sejak sekali
        seperti setelah sudah tahun tersebut tetapi telah tentang tidak untuk yang""",
}
_SUNDANESE_ENDING = "keun"


def is_off_target(text: str, language: str) -> bool:
    """Whether at least half of a text's letters are of another script or, if it is Latin, the text is in another language.

    An empty text is in no language; `null_rate` counts it.
    """
    if not text:
        return False
    script, letters = SCRIPTS.get(language, LATIN), letters_by_script(text)
    if 2 * letters[script] <= letters.total():
        return True
    return script == LATIN and identify(text) not in {language} | ALSO.get(language, set())


def letters_by_script(text: str) -> Counter[str]:
    """The number of letters and marks of each script in a text. The script is the first word of Unicode's name of a letter."""
    letters = (character for character in text if unicodedata.category(character)[0] in "LM")
    return Counter(unicodedata.name(letter, "").split(" ")[0] for letter in letters)


def is_in_language(text: str, language: str) -> bool:
    """Whether a text is in a language: by its letters and, if they are Latin, by the identifier. An empty text is in none."""
    return bool(text.strip()) and not is_off_target(text, language)


def identify(text: str) -> str:
    """Code of the most likely language of a text, among all that py3langid knows and Sundanese."""
    text = normal_form("NFC", text)
    language = _identifier().classify(text)[0]
    return "su" if language in _TAKEN_FOR_SUNDANESE and _is_sundanese(text) else language


def _is_sundanese(text: str) -> bool:
    """Whether a text has more function words and verb endings of Sundanese than function words of Javanese or Indonesian."""
    words = re.findall(r"\w+", text.lower())
    found = {language: sum(word in known for word in words) for language, known in _function_words().items()}
    found["su"] += sum(word.endswith(_SUNDANESE_ENDING) for word in words)
    return found["su"] > max(found["jv"], found["id"])


@functools.cache
def _function_words() -> dict[str, frozenset[str]]:
    return {language: frozenset(words.split()) for language, words in _FUNCTION_WORDS.items()}


class _Identifier(Protocol):
    def classify(self, text: str) -> tuple[str, float]: ...


@functools.cache
def _identifier() -> _Identifier:
    langid = identifier_package().langid
    # an instance of our own, because other packages may restrict the shared one to some languages
    identifier: _Identifier = langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE)
    return identifier


def identifier_package() -> ModuleType:
    """py3langid, which identifies languages; errors are those of `required`."""
    return required(*_IDENTIFIER)


def identifier_version() -> str:
    """The version of py3langid, for signatures of scores; errors are those of `required`."""
    return version_of(*_IDENTIFIER)


def target_signature(language: str) -> str:
    """How the language is found, for the signature of `off_target_rate`."""
    if language in SCRIPTS:
        return f"script:{SCRIPTS[language].lower()}"
    accepted = "+".join(sorted({language} | ALSO.get(language, set())))
    identifier = "py3langid+words" if language in _TAKEN_FOR_SUNDANESE | {"su"} else "py3langid"
    return f"script:latin|lid:{identifier}|lang:{accepted}|{identifier_version()}"
