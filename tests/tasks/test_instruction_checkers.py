"""Whether responses that follow an instruction pass, and others do not."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea.tasks._shared.facts import read_yaml
from lm_eval_sea.tasks._shared.metrics.instruction_checkers import (
    INSTRUCTIONS,
    PHRASES,
    UNCOUNTED_WORDS,
    check,
    is_scored,
    read_arguments,
)

from .evaluation import read_json_lines

# instruction → language → arguments as rows have them, responses that follow it, responses that do not
CASES = read_yaml(Path(__file__).with_name("instruction_cases.yml"))
CASES["detectable_format:json_format"]["id"][2].append("[" * 100_000)


@pytest.mark.parametrize("instruction", sorted({*CASES, *INSTRUCTIONS}))
def test_responses_that_follow_an_instruction_pass_and_others_fail(instruction):
    """Every instruction has cases in Indonesian, Vietnamese and Thai, except where it is not scored."""
    with_others = {name: None for of in INSTRUCTIONS.values() for name in of.arguments}  # as the rows are loaded
    for language, (kwargs, follow, fail) in CASES[instruction].items():
        given = with_others | kwargs
        assert [text for text in follow if not check(instruction, text, given, language)] == []
        assert [text for text in fail if check(instruction, text, given, language)] == []
        if language == "vi":
            assert not check(instruction, "", kwargs, "vi") and not check(instruction, " \n", kwargs, "vi")
    unscored = {language for language in UNCOUNTED_WORDS if not is_scored(instruction, language)}
    assert instruction in INSTRUCTIONS and {"id", "vi", "th"} - set(CASES[instruction]) <= unscored


_MARKS = '* *** ****** [ ] << >> " ``` ```json P. S. ฝน ก่ { 1'
# Pieces that instructions look for, with any text between.
PIECES = st.sampled_from(["\n", "- ", "* ", " ", "ส่วน ", *_MARKS.split()])


@given(st.lists(PIECES | st.text(max_size=8), max_size=30).map("".join))
def test_no_response_crashes_a_checker(text):
    for instruction, by_language in CASES.items():
        for language, (kwargs, *_) in by_language.items():
            assert check(instruction, text, kwargs, language) in (True, False)


FREQUENCY = {"relation": "around", "keyword": "a", "frequency": 1}
FAULTY = [
    ("keywords:letters", {}, "id", "no checker for the instruction 'keywords:letters'; there are length_constraints:"),
    ("keywords:existence", {"keywords": None}, "id", "'keywords' of keywords:existence is None: expected a list of texts"),
    ("keywords:existence", {"keywords": [""]}, "id", r"argument 'keywords' of keywords:existence is \[''\]: expected text"),
    ("startend:first_word", {}, "id", "argument 'first_word' of startend:first_word is None: expected text"),
    ("keywords:frequency", FREQUENCY, "id", "'relation' of .* is 'around': expected one of at least, less than, exactly"),
    ("detectable_format:number_bullet_lists", {"num_bullets": "two"}, "id", "argument 'num_bullets' of .* is 'two'"),
    ("detectable_format:constrained_response", {}, "xx", "no phrases for detectable_format:constrained_response in 'xx'"),
    ("length_constraints:number_words", {"relation": "at least", "num_words": 3}, "th", "words of 'th' are not counted"),
]


@pytest.mark.parametrize(("instruction", "kwargs", "language", "message"), FAULTY)
def test_faulty_instructions_are_named(instruction, kwargs, language, message):
    with pytest.raises(ValueError, match=message):
        read_arguments(instruction, kwargs, language)


def test_the_phrases_are_those_of_the_real_prompts(hub_mirror):
    folder = hub_mirror / "aisingapore/Instruction-Following-IFEval/data"
    for language in ("en", "id", "vi", "th", "tl", "jv", "su"):
        rows = read_json_lines(folder / language / "eval.jsonl")
        constrained = [row for row in rows if row["metadata"]["subcategory"] == "detectable_format:constrained_response"]
        assert len(constrained) == 5
        for phrase in PHRASES[language]:
            # one Vietnamese prompt has the full stop behind the quotation mark
            assert all(phrase.rstrip(".") in row["prompts"][0]["text"] for row in constrained), phrase
