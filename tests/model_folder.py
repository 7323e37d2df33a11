"""Folders that look like a model's."""

import shutil
from pathlib import Path
from types import SimpleNamespace


def model_folder(path: Path, *, weights: bytes | None = b"no weights", text: str = "a b c") -> Path:
    """Configuration, a tokenizer trained on a text, and a file of weights that cannot be loaded, or none."""
    from make_tiny_model import train_tokenizer
    from transformers import LlamaConfig

    LlamaConfig(hidden_size=16, num_attention_heads=2).save_pretrained(path)
    train_tokenizer([text], bos=False, vocabulary=300).save_pretrained(path)
    if weights is not None:
        (path / "model.safetensors").write_bytes(weights)
    return path


def with_template(model: Path, path: Path, template: str) -> Path:
    """A copy of a model that has a chat template."""
    shutil.copytree(model, path, dirs_exist_ok=True)
    (path / "chat_template.jinja").write_text(template)
    return path


def chat_run(model: Path, *, template: bool | str = True, **model_args: object) -> SimpleNamespace:
    """What a run with `--apply_chat_template` says of a model, as far as its template is concerned."""
    rest = {"fewshot_as_multiturn": False, "num_fewshot": None, "system_instruction": None}
    return SimpleNamespace(model_args={"pretrained": str(model), **model_args}, apply_chat_template=template, **rest)
