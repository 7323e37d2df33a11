"""What a task is and what its data is: the only reader of a task's metadata in results."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from lm_eval_sea.catalogue.data_sets import data_sets
from lm_eval_sea.catalogue.lm_eval_tasks import facts_of_lm_eval, of_lm_eval
from lm_eval_sea.catalogue.names import lite_name
from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.results.types import count_of, is_number, list_of, mapping_of
from lm_eval_sea.results.visible_text import one_line, some_names
from lm_eval_sea.tasks._shared.facts import CHAT, ORDER, SEA_HELM
from lm_eval_sea.tasks._shared.metrics.ranking import PROBABILITY

AS_PUBLISHED = " as published"  # after the name of a data set whose faults are not corrected
DIGEST_LENGTH = 12  # characters of a digest that are shown
_HEADLINE = "headline_metric"
# Data sets, and tasks of SEA-HELM, whose rows in one language are translations of those in another.
_TRANSLATED = {
    *("belebele", "copal", "crosslogiqa", "crossmmlu", "flores", "globalmmlulite", "mgsm", "multijail", "ntrex"),
    *("nusasentiment", "nusatranslation", "nusax", "nusaxmt", "sib200", "tico19", "xcopa", "xnli", "xquad"),
    *("sea_helm if-eval", "sea_helm mt-bench", "sea_helm safeguard_general_prompt", "sea_helm safeguard_general_response"),
    *("lindsea pairs", "lindsea sentences"),  # both languages adapt the same items in different orders, so ids do not match
}
# A data set or a task of SEA-HELM, in all languages or in one, with at least a fifth of its texts from another data set → that
# data set.
_TAKEN_FROM = {
    "belebele": "flores",  # passages of its sentences
    "copalcolloquial": "copal",
    "indolem": "nusatranslation",
    "m3exam th": "thaiexam",
    "myxnli": "xnli",
    "nusasentiment": "nusatranslation",
    "nusaxmt": "nusax",
    "sib200": "flores",
    "sea_helm abssum vi": "xlsum",
    "sea_helm belebele-qa-mc": "flores",
    "sea_helm causal": "xcopa",
    "sea_helm global_mmlu_lite": "globalmmlulite",
    "sea_helm kalahi-judge": "sea_helm kalahi-mc",
    "sea_helm mt-bench-judge": "sea_helm mt-bench",
    "sea_helm nli": "xnli",
    "sea_helm nli id": "indonli",
    "sea_helm pragmatic-pair": "lindsea pairs",
    "sea_helm pragmatic-single": "lindsea sentences",
    "sea_helm qa": "xquad",
    "sea_helm qa id": "tydiqa",
    "sea_helm safeguard_cultural_content_generation_response": "sea_helm safeguard_cultural_content_generation_prompt",
    "sea_helm safeguard_general_response": "sea_helm safeguard_general_prompt",
    "sea_helm sentiment id": "nusax",
    "sea_helm sentiment jv": "nusax",
    "sea_helm sentiment su": "nusax",
    "sea_helm sentiment th": "wisesight",
    **{f"sea_helm thai_exam_{exam}": "thaiexam" for exam in ("a_level", "ic", "onet", "tgat", "tpat1")},
    "sea_helm translation-en-xx": "flores",
    "sea_helm translation-xx-en": "flores",
    "sea_helm translation-id-xx": "nusax",
    "sea_helm translation-xx-id": "nusax",
}


@functools.cache
def _with_translated_texts() -> frozenset[str]:
    """Data sets whose languages share texts: `_TRANSLATED`, and those of lm-eval, which have no ids in common."""
    return frozenset({*_TRANSLATED, *(each.title for each in of_lm_eval() if each.origin == "translated")})


@dataclass(frozen=True)
class Facts:
    """What the results say about a task, under their names; empty or None for what they do not say."""

    headline_metric: str = ""  # empty: the task is of another pack
    item_metric: str = ""  # of a row, where the headline is made of all rows
    dataset: str = ""
    language: str = ""
    task: str = ""  # what kind of task: "mrc", "nli", …
    variant: str = ""
    prompt_language: str = ""
    setting: str = ""  # how exemplars or rows differ from those of the plain variant
    part: str = ""  # which part of a data set, if a group of lm-eval divides its rows among tasks
    suite: str = ""
    source_language: str = ""
    answer_language: str = ""
    competency: str = ""
    score_group: str = ""
    sea_helm_task: str = ""
    judged_as: str = ""
    data_source: str = ""
    data_config: str = ""
    data_revision: str = ""  # of the hub repository
    data_sha256: str = ""  # of the processed rows
    pack_version: str = ""
    version: Any = None
    prompt_book_version: Any = None
    chance: float = 0.0  # what guessing scores, 0 to 1; 0 for free answers
    rows: int | None = None  # of the data set, by the catalogue
    clusters: int | None = None  # of the rows that the task can be asked
    size_unknown: bool = False  # whether the catalogue says that it does not know
    subset: Mapping[str, Any] | None = None  # of a task on a part of the rows
    labels: tuple[str, ...] = ()
    parallel: bool = False
    as_published: bool = False
    data_on_hub: bool = True
    data_file: str = ""
    data_split: str = "test"
    signatures: Mapping[str, str] = field(default_factory=dict)  # metric → how it was made
    token_premium: Mapping[str, Any] = field(default_factory=dict)  # of the language that the prompt is in; see `run.premium`
    assumed: bool = False  # whether this is the installed pack's answer because the results do not say

    @property
    def of_pack(self) -> bool:
        """Whether the task is one of this pack."""
        return bool(self.headline_metric)

    @property
    def counts(self) -> bool:
        """Whether the headline score says how good the answers are, and so counts in means.

        It does not for tasks that a judge must score, and for those on the likelihood of an order.
        """
        return self.headline_metric != "null_rate" and self.setting != ORDER

    @property
    def is_text(self) -> bool:
        """Whether the task is one of this pack on plain texts, which has bits per byte and no score."""
        return self.setting == self.variant == "text" and not self.headline_metric

    @property
    def language_of_prompt(self) -> str:
        """The language in which an answer is expected: "en" for "th-en", passages in Thai with questions in English."""
        return (self.prompt_language or self.language).rpartition("-")[2]

    @property
    def data_set(self) -> str:
        """The name of the data set."""
        return self.dataset + (AS_PUBLISHED if self.as_published else "")

    @property
    def pool(self) -> str:
        """The scope of cluster names: within it, equal names are the same rows."""
        published = AS_PUBLISHED if self.as_published else ""
        return f"{self._origin}{published}{'' if self._origin in _TRANSLATED else f' {self.language}'} {self.part}".rstrip()

    @property
    def family(self) -> str:
        """Tasks of one family may ask about the same texts, even if their cluster names differ."""
        root = _TAKEN_FROM.get(f"{self._origin} {self.language}") or _TAKEN_FROM.get(self._origin, self._origin)
        return f"{root}{'' if root in _with_translated_texts() else f' {self.language}'} {self.part}".rstrip()

    @property
    def _origin(self) -> str:
        return f"{SEA_HELM} {self.sea_helm_task}" if self.dataset == SEA_HELM else self.dataset

    @property
    def metric_of_rows(self) -> str:
        """The metric of a row: the headline, or the one that it is made of."""
        return (self.item_metric or self.headline_metric).removeprefix("balanced_")

    @property
    def digest(self) -> str | None:
        """The beginning of the digest of the rows."""
        return self.data_sha256[:DIGEST_LENGTH] or None


_TEXTS = [entry.name for entry in fields(Facts) if entry.type == "str" and entry.default == ""]


def facts_of(metadata: Mapping[str, Any], name: str = "") -> Facts:
    """The facts of a task, from the metadata of its configuration in the results.

    The mapping `provenance` in it describes the data; older results have this in the metadata itself. If the metadata does not
    name the headline metric, the installed pack adds what it knows of a task of this name.
    """
    entries: dict[str, Any] = {**metadata, **mapping_of(metadata.get("provenance"))}
    known = read_tasks().tasks.get(name) if name and _HEADLINE not in entries else None
    if _HEADLINE not in entries:
        entries = {**(known.metadata if known is not None else facts_of_lm_eval(name)), **entries}
    chance, premium = entries.get("chance"), mapping_of(entries.get("token_premium"))
    is_premium = all(map(is_number, premium.values())) and premium.get("mean", 0) > 0
    file, split = (one_line(str(mapping_of(entries.get(key)).get("test") or "")) for key in ("data_files", "data_splits"))
    return Facts(
        **{key: one_line(entries[key]) for key in _TEXTS if isinstance(entries.get(key), str)},
        version=entries.get("version"),
        prompt_book_version=entries.get("prompt_book_version"),
        # a probability is no choice among labels, so there is nothing to guess
        chance=float(chance) if is_number(chance) and 0 <= chance < 1 and entries.get(_HEADLINE) != PROBABILITY else 0.0,
        rows=count_of(entries.get("rows")) or None,
        clusters=count_of(entries.get("clusters")) or None,
        size_unknown="subset" not in entries and entries.get("rows", 0) is None,
        subset=mapping_of(entries["subset"]) if "subset" in entries else None,
        labels=tuple(map(str, list_of(entries.get("labels")))),
        parallel=bool(entries.get("parallel")),
        as_published=bool(entries.get("as_published")),
        data_on_hub=bool(entries.get("data_on_hub", True)),
        data_file=file,
        data_split=split or "test",
        signatures={str(key): str(value) for key, value in mapping_of(entries.get("signatures")).items()},
        token_premium=premium if is_premium else {},
        assumed=known is not None and not metadata,
    )


def version_note(name: str, facts: Facts) -> str | None:
    """One line if the results were made by another version of the task than the installed pack has."""
    installed = _installed_version(name, facts)
    if installed is None or facts.assumed or facts.version == installed:
        return None
    return f"made with version {facts.version} of the task; the installed pack has {installed}"


def _installed_version(name: str, facts: Facts) -> Any:
    """The installed version of a task; of one made on demand, that of its data set or plain chat task. None: unknown.

    Rows translated into English have the prompts of the English task.
    """
    of_english = name.replace(f"_{facts.language}_translated_", "_en_")
    names = (name, name.removesuffix(lite_name("")).replace("_choice", "_chat"), of_english)
    known = next((task for each in names if (task := read_tasks().tasks.get(each)) is not None), None)
    if known is not None:
        return known.metadata["version"]
    data_set = data_sets().get(facts.dataset) if facts.setting and facts.variant not in CHAT else None
    return None if data_set is None else data_set.version


def row_count_note(facts: Facts, rows_total: int | None) -> str | None:
    """One line if the data had another number of rows than the catalogue says; `--limit` does not matter."""
    if facts.rows is None or rows_total in (None, facts.rows):
        return None
    return f"the data had {rows_total:,} rows, but the catalogue has {facts.rows:,}; was the file complete?"


def unknown_size_note(facts: Mapping[str, Facts]) -> str | None:
    """One line on tasks whose number of rows the catalogue does not know; None without such tasks."""
    names = [name.removeprefix("sea_helm_") for name, of_task in facts.items() if of_task.size_unknown]
    rows = f"the pack does not know how many rows {some_names(names)} should have"
    return f"{rows}, so a file that was cut off would not be noticed there" if names else None
