"""Refuses checkpoints and adapters that lack weights, which transformers and PEFT draw at random; warns of unused weights."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from transformers import PreTrainedModel

from .replaced import replaced

# How many names an error shows.
SHOWN = 3


class IncompleteWeights(ValueError):
    """Weights are missing, or do not fit; the message says which."""


@contextmanager
def whole_weights(*, adapters: bool) -> Iterator[None]:
    """Inside, models, and with `adapters` also adapters, are loaded with all of their weights or not at all.

    lm-eval does not ask transformers for the loader's report (`output_loading_info`). Raises `IncompleteWeights` for a
    checkpoint that lacks weights, or an adapter whose weights do not fit the model.
    """
    load_model = PreTrainedModel.__dict__["from_pretrained"].__func__

    def from_pretrained(
        cls: type[PreTrainedModel], /, name: Any, *args: Any, output_loading_info: bool = False, **kwargs: Any
    ) -> Any:
        model, found = load_model(cls, name, *args, output_loading_info=True, **kwargs)
        if missing := found["missing_keys"]:
            raise IncompleteWeights(f"the checkpoint {name} lacks {_named(missing)}")
        if unused := found["unexpected_keys"]:
            text = "the checkpoint %s has %s that %s does not use; does config.json belong to it?"
            logging.getLogger("lm_eval_sea").warning(text, name, _named(unused), cls.__name__)
        return (model, found) if output_loading_info else model

    with (
        replaced(PreTrainedModel, from_pretrained=classmethod(from_pretrained)),
        _whole_adapters() if adapters else nullcontext(),
    ):
        yield


@contextmanager
def _whole_adapters() -> Iterator[None]:
    from peft import PeftModel

    load = PeftModel.load_adapter

    def load_adapter(self: Any, model_id: Any, adapter_name: str, *args: Any, **kwargs: Any) -> Any:
        found = load(self, model_id, adapter_name, *args, **kwargs)
        if any(adapter.is_prompt_learning for adapter in self.peft_config.values()):
            return found  # learnt tokens are not weights of a module
        # PEFT writes embeddings of a larger vocabulary under several names, and reads one of them
        places = {name.replace(f".{adapter_name}", "") for name in self.state_dict()}
        if unexpected := set(found.unexpected_keys) - places:
            raise IncompleteWeights(f"the adapter {model_id} has {_named(unexpected)} that the model has no place for")
        if found.missing_keys:
            raise IncompleteWeights(f"the adapter {model_id} lacks {_named(found.missing_keys)}")
        return found

    with replaced(PeftModel, load_adapter=load_adapter):
        yield


def _named(weights: Iterable[str]) -> str:
    names = sorted(weights)
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"{len(names)} weight{'s' * (len(names) > 1)} ({', '.join(names[:SHOWN])}{more})"
