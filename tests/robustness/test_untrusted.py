"""prompt books, checkouts and pickles of somebody else."""

import os
import shutil

import pytest
import yaml

from lm_eval_sea.cli import main
from lm_eval_sea.generate.prompt_books import PROMPTS
from lm_eval_sea.official.config_reader import ConfigError, read_names
from lm_eval_sea.official.sea_helm_prompts import CheckoutError, PromptError, jinja, official_tasks, read_configs
from lm_eval_sea.official.task_folder import FolderError, check_folder
from lm_eval_sea.sea_helm.judge_questions import OFFICIAL_FILES, JudgePromptsError, official_rubric
from lm_eval_sea.sea_helm.judge_rows import conversation

from ..official.test_sea_helm_prompts import MINIATURE
from ..sea_helm.planted_answers import one_turn

TAGS = [
    "!!python/object/apply:os.system ['touch {}']",
    "!!python/object/new:os.system ['touch {}']",
    "!!python/name:os.system ''",
    "!!python/module:os ''",
    "!!binary 'x'",
    "!own {{}}",
    "!!timestamp 'x'",
]
NO_YAML = ["{{", "a: [", "\x00", "- a\n- b", "just text", "", "[" * 3000, "a: *unknown", "? [a]\n: b"]


@pytest.fixture
def books(tmp_path):
    folder = tmp_path / "books"
    shutil.copytree(PROMPTS, folder)
    return folder


def refused_books(books, tmp_path, capsys):
    """What `tasks make` says of books that it refuses; nothing is written."""
    assert main(["tasks", "make", "--prompts", str(books), "--out", str(tmp_path / "tasks")]) == 2
    assert not (tmp_path / "tasks").exists()
    said = capsys.readouterr().err.strip()
    assert "\n" not in said
    return said


@pytest.mark.parametrize("tag", TAGS)
def test_a_book_with_tags(tag, books, tmp_path, capsys):
    """YAML tags in a book, which stand for code: refused, and nothing is run"""
    target = tmp_path / "run"
    path = next(iter(sorted((books / "belebele").glob("*.yaml"))))
    path.write_text(f"x: {tag.format(target)}\n{path.read_text(encoding='utf-8')}", encoding="utf-8")
    assert str(path) in refused_books(books, tmp_path, capsys)
    assert not target.exists()


@pytest.mark.parametrize("text", NO_YAML, ids=lambda text: repr(text[:12]))
def test_a_book_that_is_none(text, books, tmp_path, capsys):
    """a book that is no YAML, or no book"""
    path = next(iter(sorted((books / "belebele").glob("*.yaml"))))
    path.write_text(text, encoding="utf-8")
    assert path.name in refused_books(books, tmp_path, capsys)


def test_a_book_that_is_not_utf_8(books, tmp_path, capsys):
    """a book with a byte that is not UTF-8"""
    path = next(iter(sorted((books / "belebele").glob("*.yaml"))))
    path.write_bytes(path.read_bytes() + b"\n# \xff\n")
    assert path.name in refused_books(books, tmp_path, capsys)


# SEA-HELM's repository


@pytest.fixture
def checkout(tmp_path):
    return shutil.copytree(MINIATURE, tmp_path / "checkout")


def config_of(checkout):
    return next(iter(sorted((checkout / "seahelm_tasks").glob("**/config.yaml"))))


@pytest.mark.parametrize("text", [*NO_YAML, *TAGS], ids=lambda text: repr(text[:20]))
def test_a_checkout_with_another_configuration(text, checkout, tmp_path):
    """a checkout of SEA-HELM with tags or no YAML in a configuration"""
    config_of(checkout).write_text(text.format(tmp_path / "run") if text in TAGS else text, encoding="utf-8")
    with pytest.raises(CheckoutError) as caught:
        read_configs(checkout)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "run").exists()


def test_a_checkout_with_a_folder_for_a_file(checkout):
    """a checkout of SEA-HELM with a folder in the place of a configuration"""
    path = config_of(checkout)
    path.unlink()
    path.mkdir()
    with pytest.raises(CheckoutError):
        read_configs(checkout)


def test_references_that_go_in_circles(checkout):
    """a configuration whose values refer to each other"""
    path = config_of(checkout)
    path.write_text("a:\n  x: ${b.x}\nb:\n  x: ${a.x}\n")
    assert read_configs(checkout)["a"]["x"].startswith("${")


@pytest.mark.parametrize("path", ["seahelm_tasks/../../outside.jsonl", "seahelm_tasks/link/outside.jsonl"])
def test_rows_outside_the_checkout(path, checkout, tmp_path):
    """a checkout of SEA-HELM whose rows are somewhere else on the machine"""
    (checkout / "seahelm_tasks" / "link").symlink_to(tmp_path)
    configs = {
        file: yaml.safe_load(file.read_text(encoding="utf-8")) for file in (checkout / "seahelm_tasks").glob("**/config.yaml")
    }
    for file, content in configs.items():
        for task in content.values():
            for language in task.get("languages", {}).values() if isinstance(task.get("languages"), dict) else []:
                language["filepath"] = path
        file.write_text(yaml.safe_dump(content), encoding="utf-8")
    faults = []
    files = official_tasks(checkout, faults)
    assert not [name for name, content in files.items() if "outside.jsonl" in content]
    assert any("outside the checkout" in fault for fault in faults)


@pytest.mark.parametrize(
    "text", ["{{ x }}", "{% for %}", "{# #}", "{a.b}", "{a!r}", "{a:>99999999999}", "{0}", "{}", "{a[0]}", "{"]
)
def test_a_prompt_that_is_a_program(text):
    """a prompt of a checkout that Jinja or `str.format` would run"""
    with pytest.raises(PromptError):
        jinja(text, {})


JUDGED = ["{response:>1000000000}", "{response.__class__}", "{response[0]}", "{0}", "{}", "{unknown}", 5, None, ["{response}"]]


@pytest.mark.parametrize("template", JUDGED, ids=repr)
def test_a_judges_prompt_that_is_a_program(template, tmp_path):
    """a judge's prompt of a checkout with look-ups, widths or unknown places"""
    path = tmp_path / OFFICIAL_FILES["kalahi-judge"]
    path.parent.mkdir(parents=True)
    prompts = {"system_prompt": "s", "criteria_prompt": template}
    judge = {"judge_model_name": "m", "judge_generation_kwargs": {}, "classifications": {"A": 1}, "judge_prompts": prompts}
    path.write_text(yaml.safe_dump({"kalahi-judge": {"judge": judge}}))
    rubric = official_rubric("kalahi-judge", tmp_path)
    with pytest.raises(JudgePromptsError):
        rubric.questions(conversation(one_turn(0, "x", [{"turn": 0, "criterion": "c"}])))


@pytest.mark.parametrize(
    "text", [*NO_YAML, *TAGS, "kalahi-judge: 5", "kalahi-judge: {judge: []}"], ids=lambda text: repr(text[:20])
)
def test_judges_prompts_that_are_none(text, tmp_path):
    """a checkout without a judge's prompts, or with other things in their place"""
    path = tmp_path / OFFICIAL_FILES["kalahi-judge"]
    path.parent.mkdir(parents=True)
    path.write_text(text.format(tmp_path / "run") if text in TAGS else text, encoding="utf-8")
    with pytest.raises(JudgePromptsError):
        official_rubric("kalahi-judge", tmp_path)
    assert not (tmp_path / "run").exists()


# SailCompass's repository

PROGRAMS = {
    "call": "x = __import__('os').system('true')",
    "attribute": "x = ().__class__",
    "lambda": "x = (lambda: 1)()",
    "power": "x = 9**9**9",
    "repetition": "x = 'a' * 10**10",
    "doubling": "a = 'x' * 1\n",
    "sums of sums": "a0 = 'xxxxxxxxxxxxxxxx'\n" + "".join(f"a{n + 1} = a{n} + a{n}\n" for n in range(60)),
    "f-strings": "a0 = 'xxxxxxxxxxxxxxxx'\n" + "".join(f"a{n + 1} = f'{{a{n}}}{{a{n}}}'\n" for n in range(60)),
    "formats": "a0 = 'xxxxxxxxxxxxxxxx'\n" + "".join(f"a{n + 1} = '{{a}}{{a}}'.format(a=a{n})\n" for n in range(60)),
    "range": "x = [i for i in range(10**9)]",
    "long range": "x = {i: 1 for i in range(0, 10**18)}",
    "brackets": "x = " + "[" * 5000 + "]" * 5000,
    "sum of thousands": "x = " + "+".join(["'a'"] * 5000),
    "null byte": "x = 1\0",
    "import": "import os",
    "star": "from os import *\nx = system",
    "while": "while True: pass",
    "width": "x = '{a:>9999999999}'.format(a='b')",
    "look-up": "x = '{a.__class__}'.format(a='b')",
    "walrus": "x = (y := 1)",
    "int": "x = int('9' * 5000)",
    "chr": "x = chr(-1)",
    "not UTF-8": b"x = '\xff'",
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_configuration_that_is_a_program(program, tmp_path):
    """a configuration of SailCompass that is a program, or fills the memory"""
    path = tmp_path / "x.py"
    path.write_bytes(program if isinstance(program, bytes) else program.encode())
    with pytest.raises(ConfigError) as caught:
        read_names(path, "x.py")
    assert str(caught.value).startswith("x.py:") and "\n" not in str(caught.value)


def test_names_of_files_with_controls(tmp_path, capsys, monkeypatch):
    """a checkout of SailCompass with controls and lines in the names of files"""
    folder = tmp_path / "checkout" / "configs" / "datasets" / "x"
    folder.mkdir(parents=True)
    (folder / "\x1b[31m\u202e.py").write_text("")
    assert main(["official", "sailcompass", str(tmp_path / "checkout"), "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert "\x1b" not in said and "\u202e" not in said
    assert not (tmp_path / "out").exists()


def test_a_folder_of_the_users_is_not_written_to(tmp_path):
    """a folder for official prompts that holds other files, or is a link to one"""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("x")
    os.symlink(tmp_path / "mine", tmp_path / "link")
    for name in ("mine", "link"):
        with pytest.raises(FolderError, match="thesis.tex"):
            check_folder(tmp_path / name)
