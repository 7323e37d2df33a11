"""Generated answers in whole runs: models with planted answers, long inputs, arguments, real rows."""

import json
import logging
import unicodedata
from pathlib import Path

import pytest
from lm_eval.models.huggingface import HFLM
from lm_eval.models.utils_hf import stop_sequences_criteria
from transformers import AutoTokenizer

from .evaluation import evaluate, write_json_lines
from .planted_model import PlantedModel

DATA = "sail/Sailcompass_data/data"
QA = ["sea_xquad_th", "sea_xquad_vi", "sea_tydiqa_id"]
MT = [f"sea_flores_{pair}" for pair in ("en_id", "id_en", "en_th", "th_en", "en_vi", "vi_en")]
TS = ["sea_thaisum_th", "sea_indosum_id", "sea_xlsum_vi"]
LIMITS = {
    **dict(zip(QA, (155, 95, 100), strict=True)),
    **dict(zip(MT, (140, 100, 350, 100, 225, 100), strict=True)),
    **dict(zip(TS, (550, 240, 180), strict=True)),
}


def scores(results: dict, task: str) -> dict[str, float]:
    return {
        name.removesuffix(",none"): value
        for name, value in results["results"][task].items()
        if name.endswith(",none") and "_stderr" not in name
    }


def own(found: dict[str, float]) -> dict[str, float]:
    """The scores without those of SailCompass, which `test_sailcompass_metrics.py` looks at."""
    return {name: value for name, value in found.items() if not name.endswith("_sailcompass")}


def references(folder: Path, tasks: list[str]) -> dict[str, str]:
    """The last question of each prompt → its first reference."""
    results = evaluate(folder, tasks, PlantedModel(generation=lambda prompt: ""))
    return {
        sample["arguments"][0][0].rsplit("\n\n", 1)[1]: sample["doc"].get("answers", [sample["target"]])[0]
        for rows in results["samples"].values()
        for sample in rows
    }


@pytest.fixture(scope="module")
def answers(samples):
    return references(samples, QA + MT + TS)


def planted(answers: dict[str, str], write=lambda reference, cue: f" {reference}") -> PlantedModel:
    """A model that knows the reference of each prompt, and makes something of it and the cue."""

    def generate(prompt):
        question = prompt.rsplit("\n\n", 1)[1]
        return write(answers[question], question.rsplit("\n", 1)[1])

    return PlantedModel(generation=generate)


@pytest.mark.parametrize("tasks", [QA, MT, TS])
@pytest.mark.parametrize(
    "write",
    [
        lambda reference, cue: f" {reference}",
        lambda reference, cue: f"\n\n\u200b{cue} {unicodedata.normalize('NFD', reference)}\n\n{cue} something else",
        lambda reference, cue: f"{cue}\n**{cue}** {reference}\n",
    ],
    ids=["plain", "after a blank line, the cue again, decomposed, and more behind", "after the cue twice"],
)
def test_a_perfect_model(samples, answers, tasks, write):
    results = evaluate(samples, tasks, planted(answers, write))
    for task in tasks:
        found = scores(results, task)
        if task in QA:
            assert own(found) == {"exact_match": 1, "f1": 1, "contains": 1, "null_rate": 0}
        else:
            found = own(found)
            assert found.pop("null_rate") == 0
            assert found.pop("off_target_rate", 0) == 0
            assert set(found) == {"bleu", "chrf++"} | ({"rougeL"} if task in TS else set()) | (
                {"bleu_th"} if task in ("sea_flores_en_th", "sea_thaisum_th") else set()
            )
            if task == "sea_flores_en_th":
                assert found.pop("bleu") == 0, "13a sees words only at blanks, and no four of them in a row in these sentences"
            assert all(value == pytest.approx(100) for value in found.values()), task


def test_an_empty_model(samples):
    results = evaluate(samples, QA + MT + TS, PlantedModel(generation=lambda prompt: "\n \n"))
    for task in QA + MT + TS:
        found = scores(results, task)
        assert found.pop("null_rate") == 1
        assert set(found.values()) == {0}, task


def test_a_wordy_model(samples, answers):
    """Four words too many, and a reason on the next line: F1 = 2n / (2n + 4) for n words of a reference: 1, 1, 1 and 2."""
    wordy = planted(answers, lambda reference, cue: f" Tôi nghĩ đó là {reference}.\nVì vậy.")
    results = evaluate(samples, "sea_xquad_vi", wordy)
    assert own(scores(results, "sea_xquad_vi")) == {
        "exact_match": 0, "f1": pytest.approx((3 * 2 / 6 + 4 / 8) / 4), "contains": 1, "null_rate": 0,
    }  # fmt: skip


def test_a_model_that_copies_the_source(samples):
    """Into Thai, nothing of the English letters counts; no digits are shared."""

    def copy(prompt):
        return " " + prompt.rsplit("\n", 2)[-2].split(": ", 1)[1]

    results = evaluate(samples, MT, PlantedModel(generation=copy))
    for task in MT:
        found = scores(results, task)
        assert found["off_target_rate"] == 1, task
        assert found["null_rate"] == 0
        assert found["bleu"] < 5
    assert scores(results, "sea_flores_en_th")["bleu_th"] == 0


def test_two_rows_by_hand(tmp_path):
    """Two references of four words; one answer is right, one is empty: precisions are 1, the brevity penalty exp(1 − 8/4)."""
    rows = [
        {"source": f"Sentence {number}.", "target": target} for number, target in enumerate(["satu dua tiga empat", "a b c d"])
    ]
    write_json_lines(tmp_path / DATA / "flores200/ind_Latn_devtest.jsonl", rows)
    model = PlantedModel(generation=lambda prompt: " SATU dua tiga empat" if "Sentence 0" in prompt else "")
    found = scores(evaluate(tmp_path, "sea_flores_en_id", model), "sea_flores_en_id")
    assert found["bleu"] == pytest.approx(100 * 2.718281828459045 ** (1 - 8 / 4))
    assert found["null_rate"] == 0.5


def test_the_best_reference_counts(samples):
    """The second row of the sample has two; the longer one is the second."""
    results = evaluate(samples, "sea_tydiqa_id", PlantedModel(generation=lambda prompt: "kawasan Batang Toru, Sumatera Utara"))
    assert [sample["exact_match"] for sample in results["samples"]["sea_tydiqa_id"]] == [0, 1, 0, 0]


def test_standard_errors_of_corpus_scores(samples, answers, monkeypatch):
    """bleu and chrf++ are lm-eval's own aggregations, so it bootstraps them; bleu_th brings its own."""
    monkeypatch.setenv("DISABLE_MULTIPROC", "1")
    model = planted(answers, lambda reference, cue: reference[: len(reference) // 2 + 10])
    expected = {
        "sea_flores_en_th": ("chrf++", "bleu_th"),
        "sea_flores_en_vi": ("chrf++", "bleu"),
        "sea_thaisum_th": ("chrf++", "bleu_th", "rougeL"),
    }
    results = evaluate(samples, list(expected), model, bootstrap_iters=100)
    for task, names in expected.items():
        for name in names:
            assert results["results"][task][f"{name}_stderr,none"] > 0, (task, name)


def test_signatures_are_in_the_results(samples, answers):
    results = evaluate(samples, QA + MT + TS, planted(answers))
    for task in QA + MT + TS:
        made = results["configs"][task]["metadata"]["provenance"]["signatures"]
        assert set(made) == set(scores(results, task)), task
        assert all("|" in signature or ":" in signature for signature in made.values())
    assert "newmm" in results["configs"]["sea_xquad_th"]["metadata"]["provenance"]["signatures"]["f1"]
    json.dumps(results["configs"]["sea_xquad_th"]["metadata"])


def test_predict_only_gives_answers_without_scores(samples, answers):
    results = evaluate(samples, "sea_flores_en_th", planted(answers), predict_only=True)
    assert set(scores(results, "sea_flores_en_th")) <= {"bypass"}
    assert all(sample["resps"] == [[f" {sample['target']}"]] for sample in results["samples"]["sea_flores_en_th"])


def test_a_sample_shows_what_was_scored(samples, answers):
    results = evaluate(samples, "sea_xquad_th", planted(answers, lambda reference, cue: f"\n{cue} {reference}\nx"))
    for sample in results["samples"]["sea_xquad_th"]:
        assert sample["doc"]["answer"] == sample["doc"]["answers"][0]
    assert len({sample["doc"]["cluster"] for sample in results["samples"]["sea_xquad_th"]}) == 3


@pytest.fixture(scope="module")
def requests(samples):
    """Prompt and arguments of the first row of every task."""
    names = [f"{task}{suffix}" for task in LIMITS for suffix in ("", "_enprompt")]
    results = evaluate(samples, names, PlantedModel(generation=lambda prompt: ""), limit=1)
    return {name: results["samples"][name][0]["arguments"][0] for name in names}


class TestArguments:
    def test_greedy_with_the_limits_of_sailcompass(self, requests):
        for name, (prompt, arguments) in requests.items():
            limit = LIMITS[name.removesuffix("_enprompt")]
            until = arguments["until"]
            assert arguments == {"until": until, "do_sample": False, "temperature": 0.0, "max_gen_toks": limit}
            # where the next question would begin, in words that the prompt uses
            assert until
            assert all(word.startswith("\n") and word in prompt for word in until), name
            assert not prompt.endswith(" ")

    def test_one_exemplar_for_summaries_three_otherwise(self, requests):
        for name, (prompt, _) in requests.items():
            assert prompt.count("\n\n") == (2 if name.removesuffix("_enprompt") in TS else 4), name

    def test_both_directions_show_the_same_pairs(self, requests):
        for suffix in ("", "_enprompt"):
            pairs = []
            for name in ("sea_flores_en_th", "sea_flores_th_en"):
                blocks = requests[name + suffix][0].split("\n\n")[1:-1]
                pairs.append([dict(line.split(": ", 1) for line in block.split("\n")) for block in blocks])
            assert pairs[0] == pairs[1]

    def test_can_be_overridden(self, samples):
        model = PlantedModel(generation=lambda prompt: "")
        evaluate(samples, "sea_xquad_th", model, limit=1, gen_kwargs={"until": ["\n"], "max_gen_toks": 7, "do_sample": False})
        assert model.requests[0][1] == {"until": ["\n"], "do_sample": False, "temperature": 0.0, "max_gen_toks": 7}


class TestHuggingFace:
    """What lm-eval's `hf` makes of the stop strings."""

    @pytest.mark.parametrize("begin", [" ", "\n", "\n\n", " \n \n"])
    def test_line_breaks_before_the_answer_do_not_stop(self, samples, tiny_model, monkeypatch, begin):
        tokenizer = AutoTokenizer.from_pretrained(tiny_model)
        written = tokenizer.encode(f"{begin}สมุทรปราการ\n\nบริบท: แม่น้ำ\nคำถาม:", return_tensors="pt")

        def generate(self, context, **options):
            import torch

            return torch.cat([context, written.repeat(len(context), 1)], dim=1)

        monkeypatch.setattr(HFLM, "_model_generate", generate)
        arguments = {"pretrained": str(tiny_model), "dtype": "float32", "device": "cpu"}
        results = evaluate(samples, "sea_xquad_th", "hf", model_args=arguments)
        rows = results["samples"]["sea_xquad_th"]
        assert [row["doc"]["answer"] for row in rows] == ["สมุทรปราการ"] * 4
        assert [row["exact_match"] for row in rows] == [0, 1, 0, 0]
        assert all("แม่น้ำ" not in row["resps"][0][0] for row in rows)

    def test_generation_ends_with_the_first_word_of_the_next_question(self, samples, tiny_model):
        """A model that goes on in the layout of the prompt writes these few tokens more than with a stop at the line break."""
        tokenizer = AutoTokenizer.from_pretrained(tiny_model)
        model = PlantedModel(generation=lambda prompt: "")
        evaluate(samples, ["sea_xquad_th", "sea_flores_en_vi", "sea_indosum_id"], model, limit=1)
        for _, arguments in model.requests:
            word = arguments["until"][0]
            ids = tokenizer.encode(f" jawaban\n{word} dan seterusnya", return_tensors="pt")
            criteria = stop_sequences_criteria(tokenizer, arguments["until"], 0, 1)
            ends = [bool(criteria(ids[:, :length], None).all()) for length in range(1, ids.shape[1] + 1)]
            needed = len(tokenizer.encode(f" jawaban\n{word}"))
            assert ends.index(True) + 1 <= needed + 1
            assert tokenizer.decode(ids[0, : ends.index(True) + 1]).startswith(f" jawaban\n{word}")


class TestLongInputs:
    """A context too short for prompt and answer, counted in the model's tokens."""

    def run(self, folder, task, tiny_model, caplog, room, limit=20):
        model = PlantedModel(generation=lambda prompt: "", max_length=room)
        metadata = {"tokenizer": str(tiny_model)}
        with caplog.at_level(logging.WARNING, "lm_eval_sea"):
            evaluate(folder, task, model, metadata=metadata, gen_kwargs={"max_gen_toks": limit})
        messages = [record.getMessage() for record in caplog.records if record.name == "lm_eval_sea"]
        return [prompt for prompt, _ in model.requests], messages

    def longest(self, prompts, tiny_model):
        tokenizer = AutoTokenizer.from_pretrained(tiny_model)
        return max(len(tokenizer.encode(prompt)) for prompt in prompts)

    def test_documents_are_cut_at_their_end_and_no_more_than_needed(self, samples, tiny_model, caplog):
        whole, messages = self.run(samples, "sea_indosum_id", tiny_model, caplog, room=8192)
        assert messages == []
        room = self.longest(whole, tiny_model) + 20 - 30
        prompts, messages = self.run(samples, "sea_indosum_id", tiny_model, caplog, room=room)
        (message,) = messages
        cut = sum(prompt != full for prompt, full in zip(prompts, whole, strict=True))
        assert message.startswith(f"sea_indosum_id: {cut} of 3 documents were cut at their end")
        assert f"context of {room} tokens" in message
        assert 1 <= cut <= 3
        assert self.longest(prompts, tiny_model) <= room - 20
        for prompt, full in zip(prompts, whole, strict=True):
            assert prompt.endswith("\nRingkasan:")
            kept = prompt.removesuffix("\nRingkasan:")
            assert full.startswith(kept), "instruction, exemplar and the document's beginning are as they were"
            one_more = full[: len(kept) + 1] + "\nRingkasan:"
            assert prompt == full or self.longest([one_more], tiny_model) > room - 20

    def test_no_room_for_any_document_is_refused(self, samples, tiny_model, caplog):
        with pytest.raises(ValueError, match=r"sea_thaisum_th: .*no room in the model's context of 100 tokens .*--num_fewshot"):
            self.run(samples, "sea_thaisum_th", tiny_model, caplog, room=100)

    def test_passages_of_questions_are_not_cut(self, samples, tiny_model, caplog):
        """The answer may stand at the end of a passage; the model cuts such a prompt from the left, as with other tasks."""
        whole, _ = self.run(samples, "sea_xquad_vi", tiny_model, caplog, room=8192)
        prompts, messages = self.run(samples, "sea_xquad_vi", tiny_model, caplog, room=100)
        assert prompts == whole
        assert len(prompts) == 4
        assert messages == []

    def test_without_a_tokenizer_only_summaries_are_refused(self, samples):
        model = PlantedModel(generation=lambda prompt: "")
        evaluate(samples, ["sea_xquad_vi", "sea_flores_en_vi"], model, metadata={"tokenizer": "no/such-tokenizer-3"})
        assert len(model.requests) == 8
        with pytest.raises(
            ValueError, match="cutting documents to the model's context needs its tokenizer.* --metadata tokenizer="
        ):
            evaluate(samples, TS, model, metadata={"tokenizer": "no/such-tokenizer-3"})
        assert len(model.requests) == 8, "the run ends before the model's work"


class TestRealRows:
    def test_decomposed_letters_of_xlsum_are_composed(self, hub_mirror):
        lines = (hub_mirror / DATA / "xlsum_vi/test_1000.jsonl").read_text(encoding="utf-8").splitlines()
        assert sum(not unicodedata.is_normalized("NFC", json.loads(line)["summary"]) for line in lines) == 45
        results = evaluate(hub_mirror, "sea_xlsum_vi", PlantedModel(generation=lambda prompt: ""))
        for sample in results["samples"]["sea_xlsum_vi"]:
            for field in ("document", "summary"):
                assert unicodedata.is_normalized("NFC", sample["doc"][field])


def test_a_short_answer_counts_by_the_people_who_gave_it(samples):
    popular = PlantedModel(generation=lambda prompt: " Biasanya Misis atau becak.\n")
    results = evaluate(samples, "sea_blend_id", popular)
    signatures = results["configs"]["sea_blend_id"]["metadata"]["provenance"]["signatures"]
    assert signatures["contains_weighted"] == signatures["contains"] + "|votes:best/most"
    found = scores(results, "sea_blend_id")
    assert found == {"contains": 0.5, "contains_weighted": 0.5, "null_rate": 0, "exact_match": 0, "f1": found["f1"]}
    rare = PlantedModel(generation=lambda prompt: " mentega, andong")
    found = scores(evaluate(samples, "sea_blend_id", rare), "sea_blend_id")
    assert (found["contains"], found["contains_weighted"]) == (0.5, pytest.approx((1 / 4 + 3 / 5) / 4))
