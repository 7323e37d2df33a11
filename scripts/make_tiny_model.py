#!/usr/bin/env python3
"""Makes a tiny causal language model with random weights, to try commands without a download.

Its answers mean nothing. The tokenizer is a byte-level BPE, trained on the samples of the pack.

Examples:
    python scripts/make_tiny_model.py tiny_model
    python scripts/make_tiny_model.py tiny_model --bos --max_length 512
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

SAMPLES = Path(__file__).resolve().parents[1] / "lm_eval_sea" / "samples"
BOS, EOS = "<|bos|>", "<|eos|>"


def train_tokenizer(texts: list[str], *, bos: bool, vocabulary: int = 4000) -> PreTrainedTokenizerFast:
    """A byte-level BPE tokenizer trained on `texts`; with `bos` it begins every text with a begin-of-sequence token."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[EOS, *([BOS] if bos else [])],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    if bos:
        tokenizer.post_processor = processors.TemplateProcessing(
            single=f"{BOS} $A", special_tokens=[(BOS, tokenizer.token_to_id(BOS))]
        )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token=EOS, pad_token=EOS, **({"bos_token": BOS} if bos else {})
    )


def make_model(folder: Path, *, bos: bool, max_length: int, hidden: int, layers: int, seed: int) -> None:
    """Writes a Llama with random weights and its tokenizer to `folder`."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(SAMPLES.rglob("*.json*"))]
    tokenizer = train_tokenizer(texts, bos=bos)
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=hidden,
        intermediate_size=2 * hidden,
        num_hidden_layers=layers,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=max_length,
        initializer_range=0.2,  # wide enough that options differ in probability
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where to write the model")
    parser.add_argument("--bos", action="store_true", help="a tokenizer that begins texts with a begin-of-sequence token")
    parser.add_argument("--max_length", type=int, default=8192, help="context length in tokens (default: %(default)s)")
    parser.add_argument("--hidden", type=int, default=64, help="hidden size (default: %(default)s)")
    parser.add_argument("--layers", type=int, default=2, help="number of layers (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the weights (default: %(default)s)")
    arguments = vars(parser.parse_args())
    make_model(**arguments)
    print(f"tiny model in {arguments['folder']}")


if __name__ == "__main__":
    main()
