"""Dependencies on one line (RFC 26)."""

import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.notation import dependency
from fluxtui.notation.problem import Span


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("afterok:ƒ2oLkTLb", {"scheme": "afterok", "value": "ƒ2oLkTLb"}),
        ("afterany:123", {"scheme": "afterany", "value": "123"}),
        ("begin-time:1767225600.5", {"scheme": "begin-time", "value": "1767225600.5"}),
        ("singleton", {"scheme": "singleton", "value": ""}),
        ("singleton:", {"scheme": "singleton", "value": ""}),
        ("foo:", {"scheme": "foo", "value": ""}),
        ("foo:a:b", {"scheme": "foo", "value": "a:b"}),
        ("foo:two words", {"scheme": "foo", "value": "two words"}),
        (
            "string:x?type=in&scope=user",
            {"scheme": "string", "value": "x", "type": "in", "scope": "user"},
        ),
        (
            "foo:x?n=1;m=1.5&s=a%20b+c",
            {"scheme": "foo", "value": "x", "n": 1, "m": 1.5, "s": "a b c"},
        ),
        ("foo:x?n=-3&e=", {"scheme": "foo", "value": "x", "n": -3, "e": ""}),
    ],
)
def test_reads(text: str, entry: dict[str, Any]) -> None:
    read = dependency.parse(text)
    assert read.value == entry
    assert read.ok


@pytest.mark.parametrize(
    ("text", "message", "span"),
    [
        ("", "'' is no dependency", (0, 0)),
        (":x", "':x' is no dependency", (0, 2)),
        ("afterok", "afterok needs the id of a job behind a ':'", (0, 7)),
        ("begin-time", "begin-time needs seconds since the start of 1970 behind a ':'", (0, 10)),
        (
            "afterokk",
            "'afterokk' is no dependency, which is SCHEME:VALUE; did you mean afterok?",
            (0, 8),
        ),
        ("foo:x?a", "'a' is no KEY=VALUE", (6, 7)),
        ("foo:x?a=1&=2", "'=2' is no KEY=VALUE", (10, 12)),
        ("foo:x?value=2", "the value stands before the '?' and not behind it", (6, 13)),
        ("foo:x?a=1&a=2", "the key a is given twice", (10, 13)),
    ],
)
def test_says_what_is_wrong(text: str, message: str, span: tuple[int, int]) -> None:
    read = dependency.parse(text, 5)
    assert read.value is None
    assert read.problems[0].message == message
    assert read.problems[0].span == Span(span[0] + 5, span[1] + 5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("after:1", "flux-core wants afterstart in place of after"),
        ("afterok:no job", "'no job' is not the id of a job"),
        ("begin-time:+1h", "begin-time is in seconds since 1970; found '+1h'"),
        ("begin-time:nan", "begin-time is in seconds since 1970; found 'nan'"),
        ("AfterOK:1", "flux-core knows no dependency scheme 'AfterOK'; did you mean afterok?"),
        (
            "string:x?type=in&scope=user",
            "flux-core does not support the dependency scheme string yet",
        ),
        ("zzz:x", "flux-core knows no dependency scheme 'zzz'"),
    ],
)
def test_points_out_what_may_surprise(text: str, message: str) -> None:
    read = dependency.parse(text)
    assert read.value is not None
    assert [(p.message, p.severity) for p in read.problems] == [(message, "warning")]


@pytest.mark.parametrize(
    ("value", "hint", "expected"),
    [
        ("abc!", "", "afterstart:ƒ2oLkTLb"),
        (",", "", "afterstart:ƒ2oLkTLb"),
        ("1,after:2", "; blanks stand between dependencies", "afterstart:1 afterstart:2"),
    ],
)
def test_an_old_scheme_hides_no_other_warning(value: str, hint: str, expected: str) -> None:
    read = dependency.parse(f"after:{value}")
    older = "flux-core wants afterstart in place of after"
    wrong = f"'{value}' is not the id of a job{hint}"
    assert [problem.message for problem in read.problems] == [wrong, older]
    assert read.problems[0].expected == (expected,)
    assert read.value is not None
    assert dependency.describe(read.value) == "waits until a job has started"


def test_ids_with_commas_are_several_dependencies() -> None:
    (problem,) = dependency.parse("afterok:ƒ1,afterany:2,3").problems
    assert problem.expected == ("afterok:ƒ1 afterany:2 afterok:3",)
    assert not dependency.parse(problem.expected[0].split()[1]).problems


def test_the_keys_that_a_scheme_needs() -> None:
    messages = [problem.message for problem in dependency.parse("fluid:ƒ1?type=both").problems]
    assert messages[1:] == [
        "the scheme fluid needs its type, one of in, out, inout",
        "the scheme fluid needs its scope, one of user, global",
    ]


@pytest.mark.parametrize(
    "id",
    ["1", "0x1f", "ƒ2oLkTLb", "f1", "0000.0000.12ab.0001", "academy-academy-lima--a-b-c", "😄"],
)
def test_ids_of_jobs(id: str) -> None:
    assert dependency.parse(f"afterok:{id}").problems == ()


SIMPLE = st.text(string.printable + "ƒé", max_size=8)
ENTRIES = st.fixed_dictionaries(
    {"scheme": SIMPLE | st.sampled_from([*dependency.SCHEMES]), "value": SIMPLE}
).flatmap(
    lambda entry: st.dictionaries(
        SIMPLE.filter(lambda key: key not in entry),
        SIMPLE | st.integers() | st.floats() | st.booleans() | st.none() | st.lists(SIMPLE),
        max_size=3,
    ).map(lambda more: {**entry, **more})
)


@given(ENTRIES)
def test_what_is_written_is_read(entry: dict[str, Any]) -> None:
    try:
        text = dependency.format(entry)
    except ValueError:
        return
    read = dependency.parse(text).value
    assert read == entry
    assert [type(value) for value in read.values()] == [type(value) for value in entry.values()]


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ({"scheme": "afterok", "value": "ƒ1"}, "afterok:ƒ1"),
        ({"scheme": "singleton", "value": ""}, "singleton"),
        ({"scheme": "foo", "value": ""}, "foo:"),
        (
            {"type": "in", "scope": "user", "scheme": "string", "value": "x"},
            "string:x?type=in&scope=user",
        ),
        ({"scheme": "foo", "value": "x", "a": "b&c=d", "n": 2}, "foo:x?a=b%26c%3Dd&n=2"),
    ],
)
def test_writes(entry: dict[str, Any], text: str) -> None:
    assert dependency.format(entry) == text


@pytest.mark.parametrize(
    "entry",
    [
        {"scheme": "a", "value": "b?c"},
        {"scheme": "a:b", "value": "c"},
        {"scheme": "a", "value": "b", "n": "1"},
        {"scheme": "a", "value": "b", "n": True},
        {"scheme": "a", "value": "b", "n": ["c"]},
        {"scheme": "", "value": "b"},
        {"scheme": "a", "value": 1},
        {"scheme": "a"},
    ],
)
def test_what_no_line_says(entry: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        dependency.format(entry)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("afterok:ƒ1", "waits until job ƒ1 has ended well"),
        ("begin-time:1767225600", "waits until 2026-01-01 00:00 UTC"),
        ("begin-time:1e99", "waits until a moment"),
        ("singleton", "waits until no other job of yours has its name"),
        ("string:x?type=in&scope=user", "waits for jobs that share a name of your choice"),
        ("foo:x", "waits for foo x"),
    ],
)
def test_words(text: str, words: str) -> None:
    assert dependency.describe(dependency.parse(text).value or {}) == words


@given(st.text(st.sampled_from(list("afterok:?=&;%+1 \x00")), max_size=15) | st.text(max_size=8))
def test_any_text_is_read(text: str) -> None:
    read = dependency.parse(text)
    assert (read.value is None) == (not read.ok)
