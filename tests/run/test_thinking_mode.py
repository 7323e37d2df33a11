"""`run --thinking`: the same prompt on all backends, and two modes are two models."""

import argparse
import ast
import copy
import functools
import json
import logging
import typing
from importlib.util import find_spec
from pathlib import Path

import jinja2
import pytest
from lm_eval.models.huggingface import HFLM
from transformers import AutoTokenizer

from lm_eval_sea.commands.cli import main
from lm_eval_sea.results.read import read
from lm_eval_sea.run.chat_template import check_template_of_model
from lm_eval_sea.run.request import RunError
from lm_eval_sea.run.thinking_mode import check_thoughts_reach_tasks, use_template
from tests.model_folder import chat_run, with_template
from tests.processes import run_of
from tests.run.conftest import logged, written
from tests.run.thinking_templates import ALWAYS, EFFORT, EMPTY, FALSY, OPEN, OPENS, PLAIN, SWITCHES, WORD

ASKED = [{"role": "system", "content": "Say a number."}, {"role": "user", "content": "1 + 1?"}]


@pytest.fixture
def folder(tiny_model, tmp_path):
    """Gives the tiny model a template."""
    return lambda template: with_template(tiny_model, tmp_path / "model", template)


def _vllm():
    """lm-eval's class for vLLM with only the method that makes prompts; its file cannot be imported without vLLM."""
    source = Path(find_spec("lm_eval").origin).with_name("models") / "vllm_causallms.py"
    [own] = [
        node
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name == "apply_chat_template"
    ]
    names = {"jinja2": jinja2, "cast": typing.cast, "eval_logger": logging.getLogger("lm-eval")}
    exec(compile(ast.Module([own], []), str(source), "exec"), names)
    return type("VLLM", (), {own.name: names[own.name], "rank": 0})


VLLM = _vllm()


@functools.cache
def tokenizer_of(folder, template):
    """The tokenizer of a folder with this template."""
    return AutoTokenizer.from_pretrained(folder)


def backend(kind, folder, **settings):
    """A model of lm-eval's that can make prompts, without weights or engine."""
    model = kind.__new__(kind)
    model.tokenizer = copy.deepcopy(tokenizer_of(folder, (folder / "chat_template.jinja").read_text()))
    model.hf_chat_template, model.think_end_token = None, None
    model._rank = 0
    model.chat_template_args, model.enable_thinking = settings, None
    return model


def prompts(folder, mode, **model_args):
    """The prompts of the backends in a mode."""
    use = check_template_of_model(chat_run(folder, **model_args), {}, mode)
    found = {}
    for name, kind in {"hf": HFLM, "vllm": VLLM}.items():
        model = backend(kind, folder, **dict(model_args.get("chat_template_args") or {}))
        use_template(model, use, name, mode, {})
        told = [{"role": "system", "content": use.system_instruction}] if use.system_instruction else []
        found[name] = model.apply_chat_template([*told, *ASKED])
    return found


def test_each_mode_gives_the_same_prompt_on_all_backends(folder):
    for template, (on, off) in SWITCHES.items():
        place = folder(template)
        tokenizer = tokenizer_of(place, template)
        for mode, settings in {"template": {}, "on": on, "off": off}.items():
            wanted = tokenizer.apply_chat_template(ASKED, tokenize=False, add_generation_prompt=True, **settings)
            assert prompts(place, mode) == {"hf": wanted, "vllm": wanted}, (template, mode)


def test_without_thinking_vllm_uses_its_own_mode(folder):
    place = folder(FALSY)
    assert backend(VLLM, place).apply_chat_template(ASKED) != backend(HFLM, place).apply_chat_template(ASKED)


GREETED = ("{{ greeting }}" + OPENS, {"greeting": "Sawadee"})


@pytest.mark.parametrize(
    ("template", "settings", "mode", "begins", "ends"),
    [
        (WORD, {}, "off", "<system>", "<assistant>\n<think></think>"),
        (WORD, {}, "on", "<system>", f"<assistant>\n{OPEN}"),
        (WORD, {}, "template", "<system>", f"<assistant>\n{OPEN}"),
        (*GREETED, "off", "Sawadee<system>", EMPTY),
        (*GREETED, "on", "Sawadee<system>", OPEN),
        (OPENS, {"enable_thinking": False}, "template", "<system>", EMPTY),
    ],
)
def test_switch_words_and_template_settings_of_the_user(template, settings, mode, begins, ends, folder):
    found = prompts(folder(template), mode, chat_template_args=settings)
    assert found["hf"] == found["vllm"]
    assert found["hf"].startswith(begins) and found["hf"].endswith(ends)


@pytest.mark.parametrize(
    ("template", "effort"),
    [
        (ALWAYS, r"\(none\)"),
        (PLAIN, r"\(none\)"),
        (EFFORT, r"\(only an effort, --model_args 'chat_template_args=\S+ \"low\"}'\)"),
    ],
    ids=["always", "plain", "effort"],
)
def test_a_template_without_a_switch(template, effort, folder):
    for mode in ("on", "off"):
        with pytest.raises(RunError, match=rf"^--thinking {mode}: .* has no switch for thoughts {effort}; leave the flag out$"):
            prompts(folder(template), mode)


def test_a_mode_named_twice_is_refused(folder):
    with pytest.raises(RunError, match="--thinking off: --model_args has enable_thinking, too; give one of them"):
        prompts(folder(OPENS), "off", enable_thinking=True)


def test_a_backend_with_another_prompt_than_its_tokenizer_is_refused(folder):
    place = folder(OPENS)
    use = check_template_of_model(chat_run(place), {}, "off")
    model = backend(HFLM, place)
    model.tokenizer.chat_template = ALWAYS
    with pytest.raises(RunError, match=r"--thinking off: the backend's prompt ends with '.*<think>\\n', its tokenizer's with "):
        use_template(model, use, "hf", "off", {})


class PromptedAnswers:
    """Has the name of the pack's class."""

    OUTPUT_TYPE = "generate_until"


def test_chat_tasks_get_the_whole_thought(folder):
    """Not so if the user names another mark."""
    place, chat = folder(OPENS), {"sea_a_chat": PromptedAnswers()}
    others = {"gsm8k": argparse.Namespace(OUTPUT_TYPE="generate_until")}
    use = check_template_of_model(chat_run(place), {})
    for tasks, given, left in ((chat, "</think>", None), (others, "</think>", "</think>"), (chat, "</mine>", "</mine>")):
        model = backend(HFLM, place)
        model.think_end_token = given
        use_template(model, use, "hf", "template", tasks)
        assert model.think_end_token == left
        check_thoughts_reach_tasks(tasks, "on", "</think>")
    with pytest.raises(RunError, match="think_end_token in --model_args removes the thoughts, which sea_a_chat read"):
        check_thoughts_reach_tasks(chat | others, "template", "</think>")
    ranked = {"sea_b": argparse.Namespace(OUTPUT_TYPE="multiple_choice")}
    with pytest.raises(RunError, match="--thinking on: sea_b rank given answers, before which no model thinks; leave them out"):
        check_thoughts_reach_tasks(chat | ranked, "on", None)


def arguments(place, *more):
    return run_of(f"{place},max_length=4096", "sea_belebele_th_chat", "--apply_chat_template", "--limit", 1, *more)


def test_a_chat_task_without_the_chat_template_is_reported(folder, in_samples, caplog):
    said = "sea_belebele_th_chat: prompts are bare text, but the tokenizer has a chat template"
    bare = [word for word in arguments(folder(OPENS), "--gen_kwargs", "max_gen_toks=2") if word != "--apply_chat_template"]
    assert main(bare) == 0 and said in caplog.text
    caplog.clear()
    assert main(run_of(f"{folder(OPENS)},max_length=4096", "sea_belebele_th_to_ppl", "--limit", 1)) == 0
    assert "bare text" not in caplog.text


def test_two_modes_of_a_model_are_two_models(folder, in_samples, tmp_path, caplog):
    output, place = tmp_path / "results", folder(OPENS)
    caplog.set_level(logging.INFO, "lm_eval_sea")
    for mode, end in {"on": OPEN, "off": EMPTY}.items():
        asked = ["--gen_kwargs", "max_gen_toks=2", "--thinking", mode, "--output_path", output / mode, "--log_samples"]
        assert main(arguments(place, *asked)) == 0
        assert f"thinking {mode}: the prompt ends with" in caplog.text
        row = logged(output / mode)[0]
        assert row["arguments"]["gen_args_0"]["arg_0"].endswith(end)
    found = read(output).best()
    assert sorted(run.model for run in found.runs) == [f"{place} (thinking off)", f"{place} (thinking on)"]
    assert len(found.tasks) == 2
    assert sorted(found.labels.values()) == ["model (thinking off)", "model (thinking on)"]


def test_room_and_sampling_from_the_generation_config(folder, in_samples, tmp_path):
    output, place = tmp_path / "results", folder(OPENS)
    stated = {"do_sample": True, "temperature": 0.8, "top_k": 20}
    (place / "generation_config.json").write_text(json.dumps(stated | {"max_new_tokens": 7}))
    assert main(arguments(place, "--sampling", "model", "--output_path", output)) == 0
    settings = written(output)["configs"]["sea_belebele_th_chat"]["generation_kwargs"]
    assert (stated | {"max_gen_toks": 256 + 7}).items() <= settings.items()
