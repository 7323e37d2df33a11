"""What backends answer to the requests of tasks, and whether two of them answer alike."""

import pytest

from ...tasks.evaluation import all_scores, evaluate

ROWS = 2

# A float32 has 24 bits, and a prompt of thousands of tokens a log-likelihood of thousands of nats.
ROUNDING = 3e-7


def answers(samples, tasks, model, folder, **options):
    metadata = {"pretrained": str(folder)} | options.pop("metadata", {})
    return evaluate(samples, tasks, model, metadata=metadata, limit=ROWS, **options)


def assert_alike(results, expected):
    """Equal texts, predictions and scores; log-likelihoods within 1e-4 nats, and large ones within their rounding.

    vLLM keeps back the bytes of a character that is not complete, which a random model ends in at times. Texts are compared
    without it, and scores of such a task are not. Nor are standard errors, of which `evaluate` draws few resamples.
    """
    unfinished = set()
    assert results["samples"].keys() == expected["samples"].keys()
    for task, samples in expected["samples"].items():
        for sample, other in zip(samples, results["samples"][task], strict=True):
            assert sample["arguments"] == other["arguments"], task
            for (response,), (answer,) in zip(sample["resps"], other["resps"], strict=True):
                if isinstance(response, str):
                    unfinished |= {task} if answer != response else set()
                    assert answer.rstrip("\ufffd") == response.rstrip("\ufffd"), task
                else:
                    assert float(answer[0]) == pytest.approx(float(response[0]), abs=1e-4, rel=ROUNDING), task
                    assert answer[1] == response[1], task
            assert sample["doc"].get("predictions") == other["doc"].get("predictions"), task
    found, wanted = (
        {key: value for key, value in all_scores(both).items() if key[0] not in unfinished and "stderr" not in str(key[1])}
        for both in (results, expected)
    )
    assert found == pytest.approx(wanted, abs=1e-4, nan_ok=True)
