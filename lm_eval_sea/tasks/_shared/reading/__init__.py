"""Reading an answer from what a model wrote. Pure functions and tables of words."""
