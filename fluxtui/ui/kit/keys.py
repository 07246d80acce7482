"""Key bindings, from which the footer, the help and the palette are made."""

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

# Names of keys for which Textual would show a sign or an abbreviation.
_WRITTEN = {
    "pageup": "page up",
    "pagedown": "page down",
    "enter": "enter",
    "backspace": "backspace",
    "delete": "delete",
    "left_angle_bracket": "<",
    "right_angle_bracket": ">",
}

#: The keys in force of all bindings loaded so far, by binding id.
BOUND: dict[str, str] = {}

#: The default keys of these bindings, before the keymap.
OWN: dict[str, str] = {}

_keymap: Callable[[str, str], str] | None = None


def use_keymap(in_force: Callable[[str, str], str]) -> None:
    """Set the keymap: a function from a binding's id and default keys to its keys in force.

    Call this before the widgets are loaded. Bindings then have only the keys in force, in the
    footer, the help and the palette too, at no further cost.
    """
    global _keymap  # noqa: PLW0603  # one program has one keymap
    _keymap = in_force


def keys_in_force(id: str, keys: str) -> str:
    """Record the default keys of a binding, and return its keys after the keymap."""
    OWN[id] = keys
    bound = BOUND[id] = keys if _keymap is None else _keymap(id, keys)
    return bound


def load_all() -> Mapping[str, str]:
    """Return the keys in force of all bindings there are.

    It imports every module of the interface, so it must not run on the event loop.
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
    """Return a binding with the keys in force.

    id is its name in a keymap, such as ``map.zoom_in``; keys are comma-separated, and the first is
    the one shown. label is one or two words for the footer, empty for cursor keys, which nobody
    looks up by name; help is a sentence. footer adds it to the few keys that the footer shows.
    first gives it priority over bindings of the focused widget.
    """
    show = footer and bool(label)
    keys = keys_in_force(id, keys)
    return Binding(keys, action, label, show=show, priority=first, id=id, tooltip=help)


# Names of printable keys for which Textual may give no character.
_SIGNS = ("plus", "minus", "slash", "at", "backslash", "underscore")


def writes(key: str, character: str | None) -> bool:
    """Return whether a key is printable; inputs use it for `Widget.check_consume_key`."""
    return key in _SIGNS or (character is not None and character.isprintable())


def written(key: str) -> str:
    """Return a key as keyboards and manuals write it: ``F10``, ``^q``, ``esc``, ``?``."""
    return _with_sign(key).replace("ctrl+", "^")


def key_of(id: str, default: str) -> str:
    """Return the first key in force of a binding as messages name it, such as ``ctrl+f``.

    default is the key to name if the binding has none or is not loaded.
    """
    return _with_sign(BOUND.get(id, "").split(",")[0] or default)


def _with_sign(key: str) -> str:
    modifiers, plus, name = key.rpartition("+")
    if name[:1] == "f" and is_digits(name[1:]):
        return modifiers + plus + name.upper()
    return modifiers + plus + (_WRITTEN.get(name) or format_key(name))


def bindings_of(node: DOMNode) -> Collection[Binding]:
    """Return the bindings of a node that have an id, each once with all its keys in force."""
    found: dict[str, Binding] = {}
    for key, binding in node._bindings:
        if binding.id:
            known = found.get(binding.id)
            keys = f"{known.key},{key}" if known is not None else key
            found[binding.id] = replace(known or binding, key=keys)
    return found.values()


def is_bound(widget: Widget | None, keys: Collection[str]) -> bool:
    """Return whether a widget or one of its ancestors has an active binding for one of the keys."""
    around = widget.ancestors_with_self if widget is not None else ()
    return any(
        node.check_action(*parse(binding.action)[1:])
        for node in around
        if isinstance(node, Widget) and not isinstance(node, Screen)
        for key in keys
        for binding in node._bindings.key_to_bindings.get(key, ())
    )
