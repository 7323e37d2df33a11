"""The same questions in several forms of answer: options ranked, a letter generated, an answer read, an answer constrained.

What a form gains or loses is no property of the questions, so scores of two forms must not be compared between models.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from lm_eval_sea.results.rows import Rows
from lm_eval_sea.results.runs import TaskRun
from lm_eval_sea.results.uncertainty import Difference, Estimate, estimate, paired_difference

READ, CONSTRAINED = "read", "constrained"
_LETTER_RANKED, _LETTER_WRITTEN = "litilo_ppl", "litilo_gen"  # behind the same prompt
_BEHIND_TEMPLATE = ", chat template"


class Compared(NamedTuple):
    """Two forms on the rows that both were asked. Shares and differences are 0 to 1, −1 to 1."""

    first: Estimate  # accuracy
    second: Estimate
    agreement: Estimate  # share of rows with the same choice; an answer without a choice agrees with none
    gained: float  # share of rows that are right in the second form alone
    lost: float  # … in the first alone
    unread: float  # share of rows without a choice in the second
    difference: Difference  # second − first


def form_of(task: TaskRun) -> str:
    """In which form a task has its answers; a ranked one is named by its variant, and by the chat template it stands behind."""
    variant = task.facts.variant
    if variant == "chat":
        return READ
    if variant == "choice":
        return CONSTRAINED
    return variant + (_BEHIND_TEMPLATE if task.run.settings.chat_template else "")


def setting_of(task: TaskRun) -> str:
    """The setting of a task, where it says more than its form: other exemplars or rows."""
    return "" if task.facts.setting == task.facts.variant else task.facts.setting


def same_questions(tasks: Sequence[TaskRun]) -> list[dict[str, TaskRun]]:
    """Tasks of one model that ask the same rows for a choice, by form; groups of at least two forms."""
    found: dict[tuple[str, ...], dict[str, TaskRun]] = {}
    for task in tasks:
        facts = task.facts
        if task.logged is not None and any(gold is not None for gold in task.logged.golds):
            key = (facts.pool, facts.language, facts.prompt_language, setting_of(task))
            found.setdefault(key, {})[form_of(task)] = task
    return [forms for forms in found.values() if len(forms) > 1]


def compared(first: Rows, second: Rows) -> Compared | None:
    """Two forms, row by row, with standard errors by cluster (`paired_difference`); None without a row in common."""
    one, other = _choices(first), _choices(second)
    common = [key for key in one if key in other]
    if not common:
        return None
    clusters = [cluster for key, cluster in zip(first.keys, first.clusters, strict=True) if key[1] in other]
    pairs = [(one[key], other[key]) for key in common]
    was_right, is_right = ([float(choice == gold) for choice, gold in side] for side in zip(*pairs, strict=True))
    agree = [float(a is not None and a == b) for (a, _), (b, _) in pairs]
    return Compared(
        first=estimate(was_right, clusters),
        second=estimate(is_right, clusters),
        agreement=estimate(agree, clusters),
        gained=sum(after > before for before, after in zip(was_right, is_right, strict=True)) / len(pairs),
        lost=sum(after < before for before, after in zip(was_right, is_right, strict=True)) / len(pairs),
        unread=sum(choice is None for _, (choice, _) in pairs) / len(pairs),
        difference=paired_difference(is_right, was_right, clusters),
    )


def pairs_of(forms: Mapping[str, TaskRun]) -> list[tuple[str, str]]:
    """The forms to lay side by side.

    Each beside an answer that is read or constrained; the ranked letter beside the letter that is written and beside the other
    ranked forms, which a base model has; and each ranked form beside itself behind the chat template.
    """
    order = sorted(forms, key=lambda form: (form == CONSTRAINED, form == READ, form.startswith(_LETTER_WRITTEN), form))
    return [
        (first, second)
        for first, second in combinations(order, 2)
        if second in (READ, CONSTRAINED, first + _BEHIND_TEMPLATE)
        or (first.startswith(_LETTER_RANKED) and first.endswith(_BEHIND_TEMPLATE) == second.endswith(_BEHIND_TEMPLATE))
    ]


def _choices(rows: Rows) -> dict[str, tuple[int | None, int | None]]:
    """Name of a row → its choice and the right option."""
    return {key[1]: pair for key, pair in zip(rows.keys, zip(rows.chosen, rows.golds, strict=True), strict=True)}
