"""Which rows the page shows, and what it calls them."""

import base64
import json
import re
import zlib

from lm_eval_sea.report.sample_row import chosen_numbers, question_of
from lm_eval_sea.report.scores import scores_of
from lm_eval_sea.report.write import write_report
from lm_eval_sea.results.read import read

from ..results.lm_eval_output import toy, write_run


def test_rows_are_evenly_spaced_over_those_that_runs_share(tmp_path):
    assert chosen_numbers(range(6), [range(6)], 4) == {0, 2, 4}
    assert chosen_numbers(range(6), [range(6), range(6)], 50) == set(range(6))
    assert chosen_numbers(range(6), [range(6)], 0) == set()
    for model, numbers in (("all", range(90)), ("some", range(3, 43)), ("one", [89])):
        rows = [{"doc_id": n, "filter": f, "doc": {"id": f"r{n}"}, "acc": 1.0} for n in numbers for f in ("a", "b")]
        write_run(tmp_path / model, {"toy": toy([1.0]) | {"rows": rows}}, model=model)
    [(_, of_models)] = scores_of(read(tmp_path).best(), shown_rows=11).shown()
    shown = {model: [int(text["number"]) for text in rows] for model, rows in of_models.items()}
    assert shown["one"] == [89]
    assert shown["some"] == list(range(3, 43, 4))
    assert shown["all"] == [*shown["some"], 89]


def test_a_row_whose_name_has_control_characters_keeps_its_prompt(tmp_path):
    row = {"doc_id": 0, "filter": "none", "doc": {"id": "a\x1b\u202e"}, "arguments": {"0": {"arg_0": "asked"}}, "acc": 1.0}
    write_run(tmp_path / "runs", {"toy": toy([1.0]) | {"rows": [row]}})
    write_report(read(tmp_path / "runs"), tmp_path / "out", shown_rows=1)
    packed = re.search(r'", "(.*)"', (tmp_path / "out" / "samples" / "0.js").read_text())[1]
    content = json.loads(zlib.decompress(base64.b64decode(packed)))
    [[own]] = content["models"].values()
    whole = content["shared"][f"{own['number']}\n{own['id']}"] | own  # as report.js puts a row together
    assert content["prefix"] + whole["prompt"] == "asked" and "\x1b" not in json.dumps(content, ensure_ascii=False)


TITLES = {
    "The river rose. · cause": {"question": "cause", "premise": "The river rose."},
    "It rains. · It is dry.": {"premise": "It rains.", "hypothesis": "It is\ndry."},
    "p" * 167 + " · " + "h" * 30: {"premise": "p" * 500, "hypothesis": "h" * 30},
    "a · b": {"sentence1": "a", "sentence2": "b"},
    "Who came?": {"question": "Who came?", "passage": "Many came."},
    "Once upon a time.": {"story": "Once upon a time."},
    "Today in the news.": {"document": "Today in the news."},
    None: {"question": " ", "gold": 1},
}


def test_a_row_is_called_by_what_tells_it_from_others():
    assert {title: question_of(doc) for title, doc in TITLES.items()} == {title: title for title in TITLES}
