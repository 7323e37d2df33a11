"""Causes of silently wrong numbers: servers without log-probabilities, rows of another language, weights that changed."""

import asyncio
import json
import shutil
from datetime import datetime
from types import SimpleNamespace

import pytest
import torch
from lm_eval.models.huggingface import HFLM
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

from lm_eval_sea.models.chat_server import ChatServer, say_if_another
from lm_eval_sea.models.generated_text import GeneratedText
from lm_eval_sea.models.server_parameters import RequestError, ServerParameters
from lm_eval_sea.run.answer_cache import digest_of_weights
from lm_eval_sea.run.answering import what_servers_said
from lm_eval_sea.run.api_server import check_choice, check_replies
from lm_eval_sea.run.chat_template import check_template_of_model
from lm_eval_sea.run.request import RunError
from lm_eval_sea.run.workload import fault_of_vocabulary, reads_ahead, unknown_shares
from lm_eval_sea.tasks._shared.row_language import other_language

from ..loopback import completion, reply, serving
from ..model_folder import chat_run, with_template


def of_server(address, ask, model="m"):
    """The answer of a chat server to `ask(server)`."""

    async def asking():
        settings = {"key_hint": "", "timeout": 5, "max_retries": 0, "parameters": ServerParameters()}
        async with ChatServer(f"{address}/v1", model, "none", **settings) as server:
            return await ask(server)

    return asyncio.run(asking())


def told(numbers, **more):
    return {"index": 0, "logprobs": {"token_logprobs": numbers, "top_logprobs": [{"a": -1.0}] * len(numbers)} | more}


def completions(name="m", **more):
    """A server backend of lm-eval's whose replies are checked."""
    from lm_eval.models.openai_completions import LocalCompletionsAPI

    model = LocalCompletionsAPI(model=name, base_url="http://127.0.0.1:9/v1/completions", tokenizer_backend=None, **more)
    check_replies(model)
    return model


LIES = {
    "no echo": (told([-0.5]), "does not repeat the prompt"),
    "too few": (told([None, -1.0, -2.0]), "returns 3 log-probabilities for a prompt of 4 tokens"),
    "too many": (told([None] + [-1.0] * 6), "returns 7 log-probabilities for a prompt of 4 tokens"),
    "positive": (told([None, -1.0, 2.5, -1.0, -1.0]), "returns 2.5 as a log-probability"),
    "not a number": (told([None, -1.0, float("nan"), -1.0, -1.0]), "returns nan as a log-probability"),
    "a text": (told([None, -1.0, "x", -1.0, -1.0]), "returns x as a log-probability"),
    "none": ({"index": 0, "text": "x"}, "returns no log-probabilities"),
    "null": ({"index": 0, "logprobs": None}, "returns no log-probabilities"),
    "no alternatives": (told([None] + [-1.0] * 4, top_logprobs=None), "returns no log-probabilities"),
}


@pytest.mark.parametrize("lie", LIES)
def test_invalid_log_probabilities(lie):
    choice, said = LIES[lie]
    with pytest.raises(RunError, match=said) as caught:
        check_choice(choice, 4)
    assert "echo=true" in str(caught.value) and "\n" not in str(caught.value)


def test_valid_log_probabilities():
    check_choice(told([None, -1.0, float("-inf"), -0.0, -1.0]), 4)
    model = completions()
    good = {"choices": [told([None, -1.0, -2.0, -3.0, -9.0])]}
    [(number, _)] = model.parse_logprobs(outputs=good, tokens=[[5, 6, 7, 8]], ctxlens=[2])
    assert number == -5.0
    with pytest.raises(RunError, match="gave 1 answers to 2 prompts"):
        model.parse_logprobs(outputs=good, tokens=[[5, 6, 7, 8], [5]], ctxlens=[2, 1])


def test_another_number_of_answers_than_of_prompts():
    """The surplus would be taken for answers to the next rows, also in a resumed run."""
    model = completions(batch_size=2)
    twice = {"choices": [{"index": number, "text": text} for number, text in enumerate(["A", "A again", "B", "B again"])]}
    for given in ({"contexts": ("a", "b")}, {"contexts": ("a",) * 5}, {}):  # lm-eval passes contexts or, if concurrent, nothing
        with pytest.raises(RunError, match=r"gave 4 answers to [125] prompts; give --batch_size 1"):
            model.parse_generations(outputs=twice, **given)
    twice["choices"] = twice["choices"][:2]
    assert model.parse_generations(outputs=twice, contexts=("a", "b")) == ["A", "A again"]


@pytest.mark.parametrize(("logprob", "said"), [(-1.5, None), (0.25, "0.25 as a log-probability"), ("NaN", "nan as a log-prob")])
def test_log_probabilities_of_answers_to_messages(logprob, said):
    """The server is like vLLM's; its tokens are characters."""

    def answer(handler):
        asked = json.loads(handler.body)
        if handler.path == "/tokenize":
            told = {"tokens": [ord(sign) for sign in asked.get("prompt", "1:")]}
        elif handler.path == "/detokenize":
            told = {"prompt": "".join(map(chr, asked["tokens"]))}
        else:
            told = {"choices": [{"prompt_logprobs": [{str(each): {"logprob": logprob, "rank": 1}} for each in asked["prompt"]]}]}
        reply(told)(handler)

    def rank(server):
        return server.rank([{"role": "user", "content": "1"}], ["ab"], {})

    with serving(answer) as (address, _):
        if said is None:
            assert of_server(address, rank) == [(2 * logprob, True)]
        else:
            with pytest.raises(RequestError, match=said):
                of_server(address, rank)


OTHERS = [("model", told) for told in ("MODEL-2025-01-31", "org/model", "", None, [5])]


@pytest.mark.parametrize(("name", "told"), [("model", "org/other"), ("org/small-latest", "small-2025-01-31"), *OTHERS])
def test_a_server_that_answers_as_another_model(name, told, caplog):
    say_if_another.cache_clear()

    def ask(server):
        return server.chat([{"role": "user", "content": "1"}], {})

    answer = completion() | {"model": told}
    answer["choices"][0]["finish_reason"] = "stop"
    with serving(reply(answer)) as (address, _):
        for _ in range(2):
            assert of_server(address, ask, name).answer == "fine"
    completions(name).parse_generations(outputs={"model": told, "choices": [{"index": 0, "text": "x"}]})
    said = [message for message in caplog.messages if "is it the right one?" in message]
    warning = "the server answers as the model 'org/other', but was asked for 'model': is it the right one?"
    assert said == ([warning] if told == "org/other" else [])


@pytest.mark.parametrize(
    ("prompts", "cut_at"),  # characters and tokens
    [
        ([(900, 220), (1500, 256), (1100, 256), (2000, 256)], 256),
        ([(900, 220), (1100, 256), (2000, 256), (2100, 500)], None),  # some are longer
        ([(900, 220), (1100, 256), (1101, 256), (1102, 256)], None),  # of like lengths
        ([(900, 220), (1100, 256), (2000, 256)], None),  # only two are equal, perhaps by chance
        ([(900, 1), (1500, 1), (1100, 1), (2000, 1)], None),  # the server does not count
        ([(900, None), (1500, None), (1100, None), (2000, None)], None),
    ],
)
def test_a_server_that_cuts_prompts(prompts, cut_at):
    """Its token counts show it."""
    asked = [
        SimpleNamespace(args=("x" * length,), resps=[GeneratedText("A", prompt_tokens=tokens)]) for length, tokens in prompts
    ]
    tasks = {"one": SimpleNamespace(_instances=asked[:2]), "other": SimpleNamespace(_instances=asked[2:])}
    assert what_servers_said(tasks).get("prompts_cut_at") == cut_at


# rows


def test_rows_of_another_language_under_the_right_name(mirror, load_tasks):
    """The column `dialect` says nothing wrong. The script differs, or is the same."""
    folder = mirror / "facebook" / "belebele" / "data"
    for other in ("tha_Thai", "eng_Latn"):
        rows = (folder / f"{other}.jsonl").read_text(encoding="utf-8").replace(other, "zsm_Latn")
        many = "".join(rows.replace("example.org", f"{number}.example.org") for number in range(6))  # few rows tell nothing
        (folder / "zsm_Latn.jsonl").write_text(many, encoding="utf-8")
        with pytest.raises(Exception, match="most rows are not in ms but in .*; is it the file of another language"):
            load_tasks("sea_belebele_ms_to_ppl", folder=mirror)


def test_similar_languages_are_not_reported():
    rows = [{"id": "1", "question": "Saya pergi ke pasar untuk membeli sayur dan ikan yang segar setiap hari."}] * 20
    assert other_language(rows, "ms") is None
    assert other_language(rows, "jv") is None
    assert other_language(rows, "th") == "Latin letters"
    assert other_language([{"id": "1", "question": "12 + 3"}], "th") is None


# models


def test_a_checkpoint_that_was_replaced(tmp_path):
    """The size stays the same; the change is in the first or the last block."""
    path = tmp_path / "model.safetensors"
    digests = set()
    for place in (0, 3 * 2**20 - 1, None):
        content = bytearray(3 * 2**20)
        if place is not None:
            content[place] = 1
        path.write_bytes(content)
        digests.add(digest_of_weights({"pretrained": str(tmp_path)}))
    assert len(digests) == 3 and None not in digests
    copy = shutil.copytree(tmp_path, tmp_path.with_name("copy"))
    assert digest_of_weights({"pretrained": str(copy)}) == digest_of_weights({"pretrained": str(tmp_path)})
    assert digest_of_weights({"model": "gpt"}) is None


def test_two_gguf_models_in_one_folder(tmp_path):
    """The digest is of the file that is loaded, whatever files are beside it."""
    for name in "ab":
        (tmp_path / f"{name}.gguf").write_bytes(name.encode())
    first, other = ({"pretrained": str(tmp_path), "gguf_file": f"{name}.gguf"} for name in "ab")
    of_first = digest_of_weights(first)
    assert None is not of_first != digest_of_weights(other)
    (tmp_path / "c.gguf").write_bytes(b"c")
    assert digest_of_weights(first) == of_first


def test_texts_with_unknown_tokens():
    known = "abc "

    class Model:
        tokenizer = SimpleNamespace(unk_token_id=0)

        def tok_encode(self, text):
            return [known.find(letter) + 1 for letter in text]

    def task(*texts):
        return SimpleNamespace(instances=[SimpleNamespace(args=(text, "a")) for text in texts])

    shares = unknown_shares(Model(), {"fine": task("abc " * 100), "half": task("abกข"), "few": task("abc " * 50 + "ก")})
    assert shares == {"half": 2 / 5}


@pytest.mark.parametrize(("kind", "said"), [("bert", True), ("gpt2", False)])
def test_a_model_that_looks_ahead(kind, said, tiny_model):
    """An encoder without `is_decoder` can be loaded as a causal model, and would see the tokens that it should predict."""
    torch.manual_seed(0)
    tokenizer = AutoTokenizer.from_pretrained(tiny_model)
    config = AutoConfig.for_model(kind, vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=1, num_attention_heads=2)
    config.initializer_range = 0.2
    model = HFLM(AutoModelForCausalLM.from_config(config).eval(), tokenizer=tokenizer, backend="causal")
    assert reads_ahead(model) == said


@pytest.mark.parametrize(("tokens", "said"), [(90, False), (100, False), (89, True), (112, True)])
def test_a_tokenizer_of_another_size_than_the_model(tokens, said):
    embeddings = torch.nn.Embedding(100, 2)
    model = SimpleNamespace(model=SimpleNamespace(get_input_embeddings=lambda: embeddings), tokenizer=range(tokens))
    assert (fault_of_vocabulary(model) is not None) == said
    assert fault_of_vocabulary(SimpleNamespace(tokenizer=range(5))) is None


MESSAGES = "{% for m in messages %}{{ m['content'] }}{% endfor %}"
DATE, TIME = ("{{ strftime_now('" + form + "') }} " + MESSAGES for form in ("%d %b %Y", "%H:%M"))


@pytest.fixture
def check_template(tiny_model, tmp_path):
    """Checks a chat template as a run does."""

    def check_template(template, **more):
        return check_template_of_model(chat_run(with_template(tiny_model, tmp_path / "model", template)), {}, **more)

    return check_template


@pytest.mark.parametrize("template", [DATE, TIME])
def test_templates_that_write_the_date_or_the_time(template, check_template, caplog):
    check_template(template)
    assert "writes today's date into every prompt: add --date" in caplog.text


def test_the_date_of_the_user_in_a_template_that_has_a_name(tiny_model, tmp_path):
    tokenizer = AutoTokenizer.from_pretrained(tiny_model)
    tokenizer.chat_template = {"default": MESSAGES, "dated": DATE}
    tokenizer.save_pretrained(tmp_path)
    use = check_template_of_model(chat_run(tmp_path, template="dated"), {}, date=datetime(2025, 1, 31))
    assert use.prompt.startswith("31 Jan 2025 ")


def test_the_date_of_the_user(check_template):
    assert check_template(DATE, date=datetime(2025, 1, 31)).prompt.startswith("31 Jan 2025 ")
    with pytest.raises(RunError, match="--date: the chat template of .* writes no date"):
        check_template(MESSAGES, date=datetime(2025, 1, 31))
    with pytest.raises(RunError, match="never writes the same prompt twice"):
        check_template("{{ range(10**5) | random }}" + MESSAGES)
