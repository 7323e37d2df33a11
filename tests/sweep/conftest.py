"""Two models, and a sweep in this process."""

import pytest

from lm_eval_sea.commands.cli import main
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A folder with two models, a and b."""
    from make_tiny_model import make_model

    folder = tmp_path_factory.mktemp("models")
    for seed, name in enumerate("ab"):
        make_model(folder / name, bos=False, max_length=4096, hidden=16, layers=1, seed=seed)
    return folder


@pytest.fixture
def sweep_here(in_samples, monkeypatch, capsys):
    """Runs `lm-eval-sea sweep ARGUMENTS` in this process; the jobs are processes. Returns status and output."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))

    def sweep_here(*arguments):
        capsys.readouterr()
        return main(["sweep", *map(str, arguments)]), capsys.readouterr().out

    return sweep_here
