"""Consistency over languages: against looking at every choice of languages, and through the command on lm-eval's own output."""

import itertools
import re
from statistics import harmonic_mean

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from lm_eval_sea.report.languages.measures import Answers, ac3, consistencies, same_answer
from lm_eval_sea.report.languages.section import languages_section
from lm_eval_sea.report.languages.summary import summary
from lm_eval_sea.report.languages.tables import consistency_rows, load_comparisons
from lm_eval_sea.results.read import read
from lm_eval_sea.tasks._shared.chat.scores import score_chat_letter

from ...results.lm_eval_output import toy, write_run
from ..planted import at, csv_rows, scored, scored_seeds, shown


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
        found = sum(same_answer(answers, size) for answers in chosen) / len(chosen)
        assert found == pytest.approx(by_looking_at_every_choice(chosen, size))


def test_only_questions_asked_in_all_languages_count():
    def answers(chosen: dict[str, int]) -> Answers:
        return Answers({question: position == 0 for question, position in chosen.items()}, {}, chosen)

    given = {"en": answers({"a": 0, "b": 1, "c": 0}), "id": answers({"b": 1, "a": 0}), "th": answers({"a": 2, "b": 1})}
    two, three = consistencies(given)
    assert (two.of, two.languages, three.languages, two.questions) == (3, 2, 3, 2)
    assert two.accuracy == three.accuracy == pytest.approx(2 / 6)
    assert (two.consistency, three.consistency) == (pytest.approx((1 + 3) / 6), 1 / 2)
    assert two.ac3 == pytest.approx(harmonic_mean([2 / 6, 4 / 6])) and ac3(0, 0) == 0
    assert list(consistencies({"en": given["en"]})) == []


def test_the_interval_knows_that_questions_of_a_passage_belong_together():
    """Asking every question of a passage twice says nothing new."""

    def given(times: int) -> dict[str, Answers]:
        passages = {f"{passage}#{number}": passage for passage in range(30) for number in range(times)}
        found = {}
        for language, most in (("en", 1), ("th", 3)):
            chosen = {name: passage % most for name, passage in passages.items()}
            right = {name: choice == 0 for name, choice in chosen.items()}
            found[language] = Answers(right, {name: str(passage) for name, passage in passages.items()}, chosen)
        return found

    [once], [twice] = (list(consistencies(given(times))) for times in (1, 2))
    assert once.consistency == twice.consistency == pytest.approx(1 / 3)
    assert (once.low, once.high) == pytest.approx((twice.low, twice.high))
    assert once.low < 1 / 3 < once.high


def of_choices(picks, **docs):
    """Tasks of a parallel test in several languages: the options chosen, of which the first is right."""
    tasks = {}
    for language, chosen in picks.items():
        facts = {"parallel": True, "dataset": "belebele", "language": language, "variant": "chat", "prompt_language": language}
        own = docs | {"gold": [0] * len(chosen), "predictions": [{"acc": pick} for pick in chosen]}
        tasks[f"sea_belebele_{language}"] = toy([float(pick == 0) for pick in chosen], docs=own, **facts)
    return tasks


def test_of_several_seeds_the_answers_of_the_last_count(tmp_path):
    """Their means are neither right nor wrong."""
    picks = [{"en": [0, 1, 0, 1], "th": [1, 1, 1, 1]}, {"en": [0, 0, 0, 1], "th": [0, 0, 1, 1]}]
    scores = scored_seeds(tmp_path, list(map(of_choices, picks)))
    assert at(scores.headline, task="sea_belebele_th").score == pytest.approx(25)
    section = languages_section(scores)
    [found] = section.tables[0].frame.to_dict("records")
    assert (found["accuracy"], found["consistency"]) == pytest.approx((100 * 5 / 8, 75))
    assert "the answers of the last count here (seed 2), while its score is the mean over all" in " ".join(section.text)
    _, notes = load_comparisons(read(tmp_path).best())
    assert "sea_belebele_en, sea_belebele_th: of several seeds, only the answers of seed 2 count" in notes


@pytest.mark.parametrize(("passages", "few"), [(9, True), (10, False)])
def test_a_share_of_few_passages_is_marked(tmp_path, passages, few):
    """On the page and in the terminal."""
    tasks = of_choices({"en": [0, 0] * passages, "th": [0, 1] * passages}, cluster=[n // 2 for n in range(2 * passages)])
    [row] = shown(languages_section(scored(tmp_path, {"m": tasks})), "consistency")
    printed = summary(list(consistency_rows(load_comparisons(read(tmp_path).best())[0], [])), "consistency")
    assert (row["consistency"].endswith("] few"), "] few" in printed) == (few, few)


SAID = {"th": "คำตอบ: {}", "id": "Jawaban: {}", "en": "Answer: {}"}


@pytest.mark.parametrize(("original", "mark"), [(900, "†"), (24, "")])
def test_chat_models_whose_answers_are_read(tmp_path, report, original, mark):
    """By the scorer of the chat tasks; the last row has no answer in Thai, which equals nothing and is wrong."""
    picks = {"en": "AABB" * 6, "id": "AABA" * 6, "th": "AAB?" * 6}
    tasks = {}
    for language, letters in picks.items():
        rows = []
        for number, letter in enumerate(letters):
            doc = {"id": f"p{number}#1", "cluster": f"p{number}", "letters": ["A", "B"], "options": ["no", "yes"], "gold": 0}
            doc["scoring"] = {"language": language, "prompt_language": language, "answer_tag": SAID[language].removesuffix(" {}")}
            scores = score_chat_letter(doc, ["" if letter == "?" else SAID[language].format(letter)])
            rows.append({"doc_id": number, "filter": "none", "doc": doc, **scores})
        facts = {"parallel": True, "dataset": "belebele", "language": language, "variant": "chat", "prompt_language": language,
                 "setting": "chat", "headline_metric": "exact_match", "rows": original}  # fmt: skip
        scores = {"exact_match,none": sum(row["exact_match"] for row in rows) / len(rows)}
        tasks[f"sea_belebele_{language}_chat"] = {"scores": scores, "metadata": facts, "rows": rows, "num_fewshot": 0}
    write_run(tmp_path / "results", tasks)
    tables, (out, _) = report(tmp_path / "results")
    two, three = csv_rows(tables / "consistency.csv")
    assert two["setting"] == "chat"
    assert [float(row["consistency"]) for row in (two, three)] == [pytest.approx((3 * 3 + 0) / 12), pytest.approx(3 / 4)]
    errors = {(row["first"], row["second"]): row for row in csv_rows(tables / "errors.csv")}
    row = errors["id", "th"]
    assert [float(row[name]) for name in ("wrong_first", "wrong_second", "wrong_in_both", "by_chance")] == [
        pytest.approx(share) for share in (1 / 4, 1 / 2, 1 / 4, 1 / 8)
    ]
    assert float(errors["th", "en"]["same_wrong"]) == pytest.approx(1 / 2), "B in both of every second, nothing in Thai else"
    low, high = (25 + 100 * sign * stats.t.ppf(0.975, 23) * 0.25 / 24**0.5 for sign in (-1, 1))  # the error of independent ones
    assert re.search(rf"^th, en +24 +50\.0 +25\.0 +\+25\.0 \[\+{low:.1f}, \+{high:.1f}\] +< 0\.001$", out, re.MULTILINE)
    assert re.search(r"^3 of 3 +24 +58\.3 +75\.0 \[[\d.]+, [\d.]+\] +65\.6$", out, re.MULTILINE)
    section = languages_section(scored(tmp_path / "results"))
    consistent, shared = section.tables
    assert "Guesses among four options" in consistent.note, "which agree, too"
    assert "its own error rate of 5 %" in shared.note, "it is not among the claims that the whole report corrects for"
    first, _ = shown(section, "consistency")
    assert [first[name] for name in ("languages", "of", "questions", "accuracy")] == ["2", "3", f"24{mark}", "58.3"]
    assert re.fullmatch(rf"75\.0 \[.*\]{mark}", first["consistency"])
    pairs = shown(section, "errors")
    assert all(pair["questions"] == f"24{mark}" and pair["excess"].endswith("]" + mark) for pair in pairs)
    found = at(shared.frame, first="id", second="th")
    assert found.excess == pytest.approx(12.5) and found.tells
