"""Places in braces, filled as OpenCompass fills them and as Jinja does."""

from __future__ import annotations

import jinja2
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea.official.sailcompass_configuration import as_jinja, fill, places, prompt

PIECES = ["{a}", "{b}", "{", "}", "{{", "}}", "{%", "%}", "{#", "{5}", "x", "\n", "ก", "{% raw %}"]
templates = st.lists(st.sampled_from(PIECES), max_size=8).map("".join)
plain = st.text(alphabet="xyz ก\n%", max_size=6)


@given(templates, plain, plain)
def test_jinja_renders_what_is_filled_in(template, a, b):
    row = {"a": a, "b": b}
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
    assert environment.from_string(as_jinja(template, row)).render(row) == fill(template, row)


def test_braces_around_other_names_stay():
    assert fill(r"\frac{3}{5} {5} {name} {other}", {"name": "x", "5a": "y"}) == r"\frac{3}{5} {5} x {other}"


def test_a_value_with_a_place_of_a_later_column_is_filled_again():
    row = {"first": "see {second}", "second": "{first}"}
    assert fill("{first}", row) == "see {first}"


def test_turns_are_joined_by_line_breaks():
    assert prompt(["One {n}\n", "Two"], {"n": 1}) == "One 1\n\nTwo"


def test_places_are_those_of_columns_in_the_order_of_the_text():
    assert places("{b} {c} {a} {b}", ["a", "b"]) == ["b", "a", "b"]
