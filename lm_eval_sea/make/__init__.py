"""Prompt files and catalogue in, task files out."""
