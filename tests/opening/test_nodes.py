"""Nodes into a file or a text."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given

from fluxtui import cli, opening
from fluxtui.bridge import files
from fluxtui.model.cancellation import Stopped
from fluxtui.model.documents import json_stream
from fluxtui.model.resources import document as resources
from fluxtui.opening.nodes import json_pieces, save_nodes, text_of
from fluxtui.workbench import Cluster
from tests import big
from tests.each import for_each, the
from tests.json_values import values


@given(values(longest=130, leaves=20))
@example({"graph": {"nodes": [{"id": str(n)} for n in range(1000)], "edges": []}})
def test_the_pieces_are_the_text_of_json(value: Any) -> None:
    found = list(json_pieces(value))
    assert "".join(found) == json.dumps(value)
    assert max(map(len, found)) < 5000


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
    assert path.read_bytes().decode() == text_of(read, read.everything, "csv", 1_000_000)
    for where, says in (
        (tmp_path, "it is a directory"),
        (tmp_path / "no" / "R.json", "there is no such directory"),
    ):
        saved, problems = save_nodes(read, 1, "R", str(where), lambda: False)
        assert not saved
        assert says in problems[0].message


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


# Large documents are read in pieces: with the same answers and problems as small ones


@pytest.fixture
def here(tmp_path: Path) -> Path:
    return tmp_path / "R.json"


def opened_twice(
    text: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Cluster | None, Cluster | None]:
    """The cluster of a file opened as a large one, and as a small one; their problems agree."""
    here.write_text(text)
    monkeypatch.setattr(json_stream, "_PIECE", 500)
    found = []
    for large in (0, 1 << 60):
        monkeypatch.setattr(files, "LARGE", large)
        found.append(opening.open_cluster(str(here), None))
    (one, problems), (other, same_problems) = found
    assert problems == same_problems
    assert (one is None) == (other is None)
    if one is not None and other is not None:
        for name in ("problems", "ranks", "hosts", "kinds", "properties"):
            assert getattr(one.resources, name) == getattr(other.resources, name)
        assert (one.stretches, one.source) == (other.stretches, other.source)
    return one, other


@for_each("name", big.DOCUMENTS)
def test_large_and_small(name: str, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for count in (7, 1500):
        text = "\ufeff" + json.dumps(big.DOCUMENTS[name](count))
        one, other = (the(each).resources for each in opened_twice(text, here, monkeypatch))
        assert [*map(one.node, range(count))] == [*map(other.node, range(count))]


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
    opened_twice(text, here, monkeypatch)


def test_bytes_that_are_no_text(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LARGE", 0)
    here.write_bytes(b'{"version": 1,\n"execution": {"nodelist": ["\xff"]}}')
    found, problems = opening.open_cluster(str(here), None)
    assert found is None
    assert "not UTF-8 text: byte 43 (0xff), in line 2" in problems[0].message


def test_a_graph_beside_and_alone(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for pieces in (big.with_graph(40, 2, cores=200), big.bare_graph(2, cores=200)):
        here.write_text("".join(pieces))
        assert here.stat().st_size > files.LARGE
        assert cli.run(["match", "-r", str(here), "rank:3-4 and batch", "-o", "ranks"]) == 0
        assert capsys.readouterr().out == "3-4\n"


def test_what_hears_of_it_ends_the_reading_and_its_room_is_found_when_asked_for(
    here: Path,
) -> None:
    here.write_text("".join(big.bare_graph(3)))
    size = here.stat().st_size
    heard: list[tuple[int, int]] = []

    def progress(done: int, of: int) -> None:
        heard.append((done, of))
        if of and done > size // 2:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        opening.open_cluster(str(here), None, progress=progress)
    assert {of for _, of in heard} == {0, size}
    assert heard[-1][0] < size
    found = the(opening.open_cluster(str(here), None)[0])
    assert found.is_large
    assert not found._prepared_graph
    assert found.prepared_graph is found.prepared_graph
