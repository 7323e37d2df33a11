"""Runs on a server that chats, from the command to the table."""

import signal
import threading

import pytest

from lm_eval_sea.commands.cli import main
from lm_eval_sea.run.answer_cache import FOLDER
from tests.processes import Fork
from tests.run.conftest import answers_kept, written

from ..models.toy_server import DROP, HANG, Answer, serve

TASK = "sea_belebele_en_chat"
USAGE = {"prompt_tokens": 90, "completion_tokens": 30, "completion_tokens_details": {"reasoning_tokens": 20}}
THINKING = Answer([("reasoning", "Hm, B."), ("content", "Answer: B")], usage=USAGE)


def command(toy, output, *arguments, task=TASK, model_args=""):
    return [
        "run", "--model", "chat-api", "--model_args", f"model=toy,base_url={toy.base_url}{model_args}", "--tasks", task,
        "--output_path", str(output), "--log_samples", *arguments,
    ]  # fmt: skip


@pytest.mark.slow
def test_requests_that_failed_are_asked_again_and_no_others(samples, tmp_path, monkeypatch, caplog):
    monkeypatch.chdir(samples)
    output = tmp_path / "results"
    broken = True
    with serve(lambda _, number: DROP if broken and number == 1 else THINKING) as toy:
        first = command(toy, output, "--limit", "3", model_args=",num_concurrent=1,max_retries=0")
        assert main(first) == 0
        assert "requests without an answer, which count as failed: 1; the same command asks for them" in caplog.messages
        assert len(toy.requests) == 3 and (output / FOLDER).exists()
        broken = False
        assert main(first) == 0
    assert len(toy.requests) == 4
    assert toy.requests[3]["messages"] == toy.requests[1]["messages"]
    assert not (output / FOLDER).exists(), "all is answered"


@pytest.fixture(scope="module")
def undisturbed(samples, tmp_path_factory):
    """The results of a run that nothing ends."""
    output = tmp_path_factory.mktemp("undisturbed")
    with serve(lambda *_: THINKING) as toy, pytest.MonkeyPatch.context() as patch:
        patch.chdir(samples)
        assert main(command(toy, output, "--limit", "4")) == 0
    return written(output)["results"]


@pytest.mark.slow
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_run_goes_on(sign, undisturbed, samples, tmp_path, monkeypatch):
    """The server falls silent after two answers; these are not asked again."""
    output, silent = tmp_path / "results", threading.Event()
    monkeypatch.chdir(samples)

    def behave(_, number):
        if number < 2 or silent.is_set():
            return THINKING
        silent.set()
        return HANG

    with serve(behave) as toy:
        given = command(toy, output, "--limit", "4", model_args=",num_concurrent=1")
        process = Fork(*given)
        assert silent.wait(250)
        process.send_signal(sign)
        _, err = process.communicate(timeout=100)
        assert answers_kept(output) == 2
        if sign != signal.SIGKILL:
            assert process.returncode == 130
            said = err.strip().split("\n")[-1]
            assert said.startswith(
                "lm-eval-sea: interrupted; the same command goes on where this one stopped, with the 2 answers"
            )
            assert "Traceback" not in err
        begun = len(toy.requests)
        assert main(given) == 0
        assert len(toy.requests) == begun + 2
    assert not (output / FOLDER).exists()
    assert written(output)["results"] == undisturbed


@pytest.mark.parametrize(
    ("task", "why"),
    [
        ("sea_belebele_en_to_ppl", "the server tells no log-probabilities of answers, as vllm serve does"),
        (
            "sea_belebele_en_litilo_ppl",
            "calibration compares with prompts without content, which cannot be made of messages, and --model chat-api sends "
            "nothing else",
        ),
    ],
)
def test_ranked_tasks_are_refused_with_the_tasks_that_chat(task, why, samples, tmp_path, monkeypatch, refusal):
    monkeypatch.chdir(samples)
    with serve(lambda *_: THINKING) as toy:
        said = refusal(*command(toy, tmp_path, "--limit", "2", task=task)[1:])
    assert said == f"{task}: {why}; take sea_belebele_en_chat, or leave them out"


@pytest.mark.parametrize("limit", [2047, 2046, 1900, 20000])
def test_a_window_that_lm_eval_assumes_is_refused_where_it_would_cut(limit, samples, tiny_model, monkeypatch, refusal):
    """Nothing is sent: there is no server at the address."""
    monkeypatch.chdir(samples)
    server = f"model={tiny_model},base_url=http://127.0.0.1:9/v1/completions,tokenizer_backend=huggingface"
    asked = ["--tasks", "sea_belebele_en_litilo_gen", "--limit", "2", "--gen_kwargs", f"max_gen_toks={limit}"]
    line = refusal("--model", "local-completions", "--model_args", server, *asked)
    assert "do not fit the window of 2,047 that lm-eval assumes" in line
    assert "--model_args max_length=N" in line
