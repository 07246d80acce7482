"""Nodes into a file or a text."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.bridge import files
from fluxtui.model.cancellation import Stopped
from fluxtui.model.resources import document as resources
from fluxtui.opening.nodes import json_pieces, save_nodes, text_of
from tests import big

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.floats(allow_nan=False),
    lambda inner: (
        st.lists(inner, max_size=130) | st.dictionaries(st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(values)
def test_the_pieces_are_the_text_of_json(value: Any) -> None:
    assert "".join(json_pieces(value)) == json.dumps(value)


def test_long_lists_in_pieces() -> None:
    document = {"graph": {"nodes": [{"id": str(n)} for n in range(1000)], "edges": []}}
    found = list(json_pieces({"scheduling": document}))
    assert "".join(found) == json.dumps({"scheduling": document})
    assert max(map(len, found)) < 2000


def test_a_text_has_no_more_than_it_may() -> None:
    read = resources.read(big.grouped(2000))
    text = text_of(read, read.everything, "csv", 1_000_000)
    assert text is not None
    assert text_of(read, read.everything, "csv", len(text)) == text
    assert text_of(read, read.everything, "csv", len(text) - 1) is None
    assert text_of(read, 0b111, "hosts", 100) == "node[0-2]"
    assert text_of(read, 0b111, "ranks", 100) == "0-2"


def test_a_file_is_written_in_pieces(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    read = resources.read(big.grouped(2000))
    assert save_nodes(read, read.everything, "csv", str(path), lambda: False) == (True, ())
    text = path.read_bytes().decode()
    assert text == text_of(read, read.everything, "csv", 1_000_000)
    saved, problems = save_nodes(read, 1, "R", str(tmp_path), lambda: False)
    assert not saved
    assert "it is a directory" in problems[0].message
    saved, problems = save_nodes(read, 1, "R", str(tmp_path / "no" / "R.json"), lambda: False)
    assert not saved
    assert "there is no such directory" in problems[0].message


def test_what_is_stopped_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    path.write_text("mine")
    read = resources.read(big.grouped(50_000))
    asked: list[int] = []

    def stop() -> bool:
        asked.append(1)
        return len(asked) > 3

    with pytest.raises(Stopped):
        save_nodes(read, read.everything, "csv", str(path), stop)
    assert path.read_text() == "mine"
    assert [found.name for found in tmp_path.iterdir()] == ["out.csv"]


def test_a_link_stays_and_the_mode_too(tmp_path: Path) -> None:
    target, link = tmp_path / "real", tmp_path / "link"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)

    def pieces() -> Iterator[str]:
        yield "a\r\n"
        yield "ü"

    assert files.write_pieces(link, pieces()) == ()
    assert link.is_symlink()
    assert target.read_bytes() == b"a\r\n\xc3\xbc"
    assert target.stat().st_mode & 0o777 == 0o640
    assert "not valid" in files.write_pieces(link, ["\ud800"])[0].message
    assert target.read_bytes() == b"a\r\n\xc3\xbc"
