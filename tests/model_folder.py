"""A folder that looks like a model's."""

from pathlib import Path


def model_folder(path: Path, *, weights: bytes | None = b"no weights", text: str = "a b c") -> Path:
    """Configuration, a tokenizer trained on a text, and a file of weights that cannot be loaded, or none."""
    from make_tiny_model import train_tokenizer
    from transformers import LlamaConfig

    LlamaConfig(hidden_size=16, num_attention_heads=2).save_pretrained(path)
    train_tokenizer([text], bos=False, vocabulary=300).save_pretrained(path)
    if weights is not None:
        (path / "model.safetensors").write_bytes(weights)
    return path
