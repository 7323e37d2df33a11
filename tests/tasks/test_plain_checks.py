"""What tasks refuse and log under plain `lm_eval`, which calls nothing else of the pack."""

import os
import re
import subprocess
import sys

import pytest

from tests.conftest import ROOT

TASKS = ["sea_xcopa_th_to_ppl", "sea_helm_th_nli_ppl"]


def fair(messages, **_):
    return "".join(f"<{message['role']}> {message['content']}\n" for message in messages)


def cutting(messages, **_):
    return fair([message | {"content": message["content"][:20]} for message in messages])


def forgetful(messages, **_):
    return messages[-1]["content"]


@pytest.fixture(scope="module", params=TASKS)
def task(request, load_tasks):
    return load_tasks(request.param)[request.param]


@pytest.mark.parametrize("numbers", [[], [-1], [1, 1], [0, 10_000]], ids=str)
def test_rows_that_are_not_what_they_seem(task, numbers):
    with pytest.raises(ValueError, match=re.escape(f"--samples {numbers}: expected different numbers of rows from 0 to ")):
        task.build_all_requests(samples=numbers)


def test_rows_that_are_there(task):
    task.build_all_requests(samples=[1, 0])
    assert {instance.doc_id for instance in task.instances} == {0, 1}


@pytest.mark.parametrize("template", [cutting, forgetful])
def test_a_template_that_does_not_show_what_is_said(task, template):
    task.set_config("num_fewshot", 1)
    with pytest.raises(ValueError, match="the chat template drops or changes a question") as error:
        task.build_all_requests(limit=1, apply_chat_template=True, fewshot_as_multiturn=True, chat_template=template)
    assert "\n" not in str(error.value)


def test_a_template_that_does(task):
    task.build_all_requests(limit=1, apply_chat_template=True, fewshot_as_multiturn=True, chat_template=fair)


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
