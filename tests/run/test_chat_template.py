"""Chat templates that are none, or show something else than the question."""

import json
import re
import shutil

import pytest
from lm_eval.tasks import TaskManager
from transformers import AutoTokenizer

from lm_eval_sea.catalogue.task_list import TASKS_FOLDER
from lm_eval_sea.run.chat_template import check_chat_template, check_template_of_model, load_tokenizer
from lm_eval_sea.run.request import RunError

FAIR = (
    "{% for m in messages %}<{{ m.role }}>{{ m.content }}</{{ m.role }}>{% endfor %}{% if add_generation_prompt %}<a>{% endif %}"
)
TASKS = ["sea_xcopa_vi_to_ppl", "sea_tydiqa_id"]


@pytest.fixture(scope="module")
def tasks(samples):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(samples)
        return TaskManager(include_path=str(TASKS_FOLDER), include_defaults=False).load(TASKS)["tasks"]


@pytest.fixture
def tokenizer(tiny_model):
    return AutoTokenizer.from_pretrained(tiny_model)


def check(tokenizer, tasks, template, *, apply=True, multiturn=True):
    tokenizer.chat_template = template
    check_chat_template(tokenizer, tasks, apply=apply, settings={}, multiturn=multiturn)


def test_a_tokenizer_without_a_template(tokenizer, tasks):
    with pytest.raises(RunError, match=r"--apply_chat_template: the tokenizer \S+ has no chat template; leave the flag out"):
        check(tokenizer, tasks, None)


def test_a_template_of_another_name(tokenizer, tasks):
    with pytest.raises(RunError, match="has no template of that name; it has default, rag"):
        check(tokenizer, tasks, {"default": FAIR, "rag": FAIR}, apply="tool")


@pytest.mark.parametrize("template", [FAIR, FAIR.replace("m.content", "m.content | trim"), {"default": FAIR}])
def test_fair_templates(tokenizer, tasks, template):
    check(tokenizer, tasks, template)


@pytest.mark.parametrize(
    "template",
    [
        "HELLO",
        FAIR.replace("m.content", "m.content[:20]"),
        FAIR.replace("m.content", "m.content | upper"),
        "{{ messages[-1].content }}",  # forgets the exemplars
    ],
)
def test_templates_that_drop_or_change_a_question(tokenizer, tasks, template):
    with pytest.raises(RunError, match=r"sea_xcopa_vi_to_ppl: the chat template of .* drops or changes a question") as error:
        check(tokenizer, tasks, template)
    assert "\n" not in str(error.value)
    assert "| The prompt: " in str(error.value)


def test_a_template_without_exemplars_serves_where_there_are_none(tokenizer, tasks):
    check(tokenizer, tasks, "{{ messages[-1].content }}", multiturn=False)


def test_a_template_that_fails(tokenizer, tasks):
    with pytest.raises(RunError, match=re.escape("fails: roles must alternate")):
        check(tokenizer, tasks, "{{ raise_exception('roles must alternate') }}")


def test_a_model_that_names_no_tokenizer_is_left_to_its_backend(tmp_path):
    assert load_tokenizer({"base_url": "http://127.0.0.1:1/v1"}) is None
    assert load_tokenizer({"pretrained": str(tmp_path / "nothing")}) is None


def test_a_check_that_cannot_be_made_is_said(tmp_path, caplog):
    check_template_of_model({"pretrained": str(tmp_path / "nothing")}, {}, apply=True, multiturn=False)
    [record] = caplog.records
    assert "not checked" in record.message


CODE = """
from transformers import PreTrainedTokenizerFast


class Own(PreTrainedTokenizerFast):
    own = True
"""


@pytest.mark.parametrize("trusted", [True, False])
def test_code_of_a_tokenizer_is_run_where_it_is_trusted_and_nobody_is_asked(trusted, tiny_model, tmp_path, monkeypatch):
    monkeypatch.setattr("builtins.input", lambda *_: pytest.fail("transformers asks on the terminal"))
    folder = tmp_path / "m"
    shutil.copytree(tiny_model, folder)
    (folder / "own.py").write_text(CODE)
    path = folder / "tokenizer_config.json"
    config = json.loads(path.read_text()) | {"tokenizer_class": "Own", "auto_map": {"AutoTokenizer": [None, "own.Own"]}}
    path.write_text(json.dumps(config))
    tokenizer = load_tokenizer({"pretrained": str(folder), "trust_remote_code": trusted})
    assert getattr(tokenizer, "own", False) == trusted
