"""MultiJail: from published rows to processed rows."""

from collections import Counter

import pytest

from lm_eval_sea.tasks._shared.published.json_rows import read_json_rows
from lm_eval_sea.tasks._shared.published.table_rows import read_table_rows

from .test_rows import _utils

process_row = _utils("multijail").process_row


def test_real_rows(hub_mirror):
    folder = hub_mirror / "DAMO-NLP-SG/MultiJail"
    path = folder / "MultiJail.csv"
    published = read_table_rows(path) if path.exists() else read_json_rows(folder / "data/test.jsonl")
    assert Counter(row["source"] for row in published) == {"anthropics": 300, "openai": 15}, "counted in the README"
    blanks, zero_width = Counter(), Counter()
    for language in ("en", "zh", "vi", "th", "jv"):
        rows = [process_row(row, language) for row in published]
        assert len({row["prompt"] for row in rows}) == len({row["id"] for row in rows}) == 315
        blanks[language] = sum(row[language] != row[language].strip() for row in published)
        zero_width[language] = sum("\u200b" in row[language] for row in published)
        assert not any("\u200b" in row["prompt"] for row in rows)
    assert +blanks == {"vi": 4, "jv": 4} and +zero_width == {"vi": 1}, "counted in the README"


@pytest.mark.parametrize("prompt", ["", " ", None])
def test_a_row_without_a_prompt_is_refused(prompt):
    with pytest.raises(ValueError, match=r"field 'jv' is .* expected a prompt"):
        process_row({"id": "0", "jv": prompt}, "jv")
