"""What the layout of a YAML text cannot say piece by piece is written anew, and it is told why."""

import copy
from typing import Any

import pytest

from fluxtui.model.documents import document, rewrite
from tests.each import for_each
from tests.model.rewriting import anew, drop, put

ANCHORS = """\
base: &base   # shared
  x: 1
one: *base    # the same
two:
  <<: *base
  y: 2
three: 3      # no part of it
"""


def test_anchors_stay_where_something_else_changes() -> None:
    assert put(ANCHORS, "three", 4) == ANCHORS.replace("3      #", "4      #")
    assert put(ANCHORS, "four", 4) == f"{ANCHORS}four: 4\n"
    assert drop(ANCHORS, "three") == ANCHORS.replace("three: 3      # no part of it\n", "")


def test_an_alias_can_become_something_else() -> None:
    assert put(ANCHORS, "one", 5) == ANCHORS.replace("*base    # the", "5    # the")
    after = put(ANCHORS, "one", {"x": 2})
    assert after == ANCHORS.replace("*base    # the same\n", "    # the same\n  x: 2\n")
    assert drop(ANCHORS, "one") == ANCHORS.replace("one: *base    # the same\n", "")


@for_each(
    "case",
    [
        ("base.x", 2, "the part that changed has an anchor"),
        ("base", 2, "the part that changed has an anchor"),
        ("two.x", 2, "the mapping that changed has a merge key '<<'"),
        ("two.y", 3, "the mapping that changed has a merge key '<<'"),
    ],
)
def test_an_anchor_where_something_changes(case: Any) -> None:
    path, value, reason = case
    new = copy.deepcopy(document.read_yaml(ANCHORS).value)
    around = new
    *steps, last = path.split(".")
    for step in steps:
        around = around[step]
    around[last] = value
    result = anew(ANCHORS, new)
    lost = "the text was written anew without its comments and its layout"
    assert result.why == f"{reason}; {lost}"
    assert "#" not in result.text


def test_an_anchor_in_what_goes() -> None:
    assert "anchor" in anew("a: {b: &x 1}\nc: *x\n", {"c": 1}).why
    assert "anchor" in anew("- &x 1\n- 2\n- *x\n", [2, 1]).why
    assert "anchor" in anew("&x a: 1\nb: *x\n", {"b": "a"}).why


@for_each(
    "case",
    [
        ("a: 1\na: 2\n", {"a": 3}, "a duplicate key"),
        ("? a\n: 1\n", {"a": 3}, "a key behind a question mark"),
        ("a: 1\n", [1], "the whole document is something else"),
        ("word\n", "other", "the whole document is something else"),
        ("a: 1\n...\n", {"a" * 1100: 1}, "a very long key"),
    ],
)
def test_other_reasons(case: Any) -> None:
    text, value, reason = case
    assert reason in anew(text, value).why


def test_a_tag_goes_with_the_value_that_it_stands_at() -> None:
    text = "a: !!str 5   # c\nb: !!seq\n- x\n"
    assert put(text, "a", "6") == text.replace("!!str 5", '"6"')
    assert put(text, "b", ["x", "y"]) == f"{text}- y\n"


def test_line_breaks_stay_in_a_text_that_is_written_anew() -> None:
    assert anew("a: 1\r\na: 2\r\n", {"a": {"b": 1}}).text == "a:\r\n  b: 1\r\n"


def test_what_is_saved_is_read_back_first() -> None:
    written = rewrite.read(document.read_yaml("a: 1  # c\n"))
    assert rewrite.verified(written, {"a": 2}).text == "a: 2  # c\n"
    # Half of a character can stand in no file; nothing that is written reads back as it.
    result = rewrite.verified(written, {"a": "\ud800"})
    assert result == rewrite.Rewriting(
        "a: '?'\n",
        kept=False,
        why="this change does not fit into the layout; "
        "the text was written anew without its comments and its layout",
    )


@pytest.mark.parametrize("text", ["a: [", "[a]\nb = 1\n"])
def test_what_is_no_yaml_or_json_is_no_base(text: str) -> None:
    with pytest.raises(ValueError, match="YAML or JSON"):
        rewrite.read(document.read(text))
