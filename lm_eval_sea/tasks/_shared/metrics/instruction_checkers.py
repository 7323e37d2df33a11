"""Whether a response follows an instruction of SEA-IFEval. Pure functions, no I/O.

The 21 kinds of instructions are those of IFEval (Zhou et al. 2023) without those on case, commas and letters, which few scripts
of the region have. Digits are counted instead of letters. The checks are SEA-HELM's (`ifeval/instruction_checkers.py`). They
differ from IFEval, and so from lm-eval's task `ifeval`, where its check would be unfair to a language or after an unclear prompt:

- Sentences are the texts between "***", which the prompts ask for. So no language needs a sentence splitter.
- In the languages of `WORD_BOUNDARIES`, keywords are whole words in any case. In the others, Filipino among them, they may be
  inside a word, and case matters for presence and absence.
- Parts without text do not count: blocks between dividers, "[]", an empty quotation, a prompt repeated without an answer.
- A bullet needs a space after it. A section title needs one before its number, which may be a word. Sections are counted exactly.

lm-eval's own checkers are not called. Those that agree (title, highlights, postscript, forbidden words, number of words) are one
line each, and importing their module downloads a sentence splitter. Texts are compared in Unicode NFC. As in lm-eval, a response
without text follows no instruction.
"""

from __future__ import annotations

import json
import operator
import re
import string
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from ..unicode_text import normal_form
from .target_language import is_in_language


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


NUMBER_WORDS = "length_constraints:number_words"
CONSTRAINED_RESPONSE = "detectable_format:constrained_response"
RESPONSE_LANGUAGE = "language:response_language"

# Languages in which a keyword is a whole word.
WORD_BOUNDARIES = frozenset(["en", "id", "vi", "jv", "su", "ms"])
# Languages without spaces between words, in which no number of words is asked for.
UNCOUNTED_WORDS = frozenset(["th", "lo", "km", "my"])

# The allowed responses: yes, no, maybe.
PHRASES = {
    "en": ("My answer is yes.", "My answer is no.", "My answer is maybe."),
    "id": ("Jawaban saya adalah ya.", "Jawaban saya adalah tidak.", "Jawaban saya adalah mungkin."),
    "vi": ("Câu trả lời của tôi là có.", "Câu trả lời của tôi là không.", "Câu trả lời của tôi là có thể."),
    "th": ("คำตอบของฉันคือใช่", "คำตอบของฉันคือไม่", "คำตอบของฉันคืออาจจะ"),
    "tl": ("Ang sagot ko ay oo.", "Ang sagot ko ay hindi.", "Ang sagot ko ay siguro."),
    "jv": ("Jawabanku ya.", "Jawabanku ora.", "Jawabanku mungkin."),
    "su": ("Jawapan abdi enya.", "Jawapan abdi henteu.", "Jawapan abdi meureun."),
    "ms": ("Jawapan saya ialah ya.", "Jawapan saya ialah tidak.", "Jawapan saya ialah mungkin."),
    "ta": ("என்னுடைய பதில் ஆம்.", "என்னுடைய பதில் இல்லை.", "என்னுடைய பதில் ஒருவேளை இருக்கலாம்."),
    "my": ("ကျွန်ုပ်၏အဖြေသည် ဟုတ်ပါတယ်။", "ကျွန်ုပ်၏အဖြေသည် မဟုတ်ပါ။", "ကျွန်ုပ်၏အဖြေသည် တစ်ချို့ဖြစ်နိုင်ပါတယ်။"),
    "lo": ("ຄໍາຕອບຂອງຂ້ອຍແມ່ນຈິງ.", "ຄໍາຕອບຂອງຂ້ອຍແມ່ນບໍ່ຈິງ.", "ຄໍາຕອບຂອງຂ້ອຍແມ່ນອາດຈະຈິງ."),
    "km": ("ខ្ញុំយល់ស្រប។", "ខ្ញុំមិនយល់ស្រប។", "ខ្ញុំមិនច្បាស់ដែរ។"),
}
RELATIONS: dict[str, Callable[[int, int], bool]] = {"at least": operator.ge, "less than": operator.lt, "exactly": operator.eq}

_SENTENCE_DIVIDER, _RESPONSE_DIVIDER = "***", "******"
_FENCES = ("```json", "```Json", "```JSON", "```")


def _composed(text: str) -> str:
    return normal_form("NFC", text)


def _with_text(parts: list[str], edges: str | None = None) -> list[str]:
    """The parts in which text is left when `edges` are cut off."""
    return [part for part in parts if part.strip(edges).strip()]


# Length


def _number_words(text: str, language: str, *, relation: str, num_words: int) -> bool:
    return RELATIONS[relation](len(re.findall(r"\w+", text)), num_words)


def _number_sentences(text: str, language: str, *, relation: str, num_sentences: int) -> bool:
    sentences = _with_text(text.strip("*").split(_SENTENCE_DIVIDER))
    return RELATIONS[relation](len(sentences), num_sentences)


def _number_paragraphs(text: str, language: str, *, num_paragraphs: int) -> bool:
    return len(_with_text(text.split(_SENTENCE_DIVIDER))) == num_paragraphs


# Content


def _postscript(text: str, language: str, *, postscript_marker: str) -> bool:
    """The marker may be anywhere; "P.S." also with a space between the letters, and inside "P.P.S."."""
    pattern = r"\.\s?".join(map(re.escape, postscript_marker.lower().rstrip(".").split("."))) + r"\."
    return re.search(pattern, text.lower()) is not None


def _number_placeholders(text: str, language: str, *, num_placeholders: int) -> bool:
    return len(_with_text(re.findall(r"\[.*?\]", text), "[]")) >= num_placeholders


# Format


def _title(text: str, language: str) -> bool:
    return bool(_with_text(re.findall(r"<<[^\n]+>>", text), "<>"))


def _number_bullet_lists(text: str, language: str, *, num_bullets: int) -> bool:
    return len(re.findall(r"^\s*[*-] \*{,2}[^*\s]", text, re.MULTILINE)) == num_bullets


def _multiple_sections(text: str, language: str, *, section_title: str, num_sections: int) -> bool:
    return len(re.findall(rf"\b{re.escape(section_title)}\s+\w+\b", text)) == num_sections


def _number_highlighted_sections(text: str, language: str, *, num_highlights: int) -> bool:
    highlights = re.findall(r"\*[^\n*]*\*", text) + re.findall(r"\*\*[^\n*]*\*\*", text)
    return len(_with_text(highlights, "*")) >= num_highlights


def _json_format(text: str, language: str) -> bool:
    """The whole response is JSON, perhaps in a Markdown fence."""
    for fence in _FENCES:
        if text.startswith(fence):
            text = text.removeprefix(fence).removesuffix("```").strip()
            break
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _constrained_response(text: str, language: str) -> bool:
    return any(_composed(phrase) in text for phrase in PHRASES[language])


# Start and end


def _first_word(text: str, language: str, *, first_word: str) -> bool:
    return text.lower().startswith(first_word.lower())


def _end_checker(text: str, language: str, *, end_phrase: str) -> bool:
    return text.lower().endswith(end_phrase.lower())


def _quotation(text: str, language: str) -> bool:
    return text.startswith('"') and text.endswith('"') and bool(text.strip('"').strip())


# Keywords


def _occurrences(keyword: str, text: str, language: str, *, any_case: bool) -> int:
    """How often a keyword occurs. In languages with word boundaries, only whole words count, in any case."""
    pattern, flags = re.escape(keyword), re.IGNORECASE if any_case else 0
    if language in WORD_BOUNDARIES:
        pattern, flags = rf"\b{pattern}\b", re.IGNORECASE
    return len(re.findall(pattern, text, flags))


def _existence(text: str, language: str, *, keywords: list[str]) -> bool:
    return all(_occurrences(keyword, text, language, any_case=False) for keyword in keywords)


def _forbidden_words(text: str, language: str, *, forbidden_words: list[str]) -> bool:
    return not any(_occurrences(word, text, language, any_case=False) for word in forbidden_words)


def _frequency(text: str, language: str, *, relation: str, keyword: str, frequency: int) -> bool:
    return RELATIONS[relation](_occurrences(keyword, text, language, any_case=True), frequency)


def _number_frequency(text: str, language: str, *, relation: str, number: str, frequency: int) -> bool:
    return RELATIONS[relation](text.count(number), frequency)


# Combination and language


def _repeat_prompt(text: str, language: str, *, prompt_to_repeat: str) -> bool:
    text, prompt = text.lower(), prompt_to_repeat.lower()
    return text.startswith(prompt) and bool(text.removeprefix(prompt).strip())


def _two_responses(text: str, language: str) -> bool:
    responses = [part.strip() for part in text.split(_RESPONSE_DIVIDER)]
    return sum(bool(response.strip(string.punctuation)) for response in responses) == 2


def _response_language(text: str, language: str, *, response_language: str) -> bool:
    return is_in_language(text, response_language)


# Arguments: how each is read from a row. Numbers may be strings


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("expected text")
    return _composed(value.strip())


def _texts(value: Any) -> list[str]:
    if not isinstance(value, list) or not value:
        raise ValueError("expected a list of texts")
    return [_text(entry) for entry in value]


def _relation(value: Any) -> str:
    if value not in RELATIONS:
        raise ValueError(f"expected one of {', '.join(RELATIONS)}")
    return str(value)


def _digits(value: Any) -> str:
    return str(int(value))


class Instruction(NamedTuple):
    """A kind of instruction."""

    is_followed: Callable[..., bool]  # response, language of the prompt, arguments by name
    arguments: Mapping[str, Callable[[Any], Any]] = MappingProxyType({})  # name → how it is read


INSTRUCTIONS = {
    NUMBER_WORDS: Instruction(_number_words, {"relation": _relation, "num_words": int}),
    "length_constraints:number_sentences": Instruction(_number_sentences, {"relation": _relation, "num_sentences": int}),
    "length_constraints:number_paragraphs": Instruction(_number_paragraphs, {"num_paragraphs": int}),
    "detectable_content:postscript": Instruction(_postscript, {"postscript_marker": _text}),
    "detectable_content:number_placeholders": Instruction(_number_placeholders, {"num_placeholders": int}),
    "detectable_format:title": Instruction(_title),
    "detectable_format:number_bullet_lists": Instruction(_number_bullet_lists, {"num_bullets": int}),
    "detectable_format:multiple_sections": Instruction(_multiple_sections, {"section_title": _text, "num_sections": int}),
    "detectable_format:number_highlighted_sections": Instruction(_number_highlighted_sections, {"num_highlights": int}),
    "detectable_format:json_format": Instruction(_json_format),
    CONSTRAINED_RESPONSE: Instruction(_constrained_response),
    "startend:first_word": Instruction(_first_word, {"first_word": _text}),
    "startend:end_checker": Instruction(_end_checker, {"end_phrase": _text}),
    "startend:quotation": Instruction(_quotation),
    "keywords:existence": Instruction(_existence, {"keywords": _texts}),
    "keywords:forbidden_words": Instruction(_forbidden_words, {"forbidden_words": _texts}),
    "keywords:frequency": Instruction(_frequency, {"relation": _relation, "keyword": _text, "frequency": int}),
    "keywords:number_frequency": Instruction(_number_frequency, {"relation": _relation, "number": _digits, "frequency": int}),
    "combination:repeat_prompt": Instruction(_repeat_prompt, {"prompt_to_repeat": _text}),
    "combination:two_responses": Instruction(_two_responses),
    RESPONSE_LANGUAGE: Instruction(_response_language, {"response_language": _text}),
}


def is_scored(instruction_id: str, language: str) -> bool:
    """Whether an instruction is checked in a language. Words are not counted in languages without spaces between them."""
    return not (instruction_id == NUMBER_WORDS and language in UNCOUNTED_WORDS)


def read_arguments(instruction_id: str, kwargs: Mapping[str, Any], language: str) -> dict[str, Any]:
    """The arguments that an instruction needs, from those of a row, which may have others and empty ones.

    Raises `ValueError` if the instruction is not known, cannot be checked in this language, or lacks an argument.
    """
    if instruction_id not in INSTRUCTIONS:
        raise ValueError(f"no checker for the instruction {instruction_id!r}; there are {', '.join(INSTRUCTIONS)}")
    if not is_scored(instruction_id, language):
        raise ValueError(f"{instruction_id} cannot be checked: words of {language!r} are not counted")
    if instruction_id == CONSTRAINED_RESPONSE and language not in PHRASES:
        raise ValueError(f"no phrases for {instruction_id} in {language!r}; there are some for {', '.join(PHRASES)}")
    arguments = {}
    for name, read in INSTRUCTIONS[instruction_id].arguments.items():
        try:
            arguments[name] = read(kwargs.get(name))
        except (ValueError, TypeError) as error:
            raise ValueError(f"argument {name!r} of {instruction_id} is {kwargs.get(name)!r}: {error}") from error
    return arguments


def check(instruction_id: str, response: str, kwargs: Mapping[str, Any], language: str) -> bool:
    """Whether a response, without its thoughts, follows an instruction such as "keywords:existence" in the prompt's language.

    `kwargs` are the arguments of the instruction as the rows have them, such as {"keywords": ["sungai"]}; errors are those of
    `read_arguments`.
    """
    arguments = read_arguments(instruction_id, kwargs, language)
    text = _composed(response).strip()
    return bool(text) and INSTRUCTIONS[instruction_id].is_followed(text, language, **arguments)
