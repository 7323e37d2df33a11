"""Tasks that are made on demand: other wordings and exemplars, pairs of languages, translations."""

import re
import unicodedata
from collections import Counter

import pytest
from lm_eval.tasks import TaskManager
from lm_eval.tasks._yaml_loader import load_yaml

from lm_eval_sea.catalogue.data_sets import data_sets
from lm_eval_sea.catalogue.kinds import JUDGED
from lm_eval_sea.catalogue.names import language_names
from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.commands.cli import main
from lm_eval_sea.make import on_demand
from lm_eval_sea.make.prompt_files import of_task, read_prompts
from lm_eval_sea.tasks._shared.facts import TASKS_FOLDER

PLAIN = read_tasks()
CODES = {language: data.code for language, data in data_sets()["belebele"].languages.items()}


def wordings(prompt):
    """The three instructions of a prompt."""
    return [prompt["instruction"], *prompt["paraphrases"]]


def test_wordings_are_different_texts_that_name_every_label():
    found = {}
    for name in (name for name, data_set in data_sets().items() if data_set.kind != JUDGED):
        for language, words in read_prompts(TASKS_FOLDER, name).items():
            prompts = {task: of_task(words, task, language) for task in words["tasks"]} if "tasks" in words else {None: words}
            found |= {(name, language, task): prompt for task, prompt in prompts.items() if "paraphrases" in prompt}
    assert len(found) > 40
    for where, prompt in found.items():
        texts = wordings(prompt)
        assert len(set(texts)) == 3, where
        for text in texts:
            assert unicodedata.is_normalized("NFC", text)
            assert text == text.strip() and "\n" not in text
            assert all(label in text for label in prompt.get("labels", {}).values()), (where, text)


def made(setting, *, everything=True):
    """Name → record of the listed tasks of a setting: of all, or of those that have Thai rows or questions."""
    names = [name for name, own in on_demand.listed().items() if own == setting]
    names = [name for name in names if everything or "th" in re.split("[_-]", name)]
    return {task.name: task for task in on_demand.select(names)}


def rest(task, *left_out):
    """What a task says but for its name and tags, and some keys."""
    return {key: value for key, value in task.config.items() if key not in ("task", "tag", "metadata", *left_out)}


def test_names_and_settings_are_listed():
    others = 17  # languages of Belebele but English
    counts = {"order": others + 1, "to_en": others, "translated": 4 * others, "pair": 2 * 3 * others}
    counts |= {"p2": 54, "p3": 54, "text": others + 1 + 4}  # FLORES: of three languages and English
    assert Counter(on_demand.listed().values()) == counts
    assert not set(on_demand.listed()) & set(PLAIN.tasks)


def test_a_wording_differs_from_the_plain_task_in_the_instruction_alone(everything):
    suite = set(PLAIN.groups["sea_sailcompass"])
    for number, setting in enumerate(("p2", "p3") if everything else ("p2",), start=1):
        tasks = made(setting)
        assert {name[:-3] for name in tasks} == suite | {f"{name}_enprompt" for name in suite}
        for name, one in tasks.items():
            whole, facts = PLAIN.tasks[name[:-3]], one.metadata
            assert rest(one, "description") == rest(whole, "description")
            prompt = read_prompts(TASKS_FOLDER, facts["dataset"])[facts["prompt_language"]]
            if "source_language" in facts:
                prompt = prompt["tasks"][f"{facts['source_language']}_{facts['answer_language']}"]
            texts = wordings(prompt)
            assert one.config["description"] == texts[number] + "\n\n"
            assert whole.config["description"] == texts[0] + "\n\n"
            assert facts == {**whole.metadata, "setting": setting}


def test_a_pair_asks_in_the_language_of_the_question(everything):
    for name, task in made("pair", everything=everything).items():
        passages, questions = task.metadata["language"].split("-")
        whole = PLAIN.tasks[name.replace(f"{passages}-{questions}", questions)]
        assert rest(task, "dataset_kwargs") == rest(whole, "dataset_kwargs")
        files = {place: f"data/{CODES[language]}.jsonl" for place, language in (("test", passages), ("questions", questions))}
        assert (task.metadata["data_source"], task.metadata["data_files"]) == ("facebook/belebele", files)


def test_translated_rows_are_asked_as_english_ones_are(everything):
    for name, task in made("translated", everything=everything).items():
        language = task.metadata["language"]
        whole = PLAIN.tasks[name.replace(f"{language}_translated", "en")]
        assert rest(task) == rest(whole)
        files = {"test": f"data/{CODES[language]}.jsonl"}
        assert (task.metadata["data_source"], task.metadata["data_files"]) == ("belebele_translated", files)


def test_every_text_is_translated_zero_shot():
    for task in made("to_en").values():
        language, known = task.metadata["language"], task.metadata
        title = language_names()[language]
        assert task.config["doc_to_text"] == f"{title}: {{{{text}}}}\nEnglish:"
        assert f"from {title} into English" in task.config["description"]
        assert (task.num_fewshot, known["rows"], known["answer_language"]) == (0, 488 + 900 + 3600, "en")


@pytest.mark.parametrize("name", ["sea_xnli_th", "sea_xcopa_id_to_ppl", "sea_flores_en_vi", "sea_bmpt3_ms_tito_ppl"])
def test_exemplars_in_another_order(name):
    orders = set()
    for seed in range(1, 6):
        (task,) = on_demand.select([f"{name}_e{seed}"])
        assert rest(task, "fewshot_config") == rest(PLAIN.tasks[name], "fewshot_config")
        assert sorted(map(repr, task.exemplars)) == sorted(map(repr, PLAIN.tasks[name].exemplars))
        assert task.metadata["setting"] == f"e{seed}"
        orders.add(tuple(map(repr, task.exemplars)))
    assert len(orders) > 2


@pytest.mark.parametrize("name", ["sea_multijail_th_p2", "sea_seabench_th_e1", "sea_nusaxmt_id_jv_e1", "sea_nusatopic_jv_e1"])
def test_prompts_that_no_prompt_file_has_cannot_be_asked_in_another_way(name, tmp_path, capsys):
    """Rows that are whole prompts, and exemplars that come with the rows."""
    assert main(["make", name, "--out", str(tmp_path)]) == 2
    line = f"lm-eval-sea: {name!r} is not a task that is made on demand; `lm-eval-sea ls` lists them\n"
    assert capsys.readouterr().err == line


def test_files_for_plain_lm_eval_are_what_run_makes(tmp_path):
    wanted = ["sea_xquad_vi_p3", "sea_belebele_th-vi_to_ppl", "sea_belebele_jv_to_en", "sea_belebele_my_translated_*"]
    status = main(["make", *wanted, "--out", str(tmp_path)])
    manager = TaskManager(include_path=str(tmp_path), include_defaults=False)
    assert status == 0 and len(manager.all_subtasks) == 7
    configurations = on_demand.tasks_on_demand(wanted)
    assert configurations.keys() == set(manager.all_subtasks)
    for name, configuration in configurations.items():
        assert {key: value for key, value in load_yaml(tmp_path / f"{name}.yaml").items() if key != "include"} == configuration
