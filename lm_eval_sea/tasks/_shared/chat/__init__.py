"""Chat tasks: what a chat model is asked, and how what it writes is scored."""
