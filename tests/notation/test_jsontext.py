import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.notation import json_text
from fluxtui.notation.problem import Span

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)  # fmt: skip


@given(VALUES, st.sampled_from([None, 1]), st.booleans())
def test_reads_what_json_writes(value, indent, ascii_only):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    parsed = json_text.parse(text)
    assert parsed.problems == ()
    assert parsed.value == value
    assert text[slice(*parsed.places["="].span)] == text


@given(st.text('{}[]:,"\\0-1.eE tru\n', max_size=12) | st.text(max_size=8))
def test_agrees_with_json_on_any_text(text):
    parsed = json_text.parse(text)
    try:
        expected = json.loads(text, parse_constant=lambda name: math.nan)
    except ValueError:
        expected = None
        assert not parsed.ok
    assert (parsed.value == expected) or "NaN" in text or "Infinity" in text
    for problem in parsed.problems:
        assert problem.span is not None
        assert 0 <= problem.span.start <= problem.span.end <= len(text)
    end = 0
    for token in parsed.tokens:
        assert end <= token.span.start < token.span.end <= len(text)
        end = token.span.end


def test_places_and_tokens():
    text = '{"a": [1, {"b c": "x\\ny"}], "d": "pq"}'
    parsed = json_text.parse(text)
    shown = {path: text[slice(*place.span)] for path, place in parsed.places.items()}
    assert shown["a"] == '"a"'
    assert shown["=a"] == '[1, {"b c": "x\\ny"}]'
    assert shown["=a[0]"] == "1"
    assert shown["a[1]['b c']"] == '"b c"'
    assert parsed.places["=d"].within(Span(1, 2)) == Span(text.index("q"), text.index("q") + 1)
    assert [t.kind for t in parsed.tokens[:5]] == [
        "punctuation",
        "key",
        "punctuation",
        "punctuation",
        "number",
    ]


@pytest.mark.parametrize(
    ("text", "place", "expected"),
    [
        ("", "", ("a string", "'{'", "'['", "a number", "true", "false", "null")),
        ("{", "", ("a string", "'}'")),
        ('{"a"', "", ("':'",)),
        ('{"a":[', "", ("a string", "'{'", "'['", "a number", "true", "false", "null")),
        ('{"a":1', "", ("','", "'}'")),
        ('{"a":1,', "", ("a string",)),
        ('{"a":"x', '"x', ("'\"'",)),
        ('{"a":tru}', "tru", ()),
        ("[01]", "01", ()),
        ("[1 2]", "2", ()),
        ("[1]]", "]", ()),
        ('["\\x"]', '"\\x"', ()),
        ("[NaN]", "NaN", ()),
    ],
)
def test_problems(text, place, expected):
    parsed = json_text.parse(text)
    assert [text[slice(*p.span)] for p in parsed.problems] == [place]
    assert parsed.expected == expected


def test_a_key_that_occurs_twice_is_a_warning():
    parsed = json_text.parse('{"a": 1, "a": 2}')
    assert parsed.value == {"a": 2}
    assert [p.severity for p in parsed.problems] == ["warning"]


def test_deep_nesting_is_an_error():
    parsed = json_text.parse("[" * 10_000)
    assert "nested deeper than 150" in parsed.problems[0].message
    assert json_text.parse("[" * 150 + "]" * 150).ok
