"""SEA-HELM's own prompts from a checkout: a miniature of our own, and the real one beside its code."""

import json
import math
import os
import shutil
import signal
import string
import unicodedata
from pathlib import Path

import pytest
import yaml

from lm_eval_sea.official.sea_helm_prompts import read_configs
from lm_eval_sea.results.facts import facts_of
from lm_eval_sea.sea_helm.totals.evidence import place_of
from lm_eval_sea.tasks._shared.lm_eval_private import template
from lm_eval_sea.tasks._shared.sources import Source
from tests.official.conftest import commit, evaluate_official, load, make
from tests.processes import Fork
from tests.sea_helm.official import checkout, run
from tests.tasks.evaluation import evaluate
from tests.tasks.planted_model import PlantedModel

TESTED = "6844e6c5cae439a413281df31271d388fcbad12f"
MINIATURE = Path(__file__).with_name("miniature_sea_helm")

pytestmark = pytest.mark.usefixtures("in_samples")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The tasks that can be made of the miniature."""
    out = tmp_path_factory.mktemp("made") / "tasks"
    assert make(MINIATURE, out, "--keep-going") == 0
    return out


def test_messages_of_the_miniature(folder):
    task = load(folder, ["seahelm_id_sentiment"])["seahelm_id_sentiment"]
    row, exemplar = task.test_docs()[0], task.sampler.df[0]
    head = 'Tebak nadanya {x}.\n\n"Jawab: ANSWER"'
    assert task.messages(row, 0) == [{"role": "user", "content": f"{head}\n\nKalimat [{row['text']}]"}]
    assert task.messages(row, 1) == [
        {"role": "user", "content": f"{head}\n\nKalimat [{exemplar['text']}]"},
        {"role": "assistant", "content": f"=> Jawab: {exemplar['label']}"},
        {"role": "user", "content": f"Kalimat [{row['text']}]"},
    ]
    assert task.config.generation_kwargs["max_gen_toks"] == 7


def test_answers_of_the_miniature_are_read_behind_its_tag(folder, samples):
    model = PlantedModel(generation=lambda prompt: "Jawab: Positif")
    results = evaluate_official(folder, "seahelm_id_sentiment", model, tokenizer="none")
    assert results["results"]["seahelm_id_sentiment"]["balanced_acc,none"] == pytest.approx(1 / 3)
    ours = evaluate(samples, "sea_helm_id_sentiment", PlantedModel(generation=lambda prompt: "Jawab: Positif"))
    assert ours["results"]["sea_helm_id_sentiment"]["null_rate,none"] == 1.0


def test_rows_of_the_checkout_and_references_to_other_tasks(folder):
    task = load(folder, ["seahelm_vi_global_mmlu_lite"])["seahelm_vi_global_mmlu_lite"]
    row = task.test_docs()[0]
    assert row["question"] == "Một cộng một? "  # as published
    assert task.messages(row, 0)[0]["content"].endswith("Hỏi: Một cộng một?  (A) 1 (B) 2 (C) 3 (D) 4")
    assert read_configs(MINIATURE)["sentiment-logprobs"]["languages"]["id"]["max_tokens"] == 7


def test_totals_read_the_tasks_and_the_group_is_the_suite_without_what_a_judge_scores(folder):
    group = yaml.safe_load((folder / "seahelm_id.yaml").read_text(encoding="utf-8"))
    assert group["task"] == ["seahelm_id_sentiment"]
    facts = yaml.safe_load((folder / "seahelm_id_sentiment.yaml").read_text(encoding="utf-8"))["metadata"]
    assert place_of(facts_of(facts)).task == "sentiment" and facts["item_metric"] == "correct"


def test_only_a_folder_that_a_killed_call_left_is_written_to_again(tmp_path, capsys):
    """A killed call leaves files that are not yet in their places."""
    out = tmp_path / "tasks"

    def die_before_files_are_moved():
        Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)

    given = ("make", "--official", MINIATURE, "--keep-going", "--out", out)
    assert Fork(*given, before=die_before_files_are_moved).wait(60) == -signal.SIGKILL
    assert len(list(out.glob(".*"))) == 1
    assert make(MINIATURE, out, "--keep-going") == 0
    assert (out / "seahelm_id_sentiment.yaml").is_file() and not list(out.glob(".*"))
    (out / ".mine").mkdir()
    assert make(MINIATURE, out, "--keep-going") == 2
    assert f"{out} holds .mine, which was not written by this command" in capsys.readouterr().err


def test_another_commit_is_said_with_the_files_that_differ(tmp_path, capsys):
    folder = Path(shutil.copytree(MINIATURE, tmp_path / "sea_helm"))
    at = commit(folder)
    assert make(folder, tmp_path / "tasks", "--keep-going") == 0
    # the sentiment of the miniature lies where SEA-HELM's does not
    assert f"the checkout is at {at}, tested is {TESTED}; all files with prompts are the same" in capsys.readouterr().err
    changed = "seahelm_tasks/nlu/sentiment_analysis/config.yaml"
    (folder / changed).parent.mkdir()
    (folder / "seahelm_tasks/nlu/sentiment/config.yaml").rename(folder / changed)
    assert make(folder, tmp_path / "tasks", "--keep-going") == 0
    assert f"at {at}, tested is {TESTED}; other prompts than the tested ones in {changed}" in capsys.readouterr().err
    facts = yaml.safe_load((tmp_path / "tasks" / "seahelm_id_sentiment.yaml").read_text(encoding="utf-8"))["metadata"]
    assert facts["provenance"] == {"checkout_commit": at}


def test_ranked_labels_have_the_probability_of_the_right_one(folder):
    """SEA-HELM's logprobs: behind prompt, tag and separator, whatever the other labels get."""
    name = "seahelm_id_sentiment_logprobs"
    log_shares = {" Positif": -0.1, " Negatif": -2.0, " Netral": -5.0}
    model = PlantedModel(lambda prompt, ending: log_shares[ending])
    results = evaluate_official(folder, name, model, tokenizer="none")
    labels = [sample["doc"]["label"] for sample in results["samples"][name]]
    expected = sum(100 * math.exp(log_shares[f" {label}"]) for label in labels) / len(labels)
    assert results["results"][name]["gold_probability,none"] == pytest.approx(expected)
    task = load(folder, [name])[name]
    row = task.test_docs()[0]
    assert any(prompt == f"{task.messages(row, 0)[0]['content']}\n\nJawab:" for prompt, _ in model.requests)
    group = yaml.safe_load((folder / "seahelm_logprobs_id.yaml").read_text(encoding="utf-8"))
    assert group["task"] == [name]


def test_a_task_that_cannot_be_made_is_named(tmp_path, capsys):
    folder = Path(shutil.copytree(MINIATURE, tmp_path / "sea_helm"))
    rows = "seahelm_tasks/knowledge/lite/vi_dev.jsonl"
    (folder / rows).unlink()
    assert make(folder, tmp_path / "tasks") == 1
    lines = capsys.readouterr().err.splitlines()
    said = "seahelm_tasks/nlu/question_answering/config.yaml: missing; the checkout is at none: no git checkout, tested is"
    assert any(line.startswith(f"lm-eval-sea: {said} {TESTED}") for line in lines)
    assert "lm-eval-sea: seahelm_vi_sentiment: the checkout has no such prompt, or it lacks 'vi'" in lines
    assert f"lm-eval-sea: seahelm_vi_global_mmlu_lite: its rows are missing: {rows}" in lines
    assert lines[-1].endswith("--keep-going writes what can be made")
    assert not (tmp_path / "tasks").exists()


OFFICIAL = """
import ast, json, sys
from pathlib import Path
import pandas, yaml

def method(path):
    tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    found = [node for node in ast.walk(tree) if getattr(node, "name", "") == "generate_formatted_conversation"]
    space = {}
    exec(compile(ast.Module(found, []), path, "exec"), space)
    return space.get("generate_formatted_conversation")

configs = {}
for path in Path("seahelm_tasks").glob("**/config.yaml"):
    configs |= yaml.safe_load(path.read_text(encoding="utf-8"))
found = []
for task, language, exemplars, values in json.load(sys.stdin):
    words = configs[task]["languages"][language]["prompt_template"]
    class Rows:
        def to_pandas(self):
            return pandas.DataFrame(exemplars)
    class Loader:
        example_dataset = Rows() if exemplars else None
    file = configs[task].get("dataloader_file", "src/dataloaders/base_dataloader.py")
    render = method(file) or method("src/dataloaders/base_dataloader.py")
    roles, contents = render(Loader(), {"prompt_template": words}, values)
    found.append([{"role": role, "content": content} for role, content in zip(roles, contents)])
print(json.dumps(found))
"""


RESOLVED = """
import json
from pathlib import Path
from omegaconf import OmegaConf
files = [OmegaConf.load(path) for path in sorted(Path("seahelm_tasks").glob("**/config.yaml"))]
print(json.dumps(OmegaConf.to_container(OmegaConf.merge(*files), resolve=True)))
"""


def test_references_between_configurations_are_resolved_as_by_omegaconf():
    """SEA-HELM reads its configurations with it."""
    folder = checkout("src/task_config.py")
    ours, official = read_configs(folder), run(folder, RESOLVED, None)
    assert len(ours) > 100
    assert [name for name, config in ours.items() if json.loads(json.dumps(config, default=str)) != official[name]] == []


def as_seen(row, labels=()):
    """A published row as SEA-HELM's loaders hand it on; those of ThaiExam have columns instead of `prompts`.

    Rows of v1.0 name Burmese options in Latin letters, where `labels` are the Burmese ones of today.
    """
    if "prompts" not in row:
        row = {"prompts": [{name: row[name] for name in ("question", *"abcde") if name in row}], "label": row["answer"].upper()}
    label = row.get("label") or row.get("prompt_label")
    label = label[0] if isinstance(label, list) else label
    if labels and label not in labels:
        label = labels["ABCD".index(label)]
    return {"prompts": row["prompts"], "label": label, "metadata": row.get("metadata")}


def test_every_configuration_is_shown_as_by_sea_helms_code(tmp_path):
    """The message of a made-up row, with what a template engine could misread, of each task that can be made of the checkout."""
    folder = checkout("src/dataloaders/base_dataloader.py")
    assert make(folder, tmp_path / "tasks") == 0
    configs, given, ours = read_configs(folder), [], []
    for file in sorted((tmp_path / "tasks").glob("seahelm_*.yaml")):
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
        if "group" in content or "turns[" in content["doc_to_text"]:  # the message is the row
            continue
        facts = content["metadata"]
        words = configs[facts["sea_helm_task"]]["languages"][facts["language"]]["prompt_template"]
        fields = [name for _, name, _, _ in string.Formatter().parse(words["task_template"]) if name]
        values = {name: f"{name} {{x}} {{{{text}}}} {{% raw %}}\n'\"<ü" for name in fields}
        given.append([facts["sea_helm_task"], facts["language"], [], values])
        row = {"prompt": values.get("text"), "prompt_text": values.get("local_prompt")} | values
        text = template(content["doc_to_text"]).render(row)
        ours.append([{"role": "user", "content": f"{content['description']}\n\n{text}".strip()}])
    assert len(ours) > 250
    official = run(folder, OFFICIAL, given)
    assert [record[:2] for record, *both in zip(given, ours, official, strict=True) if both[0] != both[1]] == []


@pytest.mark.slow
def test_messages_are_those_of_sea_helms_code(tmp_path, in_hub_mirror, caplog):
    """Three rows of each task with a published prompt, ten of Global-MMLU-Lite, without and with five exemplars."""
    folder = checkout("src/dataloaders/base_dataloader.py")
    assert make(folder, tmp_path / "tasks") == 0
    given, ours, names = [], [], []
    for file in sorted((tmp_path / "tasks").glob("seahelm_*_*.yaml")):
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
        if "group" in content or content["metadata"]["variant"] == "ppl":  # which shows the messages of its twin
            continue
        facts = content["metadata"]
        key, source = facts["sea_helm_task"], facts["data_source"]
        if not (os.path.isabs(source) or (in_hub_mirror / source).is_dir()) or "turn" in facts["task"]:
            continue
        try:
            task = load(tmp_path / "tasks", [content["task"]])[content["task"]]
        except ValueError:
            continue  # the mirror lacks this language
        names.append(content["task"])
        published, _ = Source.from_metadata(**facts).load()
        numbered = {str(number): raw for number, raw in enumerate(published["test"])}
        named = {str(raw["id"]): raw for raw in published["test"] if "id" in raw}
        rows = named if len(named) == len(numbered) else numbered
        whole = task.config.output_type == "generate_until" and not hasattr(task, "messages")  # no exemplars, no class
        for shots in (0, 5):
            if shots and (content.get("num_fewshot") == 0 or len(published.get("examples", [])) < shots):
                continue
            by_subject = key == "global_mmlu_lite"  # whose code takes those of the row's subject itself, of which there are five
            examples = list(published["examples"])[: None if by_subject else shots] if shots else []
            examples = [as_seen(row, facts.get("labels", ())) for row in examples]
            for row in task.test_docs().select(range(10 if by_subject else 3)):  # in an order of their own
                raw = rows[row["id"]]
                given.append([key, facts["language"], examples, as_seen(raw)["prompts"][0]])
                ours.append([{"role": "user", "content": task.doc_to_text(row)}] if whole else task.messages(row, shots))
    assert len(names) > 90 and len(ours) > 400
    assert not [message for message in caplog.messages if "tested with" in message]  # rows and exemplars are SEA-HELM's
    lite = [messages for (key, *_), messages in zip(given, ours, strict=True) if key == "global_mmlu_lite"]
    assert sorted(map(len, lite)) == [1] * 60 + [11] * 60  # six languages
    official = run(folder, OFFICIAL, given)
    for messages in official:  # labels have no blanks at their ends here, and are in NFC
        for message in messages:
            if message["role"] == "assistant":
                message["content"] = unicodedata.normalize("NFC", message["content"]).strip()
    for record, *both in zip(given, ours, official, strict=True):
        if record[0].startswith("thai_exam"):  # whose rows lose the blanks at the ends of their texts here (docs/sea_helm.md)
            for message in both[0] + both[1]:
                message["content"] = "\n".join(line.strip() for line in message["content"].split("\n"))
    different = [(record[:2], one, other) for record, one, other in zip(given, ours, official, strict=True) if one != other]
    assert different == []
