"""Splits what a model generated into thought and answer, and says how the thought ended. Pure functions, no I/O."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Literal, NamedTuple

from .answer_phrases import PHRASES


if TYPE_CHECKING:
    from collections.abc import Iterator


# "closed": the thought ended and the answer follows. "cut": the token limit cut the thought off. "stopped in the thought": the
# model ended its text inside the thought, or right after it. "failed": there is no text, because the request failed.
State = Literal["no thought", "closed", "cut", "stopped in the thought", "failed"]
UNFINISHED = ("cut", "stopped in the thought")


class Generated(NamedTuple):
    """Thought and answer of a generated text."""

    thought: str  # without its marks; empty if there is none
    answer: str  # what follows the thought; empty if the thought did not end
    state: State


class Marks(NamedTuple):
    """The marks that begin and end the thoughts of a family of models."""

    begin: str
    end: str


# The chat templates and reasoning parsers that have them: Qwen 3, DeepSeek R1, GLM 4.5, MiniMax M2, Nemotron, Kimi K2, Hunyuan
# (<think>); Seed-OSS; Magistral ([THINK]); Gemma 4 (<|channel>thought); gpt-oss (<|channel|>analysis); Cohere Command
# (<|START_THINKING|>); Kimi-VL (◁think▷); Kimi K3 (<|open|>); EXAONE Deep (<thought>); MiniMax M3 (<mm:think>); Hunyuan 3
# (<think:opensource>); LongCat; MedGemma (<unused94>); Apertus (<|inner_prefix|>); Solar Open (<|think|>); Granite 3.2,
# Apriel 1.6 and Ollama (sentences); and forms that fine-tuned models use.
MARKS = (
    Marks("<think>", "</think>"),
    Marks("<thinking>", "</thinking>"),
    Marks("<thought>", "</thought>"),
    Marks("<reasoning>", "</reasoning>"),
    Marks("<scratchpad>", "</scratchpad>"),
    Marks("<seed:think>", "</seed:think>"),
    Marks("[THINK]", "[/THINK]"),
    Marks("◁think▷", "◁/think▷"),
    Marks("<|begin_of_thought|>", "<|end_of_thought|>"),
    Marks("<|START_THINKING|>", "<|END_THINKING|>"),
    Marks("<|channel>thought", "<channel|>"),
    Marks("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
    Marks("<|open|>think<|sep|>", "<|close|>think<|sep|>"),
    Marks("<mm:think>", "</mm:think>"),
    Marks("<think:opensource>", "</think:opensource>"),
    Marks("<longcat_think>", "</longcat_think>"),
    Marks("<unused94>thought", "<unused95>"),
    Marks("<|inner_prefix|>", "<|inner_suffix|>"),
    Marks("<|think|>", "<|begin|>assistant<|content|>"),
    Marks("Here is my thought process:", "Here is my response:"),
    Marks("Here are my reasoning steps:", "[BEGIN FINAL RESPONSE]"),
    Marks("Thinking...", "...done thinking."),
)
# gpt-oss when transformers decodes it without special tokens: "analysisThe passage says …assistantfinalB".
_SKIPPED_HARMONY = re.compile(r"\Aanalysis(?=[^\W\da-z_]|[\"'“(*])(.*?)(?:assistantfinal(?!.*assistantfinal)(.*))?\Z", re.DOTALL)
# Frames of an answer after a thought, and special tokens that end a turn.
_FRAMES = (
    ("<|START_RESPONSE|>", "<|END_RESPONSE|>"),
    ("[BEGIN FINAL RESPONSE]", "[END FINAL RESPONSE]"),
    ("<|begin_of_solution|>", "<|end_of_solution|>"),
    ("<|open|>response<|sep|>", "<|close|>response<|sep|>"),
)
_ANSWER_ELEMENT = re.compile(r"<answer>((?:(?!</?answer>)[\s\S])*)(?:</?answer>\s*)*")  # around the whole answer
_BOX = re.compile(r"<\|begin_of_box\|>((?:(?!<\|begin_of_box\|>)[\s\S])*?)<\|end_of_box\|>")  # of GLM 4.5V
_TURN_END = re.compile(
    r"(?:<\|(?:(?!sep\|)\w{1,24}|start\|>assistant)\|?>"
    r"|<｜[\w▁]{1,30}｜>|\[\|\w{1,24}\|\]|<(?:end_of_\w{1,9}|turn\||eos|pad|s|unk|SPECIAL_\d\d?)>"
    r"|</s>|\[(?:EOS|/INST|END FINAL RESPONSE)\])\Z"
)
_LONGEST_TURN_END = 36


def _pattern(mark: str) -> str:
    """The regular expression for a mark, also with HTML escapes."""
    return re.escape(mark).replace("<", "(?:<|&lt;)").replace(">", "(?:>|&gt;)")


# a group for each family of models
_BEGINS = re.compile("|".join(f"({_pattern(marks.begin)})" for marks in MARKS), re.IGNORECASE)
_ENDS = re.compile("|".join(f"({_pattern(marks.end)})" for marks in MARKS), re.IGNORECASE)
_END_OF = {marks: re.compile(_pattern(marks.end), re.IGNORECASE) for marks in MARKS}
_MOST_BEGINS = 20  # further marks are ignored
# What may come before a thought: white space, invisible characters, tokens of the chat template, and the name of the role.
_ROLE = re.compile(r"(?:[\s\ufeff\u200b-\u200f\u2060]|<\|\w+\|>|<start_of_turn>|(?:assistant|model)\b[:：]?)*", re.IGNORECASE)
_PREFACE = re.compile("|".join(words.preface for words in PHRASES.values() if words.preface), re.IGNORECASE)
_LONGEST_PREFACE = 80
# Words of a thought that a template writes after the mark: few, on one line, without the tokens of another turn.
_BEGUN = re.compile(r"(?!.*assistant)[^\n<>\[\]]{1,80}", re.IGNORECASE)
_MENTIONED = re.compile(r"[ \t]+[a-z]")  # what follows a mark that a sentence mentions
_GOES_ON = re.compile(r"(?![ \t]+[a-z])[\s\w]")  # what follows a mark that begins a line and is not only mentioned
_QUOTES = tuple("`\"'“”‘’«»「」")


def open_thought(prompt: str) -> Marks | None:
    """The marks of a thought that the chat template opened at the end of a rendered prompt; None if it opened none.

    The template may also have written the first words of the thought.
    """
    last = max(_BEGINS.finditer(prompt), key=re.Match.start, default=None)
    if last is None:
        return None
    before, behind = prompt[: last.start()], prompt[last.end() :]
    if not behind.strip():
        return _family(last)
    begins_turn = before.rstrip(" ")[-1:] in ("", *"\n>]:")
    goes_on = _END_OF[_family(last)].search(behind) is None and not _MENTIONED.match(behind)
    return _family(last) if begins_turn and goes_on and _BEGUN.fullmatch(behind.strip()) else None


def ends_unopened(text: str) -> Marks | None:
    """The marks of a thought that ends in a text but does not begin there, as if the chat template had opened it; else None.

    Marks that are sentences do not count, because an answer may have them, too.
    """
    end = next(_ends(text, 0, None, needs_edge=True), None)
    if end is None or _is_sentence(_family(end)) or not text[: end.start()].strip() or _opening(text, finished=None):
        return None
    return _family(end)


def asks_for_thought(prompt: str) -> bool | None:
    """Whether a rendered prompt that opens no thought asks for one.

    True: its words show the mark that is to begin a thought, as in Ministral 3's default system message. False: it ends with a
    thought that the template has closed. None: neither.
    """
    if any(end.end() == len(prompt.rstrip()) for end in _ENDS.finditer(prompt)):
        return False
    return True if _BEGINS.search(prompt) else None


def take_apart(text: str, *, prompt: str | None = None, finished: bool | None = None) -> Generated:
    """Like `parts_as_written`, but the answer has no frame around it and no tokens that end a turn."""
    made = parts_as_written(text, prompt=prompt, finished=finished)
    return made._replace(answer=_cleaned(made.answer))


def parts_as_written(text: str, *, prompt: str | None = None, finished: bool | None = None) -> Generated:
    """Thought and answer of what a model generated; the answer is exactly as it was written.

    A mark that the text merely mentions ("close it with </think> first", "`<think>`") does not count. If a thought is closed more
    than once, the answer follows the last closing mark that has text after it.

    `prompt` is the rendered prompt, which a chat API does not show. `finished` says, if known, whether the model itself ended the
    text, and not the token limit.
    """
    if found := _SKIPPED_HARMONY.match(text.lstrip()):
        thought, answer = found.groups()
        return _unclosed(thought, finished) if answer is None else _closed(thought, answer, finished)
    shown, opening = open_thought(prompt) if prompt is not None else None, _opening(text, finished)
    if shown and opening and text[: opening.start()].strip():
        opening = None  # the thought began in the prompt
    marks = _family(opening) if opening else shown
    begin = opening.end() if opening else 0
    end = next(_ends(text, begin, marks, needs_edge=marks is None), None)
    if end is None:
        return Generated("", text, "no thought") if marks is None else _unclosed(text[begin:], finished)
    ends, stop = [end, *_ends(text, end.end(), marks or _family(end), needs_edge=True)], len(text)
    while len(ends) > 1 and not text[ends[-1].end() : stop].strip():
        stop = ends.pop().start()
    begins = [begin, *(each.end() for each in ends)]
    thought = "".join(text[start : each.start()] for start, each in zip(begins, ends, strict=False))
    answer = text[begins[-1] : stop]
    openings = (found for found in islice(_BEGINS.finditer(answer), _MOST_BEGINS) if _begins_line(found))
    again = next((found.start() for found in openings if not _is_sentence(_family(found))), None)
    if again is not None and not answer[:again].strip():
        later = parts_as_written(answer, finished=finished)
        return later._replace(thought=f"{thought}\n{later.thought}".strip())
    return _closed(thought, answer[:again], finished)


def _family(found: re.Match[str]) -> Marks:
    """The marks of the family that a found mark belongs to."""
    return MARKS[(found.lastindex or 1) - 1]


def _is_sentence(marks: Marks) -> bool:
    """Whether the beginning mark is a sentence, which an answer may have, too."""
    return marks.begin[0].isalpha()


def _opening(text: str, finished: bool | None) -> re.Match[str] | None:
    """The mark that begins the thought of a text; None if there is none.

    It is at the beginning of the text, perhaps after the name of the role or a short preface ("Sure!"). It may also be at the
    beginning of a line, if its thought ends later or the text was cut before any thought ended. A mark that is a sentence counts
    only at the beginning of the text, and only if its thought ends or the text was cut before it could.
    """
    is_cut = finished is False and _ENDS.search(text) is None
    for found in islice(_BEGINS.finditer(text), _MOST_BEGINS):
        before, marks = text[: found.start()], _family(found)
        ends = next(_ends(text, found.end(), marks, needs_edge=False), None) is not None
        begins = _ROLE.fullmatch(before) or (_is_preface(before) and not _MENTIONED.match(text, found.end()))
        line = _begins_line(found)
        goes_on = ends or (is_cut and not _is_sentence(marks) and "```" not in before and _GOES_ON.match(text, found.end()))
        if (begins and (finished is False or not _is_sentence(marks))) or (ends and begins) or (line and goes_on):
            return found
    return None


def _is_preface(text: str) -> bool:
    text = text.strip()
    return len(text) <= _LONGEST_PREFACE and text[-1:] in (*".!…。", "") and _PREFACE.match(text) is not None


def _begins_line(found: re.Match[str]) -> bool:
    return not found.string[found.string.rfind("\n", 0, found.start()) + 1 : found.start()].strip()


def _ends(text: str, start: int, marks: Marks | None, *, needs_edge: bool) -> Iterator[re.Match[str]]:
    """The marks from `start` on that end a thought of the family, or of any if that is not known, and are not quoted.

    With `needs_edge`, a mark inside a line with spaces on both sides is a mention and does not count.
    """
    for found in (_END_OF[marks] if marks else _ENDS).finditer(text, start):
        left, right = text[found.start() - 1 : found.start()], text[found.end() : found.end() + 1]
        quoted = left in _QUOTES and right in _QUOTES
        mentioned = left in (" ", "\t") and right in (" ", "\t", ".", ",")
        if not quoted and not (needs_edge and mentioned):
            yield found


def _closed(thought: str, answer: str, finished: bool | None) -> Generated:
    thought = _without_turn_end(thought)
    if thought and not _without_turn_end(answer):
        return _unclosed(thought, finished is not False)
    return Generated(thought, answer, "closed" if thought else "no thought")


def _unclosed(thought: str, finished: bool | None) -> Generated:
    return Generated(_without_turn_end(thought), "", "stopped in the thought" if finished else "cut")


def _without_turn_end(text: str) -> str:
    text = text.rstrip()
    end = len(text)
    while found := _TURN_END.search(text, max(end - _LONGEST_TURN_END, 0), end):
        end = found.start()
        while end and text[end - 1].isspace():
            end -= 1
    return text[:end].strip()


def _cleaned(answer: str) -> str:
    """An answer without a frame around it and without tokens that end a turn."""
    answer = _without_turn_end(_BOX.sub(r"\\boxed{\1}", answer))
    for begin, end in _FRAMES:
        if answer.startswith(begin):
            answer = answer.removeprefix(begin).partition(end)[0].strip()
    element = _ANSWER_ELEMENT.fullmatch(answer)
    return element[1].strip() if element else answer
