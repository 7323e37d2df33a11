"""What chat models put around an answer: code fences, LaTeX boxes, JSON, tags of XML, markup. Pure functions, no I/O."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any


# A word behind the opening mark is the name of a language only if it ends the line.
_FENCE = re.compile(r"```(?:[\w+-]*[ \t]*\n)?(.*?)(?:```|\Z)", re.DOTALL)
_BOX = re.compile(r"\\(?:boxed|fbox)\s*\{((?:[^{}]|\{(?:[^{}]|\{[^{}]{0,500}\}){0,500}\}){0,500})\}")
_LATEX_TEXT = re.compile(r"\\(?:text|textbf|mathrm|mathbf|textit|mbox)\s*\{([^{}]*)\}")
_ANSWER_KEYS = ("answer", "final_answer", "finalanswer", "correct_answer", "correctanswer", "choice", "option", "label", "result")
_TAG_NAMES = (
    "answer",
    "final_answer",
    "final",
    "output",
    "response",
    "result",
    "translation",
    "summary",
    "choice",
    "option",
    "label",
)
# An element of XML, whatever its name.
_ELEMENT = re.compile(r"<([^\W\d][\w -]{0,30})>([^<>]*)</\1>")
# What begins the next turn of a conversation, as text: a special token of a chat template, or the name of who speaks.
_TURN = re.compile(
    r"<\|(?:im_start|im_end|eot_id|start_header_id|user|assistant|end|endoftext|end_of_text)\|>|<(?:start|end)_of_turn>|\[INST\]"
    r"|</s>\s*(?:<s>|\n)|^[ \t>#*_]*(?:Human|User)[*_]*[:：](?=[\s\S]*?\n[ \t>#*_]*(?:AI|Assistant)[*_]*[:：])"
    r"|(?<=[.!?\u3002\u104b\u17d4\n]\n)(?:Human|User):\s*\Z|(?<=\n\n)user[ \t]*\n(?=[\s\S]{0,2000}?\nassistant[ \t]*(?:\n|\Z))",
    re.MULTILINE | re.IGNORECASE,
)
# What ends the prompt, where a model repeats it. A user's turn behind a text is the next one.
_ANSWER_TURN = re.compile(
    r"\A[\s\S]*?\[/INST\]|\A(?:\s*<\|im_start\|>(?:system|user)[\s\S]*?|(?:(?!<\|im_start\|>user)[\s\S])*?)<\|im_start\|>assistant"
    r"|\A\s*(?:System|User|Human):[\s\S]*?\n\s*(?:AI|Assistant):|\A\s*(?:system|user)\n[\s\S]*?\nassistant\n",
    re.IGNORECASE,
)
_SPEAKER = re.compile(
    r"\A(?:\s*<\|(?:im_start|start_header_id|assistant)\|>(?:assistant)?(?:<\|end_header_id\|>)?)*"
    r"(?:[\s*_#]*Assistant[*_]*[ \t]*[:：][*_]*)?\s*",
    re.IGNORECASE,
)
_EMPHASIS = re.compile(r"(\*\*|__|~~|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w))")


def first_turn(text: str) -> str:
    """The text without the prompt that it repeats before, and the turns that the model made up behind, its own turn."""
    if (prompt := _ANSWER_TURN.match(text)) and text[prompt.end() :].strip():
        text = text[prompt.end() :]
    own = _SPEAKER.sub("", text)
    ends = [found.start() for found in _TURN.finditer(own) if own[: found.start()].strip()]
    own = own[: ends[0]].rstrip() if ends else own
    return text if re.search(r"(?im)^(?:Human|User):", own) else own  # of a dialogue that is the answer all lines


def boxed(text: str) -> str | None:
    r"""What stands in the last LaTeX box, "\boxed{\text{B}}", without commands for its typeface; None without a box."""
    found = _BOX.findall(text)
    return without_latex(found[-1]).strip() if found else None


def without_latex(text: str) -> str:
    r"""The text without LaTeX's commands for typefaces and the dollar signs and brackets of its formulae."""
    text = _LATEX_TEXT.sub(r"\1", text).replace("{,}", ",").replace("\\,", "")
    text = re.sub(r"\\[dt]?frac\s*\{(\d+)\}\s*\{(\d+)\}", r"\1/\2", text)
    return re.sub(r"\\[()\[\]]|\$", "", text)


def json_answer(text: str, keys: tuple[str, ...] = ()) -> str | None:
    """The answer in an object of JSON that makes up the text, perhaps in a code fence; None if there is none.

    Args:
        text: what the model wrote.
        keys: further names of the answer, such as the answer tag of the prompt.
    """
    fenced = _FENCE.search(text)
    candidates = [fenced[1]] if fenced else []
    if (start := text.find("{")) >= 0:
        candidates.append(text[start : text.rfind("}") + 1])
    for candidate in candidates:
        try:
            found = json.loads(candidate)
        except ValueError:
            continue
        if isinstance(found, dict) and (value := _value(found, keys)) is not None:
            return value
    return None


def _value(found: dict[str, Any], keys: tuple[str, ...]) -> str | None:
    wanted = {_plain_key(key) for key in (*keys, *_ANSWER_KEYS)}
    named = [value for key, value in found.items() if _plain_key(key) in wanted]
    values = named or (list(found.values()) if len(found) == 1 else [])
    return str(values[-1]) if values and isinstance(values[-1], (str, int, float)) else None


def _plain_key(key: str) -> str:
    """A key without accents and marks: "tra loi" for "trả_lời:"."""
    letters = unicodedata.normalize("NFD", key.casefold().replace("đ", "d"))
    return " ".join(re.sub(r"[\u0300-\u036f]", "", letters).replace("_", " ").strip(" :").split())


def tagged(text: str, names: tuple[str, ...] = ()) -> str | None:
    """What stands in the last tag of XML that frames an answer, "<answer>B</answer>"; None without one.

    Args:
        text: what the model wrote.
        names: further names of such a tag, such as the answer tag of the prompt.
    """
    if (first := _ELEMENT.match(text.strip())) and text.strip()[first.end() :][:1] in ("", "\n"):
        return first[2].strip()
    known = "|".join(map(re.escape, (*_TAG_NAMES, *names)))
    found = re.findall(rf"<({known})>(.*?)(?:</\1>|\Z)", text, re.DOTALL | re.IGNORECASE)
    if not found:
        return None
    inner = tagged(found[-1][1], names)  # "<result><label>B</label>…</result>"
    return found[-1][1].strip() if inner is None else inner


def fenced(text: str) -> list[str]:
    """The contents of the code fences."""
    return [found[1] for found in _FENCE.finditer(text)]


def unfenced(text: str) -> str:
    """The content of code fences in their place."""
    return _FENCE.sub(lambda found: f"\n{found[1]}\n", text)


def without_emphasis(text: str) -> str:
    """The text without the asterisks and underscores of Markdown, and without its marks of headings and quotations."""
    return re.sub(r"(?m)^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?)", "", _EMPHASIS.sub("", text))
