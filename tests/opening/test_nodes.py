"""Nodes into a file or a text."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui import cli, opening
from fluxtui.bridge import files
from fluxtui.model.cancellation import Stopped
from fluxtui.model.documents import json_stream
from fluxtui.model.resources import document as resources
from fluxtui.notation.problem import Problem
from fluxtui.opening.nodes import json_pieces, save_nodes, text_of
from fluxtui.workbench import Cluster
from tests import big
from tests.each import for_each, the

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
    text = the(text_of(read, read.everything, "csv", 1_000_000))
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


# Large documents are read in pieces: with the same answers and problems as small ones

Opened = tuple[Cluster | None, tuple[Problem, ...]]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    return tmp_path / "R.json"


def opened(path: Path, monkeypatch: pytest.MonkeyPatch, *, in_pieces: bool) -> Opened:
    """Open a file as a large one, or as a small one."""
    monkeypatch.setattr(files, "LARGE", 0 if in_pieces else 1 << 60)
    monkeypatch.setattr(json_stream, "_PIECE", 500)
    return opening.open_cluster(str(path), None)


@for_each("name", big.DOCUMENTS)
def test_large_and_small(name: str, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for count in (7, 1500):
        here.write_text("\ufeff" + json.dumps(big.DOCUMENTS[name](count)))
        small, no_problems = opened(here, monkeypatch, in_pieces=False)
        large, problems = opened(here, monkeypatch, in_pieces=True)
        assert problems == no_problems
        assert small is not None
        assert large is not None
        one, two = small.resources, large.resources
        assert two.problems == one.problems
        assert (two.ranks, two.hosts, two.kinds) == (one.ranks, one.hosts, one.kinds)
        assert two.properties == one.properties
        assert [two.node(at) for at in range(count)] == [one.node(at) for at in range(count)]
        assert (large.stretches, large.source) == (small.stretches, small.source)


ENTRIES = (
    '{"rank": "0", "children": {"core": "0-3"}}',
    '{"rank": "1", "children": {"core": "0-3", "gpu": "0"}}',
    '{"rank": "2", "children": {"core": "0-3", "gpu": "0"}, "node": "c"}',
    '{"rank": 3, "children": {"core": "0-3"}}', '{"rank": "1-", "children": {"core": "0-3"}}',
    '{"rank": "4", "children": {"core": "0-3", "gpu": null}}',
    '{"rank": "5", "children": {"gpu": "0"}}', '{"rank": "6", "children": []}',
    '{"children": {"core": "0"}, "id": 5}', '{"rank": "8,7", "children": {"core": "0-3"}}',
    '{"rank": "1", "children": {"core": "0-3"}}', "[]",
)  # fmt: skip


@for_each("text", [
    '{"version": 1, "execution": {"R_lite": [' + ",".join(ENTRIES) + '], "nodelist": ["a"]}}',
    *(f'{{"version": 1, "execution": {{"R_lite": [{entry}]}}}}' for entry in ENTRIES),
    '{"version": 1, "execution": {"R_lite": []}}',
    '{"version": 1, "execution": {"R_lite": [{"rank": "0"} {"rank": "1"}]}}',
    '{"version": 1,\n"execution": {"R_lite": [,]}}',
    '{"version": 1, "execution": {"nodelist": ["a", "b"',
    '{"version": NaN, "execution": {}}',
    '{"version": 1, "execution": {}} x',
    '{"version": 1, "execution": {"R_lite": [{"rank": "0-", "children": {"core": "x"}}]}}',
    '{"version": 1, "execution": {"R_lite": [], "R_lite": [{"rank": "0"}]}, "execution": 5}',
    '{"scheduling": {"graph": {"nodes": [1, {"id": 2}], "edges": [{"source": "0"}]}}}',
    '{"graph": {"nodes": {"a": {"metadata": {"type": "node"}}}, "edges": []}}',
    '{"nodes": [], "edges": {}}',
    '{"scheduling": {"graph": {"nodes": [' + "[" * 5000 + "]}}}",
    '{"execution": {"starttime": 1' + "0" * 5000 + "}}",
    "{}",
    "[1]",
], label=lambda text: text[:60])  # fmt: skip
def test_the_same_is_wrong_with_large_and_small(
    text: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here.write_text(text)
    small, no_problems = opened(here, monkeypatch, in_pieces=False)
    large, problems = opened(here, monkeypatch, in_pieces=True)
    assert problems == no_problems
    assert (large is None) == (small is None)
    if large is not None and small is not None:
        assert large.resources.problems == small.resources.problems
        assert large.resources.ranks == small.resources.ranks


def test_bytes_that_are_no_text(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here.write_bytes(b'{"version": 1,\n"execution": {"nodelist": ["\xff"]}}')
    found, problems = opened(here, monkeypatch, in_pieces=True)
    assert found is None
    assert "not UTF-8 text: byte 43, in line 2" in problems[0].message


def test_a_graph_beside_and_alone(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for pieces in (big.with_graph(40, 2, cores=200), big.bare_graph(2, cores=200)):
        here.write_text("".join(pieces))
        assert here.stat().st_size > files.LARGE
        assert cli.run(["match", "-r", str(here), "rank:3-4 and batch", "-o", "ranks"]) == 0
        assert capsys.readouterr().out == "3-4\n"


def test_what_hears_of_it_ends_the_reading(here: Path) -> None:
    here.write_text("".join(big.bare_graph(3)))
    size = here.stat().st_size
    heard: list[tuple[int, int]] = []

    class EndError(Exception):
        pass

    def told(done: int, of: int) -> None:
        heard.append((done, of))
        if of and done > size // 2:
            raise EndError

    with pytest.raises(EndError):
        opening.open_cluster(str(here), None, told=told)
    assert {of for _, of in heard} == {0, size}
    assert heard[-1][0] < size


def test_the_room_of_a_large_graph_waits_until_it_is_asked_for(here: Path) -> None:
    here.write_text("".join(big.bare_graph(3)))
    found, _ = opening.open_cluster(str(here), None)
    assert found is not None
    assert found.is_large
    assert not found._prepared_graph
    assert found.prepared_graph is found.prepared_graph
