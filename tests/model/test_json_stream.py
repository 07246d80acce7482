"""Large JSON documents read piece by piece: the same value as in one step, or none."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.model.documents import json_stream
from tests.each import for_each, the
from tests.json_values import values

WALKED = {(), ("a",), ("a", "b")}
TAKEN = (("a", "list"), ("a", "b", "list"), ("list",))

KEYS = st.sampled_from(["a", "b", "list", "c", "", "\u00e9", 'q"', "},{", "a\\"])
LEAVES = st.one_of(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.text(max_size=8),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["},{", '","', '"},{"', "]", "[1,2", "\\", "\u2028\U0001f600", "x" * 60]),
)
VALUES = values(LEAVES, KEYS, leaves=20, longest=6)
LISTS = st.one_of(
    st.lists(st.dictionaries(KEYS, VALUES, max_size=3), max_size=12),
    st.lists(st.text(max_size=6), max_size=20),
    st.lists(VALUES, max_size=6),
)


INNER = st.fixed_dictionaries({}, optional={"list": LISTS, "c": VALUES})
OUTER = st.fixed_dictionaries({}, optional={"list": LISTS, "b": INNER})
DOCUMENTS = st.fixed_dictionaries({}, optional={"a": OUTER, "list": LISTS, "c": VALUES})
SPACES = st.sampled_from([(",", ":"), (", ", ": "), (" ,\n ", "\t:\r\n"), ("\n,", ":")])


class Taken(list[Any]):
    """Keeps what it takes, and sees to it that the text is that of the elements."""

    def take(self, elements: list[Any], text: bytes | None = None) -> None:
        assert json.loads(b"[" + the(text) + b"]") == elements
        self += elements


def read(data: bytes) -> Any:
    return json_stream.read(data, WALKED, dict.fromkeys(TAKEN, Taken))


@pytest.fixture(autouse=True, params=[8, 64, 1 << 15])
def piece(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces of a few characters too, so that each of them ends in the wrong places."""
    monkeypatch.setattr(json_stream, "_PIECE", request.param)
    monkeypatch.setattr(json_stream, "_FEW", min(request.param, 4))


@given(DOCUMENTS, SPACES, st.booleans(), st.sampled_from(["", "\ufeff"]))
def test_is_what_one_step_reads(
    document: Any, signs: tuple[str, str], escaped: bool, mark: str
) -> None:
    text = json.dumps(document, separators=signs, ensure_ascii=escaped)
    try:
        data = (mark + text).encode()
    except UnicodeEncodeError:
        return
    assert read(data) == json.loads(text)


@given(DOCUMENTS, SPACES, st.integers(0), st.sampled_from([*'{}[],:"\\ 1a\n\0', "", "NaN"]))
def test_a_changed_text_is_read_the_same_or_not_at_all(
    document: Any, signs: tuple[str, str], place: int, sign: str
) -> None:
    text = json.dumps(document, separators=signs)
    place %= len(text)
    text = text[:place] + sign + text[place + 1 :]
    try:
        expected = json.loads(text)
    except (ValueError, RecursionError):
        with pytest.raises(json_stream.NotReadError):
            read(text.encode())
        return
    if "NaN" not in text:
        assert read(text.encode()) == expected


@for_each("text", [
    '{"a": {"list": [{"x": "},{"}, {"y": [{}, {}]}, {}]}}',
    '{"list": ["\\"", "\\\\", "},{", "\\u00e9\\ud83d\\ude00"], "list": ["x"]}',
    '{"a": 1, "a": {"list": []}, "a": {"list": [1, {}, "x", []]}}',
    '{"c": 12345678901234567890, "list": [12345, 678910]}', " [1, 2] ", '"x"', "12345",
    '{"a": {"list": {"x": [1]}}, "list": null}',
])  # fmt: skip
def test_odd_documents(text: str) -> None:
    found = read(text.encode())
    assert found == json.loads(text)
    assert text[0] != "{" or list(found) == list(json.loads(text))


@for_each("data", [
    *map(str.encode, [
        "", " ", "{", '{"a"', '{"a": 1,}', '{"list": [1,]}', '{"list": [{},]}', '{"list": [',
        '{"list": [{}, {}', '{"list": [{} {}]}', '{"a": NaN}', '{"list": [Infinity]}', "{} {}",
        '{"a": 1 "b": 2}', '{"a": "\n"}', "{'a': 1}", '{"c": 1' + "0" * 5000 + "}",
        '{"list": ["a" "b"]}', "[" * 100_000, '{"c":' * 100_000, '{"list": [}', '{"a": ]}',
    ]),
    b'{"a": "\xff"}', b'{"list": ["\xc3"]}', b'{"list": [{}, {"\xe9": 1}]}',
])  # fmt: skip
def test_what_is_no_json_in_utf_8_is_not_read(data: bytes) -> None:
    with pytest.raises(json_stream.NotReadError):
        read(data)


def test_it_is_told_how_far_it_is_and_can_be_stopped() -> None:
    document = {"a": {"list": [{"n": n, "text": "},{"} for n in range(5000)]}, "c": "x"}
    data = json.dumps(document).encode()
    heard: list[int] = []
    assert json_stream.read(data, WALKED, dict.fromkeys(TAKEN, Taken), heard.append) == document
    assert heard == sorted(heard)
    assert heard[-1] == len(data)
    assert len(heard) > 3

    def stop(done: int) -> None:
        if done > len(data) // 2:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        json_stream.read(data, WALKED, dict.fromkeys(TAKEN, Taken), stop)
