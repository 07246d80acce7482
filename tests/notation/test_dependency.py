"""Dependencies on one line (RFC 26); the problems are in tests/messages.toml."""

import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.notation import dependency
from tests.each import for_each


def entry(scheme: str, value: str, **further: Any) -> dict[str, Any]:
    return {"scheme": scheme, "value": value, **further}


@for_each("text, wanted", [
    ("afterok:ƒ2oLkTLb", entry("afterok", "ƒ2oLkTLb")), ("afterany:123", entry("afterany", "123")),
    ("begin-time:1767225600.5", entry("begin-time", "1767225600.5")),
    ("singleton", entry("singleton", "")), ("singleton:", entry("singleton", "")),
    ("foo:", entry("foo", "")), ("foo:a:b", entry("foo", "a:b")),
    ("foo:two words", entry("foo", "two words")),
    ("string:x?type=in&scope=user", entry("string", "x", type="in", scope="user")),
    ("foo:x?n=1;m=1.5&s=a%20b+c", entry("foo", "x", n=1, m=1.5, s="a b c")),
    ("foo:x?n=-3&e=", entry("foo", "x", n=-3, e="")),
])  # fmt: skip
def test_reads(text: str, wanted: dict[str, Any]) -> None:
    read = dependency.parse(text)
    assert (read.value, read.ok) == (wanted, True)


def test_ids_with_commas_are_several_dependencies() -> None:
    (problem,) = dependency.parse("afterok:ƒ1,afterany:2,3").problems
    assert problem.expected == ("afterok:ƒ1 afterany:2 afterok:3",)
    assert not dependency.parse(problem.expected[0].split()[1]).problems
    wrong, older = dependency.parse("after:1,after:2").problems
    assert wrong.message.endswith("is not the id of a job; separate dependencies by blanks")
    assert wrong.expected == ("afterstart:1 afterstart:2",)
    assert older.message == "flux-core wants afterstart in place of after"


def test_the_keys_that_a_scheme_needs() -> None:
    messages = [problem.message for problem in dependency.parse("fluid:ƒ1?type=both").problems]
    assert messages[1:] == [
        "the scheme fluid needs its type, one of in, out, inout",
        "the scheme fluid needs its scope, one of user, global",
    ]


SIMPLE = st.text(string.printable + "ƒé", max_size=8)
ENTRIES = st.builds(
    lambda more, scheme, value: {"scheme": scheme, "value": value, **more},
    st.dictionaries(
        SIMPLE.filter(lambda key: key not in ("scheme", "value")),
        SIMPLE | st.integers() | st.floats() | st.booleans() | st.none() | st.lists(SIMPLE),
        max_size=3,
    ),
    SIMPLE | st.sampled_from([*dependency.SCHEMES]),
    SIMPLE,
)


@given(ENTRIES)
def test_what_is_written_is_read(found: dict[str, Any]) -> None:
    try:
        text = dependency.format(found)
    except ValueError:
        return
    read = dependency.parse(text).value
    assert read == found
    assert list(map(type, read.values())) == list(map(type, found.values()))


@for_each("found, text", [
    (entry("afterok", "ƒ1"), "afterok:ƒ1"), (entry("singleton", ""), "singleton"),
    (entry("foo", ""), "foo:"),
    ({"type": "in", "scope": "user", "scheme": "string", "value": "x"},
     "string:x?type=in&scope=user"),
    (entry("foo", "x", a="b&c=d", n=2), "foo:x?a=b%26c%3Dd&n=2"),
])  # fmt: skip
def test_writes(found: dict[str, Any], text: str) -> None:
    assert dependency.format(found) == text


@for_each("found", [
    entry("a", "b?c"), entry("a:b", "c"), entry("a", "b", n="1"), entry("a", "b", n=True),
    entry("a", "b", n=["c"]), entry("", "b"), {"scheme": "a", "value": 1}, {"scheme": "a"},
])  # fmt: skip
def test_what_no_line_expresses(found: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        dependency.format(found)


@for_each("text, words", [
    ("afterok:ƒ1", "waits until job ƒ1 has ended well"),
    ("begin-time:1767225600", "waits until 2026-01-01 00:00 UTC"),
    ("begin-time:1e99", "waits until a moment"),
    ("singleton", "waits until no other job of yours has its name"),
    ("string:x?type=in&scope=user", "waits for jobs that share a name of your choice"),
    ("foo:x", "waits for foo x"),
])  # fmt: skip
def test_words(text: str, words: str) -> None:
    assert dependency.describe(dependency.parse(text).value or {}) == words
