"""How the constraint is read, what each part of it costs, why a node is out, what to change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from fluxtui.model.constraint.tree import Constraint
from fluxtui.notation.problem import printable
from fluxtui.ui.constraint import explain_lines as reading_lines
from fluxtui.ui.constraint.explain_lines import Said, TreeLines, is_unfinished, problem_lines
from fluxtui.ui.constraint.explanations import MOST, Adviser, Explaining, within
from fluxtui.ui.constraint.part_editing import (
    PART_KEYS,
    UNFINISHED,
    Bar,
    Doing,
    Form,
    PartEditor,
    Selection,
    frame_words,
)
from fluxtui.ui.kit.lines import LinesView, OneLine, RowsView
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.kit.pane import Pane
from fluxtui.ui.kit.wording import shorten
from fluxtui.workbench import Ask, Edit, EditRequires, State


class ExpressionTree(RowsView):
    """Lines of which the first ones are parts, and one of these is selected.

    on_row is called with the number of the row that a person moves to, on_choose with that of the
    row that is chosen.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "choose", "To the text", show=False),
    ]

    def __init__(
        self, on_row: Callable[[int], None], on_choose: Callable[[int], None], *, id: str
    ) -> None:
        super().__init__(on_choose, id=id)
        self._on_row = on_row
        self._parts = 0

    def show_parts(self, lines: Sequence[Text], parts: int, row: int) -> None:
        """Show these lines, of which so many are parts, with the cursor on one of them."""
        self._parts = parts
        self.put_row(min(row, max(parts - 1, 0)))
        LinesView.show_lines(self, lines)
        self._into_sight()

    def go_to(self, row: int) -> None:
        """Select a row without anybody being told."""
        if row != self.row:
            self.put_row(row)
            self._into_sight()

    def _into_sight(self) -> None:
        place = Region(self.scroll_offset.x, self.row, 1, 1)
        self.scroll_to_region(place, animate=False)

    def action_move(self, by: int) -> None:
        """Move the cursor so many parts."""
        if self._parts:
            self.go_to(min(max(self.row + by, 0), self._parts - 1))
            self._on_row(self.row)

    def action_choose(self) -> None:
        """Choose the selected part."""
        if self._parts:
            super().action_choose()

    def render_line(self, y: int) -> Strip:
        """One row; that of the cursor on a ground of its own, and bold with the focus."""
        strip = LinesView.render_line(self, y)
        if self._parts and y + self.scroll_offset.y == self.row:
            ground = palette_of(self).selected
            bar = ground if self.has_focus else Style(bgcolor=ground.bgcolor)
            strip = Strip([Segment(s.text, (s.style or self.base) + bar) for s in strip])
        return strip


if TYPE_CHECKING:
    from fluxtui.answers.explain.explanation import Explanation
    from fluxtui.answers.explain.relaxations import Relaxation
    from fluxtui.answers.explain.why import Why
    from fluxtui.ui.constraint.explain_json import ExplainJson
    from fluxtui.ui.job.fixes import Fix


class ExplainPane(Pane):
    """Shows the constraint as a tree with counts, and below it what is to be said of it.

    The line that is selected in the tree and the cursor in the text are one: each follows the
    other. Keys edit the part that is selected; the same constraint can be edited as JSON.
    on_advice is called when more is known of what to change about it. fixes gives the ways out
    for the job, on_take is called with the edit of the one that a person takes.
    """

    title = "Explain"

    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(key.key, f"change({number})", key.help, show=False)
            for number, key in enumerate(PART_KEYS)
        ),
        *(Binding(str(n), f"take({n})", "Take a change", show=False) for n in range(1, MOST + 1)),
        # With priority, so that what is typed right after is for where it leads.
        Binding("j", "turn", "JSON or tree", show=False, priority=True),
    ]

    form: Form = "tree"

    def __init__(
        self,
        explaining: Explaining,
        bar: Bar,
        on_advice: Callable[[], None],
        fixes: Callable[[], Sequence[Fix]],
        on_take: Callable[[Edit], None],
        seen: Callable[[], int | None],
        *,
        id: str,
    ) -> None:
        super().__init__(id=id)
        self._explaining = explaining
        self._bar = bar
        self.problems = ExplainProblems(id="explain-problems")
        self.legend = OneLine(id="explain-legend")
        self.view = ExpressionTree(self._moved, self._chosen, id="constraint-tree")
        self.below = LinesView(id="constraint-why", wrap=True, hang=2)
        self.json: ExplainJson | None = None  # made when it is first asked for
        self._state: State | None = None
        self._node: int | None = None
        self._explanation: Explanation | None = None
        self._selection = Selection()
        self._adviser = Adviser(self, self._advised)
        self._on_advice = on_advice
        self._fixes = fixes
        self._on_take = on_take
        self._seen = seen
        self._editor = PartEditor(self, bar, self.view.focus, self._put_in_frame)

    def compose(self) -> ComposeResult:
        """What is wrong, the tree under its legend, and the sentences."""
        yield self.problems
        yield self.legend
        yield self.view
        yield self.below

    def on_mount(self) -> None:
        """Name both forms in the frame; think about what was shown before."""
        self._show_form()
        if self._explanation is not None:
            self.call_later(self._think_again)

    def _think_again(self) -> None:
        self._adviser.think_again()
        self._show_all()

    def show(self, state: State) -> None:
        """Show the constraint in force, and in it the node that is seen."""
        self._state, self._node = state, self._seen()
        self._editor.stale = self.stale
        explanation = self._explaining.explain(state)
        if explanation is not self._explanation:
            self._begin(explanation)
        self._think_of(state)
        if self.json is not None:
            self.json.show(state.ask)
        self._follow(self._bar.cursor())
        self._show_all()
        self._point()

    def changes(self, state: State) -> Sequence[Relaxation]:
        """What is offered to change about a constraint that no node meets, of those that count.

        As far as it is known, also while the pane is out of sight.
        """
        if state.ask.constraint is None or state.ask.stale:
            return ()
        explanation = self._explaining.explain(state)
        if explanation is not self._explanation:
            self._begin(explanation)
        self._think_of(state)
        return self._adviser.changes

    def _advised(self) -> None:
        if self._state is not None:
            self._show_all()
        self._on_advice()

    def _begin(self, explanation: Explanation | None) -> None:
        """Another constraint is in force: select what an edit leads to, or what was selected."""
        wanted = self._editor.wanted
        self._editor.begin(explanation)
        self._explanation = explanation
        tree = TreeLines(explanation, self.style) if explanation is not None else None
        self._selection.begin(explanation, tree, wanted)

    def _show_all(self) -> None:
        self.show_problems()
        self._show_tree()
        self._show_below()
        self._say()

    def show_problems(self) -> None:
        """List what is wrong with the constraint: less of it while a person types there."""
        ask = self._state.ask if self._state is not None and self.form == "tree" else None
        typing, alone = self._bar.cursor() is not None, self._explanation is None
        self.problems.show_problems(ask, alone=alone, typing=typing)

    # The tree

    @property
    def stale(self) -> bool:
        """The tree is that of an earlier text."""
        return self._state is not None and self._state.ask.stale

    @property
    def inside(self) -> Widget:
        """The part of it that takes the keys: the tree or the object, or the question there."""
        if self.form == "json" and self.json is not None:
            return self.json.inside
        return self._editor.asking or self.view

    def _show_tree(self) -> None:
        assert self._state is not None
        state, tree, node = self._state, self._selection.tree, self._node
        if tree is None and state.known_queue is None:
            self.legend.show(Text())
            hint = self.hint("How the constraint is read,", "and what each part matches.")
            self.view.show_parts(hint if state.ask.blank else (), 0, 0)
            return
        if tree is not None:
            tree.style, tree.room = self.style, self.view.size.width
            tree.look_at(node, self._why(), self._adviser.advice)
        legend, lines, parts = reading_lines.shown(state, tree, node, self.style)
        self.legend.show(legend)
        self.view.show_parts(lines, parts, self._selection.row)

    def _why(self) -> Why | None:
        if self._explanation is None or self._node is None:
            return None
        from fluxtui.answers.explain.why import why

        return why(self._explanation, self._node)

    # What is said below it

    def _show_below(self) -> None:
        part, explanation = self._selection.part, self._explanation
        if part is None or explanation is None or self._state is None:
            self.below.show_lines([])
            return
        said = Said(part, self._why(), None, (), False, self._state.selected)
        if not self.stale:  # what to change about a text that is gone helps nobody
            adviser = self._adviser
            said = said._replace(advice=adviser.advice, ways=self._ways, looking=adviser.looking)
        self.below.show_lines(reading_lines.sentences(explanation, said, self.style))

    def _think_of(self, state: State) -> None:
        """Think about the constraint in force, and the queue of the job, where they are others."""
        tree = self._selection.tree
        self._adviser.think(self._explanation, len(tree.rows) if tree else 0, within(state))

    @property
    def _ways(self) -> tuple[Fix, ...]:
        """What a number takes: the ways out for the job, then what else may be changed."""
        if self._explanation is None or self.stale:
            return ()
        return tuple(self._fixes())

    def action_take(self, number: int) -> None:
        """Take the way with this number."""
        if self.form != "tree" or number > len(self._ways):
            return
        edit = self._ways[number - 1].edit
        if isinstance(edit, EditRequires):
            self._bar.edit(edit.text)
        else:
            self._on_take(edit)

    # The text and the tree are one selection

    def follow(self) -> None:
        """The cursor of the text has moved: select the part that it is at."""
        row = self._selection.row
        self._follow(self._bar.cursor())
        if self._selection.row != row:
            self.view.go_to(self._selection.row)
            self._show_below()

    def _follow(self, cursor: int | None) -> None:
        if cursor is not None and not self.stale:
            self._selection.follow(cursor)

    def _moved(self, row: int) -> None:
        """A person moved to another row of the tree."""
        if self._selection.tree is not None:
            self._selection.path = self._selection.tree.rows[row].part.path
            self._point()
            self._show_below()
            self._say()

    def _point(self) -> None:
        """Select in the text what is selected in the tree, while a person is there."""
        part = self._selection.part
        here = self.app.focused in (self.view, self.below) and not self.stale
        self._bar.point(part.span if part is not None and here else None)

    def _chosen(self, row: int) -> None:
        part = self._selection.part
        if self._state is not None and part is not None and part.span is not None:
            self._bar.go_to(len(self._state.ask.text) if self.stale else part.span.end)

    # Editing the tree

    async def action_change(self, number: int) -> None:
        """Edit the part that is selected by a key: at once, or after a question."""
        explanation, part = self._explanation, self._selection.part
        if self.form != "tree" or explanation is None or part is None:
            return
        if self.stale:
            self._put_in_frame(UNFINISHED.message)
            return
        await self._editor.change(number, part)

    # The other form

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The letter for the other form is text where one types."""
        if action == "turn":
            return not getattr(self.screen.focused, "takes_letters", False)
        return super().check_action(action, parameters)

    async def action_turn(self) -> None:
        """Change the form by its key."""
        await self.action_form()

    async def action_form(self) -> None:
        """Change between the tree and the RFC 31 object."""
        if self.json is not None and self.json.is_edited:
            self.json.leave()
        self.form = "json" if self.form == "tree" else "tree"
        if self.json is None:
            from fluxtui.ui.constraint.explain_json import ExplainJson

            self.json = ExplainJson(self._typed, self._say, id="explain-json")
            await self.mount(self.json)
        self._show_form()
        self.screen.set_focus(self.inside)  # whoever clicks on the title too goes on here
        self._say()

    def _show_form(self) -> None:
        tree = self.form == "tree"
        for widget in (self.legend, self.view, self.below):
            widget.display = tree
        self.show_problems()
        if self.json is not None:
            self.json.display = not tree
            if self._state is not None:
                self.json.show(self._state.ask)
        self.put_title("Explain" if tree else "Explain JSON")

    def _typed(self, constraint: Constraint | None) -> None:
        """The object was edited: the bar says the same in its own form."""
        from fluxtui.model.constraint.requires import bar_text

        ask = self._state.ask if self._state is not None else None
        if ask is not None and not ask.stale and ask.constraint == constraint:
            return  # the text may stay as a person wrote it
        is_json = ask is not None and ask.requires.is_json
        self._bar.type(bar_text(constraint, is_json=is_json))

    # The frame

    def say_keys(self) -> None:
        """Say what can be done here, and show the part in the text, while the focus is here."""
        self._point()
        self._say()

    def on_resize(self) -> None:
        """Show and say as much as there is room for."""
        if self._state is not None:
            self.call_after_refresh(self._show_tree)
        self._say()

    def _say(self) -> None:
        """Say in the frame that the tree is an earlier one, or what can be done here."""
        focused = self.app.focused
        doing = Doing(
            self._explanation is not None and self.form == "tree",
            focused in (self.view, self.below),
            self.stale and self._explanation is not None,
            len(self._ways),
        )
        said = self.json.words if self.form == "json" and self.json is not None else ""
        self._put_in_frame(said or frame_words(self._room, doing))

    @property
    def _room(self) -> int:
        return self.size.width - 4

    def _put_in_frame(self, text: str) -> None:
        self.say_in_frame(shorten(printable(text), self._room))


class ExplainProblems(LinesView):
    """Lists what is wrong with a constraint that cannot be read, in as many lines as it takes.

    Beside a tree it takes no more than a part of the room; away while nothing is wrong.
    """

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, wrap=True, hang=2)
        self.can_focus = False
        self.display = False

    def show_problems(self, ask: Ask | None, *, alone: bool, typing: bool) -> None:
        """Show those of a constraint, None where it is not shown; alone without a tree below.

        While one types beside a tree, what is merely unfinished is not listed: the tree would go
        up and down with every other key.
        """
        if ask is None or not ask.stale or (typing and not alone and is_unfinished(ask)):
            self.display = False
        else:
            self.display = True
            self.styles.max_height = "100%" if alone else "40%"
            self.show_lines(problem_lines(ask, palette_of(self)))
