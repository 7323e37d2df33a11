"""Reading a configuration from its syntax tree gives what Python would make of it, or says where it is not understood."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea.official.config_reader import ConfigError, Imported, read_names

keys = st.text(max_size=5) | st.integers(0, 9)
values = st.recursive(
    st.text(max_size=8) | st.integers() | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)


def read(tmp_path, source: str) -> dict:
    path = tmp_path / "configuration.py"
    path.write_text(source, encoding="utf-8")
    return read_names(path, "configuration.py")


@given(value=values, name=st.sampled_from(["a", "_b", "café"]))
def test_literals(tmp_path_factory, value, name):
    # Python has no literal for a negative number
    source = f"{name} = {value!r}\n"
    folder = tmp_path_factory.mktemp("literals")
    if "-" in source and any(isinstance(each, int) and each < 0 for each in _leaves(value)):
        with pytest.raises(ConfigError, match="UnaryOp"):
            read(folder, source)
    else:
        assert read(folder, source) == {name: value}


def _leaves(value):
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _leaves(each)
    else:
        yield value


# Every way of writing that a configuration of SailCompass has; Python itself says what it means.
FORMS = r"""
words = {'yes': 'ya', 'no': 'tidak'}
numbers = {0: 'nol', 1: 'satu'}
text = '''one\n\ntwo "three" \\frac{3}{5} \"four\"
five'''
filled = f'''answer: {words['yes']}\n'''
template = {
    chr(ans + 64): dict(begin=[dict(role='A', prompt=text)], last=f'answer: {{option_{ans}}}')
    for ans in range(1, 3)
}
letters = {chr(65+ans): str(ans+1) for ans in range(2)}
by_number = {str(ans): f'{numbers[ans]}' for ans in range(2)}
by_word = {ans: f'answer: {words[ans]}' for ans in ['yes', 'no']}
formatted = {ans: 'answer: {{choice{ans}}}'.format(ans=int(ans)+1) for ans in ['0', '1']}
"""


def test_every_form_means_what_python_means_by_it(tmp_path):
    expected: dict = {}
    exec(FORMS, expected)
    del expected["__builtins__"]
    assert read(tmp_path, FORMS) == expected


def test_imported_names_are_symbols(tmp_path):
    source = "from some.framework import Thing, Other as Name\nx = dict(type=Thing, other=Name)\n"
    assert read(tmp_path, source)["x"] == {"type": Imported("Thing"), "other": Imported("Other")}


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("x = 1\nimport os\n", "configuration.py:2: not understood: a statement of the kind Import"),
        ("x = open('secret')\n", "configuration.py:1: not understood: the call open"),
        ("from os import system\nx = system('ls')\n", "configuration.py:2: not understood: the call system"),
        ("x = [\n  y]\n", "configuration.py:2: not understood: the name y, which has no value"),
        ("x = [a for a in range(3)]\n", "ListComp"),
        ("x = {a: a for a in range(10**9)}\n", "not understood: an operation other than the sum"),
        ("x = {a: a for a in range(1000000000)}\n", "a range of more than 26 numbers"),
        ("x = {a: a for a in range(3) if a}\n", "more than one plain sequence"),
        ("x = {a: b for a in 'ab' for b in 'ab'}\n", "more than one plain sequence"),
        ("x = {'a': 1, 'a': 2}\n", "the same key twice"),
        ("x = {**{}}\n", "a dictionary with \\*\\*"),
        ("x = f'{1:>9999999999}'\n", "an f-string with a conversion or a format"),
        ("x = f'{1!r}'\n", "an f-string with a conversion or a format"),
        ("x = '{a:999999999999}'.format(a=1)\n", "the place 'a'"),
        ("x = '{a.__class__}'.format(a=1)\n", "the place 'a.__class__'"),
        ("x = '{'.format(a=1)\n", "not understood: format of"),
        ("x = 1.5\n", "the constant 1.5"),
        ("x = b'bytes'\n", "the constant b'bytes'"),
        ("x = 'a' * 9\n", "an operation other than the sum"),
        ("x = {'a': 1}['b']\n", "the subscript 'b'"),
        ("x = int('a')\n", r"int\(…\): invalid literal"),
        ("x = (\n", "configuration.py:1: no Python"),
        ("x = '\0'\n", "configuration.py:1: no Python"),
    ],
)
def test_what_is_not_understood_is_named_with_its_line(tmp_path, source, message):
    with pytest.raises(ConfigError, match=message) as caught:
        read(tmp_path, source)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ConfigError, match="absent.py: cannot be read"):
        read_names(tmp_path / "absent.py", "absent.py")
