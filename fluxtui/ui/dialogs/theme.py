"""Choose a theme; moving through the list shows each one at once."""

from collections.abc import Callable, Sequence

from textual.app import App

from fluxtui.ui.kit.picker import Item, Picker


def choose_theme(
    app: App[None],
    own: Sequence[tuple[str, str]],
    others: Sequence[str],
    keep: Callable[[str], object],
) -> None:
    """Ask for a theme: own are names and titles of those with a file, others those of Textual.

    keep is called with the one that is picked; closing brings back the one before.
    """
    before = app.theme
    items = [Item(name, name, title, group="fluxtui") for name, title in own]
    items += [Item(name, name, group="Textual") for name in others]
    at = next((at for at, item in enumerate(items) if item.value == before), 0)

    def show(name: str) -> None:
        app.theme = name

    def chosen(name: str | None) -> None:
        show(name or before)
        if name is not None:
            keep(name)

    app.push_screen(Picker("Theme", items, enter="keeps", at=at, on_move=show), chosen)
