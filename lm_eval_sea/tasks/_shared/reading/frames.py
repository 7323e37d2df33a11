"""What chat models put around an answer: code fences, LaTeX boxes, JSON, XML tags, markup, quotation marks. Pure functions."""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect_right
from typing import TYPE_CHECKING, Any, NamedTuple

from .answer_phrases import ANSWER_TAGS, PHRASES
from .answer_tags import tag_spans
from .answer_text import words_of_cue
from .other_questions import question_line


if TYPE_CHECKING:
    from collections.abc import Sequence


# A word after the opening mark is the name of a language only if it ends the line.
_FENCE = re.compile(r"```(?:[\w+-]*[ \t]*\n)?(.*?)(?:```|\Z)", re.DOTALL)
_BOX = re.compile(r"\\(?:boxed|fbox)\s*\{((?:[^{}]|\{(?:[^{}]|\{[^{}]{0,500}\}){0,500}\}){0,500})\}")
_LATEX_TEXT = re.compile(r"\\(?:text|textbf|mathrm|mathbf|textit|mbox)\s*\{([^{}]*)\}")
_ANSWER_KEYS = (
    *("answer", "final_answer", "finalanswer", "correct_answer", "correctanswer", "choice", "option", "label", "result"),
    *("jawaban akhir", "jawapan akhir", "câu trả lời", "đáp án", "คำตอบสุดท้าย", "最终答案"),
)
# The names of XML elements that frame an answer. Those of the second group may hold any option, also one that is only discussed.
_ELEMENT_NAMES = ("answer", "final answer", "correct answer", "final", "result")
_OPTION_NAMES = ("choice", "option", "label", "output", "response")
_XML_TAG = re.compile(r"<(?P<slash>/?)(?P<name>[^\W\d][^<>\n/|]{0,30})>")
_ELEMENT = re.compile(r"<([^\W\d][\w -]{0,30})>([^<>]*)</\1>")
_TASK = re.compile("|".join(words.task for words in PHRASES.values() if words.task), re.IGNORECASE)  # of any language
# The beginning of a JSON object, but not of a LaTeX group.
_OBJECT_BEGIN = re.compile(r"\{\s*\"")
_MOST_BROKEN_OBJECTS = 20
# A key and its value, up to the next key, in an object that is not valid JSON: quotation marks in a string, a trailing comma.
_PAIR = re.compile(
    r"\"(?P<key>[^\"\n]{1,30})\"\s*:\s*(?:\"(?P<string>[^\n]{0,2000}?)\"|(?P<number>-?\d[\d.,]*))\s*(?:,\s*(?=[\"}])|(?=\}))"
)
_LINE = re.compile(r"\s*\S.*\n")
# The beginning of the next turn of a conversation, as text: a special token of a chat template, or the name of a speaker.
_TURN = re.compile(
    r"<\|(?:im_start|im_end|eot_id|start_header_id|user|assistant|end|endoftext|end_of_text)\|>|<(?:start|end)_of_turn>|\[INST\]"
    r"|</s>\s*(?:<s>|\n)|(?<=[.!?\u3002\u104b\u17d4\n]\n)(?:Human|User):\s*\Z"
    r"|^[ \t>#*_]*(?P<speaker>Human|User)[*_]*[:：]|(?<=\n\n)user[ \t]*\n(?=[\s\S]{0,2000}?\nassistant[ \t]*(?:\n|\Z))",
    re.MULTILINE | re.IGNORECASE,
)
_REPLY = re.compile(r"\n[ \t>#*_]*(?:AI|Assistant)[*_]*[:：]", re.IGNORECASE)
# The end of the prompt, if a model repeats it. A user's turn after a text is the next turn.
_ANSWER_TURN = re.compile(
    r"\A(?:\s*(?:<s>)?\s*\[INST\][\s\S]*?|(?:(?!\[INST\])[\s\S])*?)\[/INST\]"
    r"|\A(?:\s*<\|im_start\|>(?:system|user)[\s\S]*?|(?:(?!<\|im_start\|>user)[\s\S])*?)<\|im_start\|>assistant"
    r"|\A\s*(?:System|User|Human):[\s\S]*?\n\s*(?:AI|Assistant):|\A\s*(?:system|user)\n[\s\S]*?\nassistant\n",
    re.IGNORECASE,
)
_SPEAKER = re.compile(
    r"\A(?:\s*(?:<\|(?:im_start|start_header_id|assistant)\|>(?:assistant)?(?:<\|end_header_id\|>)?|<start_of_turn>model\n))*"
    r"(?:[\s*_#]*Assistant[*_]*[ \t]*[:：][*_]*)?\s*",
    re.IGNORECASE,
)
QUOTED = re.compile(r"[\"“«「]([^\"“”«»「」\n]+)[\"”»」]")  # a phrase on one line
SINGLE_QUOTED = re.compile(r"(?<![^\s(])['‘]([^'’\n]+)['’](?![^\s.,)])")
QUOTES = {'"': '"', "“": "”", "‘": "’", "«": "»", "「": "」", "'": "'", "`": "`", "„": "“", "『": "』", "[": "]"}
_SIGNS = {"times": "×", "cdot": "·", "div": "÷", "pm": "±", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "neq": "≠"}
_SIGNS |= {"approx": "≈", "infty": "∞", "circ": "°", "rightarrow": "→", "to": "→", "Rightarrow": "⇒", "in": "∈", "lambda": "λ"}
_SIGNS |= {"left": "", "right": "", "quad": " "}
_POWER = re.compile(r"(?<=[\w)])[\^_](?:\{([^{}\n]{1,8})\}|(?<=\^)([+-]?\w+)|(?<=_)(\d+))")
_EMPHASIS = re.compile(r"(\*\*|__|~~|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w))")


def first_turn(text: str) -> str:
    """The model's own turn: the text without a repeated prompt before it and made-up turns after it."""
    if (prompt := _ANSWER_TURN.match(text)) and text[prompt.end() :].strip():
        text = text[prompt.end() :]
    own = _SPEAKER.sub("", text)
    begin, replies = len(own) - len(own.lstrip()), [reply.start() for reply in _REPLY.finditer(own)]
    turns = (found for found in _TURN.finditer(own) if found.start() > begin)
    # the name of a speaker begins a turn only if a reply follows
    end = next((found.start() for found in turns if not found["speaker"] or (replies and replies[-1] >= found.end())), None)
    own = own if end is None else own[:end].rstrip()
    return text if re.search(r"(?im)^(?:Human|User):", own) else own  # an answer may be a dialogue


class _Frame(NamedTuple):
    """A frame of an answer: where it begins and ends, what it holds, and whether it may hold any option."""

    start: int
    end: int
    content: str
    of_option: bool = False


def last_frame(text: str, tags: Sequence[str], language: str, keys: Sequence[str] = ()) -> str | None:
    r"""What the last frame of a text holds. Frames are JSON objects, LaTeX boxes, and XML elements with an answer's name.

    None without a frame, and if an answer tag with text follows the last one: "First \boxed{A}. No. Answer: B". A tag below
    another question does not count, because the model made up that question.

    The words of the prompt's `tags` may also name an element or, like `keys`, the answer in JSON.
    """
    if whole := _ELEMENT.fullmatch(text.strip()):
        return whole[2].strip()  # an element around the whole text may have any name
    names = [words_of_cue(tag) for tag in tags]
    tag_ends = [end for _, end in tag_spans(text, tags)]
    objects = _objects(text, (*names, *keys))
    begin = objects[-1].end if objects else 0
    further = [frame for frame in _within_text(text, names) if frame.start >= begin]
    own = [frame for frame in further if not (frame.of_option and _is_other_line(text, tag_ends, frame))]
    if not (frames := [*objects[-1:], *own]):
        return None
    last = frames[-1]
    if tag_ends and tag_ends[-1] > last.end and not question_line(language).search(text, last.end, tag_ends[-1]):
        return None
    tagged = tag_spans(last.content, tags)
    return last.content[tagged[-1][1] if tagged else 0 :].strip()


def _is_other_line(text: str, tag_ends: Sequence[int], frame: _Frame) -> bool:
    """Whether the last answer tag before a frame has its text on a line above the frame."""
    number = bisect_right(tag_ends, frame.start)
    return number > 0 and _LINE.match(text, tag_ends[number - 1], frame.start) is not None


def _within_text(text: str, names: Sequence[str]) -> list[_Frame]:
    """The LaTeX boxes and XML elements in a text that hold something, in their order."""
    boxes = [_Frame(*found.span(), without_latex(found[1]).strip()) for found in _BOX.finditer(text)]
    return sorted(frame for frame in (*boxes, *_elements(text, names)) if frame.content)


def _elements(text: str, names: Sequence[str]) -> list[_Frame]:
    """The innermost XML elements with the name of an answer. An element without an end holds the text up to the next."""
    known = set(map(_plain_key, (*_ELEMENT_NAMES, *_OPTION_NAMES, *names, *map(words_of_cue, ANSWER_TAGS))))
    marks = [mark for mark in _XML_TAG.finditer(text) if _plain_key(mark["name"]) in known or _TASK.match(mark["name"])]
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    # the frame ends after its opening tag, so that an answer tag inside the element counts, too
    return [
        _Frame(mark.start(), mark.end(), text[mark.end() : end].strip(), _plain_key(mark["name"]) in _OPTION_NAMES)
        for mark, end in zip(marks, ends, strict=False)
        if not mark["slash"]
    ]


def _objects(text: str, keys: Sequence[str]) -> list[_Frame]:
    """The JSON objects in a text that have an answer."""
    frames, start, broken = [], 0, 0
    while broken < _MOST_BROKEN_OBJECTS and (begin := _OBJECT_BEGIN.search(text, start)):
        try:
            found, start = json.JSONDecoder(strict=False).raw_decode(text, begin.start())  # strings may have several lines
            value = _value(found, keys)
        except (ValueError, RecursionError):
            pairs = [] if broken else list(_PAIR.finditer(text, begin.start()))
            found = {pair["key"]: pair["number"] or pair["string"].replace("\\n", "\n").replace('\\"', '"') for pair in pairs}
            value = _value({"": None, **found}, keys)  # `_value` would take an only value, which may be a reason
            start, broken = pairs[-1].end() if pairs else begin.end(), broken + 1
        if value is not None:
            frames.append(_Frame(begin.start(), start, value))
    return frames


def values_of_object(text: str) -> list[str]:
    """The strings in a JSON object that is the whole text, perhaps in a code fence; none if it is broken.

    Numbers are left out, because they may say how sure the model is.
    """
    text = unfenced(text).strip()
    try:
        found = json.loads(text) if _OBJECT_BEGIN.match(text) else {}
    except (ValueError, RecursionError):
        return []
    return [value for value in found.values() if isinstance(value, str)]


def begins_object(text: str) -> bool:
    """Whether a text begins with a JSON object. Such a text is not scored."""
    return _OBJECT_BEGIN.match(unfenced(text).strip()) is not None


def without_latex(text: str) -> str:
    r"""The text without LaTeX's font commands, dollar signs and brackets of formulae.

    Fractions are written with a slash, roots with √, other signs and Greek letters as themselves.
    """
    text = _LATEX_TEXT.sub(r"\1", text).replace("{,}", ",").replace("\\,", "")
    text = re.sub(r"\\[dt]?frac\s*\{([^{}\n]*)\}\s*\{([^{}\n]*)\}", r"\1/\2", text)
    text = re.sub(r"\\sqrt\s*\{([^{}\n]*)\}", r"√\1", text)
    text = re.sub(r"\\([A-Za-z]+)(?![A-Za-z{]) ?", _sign, text)
    return re.sub(r"\\([%$#&_])|\\[()\[\]]|\$", r"\1", text)


def _sign(found: re.Match[str]) -> str:
    r"""The character of a LaTeX command, "×" for `\times` and "π" for `\pi`; the command itself if it has none."""
    name = found[1]
    if name in _SIGNS:
        return _SIGNS[name]
    case = "SMALL" if name.islower() else "CAPITAL"
    try:
        return unicodedata.lookup(f"GREEK {case} LETTER {name}")
    except KeyError:
        return found[0]


def with_plain_powers(text: str) -> str:
    r"""The text with powers and indices as `plain` writes Unicode's: "x2" for `x^{2}`, "H2O" for `H_2O`. Also "-" for "−"."""
    return _POWER.sub(lambda found: str(found[found.lastindex or 1]), re.sub(r"[−⁻]|(?<=[=(,:;\s])–(?=\d)", "-", text))


def _value(found: dict[str, Any], keys: Sequence[str]) -> str | None:
    wanted = {_plain_key(key) for key in (*keys, *_ANSWER_KEYS)}
    named = [value for key, value in found.items() if _plain_key(key) in wanted]
    values = named or (list(found.values()) if len(found) == 1 else [])
    return str(values[-1]) if values and isinstance(values[-1], (str, int, float)) else None


def _plain_key(key: str) -> str:
    """A key without accents and marks: "tra loi" for "trả_lời:"."""
    letters = unicodedata.normalize("NFD", key.casefold().replace("đ", "d"))
    return " ".join(re.sub(r"[\u0300-\u036f]", "", letters).replace("_", " ").strip(" :").split())


def unfenced(text: str) -> str:
    """The text without the marks of code fences."""
    return _FENCE.sub(lambda found: f"\n{found[1]}\n", text)


def without_emphasis(text: str) -> str:
    """The text without Markdown: asterisks, underscores, the marks of headings and quotations."""
    return re.sub(r"(?m)^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?)", "", _EMPHASIS.sub("", text))


def unquoted(text: str) -> str:
    """The text without quotation marks around the whole of it."""
    text = text.strip()
    while len(text) > 1 and QUOTES.get(text[0]) == text[-1] and text.count(text[0]) == (2 if text[0] == text[-1] else 1):
        text = text[1:-1].strip()
    return text
