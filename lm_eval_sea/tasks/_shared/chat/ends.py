"""Why a generated text ended, in the words of servers."""

from __future__ import annotations


FAILED = "error"  # the server failed, and the answer is not complete
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
    """OpenAI's word, or `FAILED`, for a server's word for an end; None if that is not known."""
    return _WORDS.get(finish_reason.lower())


def ended_by_itself(finish_reason: str | None) -> bool | None:
    """Whether the model ended the text; False if the word is not known. None if the backend gives none."""
    return None if finish_reason is None else end_of(finish_reason) in ("stop", "tool_calls")
