"""The settings of chat templates that switch a model's thinking on and off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

# Name, value for on, value for off; used by most families; DeepSeek, Kimi and Granite; Llama-SEA-LION v3.5 R; Cohere Command; and
# Seed-OSS, where the value is a number of tokens. Templates ignore settings that they do not know.
SWITCHES: Sequence[tuple[str, Any, Any]] = (
    ("enable_thinking", True, False),
    ("thinking", True, False),
    ("thinking_mode", "on", "off"),
    ("reasoning", True, False),
    ("thinking_budget", -1, 0),
)
