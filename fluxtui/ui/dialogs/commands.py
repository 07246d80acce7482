"""The command palette and the help, made from the bindings that are active now."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from inspect import isawaitable
from itertools import chain
from typing import Literal, NamedTuple, TypeAlias

from textual.screen import Screen
from textual.widget import Widget

from fluxtui import docs, workbench
from fluxtui.notation.problem import is_digits
from fluxtui.ui.actions import ACTIONS, LETTERS, run
from fluxtui.ui.controller import Controller, WorkbenchApp
from fluxtui.ui.kit.keys import bindings_of, written
from fluxtui.ui.kit.pane import Pane
from fluxtui.ui.kit.picker import Item, Picker, RowKey
from fluxtui.ui.layout import Tab

RECENT = "recent commands"
KEPT = 6  # how many recent commands are saved
# Synonyms for actions that many panes have a key for.
_ALIKE = {"find": "search", "filter": "search", "delete": "remove", "duplicate": "copy"}

_HIDDEN = ("commands", "leave")  # actions that need not be listed
_TOGGLES = ("explain", "queues", "form")  # actions that go to the pane of their name, and back
EVERYWHERE = "Everywhere"  # the heading of keys that work in every pane
IN_PANES = "In a pane"  # the heading of letter keys while letters are typed as text
WIDTH = 96  # columns of the palette and the help


class Command(NamedTuple):
    """A command: the id under which it is saved as recent, and the function that runs it."""

    id: str
    run: Callable[[], object]


# A command as an item: its label (empty for keys such as arrows, which are not looked up by name),
# its help, its keys, and where it works as the group.
Listed: TypeAlias = Item[Command]


class Notation(NamedTuple):
    """An example of a notation: its heading, the input it is for, its text and its meaning."""

    group: str
    kind: Literal["shape", "requires"]
    text: str
    meaning: str


_SHAPE = {
    "core=4": "4 cores anywhere",
    "slot=10/core=2": "10 slots of 2 cores each, on any nodes",
    "node=4/slot/[core=8;gpu]": "4 nodes, each with one slot of 8 cores and a gpu",
    "node=2/slot=4/core": "2 nodes, each with 4 slots of one core",
    "slot=4/node": "4 slots, each a whole node (RFC 14, beyond V1)",
    "node{x}/slot/core": "a node for this job alone; {-x} allows sharing it",
    "slot=4/numa{x}": "4 whole numa domains, also socket{x} (RFC 49, beyond V1)",
    "slot=2{db}/core=4": "2 slots with the label db",
    "node=2-8/slot/core": "2 to 8 nodes; 2+ is 2 or more",
    "node=2-8:2/slot/core": "2, 4, 6 or 8 nodes; 2-8:2:* is 2, 4 or 8",
    "node=1,4,9/slot/core": "1, 4 or 9 nodes",
    "slot/[core=2;memory=4{unit:GB}]": "a unit, or any other key and value in braces",
}
_QUERY = {
    "gpu": "nodes with the property gpu",
    "gpu&-debug": "gpu and not debug; gpu -debug is the same",
    "gpu|bigmem": "gpu or bigmem",
    "not (gpu|debug)": "neither of the two",
    "host:dune[001-016]": "by host name (RFC 29)",
    "rank:0-15": "by rank (RFC 22)",
}
_JSON = {
    '{"properties": ["gpu", "^debug"]}': "gpu and not debug",
    '{"hostlist": ["dune[001-016]"]}': "by host name",
    '{"ranks": ["0-15"]}': "by rank",
    '{"or": [{"properties": ["gpu"]}, {"ranks": ["0-3"]}]}': "either of the two; also and, not",
}

EXAMPLES = (
    *(Notation("Shape: what you need (RFC 46)", "shape", *each) for each in _SHAPE.items()),
    *(Notation("Requires: which nodes (RFC 35)", "requires", *each) for each in _QUERY.items()),
    *(Notation("Requires, as JSON (RFC 31)", "requires", *each) for each in _JSON.items()),
)


class Commands(Controller):
    """Shows commands: by name with recent ones first in the palette, or by key in the help.

    tabs are the tabs of the panes; kept loads values saved under a name, and keep saves them.
    """

    recent: tuple[str, ...] = ()  # ids of recent commands, the latest first

    def __init__(
        self,
        app: WorkbenchApp,
        tabs: Mapping[str, Tab],
        kept: Callable[[str], Awaitable[tuple[str, ...]]],
        keep: Callable[[str, tuple[str, ...]], None],
    ) -> None:
        super().__init__(app)
        self._tabs, self._kept, self._keep = tabs, kept, keep

    async def load(self) -> None:
        """Load the recent commands."""
        self.recent = await self._kept(RECENT)

    # The commands

    def here(self) -> Iterator[Listed]:
        """Yield the commands of the focused widget and its ancestors, the innermost first.

        Actions of the app come last, limited to those that are available on the current screen.
        """
        app, screen = self.app, self.app.screen
        for node in (screen.focused or screen).ancestors_with_self:
            if isinstance(node, Widget):
                yield from commands_of(node, title_of(node, screen))
        keys = {binding.id: binding.key for binding in bindings_of(app)}
        bound = {binding.action for binding in bindings_of(screen)}
        over = app.screen_actions() if len(app.screen_stack) > 1 else None
        typing = screen.focused is not None and screen.focused.check_consume_key("a", "a")
        tabs = self._tabs
        last = []  # actions that have only letter keys, while letters are typed as text
        for action in ACTIONS:
            name = action.name
            known = name in _HIDDEN or f"app.do({name!r})" in bound
            if known or (over is not None and name not in over):
                continue
            command = Command(name, partial(run, app, action))
            digit = tabs[name].digit if name in _TOGGLES else ""
            shown, words = written_keys(f"{digit},{keys.get(name, '')}"), action.synonyms
            item = Item(command, action.label, action.help, shown, group=EVERYWHERE, words=words)
            if typing and name in keys and keys[name] == ",".join(LETTERS[name]):
                last.append(replace(item, group=IN_PANES))
            else:
                yield item
        yield from last

    def elsewhere(self) -> Iterator[Listed]:
        """Yield the commands of all panes, each of which first goes to its pane."""
        if len(self.app.screen_stack) > 1:
            return
        for name, pane in self.app.panes.items():
            for node in (pane, *pane.query("*")):
                for item in commands_of(node, pane.title):
                    if not is_digits(item.right):  # a digit picks a row of a list
                        there = partial(self._there, name, item.value.run)
                        yield replace(item, value=Command(item.value.id, there))

    def _there(self, pane: str, run: Callable[[], object]) -> None:
        """Go to a pane, and run a command there once the pane can have the focus."""
        self.app.go_to(pane)
        self.app.call_after_refresh(run)

    def more(self) -> Iterator[Listed]:
        """Yield the panes to go to, and further commands of the app."""
        if len(self.app.screen_stack) == 1:
            for name, pane in self.app.panes.items():
                command = Command(f"go {name}", partial(self.app.go_to, name))
                digit = self._tabs[name].digit
                if name not in _TOGGLES:  # these have an action that goes there and back
                    what, words = "Go to this pane", pane.synonyms
                    yield Item(command, pane.title, what, digit, group="Panes", words=words)
        for title, help_text, callback, _ in self.app.get_system_commands(self.app.screen):
            yield Item(Command(title, callback), title, str(help_text), group="More")

    # The dialogs

    def show(self) -> None:
        """Open the palette: ask for a command by name, and run it."""
        known = _by_id(self.here(), self.more(), self.elsewhere())
        lately = [replace(known.pop(id), group="Recent") for id in self.recent if id in known]
        items = [
            replace(item, right=item.right.partition("  ")[0])
            for item in [*lately, *known.values()]
            if item.label
        ]
        hint = "what do you want to do?"
        picker = Picker("Commands", items, enter="runs", hint=hint, width=WIDTH)
        self.app.push_screen(picker, self._chosen)

    async def _chosen(self, command: Command | None) -> None:
        if command is not None:
            self.recent = tuple(dict.fromkeys((command.id, *self.recent)))[:KEPT]
            self._keep(RECENT, self.recent)
            await self._run(command)

    async def _run(self, command: Command | None) -> None:
        result = command.run() if command is not None else None
        if isawaitable(result):
            await result

    def help(self, command: Command | None = None) -> None:
        """Show the keys in the help, those of the focused widget first."""
        items = [
            replace(
                item,
                label=item.label or item.detail,
                detail=item.detail if item.label else "",
                lead=item.right,
                right="",
            )
            for item in _by_id(self.here(), self.elsewhere()).values()
            if item.right
        ]
        self._show_help("Help: keys", items, "runs it", RowKey("tab", "notations", self._notations))

    def _notations(self, command: Command | None) -> None:
        """Show examples of the notations; picking one tries it."""
        items = [
            Item(Command(text, partial(self._try, kind, text)), text, meaning, group=group)
            for group, kind, text, meaning in EXAMPLES
        ]
        other: RowKey[Command] = RowKey("tab", "documentation", self.documentation)
        self._show_help("Help: notations", items, "tries it", other)

    def documentation(self, command: Command | None = None) -> None:
        """List the sections of the documentation; typing searches their texts too."""
        items = [
            Item(
                Command(f"docs {topic.name} {section.title}", partial(self._read, section)),
                section.title,
                section.first,
                group=topic.title,
                words=section.text,
            )
            for topic in docs.topics()
            for section in topic.sections
        ]
        self._show_help("Help: documentation", items, "reads it", RowKey("tab", "keys", self.help))

    def _read(self, section: docs.Section) -> None:
        """Show a section of the documentation."""
        from fluxtui.ui.dialogs.docs import TopicDialog

        self.app.push_screen(TopicDialog(section, self.documentation))

    def _try(self, kind: Literal["shape", "requires"], text: str) -> None:
        """Put an example into its input, as an edit that ctrl+z undoes."""
        edit = workbench.EditShape if kind == "shape" else workbench.EditRequires
        self.app.edit(edit(text))
        (self.app.focus_shape if kind == "shape" else self.app.focus_constraint)()

    def _show_help(
        self, title: str, items: Sequence[Listed], enter: str, other: RowKey[Command]
    ) -> None:
        """Show a page of the help, in place of the current one if the help is open."""
        picker = Picker(title, items, enter=enter, keys=[other], keeps_order=True, width=WIDTH)
        if not isinstance(self.app.screen, Picker):
            self.app.push_screen(picker, self._run)  # at once: the next key may have been typed
            return
        self.app.screen.dismiss(None)
        # By the app: Textual calls the callback on what pushed it, which must outlive this screen.
        self.app.call_next(self.app.push_screen, picker, self._run)


def commands_of(node: Widget, group: str) -> Iterator[Listed]:
    """Yield the commands of one widget: its bindings that have a help text."""
    for binding in bindings_of(node):
        if binding.tooltip:
            name = binding.id or ""
            label = binding.description[:1].upper() + binding.description[1:]
            text = f"{name} {label} {binding.tooltip}".lower()
            words = [name.replace(".", " ").replace("_", " ")]
            words += [other for word, other in _ALIKE.items() if word in text]
            command = Command(name, partial(node.run_action, binding.action))
            keys = written_keys(binding.key)
            yield Item(command, label, binding.tooltip, keys, group=group, words=" ".join(words))


def title_of(node: Widget, screen: Screen[object]) -> str:
    """Return the heading for the commands of a widget: its pane, an input, or the screen."""
    if node is screen:
        return screen.title or EVERYWHERE
    pane = next((widget for widget in node.ancestors_with_self if isinstance(widget, Pane)), None)
    return pane.title if pane is not None else "Input"


def written_keys(keys: str) -> str:
    """Return the first two of several keys as keyboards name them: ``^q  F10``."""
    shown = dict.fromkeys(written(key) for key in keys.split(",") if key)
    return "  ".join([*shown][:2])


def _by_id(*items: Iterable[Listed]) -> dict[str, Listed]:
    found: dict[str, Listed] = {}
    for item in chain(*items):
        found.setdefault(item.value.id, item)
    return found
