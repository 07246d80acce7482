"""The jobspec tree: what the shape asks for, level by level, and its edits by keys."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Tree
from textual.widgets.tree import TreeNode

from fluxtui.model.jobspec.request import count_words
from fluxtui.notation.json_value import identical
from fluxtui.notation.problem import Problem, at, printable
from fluxtui.notation.shape.tree import Shape, Vertex, from_resources
from fluxtui.ui.kit.lines import Styled
from fluxtui.ui.kit.palette import Palette, palette_of
from fluxtui.ui.kit.pane import Pane
from fluxtui.ui.kit.prompt import Prompt
from fluxtui.ui.kit.wording import shorten
from fluxtui.workbench import State

if TYPE_CHECKING:
    from fluxtui.notation.shape.edit import Edited

#: (0, 1) is the second child of the first vertex at the top.
Path: TypeAlias = tuple[int, ...]


class Question(NamedTuple):
    """A question that comes before an edit.

    text    what is asked for
    begin   the answer to begin with
    edit    the edit for an answer
    vertex  the answer is a vertex, and not a label or a key
    """

    text: str
    begin: str
    edit: "Callable[[str], Edited]"
    vertex: bool = True


class VertexKey(NamedTuple):
    """One key of the tree.

    key     its names for Textual
    shown   how it is written in the help
    help    what it does, in words
    act     what it does to the vertex at a path: the edit, or the question before it
    begins  where there is no vertex yet, it asks for the first one
    """

    key: str
    shown: str
    help: str
    act: "Callable[[Shape, Path], Edited | Question]"
    begins: bool = False


def _more(shape: Shape, path: Path) -> "Edited":
    from fluxtui.notation.shape.edit import step_count

    return step_count(shape, path, 1)


def _fewer(shape: Shape, path: Path) -> "Edited":
    from fluxtui.notation.shape.edit import step_count

    return step_count(shape, path, -1)


def _duplicate(shape: Shape, path: Path) -> "Edited":
    from fluxtui.notation.shape.edit import duplicate

    return duplicate(shape, path)


def _delete(shape: Shape, path: Path) -> "Edited":
    from fluxtui.notation.shape.edit import delete

    return delete(shape, path)


def _lift(shape: Shape, path: Path) -> "Edited":
    from fluxtui.notation.shape.edit import lift

    return lift(shape, path)


def _exclusive(shape: Shape, path: Path) -> "Edited":
    from fluxtui.notation.shape.edit import toggle_exclusive

    return toggle_exclusive(shape, path)


def _up(shape: Shape, path: Path) -> "Edited":
    from fluxtui.notation.shape.edit import move

    return move(shape, path, -1)


def _down(shape: Shape, path: Path) -> "Edited":
    from fluxtui.notation.shape.edit import move

    return move(shape, path, 1)


def _indent(shape: Shape, path: Path) -> "Edited":
    from fluxtui.notation.shape.edit import indent

    return indent(shape, path)


def _outdent(shape: Shape, path: Path) -> "Edited":
    from fluxtui.notation.shape.edit import outdent

    return outdent(shape, path)


def first(shape: Shape) -> Question:
    """The question for the first vertex of a shape that has none."""
    from fluxtui.notation.shape.edit import add_sibling

    return Question("what", "", lambda text: add_sibling(shape, (), text))


def _change(shape: Shape, path: Path) -> Question:
    from fluxtui.notation.shape.edit import edit_vertex, line_of

    kind = _vertex(shape, path).type
    return Question(kind, line_of(shape, path), lambda text: edit_vertex(shape, path, text))


def _child(shape: Shape, path: Path) -> Question:
    from fluxtui.notation.shape.edit import add_child

    kind = _vertex(shape, path).type
    return Question(f"in {kind}", "", lambda text: add_child(shape, path, text))


def _sibling(shape: Shape, path: Path) -> Question:
    from fluxtui.notation.shape.edit import add_sibling

    kind = _vertex(shape, path).type
    return Question(f"beside {kind}", "", lambda text: add_sibling(shape, path, text))


def _wrap(shape: Shape, path: Path) -> Question:
    from fluxtui.notation.shape.edit import wrap

    kind = _vertex(shape, path).type
    return Question(f"around {kind}", "", lambda text: wrap(shape, path, text))


def _label(shape: Shape, path: Path) -> Question:
    from fluxtui.notation.shape.edit import set_label

    vertex = _vertex(shape, path)
    label = vertex.label or "" if vertex.type == "slot" else _text_of(vertex, "label")
    return Question("label", label, lambda text: set_label(shape, path, text), vertex=False)


def _unit(shape: Shape, path: Path) -> Question:
    unit = _text_of(_vertex(shape, path), "unit")
    return Question("unit", unit, lambda text: _with_unit(shape, path, text), vertex=False)


def _key(shape: Shape, path: Path) -> Question:
    return Question("key:value", "", lambda text: _with_pair(shape, path, text), vertex=False)


def _with_unit(shape: Shape, path: Path, text: str) -> "Edited":
    """Set the unit; an empty text takes it away."""
    from fluxtui.notation.shape.edit import remove_key, set_key

    if text.strip():
        return set_key(shape, path, "unit", text.strip())
    return remove_key(shape, path, "unit")


def _with_pair(shape: Shape, path: Path, text: str) -> "Edited":
    """Set the key of ``key:value``; a key alone is true, one after ``-`` false."""
    from fluxtui.notation.shape.edit import Edited, set_key
    from fluxtui.notation.shape.parser import parse_shape

    if not text.strip():
        return Edited(shape.text, path)
    parsed = parse_shape(f"x{{{text}}}")
    vertices = parsed.vertices
    # A brace in the text may end the keys early, and other vertices follow.
    alone = parsed.ok and len(vertices) == 1 and not vertices[0].children
    items = vertices[0].keys if alone else ()
    if len(items) != 1 or parsed.tokens[-1].span.end != len(parsed.text):
        message = "this is no key and its value"
        wanted = ("id:0-3", "unit:GB", "x", "-x")
        return Edited(shape.text, path, Problem(message, None, None, wanted, "RFC 46"))
    return set_key(shape, path, items[0].key, items[0].value)


def _vertex(shape: Shape, path: Path) -> Vertex:
    vertex = shape.vertices[path[0]]
    for step in path[1:]:
        vertex = vertex.children[step]
    return vertex


def _text_of(vertex: Vertex, key: str) -> str:
    """The value of a key, where that is a text; else an empty one."""
    found = next((item.value for item in vertex.keys if item.key == key), "")
    return found if isinstance(found, str) else ""


#: The keys, in the order of the help.
VERTEX_KEYS = (
    VertexKey("enter", "enter", "change type, count and keys", _change, begins=True),
    VertexKey("plus,equals_sign", "+", "one more", _more),
    VertexKey("minus", "-", "one fewer", _fewer),
    VertexKey("a", "a", "add what it holds", _child, begins=True),
    VertexKey("o", "o", "add another beside it", _sibling, begins=True),
    VertexKey("c", "c", "duplicate it", _duplicate),
    VertexKey("d,delete", "d", "delete it, with what it holds", _delete),
    VertexKey("b", "b", "delete it alone, and keep what it holds", _lift),
    VertexKey("w", "w", "put something around it", _wrap),
    VertexKey("x", "x", "exclusive, shared, or neither", _exclusive),
    VertexKey("l", "l", "name it by a label", _label),
    VertexKey("u", "u", "give its unit, such as GB", _unit),
    VertexKey("k", "k", "set another key", _key),
    VertexKey("shift+up,K", "K", "move it up", _up),
    VertexKey("shift+down,J", "J", "move it down", _down),
    VertexKey("right_angle_bracket,greater_than_sign", ">", "move it into the one above", _indent),
    VertexKey("left_angle_bracket,less_than_sign", "<", "move it out", _outdent),
)


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


if TYPE_CHECKING:
    from fluxtui.notation.shape.edit import Edited

HINT = (
    "Type a shape above, such as",
    "  slot=10/core=2",
    "  node=4/slot/[core=8;gpu]",
    " ",
    "F1      the notation, and all keys",
    "ctrl+g  examples to begin with",
    "F12     the form of all the rest",
    "paste   an srun, qsub or flux line",
)


class TreePane(Pane):
    """Shows the resources list as a tree, which keys edit.

    on_edit is called with the text of the shape after an edit, on_mend with the problem that is to
    be mended, or None for the first one of the job.
    """

    title: ClassVar[str] = "Tree"

    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(key.key, f"vertex({number})", key.help, show=False)
            for number, key in enumerate(VERTEX_KEYS)
        ),
        Binding("f", "mend", "Mend", show=False),
        Binding("v", "app.do('verdicts')", "Verdicts", show=False),
    ]

    def __init__(
        self, on_edit: Callable[[str], None], on_mend: Callable[[Problem | None], None], *, id: str
    ) -> None:
        super().__init__(id=id)
        self._on_edit = on_edit
        self._on_mend = on_mend
        self._shape: Shape | None = None
        self._asked: Shape | None = None  # the shape that the open question is about
        self._wanted: tuple[int, ...] | None = None
        self._prompt: Prompt | None = None
        self._faults: Mapping[str, Problem] = {}
        self._stale = False
        self._listed: Any = None  # the resources of the document where the shape is not the same
        self._partial = False  # they hold what no shape can say
        self.view = JobspecTree(id="jobspec-tree")

    def compose(self) -> ComposeResult:
        """The tree alone."""
        yield self.view

    def show(self, state: State) -> None:
        """Show the tree of a shape; while the shape has none, the last one, marked stale.

        Where there is room, the tree says where; where there is none, what it is missing for. An
        open question about another shape is closed, as its answer would bring that one back.
        """
        build = state.build
        self._shape = build.shape
        if self._prompt is not None and self._prompt.display and self._asked is not build.shape:
            self._prompt.close()
        self._stale = build.stale
        listed = _listed(state)
        if listed is not self._listed:
            self._listed = listed
            self._partial = listed is not None and bool(from_resources(listed).problems)
        self._faults = _faults(state) if listed is None or _alike(listed, build.resources) else {}
        if build.resources:
            self.view.show_vertices(build.resources, frozenset(self._faults), _places(state))
            self._follow()
        else:
            self.view.show_hint(HINT)
        self._say()

    # Editing

    async def action_vertex(self, number: int) -> None:
        """Edit the vertex with the cursor by a key: at once, or after a question."""
        shape, key = self._shape, VERTEX_KEYS[number]
        if shape is None or self._stale:
            return
        if not shape.vertices:
            if key.begins:
                await self._ask(shape, first(shape))
            return
        if not self.view.path:
            return
        from fluxtui.notation.shape.tree import path_of

        found = key.act(shape, path_of(self.view.path))
        if isinstance(found, Question):
            await self._ask(shape, found)
        else:
            self._take(found)

    async def _ask(self, shape: Shape, question: Question) -> None:
        from fluxtui.notation.shape.completion import completions

        if self._prompt is None:
            self._prompt = Prompt(self.view.focus, id="vertex-prompt")
            await self.mount(self._prompt)
            if shape is not self._shape:  # another one came meanwhile
                return
        self._asked = shape
        self._prompt.ask(
            question.text,
            question.begin,
            lambda text: self._take(question.edit(text)),
            lambda text: question.edit(text).problem if text.strip() else None,
            completions if question.vertex else None,
        )

    def _take(self, edited: "Edited") -> Problem | None:
        """Hand an edit on, with the cursor to go where it leads; the problem that it has."""
        if edited.problem is not None:
            self._put_in_frame(edited.problem.message)
            return edited.problem
        self._wanted = edited.path
        self._on_edit(edited.text)
        self._follow()
        return None

    def _follow(self) -> None:
        """Put the cursor where the last edit leads, as soon as that is there."""
        if self._wanted is not None and self.view.go_to(self._wanted):
            self._wanted = None

    def action_mend(self) -> None:
        """Mend what is wrong with the vertex, or else the first thing that is wrong."""
        self._on_mend(self._faults.get(self.view.path))

    # The frame

    def on_tree_node_highlighted(self) -> None:
        """Another vertex is selected."""
        self._say()

    def _say(self) -> None:
        """Say in the frame why the selected vertex is marked, or what the tree does not show."""
        fault = self._faults.get(self.view.path)
        if self._stale:
            self._put_in_frame("stale: the last shape that had a tree")
        elif fault is not None and self.view.has_focus:
            self._put_in_frame(fault.message)
        elif self._partial:
            self._put_in_frame("leaves out what no shape can say; an edit drops it")
        else:
            self.say_in_frame("")

    def _put_in_frame(self, text: str) -> None:
        self.say_in_frame(shorten(printable(text), self.size.width - 6))


def _listed(state: State) -> Any:
    """The resources of the document where the shape says them otherwise, or not in full."""
    document = state.job.document
    if document is None or state.build.stale:
        return None
    listed = document.get("resources")
    return None if identical(listed, list(state.build.resources)) else listed


def _alike(listed: object, vertices: Sequence[Mapping[str, Any]]) -> bool:
    """The places in a document are those in the tree: the same types stand at each of them."""
    if not vertices:
        return not listed
    if not isinstance(listed, list) or len(listed) != len(vertices):
        return False
    return all(
        isinstance(one, Mapping)
        and one.get("type") == vertex["type"]
        and _alike(one.get("with"), vertex.get("with") or ())
        for one, vertex in zip(listed, vertices, strict=True)
    )


def _faults(state: State) -> dict[str, Problem]:
    """What is wrong with each vertex, by its path: by the rules, or else why it finds no room."""
    if state.verdicts is None:
        return {}
    # Not at module level: the first frame does without, and has no verdicts.
    from fluxtui.model.jobspec.verdicts import by_vertex

    found = state.outlook.fit
    none = found is not None and found.feasible is False and not state.outlook.old
    missing = found.own.reasons if found is not None and none else ()
    sorted_out = by_vertex((*state.verdicts.problems, *missing))
    return {path: problems[0] for path, problems in sorted_out.items()}


def _places(state: State) -> dict[str, str]:
    """Where the placement puts the nodes, and which cores and gpus it takes, by type."""
    placement = state.outlook.placement
    if placement is None or state.outlook.old:
        return {}
    resources = state.cluster.resources
    places = {"node": printable(resources.hosts_of(placement.mask, limit=3))}
    shares = {(share.cores, share.gpus) for share in placement.shares}
    if len(shares) == 1:
        cores, gpus = shares.pop()
        places |= {"core": f"[{cores}]" if cores else "", "gpu": f"[{gpus}]" if gpus else ""}
    return places
