"""Prompt files and checkouts of SEA-HELM from others; `tests/official` has those of SailCompass."""

import shutil

import pytest
import yaml

from lm_eval_sea.commands.cli import main
from lm_eval_sea.official.sea_helm_prompts import CheckoutError, PromptError, jinja, official_tasks, read_configs
from lm_eval_sea.sea_helm import SeaHelmError
from lm_eval_sea.sea_helm.judge_questions import OFFICIAL_FILES, official_rubric
from lm_eval_sea.sea_helm.judge_rows import conversation
from lm_eval_sea.tasks._shared.facts import TASKS_FOLDER as TASKS

from ..official.test_sea_helm_prompts import MINIATURE
from ..sea_helm.planted_answers import one_turn

TAGS = ["object/apply:os.system ['touch {}']", "object/new:os.system ['touch {}']", "name:os.system ''", "module:os ''"]
TAGS = [*(f"!!python/{tag}" for tag in TAGS), "!!binary 'x'", "!own {{}}", "!!timestamp 'x'"]
NO_YAML = ["{{", "a: [", "\x00", "- a\n- b", "just text", "", "[" * 1000, "a: *unknown", "? [a]\n: b"]


@pytest.fixture
def written(tmp_path):
    """Writes YAML tags for code, and invalid YAML, into a file one after the other; no code may run."""

    def written(file, *more):
        for text in (*NO_YAML, *(tag.format(tmp_path / "run") for tag in TAGS), *more):
            file.write_bytes(text if isinstance(text, bytes) else text.encode())
            yield text
            assert not (tmp_path / "run").exists(), text

    return written


def test_a_prompt_file_with_tags_or_without_yaml(written, tmp_path, capsys):
    """It is refused in one line that names the file, and nothing is written."""
    everything = shutil.ignore_patterns("*.yaml", "*yaml", "*.py", "*.md", "__pycache__")
    shutil.copytree(TASKS, tmp_path / "mine", ignore=everything)
    file = tmp_path / "mine" / "belebele" / "prompts" / "ceb.yml"
    whole = file.read_bytes()
    tagged = [f"x: {tag.format(tmp_path / 'run')}\n".encode() + whole for tag in TAGS]
    for content in written(file, *tagged, whole + b"\n# \xff\n"):
        assert main(["make", "--prompts", str(tmp_path / "mine"), "--out", str(tmp_path / "tasks")]) == 2, content[:50]
        said = capsys.readouterr().err.strip()
        assert file.name in said and "\n" not in said, said
        assert not (tmp_path / "tasks").exists()


# SEA-HELM's repository


@pytest.fixture
def checkout(tmp_path):
    return shutil.copytree(MINIATURE, tmp_path / "checkout")


@pytest.fixture
def config(checkout):
    """The first configuration of the checkout."""
    return min((checkout / "seahelm_tasks").glob("**/config.yaml"))


def test_a_checkout_with_an_unreadable_configuration(written, checkout, config):
    """It has tags or no YAML, or is a folder."""
    for text in written(config):
        with pytest.raises(CheckoutError) as caught:
            read_configs(checkout)
        assert "\n" not in str(caught.value), text
    config.unlink()
    config.mkdir()
    with pytest.raises(CheckoutError):
        read_configs(checkout)


def test_circular_references(checkout, config):
    config.write_text("a:\n  x: ${b.x}\nb:\n  x: ${a.x}\n")
    assert read_configs(checkout)["a"]["x"].startswith("${")


@pytest.mark.parametrize("path", ["seahelm_tasks/../../outside.jsonl", "seahelm_tasks/link/outside.jsonl"])
def test_rows_outside_the_checkout(path, checkout, tmp_path):
    (checkout / "seahelm_tasks" / "link").symlink_to(tmp_path)
    configs = {
        file: yaml.safe_load(file.read_text(encoding="utf-8")) for file in (checkout / "seahelm_tasks").glob("**/config.yaml")
    }
    for file, content in configs.items():
        for task in content.values():
            for language in task.get("languages", {}).values() if isinstance(task.get("languages"), dict) else []:
                language["filepath"] = path
        file.write_text(yaml.safe_dump(content), encoding="utf-8")
    made = official_tasks(checkout)
    assert not [name for name, content in made.files.items() if "outside.jsonl" in content]
    assert any("outside the checkout" in fault for fault in made.faults)


@pytest.mark.parametrize(
    "text", ["{{ x }}", "{% for %}", "{# #}", "{a.b}", "{a!r}", "{a:>99999999999}", "{0}", "{}", "{a[0]}", "{", "a } b"]
)
def test_a_prompt_with_code(text):
    with pytest.raises(PromptError):
        jinja(text, {})


JUDGED = ["{response:>1000000000}", "{response.__class__}", "{response[0]}", "{0}", "{}", "{unknown}", 5, None, ["{response}"]]


@pytest.fixture
def judge_file(tmp_path):
    path = tmp_path / OFFICIAL_FILES["kalahi-judge"]
    path.parent.mkdir(parents=True)
    return path


@pytest.mark.parametrize("template", JUDGED, ids=repr)
def test_a_judges_prompt_with_code(template, judge_file, tmp_path):
    """It has look-ups, widths or unknown placeholders."""
    prompts = {"system_prompt": "s", "criteria_prompt": template}
    judge = {"judge_model_name": "m", "judge_generation_kwargs": {}, "classifications": {"A": 1}, "judge_prompts": prompts}
    judge_file.write_text(yaml.safe_dump({"kalahi-judge": {"judge": judge}}))
    rubric = official_rubric("kalahi-judge", tmp_path)
    with pytest.raises(SeaHelmError):
        rubric.questions(conversation(one_turn(0, "x", [{"turn": 0, "criterion": "c"}])))


def test_unreadable_prompts_of_a_judge(written, judge_file, tmp_path):
    """Invalid YAML, or values of other types."""
    for _ in written(judge_file, "kalahi-judge: 5", "kalahi-judge: {judge: []}"):
        with pytest.raises(SeaHelmError):
            official_rubric("kalahi-judge", tmp_path)
