"""Calibration against brute-force definitions, and on models with a planted bias and a planted signal."""

import math
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lm_eval.api.samplers import ContextSampler
from sklearn.metrics import f1_score

from lm_eval_sea.tasks._shared.metrics import calibration, classification_metrics
from lm_eval_sea.tasks._shared.metrics.calibration import pooled_content_free_log_shares
from lm_eval_sea.tasks._shared.metrics.classification_metrics import Choice, Evidence

from .evaluation import evaluate, scores, write_json_lines
from .planted_model import PlantedModel

LABELS = {"positive": "เชิงบวก", "neutral": "เป็นกลาง", "negative": "เชิงลบ"}
CATEGORIES = list(LABELS)
WORDS = list(LABELS.values())
TASK = "sea_wisesight_th"
WITHOUT_CONTENT = ("N/A\n", "\n", "[MASK]\n")
CONTENT_FREE = ("ข้อความ: N/A\nคำตอบ:", "ข้อความ: \nคำตอบ:", "ข้อความ: [MASK]\nคำตอบ:")

loglikelihoods = st.lists(st.floats(-50, 0), min_size=3, max_size=3)


def wisesight_folder(tmp_path, rows, shuffle=True):
    """A mirror of as many Wisesight rows of each label; a text says its number and label."""
    categories = [number % 3 for number in range(rows)]
    if shuffle:
        random.Random(0).shuffle(categories)
    made = [{"texts": f"ข้อความที่ {n} {CATEGORIES[category]}", "category": category} for n, category in enumerate(categories)]
    write_json_lines(tmp_path / "sail/Sailcompass_data/data/wisesight_senti/test.jsonl", made)
    return tmp_path


def batch_biases(rows):
    return calibration.batch_biases(np.array([calibration.log_softmax(row) for row in rows]))


class TestFormulae:
    @pytest.mark.parametrize("pooled", [False, True])
    @given(loglikelihoods, st.lists(loglikelihoods, min_size=1, max_size=3))
    def test_contextual_calibration_is_the_argmax_of_p_over_q(self, pooled, row, content_free):
        """The inputs' shares are averaged, or, as Zhao et al. do, their probabilities, which are normalised then."""
        p, inputs = np.exp(row) / np.exp(row).sum(), np.exp(content_free)
        inputs = inputs if pooled else inputs / inputs.sum(axis=1, keepdims=True)
        q = inputs.mean(axis=0) / inputs.mean(axis=0).sum()
        log_q = (pooled_content_free_log_shares if pooled else calibration.content_free_log_shares)(content_free)
        assert np.exp(log_q) == pytest.approx(q)
        chosen = int(np.argmax(calibration.subtract_bias(row, log_q)))
        assert p[chosen] / q[chosen] == pytest.approx((p / q).max())

    def test_tiny_shares_are_compared_and_differences_by_rounding_are_ties(self):
        """Then the first label wins, as with all ties."""
        log_q = calibration.content_free_log_shares([[-800.0, -1.0, -2.0]])
        assert calibration.subtract_bias([-900.0, -1.0, -2.0], log_q)[0] < -90
        row = [-3.3, -0.1, -5.7]
        assert len(set(calibration.subtract_bias(row, calibration.content_free_log_shares([row, row, row])))) == 1

    def test_labels_without_probability(self):
        """Such a label is never chosen. One without probability only where there is no content wins if the row gives it some."""
        impossible = [0.0, -math.inf]
        assert calibration.log_softmax(impossible) == impossible
        assert calibration.log_softmax([-math.inf, -math.inf]) == [math.log(0.5)] * 2
        assert calibration.subtract_bias([-1.0, -math.inf], impossible) == [-1.0, -math.inf]
        assert calibration.subtract_bias([-1.0, -9.0], impossible) == [-1.0, math.inf]
        assert batch_biases([[-1.0, -math.inf], [-1.0, -1.0]])[1] == pytest.approx(math.log(0.5))
        assert pooled_content_free_log_shares([[-math.inf, -1.0], [-math.inf, -2.0]]) == [-math.inf, 0.0]
        assert pooled_content_free_log_shares([[-math.inf, -math.inf]]) == pytest.approx([math.log(0.5)] * 2)


class TestMacroF1:
    @settings(max_examples=30)  # scikit-learn takes its time
    @given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1))
    def test_equals_scikit_learn_with_labels_that_never_occur(self, pairs):
        golds, chosen = zip(*pairs, strict=True)
        expected = f1_score(golds, chosen, labels=range(5), average="macro", zero_division=0)
        assert classification_metrics.macro_f1([Choice(gold, label, 5) for gold, label in pairs]) == expected

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


def test_all_methods_against_brute_force(tmp_path):
    folder = wisesight_folder(tmp_path, 40, shuffle=False)
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
    q_zhao = np.exp(free).sum(axis=0) / np.exp(free).sum()  # probabilities averaged over the inputs, then normalised
    expected = {
        "": ll.argmax(axis=1),
        "_cc": (p / q).argmax(axis=1),
        "_cc_zhao": (p / q_zhao).argmax(axis=1),
        "_pmi": (ll - cue).argmax(axis=1),
        "_bc": (np.log(p) - np.log(p).mean(axis=0)).argmax(axis=1),
    }
    found = scores(results, TASK)
    by_shares = (p / p.mean(axis=0)).argmax(axis=1)  # the other order of batch calibration
    assert found["acc_bc_mean_p"] == pytest.approx(float((by_shares == golds).mean()))
    assert list(by_shares) != list(expected["_bc"])
    for method, chosen in expected.items():
        assert found[f"acc{method}"] == pytest.approx(float((chosen == golds).mean()))
        if method != "_cc_zhao":
            f1 = f1_score(golds, chosen, average="macro", labels=range(3), zero_division=0)
            assert found[f"f1{method}"] == pytest.approx(f1)
        if method != "_bc":
            assert [sample["doc"]["predictions"][f"acc{method}"] for sample in samples] == list(chosen)
    for sample, of_row in zip(samples, p, strict=True):
        assert sample["doc"]["p"] == pytest.approx(list(of_row))
        assert sample["doc"]["q"] == pytest.approx(list(q))
        assert [option["content_free"] for option in sample["doc"]["option_scores"]] == free.T.tolist()
    assert len(set(map(tuple, expected.values()))) == len(expected), "two methods choose the same everywhere"


def test_no_standard_error_is_missing(tmp_path):
    model = PlantedModel(lambda context, ending: float(len(context) % 7) + len(ending))
    found = evaluate(wisesight_folder(tmp_path, 12), TASK, model, bootstrap_iters=100)["results"][TASK]
    names = [name for name in found if name.startswith(("acc", "f1")) and "_stderr" not in name]
    assert len(names) >= 10
    assert all(isinstance(found[name.replace(",", "_stderr,")], float) for name in names)


class TestRequests:
    """Content-free prompts are asked once for the whole task."""

    def count(self, model):
        return Counter(context.endswith(CONTENT_FREE) or context == "คำตอบ:" for context, _ in model.requests)

    @pytest.mark.parametrize(
        "options", [{}, {"limit": 7}, {"samples": {TASK: [3, 8, 11]}}, {"num_fewshot": 0}, {"num_fewshot": 5}]
    )
    def test_content_free_inputs_are_asked_once_and_rows_each_with_each_label(self, tmp_path, options):
        model = PlantedModel(lambda context, ending: -float(len(ending)))
        evaluate(wisesight_folder(tmp_path, 12), TASK, model, **options)
        rows = {"limit": 7, "samples": 3}.get(next(iter(options), ""), 12)
        assert self.count(model) == {True: 3 * 3 + 3, False: 3 * rows}

    @pytest.mark.parametrize("kept", ["requests", "responses"])
    def test_a_second_run_has_the_same_scores(self, kept, tmp_path, monkeypatch):
        monkeypatch.setattr("lm_eval.caching.cache.PATH", str(tmp_path / "cache"))
        options = {"cache_requests": True} if kept == "requests" else {"use_cache": str(tmp_path / "responses")}
        folder = wisesight_folder(tmp_path, 10)
        model = PlantedModel(lambda context, ending: -float(len(ending) + len(context) % 3))
        first, asked = scores(evaluate(folder, TASK, model, **options), TASK), self.count(model)
        assert asked == {True: 12, False: 30}
        assert scores(evaluate(folder, TASK, model, **options), TASK) == first
        assert self.count(model) == ({True: 24, False: 60} if kept == "requests" else asked)

    def test_once_for_each_number_of_options(self, samples):
        """The Thai exam samples have rows of two, four and five options: 3 × (2 + 4 + 5) requests."""
        model = PlantedModel(lambda context, ending: float(ending))
        results = evaluate(samples, "sea_m3exam_th_litilo_ppl", model)
        questions = [context.rpartition("คำถาม: ")[2] for context, _ in model.requests]
        assert sum(question.startswith(WITHOUT_CONTENT) for question in questions) == 3 * (2 + 4 + 5)
        rows = [sample["doc"] for sample in results["samples"]["sea_m3exam_th_litilo_ppl"]]
        assert [len(row["q"]) for row in rows] == [len(row["options"]) for row in rows]
        assert [row["predictions"]["acc"] for row in rows] == [len(row["options"]) - 1 for row in rows]

    def test_a_row_is_compared_with_its_own_question(self, samples):
        """XCOPA asks for a cause or an effect; each kind has content-free prompts of its own, whichever row comes first."""
        model = PlantedModel(lambda context, ending: -float(len(context) % 5) - float(len(ending)))
        logged = evaluate(samples, "sea_xcopa_vi_litilo_ppl", model)["samples"]["sea_xcopa_vi_litilo_ppl"]
        rows = [sample["doc"] for sample in logged]
        free = [context.rpartition("Tiền đề: ")[2] for context, _ in model.requests]
        asked = Counter((text.partition("\n")[0], "Nguyên nhân" in text) for text in free if text.startswith(WITHOUT_CONTENT))
        assert asked == {(content, cause): 2 for content in ("N/A", "", "[MASK]") for cause in (True, False)}
        assert len({(row["question"], *row["q"]) for row in rows}) == len({row["question"] for row in rows}) == 2


def test_a_sampler_that_draws_other_exemplars_a_row(tmp_path, load_tasks):
    """Then the content-free prompts differ from row to row, and every distinct one is asked once."""
    task = load_tasks(TASK, folder=wisesight_folder(tmp_path, 12))[TASK]
    task.sampler = ContextSampler(task.fewshot_docs(), rnd=7)
    task.build_all_requests(rank=0, world_size=1)
    contexts = {instance.arguments[0] for instance in task.instances if instance.idx < 3}
    prefixes = {context.rpartition("ข้อความ: ")[0] for context in contexts}
    free = [instance.arguments for instance in task.instances if instance.arguments[0].endswith(CONTENT_FREE)]
    assert len(prefixes) > 3, "the sampler drew the same exemplars for all rows"
    assert len(free) == len(set(free)) == 9 * len(prefixes)
