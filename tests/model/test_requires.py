from hypothesis import given
from hypothesis import strategies as st

from fluxtui.model.constraint import requires
from fluxtui.model.constraint.tree import Everything, Properties, Ranks
from fluxtui.notation.problem import Problem
from fluxtui.notation.sets import idset
from tests.each import for_each


def wrong(text, severity="error"):
    return [text[slice(*p.span)] for p in requires.read(text).problems if p.severity == severity]


def test_tells_queries_and_objects_apart():
    assert requires.read("gpu").constraint == Properties(("gpu",))
    assert not requires.read("gpu").is_json
    asked = requires.read(' {"properties": ["gpu"]}')
    assert asked.constraint == Properties(("gpu",))
    assert asked.is_json
    assert requires.read("{}").constraint == Everything()
    assert requires.read("rank:1-2").constraint == Ranks(("1-2",), idset.parse("1-2").value)


@for_each("text", ["", "  ", "\n"])
def test_a_blank_text_asks_nothing(text):
    asked = requires.read(text)
    assert asked.blank
    assert asked.ok
    assert asked.constraint is None
    assert asked.expected


@for_each(
    "row",
    [
        ("hots:n1", ["hots:"]),
        ("gpu&-hots:n1", ["hots:"]),
        ("rank:0,3-1", ["3-1"]),
        ("rank:'0,3-1'", ["3-1"]),
        ("rank: 0,3-1", ["3-1"]),
        ("host:n[1-", ["["]),
        ("a 'b|c'", ["|"]),
        ("ssd|a,b!c", ["!"]),
        ("prop:x|", ["prop:", "|"]),
        ("foo!:x", ["!"]),
        ('{"and": [{"hosts": ["a"]}]}', ['"hosts"']),
        ('{"ranks": ["0", "1,3-1"]}', ["3-1"]),
        ('{"properties": ["a\\u0021"]}', ['"a\\u0021"']),
        ('{"and": 5}', ['"and"']),
        ('{"and": [5]}', ["5"]),
        ('{"and": [', [""]),
    ],
)
def test_errors_stand_under_their_characters(row):
    text, places = row
    assert wrong(text) == places
    assert requires.read(text).constraint is None


def test_an_unknown_operator_is_named_with_its_neighbour():
    problem = requires.read("hots:n1").problems[0]
    assert problem.message == "unknown operator 'hots'; did you mean hosts?"
    assert problem.expected == ("hosts",)
    assert problem.path is None


def test_warnings_do_not_keep_the_constraint():
    asked = requires.read("a|b rank:0,")
    assert asked.ok
    assert asked.constraint is not None
    assert wrong("a|b rank:0,", "warning") == ["a|b rank:0,", ","]


@for_each(
    "row",
    [
        ("a|(gpu,ssd)", "or[1].properties[1]", "ssd"),
        ('{"properties": ["gpu", "ssd"]}', "properties[1]", '"ssd"'),
    ],
)
def test_hints_get_their_place(row):
    text, path, place = row
    asked = requires.read(text)
    (problem,) = asked.located([Problem("no node has it", path=path)])
    assert text[slice(*problem.span)] == place


@given(st.text("{}[]\":,aou&|-'r k:0", max_size=14) | st.text(max_size=12))
def test_any_text_is_read(text):
    asked = requires.read(text)
    assert asked.blank or asked.ok == (asked.constraint is not None)
    for problem in asked.problems:
        assert problem.span is not None
        assert 0 <= problem.span.start <= problem.span.end <= len(text)
