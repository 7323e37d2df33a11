"""Generated answers: how many were not read and why, what cut ones do to the score, and what helps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import NamedTuple

import pandas as pd

from lm_eval_sea.catalogue.sea_helm import sea_helm
from lm_eval_sea.results.runs import OF_THOUGHTS, TaskRun
from lm_eval_sea.results.settings import LIMITS, is_chat_server
from lm_eval_sea.results.thoughts import MEANS_OF_ROWS, SHOWN_ABOVE, budget_curve, thought_rows
from lm_eval_sea.results.types import disagreeing
from lm_eval_sea.results.visible_text import one_line, some_names
from lm_eval_sea.tasks._shared.facts import SEA_HELM
from lm_eval_sea.tasks._shared.reading.thought import UNFINISHED

_HARDLY_READ, _MOST = 0.9, 0.5
_IS_CHAT_MODEL = "is this a chat model? add --apply_chat_template"
_LONGER = 0.2  # larger shares of answers with the right one among other words are shown


class Rates(NamedTuple):
    """Shares of the rows, 0 to 1; 0 where the results do not say. `cut`, `refused` and `failed` are part of `not_read`."""

    not_read: float
    cut: float
    refused: float
    failed: float
    wrong_language: float

    @property
    def unexplained(self) -> float:
        """The share of answers that were not read although they were not cut, refused or failed."""
        return self.not_read - self.cut - self.refused - self.failed


def rates_of(task: TaskRun) -> Rates | None:
    """The rates beside the score of a task; None if its answers are not generated, or the results do not say."""
    not_read = "no_number_rate" if "no_number_rate" in task.scores else "null_rate"
    names = (not_read, "cut_rate", "refusal_rate", "failure_rate", "off_target_rate")
    values = [task.scores[name].value if name in task.scores else 0.0 for name in names]
    return Rates(*values) if not_read in task.scores and all(0 <= value <= 1 for value in values) else None


def answers_text(task: TaskRun) -> str | None:
    """The note on rates above 2 %, and on the score if thoughts were cut; None if there is nothing to say."""
    rates = rates_of(task)
    if rates is None:
        return None
    causes = _rates_text(
        ("cut in the thought", rates.cut), ("refused", rates.refused), ("failed requests", rates.failed), *_other_end(task, rates)
    )
    said = [f"{text} ({', '.join(causes)})" if causes else text for text in _rates_text(("not read", rates.not_read))]
    said += _rates_text(("wrong language", rates.wrong_language))
    if task.facts.headline_metric == "exact_match" and "contains" in task.scores:
        longer = task.scores["contains"].value - task.scores["exact_match"].value
        said += _rates_text(("right but in more words", longer)) if longer > _LONGER else []
    return "; ".join(filter(None, [", ".join(said), _bounds_text(task)])) or None


def _other_end(task: TaskRun, rates: Rates) -> list[tuple[str, float]]:
    """How most of the other unread answers ended that did not stop by themselves, and their share of all rows."""
    of_row = ("null_rate", "refusal_rate", *OF_THOUGHTS)
    looks = rates.unexplained > SHOWN_ABOVE and task.takes_thoughts_apart
    frames = [frame for draw in task.each_draw if looks and (frame := draw.rows_frame(*of_row)) is not None]
    if not frames or len(frames) < len(task.each_draw):
        return []
    rows = pd.concat(frames)
    null, refused, state, ends, _ = (rows[name] for name in of_row)
    lost = ends[(null == 1) & (refused != 1) & ~state.isin((*UNFINISHED, "failed")) & (ends != "stop")]
    shares = lost.value_counts() / len(rows)  # rows without a finish reason do not count
    names = ["cut at the token limit" if end == "length" else f"ended by {one_line(str(end))}" for end in shares.index[:1]]
    return list(zip(names, shares, strict=False))


def unread_text(tasks: Iterable[Sequence[TaskRun]]) -> str | None:
    """The note on tasks, each in one or several runs, with more than 2 % of answers not read; None without such tasks."""
    shares = {}
    for runs in tasks:
        rates = [rates.not_read for run in runs if (rates := rates_of(run)) is not None]
        if rates and (share := fmean(rates)) > SHOWN_ABOVE:
            shares[runs[0].name] = share
    named = [f"{name} {100 * share:.1f} %" for name, share in sorted(shares.items(), key=lambda item: -item[1])]
    return f"answers that cannot be read count as wrong: {some_names(named)}" if named else None


class Bounds(NamedTuple):
    """The score, in per cent, by how cut answers are counted."""

    all_wrong: float
    all_right: float
    completed: float | None  # on completed answers; None: there are none


def bounds_of(task: TaskRun) -> Bounds | None:
    """The bounds of a task's score; None if few answers were cut.

    With s the score, in which a cut answer counts 0, c the share of cut answers and f that of failed requests, these are s,
    s + c and s / (1 − c − f). This holds for means over rows only, so there are none of other scores, such as chrF++.
    """
    rates, metric = rates_of(task), task.facts.headline_metric
    if rates is None or rates.cut <= SHOWN_ABOVE or metric not in MEANS_OF_ROWS or task.score is None:
        return None
    score, cut = task.score.score, 100 * rates.cut
    whole = 100 - cut - 100 * rates.failed
    return Bounds(score, min(100.0, score + cut), 100 * min(1.0, score / whole) if whole > 0 else None)


def _bounds_text(task: TaskRun) -> str | None:
    bounds = bounds_of(task)
    if bounds is None:
        return None
    rows = thought_rows(task)
    curve = budget_curve(task, rows) if rows is not None else None
    said = f"{bounds.all_wrong:.1f} if all cut answers are wrong, {bounds.all_right:.1f} if all are right"
    said += "" if bounds.completed is None else f", {bounds.completed:.1f} on completed answers"
    said += f"; the last half of the limit brought {curve.gain:.1f} points" if curve is not None and curve.rises else ""
    return f"{task.facts.headline_metric} is {said}"


def advice_on(task: TaskRun) -> list[str]:
    """What to do about mistakes that show in the results."""
    rates = rates_of(task)
    if rates is None:
        return []
    rows = thought_rows(task)
    said = [_advice_on_unread(task, rates, rows), _advice_on_cut(task, rates, rows), _advice_on_cut_texts(task, rows)]
    said.append("requests failed; the same command asks them again" if rates.failed > 0 else None)
    if rows is not None and (mode := task.run.settings.thinking) is not None:
        thinking = float((~rows.state.isin(("no thought", "failed")) | (rows.thought > 0)).mean())
        if mode == "off" and thinking > _MOST:
            said.append(f"thinking is off, but {100 * thinking:.0f} % of the answers have a thought: the switch has no effect")
        if mode == "on" and thinking == 0 and rates.failed < 1:
            said.append("thinking is on, but no answer has a thought: does the model have this switch, and the server use it?")
    return list(filter(None, said))


def _advice_on_unread(task: TaskRun, rates: Rates, rows: pd.DataFrame | None) -> str | None:
    by_server, has_template = is_chat_server(task.run.settings.backend), bool(task.run.settings.chat_template)
    if _lacks_exemplars(task) and not has_template:
        return "a chat model needs --apply_chat_template here, a base model exemplars (--num_fewshot 5)"
    end = _usual_end(rows)
    if rates.unexplained <= _HARDLY_READ:
        is_asked_bare = task.is_chat and not has_template and end == "length"
        return f"most answers stop at the token limit; {_IS_CHAT_MODEL}" if is_asked_bare else None
    why = f"; {_IS_CHAT_MODEL}"
    if by_server:
        why = "; the samples show what the model answers"
    elif has_template:
        why = "; is this a base model? it needs a run without chat template"
        # results of other packs, and older ones of SEA-HELM's tasks, do not say how answers ended
        why += "" if task.takes_thoughts_apart else "; or do its thoughts not end? raise --thinking_tokens"
    if end == "length":
        # SEA-HELM's own limits are part of its scores
        may_rise = task.is_chat or _given_limit(task)
        why = f", and most stop at the token limit{f'; raise {_limit_of(task)}' if may_rise else why}"
    elif end not in (None, "stop"):
        why = f", and the server ends most with {one_line(end)}"
    return f"hardly any answer could be read{why}"


def _advice_on_cut(task: TaskRun, rates: Rates, rows: pd.DataFrame | None) -> str | None:
    if rates.cut <= SHOWN_ABOVE:
        return None
    end = None if rows is None else _usual_end(rows[rows.state.isin(UNFINISHED)])
    if end == "stop":
        return "the model stops within its thought; does the server, or the model, put the answer into the thought?"
    where = "" if end == "length" else "where their finish_reason is length, "
    return f"thoughts do not end; {where}raise {_limit_of(task, thought=True)}"


def _advice_on_cut_texts(task: TaskRun, rows: pd.DataFrame | None) -> str | None:
    """What to do about translations and summaries that were cut; they are scored as they are."""
    if rows is None or not task.is_chat or "off_target_rate" not in task.scores:
        return None
    share = float(((rows.finish_reason == "length") & ~rows.state.isin(UNFINISHED)).mean())
    said = f"{100 * share:.1f} % of the texts were cut at the token limit; raise {_limit_of(task)}"
    return said if share > SHOWN_ABOVE else None


def _usual_end(rows: pd.DataFrame | None) -> str | None:
    """The finish reason of most rows; None if there is none, or it is not known."""
    ends = {} if rows is None or rows.empty else (rows.finish_reason.value_counts() / len(rows)).to_dict()
    return next((str(end) for end, share in ends.items() if share > _MOST), None)


def _limit_of(task: TaskRun, *, thought: bool = False) -> str:
    """The flag that limits the answers of a run; `run` takes one of the two."""
    given = _given_limit(task)
    return "--thinking_tokens" if thought and given is None else f"--gen_kwargs {given or LIMITS[0]}"


def _given_limit(task: TaskRun) -> str | None:
    return next((name for name in LIMITS if f"'{name}'" in (task.run.settings.generation or "")), None)


def unlike_ends(tasks: Iterable[TaskRun]) -> list[str]:
    """A line on the chat tasks where only some runs record why each answer ended: the others score cut answers differently."""
    logged = ((task.name, rows.finish_reason) for task in tasks if task.is_chat and (rows := thought_rows(task)) is not None)
    names = list(disagreeing((name, (bool(ends.notna().any()), name)) for name, ends in logged))
    what = "Models differ in whether their results record which answers the token limit cut"
    why = "if not, an option that such an answer only names counts. lm-eval-sea run --model hf and vllm record it"
    return [f"{what} ({some_names(names)}): {why}"] if names else []


def _rates_text(*rates: tuple[str, float]) -> list[str]:
    return [f"{name} {100 * rate:.1f} %" for name, rate in rates if rate > SHOWN_ABOVE]


def _lacks_exemplars(task: TaskRun) -> bool:
    """Whether it is a task of SEA-HELM that has exemplars for base models, and was run with none."""
    if task.num_fewshot != 0 or task.facts.dataset != SEA_HELM:
        return False
    known = sea_helm().tasks.get(task.facts.task, {}).get(task.facts.language)
    return known is not None and known.exemplars
