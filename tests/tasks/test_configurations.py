"""Rows named by configuration and split: in folders laid out in many ways, and on a hub with and without a network."""

import json
import shutil

import datasets
import pytest

from lm_eval_sea.tasks._shared.configurations import Configuration
from lm_eval_sea.tasks._shared.data import load_rows, load_splits
from lm_eval_sea.tasks._shared.hub_files import DataError

from ..data.hub_server import HubServer
from .evaluation import write_json_lines

NAME = "owner/name"
SPLITS = {"test": "eval", "examples": "examples"}


def rows(split):
    return [{"text": f"{split} {number}", "label": "A"} for number in range(3)]


def write(path):
    """Writes the rows of the split that the path names, in the format that it names."""
    split = "examples" if "examples" in path.name or path.parent.name == "examples" else "eval"
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        datasets.Dataset.from_list(rows(split)).to_parquet(path)
    else:
        write_json_lines(path, rows(split))


def card(data_files, name="id"):
    return f"---\nlicense: mit\nconfigs:\n- config_name: {name}\n  data_files: {json.dumps(data_files)}\n---\n\n# A data set\n"


LAYOUTS = {
    "json lines": (
        card([{"split": "eval", "path": "data/id/eval.jsonl"}, {"split": "examples", "path": "data/id/examples.jsonl"}]),
        ["data/id/eval.jsonl", "data/id/examples.jsonl", "data/vi/eval.jsonl"],
    ),
    "shards": (
        card([{"split": "eval", "path": "id/eval-*"}, {"split": "examples", "path": ["id/examples-*"]}]),
        ["id/eval-00000-of-00001.parquet", "id/examples-00000-of-00001.parquet"],
    ),
    "files beside the card": (
        card([{"split": "eval", "path": ["one.jsonl"]}, {"split": "examples", "path": "examples.jsonl"}]),
        ["one.jsonl", "examples.jsonl"],
    ),
    "no card": (None, ["data/id/eval.jsonl", "data/id/examples.jsonl", "data/vi/eval.jsonl"]),
    "a card without configurations": ("# A data set\n", ["id/eval/0000.parquet", "id/examples/0000.parquet"]),
}


@pytest.fixture(params=LAYOUTS)
def repository(request, tmp_path):
    """A mirror folder with one repository."""
    text, paths = LAYOUTS[request.param]
    folder = tmp_path / "mirror" / NAME
    for path in paths:
        write(folder / path)
    if text:
        (folder / "README.md").write_text(text, encoding="utf-8")
    return tmp_path / "mirror"


def identity(splits):
    return dict


def test_a_folder_beside_the_current_one(repository, monkeypatch):
    monkeypatch.chdir(repository)
    loaded = load_rows(NAME, Configuration.from_task("id", SPLITS), identity)
    assert [row["text"] for row in loaded.rows] == ["eval 0", "eval 1", "eval 2"]
    assert [row["text"] for row in loaded.exemplars] == ["examples 0", "examples 1", "examples 2"]
    assert loaded.revision == "local folder"


def test_datasets_finds_the_same_rows(repository, tmp_path):
    """Where the card says which files there are, `load_dataset` is the reference."""
    readme = repository / NAME / "README.md"
    if not readme.exists() or "configs" not in readme.read_text(encoding="utf-8"):
        return  # `datasets` makes other configurations of these
    found = datasets.load_dataset(str(repository / NAME), "id", split="eval", cache_dir=tmp_path / "cache")
    assert found.to_list() == rows("eval")


LOAD = """
import sys
from lm_eval_sea.tasks._shared.configurations import Configuration
from lm_eval_sea.tasks._shared.data import load_splits
splits, revision = load_splits({name!r}, Configuration.from_task("id", {splits!r}, **{options!r}))
print(revision, *(split + ":" + splits[split][0]["text"] for split in splits))
"""


@pytest.fixture
def load(run_python, tmp_path):
    """Loads the configuration in a process of its own; returns what it printed, or the last line of its error."""

    def load(online=None, name=NAME, **options):
        (tmp_path / "empty" / "load.py").write_text(LOAD.format(name=name, splits=SPLITS, options=options))
        process = run_python("load", online=online)
        return process.stdout.strip() if process.returncode == 0 else process.stderr.strip().splitlines()[-1]

    return load


def test_from_the_hub_and_again_without_a_network(repository, load):
    with HubServer(repository) as hub:
        first = load(online=hub.url)
        assert first == f"{hub.repository(NAME).commit} test:eval 0 examples:examples 0"
        assert not [request for request in hub.requests if "data/vi" in request]
    assert load() == first


def test_the_hubs_own_parquet_copy_takes_the_place_of_a_loading_script(tmp_path, load):
    mirror = tmp_path / "mirror"
    for split in ("eval", "examples"):
        write(mirror / f"{NAME}@parquet" / "id" / split / "0000.parquet")
    (mirror / NAME).mkdir()
    (mirror / NAME / "README.md").write_text("# Loaded by a script\n")
    (mirror / NAME / "name.py").write_text("raise SystemExit\n")
    with HubServer(mirror) as hub:
        first = load(online=hub.url)
        assert first == f"{hub.repository(f'{NAME}@parquet').commit} test:eval 0 examples:examples 0"
    assert load() == first


def test_another_name_of_the_repository_is_tried(tmp_path, load):
    write(tmp_path / "mirror" / "other" / "name" / "data" / "id" / "eval.jsonl")
    (tmp_path / "mirror" / "other" / "name" / "README.md").write_text("# A data set\n")
    with HubServer(tmp_path / "mirror") as hub:
        assert load(online=hub.url, also=["other/name"]).endswith(" test:eval 0")
        assert "the hub has no such repository" in load(online=hub.url)


def test_no_network_and_no_cache(load):
    assert "the hub cannot be reached and its cache lacks the file" in load()


@pytest.mark.parametrize(
    ("text", "paths", "message"),
    [
        (card([{"split": "eval", "path": "eval.jsonl"}], name="vi"), ["eval.jsonl"], "no configuration 'id'; .* names vi"),
        (
            card([{"split": "train", "path": "train.jsonl"}]),
            ["train.jsonl"],
            "no files of the split 'eval' of 'id'; .* only train",
        ),
        (card([{"split": "eval", "path": "eval.jsonl"}]), ["other.jsonl"], "no files of the split 'eval'"),
        (
            card([{"split": "eval", "path": "eval-*"}]),
            ["eval-00000-of-00003.parquet", "eval-00002-of-00003.parquet"],
            "has 2 of the 3 files",
        ),
        ("---\nconfigs: [\n---\n", ["eval.jsonl"], "is no YAML"),
        (None, ["eval.jsonl"], "does not say which they are"),
    ],
)
def test_what_is_missing_is_named_in_one_line(tmp_path, monkeypatch, text, paths, message):
    for path in paths:
        write(tmp_path / NAME / path)
    if text:
        (tmp_path / NAME / "README.md").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match=message) as error:
        load_splits(NAME, Configuration.from_task("id", SPLITS))
    assert "\n" not in str(error.value)


def test_rows_that_no_repository_has(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match=r"sea_helm/paraphrase tl/eval: no repository on the hub has these rows.*README"):
        load_splits("sea_helm/paraphrase", Configuration.from_task("tl", SPLITS, on_hub=False))


def test_fetched_mirror_is_found_again(samples, run_python, tmp_path, load):
    """`data fetch --to`, then `data check` in that folder."""
    tasks = "sea_helm_id_sentiment,sea_helm_th_thai_exam_onet,sea_helm_tl_paraphrase"
    with HubServer(samples) as hub:
        process = run_python("lm_eval_sea.cli", "data", "fetch", "--tasks", tasks, "--to", tmp_path / "mirror", online=hub.url)
    assert process.returncode == 0, process.stderr
    assert "not on the hub, see tasks/sea_helm/README.md: sea_helm/paraphrase tl/eval" in process.stdout
    shutil.rmtree(tmp_path / "home")
    process = run_python(
        "lm_eval_sea.cli", "data", "check", "--tasks", "sea_helm_id_sentiment,sea_helm_th_thai_exam_onet", cwd=tmp_path / "mirror"
    )
    assert "ok     aisingapore/NLU-Sentiment-Analysis id/eval  3 of 400 rows" in process.stdout
    assert process.returncode == 0
