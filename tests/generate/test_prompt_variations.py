"""Tasks with instructions in other words, and with other exemplars."""

import shutil
import unicodedata
from collections import Counter

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


def test_wordings_are_different_texts_that_name_every_label():
    seen = Counter()
    for name, language, book in books_with_paraphrases():
        texts = [book["instruction"], *book["paraphrases"]]
        assert len(set(texts)) == 3, (name, language)
        for text in texts:
            assert unicodedata.is_normalized("NFC", text)
            assert text == text.strip() and "\n" not in text
            assert all(label in text for label in book.get("labels", {}).values()), (name, language, text)
        seen[name] += 1
    assert set(seen) == {"belebele", "xcopa", "m3exam", "xnli", "indonli", "wisesight", "indolem", "vsmec"}


@pytest.fixture(scope="module")
def listed():
    return read_tasks()


def config(listed, name):
    return load_yaml(listed.tasks[name].path, resolve_func=False)


def test_a_wording_differs_from_the_plain_task_in_the_instruction_alone(listed):
    assert len(listed.tags["sea_setting_p2"]) == len(listed.tags["sea_setting_p3"]) == 30
    for number, tag in enumerate(("sea_setting_p2", "sea_setting_p3")):
        for name in listed.tags[tag]:
            one, plain = config(listed, name), config(listed, name[:-3])
            assert {key: value for key, value in one.items() if key not in OWN} == {
                key: value for key, value in plain.items() if key not in OWN
            }
            facts = one["metadata"]
            book = read_book(PROMPTS, facts["dataset"])["languages"][facts["prompt_language"]]
            assert one["description"] == book["paraphrases"][number] + "\n\n"
            assert plain["description"] == book["instruction"] + "\n\n"
            assert facts == plain["metadata"] | {"setting": name[-2:]}


def test_a_book_with_one_paraphrase_is_refused(tmp_path, capsys):
    books = shutil.copytree(PROMPTS, tmp_path / "books")
    path = books / "xcopa.yaml"
    book = yaml.safe_load(path.read_text(encoding="utf-8"))
    book["languages"]["vi"]["paraphrases"].pop()
    path.write_text(yaml.safe_dump(book, allow_unicode=True), encoding="utf-8")
    assert main(["tasks", "make", "--prompts", str(books), "--out", str(tmp_path / "out")]) == 2
    assert "xcopa: vi: 'paraphrases' has 1 texts; expected 2" in capsys.readouterr().err


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
