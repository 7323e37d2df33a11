"""What the model sees, to the letter."""

import pytest
import yaml

from lm_eval_sea.catalogue.data_sets import data_sets

from .evaluation import draw_few_resamples, prompt_words, read_json_lines
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
from .test_task_files import check, misread, written_tasks


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
    draw_few_resamples(monkeypatch)
    written = {task.task_name: task for task in tasks if task.task_name in written_tasks()}
    assert not written or misread(written) == {}


@pytest.mark.parametrize("language", ["id", "th", "my", "zh"])
def test_layout_by_hand(language, samples, load_tasks):
    """INSTRUCTION, blank line, then exemplar after exemplar with a blank line between, then the row up to the cue."""
    prompt = prompt_words("belebele", language)
    data = data_sets()["belebele"].languages[language]
    row = read_json_lines(samples / data.source / data.files["test"])[0]
    cue, blocks = prompt["cue"], [prompt["instruction"]]
    blank = "" if cue.endswith("：") else " "  # a full-width colon has its own
    (task,) = load_tasks(f"sea_belebele_{language}_to_ppl").values()
    asked = f"{prompt['row'].format(passage=row['flores_passage'], question=row['question'])}\n{cue}"
    for shots, exemplar in enumerate([*prompt["exemplars"], None]):
        task.set_config("num_fewshot", shots)
        assert task.fewshot_context(task.test_docs()[0], shots) == "\n\n".join([*blocks, asked])
        if exemplar:
            blocks.append(f"{prompt['row'].format(**exemplar)}\n{cue}{blank}{exemplar['options'][exemplar['gold']]}")
    assert shots == 5


def test_chat_template_gets_messages_without_edge_blanks(load_tasks):
    (task,), seen = load_tasks("sea_xcopa_vi_litilo_ppl").values(), []
    task.set_config("num_fewshot", 1)
    chat = {"apply_chat_template": True, "chat_template": lambda messages, **options: seen.extend(messages) or ""}
    task.fewshot_context(task.test_docs()[0], 1, fewshot_as_multiturn=True, **chat)
    assert [message["role"] for message in seen] == ["system", "user", "assistant", "user"]
    assert seen[2]["content"] == "B"
    assert all(message["content"] == message["content"].strip() for message in seen)


class TestSEAHelm:
    """The messages from prompt file and rows, put together by hand."""

    TASKS = (
        ("sea_helm_id_sentiment", "NLU-Sentiment-Analysis"),
        ("sea_helm_th_qa", "NLU-Question-Answering"),
        ("sea_helm_ta_summarization", "NLG-Abstractive-Summarization"),
        ("sea_helm_vi_nli", "NLR-NLI"),
    )
    CHAT = {"apply_chat_template": True, "chat_template": small_chat_template}

    @pytest.mark.parametrize(("name", "repository"), TASKS)
    def test_base_and_chat_form(self, samples, load_tasks, name, repository):
        language, kind = name.removeprefix("sea_helm_").split("_", 1)
        words = prompt_words("sea_helm", language)
        prompt = words["tasks"][kind]
        tag = prompt.get("cue", words["cue"])
        preamble = f"{prompt['instruction']}\n\n{prompt['format'].replace('{cue}', tag)}"
        folder = samples / "aisingapore" / repository / "data" / language
        examples, rows = (read_json_lines(folder / f"{split}.jsonl") for split in ("examples", "eval"))
        shown, question = ([prompt["row"].format(**row["prompts"][0]) for row in some] for some in (examples, rows[:1]))
        labels = [row["label"] if isinstance(row["label"], str) else row["label"][0] for row in examples]
        answers = [f"{tag} {label}" for label in labels]
        (task,) = load_tasks(name).values()
        doc = task.test_docs()[0]
        for shots in (0, 2):
            blocks = [text for pair in zip(shown[:shots], answers, strict=False) for text in pair]
            assert task.fewshot_context(doc, shots) == "\n\n".join([preamble, *blocks, *question]) + "\n\n"
            asked = [*shown[:shots], *question]
            asked[0] = f"{preamble}\n\n{asked[0]}"
            turns = [f"<user>{text}</user><assistant>{answer}</assistant>" for text, answer in zip(asked, answers, strict=False)]
            expected = "".join(turns[:shots]) + f"<user>{asked[-1]}</user><assistant>"
            assert task.fewshot_context(doc, shots, fewshot_as_multiturn=False, **self.CHAT) == expected

    def test_a_system_instruction_is_the_users_own(self, load_tasks):
        (task,) = load_tasks("sea_helm_id_sentiment").values()
        asked, preamble = (task.test_docs()[0], 0), task.config.description
        in_chat = task.fewshot_context(*asked, system_instruction="Halo", **self.CHAT)
        assert in_chat.startswith(f"<system>Halo</system><user>{preamble}")
        assert task.fewshot_context(*asked, system_instruction="Halo").startswith(f"Halo\n\n{preamble}")

    def test_exemplars_share_the_subject_and_an_option_without_text_is_not_shown(self, load_tasks):
        (task,) = load_tasks("sea_helm_en_global_mmlu_lite").values()
        doc = task.test_docs()[0]
        others = [row["question"] for row in task.fewshot_docs() if row["subject"] != doc["subject"]]
        context = task.fewshot_context(doc, 1)
        assert others and not any(question in context for question in others)
        (task,) = load_tasks("sea_helm_th_thai_exam_tgat_ppl").values()
        lacking, whole = task.test_docs()
        assert (task.doc_to_choice(lacking), task.doc_to_choice(whole)) == (list("ABCD"), list("ABCDE"))
        assert "\nE:" not in task.doc_to_text(lacking)
        assert task.doc_to_text(whole).endswith(f"\nE: {whole['e']}")
