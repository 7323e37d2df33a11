"""The benchmark of whole suites: which part a second counts for, and which run stands in the table."""

from types import SimpleNamespace

import pytest
from bench_suite import Meter, Run, table


def test_time_is_charged_to_the_innermost_part():
    now = [0.0]
    meter = Meter(lambda: now[0])

    def after(seconds, call=lambda: None):
        now[0] += seconds
        call()
        now[0] += seconds

    def fails():
        now[0] += 100
        raise ValueError

    watched = SimpleNamespace(outer=lambda: after(1, watched.inner), inner=lambda: after(10), fails=fails)
    for name, part in (("outer", "planning"), ("inner", "model"), ("fails", "metrics")):
        meter.watch(watched, name, part)
    watched.outer()
    with pytest.raises(ValueError):
        watched.fails()
    now[0] += 1000
    meter.switch("other")
    seconds = dict(meter.seconds)
    assert {part: seconds[part] for part in ("planning", "model", "metrics")} == {"planning": 2, "model": 20, "metrics": 100}
    assert seconds["start"] >= 1000


def test_the_run_with_the_median_of_the_seconds_stands_in_the_table():
    runs = [Run(memory, {"start": 1.0, "model": seconds}) for memory, seconds in ((3.0, 9.0), (5.0, 99.0), (4.0, 19.0))]
    text = table({("sea_lite", "hf"): runs, ("sea_lite", "hf-shared-prefix"): [Run(2.0, {"model": 4.0})]})
    assert "| `sea_lite` | `hf` | 20 | 1.0 | 4.0 | 1.0 |" in text
    assert "| `sea_lite` | `hf-shared-prefix` | 4 | 5.0 | 2.0 | 0.0 |" in text
