"""How the constraint is read, what each part of it costs, why a node is out, what to change."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from fluxtui.model.constraint import Constraint
from fluxtui.notation.source import Problem, printable
from fluxtui.ui import reading_lines
from fluxtui.ui.explaining import Explaining
from fluxtui.ui.panes.pane import Pane
from fluxtui.ui.reading_advice import Adviser
from fluxtui.ui.reading_edits import Bar, PartEditor
from fluxtui.ui.reading_json import ReadingJson
from fluxtui.ui.reading_keys import PART_KEYS, frame_words
from fluxtui.ui.reading_lines import MOST, Columns, Said, TreeLines
from fluxtui.ui.widgets.expression_tree import ExpressionTree
from fluxtui.ui.widgets.lines import LinesView, MadeLines
from fluxtui.ui.widgets.one_line import OneLine
from fluxtui.ui.wording import shorten
from fluxtui.workbench import State

if TYPE_CHECKING:
    from fluxtui.answers.explain.explanation import Explanation
    from fluxtui.answers.explain.parts import Part
    from fluxtui.answers.explain.why import Why

FORMS: tuple[tuple[Literal["tree", "json"], str], ...] = (("tree", "Tree"), ("json", "JSON"))


class ReadingPane(Pane):
    """Shows the constraint as a tree with counts, and below it what is to be said of it.

    The line that is selected in the tree and the cursor in the text are one: each follows the
    other. Keys edit the part that is selected; the same constraint can be edited as JSON.
    """

    title: ClassVar[str] = "Reading"

    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(key.key, f"change({number})", key.help, show=False)
            for number, key in enumerate(PART_KEYS)
        ),
        *(Binding(str(n), f"take({n})", "Take a change", show=False) for n in range(1, MOST + 1)),
        Binding("j", "form", "JSON or tree", show=False),
        Binding("e", "edit_json", "Edit the JSON", show=False),
    ]

    form: Literal["tree", "json"] = "tree"

    def __init__(self, explaining: Explaining, bar: Bar, *, id: str) -> None:
        super().__init__(id=id)
        self._explaining = explaining
        self._bar = bar
        self.legend = OneLine(id="reading-legend")
        self.view = ExpressionTree(self._moved, self._chosen, id="constraint-tree")
        self.below = LinesView(id="constraint-why", wrap=True, hang=2)
        self.json = ReadingJson(self._typed, self._say, id="reading-json")
        self._state: State | None = None
        self._node: int | None = None
        self._explanation: Explanation | None = None
        self._tree: TreeLines | None = None
        self._path = ""  # of the part that is selected
        self._adviser = Adviser(self, self._show_all)
        self._editor = PartEditor(self, bar, self.view.focus, self._refuse)

    def compose(self) -> ComposeResult:
        """The tree under its legend, the sentences, and the object in their place."""
        yield self.legend
        yield self.view
        yield self.below
        yield self.json

    def on_mount(self) -> None:
        """Name both forms in the frame; think about what was shown before."""
        self._show_form()
        if self._explanation is not None:
            self.call_later(self._think_again)

    def _think_again(self) -> None:
        self._think()
        self._show_all()

    def show(self, state: State, node: int | None) -> None:
        """Show the constraint in force, and the node of an index in it."""
        self._state, self._node = state, node
        explanation = self._explaining.explain(state)
        if explanation is not self._explanation:
            self._begin(explanation)
        self.json.show(state.ask.constraint)
        self._follow(self._bar.cursor())
        self._show_all()
        self._point()

    def _begin(self, explanation: Explanation | None) -> None:
        """Another constraint is in force: select what an edit leads to, or what was selected."""
        path, before = self._editor.wanted, self._part
        self._editor.begin(explanation)
        self._explanation = explanation
        self._tree = TreeLines(explanation, self.style) if explanation is not None else None
        self._path = self._path if path is None else path
        if explanation is not None and explanation.part(self._path) is None:
            near = before.span.start if before is not None and before.span is not None else 0
            part = explanation.part_at(near)
            self._path = part.path if part is not None else ""
        self._think()

    def _show_all(self) -> None:
        self._show_tree()
        self._show_below()
        self._say()

    # The tree

    @property
    def stale(self) -> bool:
        """The tree is that of an earlier text."""
        return self._state is not None and self._state.ask.stale

    @property
    def _row(self) -> int:
        row = self._tree.row_of(self._path) if self._tree is not None else None
        return row or 0

    @property
    def _part(self) -> Part | None:
        return self._tree.rows[self._row].part if self._tree is not None else None

    def _show_tree(self) -> None:
        assert self._state is not None
        state, tree, node = self._state, self._tree, self._node
        queue = state.submission.queue
        if tree is None and queue is None:
            self.legend.show(Text())
            hint = self.hint("How the constraint is read,", "and what each part matches.")
            self.view.show_parts(hint, 0, 0)
            return
        columns = Columns.of(state.cluster.resources.node_count, adds=False)
        if tree is not None:
            columns = tree.columns
            tree.style = self.style
            tree.look_at(node, self._why(), self._adviser.advice)
        more: list[Text] = []
        if queue is not None:
            more = reading_lines.queue_lines(state, queue, columns, node, self.style)
        parts = len(tree.rows) if tree is not None else 0

        def made(row: int) -> Text:
            return tree.line(row) if tree is not None and row < parts else more[row - parts]

        self.legend.show(reading_lines.legend(columns, state, node, self.style))
        self.view.show_parts(MadeLines(parts + len(more), made), parts, self._row)

    def _why(self) -> Why | None:
        if self._explanation is None or self._node is None:
            return None
        from fluxtui.answers.explain.why import why

        return why(self._explanation, self._node)

    # What is said below it

    def _show_below(self) -> None:
        part, explanation = self._part, self._explanation
        if part is None or explanation is None or self._state is None:
            self.below.show_lines([])
            return
        said = Said(part, self._why(), None, (), False, self._state.selected)
        if not self.stale:  # what to change about a text that is gone helps nobody
            adviser = self._adviser
            said = said._replace(
                advice=adviser.advice, changes=adviser.changes, looking=adviser.looking
            )
        self.below.show_lines(reading_lines.sentences(explanation, said, self.style))

    def _think(self) -> None:
        self._adviser.think(self._explanation, len(self._tree.rows) if self._tree else 0)

    def action_take(self, number: int) -> None:
        """Take the change with this number."""
        changes = self._adviser.changes
        if self.form == "tree" and not self.stale and number <= len(changes):
            self._bar.edit(changes[number - 1].text)

    # The text and the tree are one selection

    def follow(self) -> None:
        """The cursor of the text has moved: select the part that it is at."""
        row = self._row
        self._follow(self._bar.cursor())
        if self._row != row:
            self.view.go_to(self._row)
            self._show_below()

    def _follow(self, cursor: int | None) -> None:
        if cursor is None or self._explanation is None or self.stale:
            return
        part = self._explanation.part_at(cursor)
        if part is not None:
            self._path = part.path

    def _moved(self, row: int) -> None:
        """A person moved to another row of the tree."""
        if self._tree is not None:
            self._path = self._tree.rows[row].part.path
            self._point()
            self._show_below()
            self._say()

    def _point(self) -> None:
        """Select in the text what is selected in the tree, while a person is there."""
        part = self._part
        here = self.app.focused in (self.view, self.below) and not self.stale
        self._bar.point(part.span if part is not None and here else None)

    def _chosen(self, row: int) -> None:
        part = self._part
        if self._state is not None and part is not None and part.span is not None:
            self._bar.go_to(len(self._state.ask.text) if self.stale else part.span.end)

    # Editing the tree

    async def action_change(self, number: int) -> None:
        """Edit the part that is selected by a key: at once, or after a question."""
        explanation, part = self._explanation, self._part
        if self.form != "tree" or explanation is None or part is None:
            return
        if self.stale:
            self._put_in_frame("finish the constraint first")
            return
        await self._editor.change(number, part)

    def _refuse(self, problem: Problem) -> None:
        self._put_in_frame(problem.message)

    # The other form

    def action_form(self) -> None:
        """Change between the tree and the RFC 31 object."""
        if self.json.is_edited:
            self.json.leave()
        self.form = "json" if self.form == "tree" else "tree"
        inside = self.has_focus_within
        self._show_form()
        if inside:
            (self.view if self.form == "tree" else self.json.view).focus()
        self._say()

    def _show_form(self) -> None:
        tree = self.form == "tree"
        for widget in (self.legend, self.view, self.below):
            widget.display = tree
        self.json.display = not tree
        if self._state is not None:
            self.json.show(self._state.ask.constraint)
        names = (
            f"[b]{name}[/b]" if form == self.form else f"[dim]{name}[/dim]" for form, name in FORMS
        )
        forms = " │ ".join(names)
        self.border_title = f"{self.title}  [@click=form]{forms}[/]"

    async def action_edit_json(self) -> None:
        """Edit the RFC 31 object."""
        if self.form == "json":
            await self.json.edit()

    def _typed(self, constraint: Constraint | None) -> None:
        """The object was edited: the bar says the same in its own form."""
        from fluxtui.answers.explain.forms import bar_text

        ask = self._state.ask if self._state is not None else None
        is_json = ask is not None and ask.requires.is_json
        self._bar.type(bar_text(constraint, is_json=is_json))

    # The frame

    def on_descendant_focus(self) -> None:
        """Say what can be done here, and show the part in the text."""
        self._point()
        self._say()

    def on_descendant_blur(self) -> None:
        """Be quiet again."""
        self._point()
        self._say()

    def on_resize(self) -> None:
        """Say as much as there is room for."""
        self._say()

    def _say(self) -> None:
        """Say in the frame that the tree is an earlier one, or what can be done here."""
        number = len(self._adviser.changes) if not self.stale else 0
        numbers = "1" if number == 1 else f"1-{number}"
        if self.form == "json" and self.json.words:
            self._put_in_frame(self.json.words)
        elif self.stale:
            self.say_in_frame("stale")
        elif self._explanation is None or self.form == "json":
            self.say_in_frame("")
        elif self.app.focused in (self.view, self.below):
            self._put_in_frame(frame_words(self._room, numbers if number else ""))
        elif number:
            way = "F6" if self.has_class("-front") else "F3 F6"
            self._put_in_frame(f"{way}, then {numbers} takes a change")
        else:
            self.say_in_frame("")

    @property
    def _room(self) -> int:
        return self.size.width - 4

    def _put_in_frame(self, text: str) -> None:
        self.say_in_frame(shorten(printable(text), self._room))
