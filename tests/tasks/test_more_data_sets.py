"""What every data_set.yml says of its rows, on the real ones; and known faults of published rows outside SailCompass."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from lm_eval_sea.catalogue.data_sets import data_sets, plain_tasks
from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.tasks._shared.published.json_rows import read_json_rows
from lm_eval_sea.tasks._shared.published.table_rows import read_table_rows
from lm_eval_sea.tasks._shared.rows import DataError
from lm_eval_sea.tasks._shared.sources import Source

from .test_rows import _utils

# rows of sets that are too large for a mirror, or that only their authors' repository has whole
IN_PART = {"indommlu": 1000, "thaisum": 12, "xlsum": 100}
IN_PART |= dict.fromkeys(("nusaemotion", "nusamode", "nusasentiment", "nusatopic", "nusatranslation"), 100)
# .json, .csv, .tsv, another split on the hub; tests of their own read what there is
OTHERWISE_NAMED = {"blend", "multijail", "seabench", "tico19"}


@pytest.mark.slow
@pytest.mark.parametrize("name", data_sets())
def test_rows_are_as_many_and_such_as_data_set_yml_says(name, hub_mirror, monkeypatch):
    """Guessing is right in one of as many cases as there are options, or labels."""
    if name in OTHERWISE_NAMED:
        pytest.skip("the mirror names its files otherwise")
    monkeypatch.chdir(hub_mirror)
    data_set = data_sets()[name]
    loaded = 0
    for language, data in data_set.languages.items():
        task = read_tasks().tasks[plain_tasks(data_set, language)[0]]
        source = task.source
        if not Path(source.repository).is_dir() or not all(Path(source.repository, path).is_file() for _, path in source.files):
            continue
        rows = task.load_rows().rows
        if len(rows) == IN_PART.get(name):
            pytest.skip(f"the mirror has {len(rows):,} of {data.rows:,} rows")
        assert len(rows) == data.rows, language
        loaded += 1
        if data_set.kind in ("mcq", "classification"):
            choices = [len(row["options"]) if "options" in row else len(data_set.labels) for row in rows]
            assert data.chance == pytest.approx(sum(1 / count for count in choices) / len(rows), abs=5e-5), language
        assert {key: _counted(rows, key) for key in data.expect} == data.expect, language
    if not loaded and not any(data.on_hub for data in data_set.languages.values()):
        pytest.skip(f"the mirror has no rows of {name}")
    assert loaded


def _counted(rows: Sequence[dict], key: str) -> int | Counter:
    if key == "clusters":
        return len({row["cluster"] for row in rows})
    return Counter(len(row["options"]) if key == "options" else row[key] for row in rows)


class TestFilesOfARepository:
    @pytest.fixture
    def repository(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "me" / "rows").mkdir(parents=True)
        return tmp_path / "me" / "rows"

    @staticmethod
    def source(**files):
        return Source.from_metadata(data_source="me/rows", data_files=files)

    def test_a_split_of_several_files_is_their_rows_in_order(self, repository):
        (repository / "one.tsv").write_text('text\tnote\n"said ""yes"""\tNA\n', encoding="utf-8")
        (repository / "two.csv").write_text('note,text\nnull,"two\nlines, here"\n', encoding="utf-8")
        source = self.source(test=["one.tsv", "two.csv"])
        splits, _ = source.load()
        assert splits["test"] == [{"text": 'said "yes"', "note": "NA"}, {"note": "null", "text": "two\nlines, here"}]
        assert source.describe() == "me/rows/one.tsv and 1 more"
        assert len(source.local_state()) == 2

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"a\tb\nx\n", r"row 0: 1 cells; expected 2, one for each of a, b"),
            (b"a\tb\nx\ty\nx\ty\tz\n", r"row 1: 3 cells"),
            (b"a\ta\nx\ty\n", "column 'a' is there twice"),
            (b'a\tb\nx\t"open\n', "no table"),
            (b"a\tb\nx\t\xff\n", "byte 6: the byte 0xff, which is not UTF-8"),
            (b"a\tb\n", "has no rows"),
            (b"", "has no rows"),
        ],
    )
    def test_a_broken_table_is_named_in_one_line(self, repository, content, message):
        (repository / "rows.tsv").write_bytes(content)
        with pytest.raises(DataError, match=message) as error:
            self.source(test="rows.tsv").load()
        assert str(error.value).startswith("me/rows/rows.tsv") and "\n" not in str(error.value)

    def test_the_catalogue_names_the_columns_of_a_checkout_whose_tables_do_not(self, repository, monkeypatch):
        (repository / "rows.tsv").write_text("bagus\tpositive\njelek\tnegative\n", encoding="utf-8")
        monkeypatch.chdir(repository.parent)
        checkout = {"folder": "rows", "files": {"test": "rows.tsv"}, "columns": ["text", "label"]}
        hub = {"data_source": "me/hub", "data_config": "all", "data_splits": {"test": "test"}}
        source = Source.from_metadata(**hub, data_checkout=checkout)
        assert source.load()[0] == {"test": [{"text": "bagus", "label": "positive"}, {"text": "jelek", "label": "negative"}]}
        assert len(source.local_state()) == 1


def test_real_rows_of_multijail(hub_mirror):
    folder, process_row = hub_mirror / "DAMO-NLP-SG/MultiJail", _utils("multijail").process_row
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
