"""Which rows the page shows, and what it calls them."""

import base64
import json
import re
import zlib

import pytest

from lm_eval_sea.report.sample_row import chosen_numbers, question_of
from lm_eval_sea.report.scores import scores_of
from lm_eval_sea.report.write import write_report
from lm_eval_sea.results.read import read

from ..results.lm_eval_output import toy, write_run


def test_runs_of_different_rows_show_those_that_they_share(tmp_path):
    for model, numbers in (("all", range(90)), ("some", range(3, 43)), ("one", [89])):
        rows = [{"doc_id": n, "filter": f, "doc": {"id": f"r{n}"}, "acc": 1.0} for n in numbers for f in ("a", "b")]
        write_run(tmp_path / model, {"toy": toy([1.0]) | {"rows": rows}}, model=model)
    found = scores_of(read(tmp_path).best(), shown_rows=11)
    [(_, of_models)] = found.shown()
    shown = {model: [int(text["number"]) for text in rows] for model, rows in of_models.items()}
    assert shown["one"] == [89]
    assert shown["some"] == list(range(3, 43, 4))
    assert shown["all"] == [*shown["some"], 89]


def test_rows_are_evenly_spaced_over_those_of_one_run():
    assert chosen_numbers(range(6), [range(6)], 4) == {0, 2, 4}
    assert chosen_numbers(range(6), [range(6), range(6)], 50) == set(range(6))
    assert chosen_numbers(range(6), [range(6)], 0) == set()


def test_a_row_whose_name_has_control_characters_keeps_its_prompt(tmp_path):
    row = {"doc_id": 0, "filter": "none", "doc": {"id": "a\x1b\u202e"}, "arguments": {"0": {"arg_0": "asked"}}, "acc": 1.0}
    write_run(tmp_path / "runs", {"toy": toy([1.0]) | {"rows": [row]}})
    write_report(read(tmp_path / "runs"), tmp_path / "out", shown_rows=1)
    packed = re.search(r'", "(.*)"', (tmp_path / "out" / "samples" / "0.js").read_text())[1]
    content = json.loads(zlib.decompress(base64.b64decode(packed)))
    [[own]] = content["models"].values()
    whole = content["shared"][f"{own['number']}\n{own['id']}"] | own  # as report.js puts a row together
    assert content["prefix"] + whole["prompt"] == "asked" and "\x1b" not in json.dumps(content, ensure_ascii=False)


@pytest.mark.parametrize(
    ("doc", "title"),
    [
        ({"question": "cause", "premise": "The river rose."}, "The river rose. · cause"),
        ({"premise": "It rains.", "hypothesis": "It is\ndry."}, "It rains. · It is dry."),
        ({"premise": "p" * 500, "hypothesis": "h" * 30}, "p" * 167 + " · " + "h" * 30),
        ({"sentence1": "a", "sentence2": "b"}, "a · b"),
        ({"question": "Who came?", "passage": "Many came."}, "Who came?"),
        ({"story": "Once upon a time."}, "Once upon a time."),
        ({"document": "Today in the news."}, "Today in the news."),
        ({"question": " ", "gold": 1}, None),
    ],
)
def test_a_row_is_called_by_what_tells_it_from_others(doc, title):
    assert question_of(doc) == title
