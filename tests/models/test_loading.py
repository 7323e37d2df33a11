"""Models that lm-eval's `hf` loads in ways of its own: adapters, quantised weights, weights spread over devices."""

import pytest
from lm_eval.models.huggingface import HFLM
from peft import LoraConfig, PrefixTuningConfig
from transformers import AutoModelForCausalLM, AutoTokenizer, TorchAoConfig

from lm_eval_sea.models import SharedPrefixLM

from .conftest import ask, assert_equal, make_adapter, ranking_requests


def both(folder, *, batch_size=4, **options):
    """The parent and the backend on a model folder, with the parent's answers held against the backend's."""
    lms = [model_class(str(folder), device="cpu", batch_size=batch_size, **options) for model_class in (HFLM, SharedPrefixLM)]
    expected, answers = (ask(lm, ranking_requests(bos=True)) for lm in lms)
    assert_equal(answers, expected)
    return lms[1], expected


@pytest.mark.parametrize("modules", [["q_proj", "v_proj", "down_proj"], ["q_proj", "lm_head"]], ids=["layers", "head"])
def test_low_rank_adapter(modules, tmp_path, tiny_model_bos):
    adapter = make_adapter(tmp_path, tiny_model_bos, LoraConfig(r=4, target_modules=modules, task_type="CAUSAL_LM"))
    _, bare = both(tiny_model_bos)
    lm, adapted = both(tiny_model_bos, peft=adapter)
    assert not lm._plain
    assert all(abs(one[0] - other[0]) > 0.01 for one, other in zip(bare, adapted, strict=True))


def test_prefix_tuning_is_left_to_the_parent(tmp_path, tiny_model_bos):
    adapter = make_adapter(tmp_path, tiny_model_bos, PrefixTuningConfig(num_virtual_tokens=3, task_type="CAUSAL_LM"))
    lm, _ = both(tiny_model_bos, peft=adapter)
    assert lm._plain


@pytest.mark.parametrize("options", [{"device_map": "auto"}, {"parallelize": True, "max_cpu_memory": "1500KB"}])
def test_weights_on_several_devices(options, tmp_path, tiny_model_bos):
    """With too little memory weights are fetched from disk for each layer."""
    lm, _ = both(tiny_model_bos, offload_folder=str(tmp_path), **options)
    assert not lm._plain
    assert "parallelize" not in options or "disk" in lm.model.hf_device_map.values()


def test_quantised_weights(tmp_path, tiny_model_bos):
    """A checkpoint with weights of eight bits."""
    quantization = pytest.importorskip("torchao.quantization", reason="needs torchao: pip install torchao")
    settings = TorchAoConfig(quantization.Int8WeightOnlyConfig())
    model = AutoModelForCausalLM.from_pretrained(tiny_model_bos, quantization_config=settings, device_map="cpu")
    model.save_pretrained(tmp_path)
    AutoTokenizer.from_pretrained(tiny_model_bos).save_pretrained(tmp_path)
    _, whole = both(tiny_model_bos)
    lm, rounded = both(tmp_path)
    assert not lm._plain
    assert lm.model.is_quantized
    assert all(abs(one[0] - other[0]) > 1e-3 for one, other in zip(whole, rounded, strict=True))
