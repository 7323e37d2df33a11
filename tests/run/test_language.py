"""`run --language`."""

import pytest
import yaml

from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.make.on_demand import select
from lm_eval_sea.results.secrets import KnownSecrets
from lm_eval_sea.run.arguments import group_of_language, languages, names_of_language, read_arguments
from lm_eval_sea.tasks._shared.facts import TASKS_FOLDER


@pytest.fixture(scope="module")
def listed():
    return read_tasks()


def tasks_of_language(listed, language, **options):
    """The members of a language's group; that of SEA-HELM by its name."""
    (path,) = (TASKS_FOLDER / "suites").rglob(f"{group_of_language(listed, language, **options)}.yaml")
    return yaml.safe_load(path.read_text(encoding="utf-8"))["task"]


def test_lite_has_the_lite_tasks_of_the_same(listed):
    for language in languages(listed):
        whole = {task.name for task in listed.select([group_of_language(listed, language)])}
        lite = {task.name for task in listed.select([group_of_language(listed, language, lite=True)])}
        assert lite
        assert lite == {f"{name}_lite" for name in whole} & set(listed.tasks)
    assert tasks_of_language(listed, "ceb", lite=True) == ["sea_belebele_ceb_to_ppl_lite", "sea_sib200_ceb_lite"]


@pytest.mark.parametrize("lite", [[], ["--lite"]])
def test_a_chat_server_is_asked_chat_tasks(lite):
    def tasks(*flags):
        return read_arguments(["--language", "vi", *lite, *flags], KnownSecrets())[0].tasks

    assert tasks("--model", "chat-api") == tasks("--model", "hf", "--chat") != tasks("--model", "hf")


def test_lite_chat_tasks_have_the_rows_of_the_lite_ones(listed):
    """The lite tasks of a language are asked and read as its chat tasks, and none is left out."""
    for language in ("th", "id", "kac"):
        names = names_of_language(listed, language, lite=True, chat=True)
        plain = names_of_language(listed, language, lite=True, chat=False)
        assert len(names) == len(set(names)) == len(listed.select(plain))
        for made in select([name for name in names if "_chat" in name]):
            whole = listed.tasks[made.name.removesuffix("_lite")]
            named = made.name.replace("_chat", "")
            (lite,) = (task for task in listed.select(plain) if task.name.replace(f"_{task.metadata['variant']}", "") == named)
            assert made.metadata["subset"] == lite.metadata["subset"]
            assert (made.metadata["setting"], made.metadata["rows"]) == ("lite", lite.metadata["rows"])
            assert made.metadata["answer_tag"] == whole.metadata["answer_tag"]


def test_every_language_has_tasks_that_exist_each_once(listed):
    for language in languages(listed):
        chosen = [task.name for name in tasks_of_language(listed, language) for task in listed.select([name])]
        assert chosen
        assert len(set(chosen)) == len(chosen)
        assert not [name for name in chosen if "nusax" in name], "their rows are fetched by hand"
    assert "sea_nusax_id" in listed.tasks


def test_translation_belongs_to_the_other_language(listed):
    """English is in every pair of FLORES and NTREX, whose tasks are those of the other language."""
    assert not [name for name in tasks_of_language(listed, "en") if "flores" in name or "ntrex" in name]
