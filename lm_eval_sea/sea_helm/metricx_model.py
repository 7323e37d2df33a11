"""MetricX-24 (Juraska et al. 2024, arxiv.org/abs/2410.03983): the error of a translation, from 0 (none) to 25.

The model is an mT5 whose decoder reads one token, the padding token 0. The logit of the token <extra_id_10> at this position,
clamped to 0 … 25, is the error. Weights are read by transformers, which takes only tensors from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from lm_eval_sea.sea_helm import OFFICIAL_MODEL, OFFICIAL_TOKENIZER, SEAHELM, SeaHelmError

MAX_TOKENS = 1536
WORST = 25.0
SCORE_TOKEN = 250089  # <extra_id_10>
START_TOKEN = 0


def text_of(source: str, candidate: str, reference: str) -> str:
    """What the model reads."""
    return f"source: {source} candidate: {candidate} reference: {reference}"


def points(error: float) -> float:
    """SEA-HELM's score of an error: 100 for none, 0 for 25."""
    return 100 * (WORST - error) / WORST


def tokens_of(tokenizer: Any, texts: Sequence[str], eos: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Token numbers and attention mask of a batch of at least one text, (texts, tokens) each.

    The model was trained without the end token that its tokenizer adds. SEAHELM cuts off the last column of the padded batch,
    so only its longest texts lose their end token, and a text's score depends on the others; GOOGLE removes it from every text.
    """
    if eos == SEAHELM:
        batch = tokenizer(list(texts), truncation=True, padding=True, max_length=MAX_TOKENS, return_tensors="pt")
        return batch["input_ids"][:, :-1], batch["attention_mask"][:, :-1]
    rows = tokenizer(list(texts), truncation=True, max_length=MAX_TOKENS)["input_ids"]
    batch = tokenizer.pad({"input_ids": [row[:-1] for row in rows]}, return_tensors="pt")
    return batch["input_ids"], batch["attention_mask"]


class MetricX:
    """A model and its tokenizer."""

    def __init__(self, model: str, tokenizer: str, device: str | None = None):
        """Loads both from a folder or the hub, by default onto a GPU if there is one."""
        from transformers import AutoConfig, AutoTokenizer, MT5ForConditionalGeneration

        self.device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        try:
            config = AutoConfig.from_pretrained(model)
            if config.model_type != "mt5" or config.vocab_size <= SCORE_TOKEN:
                raise SeaHelmError(f"{model}: no mT5 with more than {SCORE_TOKEN} tokens, so no MetricX; use {OFFICIAL_MODEL}")
            self.tokenizer = AutoTokenizer.from_pretrained(tokenizer)
            if self.tokenizer("a")["input_ids"][-1:] != [config.eos_token_id]:
                raise SeaHelmError(f"{tokenizer}: texts do not end in mT5's end token; give --tokenizer {OFFICIAL_TOKENIZER}")
            loaded: Any = MT5ForConditionalGeneration.from_pretrained(model, dtype="auto")
            loaded = loaded.to(self.device).eval()
        except SeaHelmError:
            raise
        except (OSError, ImportError, ValueError, RuntimeError) as error:
            reason = " ".join(str(error).split())
            raise SeaHelmError(f"{model} with the tokenizer of {tokenizer} cannot be loaded: {reason}") from error
        self._encoder, self._decoder = loaded.encoder, loaded.decoder
        self._head = loaded.lm_head.weight[SCORE_TOKEN : SCORE_TOKEN + 1]

    @torch.inference_mode()
    def errors(self, texts: Sequence[str], eos: str) -> list[float]:
        """The errors of a batch of texts as `text_of` writes them, 0 to 25; `eos` is one of EOS_RULES."""
        tokens, mask = (tensor.to(self.device) for tensor in tokens_of(self.tokenizer, texts, eos))
        hidden = self._encoder(input_ids=tokens, attention_mask=mask).last_hidden_state
        start = torch.full((len(texts), 1), START_TOKEN, device=self.device)
        step = self._decoder(input_ids=start, encoder_hidden_states=hidden, encoder_attention_mask=mask, use_cache=False)
        logits = torch.nn.functional.linear(step.last_hidden_state[:, 0], self._head)[:, 0]
        return logits.float().clamp(0, WORST).tolist()
