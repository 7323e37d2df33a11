"""The tasks of a data set in further settings, made from its plain ones.

    asis          rows as they were published, faults and all
    pN            the instruction in other words, from `paraphrases` (Mizrahi et al. 2024); the plain task has the first wording
    eN            the five exemplars shuffled by seed N, so that other ones come first and are shown
    lite          the chat task on the rows of the lite task
    choice        the chat task with structured outputs: the engine constrains the answer to the options
    order         log-likelihoods of the published list of options, and of one with two wrong options swapped

Only for data sets with the same rows in every language (`text` also for FLORES):

    text          the log-likelihood of a text without a prompt: plain language modelling

    parallel      exemplars that are translations of each other, so that all languages are compared with the same exemplars
    enshots       English words and exemplars before rows of the language
    pair          X-Y: the passage is in X; question, options and prompt are in Y
    to_en         the model translates every text of the rows into English
    translated    these translations as rows, from files that the user makes
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from lm_eval_sea.catalogue.names import language_names, lite_name
from lm_eval_sea.make.chat import CHOSEN, chat_leaf
from lm_eval_sea.make.leaf import Content, Prompted, exemplars, exemplars_path, greedy, leaf, rows_path, with_exemplars
from lm_eval_sea.make.prompt_files import PromptFileError, entry, of_task
from lm_eval_sea.make.task_yaml import Quoted
from lm_eval_sea.tasks._shared.facts import HEADLINES, ORDER, name_of, place_of_rows

PARAPHRASES = 2  # of a prompt that has any
ENGLISH_EXEMPLARS = 5  # as in the paper of Belebele
PARALLEL_VARIANTS = ("to_ppl", "litilo_ppl", "litilo_gen")  # of pairs, translated rows and parallel exemplars
ENGLISH_EXEMPLAR_VARIANTS = ("litilo_ppl", "to_ppl")


def _in_setting(content: Content, setting: str, task: str, **metadata: Any) -> Content:
    """A task with another name and only the tag of its setting."""
    own = {"setting": setting} | metadata | {"provenance": {}}
    said = {key: value for key, value in content["metadata"].items() if key != "provenance"}
    return content | {"task": task, "tag": [f"sea_setting_{setting}"], "metadata": said | own}


def _with_rows(prompted: Prompted, content: Content, process: str) -> Content:
    template, _, *exemplars_of = content["include"]
    return content | {"include": [template, rows_path(prompted.of.rows_folder, process), *exemplars_of]}


def as_is(prompted: Prompted, content: Content, process: str) -> Content:
    """A task on the rows as they were published. It has its own tag, because it is not another data set."""
    said = content["metadata"] | {"as_published": True}
    return _with_rows(prompted, content, process) | {"task": f"{content['task']}_asis", "tag": ["sea_asis"], "metadata": said}


def constrained(prompted: Prompted, content: Content) -> Content:
    """A chat task with its answer constrained to the options; refused if the answer is free text."""
    if prompted.of.kind not in CHOSEN:
        raise PromptFileError(f"{content['task']}: its answer is not a choice among options")
    return _in_setting(content, "choice", content["task"].replace("_chat", "_choice"), variant="choice")


def lite(content: Content) -> Content:
    """A chat task on the rows of its data set's lite task."""
    return _in_setting(content, "lite", lite_name(content["task"]))


def in_two_orders(prompted: Prompted, language: str) -> Content:
    """The whole list of options after the question, without instruction and exemplars, as on a web page."""
    if prompted.of.kind != "mcq":
        raise PromptFileError(f"{prompted.of.name}: it has no options whose order could be changed")
    content = leaf(prompted, language, prompted.of.languages[language].prompts, "to_ppl")
    question = content["doc_to_text"].removesuffix(f"\n{content['metadata']['answer_cue']}")
    own = {"chance": 0.5, "headline_metric": "acc"}
    content = _in_setting(content, ORDER, name_of(prompted.of.name, language, ORDER), **own)
    shown = {"doc_to_text": question, "target_delimiter": Quoted("\n"), "doc_to_choice": "options", "num_fewshot": 0}
    of_exemplars = ("exemplar_language", "exemplar_book_version", "answer_cue")
    said = {key: value for key, value in content["metadata"].items() if key not in of_exemplars}
    return {key: content[key] for key in ("task", "tag")} | shown | {"include": content["include"][:2], "metadata": said}


def english_exemplars(prompted: Prompted, language: str, variant: str) -> Content:
    """Everything in English except the row. Letters are ranked by their probability, as in the paper."""
    own = {"headline_metric": "acc"} if variant == "litilo_ppl" else {}
    name = name_of(prompted.of.name, language, f"enshots_{variant}")
    content = _in_setting(leaf(prompted, language, "en", variant), "enshots", name, **own)
    return with_exemplars(prompted, content, "en") | {"num_fewshot": ENGLISH_EXEMPLARS}


def parallel(prompted: Prompted, language: str, variant: str) -> Content:
    """Exemplars that are translations of each other."""
    content = leaf(prompted, language, language, variant)
    include = [*content["include"][:2], exemplars_path(prompted.of, language, "parallel_exemplars")]
    name = name_of(prompted.of.name, language, f"parallel_{variant}")
    return _in_setting(content | {"include": include}, "parallel", name)


def pair(prompted: Prompted, languages: str, variant: str) -> Content:
    """Passage in one language, question in another, in which the prompt is, too; `languages` is "X-Y"."""
    passages, _, questions = languages.partition("-")
    known = prompted.of.languages
    if passages == questions or not {passages, questions} <= set(known):
        raise PromptFileError(f"{prompted.of.name}: no pair {languages!r}; expected X-Y with two of {', '.join(known)}")
    content = leaf(prompted, questions, known[questions].prompts, variant, languages)
    files = {"test": _file(prompted, passages), "questions": _file(prompted, questions)}
    said = {"language": languages, "passage_language": passages, "question_language": questions}
    source = {"data_source": _parallel(prompted)["source"], "data_files": files}
    return _with_rows(prompted, _in_setting(content, "pair", content["task"], **said, **source), "process_pairs")


def translated(prompted: Prompted, language: str, variant: str) -> Content:
    """The rows as translations into English."""
    content = chat_leaf(prompted, "en", "en", "en") if variant == "chat" else leaf(prompted, "en", "en", variant)
    source = {"data_source": _parallel(prompted)["translated"], "data_files": {"test": _file(prompted, language)}}
    name = name_of(prompted.of.name, language, f"translated_{variant}")
    return _in_setting(content, "translated", name, language=language, **source)


def text(prompted: Prompted, language: str) -> Content:
    """The log-likelihood of texts that are translations of each other in all languages."""
    data_set = prompted.of
    known = data_set.running_texts or {}
    if language == "en" and "english" in known:  # the rows of any language have the English texts in another column
        language_of_rows, process = known["english_in"], known["english"]
    else:
        language_of_rows, process = language, known["process"]
    return {
        "task": name_of(data_set.name, language, "text"),
        "include": ["_shared/text_yaml", rows_path(data_set.rows_folder, process)],
        "tag": ["sea_setting_text"],
        "metadata": {
            **prompted.who(language, "text", "en"),
            "prompt_book_version": None,
            **place_of_rows(vars(data_set.languages[language_of_rows])),
            "rows": known["rows"],  # texts, not rows of the data set, so the facts of the rows are stated here
            "chance": 0.0,
            "headline_metric": "",  # bits are not a score between 0 and 1
            "setting": "text",
            "provenance": {},
        },
    }


def to_english(prompted: Prompted, language: str) -> Content:
    """The form of the translation tasks: a line with the text, a line for its translation; zero-shot."""
    names, record = language_names(), _parallel(prompted)
    source_word, cue = f"{names[language]}:", f"{names['en']}:"
    instruction = entry(prompted.words("en"), "translate", prompted.where("en")).format(language=names[language])
    return {
        "task": name_of(prompted.of.name, language, "to_en"),
        "include": ["_shared/text_translation_yaml", rows_path(prompted.of.rows_folder, "process_texts")],
        "tag": ["sea_setting_to_en"],
        "description": Quoted(f"{instruction}\n\n"),
        "doc_to_text": f"{source_word} {{{{text}}}}\n{cue}",
        "generation_kwargs": greedy([source_word], record["max_new_tokens"]),
        "metadata": {
            **prompted.who(language, "to_en", "en"),
            "task": "mt",
            "prompt_book_version": prompted.version("en"),
            "answer_cue": cue,
            "data_source": record["source"],
            "data_files": {"test": _file(prompted, language), "english": _file(prompted, "en")},
            "rows": record["texts"],  # texts, not rows of the data set, so the facts of the rows are stated here
            "chance": 0.0,
            "headline_metric": HEADLINES["translation"],
            "setting": "to_en",
            "source_language": language,
            "answer_language": "en",
            "provenance": {},
        },
    }


def _parallel(prompted: Prompted) -> Mapping[str, Any]:
    """What `data_set.yml` says about rows that all languages share."""
    assert prompted.of.parallel is not None  # only such data sets get here
    return prompted.of.parallel


def _file(prompted: Prompted, language: str) -> str:
    path: str = _parallel(prompted)["path"]
    return path.format(code=prompted.of.languages[language].code)


def wordings(prompted: Prompted, content: Content) -> list[str]:
    """The other wordings of a task's instruction: none, or `PARAPHRASES` of them."""
    said = content["metadata"]
    words, where = prompted.words(said["prompt_language"]), prompted.where(said["prompt_language"])
    if "source_language" in said:  # translation
        words = of_task(words, f"{said['source_language']}_{said['answer_language']}", where)
    texts: list[str] = words.get("paraphrases", [])
    if texts and (len(texts) != PARAPHRASES or not all(texts)):
        raise PromptFileError(f"{where}: 'paraphrases' has {len(texts)} texts; expected {PARAPHRASES}")
    return texts


def reworded(prompted: Prompted, content: Content, number: int) -> Content:
    """A task with another wording of the instruction; `number` is 2 for the first of them."""
    text, setting = wordings(prompted, content)[number - 2], f"p{number}"
    return _in_setting(content | {"description": Quoted(f"{text}\n\n")}, setting, f"{content['task']}_{setting}")


def reordered(prompted: Prompted, content: Content, seed: int) -> Content:
    """A task with the exemplars in another order."""
    config = exemplars(prompted, prompted.of.languages[content["metadata"]["language"]].prompts)["fewshot_config"]
    samples = random.Random(f"{seed} {content['task']}").sample(config["samples"], len(config["samples"]))
    drawn = {"fewshot_config": config | {"samples": samples}}
    return _in_setting(content | drawn, f"e{seed}", f"{content['task']}_e{seed}")
