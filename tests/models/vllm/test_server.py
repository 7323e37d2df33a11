"""A server on the loopback interface, asked through lm-eval's models for APIs, held against transformers."""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

pytest.importorskip("vllm", reason="vLLM has an environment of its own: bash scripts/test_vllm.sh")

from lm_eval.api.registry import get_model

import lm_eval_sea.models  # noqa: F401 (registers chat-api)

from ...tasks.evaluation import evaluate
from ..conftest import generate
from .answers import ROUNDING, ROWS, answers, assert_alike

SHORT = {"gen_kwargs": {"max_gen_toks": 24}}
SECONDS_TO_START = 240


@pytest.fixture(scope="module")
def address(model_folder, tmp_path_factory):
    """The address of `vllm serve`."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        Path(sys.executable).with_name("vllm"), "serve", model_folder, "--served-model-name", "tiny", "--host", "127.0.0.1",
        "--port", port, "--dtype", "float32", "--enforce-eager", "--block-size", 32, "--max-model-len", 8192,
    ]  # fmt: skip
    log = tmp_path_factory.mktemp("server") / "log.txt"
    with log.open("w", encoding="utf-8") as output:
        server = subprocess.Popen([*map(str, command)], stdout=output, stderr=subprocess.STDOUT, env=os.environ)
    try:
        deadline = time.monotonic() + SECONDS_TO_START
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5):
                    break
            except (urllib.error.URLError, TimeoutError):
                said = log.read_text(encoding="utf-8", errors="replace")[-2000:]
                assert server.poll() is None, said
                assert time.monotonic() < deadline, said
                time.sleep(1)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


@pytest.fixture(scope="module")
def completions(address, model_folder):
    """`local-completions` as the documentation has it: the tokenizer of the model, with its begin-of-sequence token."""
    return get_model("local-completions")(
        base_url=f"{address}/completions", model="tiny", tokenizer=str(model_folder), tokenizer_backend="huggingface",
        add_bos_token=True, max_length=8192, num_concurrent=4, batch_size=4,
    )  # fmt: skip


def test_rankings_by_echoed_log_probabilities(samples, completions, hf, model_folder):
    tasks = ["sea_belebele_id_to_ppl", "sea_belebele_id_litilo_ppl", "sea_wisesight_th"]
    assert_alike(answers(samples, tasks, completions, model_folder), answers(samples, tasks, hf, model_folder))


def test_generation(samples, completions, hf, model_folder):
    tasks = ["sea_belebele_id_litilo_gen", "sea_flores_en_id"]
    assert_alike(answers(samples, tasks, completions, model_folder, **SHORT), answers(samples, tasks, hf, model_folder, **SHORT))


@pytest.mark.parametrize("backend", ["local-chat-completions", "chat-api"])
def test_chat(backend, samples, address, hf, model_folder):
    """The server applies the model's chat template to the messages."""
    base_url = address if backend == "chat-api" else f"{address}/chat/completions"
    chat = get_model(backend)(base_url=base_url, model="tiny", num_concurrent=4)
    task = "sea_belebele_th_chat"
    options = SHORT | {"apply_chat_template": True}
    expected = answers(samples, task, hf, model_folder, **options)
    found = evaluate(samples, task, chat, limit=ROWS, **options)  # which names no tokenizer
    for sample, other in zip(expected["samples"][task], found["samples"][task], strict=True):
        # a server leaves special tokens out of the text
        assert other["resps"][0][0].strip("\ufffd") == sample["resps"][0][0].strip("\ufffd")


@pytest.mark.parametrize("task", ["sea_belebele_id_to_ppl", "sea_xcopa_th_to_ppl"])
def test_rankings_of_answers_to_messages(task, samples, address, hf, model_folder):
    """The options' log-likelihoods behind the chat template, which the server applies."""
    chat = get_model("chat-api")(base_url=address, model="tiny", num_concurrent=4)
    assert chat.tells_log_likelihoods()
    expected = answers(samples, task, hf, model_folder, apply_chat_template=True, fewshot_as_multiturn=True)
    found = evaluate(samples, task, chat, limit=ROWS, apply_chat_template=True, fewshot_as_multiturn=True)
    for sample, other in zip(expected["samples"][task], found["samples"][task], strict=True):
        options = other["resps"]
        assert len(options) > 1
        for [own], [answer] in zip(sample["resps"], options, strict=False):  # prompts alone are ranked where there is a tokenizer
            assert float(answer[0]) == pytest.approx(float(own[0]), abs=1e-4, rel=ROUNDING)
            assert answer[1] == own[1]


def test_a_window_that_the_server_tells(address):
    """An answer that does not fit behind its prompt gets the room there is."""
    chat = get_model("chat-api")(base_url=address, model="tiny")
    assert chat.max_length == 8192
    [answer] = generate(chat, ["word " * 4000], do_sample=False, max_gen_toks=20000, ignore_eos=True)
    assert answer.finish_reason == "length"
    assert answer.prompt_tokens + answer.answer_tokens == 8192
