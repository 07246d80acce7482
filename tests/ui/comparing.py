"""Two documents to compare, and what is seen of them."""

from pathlib import Path

from tests.ui.helpers import document, looks_of, plain, write_document

A = document(8, {"gpu": "0-1", "batch": "0-7"}, "n[0-7]")
B = document(8, {"gpu": "1-2", "batch": "0-7"}, "n[0-5],m[0-1]")


def pair(here: Path) -> list[str]:
    """Two documents, a.json and b.json: n0 and n2 changed, n6 and n7 went, m0 and m1 came."""
    return [write_document(here / f"{name}.json", found) for name, found in (("a", A), ("b", B))]


async def compare(app, pilot, files: list[str], view: str = "#node-map") -> None:
    """Open documents, go to the cluster, and compare the last two."""
    for file in files:
        app.documents.open_source(file)
        await pilot.done()
    app.go_to("map")
    await pilot.settle()
    if view == "#node-table":
        await pilot.press("f2")
    await pilot.press("d")
    await pilot.done()


def node(app) -> str:
    """What is said of the node, in one line."""
    return " ".join(plain(app, "#node-details").split())


def glyphs(app, view: str = "#node-map") -> str:
    """The glyphs of the eight nodes."""
    return "".join(look.glyph for look in looks_of(app.query_one(view), 0, 8))
