"""Chat tasks as lm-eval runs them: what a chat model is asked, and how its answers are scored."""

import pytest
from sklearn.metrics import f1_score

from .evaluation import chat_words as how
from .evaluation import evaluate, scores
from .evaluation import prompt_words as words
from .planted_model import PlantedModel, RowModel, right_of


def prompt_of(folder, name: str) -> tuple[dict, str, object]:
    """The first row, the prompt of a chat model, and what is asked of it besides."""
    model = PlantedModel(generation=lambda prompt: "")
    results = evaluate(folder, name, model, limit=1, num_fewshot=0)
    return results["samples"][name][0]["doc"], *model.requests[0]


def test_prompts_by_hand(folder):
    """Of a multiple choice, of a classification, whose labels are listed, and of a translation."""
    row, prompt, asked = prompt_of(folder, "sea_belebele_th_chat")
    options = "".join(f"\n{letter}. {option}" for letter, option in zip("ABCD", row["options"], strict=True))
    shown, form = words("belebele", "th"), how("th")["letter"].format(tag="คำตอบ:")
    assert prompt == f"{shown['chat']['instruction']}\n{form}\n\n{shown['row'].format(**row)}{options}"
    assert asked["until"] == [] and asked["do_sample"] is False
    of_labels = how("vi")["label"].format(tag=how("vi")["tags"]["answer"], labels="trung lập, kết quả, mâu thuẫn")
    of_text = how("en")["translation"].format(tag="Translation:")
    for name, shown, form in (
        ("sea_xnli_vi_chat", words("xnli", "vi"), of_labels),
        ("sea_flores_th_en_chat_enprompt", words("flores", "en")["tasks"]["th_en"], of_text),
    ):
        row, prompt, _ = prompt_of(folder, name)
        assert prompt == f"{shown['chat']['instruction']}\n{form}\n\n{shown['row'].format(**row)}"


def test_exemplars_are_asked_alike_and_end_with_the_tag_and_the_answer(folder):
    def first(data_set, language):
        return words(data_set, language)["exemplars"][0]

    solution = first("mgsm", "th")["solution"]
    ends = {
        "sea_belebele_id_chat": f"Jawaban: {'ABCD'[first('belebele', 'id')['gold']]}",
        "sea_emot_id_chat": f"Jawaban: {words('emot', 'id')['labels'][first('emot', 'id')['label']]}",
        "sea_mgsm_th_chat": f"{solution}\nคำตอบ: {solution.split()[-1]}",  # the instruction asks for the steps
        "sea_flores_en_id_chat": f"Terjemahan: {first('flores', 'id')['translation']}",
    }
    for name, end in ends.items():
        model = PlantedModel(generation=lambda prompt: "")
        evaluate(folder, name, model, limit=1, num_fewshot=1)
        exemplar, _, rest = model.requests[0][0].partition(f"\n{end}\n\n")
        assert rest and exemplar.splitlines()[:2] == rest.splitlines()[:2]  # the same instruction and form


# Task → answers of as many rows → metric → the scores of the rows, and the states. What is right of the first row is {}.
SCORED = [
    ("sea_belebele_en_chat", "Answer: {}", {"exact_match": 1, "null_rate": 0}, "no thought"),
    ("sea_belebele_en_chat", "<think>A? B? C? D?</think>\nIt is option {}.", {"exact_match": 1, "null_rate": 0}, "closed"),
    ("sea_belebele_en_chat", "<think>It must be {}. Answer: {}", {"exact_match": 0, "null_rate": 1, "cut_rate": 1}, "cut"),
    ("sea_belebele_en_chat", "I'm sorry, but I can't help with that.", {"null_rate": 1, "refusal_rate": 1}, "no thought"),
    ("sea_xnli_th_chat", "<think></think>**{}**", {"exact_match": 1, "null_rate": 0}, "no thought"),
    ("sea_mgsm_th_chat", "3 × 6 = 18\nคำตอบ: {}.00", {"exact_number": 1, "null_rate": 0}, "no thought"),
    ("sea_mgsm_th_chat", "ไม่ทราบ", {"exact_number": 0, "null_rate": 1}, "no thought"),
    ("sea_xquad_vi_chat", "Trả lời: {}", {"exact_match": 1, "f1": 1, "null_rate": 0}, "no thought"),
    ("sea_flores_id_en_chat", "Tentu!\n\nTerjemahan: {}", {"null_rate": 0, "off_target_rate": 0}, "no thought"),
    ("sea_flores_id_en_chat", '"Terjemahan: {}"', {"null_rate": 0, "off_target_rate": 0}, "no thought"),
    ("sea_flores_id_en_chat", "Maaf, saya tidak dapat menerjemahkannya.", {"null_rate": 1, "refusal_rate": 1}, "no thought"),
    ("sea_flores_id_en_chat", "Terjemahan:", {"null_rate": 1, "refusal_rate": 0}, "no thought"),
    ("sea_thaisum_th_chat", "<think>อ่าน</think>สรุป: {}", {"rougeL": 100, "null_rate": 0}, "closed"),
]


@pytest.mark.parametrize(("name", "form", "expected", "state"), SCORED, ids=range(len(SCORED)))
def test_the_answer_behind_thought_and_tag_is_scored(folder, name, form, expected, state):
    results = evaluate(folder, name, RowModel(lambda row: form.replace("{}", right_of(row))), limit=1)
    sample = results["samples"][name][0]
    assert {metric: sample[metric] for metric in expected} == expected
    assert sample["doc"]["state"] == state
    if expected["null_rate"] == 0:
        assert sample["doc"]["answer"].rstrip(".0") == right_of(sample["doc"]).rstrip(".0")
    if "flores" in name and expected["null_rate"] == 0:
        assert scores(results, name)["chrf++"] == pytest.approx(100)


def test_a_copy_of_the_source_is_no_translation(folder):
    """Between English and another language; between Indonesian and Javanese a short sentence may be the same in both."""
    copied = {"sea_flores_en_id_chat": "english", "sea_flores_id_en_chat": "translation", "sea_nusaxmt_jv_id_chat": "translation"}
    found = {}
    for name, source in copied.items():
        results = evaluate(folder, name, RowModel(lambda row, source=source: f"Terjemahan: “{row[source].lower()}”"), limit=2)
        found[name] = scores(results, name)["null_rate"]
    assert found == dict.fromkeys(copied, 1) | {"sea_nusaxmt_jv_id_chat": 0}


@pytest.mark.parametrize("name", ["sea_flores_en_th_chat", "sea_flores_id_en_chat_enprompt", "sea_nusaxmt_jv_id_chat"])
@pytest.mark.parametrize("form", ["{}", "{tag} {}"])
def test_a_copy_of_the_instruction_is_no_translation(folder, name, form):
    """Nor is a part of it. They are in the language of the translation."""
    parts = iter((slice(None), slice(25)))
    model = PlantedModel(generation=lambda prompt: form.format(prompt[next(parts)].split("\n")[0], tag="Translation:"))
    assert scores(evaluate(folder, name, model, limit=2), name)["null_rate"] == 1


def test_an_unread_answer_is_no_label_in_macro_f1(folder):
    name = "sea_xnli_th_chat"
    answers = iter(["เป็นกลาง", "", "ขัดแย้ง", "นำไปสู่"])
    results = evaluate(folder, name, PlantedModel(generation=lambda prompt: next(answers)), limit=4)
    golds = [sample["doc"]["gold"] for sample in results["samples"][name]]
    chosen = [0, 3, 2, 1][: len(golds)]
    expected = f1_score(golds, chosen, labels=[0, 1, 2], average="macro", zero_division=0)
    assert scores(results, name)["f1"] == pytest.approx(expected)


def test_a_choice_is_constrained_to_the_options_behind_the_tag(folder):
    for name, choices in {
        "sea_belebele_id_choice": [f"Jawaban: {letter}" for letter in "ABCD"],
        "sea_xnli_vi_choice": [f"Trả lời: {word}" for word in ("trung lập", "kết quả", "mâu thuẫn")],
    }.items():
        _, _, asked = prompt_of(folder, name)
        assert asked["structured_outputs"] == {"choice": choices}
