"""`run --seeds`."""

import argparse
import json

import pytest

from lm_eval_sea.run.request import RunError
from lm_eval_sea.run.seeds import runs_of, sampling_values


@pytest.fixture
def model(tmp_path):
    """A folder with a generation config that samples."""
    folder = tmp_path / "model"
    folder.mkdir()
    config = {"do_sample": True, "temperature": 0.6, "top_p": 0.9, "eos_token_id": 2, "max_new_tokens": 7}
    (folder / "generation_config.json").write_text(json.dumps(config))
    return {"pretrained": str(folder)}


def test_sampling_values_are_the_models_and_no_limit_of_length_is_taken_over(model):
    assert sampling_values(model, {}) == {"do_sample": True, "temperature": 0.6, "top_p": 0.9}
    assert sampling_values(model, {"temperature": 1.0})["temperature"] == 1.0


def test_a_model_that_does_not_sample_is_refused(tmp_path):
    (tmp_path / "generation_config.json").write_text(json.dumps({"temperature": 0.6}))
    for arguments in ({"pretrained": str(tmp_path)}, {"pretrained": str(tmp_path / "none")}, {"base_url": "http://127.0.0.1:1"}):
        with pytest.raises(RunError, match="all runs would be equal"):
            sampling_values(arguments, {})
        assert sampling_values(arguments, {"do_sample": True}) == {"do_sample": True}


def arguments(model, output, **more):
    return argparse.Namespace(model="hf", model_args=model, output_path=output and str(output), **more)


def test_each_seed_has_a_folder_and_those_with_results_are_left_out(model, tmp_path):
    output = tmp_path / "out"
    done = output / "seed_2" / "model"
    done.mkdir(parents=True)
    (done / "results_2026-01-01.json").write_text("{}")
    (output / "seed_3").mkdir()  # begun, without results
    runs = list(runs_of(arguments(model, output, tasks=["sea_a"]), 3))
    assert [run.output_path for run in runs] == [str(output / "seed_1"), str(output / "seed_3")]
    assert [run.seed for run in runs] == [[1] * 4, [3] * 4]
    assert all(run.tasks == ["sea_a"] and run.gen_kwargs["temperature"] == 0.6 for run in runs)


def test_vllm_draws_with_the_seed_too(model, tmp_path):
    given = arguments(model, tmp_path / "out")
    given.model = "vllm"
    assert [run.model_args["seed"] for run in runs_of(given, 2)] == [1, 2]
    assert "seed" not in given.model_args


@pytest.mark.parametrize(("output", "number", "message"), [(None, 2, "--output_path FOLDER"), ("out", 0, "expected 1 or more")])
def test_what_cannot_be_run(model, output, number, message):
    with pytest.raises(RunError, match=message):
        list(runs_of(arguments(model, output), number))
