"""The documentation: its links lead somewhere, and its Python example runs as it stands."""

import re
import runpy
import shlex
import shutil
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from lm_eval_sea.commands.cli import main
from tests.conftest import ROOT
from tests.models.toy_server import Answer, serve

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
def test_the_python_example_prints_the_headline(tiny_model, in_samples, tmp_path, capsys):
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    example = re.search(r"<!-- example: .*?-->\n```python\n(.*?)```\n<!-- end of the example -->", text, re.DOTALL)[1]
    script = tmp_path / "example.py"
    script.write_text(example.replace('"MODEL"', repr(str(tiny_model))).replace('"cuda"', '"cpu"'), encoding="utf-8")
    runpy.run_path(str(script), run_name="__main__")
    assert re.fullmatch(r"sea_belebele_th_to_ppl: acc_ppl \d+\.\d, chance 25\.0", capsys.readouterr().out.splitlines()[-1])


CHAT_COMMANDS = re.findall(
    r"^ {4}lm-eval-sea (run .*)$", (ROOT / "docs" / "chat.md").read_text(encoding="utf-8").replace("\\\n", " "), re.MULTILINE
)
# Stands in for the page's models: a template that writes an empty thought where it is told not to think.
SWITCHABLE = (
    "{% for m in messages %}{{ m.content }}\n{% endfor %}"
    "{% if enable_thinking is defined and not enable_thinking %}<think></think>{% endif %}"
)


@pytest.fixture(scope="module")
def switchable_model(tiny_model, tmp_path_factory):
    """The tiny model with a chat template that switches thoughts."""
    folder = shutil.copytree(tiny_model, tmp_path_factory.mktemp("switchable") / "model")
    (folder / "chat_template.jinja").write_text(SWITCHABLE, encoding="utf-8")
    return folder


def test_there_is_a_command_for_each_kind_of_chat_model():
    kinds = [sum(f"--model {kind}" in command for command in CHAT_COMMANDS) for kind in ("vllm", "hf ", "chat-api")]
    assert kinds == [2, 1, 1]


@pytest.mark.slow
@pytest.mark.parametrize("command", CHAT_COMMANDS, ids=range(len(CHAT_COMMANDS)))
def test_the_commands_for_chat_models_run(command, switchable_model, samples, tmp_path, monkeypatch, capsys):
    """As they stand on the page, with a tiny model or a toy server for the named ones, one row of each task, and short answers.

    vLLM is tested elsewhere, in an environment of its own: its backend is replaced by the one that needs none.
    """
    with serve(lambda *_: Answer([("reasoning", "Hm."), ("content", "A")], finish="stop")) as toy:
        for named, own in (
            ("vllm-shared-prefix", "hf-shared-prefix"),
            ("=MODEL,base_url=https://HOST/v1", f"=toy,base_url={toy.base_url}"),
            ("MODEL", switchable_model),
            ("--batch_size auto", "--batch_size 4"),
            ("--output_path results", f"--output_path {tmp_path / 'results'}"),
        ):
            command = command.replace(named, str(own))
        limits = ["--limit", "1", "--gen_kwargs", "max_gen_toks=4", "--skip_missing"]
        monkeypatch.chdir(samples)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        assert main([*shlex.split(command), *limits]) == 0
    assert list((tmp_path / "results").rglob("results_*.json"))
    assert "_chat" in capsys.readouterr().out
