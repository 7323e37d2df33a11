"""The command that compares languages."""

import pytest

from lm_eval_sea.commands.cli import main


@pytest.fixture
def report(tmp_path, capsys):
    """Compares the languages of runs: a function that takes their folder, and gives the tables' folder and what was printed."""

    def report(runs, *options, status=0):
        assert main(["report", str(runs), "--languages", "--out", str(tmp_path / "out"), *options]) == status
        return tmp_path / "out", capsys.readouterr()

    return report
