"""What is seen of the workbench: its screen, its widgets, what it tells."""

from typing import Any

from rich.cells import cell_len
from textual.widget import Widget
from textual.widgets import Tree
from textual.widgets.tree import TreeNode

from fluxtui.ui.app import FluxTUI
from fluxtui.ui.nodes.highlights import Highlight
from fluxtui.ui.nodes.nodes_view import SelectableNodes


def screen_lines(app: FluxTUI) -> list[str]:
    """The rows of the screen as they are drawn."""
    return [strip.text for strip in app.screen._compositor.render_strips()]


def screen_text(app: FluxTUI) -> str:
    """The screen as it is drawn."""
    return "\n".join(line.rstrip() for line in screen_lines(app))


def lacking(text: str, *words: str) -> list[str]:
    """The words that are not in a text."""
    return [one for one in words if one not in text]


def row_of(app: FluxTUI, selector: str) -> str:
    """The whole screen row that a one-line widget stands in, as it is drawn."""
    return screen_lines(app)[app.screen.query_one(selector).region.y]


def column_of(line: str, piece: str) -> int:
    """The terminal column where a piece of a drawn line begins."""
    assert piece in line, (piece, line)
    return cell_len(line[: line.index(piece)])


def plain(app: FluxTUI, selector: str) -> str:
    """The text that a widget shows."""
    widget = app.screen.query_one(selector)
    text: str = widget.plain  # type: ignore[attr-defined]
    return text


def tree_labels(app: FluxTUI) -> list[str]:
    """The labels of the jobspec tree, indented by their level."""

    def walk(node: TreeNode[Any], level: int) -> list[str]:
        own = ["  " * level + str(node.label)]
        return own + [line for child in node.children for line in walk(child, level + 1)]

    tree: Tree[Any] = app.screen.query_one("#jobspec-tree", Tree)
    return [line for child in tree.root.children for line in walk(child, 0)]


def shown(widget: Widget) -> bool:
    """The widget can be seen: it and all around it is displayed, and it has room."""
    return widget.region.area > 0 and all(
        w.display for w in widget.ancestors_with_self if isinstance(w, Widget)
    )


def looks_of(view: SelectableNodes, start: int, stop: int) -> list[Highlight]:
    """The light that each node from index start up to stop is in: the first that holds it."""
    lights, dark = view.highlights.lights, view.highlights.dark
    return [
        next((light for light in lights if light.mask >> index & 1), dark)
        for index in range(start, stop)
    ]


def messages(app: FluxTUI) -> list[str]:
    """The messages so far, oldest first, whole."""
    return [message.text for message in app.messages]
