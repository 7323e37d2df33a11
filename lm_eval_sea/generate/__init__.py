"""Prompt books and catalogue in, task files out."""
