"""Makes task files from prompt files and the catalogue. A `PromptFileError` names the prompt file and what is wrong with it."""
