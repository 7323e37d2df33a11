"""Tasks with the official prompts and scores of other benchmarks, read from the user's own checkout of them."""
