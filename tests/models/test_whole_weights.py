"""Checkpoints without all of their weights, and adapters of other models: refused with the names, on every way in."""

import json
import re
import shutil

import pytest
from peft import LoraConfig
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM

from lm_eval_sea.commands.cli import main
from lm_eval_sea.models import SharedPrefixLM
from lm_eval_sea.models.whole_weights import IncompleteWeights, whole_weights

from .conftest import make_adapter

LAYER = "model.layers.1."


@pytest.fixture
def checkpoint(tmp_path, tiny_model):
    """A copy of a checkpoint, to be broken."""
    return shutil.copytree(tiny_model, tmp_path / "checkpoint")


@pytest.fixture
def in_samples(samples, monkeypatch):
    """A folder that holds rows, laid out like the hub."""
    monkeypatch.chdir(samples)


def change(file, *, remove="", rename=("", "")):
    weights = {name.replace(*rename): tensor for name, tensor in load_file(file).items() if not remove or remove not in name}
    save_file(weights, file, {"format": "pt"})


def run(capsys, backend, model_args):
    """The last line of a run of a task whose rows come with the pack, and its exit code."""
    status = main(["run", "--model", backend, "--model_args", model_args, "--device", "cpu", "--tasks", "sea_xcopa_th_to_ppl",
                   "--limit", "1"])  # fmt: skip
    return status, capsys.readouterr().err.strip().split("\n")[-1]


@pytest.mark.parametrize("backend", ["hf", "hf-shared-prefix"])
def test_a_checkpoint_without_a_layer(backend, checkpoint, capsys, in_samples):
    change(checkpoint / "model.safetensors", remove=LAYER)
    status, line = run(capsys, backend, f"pretrained={checkpoint}")
    assert status == 2
    assert f"the checkpoint {checkpoint} lacks 9 weights ({LAYER}input_layernorm.weight, " in line
    assert line.endswith("and 6 more)")


def test_a_checkpoint_with_a_layer_that_the_model_has_not(checkpoint, caplog):
    """Said, for checkpoints often have more than a model uses."""
    config = checkpoint / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text(encoding="utf-8")) | {"num_hidden_layers": 1}), encoding="utf-8")
    with whole_weights(adapters=False):
        AutoModelForCausalLM.from_pretrained(checkpoint)
    assert f"the checkpoint {checkpoint} has 9 weights ({LAYER}input_layernorm.weight, " in caplog.text
    assert "that LlamaForCausalLM does not use" in caplog.text


def test_an_index_without_a_weight(checkpoint):
    """The shard has it, but the index that says where weights are does not."""
    shard = "model-00001-of-00001.safetensors"
    names = list(load_file(checkpoint / "model.safetensors"))
    (checkpoint / "model.safetensors").rename(checkpoint / shard)
    change(checkpoint / shard, remove=f"{LAYER}mlp.up_proj")
    weight_map = {name: shard for name in names if f"{LAYER}mlp.up_proj" not in name}
    (checkpoint / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": weight_map}))
    with pytest.raises(IncompleteWeights, match=f"lacks 1 weight .{LAYER}mlp.up_proj.weight.$"):
        SharedPrefixLM(str(checkpoint), device="cpu")  # without the command, as of lm-eval's own


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ({"rename": ("layers.1.", "layers.7.")}, r"has 4 weights \(.*layers.7..* that the model has no place for"),
        ({"remove": "layers.1."}, r"lacks 4 weights \(.*layers.1."),
    ],
)
def test_an_adapter_of_another_model(broken, said, tmp_path, tiny_model, capsys, in_samples):
    adapter = tmp_path / "adapter"
    make_adapter(adapter, tiny_model, LoraConfig(r=4, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM"))
    change(adapter / "adapter_model.safetensors", **broken)
    status, line = run(capsys, "hf-shared-prefix", f"pretrained={tiny_model},peft={adapter}")
    assert status == 2
    assert re.search(said, line), line
