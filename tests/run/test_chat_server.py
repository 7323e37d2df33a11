"""Runs on a chat server, from the command to the table."""

import signal
import threading
from dataclasses import replace

import pytest

from lm_eval_sea.commands.cli import main
from lm_eval_sea.run.answer_cache import FOLDER
from tests.processes import Fork
from tests.run.conftest import TASK_ON_SERVER, THINKING, answers_kept, logged, run_on_server, written

from ..models.toy_server import DROP, HANG, Status, refusal, serve, text


@pytest.mark.slow
def test_results_record_refused_parameters_and_answering_models(in_samples, tmp_path, caplog):
    """Also for an answer kept by an earlier run: in the second run nothing is refused, and a newer model answers."""
    broken = True

    def named(model):
        return replace(THINKING, pieces=[(None, f'data: {{"model": "{model}", "choices": []}}'), *THINKING.pieces])

    def behave(body, number):
        if broken and "temperature" in body:
            return refusal("temperature is not supported", "temperature")
        return DROP if broken and number > 1 else named("toy-2026-01" if broken else "toy-2026-06")

    with serve(behave) as toy:
        given = run_on_server(toy, tmp_path, "--limit", "2", model_args=",thinking=on,num_concurrent=1,max_retries=0")
        assert main(given) == 0
        [first] = tmp_path.rglob("results_*.json")
        first.unlink()
        broken = False
        assert main(given) == 0
    assert written(tmp_path)["config"]["refused_parameters"] == {"temperature": "not sent"}
    assert written(tmp_path)["config"]["answered_by"] == ["toy-2026-01", "toy-2026-06"]
    assert caplog.text.count("the server refuses parameters: temperature (not sent)") == 2


@pytest.mark.slow
def test_only_failed_requests_are_asked_again(in_samples, tmp_path, caplog):
    output = tmp_path / "results"
    broken = True

    def behave(body, number):
        return DROP if broken and number and body["messages"] == toy.requests[1]["messages"] else THINKING

    with serve(behave) as toy:
        first = run_on_server(toy, output, "--limit", "3", model_args=",thinking=on,num_concurrent=1,max_retries=0")
        assert main(first) == 0
        assert "requests without an answer, which count as failed: 1; the same command asks for them" in caplog.messages
        assert len(toy.requests) == 3 and (output / FOLDER).exists()
        assert main(first) == 0, "it is the row's fault"
        assert toy.requests[4]["messages"][-1]["content"] == "1", "the server is there"
        broken = False
        assert main(first) == 0
    assert [number for number, body in enumerate(toy.requests) if body["messages"] == toy.requests[1]["messages"]] == [1, 3, 5]
    assert len(toy.requests) == 6
    assert not (output / FOLDER).exists(), "all is answered"


def test_a_server_is_asked_for_its_models_once(in_samples, tmp_path):
    """It also gets one question on whether it thinks, before the rows are sent."""
    with serve(lambda *_: text("Answer: B")) as toy:
        assert main(run_on_server(toy, tmp_path, "--limit", "2")) == 0
    assert (toy.looks, len(toy.requests)) == (1, 3)


@pytest.mark.parametrize("opened", ["<think>", ""])
def test_a_thought_that_was_cut_is_logged_as_it_was_written(opened, in_samples, tmp_path):
    """It is scored as no answer, also with --reread."""
    cut, shown = opened + "Answer: B, or perhaps", f"{opened}Hm, so B.</think>Answer: A"

    def behave(body, number):
        return text(shown) if number else text(cut, finish="length")

    with serve(behave) as toy:
        asked = ["--limit", "2", "--thinking", "on"]  # so there is no first question
        assert main(run_on_server(toy, tmp_path / "run", *asked, model_args=",num_concurrent=1")) == 0
    [row, other] = logged(tmp_path / "run")
    assert (row["resps"], row["doc"]["state"], row["null_rate"]) == ([[cut]], "cut", 1) and other["resps"] == [[shown]]
    assert main(["score", str(tmp_path / "run"), "--reread", str(tmp_path / "again")]) == 0
    assert logged(tmp_path / "again") == [row, other]


@pytest.mark.parametrize("kept_show_it", [True, False])
def test_kept_answers_help_to_decide_whether_the_template_opens_a_thought(kept_show_it, in_samples, tmp_path):
    """An answer without the closing mark is then a thought, whether it came before or after the interruption."""
    cut, closed = text("The answer is B, or perhaps", finish="length"), text("Hm, so B.\n</think>\n\nAnswer: A")
    stopped = False

    def behave(body, _):
        place = places.setdefault(str(body["messages"]), len(places))
        return DROP if stopped and place > 1 else closed if (place < 2) == kept_show_it else cut

    states = []
    for stops in ((False,), (True, False)):
        places, output = {}, tmp_path / f"{len(stops)}"
        with serve(behave) as toy:
            for now in stops:
                stopped = now
                for file in output.rglob("*_20*"):
                    file.unlink()
                given = run_on_server(toy, output, "--limit", "4", model_args=",thinking=on,num_concurrent=1,max_retries=0")
                assert main(given) == 0
        states.append([row["doc"]["state"] for row in logged(output)])
    assert states[0] == states[1] == (["closed"] * 2 + ["cut"] * 2)[:: 1 if kept_show_it else -1]


def test_the_table_says_why_sea_helm_answers_are_lost(in_samples, tmp_path, capsys):
    """In each task one answer is right, one is cut in its thought, which a server may hide, and one fails."""
    right = {"bersih": text("Jawaban: Positif"), "Kerinci": text("Jawaban: 3.805 meter")}
    cut = {"dingin": text("<think>Jawaban: Negatif", finish="length"), "Kapuas": text("", finish="length")}

    def behave(body, number):
        asked = body["messages"][-1]["content"]
        return next((answer for word, answer in (right | cut).items() if word in asked), DROP)

    tasks = "sea_helm_id_sentiment,sea_helm_id_qa"
    with serve(behave) as toy:
        alone = ",num_concurrent=1,max_retries=0"
        assert main(run_on_server(toy, tmp_path, "--apply_chat_template", task=tasks, model_args=alone)) == 0
    capsys.readouterr()
    assert main(["show", str(tmp_path)]) == 0
    notes = " ".join(capsys.readouterr().out.split()).split(" note: ")
    lost = "not read 66.7 % (cut in the thought 33.3 %, failed requests 33.3 %)"
    bounds = "f1 is 33.3 if all cut answers are wrong, 66.7 if all are right, 100.0 on completed answers"
    assert {f"sea_helm_id_sentiment: {lost}", f"sea_helm_id_qa: {lost}; {bounds}"} <= set(notes)
    both = "sea_helm_id_sentiment, sea_helm_id_qa"
    assert f"{both}: requests failed; the same command asks them again" in notes
    assert f"{both}: thoughts do not end; raise --thinking_tokens" in notes


@pytest.mark.slow
@pytest.mark.parametrize("given", [[], ["--fewshot_as_multiturn", "true"], ["--fewshot_as_multiturn", "false"]])
def test_exemplars_are_turns_unless_turned_off(given, in_samples, tmp_path):
    with serve(lambda body, number: THINKING) as toy:
        assert main(run_on_server(toy, tmp_path, "--limit", "1", "--num_fewshot", "1", *given, model_args=",thinking=on")) == 0
    messages = toy.requests[-1]["messages"]
    assert [message["role"] for message in messages] == (["user"] if "false" in given else ["user", "assistant", "user"])
    lines = "\n".join(message["content"] for message in messages).splitlines()
    assert sum(line.startswith("Answer: ") for line in lines) == 1  # only the exemplar's answer is a whole line


WINDOW = Status(200, {"data": [{"id": "toy", "max_model_len": 32768}]})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "limit", "state"),
    [
        ([], 256 + 8192, "stopped in the thought"),
        (["--system_instruction", "Be brief. /no_think"], 256, "no thought"),
        (["--gen_kwargs", '{"chat_template_kwargs": {"enable_thinking": false}}'], 256, "no thought"),
    ],
)
def test_a_template_that_obeys_the_system_message_and_gen_kwargs(given, limit, state, in_samples, tmp_path):
    """Nemotron Nano 2 has such a template. The server leaves thoughts in the text."""

    def prompt_end(body):
        is_off = "/no_think" in str(body["messages"]) or body["chat_template_kwargs"].get("enable_thinking") is False
        return "<assistant><think></think>" if is_off else "<assistant><think>\n"

    with serve(lambda *_: text("Answer: B"), WINDOW, prompt_end) as toy:
        assert main(run_on_server(toy, tmp_path, "--limit", "2", *given)) == 0
    assert {body["max_completion_tokens"] for body in toy.requests} == {limit}
    assert {row["doc"]["state"] for row in logged(tmp_path)} == {state}


@pytest.mark.slow
def test_the_first_question_has_the_system_message(in_samples, tmp_path):
    """Llama Nemotron thinks if the message says so. Another message is another question, also with kept answers."""
    broken = True

    def behave(body, number):
        if broken and len(toy.requests) > 2:
            return refusal("no credit", code=402)
        return text("<think>Hm.</think>Answer: B" if "thinking on" in body["messages"][0]["content"] else "Answer: B")

    limits = []
    with serve(behave) as toy:
        for told, status in (("detailed thinking off", 1), ("detailed thinking on", 0), ("detailed thinking off", 0)):
            given = ["--limit", "2", "--system_instruction", told]
            assert main(run_on_server(toy, tmp_path, *given, model_args=",num_concurrent=1")) == status
            broken = False
            limits.append(toy.requests[-1]["max_completion_tokens"])
    assert limits == [256, 256 + 8192, 256]


@pytest.mark.slow
def test_an_interrupted_run_goes_on(in_samples, tmp_path):
    """The server falls silent after two answers, which are not asked for again. `test_resume.py` has other signals."""
    output, silent = tmp_path / "results", threading.Event()

    def behave(_, number):
        if number < 2 or silent.is_set():
            return THINKING
        silent.set()
        return HANG

    with serve(behave) as toy:
        given = run_on_server(toy, output, "--limit", "4", model_args=",thinking=on,num_concurrent=1")
        process = Fork(*given)
        assert silent.wait(250)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=100)
        assert process.returncode == 130 and "Traceback" not in err
        assert answers_kept(output) == 2
        said = "lm-eval-sea: interrupted; the same command continues where this one stopped, with the 2 answers"
        assert err.strip().split("\n")[-1].startswith(said)
        begun = len(toy.requests)
        assert main(given) == 0
        assert len(toy.requests) == begun + 2
    assert not (output / FOLDER).exists()
    assert written(output)["n-samples"][TASK_ON_SERVER]["effective"] == 4


@pytest.mark.slow
def test_a_complete_run_keeps_answers_of_another_interrupted_run(in_samples, tmp_path):
    """It deletes the answers that it has used, so these are asked for again."""
    output, broken = tmp_path / "results", True
    refused = refusal("no credit", code=402)
    with serve(lambda _, number: refused if broken and number > 1 else THINKING) as toy:
        interrupted, *others = (
            run_on_server(toy, output, *given, model_args=",thinking=on,num_concurrent=1")
            for given in (["--limit", "4"], ["--limit", "4", "--system_instruction", "Be brief."], ["--limit", "1"])
        )
        assert main(interrupted) == 1 and answers_kept(output) == 2
        broken = False
        asked = []
        for given in (*others, interrupted):
            begun = len(toy.requests)
            assert main(given) == 0
            asked.append(len(toy.requests) - begun)
    assert asked == [4, 0, 3]
    assert not (output / FOLDER).exists()


def told_by_question(*, thinks_once, breaks_off):
    """The behaviour of a server, and the requests that it gets: questions on whether the model thinks, and rows."""
    questions, rows = [], []

    def behave(body, _):
        is_question = "A train leaves" in body["messages"][-1]["content"]
        (questions if is_question else rows).append(body)
        if is_question:
            return text("188" if thinks_once and len(questions) > 1 else "<think>Hm.</think>188")
        return DROP if breaks_off and len(rows) == 3 else text("Answer: B")

    return behave, questions, rows


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [(), (1, 2)])
def test_the_first_question_is_asked_once_for_resumed_runs_and_seeds(seeds, in_samples, tmp_path):
    """Another answer to it would give other limits, and all rows would be asked again."""
    behave, questions, rows = told_by_question(thinks_once=True, breaks_off=not seeds)
    with serve(behave) as toy:
        for number in seeds or (None, None):
            more = ["--seeds", str(number), "--gen_kwargs", "do_sample=True,temperature=0.7"] if number else []
            assert main(run_on_server(toy, tmp_path, "--limit", "3", *more, model_args=",num_concurrent=1,max_retries=0")) == 0
    assert {row["max_completion_tokens"] for row in rows} == {256 + 8192}
    assert (len(questions), len(rows)) == (1, 6 if seeds else 4)
    assert not list(tmp_path.rglob(FOLDER))


@pytest.mark.slow
@pytest.mark.parametrize("changed", ["root", "prompt_end"])
def test_another_model_or_template_under_the_same_name_is_asked_again(changed, in_samples, tmp_path):
    """Both the first question and each row; `root` names what vLLM has loaded."""
    behave, questions, rows = told_by_question(thinks_once=False, breaks_off=True)

    def serving(root):
        return Status(200, {"data": [{"id": "toy", "root": root, "max_model_len": 50_000}]})

    with serve(behave, serving("/models/a"), "<assistant>") as toy:
        given = run_on_server(toy, tmp_path, "--limit", "3", model_args=",num_concurrent=1,max_retries=0")
        assert main(given) == 0
        toy.models, toy.prompt_end = (serving("/models/b"), toy.prompt_end) if changed == "root" else (toy.models, "<model>")
        assert main(given) == 0
    assert [len(rows), len(questions)] == [6, 2]
