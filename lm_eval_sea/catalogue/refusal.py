"""What every room above raises when it cannot do what it is asked."""


class Refusal(Exception):  # noqa: N818 (what it is of is in the names of its subclasses)
    """What a command cannot do; its text says in one line what is wrong and how to mend it."""
