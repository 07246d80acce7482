"""Key bindings, which the footer, the help and the palette all read."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from importlib import import_module
from pkgutil import walk_packages

from textual.actions import parse
from textual.binding import Binding
from textual.dom import DOMNode
from textual.keys import format_key
from textual.screen import Screen
from textual.widget import Widget

from fluxtui import ui
from fluxtui.notation.problem import is_digits

# How a key is written where Textual would write a sign for it, or a shorter word.
_WRITTEN = {
    "pageup": "page up",
    "pagedown": "page down",
    "enter": "enter",
    "backspace": "backspace",
    "delete": "delete",
    "left_angle_bracket": "<",
    "right_angle_bracket": ">",
}

#: The keys in force of all bindings that are loaded, by their ids.
BOUND: dict[str, str] = {}

#: Those that they have without a keymap.
OWN: dict[str, str] = {}

_keymap: Callable[[str, str], str] | None = None


def use_keymap(in_force: Callable[[str, str], str]) -> None:
    """Have the keys of bindings changed: by its id and its own keys, the keys of each.

    To be called before the widgets are loaded: so the keys in force are the only ones there are, in
    the footer, the help and the palette too, and none costs more than it would by itself.
    """
    global _keymap  # noqa: PLW0603  # one program has one keymap
    _keymap = in_force


def keys_in_force(id: str, keys: str) -> str:
    """The keys of a binding after the keymap."""
    OWN[id] = keys
    found = BOUND[id] = keys if _keymap is None else _keymap(id, keys)
    return found


def load_all() -> Mapping[str, str]:
    """The keys in force of all bindings there are.

    Every widget is loaded for that, which is not for the event loop.
    """
    for module in walk_packages(ui.__path__, f"{ui.__name__}."):
        import_module(module.name)
    return BOUND


def bind(
    id: str,
    keys: str,
    action: str,
    label: str,
    help: str = "",
    *,
    footer: bool = False,
    first: bool = False,
) -> Binding:
    """One binding.

    id is its name in a keymap, such as ``map.zoom_in``; keys are comma-separated, the one that is
    shown first. label is one or two words for the footer, empty for moving about, which nobody
    looks for by its name; help a sentence. footer puts it among the few that the footer shows. With
    first it comes before what the widget with the focus would do with the key.
    """
    show = footer and bool(label)
    keys = keys_in_force(id, keys)
    return Binding(keys, action, label, show=show, priority=first, id=id, tooltip=help)


# Keys that write a character which Textual does not find by their names.
_SIGNS = ("plus", "minus", "slash", "at", "backslash", "underscore")


def writes(key: str, character: str | None) -> bool:
    """Whether a key is printable, for `Widget.check_consume_key` of inputs."""
    return key in _SIGNS or (character is not None and character.isprintable())


def written(key: str) -> str:
    """A key as keyboards and manuals write it: ``F10``, ``^q``, ``esc``, ``?``."""
    return _with_sign(key).replace("ctrl+", "^")


def key_of(id: str, own: str) -> str:
    """The first key in force of a binding as messages name it: ``ctrl+f``; own without one."""
    return _with_sign(BOUND.get(id, "").split(",")[0] or own)


def _with_sign(key: str) -> str:
    modifiers, plus, name = key.rpartition("+")
    if name[:1] == "f" and is_digits(name[1:]):
        return modifiers + plus + name.upper()
    return modifiers + plus + (_WRITTEN.get(name) or format_key(name))


def bindings_of(node: DOMNode) -> Collection[Binding]:
    """The named bindings of a node, each once with all its keys in force, in their order."""
    found: dict[str, Binding] = {}
    for key, binding in node._bindings:
        if binding.id:
            known = found.get(binding.id)
            keys = f"{known.key},{key}" if known is not None else key
            found[binding.id] = replace(known or binding, key=keys)
    return found.values()


def is_bound(widget: Widget | None, keys: Collection[str]) -> bool:
    """Whether a widget or one of its ancestors has an active binding for one of the keys."""
    around = widget.ancestors_with_self if widget is not None else ()
    return any(
        node.check_action(*parse(binding.action)[1:])
        for node in around
        if isinstance(node, Widget) and not isinstance(node, Screen)
        for key in keys
        for binding in node._bindings.key_to_bindings.get(key, ())
    )
