"""Scores of rankings: of whole runs with planted log-probabilities, and the formulae by hand and brute force."""

import json
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea import __version__
from lm_eval_sea.tasks._shared.metrics.precision import half_precision_type
from lm_eval_sea.tasks._shared.metrics.ranking import OptionScore, first_maximum, predictions

from .evaluation import evaluate, scores, write_json_lines
from .planted_model import PlantedModel


def xcopa_folder(tmp_path, items):
    """A mirror with Vietnamese XCOPA rows: (first option, second option, label)."""
    shared = {"question": "cause", "changed": False}
    rows = [
        shared | {"premise": f"Tiền đề {i}.", "choice1": one, "choice2": two, "label": label, "idx": i}
        for i, (one, two, label) in enumerate(items)
    ]
    write_json_lines(tmp_path / "sail/Sailcompass_data/data/xcopa/vi_test.jsonl", rows)
    return tmp_path


def test_metrics_differ_as_planted(tmp_path):
    """Row 0: the longer option has the lower sum and the higher mean a character. Row 1: the first option wins all."""
    folder = xcopa_folder(tmp_path, [("Ngắn.", "Một câu dài hơn hẳn.", 1), ("Đúng.", "Sai", 0)])
    planted = {" Ngắn.": -4.0, " Một câu dài hơn hẳn.": -8.0, " Đúng.": -1.0, " Sai": -9.0}
    results = evaluate(folder, "sea_xcopa_vi_to_ppl", PlantedModel(lambda context, ending: planted[ending]))
    # −4/5 < −8/20 a character; bytes likewise; no tokenizer, so no token metrics
    assert scores(results, "sea_xcopa_vi_to_ppl") == {
        "acc": 0.5, "acc_norm": 1.0, "acc_bytes": 1.0,
        # the right options have 27 and 7 bytes of UTF-8, and −8 and −1 nats
        "bits_per_byte": pytest.approx(9 / 34 / math.log(2)),
        "bits_per_byte_of_rows": pytest.approx((8 / 27 + 1 / 7) / 2 / math.log(2)),
    }  # fmt: skip
    error = math.sqrt(2 * ((8 - 27 * 9 / 34) ** 2 + (1 - 7 * 9 / 34) ** 2)) / 34 / math.log(2)
    assert results["results"]["sea_xcopa_vi_to_ppl"]["bits_per_byte_stderr,none"] == pytest.approx(error)


@pytest.mark.parametrize(
    ("of_options", "of_prompt", "said"),
    [
        (math.nan, math.nan, r"sea_xcopa_vi_to_ppl, row 0: .*option 1 is not a number.*dtype=float32"),
        (-1.0, -math.inf, r"row 0: .*the prompt is not a number \(-inf\)"),
    ],
)
def test_a_score_that_is_not_a_number_stops_the_run_and_names_the_row(tmp_path, tiny_model, of_options, of_prompt, said):
    folder = xcopa_folder(tmp_path, [("Một.", "Hai.", 0)])
    model = PlantedModel(lambda context, ending: of_options if ending in (" Một.", " Hai.") else of_prompt)
    with pytest.raises(ValueError, match=said):
        evaluate(folder, "sea_xcopa_vi_to_ppl", model, metadata={"tokenizer": str(tiny_model)})


@pytest.mark.parametrize(("softmax", "warned"), [({}, True), ({"softmax_dtype": "float32"}, False)])
def test_coarse_loglikelihoods_are_named(samples, tiny_model, caplog, softmax, warned):
    arguments = {"pretrained": str(tiny_model), "dtype": "bfloat16", "device": "cpu", **softmax}
    evaluate(samples, "sea_xcopa_vi_to_ppl", "hf", model_args=arguments)
    assert ("rounded to bfloat16" in caplog.text) == warned


def test_results_and_samples_tell_what_an_analyst_needs(samples, tiny_model):
    name = "sea_belebele_th_to_ppl"
    model = PlantedModel(lambda context, ending: -1.0)
    results = evaluate(samples, name, model, metadata={"tokenizer": str(tiny_model)})
    rows = [sample["doc"] for sample in results["samples"][name]]
    doc = json.loads(json.dumps(rows[0]))
    assert set(doc["option_scores"][0]) == {"loglikelihood", "is_greedy", "characters", "bytes", "tokens", "log_perplexity"}
    sizes = [(score["characters"], score["bytes"]) for score in doc["option_scores"]]
    assert sizes == [(len(option), len(option.encode())) for option in doc["options"]]
    assert set(doc["predictions"]) == {"acc", "acc_norm", "acc_bytes", "acc_token", "acc_ppl"}
    assert doc["gold"] == 2
    assert (len(rows), len({row["cluster"] for row in rows})) == (4, 3), "two questions on one passage are one cluster"
    metadata = results["configs"][name]["metadata"]
    assert (metadata["prompt_language"], metadata["prompt_book_version"] >= 1) == ("th", True)
    expected = {"headline_metric": "acc_ppl", "chance": 0.25, "data_source": "sail/Sailcompass_data", "rows_published": 4}
    expected |= {"clusters": 3, "data_revision": "local folder", "pack_version": __version__}
    assert {key: metadata["provenance"][key] for key in expected} == expected
    assert len(metadata["provenance"]["data_sha256"]) == 64


def option(loglikelihood, characters=1, size=1, tokens=None, log_perplexity=None):
    return OptionScore(loglikelihood, False, characters, size, tokens, log_perplexity)


def test_each_metric_can_choose_another_option():
    options = [
        option(-4.0, characters=1, size=1, tokens=1, log_perplexity=3.0),  # acc: largest sum
        option(-6.0, characters=12, size=2, tokens=1, log_perplexity=3.0),  # acc_norm: −0.5 a character
        option(-8.0, characters=2, size=24, tokens=1, log_perplexity=3.0),  # acc_bytes: −0.33 a byte
        option(-9.0, characters=2, size=2, tokens=9, log_perplexity=3.0),  # acc_token: −1 a token
        option(-9.5, characters=2, size=2, tokens=1, log_perplexity=2.9),  # acc_ppl
    ]
    assert predictions(options) == {"acc": 0, "acc_norm": 1, "acc_bytes": 2, "acc_token": 3, "acc_ppl": 4}


@given(st.lists(st.floats() | st.just(math.nan), min_size=1) | st.lists(st.floats(allow_nan=False), min_size=1))
def test_first_maximum_is_the_first_index_that_no_score_exceeds(scores):
    if any(map(math.isnan, scores)):
        with pytest.raises(ValueError, match="NaN"):
            first_maximum(scores)
    else:
        assert first_maximum(scores) == next(i for i, score in enumerate(scores) if all(score >= other for other in scores))


many = st.lists(st.floats(-5000, -0.0078125, width=32), min_size=20, unique=True)


@given(many)
def test_rounding_to_bfloat16_is_recognised(values):
    rounded = [float(value) for value in torch.tensor(values).to(torch.bfloat16)]
    assert len(set(rounded)) < 8 or half_precision_type(rounded) == "bfloat16"


def test_float16_is_recognised_and_float32_is_not():
    spread = torch.linspace(-50, -1, 100)
    assert half_precision_type(map(float, spread.to(torch.float16))) == "float16"
    assert half_precision_type(map(float, spread)) is None
    assert half_precision_type([-1.0, -2.0, -3.0]) is None, "a few round numbers say nothing"
