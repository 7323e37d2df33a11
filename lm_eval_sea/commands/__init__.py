"""The commands of `lm-eval-sea`. Commands that belong together share a module."""
