"""The model's tokenizer as each backend of lm-eval uses it."""

import json
import shutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lm_eval.api.model import TemplateLM
from lm_eval.models.huggingface import HFLM
from lm_eval.models.openai_completions import LocalCompletionsAPI
from make_tiny_model import train_tokenizer
from transformers import AutoTokenizer

from lm_eval_sea.tasks._shared.tokenization import find_tokenizer

TEXTS = ("Kota ini ramai.", "กรุงเทพฯ\n\nคำตอบ: ก", "<|bos|>A", " x")


def local(folder, **arguments):
    return HFLM(pretrained=str(folder), device="cpu", **arguments)


@pytest.mark.parametrize("add_bos_token", [None, True, False])
def test_the_tokens_are_those_that_the_model_gets(add_bos_token, tiny_model, tiny_model_bos):
    for folder in (tiny_model, tiny_model_bos):
        model = local(folder, add_bos_token=add_bos_token, max_length=512)
        tokenizer = find_tokenizer(model, {}, "")
        assert [list(tokenizer.encode(text)) for text in TEXTS] == [model.tok_encode(text) for text in TEXTS]
        assert tokenizer.max_length == 512
    assert tokenizer.adds_bos == (add_bos_token is not False)


def test_an_api_model_adds_no_special_tokens_and_keeps_one_token_free(tiny_model_bos):
    address = "http://127.0.0.1:1/v1/completions"  # nothing is sent
    model = LocalCompletionsAPI(base_url=address, model="served", tokenizer=str(tiny_model_bos), max_length=4096)
    tokenizer = find_tokenizer(model, {"tokenizer": str(tiny_model_bos)}, "")
    assert not tokenizer.adds_bos
    assert tokenizer.max_length == 4095


def test_a_class_of_the_users_own_without_a_window(tiny_model):
    """lm-eval asks a `TemplateLM` for no `max_length`; nothing is cut then."""

    class Own(TemplateLM):
        tokenizer = AutoTokenizer.from_pretrained(tiny_model)
        eot_token_id = 0
        _loglikelihood_tokens = loglikelihood_rolling = generate_until = None

        def tok_encode(self, string, **kwargs):
            return self.tokenizer.encode(string)

    tokenizer = find_tokenizer(Own(), {}, "x")
    assert list(tokenizer.encode("Kota ini")) == Own.tokenizer.encode("Kota ini")
    assert tokenizer.cut_to_fit("Kota ini " * 5000, [" ramai."]) == "Kota ini " * 5000


def test_metadata_that_name_another_tokenizer_or_none(tiny_model, tmp_path):
    """Beside a model that has one; the name of another model does not count."""
    train_tokenizer(["Kota ini ramai."] * 3, bos=False, vocabulary=300).save_pretrained(tmp_path)
    model, other = local(tiny_model), str(tmp_path)
    with pytest.raises(ValueError, match="encodes text differently from the model's own"):
        find_tokenizer(model, {"tokenizer": other, "pretrained": str(tiny_model)}, "x")
    with pytest.raises(ValueError, match="leave it out"):
        find_tokenizer(model, {"tokenizer": "none"}, "x")
    assert find_tokenizer(model, {"pretrained": other}, "x").name == str(tiny_model)


def test_a_tokenizer_that_adds_a_begin_token_changes_nothing(tiny_model_bos, tmp_path):
    """The same tokens behind a begin-of-sequence token: the model's own tokenizer counts, and a server adds none."""
    own = shutil.copytree(tiny_model_bos, tmp_path / "plain")
    path = own / "tokenizer.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | {"post_processor": None}), encoding="utf-8")
    plain, begun = map(AutoTokenizer.from_pretrained, (own, tiny_model_bos))
    assert begun.encode("Kota ini") == [begun.bos_token_id, *plain.encode("Kota ini")], "else the test shows nothing"
    found = find_tokenizer(local(own), {"tokenizer": str(tiny_model_bos)}, "x")
    assert list(found.encode("Kota ini")) == plain.encode("Kota ini")
    server = {"tokenizer": str(tiny_model_bos), "base_url": "http://127.0.0.1:9"}
    for told, expected in (({}, plain), ({"add_bos_token": True}, begun)):
        assert list(find_tokenizer(object(), server | told, "x").encode("Kota ini")) == expected.encode("Kota ini")


@settings(max_examples=50)
@given(text=st.text(min_size=1, max_size=40).filter(lambda text: not text[0].isspace()))
def test_the_first_token_and_the_rest_are_the_text(text, tiny_model):
    tokenizer = find_tokenizer(None, {"tokenizer": str(tiny_model)}, "")
    first, rest = tokenizer.split_first_token(text + " end")
    assert first + rest == text + " end"
    ids = tokenizer.encode(text + " end")
    assert ids[: len(tokenizer.encode(first))] == tokenizer.encode(first)
    assert tokenizer.unscored_tokens(first) == len(tokenizer.encode(first)) - 1


@pytest.mark.parametrize("room", [5, 12, 30])
def test_cut_text_is_the_longest_end_that_fits(room, tiny_model):
    tokenizer = find_tokenizer(local(tiny_model, max_length=room), {}, "")
    text, endings = "Kota ini ramai pada hari pasar, dan para pedagang datang dari desa.", [" ya", " tidak"]

    def fits(end):
        return all(len(tokenizer.encode(end + ending)) <= room for ending in endings)

    cut = tokenizer.cut_to_fit(text, endings)
    assert text.endswith(cut) and fits(cut)
    assert cut == text or not fits(text[len(text) - len(cut) - 1 :])
