"""A prompt configuration of SailCompass: its file read, checked against the one form that is known, and taken apart."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lm_eval_sea.official.config_reader import ConfigError, Imported, Record, read_names

_OPTION_PLACE = re.compile(r"(?P<cue>.*\S) \{(?P<column>\w+)\}", re.DOTALL)


class Configuration(NamedTuple):
    """What one configuration says, and where it stands."""

    path: str  # below the checkout
    sha256: str  # of the file
    lines: Mapping[str, int]  # name of a part → line in the file, for messages
    loader: str  # class that loads the rows
    evaluator: str  # class that scores the answers
    data_file: str  # below the folder of the data, such as "data/xcopa/id_test.jsonl"
    input_columns: Sequence[str]
    answer_column: str
    before: Sequence[str]  # turns before the row's: instruction, exemplars and their answers
    question: str  # the row's turn, with places {column}
    cue: str  # how the answer begins
    max_new_tokens: int | None  # of a generated answer; None where options are ranked
    options: Mapping[str, str]  # label → option as it stands behind the cue, in the order that decides ties; empty if generated

    @property
    def is_ranked(self) -> bool:
        """Whether options are ranked by perplexity, or an answer is generated."""
        return bool(self.options)

    def turns(self, label: str | None = None) -> list[str]:
        """All turns; with the option of a label behind the cue."""
        ending = self.cue if label is None else f"{self.cue} {self.options[label]}"
        return [*self.before, self.question, ending]


def read_configuration(folder: Path, path: str) -> Configuration:
    """Reads a configuration.

    Args:
        folder: of the checkout.
        path: of the configuration below it.

    Raises:
        ConfigError: with file and line, if anything is not as known.
    """
    names = read_names(folder / path, path)
    return _Form(path, names).configuration(hashlib.sha256((folder / path).read_bytes()).hexdigest())


class _Form:
    """The form of a configuration; `take` reads a part of it, and what nobody took is an error."""

    def __init__(self, path: str, names: Mapping[str, Any]) -> None:
        self.path = path
        self.names = names

    def fail(self, record: Any, what: str) -> ConfigError:
        return ConfigError(f"{self.path}:{getattr(record, 'line', 1)}: not understood: {what}")

    def take(self, record: Record, kinds: Mapping[str, type], optional: Sequence[str] = ()) -> list[Any]:
        """The values of the keys of a record, which must be these and of these types."""
        if not isinstance(record, Record):
            raise self.fail(record, f"{record!r:.60} where a dictionary with {', '.join(kinds)} is expected")
        for key in record:
            if key not in kinds:
                raise self.fail(record, f"the key {key!r}")
        for key, kind in kinds.items():
            if key not in record and key not in optional:
                raise self.fail(record, f"a dictionary without the key {key!r}")
            if key in record and not isinstance(record[key], kind):
                raise self.fail(record, f"{key}, which is no {kind.__name__}")
        return [record.get(key) for key in kinds]

    def configuration(self, sha256: str) -> Configuration:
        data_sets = [value for name, value in self.names.items() if name.endswith("_datasets")]
        if len(data_sets) != 1 or not isinstance(data_sets[0], list) or len(data_sets[0]) != 1:
            raise self.fail(None, "a configuration must define one list <set>_datasets with one data set")
        (data_set,) = data_sets[0]
        loader, _, path, reader, inference, evaluation = self.take(
            data_set, {"type": Imported, "abbr": str, "path": str, "reader_cfg": Record, "infer_cfg": Record, "eval_cfg": Record}
        )
        if not path.startswith("./data/"):
            raise self.fail(data_set, f"the path {path!r}, which is not below ./data/")
        input_columns, answer_column = self.take(reader, {"input_columns": list, "output_column": str})
        evaluator, _ = self.take(evaluation, {"evaluator": Record, "pred_role": str})
        (evaluator,) = self.take(evaluator, {"type": Imported})
        turns, max_new_tokens = self.inference(inference)
        parts = self.ranked(inference, turns) if max_new_tokens is None else self.generated(inference, turns)
        lines = {"question": inference.line, "columns": reader.line, "data": data_set.line}
        return Configuration(
            self.path, sha256, lines, loader.name, evaluator.name, path.removeprefix("./"), input_columns, answer_column,
            *parts[:3], max_new_tokens, parts[3],
        )  # fmt: skip

    def inference(self, inference: Record) -> tuple[dict[str | None, list[str]], int | None]:
        """The turns by label (None for the only template of generation), and the most tokens of a generated answer."""
        prompt_template, retriever, inferencer = self.take(
            inference, {"prompt_template": Record, "retriever": Record, "inferencer": Record}
        )
        self.named(*self.take(retriever, {"type": Imported}), retriever, "ZeroRetriever")
        kind, template = self.take(prompt_template, {"type": Imported, "template": Record})
        self.named(kind, prompt_template, "PromptTemplate")
        kind, generation, _, max_new_tokens = self.take(
            inferencer,
            {"type": Imported, "generation_kwargs": Record, "batch_size": int, "max_out_len": int},
            ["batch_size", "max_out_len"],
        )
        if generation != {"do_sample": False}:
            raise self.fail(generation, "generation that is not greedy")
        if (kind.name, max_new_tokens is None) not in {("GenInferencer", False), ("PPLInferencer", True)}:
            raise self.fail(inferencer, f"{kind.name} {'without' if max_new_tokens is None else 'with'} max_out_len")
        templates = {None: template} if kind.name == "GenInferencer" else template
        for label in templates:
            if label is not None and not isinstance(label, str):
                raise self.fail(template, f"the label {label!r}, which is no text")
        return {label: self.turns(each) for label, each in templates.items()}, max_new_tokens

    def named(self, value: Imported, record: Record, name: str) -> None:
        if value.name != name:
            raise self.fail(record, f"{value.name} instead of {name}")

    def turns(self, template: Record) -> list[str]:
        begin, rounds = self.take(template, {"begin": list, "round": list})
        roles = ["SYSTEM", *["HUMAN", "BOT"] * (len(rounds) // 2)]
        if len(begin) != 1 or len(rounds) % 2 or not rounds:
            raise self.fail(template, f"{len(begin)} turns at the beginning and {len(rounds)} of user and model")
        texts = []
        for turn, expected in zip([*begin, *rounds], roles, strict=True):
            role, text, _ = self.take(turn, {"role": str, "prompt": str, "fallback_role": str}, ["fallback_role"])
            if role != expected:
                raise self.fail(turn, f"a turn of {role} where one of {expected} is expected")
            if not text:
                raise self.fail(turn, "an empty turn")
            texts.append(text)
        return texts

    def generated(self, inference: Record, turns: Mapping[str | None, list[str]]) -> tuple:
        (*before, question, cue) = turns[None]
        return before, question, cue, {}

    def ranked(self, inference: Record, turns: Mapping[str | None, list[str]]) -> tuple:
        endings = {label: of_label[-1] for label, of_label in turns.items()}
        (*before, question) = next(iter(turns.values()))[:-1]
        if any(of_label[:-1] != [*before, question] for of_label in turns.values()):
            raise self.fail(inference, "labels whose turns differ before the answer")
        cue = self.cue(inference, endings)
        if len(endings) < 2 or not all(ending.startswith(f"{cue} ") for ending in endings.values()):
            raise self.fail(inference, f"answers that do not all begin with {cue!r} and a blank")
        return before, question, cue, {label: ending[len(cue) + 1 :] for label, ending in endings.items()}

    def cue(self, inference: Record, endings: Mapping[str | None, str]) -> str:
        """What stands before the option: `prompt_output`, or all before the place of a column where that is not given."""
        given = self.names.get("prompt_output")
        if isinstance(given, str):
            return given
        cues = {match["cue"] for match in map(_OPTION_PLACE.fullmatch, endings.values()) if match}
        if given is not None or len(cues) != 1:
            raise self.fail(inference, "where the cue ends and the option begins")
        return cues.pop()
