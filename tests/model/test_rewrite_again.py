"""A text that is read again in part says what it says when all of it is read."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.model.documents import document
from fluxtui.model.documents.json_value import identical
from fluxtui.model.documents.rewriting import rewrite
from fluxtui.model.documents.rewriting.again import value_again
from fluxtui.model.jobspec import jobspec

TEXT = jobspec.dump(
    jobspec.build(
        [
            {"type": "node", "count": 2, "with": [{"type": "slot", "count": 1, "label": "a",
             "with": [{"type": "core", "count": 4}, {"type": "gpu", "count": 1}]}]},
            {"type": "slot", "count": 3, "label": "b", "with": [{"type": "core", "count": 1}]},
            {"type": "memory", "count": {"min": 2, "max": 4}, "unit": "GB"},
        ]
    )
)  # fmt: skip

PIECES = (
    *("", " ", "  ", "\n", "-", "- ", ":", ": ", "1", "12", "true", "null", "x", "count", "with:"),
    *("\n- type: core\n  count: 1", "\n  - type: gpu\n    count: 2", "&a", "*a", "#", "'", '"'),
    *("|", "resources:", "[1]", "{}", "\t", "\r", "<<: ", "!!str ", "---", "...", "1.0", "0x1"),
    *("~", "é"),
)


def whole(text: str) -> tuple[bool, Any]:
    """Whether a text is read without problems, and what it says."""
    found = document.read_yaml(text)
    return found.readable and not found.problems, found.value


def written(text: str) -> rewrite.Written:
    return rewrite.read(document.read_yaml(text))


@st.composite
def edits(draw: st.DrawFn) -> tuple[str, str]:
    """A text without problems, and one that a small change makes of it."""
    text = TEXT
    if draw(st.booleans()):  # further in, as people write lists
        head, rest = text.split("resources:\n")
        body, tail = rest.split("tasks:\n")
        body = "".join(f"  {line}\n" for line in body.splitlines())
        text = f"{head}resources:\n{body}tasks:\n{tail}"
    if draw(st.booleans()):
        text = text.replace("label: a", draw(st.sampled_from(["label: 'a'", "label: a  # one"])))
    start = draw(st.integers(0, len(text)))
    stop = min(len(text), start + draw(st.integers(0, 12)))
    return text, text[:start] + draw(st.sampled_from(PIECES)) + text[stop:]


@given(edits())
def test_it_says_what_the_whole_text_says(change: tuple[str, str]) -> None:
    before, after = change
    known = written(before)
    again = rewrite.read_again(known, after)
    if again is None:
        return
    fine, value = whole(after)
    assert fine
    assert identical(again.value, value)
    assert again.text == after
    other = {**value, "version": 2}
    assert rewrite.rewritten(again, other) == rewrite.rewritten(written(after), other)


def test_many_edits_one_after_the_other() -> None:
    chance = random.Random(7)
    known, parts = written(TEXT), 0
    for _ in range(3000):
        start = chance.randrange(len(known.text))
        piece = chance.choice(PIECES)
        after = known.text[:start] + piece + known.text[start + chance.choice((0, 0, 1, 3)) :]
        again = rewrite.read_again(known, after)
        fine, value = whole(after)
        assert again is None or (fine and identical(again.value, value)), after
        parts += again is not None
        if again is not None:
            known = again
        elif fine and isinstance(value, dict):
            known = written(after)
        if len(known.text) > 2 * len(TEXT) or not known.value.get("resources"):
            known = written(TEXT)
    assert parts > 50


def test_one_digit_is_read_in_part() -> None:
    known = written(TEXT)
    after = TEXT.replace("count: 4", "count: 48")
    value = value_again(TEXT, known.value, after)
    assert value is not None
    assert value["resources"][0]["with"][0]["with"][0]["count"] == 48
    assert value["resources"][1] is known.value["resources"][1]


def test_what_may_mean_more_is_read_in_full() -> None:
    known = written(TEXT)
    for old, new in (
        ("version: 1", "version: 2"),
        ("label: a", "label: &x a"),
        ("label: a", "label: 'a'"),
        ("type: gpu", "type: gpu\n    type: gpu"),
        ("- type: slot\n  count: 3", "- type: slot\n count: 3"),
        ("label: b", "label: b # so"),
        ("    label: a\n", ""),
    ):
        assert old in TEXT
        after = TEXT.replace(old, new, 1)
        again = value_again(TEXT, known.value, after)
        fine, value = whole(after)
        assert again is None or (fine and identical(again, value)), new
    odd = TEXT.replace("count: 3", "count: 3\n  count: 3")
    assert value_again(TEXT, known.value, odd) is None  # a key that stands twice


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (  # a key within quotes
            'version: 1\n"resources":\n- type: core\n  count: 1\nx: "\nresources:\n- type: core\n'
            '  count: 1\n"\n',
            ('  count: 1\n"', '  count: 2\n"'),
        ),
        (  # an item within quotes
            'resources:\n- type: node\n  count: 1\n  label: "\n- type: core\n  count: 1\n"\n'
            "- type: core\n  count: 1\n",
            ('  count: 1\n"', '  count: 2\n"'),
        ),
        (  # one level more than is read
            "resources:\n- type: node\n  x:\n  - " + "- " * 95 + "a: 1\n",
            ("a: 1", "- a: 1"),
        ),
        (  # more values than are read
            "resources:\n- type: node\n  count: 1\nx: [" + "1," * 49_960 + "1]\n",
            ("  count: 1\n", "  count: 1\n" + "".join(f"  k{n}: 1\n" for n in range(40))),
        ),
    ],
    ids=["key", "item", "depth", "values"],
)
def test_hostile_texts_are_read_in_full(before: str, after: tuple[str, str]) -> None:
    text = before.replace(*after)
    assert text != before
    again = value_again(before, document.read_yaml(before).value, text)
    fine, value = whole(text)
    assert again is None or (fine and identical(again, value))
