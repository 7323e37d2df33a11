"""From prompt files to task files."""

import functools
import operator
import re
import resource
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
import yaml

from lm_eval_sea.catalogue.data_sets import data_sets
from lm_eval_sea.catalogue.sea_helm import sea_helm as sea_helm_tasks
from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.commands.cli import main
from lm_eval_sea.make import leaf, sea_helm
from lm_eval_sea.make.files import files_of
from lm_eval_sea.make.prompt_files import PromptFileError, read_prompts
from lm_eval_sea.make.settings import wordings
from lm_eval_sea.make.task_yaml import MARK
from lm_eval_sea.tasks._shared.facts import TASKS_FOLDER as TASKS
from tests.conftest import ROOT
from tests.robustness.conftest import contents

PROMPTS = [path.relative_to(TASKS) for path in sorted(TASKS.glob("*/prompts/*.yml"))]


def run(*arguments: str | Path) -> subprocess.CompletedProcess:
    """`lm-eval-sea make` in this process."""
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        status = main(["make", *map(str, arguments)])
    return subprocess.CompletedProcess(arguments, status, out.getvalue(), err.getvalue())


def read(path: Path) -> dict:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def copy_prompts(folder: Path, data_set: str = "*") -> Path:
    """Copies the prompt files of a data set, or all, into a folder."""
    for path in TASKS.glob(f"{data_set}/prompts/*.yml"):
        copy = folder / path.relative_to(TASKS)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    return folder


@pytest.fixture
def prompts(tmp_path) -> Path:
    """A copy of all prompt files."""
    return copy_prompts(tmp_path / "mine")


@pytest.fixture(scope="module")
def written() -> dict[Path, dict]:
    """The contents of all prompt files."""
    return {path: read(TASKS / path) for path in PROMPTS}


def change(path: Path, keys: list[str | int], value: object) -> None:
    """Gives a key of a prompt file another value; None takes it out, and without a key the file."""
    if not keys:
        path.unlink()
        return
    content = read(path)
    *outer, key = keys
    place = functools.reduce(operator.getitem, outer, content)
    if value is None:
        del place[key]
    else:
        place[key] = value
    path.write_text(yaml.safe_dump(content, allow_unicode=True), encoding="utf-8")


def test_the_tasks_of_the_pack_agree_with_its_prompts():
    result = run("--check")
    assert result.returncode == 0, result.stdout


def test_a_full_disk_leaves_no_truncated_file(tmp_path, capsys):
    """No file may be longer than 700 bytes here, which one is."""
    out = tmp_path / "more" / "out"
    asked = ["make", "sea_belebele_th_order", "sea_xcopa_vi_to_ppl_p2", "--out", str(out)]
    assert main(asked) == 0
    whole = contents(out)
    for path in out.iterdir():
        path.write_text(MARK)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (700, limits[1]))
    try:
        assert main(asked) == 2
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    said = capsys.readouterr().err
    assert said.startswith(f"lm-eval-sea: {out} cannot be written (File too large); ")
    assert said.endswith("; make room there, or name another folder\n")
    found = contents(out)
    assert found.keys() == whole.keys() and all(text in (MARK.encode(), whole[name]) for name, text in found.items())


ALL = pytest.param([], "xnli/README.md", marks=pytest.mark.slow)


@pytest.mark.parametrize(("names", "file"), [ALL, (["sea_xcopa_vi_to_ppl_p2"], "sea_xcopa_vi_to_ppl_p2.yaml")])
def test_a_users_file_is_not_overwritten(tmp_path, names, file):
    path = tmp_path / "out" / file
    path.parent.mkdir(parents=True)
    path.write_text("mine", encoding="utf-8")
    result = run(*names, "--out", tmp_path / "out")
    advice = "nothing was written; move it away, or name another folder"
    assert (result.returncode, result.stderr) == (2, f"lm-eval-sea: {path} has other content, which would be lost; {advice}\n")
    assert {each: each.read_text() for each in tmp_path.rglob("*") if each.is_file()} == {path: "mine"}


@pytest.mark.slow
def test_other_prompts_make_a_complete_folder_and_check_names_what_differs(tmp_path, prompts):
    change(prompts / "xcopa/prompts/vi.yml", ["instruction"], "Một chỉ dẫn khác.")
    out = tmp_path / "tasks"
    assert run("--prompts", prompts, "--out", out).returncode == 0
    task, english = out / "xcopa/vi/to_ppl.yaml", prompts / "xcopa/prompts/en.yml"
    made = task.read_text(encoding="utf-8")
    assert "Một chỉ dẫn khác." in made
    here = {path.relative_to(TASKS) for path in TASKS.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    here = {path for path in here if not any(part.startswith(".") for part in path.parts)}
    assert here - set(PROMPTS) == {path.relative_to(out) for path in out.rglob("*") if path.is_file()}

    (out / "xcopa/id/to_ppl.yaml").unlink()
    task.write_text(f"{made}# edited\n", encoding="utf-8")
    (out / "xcopa/vi/old.yaml").write_text(made, encoding="utf-8")
    english.unlink()
    result = run("--prompts", prompts, "--out", out, "--check")
    assert result.returncode == 1
    assert f"note: {english}: missing, so no sea_xcopa_…_enprompt task is made\n" in result.stderr
    for line in (
        "xcopa/vi/to_ppl.yaml: differs from what its prompts make",
        "xcopa/id/to_ppl.yaml: missing",
        "xcopa/vi/old.yaml: this file is no longer made",
        "xcopa/vi/to_ppl_enprompt.yaml: this file is no longer made",
    ):
        assert line in result.stdout
    assert task.read_text(encoding="utf-8").endswith("# edited\n"), "nothing is written"


@pytest.mark.slow
def test_a_folder_gets_nothing_hidden_and_keeps_tasks_that_another_call_made_there(tmp_path, monkeypatch):
    """Not what editors, notebooks and checkers leave beside the tasks, of which lm-eval would take some for tasks.

    Tasks made on demand stay, and those of a user's own data set; what is removed is named.
    """
    there, out = tmp_path / "there", tmp_path / "out"
    shutil.copytree(TASKS, there, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    expected = {path.relative_to(there) for path in there.rglob("*") if path.is_file()} - set(PROMPTS)
    for left in (".ruff_cache/a", "xcopa/.ipynb_checkpoints/a.yaml", "xcopa/.DS_Store", "_shared/__pycache__/a.pyc"):
        (there / left).parent.mkdir(exist_ok=True)
        (there / left).write_text("task: a")
    assert run("sea_xcopa_vi_to_ppl_p2", "--out", out).returncode == 0
    made = (out / "sea_xcopa_vi_to_ppl_p2.yaml").read_text(encoding="utf-8")
    kept = [Path("reviews/sea_reviews_th.yaml"), Path("sea_xcopa_vi_to_ppl_p2.yaml")]
    for path in ("xcopa/vi/old.yaml", *kept):
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        (out / path).write_text(made, encoding="utf-8")
    monkeypatch.setattr("lm_eval_sea.make.files.TASKS_FOLDER", there)
    assert "1 file removed, no longer made: xcopa/vi/old.yaml\n" in run("--out", out).stdout
    assert {path.relative_to(out) for path in out.rglob("*") if path.is_file()} == expected | {*kept}
    assert [(out / path).read_text(encoding="utf-8") for path in kept] == [made] * 2
    assert run("--out", out, "--check").returncode == 0


# prompt file, path of a key in it, its new value (None: the key goes), what is said of the file, or of the folder
FAULTS = [
    *((name, [], None, f"{name[-2:]!r} is missing or empty") for name in ("xcopa/vi", "belebele/my", "sea_helm/lo")),
    ("xcopa/th", ["row"], "{question}", "'row' lacks {premise}"),
    ("xcopa/en", ["cue"], None, "'cue' is missing or empty"),
    ("xcopa/th", ["exemplars", 4], None, "4 exemplars; expected 5"),
    ("xcopa/vi", ["paraphrases", 1], None, "'paraphrases' has 1 texts; expected 2"),
    ("xcopa/id", ["exemplars", 1, "gold"], 2, "exemplar 2: 'gold' is 2; expected 0 to 1"),
    ("vsmec/vi", ["labels", "anger"], None, "labels: 'anger' is missing or empty"),
    ("indolem/id", ["exemplars", 2, "label"], "sad", "exemplar 3: 'label' is 'sad'; expected one of positive, negative"),
    ("flores/th", ["tasks", "th_en"], None, "'th_en' is missing or empty"),
    ("flores/en", ["tasks", "en_vi", "cue"], None, "en_vi: 'cue' is missing or empty"),
    ("flores/id", ["exemplars", 0, "translation"], None, "exemplar 1: 'translation' is missing or empty"),
    ("xquad/vi", ["exemplars", 4, "answers"], [], "exemplar 5: 'answers' is missing or empty"),
    ("xcopa/th", ["exemplar"], [], "unknown key 'exemplar'; did you mean exemplars?"),
    ("flores/th", ["tasks", "th_en", "instructon"], "x", "tasks: th_en: unknown key 'instructon'; did you mean instruction?"),
    ("belebele/my", ["chat", "verson"], 1, "chat: unknown key 'verson'; did you mean version?"),
    ("sea_helm/id", ["tasks", "nli", "chat"], {"cue": "x"}, "tasks: nli: chat: unknown key 'cue'; expected some of "),
    ("xcopa/th", ["exemplars", 0, "option"], [], "exemplar 1: unknown key 'option'; did you mean options?"),
    ("xcopa/th", ["cue"], True, "'cue' is True; expected text; put it in quotes: YAML takes yes, no, on and off for "),
    ("xcopa/th", ["instruction"], ["a", "b"], "'instruction' is ['a', 'b']; expected text"),
    ("xcopa/th", ["version"], "one", "'version' is 'one'; expected a number"),
    ("xcopa/th", ["exemplars"], "a, b", "'exemplars' is 'a, b'; expected a list"),
    ("xcopa/th", ["exemplars", 0], "a", "'exemplars: 1' is 'a'; expected keys with values"),
    ("xcopa/th", ["exemplars", 0, "options"], "a, b", "exemplar 1: 'options' is 'a, b'; expected a list"),
    ("xcopa/th", ["exemplars", 0, "options", 1], {"text": "b"}, "exemplar 1: 'options: 2' is {'text': 'b'}; expected text"),
    ("xcopa/th", ["exemplars", 0, "gold"], True, "exemplar 1: 'gold' is True; expected 0 to 1"),
    ("xquad/vi", ["exemplars", 0, "answers"], "a", "exemplar 1: 'answers' is 'a'; expected a list"),
    ("indolem/id", ["labels", "positive"], True, "'labels: positive' is True; expected text; put it in quotes"),
    ("indolem/id", ["labels", "positive"], "negatif", "labels: 'positive' and 'negative' have the same word"),
    ("indolem/id", ["labels", "neutral"], "netral", "labels: data_set.yml has no label 'neutral'; it has positive, negative"),
    ("indolem/id", ["row"], "{text} {txt}", "'row' shows {txt}, which no row has; expected text"),
    ("indolem/id", ["row"], "{{text}}", "'row' has '{{', which begins code; write fields as {field}, and braces in text "),
    ("xcopa/th", ["paraphrases", 1], "50 {% x", "'paraphrases' has '{%', which begins code; "),
    ("belebele/my", ["chat", "instruction"], "{# a", "chat: 'instruction' has '{#', which begins code; "),
    ("sea_helm/id", ["tasks", "qa"], None, "'qa' is missing or empty"),
    ("sea_helm/id", ["tasks", "nli", "instruction"], None, "nli: 'instruction' is missing or empty"),
    ("sea_helm/id", ["tasks", "nli", "format"], "A B C", "nli: 'format' lacks {cue} or the word ANSWER"),
    ("sea_helm/id", ["tasks", "nli", "row"], "{sentence1}", "nli: 'row' lacks {sentence2}"),
    (
        "sea_helm/id", ["tasks", "sentiment", "format"], "{cue} ANSWER: Positif, Negatif",
        "sentiment: 'format' does not name the label 'Netral'",
    ),
]  # fmt: skip


def make_one(data_set: str, prompts: Path) -> None:
    """Makes the tasks of a data set."""
    if data_set == "sea_helm":
        read_files = read_prompts(prompts, "sea_helm")
        for languages in sea_helm_tasks().tasks.values():
            for task in languages.values():
                sea_helm.leaf(read_files, task)
        return
    content = leaf.read(data_sets()[data_set], prompts)
    for _, made in files_of(content).items():
        if isinstance(made.get("task"), str) and "setting" not in made["metadata"]:
            wordings(content, made)


@pytest.mark.parametrize(("name", "keys", "value", "message"), FAULTS, ids=[message for *_, message in FAULTS])
def test_a_fault_of_a_prompt_file_is_named(tmp_path, name, keys, value, message):
    data_set, language = name.split("/")
    prompts = copy_prompts(tmp_path, data_set)
    change(prompts / data_set / "prompts" / f"{language}.yml", keys, value)
    place = f"{data_set}/prompts/{language}.yml" if keys else f"{data_set}/prompts"
    with pytest.raises(PromptFileError, match=re.escape(f"{place}: {message}")) as error:
        make_one(data_set, prompts)
    assert "\n" not in str(error.value)


def test_the_command_says_one_line_and_writes_nothing(tmp_path, prompts):
    change(prompts / "belebele/prompts/my.yml", ["chat"], None)
    result = run("--prompts", prompts, "--out", tmp_path / "tasks")
    assert result.returncode == 2
    assert result.stderr == "lm-eval-sea: belebele/prompts/my.yml: 'chat' is missing or empty\n"
    assert not (tmp_path / "tasks").exists()


def test_task_files_repeat_no_fact_of_data_set_yml():
    """And are short: 15 to 22 lines, except for the longest prompts."""
    known = {"task", "data_source", "data_files", "data_config", "data_splits", "rows", "chance", "content_fields", "subset"}
    tasks = [task for task in read_tasks().tasks.values() if task.metadata["dataset"] != "sea_helm"]
    assert len(tasks) > 900
    assert {task.name: said for task in tasks if (said := known & task.config["metadata"].keys())} == {}
    lengths = sorted(task.path.read_text(encoding="utf-8").count("\n") for task in tasks)
    assert lengths[len(lengths) // 2] <= 22 and lengths[-1] <= 30


def test_exemplars_are_balanced_over_positions_and_labels(written):
    """Of the first three, which are shown by default, no two have the right answer in one place where there are enough."""
    ranked = {path: words["exemplars"] for path, words in written.items() if "gold" in words.get("exemplars", [{}])[0]}
    assert len(ranked) > 30
    for path, exemplars in ranked.items():
        golds = [exemplar["gold"] for exemplar in exemplars]
        positions = min(len(exemplars), max(len(exemplar["options"]) for exemplar in exemplars))
        assert (len(set(golds)), len(set(golds[:3]))) == (positions, min(3, positions)), path
    labelled = {path: words for path, words in written.items() if {"labels", "exemplars"} <= words.keys()}
    assert len(labelled) > 20
    for path, words in labelled.items():
        assert len({exemplar["label"] for exemplar in words["exemplars"]}) == min(5, len(words["labels"])), path


def test_an_instruction_names_the_labels_that_no_exemplar_can_show(written):
    """By default three exemplars are shown, of labels there are up to nine."""
    several = {path: words for path, words in written.items() if len(words.get("labels", ())) > 3}
    assert len(several) > 15
    for path, words in several.items():
        for text in (words["instruction"], *words.get("paraphrases", ())):
            assert [label for label in words["labels"].values() if label.casefold() not in text.casefold()] == [], path


def test_the_documentation_has_the_tables_of_tasks():
    script = ROOT / "scripts" / "update_docs.py"
    result = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("name", ["xquad/prompts/th", "xquad/prompts/vi", "tydiqa/prompts/id"])
def test_answers_of_exemplars_stand_in_their_passages(name):
    for exemplar in read(TASKS / f"{name}.yml")["exemplars"]:
        assert all(answer in exemplar["passage"] for answer in exemplar["answers"])
