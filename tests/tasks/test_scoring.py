"""Scores of whole runs against models with planted log-probabilities and answers."""

import json
import logging
import math

import pytest

from lm_eval_sea import __version__

from .evaluation import evaluate, write_json_lines
from .planted_model import PlantedModel

XCOPA = "sail/Sailcompass_data/data/xcopa/vi_test.jsonl"


def xcopa_folder(tmp_path, items):
    """A mirror with Vietnamese XCOPA rows: (right option, wrong option, label)."""
    rows = [
        {
            "premise": f"Tiền đề {i}.",
            "choice1": one,
            "choice2": two,
            "question": "cause",
            "label": label,
            "idx": i,
            "changed": False,
        }
        for i, (one, two, label) in enumerate(items)
    ]
    write_json_lines(tmp_path / XCOPA, rows)
    return tmp_path


def metrics(results, task):
    return {key.split(",")[0]: value for key, value in results["results"][task].items() if key.endswith(",none")}


def test_metrics_differ_as_planted(tmp_path):
    """Row 0: the longer option has the lower sum and the higher mean a character. Row 1: the first option wins all."""
    folder = xcopa_folder(tmp_path, [("Ngắn.", "Một câu dài hơn hẳn.", 1), ("Đúng.", "Sai", 0)])
    planted = {" Ngắn.": -4.0, " Một câu dài hơn hẳn.": -8.0, " Đúng.": -1.0, " Sai": -9.0}
    results = evaluate(folder, "sea_xcopa_vi_to_ppl", PlantedModel(lambda context, ending: planted[ending]))
    # −4/5 < −8/20 a character; bytes likewise; no tokenizer, so no token metrics
    assert metrics(results, "sea_xcopa_vi_to_ppl") | {} == {
        "acc": 0.5, "acc_norm": 1.0, "acc_bytes": 1.0,
        "acc_stderr": "N/A", "acc_norm_stderr": "N/A", "acc_bytes_stderr": "N/A",
        # the right options have 27 and 7 bytes of UTF-8, and −8 and −1 nats
        "bits_per_byte": pytest.approx(9 / 34 / math.log(2)),
        "bits_per_byte_stderr": pytest.approx(
            math.sqrt(2 * ((8 - 27 * 9 / 34) ** 2 + (1 - 7 * 9 / 34) ** 2)) / 34 / math.log(2)
        ),
        "bits_per_byte_stderr_stderr": "N/A",
        "bits_per_byte_of_rows": pytest.approx((8 / 27 + 1 / 7) / 2 / math.log(2)),
        "bits_per_byte_of_rows_stderr": "N/A",
    }  # fmt: skip


def test_perplexity_adds_prompt_and_option_and_divides_by_all_tokens(tmp_path, tiny_model):
    """With S_P = −100 the bonus a token is large, so that the option of more tokens wins although its sum is lower."""
    from transformers import AutoTokenizer

    folder = xcopa_folder(tmp_path, [("Có.", "Một câu dài hơn hẳn câu kia rất nhiều.", 1)])
    tokenizer = AutoTokenizer.from_pretrained(tiny_model)

    def planted(context, ending):
        return {" Có.": -2.0, " Một câu dài hơn hẳn câu kia rất nhiều.": -3.0}.get(ending, -100.0)  # the latter for the prompt

    results = evaluate(folder, "sea_xcopa_vi_to_ppl", PlantedModel(planted), metadata={"tokenizer": str(tiny_model)})
    (sample,) = results["samples"]["sea_xcopa_vi_to_ppl"]
    prompt = sample["arguments"][0][0]
    lengths = [len(tokenizer.encode(prompt + ending)) for ending in (" Có.", " Một câu dài hơn hẳn câu kia rất nhiều.")]
    expected = [102.0 / lengths[0], 103.0 / lengths[1]]
    assert expected[1] < expected[0], "the planted numbers do not show the difference"
    assert [score["log_perplexity"] for score in sample["doc"]["option_scores"]] == pytest.approx(expected, rel=1e-12)
    assert sample["doc"]["predictions"]["acc_ppl"] == 1
    assert sample["doc"]["predictions"]["acc"] == 0


def test_rows_of_two_to_five_options_in_one_task(samples):
    """The last option is planted as the best; the gold positions of the four sample rows then decide."""
    results = evaluate(samples, "sea_m3exam_th_litilo_ppl", PlantedModel(lambda context, ending: float(ending)))
    rows = [sample["doc"] for sample in results["samples"]["sea_m3exam_th_litilo_ppl"]]
    assert {len(row["options"]) for row in rows} == {2, 4, 5}
    for row in rows:
        assert row["predictions"]["acc"] == len(row["options"]) - 1
    expected = sum(row["gold"] == len(row["options"]) - 1 for row in rows) / len(rows)
    assert results["results"]["sea_m3exam_th_litilo_ppl"]["acc,none"] == expected


def test_nan_stops_the_run_and_names_the_row(tmp_path):
    folder = xcopa_folder(tmp_path, [("Một.", "Hai.", 0)])
    with pytest.raises(ValueError, match=r"sea_xcopa_vi_to_ppl, row 0: .*option 1 is not a number.*dtype=float32"):
        evaluate(folder, "sea_xcopa_vi_to_ppl", PlantedModel(lambda context, ending: math.nan))


def test_a_prompt_without_probability_stops_the_run(tmp_path, tiny_model):
    folder = xcopa_folder(tmp_path, [("Một.", "Hai.", 0)])
    model = PlantedModel(lambda context, ending: -1.0 if ending in (" Một.", " Hai.") else -math.inf)
    with pytest.raises(ValueError, match=r"row 0: .*the prompt is not a number \(-inf\)"):
        evaluate(folder, "sea_xcopa_vi_to_ppl", model, metadata={"tokenizer": str(tiny_model)})


@pytest.mark.parametrize(("softmax", "warned"), [({}, True), ({"softmax_dtype": "float32"}, False)])
def test_coarse_loglikelihoods_are_named(samples, tiny_model, caplog, softmax, warned):
    arguments = {"pretrained": str(tiny_model), "dtype": "bfloat16", "device": "cpu", **softmax}
    with caplog.at_level(logging.WARNING, "lm_eval_sea"):
        evaluate(samples, "sea_xcopa_vi_to_ppl", "hf", model_args=arguments)
    assert ("rounded to bfloat16" in caplog.text) == warned


def test_a_sample_carries_what_an_analyst_needs(samples, tiny_model):
    results = evaluate(
        samples, "sea_belebele_th_to_ppl", PlantedModel(lambda context, ending: -1.0), metadata={"tokenizer": str(tiny_model)}
    )
    doc = json.loads(json.dumps(results["samples"]["sea_belebele_th_to_ppl"][0]["doc"]))
    assert set(doc["option_scores"][0]) == {"loglikelihood", "is_greedy", "characters", "bytes", "tokens", "log_perplexity"}
    assert [score["characters"] for score in doc["option_scores"]] == [len(option) for option in doc["options"]]
    assert [score["bytes"] for score in doc["option_scores"]] == [len(option.encode()) for option in doc["options"]]
    assert set(doc["predictions"]) == {"acc", "acc_norm", "acc_bytes", "acc_token", "acc_ppl"}
    assert doc["gold"] == 2
    # two questions on one passage are one cluster
    clusters = [sample["doc"]["cluster"] for sample in results["samples"]["sea_belebele_th_to_ppl"]]
    assert len(clusters) == 4
    assert len(set(clusters)) == 3


def test_metadata_reaches_the_results(samples):
    results = evaluate(samples, "sea_xcopa_th_to_ppl", PlantedModel(lambda context, ending: -1.0))
    metadata = results["configs"]["sea_xcopa_th_to_ppl"]["metadata"]
    assert metadata["prompt_language"] == "th"
    assert metadata["prompt_book_version"] >= 1
    provenance = metadata["provenance"]
    assert provenance["headline_metric"] == "acc_ppl"
    assert provenance["chance"] == 0.5
    assert provenance["data_source"] == "sail/Sailcompass_data"
    assert provenance["data_revision"] == "local folder"
    assert provenance["pack_version"] == __version__
    assert provenance["rows_published"] == 4
    assert len(provenance["data_sha256"]) == 64


def test_ties_go_to_the_first_option(tmp_path):
    folder = xcopa_folder(tmp_path, [("Một.", "Hai.", 0), ("Ba.", "Bốn", 1)])
    results = evaluate(folder, "sea_xcopa_vi_to_ppl", PlantedModel(lambda context, ending: -5.0))
    assert results["results"]["sea_xcopa_vi_to_ppl"]["acc,none"] == 0.5


def test_generated_letters(samples):
    """Always "๒": right where the second option is gold, never null."""
    results = evaluate(samples, "sea_m3exam_th_litilo_gen", PlantedModel(generation=lambda prompt: " ๒"))
    rows = [sample["doc"] for sample in results["samples"]["sea_m3exam_th_litilo_gen"]]
    scores = results["results"]["sea_m3exam_th_litilo_gen"]
    assert scores["exact_match,none"] == sum(row["gold"] == 1 for row in rows) / len(rows) > 0
    assert scores["null_rate,none"] == 0.0


def test_generation_is_greedy_and_stops_at_the_next_question(samples):
    """Not at a line break, which models write before the letter too."""
    model = PlantedModel(generation=lambda prompt: "1")
    evaluate(samples, "sea_m3exam_th_litilo_gen", model)
    expected = {"until": ["\nคำถาม:"], "do_sample": False, "temperature": 0.0, "max_gen_toks": 10}
    assert [options for _, options in model.requests] == [expected] * 4
