"""SEA-HELM's own prompts from a checkout: a miniature of our own, and the real one beside its code."""

import os
import string
import unicodedata
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from lm_eval.tasks import TaskManager

from lm_eval_sea.commands import cli
from lm_eval_sea.official.sea_helm_prompts import PromptError, jinja, read_configs
from lm_eval_sea.results.facts import facts_of
from lm_eval_sea.sea_helm.totals.evidence import place_of
from lm_eval_sea.tasks._shared.sources import Source
from tests.sea_helm.official import checkout, run
from tests.tasks.evaluation import evaluate
from tests.tasks.planted_model import PlantedModel

MINIATURE = Path(__file__).with_name("miniature_sea_helm")


def make(folder, out, *options):
    return cli.main(["make", "--official", str(folder), "--out", str(out), *options])


def load(folder, names, rows):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(rows)
        return TaskManager(include_path=str(folder), include_defaults=False).load(names)["tasks"]


def evaluate_official(folder, name, rows, model):
    import lm_eval

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(rows)
        manager = TaskManager(include_path=str(folder), include_defaults=False, metadata={"tokenizer": "none"})
        return lm_eval.simple_evaluate(model=model, tasks=[name], task_manager=manager, bootstrap_iters=0)


@pytest.fixture
def made(tmp_path, capsys):
    assert make(MINIATURE, tmp_path / "tasks", "--keep-going") == 0
    return tmp_path / "tasks", capsys.readouterr()


def test_messages_of_the_miniature(made, samples):
    folder, _ = made
    task = load(folder, ["seahelm_id_sentiment"], samples)["seahelm_id_sentiment"]
    row, exemplar = task.test_docs()[0], task.sampler.df[0]
    head = 'Tebak nadanya {x}.\n\n"Jawab: ANSWER"'
    assert task.messages(row, 0) == [{"role": "user", "content": f"{head}\n\nKalimat [{row['text']}]"}]
    assert task.messages(row, 1) == [
        {"role": "user", "content": f"{head}\n\nKalimat [{exemplar['text']}]"},
        {"role": "assistant", "content": f"=> Jawab: {exemplar['label']}"},
        {"role": "user", "content": f"Kalimat [{row['text']}]"},
    ]
    assert task.config.generation_kwargs["max_gen_toks"] == 7


def test_answers_of_the_miniature_are_read_behind_its_tag(made, samples):
    folder, _ = made
    model = PlantedModel(generation=lambda prompt: "Jawab: Positif")
    results = evaluate_official(folder, "seahelm_id_sentiment", samples, model)
    assert results["results"]["seahelm_id_sentiment"]["balanced_acc,none"] == pytest.approx(1 / 3)
    ours = evaluate(samples, "sea_helm_id_sentiment", PlantedModel(generation=lambda prompt: "Jawab: Positif"))
    assert ours["results"]["sea_helm_id_sentiment"]["null_rate,none"] == 1.0


def test_rows_of_the_checkout_and_references_to_other_tasks(made, samples):
    folder, _ = made
    task = load(folder, ["seahelm_vi_global_mmlu_lite"], samples)["seahelm_vi_global_mmlu_lite"]
    row = task.test_docs()[0]
    assert row["question"] == "Một cộng một? "  # as published
    assert task.messages(row, 0)[0]["content"].endswith("Hỏi: Một cộng một?  (A) 1 (B) 2 (C) 3 (D) 4")
    assert read_configs(MINIATURE)["sentiment-logprobs"]["languages"]["id"]["max_tokens"] == 7


def test_totals_read_the_tasks_and_the_group_is_the_suite_without_what_a_judge_scores(made):
    folder, _ = made
    group = yaml.safe_load((folder / "seahelm_id.yaml").read_text(encoding="utf-8"))
    assert group["task"] == ["seahelm_id_sentiment"]
    facts = yaml.safe_load((folder / "seahelm_id_sentiment.yaml").read_text(encoding="utf-8"))["metadata"]
    assert place_of(facts_of(facts)).task == "sentiment" and facts["item_metric"] == "correct"


def test_what_cannot_be_made_is_said(tmp_path, capsys):
    assert make(MINIATURE, tmp_path / "tasks") == 1
    lines = capsys.readouterr().err.splitlines()
    assert "lm-eval-sea: seahelm_id_qa: the checkout has no such prompt, or it lacks 'qa'" in lines
    assert not (tmp_path / "tasks").exists()
    assert make(tmp_path, tmp_path / "tasks") == 2
    assert "nor of aisingapore/SEA-HELM, which has seahelm_tasks/" in capsys.readouterr().err


@given(st.lists(st.tuples(st.text(string.ascii_letters + " .\n'\"", max_size=9), st.sampled_from(["text", "label"])), max_size=4))
def test_templates_are_filled_as_str_format_fills_them(parts):
    from jinja2 import Environment

    template = "".join(f"{words}{{{field}}}" for words, field in parts)
    values = {"text": "{label} {{x}} {% y %}", "label": "b"}
    made = Environment(autoescape=False, keep_trailing_newline=True).from_string(jinja(template, {})).render(values)
    assert made == template.format(**values)


@pytest.mark.parametrize("text", ["{", "a } b", "{{x}}", "{% if %}", "{text.__class__}", "{0!r}"])
def test_a_template_that_is_no_plain_one_is_refused(text):
    with pytest.raises(PromptError):
        jinja(text, {})


OFFICIAL = """
import ast, json, sys
from pathlib import Path
import pandas, yaml
tree = ast.parse(Path("src/dataloaders/base_dataloader.py").read_text(encoding="utf-8"))
(method,) = [node for node in ast.walk(tree) if getattr(node, "name", "") == "generate_formatted_conversation"]
space = {}
exec(compile(ast.Module([method], []), "base_dataloader.py", "exec"), space)
given = json.load(sys.stdin)
found = []
for path, task, language, exemplars, values in given:
    words = yaml.safe_load(Path(path).read_text(encoding="utf-8"))[task]["languages"][language]["prompt_template"]
    class Rows:
        def to_pandas(self):
            return pandas.DataFrame(exemplars)
    class Loader:
        example_dataset = Rows() if exemplars else None
    roles, contents = space["generate_formatted_conversation"](Loader(), {"prompt_template": words}, values)
    found.append([{"role": role, "content": content} for role, content in zip(roles, contents)])
print(json.dumps(found))
"""


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
    return {"prompts": row["prompts"], "label": label}


@pytest.mark.slow
def test_messages_are_those_of_sea_helms_code(tmp_path, hub_mirror):
    """Three rows of each task that generates from a published prompt, without and with five exemplars."""
    folder = checkout("src/dataloaders/base_dataloader.py")
    assert make(folder, tmp_path / "tasks") == 0
    where = {}
    for path in (folder / "seahelm_tasks").glob("**/config.yaml"):
        where |= dict.fromkeys(yaml.safe_load(path.read_text(encoding="utf-8")), str(path))
    given, ours, names = [], [], []
    for file in sorted((tmp_path / "tasks").glob("seahelm_*_*.yaml")):
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
        if "group" in content:
            continue
        facts = content["metadata"]
        key = facts["sea_helm_task"]
        source = facts["data_source"]
        if not (os.path.isabs(source) or (hub_mirror / source).is_dir()) or "turn" in facts["task"]:
            continue
        try:
            task = load(tmp_path / "tasks", [content["task"]], hub_mirror)[content["task"]]
        except ValueError:
            continue  # the mirror lacks this language
        names.append(content["task"])
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(hub_mirror)
            published, _ = Source.from_metadata(**facts).load()
        numbered = {str(number): raw for number, raw in enumerate(published["test"])}
        named = {str(raw["id"]): raw for raw in published["test"] if "id" in raw}
        rows = named if len(named) == len(numbered) else numbered
        whole = task.config.output_type == "generate_until" and not hasattr(task, "messages")  # no exemplars, no class
        for shots in (0, 5):
            if shots and (content.get("num_fewshot") == 0 or len(published.get("examples", [])) < shots):
                continue
            examples = [as_seen(row, facts.get("labels", ())) for row in list(published["examples"])[:shots]] if shots else []
            for row in task.test_docs().select(range(3)):  # in an order of their own
                raw = rows[row["id"]]
                given.append([where[key], key, facts["language"], examples, as_seen(raw)["prompts"][0]])
                ours.append([{"role": "user", "content": task.doc_to_text(row)}] if whole else task.messages(row, shots))
    assert len(names) > 90 and len(ours) > 400
    official = run(folder, OFFICIAL, given)
    for messages in official:  # labels have no blanks at their ends here, and are in NFC
        for message in messages:
            if message["role"] == "assistant":
                message["content"] = unicodedata.normalize("NFC", message["content"]).strip()
    for record, *both in zip(given, ours, official, strict=True):
        if record[1].startswith(
            "thai_exam"
        ):  # whose rows lose the blanks at the ends of their texts here, as docs/sea_helm.md says
            for message in both[0] + both[1]:
                message["content"] = "\n".join(line.strip() for line in message["content"].split("\n"))
    different = [(record[1:3], one, other) for record, one, other in zip(given, ours, official, strict=True) if one != other]
    assert different == []
