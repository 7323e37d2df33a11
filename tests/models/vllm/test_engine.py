"""Tasks of every kind on vLLM, held against transformers; and the backend that reads vLLM's prefix cache, held against vLLM's."""

import functools

import pytest

pytest.importorskip("vllm", reason="vLLM has an environment of its own: bash scripts/test_vllm.sh")

from lm_eval.api.instance import Instance

from lm_eval_sea.models import vllm_shared_prefix

from ..conftest import ask, assert_equal, generate, ranking_requests
from .answers import answers, assert_alike

RANKED = [f"sea_belebele_id_{variant}_ppl" for variant in ("to", "tito", "litito", "litilo", "litiloto")]
RANKED += ["sea_xcopa_id_to_ppl", "sea_xnli_th", "sea_wisesight_th", "sea_helm_id_nli_ppl"]
GENERATED = ["sea_belebele_id_litilo_gen", "sea_xquad_th", "sea_flores_en_id", "sea_indosum_id", "sea_helm_id_ifeval"]
SHORT = {"gen_kwargs": {"max_gen_toks": 24}}
KINDS = {
    "ranked": (RANKED, {}),
    "generated": (GENERATED, SHORT),
    "documents": ("sea_indosum_id", SHORT),
    "chat": ("sea_belebele_th_chat", SHORT | {"apply_chat_template": True}),
}


@pytest.fixture(scope="module")
def asked(samples, model_folder):
    """What a model answers to tasks of a kind."""

    def asked(kind, model):
        tasks, options = KINDS[kind]
        return answers(samples, tasks, model, model_folder, **options)

    return asked


@pytest.fixture(scope="module")
def of_hf(asked, hf):
    return functools.cache(lambda kind: asked(kind, hf))


@pytest.mark.parametrize(
    ("backend", "kind"), [("vllm", "ranked"), ("vllm", "generated"), ("vllm", "chat"), ("shared", "generated")]
)
def test_each_kind_of_task(backend, kind, asked, of_hf, request):
    assert_alike(asked(kind, request.getfixturevalue(backend)), of_hf(kind))


def test_cut_documents(asked, hf, vllm, of_hf, monkeypatch):
    """A context that holds the longest prompt, but no answer to it."""
    whole = prompts(of_hf("documents"))
    for model in (hf, vllm):
        monkeypatch.setattr(model, "_max_length", max(len(hf.tok_encode(prompt)) for prompt in whole))
    expected = asked("documents", hf)
    assert any(len(prompt) < len(full) for prompt, full in zip(prompts(expected), whole, strict=True))
    assert_alike(asked("documents", vllm), expected)


# what is told of a text beside the text, and answers that the engine chooses among given ones

PROMPTS = ["sebuah kota besar", "di tepi sungai yang ramai"]
GREEDY = {"max_gen_toks": 6, "do_sample": False, "temperature": 0.0}


def test_the_texts_are_those_of_lm_evals_vllm_with_their_tokens(shared, vllm):
    texts, plain = (generate(lm, PROMPTS, **GREEDY) for lm in (shared, vllm))
    assert texts == plain
    assert [vars(text) for text in texts] == [vars(text) for text in plain]
    for prompt, text in zip(PROMPTS, texts, strict=True):
        assert text.prompt_tokens == len(shared.tok_encode(prompt, add_special_tokens=shared.add_bos_token))
        assert text.thought_tokens == 0 and 0 < text.answer_tokens <= 6
        assert text.finish_reason == ("length" if text.answer_tokens == 6 else "stop")


def test_a_constrained_answer_is_one_of_the_options(shared):
    options = ["Jawaban: A", "Jawaban: B"]
    for text in generate(shared, PROMPTS, **GREEDY | {"max_gen_toks": 40, "structured_outputs": {"choice": options}}):
        assert text in options and text.finish_reason == "stop"


def prompts(results):
    return [prompt for samples in results["samples"].values() for sample in samples for prompt, _ in sample["arguments"]]


class TestSharedPrefix:
    def test_rankings(self, asked, shared, of_hf):
        """With a fraction of the tokens; the self-check included."""
        before = shared.work.forwarded
        assert_alike(asked("ranked", shared), of_hf("ranked"))
        assert not shared._plain
        samples = [sample for of_task in of_hf("ranked")["samples"].values() for sample in of_task]
        plain = sum(len(shared.tok_encode("".join(pair))) for sample in samples for pair in sample["arguments"])
        assert shared.work.forwarded - before < plain / 4

    @pytest.mark.parametrize("size", [2048, 5])
    def test_the_same_requests_again(self, shared, vllm, monkeypatch, size):
        """What the cache still holds is no score; nor is the end of a call the end of what was computed."""
        monkeypatch.setattr(vllm_shared_prefix, "REQUESTS_PER_CALL", size)
        monkeypatch.setattr(shared, "batch_size", 1)
        requests = ranking_requests(12, prefix=60, bos=True)
        expected = ask(vllm, requests)
        calls, generate = [], shared._model_generate
        monkeypatch.setattr(shared, "_model_generate", lambda **asked: calls.append(asked) or generate(**asked))
        for _ in range(2):
            assert_equal(ask(shared, requests), expected)
        assert (len(calls) == 2) == (size == 2048), "lm-eval's default batch size is not that of a call"

    def test_every_end_of_a_block(self, shared, vllm):
        """Continuations that part at each position of two blocks."""
        requests = [(f"{'a ' * length}", f"{letter} b c") for length in range(1, 70) for letter in "xyz"]
        requests += [("", f"{'a ' * length}x") for length in range(1, 70, 3)]
        assert_equal(ask(shared, requests), ask(vllm, requests))

    def test_one_token_at_a_time(self, shared, vllm, monkeypatch):
        """As on a vLLM that cannot be asked for several tokens."""
        monkeypatch.setattr(vllm_shared_prefix, "_can_ask", lambda: False)
        requests = [(f"kota {'besar ' * 40}", letter) for letter in ("A", "B", "C")]
        requests += [("", f"kota {'besar ' * 40}")]
        assert_equal(ask(shared, requests), ask(vllm, requests))

    def test_longer_than_the_window(self, shared, vllm):
        text = " ".join(map(str, range(6000)))
        requests = [(text, " satu dua"), (text, " satu tiga"), (text, text[:200])]
        assert_equal(ask(shared, requests), ask(vllm, requests))

    def test_rolling_log_likelihoods_are_vllms(self, shared, vllm):
        requests = [Instance("loglikelihood_rolling", {}, (text,), 0) for text in ("kota besar", "kota kecil di tepi sungai")]
        assert shared.loglikelihood_rolling(requests) == pytest.approx(vllm.loglikelihood_rolling(requests), abs=1e-4)

    def test_numbers_that_differ_are_not_used(self, shared, vllm, monkeypatch, caplog):
        """A cache that answers with other numbers is found out, and the model computed as lm-eval does."""
        honest = vllm_shared_prefix._engine_answer

        def dishonest(request, output):
            answer = honest(request, output)
            return type(answer)([logprob - 0.01 for logprob in answer.logprobs], answer.greedy, answer.asked)

        monkeypatch.setattr(vllm_shared_prefix, "_engine_answer", dishonest)
        monkeypatch.setattr(shared, "_verified", False)
        monkeypatch.setattr(shared, "_plain", False)
        requests = ranking_requests(6, prefix=60, bos=True)
        found = ask(shared, requests)
        assert_equal(found, ask(vllm, requests))
        assert shared._plain
        assert "Every request is computed whole" in caplog.text
