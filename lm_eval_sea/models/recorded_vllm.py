"""lm-eval's `vllm` backend, with texts that record why they ended."""

from __future__ import annotations

from typing import Any

from lm_eval.models.vllm_causallms import VLLM
from vllm import RequestOutput
from vllm.platforms import current_platform

from .first_tokens import FirstTokensCheck
from .generated_text import GeneratedText
from .recorded_generation import RecordedGeneration


class RecordedVLLM(FirstTokensCheck, RecordedGeneration, VLLM):
    """lm-eval's `vllm`, which computes as it always does."""

    on_cpu: bool = current_platform.is_cpu()  # where vLLM gets fewer requests at once, and smaller blocks

    def _model_generate(self, *args: Any, **kwargs: Any) -> list[RequestOutput]:
        """What vLLM answers; the arguments are those of `VLLM`."""
        outputs: list[RequestOutput] = super()._model_generate(*args, **kwargs)
        self._outputs = iter(outputs)
        return outputs

    def record_of(self, prompt: str, settings: dict[str, Any], text: str) -> GeneratedText:
        """The next of the texts that vLLM made at once."""
        output = next(self._outputs)
        made = output.outputs[0]
        return self.counted(
            prompt,
            text,
            finished=made.finish_reason != "length",
            has_end=made.finish_reason == "stop" and not isinstance(made.stop_reason, str),  # which is a stop string
            prompt_tokens=len(output.prompt_token_ids or ()),
            written=len(made.token_ids),
        )
