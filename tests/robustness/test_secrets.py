"""Secrets are planted in every input, and must not occur in any output."""

import base64
import json
import re
from dataclasses import replace

import pytest
import yaml

from lm_eval_sea.commands.cli import main
from lm_eval_sea.results.secrets import MASK, KnownSecrets, masked, masked_results, masked_text, secrets_in

from ..conftest import ROOT
from ..loopback import completion, reply, serving
from ..models.toy_server import Answer, refusal, serve
from ..processes import Fork, run
from ..run.conftest import answers_kept, run_on_server

TASK = "sea_xcopa_vi_to_ppl"
PLANTED = [f"pl4nted-{number}-{'Zq' * 8}" for number in range(20)]


SECRET = [
    "token", "hf_token", "HF_TOKEN", "api_key", "apiKey", "X-Api-Key", "Authorization", "accessToken", "client_secret",
    "use_auth_token", "password", "Ocp-Apim-Subscription-Key", "OPENAI_API_KEY", "auth",
]  # fmt: skip
NOT_SECRET = [
    "tokenizer", "bos_token", "think_end_token", "pad_token", "max_tokens", "add_bos_token", "eos_token_id", "key", "keys",
    "custom_prefix_token_id", "prefix_token", "author", "max_gen_toks", "pattern", "authority", "monkey",
]  # fmt: skip


def test_names_of_secrets():
    shown = masked(dict.fromkeys([*SECRET, *NOT_SECRET], "x"))
    assert [name for name, value in shown.items() if value == MASK] == SECRET


def test_no_metric_of_the_pack_is_the_name_of_a_secret():
    """Neither in logged rows and their predictions, nor in a table as text."""
    files = (ROOT / "lm_eval_sea/tasks/_shared").glob("*_yaml")
    metrics = {name for file in files for name in re.findall(r"- \{metric: ([^,}]+)", file.read_text(encoding="utf-8"))}
    assert "acc_token" in metrics and len(metrics) > 30
    row = {"doc": {"predictions": dict.fromkeys(metrics, 1)}, **dict.fromkeys(metrics, 0.5), "arguments": [{"token": "abc"}]}
    assert KnownSecrets().masked_row(row) == row | {"arguments": [{"token": MASK}]}
    text = json.dumps(dict.fromkeys(metrics, 0.5))
    assert masked_text(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("pretrained=x,token=abc,dtype=float32", "pretrained=x,token=***,dtype=float32"),
        ("{'token': 'abc', 'bos_token': '<s>'}", "{'token': '***', 'bos_token': '<s>'}"),
        ('{"header": "{\\"Authorization\\": \\"Bearer abc\\"}"}', '{"header": "{\\"Authorization\\": \\"Bearer ***\\"}"}'),
        ("http://me:abc@host/v1?api_key=abc&x=1", "http://***@host/v1?api_key=***&x=1"),
        ("Authorization: Basic YWJjOmRlZg==", "Authorization: Basic ***"),
        ("sent with hf_abcdefghijklmnopqrst", "sent with ***"),
        ("token=True,token=None", "token=True,token=None"),
        ("got an unexpected keyword argument 'api_key'", "got an unexpected keyword argument 'api_key'"),
        ("https://host:8000/v1 user@host tokenizer=a", "https://host:8000/v1 user@host tokenizer=a"),
    ],
)
def test_secrets_in_text(text, shown):
    assert masked_text(text) == shown
    assert masked_text(shown) == shown


def test_known_secrets_are_masked_everywhere():
    known = KnownSecrets()
    known.add(
        secrets_in({"header": {"X-Mine": "Bearer abc123!", "Accept": "application/json"}, "base_url": "http://u:p%40ss9word@h"})
    )
    assert known.masked("abc123! p@ss9word p%40ss9word application/json Bearer") == "*** *** *** application/json Bearer"
    known.add(["short", "True"])
    assert known.masked("a short True text") == "a short True text"


def test_scores_and_prompts_are_not_masked():
    config = {"description": "token=abc", "doc_to_text": "password: {{x}}", "metadata": {"token": "abc"}}
    content = {"results": {"a": {"token=abc,none": 1}}, "configs": {"a": config}, "config": {"model_args": "a=b,token=abc"}}
    shown = masked_results(content)
    assert shown["results"] == content["results"]
    assert shown["configs"]["a"] == config | {"metadata": {"token": MASK}}
    assert shown["config"] == {"model_args": "a=b,token=***"}


# whole runs


@pytest.fixture
def searched(tmp_path, monkeypatch):
    """Fails if a planted secret is in a written file, in its name, or in the output."""
    monkeypatch.chdir(tmp_path)

    def search(*texts):
        for secret in PLANTED:
            forms = [secret, base64.b64encode(f"me:{secret}".encode()).decode()]
            for form in forms:
                for text in texts:
                    assert form not in text, re.findall(f".{{0,80}}{re.escape(form)}", text)
                for path in [path for path in tmp_path.rglob("*") if path.name not in GIVEN]:
                    assert form not in str(path)
                    if path.is_file() and form.encode() in (data := path.read_bytes()):
                        where = data.index(form.encode())
                        raise AssertionError(f"{path}: {data[max(0, where - 80) : where + 40]!r}")

    return search


GIVEN = {"config.yaml", "plan.yaml", "own.yaml"}  # what users write themselves


@pytest.fixture
def read_all(tmp_path, capsys):
    """The output of show, report and export on runs."""

    def read(runs):
        assert main(["show", str(runs)]) == 0
        assert main(["report", str(runs), "--out", str(tmp_path / "report")]) == 0
        exported = ["--out", str(tmp_path / "exported"), "--model", "me/model"]
        assert main(["export", "every-eval-ever", str(runs), *exported]) == 0
        return capsys.readouterr()

    return read


@pytest.mark.slow
def test_a_run_keeps_secrets(tiny_model, samples, tmp_path, searched, read_all):
    """Those of the command line, of a settings file, of a user's own tasks and of the environment."""
    own = tmp_path / "own"
    own.mkdir()
    task = {"task": "own_task", "dataset_path": "json", "output_type": "generate_until", "test_split": "train"}
    task |= {"dataset_kwargs": {"data_files": str(tmp_path / "rows.json"), "token": PLANTED[0]}, "doc_to_text": "{{q}}"}
    task |= {"metadata": {"version": 1, "api_key": PLANTED[1]}, "doc_to_target": "{{a}}"}
    task |= {"generation_kwargs": {"until": ["."], "max_gen_toks": 4}}
    (own / "own.yaml").write_text(yaml.safe_dump(task))
    rows = [{"q": f"Kota {number}? {PLANTED[2]}", "a": "x"} for number in range(2)]
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    settings = {
        "wandb_config_args": {"api_key": PLANTED[3]},
        "metadata": {"password": PLANTED[4], "url": f"http://me:{PLANTED[5]}@h/"},
    }
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(settings))
    process = run(
        "lm_eval_sea", "run", "--config", tmp_path / "config.yaml", "--include_path", own, "--tasks", f"own_task,{TASK}",
        "--model", "hf", "--model_args", json.dumps({"pretrained": str(tiny_model), "token": PLANTED[2]}), "--limit", "2",
        "--device", "cpu", "--output_path", tmp_path / "results", "--log_samples", "--hf_hub_log_args", f"token={PLANTED[6]}",
        "--show_config", "--write_out", cwd=samples, HF_TOKEN=PLANTED[7], MY_API_KEY=PLANTED[8], LMEVAL_LOG_LEVEL="debug",
    )  # fmt: skip
    assert process.returncode == 0, process.stderr[-3000:]
    (tmp_path / "rows.json").unlink()
    searched(process.stdout, process.stderr, *read_all(tmp_path / "results"))
    assert MASK in process.stderr


@pytest.mark.slow
def test_a_server_that_repeats_the_request(samples, tmp_path, searched, read_all, monkeypatch):
    """Its answers repeat the headers and the address, and so does its refusal."""

    def echo(status):
        def answer(handler):
            text = f"{dict(handler.headers)} {handler.path} {handler.body}"
            reply(completion(text) if status == 200 else {"error": {"message": text}}, status)(handler)

        return answer

    said = []
    monkeypatch.setenv("OPENAI_API_KEY", PLANTED[3])
    for status in (200, 401):
        with serving(echo(status)) as (address, _):
            url = address.replace("://", f"://me:{PLANTED[0]}@") + f"/v1/chat/completions?key={PLANTED[1]}"
            arguments = {"model": "toy", "base_url": url, "header": {"Authorization": f"Bearer {PLANTED[2]}"}, "max_retries": 1}
            generation = {"extra_body": {"api_key": PLANTED[4]}, "token": PLANTED[5]}
            process = Fork(
                "run", "--model", "local-chat-completions", "--model_args", json.dumps(arguments), "--tasks",
                "sea_belebele_en_chat", "--apply_chat_template", "--limit", "1", "--output_path", tmp_path / f"results_{status}",
                "--log_samples", "--gen_kwargs", json.dumps(generation), cwd=samples,
            )  # fmt: skip
            out, err = process.communicate()
            assert (process.returncode == 0) == (status == 200), err[-3000:]
            said += [out, err]
    searched(*said, *read_all(tmp_path / "results_200"))


@pytest.mark.parametrize("opened", ["<think>", ""])
def test_answers_that_an_interrupted_run_keeps_have_no_secrets(opened, samples, tmp_path, searched, monkeypatch):
    """Nor do the thought, the model's name and the token counts that the server sends with them."""
    monkeypatch.setenv("OPENAI_API_KEY", PLANTED[0])
    monkeypatch.chdir(samples)

    def behave(_, number):
        told = toy.headers[number]["Authorization"].removeprefix("Bearer ")
        pieces = [("reasoning", told)] if opened else []
        named = (None, "data: " + json.dumps({"model": told, "choices": []}))
        answer = Answer([named, *pieces, ("content", f"{opened}{told[:12]}"), ("content", f"{told[12:]}</think>Answer: B")])
        return refusal(f"no more for {told}") if number > 1 else replace(answer, usage={"completion_tokens": 5, "told": told})

    alone = {"task": "sea_belebele_en_chat,sea_belebele_id_chat", "model_args": ",thinking=on,num_concurrent=1,max_retries=0"}
    with serve(behave) as toy:
        assert main(run_on_server(toy, tmp_path, "--limit", "2", **alone)) == 1, "the second task has no answer"
    assert answers_kept(tmp_path) == 2
    searched()


@pytest.mark.slow
def test_secrets_in_files_of_plain_lm_eval_are_not_published(tiny_model, samples, tmp_path, searched, read_all):
    arguments = f"pretrained={tiny_model},token={PLANTED[0]}"
    process = run(
        "lm_eval", "run", "--model", "hf", "--model_args", arguments, "--include_path", ROOT / "lm_eval_sea" / "tasks" / "xcopa",
        "--tasks", TASK, "--limit", "2", "--device", "cpu", "--output_path", tmp_path / "plain", "--log_samples", cwd=samples,
    )  # fmt: skip
    assert process.returncode == 0, process.stderr[-3000:]
    said = read_all(tmp_path / "plain")
    [results] = (tmp_path / "plain").rglob("results_*.json")
    assert PLANTED[0] in results.read_text(), "else the test shows nothing"
    results.unlink()
    searched(*said)


@pytest.mark.slow
def test_a_sweep_keeps_secrets(tiny_model, samples, tmp_path, searched):
    plan = {
        "output": str(tmp_path / "out"), "tasks": [TASK], "limit": 2, "backend": "hf", "run": {"device": "cpu"},
        "models": [{"model_args": {"pretrained": str(tiny_model), "token": PLANTED[0]}},
                   {"name": "b", "model_args": {"pretrained": str(tmp_path), "password": PLANTED[1]}}],
    }  # fmt: skip
    (tmp_path / "plan.yaml").write_text(yaml.safe_dump(plan))
    said = []
    for more in (["--dry-run"], []):
        said += Fork("sweep", tmp_path / "plan.yaml", *more, cwd=samples).communicate()
    searched(*said)
