"""What the model sees, to the letter."""

import json

import pytest
import yaml
from lm_eval.tasks import TaskManager

from lm_eval_sea.catalogue.data_sets import data_sets

from .evaluation import TASKS
from .prompt_texts import (
    DIGESTS,
    KINDS,
    digests_of,
    load_tasks,
    names_of_data_sets,
    names_of_kinds,
    small_chat_template,
    texts_of,
)
from .test_lm_eval_checks import check
from .test_planted_letters import misread, written_tasks


def test_one_prompt_of_each_kind_is_as_stored(folder):
    """`git diff` shows a change after `python -m tests.tasks.prompt_texts`."""
    assert "".join(texts_of(load_tasks(names_of_kinds(), folder), exemplars=1).values()) == KINDS.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("data_set", names_of_data_sets())
def test_all_prompts_are_those_of_the_digests(data_set, folder, monkeypatch):
    """`python -m tests.tasks.prompt_texts DATA_SET` prints them.

    What lm-eval asks of a task holds for all of these, too, and answers that are letters or labels are read in every form.
    """
    digests = yaml.safe_load(DIGESTS.read_text(encoding="utf-8"))
    assert set(digests) == set(names_of_data_sets())
    tasks = load_tasks(names_of_data_sets()[data_set], folder)
    assert digests_of(texts_of(tasks)) == digests[data_set]
    monkeypatch.chdir(folder)
    for task in tasks:
        check(task)
    written = {task.task_name: task for task in tasks if task.task_name in written_tasks()}
    assert not written or misread(written) == {}


def _load(task: str):
    manager = TaskManager(include_path=str(TASKS), include_defaults=False)
    return manager.load(task)["tasks"][task]


@pytest.mark.parametrize("language", ["id", "th", "my", "zh"])
def test_layout_by_hand(language, samples, monkeypatch):
    """INSTRUCTION, blank line, then exemplar after exemplar with a blank line between, then the row up to the cue."""
    prompt = yaml.safe_load((TASKS / f"belebele/prompts/{language}.yml").read_text(encoding="utf-8"))
    data = data_sets()["belebele"].languages[language]
    row = json.loads((samples / data.source / data.files["test"]).open(encoding="utf-8").readline())
    cue, blocks = prompt["cue"], [prompt["instruction"]]
    blank = "" if cue.endswith("：") else " "  # a full-width colon has its own
    monkeypatch.chdir(samples)
    task = _load(f"sea_belebele_{language}_to_ppl")
    asked = f"{prompt['row'].format(passage=row['flores_passage'], question=row['question'])}\n{cue}"
    for shots, exemplar in enumerate([*prompt["exemplars"], None]):
        task.set_config("num_fewshot", shots)
        assert task.fewshot_context(task.test_docs()[0], shots) == "\n\n".join([*blocks, asked])
        if exemplar:
            blocks.append(f"{prompt['row'].format(**exemplar)}\n{cue}{blank}{exemplar['options'][exemplar['gold']]}")
    assert shots == 5


def test_chat_template_gets_messages_without_edge_blanks(samples, monkeypatch):
    monkeypatch.chdir(samples)
    task = _load("sea_xcopa_vi_litilo_ppl")
    task.set_config("num_fewshot", 1)
    seen = []
    task.fewshot_context(
        task.test_docs()[0],
        1,
        apply_chat_template=True,
        fewshot_as_multiturn=True,
        chat_template=lambda messages, **options: seen.extend(messages) or "",
    )
    assert [message["role"] for message in seen] == ["system", "user", "assistant", "user"]
    assert seen[2]["content"] == "B"
    assert all(message["content"] == message["content"].strip() for message in seen)


class TestSEAHelm:
    """The messages from prompt file and rows, put together by hand."""

    @pytest.fixture
    def parts(self, samples, monkeypatch):
        """A function that gives preamble, filled templates and tagged labels of the exemplars and the first row, and the task."""
        monkeypatch.chdir(samples)

        def parts(task, repository, config):
            language, name = task.removeprefix("sea_helm_").split("_", 1)
            words = yaml.safe_load((TASKS / f"sea_helm/prompts/{language}.yml").read_text(encoding="utf-8"))
            prompt = words["tasks"][name]
            tag = prompt.get("cue", words["cue"])
            files = [samples / "aisingapore" / repository / "data" / config / f"{split}.jsonl" for split in ("examples", "eval")]
            rows = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
            filled = [prompt["row"].format(**row["prompts"][0]) for row in rows]
            labels = [row["label"] if isinstance(row["label"], str) else row["label"][0] for row in rows]
            preamble = f"{prompt['instruction']}\n\n{prompt['format'].replace('{cue}', tag)}"
            exemplars = len(files[0].read_text(encoding="utf-8").splitlines())
            return preamble, filled, [f"{tag} {label}" for label in labels], exemplars, _load(task)

        return parts

    TASKS = (
        ("sea_helm_id_sentiment", "NLU-Sentiment-Analysis", "id"),
        ("sea_helm_th_qa", "NLU-Question-Answering", "th"),
        ("sea_helm_ta_summarization", "NLG-Abstractive-Summarization", "ta"),
        ("sea_helm_vi_nli", "NLR-NLI", "vi"),
    )

    @pytest.mark.parametrize(("name", "repository", "config"), TASKS)
    def test_base_and_chat_form(self, parts, name, repository, config):
        preamble, filled, answers, exemplars, task = parts(name, repository, config)
        doc, chat = task.test_docs()[0], {"apply_chat_template": True, "chat_template": small_chat_template}
        for shots in (0, 2):
            blocks = [text for pair in zip(filled[:shots], answers, strict=False) for text in pair]
            expected = "\n\n".join([preamble, *blocks, filled[exemplars]]) + "\n\n"
            assert task.fewshot_context(doc, shots) == expected
            asked = [*filled[:shots], filled[exemplars]]
            asked[0] = f"{preamble}\n\n{asked[0]}"
            turns = [f"<user>{text}</user><assistant>{answer}</assistant>" for text, answer in zip(asked, answers, strict=False)]
            expected = "".join(turns[:shots]) + f"<user>{asked[-1]}</user><assistant>"
            assert task.fewshot_context(doc, shots, fewshot_as_multiturn=False, **chat) == expected

    def test_a_system_instruction_is_the_users_own(self, samples, monkeypatch):
        monkeypatch.chdir(samples)
        task = _load("sea_helm_id_sentiment")
        doc = task.test_docs()[0]
        chat = {"apply_chat_template": True, "chat_template": small_chat_template}
        preamble = task.config.description
        assert task.fewshot_context(doc, 0, system_instruction="Halo", **chat).startswith(
            f"<system>Halo</system><user>{preamble}"
        )
        assert task.fewshot_context(doc, 0, system_instruction="Halo").startswith(f"Halo\n\n{preamble}")

    def test_exemplars_share_the_subject(self, samples, monkeypatch):
        monkeypatch.chdir(samples)
        task = _load("sea_helm_en_global_mmlu_lite")
        doc = task.test_docs()[0]
        others = [row for row in task.fewshot_docs() if row["subject"] != doc["subject"]]
        assert others
        context = task.fewshot_context(doc, 1)
        assert not any(row["question"] in context for row in others)

    def test_an_option_without_text_is_not_shown(self, samples, monkeypatch):
        monkeypatch.chdir(samples)
        task = _load("sea_helm_th_thai_exam_tgat_ppl")
        lacking, whole = task.test_docs()
        assert (task.doc_to_choice(lacking), task.doc_to_choice(whole)) == (list("ABCD"), list("ABCDE"))
        assert "\nE:" not in task.doc_to_text(lacking)
        assert task.doc_to_text(whole).endswith(f"\nE: {whole['e']}")

    @pytest.mark.parametrize(("name", "most"), [("sea_helm_id_sentiment", 5), ("sea_helm_tl_kalahi", 0)])
    def test_more_exemplars_than_there_are(self, samples, monkeypatch, name, most):
        monkeypatch.chdir(samples)
        task = _load(name)
        row = task.test_docs()[0]
        task.fewshot_context(row, most)
        with pytest.raises(ValueError, match=f"--num_fewshot {most + 1} asks for more .* choose 0 to {most}"):
            task.fewshot_context(row, most + 1)
