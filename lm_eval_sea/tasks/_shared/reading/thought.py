"""Taking apart what a model generated: its thought, its answer, and how the thought ended. Pure functions, no I/O."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple


State = Literal["no thought", "closed", "cut", "stopped in the thought", "failed"]


class Generated(NamedTuple):
    """What a model generated, taken apart.

    Attributes:
        thought: without its marks; empty if there is none.
        answer: what follows the thought; empty where the thought did not end.
        state: "closed": the thought ended and the answer follows it. "cut": the limit of tokens fell into the thought.
            "stopped in the thought": the model ended its text inside the thought. "failed": there is no text, for the request
            failed.
    """

    thought: str
    answer: str
    state: State


class Marks(NamedTuple):
    """What begins and ends the thoughts of a family of models."""

    begin: str
    end: str


# The chat templates and reasoning parsers that have them: Qwen 3, DeepSeek R1, GLM 4.5, MiniMax M2, Nemotron, Kimi K2, Hunyuan
# (<think>); Seed-OSS; Magistral ([THINK]); Gemma 4 (<|channel>thought); gpt-oss (<|channel|>analysis); Cohere Command
# (<|START_THINKING|>); Kimi-VL (◁think▷); Kimi K3 (<|open|>); EXAONE Deep (<thought>); MiniMax M3 (<mm:think>); Hunyuan 3
# (<think:opensource>); Apertus (<|inner_prefix|>); Solar Open (<|think|>); Granite 3.2 and Apriel 1.6 (sentences); and forms that
# fine-tuned models use.
MARKS = (
    Marks("<think>", "</think>"),
    Marks("<thinking>", "</thinking>"),
    Marks("<thought>", "</thought>"),
    Marks("<reasoning>", "</reasoning>"),
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
    Marks("<|inner_prefix|>", "<|inner_suffix|>"),
    Marks("<|think|>", "<|begin|>assistant<|content|>"),
    Marks("Here is my thought process:", "Here is my response:"),
    Marks("Here are my reasoning steps:", "[BEGIN FINAL RESPONSE]"),
)
# gpt-oss as transformers decodes it when special tokens are skipped: "analysisThe passage says …assistantfinalB".
_SKIPPED_HARMONY = re.compile(r"\Aanalysis(?=[^\W\da-z_]|[\"'“(*])(.*?)(?:assistantfinal(?!.*assistantfinal)(.*))?\Z", re.DOTALL)
# What frames an answer behind a thought, and the special tokens that end a turn.
_FRAMES = (
    ("<|START_RESPONSE|>", "<|END_RESPONSE|>"),
    ("<|begin_of_solution|>", "<|end_of_solution|>"),
    ("<|open|>response<|sep|>", "<|close|>response<|sep|>"),
)
_ANSWER_ELEMENT = re.compile(r"<answer>((?:(?!</?answer>)[\s\S])*)(?:</?answer>\s*)*")  # all of an answer
_TURN_ENDS = re.compile(
    r"(?:\s*(?:<\|(?:im_end|eot_id|end|return|endoftext|END_OF_TURN_TOKEN|end_of_text|start\|>assistant)\|?>"
    r"|<(?:end_of_turn|turn\|)>|</s>|\[END FINAL RESPONSE\]))+\s*\Z"
)
_BEGINS = re.compile("|".join(re.escape(marks.begin) for marks in MARKS))
_ENDS = re.compile("|".join(re.escape(marks.end) for marks in MARKS))
_QUOTES = "`\"'“”‘’«»「」"


def open_thought(prompt: str) -> Marks | None:
    """The marks of the thought inside which a rendered prompt ends, because the chat template opened it; None if it did not."""
    tail = prompt.rstrip()
    return next((marks for marks in MARKS if tail.endswith(marks.begin)), None)


def asks_for_thought(prompt: str) -> bool | None:
    """What a rendered prompt says of a thought that it does not open.

    True: its words show the mark that is to begin one, as in the default system message of Ministral 3. False: it ends with a
    thought that the template has closed. None: neither.
    """
    if prompt.rstrip().endswith(tuple(marks.end for marks in MARKS)):
        return False
    return True if _BEGINS.search(prompt) else None


def take_apart(text: str, *, prompt: str | None = None, finished: bool | None = None) -> Generated:
    """Thought and answer of what a model generated.

    A tag that the text merely mentions ("close it with </think> first", "`<think>`") is none. Where a thought is closed more than
    once, the answer follows the last closing mark that has text behind it.

    Args:
        text: what the model generated, special tokens included as far as the backend keeps them.
        prompt: the rendered prompt; None where it is not known, as behind a chat API.
        finished: whether the model ended the text by itself, and not the limit of tokens; None if that is not known.
    """
    if found := _SKIPPED_HARMONY.match(text.lstrip()):
        thought, answer = found.groups()
        return _unclosed(thought, finished) if answer is None else _closed(thought, answer)
    body = _behind_begin(text)
    opened = body is not None or (prompt is not None and open_thought(prompt) is not None)
    if body is None:
        body = text
    end = _next_end(body, 0, needs_edge=not opened)
    if end is None:
        return _unclosed(body, finished) if opened else Generated("", _cleaned(text), "no thought")
    thought, answer = body[: end.start()], body[end.end() :]
    while (end := _next_end(answer, 0, needs_edge=True)) is not None:
        before, behind = answer[: end.start()], answer[end.end() :]
        if not behind.strip():
            answer = before
        else:
            thought, answer = thought + before, behind
    if (begin := _line_begin(answer)) is not None and answer[:begin].strip():
        answer = answer[:begin]
    return _closed(thought, answer)


def _behind_begin(text: str) -> str | None:
    """What follows the mark that begins a text, or one of its lines if the thought ends further on; None without such a mark."""
    if found := _BEGINS.match(text.lstrip()):
        return text.lstrip()[found.end() :]
    begin = _line_begin(text)
    if begin is None or (found := _BEGINS.match(text, begin)) is None or _next_end(text, found.end(), needs_edge=False) is None:
        return None
    return text[found.end() :]


def _line_begin(text: str) -> int | None:
    """Where the first line begins that begins with a mark that opens a thought."""
    return next(
        (found.start() for found in _BEGINS.finditer(text) if not text[: found.start()].rpartition("\n")[2].strip()), None
    )


def _next_end(text: str, start: int, *, needs_edge: bool) -> re.Match[str] | None:
    """The next mark that ends a thought and is not quoted.

    Args:
        text: in which it is looked for.
        start: from where.
        needs_edge: whether a mark with blanks on both sides, inside a line, is passed over as a mention.
    """
    for found in _ENDS.finditer(text, start):
        left, right = text[found.start() - 1 : found.start()], text[found.end() : found.end() + 1]
        quoted = left in _QUOTES and right in _QUOTES and bool(left) and bool(right)
        mentioned = left in (" ", "\t") and right in (" ", "\t", ".", ",") and bool(left) and bool(right)
        if not quoted and not (needs_edge and mentioned):
            return found
    return None


def _closed(thought: str, answer: str) -> Generated:
    thought = _without_turn_end(thought)
    return Generated(thought, _cleaned(answer), "closed" if thought else "no thought")


def _unclosed(thought: str, finished: bool | None) -> Generated:
    return Generated(_without_turn_end(thought), "", "stopped in the thought" if finished else "cut")


def _without_turn_end(text: str) -> str:
    # without the blanks at its end first: the pattern would look for a token behind each of them
    return _TURN_ENDS.sub("", text.rstrip()).strip()


def _cleaned(answer: str) -> str:
    """An answer without the frame that some models put around it, and without the tokens that end a turn."""
    answer = _without_turn_end(answer)
    for begin, end in _FRAMES:
        if answer.startswith(begin):
            answer = answer.removeprefix(begin).partition(end)[0].strip()
    element = _ANSWER_ELEMENT.fullmatch(answer)
    return element[1].strip() if element else answer
