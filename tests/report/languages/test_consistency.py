"""Consistency over languages: against looking at every choice of languages, and through the command on lm-eval's own output."""

import itertools
import re
from statistics import harmonic_mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea.commands.cli import main
from lm_eval_sea.report.languages.comparison import Answers
from lm_eval_sea.report.languages.consistency import ac3, consistencies, consistency

from .test_comparison import metadata, read, write_run


def by_looking_at_every_choice(chosen: list[list], size: int) -> float:
    """The definition of SeaEval: for each choice of languages the share of questions with one answer in all, then the mean."""
    shares = []
    for places in itertools.combinations(range(len(chosen[0])), size):
        same = [len({answers[place] for place in places}) == 1 and answers[places[0]] is not None for answers in chosen]
        shares.append(sum(same) / len(same))
    return sum(shares) / len(shares)


ANSWER = st.sampled_from([0, 1, 2, None])


@given(st.integers(1, 6).flatmap(lambda languages: st.lists(st.tuples(*[ANSWER] * languages), min_size=1)))
def test_consistency_against_its_definition(chosen):
    for size in range(1, len(chosen[0]) + 1):
        assert consistency(chosen, size) == pytest.approx(by_looking_at_every_choice(chosen, size))


@given(st.floats(0.01, 1), st.floats(0.01, 1))
def test_ac3_is_the_harmonic_mean(accuracy, share):
    assert ac3(accuracy, share) == pytest.approx(harmonic_mean([accuracy, share]))
    assert ac3(accuracy, 0) == ac3(0, 0) == 0


def test_only_questions_asked_in_all_languages_count():
    def answers(chosen: dict[str, int]) -> Answers:
        return Answers({question: position == 0 for question, position in chosen.items()}, {}, chosen)

    given = {"en": answers({"a": 0, "b": 1, "c": 0}), "id": answers({"b": 1, "a": 0}), "th": answers({"a": 2, "b": 1})}
    two, three = consistencies(given)
    assert (two.of, two.languages, three.languages, two.questions) == (3, 2, 3, 2)
    assert two.accuracy == three.accuracy == pytest.approx(2 / 6)
    assert (two.consistency, three.consistency) == (pytest.approx((1 + 3) / 6), 1 / 2)
    assert list(consistencies({"en": given["en"]})) == []


def test_the_command_prints_and_writes_it(tmp_path, capsys):
    """Three languages; the first question has one answer everywhere, the second two; in Thai no letter can be read for it."""
    second = {"en": 0, "id": 0, "th": None}
    tasks = {language: (metadata(language), {"p#1": 1, "q#1": int(position == 0)}) for language, position in second.items()}
    chosen = {language: {"p#1": 1, "q#1": position} for language, position in second.items()}
    write_run(tmp_path / "results", tasks, chosen=chosen)
    assert main(["report", str(tmp_path / "results"), "--languages", "--out", str(tmp_path / "out")]) == 0
    out = capsys.readouterr().out
    assert re.search(r"^2 of 3 +2 +83\.3 +66\.7 +74\.1$", out, re.MULTILINE)
    assert re.search(r"^3 of 3 +2 +83\.3 +50\.0 +62\.5$", out, re.MULTILINE)
    two, three = read(tmp_path / "out" / "consistency.csv")
    assert [float(row["consistency"]) for row in (two, three)] == [pytest.approx((3 + 1) / 6), pytest.approx(1 / 2)]
