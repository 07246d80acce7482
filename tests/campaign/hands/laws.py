"""What holds in a workbench between any two keys: laws of its state and of what it shows."""

import json
import re
from typing import TYPE_CHECKING, Any

from fluxtui import workbench
from fluxtui.bridge import draft_json
from fluxtui.model.constraint.tree import to_json
from fluxtui.model.documents import document as documents
from fluxtui.notation.json_value import identical
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import to_resources
from fluxtui.opening import drafts
from fluxtui.ui.job.form import FieldEntry, FormPane
from fluxtui.ui.job.tree import TreePane
from fluxtui.workbench import History, State
from tests.constraints import Machine, holds
from tests.ui.helpers import Hands
from tests.workbench.written import Written

if TYPE_CHECKING:
    from tests.campaign.hands.subject import Subject

MOST_NODES = 2_000  # that are judged one by one
MOST_TEXT = 2_000  # characters of a constraint that is
LEAST = (20, 8)  # a smaller screen has no room for what is in it, wherever that stands
MOST_WRITTEN = 20_000  # characters of texts that are compared at each step of the history


def _differences(one: Written, other: Written) -> str:
    """In what they differ."""
    return "; ".join(
        f"{name}: {short(mine)} not {short(theirs)}"
        for name, mine, theirs in zip(one._fields, one, other, strict=True)
        if mine != theirs
    )


class Memory:
    """What was written at each step of a history, noted when it was made."""

    def __init__(self, history: History) -> None:
        self.here = Written.of(history.state)
        self.past: list[Written | None] = [None] * len(history.past)
        self.future: list[Written | None] = [None] * len(history.future)

    def follow(self, before: History, after: History) -> None:
        """The history has gone on, or back."""
        was, self.here = self.here, Written.of(after.state)
        steps, more = (
            len(after.past) - len(before.past),
            len(after.future) - len(before.future),
        )
        if (steps, more) == (-1, 1):
            self.future.append(was)
            self.past.pop()
        elif (steps, more) == (1, -1):
            self.past.append(was)
            self.future.pop()
        else:
            if not after.future:
                self.future.clear()
            if steps > 0 or (after.past and not _is_same(before.past[-1], after.past[-1])):
                self.past.append(was)  # where as many are kept as may be, the oldest has gone
            self.past = self.past[len(self.past) - len(after.past) :]

    def broken(self, history: History) -> list[str]:
        """What undoing it all and redoing it all does not bring back."""
        found = []
        there = [Written.of(history.state)]
        back = history
        for number, known in enumerate(reversed(self.past)):
            back = back.undo()
            there.append(Written.of(back.state))
            if known is not None and known != there[-1]:
                found.append(f"undo {number + 1}: {_differences(there[-1], known)}")
        if back.past:
            found.append(f"{len(back.past)} steps are left after {len(self.past)} undos")
        for number, known in enumerate(reversed(there[:-1])):
            back = back.redo()
            again = Written.of(back.state)
            if known != again:
                found.append(f"redo {number + 1} of {len(there) - 1}: {_differences(again, known)}")
        forward = history
        for number, known in enumerate(reversed(self.future)):
            forward = forward.redo()
            again = Written.of(forward.state)
            if known is not None and known != again:
                found.append(f"redo {number + 1} from here: {_differences(again, known)}")
        if forward.future:
            found.append(f"{len(forward.future)} steps are left after {len(self.future)} redos")
        return found[:3]


def _is_same(before: Any, after: Any) -> bool:
    """Two steps have the same work, though a file was saved or closed between them."""
    return before.build is after.build and before.ask.text == after.ask.text


def short(value: object) -> str:
    """A value in a line."""
    text = repr(value)
    return text if len(text) < 300 else f"{text[:300]}..."


async def broken(app: "Subject", *, afresh: bool) -> list[str]:
    """The laws that do not hold now; afresh has the screen drawn anew too, which takes longest."""
    if not app.is_running or app._exit:
        return []
    state = app.state
    found = [*texts(state), *counts(state)]
    if len(app.memory.here.yaml) * (1 + len(app.history.past)) < MOST_WRITTEN * 50:
        found += app.memory.broken(app.history)
    found += shown(app)
    if afresh:
        found += await drawn_afresh(app)
    return [fault[:2000] for fault in found]


def texts(state: State) -> list[str]:
    """The texts of a job say the same as its document, in each form; so does its draft."""
    found = []
    job, build = state.job, state.build
    jobspec = state.jobspec()
    if identical(parse_shape(build.text).vertices, build.shape.vertices) is False:
        found.append("the shape is not that of its text")
    if not build.stale and not build.blank:
        again = to_resources(parse_shape(build.text))
        if not identical(again, list(build.resources)):
            found.append(f"the resources are not those of the shape {short(build.text)}")
    if build.blank and build.resources:
        found.append("a blank shape has resources")
    if job.raw is None:
        for form, read in (("yaml", documents.read_yaml), ("json", documents.read_json)):
            text = workbench.job_text(state, form)
            said = read(text)
            if not identical(said.value, jobspec):
                found.append(f"the {form} says {short(said.value)} and the job is {short(jobspec)}")
    draft = draft_json.from_json(json.loads(json.dumps(drafts.draft_of(state, None).to_json())))
    if draft is None:
        found.append("the draft cannot be read back")
    elif not draft.blank:
        back = Written.of(workbench.step(state, drafts.restoring(draft)))
        if back != Written.of(state):
            found.append(f"a restored draft has {_differences(back, Written.of(state))}")
    return found


def counts(state: State) -> list[str]:
    """The nodes that match are those that match one by one."""
    ask, nodes = state.ask, state.cluster.resources
    found = []
    if ask.mask.bit_count() != ask.totals.nodes:
        found.append(f"{ask.totals.nodes} nodes are counted of {ask.mask.bit_count()}")
    if ask.asked is not nodes:
        found.append("the answer is that of another cluster")
    if ask.constraint is None or nodes.node_count > MOST_NODES:
        return found
    wanted = to_json(ask.constraint)
    text = json.dumps(wanted)
    if len(text) > MOST_TEXT or re.search(r"\d{5}", text):
        return found
    try:
        good = sum(
            1 << index for index in range(nodes.node_count) if holds(wanted, machine(nodes, index))
        )
    except (ValueError, KeyError):  # a form of a list that the other evaluation does not read
        return found
    if good != ask.mask:
        differ = good ^ ask.mask
        found.append(
            f"{differ.bit_count()} nodes are judged otherwise one by one by {short(wanted)}, "
            f"the first has index {(differ & -differ).bit_length() - 1}"
        )
    return found


def machine(nodes: Any, index: int) -> Machine:
    """A node, as plainly as can be."""
    has = frozenset(name for name, mask in nodes.properties.items() if mask >> index & 1)
    return Machine(nodes.rank(index), nodes.host(index), has)


def shown(app: "Subject") -> list[str]:
    """The inputs, the tree and the form show what the state has."""
    state = app.state
    found = []
    for name, bar, text in (
        ("shape", app.shape_bar, state.build.text),
        ("constraint", app.ask_bar, state.ask.text),
    ):
        if bar.entry.value != text:
            found.append(f"the {name} shows {short(bar.entry.value)} and is {short(text)}")
    form, tree = app.pane(FormPane), app.pane(TreePane)
    if form.rows and form.is_in_sight and "form" not in app._due:
        for name, row in form.rows.items():
            text = workbench.field_text(state, name)
            if isinstance(row.target, FieldEntry) and row.target.value != text:
                found.append(
                    f"the form shows {name} as {short(row.target.value)} and it is {short(text)}"
                )
    if tree.is_in_sight and "tree" not in app._due and state.build.resources:
        rows = [child.data for child in tree.view.root.children]
        kinds = [row.parts[0][0] for row in rows if row is not None]
        wanted = [str(vertex["type"]) for vertex in state.build.resources]
        if all(kind.isprintable() for kind in wanted) and kinds != wanted[: len(kinds)]:
            found.append(f"the tree shows {kinds} and the shape has {wanted}")
    return found


def lines(app: "Subject") -> list[str]:
    """The rows of the screen as they are drawn."""
    return [strip.text for strip in app.screen._compositor.render_strips()]


async def drawn_afresh(app: "Subject") -> list[str]:
    """What the screen shows, drawn change by change, is what it shows where all is drawn anew."""
    if app.size.width < LEAST[0] or app.size.height < LEAST[1]:
        return []
    app.clear_notifications()
    hands = Hands(app)
    await hands.settle()
    before, screen, state = lines(app), app.screen, app.state
    hover = app._hover
    app._restyle()
    app._hover = hover
    app._over(hover)
    await hands.settle()
    if app.screen is not screen or app.state is not state or list(app._notifications):
        return []  # it has gone on
    after = lines(app)
    return [
        f"row {number} is {one.rstrip()!r}, drawn anew {other.rstrip()!r}"
        for number, (one, other) in enumerate(zip(before, after, strict=False))
        if one != other
    ][:4]
