"""`lm-eval-sea run`: lm-eval with the pack at hand."""

import json

import pytest

from lm_eval_sea.run.request import check_request


def test_names_of_other_packs_are_left_to_lm_eval():
    check_request(["arc_easy"], 25, None)


@pytest.mark.slow
def test_the_shared_prefix_backend_agrees_with_hf(tmp_path, tiny_model_bos, samples, run_python):
    """The whole command, on a text-option, a letter and a classification task."""
    outputs = {}
    for model in ("hf", "hf-shared-prefix"):
        output = tmp_path / model
        result = run_python(
            "lm_eval_sea", "run", "--model", model, "--model_args", f"pretrained={tiny_model_bos},dtype=float32",
            "--tasks", "sea_belebele_th_to_ppl,sea_m3exam_th_litilo_ppl,sea_vsmec_vi", "--device", "cpu", "--batch_size", "4",
            "--output_path", output, "--log_samples",
            cwd=samples,
        )  # fmt: skip
        assert result.returncode == 0, result.stderr[-2000:]
        outputs[model] = {
            path.name.split("_2")[0]: [json.loads(line)["doc"] for line in path.read_text(encoding="utf-8").splitlines()]
            for path in output.rglob("samples_*.jsonl")
        }
    plain, shared = outputs["hf"], outputs["hf-shared-prefix"]
    assert plain.keys() == shared.keys()
    assert len(plain) == 3
    for task, rows in plain.items():
        for row, other in zip(rows, shared[task], strict=True):
            assert row["predictions"] == other["predictions"]
            for score, same in zip(row["option_scores"], other["option_scores"], strict=True):
                assert score["loglikelihood"] == pytest.approx(same["loglikelihood"], abs=1e-4)
                assert score["log_perplexity"] == pytest.approx(same["log_perplexity"], abs=1e-4)
