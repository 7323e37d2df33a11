"""Names of tasks, groups and languages, and the titles that people see for them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence

from lm_eval_sea.tasks._shared.facts import TASKS_FOLDER, read_yaml


def language_names() -> Mapping[str, str]:
    """Code of a language → its English name."""
    return dict(read_yaml(TASKS_FOLDER / "languages.yml")["languages"])


def languages_like(text: str) -> list[str]:
    """Codes of languages whose code or English name is like the text, the most similar first; an exact match comes alone."""
    codes = {name.lower(): code for code, name in language_names().items()} | {code: code for code in language_names()}
    codes |= {"filipino": "tl", "fil": "tl"}  # the national language, which data sets call Tagalog
    word = text.lower()
    like = [word] if word in codes else difflib.get_close_matches(word, codes)
    return list(dict.fromkeys(codes[each] for each in like))


def did_you_mean(like: Sequence[str]) -> str:
    """The end of a message about an unknown name; empty if no name is like it."""
    return f"; did you mean {', '.join(like)}?" if like else ""


def meant(name: str, known: Iterable[str], most: int) -> str:
    """`did_you_mean` for the known names that are like the name, at most `most`."""
    return did_you_mean(difflib.get_close_matches(name, list(known), n=most))


def competency_titles() -> Mapping[str, str]:
    """What data sets test → its title; those of SailCompass first, in the order of its paper."""
    return read_yaml(TASKS_FOLDER / "competencies.yml")


def lite_name(task: str) -> str:
    """The name of the lite task of a task, or of the lite group of a language's group."""
    return f"{task}_lite"


def language_group(language: str) -> str:
    """The group of the suggested tasks of a language."""
    return f"sea_language_{language}"


def chat_name(suite: str) -> str:
    """The name of the suite of chat tasks beside a suite of others."""
    return f"{suite}_chat"
