"""Moved to the package."""

from lm_eval_sea.catalogue import Refusal as Refusal
