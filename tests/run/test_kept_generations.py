"""Generated answers that an interrupted run keeps, through lm-eval's own cache; the model is a counter."""

from collections import Counter

import pytest
from lm_eval.api.instance import Instance
from lm_eval.api.model import LM, CachingLM

from lm_eval_sea.results.secrets import KnownSecrets
from lm_eval_sea.run.answer_cache import check_databases
from lm_eval_sea.run.answering import AnsweringModel
from lm_eval_sea.run.failing_tasks import TasksFailedError
from lm_eval_sea.run.guarded_cache import GuardedCache

SAMPLED, GREEDY = {"do_sample": True, "temperature": 1.0}, {"do_sample": False}
SEEDS = [1, 1, 1]


class Backend(LM):
    """All its answers differ. It may report the settings under other names, as lm-eval's vLLM does."""

    tokenizer, backend, batch_size, drawn = None, "seq2seq", "1", 0

    def __init__(self, stops_after, renames):
        super().__init__()
        self.stops_after, self.renames, self.asked = stops_after, renames, []

    def generate_until(self, requests):
        answers = []
        for request in requests:
            if len(self.asked) == self.stops_after:
                raise KeyboardInterrupt
            prompt, settings = request.args
            self.asked.append(prompt)
            Backend.drawn += 1
            answers.append(f"{prompt}, draw {Backend.drawn}")
            own = {"temperature": settings.get("temperature", 0.0)} if self.renames else settings
            if self.renames and "structured_outputs" in settings:
                own |= {"structured_outputs": object()}  # the form that vLLM takes
            self.cache_hook.add_partial("generate_until", (prompt, own), answers[-1])
        return answers

    loglikelihood = loglikelihood_rolling = generate_until


@pytest.fixture
def run(tmp_path):
    def run(prompts, settings=SAMPLED, *, seeds=SEEDS, stops_after=None, renames=False):
        """The prompts that were asked, and the answers; None for an interrupted run."""
        model = Backend(stops_after, renames)
        cached = CachingLM(AnsweringModel(model, "counter", {}, seeds), str(tmp_path / "answers_rank0.db"))
        asked = zip(prompts, settings if isinstance(settings, list) else [settings] * len(prompts), strict=True)
        requests = [Instance("generate_until", {}, (prompt, each), 0, metadata=("task", 0, 1)) for prompt, each in asked]
        try:
            return model.asked, cached.generate_until(requests)
        except KeyboardInterrupt:
            return model.asked, None
        finally:
            cached.dbdict.close()

    return run


@pytest.mark.parametrize("settings", [SAMPLED, GREEDY], ids=["sampled", "greedy"])
@pytest.mark.parametrize("renames", [False, True], ids=["hf", "vllm"])
def test_answers_from_before_an_interruption_are_not_asked_again(run, settings, renames):
    prompts = [f"question {number}" for number in range(9)]
    asked, answers = run(prompts, settings, stops_after=4, renames=renames)
    assert (asked, answers) == (prompts[:4], None)
    asked, answers = run(prompts, settings, renames=renames)
    assert asked == prompts[4:]
    assert [answer.split(",")[0] for answer in answers] == prompts


@pytest.mark.parametrize("settings", [SAMPLED, GREEDY], ids=["sampled", "greedy"])
@pytest.mark.parametrize("renames", [False, True], ids=["hf", "vllm"])
def test_equal_prompts_with_and_without_choices_keep_separate_answers(run, settings, renames):
    """The cache cannot store vLLM's object for the choices."""
    both = [settings, settings | {"structured_outputs": {"choice": ["A", "B"]}}]
    run(["a", "a", "b", "b"], both * 2, stops_after=3, renames=renames)
    asked, answers = run(["a", "a", "b", "b"], both * 2, renames=renames)
    assert asked == ["b"] and [answer[0] for answer in answers] == ["a", "a", "b", "b"]
    assert len(set(answers)) == 4


def test_equal_requests_keep_one_answer_each(run):
    """Of the second question one draw of two was kept. It is dropped, because the restarted generator could draw it again."""
    prompts = ["a", "a", "b", "b", "c", "c"]
    run(prompts, stops_after=3)
    asked, answers = run(prompts)
    assert asked == ["b", "b", "c", "c"]
    assert [answer[0] for answer in answers] == prompts
    assert set(Counter(answers).values()) == {1}


def test_other_seeds_or_settings_draw_again(run):
    run(["a", "b"], stops_after=1)
    assert run(["a", "b"], seeds=[2, 1, 1], stops_after=1)[0] == ["a"]
    assert run(["a", "b"], SAMPLED | {"temperature": 0.5}, stops_after=1)[0] == ["a"]
    assert run(["a", "b"], seeds=None, stops_after=1)[0] == ["a"], "no cache of the run's own"
    assert run(["a", "b"])[0] == ["b"]


@pytest.mark.parametrize("settings", [SAMPLED, GREEDY], ids=["sampled", "greedy"])
def test_an_answer_with_a_lone_surrogate_is_not_kept(settings, tmp_path):
    """Otherwise a resumed run would fail at it again."""
    place = str(tmp_path / "answers")
    cached = GuardedCache(AnsweringModel(Backend(None, False), "counter", {}, SEEDS), f"{place}_rank0.db", KnownSecrets())
    requests = [Instance("generate_until", {}, (prompt, settings), 0, metadata=("task", 0, 1)) for prompt in ("a", "b\ud800")]
    with pytest.raises(TasksFailedError, match="lone surrogate"):
        cached.generate_until(requests)
    cached.dbdict.commit()
    assert check_databases(place) == 1


def test_a_second_round_of_the_same_requests_is_drawn_again(tmp_path):
    cached = CachingLM(AnsweringModel(Backend(None, False), "counter", {}, SEEDS), str(tmp_path / "answers_rank0.db"))
    request = Instance("generate_until", {}, ("a", SAMPLED), 0, metadata=("task", 0, 1))
    first, second = cached.generate_until([request]), cached.generate_until([request])
    cached.dbdict.close()
    assert first != second
