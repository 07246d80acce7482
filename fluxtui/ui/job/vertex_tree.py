"""The tree of a resources list: a line for each vertex, in words."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from rich.style import Style
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widgets import Tree
from textual.widgets.tree import TreeNode

from fluxtui.model.jobspec.request import count_words
from fluxtui.notation.json_value import identical
from fluxtui.notation.problem import at, printable
from fluxtui.ui.kit.lines import Styled
from fluxtui.ui.kit.palette import Palette, palette_of

SHOWN_LIMIT = 2000  # vertices; beyond this a tree is no help to anyone


class _Drawn(NamedTuple):
    """What the label of a vertex was made of: its keys but for ``with``, and what it is marked by.

    place is where the vertex would be placed, if that is known.
    """

    own: Mapping[str, Any]
    marked: bool
    place: str | None
    palette: Palette
    is_leaf: bool

    def is_as(self, other: "_Drawn | None") -> bool:
        """The label is the same as this other one."""
        return other is not None and self[1:] == other[1:] and identical(self.own, other.own)


class JobspecTree(Styled, Tree[str], inherit_bindings=False):
    """Vertices as a tree, of which only the lines that differ are drawn anew.

    A node's data is its path in the jobspec, such as ``resources[0].with[1]``.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "cursor_up", "Up", show=False),
        Binding("down", "cursor_down", "Down", show=False),
        Binding("pageup", "page_up", "Page up", show=False),
        Binding("pagedown", "page_down", "Page down", show=False),
        Binding("home", "scroll_home", "First", show=False),
        Binding("end", "scroll_end", "Last", show=False),
        Binding("left", "cursor_parent", "Out", show=False),
        Binding("right", "cursor_in", "In", show=False),
        Binding("space", "toggle_node", "Fold", show=False),
    ]

    show_root = False
    guide_depth = 2
    auto_expand = False

    def __init__(self, *, id: str) -> None:
        super().__init__("resources", id=id)
        self._changed: list[TreeNode[str]] = []  # whose labels are others now
        self._drawn: dict[str, _Drawn] = {}  # by path, what the label there was made of
        self._marked: frozenset[str] = frozenset()
        self._places: Mapping[str, str] = {}
        self._left = 0  # how many vertices more may be shown
        self._sizes: dict[int, int] = {}  # by place at the top, how many vertices are below
        self._look: object = None
        self._shown: Sequence[Mapping[str, Any]] = ()  # the vertices that stand here in that look
        self.root.expand()

    @property
    def path(self) -> str:
        """The path of the vertex with the cursor; empty where there is none."""
        node = self.cursor_node
        return node.data or "" if node is not None else ""

    def show_vertices(
        self,
        resources: Sequence[Mapping[str, Any]],
        marked: frozenset[str],
        places: Mapping[str, str],
    ) -> None:
        """Show a resources list (RFC 14).

        marked are the paths of the vertices that something is wrong with; places say by type where
        a vertex would be placed.
        """
        look = (marked, dict(places), palette_of(self))
        if look != self._look:
            self._look, self._shown = look, ()
        if resources is self._shown:
            return
        self._marked, self._places = marked, places
        self._left = SHOWN_LIMIT
        self._changed.clear()
        self._patch(self.root, resources, "resources", self._shown)
        self._shown = resources if self._left >= 0 else ()
        self._paint_changed()

    def _paint_changed(self) -> None:
        """Paint the lines that changed, before the next frame is drawn; all, where lines moved."""
        if self._tree_lines_cached is None:
            self.refresh()
            return
        top, height = self.scroll_offset.y, self.size.height
        for node in self._changed:
            if top <= node.line < top + height:
                self._refresh_line(node.line)

    def show_hint(self, lines: Sequence[str]) -> None:
        """Show these lines in place of a tree."""
        style = palette_of(self).quiet
        _trim(self.root, len(lines))
        self._drawn.clear()
        self._shown = ()
        for number, line in enumerate(lines):
            _trim(_put(self.root, number, Text(line, style=style), "", leaf=True), 0)
        self.refresh()

    def go_to(self, path: tuple[int, ...]) -> bool:
        """Put the cursor on the vertex at a path, or on the last one on the way that is there.

        False where not even the first one is.
        """
        node: TreeNode[str] = self.root
        for step in path:
            if step >= len(node.children):
                break
            node = node.children[step]
        if node is self.root:
            return False
        _ = self._tree_lines  # a vertex that is new has no line before these are made again
        self.move_cursor(node)
        return True

    def action_cursor_in(self) -> None:
        """To the first thing that a vertex holds."""
        node = self.cursor_node
        if node is not None and node.children:
            node.expand()
            self.move_cursor(node.children[0])

    def render_label(self, node: TreeNode[str], base_style: Style, style: Style) -> Text:
        """The label in its own colours, also on the line of the cursor."""
        text = super().render_label(node, base_style, Style())
        text.stylize_before(style)
        return text

    def _patch(
        self,
        node: TreeNode[str],
        vertices: Sequence[Mapping[str, Any]],
        path: str,
        before: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Make a node's children show these vertices, keeping what is already right.

        before are those that stand there now, where that is known.
        """
        shown = vertices[: max(self._left, 0)]
        self._left -= len(vertices)
        _trim(node, len(shown))
        palette = palette_of(self)
        for number, vertex in enumerate(shown):
            stays = number < len(before) and identical(vertex, before[number])
            if stays and len(shown) == len(vertices):
                self._left -= self._sizes[number]
                continue
            left = self._left
            here = at(path, number)
            children = vertex.get("with") or ()
            marked, place = here in self._marked, self._places.get(str(vertex.get("type")))
            own = {key: value for key, value in vertex.items() if key != "with"}
            drawn = _Drawn(own, marked, place, palette, not children)
            if number < len(node.children) and drawn.is_as(self._drawn.get(here)):
                child = node.children[number]
            else:
                self._drawn[here] = drawn
                label = vertex_label(vertex, palette, marked=marked)
                if place and not marked:
                    label.append(f"  {place}", style=palette.match)
                child = _put(node, number, label, here, leaf=not children)
                self._changed.append(child)
            self._patch(child, children, at(here, "with"))
            if node is self.root:
                self._sizes[number] = left - self._left


def vertex_label(vertex: Mapping[str, Any], style: Palette, *, marked: bool) -> Text:
    """One vertex in words: ``node 2 or more  exclusive``."""
    kind = str(vertex["type"])
    text = Text(no_wrap=True)
    text.append(printable(kind), style=style.slot if kind == "slot" else style.strong)
    text.append(f" {count_words(vertex['count'])}", style=style.count)
    for key, value in vertex.items():
        if key in ("type", "count", "with"):
            continue
        text.append("  ")
        if key == "label":
            text.append(printable(str(value)), style=style.label)
        elif key == "unit":
            text.append(printable(str(value)), style=style.plain)
        elif key == "exclusive" and isinstance(value, bool):
            text.append("exclusive" if value else "shared", style=style.key)
        else:
            text.append(f"{printable(str(key))} ", style=style.key)
            text.append(printable(_words(value)), style=style.plain)
    if marked:
        text.append("  ✗", style=style.problem)
    return text


def _words(value: object) -> str:
    import json

    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _trim(node: TreeNode[str], count: int) -> None:
    for child in list(node.children)[count:]:
        child.remove()


def _put(node: TreeNode[str], number: int, label: Text, data: str, *, leaf: bool) -> TreeNode[str]:
    """Make the child of that number show a label, adding it if it is the next one."""
    if number >= len(node.children):
        return node.add(label, data, expand=True, allow_expand=not leaf)
    child = node.children[number]
    if child.label != label:
        child.set_label(label)
    child.data = data
    if child.allow_expand == leaf:
        child.allow_expand = not leaf
        child.expand()
    return child
