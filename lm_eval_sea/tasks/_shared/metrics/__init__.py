"""Scores: pure functions with their formulae."""
