"""Tasks with instructions in other words, and with other exemplars."""

import shutil
import unicodedata

import pytest
import yaml
from lm_eval.tasks import TaskManager
from lm_eval.tasks._yaml_loader import load_yaml

from lm_eval_sea.catalogue import read_data_sets
from lm_eval_sea.catalogue.task_index import config_of, leaf_names
from lm_eval_sea.catalogue.task_list import TASKS_FOLDER, read_tasks
from lm_eval_sea.cli import main
from lm_eval_sea.generate.prompt_books import PROMPTS, read_book
from lm_eval_sea.generate.task_kinds import JUDGED

CATALOGUE = read_data_sets()
OWN = {"task", "tag", "description", "metadata"}


def books_with_paraphrases():
    for name in (name for name, record in CATALOGUE["data_sets"].items() if record["kind"] != JUDGED):
        for language, book in read_book(PROMPTS, name)["languages"].items():
            if "paraphrases" in book:
                yield name, language, book


def wordings(book, facts=None):
    """The three instructions of a book; of translation those of a task's direction, or else of each direction."""
    if "instructions" not in book:
        return [book["instruction"], *book["paraphrases"]]
    directions = [f"{facts['source_language']}_{facts['answer_language']}"] if facts else book["instructions"]
    return [text for pair in directions for text in (book["instructions"][pair], *book["paraphrases"][pair])]


def test_wordings_are_different_texts_that_name_every_label():
    for name, language, book in books_with_paraphrases():
        texts = wordings(book)
        assert len(set(texts)) == len(texts) == 3 * len(book.get("instructions", [""])), (name, language)
        for text in texts:
            assert unicodedata.is_normalized("NFC", text)
            assert text == text.strip() and "\n" not in text
            assert all(label in text for label in book.get("labels", {}).values()), (name, language, text)


@pytest.fixture(scope="module")
def listed():
    return read_tasks()


def config(listed, name):
    return load_yaml(listed.tasks[name].path, resolve_func=False)


def test_a_wording_differs_from_the_plain_task_in_the_instruction_alone(listed):
    suite = set(listed.groups["sea_sailcompass"])
    for number, tag in enumerate(("sea_setting_p2", "sea_setting_p3"), start=1):
        assert {name[:-3] for name in listed.tags[tag]} == suite | {f"{name}_enprompt" for name in suite}
        for name in listed.tags[tag]:
            one, plain = config(listed, name), config(listed, name[:-3])
            assert {key: value for key, value in one.items() if key not in OWN} == {
                key: value for key, value in plain.items() if key not in OWN
            }
            facts = one["metadata"]
            book = read_book(PROMPTS, facts["dataset"])["languages"][facts["prompt_language"]]
            texts = wordings(book, facts)
            assert one["description"] == texts[number] + "\n\n"
            assert plain["description"] == texts[0] + "\n\n"
            assert facts == plain["metadata"] | {"setting": name[-2:]}


def books_without(data_set, language, place, tmp_path):
    """A copy of the books in which one lacks a paraphrase, or those of a direction."""
    books = shutil.copytree(PROMPTS, tmp_path / "books")
    path = books / f"{data_set}.yaml"
    book = yaml.safe_load(path.read_text(encoding="utf-8"))
    book["languages"][language]["paraphrases"].pop(place)
    path.write_text(yaml.safe_dump(book, allow_unicode=True), encoding="utf-8")
    return books


@pytest.mark.parametrize(
    ("book", "said"),
    [
        (("xcopa", "vi", -1), "xcopa: vi: 'paraphrases' has 1 texts; expected 2"),
        (("flores", "th", "th_en"), "flores: th: paraphrases: 'th_en' is missing or empty"),
    ],
)
def test_a_book_that_lacks_a_paraphrase_is_refused(book, said, tmp_path, capsys):
    books = books_without(*book, tmp_path)
    assert main(["tasks", "make", "--prompts", str(books), "--out", str(tmp_path / "out")]) == 2
    assert said in capsys.readouterr().err


def test_exemplars_are_drawn_from_those_of_the_book(listed, tmp_path):
    assert main(["tasks", "make", "--exemplar_seeds", "3", "--out", str(tmp_path)]) == 0
    manager = TaskManager(include_path=str(tmp_path), include_defaults=False)
    orders = set()
    for seed in (1, 2, 3):
        names = leaf_names(manager, f"sea_setting_e{seed}")
        assert {name.removesuffix(f"_e{seed}") for name in names} == set(listed.groups["sea_sailcompass"])
        for name in names:
            drawn, plain = config_of(manager, name)["fewshot_config"]["samples"], listed.tasks[name[:-3]].exemplars
            assert sorted(map(repr, drawn)) == sorted(map(repr, plain))
            assert config_of(manager, name)["metadata"]["setting"] == f"e{seed}"
            orders.add((name[:-3], tuple(map(repr, drawn))))
    assert len(orders) > 2 * len(listed.groups["sea_sailcompass"])
    assert len(set(manager.all_subtasks) - set(listed.tasks)) == 3 * len(listed.groups["sea_sailcompass"])


def test_the_packs_own_folder_gets_no_drawn_exemplars(capsys):
    assert main(["tasks", "make", "--exemplar_seeds", "3", "--out", str(TASKS_FOLDER)]) == 2
    assert "--exemplar_seeds is for a folder of your own" in capsys.readouterr().err
