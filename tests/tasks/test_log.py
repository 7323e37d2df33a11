"""The pack's log under lm-eval alone."""

import os
import re
import subprocess
import sys

from tests.conftest import ROOT

_SCRIPT = """
import logging
from lm_eval.utils import setup_logging
setup_logging()
from lm_eval_sea.tasks._shared import entry
entry.load_rows
logging.getLogger("lm_eval_sea").warning("a warning")
"""


def test_warnings_have_the_format_of_lm_eval():
    run = subprocess.run(
        [sys.executable, "-c", _SCRIPT], env=os.environ | {"PYTHONPATH": str(ROOT)}, check=True, capture_output=True, text=True
    )
    assert len(re.findall("a warning", run.stderr)) == 1
    assert re.search(r"^\d{4}-\d\d-\d\d:\d\d:\d\d:\d\d WARNING  \[\S+:\d+\] a warning$", run.stderr, re.MULTILINE)
