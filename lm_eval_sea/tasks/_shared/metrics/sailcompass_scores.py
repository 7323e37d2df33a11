"""The scores of SailCompass as its code computes them, with its oddities. Pure functions, no I/O.

The code is sail-sg/sailcompass 6093e6c (`icl_sailor_evaluator.py`, `sailor_text_postprocessors.py`, `datasets/*.py`). Scores of
rows are from 0 to 1, corpus scores from 0 to 100; SailCompass prints all as percentages. They are only for comparing with
published numbers: letters that occur by chance count as right, and differences that no reader would mind count as wrong.

SailCompass tries some cues in the order of a Python set, which changes from process to process. Here the order is that of `CUES`
and its siblings. It matters only for an answer with two different cues in its first line.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import re
from typing import TYPE_CHECKING, Any

import sacrebleu

from .overlap import f1_of_words
from .target_language import identifier_package, identifier_version
from .words import newmm_version, segment


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import ModuleType


# The answer begins after the last occurrence of the first of these cues that the text has.
CUES = (
    "คำตอบ: ",
    "trả lời: ",
    "jawaban: ",
    "ไทย: ",
    "bahasa indonesia: ",
    "tiếng việt: ",
    "bahasa inggris: ",
    "อังกฤษ: ",
    "tiếng anh: ",
    "สรุป: ",
    "ringkasan: ",
)
BELEBELE_CUES = ("Context: ", "Answer: ", "Câu hỏi: ", "Bối cảnh: ")
M3EXAM_CUES = ("Câu hỏi: ",)
LETTERS = "ABCD"
THAI_OPTIONS = "12345๑๒๓๔๕ABCD"

_ARABIC, _THAI = "12345", "๑๒๓๔๕"
# Other ways to write the answer to a Thai question: the digit of the other script, or for a letter the Arabic digit.
_THAI_TWINS = dict(zip(_ARABIC + _THAI + LETTERS, _THAI + _ARABIC + _ARABIC[: len(LETTERS)], strict=True))

# How an option (@) may be stated. The first pattern that is found with an option decides. These are the patterns of OpenCompass'
# `first_option_parse` without those that never decide, because an earlier one finds at least as much.
_OPTION_PATTERNS = (
    "答案是?\\s?@",
    "答案是?\\s?：@",
    "答案是?\\s?:@",
    "答案应该?是\\s?@",
    "答案应该?选\\s?@",
    "答案为\\s?@",
    "答案选\\s?@",
    "选择?\\s?@",
    "只有选?项?\\s?@\\s?是?对",
    "只有选?项?\\s?@\\s?是?错",
    "只有选?项?\\s?@\\s?不?正确",
    "只有选?项?\\s?@\\s?错误",
    "说法不?对选?项?的?是\\s?@",
    "说法不?正确选?项?的?是\\s?@",
    "说法错误选?项?的?是\\s?@",
    "@\\s?是正确的",
    "@\\s?是正确答案",
    "选项\\s?@\\s?正确",
    "所以答\\s?@",
    "1.\\s?@",
    "[\\s，：:,]@",
    "[\\s，,：:][故即]@",
    "[\\s，,：:]因此@",
    "[是为。]\\s?@",
    "因此\\s?@",
    "显然\\s?@",
    "1.\\s?",
    "所以\\s?@[.。$]?$",
    "所有\\s?@[.。$]?$",
    "答案是\\s?\\S+(?:。|$)",
    "答案应该是\\s?\\S+(?:。|$)",
    "答案为\\s?\\S+(?:。|$)",
    "^选项\\s?@",
    "^@\\s?选?项",
    "^@[\\s。，,：:.$]",
    "^@$",
    "1.\\s?.*$",
    "@:",
    "@",
)


def first_option(text: str, options: str) -> str:
    """The option that SailCompass reads in an answer: "" for none.

    It is the first option, in the order of `options`, within the match of the first pattern that fits. Any option letter after a
    space or a comma counts, and finally any letter: a plain sentence with a capital A to D is an answer.
    """
    for pattern in _option_patterns(options):
        match = pattern.search(text)
        found = next((option for option in options if match and option in match[0]), "")
        if found:
            return found
    return ""


@functools.cache
def _option_patterns(options: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern.replace("@", f"[{options}]")) for pattern in _OPTION_PATTERNS)


def letter_match(answer: str, gold: str, cues: Sequence[str]) -> float:
    """1 if the letter read in an answer is the right one: `first_option` of its first line, after the last cue."""
    return float(first_option(_behind_cue(_first_line(answer), cues), LETTERS) == gold)


def m3exam_thai_exact_match(answer: str, gold: str) -> float:
    """1 if the digit read in an answer to M3Exam in Thai is the right one, in Arabic or Thai digits.

    A letter counts as the Arabic digit of its position, but not as the Thai digit.
    """
    option = first_option(_first_line(answer), THAI_OPTIONS)
    return float(bool(option) and gold in (option, _THAI_TWINS[option]))


def general_prediction(answer: str) -> str:
    """An answer as SailCompass compares it: its first line, after the last cue, without punctuation at the end.

    The cues are in lower case, so the answer has to be, too. An answer that begins with a line break is empty.
    """
    return general_reference(_behind_cue(_first_line(answer).lstrip(), CUES))


def general_reference(reference: str) -> str:
    """A reference as SailCompass compares it: no punctuation at its end, single spaces, and none before , and .

    Everything after the last letter or digit is cut off if there is no space in it. For Python, Thai vowel signs and tone marks
    are not letters, so they are cut off, too.
    """
    text = reference.lstrip()
    kept = re.search(r"\w(?=[^\w\s]*\s*\Z)", text)
    text = re.sub(r"\s+", " ", text[: kept.end()] if kept else text)
    return re.sub(r"\s+(?=[,.])", "", text).strip()


def _first_line(text: str) -> str:
    return text.split("\n", 1)[0]


def _behind_cue(text: str, cues: Sequence[str]) -> str:
    cue = next((cue for cue in cues if cue in text), None)
    return text if cue is None else text.rpartition(cue)[2]


def answer_exact_match(answer: str, reference: str) -> float:
    """1 if an answer (XQuAD) or a label (classification) is the reference in lower case, either unchanged or as compared."""
    answer, reference = answer.lower(), reference.lower()
    return float(bool({answer, general_prediction(answer)} & {reference, general_reference(reference)}))


def answer_f1(answer: str, reference: str) -> float:
    """Harmonic mean of precision and recall over words of an answer (XQuAD) or of a label (classification).

    Words are found by newmm if the whole answer, with all its lines, is identified as Thai, and at spaces otherwise. For labels
    this is not macro-F1 but the exact match, except for labels that share a word.
    """
    language = "th" if _official_identifier().classify(answer)[0] == "th" else ""
    answer, reference = general_prediction(answer.lower()), general_reference(reference.lower())
    return f1_of_words(segment(answer, language), segment(reference, language))


def best_exact_match(answer: str, references: Sequence[str]) -> float:
    """1 if an answer (TyDiQA), as compared, is any of the references as compared."""
    compared = general_prediction(answer.lower())
    return float(any(compared == general_reference(reference.lower()) for reference in references))


def best_f1(answer: str, references: Sequence[str]) -> float:
    """The best F1 over words, split at spaces, with any reference (TyDiQA)."""
    words = general_prediction(answer.lower()).split()
    return max(f1_of_words(words, general_reference(reference.lower()).split()) for reference in references)


@functools.cache
def _official_identifier() -> ModuleType:
    """langid, which SailCompass uses, or py3langid, which has the same model in another precision."""
    try:
        return importlib.import_module("langid")
    except ImportError:
        return identifier_package()


def _identifier_signature() -> str:
    if _official_identifier().__name__ == "langid":
        return f"langid:{importlib.metadata.version('langid')}"
    return f"{identifier_version()} for langid"


def text_pair(answer: str, reference: str) -> tuple[str, str]:
    """Reference and answer as BLEU and chrF++ compare them; see `overlap.corpus_bleu` and `overlap.corpus_chrf`.

    The answer is in lower case and as in `general_prediction`. The reference is only in lower case, so that it keeps
    punctuation at its end, which every answer lacks. Neither is normalised to NFC.
    """
    return reference.lower(), general_prediction(answer.lower())


# Official evaluator → whether an answer, or the label of the chosen option, is right: 0 or 1.
EXACT_MATCH: Mapping[str, Callable[[str, Any], float]] = {
    "AnsEvaluator": answer_exact_match,
    "BelebeleEvaluator": functools.partial(letter_match, cues=BELEBELE_CUES),
    "M3examEmEvaluator": functools.partial(letter_match, cues=M3EXAM_CUES),  # in Javanese or Vietnamese
    "M3examThEvaluator": m3exam_thai_exact_match,
    "TydiqaIdEvaluator": best_exact_match,
}
# Official evaluators that also report an F1 over words.
F1: Mapping[str, Callable[[str, Any], float]] = {
    "AnsEvaluator": answer_f1,
    "TydiqaIdEvaluator": best_f1,
}


def answer_scores(evaluator: str, answer: str, reference: Any) -> dict[str, float]:
    """The scores of an official evaluator by metric, 0 to 1, of a generated answer or the label of the chosen option.

    `reference` is the right answer, or a list of all right answers. Only TyDiQA's evaluator takes several.
    """
    if evaluator == "TydiqaIdEvaluator":
        reference = [reference] if isinstance(reference, str) else reference
    elif not isinstance(reference, str):
        (reference,) = reference
    found = {"exact_match_sailcompass": EXACT_MATCH[evaluator](answer, reference)}
    if evaluator in F1:
        found["f1_sailcompass"] = F1[evaluator](answer, reference)
    return found


_LINE = "norm:no|answer:first line"
_TEXT = f"nrefs:1|case:lc|{_LINE}, no marks at its end"
_ANSWER = f"case:lc|{_LINE}, no marks at its end"
_SIGNATURES = {
    "TextGenEvaluator": {
        "bleu_sailcompass": f"{_TEXT}|eff:no|tok:13a|smooth:exp|version:{sacrebleu.__version__}",
        "chrf_sailcompass": f"{_TEXT}|eff:yes|nc:6|nw:2|space:no|version:{sacrebleu.__version__}",
    },
    "AnsEvaluator": {
        "exact_match_sailcompass": f"nrefs:1|{_ANSWER}",
        "f1_sailcompass": f"nrefs:1|{_ANSWER}|tok:newmm if identified as Thai, else blanks",
    },
    "TydiqaIdEvaluator": {
        "exact_match_sailcompass": f"refs:best|{_ANSWER}",
        "f1_sailcompass": f"refs:best|{_ANSWER}|tok:blanks",
    },
}


def signatures(evaluator: str) -> dict[str, str]:
    """How the text scores of an official evaluator are computed, by metric, in the style of sacreBLEU; empty for letters.

    Raises `ImportError` if a package that they need is not installed.
    """
    found = dict(_SIGNATURES.get(evaluator, {}))
    if evaluator == "AnsEvaluator":  # an answer in any language may be taken for Thai
        found["f1_sailcompass"] += f"|{newmm_version()}|{_identifier_signature()}"
    return found
