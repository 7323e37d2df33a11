"""The documentation: its links lead somewhere, and its Python example runs as it stands."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from tests.conftest import ROOT

PAGES = sorted(
    page for pattern in ("*.md", "docs/*.md", "upstream/*.md", "lm_eval_sea/tasks/*/README.md") for page in ROOT.glob(pattern)
)
COMMAND = re.compile(r"^ {4}(?:bash|python) (scripts/\S+)|`(?:bash|python) (scripts/[^\s`]+)", re.MULTILINE)


def _names(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def _anchors(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def _leads(page: Path, target: str) -> bool:
    path, _, anchor = target.partition("#")
    file = (page.parent / path).resolve() if path else page
    return file.exists() and (not anchor or anchor in _anchors(file))


def test_links_lead_to_files_and_titles_that_exist():
    found = [(page, target) for page in PAGES for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8"))]
    links = [(page, target) for page, target in found if not target.startswith(("http://", "https://"))]
    assert len(links) > 100
    assert [f"{_names(page)}: {target}" for page, target in links if not _leads(page, target)] == []


def test_the_release_of_lm_eval_and_its_checkouts_are_supported():
    (named,) = re.findall(r"^    lm-eval(>=\S+)$", (ROOT / "setup.cfg").read_text(encoding="utf-8"), re.MULTILINE)
    supported = SpecifierSet(named)
    checkouts = ["0.4.13.dev0", "0.4.13.dev0+g4e7e0d47f", "0.4.14.dev0"]
    others = ["0.4.12", "0.5.0.dev1", "0.5.0"]
    assert list(supported.filter([*checkouts, "0.4.13", *others], prereleases=True)) == [*checkouts, "0.4.13"]


def test_scripts_that_pages_name_exist():
    named = [(page, next(filter(None, found))) for page in PAGES for found in COMMAND.findall(page.read_text(encoding="utf-8"))]
    assert len(named) > 10
    assert [f"{_names(page)}: {script}" for page, script in named if not (ROOT / script).is_file()] == []


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 130


@pytest.mark.slow
def test_the_python_example_prints_the_headline(tiny_model, samples, tmp_path):
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    example = re.search(r"<!-- example: .*?-->\n```python\n(.*?)```\n<!-- end of the example -->", text, re.DOTALL)[1]
    script = tmp_path / "example.py"
    script.write_text(example.replace('"MODEL"', repr(str(tiny_model))).replace('"cuda"', '"cpu"'), encoding="utf-8")
    environment = {"PYTHONPATH": str(ROOT), "HF_HOME": str(tmp_path / "home"), "HF_HUB_OFFLINE": "1", "PATH": "/usr/bin:/bin"}
    run = subprocess.run([sys.executable, script], cwd=samples, env=environment, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    assert re.fullmatch(r"sea_belebele_th_to_ppl: acc_ppl \d+\.\d, chance 25\.0", run.stdout.splitlines()[-1])


def test_the_commands_for_chat_models_name_arguments_and_tasks_that_exist():
    """As `run` reads them, up to the model."""
    import shlex

    from lm_eval_sea.catalogue.task_list import read_tasks
    from lm_eval_sea.run.language import group_of_language
    from lm_eval_sea.run.run import run_parser

    text = (ROOT / "docs" / "chat.md").read_text(encoding="utf-8").replace("\\\n", " ")
    commands = re.findall(r"^ {4}lm-eval-sea run (.*)$", text, re.MULTILINE)
    assert len(commands) >= 4
    for command in commands:
        parsed = run_parser().parse_args(shlex.split(command))
        names = parsed.tasks or [group_of_language(read_tasks(), parsed.language, chat=True)]
        assert set(names) <= read_tasks().groups.keys()
