"""From prompt files to task files."""

import re
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
from lm_eval_sea.commands.cli import main
from lm_eval_sea.make import leaf, sea_helm
from lm_eval_sea.make.files import files_of
from lm_eval_sea.make.prompt_files import PromptFileError, read_prompts
from lm_eval_sea.make.settings import wordings
from lm_eval_sea.make.task_yaml import render

ROOT = Path(__file__).resolve().parents[2]
TASKS = ROOT / "lm_eval_sea" / "tasks"
PROMPTS = [path.relative_to(TASKS) for path in sorted(TASKS.glob("*/prompts/*.yml"))]


def run(*arguments: str | Path) -> subprocess.CompletedProcess:
    """`lm-eval-sea make` in this process."""
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        status = main(["make", *map(str, arguments)])
    return subprocess.CompletedProcess(arguments, status, out.getvalue(), err.getvalue())


def read(path: Path) -> dict:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.fixture
def prompts(tmp_path) -> Path:
    """A copy of the prompt files."""
    for path in PROMPTS:
        (tmp_path / "mine" / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(TASKS / path, tmp_path / "mine" / path)
    return tmp_path / "mine"


def change(path: Path, edit) -> None:
    content = read(path)
    edit(content)
    path.write_text(yaml.safe_dump(content, allow_unicode=True), encoding="utf-8")


def test_the_tasks_of_the_pack_agree_with_its_prompts():
    result = run("--check")
    assert result.returncode == 0, result.stdout


def test_check_names_what_differs_and_writes_nothing(tmp_path, prompts):
    out = tmp_path / "tasks"
    assert run("--prompts", prompts, "--out", out).returncode == 0
    task = out / "xcopa" / "vi" / "to_ppl.yaml"
    (out / "xcopa" / "id" / "to_ppl.yaml").unlink()
    task.write_text(task.read_text(encoding="utf-8") + "# edited\n", encoding="utf-8")
    (out / "xcopa" / "vi" / "old.yaml").write_text(task.read_text(encoding="utf-8"), encoding="utf-8")
    result = run("--prompts", prompts, "--out", out, "--check")
    assert result.returncode == 1
    assert "xcopa/vi/to_ppl.yaml: differs from what its prompts make" in result.stdout
    assert "xcopa/id/to_ppl.yaml: missing" in result.stdout
    assert "xcopa/vi/old.yaml: nothing makes this file any more" in result.stdout
    assert "# edited" in task.read_text(encoding="utf-8")


def test_other_prompts_make_a_complete_folder(tmp_path, prompts):
    change(prompts / "xcopa/prompts/vi.yml", lambda words: words.update(instruction="Một chỉ dẫn khác."))
    out = tmp_path / "tasks"
    assert run("--prompts", prompts, "--out", out).returncode == 0
    assert "Một chỉ dẫn khác." in (out / "xcopa" / "vi" / "to_ppl.yaml").read_text(encoding="utf-8")
    here = {path.relative_to(TASKS) for path in TASKS.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    there = {path.relative_to(out) for path in out.rglob("*") if path.is_file()}
    assert here - set(PROMPTS) == there


FAULTS = [
    ("xcopa/th", lambda words: words.update(row="{question}"), "xcopa/prompts/th.yml: 'row' lacks {premise}"),
    ("xcopa/en", lambda words: words.pop("cue"), "xcopa/prompts/en.yml: 'cue' is missing or empty"),
    ("xcopa/th", lambda words: words["exemplars"].pop(), "xcopa/prompts/th.yml: 4 exemplars; expected 5"),
    ("xcopa/vi", lambda words: words["paraphrases"].pop(), "xcopa/prompts/vi.yml: 'paraphrases' has 1 texts; expected 2"),
    (
        "xcopa/id",
        lambda words: words["exemplars"][1].update(gold=2),
        "xcopa/prompts/id.yml: exemplar 2: 'gold' is 2; expected 0 to 1",
    ),
    ("vsmec/vi", lambda words: words["labels"].pop("anger"), "vsmec/prompts/vi.yml: labels: 'anger' is missing or empty"),
    (
        "indolem/id",
        lambda words: words["exemplars"][2].update(label="sad"),
        "indolem/prompts/id.yml: exemplar 3: 'label' is 'sad'; expected one of positive, negative",
    ),
    ("belebele/my", lambda words: words.pop("chat"), "belebele/prompts/my.yml: 'chat' is missing or empty"),
    ("flores/th", lambda words: words["tasks"].pop("th_en"), "flores/prompts/th.yml: 'th_en' is missing or empty"),
    ("flores/en", lambda words: words["tasks"]["en_vi"].pop("cue"), "flores/prompts/en.yml: en_vi: 'cue' is missing or empty"),
    (
        "flores/th",
        lambda words: words["tasks"]["en_th"]["paraphrases"].pop(),
        "flores/prompts/th.yml: 'paraphrases' has 1 texts; expected 2",
    ),
    (
        "flores/id",
        lambda words: words["exemplars"][0].pop("translation"),
        "flores/prompts/id.yml: exemplar 1: 'translation' is missing or empty",
    ),
    (
        "xquad/vi",
        lambda words: words["exemplars"][4].update(answers=[]),
        "xquad/prompts/vi.yml: exemplar 5: 'answers' is missing or empty",
    ),
    ("sea_helm/id", lambda words: words.pop("cue"), "sea_helm/prompts/id.yml: sentiment: 'cue' is missing or empty"),
    ("sea_helm/id", lambda words: words["tasks"].pop("qa"), "sea_helm/prompts/id.yml: 'qa' is missing or empty"),
    (
        "sea_helm/id",
        lambda words: words["tasks"]["nli"].pop("instruction"),
        "sea_helm/prompts/id.yml: nli: 'instruction' is missing or empty",
    ),
    (
        "sea_helm/id",
        lambda words: words["tasks"]["nli"].update(format="A B C"),
        "sea_helm/prompts/id.yml: nli: 'format' lacks {cue} or the word ANSWER",
    ),
    (
        "sea_helm/id",
        lambda words: words["tasks"]["nli"].update(row="{sentence1}"),
        "sea_helm/prompts/id.yml: nli: 'row' lacks {sentence2}",
    ),
    (
        "sea_helm/id",
        lambda words: words["tasks"]["sentiment"].update(format="{cue} ANSWER: Positif, Negatif"),
        "sea_helm/prompts/id.yml: sentiment: 'format' does not name the label 'Netral'",
    ),
]


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


@pytest.mark.parametrize(("name", "edit", "message"), FAULTS, ids=[message for _, _, message in FAULTS])
def test_a_fault_of_a_prompt_file_is_named(prompts, name, edit, message):
    data_set, language = name.split("/")
    change(prompts / data_set / "prompts" / f"{language}.yml", edit)
    with pytest.raises(PromptFileError, match=re.escape(message)):
        make_one(data_set, prompts)


@pytest.mark.parametrize("name", ["xcopa/vi", "belebele/my", "sea_helm/lo"])
def test_a_missing_prompt_file_is_named(prompts, name):
    data_set, language = name.split("/")
    (prompts / data_set / "prompts" / f"{language}.yml").unlink()
    with pytest.raises(PromptFileError, match=f"{data_set}/prompts: {language!r} is missing or empty"):
        make_one(data_set, prompts)


def test_the_command_says_one_line_and_writes_nothing(tmp_path, prompts):
    change(prompts / "vsmec" / "prompts" / "vi.yml", lambda words: words["labels"].pop("anger"))
    result = run("--prompts", prompts, "--out", tmp_path / "tasks")
    assert (result.returncode, result.stderr) == (
        2, "lm-eval-sea: vsmec/prompts/vi.yml: labels: 'anger' is missing or empty\n",
    )  # fmt: skip
    assert not (tmp_path / "tasks").exists()


def test_a_missing_english_prompt_file_is_a_note(tmp_path, prompts):
    (prompts / "xcopa" / "prompts" / "en.yml").unlink()
    result = run("--prompts", prompts, "--out", tmp_path / "tasks")
    path = prompts / "xcopa" / "prompts" / "en.yml"
    assert result.stderr == f"note: {path}: missing, so no sea_xcopa_…_enprompt task is made\n"
    assert result.returncode == 0 and not list((tmp_path / "tasks" / "xcopa").glob("**/*_enprompt.yaml"))


def test_a_task_says_no_fact_that_data_set_yml_has():
    """And is short: but for the longest prompts 15 to 22 lines."""
    known = {"task", "data_source", "data_files", "data_config", "data_splits", "rows", "chance", "content_fields", "subset"}
    files = {path: content for name in data_sets() for path, content in files_of(leaf.read(data_sets()[name])).items()}
    tasks = {path: content for path, content in files.items() if isinstance(content.get("task"), str)}
    assert len(tasks) > 900
    assert {path: said for path, content in tasks.items() if (said := known & content["metadata"].keys())} == {}
    lengths = sorted(render(path, content).count("\n") for path, content in tasks.items())
    assert lengths[len(lengths) // 2] <= 22 and lengths[-1] <= 30


def test_gold_positions_of_the_exemplars_are_balanced():
    """Of the first three exemplars, which are shown by default, no two share a position where there are enough options."""
    found = {path: read(TASKS / path).get("exemplars", [{}]) for path in PROMPTS}
    ranked = {path: exemplars for path, exemplars in found.items() if "gold" in exemplars[0]}
    assert len(ranked) > 30
    for path, exemplars in ranked.items():
        golds = [exemplar["gold"] for exemplar in exemplars]
        positions = min(len(exemplars), max(len(exemplar["options"]) for exemplar in exemplars))
        assert len(set(golds)) == positions, path
        assert len(set(golds[:3])) == min(3, positions), path


def test_exemplars_show_as_many_labels_as_five_can():
    found = [words for path in PROMPTS if {"labels", "exemplars"} <= (words := read(TASKS / path)).keys()]
    assert len(found) > 20
    for words in found:
        assert len({exemplar["label"] for exemplar in words["exemplars"]}) == min(5, len(words["labels"])), words["cue"]


def test_an_instruction_names_the_labels_that_no_exemplar_can_show():
    """By default three exemplars are shown, of labels there are up to nine."""
    several = [path for path in PROMPTS if len(read(TASKS / path).get("labels", ())) > 3]
    assert len(several) > 15
    for path in several:
        words = read(TASKS / path)
        for text in (words["instruction"], *words.get("paraphrases", ())):
            missing = [label for label in words["labels"].values() if label.casefold() not in text.casefold()]
            assert not missing, (path, missing)


def test_the_documentation_has_the_tables_of_tasks():
    script = ROOT / "scripts" / "update_docs.py"
    result = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("name", ["xquad/prompts/th", "xquad/prompts/vi", "tydiqa/prompts/id"])
def test_answers_of_exemplars_stand_in_their_passages(name):
    for exemplar in read(TASKS / f"{name}.yml")["exemplars"]:
        assert all(answer in exemplar["passage"] for answer in exemplar["answers"])
