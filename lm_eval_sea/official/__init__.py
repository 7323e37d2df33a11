"""Tasks with the official prompts and scores of other benchmarks, read from the user's own checkout of them.

A `CheckoutError` says what is wrong with it, a `FolderError` what with the folder that is to be written.
"""
