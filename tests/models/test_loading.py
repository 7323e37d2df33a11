"""Models that lm-eval's `hf` loads in ways of its own: adapters, quantised weights, weights spread over devices.

Checkpoints without all of their weights, and adapters of other models, are refused with the names, on every way in.
"""

import json
import re
import shutil
from importlib.metadata import version

import pytest
import torch
from lm_eval.models.huggingface import HFLM
from peft import LoraConfig, PeftModel, PrefixTuningConfig, get_peft_model
from safetensors.torch import load_file, save_file
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer, TorchAoConfig

from lm_eval_sea.commands.cli import main
from lm_eval_sea.models import SharedPrefixLM
from lm_eval_sea.models.whole_weights import IncompleteWeights, whole_weights

from .conftest import ask, assert_equal, make_adapter, ranking_requests


def both(folder, *, batch_size=4, **options):
    """Compares backend and hf on a model folder; returns the backend and the answers of hf."""
    lms = [model_class(str(folder), device="cpu", batch_size=batch_size, **options) for model_class in (HFLM, SharedPrefixLM)]
    expected, answers = (ask(lm, ranking_requests(bos=True)) for lm in lms)
    assert_equal(answers, expected)
    return lms[1], expected


@pytest.mark.parametrize("module", ["lm_head", pytest.param("down_proj", marks=pytest.mark.slow)])
def test_low_rank_adapter(module, tmp_path, tiny_model_bos):
    adapter = make_adapter(tmp_path, tiny_model_bos, LoraConfig(r=4, target_modules=["q_proj", module], task_type="CAUSAL_LM"))
    (_, bare), (lm, adapted) = both(tiny_model_bos), both(tiny_model_bos, peft=adapter)
    assert not lm._plain
    assert all(abs(one[0] - other[0]) > 0.01 for one, other in zip(bare, adapted, strict=True))


def test_prefix_tuning_is_left_to_hf(tmp_path, tiny_model_bos):
    adapter = make_adapter(tmp_path, tiny_model_bos, PrefixTuningConfig(num_virtual_tokens=3, task_type="CAUSAL_LM"))
    assert both(tiny_model_bos, peft=adapter)[0]._plain


@pytest.mark.parametrize("options", [{"device_map": "auto"}, {"parallelize": True, "max_cpu_memory": "1500KB"}])
def test_weights_on_several_devices(options, tmp_path, tiny_model_bos):
    """With too little memory, the weights of each layer are read from disk."""
    lm, _ = both(tiny_model_bos, offload_folder=str(tmp_path), **options)
    assert not lm._plain
    assert "parallelize" not in options or "disk" in lm.model.hf_device_map.values()


def test_quantised_weights(tmp_path, tiny_model_bos):
    quantization = pytest.importorskip("torchao.quantization", reason="needs torchao: pip install torchao")
    settings = TorchAoConfig(quantization.Int8WeightOnlyConfig())
    model = AutoModelForCausalLM.from_pretrained(tiny_model_bos, quantization_config=settings, device_map="cpu")
    model.save_pretrained(tmp_path)
    AutoTokenizer.from_pretrained(tiny_model_bos).save_pretrained(tmp_path)
    (_, whole), (lm, rounded) = both(tiny_model_bos), both(tmp_path)
    assert lm.model.is_quantized and not lm._plain
    assert all(abs(one[0] - other[0]) > 1e-3 for one, other in zip(whole, rounded, strict=True))


LAYER = "model.layers.1."
LAYERS = LoraConfig(r=4, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM")


@pytest.fixture
def checkpoint(tmp_path, tiny_model):
    """A copy of a checkpoint, which a test may break."""
    return shutil.copytree(tiny_model, tmp_path / "checkpoint")


def change(file, *, remove="", rename=("", "")):
    weights = {name.replace(*rename): tensor for name, tensor in load_file(file).items() if not remove or remove not in name}
    save_file(weights, file, {"format": "pt"})


def run(capsys, backend, model_args, *more, device=("--device", "cpu")):
    """The exit status and the last line of a run."""
    status = main(["run", "--model", backend, "--model_args", model_args, *device, "--tasks", "sea_xcopa_th_to_ppl",
                   "--limit", "1", *more])  # fmt: skip
    return status, capsys.readouterr().err.strip().split("\n")[-1]


@pytest.mark.parametrize("backend", ["hf", "hf-shared-prefix"])
def test_a_checkpoint_without_a_layer(backend, checkpoint, capsys, caplog, in_samples):
    """A layer too many is only reported, because checkpoints often have more weights than a model uses."""
    config = checkpoint / "config.json"
    whole = config.read_text(encoding="utf-8")
    config.write_text(json.dumps(json.loads(whole) | {"num_hidden_layers": 1}), encoding="utf-8")
    with whole_weights(adapters=False):
        AutoModelForCausalLM.from_pretrained(checkpoint)
    assert f"the checkpoint {checkpoint} has 9 weights ({LAYER}input_layernorm.weight, " in caplog.text
    assert "that LlamaForCausalLM does not use" in caplog.text
    config.write_text(whole, encoding="utf-8")
    change(checkpoint / "model.safetensors", remove=LAYER)
    status, line = run(capsys, backend, f"pretrained={checkpoint}")
    assert status == 2
    assert f"the checkpoint {checkpoint} lacks 9 weights ({LAYER}input_layernorm.weight, " in line
    assert line.endswith("and 6 more)")


def test_an_index_without_a_weight(checkpoint):
    """The shard has the weight, but the index does not name it."""
    shard = "model-00001-of-00001.safetensors"
    names = list(load_file(checkpoint / "model.safetensors"))
    (checkpoint / "model.safetensors").rename(checkpoint / shard)
    change(checkpoint / shard, remove=f"{LAYER}mlp.up_proj")
    weight_map = {name: shard for name in names if f"{LAYER}mlp.up_proj" not in name}
    (checkpoint / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": weight_map}))
    with pytest.raises(IncompleteWeights, match=f"lacks 1 weight .{LAYER}mlp.up_proj.weight.$"):
        SharedPrefixLM(str(checkpoint), device="cpu")  # not through the command


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ({"rename": ("layers.1.", "layers.7.")}, r"has 4 weights \(.*layers.7..* that the model has no place for"),
        ({"remove": "layers.1."}, r"lacks 4 weights \(.*layers.1."),
    ],
)
def test_an_adapter_of_another_model(broken, said, tmp_path, tiny_model, capsys, in_samples):
    adapter = make_adapter(tmp_path / "adapter", tiny_model, LAYERS)
    change(tmp_path / "adapter" / "adapter_model.safetensors", **broken)
    status, line = run(capsys, "hf-shared-prefix", f"pretrained={tiny_model},peft={adapter}")
    assert status == 2 and re.search(said, line), line


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("options", [{"modules_to_save": ["embed_tokens", "lm_head"]}, {"trainable_token_indices": [1, 2]}])
def test_an_adapter_with_more_tokens_than_the_model(options, tied, tmp_path, tiny_model):
    """PEFT writes the larger embeddings under several names. The loaded model predicts as it did after training."""
    config = AutoConfig.from_pretrained(tiny_model, tie_word_embeddings=tied)
    base, text, tokens = AutoModelForCausalLM.from_config(config), torch.tensor([[1, 2, 3, 4, 1]]), config.vocab_size
    base.save_pretrained(tmp_path / "base")
    base.resize_token_embeddings(tokens + 3)
    trained = get_peft_model(base, LoraConfig(target_modules=["q_proj"], task_type="CAUSAL_LM", **options)).eval()
    for parameter in trained.parameters():
        if parameter.requires_grad:
            parameter.data += 0.3 * torch.randn_like(parameter)
    trained.save_pretrained(tmp_path / "adapter")
    with whole_weights(adapters=True):
        again = AutoModelForCausalLM.from_pretrained(tmp_path / "base")
        again.resize_token_embeddings(tokens + 3)
        again = PeftModel.from_pretrained(again, tmp_path / "adapter").eval()
    assert torch.allclose(trained(text).logits, again(text).logits, atol=1e-5)


def test_the_tokenizer_of_an_adapter(tmp_path, tiny_model, capsys, in_samples):
    """An adapter with another tokenizer than the model's is refused; a chat template counts only if it is used."""
    adapter = make_adapter(tmp_path / "adapter", tiny_model, LAYERS)
    tokenizer = AutoTokenizer.from_pretrained(tiny_model)
    tokenizer.chat_template = "{{ messages[0]['content'] }}"
    tokenizer.save_pretrained(adapter)
    model_args = f"pretrained={tiny_model},peft={adapter}"
    assert run(capsys, "hf", model_args)[0] == 0
    either = f"add tokenizer={adapter} to --model_args, or tokenizer={tiny_model} for the model's"
    said = f"the adapter {adapter} has a tokenizer other than {tiny_model} (another chat template): {either}"
    assert run(capsys, "hf", model_args, "--apply_chat_template") == (2, f"lm-eval-sea: {said}")
    tokens = len(tokenizer)
    tokenizer.add_tokens(["<|im_start|>"])
    tokenizer.save_pretrained(adapter)
    status, line = run(capsys, "hf", model_args)
    assert (status, line.partition("(")[2]) == (2, f"{tokens + 1:,} tokens, not {tokens:,}): {either}")
    assert run(capsys, "hf", f"{model_args},tokenizer={tiny_model}")[0] == 0


def test_a_tokenizer_without_bos_and_eos(checkpoint, capsys, in_samples):
    config = checkpoint / "tokenizer_config.json"
    kept = {name: value for name, value in json.loads(config.read_text(encoding="utf-8")).items() if not name.endswith("_token")}
    config.write_text(json.dumps(kept), encoding="utf-8")
    status, line = run(capsys, "hf", f"pretrained={checkpoint}")
    assert status == 2
    assert line.startswith(f"lm-eval-sea: the tokenizer of {checkpoint} has neither a bos_token nor an eos_token, ")


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_parallelize_without_gpus(tiny_model, capsys, in_samples):
    status, line = run(capsys, "hf", f"pretrained={tiny_model},parallelize=True", device=())
    assert status == 2 and line.startswith("lm-eval-sea: parallelize=True in --model_args spreads a model over GPUs, ")


@pytest.mark.parametrize("backend", ["hf", "hf-shared-prefix"])
def test_a_token_without_an_embedding(backend, checkpoint, capsys, in_samples):
    """A fine-tuning may have added tokens to the tokenizer alone. Prompts without the token are fine."""
    tokenizer, tokens = AutoTokenizer.from_pretrained(checkpoint), AutoConfig.from_pretrained(checkpoint).vocab_size
    tokenizer.add_tokens([*map("<{}>".format, range(tokens - len(tokenizer))), "<|im_start|>"])
    tokenizer.chat_template = "{% for message in messages %}<|im_start|>{{ message['content'] }}{% endfor %}"
    tokenizer.save_pretrained(checkpoint)
    assert run(capsys, backend, f"pretrained={checkpoint}")[0] == 0
    status, line = run(capsys, backend, f"pretrained={checkpoint}", "--apply_chat_template")
    assert status == 2
    said = f"the prompts have the token {tokens:,} ('<|im_start|>'), but the model has embeddings for only {tokens:,}; "
    assert line.startswith(f"lm-eval-sea: sea_xcopa_th_to_ppl: {said}")


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("load_in_8bit=True", "takes no argument 'load_in_8bit'; name a checkpoint that is quantised"),
        ("dtpye=float32", "takes no argument 'dtpye'; did you mean dtype?"),
        (" dtype=float32", "takes no argument ' dtype'; did you mean dtype?"),
    ],
)
def test_an_unknown_argument_of_the_model(argument, said, tiny_model, capsys, in_samples):
    if argument.startswith("load_in_") and version("transformers") < "5":
        pytest.skip("older versions quantise while they load")
    assert run(capsys, "hf", f"pretrained={tiny_model},{argument}") == (2, f"lm-eval-sea: --model_args: LlamaForCausalLM {said}")
