"""Zero-shot tasks for chat models. A prompt says what to do and how to answer, then shows the row.

The answer is read from what follows the thought and the answer tag.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from lm_eval_sea.catalogue.kinds import JUDGED, KINDS
from lm_eval_sea.make import leaf
from lm_eval_sea.make.leaf import Content, Prompted
from lm_eval_sea.make.prompt_files import PromptFileError, entry, row_template
from lm_eval_sea.make.task_yaml import OneLineList
from lm_eval_sea.tasks._shared.facts import EXEMPLAR_SPLIT, TASKS_FOLDER, is_english_prompt, name_of, read_yaml

FOLDER = "chat_answers"  # the folder whose files say how to answer, one for each language
ROOM = 256  # tokens for text around an answer: a preface, a reason, the tag
STEPS = 768  # tokens for the steps before a number
CHOSEN = ("mcq", "classification")  # the kinds whose answer is one of the row's options


class _Form(NamedTuple):
    template: str  # in tasks/_shared
    key: str  # of the text in a file of `FOLDER` that says how to answer
    tag: str  # key of the answer tag, in `tags` of the same file
    target: str  # Jinja template of what follows the tag in an exemplar; empty if it depends on the task
    readers: int = 35  # the version of the answer readers, the first part of a task's version
    steps: str = ""  # Jinja template of what comes before the tag in an exemplar


# An exemplar's `solution` has steps; a row's is only the number.
_STEPS = "{% if solution.split()[1:] %}{{solution}}\n{% endif %}"
# Kind of data set → how its chat tasks are answered.
_FORMS = {
    "mcq": _Form("chat_letter_yaml", "letter", "answer", "{{letters[gold]}}"),
    "classification": _Form("chat_label_yaml", "label", "answer", ""),
    "qa": _Form("chat_qa_yaml", "span", "answer", "{{answers[0]}}"),
    "short_answer": _Form("chat_qa_yaml", "short_answer", "answer", "{{answers[0]}}"),
    "number": _Form("chat_number_yaml", "number", "answer", "{{solution.split()[-1]}}", 36, _STEPS),
    "translation": _Form("chat_translation_yaml", "translation", "translation", ""),
    "summarization": _Form("chat_summarization_yaml", "summary", "summary", "{{summary}}"),
}


def has_chat(prompted: Prompted, of: str, prompt_language: str) -> bool:
    """Whether a data set has chat tasks: the pack's do, except judged ones; a user's do if the prompt file has `chat`."""
    if prompted.of.kind == JUDGED:
        return False
    return prompted.of.path.is_relative_to(TASKS_FOLDER) or "chat" in leaf.shown_of(prompted, of, prompt_language).words


def chat_leaf(prompted: Prompted, language: str, of: str, prompt_language: str) -> Content:
    """The chat task of a data set with rows in a language; for `of` and `prompt_language` see `leaf.shown_of`.

    The instruction is in the user's message, because not all chat templates have a system message.
    """
    data_set = prompted.of
    data, form, shown = data_set.languages[language], _FORMS[data_set.kind], leaf.shown_of(prompted, of, prompt_language)
    asked = entry(shown.words, "chat", shown.where)
    answering, where = _how_to_answer(prompt_language), f"{FOLDER}/{prompt_language}.yml"
    tag = entry(entry(answering, "tags", where), form.tag, f"{where}: tags")
    words = leaf.label_words(prompted, shown.words, shown.where) if data_set.kind == "classification" else []
    how = entry(answering, form.key, where).format(tag=tag, labels=answering.get("between_labels", ", ").join(words))
    row = row_template(shown.words, shown.fields, shown.where)
    if data_set.kind == "mcq":
        row = leaf.with_options(row, "", KINDS["mcq"]["litilo_gen"]).rstrip("\n")
    room = STEPS if data_set.kind == "number" else ROOM
    version = float(f"{form.readers}.{entry(asked, 'version', shown.where)}{entry(answering, 'version', where)}")
    english = is_english_prompt(prompt_language, language)
    target = form.target or (f"{{{{{words}[gold]}}}}" if words else f"{{{{{shown.answer}}}}}")
    return {
        "task": name_of(data_set.name, of, "chat", english=english),
        "include": [
            f"_shared/{form.template}",
            *([leaf.rows_path(data_set.rows_folder, data.process)] if data.process else []),
            *([leaf.exemplars_path(data_set, data.prompts)] if EXEMPLAR_SPLIT not in data.splits else []),
        ],
        "tag": ["sea_setting_chat", *(["sea_prompt_en"] if english else [])],
        "doc_to_text": f"{entry(asked, 'instruction', shown.where)}\n{how}\n\n{row}",
        "doc_to_target": f"{form.steps}{tag} {target}",
        "generation_kwargs": leaf.greedy([], room if data_set.kind in CHOSEN else room + leaf.answer_limit(data_set, of)),
        "metadata": {
            **prompted.who(language, "chat", prompt_language, version),
            "prompt_book_version": asked["version"],
            "answer_tag": tag,
            **({"label_words": OneLineList(words)} if words else {}),
            **shown.said,
            "setting": "chat",
            "provenance": {},
        },
    }


def _how_to_answer(language: str) -> Mapping[str, Any]:
    path = TASKS_FOLDER / FOLDER / f"{language}.yml"
    if not path.is_file():
        advice = f"write it, or leave `chat` out of prompts/{language}.yml"
        raise PromptFileError(f"{path}: missing; it tells chat models how to answer in that language; {advice}")
    return read_yaml(path)
