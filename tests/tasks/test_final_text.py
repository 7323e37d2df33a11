"""Translations, summaries and short answers of chat models, without what they put around them."""

from pathlib import Path

import pytest
import yaml

from lm_eval_sea.tasks._shared.reading.final_text import read_final_text, read_span

TEXTS = yaml.safe_load((Path(__file__).parent / "chat_texts.yaml").read_text(encoding="utf-8"))
ANY = TEXTS.pop("any")


@pytest.mark.parametrize("language", TEXTS)
def test_text_is_freed(language):
    own = TEXTS[language]
    written = [text.replace("{S}", own["text"]).replace("{tag}", own["text_tag"]) for text in own["texts"] + ANY["texts"]]
    failed = [(text, found) for text in written if (found := read_final_text(text, language, (own["text_tag"],))) != own["text"]]
    assert len(written) > 40
    assert not failed


@pytest.mark.parametrize("language", TEXTS)
def test_span_is_freed(language):
    own = TEXTS[language]
    tag = own["answer_tag"]
    written = [
        (text.replace("{S}", span).replace("{tag}", tag), span) for span in own["answers"] for text in own["spans"] + ANY["spans"]
    ]
    failed = [(text, found) for text, span in written if (found := read_span(text, language, (tag,))) != span]
    assert len(written) > 30
    assert not failed


@pytest.mark.parametrize("language", TEXTS)
def test_text_stays_as_it_is(language):
    text = TEXTS[language]["text"]
    for whole in (text, f"{text}\n{text}", f"{text}\n\n{text}\n- {text}", f"1. {text}\n2. {text}"):
        assert read_final_text(whole, language, (TEXTS[language]["text_tag"],)) == whole


@pytest.mark.parametrize(
    "text",
    [
        "The three reasons are: rain, wind, and snow.",
        'He said: "The note is here."',
        "If you go there, you will see it.\n\nIf it rains, you will not.",
        "Sure signs of age (as doctors know) are rare.",
    ],
)
def test_colons_quotes_and_words_of_the_text_stay(text):
    assert read_final_text(text, "en") == text


@pytest.mark.parametrize("text", ["", "```\n```", "\n"])
def test_empty(text):
    assert read_final_text(text, "id") == ""
    assert read_span(text, "id") == ""
