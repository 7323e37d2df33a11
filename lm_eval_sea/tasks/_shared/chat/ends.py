"""Why a generated text ended, as servers say it."""

from __future__ import annotations


FAILED = "error"  # the server's own fault: there is more to the answer
# OpenAI's word for each end, and those of other servers.
_ENDS = {
    "stop": ("eos", "eos_token", "end_turn", "stop_sequence", "complete"),
    "tool_calls": ("tool_use", "function_call"),
    "length": ("max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"),
    "content_filter": ("safety", "recitation", "prohibited_content", "blocklist", "spii", "sensitive", "refusal"),
    FAILED: ("abort", "aborted", "insufficient_system_resource", "network_error"),
}
_WORDS = {word: end for end, others in _ENDS.items() for word in (end, *others)}


def end_of(finish_reason: str) -> str | None:
    """OpenAI's word, or `FAILED`, for what a server calls an end; None for an end that is not known."""
    return _WORDS.get(finish_reason.lower())


def ended_by_itself(finish_reason: str | None) -> bool | None:
    """Whether the model ended the text; not so where the end is not known. None where the backend tells no end."""
    return None if finish_reason is None else end_of(finish_reason) in ("stop", "tool_calls")
