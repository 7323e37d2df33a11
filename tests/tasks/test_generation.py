"""Generated answers in whole runs: models with planted answers, long inputs, arguments, real rows."""

import unicodedata

import pytest
import torch
from lm_eval.models.huggingface import HFLM
from transformers import AutoTokenizer

from .evaluation import evaluate, on_cpu, read_json_lines, scores
from .planted_model import PlantedModel, RowModel, right_of

DATA = "sail/Sailcompass_data/data"
QA = ["sea_xquad_th", "sea_xquad_vi", "sea_tydiqa_id"]
MT = [f"sea_flores_{pair}" for pair in ("en_id", "id_en", "en_th", "th_en", "en_vi", "vi_en")]
TS = ["sea_thaisum_th", "sea_indosum_id", "sea_xlsum_vi"]
LIMITS = {
    **dict(zip(QA, (155, 95, 100), strict=True)),
    **dict(zip(MT, (140, 100, 350, 100, 225, 100), strict=True)),
    **dict(zip(TS, (550, 240, 180), strict=True)),
    "sea_m3exam_th_litilo_gen": 10,
}


def own(found: dict[str, float]) -> dict[str, float]:
    """The scores without those of SailCompass, which `test_sailcompass_metrics.py` looks at."""
    return {name: value for name, value in found.items() if not name.endswith("_sailcompass")}


def silent() -> PlantedModel:
    return PlantedModel(generation=lambda prompt: "")


def planted(write=lambda reference, cue: f" {reference}") -> RowModel:
    """A model that knows the first reference of each row, and makes something of it and the cue."""
    return RowModel(lambda row: write(right_of(row), row["scoring"]["answer_cue"]))


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
def test_a_perfect_model(samples, tasks, write):
    results = evaluate(samples, tasks, planted(write))
    for task in tasks:
        found = own(scores(results, task))
        if task in QA:
            assert found == {"exact_match": 1, "f1": 1, "contains": 1, "null_rate": 0}
        else:
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
        signatures = results["configs"][task]["metadata"]["provenance"]["signatures"]
        assert set(signatures) == set(found) and all("|" in text or ":" in text for text in signatures.values()), task
        assert found.pop("null_rate") == 1
        assert set(found.values()) == {0}, task
    assert "newmm" in results["configs"]["sea_xquad_th"]["metadata"]["provenance"]["signatures"]["f1"]


def test_a_model_that_copies_the_source(samples):
    """Into Thai, nothing of the English letters counts; no digits are shared."""
    copy = PlantedModel(generation=lambda prompt: " " + prompt.rsplit("\n", 2)[-2].split(": ", 1)[1])
    results = evaluate(samples, MT, copy)
    for task in MT:
        found = scores(results, task)
        assert (found["off_target_rate"], found["null_rate"]) == (1, 0), task
        assert found["bleu"] < 5
    assert scores(results, "sea_flores_en_th")["bleu_th"] == 0


def test_predict_only_gives_answers_without_scores(samples):
    results = evaluate(samples, "sea_flores_en_th", planted(), predict_only=True)
    assert set(scores(results, "sea_flores_en_th")) <= {"bypass"}
    assert all(sample["resps"] == [[f" {sample['target']}"]] for sample in results["samples"]["sea_flores_en_th"])


def test_standard_errors_of_corpus_scores(samples, monkeypatch):
    """bleu and chrf++ are lm-eval's own aggregations, so it bootstraps them; bleu_th brings its own."""
    monkeypatch.setenv("DISABLE_MULTIPROC", "1")
    model = planted(lambda reference, cue: reference[: len(reference) // 2 + 10])
    expected = {"sea_flores_en_th": ("chrf++", "bleu_th"), "sea_flores_en_vi": ("chrf++", "bleu")}
    expected["sea_thaisum_th"] = ("chrf++", "bleu_th", "rougeL")
    results = evaluate(samples, list(expected), model, bootstrap_iters=100)["results"]
    assert all(results[task][f"{name}_stderr,none"] > 0 for task, names in expected.items() for name in names)


@pytest.fixture(scope="module")
def requests(samples):
    """Prompt and arguments of the first row of every task."""
    names = [f"{task}{suffix}" for task in LIMITS for suffix in ("", "_enprompt")]
    results = evaluate(samples, names, silent(), limit=1)
    return {name: results["samples"][name][0]["arguments"][0] for name in names}


def test_greedy_with_the_limits_and_exemplars_of_sailcompass(requests):
    for name, (prompt, arguments) in requests.items():
        until, task = arguments["until"], name.removesuffix("_enprompt")
        assert arguments == {"until": until, "do_sample": False, "temperature": 0.0, "max_gen_toks": LIMITS[task]}
        # where the next question would begin, in words that the prompt uses
        assert until and all(word.startswith("\n") and word in prompt for word in until), name
        assert not prompt.endswith(" ")
        cue = "\n" + prompt.rpartition("\n")[2]
        assert prompt.count(cue) == (2 if task in TS else 4), "one exemplar, or three"


def test_arguments_can_be_overridden(samples):
    model = silent()
    evaluate(samples, "sea_xquad_th", model, limit=1, gen_kwargs={"until": ["\n"], "max_gen_toks": 7, "do_sample": False})
    assert model.requests[0][1] == {"until": ["\n"], "do_sample": False, "temperature": 0.0, "max_gen_toks": 7}


@pytest.mark.parametrize("begin", [" ", "\n", "\n\n", " \n \n"])
def test_line_breaks_before_the_answer_do_not_stop_hf(samples, tiny_model, monkeypatch, begin):
    tokenizer = AutoTokenizer.from_pretrained(tiny_model)
    written = tokenizer.encode(f"{begin}สมุทรปราการ\n\nบริบท: แม่น้ำ\nคำถาม:", return_tensors="pt")

    def generate(self, context, **options):
        return torch.cat([context, written.repeat(len(context), 1)], dim=1)

    monkeypatch.setattr(HFLM, "_model_generate", generate)
    rows = evaluate(samples, "sea_xquad_th", "hf", model_args=on_cpu(tiny_model))["samples"]["sea_xquad_th"]
    assert [row["doc"]["answer"] for row in rows] == ["สมุทรปราการ"] * 4
    assert [row["exact_match"] for row in rows] == [0, 1, 0, 0]
    assert all("แม่น้ำ" not in row["resps"][0][0] for row in rows)
    assert len({row["doc"]["cluster"] for row in rows}) == 3


class TestLongInputs:
    """A context too short for prompt and answer, counted in the model's tokens."""

    @pytest.fixture
    def run(self, samples, tiny_model, caplog):
        """The prompts of a task in a context of so many tokens, of which 20 are for an answer, and what is said of them."""

        def run(task, room, limit=None):
            model = PlantedModel(generation=lambda prompt: "", max_length=room)
            limit = limit or {"max_gen_toks": 20}
            evaluate(samples, task, model, metadata={"tokenizer": str(tiny_model)}, gen_kwargs=limit)
            messages = [record.getMessage() for record in caplog.records if record.name == "lm_eval_sea"]
            return [prompt for prompt, _ in model.requests], messages

        return run

    def test_documents_are_cut_at_their_end_and_no_more_than_needed(self, run, tiny_model):
        tokenizer = AutoTokenizer.from_pretrained(tiny_model)
        whole, messages = run("sea_indosum_id", room=8192)
        assert messages == []
        room = max(len(tokenizer.encode(prompt)) for prompt in whole) + 20 - 30
        prompts, (message,) = run("sea_indosum_id", room=room)
        cut = sum(prompt != full for prompt, full in zip(prompts, whole, strict=True))
        assert message.startswith(f"sea_indosum_id: {cut} of 3 documents were cut at their end")
        assert f"context of {room} tokens" in message
        assert 1 <= cut <= 3
        for prompt, full in zip(prompts, whole, strict=True):
            assert len(tokenizer.encode(prompt)) <= room - 20
            assert prompt.endswith("\nRingkasan:")
            kept = prompt.removesuffix("\nRingkasan:")
            assert full.startswith(kept), "instruction, exemplar and the document's beginning are as they were"
            one_more = full[: len(kept) + 1] + "\nRingkasan:"
            assert prompt == full or len(tokenizer.encode(one_more)) > room - 20

    def test_no_room_for_any_document_is_refused(self, run):
        """The limit of the summary counts under any of its names."""
        said = r"sea_thaisum_th: .*no room in the model's context of 100 tokens for an answer of 20\. .*--num_fewshot"
        for limit in ({"max_gen_toks": 20}, {"max_gen_toks": None, "max_tokens": 20}):
            with pytest.raises(ValueError, match=said):
                run("sea_thaisum_th", room=100, limit=limit)

    def test_passages_of_questions_are_not_cut(self, run):
        """The answer may stand at the end of a passage; the model cuts such a prompt from the left, as with other tasks."""
        whole, _ = run("sea_xquad_vi", room=8192)
        assert run("sea_xquad_vi", room=100) == (whole, []) and len(whole) == 4

    def test_without_a_tokenizer_only_summaries_are_refused(self, samples):
        model, unknown = silent(), {"tokenizer": "no/such-tokenizer-3"}
        evaluate(samples, ["sea_xquad_vi", "sea_flores_en_vi"], model, metadata=unknown)
        assert len(model.requests) == 8
        said = "cutting documents to the model's context needs its tokenizer.* --metadata tokenizer="
        with pytest.raises(ValueError, match=said):
            evaluate(samples, TS, model, metadata=unknown)
        assert len(model.requests) == 8, "the run ends before the model's work"


def test_decomposed_letters_of_xlsum_are_composed(hub_mirror):
    rows = read_json_lines(hub_mirror / DATA / "xlsum_vi/test_1000.jsonl")
    assert sum(not unicodedata.is_normalized("NFC", row["summary"]) for row in rows) == 45
    docs = [sample["doc"] for sample in evaluate(hub_mirror, "sea_xlsum_vi", silent())["samples"]["sea_xlsum_vi"]]
    assert all(unicodedata.is_normalized("NFC", doc[field]) for doc in docs for field in ("document", "summary"))


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
