"""The last line: the keys that matter where the focus is, then those that always work."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.binding import Binding
from textual.screen import Screen

from fluxtui.ui.kit.keys import written
from fluxtui.ui.kit.lines import OneLine
from fluxtui.ui.kit.palette import palette_of

MOST = 6  # keys of what has the focus
GAP = "  "


class KeyBar(OneLine):
    """Shows the most important active keys; a click on one presses it.

    At the left are those of the widgets with the focus, at the right those of the app.
    """

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._here: Sequence[Binding] = ()
        self._always: Sequence[Binding] = ()

    def on_mount(self) -> None:
        """Follow the active keys."""
        self.screen.bindings_updated_signal.subscribe(self, self._bindings_changed)

    def _bindings_changed(self, screen: Screen[object]) -> None:
        if screen is self.screen and self.app.screen is screen:
            self.call_after_refresh(self.show_keys)

    def on_resize(self) -> None:
        """Show what there is room for."""
        self.show_keys()

    def show_keys(self) -> None:
        """Show as many active keys as fit."""
        here: dict[str, Binding] = {}
        always: dict[str, Binding] = {}
        focused = self.screen.focused
        is_typing = focused is not None and focused.check_consume_key("question_mark", "?")
        for node, binding, _enabled, _tooltip in self.screen.active_bindings.values():
            if not (binding.show and binding.id):
                continue
            known = always if node is self.app else here
            first = known.setdefault(binding.id, binding)
            # Of the app's keys, a sign where signs are not text: every keyboard has it.
            is_better = len(written(first.key)) > 1 == len(written(binding.key))
            if known is always and is_better and not is_typing:
                always[binding.id] = binding
        own, lasting, room = [*here.values()][:MOST], [*always.values()], self.content_size.width
        room -= len(GAP) if own else 0
        while len(lasting) > 2 and _width(own) + _width(lasting) > room:
            del lasting[-2]  # the last one leads out
        while own and _width(own) + _width(lasting) > room:
            own.pop()
        self._here, self._always = own, lasting
        self.show(self._text(own), self._text(lasting))

    def _text(self, bindings: Sequence[Binding]) -> Text:
        palette = palette_of(self)
        text = Text(no_wrap=True, end="")
        for binding in bindings:
            text.append(GAP if text else "")
            text.append(written(binding.key), style=palette.slot)
            text.append(f" {binding.description.lower()}", style=palette.quiet)
        return text

    def on_click(self, event: events.Click) -> None:
        """Press the clicked key."""
        place = event.get_content_offset(self)
        if place is None:
            return
        right = self.content_size.width - _width(self._always)
        for left, bindings in ((0, self._here), (right, self._always)):
            end = left
            for binding in bindings:
                begin, end = end, end + cell_len(_words(binding))
                if begin <= place.x < end:
                    self.app.simulate_key(binding.key)
                    return
                end += len(GAP)


def _words(binding: Binding) -> str:
    return f"{written(binding.key)} {binding.description}"


def _width(bindings: Sequence[Binding]) -> int:
    return sum(cell_len(_words(binding)) for binding in bindings) + len(GAP) * (
        len(bindings) - 1 if bindings else 0
    )
