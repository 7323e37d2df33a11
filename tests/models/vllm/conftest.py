"""A tiny random model that vLLM's kernels for CPUs can compute, and the backends on it."""

import json
import os

import pytest

# Two engines and a server share a small machine; nothing is reported to anyone.
for _name, _value in {
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "VLLM_LOGGING_LEVEL": "ERROR",
    "VLLM_NO_USAGE_STATS": "1",
    "RAY_USAGE_STATS_ENABLED": "0",
}.items():
    os.environ.setdefault(_name, _value)

CHAT_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}<{{ message['role'] }}>\n{{ message['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}<assistant>\n{% endif %}"
)
ENGINE = {"dtype": "float32", "enforce_eager": True, "max_model_len": 8192}


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory):
    from make_tiny_model import make_model

    folder = tmp_path_factory.mktemp("model")
    make_model(folder, bos=True, max_length=8192, hidden=128, layers=2, seed=0)
    config = folder / "tokenizer_config.json"
    settings = json.loads(config.read_text(encoding="utf-8"))
    config.write_text(json.dumps(settings | {"chat_template": CHAT_TEMPLATE}), encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def hf(model_folder):
    from lm_eval.models.huggingface import HFLM

    return HFLM(str(model_folder), device="cpu", dtype="float32", batch_size=4)


@pytest.fixture(scope="session")
def vllm(model_folder):
    """lm-eval's backend, as `run` makes it."""
    from lm_eval_sea.models import class_of

    yield from until_shut_down(class_of("vllm")(str(model_folder), block_size=32, **ENGINE))


@pytest.fixture(scope="session")
def shared(model_folder):
    """The backend of the pack, by the name that a user gives."""
    from lm_eval.api.registry import get_model

    import lm_eval_sea.models  # noqa: F401

    yield from until_shut_down(get_model("vllm-shared-prefix")(str(model_folder), **ENGINE))


def until_shut_down(model):
    """Hands out a model, and ends its engine's processes afterwards: Python waits for them when it ends."""
    yield model
    model.model.llm_engine.engine_core.shutdown()
