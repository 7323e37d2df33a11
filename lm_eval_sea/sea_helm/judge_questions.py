"""The questions to a judge, and how its verdicts are read: the pack's own, or SEA-HELM's from a checkout of it.

A judged text may contain anything, even the tags of a verdict. So each of the pack's own questions has its own tag, derived from
all texts in it, so that no text can contain it. SEA-HELM's tags are always the same; before a question is made, they are defused
in generated texts (`defused`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from lm_eval_sea.sea_helm import SeaHelmError
from lm_eval_sea.sea_helm.judge_rows import Conversation
from lm_eval_sea.sea_helm.judge_scores import GRADES, PAIRS, SAFETY

OWN_PROMPTS = Path(__file__).with_name("judge_prompts.yaml")
OWN_KINDS = (SAFETY, GRADES)
# Task of SEA-HELM → where a checkout has its judge's prompts.
OFFICIAL_FILES = {
    "mt-bench-judge": "seahelm_tasks/multi_turn/mt_bench_judge/config.yaml",
    "kalahi-judge": "seahelm_tasks/cultural/kalahi_judge/config.yaml",
    "syntax-criteria": "seahelm_tasks/lindsea/syntax_criteria/config.yaml",
    PAIRS: "seahelm_tasks/multi_turn/mt_bench/config.yaml",
}
_ADVICE = "give a checkout of aisingapore/SEA-HELM, v1.2.0 or later"
_YES_OR_NO = "syntax-criteria"  # its criteria are met or not
_FIRST_VERDICT = "kalahi-judge"  # the task of which SEA-HELM reads the first verdict instead of the last
_OFFICIAL_TAG = "classification"
_OFFICIAL_TAGS = re.compile(r"<(/?\s*(?:classification|reflection|text|transcript|criterion)\s*/?)>", re.IGNORECASE)
_HEAD_OF_TURN = re.compile(r"(?<![^\s*#>])\[(?=(?:User|Assistant)\b)", re.IGNORECASE)
_OFFICIAL_LABELS = re.compile(r"\[\[([ABC])\]\]")


class Question(NamedTuple):
    """One call of the judge."""

    part: tuple[int, int]  # turn and criterion, or turn and order (0: the model's answer is A, 1: the baseline's)
    messages: list[dict[str, str]]
    tag: str = _OFFICIAL_TAG  # around the verdict; SEA-HELM's pairs have none


@dataclass(frozen=True)
class Rubric:
    """How the rows of one task are judged."""

    questions: Callable[[Conversation], list[Question]]
    read: Callable[[Question, str], str | None]  # a judge's answer → name of a class, or A, B or C; None: no verdict
    classes: Mapping[str, float]  # name → score; empty for pairs
    generation: Mapping[str, Any]  # parameters of the calls
    source: str  # the source of the prompts, in words
    official_judge: str | None = None  # the model that SEA-HELM names; None with the pack's own prompts


def defused(text: str) -> str:
    """A generated text with SEA-HELM's labels and verdict tags made harmless."""
    return _OFFICIAL_LABELS.sub(r"[ [\1] ]", _OFFICIAL_TAGS.sub(r"‹\1›", text))


def _in_one_turn(text: str) -> str:
    """A generated text in which nothing looks like the head of another turn, such as "[User]" before words of praise."""
    return _HEAD_OF_TURN.sub("[ ", text)


def transcript(conversation: Conversation, turn: int) -> str:
    """The conversation up to the user's message of a turn; the answer to it is left out."""
    said = []
    for number in range(turn):
        said += [f"[User]\n{conversation.turns[number]}", f"[Assistant (fixed)]\n{_in_one_turn(conversation.answers[number])}"]
    return "\n\n".join([*said, f"[User]\n{conversation.turns[turn]}"])


def own_rubric(task: str) -> Rubric:
    """The pack's own rubric for a task of `OFFICIAL_FILES` or `OWN_KINDS`."""
    prompts = yaml.safe_load(OWN_PROMPTS.read_text(encoding="utf-8"))
    source = f"prompts of our own (version {prompts['version']})"
    if task == PAIRS:
        return Rubric(lambda row: [*_own_pairs(prompts["pairs"], row)], _verdict, {}, prompts["generation"], source)
    kind = prompts[{_YES_OR_NO: "yes_or_no", SAFETY: "safety", GRADES: "grades"}.get(task, "criteria")]
    texts = prompts["criteria"] | kind
    return Rubric(lambda row: [*_own_criteria(texts, row)], _verdict, kind["classes"], prompts["generation"], source)


def _own_criteria(texts: Mapping[str, Any], row: Conversation) -> Iterator[Question]:
    classes = "\n".join(f"{name}: {description}" for name, description in texts["descriptions"].items())
    for number, criterion in enumerate(row.criteria):
        said, response = transcript(row, criterion.turn), _in_one_turn(row.answers[criterion.turn])
        right = row.references[criterion.turn : criterion.turn + 1]
        tag = _tag(said, response, criterion.text, *right)
        shown = {"transcript": said, "response": response, "criterion": criterion.text, "reference": "".join(right)}
        user = texts["user"].format(tag=tag, classes=classes, **shown)
        yield Question((criterion.turn, number), _messages(texts["system"].format(tag=tag), user), tag)


def _own_pairs(texts: Mapping[str, Any], row: Conversation) -> Iterator[Question]:
    for part, pair in _pairs(row):
        said = [_alternating(row.turns, answers, part[0]) for answers in pair]
        right = _alternating(row.turns, row.references, part[0]) if row.references else ""
        tag = _tag(*said, right)
        parts = [texts["reference"].format(tag=tag, transcript=right)] if right else []
        parts += [texts["conversation"].format(tag=tag, name=name, transcript=one) for name, one in zip("AB", said, strict=True)]
        user = "\n\n".join([*parts, texts["closing"].format(tag=tag)])
        yield Question(part, _messages(texts["system"].format(tag=tag), user), tag)


def _pairs(row: Conversation) -> Iterator[tuple[tuple[int, int], tuple[tuple[str, ...], tuple[str, ...]]]]:
    """Turn and order (`Question.part`), and whose answers are A and B."""
    for turn in range(len(row.turns)):
        yield (turn, 0), (row.answers, row.baselines)
        yield (turn, 1), (row.baselines, row.answers)


def _alternating(turns: tuple[str, ...], answers: tuple[str, ...], turn: int) -> str:
    said = zip(turns[: turn + 1], answers[: turn + 1], strict=True)
    return "\n\n".join(f"[User]\n{asked}\n\n[Assistant]\n{_in_one_turn(answered)}" for asked, answered in said)


def _tag(*texts: str) -> str:
    """A tag that none of these texts can contain, because it depends on all of them."""
    return "verdict-" + hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _messages(system: str, user: str) -> list[dict[str, str]]:
    return [{"role": "system", "content": system}, {"role": "user", "content": user}]


def _verdict(question: Question, answer: str, *, counts: int = -1) -> str | None:
    """The word in the question's tag; of several, by default, the last."""
    found = re.findall(rf"<{question.tag}>\s*(\w+)\s*</{question.tag}>", answer)
    return found[counts] if found else None


def official_rubric(task: str, checkout: Path) -> Rubric:
    """SEA-HELM's rubric for a task of `OFFICIAL_FILES`, read from a checkout of its repository."""
    path = checkout / OFFICIAL_FILES[task]
    try:
        record = yaml.safe_load(path.read_text(encoding="utf-8"))[task]
        judge = record["judge"]
        generation, model = dict(judge["judge_generation_kwargs"]), str(judge["judge_model_name"])
        source = "prompts of SEA-HELM's repository"
        if task == PAIRS:
            return Rubric(lambda row: [*_official_pairs(record, row)], _pair_reader(record), {}, generation, source, model)
        classes = {str(name): float(score) for name, score in judge["classifications"].items()}
        prompts = judge["judge_prompts"]
        _ = prompts["system_prompt"], prompts["criteria_prompt"]
    except (OSError, yaml.YAMLError, KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise SeaHelmError(f"{path}: no prompts of the judge of {task} ({error!r}); {_ADVICE}") from error
    read = partial(_verdict, counts=0 if task == _FIRST_VERDICT else -1)
    return Rubric(lambda row: [*_official_criteria(prompts, row)], read, classes, generation, source, model)


def _official_criteria(prompts: Mapping[str, Any], row: Conversation) -> Iterator[Question]:
    row = _defused_row(row)
    for number, criterion in enumerate(row.criteria):
        template = prompts["criteria_prompt"]
        if isinstance(template, Mapping):
            template = template.get(f"turn_{criterion.turn + 1}")
        user = _filled(
            template,
            transcript=transcript(row, criterion.turn),
            prompt=row.turns[criterion.turn],
            response=row.answers[criterion.turn],
            keyPointText=criterion.text,
            reference_text_block="",
        )
        yield Question((criterion.turn, number), _messages(prompts["system_prompt"], user))


def _official_pairs(record: Mapping[str, Any], row: Conversation) -> Iterator[Question]:
    row = _defused_row(row)
    with_reference = row.category in record["categories_with_reference"]
    prompts = record["judge"]["judge_prompts"]["with-reference" if with_reference else "without-reference"]
    for (turn, order), (first, second) in _pairs(row):
        shown = {"question": row.turns, "answer_a": first, "answer_b": second}
        shown |= {"ref_answer": row.references} if with_reference else {}
        fields = {f"{name}_{number + 1}": texts[number] for name, texts in shown.items() for number in range(turn + 1)}
        system = _filled(prompts[turn]["system_prompt"], **record["judgement_labels"])
        yield Question((turn, order), _messages(system, _filled(prompts[turn]["prompt_template"], **fields)))


def _filled(template: Any, **fields: str) -> str:
    """Fills the placeholders of a `str.format` template with texts, but evaluates no attributes, indices or format specs."""

    def filled(found: re.Match[str]) -> str:
        if found[1] is None:
            return found[0][0]
        if found[1] not in fields:
            raise SeaHelmError(f"SEA-HELM's prompt has the unknown placeholder {found[0][:40]!r}; {_ADVICE}")
        return fields[found[1]]

    if not isinstance(template, str):
        raise SeaHelmError(f"SEA-HELM's prompt is not a text; {_ADVICE}")
    return re.sub(r"{{|}}|{([^{}]*)}", filled, template)


def _defused_row(row: Conversation) -> Conversation:
    """The row with the model's answers defused; what the benchmark wrote stays."""
    return replace(row, answers=tuple(map(defused, row.answers)))


def _pair_reader(record: Mapping[str, Any]) -> Callable[[Question, str], str | None]:
    labels = record["judgement_labels"]
    names = {labels["A_wins"]: "A", labels["B_wins"]: "B", labels["Tie"]: "C"}

    def read(question: Question, answer: str) -> str | None:
        found = [name for label, name in names.items() if label in answer]
        return found[0] if len(found) == 1 else None

    return read
