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
    """What was written at each place of a history, when it was there last."""

    def __init__(self, history: History) -> None:
        self.known = {len(history.past): Written.of(history.state)}

    def follow(self, before: History, after: History) -> None:
        """The history has gone on, or back."""
        if before.past and after.past and _parts(before.past[0]) != _parts(after.past[0]):
            self.known.clear()  # the oldest step has gone, or a file was saved or closed
        end = len(after.past) + len(after.future)
        self.known = {place: one for place, one in self.known.items() if place <= end}
        self.known[len(after.past)] = Written.of(after.state)

    def broken(self, history: History) -> list[str]:
        """What undoing it all, and then redoing it all, does not bring back."""
        found, known = [], dict(self.known)
        steps = len(history.past) + len(history.future)
        ways = (History.undo,) * len(history.past) + (History.redo,) * steps
        for way in ways:
            history = way(history)
            place, now = len(history.past), Written.of(history.state)
            if known.setdefault(place, now) != now:
                found.append(f"{way.__name__} to {place}: {_differences(now, known[place])}")
                known[place] = now
        if len(history.past) != steps or history.future:
            found.append(f"{len(history.past)} of {steps} steps are left after all redos")
        return found[:3]


def _parts(work: Any) -> tuple[object, ...]:
    """What tells one step of a history from others."""
    return id(work.build), work.ask.text, id(work.job), id(work.submission)


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
    past = len(app.history.past)
    if len(app.memory.known[past].yaml) * (1 + past) < MOST_WRITTEN * 50:
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
    if not identical(parse_shape(build.text).vertices, build.shape.vertices):
        found.append("the shape is not that of its text")
    if not build.stale and not build.blank:
        again = to_resources(parse_shape(build.text))
        if not identical(again, list(build.resources)):
            found.append(f"the resources are not those of the shape {short(build.text)}")
    if build.blank and build.resources:
        found.append("a blank shape has resources")
    if job.raw is None:
        for form, read in (("yaml", documents.read_yaml), ("json", documents.read_json)):
            said = read(workbench.job_text(state, form))
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
    if ask.resources is not nodes:
        found.append("the answer is that of another cluster")
    if ask.constraint is None or nodes.node_count > MOST_NODES:
        return found
    wanted = to_json(ask.constraint)
    text = json.dumps(wanted)
    if len(text) > MOST_TEXT or re.search(r"\d{5}", text):
        return found
    good = 0
    for index in range(nodes.node_count):
        has = frozenset(name for name, mask in nodes.properties.items() if mask >> index & 1)
        try:
            is_good = holds(wanted, Machine(nodes.rank(index), nodes.host(index), has))
        except (ValueError, KeyError):  # a form of a list that the other evaluation does not read
            return found
        good |= is_good << index
    if good != ask.mask:
        differ = good ^ ask.mask
        found.append(
            f"{differ.bit_count()} nodes are judged otherwise one by one by {short(wanted)}, "
            f"the first has index {(differ & -differ).bit_length() - 1}"
        )
    return found


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
    if form.is_in_sight and "form" not in app._due:
        for name, row in form.rows.items():
            shows, text = row.target, workbench.field_text(state, name)
            if isinstance(shows, FieldEntry) and shows.value != text:
                found.append(f"the form shows {name} as {short(shows.value)} and not {short(text)}")
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
