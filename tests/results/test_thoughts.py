"""The ledger of thoughts and the curve over budgets, of planted thoughts whose numbers are known."""

import random
from types import MappingProxyType

import pytest

from lm_eval_sea.results.read import read
from lm_eval_sea.results.table import table_of
from lm_eval_sea.results.thoughts import budget_curve, languages_of_lines, ledger_of, repeated_share, thought_rows
from lm_eval_sea.tasks._shared.chat.scores import score_chat_letter

from .lm_eval_output import drawn, toy, write_run

# One thought of a line in the language and one in English, of some length.
OWN = {
    "th": "ข้อความบอกว่าน้ำท่วมหมู่บ้านเมื่อคืนนี้ ดังนั้นคำตอบน่าจะเป็นข้อสอง",
    "my": "စာပိုဒ်ထဲတွင် မြစ်ရေကြီးသဖြင့် ရွာသားများ တောင်ပေါ်သို့ တက်ခဲ့ကြသည်ဟု ဆိုထားသည်",
    "km": "អត្ថបទនិយាយថាទឹកជំនន់បានលិចភូមិកាលពីយប់មិញ ដូច្នេះចម្លើយគឺទីពីរ",
    "id": "Teks itu mengatakan bahwa banjir melanda desa tersebut tadi malam sehingga warga harus mengungsi ke bukit",
    "vi": "Đoạn văn nói rằng lũ lụt đã tràn vào ngôi làng tối qua nên người dân phải chạy lên đồi",
    "ta": "நேற்றிரவு கிராமத்தில் வெள்ளம் வந்ததால் மக்கள் மலைக்குச் சென்றார்கள் என்று பத்தி கூறுகிறது",
}
ENGLISH = "The passage says that the village was flooded last night, so the answer must be the second one."


def planted(folder, rows, language="th", metric="exact_match", run=MappingProxyType({"model": "m"}), **more):
    """A run of rows of (state, thought, thought tokens, answer tokens, score); returns its task."""
    states, thoughts, spent, written, scores = zip(*rows, strict=True)
    docs = {
        "state": states,
        "thought": thoughts,
        "finish_reason": ["length" if state == "cut" else "stop" for state in states],
        "tokens": [{"thought": own, "answer": answer} for own, answer in zip(spent, written, strict=True)],
    }
    task = toy(scores, metric, docs, num_fewshot=0, chance=0.0, variant="chat", language=language, **more)
    task["scores"] = {"cut_rate,none": states.count("cut") / len(rows), "null_rate,none": 0.0} | task["scores"]
    write_run(folder, {"toy_chat": task}, **run)
    [task] = read(folder).best().tasks
    return task


def test_the_answers_of_all_seeds_count(tmp_path):
    """A seed's score with its own tokens: the second one needs twice as many for the same rows."""
    seeds = [[("closed", OWN["th"], seed * 100, 5, float(n % 3 < seed)) for n in range(12)] for seed in (1, 2)]
    seeds[1][0] = ("no thought", "", 0, 5, 1.0)
    for seed, rows in enumerate(seeds, start=1):
        planted(tmp_path, rows, run=drawn(seed, "m"))
    [task] = read(tmp_path).best().tasks
    found, curve = ledger_of(task, thought_rows(task)), budget_curve(task, thought_rows(task))
    assert (found.rows, found.read, found.median_tokens, found.switches) == (24, 23, 100, 0)
    assert found.thinking.mean == pytest.approx(23 / 24)
    scores = {point.budget: point.score for point in curve.points}
    assert scores[16] == pytest.approx(100 / 24), "the answer without a thought"
    assert scores[128] == pytest.approx(100 * (4 + 1) / 24), "and the first seed's"
    assert scores[205] == pytest.approx(task.score.score) == pytest.approx(100 * (4 + 8) / 24)


@pytest.mark.parametrize("language", OWN)
def test_the_language_of_a_thought_is_that_of_its_lines(language):
    lines = languages_of_lines(f"{OWN[language]}\nHm.\n{ENGLISH}\n{OWN[language]}", language)
    assert [kind for kind, _ in lines] == ["own", "English", "own"]


def test_the_ledger_is_as_computed_by_hand(tmp_path):
    loop = "น้ำท่วมหมู่บ้านเมื่อคืนนี้หรือไม่ ลองคิดอีกครั้ง\n" * 40
    rows = [("closed", f"{OWN['th']}\n{ENGLISH}", 100 * n, 5, 1.0) for n in range(1, 6)]
    rows += [("cut", loop, 900, 0, 0.0), ("stopped in the thought", OWN["th"], 50, 0, 0.0)]
    rows += [("no thought", "", 0, 5, 0.0)] * 3
    task = planted(tmp_path, rows)
    found = ledger_of(task, thought_rows(task))
    assert (found.rows, found.read) == (10, 7)
    assert (found.thinking.mean, found.cut.mean, found.stopped.mean) == pytest.approx((0.7, 0.1, 0.1))
    assert (found.median_tokens, found.p95_tokens) == (300, pytest.approx(500 + 0.7 * 400))
    assert (found.looping, found.switches) == pytest.approx((1 / 7, 5 / 7))
    own = 6 * sum(map(str.isalpha, OWN["th"])) + sum(map(str.isalpha, loop))
    assert found.own == pytest.approx(own / (own + 5 * sum(map(str.isalpha, ENGLISH))))
    assert found.own + found.english == pytest.approx(1)


def test_tokens_in_english_are_divided_only_where_the_thought_is_in_the_language(tmp_path):
    third = "Le texte dit que le village a été inondé hier soir, et la réponse doit donc être la deuxième."
    both = f"{OWN['th']}\n{OWN['th']}\nYes. {ENGLISH[:30]}"
    thoughts = [(OWN["th"], 600), (both, 800), (ENGLISH, 150), (third, 9000), ("โอ้", 7000)]
    rows = [("closed", text, tokens, 5, 1.0) for text, tokens in thoughts] + [("no thought", "", 0, 5, 0.0)]
    premium = {"mean": 4.0, "low": 3.5, "high": 4.5, "texts": 488}
    for name, said, expected in (("with", {"token_premium": premium}, 150), ("without", {}, None)):
        task = planted(tmp_path / name, rows, provenance=said)
        assert ledger_of(task, thought_rows(task)).median_in_english == expected  # of 150, 200 and 150


def test_repeated_windows_by_brute_force():
    chance = random.Random(1)
    for _ in range(50):
        text = "".join(chance.choice("ab ") for _ in range(chance.randint(0, 60)))
        plain = " ".join(text.split())
        windows = [plain[start : start + 4] for start in range(len(plain) - 3)]
        repeats = sum(window in windows[:place] for place, window in enumerate(windows))
        assert repeated_share(text, 4) == pytest.approx(repeats / len(windows) if len(windows) > 1 else 0)


def test_a_curve_bounds_the_scores_of_runs_with_smaller_limits(tmp_path):
    """Words are the tokens of a planted model, which writes the same whatever the limit; its answers are read as in a run."""
    chance = random.Random(7)

    def generate():
        thought = ["<think>", *(chance.choice(("so", "maybe", "A", "B")) for _ in range(chance.randint(0, 90))), "</think>"]
        return thought, ["It", "is", "clear", "Answer:", chance.choice("AB"), *["indeed"] * chance.randint(0, 30)]

    def graded(written):
        doc = {"letters": ["A", "B"], "options": ["no", "yes"], "gold": 1}
        doc["scoring"] = {"answer_tag": "Answer:", "language": "en", "prompt_language": "en", "label_words": None}
        return score_chat_letter(doc, [" ".join(written)])["exact_match"], doc["state"]

    rows, texts = [], [generate() for _ in range(60)]
    for thought, answer in texts:
        score, state = graded(thought + answer)
        rows.append((state, "", len(thought), len(answer), score))
    task = planted(tmp_path, rows)
    curve = budget_curve(task, thought_rows(task))
    assert [point.budget for point in curve.points[:3]] == [16, 32, 64]
    gaps = []
    for point in curve.points:
        real = 100 * sum(graded((thought + answer)[: point.budget])[0] for thought, answer in texts) / len(texts)
        assert point.score - 1e-9 <= real <= point.at_most + 1e-9
        gaps.append(real - point.score)
    assert gaps[-1] == pytest.approx(0), "at the limit the curve is the score"
    assert max(gaps) > 0, "cut answers are read in some run"
    assert not curve.rises, "no answer met the limit"


@pytest.mark.parametrize(("late", "cut", "rises"), [(30, 40, True), (0, 40, False), (30, 1, False)])
def test_a_score_that_still_rises_at_the_limit_says_so(tmp_path, late, cut, rises):
    """Not where hardly an answer met the limit: a larger one would leave the others as they are."""
    rows = [("closed", "t", 100, 10, 1.0)] * (100 - cut - late) + [("closed", "t", 800, 10, 1.0)] * late
    rows += [("cut", "t", 1000, 0, 0.0)] * cut
    task = planted(tmp_path, rows)
    curve = budget_curve(task, thought_rows(task))
    assert (curve.rises, curve.gain) == (rises, pytest.approx(late))
    said = " ".join(table_of(read(tmp_path).best()).split())
    assert ("; the last half of the limit brought 30.0 points" in said) == rises


def test_without_a_score_or_tokens_there_is_no_curve(tmp_path):
    """The share of lost answers is no score: a task shows it that a judge has yet to score."""
    lost = planted(tmp_path / "lost", [("closed", "t", 100, 10, 0.0), ("cut", "t", 1000, 0, 1.0)] * 10, metric="null_rate")
    silent = planted(tmp_path / "silent", [("closed", OWN["th"], None, None, 1.0)] * 20)
    assert budget_curve(lost, thought_rows(lost)) is budget_curve(silent, thought_rows(silent)) is None
    assert ledger_of(silent, thought_rows(silent)).median_tokens is None
