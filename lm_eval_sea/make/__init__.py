"""Prompt files and catalogue in, task files out. A `PromptFileError` names the prompt file, and the key that it lacks."""
