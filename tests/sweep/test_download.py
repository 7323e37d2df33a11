"""`--download-only` on a machine with a network, and the same plan on one without."""

import shutil

import pytest

from tests.catalogue.hub_server import serving_hub
from tests.sweep.plans import write_plan

pytestmark = pytest.mark.slow
SOURCE = "sail/Sailcompass_data"
FILES = [f"data/xcopa/{code}_test.jsonl" for code in ("th", "vi")]
MODEL, TOKENIZER = "me/tiny", "me/tokenizer"


@pytest.fixture
def mirror(tmp_path, samples, tiny_model):
    """The bundled rows and a model."""
    shutil.copytree(samples / SOURCE, tmp_path / "mirror" / SOURCE)
    for name in (MODEL, TOKENIZER):
        shutil.copytree(tiny_model, tmp_path / "mirror" / name)
    return tmp_path / "mirror"


def test_a_sweep_runs_offline_after_download_only(mirror, tmp_path, run_python):
    models = [{"name": name, "model_args": {"pretrained": MODEL, "dtype": "float32"}} for name in "ab"]
    tasks = ["sea_xcopa_th_to_ppl", "sea_xcopa_vi_to_ppl"]
    run = {"device": "cpu", "batch_size": 4, "metadata": {"tokenizer": TOKENIZER}}
    plan = write_plan(tmp_path / "plan.yaml", models=models, tasks=tasks, run=run, limit=2)
    sweep = ["lm_eval_sea", "sweep", plan, "--engine", "local", "--split", "model"]

    with serving_hub(mirror) as hub:
        process = run_python(*sweep, "--download-only", online=hub.url)
    assert process.returncode == 0, process.stderr
    assert process.stdout == "downloaded: the rows of 2 tasks (8) and the tokenizers of 2 models, no weights\n"
    fetched = [request for request in hub.requests if request.startswith("GET ")]
    for source, path in [(SOURCE, path) for path in FILES] + [
        (MODEL, "config.json"),
        (MODEL, "tokenizer.json"),
        (TOKENIZER, "tokenizer.json"),
    ]:
        found = [request for request in fetched if f"/{source}/" in request and request.endswith(f"/{path}")]
        assert len(found) == 1, "once, and not for each of the jobs"
    assert not any("safetensors" in request for request in fetched)
    assert not (tmp_path / "out").exists()

    process = run_python(*sweep, "--dry-run")
    assert process.returncode == 0, process.stderr
    requests = 2 * 2 * 2 * (2 + 1)  # of two models and two tasks two rows, of each two options and the prompt
    assert f"  hf: 2 jobs, {requests} requests of 4 tasks ({requests} to rank texts): about " in process.stdout
