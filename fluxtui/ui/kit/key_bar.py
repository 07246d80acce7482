"""The last line of the screen: the keys of the focused widget, then those of the app."""

from collections.abc import Sequence

from rich.style import Style
from rich.text import Text
from textual.binding import Binding

from fluxtui.ui.kit.keys import written
from fluxtui.ui.kit.lines import OneLine
from fluxtui.ui.kit.palette import palette_of

MOST = 6  # how many keys of the focused widget are shown
GAP = "  "


class KeyBar(OneLine):
    """Shows the most important active keys; a click on one presses it.

    Keys of the focused widget and its ancestors are at the left, those of the app at the right.
    """

    def on_mount(self) -> None:
        """Follow the active keys."""
        self.screen.bindings_updated_signal.subscribe(self, self._follow)

    def _follow(self, screen: object) -> None:
        if self.app.screen is screen:
            self.call_after_refresh(self.show_keys)

    def on_resize(self) -> None:
        """Show as many keys as fit the new width."""
        self.show_keys()

    def show_keys(self) -> None:
        """Show as many active keys as fit."""
        here: dict[str, Binding] = {}
        always: dict[str, Binding] = {}
        focused = self.screen.focused
        is_typing = focused is not None and focused.check_consume_key("question_mark", "?")
        for node, binding, _enabled, _tooltip in self.screen.active_bindings.values():
            if binding.show and binding.id:
                known = always if node is self.app else here
                first = known.setdefault(binding.id, binding)
                # For actions of the app, prefer a single character unless it would be typed as
                # text: every keyboard has it.
                is_better = len(written(first.key)) > 1 == len(written(binding.key))
                if known is always and is_better and not is_typing:
                    always[binding.id] = binding
        left, right = [*map(self._key, here.values())][:MOST], [*map(self._key, always.values())]
        room = self.content_size.width
        while len(right) > 2 and _width([*left, *right]) > room:
            del right[-2]  # keep the last one, which quits
        while left and _width([*left, *right]) > room:
            left.pop()
        self.show(Text(GAP).join(left), Text(GAP).join(right))

    def _key(self, binding: Binding) -> Text:
        palette = palette_of(self)
        key = (written(binding.key), palette.slot)
        text = Text.assemble(key, (f" {binding.description.lower()}", palette.quiet))
        click = Style(meta={"@click": f"app.simulate_key({binding.key!r})"})
        return Text.assemble(text, style=click)


def _width(keys: Sequence[Text]) -> int:
    return sum(key.cell_len + len(GAP) for key in keys) - len(GAP)
