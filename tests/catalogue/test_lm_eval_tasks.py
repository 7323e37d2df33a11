"""lm-eval's own tasks that the pack lists: what the list says of them is what lm-eval has."""

import csv
import json

import pytest
from lm_eval.tasks import TaskManager

from lm_eval_sea.catalogue.data_sets import data_sets
from lm_eval_sea.catalogue.lm_eval_tasks import facts_of_lm_eval, names_in, of_lm_eval
from lm_eval_sea.catalogue.names import competency_titles, language_names
from lm_eval_sea.catalogue.task_index import add_entries, config_of, entries_of_lm_eval, leaf_names, path_of, read_with_functions
from lm_eval_sea.commands.cli import main

LISTED = [(each, language, name) for each in of_lm_eval() for language in each.languages for name in each.names(language)]


@pytest.fixture(scope="module")
def manager():
    manager = TaskManager(include_defaults=False)
    for folder in dict.fromkeys(each.folder for each in of_lm_eval()):
        entries = entries_of_lm_eval(folder)
        add_entries(manager, entries, entries)
    return manager


def options_of(config) -> int | None:
    """How many options the configuration says there are."""
    choices = config.get("doc_to_choice")
    if isinstance(choices, list):
        return len(choices)
    return choices.count(",") + 1 if isinstance(choices, str) else None


@pytest.mark.parametrize(("data_set", "language", "name"), LISTED, ids=[name for *_, name in LISTED])
def test_each_name_is_one_of_lm_evals_with_this_metric_and_chance(manager, data_set, language, name):
    code, metric = data_set.languages[language], data_set.names(language)[name]
    wanted, _, named_filter = metric.partition(",")
    leaves = leaf_names(manager, name)
    assert leaves
    for leaf in leaves:
        config = read_with_functions(path_of(manager, leaf))
        assert wanted in [entry["metric"] for entry in config["metric_list"]]
        assert named_filter in [entry["name"] for entry in config.get("filter_list", [{"name": ""}])]
        assert config["dataset_name"].casefold() == code
        assert config["dataset_path"] not in {data.source for each in data_sets().values() for data in each.languages.values()}
        if (options := options_of(config)) is not None:
            assert data_set.chance == 1 / options
        assert facts_of_lm_eval(leaf)["headline_metric"] == metric
        assert facts_of_lm_eval(leaf)["language"] == language
    assert language in language_names()
    assert data_set.tests in competency_titles()


def test_faults_are_those_of_the_configurations(manager):
    """What the list says is wrong is still wrong: when lm-eval mends it, the sentence goes."""
    for leaf in leaf_names(manager, "include_base_44_indonesian"):
        config = read_with_functions(path_of(manager, leaf))
        assert config["description"].endswith(tuple("abcdefghijklmnopqrstuvwxyzMs."))  # no line break behind it
        assert "\n D. " in config["doc_to_text"]
        assert "num_fewshot" not in config
    for name in names_in("th"):
        assert "target_delimiter" not in read_with_functions(path_of(manager, name))  # lm-eval's is a blank
    chat = read_with_functions(path_of(manager, "global_piqa_nonparallel_generation_tha_thai"))
    assert chat["generation_kwargs"]["temperature"] == 0.8
    assert config_of(manager, "include_base_44_indonesian")["aggregate_metric_list"][0]["weight_by_size"] is True


def test_other_names_are_not_taken_for_listed_ones():
    others = ["include_base_44_malayalam_stem", "include_base_44_malay_few_shot_en_stem", "include_base_44_malay_few_shot_og"]
    for name in (*others, "xstorycloze_ar", "xwinograd_en", "sea_xcopa_th_to_ppl", "global_piqa_cloze"):
        assert not facts_of_lm_eval(name)


@pytest.mark.slow
def test_listed_names_are_those_of_the_listed_tasks_and_of_members_of_the_listed_groups():
    """Among all of lm-eval's, such as those that show the same rows with exemplars."""
    every = TaskManager()
    listed = {name for *_, name in LISTED}
    members = {leaf for name in listed if name in every.all_groups for leaf in leaf_names(every, name)}
    assert {name for name in every.all_tasks if facts_of_lm_eval(name)} == listed | members


@pytest.mark.slow
def test_a_language_is_run_with_them_and_the_table_shows_their_scores(tmp_path, samples, tiny_model, monkeypatch, capsys):
    """Cebuano, from folders laid out like the hub: the pack's sample rows, and hand-written rows of Global PIQA's form."""
    for owner in samples.iterdir():
        (tmp_path / owner.name).symlink_to(owner)
    folder = tmp_path / "mrlbenchmarks" / "global-piqa-parallel"
    folder.mkdir(parents=True)
    (folder / "README.md").write_text(
        "---\nconfigs:\n- config_name: ceb_latn\n  data_files: [{split: test, path: ceb.csv}]\n---\n"
    )
    with (folder / "ceb.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["prompt", "solution0", "solution1", "solution2", "solution3", "label"])
        rows.writerows(
            [["Unsaon pagluto sa humay?", "Isulod sa tubig.", "Isulod sa yuta.", "Lubong.", "Labay.", n % 4] for n in range(4)]
        )
    output = tmp_path / "results"
    monkeypatch.chdir(tmp_path)
    model = ["--model", "hf", "--model_args", f"pretrained={tiny_model}", "--device", "cpu"]
    run = ["run", *model, "--limit", "3", "--skip_missing", "--language", "ceb"]
    assert main([*run, "--output_path", str(output), "--log_samples"]) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("global_piqa_parallel_cloze_ceb_latn")]
    assert line.split()[1:5] == ["3", "of", "4", "acc_norm"]
    assert line.split()[-1] == "25.0"
    (path,) = output.rglob("results_*.json")
    results = json.loads(path.read_text(encoding="utf-8"))["results"]
    assert {"sea_belebele_ceb_to_ppl", "global_piqa_parallel_cloze_ceb_latn"} <= set(results)
    (folder / "ceb.csv").unlink()
    assert main(run) == 0
    assert "left out: global_piqa_parallel_cloze_ceb_latn of lm-eval: " in capsys.readouterr().out


def test_ls_names_them(capsys):
    assert main(["ls", "--coverage", "my"]) == 0
    assert "xstorycloze_my, acc" in capsys.readouterr().out
    assert main(["ls", "global_piqa_*_sun_latn"]) == 0
    assert "of lm-eval: global_piqa_nonparallel_cloze_sun_latn" in capsys.readouterr().out
