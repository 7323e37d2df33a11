"""What the quick tests take of the parameters of a test; `bash scripts/test.sh --all` takes all."""

import pytest

# In Latin letters without marks and with them; in scripts without blanks and with few.
LANGUAGES = ("en", "id", "vi", "th", "my")
ONE_BY_ONE = pytest.param({"batch_size": 1}, marks=pytest.mark.slow)


def quick_of(quick, cases):
    """The cases as parameters of a test, of which the quick tests take some: of each kind one, named by their ids."""
    cases = [(case,) if isinstance(case, str) else case for case in cases]
    return [pytest.param(*case, marks=[pytest.mark.slow] * ("-".join(case) not in quick)) for case in cases]
