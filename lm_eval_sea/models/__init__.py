"""Model backends for lm-eval."""

from .shared_prefix import SharedPrefixLM

__all__ = ["SharedPrefixLM"]
