"""What every task of the pack does alike: load its rows, render its templates, refuse what cannot be right."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lm_eval.api.task import ConfigurableTask
from lm_eval.utils import env as jinja_environment
from lm_eval.utils import hash_string

from . import __version__
from .configurations import data_files
from .data import TEST_SPLIT, load_rows, row_processor, with_lettered_options
from .tokenization import TextTokenizer, resolve_tokenizer


@functools.cache
def _template(source: str):
    """A compiled Jinja template; lm-eval compiles it anew for every row."""
    return jinja_environment.from_string(source)


@functools.cache
def _code_digest() -> str:
    """Changes with every change to the modules that make requests."""
    sources = (path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))
    return hashlib.sha256(b"".join(sources)).hexdigest()


class SEATask(ConfigurableTask):
    """A task whose rows come processed and checked from `data.load_rows`.

    The YAML keys are lm-eval's, with one difference: `process_docs` names a function that gets the published splits and
    returns the function from a published row to a processed row.
    """

    # What is lost without the model's tokenizer; None if that is no more than a warning.
    NEEDS_TOKENIZER: str | None = None

    def __init__(self, config: Mapping[str, Any]) -> None:
        """Loads the rows and finds the model's tokenizer.

        Raises:
            DataError: if the rows cannot be had or scored.
        """
        config = {key: value for key, value in config.items() if key != "class"}
        # lm-eval looks metric names up in its own registry unless something else computes them.
        config["process_results"] = f"{type(self).__name__}.process_results"
        super().__init__(config=config)
        self._tokenizer: TextTokenizer | None = resolve_tokenizer(self.config.metadata, self.NEEDS_TOKENIZER)

    def download(self, dataset_kwargs: Mapping[str, Any] | None = None, **_: Any) -> None:
        """Loads and processes the rows, and notes in the metadata which rows they are, and the version of the pack."""
        process = row_processor(self.config.process_docs, self.config.metadata)
        loaded = load_rows(self.DATASET_PATH, data_files(self.DATASET_NAME, dataset_kwargs), process)
        self.dataset = {TEST_SPLIT: loaded.rows}
        self._published_exemplars = loaded.exemplars
        found = {"data_revision": loaded.revision, "data_sha256": loaded.sha256}
        self.config.metadata |= found | {"pack_version": __version__}

    def test_docs(self):
        """The processed rows."""
        return self.dataset[TEST_SPLIT]

    def fewshot_docs(self):
        """The exemplars of the prompt book, in the form of processed rows."""
        return [with_lettered_options(exemplar) for exemplar in self.fewshot_cfg.samples]

    def doc_to_text(self, doc, doc_to_text=None):
        """The question block of a row, up to and with the answer cue."""
        return _template(doc_to_text or self.config.doc_to_text).render(doc)

    def doc_to_choice(self, doc, doc_to_choice=None):
        """The answers to choose from: a column of the row, or the same labels for every row."""
        source = doc_to_choice or self.config.doc_to_choice
        return doc[source] if isinstance(source, str) else source

    def doc_to_target(self, doc, doc_to_target=None):
        """The right answer: the position of the option, or a text."""
        source = doc_to_target or self.config.doc_to_target
        return doc[source] if source in doc else _template(source).render(doc)

    def fewshot_context(self, doc, num_fewshot, *args, chat_template=None, **kwargs):
        """The prompt; under a chat template without the blank lines that separate its parts in plain text."""
        if chat_template is not None:

            def chat_template(messages, *, _apply=chat_template, **options):
                stripped = [message | {"content": message["content"].strip()} for message in messages]
                return _apply(stripped, **options)

        return super().fewshot_context(doc, num_fewshot, *args, chat_template=chat_template, **kwargs)

    def set_config(self, key: str, value: Any, update: bool = False) -> None:
        """Sets a configuration value.

        Raises:
            ValueError: for more exemplars than the prompt book has.
        """
        if key == "num_fewshot" and not 0 <= value <= len(self.sampler.df):
            raise ValueError(
                f"{self.task_name}: --num_fewshot {value} asks for more exemplars than its prompt book has; "
                f"choose 0 to {len(self.sampler.df)}"
            )
        super().set_config(key, value, update)

    def build_all_requests(self, *, limit=None, samples=None, tokenizer_name: str = "", **kwargs: Any) -> None:
        """Builds the requests of all rows.

        lm-eval's cache of requests (`--cache_requests`) is keyed by the task's name and number of exemplars; here the key
        covers all that shapes a request, so that another prompt, row or tokenizer never meets old requests.

        Raises:
            ValueError: for `--limit 0`, which lm-eval would take for no limit.
        """
        if limit is not None and limit < 1:
            raise ValueError(f"{self.task_name}: --limit {limit} leaves no rows; give at least 1, or leave it out for all")
        shape = json.dumps([self._request_shape(), samples], sort_keys=True, default=str)
        digest = hashlib.sha256(shape.encode()).hexdigest()[:16]
        super().build_all_requests(limit=limit, samples=samples, tokenizer_name=f"{tokenizer_name}-{digest}", **kwargs)

    def _request_shape(self) -> dict[str, Any]:
        """All that decides what the requests of this task look like."""
        config = self.config
        return {
            "code": _code_digest(),
            "version": config.metadata["version"],
            "rows": config.metadata["data_sha256"],
            "sampler": [type(self.sampler).__name__, hash_string(str(self.sampler.rnd.getstate()))],
            "prompt": [config.description, config.doc_to_text, config.doc_to_choice, config.doc_to_target],
            "exemplars": list(self.sampler.df),
            "delimiters": [config.target_delimiter, config.fewshot_delimiter],
            "generation": config.generation_kwargs,
            "tokenizer": self._tokenizer and self._tokenizer.digest,
        }
