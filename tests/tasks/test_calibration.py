"""Calibration against brute-force definitions, and on models with a planted bias and a planted signal."""

import json
import math
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lm_eval.api.samplers import ContextSampler
from lm_eval.tasks import TaskManager
from sklearn.metrics import f1_score

from lm_eval_sea.tasks._shared.metrics import calibration, classification_metrics
from lm_eval_sea.tasks._shared.metrics.classification_metrics import Choice, Evidence

from .evaluation import TASKS, evaluate, write_json_lines
from .planted_model import PlantedModel

LABELS = {"positive": "เชิงบวก", "neutral": "เป็นกลาง", "negative": "เชิงลบ"}
CATEGORIES = list(LABELS)
WORDS = list(LABELS.values())
TASK = "sea_wisesight_th"
CONTENT_FREE = ("ข้อความ: N/A\nคำตอบ:", "ข้อความ: \nคำตอบ:", "ข้อความ: [MASK]\nคำตอบ:")

finite = st.floats(-50, 0)
loglikelihoods = st.lists(finite, min_size=3, max_size=3)


def wisesight_folder(tmp_path, categories):
    """A mirror of Wisesight rows whose text says their number and label."""
    rows = [
        {"texts": f"ข้อความที่ {number} {CATEGORIES[category]}", "category": category} for number, category in enumerate(categories)
    ]
    write_json_lines(tmp_path / "sail/Sailcompass_data/data/wisesight_senti/test.jsonl", rows)
    return tmp_path


def balanced(tmp_path, rows=150):
    categories = [number % 3 for number in range(rows)]
    random.Random(0).shuffle(categories)
    return wisesight_folder(tmp_path, categories)


def is_content_free(context: str) -> bool:
    return context.endswith(CONTENT_FREE)


def scores(results, task=TASK):
    return {key.removesuffix(",none"): value for key, value in results["results"][task].items() if key.endswith(",none")}


class TestFormulae:
    @given(loglikelihoods)
    def test_log_softmax(self, row):
        expected = np.log(np.exp(row) / np.exp(row).sum())
        assert calibration.log_softmax(row) == pytest.approx(list(expected), abs=1e-9)

    def test_log_softmax_with_an_impossible_label(self):
        assert calibration.log_softmax([0.0, -math.inf]) == [0.0, -math.inf]
        assert calibration.log_softmax([-math.inf, -math.inf]) == [math.log(0.5)] * 2

    @given(loglikelihoods, st.lists(loglikelihoods, min_size=1, max_size=3))
    def test_contextual_calibration_is_the_argmax_of_p_over_q(self, row, content_free):
        p = np.exp(row) / np.exp(row).sum()
        q = np.mean([np.exp(of_input) / np.exp(of_input).sum() for of_input in content_free], axis=0)
        ratios = p / q
        log_q = calibration.content_free_log_shares(content_free)
        assert np.exp(log_q) == pytest.approx(q)
        assert ratios[int(np.argmax(calibration.subtract_bias(row, log_q)))] == pytest.approx(ratios.max())

    def test_shares_too_small_for_a_float_are_compared_all_the_same(self):
        log_q = calibration.content_free_log_shares([[-800.0, -1.0, -2.0]])
        assert calibration.subtract_bias([-900.0, -1.0, -2.0], log_q)[0] < -90

    def test_scores_that_differ_by_rounding_are_equal(self):
        """Then the first label wins, as with all ties."""
        row = [-3.3, -0.1, -5.7]
        assert len(set(calibration.subtract_bias(row, calibration.content_free_log_shares([row, row, row])))) == 1

    @given(st.lists(loglikelihoods, min_size=1, max_size=20))
    def test_batch_biases_are_the_means_of_the_normalised_log_probabilities(self, rows):
        array = np.array(rows)
        normalised = array - np.log(np.exp(array).sum(axis=1, keepdims=True))
        assert calibration.batch_biases(rows) == pytest.approx(list(normalised.mean(axis=0)), abs=1e-9)

    @given(st.lists(loglikelihoods, min_size=1, max_size=20), st.lists(finite, min_size=20, max_size=20))
    def test_batch_biases_of_logits_choose_the_same_as_those_of_log_probabilities(self, rows, offsets):
        """Logits differ from log-probabilities by one number a row, so equation 2 of Zhou et al. means both."""
        logits = np.array(rows) + np.array(offsets[: len(rows)])[:, None]
        found = np.array([calibration.subtract_bias(row, calibration.batch_biases(rows)) for row in rows])
        difference = found - (logits - logits.mean(axis=0))
        assert difference == pytest.approx(np.repeat(difference[:, :1], 3, axis=1), abs=1e-6)

    def test_a_label_without_probability_is_never_chosen(self):
        row = [-1.0, -math.inf]
        assert calibration.subtract_bias(row, [0.0, -math.inf]) == [-1.0, -math.inf]
        assert calibration.batch_biases([row, [-1.0, -1.0]])[1] == pytest.approx(math.log(0.5))

    def test_a_label_without_bias_probability_wins_where_the_row_allows_it(self):
        assert calibration.subtract_bias([-1.0, -9.0], [0.0, -math.inf]) == [-1.0, math.inf]


class TestMacroF1:
    @given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1))
    def test_equals_scikit_learn_with_labels_that_never_occur(self, pairs):
        golds, chosen = zip(*pairs, strict=True)
        expected = f1_score(golds, chosen, labels=range(5), average="macro", zero_division=0)
        assert classification_metrics.macro_f1([Choice(gold, label, 5) for gold, label in pairs]) == expected

    def test_the_standard_error_of_an_accuracy_like_metric_is_that_of_a_mean(self):
        """Bootstrap of a share has a closed form: sqrt(p (1 − p) / n)."""
        rows = np.array([1.0] * 300 + [0.0] * 100)
        error = classification_metrics.spread_over_resamples(lambda places: rows[places].mean(), len(rows))
        assert error == pytest.approx(math.sqrt(0.75 * 0.25 / 400), rel=0.07)

    @pytest.mark.parametrize(
        "name", ["macro_f1", "batch_calibrated_accuracy", "batch_share_calibrated_accuracy", "batch_calibrated_macro_f1"]
    )
    def test_errors_are_those_of_scoring_every_resample_again(self, name):
        """1,000 draws each: an error varies by 1 / sqrt(2 * 1000), the ratio of two by 3.2 %; four times that is allowed."""
        rng = random.Random(name)
        score, error = (getattr(classification_metrics, f"{name}{ending}") for ending in ("", "_stderr"))
        golds = [rng.choice([0, 0, 1, 2]) for _ in range(40)]
        if name == "macro_f1":  # 3 is none of the labels
            rows = [Choice(gold, rng.choice([gold, 0, 1, 3]), 3) for gold in golds]
        else:
            centre = [[2 * (label == gold) - 3 * (label == 1) for label in range(3)] for gold in golds]
            drawn = [[value if (value := rng.gauss(mean, 1.5)) > -5 else -math.inf for mean in row] for row in centre]
            rows = list(map(Evidence, golds, drawn))
            assert any(-math.inf in row.loglikelihoods for row in rows)
        again = np.std([score(rng.choices(rows, k=len(rows))) for _ in range(1000)], ddof=1)
        assert error(rows) == pytest.approx(again, rel=0.13)
        assert error(rng.sample(rows, len(rows))) == error(rows) > 0
        assert error(rows[:1]) == 0


def test_a_planted_prior_and_a_real_signal(tmp_path):
    """The prior prefers "neutral" by 4 nats, the row's label is worth 2: only calibration sees the signal."""
    prior = dict(zip(WORDS, (-4.0, 0.0, -4.0), strict=True))
    noise = random.Random(1)

    def planted(context, ending):
        word = ending.strip()
        if is_content_free(context) or context == "คำตอบ:":
            return prior[word]
        right = LABELS[context.rsplit("ข้อความที่", 1)[1].split()[1]]
        return prior[word] + (2.0 if word == right else 0.0) + noise.gauss(0, 0.3)

    found = scores(evaluate(balanced(tmp_path), TASK, PlantedModel(planted)))
    assert found["acc"] < 0.4
    for metric in ("acc_cc", "acc_pmi", "acc_bc", "f1_cc", "f1_pmi", "f1_bc"):
        assert found[metric] > 0.95


def test_all_methods_against_brute_force(tmp_path):
    """Random log-likelihoods; every metric computed anew here from the definitions."""
    folder = wisesight_folder(tmp_path, [number % 3 for number in range(40)])
    table = {}
    generator = random.Random(2)
    model = PlantedModel(lambda context, ending: table.setdefault((context, ending), generator.uniform(-9, -1)))
    results = evaluate(folder, TASK, model)
    samples = results["samples"][TASK]
    golds = [sample["doc"]["gold"] for sample in samples]
    ll = np.array([[table[sample["arguments"][0][0], f" {word}"] for word in WORDS] for sample in samples])
    prefix = samples[0]["arguments"][0][0].rpartition("ข้อความ: ")[0]
    free = np.array([[table[prefix + ending, f" {word}"] for word in WORDS] for ending in CONTENT_FREE])
    cue = np.array([table["คำตอบ:", f" {word}"] for word in WORDS])
    p = np.exp(ll) / np.exp(ll).sum(axis=1, keepdims=True)
    q = (np.exp(free) / np.exp(free).sum(axis=1, keepdims=True)).mean(axis=0)
    expected = {
        "": ll.argmax(axis=1),
        "_cc": (p / q).argmax(axis=1),
        "_pmi": (ll - cue).argmax(axis=1),
        "_bc": (np.log(p) - np.log(p).mean(axis=0)).argmax(axis=1),
    }
    found = scores(results)
    by_shares = (p / p.mean(axis=0)).argmax(axis=1)  # the other order of batch calibration
    assert found["acc_bc_mean_p"] == pytest.approx(float((by_shares == golds).mean()))
    assert list(by_shares) != list(expected["_bc"])
    for method, chosen in expected.items():
        assert found[f"acc{method}"] == pytest.approx(float((chosen == golds).mean()))
        assert found[f"f1{method}"] == pytest.approx(f1_score(golds, chosen, average="macro", labels=range(3), zero_division=0))
        if method != "_bc":
            assert [sample["doc"]["predictions"][f"acc{method}"] for sample in samples] == list(chosen)
    for sample, of_row in zip(samples, p, strict=True):
        assert sample["doc"]["p"] == pytest.approx(list(of_row))
        assert sample["doc"]["q"] == pytest.approx(list(q))
    assert len(set(map(tuple, expected.values()))) == len(expected), "two methods choose the same everywhere"


def test_no_standard_error_is_missing(tmp_path):
    folder = balanced(tmp_path, rows=12)
    results = evaluate(
        folder, TASK, PlantedModel(lambda context, ending: float(len(context) % 7) + len(ending)), bootstrap_iters=100
    )
    found = scores(results)
    for metric in ("acc", "acc_norm", "f1", "acc_cc", "f1_cc", "acc_pmi", "f1_pmi", "acc_bc", "acc_bc_mean_p", "f1_bc"):
        assert isinstance(found[f"{metric}_stderr"], float), metric


class TestRequests:
    """Content-free prompts are asked once for the whole task."""

    def count(self, model):
        return Counter(is_content_free(context) or context == "คำตอบ:" for context, _ in model.requests)

    @pytest.mark.parametrize(
        "options", [{}, {"limit": 7}, {"samples": {TASK: [3, 11, 20]}}, {"num_fewshot": 0}, {"num_fewshot": 5}]
    )
    def test_three_times_labels_and_labels_for_the_cue(self, tmp_path, options):
        folder = balanced(tmp_path, rows=30)
        model = PlantedModel(lambda context, ending: -float(len(ending)))
        evaluate(folder, TASK, model, **options)
        rows = {"limit": 7, "samples": 3}.get(next(iter(options), ""), 30)
        assert self.count(model) == {True: 3 * 3 + 3, False: 3 * rows}

    @pytest.mark.parametrize("kept", ["requests", "responses"])
    def test_a_second_run_has_the_same_scores(self, kept, tmp_path, monkeypatch):
        monkeypatch.setattr("lm_eval.caching.cache.PATH", str(tmp_path / "cache"))
        options = {"cache_requests": True} if kept == "requests" else {"use_cache": str(tmp_path / "responses")}
        folder, model = balanced(tmp_path, rows=10), PlantedModel(lambda context, ending: -float(len(ending) + len(context) % 3))
        first, asked = scores(evaluate(folder, TASK, model, **options)), self.count(model)
        assert asked == {True: 12, False: 30}
        assert scores(evaluate(folder, TASK, model, **options)) == first
        assert self.count(model) == ({True: 24, False: 60} if kept == "requests" else asked)

    def test_once_for_each_number_of_options(self, samples):
        """The Thai exam samples have rows of two, four and five options: 3 × (2 + 4 + 5) requests."""
        model = PlantedModel(lambda context, ending: -float(ending))
        results = evaluate(samples, "sea_m3exam_th_litilo_ppl", model)
        free = [
            ending
            for context, ending in model.requests
            if context.rpartition("คำถาม: ")[2].startswith(("N/A\n", "\n", "[MASK]\n"))
        ]
        assert len(free) == 3 * (2 + 4 + 5)
        rows = [sample["doc"] for sample in results["samples"]["sea_m3exam_th_litilo_ppl"]]
        assert [len(row["q"]) for row in rows] == [len(row["options"]) for row in rows]


def test_a_row_is_compared_with_its_own_question(samples):
    """XCOPA asks for a cause or an effect; each kind has content-free prompts of its own, whichever row comes first."""
    model = PlantedModel(lambda context, ending: -float(len(context) % 5) - float(len(ending)))
    results = evaluate(samples, "sea_xcopa_vi_litilo_ppl", model)
    free = [context.rpartition("Tiền đề: ")[2] for context, _ in model.requests]
    free = [text.partition("\n") for text in free if text.startswith(("N/A\n", "\n", "[MASK]\n"))]
    asked = Counter((content, "Nguyên nhân" in rest) for content, _, rest in free)
    assert asked == {(content, cause): 2 for content in ("N/A", "", "[MASK]") for cause in (True, False)}
    for sample in results["samples"]["sea_xcopa_vi_litilo_ppl"]:
        same = [other["doc"]["q"] for other in results["samples"]["sea_xcopa_vi_litilo_ppl"]
                if other["doc"]["question"] == sample["doc"]["question"]]  # fmt: skip
        assert all(q == sample["doc"]["q"] for q in same)


def test_letter_preference_is_taken_off(samples):
    """The model likes letter A by 5 nats and adds 1 for the right one."""
    rows = [
        json.loads(line)
        for line in (samples / "sail/Sailcompass_data/data/belebele/vie_Latn.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    gold = {row["question"]: "ABCD"[int(row["correct_answer_num"]) - 1] for row in rows}

    def planted(context, ending):
        question = context.rpartition("Câu hỏi: ")[2].split("\n")[0]
        return (5.0 if ending == " A" else 0.0) + (1.0 if ending.strip() == gold.get(question) else 0.0)

    found = scores(evaluate(samples, "sea_belebele_vi_litilo_ppl", PlantedModel(planted)), "sea_belebele_vi_litilo_ppl")
    assert found["acc"] == 0.25
    assert found["acc_cc"] == 1.0


def test_a_sampler_that_draws_other_exemplars_a_row(tmp_path):
    """Then the content-free prompts differ from row to row, and every distinct one is asked once."""
    folder = balanced(tmp_path, rows=12)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        manager = TaskManager(include_path=str(TASKS), include_defaults=False)
        task = manager.load(TASK)["tasks"][TASK]
        task.sampler = ContextSampler(task.fewshot_docs(), rnd=7)
        task.build_all_requests(rank=0, world_size=1)
    contexts = {instance.arguments[0] for instance in task.instances if instance.idx < 3}
    prefixes = {context.rpartition("ข้อความ: ")[0] for context in contexts}
    free = [instance.arguments for instance in task.instances if is_content_free(instance.arguments[0])]
    assert len(prefixes) > 3, "the sampler drew the same exemplars for all rows"
    assert len(free) == len(set(free)) == 9 * len(prefixes)
