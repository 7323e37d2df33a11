"""SEA-HELM's tasks in whole runs: planted answers, a tiny model, samples and real rows."""

import itertools
import json

import datasets
import pytest
import torch
from lm_eval.models.utils import postprocess_generated_text
from transformers import AutoModelForCausalLM, AutoTokenizer

from lm_eval_sea.catalogue.check import check_data
from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.models.generated_text import GeneratedText
from lm_eval_sea.tasks._shared.reading.thought import MARKS
from tests.model_folder import with_template

from .evaluation import CHAT_TEMPLATE, evaluate, on_cpu, prompt_words, scores
from .planted_model import PlantedModel, RowModel, right_of
from .prompt_texts import small_chat_template
from .test_reference_perplexity import reference_log_perplexity

ONE_OF_A_KIND = [
    "sea_helm_id_sentiment", "sea_helm_id_qa", "sea_helm_my_belebele_mcqa", "sea_helm_su_metaphor", "sea_helm_tl_nli",
    "sea_helm_ta_summarization", "sea_helm_lo_translation_en_xx", "sea_helm_id_lindsea_syntax",
    "sea_helm_id_lindsea_pragmatics_single", "sea_helm_ta_lindsea_pragmatics_pair", "sea_helm_tl_kalahi", "sea_helm_vi_toxicity",
    "sea_helm_en_global_mmlu_lite", "sea_helm_th_thai_exam_tgat", "sea_helm_tl_paraphrase",
]  # fmt: skip


class ChatModel(RowModel):
    """A model with a chat template."""

    tokenizer_name = "planted"

    def apply_chat_template(self, messages, add_generation_prompt=True):
        return small_chat_template(messages, add_generation_prompt)


def headline(task: str) -> str:
    return read_tasks().tasks[task].metadata["headline_metric"]


def answer_of(row: dict) -> str:
    """The answer that the format asks for."""
    return f"{row['scoring']['answer_tag']} {right_of(row)}"


def test_a_perfect_base_model_and_one_that_says_nothing(samples):
    perfect = evaluate(samples, ONE_OF_A_KIND, RowModel(lambda row: f"\n{answer_of(row)}\n\n"))
    mute = evaluate(samples, ONE_OF_A_KIND, PlantedModel(generation=lambda prompt: ""))
    for task in ONE_OF_A_KIND:
        found = scores(perfect, task)
        for name, value in found.items():
            if name.startswith(("correct", "balanced_acc", "phenomena_acc", "f1")):
                assert value == 1.0, (task, name)
            if name.startswith(("normalised", "rougeL", "chrf++")):
                assert value == pytest.approx(100.0), (task, name)
        assert found["null_rate"] == found["null_rate_strict"] == 0.0
        assert headline(task) in found
        found = scores(mute, task)
        assert found["null_rate"] == found["null_rate_strict"] == 1.0
        assert found[headline(task)] == 0.0


def test_a_perfect_chat_model_that_thinks(samples):
    """The same answers behind the template, after thoughts that name another label."""
    model = ChatModel(lambda row: f"<think>Jawaban: Negatif, A</think>\n\n**{answer_of(row)}**")
    results = evaluate(samples, ONE_OF_A_KIND, model, apply_chat_template=True)
    assert all(prompt.startswith("<user>") and prompt.endswith("</user><assistant>") for prompt, _ in model.requests)
    assert all(arguments["until"] == [] for _, arguments in model.requests), "nothing stops a chat model"
    for task in ONE_OF_A_KIND:
        found = scores(results, task)
        strict = headline(task) + "_strict"
        assert found[strict] == pytest.approx(100.0 if strict.startswith(("rougeL", "chrf")) else 1.0), task


class OpensThoughts(ChatModel):
    """Its chat template ends inside a thought."""

    def __init__(self, write, marks=MARKS[0]):
        super().__init__(write)
        self._begin = marks.begin

    def apply_chat_template(self, messages, add_generation_prompt=True):
        return f"{super().apply_chat_template(messages, add_generation_prompt)}\n{self._begin}\n"


@pytest.mark.parametrize(
    "marks", [*MARKS[:3], *(pytest.param(marks, marks=pytest.mark.slow) for marks in MARKS[3:])], ids=lambda marks: marks.begin
)
def test_a_label_in_a_thought_is_none(samples, marks):
    """The model or its chat template opens the thought; the limit of tokens cuts that of the second row."""
    texts = {
        "Positif": f"Jawaban: Negatif\n{marks.end}\n\nJawaban: Positif",
        "Negatif": GeneratedText("Jawaban: Negatif. But wait", finish_reason="length"),
        "Netral": f"Netral? Jawaban: Positif{marks.end}Netral",
    }
    opened = {
        label: GeneratedText(f"{marks.begin}\n{text}", finish_reason="length" if label == "Negatif" else "stop")
        for label, text in texts.items()
    }
    for model in (OpensThoughts(lambda row: texts[row["label"]], marks), ChatModel(lambda row: opened[row["label"]])):
        results = evaluate(samples, "sea_helm_id_sentiment", model, apply_chat_template=True)
        rows = [sample["doc"] for sample in results["samples"]["sea_helm_id_sentiment"]]
        assert [row["predictions"]["published"] for row in rows] == ["Positif", None, "Netral"]
        found = scores(results, "sea_helm_id_sentiment")
        assert found["null_rate"] == found["null_rate_strict"] == pytest.approx(1 / 3)


OTHER_WRITTEN = [
    *("sea_helm_id_qa", "sea_helm_id_ifeval", "sea_helm_id_mt_bench_judge_turn_1"),
    *("sea_multijail_th", "sea_seabench_id"),
]
CHAT = "sea_flores_en_id_chat"


SAID = "<answer>Pasar itu ramai.</answer><|im_end|>"


@pytest.mark.parametrize(("task", "read"), [*((task, SAID) for task in OTHER_WRITTEN), (CHAT, "Pasar itu ramai.")])
def test_a_thought_that_the_chat_template_opened_is_no_answer(samples, task, read):
    """A thought that is cut has no mark at all. If the backend took the thought off, the text is the answer."""
    for text, taken_off, answer in ((SAID, None, ""), (f"Pasar?</think>\n\n{SAID}", None, read), (SAID, "</think>", read)):
        model = OpensThoughts(lambda row, text=text: text)
        model.think_end_token = taken_off
        results = evaluate(samples, task, model, apply_chat_template=True, limit=1)
        assert results["samples"][task][0]["doc"]["answer"] == (answer or (None if task == CHAT else ""))
        assert scores(results, task)["null_rate"] == (not answer)


ENDS = {
    "closed": GeneratedText("A", thought="B?", finish_reason="stop", prompt_tokens=9, thought_tokens=2, answer_tokens=1),
    "cut": GeneratedText("<think>A", finish_reason="length"),
    "failed": GeneratedText("", failure="the server answered 500 five times"),
    "stopped in the thought": GeneratedText("", thought="A", finish_reason="stop"),
}


@pytest.mark.parametrize(
    "task", [*ONE_OF_A_KIND[2:8], "sea_helm_ta_lindsea_pragmatics_pair", *OTHER_WRITTEN, CHAT, "sea_belebele_en_chat"]
)
def test_how_each_answer_ended_is_logged_and_counts(samples, task):
    answers = itertools.cycle(ENDS.values())
    results = evaluate(samples, task, PlantedModel(generation=lambda prompt: next(answers)))
    rows = [sample["doc"] for sample in results["samples"][task]]
    states = [row["state"] for row in rows]
    assert states == list(itertools.islice(itertools.cycle(ENDS), len(rows)))
    assert [row["finish_reason"] for row in rows][:3] == ["stop", "length", None][: len(rows)]
    assert (rows[0]["thought"], rows[0]["tokens"], rows[1]["tokens"]) == ("B?", {"prompt": 9, "thought": 2, "answer": 1}, {})
    found = scores(results, task)
    shares = {state: states.count(state) / len(rows) for state in ENDS}
    assert found["cut_rate"] == pytest.approx(shares["cut"] + shares["stopped in the thought"])
    assert found["failure_rate"] == pytest.approx(shares["failed"])
    assert found.get("refusal_rate", 0) == 0
    assert found["null_rate"] >= found["cut_rate"] + found["failure_rate"] - 1e-9
    json.dumps(results["samples"], default=str)


def test_a_text_without_a_thought_is_read_to_the_byte(samples):
    """With the marks of frames and of the end of a turn, because SEA-HELM reads them."""
    for text, answer in (("<answer>\nJawaban: ramai</answer></s>", "ramai</answer></s>"), ("a <think> b</s>", "a <think> b</s>")):
        results = evaluate(samples, "sea_helm_id_qa", ChatModel(lambda row, text=text: text), limit=1)
        assert results["samples"]["sea_helm_id_qa"][0]["doc"]["answer"] == answer


def test_samples_hold_what_totals_are_computed_from(samples):
    """Answers: right, found inside a word only, none."""
    answers = iter(["Jawaban: Positif", "Jawaban: Negatiffff", "tidak tahu"])
    results = evaluate(samples, "sea_helm_id_sentiment", PlantedModel(generation=lambda prompt: next(answers)))
    rows = results["samples"]["sea_helm_id_sentiment"]
    assert [row["doc"]["label"] for row in rows] == ["Positif", "Negatif", "Netral"]
    assert [(row["correct"], row["correct_strict"]) for row in rows] == [(1.0, 1.0), (1.0, 0.0), (0.0, 0.0)]
    assert [row["doc"]["predictions"] for row in rows] == [
        {"published": "Positif", "strict": "Positif"},
        {"published": "Negatif", "strict": None},
        {"published": None, "strict": None},
    ]
    found = scores(results, "sea_helm_id_sentiment")
    assert found["balanced_acc"] == pytest.approx(2 / 3)
    assert found["normalised"] == pytest.approx(50.0)
    assert (found["null_rate"], found["null_rate_strict"]) == (pytest.approx(1 / 3), pytest.approx(2 / 3))


def test_phenomena_are_averaged(samples):
    task = "sea_helm_id_lindsea_syntax"
    results = evaluate(samples, task, PlantedModel(generation=lambda prompt: "Jawaban: B"))
    by_phenomenon = {}
    for row in results["samples"][task]:
        by_phenomenon.setdefault(row["doc"]["phenomenon"], []).append(row["doc"]["label"] == "B")
    shares = {f"acc_{name}": sum(right) / len(right) for name, right in by_phenomenon.items()}
    found = scores(results, task)
    assert len(shares) > 1
    assert {name: found[name] for name in shares} == pytest.approx(shares)
    assert found["phenomena_acc"] == pytest.approx(sum(shares.values()) / len(shares))


def test_a_base_model_stops_at_the_next_message_of_the_user(samples):
    """lm-eval cuts the text there, after the answer; a blank line before the tag does not end it."""
    head = prompt_words("sea_helm", "id")["tasks"]["sentiment"]["row"].split("\n{text}")[0]
    results = evaluate(samples, "sea_helm_id_sentiment", PlantedModel(generation=lambda prompt: ""))
    _, arguments = results["samples"]["sea_helm_id_sentiment"][0]["arguments"][0]
    assert arguments["until"] == [f"\n\n{head}"]
    text = f"\n\nJawaban: Netral\n\n{head}\nPasar itu ramai.\n```\n\nJawaban: Positif"
    assert postprocess_generated_text(text, arguments["until"], None) == "\n\nJawaban: Netral"


@pytest.mark.parametrize(("given", "stops"), [("Teks:", ["Teks:"]), (None, []), (["\n", "."], ["\n", "."])])
def test_stop_strings_of_the_user_come_before_it(samples, given, stops):
    """lm-eval takes one text for one stop string; its single letters would end nearly every answer."""
    model = PlantedModel(generation=lambda prompt: "Jawaban: Netral")
    results = evaluate(samples, "sea_helm_id_sentiment", model, limit=1, gen_kwargs={"until": given})
    [row] = results["samples"]["sea_helm_id_sentiment"]
    assert row["arguments"][0][1]["until"][:-1] == stops
    assert row["resps"] == [["Jawaban: Netral"]]


@pytest.mark.slow
@pytest.mark.parametrize(("model_fixture", "chat"), [("tiny_model", True), ("tiny_model_bos", False), ("tiny_model_bos", True)])
def test_log_likelihoods_against_a_plain_loop(samples, load_tasks, tmp_path, chat, model_fixture, request):
    """log p(label | prompt and answer tag), with the prompt put together by hand."""
    folder = with_template(request.getfixturevalue(model_fixture), tmp_path / "model", CHAT_TEMPLATE)
    tasks = ["sea_helm_id_sentiment_ppl", "sea_helm_th_causal_ppl", "sea_helm_id_lindsea_pragmatics_single_ppl"]
    options = {"num_fewshot": 1, "apply_chat_template": chat, "batch_size": 1, "limit": 2}
    results = evaluate(samples, tasks, "hf", model_args=on_cpu(folder), **options)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    loaded, known = load_tasks(*tasks), read_tasks().tasks
    for name in tasks:
        for sample in results["samples"][name]:
            tag = known[name].metadata["answer_tag"]
            messages = loaded[name].messages(sample["doc"], 1)
            if chat:
                turns = [f"<{m['role']}>{m['content']}</{m['role']}>" for m in messages]
                prompt = "".join(turns) + f"<assistant>{tag}"
            else:
                prompt = "\n\n".join([*(m["content"] for m in messages), tag])
            labels = sample["doc"].get("choices") or known[name].metadata["labels"]
            expected = [continuation(model, tokenizer, prompt, f" {label}") for label in labels]
            found = [score["loglikelihood"] for score in sample["doc"]["option_scores"]]
            assert found == pytest.approx(expected, abs=1e-4)
            right = max(range(len(labels)), key=expected.__getitem__) == labels.index(sample["doc"]["label"])
            assert sample["acc"] == float(right) == sample["balanced_acc"].correct
            perplexities = [reference_log_perplexity(model, tokenizer, prompt + f" {label}") for label in labels]
            assert [score["log_perplexity"] for score in sample["doc"]["option_scores"]] == pytest.approx(perplexities, abs=1e-4)


def continuation(model, tokenizer, prompt: str, ending: str) -> float:
    whole, start = (tokenizer(text, return_tensors="pt")["input_ids"] for text in (prompt + ending, prompt))
    with torch.no_grad():
        logprobs = model(whole).logits[0, :-1].log_softmax(dim=-1)
    return float(logprobs.gather(1, whole[0, 1:, None])[start.shape[1] - 1 :].sum())


def test_contextual_calibration_takes_off_the_bias(samples):
    """A model that prefers "Positif" whatever the text says, and says the right label a little more."""
    gold = {"bersih": "Positif", "dingin": "Negatif", "tujuh": "Netral"}

    def loglikelihood(prompt, ending):
        text = prompt.rsplit("```", 2)[1] if "```" in prompt else ""
        right = next((label for word, label in gold.items() if word in text), None)
        return 5.0 * (ending == " Positif") + (ending.strip() == right) - 10.0

    results = evaluate(samples, "sea_helm_id_sentiment_ppl", PlantedModel(loglikelihood=loglikelihood))
    found = scores(results, "sea_helm_id_sentiment_ppl")
    assert found["balanced_acc"] == pytest.approx(1 / 3)
    assert found["balanced_acc_cc"] == found["balanced_acc_pmi"] == found["acc_cc"] == 1.0


@pytest.mark.slow
class TestRealRows:
    """The mirror has the rows of SEA-HELM v1.0."""

    def test_all_rows_can_be_scored(self, in_hub_mirror):
        """Of the tasks whose rows the mirror has."""
        checked = 0
        for task in read_tasks().select(["sea_helm"]):
            card = in_hub_mirror / task.source.repository / "README.md"
            if task.metadata["rows"] is None or not task.source.repository.startswith("aisingapore/") or not card.is_file():
                continue
            if f"config_name: {task.source.config}\n" in card.read_text(encoding="utf-8"):
                report, checked = check_data(task), checked + 1
                assert (report.faults, report.found) == ([], task.metadata["rows"]), task.name
                assert not task.labels or set(report.golds) == set(task.labels)
        assert checked > 50

    def test_burmese_letters_stand_for_the_latin_ones_of_the_rows(self, hub_mirror):
        """A model that knows the published answers is right, in writing and in ranking."""
        rows = datasets.load_dataset(
            str(hub_mirror / "aisingapore/NLU-Belebele-MCQA"), data_files="data/my/eval.parquet", split="train"
        )
        assert set(rows["label"]) == set("ABCD")
        letters = {row["prompts"][0]["question"]: "ကခဂဃ"["ABCD".index(row["label"])] for row in rows}

        def answer(prompt):
            return next((letter for question, letter in letters.items() if question in prompt), "")

        model = PlantedModel(
            generation=lambda prompt: f"အဖြေ- {answer(prompt)}",
            loglikelihood=lambda prompt, ending: -1.0 if ending.strip() == answer(prompt) else -2.0,
        )
        tasks = ["sea_helm_my_belebele_mcqa", "sea_helm_my_belebele_mcqa_ppl"]
        results = evaluate(hub_mirror, tasks, model, limit=40)
        for task in tasks:
            assert scores(results, task)["balanced_acc"] == 1.0

    def test_ids_and_clusters(self, hub_mirror, load_tasks):
        tasks = load_tasks("sea_helm_id_belebele_mcqa", "sea_helm_id_lindsea_syntax", "sea_helm_vi_nli", folder=hub_mirror)
        for task in tasks.values():
            ids = [doc["id"] for doc in task.test_docs()]
            assert len(set(ids)) == len(ids)
        belebele = tasks["sea_helm_id_belebele_mcqa"].test_docs()
        assert len({doc["cluster"] for doc in belebele}) == len({doc["text"] for doc in belebele}) < len(belebele)
        nli = tasks["sea_helm_vi_nli"].test_docs()
        assert len({doc["cluster"] for doc in nli}) == len({doc["sentence1"] for doc in nli})
