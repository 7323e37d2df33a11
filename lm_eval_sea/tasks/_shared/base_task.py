"""The base of the pack's task classes: the model's tokenizer, and a cache key that covers everything that shapes a request."""

from __future__ import annotations

import functools
import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lm_eval.api.task import ConfigurableTask
from lm_eval.utils import hash_string

from .facts import facts
from .lm_eval_private import metric_names, model_under_evaluation, set_up, template
from .tokenization import TextTokenizer, find_tokenizer


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


@functools.cache
def _code_digest() -> str:
    """Changes with every change to the modules that make requests."""
    sources = (path.read_bytes() for path in sorted(Path(__file__).parent.rglob("*.py")))
    return hashlib.sha256(b"".join(sources)).hexdigest()


class ModelTask(ConfigurableTask):
    """A task whose requests depend on the model's tokens. lm-eval has no hook for that.

    The YAML keys are lm-eval's, in its meaning.
    """

    # What needs the model's tokenizer. Without a tokenizer, the run ends before the model computes anything.
    NEEDS_TOKENIZER = ""

    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__(config=set_up(config))
        self._tokenizer: TextTokenizer | None = None

    @functools.cached_property
    def facts(self) -> dict[str, Any]:
        """See `facts.facts`."""
        return facts(self.config.metadata)

    @property
    def _wanted_metrics(self) -> set[str]:
        return metric_names(self)

    def doc_to_text(self, doc: Mapping[str, Any], doc_to_text: str | None = None) -> str:
        """The question block of a row, up to and with the answer cue."""
        text: str = template(doc_to_text or self.config.doc_to_text).render(doc)
        return text

    def fewshot_context(self, doc: dict[str, Any], num_fewshot: int, *args: Any, **kwargs: Any) -> Any:
        """The prompt. With a chat template, it lacks the blank lines that separate its parts in plain text."""
        if (apply := kwargs.get("chat_template")) is not None:

            def without_blank_lines(messages: Sequence[dict[str, str]], **options: Any) -> Any:
                return apply([message | {"content": message["content"].strip()} for message in messages], **options)

            kwargs["chat_template"] = without_blank_lines
        return super().fewshot_context(doc, num_fewshot, *args, **kwargs)

    def _find_tokenizer(self, model: Any | None) -> TextTokenizer | None:
        """The tokenizer of the model under evaluation; None if the task is to go without."""
        return find_tokenizer(model, self.config.metadata or {}, self.NEEDS_TOKENIZER)

    def build_all_requests(
        self, *, limit: int | None = None, samples: list[int] | None = None, tokenizer_name: str = "", **kwargs: Any
    ) -> None:
        """Builds the requests of all rows.

        The key of lm-eval's cache of requests (`--cache_requests`) is the task's name and number of exemplars. Here it covers
        everything that shapes a request, so that another prompt, row or tokenizer never gets old requests.

        Raises `ValueError` for `--limit 0`, which lm-eval takes for no limit; `--samples` that would select other rows than they
        name; more exemplars than there are; a chat template that does not show a question; a model without tokenizer.
        """
        if limit is not None and limit < 1:
            raise ValueError(f"{self.task_name}: --limit {limit} leaves no rows; give at least 1, or leave it out for all")
        number = self.config.num_fewshot or 0
        if not 0 <= number <= len(self.sampler.df):
            raise ValueError(
                f"{self.task_name}: --num_fewshot {number} asks for more exemplars than there are; "
                f"choose 0 to {len(self.sampler.df)}"
            )
        self._tokenizer = self._find_tokenizer(model_under_evaluation())
        rows = len(self.test_docs())
        if samples is not None and (not samples or len(set(samples)) < len(samples) or min(samples) < 0 or max(samples) >= rows):
            raise ValueError(
                f"{self.task_name}: --samples {list(samples)[:5]}: expected one or more numbers of rows from 0 to {rows - 1}, "
                "each only once"
            )
        if kwargs.get("chat_template") is not None:
            kwargs["chat_template"] = self._shows_questions(kwargs["chat_template"])
        shape = json.dumps([self._request_shape(), samples], sort_keys=True, default=str)
        digest = hashlib.sha256(shape.encode()).hexdigest()[:16]
        super().build_all_requests(limit=limit, samples=samples, tokenizer_name=f"{tokenizer_name}-{digest}", **kwargs)

    def _shows_questions(self, apply: Callable[..., Any]) -> Callable[..., Any]:
        """A model's `apply_chat_template` that refuses to drop or change the user's words; white space does not count."""

        def checked(messages: Sequence[Mapping[str, str]], **options: Any) -> Any:
            prompt = apply(messages, **options)
            if isinstance(prompt, str):  # a chat server gets messages and uses its own template
                shown = " ".join(prompt.split())
                said = (" ".join(message["content"].split()) for message in messages if message["role"] == "user")
                if lost := next((text for text in said if text not in shown), None):
                    raise ValueError(
                        f"{self.task_name}: the chat template drops or changes a question. The question: {lost[:300]} | "
                        f"The prompt: {shown[:300]}"
                    )
            return prompt

        return checked

    def _request_shape(self) -> dict[str, Any]:
        """Everything that decides what the requests of this task look like."""
        config = self.config
        metadata = config.metadata
        return {
            "code": _code_digest(),
            "version": metadata["version"],
            "rows": metadata["provenance"]["data_sha256"],
            "sampler": [type(self.sampler).__name__, hash_string(str(self.sampler.rnd.getstate()))],
            "prompt": [config.description, config.doc_to_text, config.doc_to_choice, config.doc_to_target, config.gen_prefix],
            "exemplars": list(self.sampler.df),
            "delimiters": [config.target_delimiter, config.fewshot_delimiter],
            "generation": config.generation_kwargs,
            "calibration": [self.facts.get(name) for name in ("content_free_inputs", "content_fields", "answer_cue")],
            "messages": [self.facts.get(name) for name in ("answer_tag", "exemplars_by")],
            "tokenizer": self._tokenizer and self._tokenizer.digest,
        }
