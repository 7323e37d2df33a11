"""`run --language`."""

import pytest

from lm_eval_sea.catalogue.suites import read_suites
from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.make.on_demand import select
from lm_eval_sea.results.secrets import KnownSecrets
from lm_eval_sea.run.arguments import group_of_language, languages, names_of_language, read_arguments


@pytest.fixture(scope="module")
def listed():
    return read_tasks()


def members(group):
    """The members of a group: tasks, and the group of SEA-HELM."""
    return read_suites()[group].tasks


def test_lite_chooses_the_lite_versions_of_the_tasks(listed):
    for language in languages(listed):
        whole = {task.name for task in listed.select([group_of_language(listed, language)])}
        lite = {task.name for task in listed.select([group_of_language(listed, language, lite=True)])}
        assert lite
        assert lite == {f"{name}_lite" for name in whole} & set(listed.tasks)
    assert members("sea_language_ceb_lite") == ("sea_belebele_ceb_to_ppl_lite", "sea_sib200_ceb_lite")


@pytest.mark.parametrize("lite", [[], ["--lite"]])
def test_chat_servers_get_chat_tasks(lite):
    def tasks(*flags):
        return read_arguments(["--language", "vi", *lite, *flags], KnownSecrets())[0].tasks

    assert tasks("--model", "chat-api") == tasks("--model", "hf", "--chat") != tasks("--model", "hf")


def test_lite_chat_tasks_have_the_rows_of_the_lite_ones(listed):
    """Each lite task of a language has a lite chat task, which is asked and read as the chat task."""
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


def test_every_language_has_tasks_and_each_once(listed):
    """NusaX is left out, because its rows are fetched by hand. English has no tasks of FLORES and NTREX."""
    for language in languages(listed):
        chosen = [task.name for name in members(f"sea_language_{language}") for task in listed.select([name])]
        assert chosen
        assert len(set(chosen)) == len(chosen)
        assert not [name for name in chosen if "nusax" in name]
        assert language != "en" or not [name for name in chosen if "flores" in name or "ntrex" in name]
    assert "sea_nusax_id" in listed.tasks
