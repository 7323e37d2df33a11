"""What the quick tests take of the parameters of a test; `bash scripts/test.sh --all` takes all."""

from collections.abc import Iterable

import pytest

# In Latin letters without marks and with them; in scripts without blanks and with few.
LANGUAGES = ("en", "id", "vi", "th", "my")


def quick_of(quick: Iterable[str], cases: Iterable[str | tuple[str, ...]]) -> list:
    """The cases as parameters of a test, of which the quick tests take some: of each kind one, named by their ids."""
    cases = [(case,) if isinstance(case, str) else case for case in cases]
    return [pytest.param(*case, marks=[pytest.mark.slow] * ("-".join(case) not in quick)) for case in cases]
