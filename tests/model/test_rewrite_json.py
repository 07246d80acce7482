"""A JSON text follows its value with the least change, in its own indentation."""

import json
from random import Random
from typing import Any

from hypothesis import given

from fluxtui.model.documents import document, rewrite
from fluxtui.notation.json_compare import same
from tests.each import for_each
from tests.model.rewrite_texts import changed, json_text, randoms, values
from tests.model.rewriting import anew, drop, insert, put, to

JOB = """\
{
    "version": 1,
    "tasks": [
        {"command": ["app","-v"], "slot": "default"}
    ],
    "attributes": {
        "system": {
            "duration": 3.6e3,
            "queue": "b\\u00e4tch"
        },
        "user": {}
    }
}
"""


def test_a_number_and_the_spelling_of_the_others() -> None:
    assert put(JOB, "version", 2) == JOB.replace('"version": 1', '"version": 2')
    assert put(JOB, "attributes.system.duration", 3600.0) == JOB
    assert put(JOB, "attributes.system.duration", 60) == JOB.replace("3.6e3", "60")


def test_letters_are_escaped_as_the_text_does_it() -> None:
    after = put(JOB, "attributes.system.queue", "größer")
    assert after == JOB.replace('"b\\u00e4tch"', '"gr\\u00f6\\u00dfer"')
    assert put('{"a": "ä"}', "a", "ö") == '{"a": "ö"}'
    assert put('{"a": 1}', "a", "\ud800") == '{"a": "\\ud800"}'


def test_a_new_key_stands_on_a_line_of_its_own_where_the_others_do() -> None:
    after = put(JOB, "attributes.system.shell", {"options": [1]})
    line = '"queue": "b\\u00e4tch"'
    shell = ['"shell": {', '    "options": [', "        1", "    ]", "}"]
    assert after == JOB.replace(line, f"{line},\n            " + "\n            ".join(shell))
    assert put(JOB, "attributes.user.a", 1) == JOB.replace("{}", '{\n            "a": 1\n        }')


def test_and_on_the_same_line_where_they_do_not() -> None:
    line = '"slot": "default"}'
    after = put(JOB, "tasks[0].count", {"per_slot": 1})
    assert after == JOB.replace(line, '"slot": "default", "count": {"per_slot": 1}}')
    after = put(JOB, "tasks[0].command", ["app", "-v", "x"])
    assert after == JOB.replace('"-v"]', '"-v","x"]')


def test_a_part_goes_with_its_comma() -> None:
    assert drop(JOB, "version") == JOB.replace('    "version": 1,\n', "")
    assert drop(JOB, "attributes.user") == JOB.replace(',\n        "user": {}', "")
    assert drop(JOB, "attributes.system.duration") == JOB.replace(
        '"duration": 3.6e3,\n            ', ""
    )
    start, end = JOB.index("[\n"), JOB.index("],\n    ") + 1
    assert put(JOB, "tasks", []) == f"{JOB[:start]}[]{JOB[end:]}"


def test_an_item_comes_in_before_another() -> None:
    after = insert(JOB, "tasks[0]", {"slot": "x"})
    item = '{\n            "slot": "x"\n        },\n        '
    assert after == JOB.replace('{"command"', f'{item}{{"command"')


@for_each(
    "case",
    [
        ('{"a":1,"b":[1,2]}', '{"a":1,"b":[1,2],"c":{"d":1,"e":[]}}'),
        ('{"a" : 1 , "b" : 2}', '{"a" : 1 , "b" : 2, "c" : {"d" : 1, "e" : []}}'),
        ('{\n\t"a": 1\n}', '{\n\t"a": 1,\n\t"c": {\n\t\t"d": 1,\n\t\t"e": []\n\t}\n}'),
        ("{}\n", '{\n  "c": {\n    "d": 1,\n    "e": []\n  }\n}\n'),
    ],
)
def test_the_style_of_the_text(case: Any) -> None:
    before, after = case
    assert put(before, "c", {"d": 1, "e": []}) == after
    lines = after.replace("\n", "\r\n")
    assert put(before.replace("\n", "\r\n"), "c", {"d": 1, "e": []}) == lines


def test_a_key_that_stands_twice_gives_a_text_written_anew() -> None:
    result = anew('{\n    "a": 1,\n    "a": 2\n}', {"a": 3})
    assert result.text == '{\n    "a": 3\n}'
    assert result.why == (
        "the mapping that changed has a duplicate key; the text was written anew without its layout"
    )
    assert to('{"x": {"a": 1, "a": 2}, "b": 1}', {"x": {"a": 2}, "b": 2}).endswith('"b": 2}')


def test_another_kind_of_document_is_written_anew() -> None:
    assert anew('{"a":1}', [1, 2]).text == "[1,2]"


@given(values(), randoms())
def test_what_is_written_reads_back(value: Any, random: Random) -> None:
    text = json_text(random, value)
    found = document.read_json(text)
    new = changed(random, value)
    result = rewrite.rewritten(rewrite.read(found), new)
    assert same(json.loads(result.text), new)
    assert result.kept or type(new) is not type(value) or not isinstance(value, dict | list)
