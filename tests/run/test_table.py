"""The end of a run: the short table, and the pack's warnings."""

import logging
import re

import pytest

from lm_eval_sea.commands.cli import main
from lm_eval_sea.results.read import read
from lm_eval_sea.results.table import WIDTH, table_of
from lm_eval_sea.run.output_streams import warnings_once
from tests import processes
from tests.model_folder import with_template


@pytest.mark.slow
def test_a_run_ends_with_the_table_of_show(tmp_path, tiny_model_bos, samples):
    """The warnings have lm-eval's format, and each is shown once."""
    more = ["--batch_size", 4, "--num_fewshot", 0, "--output_path", tmp_path, "--log_samples"]
    command = processes.run_of(tiny_model_bos, "sea_xcopa_to_ppl,sea_vsmec_vi", *more)
    result = processes.run("lm_eval_sea", *command, cwd=samples)
    assert result.returncode == 0, result.stderr[-2000:]
    lines = [line for line in table_of(read(tmp_path).best()).split("\n") if line.startswith("sea_")]
    assert len(lines) == len(["sea_xcopa_id", "_th", "_vi", "sea_vsmec_vi"]) + len(["the group"])
    for line in lines:
        assert line in result.stdout.split("\n")
    table = result.stdout[result.stdout.index("task ") :]
    assert max(map(len, table.split("\n"))) <= WIDTH
    assert "|" not in table, "lm-eval's own table"
    warnings = [line for line in result.stderr.split("\n") if "the catalogue has" in line]
    assert warnings and len(set(warnings)) == len(warnings)
    assert all(re.match(r"[\d-]+:[\d:]+ WARNING  \[lm_eval_sea", line) for line in warnings)


@pytest.mark.slow
def test_the_table_of_a_run_knows_the_chat_template(tmp_path, tiny_model_bos, in_samples, capsys):
    """A random model's answers cannot be read; the advice of the table depends on the template."""
    output = tmp_path / "results"
    template = "{% for message in messages %}{{ message.content }}{% endfor %}"
    model = with_template(tiny_model_bos, tmp_path / "model", template)
    more = ["--apply_chat_template", "--limit", 2, "--output_path", output]
    assert main(processes.run_of(model, "sea_m3exam_vi_litilo_gen", *more)) == 0
    for text in (capsys.readouterr().out, table_of(read(output).best())):
        assert "is this a base model?" in " ".join(text.split())


def test_warnings_with_one_cause_are_shown_once(caplog):
    logger = logging.getLogger("lm_eval_sea")
    with warnings_once():
        for task in ("sea_a", "sea_b", "sea_c", "sea_b"):
            logger.warning("%s: %d prompts do not fit", task, 7)
        logger.warning("%s: the tokenizer is odd", "sea_a")
        for task in ("sea_a", "sea_b"):
            logger.error("%s failed: row %d", task, 0)
    assert caplog.messages == [
        "sea_a: 7 prompts do not fit",
        "sea_a: the tokenizer is odd",
        "sea_a failed: row 0",
        "sea_b failed: row 0",
        "the warning about sea_a also holds for sea_b, sea_c",
    ]
    assert not logger.filters
