"""What judging will take, said before the first call. Pure functions, no I/O."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from lm_eval_sea.sea_helm.judge_calls import Answer, Call

# Assumptions, as long as no answer of the judge is there to measure.
BYTES_PER_TOKEN = 4.0
ANSWER_TOKENS = 800.0
SECONDS = 15.0


def estimate(calls: Sequence[Call], known: Sequence[Answer], concurrency: int, prices: tuple[float, float] | None) -> str:
    """Calls, tokens, time and cost in one line.

    Args:
        calls: those that are still to be made.
        known: answers of the same judge so far, from which lengths and times are taken.
        concurrency: calls at the same time.
        prices: of a million tokens of input and of output, in the provider's currency; None: not known.
    """
    measured = [answer for answer in known if answer.completion_tokens]
    answer_tokens = fmean(answer.completion_tokens or 0 for answer in measured) if measured else ANSWER_TOKENS
    seconds = fmean(answer.seconds for answer in known) if known else SECONDS
    size = sum(len(message["content"].encode("utf-8", "surrogatepass")) for call in calls for message in call.messages)
    prompt, output = size / BYTES_PER_TOKEN, answer_tokens * len(calls)
    basis = f"as in {len(known)} answers so far" if known else f"if an answer takes {SECONDS:g} s and {ANSWER_TOKENS:g} tokens"
    text = f"{len(calls)} calls, about {prompt:,.0f} tokens of input and {output:,.0f} of output"
    text += f", {seconds * len(calls) / concurrency / 60:,.1f} min with {concurrency} at once ({basis})"
    if prices is None:
        return f"{text}; cost not known (--price)"
    return f"{text}; cost about {(prompt * prices[0] + output * prices[1]) / 1e6:,.2f}"
