"""lm-eval's `hf` backend, with texts that record why they ended."""

from __future__ import annotations

from typing import Any

from lm_eval.models.huggingface import HFLM
from lm_eval.models.utils import normalize_gen_kwargs

from lm_eval_sea.tasks._shared.reading.thought import MARKS

from .first_tokens import FirstTokensCheck
from .generated_text import GeneratedText
from .recorded_generation import RecordedGeneration


class RecordedHF(FirstTokensCheck, RecordedGeneration, HFLM):
    """lm-eval's `hf`, which computes as it always does."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        ends = getattr(getattr(self.model, "generation_config", None), "eos_token_id", None)
        self._ends = {self.eot_token_id, *(ends if isinstance(ends, list) else [ends])} - {None}
        special = getattr(self.tokenizer, "all_special_tokens", ())  # transformers leaves these out of a decoded text
        self._shows_marks = any(token in marks.begin + marks.end for token in special for marks in MARKS if len(token) > 3)

    def tok_decode(self, tokens: Any, skip_special_tokens: bool = True) -> str:
        """The text of tokens; for a text that is being generated, up to its end and with the marks of a thought."""
        if self._recorder is not None and isinstance(tokens, list):
            begin = int(self.backend != "causal")  # the first token of an encoder-decoder may be an end token
            end = next((place for place in range(begin, len(tokens)) if tokens[place] in self._ends), len(tokens))
            self._written, self._has_end = tokens[begin:end], end < len(tokens)
            tokens, skip_special_tokens = tokens[:end], skip_special_tokens and not self._shows_marks
        text: str = super().tok_decode(tokens, skip_special_tokens=skip_special_tokens)
        return text

    def record_of(self, prompt: str, settings: dict[str, Any], text: str) -> GeneratedText:
        """The text that was decoded last, ended by the model, a stop string or the token limit."""
        written: Any = self._written
        at_limit = len(written) >= normalize_gen_kwargs(settings, self.max_gen_toks)["max_gen_toks"]
        at_stop_string = text != super().tok_decode(written, skip_special_tokens=not self._shows_marks)
        return self.counted(
            prompt,
            text,
            finished=self._has_end or not at_limit or at_stop_string,
            has_end=self._has_end and not at_stop_string,
            prompt_tokens=len(self.tok_encode(prompt)),
            written=len(written) + self._has_end,
        )
