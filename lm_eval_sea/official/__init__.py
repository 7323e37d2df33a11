"""Tasks with the official prompts and scores of other benchmarks, read from the user's own checkout of them.

A `CheckoutError` says what is wrong with the checkout, a `FolderError` with the folder to write.
"""
