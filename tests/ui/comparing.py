"""Two documents to compare, and what is seen of them."""

from pathlib import Path

from fluxtui.ui.app import FluxTUI
from tests.ui.documents import document, write_document
from tests.ui.helpers import Hands
from tests.ui.seen import looks_of, plain

A = document(8, {"gpu": "0-1", "batch": "0-7"}, "n[0-7]")
B = document(8, {"gpu": "1-2", "batch": "0-7"}, "n[0-5],m[0-1]")


def pair(here: Path) -> list[str]:
    """Two documents, a.json and b.json: n0 and n2 changed, n6 and n7 went, m0 and m1 came."""
    return [write_document(here / f"{name}.json", found) for name, found in (("a", A), ("b", B))]


async def compare(pilot: Hands, files: list[str]) -> None:
    """Open documents, go to the cluster, and compare the last two."""
    await pilot.open(*files)
    await pilot.go("map")
    await pilot.do("d")


def node(app: FluxTUI) -> str:
    """What is said of the node, in one line."""
    return " ".join(plain(app, "#node-details").split())


def glyphs(app: FluxTUI, view: str = "#node-map") -> str:
    """The glyphs of the eight nodes."""
    return "".join(look.glyph for look in looks_of(app.query_one(view), 0, 8))
