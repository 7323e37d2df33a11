"""How many tokens a language needs compared with English."""

import logging
import math

import numpy as np
import pytest

from lm_eval_sea.commands.cli import main
from lm_eval_sea.results.facts import facts_of
from lm_eval_sea.results.uncertainty import ratio_of_sums
from lm_eval_sea.run.answer_limits import add_thinking_tokens
from lm_eval_sea.run.premium import PASSAGES, SENTENCES, note_premiums, premium_of
from lm_eval_sea.run.request import RunError
from tests.tasks.evaluation import read_json_lines


class Letters:
    """A tokenizer with a token for each character."""

    def encode(self, text, *, add_special_tokens):
        assert not add_special_tokens
        return list(text)


def passages(folder, name):
    return {row["link"]: row["flores_passage"].strip() for row in read_json_lines(folder / name)}


def test_the_premium_counts_each_passage_once(in_samples):
    english = passages(in_samples, "facebook/belebele/data/eng_Latn.jsonl")
    thai = passages(in_samples, "sail/Sailcompass_data/data/belebele/tha_Thai.jsonl")
    found = premium_of("th", PASSAGES, len)
    own, other = (sum(len(texts[link]) for link in thai if link in english) for texts in (thai, english))
    assert (found.tokens, found.tokens_english, found.ratio.rows) == (own, other, len(set(thai) & set(english)))
    assert found.ratio.mean == pytest.approx(own / other)
    assert found.ratio.low < found.ratio.mean < found.ratio.high
    rows = read_json_lines(in_samples / "sail/Sailcompass_data/data/flores200/tha_Thai_devtest.jsonl")
    sentences = premium_of("th", SENTENCES, len)
    assert sentences.tokens == sum(len(row["target"].strip()) for row in rows)
    assert sentences.tokens_english == sum(len(row["source"].strip()) for row in rows)
    assert premium_of("my", SENTENCES, len) is None


def test_real_passages(in_hub_mirror):
    """Thai passages have fewer letters than English ones, and more bytes."""
    letters, size = (premium_of("th", PASSAGES, count).ratio for count in (len, lambda text: len(text.encode())))
    assert (letters.rows, letters.high < 1, size.low > 2) == (488, True, True)
    assert letters.high - letters.low < 0.05


def test_the_interval_equals_that_of_a_bootstrap():
    draw = np.random.default_rng(5)
    english = draw.integers(20, 200, size=400).astype(float)
    own = english * draw.normal(1.8, 0.4, size=400)
    found = ratio_of_sums(list(zip(own, english, strict=True)))
    picks = draw.integers(0, 400, size=(4000, 400))
    low, high = np.quantile(own[picks].sum(axis=1) / english[picks].sum(axis=1), [0.025, 0.975])
    assert found.mean == pytest.approx(own.sum() / english.sum())
    assert (found.low, found.high) == (pytest.approx(low, abs=0.01), pytest.approx(high, abs=0.01))
    assert ratio_of_sums([(6.0, 3.0)]).mean == 2 and ratio_of_sums([(6.0, 3.0)]).low is None
    with pytest.raises(ValueError, match="nothing to divide by"):
        ratio_of_sums([])


def test_limits_follow_the_language_of_the_prompt_and_are_recorded(in_samples, load_tasks):
    names = ["sea_belebele_th_chat", "sea_belebele_th_chat_enprompt", "sea_belebele_en_chat", "sea_belebele_id_to_ppl"]
    tasks = load_tasks(*names)
    before = {name: (task.config.generation_kwargs or {}).get("max_gen_toks") for name, task in tasks.items()}
    premiums = note_premiums(tasks, Letters(), flag="--thinking_tokens 1000x")
    add_thinking_tokens(tasks, 1000, {}, premiums)
    thai = premium_of("th", PASSAGES, len).ratio
    expected = {names[0]: math.ceil(1000 * thai.mean), names[1]: 1000, names[2]: 1000}
    for name, more in expected.items():
        assert tasks[name].config.generation_kwargs["max_gen_toks"] == before[name] + more
    said = facts_of(tasks[names[0]].config.metadata).token_premium
    assert said == {"mean": thai.mean, "low": thai.low, "high": thai.high, "texts": thai.rows}
    assert facts_of(tasks[names[1]].config.metadata).token_premium["mean"] == 1


def test_languages_without_parallel_texts(load_tasks, tmp_path, monkeypatch, caplog):
    """They are an error only if the user gives a number of English tokens."""
    tasks = load_tasks("sea_belebele_th_chat")
    (tmp_path / "sail/Sailcompass_data").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    caplog.set_level(logging.INFO, "lm_eval_sea")
    assert note_premiums(tasks, None) == {}
    assert "sea_belebele_th_chat: tokens are not compared with English: the model's tokenizer is not here" in caplog.messages[-1]
    assert note_premiums(tasks, Letters()) == {}
    assert "the folder sail/Sailcompass_data has no data/belebele/tha_Thai.jsonl" in caplog.messages[-1]
    with pytest.raises(RunError, match=r"--thinking_tokens 9x: sea_belebele_th_chat: .*; give a number of tokens without x"):
        note_premiums(tasks, Letters(), flag="--thinking_tokens 9x")


def test_the_command_prints_csv(tiny_model, in_samples, capsys):
    assert main(["data", "premium", "--tokenizer", str(tiny_model), "--languages", "th,my"]) == 0
    head, *lines = [line.split(",") for line in capsys.readouterr().out.splitlines()]
    assert [line[:2] for line in lines] == [["th", PASSAGES], ["th", SENTENCES], ["my", PASSAGES]]
    for line in lines:
        row = dict(zip(head, line, strict=True))
        assert float(row["premium"]) == pytest.approx(int(row["tokens"]) / int(row["tokens_english"]))
