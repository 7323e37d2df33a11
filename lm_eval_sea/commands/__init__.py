"""The commands of `lm-eval-sea`, a module each or for those that belong together."""
