"""What the stage shows of one constraint: the words, the constraint, its count, map and reading."""

from collections.abc import Callable, Iterable, Iterator

from rich.cells import cell_len
from rich.text import Text
from textual.strip import Strip
from textual.widgets import Static

from fluxtui.answers.explain.explanation import Explanation, lines
from fluxtui.notation.problem import printable
from fluxtui.ui.kit.bar import bar
from fluxtui.ui.kit.drawing import columns_for
from fluxtui.ui.kit.folding import folded
from fluxtui.ui.kit.lines import LinesView
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.nodes.node_map import NodeMap
from fluxtui.ui.nodes.nodes_view import Handlers

BAR = 12  # columns of a bar at most
LEAST_BAR = 3
LINES = 200  # of the reading


class StageText(Static):
    """Some lines of text, as high as they need to be and the stylesheet lets them be."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, markup=False)
        self.plain = ""

    def show(self, text: Text) -> None:
        """Show this text instead."""
        self.plain = text.plain
        self.update(text)


class StageConstraint(StageText):
    """A constraint, broken where it may be."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._whole = Text()
        self._most = 1

    def put(self, text: Text, most: int) -> None:
        """Show this text in so many lines at most."""
        self._whole, self._most = text, most
        self.show(folded(text, self.content_size.width or 76, most))

    def on_resize(self) -> None:
        """Break it to the new width."""
        self.show(folded(self._whole, self.content_size.width or 76, self._most))


class StageMap(NodeMap, can_focus=False):
    """The map of the nodes without a cursor, from so far that all of them are seen at once.

    Where there is room for it, a blank row follows each row.
    """

    all_zooms = False

    def __init__(self, on_zoom: Callable[[], object]) -> None:
        super().__init__(Handlers(), on_zoom, id="stage-map")

    @property
    def is_airy(self) -> bool:
        """Whether blank rows stand between the rows."""
        return 0 < 2 * self.row_count - 1 <= self.size.height

    def render_line(self, y: int) -> Strip:
        """One row."""
        if self.is_airy:
            return Strip.blank(self.size.width, self.base) if y % 2 else super().render_line(y // 2)
        return super().render_line(y)

    def refresh_rows(self, rows: Iterable[int]) -> None:
        """Paint rows anew."""
        super().refresh_rows([2 * row for row in rows] if self.is_airy else rows)

    def _hover_over(self, index: int | None) -> None:
        """Nothing happens under the mouse."""


class StageReading(LinesView, can_focus=False):
    """How the constraint is read: each part with the nodes that it matches alone and leaves."""

    def __init__(self, is_airy: Callable[[], bool]) -> None:
        super().__init__(id="stage-reading")
        self._is_airy = is_airy
        self._found: Explanation | None = None

    def show(self, found: Explanation | None) -> None:
        """Show an explanation; nothing where there is none."""
        self._found = found
        self.show_lines(list(self._made_lines()))
        self.scroll_to(y=0, animate=False)

    def on_resize(self) -> None:
        """Find the room for the bars again."""
        self.show_lines(list(self._made_lines()))

    def _made_lines(self) -> Iterator[Text]:
        found = self._found
        if found is None:
            return
        style = palette_of(self)
        width = max(len(f"{found.total:,}"), len("alone"))
        read = list(lines(found.root))
        room = (columns_for(self, len(read)) or 40) - 2 * width - 4
        longest = max(cell_len(printable(line.guide + line.words)) for line in read)
        size = min(room - longest - 2, BAR)  # the words are what is read: they go first
        head = f"{'alone':>{width}}  {'left':>{width}}"
        airy = self._is_airy() and 2 * len(read) < self.size.height
        yield Text(no_wrap=True, end="").append(head, style=style.faint)
        for line in read[:LINES]:
            if airy:
                yield Text(end="")
            part = line.part
            row = Text(no_wrap=True, end="")
            row.append(f"{part.alone:>{width},}  ", style=style.quiet)
            none = style.problem if part.empties or part is found.root else style.quiet
            look = style.match if part.left else none
            row.append(f"{part.left:>{width},}  ", style=look)
            if size >= LEAST_BAR:
                lit, rest = bar(part.left, part.alone, found.total, size)
                row.append(lit, style=style.match).append(f"{rest}  ", style=style.faint)
            row.append(line.guide, style=style.faint)
            is_operator = part.parts and line.words == part.label
            row.append(printable(line.words), style=style.slot if is_operator else style.plain)
            yield row
